"""How the pages look as people choose it: colours, contrast, size of the text, width of what is
read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from annotators.models import User
from tests.contrast import below, colours, luminance
from tests.desk_keys import await_verdicts, enlarge, in_view, lease_item, log_in, resize, settle
from tests.factories import make_item, make_project, make_rubric, make_user

WIDE, PHONE = ViewportSize(width=1366, height=650), ViewportSize(width=390, height=780)
LONG = "Mars has two moons, Phobos and Deimos; both are small and far from round. " * 4
DESKS = ["/projects/response-quality/desk/", "/projects/dialogue/desk/"]
# The others are looked at by the walk over all pages.
HIGH_CONTRAST = ("contrast-light", "contrast-dark")
# The letters of each size of the text; test_profile.py has who chose one be served it.
SIZES = {"normal": "16px", "large": "18px", "larger": "20px", "largest": "24px"}
# The size of the letters, and whether one would have to scroll sideways.
LETTERS = """() => {
  const root = document.documentElement;
  return [getComputedStyle(root).fontSize, root.scrollWidth > innerWidth];
}"""
PAGES = [
    "/",
    "/profile/",
    "/projects/dialogue/",
    "/projects/dialogue/items/",
    "/projects/dialogue/upload/",
    "/projects/dialogue/people/",
    "/projects/dialogue/export/",
    "/projects/dialogue/settings/",
    "/rubrics/dialogue/1/",
]


def is_dark(page: Page) -> bool:
    [ground] = [each[2] for each in colours(page, "text") if each[0] == "Keys for rating"]
    return luminance(ground) < 0.2


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """Someone who rates and leads in both rubrics, with an item of each on the desk."""
    ada = make_user(name="ada")
    for slug in ("response-quality", "dialogue"):
        project = make_project(
            slug=slug, rubric=make_rubric(slug=slug), annotators=[ada], leads=[ada]
        )
        persona = ["I keep bees."] if slug == "dialogue" else []
        make_item(
            project=project, persona=persona, responses=[("m", LONG), ("m", "Two."), ("n", " ")]
        )
    page = new_context().new_page()
    page.set_viewport_size(WIDE)
    log_in(page, "ada")
    for slug in ("response-quality", "dialogue"):
        lease_item(slug)
    return page


def choose(**chosen: str) -> None:
    assert User.objects.filter(username="ada").update(**chosen) == 1


def desks_in_every_state(page: Page) -> Iterator[str]:
    """The desks untouched, with something ticked, barred and scored, and refused."""
    for address in DESKS:
        page.goto(address)
        yield f"{address} untouched"
        page.locator(".target.current .tick input").first.check()
        expect(page.locator(".target.current .level.barred").first).to_be_visible()
        await_verdicts(page)
        page.locator(".target.current .level:not(.barred) input").first.check(force=True)
        await_verdicts(page)
        yield f"{address} scored"
        page.keyboard.press("Control+Enter")
        expect(page.locator("[data-summary]").first).to_be_visible()
        settle(page)
        yield f"{address} refused"
        page.keyboard.press("Enter")
        page.keyboard.press("s")
        expect(page.locator("#concern")).to_have_attribute("open", "")
        yield f"{address} skipping"
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        expect(page.locator("#help")).to_be_visible()
        yield f"{address} help"


def desks_and_pages(page: Page) -> Iterator[str]:
    yield from desks_in_every_state(page)
    for address in PAGES:
        page.goto(address)
        yield address


def test_high_contrast_is_seven_to_one_for_every_text(page: Page) -> None:
    """The borders of what one presses show as well as text, too."""
    for state in desks_and_pages(page):
        for theme in HIGH_CONTRAST:
            page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
            assert (state, theme, below(page, "text", 7)) == (state, theme, [])
            if state not in PAGES:
                assert (state, theme, below(page, "borders", 4.5)) == (state, theme, [])


def test_a_system_that_asks_for_contrast_gets_it_in_every_theme(page: Page) -> None:
    for theme in ("system", "light", "dark"):
        choose(theme=theme)
        page.emulate_media(contrast="no-preference")
        page.goto(DESKS[0])
        assert (theme, below(page, "borders", 4.5)) != (theme, [])
        page.emulate_media(contrast="more")
        assert (theme, below(page, "text", 7)) == (theme, [])
        assert (theme, below(page, "borders", 4.5)) == (theme, [])


def test_a_theme_goes_before_what_the_system_says(page: Page) -> None:
    for theme, on_light, on_dark in (
        ("system", False, True),
        ("light", False, False),
        ("dark", True, True),
        ("contrast-light", False, False),
        ("contrast-dark", True, True),
    ):
        choose(theme=theme)
        page.goto("/profile/")
        page.emulate_media(color_scheme="light")
        assert (theme, is_dark(page)) == (theme, on_light)
        page.emulate_media(color_scheme="dark")
        assert (theme, is_dark(page)) == (theme, on_dark)


def test_at_every_size_the_desk_keeps_what_one_needs_in_view(page: Page) -> None:
    for address in [*DESKS, *PAGES]:
        page.goto(address)
        for viewport in (PHONE, WIDE):
            resize(page, viewport)
            for size, pixels in SIZES.items():
                where = (address, size, viewport["width"])
                enlarge(page, size)
                letters, is_sideways = page.evaluate(LETTERS)
                assert (*where, letters, is_sideways) == (*where, pixels, False)
                if address in DESKS:
                    levels = ["[data-row].current .level"] if viewport == WIDE else []
                    in_view(page, "#submit", *levels)


def test_the_text_of_a_response_is_as_wide_as_the_profile_says(page: Page) -> None:
    project = make_project(slug="alone", annotators=[User.objects.get(username="ada")])
    make_item(project=project, responses=[LONG])  # several would share the width
    lease_item("alone")
    page.set_viewport_size({"width": 2560, "height": 900})
    widths = []
    for width in ("narrow", "normal", "wide"):
        choose(reading_width=width)
        page.goto("/projects/alone/desk/")
        response = page.locator(".target.current .response")
        expect(response).to_be_visible()
        box = response.bounding_box()
        assert box is not None
        widths.append(box["width"])
        expect(page.locator(".target.current .panel")).to_be_in_viewport(ratio=1)
    assert widths == [36 * 16, 48 * 16, 64 * 16]


def test_in_the_system_s_own_colours_what_is_picked_differs_from_what_is_not(page: Page) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(DESKS[0])
    current = page.locator(".target.current")
    current.get_by_role("checkbox", name="Language error").check()
    await_verdicts(page)
    ground = "element => getComputedStyle(element).backgroundColor"
    ticked = current.locator(".tick:has(:checked) label")
    other = current.locator(".tick:not(:has(:checked)) label").first
    assert ticked.evaluate(ground) != other.evaluate(ground)
    answers = current.get_by_role("radiogroup", name="Honest").locator(".segment")
    answers.nth(0).locator("input").check()
    await_verdicts(page)
    labels = answers.locator("label")
    assert labels.nth(0).evaluate(ground) != labels.nth(1).evaluate(ground)
    best = labels.nth(0).evaluate(ground)
    answers.nth(2).locator("input").check()
    await_verdicts(page)
    assert labels.nth(2).evaluate(ground) == best, "of the system's own, too"


def test_in_the_system_s_own_colours_one_sees_which_response_and_row_one_is_in(page: Page) -> None:
    ada, rubric = User.objects.get(username="ada"), make_rubric(slug="dialogue")
    project = make_project(slug="short", rubric=rubric, annotators=[ada])
    make_item(project=project, responses=["Two.", "Three.", "Four."])
    lease_item("short")
    page.emulate_media(forced_colors="active")
    page.goto("/projects/short/desk/")
    page.locator(".row.current").wait_for()
    frame = "element => getComputedStyle(element).outlineStyle"
    responses = page.locator(".target .response")
    assert [each.evaluate(frame) for each in responses.all()] == ["solid", "none", "none"]
    edge = "element => getComputedStyle(element).borderInlineStartColor"
    current, other = page.locator(".target.current .row").all()
    assert current.evaluate(edge) != other.evaluate(edge)
    titles = page.locator(".target.current .row h3")
    before = [each.bounding_box() for each in titles.all()]
    page.keyboard.press("ArrowDown")
    expect(other).to_have_class(re.compile("current"))
    after = [each.bounding_box() for each in titles.all()]
    assert [each and each["x"] for each in after] == [each and each["x"] for each in before]
