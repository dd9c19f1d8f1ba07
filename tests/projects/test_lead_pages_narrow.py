"""A lead's pages on a phone, and the frame that stays around each page of a project."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from rubrics.documents.document import dump
from rubrics.documents.shipped import shipped
from rubrics.models import RubricDraft
from tests.desk_keys import log_in
from tests.disagreements.made_cases import project_with_people, some_cases
from tests.factories import NOW, make_item, make_project, make_rating, make_user

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 390, "height": 844}


def test_a_phone_shows_scores_of_items_and_the_current_tab(page: Page) -> None:
    lena = make_user(name="lena")
    project = make_project(slug="eggs", leads=[lena])
    item = make_item(project=project, external_id="a-long-name-of-an-item-0001", prompt="why " * 40)
    for _person in range(3):
        make_rating(item=item)
    log_in(page, "lena")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto("/projects/eggs/items/")
    scores = page.locator(".items tbody .scores").first
    expect(scores).to_be_in_viewport(ratio=0.95)
    name = page.get_by_role("link", name="a-long-name-of-an-item-0001")
    assert name.evaluate("it => it.scrollWidth <= it.clientWidth"), "the name is cut"
    assert name.evaluate("it => it.getClientRects()[0].width > 120"), "the name is in shreds"
    # A chip has no frame of its own, and what is asked for once is no button.
    border = "it => getComputedStyle(it).borderTopColor"
    assert page.locator(".filter").first.evaluate(border) == "rgba(0, 0, 0, 0)"
    shown = page.get_by_role("button", name="Show models")
    assert "ghost" in (shown.get_attribute("class") or "")
    for part in ("settings", "export", "items"):
        page.goto(f"/projects/eggs/{part}/")
        expect(page.locator(".project-tabs [aria-current]")).to_be_in_viewport(ratio=0.95)
        expect(page.locator("h1")).to_be_visible()


def test_only_the_current_tab_has_a_line_in_forced_colours(
    new_context: Callable[..., BrowserContext],
) -> None:
    lena = make_user(name="lena")
    project = make_project(slug="eggs", leads=[lena])
    item = make_item(project=project, responses=["Six.", "Seven."])
    page = new_context(forced_colors="active").new_page()
    log_in(page, "lena")
    page.goto(f"/projects/eggs/items/{item.pk}/")
    for tabs in (".project-tabs", ".item-tabs"):
        lines = page.locator(f"{tabs} a").evaluate_all(
            "all => all.filter((it) => getComputedStyle(it).borderBottomStyle !== 'none')"
            ".map((it) => it.getAttribute('aria-current'))"
        )
        assert len(lines) == 1, tabs
        assert lines[0], tabs


@pytest.mark.parametrize("width", [1440, 1280])
def test_a_title_in_the_breadcrumbs_stands_beside_its_slash(page: Page, width: int) -> None:
    lena = make_user(name="lena")
    make_project(slug="eggs", title="Response quality, a demonstration", leads=[lena])
    log_in(page, "lena")
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/projects/eggs/export/")
    tops = page.locator(".crumbs a").evaluate_all(
        "all => all.map((it) => Math.round(it.getBoundingClientRect().top))"
    )
    assert len(tops) == 2
    assert len(set(tops)) == 1


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_a_phone_has_the_header_of_a_lead_in_one_line(page: Page, language: str) -> None:
    lena = make_user(name="lena", language=language)
    title = "Summaries of the spring study, second round"
    project = make_project(slug="eggs", title=title, leads=[lena])
    item = make_item(project=project, responses=["Six."] * 9)
    log_in(page, "lena")
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"/projects/eggs/items/{item.pk}/")
        bar = page.locator(".bar")
        assert bar.evaluate("it => it.offsetHeight <= 48"), "the header has two lines"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        crumb = page.get_by_role("link", name=title)
        assert crumb.evaluate("it => getComputedStyle(it).textOverflow") == "ellipsis"
        assert crumb.evaluate("it => it.getBoundingClientRect().width >= 24")


def test_tabs_that_scroll_have_a_shadow_where_there_are_more(page: Page) -> None:
    lena = make_user(name="lena")
    make_project(slug="eggs", leads=[lena])
    log_in(page, "lena")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.goto("/projects/eggs/")
    tabs = page.locator(".project-tabs")
    shades = []
    for scrolled in (0, 9_999):
        tabs.evaluate("(it, left) => it.scrollTo(left, 0)", scrolled)
        box = tabs.bounding_box()
        assert box
        ends = []
        for left in (box["x"], box["x"] + box["width"] - 2):
            clip = {"x": left, "y": box["y"] + 2, "width": 2, "height": 4}
            ends.append(page.screenshot(clip=clip))  # type: ignore[arg-type]
        shades.append(ends)
    (first_left, first_right), (last_left, last_right) = shades
    assert first_left == last_right, "an end without more has a shadow"
    assert first_right != first_left, "the end with more has none"
    assert last_left != last_right


def test_the_rubric_of_a_project_keeps_its_bar_and_tabs(client: Client) -> None:
    lena = make_user(name="lena")
    project = make_project(slug="eggs", leads=[lena])
    client.force_login(lena)
    address = f"/projects/eggs/rubric/{project.rubric.version}/"
    assert address in client.get("/projects/eggs/").content.decode()
    shown = client.get(address).content.decode()
    assert 'class="project-tabs"' in shown
    assert 'href="/projects/eggs/items/"' in shown
    assert client.get("/projects/eggs/rubric/99/").status_code == 404
    client.force_login(make_user(name="mo"))
    assert client.get(address).status_code == 404


# What a page of the editor hides at its width: what leaves the window, and controls whose words or
# whose box are cut.
HIDDEN = """() => {
  const faults = [];
  const name = (it) => `${it.localName}.${it.className} ${it.textContent.trim().slice(0, 30)}`;
  for (const it of document.querySelectorAll("main, main *")) {
    if (!it.checkVisibility() || it.closest(".visually-hidden, [contenteditable]")) continue;
    const { overflowX, clipPath } = getComputedStyle(it);
    if (clipPath !== "none") continue;
    const isControl = it.matches("a, button, label, legend, summary, input, select, textarea");
    const hides = overflowX !== "visible" || it.matches("a, button, label, legend, summary");
    if (hides && it.clientWidth && it.scrollWidth > it.clientWidth + 1)
      if (!it.matches("input, textarea, select")) faults.push(`cut: ${name(it)}`);
    if (!isControl || it.offsetWidth <= 1) continue;
    for (const box of it.getClientRects())
      if (box.left < -1 || box.right > innerWidth + 1) faults.push(`outside: ${name(it)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  return faults;
}"""


def test_a_phone_shows_each_page_of_the_editor_whole(page: Page) -> None:
    """In German, whose words are longer."""
    lena = make_user(name="lena", language="de")
    make_project(slug="eggs", leads=[lena])
    draft = RubricDraft.objects.start(dump(shipped("response-quality")), by=lena, now=NOW)
    log_in(page, "lena")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    sections = ("quality", "quality.checks", "quality.rules", "quality.examples")
    parts = [f"parts/{part}/" for part in ("about", *sections, "checks")]
    faults = {}
    for part in (*parts, "document/", "publish/", "scores/"):
        page.goto(f"/rubric-drafts/{draft.pk}/{part}")
        page.evaluate("document.querySelectorAll('details').forEach((it) => (it.open = true))")
        if hidden := page.evaluate(HIDDEN):
            faults[part] = hidden
    assert not faults


def test_lines_that_need_a_lead_are_far_enough_apart_to_be_pressed(page: Page) -> None:
    project = project_with_people(make_user(name="lena"))
    some_cases(project)  # and complete: two links in one cell, one above the other
    log_in(page, "lena")
    page.set_viewport_size({"width": 800, "height": 844})
    page.goto("/")
    links = page.locator(".projects td:last-child a")
    expect(links).to_have_count(2)
    first, second = links.evaluate_all("all => all.map((it) => it.getBoundingClientRect().y)")
    assert second - first >= 24
