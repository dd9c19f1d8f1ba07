"""Segmented controls: what is chosen and what has the focus looks different, on every page."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import BrowserContext, Locator, Page, expect

from rubrics.models import RubricDraft
from tests.desk_keys import log_in, take_item
from tests.factories import NOW, make_item, make_project, make_rubric, make_user
from tests.made_rubrics import document

pytestmark = pytest.mark.django_db(transaction=True)

COLOURS = {
    "light": {"color_scheme": "light", "forced_colors": "none"},
    "dark": {"color_scheme": "dark", "forced_colors": "none"},
    "forced": {"color_scheme": "dark", "forced_colors": "active"},
}


def picture(option: Locator) -> Image.Image:
    """Return the option with what is right around it."""
    box = option.bounding_box()
    assert box
    clip = {"x": box["x"] - 4, "y": box["y"] - 4}
    size = {"width": box["width"] + 8, "height": box["height"] + 8}
    image = option.page.screenshot(clip=clip | size)  # type: ignore[arg-type]
    return Image.open(io.BytesIO(image)).convert("RGB")


def differing(before: Image.Image, now: Image.Image) -> float:
    """Return the share of pixels that can be told apart."""
    channels = ImageChops.difference(before, now).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    return sum(most.histogram()[12:]) / (now.width * now.height)


def looks_different(page: Page, place: str) -> None:
    """Compare the last option of the first control in a place in its states."""
    control = page.locator(f"{place} .segmented").first
    expect(control).to_be_visible()
    control.scroll_into_view_if_needed()
    first, last = (control.locator(".segment").nth(at) for at in (0, -1))
    first.locator("input").evaluate("(each) => each.checked = true")
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    plain = picture(last)
    last.locator("input").evaluate("(each) => each.focus({ focusVisible: true })")
    focused = picture(last)
    page.evaluate("document.activeElement.blur()")
    last.locator("input").evaluate("(each) => each.checked = true")
    chosen = picture(last)
    assert differing(plain, chosen) > 0.2, place
    assert differing(plain, focused) > 0.04, place


def test_a_chosen_and_a_focused_option_can_be_told_from_the_others_on_every_page(
    new_context: Callable[..., BrowserContext],
) -> None:
    ada = make_user(name="ada")
    project = make_project(slug="eggs", annotators=[ada], leads=[ada], rubric=make_rubric())
    make_item(project=project)
    draft = RubricDraft.objects.start(document([], []), by=ada, now=NOW)
    [dimension, *_] = draft.content["dimensions"]
    page = new_context().new_page()
    log_in(page, "ada")
    take_item(page, "eggs")
    pages = {
        "/projects/eggs/desk/": "#rating",
        f"/rubric-drafts/{draft.pk}/parts/{dimension['code']}/": "#part",
        "/projects/eggs/export/": ".export",
        "/projects/eggs/settings/": ".settings",
    }
    for address, place in pages.items():
        page.goto(address)
        for media in COLOURS.values():
            page.emulate_media(**media)  # type: ignore[arg-type]
            looks_different(page, place)
