"""A file that has several parts, and one that is no text: by page, by command, and its bad rows."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from openpyxl import Workbook

from tasks.models import BadRows, Item, Project

from .factories import make_project, make_user
from .import_steps import Outcome, item


def workbook(*rows: tuple[object, ...]) -> bytes:
    """A workbook of two sheets with these rows in the second."""
    book = Workbook()
    book.active.append(("notes",))
    sheet = book.create_sheet("Items")
    for row in (("id", "prompt", "response"), *rows):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


GOOD, BAD = ("a", "Why?", "Because."), ("b", 5, "So.")
SEVERAL = (
    'has the parts "Sheet", "Items"; name the one to read, by “Sheet or list” on the page or by '
    "--part"
)


@pytest.fixture
def project(db: None) -> Project:
    return make_project(slug="p", leads=[make_user(name="lea")])


@pytest.fixture
def here(client: Client, project: Project) -> Client:
    client.force_login(project.memberships.get().user)
    return client


def upload(here: Client, content: bytes, **fields: str) -> Any:
    file = SimpleUploadedFile("items.xlsx", content)
    return here.post("/projects/p/upload/", {"file": file} | fields)


def test_the_page_names_the_parts_and_takes_the_one_that_is_named(here: Client) -> None:
    assert f"items.xlsx {SEVERAL}" in upload(here, workbook(GOOD)).context["upload"].errors["file"]
    assert upload(here, workbook(GOOD), part="Items").status_code == 302
    assert Item.objects.get().responses.get().text == "Because."


def test_the_command_names_the_parts_and_takes_the_one_that_is_named(
    project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "items.xlsx"
    file.write_bytes(workbook(GOOD))
    with pytest.raises(CommandError) as refused:
        call_command("import_batch", "p", file)
    assert str(refused.value) == f"items.xlsx {SEVERAL}"
    call_command("import_batch", "p", file, "--part", "Items", verbosity=0)
    assert Item.objects.get().external_id == "a"


def test_a_row_of_a_sheet_is_named_by_its_number_and_written_again_as_json(
    project: Project,
) -> None:
    outcome = Outcome(project, workbook(GOOD, BAD), "items.xlsx", True, part="Items")
    assert outcome.said == [
        'line 3: "prompt" is a number, not a text (5); write a text, in quotes',
    ]
    assert json.loads(outcome.bad_rows) == {
        "id": "b",
        "prompt": 5,
        "response": "So.",
        "import_error": '"prompt" is a number, not a text (5); write a text, in quotes',
    }


def test_the_file_of_bad_rows_has_a_name_that_says_so(
    here: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    upload(here, workbook(GOOD, BAD), part="Items", take_good="on")
    kept = here.get(f"/projects/p/bad-rows/{BadRows.objects.get().pk}/")
    assert 'filename="items.bad.jsonl"' in kept.headers["Content-Disposition"]
    (tmp_path / "more.xlsx").write_bytes(workbook(("c", "p", "r"), BAD))
    file = tmp_path / "more.xlsx"
    call_command("import_batch", "p", file, "--part", "Items", "--take-good", verbosity=0)
    path = Path(capsys.readouterr().err.split("written to ")[1].strip().rstrip("."))
    assert (path.parent, path.suffix) == (Path(settings.DATA) / "bad-rows", ".jsonl")


def test_a_workbook_without_rows_holds_no_items(project: Project) -> None:
    assert Outcome(project, workbook(), "items.xlsx", part="Items").refused == (
        "items.xlsx holds no items; write a row for each response."
    )


def test_one_document_may_be_loaded_list_by_list(project: Project) -> None:
    text = json.dumps({"train": [item()], "test": [item(id="b")]}).encode()
    assert Outcome(project, text, "items.json", part="test").loaded
    assert Item.objects.get().external_id == "b"
