"""The files in fixtures/import: every oddity arrives as it is in every format; every error is said."""
# ruff: noqa: E501 - the messages are as long as they are

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tasks.models import Item, Project

from .import_steps import (
    FIXTURES,
    Outcome,
)

ODD = sorted(FIXTURES.glob("oddities*"))


def load(project: Project, name: str, *, take_good: bool = False, encoding: str = "") -> Outcome:
    return Outcome(project, (FIXTURES / name).read_bytes(), name, take_good, encoding=encoding)


@pytest.mark.parametrize("path", ODD, ids=lambda path: path.name)
def test_every_oddity_arrives_as_it_is_in_every_format(project: Project, path: Path) -> None:
    assert load(project, path.name).loaded
    found = []
    for item in Item.objects.all():
        (turn,) = item.messages
        for response in item.responses.all():
            found.append(
                {
                    "id": item.external_id,
                    "prompt": turn["text"],
                    "model": response.model,
                    "response": response.text,
                    "context": item.context,
                    "note": item.metadata["note"],
                }
            )
    lines = (FIXTURES / "oddities.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert found == [json.loads(line) for line in lines]
    assert {"NA", "", "=1+2", "\u200b"} <= {row["response"] for row in found}


def test_every_format_and_encoding_has_a_file_of_oddities() -> None:
    assert [path.name.removeprefix("oddities") for path in ODD] == [
        "-lone-cr.csv",
        "-semicolons-bom.csv",
        "-utf-16-be.csv",
        "-utf-16-le.csv",
        ".csv",
        ".json",
        ".jsonl",
        ".tsv",
    ]


def test_cells_with_conversations_become_turns(project: Project) -> None:
    assert load(project, "conversations.csv").loaded
    speakers, turns, as_list = Item.objects.all()
    texts = ["hello", "hello yourself", "what do you do?"]
    assert speakers.persona == as_list.persona == ["i keep bees.", "i row."]
    assert speakers.messages == [
        {"role": role, "text": text} for role, text in zip(("S1", "S2", "S1"), texts, strict=True)
    ]
    assert turns.messages == [
        {"role": role, "text": text}
        for role, text in zip(("user", "assistant", "user"), texts, strict=True)
    ]
    assert as_list.messages == [{"role": "user", "text": "hello\nthere"}]
    assert [item.responses.get().text for item in (speakers, turns, as_list)] == [
        "i look after my bees.",
        "i row.",
        "",
    ]


def test_the_encoding_of_latin_1_is_asked_and_taken_where_it_is_named(project: Project) -> None:
    refused = load(project, "latin-1.csv").refused
    assert "choose its encoding by how its texts look" in refused
    assert 'windows-1252 ("1;Où est le café ?' in refused
    assert load(project, "latin-1.csv", encoding="windows-1252").loaded
    assert Item.objects.get(external_id="1").messages[0]["text"] == "Où est le café ?"


REFUSED = {
    "bad-no-id-column.csv": 'is not in our own shape, or one must look at it first. One item with one response. Annotators see “prompt” as the prompt and “response” as the response. 2 columns: 2 shown. manage.py import_batch --guess prints what each column may be, for --mapping.',
    "bad-no-response-column.csv": 'is not in our own shape, or one must look at it first. 1 item. Annotators see “prompt” as the prompt. 2 columns: 1 shown, 1 of ids and models. Missing: a response. Your columns: id, prompt. manage.py import_batch --guess prints what each column may be, for --mapping.',
    "bad-two-columns-of-a-name.csv": 'has the column "note" twice in its header; rename one of them',
    "bad-end.json": 'is not JSON in line 3: expected a comma or a closing bracket ("\\", \\"prompt\\": \\"Why?\\"\\n"); write a list of objects, or {"items": […]}',
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_read_is_refused_in_words(project: Project, name: str) -> None:
    assert load(project, name).refused == f"{name} {REFUSED[name]}"


BAD = {
    "bad-cells.csv": [
        (2, "", "has 2 cells under 3 names"),
        (3, "", "has 4 cells under 3 names"),
        (4, "", "has text after the closing quote of a cell"),
    ],
    "bad-open-quote.csv": [(3, "", "begins a quote that is not closed")],
    "bad-rows-that-differ.csv": [(4, "prompt", "differs from line 2, which has the same id")],
    "bad-list-in-a-cell.csv": [
        (2, "persona", "is not JSON at character 10: expected a comma or a closing bracket")
    ],
    "bad-speakers.csv": [(2, "history", "has no speaker in line 2, and has one in another")],
    "bad-values.jsonl": [
        (1, "id", "is a number, not a text or a whole number"),
        (2, "prompt", "is a number, not a text"),
        (3, "response", "is true or false, not a text"),
        (4, "responses", "is missing"),
        (5, "responses", "is empty"),
        (6, "messages[0].content[0].type", "is no text and can’t be shown"),
        (7, "messages[0].tool_calls", "can’t be shown here"),
        (8, "prompt", "appears twice in one object"),
        (10, "prompt", "holds the character NUL (U+0000)"),
        (11, "prompt", "holds half a character (the lone surrogate U+D83D)"),
        (12, "", "is not JSON at character 31: expected a comma or a closing bracket"),
        (13, "", "is not a JSON object"),
    ],
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_is_said_by_line_column_and_reason(project: Project, name: str) -> None:
    outcome = load(project, name)
    assert [(error.line, error.column, str(error.reason)) for error in outcome.errors] == BAD[name]
    assert all(str(error.advice) for error in outcome.errors)
    assert outcome.loaded is None


def test_every_bad_file_is_asked_about() -> None:
    assert {path.name for path in FIXTURES.glob("bad-*")} == {*REFUSED, *BAD}


def test_good_lines_among_all_kinds_of_bad_ones_come_in(project: Project) -> None:
    outcome = load(project, "bad-values.jsonl", take_good=True)
    assert outcome.loaded is not None
    assert (outcome.loaded.items, outcome.loaded.bad) == (2, 12)
    assert [*Item.objects.values_list("external_id", "metadata")] == [
        ("9", {"score": None}),
        ("14", {}),
    ]
