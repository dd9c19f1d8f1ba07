"""Rows that are turns: those of one conversation are an item, whose last answer is the response."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotators.models import User
from tasks.importing.columns import message_trees, turn_rows
from tasks.importing.columns.items import NewItem
from tasks.importing.columns.opening import open_file
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import Proposal, propose
from tasks.importing.columns.table_cells import file_rows
from tasks.importing.files.rows import LineError, SourceRow, Unreadable

from ..factories import make_project
from .import_steps import (
    bring,
    lines,
    table,
    workbook,
)

HEAD = ["conversation_id", "turn", "role", "content", "model"]
EGGS = [
    ["c1", "1", "user", "How do I boil an egg?", ""],
    ["c1", "2", "assistant", "For seven minutes.", "heron"],
    ["c1", "3", "user", "And a soft one?", ""],
    ["c1", "4", "assistant", "Four minutes are enough.", "heron"],
]
RIVER = [
    ["c2", "1", "user", "Which river runs through Vienna?", ""],
    ["c2", "2", "assistant", "The Danube.", "wren"],
]
TWO_ITEMS = [
    (
        "c1",
        ["user: How do I boil an egg?", "assistant: For seven minutes.", "user: And a soft one?"],
        "heron: Four minutes are enough.",
    ),
    ("c2", ["user: Which river runs through Vienna?"], "wren: The Danube."),
]


def objects(rows: list[list[str]], head: list[str] = HEAD) -> list[dict[str, str]]:
    return [dict(zip(head, row, strict=True)) for row in rows]


def read(file: bytes, name: str) -> tuple[list[SourceRow], list[str]]:
    """The rows of a file, and the remarks about it."""
    with open_file(io.BytesIO(file), name) as source:
        rows = list(file_rows(source))
        return rows, list(source.remarks)


def looked_at(file: bytes, name: str) -> tuple[Proposal, list[NewItem | LineError]]:
    rows, _remarks = read(file, name)
    proposal = propose(Profile.of(rows))
    return proposal, [proposal.mapping.item(row) for row in rows]


def brief(item: NewItem | LineError) -> tuple[str, list[str], str]:
    """The id, the turns with their speakers, and the response with its model."""
    assert isinstance(item, NewItem)
    turns = [f"{turn.role}: {turn.text}" for turn in item.messages]
    [response] = item.responses
    return item.external_id, turns, f"{response.model}: {response.text}"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (table(HEAD, *EGGS, *RIVER), "turns.csv"),
        (workbook(HEAD, *EGGS, *RIVER), "turns.xlsx"),
        (lines(*objects(EGGS + RIVER)), "turns.jsonl"),
        (table(HEAD, EGGS[3], RIVER[1], *EGGS[:3], RIVER[0]), "apart-and-in-no-order.csv"),
        (table(["Gesprächs-ID", "Zug", "Rolle", "Äußerung", "Modell"], *EGGS, *RIVER), "de.csv"),
        (table(["Sitzung", "Nr", "Wer", "Was", "Modell"], *EGGS, *RIVER), "wer-was.csv"),
        (table(["dialog", "idx", "speaker", "text", "llm"], *EGGS, *RIVER), "dialogs.csv"),
    ],
)
def test_rows_of_one_conversation_are_one_item_that_ends_with_the_response(
    file: bytes, name: str
) -> None:
    proposal, items = looked_at(file, name)
    assert proposal.doubtful == ()
    assert sorted(map(brief, items)) == TWO_ITEMS
    assert proposal.sentence.startswith("2 items, each with one response by one of 2 models.")
    assert "as the conversation with the response" in proposal.sentence


def test_remarks_say_how_turns_are_read_and_count_those_left_out() -> None:
    thanks = ["c2", "3", "user", "Thanks!", ""]
    alone = ["c3", "1", "user", "Is anybody there?", ""]
    rows, remarks = read(table(HEAD, *RIVER, thanks, alone), "turns.csv")
    assert len(rows) == 1
    assert remarks == [
        "Each row is a turn; rows with the same “conversation_id” are one conversation, in the "
        "order of “turn”.",
        "1 turn is left out: it comes after the last response.",
        "1 conversation has no response, and becomes no item.",
    ]


def test_without_a_number_turns_are_in_the_order_of_the_file_or_of_their_time() -> None:
    plain = table(["session_id", "sender", "message"], *[[*row[:1], *row[2:4]] for row in EGGS])
    _proposal, items = looked_at(plain, "turns.csv")
    assert brief(items[0])[1] == TWO_ITEMS[0][1]
    timed = [[row[0], f"2026-01-0{row[1]}T10:00", *row[2:4]] for row in reversed(EGGS)]
    _proposal, items = looked_at(
        table(["thread", "created_at", "author", "body"], *timed), "timed.csv"
    )
    assert brief(items[0])[1] == TWO_ITEMS[0][1]


def test_values_equal_in_all_turns_belong_to_the_item_and_others_to_their_turn() -> None:
    rows = [{"topic": "food", "tokens": number, **row} for number, row in enumerate(objects(EGGS))]
    _proposal, [item] = looked_at(lines(*rows), "turns.jsonl")
    assert isinstance(item, NewItem)
    tokens: list[dict[str, Any]] = [{"tokens": number} for number in range(4)]
    assert item.metadata == {"topic": "food", "content": tokens}


def test_two_turns_of_one_number_are_a_fault_of_their_conversation_alone() -> None:
    second = ["c1", "4", "assistant", "Five minutes.", "heron"]
    nameless = ["c4", "?", "user", "Why?", ""]
    others = [[f"d{number}", *row[1:]] for number in range(12) for row in RIVER]
    rows, _remarks = read(table(HEAD, *EGGS, second, *others), "turns.csv")
    assert [str(row.content) for row in rows if isinstance(row.content, LineError)] == [
        'line 2: "turn" is also that of line 5 ("4"); give each turn of a conversation a number of '
        "its own"
    ]
    many = [[f"d{number}", *row[1:]] for number in range(50) for row in RIVER]
    rows, _remarks = read(table(HEAD, *many, nameless), "turns.csv")
    assert 'line 102: "turn" is no number ("?")' in str(rows[-1].content)


def test_rows_of_prompts_with_responses_stay_rows_and_that_is_said() -> None:
    """Nothing says that a prompt was asked in the same conversation: no history is guessed."""
    rows = [["d1", "1", "Boil an egg?", "Seven minutes."], ["d1", "2", "A soft one?", "Four."]]
    file = table(["dialogue_id", "turn", "prompt", "response"], *rows)
    with open_file(io.BytesIO(file), "exchanges.csv") as source:
        assert len(list(file_rows(source))) == 2
        assert source.fixed_remarks == (
            "Rows with the same “dialogue_id” may be one conversation. Each is an item of its own, "
            "without what was said before.",
        )


def test_two_answers_to_one_turn_are_a_fault_of_their_conversation() -> None:
    """Which of them is rated, and which was said before, nobody knows."""
    second = ["c1", "5", "assistant", "Five minutes.", "wren"]
    others = [[f"d{number}", *row[1:]] for number in range(12) for row in RIVER]
    rows, _remarks = read(table(HEAD, *EGGS, second, *others), "turns.csv")
    [fault] = [str(row.content) for row in rows if isinstance(row.content, LineError)]
    assert fault.startswith('line 2: "role" follows another turn of the assistant')
    assert len(rows) == 13


def test_a_file_whose_conversations_do_not_hold_together_is_read_row_by_row() -> None:
    """Two models answer the same conversations, one after the other in the file."""
    other = [[*row[:3], f"{row[3]} Or so.", "wren"] for row in EGGS]
    rows, remarks = read(table(HEAD, *EGGS, *RIVER, *other), "turns.csv")
    assert (len(rows), remarks) == (10, [])


def test_beside_a_row_that_cannot_be_read_no_conversation_is_taken_for_whole() -> None:
    good = [json.dumps(row) for row in objects(EGGS + RIVER)]
    file = "\n".join([good[0], "{broken", *good[1:]]).encode()
    rows, _remarks = read(file, "turns.jsonl")
    faults = [str(row.content) for row in rows if isinstance(row.content, LineError)]
    assert any("may lack a turn: a row beside this conversation can’t be read" in f for f in faults)
    assert len(faults) == 2
    assert len(rows) == 3


@pytest.mark.parametrize(
    "row",
    [
        {"conversation_id": "c1", "role": {"n": "Anna"}, "content": "Hi"},
        {"conversation_id": ["c1"], "role": "user", "content": "Hi"},
        {"conversation_id": "c1", "turn": "nan", "role": "user", "content": "Hi"},
        {"conversation_id": "c1", "turn": "snan", "role": "user", "content": "Hi"},
        {"conversation_id": "", "turn": "7", "role": "user", "content": "Hi"},
    ],
)
@pytest.mark.parametrize("number", [0, 30])
def test_odd_cells_are_no_error_of_the_program(row: dict[str, Any], number: int) -> None:
    good = [{**each, "turn": each["turn"]} for each in objects(EGGS)]
    many = [{**each, "conversation_id": f"c{n}"} for n in range(number) for each in good]
    rows, _remarks = read(lines(*many, row, *good[1:]), "turns.jsonl")
    assert rows


def test_times_are_sorted_as_times() -> None:
    times = ["2026-01-10T12:00+02:00", "2026-01-10T11:00+00:00"]
    rows = [["c1", times[1], "assistant", "Noon."], ["c1", times[0], "user", "When?"]]
    _proposal, [item] = looked_at(table(["thread", "time", "role", "text"], *rows), "t.csv")
    assert brief(item)[1:] == (["user: When?"], ": Noon.")
    late = ["c1", "31.01.2026", "user", "Why?"]
    many = [[f"c{number}", *row[1:]] for number in range(2, 60) for row in rows]
    read_rows, _remarks = read(table(["thread", "time", "role", "text"], *many, late), "t.csv")
    assert '"time" is no time ("31.01.2026")' in str(read_rows[-1].content)


@pytest.mark.parametrize(
    "head",
    [
        ["id", "turn", "role", "content", "annotator"],  # several rate each turn
        ["id", "turn", "role", "content", "helpfulness"],  # a score of each turn
        ["id", "turn", "role", "prompt", "response"],
        ["topic", "turn", "role", "content", "model"],  # nothing says which conversation
    ],
)
def test_rows_that_are_no_turns_are_read_one_by_one(head: list[str]) -> None:
    rows, remarks = read(table(head, *EGGS, *RIVER), "rows.csv")
    assert (len(rows), remarks) == (6, [])


def test_turns_in_memory_have_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes of memory, which small cells need many of."""
    monkeypatch.setattr(turn_rows, "MOST_SCATTERED", 4_000)
    apart = table(HEAD, EGGS[0], *RIVER, *EGGS[1:])
    assert len(read(table(HEAD, *EGGS, *RIVER), "turns.csv")[0]) == 2
    with pytest.raises(Unreadable, match="too large to be put together, near line 7; sort it by"):
        read(apart, "turns.csv")


def test_turns_that_stand_together_have_a_largest_size_for_each_conversation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = table(HEAD, *EGGS, *RIVER)
    sizes = [len(str(row)) for row in objects(EGGS)]
    monkeypatch.setattr(turn_rows, "LONGEST_ROW", sum(sizes))
    assert len(read(file, "turns.csv")[0]) == 2
    monkeypatch.setattr(turn_rows, "LONGEST_ROW", sum(sizes) - 1)
    with pytest.raises(Unreadable, match="too large to be put together, near line 5; sort it by"):
        read(file, "turns.csv")


def test_a_file_of_too_many_conversations_is_to_be_split_and_not_to_be_sorted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(message_trees, "MOST_NAMES", 2)
    many = [[f"d{number}", *row[1:]] for number in range(4) for row in RIVER]
    assert len(read(table(HEAD, *many), "turns.csv")[0]) == 4
    monkeypatch.setattr(turn_rows, "MOST_SCATTERED", 4_000)
    with pytest.raises(Unreadable, match=r"^has more than 2 conversations, .*; split it$"):
        read(table(HEAD, *many), "turns.csv")


PER_MODEL = [
    ["c1", "heron", "user", "How do I boil an egg?"],
    ["c1", "heron", "assistant", "For seven minutes."],
    ["c1", "wren", "user", "How do I boil an egg?"],
    ["c1", "wren", "assistant", "For eight minutes."],
]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("model", PER_MODEL),
        ("run", PER_MODEL),
        ("model", [*PER_MODEL[:2], ["c1", "wren", "user", "And then?"], PER_MODEL[3]]),
    ],
    ids=["repeated for each model", "repeated for each run", "two models"],
)
def test_answers_of_several_models_are_never_one_conversation(
    name: str, rows: list[list[str]]
) -> None:
    head = ["conversation_id", name, "role", "content"]
    file = table(head, *rows, *[["c2", *row[1:]] for row in rows])
    assert read(file, "rows.csv")[1] == []
    assert looked_at(file, "rows.csv")[0].doubtful != ()

    good = [[f"d{number}", "heron", *row[2:4]] for number in range(20) for row in RIVER]
    contents = [row.content for row in read(table(head, *rows, *good), "rows.csv")[0]]
    assert len(contents) == 21
    [fault] = [str(content) for content in contents if isinstance(content, LineError)]
    assert "keep one response to each turn, or write a row for each response" in fault


def test_a_user_may_say_a_few_words_twice_in_a_conversation() -> None:
    words = ["How do I boil an egg?", "Seven minutes.", "Yes.", "Soft?", "Yes.", "Four minutes."]
    rows = [["c1", ("user", "assistant")[n % 2], text] for n, text in enumerate(words)]
    _proposal, [item] = looked_at(table(["chat_id", "role", "content"], *rows), "turns.csv")
    assert len(brief(item)[1]) == 5


def test_a_user_may_say_nothing_several_times_in_a_conversation() -> None:
    words = ["", "What can I do for you?", "  ", "Are you there?", "", "Then goodbye."]
    rows = [["c1", ("user", "assistant")[n % 2], text] for n, text in enumerate(words)]
    _proposal, [item] = looked_at(table(["chat_id", "role", "content"], *rows), "turns.csv")
    assert len(brief(item)[1]) == 5


def test_a_longer_text_that_a_user_says_twice_is_a_fault_of_its_conversation() -> None:
    again = "How do I boil an egg without a pan?"
    words = ["Hello.", "Hello!", again, "Seven minutes.", again, "Eight minutes."]
    rows = [["c0", ("user", "assistant")[n % 2], text] for n, text in enumerate(words)]
    rows += [[f"d{number}", *row[2:4]] for number in range(12) for row in RIVER]
    faults = [row.content for row in read(table(["chat_id", "role", "content"], *rows), "t.csv")[0]]
    [fault] = [str(content) for content in faults if isinstance(content, LineError)]
    assert "is said twice by the user" in fault


@pytest.mark.parametrize(
    ("speaker", "text", "other"),
    [
        ("sender", "content", "role"),
        ("from", "text", "Role"),
        ("role", "content", "sender"),
        ("role", "content", "text"),
        ("from", "content", "by"),
    ],
)
@pytest.mark.parametrize("is_first", [False, True])
def test_columns_that_vary_never_stand_for_who_speaks_or_what_is_said(
    speaker: str, text: str, other: str, is_first: bool
) -> None:
    rows = []
    for number, (role, words) in enumerate([("user", "Why?"), ("assistant", "So.")]):
        turn = {"thread": "c1", speaker: role, text: words}
        more = {other: f"x{number}"}
        rows.append(more | turn if is_first else turn | more)
    _proposal, [item] = looked_at(lines(*rows), "turns.jsonl")
    assert brief(item) == ("c1", ["user: Why?"], ": So.")


def test_a_file_of_turns_goes_in_with_one_click(client: Client, lead: User) -> None:
    project = make_project(leads=[lead])
    client.force_login(lead)
    file = SimpleUploadedFile("turns.csv", table(HEAD, *EGGS, *RIVER))
    bring(client, f"/projects/{project.slug}/upload/", file)
    stored = project.items.order_by("position")
    assert [(item.external_id, len(item.messages)) for item in stored] == [("c1", 3), ("c2", 1)]
