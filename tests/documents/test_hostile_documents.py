"""Documents that ask for what cannot be asked: each is refused with a line and what to do, in few
steps, and never with a traceback."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rubrics.documents import document as documents, proof
from rubrics.documents.yaml_lines import DocumentError
from tests.made_rubrics import LOW, Content, detected, document, question, rule, scale, scales, tick

NEEDS_COMMENT = rule("r1", "require", scores=[1], needs={"all_of": ["comment"]})
MANY = [tick(f"t{number}") for number in range(450)]
BY_ONE = {"when": {"all_of": ["t3"]}}


def made(
    checks: list[Content], rules: list[Content], whole: list[Content] | None = None, **entries: Any
) -> Content:
    """A document of one dimension with these entries, and checks of the whole response."""
    content = document(checks, rules)
    content["dimensions"][0].update(entries)
    return content | ({"checks": whole} if whole else {})


REFUSED = {
    "a condition on itself": (
        made([tick("a", when={"all_of": ["a"]})], []),
        '"a" is asserted by "a", which is not before "a"',
    ),
    "conditions in a circle": (
        made([tick("a", when={"any_of": ["b"]}), tick("b", when={"none_of": ["a"]})], []),
        '"b" is asserted by "b", which is not before "a"',
    ),
    "conditions in a circle through dimensions": (
        scales(
            scale("x", "X", 1, ["", ""], checks=[tick("a", when={"all_of": ["b"]})]),
            scale("y", "Y", 1, ["", ""], checks=[tick("b", when={"all_of": ["a"]})]),
        ),
        '"b" is no check of x',
    ),
    "five hundred unknown names": (
        made([*MANY[:400], tick("a", when={"of": [f"x{n}" for n in range(500)]})], []),
        '"x499" is no check of quality',
    ),
    "a check of the whole response named comment": (
        made([tick("a")], [NEEDS_COMMENT], [tick("comment")]),
        '"comment" is the comment on the response; choose another name',
    ),
    "the comment of a set": (
        made([tick("a")], [NEEDS_COMMENT], unit="candidate_set"),
        '"comment" is no check of quality',
    ),
    "a name of the whole response twice": (
        made([tick("b")], [LOW], [tick("a"), question("q", "a", "c")]),
        'checks: "a" appears more than once',
    ),
    "an answer's fact twice": (
        made([tick("b")], [LOW], [question("q", "a", "a")]),
        'checks: "a" appears more than once',
    ),
    "an answer's code of the whole response": (
        made([tick("b")], [LOW], [question("a", "x", "y")]),
        '"a" is no check of quality',
    ),
    "no dimensions": (
        scales() | {"checks": [tick("a")]},
        "dimensions: a rubric has at least one",
    ),
    "more checks than the proof can take": (
        made([tick("b")], [], MANY, **BY_ONE),
        "dimensions.quality.rules: 300000 steps did not prove that each question can be asked",
    ),
    "more checks of the whole response than the proof can take": (
        made([tick("b")], [], MANY, **BY_ONE),
        "checks: 300000 steps did not prove that answers can go together;"
        " write fewer or simpler checks",
    ),
    "a score that a detected check does not always give": (
        made([detected("a")], [rule("r1", "force", {"all_of": ["a"]}, score=1)], given=True),
        "with no fact asserted no rule gives the score",
    ),
    "a condition that no complete answers meet": (
        made(
            [tick("b")],
            [],
            [question("q", "x", "y"), tick("z")],
            when={"none_of": ["x", "y"]},
        ),
        "dimensions.quality.when: no answers meet it",
    ),
    "twenty detected checks in what rules exclude": (
        made(
            [*(detected(f"d{number}") for number in range(20)), tick("a")],
            [
                rule(f"r{number}", "exclude", {"all_of": [f"d{number}"]}, against=["a"])
                for number in range(20)
            ],
        ),
        "steps did not prove that answers can go together",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_document_is_refused_at_a_line(name: str) -> None:
    content, said = REFUSED[name]
    with pytest.raises(DocumentError) as refused:
        documents.read(yaml.safe_dump(content))
    assert said in str(refused.value)
    assert all(fault.startswith("line ") for fault in refused.value.faults)


def test_the_rules_said_to_close_all_scores_are_not_those_that_the_comment_opens() -> None:
    """While rating, the comment counts as written: the last rule closes nothing there."""
    low = rule("low", "cap", {"all_of": ["a"]}, score=3)
    high = rule("high", "floor", {"all_of": ["b"]}, score=4)
    why = rule("why", "require", scores=[1, 2, 3], needs={"all_of": ["comment"]})
    with pytest.raises(DocumentError, match=r'with "a" and "b" no score is left: rules low and hi'):
        documents.parse(made([tick("a"), tick("b")], [low, high, why]))


def test_fourteen_answers_that_are_counted_give_the_score_in_few_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proof, "STEPS", 15_000)
    asked = [question(f"q{number}", f"y{number}", "") for number in range(14)]
    facts = [f"y{number}" for number in range(14)]
    force = [
        rule(f"f{least}", "force", {"at_least": least, "of": facts}, score=score, precedence=score)
        for score, least in ((2, 1), (3, 5), (4, 9), (5, 14))
    ]
    none = rule("f0", "force", {"none_of": facts}, score=1)
    assert documents.parse(made(asked, [none, *force], given=True))
    with pytest.raises(DocumentError, match="with no fact asserted no rule gives the score"):
        documents.parse(made(asked, force, given=True))


def test_twelve_dimensions_share_twenty_checks_in_few_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proof, "STEPS", 15_000)
    facts = [f"s{number}" for number in range(20)]
    caps = [
        rule(f"cap{number}", "cap", {"all_of": [fact], "none_of": facts[number + 1 :]}, score=3)
        for number, fact in enumerate(facts)
    ]
    parts = [
        scale(f"d{n}", f"D{n}", 1, [""] * 5, when={"any_of": [facts[0], facts[n]]}, rules=caps)
        for n in range(1, 13)
    ]
    assert documents.parse(scales(*parts) | {"checks": [tick(fact) for fact in facts]})
