"""The desk on a phone, and what has its place on every screen: advice, texts, counts, languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize, expect

from tasks.models import Batch
from tests.desk_keys import in_view, log_in, settle, take_item
from tests.factories import make_batch, make_item, make_project, make_rating, make_rubric, make_user

PHONE, LAPTOP = ViewportSize(width=390, height=844), ViewportSize(width=1280, height=580)
PERSONA = ["I keep three goats behind my house.", "I work nights at a bakery.", "I fear heights."]
SAID = "It is said at some length, as people do who have the time for it. "
FIGURES = " ".join(f"{n} squared is {n * n}." for n in range(90))
RAIN = "rain rain rain rain rain. " + " ".join(f"Day {n} brings rain." for n in range(12))


@pytest.fixture
def at_desk(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk with an item of these responses."""

    def opened(
        responses: list[Any],
        window: ViewportSize = PHONE,
        slug: str = "response-quality",
        *,
        is_new: bool = True,
        **details: Any,
    ) -> Page:
        ada = make_user(name="ada")
        project = make_project(slug=slug, rubric=make_rubric(slug=slug), annotators=[ada])
        batch = make_batch(project=project)
        if not is_new:
            make_rating(item=make_item(batch=batch), annotator=ada)
        for number in range(7):
            if slug == "dialogue":
                details["messages"] = [("user", f"Hello! What do you bake on day {number}?")]
            make_item(batch=batch, responses=responses, **details)
        page = new_context().new_page()
        page.set_viewport_size(window)
        log_in(page, "ada")
        take_item(page, slug)
        settle(page)
        return page

    return opened


@pytest.fixture
def talk(at_desk: Callable[..., Page]) -> Callable[..., Page]:
    """Open the desk with six replies of two models to one persona."""

    def opened(window: ViewportSize = PHONE, **details: Any) -> Page:
        replies = [
            (model, f"I bake bread, said {n}.") for n in "123" for model in ("gull", "heron")
        ]
        return at_desk(replies, window, "dialogue", persona=PERSONA, **details)

    return opened


def top(place: Locator) -> float:
    box = place.bounding_box()
    assert box
    return box["y"]


def rate_replies(page: Page) -> None:
    """Score all replies with the best that their best answers allow."""
    for row in page.locator("[data-row]").evaluate_all("rows => rows.map((row) => row.id)"):
        ids = page.locator(f"#{row}").evaluate(
            """row => [...row.querySelectorAll(".question")].map(
              (question) => question.querySelector(".segment.good input").id)"""
        )
        for each in [*ids, f"{row}-5"]:
            page.evaluate("id => document.getElementById(id).click()", each)
            settle(page)
    page.locator("#submit").click()
    settle(page)
    expect(page.locator("#s1-diversity")).to_be_visible()


# --- on a phone ---


def test_the_reply_stays_in_sight_under_the_folded_persona(talk: Callable[..., Page]) -> None:
    page = talk()
    persona, reply = page.locator(".persona"), page.locator("#r1 .response")
    expect(persona).not_to_have_attribute("open", "")
    page.locator("#r1-coherence").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 300)")
    in_view(page, "#r1 .response .text", ".persona summary")
    assert top(reply) >= persona.evaluate("each => each.getBoundingClientRect().bottom") - 2
    persona.get_by_text("Expand").click()
    in_view(page, ".persona li:last-child")


def test_the_strip_and_the_questions_of_a_set_have_their_place_once_all_is_rated(
    talk: Callable[..., Page],
) -> None:
    """The strip cuts no letter, what leads away is in a menu, diversity asks before it lists what a
    model says elsewhere, and says by which keys it is answered."""
    page = talk(is_new=False)
    rate_replies(page)
    cut = page.locator("#strip a").evaluate_all(
        """links => links.filter((link) => {
          const [own, bar] = [link, link.closest("ol")].map((each) => each.getBoundingClientRect());
          return own.left < bar.left - 1 || own.right > bar.right + 1;
        }).map((link) => link.id)"""
    )
    assert cut == []
    corpus = page.locator("#m1-corpus")
    expect(corpus).not_to_have_attribute("open", "")
    expect(corpus.locator(".histories")).to_be_hidden()
    assert top(page.locator("#s1-diversity-scale")) < top(corpus)
    corpus.locator("summary").click()
    expect(corpus.locator(".histories")).to_be_visible()
    page.keyboard.press("c")  # a verdict folds nothing again
    settle(page)
    expect(corpus).to_have_attribute("open", "")
    skip = page.get_by_role("button", name="Skip or flag")
    expect(skip).to_be_hidden()
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("button", name="Last rating")).to_be_in_viewport(ratio=1)
    skip.click()
    expect(page.locator("[data-concern]")).to_have_attribute("open", "")
    expect(skip).to_be_hidden()  # the menu has closed
    page.keyboard.press("Escape")
    page.set_viewport_size(ViewportSize(width=1440, height=900))
    expect(corpus.locator(".histories")).to_be_visible()
    page.set_viewport_size(LAPTOP)
    expect(skip).to_be_visible()
    page.locator("#strip-s1").click()
    question = page.locator("#s1-diversity .question", has=page.locator("kbd")).first
    expect(question.locator("kbd").first).to_have_text("C ␣")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("u")
    page.keyboard.press("v")
    page.keyboard.press("c")
    page.keyboard.press("Space")
    expect(question.locator("input").first).to_be_checked()
    page.keyboard.press("?")
    expect(page.locator("#help")).to_contain_text("where ␣ is shown after the letter")
    settle(page)
    assert [url for url in asked if "/texts/" in url] == []  # their buttons are not in sight


def test_today_foot_and_rubric_stand_whole_and_fields_have_letters_of_16_pixels(
    at_desk: Callable[..., Page],
) -> None:
    """A phone enlarges a page with smaller letters in a field."""
    page = at_desk(["Two."])
    small = """() => [...document.querySelectorAll("input, select, textarea")]
      .filter((each) => !["radio", "checkbox", "hidden", "submit"].includes(each.type))
      .filter((each) => parseFloat(getComputedStyle(each).fontSize) < 16)
      .map((each) => each.name)"""
    assert page.evaluate(small) == []
    page.locator("#today summary").click()
    in_view(page, ".today .told")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator("#today summary").click()
    page.evaluate("scrollTo(0, 99999)")
    foot = page.locator(".foot").bounding_box()
    assert foot
    assert foot["y"] + foot["height"] == pytest.approx(PHONE["height"], abs=1)
    page.get_by_role("button", name="Rubric").click()
    rubric = page.locator("#rubric").bounding_box()
    assert rubric
    assert rubric["y"] + rubric["height"] <= foot["y"] + 1
    page.goto("/profile/")
    assert page.evaluate(small) == []


def test_the_bar_has_place_for_the_beginning_of_the_title(at_desk: Callable[..., Page]) -> None:
    title = at_desk([("gull", "Two."), ("heron", "Four.")]).locator(".bar .where")
    box = title.bounding_box()
    assert box
    assert box["width"] > 75


def test_a_folded_prompt_is_one_line_that_ends_in_dots(at_desk: Callable[..., Page]) -> None:
    page = at_desk(["Two."], prompt=f"{SAID * 3}\n\nAnd then?")
    page.locator(".prompt").get_by_text("Collapse").click()
    text = page.locator(".prompt > .text")
    style = text.evaluate("each => getComputedStyle(each).webkitLineClamp")
    box, line = (
        text.bounding_box(),
        text.evaluate("each => parseFloat(getComputedStyle(each).lineHeight)"),
    )
    assert box
    assert (style, box["height"]) == ("1", pytest.approx(line, abs=2))


# --- on every screen ---


@pytest.mark.parametrize("is_new", [True, False])
def test_an_item_opens_with_what_is_told_to_newcomers_or_with_what_is_replied_to(
    at_desk: Callable[..., Page], *, is_new: bool
) -> None:
    messages = [("user", SAID * 4), ("assistant", SAID * 4), ("user", f"And the goats? {SAID}")]
    page = at_desk([FIGURES], is_new=is_new, persona=PERSONA * 8, messages=messages)
    for window in (PHONE, LAPTOP):
        if window == LAPTOP:
            page.set_viewport_size(window)
            page.goto(page.url)
            settle(page)
        expect(page.locator(".coach")).to_have_count(1 if is_new else 0)
        if is_new:
            assert page.evaluate("scrollY") == 0
        else:
            in_view(page, "#r1 .response > h2")
            persona = page.locator(".persona").bounding_box()
            assert persona
            assert top(page.locator("[data-newest]")) >= persona["y"] + persona["height"] - 1


def test_a_long_conversation_scrolls_by_itself_from_its_last_turn(
    at_desk: Callable[..., Page],
) -> None:
    turns = [(("assistant", "user")[n % 2], f"Turn {n}. {SAID * 3}") for n in range(1, 20)]
    page = at_desk([FIGURES], messages=[*turns, ("user", f"And then? {FIGURES}")])
    for window in (PHONE, LAPTOP):
        page.set_viewport_size(window)
        for key in ("a", "7", "Enter"):  # the first steps are not shown again
            page.keyboard.press(key)
            settle(page)
        expect(page.locator(".coach")).to_have_count(0)
        talk = page.locator(".conversation.long")
        share = "each => each.getBoundingClientRect().height / innerHeight"
        assert talk.evaluate(share) + page.locator(".prompt").evaluate(share) <= 0.41
        expect(page.get_by_text("Turn 19.")).to_be_in_viewport()
        expect(page.locator(".prompt")).to_have_attribute("open", "")  # the program folds nothing
        expect(page.locator("#r1 .text")).to_be_in_viewport()


def test_differences_move_no_button_and_say_what_is_compared(at_desk: Callable[..., Page]) -> None:
    page = at_desk(["Two moons of Mars.", "Two moons.", "Three moons."], LAPTOP)
    switch = page.get_by_role("button", name="Differences")
    before = switch.bounding_box()
    switch.click()
    base = page.get_by_role("combobox", name="compared with")
    base.select_option(label="Response B")
    expect(page.locator("#r3 .told")).to_contain_text("Response B")  # the texts came anew
    assert switch.bounding_box() == before
    for window in (LAPTOP, PHONE):  # what is compared stands under the choice, in a line of its own
        page.set_viewport_size(window)
        base.click(trial=True)
        choice, response, told = (
            place.bounding_box()
            for place in (base, page.locator("#r1 .response .text"), page.locator("#r1 .told"))
        )
        assert choice
        assert response
        assert told
        assert choice["y"] + choice["height"] <= response["y"] + 1
        padding = page.locator("#r1 .told").evaluate("it => getComputedStyle(it).paddingRight")
        assert (told["width"], padding) == (pytest.approx(response["width"], abs=1), "0px")


def test_views_stand_in_one_line_over_a_list_of_responses(talk: Callable[..., Page]) -> None:
    page = talk(LAPTOP)
    lines = {
        round(top(page.get_by_role("button", name=name))) for name in ("Rendered", "Differences")
    }
    assert len(lines) == 1


def test_the_last_rating_is_offered_once_there_is_one_and_nothing_to_pause_after_the_last_item(
    at_desk: Callable[..., Page],
) -> None:
    page = at_desk(["Two."], LAPTOP)
    last = page.get_by_role("button", name="Last rating")
    expect(last).to_have_count(0)
    expect(page.locator(".bar [data-dialog]:visible")).to_have_count(2)
    page.keyboard.press("b")
    for key in ("a", "7", "Enter"):
        page.keyboard.press(key)
        settle(page)
    expect(last).to_be_visible()
    Batch.objects.update(status="paused")  # of the other items, too
    for key in ("a", "7", "Enter"):
        page.keyboard.press(key)
        settle(page)
    expect(page.locator(".idle")).to_be_visible()
    expect(page.locator(".bar [data-dialog]:visible")).to_have_count(0)


def test_a_new_item_begins_at_the_top_of_the_rubric(at_desk: Callable[..., Page]) -> None:
    page = at_desk(["Two."], LAPTOP)
    rubric = page.locator("#rubric")
    expect(rubric.locator("[data-level]").first).to_be_visible()
    rubric.evaluate("each => each.scrollTo(0, 400)")
    page.keyboard.press("a")
    settle(page)
    page.keyboard.press("7")
    settle(page)
    rubric.evaluate("each => each.scrollTo(0, 400)")
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator("#r1-quality.current")).to_be_visible()
    page.wait_for_timeout(300)  # longer than the rubric waits before it follows
    assert rubric.evaluate("each => each.scrollTop") == 0


def test_a_remark_in_the_box_of_questions_is_in_no_other_place(
    at_desk: Callable[..., Page],
) -> None:
    page = at_desk(["Two moons, Phobos and Deimos.", "Two moons, Phobos and Deimos!"], LAPTOP)
    for keys in ("a7", "a5"):
        for key in keys:
            page.keyboard.press(key)
            settle(page)
    page.keyboard.press("Control+Enter")
    settle(page)
    box = page.locator("#asked")
    expect(box.locator("li")).to_have_count(1)  # of one pair, one
    expect(page.locator("#strip .notes")).to_be_hidden()


def test_a_repeat_is_counted_in_all_of_the_text(at_desk: Callable[..., Page]) -> None:
    page = at_desk([RAIN], LAPTOP)
    for key in "a7":
        page.keyboard.press(key)
        settle(page)
    page.keyboard.press("Control+Enter")
    settle(page)
    expect(page.locator("#asked")).to_contain_text("“rain” appears 17 times here.")
    page.keyboard.press("Escape")
    page.locator("#r1-quality").focus()
    page.keyboard.press("Enter")
    hint = page.locator("[data-hint]")
    expect(hint).to_contain_text("Missing for A")
    said = hint.inner_text()
    assert "?." not in said
    assert said.count("appears 17 times") == 1


def test_a_comment_is_counted_from_18_000_characters_on(at_desk: Callable[..., Page]) -> None:
    page = at_desk(["Two."], LAPTOP)
    comment, count = page.locator("#comment"), page.locator(".panel-whole .count")
    comment.fill("x" * 17_999)
    expect(count).to_be_hidden()
    comment.fill("x" * 18_000)
    expect(count).to_have_text("18000 of 20000 characters")
    comment.fill("x" * 20_001)
    page.locator("#submit").click()
    expect(page.locator("#errors")).to_contain_text("Comment on the whole item: Too long")


def test_a_submit_styles_the_page_a_few_times_over_and_not_dozens(
    at_desk: Callable[..., Page],
) -> None:
    page = at_desk(["Two."], LAPTOP)
    browser = page.context.browser
    assert browser
    for key in "a7":
        page.keyboard.press(key)
        settle(page)
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    page.keyboard.press("Enter")
    settle(page)
    expect(page.locator("#r1-quality.current")).to_be_visible()
    trace = json.loads(browser.stop_tracing())
    styled = sum(
        each["args"].get("elementCount", 0)
        for each in trace["traceEvents"]
        if each["name"] == "UpdateLayoutTree"
    )
    assert styled < 5 * page.locator("*").count()


def test_labels_of_nine_scores_do_not_touch_their_edges(at_desk: Callable[..., Page]) -> None:
    page = at_desk([f"Response {number}, which is long enough. " * 9 for number in range(9)])
    for window in (PHONE, LAPTOP):
        page.set_viewport_size(window)
        gaps = page.evaluate("""() => [...document.querySelectorAll(".strip a")].map((each) => {
          const left = (it) => it.getBoundingClientRect().left;
          return left(each.querySelector("b")) - left(each);
        })""")
        assert len(gaps) == 9
        assert min(gaps) >= 6
        assert page.locator(".strip ol").evaluate("it => it.scrollWidth <= it.clientWidth")
