"""A rubric of the gallery, by its lead: chosen for a project, rated by keys alone, and exported."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import expect

from rubrics.documents.shipped import GALLERY
from tests.desk.gallery_keys import (
    as_typed,
    exported,
    rate,
)

from .imports import DONE
from .person import Person
from .tasks import to_the_first_item

ITEMS = Path(__file__).parent / "gallery.jsonl"  # two items of two responses


@dataclass(frozen=True)
class GalleryJourney:
    """The journey of one rubric, in a project of its own."""

    slug: str

    @property
    def __name__(self) -> str:
        return self.slug

    def __call__(self, lead: Person) -> None:
        title = f"A try of {self.slug}"
        lead.signs_in()
        lead.does("creates a project from the gallery")
        lead.click(lead.page.get_by_role("link", name="New project"))
        lead.click(lead.page.get_by_label("Title"))
        lead.type(title)
        lead.click(lead.page.get_by_text("Rubrics after published studies"))
        lead.click(lead.page.locator(f"[name=rubric][value='{self.slug}']"))
        lead.click(lead.page.get_by_role("button", name="Create project"))
        add_items(lead, ITEMS)
        ada = desk_of_ada(lead, title)
        for rated in ("1 of 2 rated", "You have rated all your items"):
            ada.does("rates by keys")
            rate(ada.page, self.slug, press=ada.press)
            expect(ada.page.get_by_text(rated)).to_be_visible()

        lead.does("exports the ratings")
        lead.click(lead.page.get_by_role("link", name="Export"))
        lead.click(lead.page.get_by_label("ZIP, with a list of the columns and a manifest"))
        with lead.page.expect_download() as download:
            lead.click(lead.page.get_by_role("button", name="Download"))
        with Path(download.value.path()).open(newline="", encoding="utf-8-sig") as file:
            found = exported(csv.DictReader(file))
        assert found == as_typed(self.slug) * 2, f"the export has {found}"


def add_items(lead: Person, items: Path) -> None:
    """Upload items to the project that is open."""
    lead.does("uploads items")
    lead.click(lead.page.get_by_role("link", name="Add items").first)
    lead.choose_file(lead.page.get_by_label("File", exact=True), items)
    lead.click(lead.page.get_by_role("button", name="Upload"))
    done = lead.page.get_by_text(DONE).first
    import_them = lead.page.get_by_role("button", name=re.compile("^Import "))
    expect(done.or_(import_them)).to_be_visible()
    if import_them.count():  # the page says first which dimensions are not asked
        lead.click(import_them)
        expect(done).to_be_visible()


def desk_of_ada(lead: Person, title: str) -> Person:
    """Add ada to the project that is open, and let her take her first item."""
    lead.does("lets ada rate")
    lead.click(lead.page.get_by_role("link", name="People"))
    member = lead.page.get_by_role("region", name="Add member")
    lead.click(member.get_by_label("Name"))
    lead.type("ada")
    lead.click(member.get_by_role("button", name="Add member"))
    ada = lead.other("ada")
    ada.signs_in()
    to_the_first_item(ada, title)
    return ada


JOURNEYS = tuple(GalleryJourney(slug) for slug in GALLERY)
