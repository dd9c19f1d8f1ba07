"""What the author of a rubric is asked to look at once more: few lines, and each of them true."""

from __future__ import annotations

from typing import Any

import pytest

from rubrics.documents.document_report import examine
from rubrics.documents.shipped import GALLERY, SLUGS, content as shipped_content

# All that the shipped documents are told of.
SAID = {
    "response-quality": [
        'dimensions.quality.rules: no example shows "empty_is_1"; add one for each'
    ],
    "dialogue": [
        'dimensions.quality.rules: no example shows "grammar_errors_at_most_4"; add one for each'
    ],
    "fed-turns": [
        "dimensions.overall.levels: no text and no example at 4, 3, 2, 1 and 0; say what is meant"
    ],
    "instructgpt": [
        'checks: no rule and no condition names "unfit", "constraint", "sex", "violence", '
        '"opinion" and "moral"; add one, or let it be',
        "dimensions.overall.levels: the labels are too long for the buttons, and no button shows "
        "that of 4; shorten them",
    ],
    "ultrafeedback": [
        'dimensions.helpfulness.checks: no rule and no condition names "clear" and "concise"; '
        "add one, or let it be"
    ],
}


@pytest.mark.parametrize("slug", [*SLUGS, *GALLERY])
def test_a_shipped_document_is_told_of_little_and_of_no_fault(slug: str) -> None:
    examined = examine(shipped_content(slug))
    assert [found.text for found in examined.findings] == SAID.get(slug, [])
    assert examined.faults == ()


def tick(code: str) -> dict[str, Any]:
    return {"code": code, "kind": "tick", "wording": code.title()}


def cap(code: str, score: int, *names: str, **more: Any) -> dict[str, Any]:
    when = {"all_of": [*names]}
    return {"code": code, "effect": "cap", "score": score, "when": when, "reason": "So.", **more}


def example(score: int, *checks: str) -> dict[str, Any]:
    return {"score": score, "checks": [*checks], "why": "So.", "response": "Two."}


def looks(*labels: str, checks: Any = (), rules: Any = (), **more: Any) -> list[str]:
    """What is said of a scale from 1 with these labels; entries of "" are left out."""
    levels = more.pop("levels", {})
    whole = more.pop("whole", [])
    dimension = {
        **{"code": "tone", "short": "Tone", "title": "Tone", "question": "How is it?"},
        **{"lowest": 1, "highest": len(labels)},
        "levels": [
            {
                name: entry
                for name, entry in (
                    {"score": score, "label": label, "definition": f"It is {label}."}
                    | levels.get(score, {})
                ).items()
                if entry != ""
            }
            for score, label in enumerate(labels, start=1)
        ],
        **{"checks": [*checks], "rules": [*rules]},
        **more,
    }
    document = {"slug": "small", "title": "Small", "summary": "How?", "dimensions": [dimension]}
    examined = examine(document | {"checks": whole})
    assert examined.rubric, examined.findings
    assert examined.faults == ()
    return [found.text for found in examined.findings]


GRADES = ("Bad", "Poor", "Fair", "Good")
NO_TEXT = {"definition": ""}


def test_a_rubric_that_says_all_is_told_of_nothing() -> None:
    rules = [cap("rude", 2, "rude")]
    shown = {2: {"examples": [example(2, "rude")]}}
    assert looks(*GRADES, checks=[tick("rude")], rules=rules, levels=shown) == []


def test_a_scale_without_a_word_and_a_class_without_a_name_are_told_of() -> None:
    place = "dimensions.tone.levels: "
    assert looks(highest=5) == [f"{place}no score has a word or a text; describe the ends at least"]
    assert looks("Question", "Order", better="none", highest=4) == [
        f"{place}no name for the classes 3 and 4"
    ]


def test_levels_without_text_or_example_are_named_in_one_line() -> None:
    levels = {
        1: NO_TEXT,
        2: NO_TEXT | {"examples": [example(2)]},
        3: NO_TEXT | {"between": True, "label": ""},
        4: NO_TEXT,
    }
    assert looks(*GRADES, levels=levels) == [
        "dimensions.tone.levels: no text and no example at 1 and 4; say what is meant"
    ]


def test_a_scale_that_means_its_labels_to_be_enough_is_left_alone() -> None:
    nothing = dict.fromkeys(range(1, 5), NO_TEXT)
    assert looks("No", "Unsure", "Yes", levels=nothing) == []
    assert looks(*GRADES, levels=nothing, better="none") == []
    ends = {score: NO_TEXT | {"between": True, "label": ""} for score in (2, 3)}
    assert looks(*GRADES, levels={1: NO_TEXT, 4: NO_TEXT} | ends) == []
    assert looks(*GRADES, levels=nothing) == [
        "dimensions.tone.levels: no text and no example at 1, 2, 3 and 4; say what is meant"
    ]
    assert looks("No", "Unsure", "Yes", levels={2: NO_TEXT}) == [
        "dimensions.tone.levels: no text and no example at 2; say what is meant"
    ]


def test_an_example_that_contradicts_its_score_names_the_rule_that_bars_it() -> None:
    rules = [cap("rude_at_most_2", 2, "rude")]
    shown = {4: {"examples": [example(4), example(4, "rude")]}}
    assert looks(*GRADES, checks=[tick("rude")], rules=rules, levels=shown) == [
        'dimensions.tone.levels.4.examples.2: "rude_at_most_2" bars 4; '
        "change its checks or its score"
    ]


def test_an_example_whose_checks_clash_is_told_of() -> None:
    apart = {
        **{"code": "apart", "effect": "exclude", "when": {"all_of": ["rude"]}},
        **{"against": ["kind"], "reason": "Rude is not kind."},
    }
    shown = {4: {"examples": [example(4, "rude", "kind")]}}
    checks = [tick("rude"), tick("kind")]
    assert looks(*GRADES, checks=checks, rules=[apart], levels=shown) == [
        "dimensions.tone.levels.4.examples.1: its checks do not go together (Rude is not kind.); "
        "take one out"
    ]


def test_an_example_counts_as_commented_where_a_rule_asks_for_a_comment() -> None:
    need = {
        **{"code": "why", "effect": "require", "scores": [4], "needs": {"all_of": ["comment"]}},
        "reason": "Say why.",
    }
    assert looks(*GRADES, rules=[need], levels={4: {"examples": [example(4)]}}) == []


def test_rules_that_no_example_shows_are_named_if_there_are_examples() -> None:
    checks = [tick("rude"), tick("curt")]
    rules = [cap("rude_at_most_2", 2, "rude"), cap("curt_at_most_3", 3, "curt")]
    assert looks(*GRADES, checks=checks, rules=rules) == []
    shown = {2: {"examples": [example(2, "rude")]}}
    assert looks(*GRADES, checks=checks, rules=rules, levels=shown) == [
        'dimensions.tone.rules: no example shows "curt_at_most_3"; add one for each'
    ]


def test_a_check_that_nothing_names_is_told_of() -> None:
    asked = tick("warm") | {"when": {"all_of": ["kind"]}}
    rules = [cap("rude", 2, "rude")]
    assert looks(*GRADES, checks=[tick("rude"), tick("kind"), asked], rules=rules) == [
        'dimensions.tone.checks: no rule and no condition names "warm"; add one, or let it be'
    ]


def test_checks_of_the_whole_response_may_all_be_data_but_not_a_forgotten_one() -> None:
    whole = [tick("long"), tick("off")]
    assert looks(*GRADES, whole=whole) == []
    assert looks(*GRADES, whole=whole, rules=[cap("off", 2, "off")]) == [
        'checks: no rule and no condition names "long"; add one, or let it be'
    ]


def test_labels_that_no_button_shows_are_named() -> None:
    long = ("Insufferable", "Disagreeable", "Satisfactory", "Extraordinary", "Magnificent")
    assert looks(*long) == [
        "dimensions.tone.levels: the labels are too long for the buttons, and no button shows that "
        "of 2, 3 and 4; shorten them"
    ]
    ends = {score: {"label": ""} for score in (2, 3, 4)}
    assert looks(*long, levels=ends) == []
    assert looks(*long, better="none") == [], "classes have a line of their own"


@pytest.mark.parametrize(
    ("answers", "is_told"),
    [
        (("No", "A little of it, here and there", "Yes"), False),
        (("No", "A little of it, but only here and there", "Yes"), True),
        (("No", "A little of it, but only here and there"), False),
        (("No", "Incomprehensibilities", "Yes"), True),
        (("No", "Incomprehensibilities"), False),
    ],
)
def test_answers_that_are_longer_than_their_buttons_are_told_of(
    answers: tuple[str, ...], is_told: bool
) -> None:
    check = {
        **{"code": "rude", "kind": "one_of", "wording": "Rude"},
        "answers": [
            {"code": f"a{place}", "wording": wording, "sets": f"f{place}"}
            for place, wording in enumerate(answers)
        ],
    }
    said = 'dimensions.tone.checks: answers to "rude" are long for buttons; shorten them'
    assert looks(*GRADES, checks=[check], rules=[cap("low", 2, "f0")]) == [said] * is_told
    whole = looks(*GRADES, whole=[check])
    assert whole == [said.removeprefix("dimensions.tone.")] * is_told
