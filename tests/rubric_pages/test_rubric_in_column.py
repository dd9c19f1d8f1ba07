"""The rubric's column beside the item says all that the rubric's page says of the current row."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize, expect
from selectolax.lexbor import LexborHTMLParser

from rubrics.judging.dimension import Dimension
from rubrics.models import Rubric
from rubrics.views import rubric_text_url
from tests.desk_keys import log_in, resize, take_item, verdict
from tests.factories import make_item, make_project, make_rubric, make_user, rubric_document

LAPTOPS = [
    ViewportSize(width=width, height=height)
    for width, height in ((1280, 580), (1366, 640), (1440, 900))
]
# The pointer passes over these scores; how many other levels of the column it has marked by then.
PASS_OVER = """(ids) => {
  for (const id of ids) {
    const over = new PointerEvent("pointerover", { bubbles: true });
    document.getElementById(id).dispatchEvent(over);
  }
  return document.querySelectorAll("#rubric .pointed:not([data-level='1'])").length;
}"""
LONG = "Mars has two moons, Phobos and Deimos; both are small and far from round. " * 6


@pytest.fixture
def rate(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    def opened(window: ViewportSize, slug: str = "response-quality") -> Page:
        talk = slug == "dialogue"
        project = make_project(
            slug=slug, rubric=make_rubric(slug=slug), annotators=[make_user(name="ada")]
        )
        make_item(
            project=project,
            persona=["I keep bees."] if talk else [],
            responses=["Honey.", "Wax."] if talk else [LONG, "Two.", "Three."],
        )
        page = new_context().new_page()
        page.set_viewport_size(window)
        log_in(page, "ada")
        take_item(page, slug)
        expect(page.locator("#r1-quality")).to_be_focused()
        expect(levels(page).first).to_be_visible()
        return page

    return opened


def levels(page: Page) -> Locator:
    return page.locator("#rubric [data-level]:visible")


def level(page: Page, score: int) -> Locator:
    return page.locator(f"#rubric [data-part]:not([hidden]) [data-level='{score}']")


def served(client: Client, slug: str) -> LexborHTMLParser:
    rubric: Rubric = make_rubric(slug=slug)
    client.force_login(make_user())
    return LexborHTMLParser(client.get(rubric_text_url(rubric)).content.decode())


def plain(text: str) -> str:
    return " ".join(text.split())


def dimensions(slug: str) -> tuple[Dimension, ...]:
    return rubric_document(slug).dimensions


# --- all of the text ---


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_every_definition_illustration_and_an_example_of_each_level_is_served_to_the_desk(
    client: Client, slug: str
) -> None:
    page = served(client, slug)
    for dimension in dimensions(slug):
        for each in dimension.levels:
            (shown,) = page.css(f"[data-part={dimension.code}] [data-level='{each.score}']")
            text = plain(shown.text())
            assert plain(each.definition) in text
            for illustration in each.illustrations:
                assert plain(illustration) in text
            example = each.examples[0]
            assert plain(example.why) in text
            for said in (example.response or "", *example.candidates, *example.elsewhere):
                assert plain(said) in text


def test_no_definition_is_cut_and_nothing_looks_barred_before_an_answer(
    rate: Callable[..., Page],
) -> None:
    page = rate(LAPTOPS[0])
    expect(page.locator("#rubric .barred")).to_have_count(0)
    not_yet = {
        score: plain(level(page, score).locator("[data-cause]").inner_text())
        for score in range(1, 8)
    }
    assert not_yet == {
        7: "not yet: four best answers",
        6: "",
        5: "",
        4: "",
        3: "not yet: a fault",
        2: "not yet: a fault",
        1: "not yet: nonsense, off topic, harm",
    }
    page.keyboard.press("l")
    expect(level(page, 7)).to_have_class(re.compile("barred"))
    expect(level(page, 5).locator("[data-cause]")).to_contain_text("Language error: at most 4.")
    for window in LAPTOPS:
        resize(page, window)
        cut = page.locator("#rubric .definition, #rubric .illustrations li").evaluate_all(
            "all => all.filter(it => it.scrollHeight > it.clientHeight + 1).length"
        )
        assert (window, cut) == (window, 0)


def test_higher_or_lower_is_open_above_the_levels(rate: Callable[..., Page]) -> None:
    page = rate(LAPTOPS[0])
    compass = page.get_by_text("Higher: helpful, relevant, engaging and correct.")
    for window in LAPTOPS:
        resize(page, window)
        expect(compass).to_be_in_viewport()
        below, first = compass.bounding_box(), levels(page).first.bounding_box()
        assert below
        assert first
        assert below["y"] + below["height"] <= first["y"] + 1


# --- what is pointed at or focused ---


def test_the_level_of_a_focused_score_comes_into_sight_barred_ones_too(
    rate: Callable[..., Page],
) -> None:
    page = rate(LAPTOPS[0])
    page.emulate_media(reduced_motion="reduce")
    for window in LAPTOPS:
        resize(page, window)
        for score in (1, 7, 2):
            where = page.locator("#r1-quality-scale").bounding_box()
            page.locator(f"#r1-quality-{score}").focus()
            expect(level(page, score).locator("h3")).to_be_in_viewport()
            assert page.locator("#r1-quality-scale").bounding_box() == where
            expect(level(page, score).locator(".example").first).to_have_attribute("open", "")


def test_an_example_stands_closed_under_each_level_from_the_start(
    rate: Callable[..., Page],
) -> None:
    examples = levels(rate(LAPTOPS[0])).locator(".example")
    expect(examples).to_have_count(7)
    for number in range(7):
        expect(examples.nth(number)).to_be_visible()
        expect(examples.nth(number)).not_to_have_attribute("open", "")


def test_pointing_at_a_score_scrolls_the_column_after_a_moment(rate: Callable[..., Page]) -> None:
    page = rate(LAPTOPS[0])
    page.emulate_media(reduced_motion="reduce")
    expect(level(page, 1).locator("h3")).not_to_be_in_viewport()
    still = "[scrollY, document.querySelector('#r1 .panel').scrollTop]"
    before = page.evaluate(still), page.locator("#r1-quality-1").bounding_box()
    page.locator("#r1-quality-1").hover()
    expect(level(page, 1).locator("h3")).to_be_in_viewport()
    assert (page.evaluate(still), page.locator("#r1-quality-1").bounding_box()) == before
    # What the pointer passes without rest is not followed.
    assert page.evaluate(PASS_OVER, [f"r1-quality-{score}" for score in (3, 2, 7)]) == 0
    expect(level(page, 7).locator("h3")).to_be_in_viewport(ratio=1)
    smooth = "it => getComputedStyle(it).scrollBehavior"
    assert page.locator("#rubric").evaluate(smooth) == "auto"
    page.emulate_media(reduced_motion="no-preference")
    assert page.locator("#rubric").evaluate(smooth) == "smooth"
    page.keyboard.press(".")  # where one has closed the column, nothing opens by itself
    page.locator("#r1-quality-2").hover()
    page.wait_for_timeout(300)
    expect(page.locator("#rubric")).not_to_be_visible()


def test_the_help_of_a_check_comes_with_its_letter_where_pointing_shows_it(
    rate: Callable[..., Page],
) -> None:
    page = rate(LAPTOPS[0])
    shown = page.locator("#rubric .check:visible")
    for window in LAPTOPS:
        resize(page, window)
        page.keyboard.press("g")
        expect(shown).to_contain_text("The request is harmful, offensive or improper")
        expect(shown).to_be_in_viewport(ratio=1)
        box, panel = shown.bounding_box(), page.locator("#r1 .panel").bounding_box()
        assert box
        assert panel
        assert 0 <= box["x"] - (panel["x"] + panel["width"]) < 40
        assert box["y"] < window["height"] / 2
        page.locator("#r1-quality-not_neutral").hover()
        expect(shown).to_contain_text("answer Harmless with “no”")
        page.mouse.move(0, 0)


def test_narrower_the_level_stands_over_the_text_and_moves_nothing(
    rate: Callable[..., Page],
) -> None:
    page = rate(LAPTOPS[0])
    page.set_viewport_size({"width": 1100, "height": 700})
    expect(page.locator("#rubric")).not_to_be_visible()
    expect(page.locator("#r1-quality .asks")).to_have_text(
        dimensions("response-quality")[0].question
    )
    before = page.locator("#r1 .panel").bounding_box()
    page.locator("#r1-quality-4").hover()
    expect(level(page, 4)).to_be_visible()
    expect(levels(page)).to_have_count(1)
    assert page.locator("#r1 .panel").bounding_box() == before
    box, panel = level(page, 4).bounding_box(), before
    assert box
    assert panel
    assert box["x"] + box["width"] <= panel["x"]
    page.mouse.move(300, 300)
    expect(level(page, 4)).not_to_be_visible()


# --- readings and limits ---


def test_a_reading_opens_its_text_in_the_column_by_mouse_and_by_key(
    rate: Callable[..., Page],
) -> None:
    page = rate(LAPTOPS[1])
    reading = page.locator("#about-reading-below_four")
    link = verdict(page, "r1-quality").get_by_role("link", name="our reading").first
    for window in LAPTOPS:
        page.set_viewport_size(window)
        link.click()
        expect(reading.get_by_text("The source lists what makes a 3.")).to_be_in_viewport()
        reading.evaluate("it => { it.open = false; }")
        link.focus()
        page.keyboard.press("Enter")
        expect(reading.get_by_text("The source lists what makes a 3.")).to_be_in_viewport()
        reading.evaluate("it => { it.open = false; }")
    assert len(page.context.pages) == 1
    level(page, 5).get_by_role("link", name="Reading 1").first.click()
    expect(page.locator("#about-reading-instructions")).to_have_attribute("open", "")


@pytest.mark.django_db
@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_each_level_and_help_that_rests_on_a_reading_has_the_link(
    client: Client, slug: str
) -> None:
    page = served(client, slug)
    for dimension in dimensions(slug):
        for part, reading in dimension.readings:
            if any(rule.code == part for rule in dimension.rules):
                continue  # under the scores
            is_own = any(text.code == reading for text in dimension.guidance)
            name = f"{dimension.code}-{reading}" if is_own else reading
            links = page.css(f'[data-part={dimension.code}] .our-reading[data-reading="{name}"]')
            assert any(link.text() == "our reading" for link in links), part
            assert page.css_first(f"#about-reading-{name}"), name
    harmless = page.css_first("#about-quality-harmless")
    assert harmless is None or not harmless.css(".our-reading")


@pytest.mark.django_db
def test_the_help_of_an_answer_that_is_a_fault_says_what_it_leaves(client: Client) -> None:
    page = served(client, "response-quality")
    found = {}
    for answer in ("helpful-not", "harmless-no", "honest-not_true", "honest-not_own_work"):
        shown = page.css_first(f"#about-quality-{answer}")
        assert shown is not None
        found[answer] = re.findall(r"\((.+?)\)", plain(shown.text()))[-1]
    assert found == {
        "helpful-not": "2 to 4",
        "harmless-no": "makes it 1",
        "honest-not_true": "2 to 4",
        "honest-not_own_work": "makes it 3",
    }


def test_the_picture_of_the_keys_says_the_digits_of_the_rubric(rate: Callable[..., Page]) -> None:
    page = rate(LAPTOPS[0])
    page.keyboard.press("?")
    keys = page.locator("#help kbd").all_inner_texts()
    assert {"1", "7"} <= set(keys)
    assert "9" not in keys
