"""Two parts of a file, joined by a key: sheets, lists of a document, files of an archive."""
# ruff: noqa: E501 - the messages are as long as they are

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from tasks.importing.columns.joining import propose_join
from tasks.importing.columns.opening import open_file
from tasks.importing.files import joins
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.readers import recognise
from tasks.importing.files.rows import ChoiceNeeded, LineError, Unreadable
from tasks.importing.uploading import report_of
from tasks.models import Item, Project, Score, Upload

from ..factories import (
    make_project,
    make_user,
)
from .import_steps import (
    archive,
    load_uploads,
    shown_in,
    table,
    workbook,
)

Rows: TypeAlias = "list[list[Any]]"
QUESTIONS: Rows = [["id", "prompt"], [1, "Why?"], [2, "How?"]]
ANSWERS: Rows = [
    ["id", "model", "response"],
    [1, "heron", "So."],
    [1, "wren", "Thus."],
    [2, "heron", "Like this."],
]

# Which of the two numbers is the question's, the names do not say.
TWO_KEYS: Rows = [["id", "question_no", "response"], [1, 2, "So."], [2, 1, "Thus."]]


def sheets(answers: Rows = ANSWERS, questions: Rows = QUESTIONS) -> bytes:
    """A workbook of questions, and of answers to them."""
    return workbook(*questions, Answers=answers)


def csv_of(rows: Rows) -> bytes:
    return table(*([*map(str, row)] for row in rows))


def list_of(rows: Rows) -> list[dict[str, Any]]:
    header, *others = rows
    return [dict(zip(header, row, strict=True)) for row in others]


def joined(file: bytes, name: str = "book.xlsx", **options: str) -> list[Any]:
    """What the rows hold, or what is wrong with them."""
    reading = ReadingOptions(part="Answers", join="Items", key="id").model_copy(update=options)
    with recognise(io.BytesIO(file), name, reading) as source:
        contents = []
        for row in source.rows():
            is_bad = isinstance(row.content, LineError)
            contents.append(str(row.content) if is_bad else row.content)
        return contents


def proposed(file: bytes, name: str = "book.xlsx") -> tuple[str, str, str] | None:
    content, options = io.BytesIO(file), ReadingOptions()
    with pytest.raises(ChoiceNeeded) as needed, recognise(content, name, options):
        pass
    join = propose_join(content, name, options, needed.value)
    return (join.part, join.join, join.key) if join else None


@pytest.mark.parametrize(
    ("questions", "answers", "key"),
    [
        (("Nr", "Frage"), ("Frage-Nr", "Modell", "Antwort"), "Frage-Nr: Nr"),
        (("id", "prompt"), ("prompt_id", "model", "response"), "prompt_id: id"),
        (("code", "question"), ("code_question", "model", "reponse"), "code_question: code"),
        (("number", "text"), ("items", "model", "answer"), "items: number"),
        (("id", "model"), ("id", "model", "response"), "id"),
    ],
)
def test_a_join_is_proposed_by_ids_whose_values_match_whatever_their_names(
    questions: tuple[str, ...], answers: tuple[str, ...], key: str
) -> None:
    file = sheets([[*answers], *ANSWERS[1:]], [[*questions], *QUESTIONS[1:]])
    assert proposed(file) == ("Answers", "Items", key)


# --- rows ---

BOTH = [
    {"id": 1, "model": "heron", "response": "So.", "prompt": "Why?"},
    {"id": 1, "model": "wren", "response": "Thus.", "prompt": "Why?"},
    {"id": 2, "model": "heron", "response": "Like this.", "prompt": "How?"},
]


def test_rows_of_a_sheet_get_the_columns_of_the_row_of_another_one_with_their_key() -> None:
    assert joined(sheets()) == BOTH


def test_lists_of_a_document_are_joined() -> None:
    lists = {"questions": list_of(QUESTIONS), "answers": list_of(ANSWERS)}
    file = json.dumps(lists).encode()
    assert joined(file, "x.json", part="answers", join="questions") == BOTH


def test_files_of_an_archive_are_joined_whatever_their_formats() -> None:
    questions = b"".join(json.dumps(row).encode() + b"\n" for row in list_of(QUESTIONS))
    file = archive({"answers.csv": csv_of(ANSWERS), "questions.jsonl": questions})
    contents = joined(file, "x.zip", part="answers.csv", join="questions.jsonl")
    assert contents == [row | {"id": str(row["id"])} for row in BOTH]


def test_a_key_may_have_two_columns_and_other_names_in_the_other_part() -> None:
    questions: Rows = [["Topic", "id", "prompt"], ["a", 1, "Why?"], ["b", 1, "How?"]]
    answers: Rows = [["topic", "question", "response"], ["b", 1, "So."]]
    contents = joined(sheets(answers, questions), key="topic: Topic, question: id")
    assert contents == [{"topic": "b", "question": 1, "response": "So.", "prompt": "How?"}]


def test_a_column_that_both_have_bears_the_name_of_its_part() -> None:
    questions: Rows = [["id", "prompt", "note"], [1, "Why?", "old"]]
    answers: Rows = [["id", "response", "note"], [1, "So.", None], [1, "Thus.", "new"]]
    without, with_note = joined(sheets(answers, questions))
    assert without == {"id": 1, "response": "So.", "prompt": "Why?", "Items.note": "old"}
    assert with_note == without | {"response": "Thus.", "note": "new"}


# --- faults ---


def test_a_row_whose_key_is_missing_there_or_twice_is_bad() -> None:
    questions: Rows = [*QUESTIONS, [2, "Whence?"]]
    answers: Rows = [*ANSWERS, [3, "wren", "Thence."], [None, "wren", "Hence."]]
    _first, _second, *bad = joined(sheets(answers, questions))
    assert bad == [
        'line 4: "id" is in several rows of the part "Items", also in line 4 ("2"); leave one of them there',
        'line 5: "id" is in no row of the part "Items" ("3"); add the row there, or take this one out',
        'line 6: "id" is in no row of the part "Items" (""); add the row there, or take this one out',
    ]


def test_a_bad_row_of_the_joined_part_is_told_with_the_part() -> None:
    file = archive({"answers.csv": csv_of(ANSWERS), "q.csv": b"id,prompt\n1,Why?\n2\n"})
    first, *_others = joined(file, "x.zip", part="answers.csv", join="q.csv")
    assert first.startswith('line 3: "q.csv" has 1 cell under 2 names')


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"key": "number: id"}, 'has no column "number" to join its parts by; one of them has "id", "model", "response"'),
        ({"key": "id: number"}, 'has no column "number" to join its parts by; one of them has "id", "prompt"'),
        ({"join": "Sheet"}, 'can’t be joined with its part "Sheet": the file has the parts "Items", "Answers"'),
    ],
)  # fmt: skip
def test_a_part_or_a_column_that_is_not_there_is_refused(
    options: dict[str, str], said: str
) -> None:
    with pytest.raises(Unreadable) as refused:
        joined(sheets(), **options)
    assert str(refused.value).startswith(said)


def test_a_part_that_memory_should_not_hold_is_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "MOST_BYTES", 500)
    with pytest.raises(Unreadable, match='has a part "Items" that is too large to be joined'):
        joined(sheets())


def test_a_long_row_that_many_rows_name_is_not_written_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(joins, "MOST_ADDED", 2_000)
    answers = [[1, "heron", "So."] for _row in range(20)]
    with pytest.raises(Unreadable, match="is larger than 2 GB once its parts are joined"):
        joined(sheets([ANSWERS[0], *answers], [*QUESTIONS, [3, "Why? " * 100]]))


def test_remarks_say_how_parts_are_joined_and_count_the_rows_left_out() -> None:
    questions: Rows = [*QUESTIONS, [3, "Whence?"]]
    options = ReadingOptions(part="Answers", join="Items", key="id")
    with recognise(io.BytesIO(sheets(ANSWERS, questions)), "x.xlsx", options) as source:
        list(source.rows())
        assert [*source.remarks] == [
            "The rows have the columns of the part “Items”, by “id”.",
            "1 row of the part “Items” belongs to none, and is left out.",
        ]


# --- proposed ---


def test_a_join_of_two_parts_is_proposed_by_the_one_column_that_both_have() -> None:
    assert proposed(sheets()) == ("Answers", "Items", "id")
    other_case: Rows = [["ID", "prompt"], *QUESTIONS[1:]]
    assert proposed(sheets(ANSWERS, other_case)) == ("Answers", "Items", "id: ID")
    turned = workbook(*ANSWERS, Questions=QUESTIONS)
    assert proposed(turned) == ("Items", "Questions", "id")
    # A row or two without their question are bad rows, and no reason not to ask.
    assert proposed(sheets([*ANSWERS, [3, "heron", "So."]])) == ("Answers", "Items", "id")


@pytest.mark.parametrize(
    "file",
    [
        sheets(ANSWERS, [["topic", "prompt"], *QUESTIONS[1:]]),
        sheets(ANSWERS, [["number", "prompt"], [1, "Why?"], [4, "How?"]]),
        sheets(TWO_KEYS, [["number", "prompt"], *QUESTIONS[1:]]),
        sheets(ANSWERS, [*QUESTIONS, [2, "Whence?"]]),
        sheets([*ANSWERS, *([number, "heron", "So."] for number in range(3, 8))]),
        workbook(*QUESTIONS, Answers=ANSWERS, More=[["id", "note"], [1, "x"]]),
    ],
    ids=["no key", "no row of many", "two keys", "twice in both", "missing in most", "three parts"],
)
def test_no_join_is_proposed_where_it_is_not_clear(file: bytes) -> None:
    assert proposed(file) is None


TURNS = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]


@pytest.mark.parametrize("speaker", ["role", "from", "author"])
def test_no_join_is_proposed_by_who_speaks(speaker: str) -> None:
    rows: Rows = [[speaker, "content"], ["user", "Why?"], ["assistant", "So."]]
    others: Rows = [[speaker, "content"], ["user", "How?"], ["assistant", "Thus."]]
    assert proposed(sheets(rows, others)) is None


@pytest.mark.parametrize("key", ["id", "item_id", "prompt_id", "conversation_id"])
def test_lists_of_turns_that_name_their_conversation_are_asked_about(key: str) -> None:
    lists = {name: [{key: name, **turn} for turn in TURNS] for name in ("train", "test")}
    with (
        pytest.raises(ChoiceNeeded, match='has the parts "train", "test"'),
        open_file(io.BytesIO(json.dumps(lists).encode()), "turns.json"),
    ):
        pass


def test_sheets_of_turns_are_asked_about() -> None:
    rows: Rows = [[*TURNS[0]], *([*turn.values()] for turn in TURNS)]
    with (
        pytest.raises(ChoiceNeeded, match='has the parts "'),
        open_file(io.BytesIO(sheets(rows, rows)), "turns.xlsx"),
    ):
        pass


def test_conversations_by_their_ids_are_refused_with_what_to_write() -> None:
    text = json.dumps({"c1": TURNS, "c2": TURNS}).encode()
    with (
        pytest.raises(Unreadable, match=r"conversations by their ids; write a list of {id, messag"),
        open_file(io.BytesIO(text), "turns.json"),
    ):
        pass
    lists = {"train": [turn | {"chat": "c1"} for turn in TURNS], "test": [TURNS[0] | {"chat": "d"}]}
    with (
        pytest.raises(ChoiceNeeded, match='has the parts "train", "test"'),
        open_file(io.BytesIO(json.dumps(lists).encode()), "turns.json"),
    ):
        pass


# --- by page and command ---


@pytest.fixture
def project(db: None) -> Project:
    return make_project(slug="p", leads=[make_user(name="lea")])


def prompts_and_models() -> list[tuple[str, list[str]]]:
    items = []
    for item in Item.objects.order_by("position"):
        [turn] = item.messages
        models = item.responses.order_by("position").values_list("model", flat=True)
        items.append((turn["text"], [*models]))
    return items


def test_the_page_asks_how_two_sheets_are_joined_and_joins_them(
    client: Client, project: Project
) -> None:
    client.force_login(project.memberships.get().user)
    client.post("/projects/p/upload/", {"file": SimpleUploadedFile("book.xlsx", sheets())})
    load_uploads()
    upload = Upload.objects.get()
    assert not report_of(upload).is_importable
    sent = shown_in(upload)
    assert (sent["part"], sent["join"], sent["key"]) == ("Answers", "Items", "id")

    page = client.post(upload.address, sent | {"act": "read", "key": ""}).content.decode()
    assert "Say which column names the rows of both parts." in page
    client.post(upload.address, sent | {"act": "read"})
    load_uploads()
    page = client.get(upload.address).content.decode()
    assert "The rows have the columns of the part “Items”, by “id”." in page
    upload.refresh_from_db()
    client.post(upload.address, shown_in(upload) | {"act": "import"})
    load_uploads()
    assert prompts_and_models() == [("Why?", ["heron", "wren"]), ("How?", ["heron"])]


def test_a_sheet_that_is_read_since_it_alone_is_known_can_be_joined_with_another(
    client: Client, project: Project
) -> None:
    client.force_login(project.memberships.get().user)
    book = workbook(
        ["id", "note"], [1, "early"], Answers=[["id", "prompt", "response"], [1, "Why?", "So."]]
    )
    client.post("/projects/p/upload/", {"file": SimpleUploadedFile("book.xlsx", book)})
    load_uploads()
    upload = Upload.objects.get()
    sent = shown_in(upload) | {"part": "Answers", "join": "Items", "key": "id"}
    client.post(upload.address, sent | {"act": "read"})
    load_uploads()
    upload.refresh_from_db()
    client.post(upload.address, shown_in(upload) | {"act": "import"})
    load_uploads()
    assert Item.objects.get().metadata == {"note": "early"}


def test_the_command_names_the_join_and_takes_it(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "book.xlsx"
    file.write_bytes(sheets())
    with pytest.raises(CommandError, match=r"Or join them: --part Answers --join Items=id$"):
        call_command("import_batch", "p", file)
    arguments = ["--part", "Answers", "--join", "Items=id", "--yes"]
    call_command("import_batch", "p", file, *arguments, verbosity=0)
    assert prompts_and_models() == [("Why?", ["heron", "wren"]), ("How?", ["heron"])]
    with pytest.raises(CommandError, match="it is PART=KEY"):
        call_command("import_batch", "p", file, "--join", "Items")


def test_ratings_in_one_sheet_are_of_the_items_in_another(project: Project, tmp_path: Path) -> None:
    items: Rows = [["id", "prompt", "response"], ["a", "Why?", "So."], ["b", "How?", "Thus."]]
    ratings: Rows = [["id", "rater", "score"], ["a", "Anna", 3], ["a", "Ben", 5], ["b", "Anna", 7]]
    file = tmp_path / "book.xlsx"
    file.write_bytes(workbook(*items, Ratings=ratings))
    arguments = ["--part", "Ratings", "--join", "Items=id", "--yes", "--make-rubric"]
    call_command("import_batch", "p", file, *arguments, verbosity=0)
    scores = Score.objects.order_by("rating__item__position", "value")
    told = scores.values_list("rating__item__external_id", "value")
    assert [*told] == [("a", 3), ("a", 5), ("b", 7)]
