"""A lead with a sheet of her own: how many clicks and keys it takes from the start page on."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from openpyxl import Workbook
from playwright.sync_api import BrowserContext, Page, expect

from tasks.models import Batch

from ..desk_keys import log_in
from ..factories import (
    make_project,
    make_user,
)
from ..worker import work_on_files

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


@pytest.fixture
def counted() -> list[str]:
    """The kinds of what a person does: a click or a key."""
    return []


@pytest.fixture
def page(new_context: Callable[..., BrowserContext], counted: list[str]) -> Page:
    """A browser in which a lead has logged in, and that counts from then on."""
    make_project(slug="p", title="Rated towns", leads=[make_user(name="lea")])
    context = new_context()
    page = context.new_page()
    log_in(page, "lea")
    page.goto("/")
    context.expose_binding("counted", lambda _source, kind: counted.append(kind))
    context.add_init_script(COUNT)
    page.reload()
    return page


def wait_for_worker(page: Page) -> None:
    expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
    work_on_files()
    expect(page.get_by_role("heading", name="The file waits")).to_have_count(0)


@pytest.mark.parametrize(
    ("header", "ending"), [(HEADER, "csv"), (RATED, "xlsx")], ids=["items", "ratings"]
)
def test_a_sheet_is_a_batch_after_three_clicks(
    page: Page, counted: list[str], tmp_path: Path, header: Sequence[str], ending: str
) -> None:
    page.get_by_role("link", name="New project").click()
    start = page.get_by_role("region", name="Start from a file")
    start.get_by_label("File", exact=True).set_input_files(
        write(tmp_path / f"towns.{ending}", header)
    )
    start.get_by_role("button", name="Look at the file").click()
    wait_for_worker(page)
    page.get_by_role("button", name="Import").click()
    wait_for_worker(page)
    expect(page.get_by_role("heading", name="Imported as batch")).to_be_visible()

    assert counted.count("pointerdown") == 3
    assert counted.count("keydown") == 0
    batch = Batch.objects.get(project__slug="towns")
    assert batch.size == 12
    assert batch.project.ratings.exists() == (header is RATED)


def test_a_sheet_is_added_to_a_project_after_three_clicks(
    page: Page, counted: list[str], tmp_path: Path
) -> None:
    page.get_by_role("link", name="no items").click()
    file = write(tmp_path / "towns.csv", RATED)
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    wait_for_worker(page)
    page.get_by_role("button", name="Import").click()
    wait_for_worker(page)
    expect(page.get_by_role("heading", name="Imported as batch")).to_be_visible()

    assert counted.count("pointerdown") == 3
    assert counted.count("keydown") == 0
    project = Batch.objects.get().project
    assert project.slug == "p"
    assert project.ratings.count() == 36


def test_a_sheet_that_needs_its_own_rubric_is_imported_with_few_clicks(
    page: Page, counted: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "towns.csv"
    header = ["id", "prompt", "response", "rater", "brevity"]
    lines = [["a", "Why?", "So.", "Anna", "3"], ["b", "How?", "Thus.", "Ben", "5"]]
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows([header, *lines])

    page.get_by_role("link", name="no items").click()
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    wait_for_worker(page)
    expect(page.get_by_text("No score fits the rubric.")).to_be_visible()
    page.get_by_label("One made from these columns").click()
    page.get_by_role("button", name="Read the file again").click()
    wait_for_worker(page)
    page.get_by_role("button", name="Import items and ratings").click()
    wait_for_worker(page)
    expect(page.get_by_role("heading", name="Imported as batch")).to_be_visible()

    assert counted.count("pointerdown") == 5
    assert counted.count("keydown") == 0
    assert Batch.objects.get().project.ratings.count() == 2
