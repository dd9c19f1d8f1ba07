"""A file that has several parts, and one that is no text: by page and by command."""

from __future__ import annotations

import html
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from openpyxl import Workbook

from tasks.importing.columns.opening import open_file
from tasks.importing.files.options import ReadingOptions
from tasks.importing.files.rows import ChoiceNeeded
from tasks.models import Item, Project, Upload

from ..factories import (
    make_project,
    make_user,
)
from .import_steps import (
    Outcome,
    item,
    load_uploads,
    shown_in,
)


def sheets(**contents: list[list[object]]) -> bytes:
    """A workbook with these rows in its sheets."""
    book = Workbook()
    book.remove(book.active)
    for title, rows in contents.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def workbook(*rows: tuple[object, ...]) -> bytes:
    """A workbook of two sheets of items with these rows in the second."""
    book = Workbook()
    for other in (("id", "prompt", "response"), ("n", "Whence?", "Thence.")):
        book.active.append(other)
    sheet = book.create_sheet("Items")
    for row in (("id", "prompt", "response"), *rows):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


ITEMS: list[list[object]] = [["ID", "Prompt", "Answer text"], [1, "Why?", "So."]]
GOOD, BAD = ("a", "Why?", "Because."), ("b", 5, "So.")
SEVERAL = (
    'has the parts "Sheet", "Items"; name the one to read, by “Sheet, list or file” on the page '
    "or by --part"
)


@pytest.fixture
def project(db: None) -> Project:
    return make_project(slug="p", leads=[make_user(name="lea")])


@pytest.fixture
def here(client: Client, project: Project) -> Client:
    client.force_login(project.memberships.get().user)
    return client


def upload(here: Client, content: bytes, **fields: str) -> Any:
    file = SimpleUploadedFile(fields.pop("name", "items.xlsx"), content)
    answer = here.post("/projects/p/upload/", {"file": file} | fields)
    load_uploads()
    return answer


def act(here: Client, name: str, **fields: str) -> None:
    upload = Upload.objects.get()
    here.post(upload.address, shown_in(upload) | {"act": name} | fields)
    load_uploads()


def test_the_page_offers_the_parts_and_reads_the_one_that_is_chosen(here: Client) -> None:
    address = upload(here, workbook(GOOD)).headers["Location"]
    page = here.get(address).content.decode()
    assert f"items.xlsx {html.escape(SEVERAL)}" in page
    assert '<option value="Items">' in page
    act(here, "read", part="Items")
    page = here.get(address).content.decode()
    assert "Because." in page
    assert '<option value="Items" selected>' in page
    act(here, "import")
    assert Item.objects.get().responses.get().text == "Because."


def test_the_one_part_that_holds_items_or_has_a_known_layout_is_read(project: Project) -> None:
    text = json.dumps({"notes": [{"note": "x"}], "items": [item(id="b")]}).encode()
    assert Outcome(project, text, "items.json").loaded
    assert Item.objects.get().external_id == "b"


def test_a_part_of_any_name_can_be_chosen(here: Client) -> None:
    entry = {"id": "a", "prompt": "Why?", "response": "So."}
    address = upload(here, json.dumps({"a\0": [entry], "\ud800": [entry]}).encode())["Location"]
    assert r'<option value="a\u0000">' in here.get(address).content.decode()
    act(here, "read", part=r"a\u0000")
    act(here, "import")
    assert Item.objects.get().external_id == "a"


def test_a_file_is_taken_again_for_another_part_and_not_for_the_same(project: Project) -> None:
    text = json.dumps({"train": [item()], "test": [item(id="b")]}).encode()
    assert Outcome(project, text, "items.json", part="test", batch_name="one").loaded
    assert Outcome(project, text, "items.json", part="train", batch_name="two").loaded
    again = Outcome(project, text, "items.json", part="test", batch_name="three")
    assert "is already in the project, as batch “one”" in again.refused
    assert Item.objects.count() == 2


def test_the_command_names_the_parts_and_takes_the_one_that_is_named(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "items.xlsx"
    file.write_bytes(workbook(GOOD))
    with pytest.raises(CommandError) as refused:
        call_command("import_batch", "p", file)
    assert str(refused.value) == f"items.xlsx {SEVERAL}."
    call_command("import_batch", "p", file, "--part", "Items", verbosity=0)
    assert Item.objects.get().external_id == "a"


def test_a_row_of_a_sheet_is_named_by_its_number(project: Project) -> None:
    outcome = Outcome(project, workbook(GOOD, BAD), "items.xlsx", True, part="Items")
    assert outcome.said == [
        'line 3: "prompt" is a number, not a text (5); write a text, in quotes',
    ]


def test_a_workbook_without_rows_holds_no_items(project: Project) -> None:
    assert Outcome(project, workbook(), "items.xlsx", part="Items").refused == (
        "items.xlsx holds no items; write a row for each response."
    )


def test_the_only_part_of_a_known_shape_is_read_and_said(here: Client) -> None:
    row = {"row_idx": 0, "row": item(), "truncated_cells": []}
    lists = {"features": [{"name": "prompt", "type": "string"}], "rows": [row]}
    address = upload(here, json.dumps(lists).encode(), name="x.json").headers["Location"]
    page = here.get(address).content.decode()
    assert "The part “rows” is read; the file also has: features." in page
    assert "Because." in page


def test_the_sheet_of_items_is_read_below_its_title_and_beside_a_sheet_of_words() -> None:
    file = sheets(
        words=[["Made in October."], ["Ask Lea."]], items=[["Replies of 2024"], [], *ITEMS]
    )
    with open_file(io.BytesIO(file), "items.xlsx") as source:
        assert [row.content for row in source.rows()] == [
            {"ID": 1, "Prompt": "Why?", "Answer text": "So."}
        ]


PLAIN_ITEMS: list[list[object]] = [["id", "prompt", "response"], ["a", "Why?", "So."]]


@pytest.mark.parametrize(
    "others",
    [
        [["ID", "Rater", "Fluency"], [1, "Anna", 4]],
        [["item_id", "rater", "quality"], ["a", "Anna", 4]],
        [["prompt", "rater", "quality"], ["Why?", "Anna", 4]],
        [["No", "Text", "Reply of B"], [1, "Why?", "Thus."]],
        [["Text", "Reply of B"], ["Why?", "Thus."]],
        [["Items", "Remark"], ["a", "Too short."]],
        [["Text", "Anna", "Ben"], ["Why?", 4, 5]],
        [["Text", "Overall"], ["Why?", "very good"]],
    ],
)
def test_a_sheet_that_another_may_belong_to_is_not_read_alone(others: list[list[object]]) -> None:
    with (
        pytest.raises(ChoiceNeeded, match='has the parts "items", "others"'),
        open_file(io.BytesIO(sheets(items=PLAIN_ITEMS, others=others)), "items.xlsx"),
    ):
        pass
    names = [str(name) for name in others[0]]
    lists = {"items": [item()], "others": [dict(zip(names, others[1], strict=True))]}
    with (
        pytest.raises(ChoiceNeeded, match='has the parts "items", "others"'),
        open_file(io.BytesIO(json.dumps(lists).encode()), "items.json"),
    ):
        pass


@pytest.mark.parametrize(
    "others",
    [
        {"more": {"ratings": [{"item_id": "a", "rater": "Anna", "quality": 4}]}},
        {"ratings": {"a": {"rater": "Anna", "quality": 4}, "b": {"rater": "Ben", "quality": 5}}},
        {"ratings": {"a": {"Anna": 4, "Ben": 3}, "b": {"Anna": 2, "Ben": 5}}},
    ],
    ids=["deeper", "by key", "by key, for each person"],
)
def test_a_list_that_ratings_elsewhere_in_the_document_belong_to_is_not_read_alone(
    others: dict[str, object],
) -> None:
    text = json.dumps({"items": [item()], **others})
    with (
        pytest.raises(ChoiceNeeded, match='has the parts "items", '),
        open_file(io.BytesIO(text.encode()), "items.json"),
    ):
        pass
    with open_file(io.BytesIO(text.encode()), "x.json", ReadingOptions(part="items")) as source:
        assert [row.content for row in source.rows()] == [item()]


@pytest.mark.parametrize(
    "others",
    [
        [["Column", "Description"], ["prompt", "What was asked"]],
        [["Model", "Version", "Date"], ["heron", "2", "2026-01-31"]],
        [["name", "type"], ["prompt", "text"]],
    ],
)
def test_a_sheet_of_items_is_read_beside_one_that_says_nothing_of_them(
    others: list[list[object]],
) -> None:
    with open_file(io.BytesIO(sheets(items=PLAIN_ITEMS, others=others)), "items.xlsx") as source:
        assert len(list(source.rows())) == 1
        remark = "The part “items” is read; the file also has: others."
        assert list(source.fixed_remarks) == [remark]


def test_a_sheet_whose_responses_are_named_after_models_is_read_beside_words() -> None:
    items: list[list[object]] = [
        ["id", "instruction", "response_llama3", "response_mistral"],
        ["a", "Why is it?", "It is so since it rains a lot.", "It is so since nobody asked."],
    ]
    words: list[list[object]] = [["Field", "Meaning"], ["id", "a number"]]
    with open_file(io.BytesIO(sheets(items=items, others=words)), "items.xlsx") as source:
        assert len(list(source.rows())) == 1


TITLED = b"Replies of 2024,,\nid,prompt,response\n1,Why is the sky so blue?,x\n2,How?,y\n"


def test_a_header_below_a_title_is_said_before_anything_comes_in(here: Client) -> None:
    address = upload(here, TITLED, name="items.csv").headers["Location"]
    assert not Item.objects.exists()
    said = "The names of columns are in line 2; the row above it is left out."
    assert said in here.get(address).content.decode()
    act(here, "import")
    assert Item.objects.count() == 2


def test_the_command_stops_at_what_the_file_proposes_and_takes_what_is_told(
    project: Project, tmp_path: Path
) -> None:
    make_project(slug="q")
    file = tmp_path / "items.csv"
    file.write_bytes(TITLED)
    with pytest.raises(CommandError, match="The names of columns are in line 2;"):
        call_command("import_batch", "p", file)
    call_command("import_batch", "p", file, "--header", "2", verbosity=0)
    call_command("import_batch", "q", file, "--yes", verbosity=0)
    assert Item.objects.count() == 4
