"""Trees of messages, as Open-Assistant publishes them: each prompt with replies is an item."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotators.models import User
from tasks.importing.columns import message_trees
from tasks.importing.columns.items import NewItem
from tasks.importing.columns.opening import open_file
from tasks.importing.columns.profile import Profile
from tasks.importing.columns.proposals import propose
from tasks.importing.columns.table_cells import file_rows
from tasks.importing.files.rows import LineError, SourceRow, Unreadable
from tasks.models import Upload

from ..factories import make_project
from .import_steps import (
    load_uploads,
    parquet,
    shown_in,
)

Tree = dict[str, Any]
FLAT = ("message_id", "parent_id", "text", "role", "message_tree_id", "deleted", "rank")


def message(id: str, role: str, *replies: Tree, **more: Any) -> Tree:
    content = {"message_id": id, "text": f"text of {id}", "role": role, **more}
    return {**content, "replies": [*replies]} if replies else content


def asked(id: str, *replies: Tree, **more: Any) -> Tree:
    return message(id, "prompter", *replies, **more)


def answered(id: str, *replies: Tree, **more: Any) -> Tree:
    return message(id, "assistant", *replies, **more)


def tree(prompt: Tree) -> Tree:
    return {"message_tree_id": prompt["message_id"], "tree_state": "ready", "prompt": prompt}


# Two replies, of which the first goes on.
TREE = tree(
    asked("q1", answered("a1", asked("q2", answered("a2", rank=0))), answered("b1", rank=1))
)


def as_lines(*contents: Tree) -> bytes:
    return "".join(f"{json.dumps(content)}\n" for content in contents).encode()


def messages(tree: Tree) -> list[Tree]:
    """The messages of a tree, each before its replies."""
    waiting, rows = [(None, tree["prompt"])], []
    while waiting:
        parent, content = waiting.pop()
        row = dict.fromkeys(FLAT) | {"parent_id": parent, **content}
        replies = row.pop("replies", [])
        rows.append(row | {"message_tree_id": tree["message_tree_id"]})
        waiting += [(row["message_id"], reply) for reply in reversed(replies)]
    return rows


def as_table(*rows: Tree) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, FLAT)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def without_tree(row: Tree) -> Tree:
    return {name: value for name, value in row.items() if name != "message_tree_id"}


def by_columns(*rows: Tree) -> bytes:
    """A table as pandas writes it by columns."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {
        name: {str(number): row.get(name) for number, row in enumerate(rows)} for name in names
    }
    return json.dumps(columns).encode()


def read(file: bytes, name: str = "trees.jsonl") -> tuple[list[SourceRow], list[str]]:
    """The rows of a file, and the remarks about it."""
    with open_file(io.BytesIO(file), name) as source:
        rows = list(file_rows(source))
        return rows, list(source.remarks)


def items(file: bytes, name: str = "trees.jsonl") -> list[NewItem]:
    """The items of a file about which nothing is asked."""
    rows, _remarks = read(file, name)
    proposal = propose(Profile.of(rows))
    assert (proposal.layout, proposal.doubtful) == ("open-assistant", ())
    read_items = [proposal.mapping.item(row) for row in rows]
    return [item for item in read_items if isinstance(item, NewItem)]


def brief(item: NewItem) -> tuple[str, list[str], list[str]]:
    """The id, the texts of the conversation with their speakers, and the responses."""
    turns = [f"{turn.role}: {turn.text}" for turn in item.messages]
    return item.external_id, turns, [response.text for response in item.responses]


def faults(file: bytes) -> list[str]:
    rows, _remarks = read(file)
    return [str(row.content) for row in rows if isinstance(row.content, LineError)]


REPLIES_FIRST = sorted(messages(TREE), key=lambda row: str(row["role"]))
# A tree that nobody answered lies between the messages of the other one.
APART = [messages(TREE)[0], *messages(tree(asked("q9"))), *messages(TREE)[1:]]
TWO_ITEMS = [
    ("q1", ["user: text of q1"], ["text of a1", "text of b1"]),
    ("q2", ["user: text of q1", "assistant: text of a1", "user: text of q2"], ["text of a2"]),
]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (as_lines(TREE), "trees.jsonl"),
        (json.dumps([TREE]).encode(), "trees.json"),
        (json.dumps(TREE, indent=1).encode(), "tree.json"),
        (as_lines(*messages(TREE)), "messages.jsonl"),
        (as_lines(*REPLIES_FIRST), "messages.jsonl"),
        (as_table(*messages(TREE)), "messages.csv"),
        (as_lines(*APART), "messages.jsonl"),
        (as_table(*APART), "messages.csv"),
        (by_columns(*APART), "messages.json"),
        (as_lines(*map(without_tree, APART)), "messages.jsonl"),
        (by_columns(*map(without_tree, APART)), "messages.json"),
        (parquet(*APART), "messages.parquet"),
    ],
)
def test_each_prompt_with_replies_is_an_item_with_what_was_said_before(
    file: bytes, name: str
) -> None:
    assert sorted(map(brief, items(file, name))) == TWO_ITEMS


def test_further_keys_of_messages_are_metadata_in_the_order_of_the_responses() -> None:
    labels = {"quality": {"value": 0.75, "count": 3}}
    prompt = asked("q1", answered("a1"), answered("b1", rank=0, labels=labels), lang="en")
    (item,) = items(as_lines(tree(prompt)))
    assert item.metadata == {
        "tree": {"message_tree_id": "q1", "tree_state": "ready"},
        "prompt": {"lang": "en"},
        "replies": [{"message_id": "a1"}, {"message_id": "b1", "rank": 0, "labels": labels}],
    }


def test_a_synthetic_reply_has_its_model() -> None:
    prompt = asked("q1", answered("a1", model_name="heron"), answered("b1"))
    (item,) = items(as_lines(tree(prompt)))
    assert [response.model for response in item.responses] == ["heron", ""]


@pytest.mark.parametrize("is_flat", [False, True])
def test_deleted_messages_and_their_replies_are_left_out_with_their_number(is_flat: bool) -> None:
    gone = answered("a1", asked("q2", answered("a2")), deleted=True)
    content = tree(asked("q1", gone, answered("b1", deleted=False)))
    file = as_lines(*messages(content)) if is_flat else as_lines(content)
    assert [brief(item) for item in items(file)] == [("q1", ["user: text of q1"], ["text of b1"])]
    _rows, remarks = read(file)
    assert remarks == ["3 messages are left out: they are deleted, or answer one that is."]


def test_prompts_without_a_reply_are_no_items_and_counted() -> None:
    last = tree(asked("q1", answered("a1", asked("q2"))))
    rows, remarks = read(as_lines(last, tree(asked("q3"))))
    assert len(rows) == 1
    assert remarks == ["2 prompts have no reply, and become no items."]


def test_a_tree_may_be_as_deep_as_json() -> None:
    prompt = asked("q0", answered("a0"))
    for number in range(1, 200):
        prompt = asked(f"q{number}", answered(f"a{number}", prompt))
    rows, _remarks = read(as_lines(tree(prompt)))
    assert len(rows) == 200
    assert len(rows[-1].content["conversation"]) == 399  # type: ignore[index, arg-type]


def test_faults_name_the_line_and_the_place_in_the_tree() -> None:
    strange = tree(asked("q2", message("x", "judge"), answered("a2")))
    broken = tree(asked("q3") | {"replies": ["Six."]})
    nothing = {"message_tree_id": "q4", "prompt": None}
    assert faults(as_lines(TREE, strange, broken, nothing)) == [
        'line 2: "prompt.replies[0].role" is no role that is known ("judge"); '
        'say who speaks, such as "user" or "assistant"',
        'line 3: "prompt.replies[0]" is a text, not an object ("Six."); write a list of messages',
        'line 4: "prompt" is null, not an object; write the first message of the tree',
    ]


def test_messages_that_their_tree_does_not_reach_are_faults() -> None:
    first, *others = messages(TREE)
    orphan = others[0] | {"parent_id": "q7"}
    copied = [first, first, *others]
    advice = "add the message that it answers, or take it out; keep each message once"
    fault = '"parent_id" names no message of its tree'
    assert faults(as_lines(first, orphan)) == [f'line 2: {fault} ("q7"); {advice}']
    assert faults(as_lines(*copied)) == [f"line 2: {fault} (null); {advice}"]


def test_trees_of_messages_have_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_trees, "LONGEST_ROW", 300)
    too_large = "has trees that are too large to be put together, near line"
    with pytest.raises(Unreadable, match=f"{too_large} 3"):
        read(as_lines(*messages(TREE)))
    monkeypatch.setattr(message_trees, "MOST_SCATTERED", 200)
    with pytest.raises(Unreadable, match=f"{too_large} 1"):
        read(as_lines(*APART))
    monkeypatch.setattr(message_trees, "MOST_BYTES", 100)
    with pytest.raises(Unreadable, match="is larger than 2 GB; split it"):
        read(as_lines(TREE))


def test_trees_go_in_with_one_click_and_their_page_counts_what_is_left_out(
    client: Client, lead: User
) -> None:
    project = make_project(leads=[lead])
    client.force_login(lead)
    file = SimpleUploadedFile("trees.jsonl", as_lines(TREE, tree(asked("q3"))))
    client.post(f"/projects/{project.slug}/upload/", {"file": file})
    load_uploads()
    upload = Upload.objects.get()
    assert (
        "1 prompt has no reply, and becomes no item." in client.get(upload.address).content.decode()
    )
    client.post(upload.address, shown_in(upload) | {"act": "import"})
    load_uploads()
    stored = project.items.order_by("position")
    assert [(item.external_id, item.responses.count()) for item in stored] == [("q1", 2), ("q2", 1)]


def test_a_file_of_no_trees_is_read_by_its_own_reader() -> None:
    with open_file(io.BytesIO(b'{"id": "a", "prompt": "b", "response": "c"}\n'), "x.jsonl") as file:
        assert not isinstance(file, message_trees.TreeRows)
