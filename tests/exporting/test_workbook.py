"""An export as a workbook: what a spreadsheet shows is what CSV has, and nothing of it runs."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from openpyxl import load_workbook
from openpyxl.utils.escape import unescape

from annotators.models import User
from tasks.exporting import export as exporting, workbook
from tasks.exporting.filters import Refused
from tasks.exporting.forms import export_of
from tasks.exporting.options import Format, Options, Shape
from tasks.exporting.sheet_cells import escape
from tasks.exporting.workbook import MOST_COLUMNS, MOST_LETTERS
from tasks.models import Project, Rating
from tests.exports import rows_of
from tests.factories import (
    NOW,
    make_batch,
    make_decision,
    make_item,
    make_practice,
    make_project,
    make_question,
    make_rating,
)

pytestmark = pytest.mark.django_db
TEXTS = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "=", "'", "001", "1e5", "NA", "null", "TRUE", "2024-01-05"),
    *("#N/A", " x ", "a\r\nb\rc\td\n", "\n", " ", "\x01\x1f\x7f\ufffe\uffff", "_x0001_", "_xD83D_"),
    *("__x000D__", "_X0001_ _x1_", "<b>&amp;\"'</b>", "]]>", "é😀\u2028", "𠮷" * 16_383),
)


@pytest.fixture
def project(lead: User, ada: User, ben: User) -> Project:
    """An item of each text, rated by two people."""
    made = make_project(slug="p", leads=[lead], annotators=[ada, ben])
    batch = make_batch(project=made, name="=2+2")
    for number, text in enumerate(TEXTS):
        item = make_item(
            batch=batch,
            external_id=text if len(text) < 99 else "long",
            responses=[("007", text), ("NA", "So.")],
            metadata={"note": text, "number": 1.5},
        )
        make_rating(item=item, annotator=ada, comment=text, values={1: 1 + number % 7, 2: 4})
        make_rating(item=item, annotator=ben, values={1: 1, 2: 6 + number % 2})
    return made


def content_of(project: Project, **options: Any) -> bytes:
    return b"".join(export_of(project, Options(format=Format.XLSX, **options), now=NOW))


def cells_of(content: bytes) -> list[list[Any]]:
    """Return the cells, with texts as a spreadsheet shows them. Nothing in them is a formula."""
    [sheet] = load_workbook(io.BytesIO(content))
    assert {cell.data_type for row in sheet for cell in row} <= {"s", "n"}
    values = [[cell.value for cell in row] for row in sheet]
    return [[unescape(cell) if isinstance(cell, str) else cell for cell in row] for row in values]


@pytest.mark.parametrize("shape", [shape for shape in Shape if shape != Shape.CORPUS_ANSWERS])
def test_a_sheet_has_cell_by_cell_what_csv_has(project: Project, ada: User, shape: Shape) -> None:
    make_practice(project=project, annotator=ada, now=NOW)
    make_decision(project.items.order_by("position")[0], by=ada)
    make_question(Rating.objects.filter(annotator=ada).latest("pk"), by=ada, text="=1+1")
    options = {"shape": shape, "texts": shape in (Shape.SCORES, Shape.RATINGS)}
    rows = rows_of(project, **options)
    names, *sheet = cells_of(content_of(project, **options))
    assert len(sheet) == len(rows) > 0
    assert names == [*rows[0]]
    numbers = 0
    for cells, row in zip(sheet, rows, strict=True):
        for value, text in zip(cells, row.values(), strict=True):
            if isinstance(value, int | float):
                assert value == float(text)
                numbers += 1
            else:
                assert (value or "") == text
    assert numbers >= len(rows)


def test_every_text_reads_back_as_it_is(project: Project) -> None:
    names, *sheet = cells_of(content_of(project, texts=True, annotators=("ada",)))
    first = [dict(zip(names, row, strict=True)) for row in sheet[::2]]
    assert [(row["response"], row["item_comment"], row["meta.note"]) for row in first] == [
        (text, text, text) for text in TEXTS
    ]
    assert (escape("\x01 _x0001_"), escape(" ")) == ("_x0001_ _x005F_x0001_", "_x0020_")


def test_an_empty_file_is_its_header(project: Project) -> None:
    [names] = cells_of(content_of(make_project()))
    assert names[:3] == ["project", "batch", "item"]


# --- what does not fit ---


def test_a_text_that_no_cell_takes_is_refused_with_its_place_before_the_download(
    client: Client, lead: User, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # others write workbooks at once
    make_rating(item=make_item(project=project, responses=["𠮷" * 16_384]))
    said = (
        f"Row {4 * len(TEXTS) + 1} has a text of 32,768 letters in the column “response”. "
        "A cell of XLSX takes 32,767 at most: choose CSV, JSON lines or Parquet."
    )
    client.force_login(lead)
    for query in ("", "&zip=on"):
        answer = client.get(f"/projects/p/ratings.csv?format=xlsx&texts=on{query}")
        assert answer.headers["Content-Type"].startswith("text/html")
        assert said in answer.content.decode()
    assert (
        client.get("/projects/p/ratings.csv?format=xlsx")
        .headers["Content-Type"]
        .endswith("spreadsheetml.sheet")
    )
    file = tmp_path / "scores.xlsx"
    with pytest.raises(CommandError, match=r"^format: Row .* 32,768 letters"):
        call_command("export_ratings", "p", "format=xlsx&texts=on", "-o", str(file))
    assert not file.exists()
    assert not [*tmp_path.glob("openpyxl.*")]


def test_more_rows_or_columns_than_a_sheet_has_are_refused_and_the_page_says_so_before(
    client: Client, lead: User, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (workbook.MOST_ROWS, MOST_COLUMNS, MOST_LETTERS) == (1_048_575, 16_384, 32_767)
    said = (
        "A sheet of XLSX takes 7 rows at most. Choose a part of it, or CSV, JSON lines or Parquet."
    )
    monkeypatch.setattr(workbook, "MOST_ROWS", 7)
    monkeypatch.setattr(exporting, "MOST_ROWS", 7)
    with pytest.raises(Refused, match=said):
        content_of(project)
    client.force_login(lead)
    assert said in client.get("/projects/p/export/?format=xlsx&shape=scores").content.decode()
    assert said in client.get("/projects/p/ratings.csv?format=xlsx").content.decode()
    assert said not in client.get("/projects/p/export/?format=csv&shape=scores").content.decode()
    monkeypatch.undo()
    monkeypatch.setattr(workbook, "MOST_COLUMNS", 30)
    with pytest.raises(Refused, match="takes 30 columns at most"):
        content_of(project)


def test_a_zip_has_the_workbook_with_its_columns_and_its_manifest(
    client: Client, lead: User, project: Project
) -> None:
    client.force_login(lead)
    answer = client.get("/projects/p/ratings.csv?format=xlsx&zip=on")
    archive = ZipFile(io.BytesIO(answer.getvalue()))
    assert archive.namelist() == [
        f"p-scores.xlsx{end}" for end in ("", ".columns.csv", ".manifest.json")
    ]
    assert archive.read("p-scores.xlsx") == content_of(project)
