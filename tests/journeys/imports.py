"""A file of another tool, by a lead who is new: uploaded, looked at, and imported.

The files in `files/` are made after the tools' own documentation. EVENHAND_REAL_DATA may name a
folder with real ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, expect

from .person import Person

FILES = Path(__file__).parent / "files"
REAL = Path(os.environ.get("EVENHAND_REAL_DATA", "nowhere"))
# What the lead answers about a file, by its column, where she is asked.
ANSWERS: Mapping[str, Mapping[str, str]] = {}
PATIENCE = 60_000  # milliseconds, to read a file
ASKED = ".open-column, .map .missing"  # what is asked about a column
DONE = re.compile("Imported as batch")


@dataclass(frozen=True)
class Imported:
    """What became of a file: as what it was read, what was asked, and what was refused."""

    shape: str
    asked: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    items: int = 0
    responses: int = 0

    def told(self) -> list[str]:
        """Return what was asked and what was refused, a line each."""
        return [
            *(f"   asked   {words}" for words in self.asked),
            *(f"   refused {words}" for words in self.refused),
        ]


@dataclass(frozen=True)
class FileJourney:
    """The journey of one file, into a project of its own."""

    path: Path
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def __name__(self) -> str:
        return self.path.name

    def __call__(self, lead: Person) -> Imported:
        lead.signs_in()
        lead.does("creates a project")
        lead.click(lead.page.get_by_role("link", name="New project"))
        lead.click(lead.page.get_by_label("Title"))
        lead.type(self.path.name)
        lead.click(lead.page.get_by_role("button", name="Create project"))
        lead.does("uploads the file")
        lead.click(lead.page.get_by_role("link", name="Add items").first)
        lead.choose_file(lead.page.get_by_label("File", exact=True), self.path)
        lead.click(lead.page.get_by_role("button", name="Upload"))
        expect(lead.page.locator("form#choices")).to_be_visible(timeout=PATIENCE)
        asked = tuple(_asked(lead))
        if self.answers:
            lead.does("answers what is asked")
            for column, answer in self.answers.items():
                lead.pick(lead.page.get_by_label(column, exact=True), answer)
            lead.click(lead.page.get_by_role("button", name="Read the file again"))
            expect(lead.page.locator(ASKED)).to_have_count(0, timeout=PATIENCE)
        refused = tuple(_refused(lead))
        shape = _shape(lead)
        import_it = lead.page.get_by_role("button", name=re.compile("^Import "))
        if import_it.count():
            lead.does("looks at the first item, and imports them all")
            lead.click(import_it)
            expect(lead.page.get_by_role("heading", name=DONE)).to_be_visible(timeout=PATIENCE)
        return Imported(shape, asked, refused)


def journeys(real: Path = REAL) -> tuple[FileJourney, ...]:
    """Return a journey for each file that there is."""
    files = [file for folder in (FILES, real) for file in sorted(folder.glob("*.*"))]
    return tuple(
        FileJourney(file, ANSWERS.get(file.name, {})) for file in files if file.suffix != ".md"
    )


def _shape(lead: Person) -> str:
    """Return as what the page says that it reads the file."""
    shape = lead.page.get_by_label("Read as")
    return str(shape.evaluate("it => it.selectedOptions[0].text")) if shape.count() else ""


def _asked(lead: Person) -> Iterator[str]:
    """Yield what the page asks about columns."""
    for question in lead.page.locator(ASKED).all():
        yield _words(question.locator("legend, small"))


def _refused(lead: Person) -> Iterator[str]:
    """Yield what the page says against the file, and against which rows of it."""
    for sentence in lead.page.locator("#choices .note.error p").all():
        yield _words(sentence)
    heading = lead.page.locator("#faults")
    if heading.count():
        first = lead.page.locator(".bad-lines tbody tr").first.locator("td")
        column, _value, reason, advice = map(_words, first.all())
        yield f"{_words(heading)}: {column} {reason}; {advice}"


def _words(place: Locator) -> str:
    return " ".join(place.inner_text().split())


JOURNEYS = journeys()
