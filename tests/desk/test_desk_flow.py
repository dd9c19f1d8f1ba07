"""From press to press: how many it takes, where the focus and the page are then, and that no press
acts on what is not yet there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, Route, ViewportSize, expect

from tasks.models import Lease, Rating, Score
from tests.desk_keys import focused_row, in_view, intercept, log_in, settle, take_item, verdict
from tests.factories import make_batch, make_item, make_project, make_rubric, make_user

LAPTOP = ViewportSize(width=1366, height=650)
LATENCY = 300  # milliseconds
SAID = "It is said at some length, as people do who have the time for it. " * 5
TURNS = [
    ("user" if number % 2 else "assistant", f"Turn {number} of fifty. {SAID}")
    for number in range(1, 51)
]
CODE = (
    "def moons(planet):\n    return {'Mars': ['Phobos', 'Deimos']}[planet]"
    + "  # so long a line" * 40
)
ARABIC = "للمريخ قمران صغيران هما فوبوس وديموس، وكلاهما بعيد عن أن يكون كرويا. " * 3


@pytest.fixture
def open_desk(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Open the desk of a rubric with these items on it, the first of them lent."""

    def opened(
        *items: Sequence[str],
        slug: str = "response-quality",
        window: ViewportSize = LAPTOP,
        **details: Any,
    ) -> Page:
        project = make_project(
            slug=slug, rubric=make_rubric(slug=slug), annotators=[make_user(name="ada")]
        )
        batch = make_batch(project=project)
        for number, responses in enumerate(items, start=1):
            make_item(batch=batch, external_id=f"number {number}", responses=responses, **details)
        page = new_context().new_page()
        page.set_viewport_size(window)
        page.add_init_script(SHIFTS)
        log_in(page, "ada")
        take_item(page, slug)
        expect(page.locator("#rating")).to_be_visible()
        settle(page)
        return page

    return opened


def press(page: Page, *keys: str) -> int:
    """Press keys as someone who looks what comes of each; how many there were."""
    for key in keys:
        page.keyboard.press(key)
        settle(page)
    return len(keys)


def is_at(page: Page, item: int, row: str = "r1-quality") -> None:
    expect(page.locator("h1")).to_contain_text(f"number {item}")
    settle(page)
    assert focused_row(page) == row


# --- how many ---


def test_a_faultless_response_takes_three_presses_to_the_next_item(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(["Two."], ["Three."])
    assert press(page, "a", "7", "Enter") == 3
    is_at(page, 2)
    assert Score.objects.get().value == 7


def test_a_dialogue_with_one_response_takes_seven(open_desk: Callable[..., Page]) -> None:
    page = open_desk(["I look after my bees."], ["Wax."], slug="dialogue", persona=["I keep bees."])
    assert press(page, "4", "c", "c", "r", "5", "4", "Enter") == 7
    is_at(page, 2)
    assert sorted(Score.objects.values_list("dimension", "value")) == [
        ("coherence", 4),
        ("consistency", 5),
        ("quality", 4),
    ]


def test_a_score_is_there_again_once_the_answer_that_forced_a_1_is_taken_back(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(["Two."])
    press(page, "a", "5", "Shift+A", "m")
    expect(verdict(page, "r1-quality")).to_contain_text("The score is 1.")
    expect(page.locator("#r1-quality-1")).to_be_checked()
    page.reload()
    settle(page)
    expect(page.locator("#r1-quality-1")).to_be_checked()
    press(page, "m")
    expect(page.locator("#r1-quality-5")).to_be_checked()
    expect(page.locator("#strip-r1 .score")).to_have_text("5")
    press(page, "Enter")
    page.locator("#rating").wait_for(state="detached")
    assert Score.objects.get().value == 5


# --- keys that come too early ---

# When keys came, when the next item was painted, and how often something was ticked. The desk hears
# of the answer first, so it takes the same frame for the paint, just before.
WATCH = """() => {
  globalThis.seen = { keys: [], acts: 0, painted: Infinity };
  addEventListener("keydown", (event) => { seen.keys.push(event.timeStamp); }, true);
  document.addEventListener("change", () => { seen.acts += 1; });
  document.addEventListener("htmx:beforeRequest", ({ detail: { elt, xhr } }) => {
    if (elt.id !== "submit") return;
    const [frame, paint] = [requestAnimationFrame, () => { seen.painted = performance.now(); }];
    xhr.addEventListener("loadend", () => frame(() => frame(paint)));
  });
}"""


def from_afar(page: Page) -> CDPSession:
    """Every answer takes as long as from another continent."""
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    conditions = {
        "offline": False,
        "latency": LATENCY,
        "downloadThroughput": -1,
        "uploadThroughput": -1,
    }
    line.send("Network.emulateNetworkConditions", conditions)
    return line


def test_keys_between_submit_and_the_next_item_s_paint_do_nothing_to_it(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(["Two."], ["Three."], ["Four."])
    from_afar(page)
    press(page, "a", "7")
    page.evaluate(WATCH)
    page.keyboard.press("Enter")
    for _ in range(500):  # through the swap, and on until one is heard
        page.keyboard.press("l")
        if page.evaluate("seen.acts"):
            break
    before, after, acts = page.evaluate(
        """[seen.keys.filter((key) => key < seen.painted).length - 1,
            seen.keys.filter((key) => key >= seen.painted).length, seen.acts]"""
    )
    assert before >= 1, "no key came too early: nothing was tried"
    assert acts == after
    is_at(page, 2)
    assert page.locator("#r1-quality .scale input:checked").count() == 0
    assert Rating.objects.count() == 1


def test_a_whole_rating_typed_ahead_of_late_answers_is_stored_in_the_order_of_its_keys(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(["Two.", "Three.", "Four.", "Five."], ["Six."])
    from_afar(page)
    page.keyboard.type("a7a6a7a6", delay=60)
    page.keyboard.press("Enter")
    is_at(page, 2)
    as_drawn = Lease.objects.get(rating=Rating.objects.get()).responses
    scores = dict(Score.objects.values_list("response_id", "value"))
    assert [scores[response] for response in as_drawn] == [7, 6, 7, 6]


@pytest.mark.parametrize(
    ("keys", "scores"),
    [("a5a7", ["5", "–"]), ("al7a4", ["–", "–"])],
    ids=["a remark", "a barred score"],
)
def test_keys_typed_ahead_of_an_unforeseen_stop_rate_nothing(
    open_desk: Callable[..., Page], keys: str, scores: list[str]
) -> None:
    page = open_desk(["Two.", "Three."])
    from_afar(page)
    page.keyboard.type(keys, delay=60)
    page.keyboard.press("Enter")
    expect(page.locator("#r1-quality-verdict").locator(".remark, .asked-why")).to_be_visible()
    settle(page)
    assert focused_row(page) == "r1-quality"
    assert page.locator(":is(#strip-r1, #strip-r2) .score").all_inner_texts() == scores
    assert not Rating.objects.exists()


def test_a_whole_rating_typed_too_early_rates_nothing(open_desk: Callable[..., Page]) -> None:
    page = open_desk(["Two."], ["Three."], ["Four."])
    from_afar(page)
    press(page, "a", "7")
    held: list[object] = []
    intercept(page, "**/submit/", lambda route: held.append(route))
    with page.expect_request("**/submit/"):
        page.keyboard.press("Enter")
    page.keyboard.type("a7")
    for key in ("Enter", "Control+Enter", "s", ".", "?", "Space"):
        page.keyboard.press(key)
    [route] = held
    route.continue_()  # type: ignore[attr-defined]
    is_at(page, 2)
    expect(page.locator("#rating input:checked")).to_have_count(0)
    expect(page.locator("#concern")).not_to_have_attribute("open", "")
    expect(page.locator("#help")).not_to_be_visible()
    assert Rating.objects.count() == 1


def test_a_key_held_down_through_the_swap_acts_on_nothing(open_desk: Callable[..., Page]) -> None:
    page = open_desk(["Two."], ["Three."], ["Four."])
    line = from_afar(page)
    press(page, "a", "7")
    down = {"type": "keyDown", "key": "l", "code": "KeyL", "text": "l"}
    enter = {
        "type": "keyDown",
        "key": "Enter",
        "code": "Enter",
        "text": "\r",
        "windowsVirtualKeyCode": 13,
    }
    line.send("Input.dispatchKeyEvent", enter)
    while page.evaluate("evenhand.busy"):
        for held in (enter, down):
            line.send("Input.dispatchKeyEvent", {**held, "autoRepeat": True})
    for held in (enter, down, down, enter):
        line.send("Input.dispatchKeyEvent", {**held, "autoRepeat": True})
    is_at(page, 2)
    expect(page.locator("#rating input:checked")).to_have_count(0)
    assert Rating.objects.count() == 1


def test_a_row_whose_verdict_gave_way_to_another_row_s_is_judged_after_it(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(["I look after my bees."], slug="dialogue", persona=["I keep bees."])
    held: list[Route] = []
    intercept(page, "**/verdict/*", lambda route: route.continue_() if held else held.append(route))
    page.locator("[name='r1.quality.broken']").evaluate("box => box.click()")
    while not held:  # it is held before the other row's takes its place
        page.wait_for_timeout(10)
    page.locator("[name='r1.coherence.irrelevant']").evaluate("box => box.click()")
    for dimension in ("quality", "coherence"):
        expect(page.locator(f"#r1-{dimension}-verdict [data-headline]")).to_have_text("Open: 1, 2.")


def test_a_verdict_that_gives_way_to_a_newer_one_of_its_row_is_not_called_offline(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(["I look after my bees."])
    held: list[Route] = []
    intercept(page, "**/verdict/*", held.append)
    page.keyboard.press("l")
    while not held:
        page.wait_for_timeout(10)
    page.keyboard.press("t")
    while len(held) < 2:
        page.wait_for_timeout(10)
    headline = page.locator("#r1-quality-verdict [data-headline]")
    assert headline.text_content() == "Open: 4, 5, 6."
    held[1].continue_()
    expect(headline).to_have_text("Open: 2, 3, 4.")


def test_the_next_item_says_that_the_one_before_is_saved(open_desk: Callable[..., Page]) -> None:
    page = open_desk(["Two."], ["Three."])
    press(page, "a", "7", "Enter")
    is_at(page, 2)
    hint = page.locator("[data-hint]")
    expect(hint).to_have_text("Saved. The next item is here. A to go")
    press(page, "l")
    expect(hint).to_have_text("A to go")


# --- where the next act is ---


def test_on_a_phone_the_prompt_folds_where_it_would_lie_over_the_response(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk([SAID * 5, SAID], messages=[("user", SAID)])
    page.set_viewport_size(ViewportSize(width=390, height=780))
    prompt, text = page.locator(".prompt"), page.locator("#r1 .text")
    page.evaluate("scrollTo(0, 0)")
    expect(prompt).to_have_attribute("open", "")
    page.evaluate("scrollTo(0, document.querySelector('#r1').offsetTop)")
    expect(prompt).not_to_have_attribute("open", "")
    expect(text).to_be_in_viewport()  # what one reads has not gone away
    prompt.get_by_text("Expand").click()
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(100)
    expect(prompt).to_have_attribute("open", "")


def test_focus_and_scroll_are_where_the_next_act_is(open_desk: Callable[..., Page]) -> None:
    responses = ["Two.", " ".join(f"{number} squared is {number**2}." for number in range(300))]
    page = open_desk(responses, responses, responses, messages=TURNS)
    newest = "[data-newest]"
    in_view(page, newest, "#r1-quality-scale", "#submit")
    press(page, "l")  # a tick: where one was
    assert focused_row(page) == "r1-quality"
    in_view(page, newest, "#r1-quality-verdict", "#r1-quality-scale")
    press(page, "l", "a", "7")  # a score: the next response, from its beginning
    assert focused_row(page) == "r2-quality"
    in_view(page, newest, "#r2-quality-scale")
    expect(page.locator("#r2 .text")).to_be_in_viewport()
    page.mouse.move(300, 300)
    page.mouse.wheel(0, 1500)  # read on to its end
    press(page, "Control+Enter")  # refused: what is to be corrected
    expect(page.locator("[data-summary]").first).to_be_focused()
    in_view(page, "#errors")
    press(page, "Enter")
    assert focused_row(page) == "r2-quality"
    in_view(page, "#r2-quality-scale")
    press(page, "a", "6", "Control+Enter")
    is_at(page, 2)
    in_view(page, newest, "#r1-quality-scale", "#submit")
    press(page, "s", "Space", "s")
    is_at(page, 3)
    in_view(page, newest, "#r1-quality-scale", "#submit")


def test_of_fifty_turns_the_newest_is_in_sight_and_the_others_scroll_by_themselves(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk([f"Two moons. {SAID * 12}"], messages=TURNS)
    in_view(page, "[data-newest]")
    expect(page.locator("#r1 .text")).to_be_in_viewport()
    talk = page.locator(".conversation.long")
    talk.hover()
    page.mouse.wheel(0, -20_000)
    expect(page.get_by_text("Turn 1 of fifty.")).to_be_in_viewport()
    in_view(page, "[data-newest]", "#r1-quality-scale", "#submit")


def test_a_response_of_twenty_thousand_characters_is_read_and_rated(
    open_desk: Callable[..., Page],
) -> None:
    text = "Mars has two moons, and both are small. " * 500
    assert len(text) == 20_000
    page = open_desk([text, "Two."], ["Three."])
    for window in (ViewportSize(width=390, height=780), LAPTOP):
        page.set_viewport_size(window)
        page.goto("about:blank")  # a page that is loaded anew stays where it was
        page.goto("/projects/response-quality/desk/")
        settle(page)
        place = page.locator("[data-target].current .response").bounding_box()
        assert place
        assert 0 <= place["y"] < window["height"] * 0.6  # under what tells a newcomer how it goes
        page.keyboard.press("End")
        in_view(page, "#submit")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    press(page, "a", "6", "a", "6", "Control+Enter")
    while page.locator("[data-summary]").count():  # it repeats itself, and is asked about
        press(page, "Enter", "ArrowRight", "Control+Enter")
    is_at(page, 2)


def test_right_to_left_text_runs_so_and_the_page_does_not(open_desk: Callable[..., Page]) -> None:
    page = open_desk([ARABIC], prompt=ARABIC)
    for place in ("[data-newest] .text", "#r1 .text"):
        assert (
            page.locator(place).evaluate("element => getComputedStyle(element).direction") == "rtl"
        )
    assert (
        page.locator("#r1-quality").evaluate("element => getComputedStyle(element).direction")
        == "ltr"
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_code_keeps_its_lines_and_spaces_and_widens_nothing(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk([CODE], prompt=CODE)
    page.keyboard.press("v")  # to the texts as they were written
    expect(page.locator(".rendered")).to_have_count(0)
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 650})
        assert page.locator("#r1 .text").inner_text() == CODE
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- nothing jumps ---

# Each shift of the layout since the page began, those right after a key included: (how far, what).
# The rubric beside the item shows more lines of a level that opens; nothing is picked there.
SHIFTS = """
globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const what = entry.sources.filter(({ node }) => !node?.parentElement?.closest("#rubric")).map(
      ({ node }) => node?.className ?? node?.textContent ?? String(node));
    if (what.length) shifts.push([entry.value, what.join(", ")]);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def jumped(page: Page) -> list[list[object]]:
    """What has shifted since it was asked last, once what there is has been painted."""
    found: list[list[object]] = page.evaluate("""() => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(
        () => setTimeout(() => done(shifts.splice(0)))));
    })""")
    return found


# Under tabs, and side by side.
@pytest.mark.parametrize(
    ("slug", "window"),
    [("dialogue", LAPTOP), ("response-quality", ViewportSize(width=1920, height=1000))],
)
def test_nothing_jumps_at_first_load_at_a_verdict_nor_at_the_next_item(
    open_desk: Callable[..., Page], slug: str, window: ViewportSize
) -> None:
    items = [["Two moons.", "Two moons, Phobos and Deimos."]] * 2
    persona = ["I keep bees."] if slug == "dialogue" else []
    page = open_desk(*items, slug=slug, persona=persona, window=window)
    assert jumped(page) == []
    press(page, "g")
    expect(verdict(page, "r1-quality")).not_to_have_class("verdict open")
    assert jumped(page) == []
    press(page, "g")
    for _response in items[0]:
        press(page, *("a7" if slug == "response-quality" else "4ccr54"))
    jumped(page)
    press(page, "Enter")
    is_at(page, 2)
    assert jumped(page) == []
