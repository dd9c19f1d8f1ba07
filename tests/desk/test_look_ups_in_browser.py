"""A claim looked up: by key W from what is selected, or by plain forms; clock, outcome, and what
follows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tasks.answers.fact_checks import Clock
from tasks.models import Draft, Project, Rating
from tests.conftest import Complaints
from tests.desk_keys import SAVED, await_verdicts, intercept, log_in, settle, take_item
from tests.exports import rows_of
from tests.factories import make_item, make_project, make_rubric, make_user

Searches = list[tuple[str, dict[str, str]]]

SELECT = """([place, words]) => {
  const texts = document.createTreeWalker(document.querySelector(place), NodeFilter.SHOW_TEXT);
  let text = texts.nextNode();
  while (!text.data.includes(words)) text = texts.nextNode();
  const range = document.createRange();
  range.setStart(text, text.data.indexOf(words));
  range.setEnd(text, text.data.indexOf(words) + words.length);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


@pytest.fixture
def searched() -> Searches:
    """What the search was asked: address and headers."""
    return []


@pytest.fixture
def open_desk(
    new_context: Callable[..., BrowserContext], transactional_db: None, searched: Searches
) -> Callable[..., Page]:
    """At the desk, with an item of one response."""

    def desk(*, slug: str = "response-quality", **options: Any) -> Page:
        project = make_project(
            slug="eggs",
            rubric=make_rubric(slug=slug),
            annotators=[make_user(name="ada")],
            search_address="https://find.example/?q={claim}",
        )
        make_item(project=project, responses=["Mars has two moons. Both are larger than ours."])
        context = new_context(**options)

        def find(route: Route) -> None:
            searched.append((route.request.url, route.request.all_headers()))
            route.fulfill(body="Found.")

        context.route("https://find.example/**", find)
        page = context.new_page()
        log_in(page, "ada")
        take_item(page, "eggs")
        expect(page.locator("#r1")).to_be_visible()
        return page

    return desk


def heard(page: Page) -> None:
    """Wait until keys are listened to."""
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")


def look_up(page: Page, place: str, words: str) -> None:
    """Select words and press W; the search opens in a tab that knows nothing of this one."""
    page.evaluate(SELECT, [place, words])
    with page.context.expect_page() as opened:
        page.keyboard.press("w")
    search = opened.value
    expect(search.locator("body")).to_have_text("Found.")
    assert search.evaluate("[window.opener, document.referrer]") == [None, ""]
    search.close()


def move_back(seconds: int) -> None:
    draft = Draft.objects.get()
    clock = Clock.read(draft.answers["r1.fact.1.clock"])
    assert clock is not None
    assert clock.since is not None
    draft.answers["r1.fact.1.clock"] = str(Clock(0, clock.since - seconds))
    draft.save()


def test_claims_are_looked_up_by_key_and_what_came_of_them_is_exported(
    open_desk: Callable[..., Page], searched: Searches
) -> None:
    page = open_desk()
    heard(page)
    look_up(page, "[data-said=r1]", "Mars has two moons.")
    [(address, headers)] = searched
    assert address == "https://find.example/?q=Mars%20has%20two%20moons."
    assert "referer" not in headers
    first = page.get_by_role("group", name="Claim 1")
    expect(first.get_by_label("Claim", exact=True)).to_have_value("Mars has two moons.")
    expect(first.get_by_role("radio", name="none yet")).to_be_focused()
    expect(first.get_by_role("timer")).to_be_visible()

    move_back(174)  # almost all of the three minutes; the page needs some of the rest
    page.reload()
    heard(page)
    expect(first.get_by_text("we suggest “undetermined”")).to_be_visible(timeout=20_000)
    expect(page.locator("#announcer")).to_contain_text("Time is up.")
    expect(first.get_by_role("radio", name="none yet")).to_be_checked()
    first.get_by_role("radio", name="undetermined").check()
    expect(first.locator(".clock")).to_contain_text("(limit 3:00)")

    look_up(page, "[data-said=r1]", "Both are larger than ours.")
    second = page.get_by_role("group", name="Claim 2")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    settle(page)
    expect(second.get_by_role("radio", name="it is refuted")).to_be_checked()
    expect(second.locator(".clock")).to_have_text(re.compile(r"looked up for [012]:\d\d"))
    proposal = page.locator("#r1-proposals").get_by_text("“Both are larger than ours.” is refuted")
    expect(proposal).to_contain_text("That suggests “Honest (not true)”")
    page.locator("#r1-quality").focus()
    page.keyboard.type("ay")  # all for the best, but honest: the answer after yes is "not true"
    settle(page)
    expect(proposal).to_have_count(0)
    expect(page.locator("#r1-quality-verdict")).to_contain_text("Open: 2, 3, 4.")
    page.keyboard.press("3")
    settle(page)

    second.get_by_label("Sources").fill("an almanac")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#errors")).to_contain_text(
        "Response A, claim 2: “an almanac” is not an address"
    )
    settle(page)
    second.get_by_label("Sources").fill("https://moons.example/")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    [row] = rows_of(Project.objects.get())
    assert (row["score"], row["asked"]) == ("3", "")
    assert "honest=not_true" in row["checks"]
    facts = json.loads(row["facts"])
    assert [(fact["outcome"], fact["over_time"], fact["sources"]) for fact in facts] == [
        ("undetermined", True, []),
        ("refuted", False, ["https://moons.example/"]),
    ]


def test_a_claim_looked_up_before_the_last_has_come_through_follows_it(
    open_desk: Callable[..., Page], searched: Searches
) -> None:
    page = open_desk()
    heard(page)
    held: list[Route] = []
    intercept(page, "**/verdict/**", lambda route: held.append(route), times=1)
    for words in ("Mars has two moons.", "Both are larger than ours."):
        page.evaluate(SELECT, ["[data-said=r1]", words])
        page.keyboard.press("w")
        page.wait_for_function("() => window.evenhand?.waiting")
    held[0].continue_()
    for number, words in enumerate(("Mars has two moons.", "Both are larger than ours."), start=1):
        claim = page.get_by_role("group", name=f"Claim {number}")
        expect(claim.get_by_label("Claim", exact=True)).to_have_value(words)
        expect(claim.get_by_role("timer")).to_be_visible()
    settle(page)
    # Words that were typed are not taken for others that are selected.
    written = page.locator("[data-target].current [data-next-claim]")
    written.fill("Written by hand")
    page.keyboard.press("Escape")
    page.evaluate(SELECT, ["[data-said=r1]", "two moons"])
    page.keyboard.press("w")
    expect(written).to_be_focused()
    assert len(searched) == 2
    # And what is written of one claim while another is looked up stays.
    intercept(page, "**/verdict/**", lambda route: held.append(route), times=1)
    with page.expect_request("**/verdict/**"):
        page.get_by_role("group", name="Claim 3").get_by_role("button", name="Look up").click()
    sources = page.get_by_role("group", name="Claim 1").get_by_label("Sources")
    sources.fill("https://moons.example/")
    held[1].continue_()
    expect(page.get_by_role("group", name="Claim 3").get_by_role("timer")).to_be_visible()
    expect(sources).to_have_value("https://moons.example/")
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    await_verdicts(page)
    assert Draft.objects.get().answers["r1.fact.1.sources"] == "https://moons.example/"


def test_without_a_selection_a_claim_is_written_and_one_taken_out_is_gone(
    open_desk: Callable[..., Page], searched: Searches, complaints: Complaints
) -> None:
    page = open_desk()
    heard(page)
    page.keyboard.press("w")
    expect(page.locator("#r1-fact-1-claim")).to_be_focused()
    page.get_by_role("button", name="Look up").click()
    expect(page.locator("#r1-fact-1-errors")).to_contain_text("Which claim do you want to look up?")
    expect(page.locator("#r1-fact-1-claim")).to_be_focused()
    page.keyboard.type("Mars is red,")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("all of it.")
    with page.context.expect_page():
        page.keyboard.press("Enter")
    expect(
        page.get_by_role("group", name="Claim 1").get_by_label("Claim", exact=True)
    ).to_have_value("Mars is red,\nall of it.")
    first = page.get_by_role("group", name="Claim 1")
    expect(first.get_by_role("timer")).to_be_visible()
    complaints.allow("ERR_FAILED|htmx:")
    lift = intercept(
        page, "**/verdict/**", lambda route: route.abort()
    )  # the outcome does not come through at first
    first.get_by_role("radio", name="it is refuted").check()
    expect(page.locator("#r1-quality [data-headline]")).to_have_text("Rules not checked: offline")
    lift()
    expect(page.locator("#r1-proposals")).to_contain_text("That suggests “Honest (not true)”")
    expect(first.get_by_role("timer")).to_have_count(0)
    settle(page)
    first.get_by_role("button", name="Remove the claim").click()
    expect(page.locator("#r1-proposals")).to_have_text("")
    expect(page.locator("#r1-fact-1-claim")).to_have_value("")
    expect(page.locator("#r1-fact-1-claim")).to_be_focused()
    assert len(searched) == 1


def test_in_a_rubric_without_a_fact_check_the_key_does_nothing(
    open_desk: Callable[..., Page],
) -> None:
    page = open_desk(slug="dialogue")
    heard(page)
    page.evaluate(SELECT, ["[data-said=r1]", "Mars has two moons."])
    page.keyboard.press("w")
    page.keyboard.press("t")
    settle(page)
    assert len(page.context.pages) == 1
    assert page.get_by_text("Fact check").count() == 0
    assert set(Draft.objects.get().answers) == {"r1.quality.short"}


def test_claims_are_looked_up_by_plain_forms(
    open_desk: Callable[..., Page], searched: Searches
) -> None:
    page = open_desk(java_script_enabled=False)
    page.locator(".facts summary").click()
    page.get_by_label("Claim", exact=True).fill("Mars has two moons.")
    page.get_by_role("button", name="Look up").click()
    first = page.get_by_role("group", name="Claim 1")
    with page.context.expect_page() as opened:
        first.get_by_role("link", name="Search in a new tab").click()
    expect(opened.value.locator("body")).to_have_text("Found.")
    [(_address, headers)] = searched
    assert "referer" not in headers
    move_back(70)
    page.goto("/projects/eggs/desk/")
    first.get_by_role("radio", name="it is refuted").check()
    page.get_by_role("button", name="Check").click()
    expect(first.locator(".clock")).to_have_text(re.compile(r"looked up for [12]:\d\d"))
    expect(page.locator("#r1-proposals")).to_contain_text("“Mars has two moons.” is refuted")
    for question, answer in (("Helpful", "entirely"), ("Harmless", "yes"), ("Honest", "yes")):
        page.get_by_role("radiogroup", name=question).get_by_label(answer, exact=True).check()
    page.get_by_role("radiogroup", name="Comprehensive").get_by_label("yes").check()
    page.get_by_role("button", name="Check").click()
    page.get_by_label("7 Great").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    rating = Rating.objects.get()
    assert rating.asked == {}
    fact = rating.fact_checks.get()
    assert (fact.outcome, fact.over_time) == ("refuted", False)
    assert fact.seconds in range(70, 180)
