"""A sheet that four people have rated, by a lead who wants to know if it can be trusted."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from playwright.sync_api import expect

from .person import Person

RATERS = {"Anna": 0.4, "Ben": 0.6, "Cem": 0.5, "Dora": 1.4}  # each with how far they stray
MODELS = ("gull", "heron", "wren")
PLACES = ("Ghent", "Turku", "Porto", "Split", "Bergen")
SUBJECTS = (
    *("the trams", "the harbour", "the weather", "the market"),
    *("the old bridge", "the library", "the museums", "the night trains"),
)
PATIENCE = 30_000  # milliseconds, to read or import the file


def ratings(lead: Person) -> None:
    """Choose the sheet, say what is asked of it, import it, and read its agreement."""
    lead.signs_in()
    lead.does("says that it has been rated already")
    lead.click(lead.page.get_by_role("link", name="New project"))
    sheet = lead.page.get_by_role("region", name="Start from a file")
    with tempfile.TemporaryDirectory() as folder:
        lead.choose_file(sheet.get_by_label("File", exact=True), write_sheet(Path(folder)))
        lead.click(sheet.get_by_role("button", name="Look at the file"))
    import_it = lead.page.get_by_role("button", name="Import items and ratings")
    expect(import_it).to_be_visible(timeout=PATIENCE)
    lead.does("looks at what it says")
    expect(lead.page.locator(".page-foot")).to_contain_text("160 ratings ready")
    expect(lead.page.get_by_text(re.compile("α 0[.]"))).to_be_visible()
    lead.does("imports it")
    lead.click(import_it)
    outcome = lead.page.get_by_role("region", name="Imported as batch")
    expect(outcome).to_be_visible(timeout=PATIENCE)
    lead.click(outcome.get_by_role("link", name="Agreement"))
    expect(lead.page.get_by_role("heading", level=1, name="Agreement")).to_be_visible()
    overall = lead.page.get_by_role("region", name="Overall", exact=True)
    expect(overall).to_contain_text("α 0.")
    expect(lead.page.get_by_role("region", name="Scores furthest apart")).to_be_visible()


def write_sheet(folder: Path) -> Path:
    """Write a row for each answer, with a column for each of four people."""
    file = folder / "answers.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["question", "answer", "model", *RATERS])
        rows.writerows(_rows())
    return file


def _rows() -> Iterator[list[str]]:
    """Yield 120 answers, of each of three models to 40 questions. Some cells are no score."""
    drawn = Random(41)  # noqa: S311 - made-up scores
    for subject in SUBJECTS:
        for place in PLACES:
            for model in MODELS:
                worth = drawn.uniform(1, 5)
                scores = [
                    str(min(5, max(1, round(drawn.gauss(worth, strays)))))
                    for strays in RATERS.values()
                ]
                if not drawn.randrange(12):
                    scores[drawn.randrange(len(scores))] = "n/a"
                answer = f"Of {subject} in {place} the {model} knows {round(worth * 20)} facts."
                yield [f"What is there to know about {subject} in {place}?", answer, model, *scores]


JOURNEYS = (ratings,)
