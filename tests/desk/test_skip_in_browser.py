"""Skipping, flagging and keeping an item, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from annotators.desk import views
from annotators.models import Session
from tasks.models import Concern, Lease, Rating
from tests.conftest import Complaints
from tests.desk_keys import await_verdicts, focused_row, log_in, settle, take_item
from tests.factories import make_item, make_lease, make_project, make_user


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """At the desk, with the first of two items."""
    project = make_project(
        slug="eggs", annotators=[make_user(name="ada"), make_user(name="ben")], wanted=1
    )
    for name in ("first", "second"):
        make_item(
            project=project, batch=project.batches.first(), external_id=name, responses=["Two."]
        )
    page = new_context().new_page()
    log_in(page, "ada")
    take_item(page, "eggs")
    expect(page.locator("h1")).to_contain_text("first")
    page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    return page


def test_s_asks_for_a_reason_and_s_again_skips(page: Page) -> None:
    page.keyboard.press("s")
    expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("s")
    expect(page.locator("h1")).to_contain_text("second")
    settle(page)
    assert focused_row(page) == "r1-quality"
    expect(page.locator("#announcer")).to_have_text("Skipped. The next item is here.")
    assert [(concern.kind, concern.reason) for concern in Concern.objects.all()] == [
        ("skip", "unclear")
    ]


def test_the_question_after_many_skips_is_in_sight(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "ASKED_AFTER", 1)
    for size in ((1280, 580), (390, 844)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        make_item(project=Lease.objects.latest("pk").project, responses=["Long. " * 400])
        Concern.objects.all().delete()
        page.keyboard.press("s")
        page.keyboard.press("Space")
        page.keyboard.press("s")
        question = page.get_by_text("You skipped ten items in a row.")
        expect(question).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("button", name="Tell the lead")).to_be_in_viewport(ratio=1)
        settle(page)
        page.get_by_role("link", name="Go on", exact=True).click()
        expect(question).to_have_count(0)
        expect(page.locator("[data-row].current")).to_be_focused()


def test_enter_sends_the_reason_as_the_key_that_asked_for_it_and_never_the_rating(
    page: Page,
) -> None:
    for item in ("first", "second"):
        expect(page.locator("h1")).to_contain_text(item)
        settle(page)
        page.keyboard.type("a7")
        expect(page.locator("#submit")).to_be_focused()
        keys, note = ("Enter", "") if item == "first" else ("Tab a Control+Enter", "a")
        for kind, last in (("flag", keys), ("skip", keys.split()[-1])):
            Concern.objects.all().delete()
            for key in [kind[0], "ArrowDown", *last.split()]:
                page.keyboard.press(key)
            expect(page.locator("#concern")).not_to_have_attribute("open", "")
            settle(page)
            concern = Concern.objects.get()
            assert (concern.kind, concern.reason) == (kind, "unclear")
            assert concern.note == (note if kind == "flag" else "")
    assert not Rating.objects.exists()


def test_enter_sends_nothing_from_reasons_that_no_key_has_asked_for(page: Page) -> None:
    page.keyboard.type("a7")
    expect(page.locator("#submit")).to_be_focused()
    page.locator("[data-concern-open]").click()
    for key in ("Space", "Enter", "Control+Enter"):
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
    assert not Concern.objects.exists()
    assert not Rating.objects.exists()


def test_a_key_that_sends_no_reason_says_so(page: Page) -> None:
    for key, kind in (("f", "flag"), ("s", "skip")):
        page.keyboard.press(key)
        page.keyboard.press(key)
        expect(page.locator("#concern")).to_contain_text("Say why, so the lead can act on it.")
        settle(page)
        expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
        page.keyboard.press("Space")
        page.keyboard.press(key)
        expect(page.locator("#concern")).not_to_have_attribute("open", "")
        settle(page)
        assert Concern.objects.latest("pk").kind == kind
    assert Concern.objects.count() == 2


def test_the_button_that_opens_the_reasons_sends_none_of_them(page: Page) -> None:
    for _ in range(2):
        page.locator("[data-concern-open]").click()
        expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
        page.keyboard.press("Space")
    expect(page.get_by_role("radio", name="It is distressing")).to_be_checked()
    expect(page.locator("h1")).to_contain_text("first")
    assert not Concern.objects.exists()


def test_a_reason_that_is_sent_when_the_log_in_is_over_stays_in_sight(
    page: Page, complaints: Complaints
) -> None:
    page.keyboard.press("s")
    page.keyboard.press("ArrowDown")
    page.locator("#concern textarea").fill("It speaks of two planets")
    Session.objects.all().delete()
    complaints.allow("403")
    page.locator("#concern [data-skip]").click()
    expect(page.locator("h1")).to_have_text("You were signed out")
    expect(page.locator("main")).to_contain_text("It speaks of two planets")
    expect(page.get_by_role("link", name="Sign in in another tab")).to_be_visible()


def test_f_flags_and_the_item_stays_with_what_was_entered(page: Page) -> None:
    page.keyboard.type("hm")
    await_verdicts(page)
    page.keyboard.press("f")
    page.keyboard.press("Space")
    page.keyboard.press("f")
    expect(page.locator("#flagged")).to_have_text("Flagged")
    expect(page.locator("#announcer")).to_have_text("The lead has been told.")
    page.wait_for_function("() => document.activeElement.id === 'r1-quality'")
    sizes = page.locator("#flagged, #draft-state").evaluate_all(
        "all => all.map((each) => getComputedStyle(each).fontSize)"
    )
    assert len(set(sizes)) == 1
    expect(page.locator("#r1-quality input:checked")).to_have_count(2)
    assert [concern.kind for concern in Concern.objects.all()] == ["flag"]
    assert Lease.objects.get().status == "live"


def test_escape_leads_back_and_digits_score_nothing_meanwhile(page: Page) -> None:
    page.keyboard.press("s")
    page.keyboard.type("5a")
    page.keyboard.press("Escape")
    assert focused_row(page) == "r1-quality"
    expect(page.locator("#concern")).not_to_have_attribute("open", "")
    assert page.locator("#rating input:checked").count() == 0
    assert not Concern.objects.exists()


def test_a_skip_without_a_reason_says_so_and_loses_nothing(page: Page) -> None:
    page.keyboard.type("hm")
    await_verdicts(page)
    page.locator("#comment").fill("Said of all.")
    page.locator("[data-concern-open]").click()
    page.locator("#concern").get_by_role("button", name="Skip").click()
    expect(page.locator("#concern")).to_contain_text("Say why")
    expect(page.get_by_role("radio", name="It is distressing")).to_be_focused()
    expect(page.locator("#r1-quality input:checked")).to_have_count(2)
    expect(page.locator("#comment")).to_have_value("Said of all.")
    assert not Concern.objects.exists()


def test_work_keeps_the_item_lent_and_its_end_is_said(page: Page, complaints: Complaints) -> None:
    lease = Lease.objects.get()
    Lease.objects.update(expires_at=timezone.now() + timedelta(minutes=1))
    with page.expect_response("**/renew/"):
        page.evaluate("() => htmx.trigger(document.body, 'evenhand:active')")
    lease.refresh_from_db()
    assert lease.expires_at > timezone.now() + timedelta(minutes=20)
    lease.release(now=timezone.now())
    make_lease(item=lease.item, annotator=make_user(), now=timezone.now())
    complaints.allow("409")
    page.evaluate("() => htmx.trigger(document.body, 'evenhand:active')")
    expect(page.locator("#lease-state")).to_contain_text("Nothing is lost")
    assert not Rating.objects.exists()


def test_an_annotator_who_waits_for_an_item_reads_until_when_and_sees_it_come(page: Page) -> None:
    for lease in Lease.objects.all():
        lease.skip(reason="other", now=timezone.now())
    ben = make_user()
    other = make_lease(
        item=Lease.objects.get().project.items.get(external_id="second"), annotator=ben
    )
    Lease.objects.filter(pk=other.pk).update(expires_at=timezone.now() + timedelta(minutes=9))
    page.goto("/projects/eggs/desk/")
    expect(page.locator("#desk")).to_contain_text("If the first one is not rated by")
    other.release(now=timezone.now())
    page.evaluate(
        "() => htmx.ajax('GET', location.pathname, {target: '#desk', swap: 'outerHTML'})"
    )  # what the page does by itself every half minute
    expect(page.get_by_role("button", name="Start rating")).to_be_visible()
