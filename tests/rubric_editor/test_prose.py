"""A rubric out of the answer of a language model: what is said of each slip, and what stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from rubrics.documents.document import read
from rubrics.documents.document_report import examine
from rubrics.editor.from_prose import DOCS, MOST_READ, AnswerRead, materials, read_answer
from rubrics.editor.prose_document import document_in, is_plain_prose
from tests.cases import cases

# As models write: no code, no short title, no slug, no summary.
ANSWER = """title: Support replies
language: en
dimensions:
  - title: Accuracy
    question: Is what the reply says true?
    lowest: 1
    highest: 5
    levels:
      - {score: 5, label: Right}
      - {score: 1, label: Wrong}
  - title: Tone
    question: Is it polite?
    lowest: 1
    highest: 5
    checks:
      - {kind: tick, wording: Curt words}
    rules:
      - {effect: cap, score: 2, when: {all_of: [curt_words]}, reason: Curt.}
  - title: Next step
    question: Does it say what to do?
    lowest: 0
    highest: 1
    levels:
      - score: 1
        label: Says it
"""
BOTH = [("Accuracy", "1–5"), ("Tone", ""), ("Next step", "yes/no")]
ALL = [("Accuracy", "1–5"), ("Tone", "1–5"), ("Next step", "yes/no")]


def titles(read: AnswerRead) -> list[str]:
    content: Any = read.content or {"dimensions": []}
    return [dimension["title"] for dimension in content["dimensions"]]


def test_gaps_in_the_answer_of_a_model_are_filled_and_the_rest_stays() -> None:
    found = read_answer(ANSWER)
    assert found.faults == ()
    assert list(found.titled_scales) == ALL
    assert found.content is not None
    rubric = examine(found.content).rubric
    assert rubric is not None
    assert (rubric.slug, rubric.title, rubric.summary) == (
        "support-replies",
        "Support replies",
        "Support replies",
    )
    assert [(each.code, each.short) for each in rubric.dimensions] == [
        ("accuracy", "Accuracy"),
        ("tone", "Tone"),
        ("next_step", "Next step"),
    ]
    tone = rubric.dimension("tone")
    assert (tone.checks[0].code, tone.rules[0].code) == ("curt_words", "cap")


@cases(
    ("before", "after"),
    [
        ("Here is the document:\n\n```yaml\n", "```\n\nI kept the wording.\n"),
        ("Sure.\n\n~~~~\n", "~~~~\n"),
        ("", "```"),
        (
            "Here you are. It has three dimensions:\n\n",
            "\nLet me know if\n- you want more: or less.\n",
        ),
        ("---\n", "...\nDone.\n"),
        ("1. The document\n\n   ```yaml\n", "   ```\n2. Notes: none.\n"),
    ],
)
def test_text_around_the_document_is_left_out(before: str, after: str) -> None:
    within = ANSWER if "1." not in before else "   " + ANSWER.replace("\n", "\n   ").rstrip() + "\n"
    found = read_answer(f"{before}{within}{after}")
    assert found.faults == ()
    assert list(found.titled_scales) == ALL


def test_lines_are_those_of_the_pasted_answer() -> None:
    answer = "So:\n\n```yaml\n" + ANSWER.replace("highest: 5\n    checks", "highest: x\n    checks")
    found = read_answer(answer.replace("\n", "\r\n"))
    assert found.faults == ("line 17: dimensions.tone.highest: expected a whole number, found 'x'",)
    assert answer.splitlines()[16] == "    highest: x"


@cases(
    ("old", "new", "says"),
    [
        (
            "highest: 5\n    checks",
            "highest: 5 stars\n    checks",
            "line 14: dimensions.tone.highest: expected a whole number, found '5 stars'",
        ),
        (
            "    checks:\n",
            "    levels: [{score: 6, label: Best}]\n    checks:\n",
            "line 15: dimensions.tone.levels.6.score: 6; tone goes from 1 to 5",
        ),
        (
            "[curt_words]",
            "[rude]",
            'line 18: dimensions.tone.rules.cap.when.all_of: "rude" is no check of tone;'
            " its checks are curt_words",
        ),
        (
            "    checks:\n",
            "    levels: [{score: 5, label: Yes}]\n    checks:\n",
            "line 15: dimensions.tone.levels.5.label: expected a text, found True; put it in",
        ),
        (
            "    checks:\n",
            "    title: Manners\n    checks:\n",
            'line 15: "title" appears twice in one mapping; keep one',
        ),
    ],
)
def test_a_slip_is_said_at_its_line_and_costs_one_dimension(old: str, new: str, says: str) -> None:
    assert old in ANSWER
    found = read_answer(ANSWER.replace(old, new))
    assert any(each.startswith(says) for each in found.faults), found.faults
    assert [scale for _title, scale in found.titled_scales] == ["1–5", "", "yes/no"]
    assert titles(found) == ["Accuracy", "Next step"]


def test_min_and_max_are_no_entries_and_the_fault_says_what_is_missing() -> None:
    found = read_answer(ANSWER.replace("lowest: 0", "min: 0").replace("highest: 1", "max: 1"))
    assert [each.partition("; known are")[0] for each in found.faults] == [
        'line 19: dimensions.next_step: "lowest" is missing',
        'line 19: dimensions.next_step: "highest" is missing',
        'line 21: dimensions.next_step: "min" is not known here',
        'line 22: dimensions.next_step: "max" is not known here',
    ]
    assert titles(found) == ["Accuracy", "Tone"]


def test_tabs_in_front_of_lines_are_spaces() -> None:
    found = read_answer(ANSWER.replace("  ", "\t"))
    assert (found.faults, list(found.titled_scales)) == ((), ALL)


@cases(
    ("old", "new", "says"),
    [
        ("Is it polite?", "Polite: or not?", 'line 12: a text with ": " needs quotes'),
        ("{kind: tick, wording: Curt words}", "{kind: tick, wording: [", "line 18: a list in [ ]"),
        ("reason: Curt.}", "reason: 'Curt.}", "line 18: this quote is not closed; close it"),
    ],
)
def test_an_answer_that_is_no_yaml_is_refused_with_the_line(old: str, new: str, says: str) -> None:
    assert old in ANSWER
    found = read_answer(ANSWER.replace(old, new))
    assert found.faults[0].startswith(says)
    assert (found.titled_scales, found.content) == ((), None)


@cases("end", range(0, len(ANSWER) - 1, 3))
def test_an_answer_that_breaks_off_keeps_the_dimensions_before_or_says_the_line(end: int) -> None:
    found = read_answer(ANSWER[:end])
    starts = map(ANSWER.index, ("  - title: Tone", "  - title: Next"))
    whole = len([place for place in starts if place <= end])
    if found.titled_scales:
        assert titles(found)[:whole] == ["Accuracy", "Tone"][:whole]
    else:
        assert found.faults


def test_a_fault_outside_of_the_dimensions_costs_what_it_is_in() -> None:
    extra = "version: 1\nguidance:\n  - {title: Read, text: 5}\n"
    found = read_answer(ANSWER + extra)
    assert [each.partition(";")[0] for each in found.faults] == [
        'line 26: the document: "version" is not known here',
        "line 28: guidance.read.text: expected a text, found 5",
    ]
    assert found.content is not None
    assert "guidance" not in found.content
    assert list(found.titled_scales) == ALL


def test_two_dimensions_with_one_code_are_not_both_taken() -> None:
    both = ANSWER.replace("- title: Accuracy", "- code: accuracy\n    title: Accuracy")
    found = read_answer(both.replace("title: Tone", "code: accuracy\n    title: Tone"))
    assert found.faults == ('dimensions: "accuracy" appears more than once; give each its own',)
    assert titles(found) == ["Accuracy", "Next step"]


def test_json_is_read_as_well() -> None:
    content: dict[str, Any] = yaml.safe_load(ANSWER)
    content["dimensions"][1]["highest"] = "x"
    for indent, line in ((None, 2), (1, 26)):
        found = read_answer(f"Here:\n{json.dumps(content, indent=indent)}\nDone.")
        fault = "dimensions.tone.highest: expected a whole number, found 'x'"
        assert found.faults == (f"line {line}: {fault}",)
        assert list(found.titled_scales) == BOTH


def test_a_fault_that_the_proof_finds_is_reported_and_costs_no_part() -> None:
    rule = "{effect: floor, score: 4, when: {all_of: [curt_words]}, reason: No.}\n"
    found = read_answer(ANSWER.replace("    rules:\n", f"    rules:\n      - {rule}"))
    (fault,) = found.faults
    assert fault.startswith('dimensions.tone.rules: with "curt_words" no score is left')
    assert list(found.titled_scales) == ALL


@cases(
    "answer",
    [
        "",
        "I cannot do that.",
        "title: Only a title",
        "dimensions: none",
        "{",
        "title: [",
        "dimensions: [1]",
    ],
)
def test_an_answer_without_a_dimension_says_so(answer: str) -> None:
    found = read_answer(answer)
    assert found.faults
    assert found.content is None


def test_no_more_dimensions_are_read_than_a_page_can_wait_for() -> None:
    found = read_answer("title: x\ndimensions:\n" + "- {title: a}\n" * 500)
    assert len(found.titled_scales) == MOST_READ
    assert found.faults[0] == f"dimensions: at most {MOST_READ} are read"


def test_a_title_with_a_gap_is_read_in_no_time() -> None:
    answer = read_answer(f"dimensions:\n- title: a{' ' * 100_000}b\n  lowest: 1\n")
    assert len(answer.titled_scales) == 1


def test_the_document_alone_is_kept_as_it_is() -> None:
    assert document_in(ANSWER) == ANSWER


def test_materials_for_a_model_are_the_page_of_the_format_and_its_schema() -> None:
    given = materials()
    assert "\n" not in given["schema"].strip()
    assert json.loads(given["schema"])["title"] == "A rubric of Evenhand"
    example = given["format"].partition("```yaml\n")[2].partition("```")[0]
    assert read(example).slug == "help-desk"


def test_the_containers_have_what_is_given_to_the_model() -> None:
    ignored = (DOCS.parent / ".dockerignore").read_text("utf-8").splitlines()
    assert "docs" not in ignored  # nothing below an ignored folder can be let in again
    let_in = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    assert let_in == {"docs/rubric-format.md", "docs/rubric-schema.json"}


@pytest.mark.parametrize(
    ("text", "is_prose"),
    [
        ("Rate how helpful a reply is, from 1 to 5.\ntitle: Helpfulness\nA 5 helps fully.", True),
        ("Several dimensions: help, harm and tone.", True),
        ("Here it is:\n```yaml\ntitle: Help\ndimensions:\n  - code: help\n```", False),
        ('{"title": "Help",\n "dimensions": []}', False),
        ('{"dimensions": []}', False),
    ],
)
def test_prose_is_told_from_the_answer_of_a_model(text: str, is_prose: bool) -> None:
    assert is_plain_prose(text) is is_prose
