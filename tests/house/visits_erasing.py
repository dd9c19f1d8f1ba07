"""An admin deletes a project, takes a passage out of an item, and erases a person."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.factories import PASSWORD, make_item, make_project, make_rating, make_user
from tests.visitor import Visitor, Walk

PERSON = "people/<int:pk>/erase/"
WHOLE = "projects/<slug:slug>/erase/"
PASSAGE = "projects/<slug:slug>/items/<int:pk>/redact/"

ERASING_STATES = {
    "profile/data/": {"read"},
    PERSON: {"empty", "refused", "erased already"},
    WHOLE: {"empty", "refused"},
    PASSAGE: {"empty", "refused"},
}


def erasing(visitor: Visitor) -> Walk:
    """Go to each page of what cannot be taken back, and be refused there."""
    page = visitor.page
    ada = make_user(name="ada-who-leaves")
    project = make_project(slug="gone", title="To go", annotators=[ada])
    item = make_item(project=project, prompt="Call Ann on 030 1234567.")
    make_rating(item=item, annotator=ada)
    visitor.become(make_user(name="admin-who-erases", admin=True))
    visitor.go("/profile/data/")
    yield "read"
    page.goto(f"/projects/gone/items/{item.pk}/redact/")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    visitor.press("Confirm")
    expect(page.get_by_label("Reason")).to_be_visible()
    yield "empty"
    _fill(page, "The passage", "030 7654321")
    _fill(page, "Reason", "A telephone number")
    visitor.press("Remove for good")
    expect(page.locator(".errorlist").first).to_be_visible()
    yield "refused"
    visitor.go("/projects/gone/erase/")
    yield "empty"
    _fill(page, "The title", "Another")
    visitor.press("Delete for good")
    expect(page.locator(".errorlist").first).to_be_visible()
    yield "refused"
    visitor.go(f"/people/{ada.pk}/erase/")
    yield "empty"
    _fill(page, "The name", "Another")
    visitor.press("Erase for good")
    expect(page.locator(".errorlist").first).to_be_visible()
    yield "refused"
    _fill(page, "The name", ada.username)
    visitor.press("Erase for good")
    visitor.go(f"/people/{ada.pk}/erase/")
    yield "erased already"


def _fill(page: Page, label: str, text: str) -> None:
    page.get_by_label(label).fill(text)
