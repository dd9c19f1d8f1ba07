"""What stands where on the desk: responses side by side or under tabs, and what one needs always in
view."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, ViewportSize, expect

from annotators.models import User
from tasks.models import Draft, Project
from tests.conftest import in_both_fonts
from tests.desk_keys import (
    SAVED,
    enlarge,
    focus_row,
    focused_row,
    in_view,
    intercept,
    log_in,
    resize,
    settle,
    take_item,
    verdict,
)
from tests.factories import make_batch, make_item, make_project, make_rubric, make_user

LAPTOP, WIDE = ViewportSize(width=1366, height=650), ViewportSize(width=1920, height=1000)
NARROW = ViewportSize(width=1000, height=650)
LAPTOPS = [
    ViewportSize(width=width, height=height)
    for width, height in ((1280, 580), (1366, 640), (1440, 900))
]
ZOOMED = ViewportSize(width=341, height=162)  # the laptop's window at 400 %
LONG = "Mars has two moons, Phobos and Deimos; both are small and far from round. " * 6
PERSONA = ["I keep bees.", "I have never left my valley."]


@pytest.fixture
def open_desk(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk of a rubric, with one item on it or with the first of more."""

    def opened(
        slug: str = "response-quality",
        *,
        items: int = 1,
        responses: list[str] | None = None,
        **options: object,
    ) -> Page:
        talk = slug == "dialogue"
        project = make_project(
            slug=slug, rubric=make_rubric(slug=slug), annotators=[make_user(name="ada")]
        )
        batch = make_batch(project=project)
        said = [("gull", f"{LONG}A"), ("gull", "Honey."), ("heron", "Wax."), ("heron", f"{LONG}Z")]
        for number in range(items):
            all_said = said if talk else [f"{LONG}first", "Two.", f"{LONG}third"]
            make_item(
                batch=batch,
                persona=PERSONA if talk else [],
                prompt=f"Day {number}?",
                responses=responses or all_said,
            )
        page = new_context(**options).new_page()
        log_in(page, "ada")
        take_item(page, slug)
        expect(page.locator("#rating")).to_be_visible()
        return page

    return opened


def shown(page: Page, letter: str) -> Locator:
    """A response's text, wherever it stands."""
    return page.locator(f"#r{ord(letter) - ord('A') + 1} .response")


def wait_until_beside_one_another(page: Page, *letters: str) -> None:
    """Wait for the texts to stand so: the desk lays them out anew a frame after the window has
    changed."""
    page.wait_for_function(
        """(letters) => {
          const texts = letters.map((letter) =>
            document.querySelector(`#r${letter.charCodeAt() - 64} .response`));
          const boxes = texts.map((text) => text.getBoundingClientRect());
          return texts.every((text) => text.checkVisibility()) && boxes.slice(1).every(
            (other, at) => boxes[at].right <= other.left && boxes[at].top === other.top);
        }""",
        arg=letters,
    )


# --- side by side, or under tabs ---


def test_two_responses_stand_side_by_side_where_the_window_has_room(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(responses=[LONG, "Two."])
    for window in (WIDE, ViewportSize(width=1792, height=900)):
        page.set_viewport_size(window)
        expect(page.locator(".tabs")).not_to_be_visible()
        expect(page.locator("#rubric")).to_be_visible()
        wait_until_beside_one_another(page, "A", "B")
        for number, panel in enumerate(page.locator(".targets .panel").all()):
            expect(panel).to_be_visible(visible=number == 0)
    for window in (LAPTOP, NARROW):  # the rubric comes first
        page.set_viewport_size(window)
        expect(page.locator(".tabs")).to_be_visible()
        expect(page.locator("#r2")).not_to_be_visible()
    # The key opens or closes as the desk has last found the window, a frame after it changed.
    desk = page.locator("body")
    expect(desk).to_have_attribute("data-rubric", "narrow")
    page.set_viewport_size(LAPTOP)
    expect(desk).to_have_attribute("data-rubric", "open")
    page.keyboard.press(".")  # closed, it leaves its room to the two
    expect(page.locator("#rubric")).not_to_be_visible()
    expect(page.locator(".tabs")).not_to_be_visible()
    wait_until_beside_one_another(page, "A", "B")


@pytest.mark.parametrize(
    ("browser", "slug"),
    [("dejavu", "response-quality"), ("noto", "dialogue")],
    indirect=["browser"],
)
def test_the_rubric_is_beside_the_item_on_every_laptop_and_the_reply_is_in_sight(
    open_desk: Callable[..., Page], slug: str
) -> None:
    page = open_desk(slug)
    page.set_viewport_size(LAPTOPS[0])
    page.reload()
    for size in LAPTOPS:
        resize(page, size)
        level = page.locator("#rubric [data-level]:visible").first
        expect(level).to_be_in_viewport()
        text, panel, rubric = (
            page.locator(place).bounding_box()
            for place in ("#r1 .response", "#r1 .panel", "#rubric")
        )
        assert text
        assert panel
        assert rubric
        assert text["x"] + text["width"] <= panel["x"]
        assert panel["x"] + panel["width"] <= rubric["x"]
        assert text["y"] + 20 < size["height"] - 52, "the current reply begins above the foot"
        expect(page.locator("#r1 .response")).to_be_in_viewport()


def test_the_rubric_is_open_by_default_where_text_answers_and_rubric_fit(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk()
    for size, fitting, *too_small in (
        ("normal", (1200, 560), (1199, 900), (1280, 559)),
        ("large", (1366, 640), (1349, 640)),
        ("largest", (1800, 900), (1440, 900)),
    ):
        User.objects.update(text_size=size)
        page.reload()
        for width, height in (fitting, *too_small, fitting):
            page.set_viewport_size({"width": width, "height": height})
            fits = (width, height) == fitting
            expect(page.locator("#rubric")).to_be_visible(visible=fits)
            # The question of the dimension stands in the column, else under the title.
            expect(page.locator("#r1-quality .asks")).to_be_visible(visible=not fits)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_both_fonts
def test_a_small_laptop_shows_the_whole_row_at_once(open_desk: Callable[..., Page]) -> None:
    page = open_desk()
    page.set_viewport_size(LAPTOPS[0])
    last = page.locator("#r1-quality .tick-group").last.bounding_box()
    scale = page.locator("#r1-quality-scale").bounding_box()
    said = verdict(page, "r1-quality").bounding_box()
    assert last
    assert scale
    assert said
    assert last["y"] + last["height"] <= scale["y"]  # the scores lie over no tick
    assert said["y"] + said["height"] <= LAPTOPS[0]["height"] - 52  # nor the foot over a reason
    labels = page.locator("#r1-quality .wording > :last-child")
    lefts = labels.evaluate_all("all => all.map((it) => it.getBoundingClientRect().x)")
    assert len({round(left) for left in lefts}) == 1, "a wide letter moves its label"
    page.keyboard.type("ayyn")
    expect(verdict(page, "r1-quality")).to_contain_text("No effect now")
    ends = "it => it.getBoundingClientRect().top + it.scrollHeight"
    assert round(verdict(page, "r1-quality").evaluate(ends)) <= LAPTOPS[0]["height"] - 52


def test_largest_letters_in_a_low_window_cover_no_tick_and_break_no_bar(
    open_desk: Callable[..., Page],
) -> None:
    """In German, whose words are longer."""
    page = open_desk(responses=["Two.", "Three."])
    User.objects.update(text_size="largest", language="de")
    Project.objects.update(title="Wie gut sind die Antworten auf die Fragen zum Mars?")
    page.set_viewport_size(LAPTOPS[0])
    page.reload()
    settle(page)
    last = page.locator("#r1-quality .tick").last
    last.scroll_into_view_if_needed()
    assert all(page.evaluate(UNCOVERED, ["#r1-quality .tick-group:last-of-type .tick"]))
    tops = page.locator(".whoami > :is(a, button)").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect().y + each.offsetHeight / 2)"
    )
    assert max(tops) - min(tops) < 4


def test_short_replies_stand_in_a_list_each_a_click_away(open_desk: Callable[..., Page]) -> None:
    page = open_desk("dialogue", responses=["Honey.", "Wax.", "I keep bees, and you?"])
    page.set_viewport_size(LAPTOP)
    boxes = [shown(page, letter).bounding_box() for letter in "ABC"]
    tops = [box["y"] for box in boxes if box]
    assert len(tops) == 3
    assert tops == sorted(set(tops))
    expect(page.locator(".tabs")).not_to_be_visible()
    expect(page.locator(".panel:visible")).to_have_count(1)
    shown(page, "C").click()
    expect(page.locator("#r3-quality")).to_be_focused()
    expect(page.locator("#r3 .panel")).to_be_in_viewport()
    page.keyboard.press("3")  # the scores stand at each reply, as in the foot
    expect(page.locator("#r3 .picked")).to_have_text("3 – –")
    expect(page.locator("#r1 .picked")).to_have_text("– – –")


def test_with_six_responses_every_tab_every_score_and_the_verdict_can_be_read(
    new_context: Callable[..., BrowserContext],
) -> None:
    """In German, whose words are longer, and in dialogues, each of which gets three scores."""
    six = [(model, f"{LONG}{number}") for model in ("gull", "heron") for number in range(3)]
    ada = make_user(name="ada", language="de")
    project = make_project(slug="talk", rubric=make_rubric(slug="dialogue"), annotators=[ada])
    make_item(project=project, persona=PERSONA, responses=six)
    page = new_context().new_page()
    log_in(page, "ada")
    take_item(page, "talk")
    page.wait_for_function("() => document.activeElement?.closest('[data-row]')")
    for width in (LAPTOP["width"], 1100, 1024):
        page.set_viewport_size({"width": width, "height": LAPTOP["height"]})
        for tab in page.get_by_role("navigation", name="Antworten").get_by_role("link").all():
            expect(tab).to_be_in_viewport(ratio=1)
        words = page.locator("[data-hint]")
        expect(words).to_contain_text("6")
        assert words.evaluate(
            "it => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight"
        )
        foot = page.locator(".foot").bounding_box()
        assert foot
        assert foot["height"] == 52
    # Every score in the strip: a digit is wider than the dash that stands there before.
    page.locator("#strip .score").evaluate_all("all => all.forEach(it => (it.textContent = '4'))")
    for width in (LAPTOP["width"], 1100, 1024):
        page.set_viewport_size({"width": width, "height": LAPTOP["height"]})
        assert page.locator("#strip ol").evaluate("it => it.scrollWidth <= it.clientWidth"), width
    # All of them done, and the two candidate sets beside them, with a score each.
    page.locator("#strip a").evaluate_all("all => all.forEach(it => it.classList.add('complete'))")
    page.locator("#strip ol").evaluate(ADD_SETS)
    for width in (1280, 1440, LAPTOP["width"], LAPTOPS[0]["width"], 1100, 1024):
        page.set_viewport_size({"width": width, "height": LAPTOP["height"]})
        heights = page.locator("#strip a").evaluate_all("all => all.map(it => it.offsetHeight)")
        assert (width, set(heights)) == (width, {34}), "a target is broken into two lines"


def test_three_responses_stand_under_tabs_and_keys_strip_tabs_and_a_click_lead_to_each(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk()
    page.set_viewport_size(WIDE)
    tabs = page.get_by_role("navigation", name="Responses").get_by_role("link")
    short = tabs.locator(".short:visible")  # only the current one's name is spelt out
    assert short.all_inner_texts() == ["B", "C"]
    expect(tabs.nth(0)).to_have_attribute("aria-current", "true")
    expect(page.locator("#r1")).to_be_visible()
    second = page.locator("#r2")
    expect(second).not_to_be_visible()

    def is_at_second() -> None:
        expect(page.locator("#r2-quality")).to_be_focused()
        expect(second).to_be_visible()
        expect(second.locator(".panel")).to_be_in_viewport()
        expect(page.locator("#strip-r2")).to_have_attribute("aria-current", "true")
        assert page.locator("[data-target].current").count() == 1

    resize(page, LAPTOP)
    page.keyboard.press("ArrowRight")
    is_at_second()
    page.keyboard.press("Shift+A")
    page.locator("#strip-r2").click()
    is_at_second()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#r1-quality")).to_be_focused()
    page.keyboard.press("Shift+B")
    is_at_second()
    page.keyboard.press("Shift+A")
    page.get_by_role("link", name="Response B", exact=True).click()
    is_at_second()
    # A letter with Shift is a response with Caps Lock, too.
    page.locator("#r2-quality").dispatch_event("keydown", {"key": "a", "shiftKey": True})
    expect(page.locator("#r1-quality")).to_be_focused()
    expect(page.locator("#rating :checked")).to_have_count(0)


def test_candidate_sets_stand_under_tabs_one_at_a_time(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk("dialogue", items=6)
    page.set_viewport_size(WIDE)
    for response in range(1, 5):
        for row in (f"r{response}-quality", f"r{response}-consistency", f"r{response}-coherence"):
            page.wait_for_function(
                "row => document.activeElement.closest('[data-row]')?.id === row", arg=row
            )
            page.keyboard.type("ccr5" if row.endswith("consistency") else "3")
    expect(page.locator("#s1-diversity")).to_be_focused()
    one, other = page.locator("#s1 .response"), page.locator("#s2 .response")
    expect(one).to_be_visible()
    expect(other).not_to_be_visible()
    expect(page.locator("#r1")).not_to_be_visible()  # the responses are a step of their own
    page.keyboard.press("ArrowRight")
    expect(page.locator("#s2-diversity")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert focused_row(page).startswith("r4-")
    expect(page.locator("#s1")).not_to_be_visible()
    page.locator("#strip-s2").click()
    tabs = page.get_by_role("navigation", name="Candidate sets").get_by_role("link")
    assert tabs.all_inner_texts() == ["Model 1", "Model 2"]
    expect(tabs.nth(1)).to_have_attribute("aria-current", "true")
    expect(other).to_be_visible()
    expect(one).not_to_be_visible()


def test_without_script_all_stand_under_one_another_each_with_its_form(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(java_script_enabled=False)
    expect(page.locator(".tabs")).not_to_be_visible()
    tops = []
    for letter in "ABC":
        expect(shown(page, letter)).to_be_visible()
        box = shown(page, letter).bounding_box()
        assert box
        tops.append(box["y"])
    assert tops == sorted(set(tops))
    expect(page.locator(".panel:visible")).to_have_count(3)


def test_the_strip_shows_the_scores_and_what_ranking_still_asks(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk()
    page.set_viewport_size(LAPTOP)
    page.keyboard.type("ar6")
    expect(verdict(page, "r1-quality").and_(page.locator("[data-complete]"))).to_be_attached()
    page.locator("#strip-r2").click()
    page.keyboard.type("ac4")
    expect(page.locator("#strip-r1 .score")).to_have_text("6")
    expect(page.locator("#strip-r2 .score")).to_have_text("4")
    expect(page.locator("#strip-r3 .score")).to_have_text("–")
    note = page.locator("#strip .notes")
    expect(note).to_contain_text("Response A must score lower than Response B")
    expect(note).to_contain_text("RQ-11")
    expect(note).to_be_in_viewport(ratio=1)
    for size in (LAPTOP, LAPTOPS[0], ViewportSize(width=390, height=844)):
        resize(page, size)
        note_box = note.bounding_box()
        assert note_box
        for part in ("#r2 .response", "#r2-quality", ".strip ol"):
            page.locator(part).evaluate("it => it.scrollIntoView({ block: 'end' })")
            box = page.locator(part).bounding_box()
            assert box
            below = note_box["y"] + note_box["height"] <= box["y"]
            assert below or box["y"] + box["height"] <= note_box["y"], (size, part)
    page.set_viewport_size(LAPTOP)
    page.locator("#strip-r1").click()
    page.keyboard.press("3")
    expect(note).to_have_count(0)


# --- in view ---


# Three rows to a response have least room, in tall lines.
@pytest.mark.parametrize(
    ("browser", "slug"),
    [("dejavu", "response-quality"), ("noto", "dialogue")],
    indirect=["browser"],
)
def test_scale_verdict_and_submit_of_each_row_are_in_view_at_every_size(
    open_desk: Callable[..., Page], slug: str
) -> None:
    page = open_desk(slug)
    page.set_viewport_size(LAPTOP)
    rows = ["quality"] if slug == "response-quality" else ["quality", "consistency", "coherence"]
    for size in ("normal", "largest"):
        User.objects.update(text_size=size)
        Draft.objects.all().delete()
        page.reload()
        for row in (f"r1-{code}" for code in rows):
            focus_row(page, row)
            for _state in ("untouched", "ticked"):
                levels = page.locator(f"#{row} .level")
                assert levels.count() in (5, 7)
                places = [f"#{row} .level", f"#{row}-verdict", "#submit"]
                in_view(page, *places)
                assert all(page.evaluate(UNCOVERED, [f"{places[0]} label", *places[1:]]))
                page.locator(f"#{row} .answers input").first.dispatch_event("click")
                settle(page)


ADD_SETS = """(list) => {
  for (const name of ["M1", "M2"]) {
    const set = list.appendChild(list.lastElementChild.cloneNode(true));
    set.querySelector("b").textContent = name;
    [...set.querySelectorAll(".score, kbd")].slice(1).forEach((each) => each.remove());
  }
}"""
# Whether the middle of each is what one sees there.
UNCOVERED = """(selectors) =>
[...document.querySelectorAll(selectors.join(", "))].map((element) => {
  const box = element.getBoundingClientRect();
  const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return Boolean(seen) && (element.contains(seen) || element.parentElement.contains(seen));
})"""
# What keeps its place while the page scrolls.
STICKING = """() => [...document.querySelectorAll("body *")].filter((element) => {
  const { position, clipPath } = getComputedStyle(element);
  return ["fixed", "sticky"].includes(position) && element.checkVisibility() && clipPath === "none";
}).map((element) => element.className)"""


def test_at_400_percent_everything_scrolls_one_way_and_nothing_covers_anything(
    open_desk: Callable[..., Page],
) -> None:
    """In the largest letters, under the rubric with more rows."""
    page = open_desk("dialogue")
    User.objects.update(text_size="largest")
    page.set_viewport_size(ZOOMED)
    page.reload()
    page.keyboard.press("g")
    settle(page)
    page.keyboard.press("s")
    expect(page.locator("#concern")).to_have_attribute("open", "")
    assert page.evaluate(STICKING) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    focused = page.evaluate("document.activeElement.getBoundingClientRect().toJSON()")
    assert 0 <= focused["top"] < focused["bottom"] <= ZOOMED["height"]
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")
    summary = page.locator("[data-summary]").first
    expect(summary).to_be_focused()
    assert page.evaluate(STICKING) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    settle(page)
    page.keyboard.press("Enter")
    expect(page.locator("[data-row].current")).to_be_in_viewport()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    assert page.locator("#help").evaluate("element => element.scrollWidth <= element.clientWidth")


def test_at_larger_letters_a_wide_and_a_tiny_window_have_nothing_to_scroll_sideways(
    open_desk: Callable[..., Page],
) -> None:
    """As for a laptop and a phone, in tests/desk/test_comfort_in_browser.py."""
    page = open_desk()
    for window in (WIDE, ViewportSize(width=320, height=256)):
        resize(page, window)
        for size in ("normal", "large", "larger", "largest"):
            enlarge(page, size)
            sideways = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert (size, window, sideways) == (size, window, 0)


def test_the_message_of_trouble_is_shown_whole_and_covers_nothing(
    open_desk: Callable[..., Page],
) -> None:
    """In German, which says it in more words."""
    page = open_desk()
    User.objects.update(language="de")
    page.reload()
    # A request that succeeds says that nothing is in the way.
    expect(page.locator("#rubric > *")).not_to_have_count(0)
    trouble = page.locator("#trouble")
    trouble.evaluate("it => { it.hidden = false; }")
    for width in (LAPTOP["width"], 1024):
        resize(page, ViewportSize(width=width, height=LAPTOP["height"]))
        page.evaluate("scrollTo(0, 0)")
        box = trouble.bounding_box()
        brand = page.locator(".brand").bounding_box()
        tools = page.locator(".whoami").bounding_box()
        rating = page.locator("#desk").bounding_box()
        assert box
        assert brand
        assert tools
        assert rating
        assert brand["x"] + brand["width"] + 8 <= box["x"]
        assert box["x"] + box["width"] + 8 <= tools["x"]
        assert box["y"] + box["height"] <= rating["y"]
        assert trouble.evaluate("it => it.scrollHeight <= it.clientHeight")


# --- the rubric's words ---


def test_the_scale_stands_beside_the_item_with_what_bars_each_level_and_the_way_to_its_clause(
    open_desk: Callable[..., Page],
) -> None:
    """General guidance stands there alone, and not among the keys."""
    page = open_desk()
    page.set_viewport_size({"width": 1440, "height": 900})
    rubric = page.get_by_role("complementary", name="Rubric")
    levels = rubric.locator("[data-level]:visible")
    expect(levels).to_have_count(7)  # they come by a request of their own
    assert levels.evaluate_all("all => all.map(it => it.dataset.level)") == list("7654321")
    expect(page.locator("#rubric .readings summary", has_text="Equal scores")).to_be_visible()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator("#help", has_text="Equal scores")).to_have_count(0)
    page.keyboard.press("?")
    assert focused_row(page) == "r1-quality"
    seventh, fourth = levels.nth(0), levels.nth(3)
    expect(fourth).not_to_have_class(re.compile("barred"))
    page.keyboard.type("al")
    expect(seventh).to_contain_text("Language error: at most 4.")
    page.keyboard.press("4")
    page.keyboard.press("Shift+A")
    expect(fourth).to_have_class(re.compile("chosen"))
    expect(fourth.locator("details")).to_have_attribute("open", "")
    expect(fourth.locator(".reply")).to_be_visible()
    assert fourth.get_by_role("link", name="RQ-22").first.get_attribute("href") == (
        "/rubrics/response-quality/1/#RQ-22"
    )
    page.locator("#r1-quality-language_error").hover(force=True)
    expect(rubric.locator(".check:visible")).to_contain_text("Language error")
    with page.context.expect_page() as opened:
        verdict(page, "r1-quality").get_by_role("link", name="RQ-12").click()
    clauses = opened.value
    entry = clauses.locator("#RQ-12")
    expect(entry).to_be_in_viewport()
    example = entry.locator("li", has=clauses.get_by_text("example", exact=True)).first
    example.get_by_role("link").click()
    expect(clauses.locator(".example:target")).to_be_in_viewport()
    expect(clauses.locator(".example:target .reply")).to_be_visible()


def test_a_key_shows_and_hides_the_rubric_and_the_browser_remembers_it(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk()
    page.set_viewport_size(LAPTOP)
    rubric = page.locator("#rubric")
    expect(rubric).to_be_visible()
    panel = page.locator("#r1 .panel").bounding_box()
    beside = rubric.bounding_box()
    text = shown(page, "A").bounding_box()
    assert panel
    assert beside
    assert text
    assert text["x"] + text["width"] <= panel["x"]  # it takes room from the text
    assert panel["x"] + panel["width"] <= beside["x"]
    page.keyboard.press(".")
    expect(rubric).not_to_be_visible()
    page.reload()
    expect(page.locator("#r1-quality")).to_be_focused()
    expect(rubric).not_to_be_visible()
    page.get_by_role("button", name="Rubric").click()
    expect(rubric).to_be_visible()
    page.reload()
    expect(rubric).to_be_visible()
    rubric.get_by_role("button", name="Hide").first.click()
    expect(rubric).not_to_be_visible()


def test_enter_leads_to_what_is_missing_and_says_what_is_left_in_order(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk()
    page.set_viewport_size(LAPTOP)
    page.keyboard.press("Shift+B")
    page.keyboard.press("h")
    settle(page)
    page.keyboard.press("Enter")
    hint = page.locator("[data-hint]")
    expect(hint).to_have_text(
        "Not submitted. Missing for B: 3 questions and the score. Then A and C."
    )
    assert hint.evaluate("it => it.scrollHeight <= it.clientHeight")
    assert focused_row(page) == "r2-quality"
    expect(page.locator("#announcer")).to_contain_text("Missing for B")
    page.keyboard.type("a6")
    expect(hint).to_have_text("A and C to go")


def test_a_verdict_does_not_interrupt_someone_who_writes(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk("dialogue")
    page.set_viewport_size(LAPTOP)
    focus_row(page, "r1-coherence")
    held: list[Route] = []
    is_free = False
    page.route("**/verdict/**", lambda route: route.continue_() if is_free else held.append(route))
    page.locator("#r1-coherence .tick input").last.click()
    page.locator("#r1-coherence-5").click()
    page.locator("#r1 .comment summary").click()
    comment = page.locator("#r1-comment")
    comment.fill("good ")
    is_free = True
    with page.expect_response("**/verdict/**"):
        held[-1].continue_()
    settle(page)
    page.keyboard.type("xgt")
    expect(comment).to_have_value("good xgt")
    expect(page.locator("#r2 :checked")).to_have_count(0)


def test_a_barred_score_says_why_under_the_scores_and_enter_names_it(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk()
    page.set_viewport_size(LAPTOP)
    page.locator("#r1-quality-3").click(force=True)
    said = verdict(page, "r1-quality").locator(".asked-why")
    expect(said).to_contain_text("Repeats itself.")  # all that opens it, to the last
    expect(said).to_be_in_viewport()
    expect(page.locator("#r1-quality-3")).not_to_be_checked()
    page.keyboard.type("a7")
    settle(page)
    page.keyboard.press("Shift+A")
    page.keyboard.press("l")
    settle(page)
    page.keyboard.press("Enter")
    expect(page.locator("[data-hint]")).to_have_text(
        "Not submitted. Missing for A: another score, since 7 is barred. Then B and C."
    )


def test_a_score_by_mouse_leads_on_once_unless_one_wants_to_stay(
    open_desk: Callable[..., Page],
) -> None:
    """A double click scores one response, and a click on the same score goes on."""
    page = open_desk()
    page.set_viewport_size(LAPTOP)
    page.locator("#r1-quality [data-best]").click()
    expect(page.locator("#r1-quality-6")).not_to_have_attribute("aria-disabled", "true")
    page.locator("#r1-quality-6").dblclick()
    expect(page.locator("#strip-r2")).to_have_attribute("aria-current", "true")
    expect(page.locator("#r2 :checked")).to_have_count(0)
    page.keyboard.press("Shift+A")
    page.locator("#r1-quality-6").click()
    expect(page.locator("#r2-quality")).to_be_focused()
    page.locator("#comment").fill("So far.")  # saved sooner than a score by itself
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    settle(page)  # a request that the reload cuts off is sent once more, beside the next clicks
    User.objects.update(moves_on=False)
    page.reload()
    page.keyboard.press("Shift+B")
    page.locator("#r2-quality [data-best]").click()
    page.locator("#r2-quality-6").click()
    settle(page)
    expect(page.locator("#strip-r2")).to_have_class("complete")
    expect(page.locator("#strip-r2")).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("button", ["left", "right"])
def test_a_score_that_the_verdict_replaces_while_the_mouse_is_down_on_it_is_given(
    open_desk: Callable[..., Page], button: Literal["left", "right"]
) -> None:
    """With the button that presses, and with no other."""
    page = open_desk()
    page.set_viewport_size(LAPTOP)
    held: list[Route] = []
    lift = intercept(page, re.compile("/verdict/"), held.append)
    page.locator("#r1-quality [data-best]").click()
    page.locator("#r1-quality-6").hover()
    page.mouse.down(button=button)
    before = page.locator("#r1-quality-6").element_handle()
    lift()
    [route] = held
    route.continue_()
    settle(page)
    assert before is not None
    assert not before.evaluate("it => it.isConnected")
    page.mouse.up(button=button)
    if button == "right":
        expect(page.locator("#r1-quality-6")).not_to_be_checked()
        return
    expect(page.locator("#strip-r1")).to_have_class("complete")
    expect(page.locator("#r1-quality-6")).to_be_checked()
    expect(page.locator("#r2-quality")).to_be_focused()
