"""A lead with a sheet of her own: how many clicks and keys it takes from the start page on."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from openpyxl import Workbook
from playwright.sync_api import BrowserContext, expect

from tasks.models import Batch

from .desk_keys import log_in
from .factories import make_project, make_user
from .worker import work_on_files

HEADER = ["Nr.", "Which question was asked?", "Antwort", "Sprachmodell", "Thema"]
RATED = [*HEADER, "Anna", "Ben", "Cem"]
# Of each page: a click and a key that a person makes, and no script.
COUNT = """
for (const kind of ["pointerdown", "keydown"])
  addEventListener(kind, (event) => event.isTrusted && counted(kind), true);
"""


def rows(header: Sequence[str]) -> list[list[object]]:
    """Return a sheet as people write it, in two languages, with models and perhaps scores."""
    sheet: list[list[object]] = [[*header]]
    for number in range(1, 13):
        question = f"What is there to know about town number {number}?"
        answer = f"Town number {number} has a harbour, a market and {number} bridges."
        cells = [number, question, answer, ("gull", "heron")[number % 2], "towns"]
        scores = [1 + number % 5, 1 + (number + number // 4) % 5, 1 + number % 4]
        sheet.append([*cells, *scores][: len(header)])
    return sheet


def write(path: Path, header: Sequence[str]) -> Path:
    """Write the sheet as CSV with semicolons, or as a workbook, as the path ends."""
    if path.suffix == ".xlsx":
        book = Workbook()
        assert book.active
        for row in rows(header):
            book.active.append(row)
        book.save(path)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter=";").writerows(rows(header))
    return path


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
@pytest.mark.parametrize(("header", "most"), [(HEADER, 3), (RATED, 5)], ids=["items", "ratings"])
def test_a_sheet_is_a_batch_after_few_clicks(
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
    ending: str,
    header: Sequence[str],
    most: int,
) -> None:
    lea = make_user(name="lea")
    make_project(slug="p", leads=[lea])
    counted: list[str] = []
    context = new_context()
    page = context.new_page()
    log_in(page, "lea")
    page.goto("/")
    context.expose_binding("counted", lambda _source, kind: counted.append(kind))
    context.add_init_script(COUNT)
    page.reload()

    page.get_by_role("link", name="New project").click()
    start = page.get_by_role("region", name="Start from a file")
    start.get_by_label("File", exact=True).set_input_files(
        write(tmp_path / f"towns.{ending}", header)
    )
    start.get_by_role("button", name="Look at the file").click()
    expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
    work_on_files()
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
    work_on_files()
    expect(page.get_by_role("heading", name="Imported as batch")).to_be_visible()

    assert counted.count("pointerdown") == 3 <= most
    assert counted.count("keydown") == 0
    batch = Batch.objects.get(project__slug="towns")
    assert batch.size == 12
    assert batch.project.ratings.exists() == (header is RATED)
