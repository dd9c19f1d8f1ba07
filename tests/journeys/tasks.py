"""The tasks, step by step. Each begins on the start page, signed in, with nothing rated yet.

A step that can't be done, or an expectation that doesn't hold, ends the journey there.
"""

from __future__ import annotations

import re

from playwright.sync_api import expect

from .person import Person

QUALITY = "Response quality, a demonstration"
DIALOGUE = "Dialogue, a demonstration"
SAVED = re.compile(r"^\s*Saved \d\d:\d\d\s*$")
ANSWERS = {"Helpful": "entirely", "Harmless": "yes", "Honest": "yes", "Comprehensive": "yes"}


def first_item_by_mouse(person: Person) -> None:
    """Rate the first item, with clicks only."""
    to_the_first_item(person)
    first, *others = person.labels()
    person.does(f"answers the questions about {first}")
    for question, answer in ANSWERS.items():
        group = person.response(first).get_by_role("radiogroup", name=question, exact=True)
        person.choose(group.get_by_role("radio", name=answer, exact=True))
    person.does(f"scores {first}")
    expect(person.verdict(first)).to_contain_text("7")
    person.choose(person.score(first, 7))
    person.given(first, 7)
    for label in others:
        person.does(f"gives the best answers for {label}, and a score")
        person.click(person.response(label).get_by_role("button", name="Best answer"))
        expect(person.verdict(label)).to_contain_text("7")
        person.choose(person.score(label, 7))
        person.given(label, 7)
    person.does("submits by the button")
    submit = person.page.get_by_role("button", name="Submit")
    person.until_next_item(lambda: person.click(submit))


def first_item_by_keyboard(person: Person) -> None:
    """Rate the first item, with keys only."""
    to_the_first_item(person)
    person.does("presses Enter before anything is entered")
    person.press("Enter")
    expect(person.hint()).to_have_text(re.compile(r"^Not submitted\. Missing for A"))
    rate_by_keys(person)
    person.does("submits by Enter")
    person.until_next_item(lambda: person.press("Enter"))


def dialogue_by_keyboard(person: Person) -> None:
    """Rate the first dialogue, with keys only: six replies, then the candidate sets."""
    to_the_first_item(person, DIALOGUE)
    replies = person.labels()
    for label in replies:
        person.does(f"rates {label}: quality, consistency with the persona, coherence")
        for row, keys in (("quality", "3"), ("consistency", "ccr4"), ("coherence", "3")):
            person.at_row(row)
            person.press(*keys)
        expect(person.scores().get_by_role("link", name=f"Response {label}: 3 4 3")).to_be_visible()
    for model in ("Model 1", "Model 2"):
        person.does(f"says of {model} how varied it is, here and overall")
        person.at_row("diversity")
        person.press("h", "c", "Space")
        expect(person.page.locator(".target.current .figures")).to_be_visible()
        person.press("5")
        expect(person.scores().get_by_role("link", name=f"{model}: 5")).to_be_visible()
    expect(person.hint()).to_have_text("All done: submit")
    person.does("submits by Enter")
    person.until_next_item(lambda: person.press("Enter"))


def barred_score_understood(person: Person) -> None:
    """Press a score that is barred, read why, and open it by the right answers."""
    to_the_first_item(person)
    [label, *_] = person.labels()
    seven, two = person.score(label, 7), person.score(label, 2)
    person.does("presses 7, which is barred")
    person.press("7")
    expect(seven).not_to_be_checked()
    expect(person.page.get_by_role("status")).to_contain_text("7 needs")
    person.does("clicks 2, which is barred too")
    person.choose(two)
    expect(two).not_to_be_checked()
    expect(person.page.get_by_role("status")).to_contain_text("need one of these")
    person.does("opens 2 by the answer that it needs: Helpful, not")
    group = person.response(label).get_by_role("radiogroup", name="Helpful", exact=True)
    person.choose(group.get_by_role("radio", name="not", exact=True))
    expect(two).not_to_have_attribute("aria-disabled", "true")
    person.does("opens 7 by the best answers")
    person.press("a")
    expect(seven).not_to_have_attribute("aria-disabled", "true")
    expect(person.verdict(label)).to_contain_text("7")
    person.press("7")
    person.given(label, 7)


def mistake_corrected(person: Person) -> None:
    """Tick something wrong, see its effect, and take it back before the submit."""
    to_the_first_item(person)
    rate_by_keys(person)
    [label, *_] = person.labels()
    error = person.tick(label, "Language error")
    person.does("goes back to A by Shift+A and ticks Language error, which is wrong")
    person.press("Shift+A", "l")
    expect(error).to_be_checked()
    expect(person.verdict(label)).to_contain_text("4")
    expect(person.score(label, 7)).to_have_attribute("aria-disabled", "true")
    person.does("presses Enter, which does not submit a barred score and says so")
    before = person.rated_item()
    person.press("Enter")
    person.settle()
    expect(person.page.get_by_role("heading", level=1)).to_have_text(before)
    expect(person.hint()).to_have_text(re.compile(r"^Not submitted\b.*\b(score|7)\b"))
    person.does("takes the tick back")
    person.press("Shift+A", "l")
    expect(error).not_to_be_checked()
    expect(person.score(label, 7)).to_be_checked()
    expect(person.score(label, 7)).not_to_have_attribute("aria-disabled", "true")
    expect(person.hint()).to_have_text("All done: submit")
    person.does("submits by Enter")
    person.until_next_item(lambda: person.press("Enter"))


def item_skipped(person: Person) -> None:
    """Skip an item, with a reason."""
    to_the_first_item(person)
    person.does("opens “Skip or flag”")
    person.click(person.page.get_by_role("button", name="Skip or flag"))
    reasons = person.page.locator("#concern").get_by_role("radio")
    expect(reasons.first).to_be_visible()
    person.does("skips without a reason, by mistake")
    skip = person.page.locator("#concern").get_by_role("button", name=re.compile("^Skip"))
    person.click(skip)
    expect(person.page.locator("#concern")).to_contain_text("Say why")
    person.until_answered()
    person.does("chooses the first reason and skips")
    person.choose(reasons.first)
    person.until_next_item(lambda: person.click(skip))


def claim_looked_up(person: Person) -> None:
    """Look up a claim of a response, and say what the search found."""
    to_the_first_item(person)
    [label, *_] = person.labels()
    response = person.response(label)
    text = response.locator("[data-said] p").first
    claim = text.inner_text().split(". ")[0]
    person.does("selects a claim and looks it up by W")
    person.select(text, claim)
    with person.context.expect_page() as opened:
        person.press("w")
    expect(opened.value).to_have_url(re.compile(r"^https?://(?!127\.0\.0\.1)"))
    person.does("reads what the search found and closes its tab")
    person.close(opened.value)
    person.does("says that the claim is refuted")
    outcomes = response.get_by_role("radiogroup", name="Result of the search")
    person.choose(outcomes.get_by_role("radio", name="refuted"))
    expect(response.get_by_text(re.compile("looked up for"))).to_be_visible()
    expect(response.locator(".claims .remark")).to_be_visible()
    person.does("answers Honest as the page suggests: not true")
    honest = response.get_by_role("radiogroup", name="Honest", exact=True)
    person.choose(honest.get_by_role("radio", name="not true"))
    expect(person.verdict(label)).to_contain_text("Open: 2, 3, 4")
    expect(person.page.locator("#draft-state")).to_have_text(SAVED)


def rating_corrected(person: Person) -> None:
    """Correct an earlier rating."""
    to_the_first_item(person)
    rate_by_keys(person)
    person.does("submits by Enter")
    person.until_next_item(lambda: person.press("Enter"))
    person.does("goes back to the last rating by B")
    person.press("b")
    expect(person.page.get_by_role("heading", level=1)).to_contain_text("Your rating of")
    [label, *_] = person.labels()
    person.does("gives 6 instead of 7")
    person.press("6")
    person.given(label, 6)
    person.does("saves the correction")
    person.click(person.page.get_by_role("button", name="Save the correction"))
    expect(person.page.get_by_text("Corrected once")).to_be_visible()
    person.does("goes back to rating by B")
    person.press("b")
    expect(person.page.get_by_role("button", name="Submit")).to_be_visible()
    expect(person.hint()).to_have_text(re.compile("to go$"))


def offline_and_back(person: Person) -> None:
    """Lose the connection in the middle of an item, go on, and come back."""
    to_the_first_item(person)
    [first, *_] = person.labels()
    person.does("loses the connection and rates on")
    person.goes_offline()
    person.press("a")
    expect(person.page.locator("#trouble")).to_be_visible()
    person.press("7")
    person.given(first, 7)
    person.does("ticks a check while offline")
    person.press("Shift+A", "t")
    expect(person.tick(first, "Not neutral")).to_be_checked()
    person.settle()
    person.does("is online again")
    person.is_online_again()
    expect(person.page.locator("#trouble")).to_be_hidden(timeout=15_000)
    expect(person.page.locator("#draft-state")).to_have_text(SAVED, timeout=15_000)
    expect(person.verdict(first)).to_contain_text("4")
    person.does("loads the page again: all is there")
    person.reload()
    expect(person.tick(first, "Not neutral")).to_be_checked()


def on_a_phone(person: Person) -> None:
    """Rate the first item on a phone, with a finger."""
    to_the_first_item(person)
    first, *others = person.labels()
    person.does("opens the rubric and closes it")
    rubric = person.page.get_by_role("button", name="Rubric")
    person.click(rubric)
    expect(person.page.get_by_role("complementary", name="Rubric")).to_be_visible()
    person.click(rubric)
    expect(person.page.get_by_role("complementary", name="Rubric")).to_be_hidden()
    person.does("submits before anything is entered, by mistake")
    submit = person.page.get_by_role("button", name="Submit")
    person.click(submit)
    expect(person.page.locator("[data-summary]")).to_contain_text("Not saved")
    person.does("goes to the first thing that is missing")
    person.click(person.page.locator("[data-summary]").get_by_role("link").first)
    for label in (first, *others):
        person.does(f"gives the best answers for {label}, and a score")
        person.click(person.response(label).get_by_role("button", name="Best answer"))
        expect(person.verdict(label)).to_contain_text("7")
        person.choose(person.score(label, 7))
        person.given(label, 7)
    person.does("submits")
    person.until_next_item(lambda: person.click(submit))
    width = person.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, f"the page is {width} pixels wide and scrolls sideways"


def in_the_dark(person: Person) -> None:
    """Choose the dark look in the profile, and rate an item in it."""
    person.does("opens the profile")
    person.click(person.page.get_by_role("button", name="Your account: ada"))
    person.click(person.page.get_by_role("link", name="Your profile"))
    person.does("chooses Dark and saves")
    colours = person.page.get_by_role("group", name="Colours")
    person.click(colours.get_by_role("radio", name="dark", exact=True))
    person.click(person.page.get_by_role("button", name="Save", exact=True))
    person.settle()
    person.does("goes to the start page")
    person.click(person.page.get_by_role("link", name="Evenhand"))
    to_the_first_item(person)
    expect(person.page.locator("body")).to_have_css("color-scheme", "dark")
    rate_by_keys(person)
    person.does("submits by Enter")
    person.until_next_item(lambda: person.press("Enter"))


JOURNEYS = (
    first_item_by_mouse,
    first_item_by_keyboard,
    dialogue_by_keyboard,
    barred_score_understood,
    mistake_corrected,
    item_skipped,
    claim_looked_up,
    rating_corrected,
    offline_and_back,
    on_a_phone,
    in_the_dark,
)


def to_the_first_item(person: Person, project: str = QUALITY) -> None:
    """Go from the start page to the first item of a project, by its links and buttons."""
    person.does("starts with the project on the start page")
    start = re.compile(rf"^(Rate|Start)\b.*{project}")
    person.click(person.page.get_by_role("main").get_by_role("button", name=start))
    expect(person.page.get_by_role("button", name="Submit")).to_be_visible()
    expect(person.hint()).to_have_text(re.compile("to go$"))


def rate_by_keys(person: Person) -> None:
    """Give every response the best answers and a 7, with two keys each."""
    for label in person.labels():
        person.does(f"gives the best answers for {label}, and a 7")
        person.press("a")
        expect(person.verdict(label)).to_contain_text("7")
        person.press("7")
        person.given(label, 7)
    expect(person.hint()).to_have_text("All done: submit")
