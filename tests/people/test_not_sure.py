"""Not sure: a mark that an annotator puts on a rating, for themselves."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, expect

from annotators.desk import history
from annotators.models import User
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import DraftVersion, Submission, SubmittedClaim, SubmittedScore
from tasks.models import Draft, Project, Rating
from tests.desk_keys import SAVED, log_in, take_item
from tests.desk_steps import HTMX, page, scored, start, url
from tests.exports import text_of
from tests.factories import make_item, make_rating

pytestmark = pytest.mark.django_db

LIST = "/projects/eggs/ratings/"
MARKED = {"not_sure": "yes"}


def box(answer: str) -> str:
    """The checkbox of a page."""
    [found] = re.findall(r'<input[^>]*name="not_sure"[^>]*>', answer)
    return re.sub(r"\s+", " ", found)


def listed(desk: Client, query: str = "") -> list[str]:
    """The items of one's own ratings on the page."""
    shown = desk.get(LIST + query).content.decode()
    return re.findall(r'ratings/\d+/">([\w-]+)</a>', shown)


@pytest.fixture
def rated(desk: Client, project: Project, ada: User) -> Rating:
    """ada's rating of the item `first`, submitted at the desk as not sure."""
    make_item(project=project, external_id="first")
    lease = start(desk, project, ada)
    desk.post(url(lease), scored(lease) | page() | MARKED, headers=HTMX)
    return Rating.objects.get(annotator=ada)


def corrected(desk: Client, rating: Rating, **others: str) -> Rating:
    assert rating.lease is not None
    form = scored(rating.lease) | page() | {"revision": str(rating.revision)} | others
    desk.post(f"{LIST}{rating.pk}/correct/", form, headers=HTMX)
    return Rating.objects.latest("pk")


def test_the_draft_keeps_the_mark_and_the_page_shows_it_again(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project)
    lease = start(desk, project, ada)
    address = "/projects/eggs/desk/"
    assert "checked" not in box(desk.get(address).content.decode())
    desk.post(url(lease, "draft"), page() | MARKED, headers=HTMX)
    assert Draft.objects.get().answers["not_sure"] == "yes"
    assert "checked" in box(desk.get(address).content.decode())


def test_the_submit_stores_the_mark(rated: Rating) -> None:
    assert rated.not_sure


ANSWERS = SlotAnswers.stored(5, {"x": "yes"})


def test_the_fingerprint_hashes_named_values_so_that_a_rename_in_the_code_keeps_it() -> None:
    score = SubmittedScore("quality", "response", 7, "m", 1, 5, (4, 5), ("RQ-05",), (), ANSWERS)
    said = Submission(
        scores=(score,), comment="So.", facts=(SubmittedClaim(7, 1, "A", "holds", ""),)
    )
    assert said.fingerprint == "bd68d6bd6607d79566dd50ddad178a2602965c63bd1f223ff6e5ac9f733455a5"
    assert replace(said, not_sure=True).fingerprint != said.fingerprint
    beside = replace(said, active_seconds=9, view="plain", sent_by=DraftVersion("page"))
    timed = replace(said, facts=(replace(said.facts[0], seconds=9, over_time=True),))
    assert beside.fingerprint == timed.fingerprint == said.fingerprint


def test_a_correction_takes_the_mark_back_and_puts_it_on_again(desk: Client, rated: Rating) -> None:
    assert "checked" in box(desk.get(f"{LIST}{rated.pk}/").content.decode())
    second = corrected(desk, rated)
    assert (second.revision, second.not_sure) == (2, False)
    desk.post(
        f"{LIST}{rated.pk}/correct/",
        scored_again(rated) | MARKED | {"revision": "2"},
        headers=HTMX,
    )
    third = Rating.objects.latest("pk")
    assert (third.revision, third.not_sure) == (3, True)


def scored_again(rating: Rating) -> dict[str, str]:
    assert rating.lease is not None
    return scored(rating.lease) | page(2)


def test_a_begun_correction_says_that_the_mark_differs(desk: Client, rated: Rating) -> None:
    desk.post(f"{LIST}{rated.pk}/draft/", scored_again(rated), headers=HTMX)
    shown = desk.get(f"{LIST}{rated.pk}/").content.decode()
    assert "You started a correction" in shown
    assert re.search(r"<th[^>]*>Not sure</th>", shown)


def test_the_list_marks_such_ratings_and_shows_only_them_when_asked(
    desk: Client, project: Project, ada: User, rated: Rating
) -> None:
    make_rating(item=make_item(project=project, external_id="second"), annotator=ada)
    shown = desk.get(LIST).content.decode()
    assert listed(desk) == ["second", "first"]
    assert shown.count('<span class="tag">Not sure</span>') == 1
    assert "Not sure only" in shown
    assert listed(desk, "?not_sure=1") == ["first"]
    assert listed(desk, "?not_sure=1&q=second") == []


def test_the_list_goes_by_the_latest_revision(desk: Client, rated: Rating) -> None:
    corrected(desk, rated)
    assert listed(desk, "?not_sure=1") == []
    shown = desk.get(LIST + "?not_sure=1").content.decode()
    assert "You have marked none of your ratings as not sure." in shown


def test_the_next_page_of_the_list_still_shows_only_them(
    desk: Client, project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", 1)
    for name in ("first", "second"):
        make_item(project=project, external_id=name)
    lease = start(desk, project, ada)
    desk.post(url(lease), scored(lease) | page() | MARKED, headers=HTMX)
    lease = ada.leases.get(status="live")
    desk.post(url(lease), scored(lease) | page() | MARKED, headers=HTMX)
    shown = desk.get(LIST + "?not_sure=1").content.decode()
    [older] = re.findall(r'href="(\?q=&amp;before=\d+&amp;not_sure=1)"', shown)
    assert listed(desk, older.replace("&amp;", "&")) == ["first"]


def test_own_data_has_the_mark_of_doubt_and_the_export_of_leads_has_not(
    desk: Client, project: Project, ada: User, rated: Rating
) -> None:
    make_rating(item=make_item(project=project, external_id="second"), annotator=ada)
    file = desk.get("/work/own-data.csv").getvalue().decode()
    rows = [row for row in csv.DictReader(io.StringIO(file)) if row["record"] == "rating"]
    assert {(row["item"], row["not_sure"]) for row in rows} == {("first", "yes"), ("second", "")}
    for options in ({}, {"revisions": True}):
        header, *_rows = text_of(project, **options).splitlines()
        assert "sure" not in header


def test_a_read_only_rating_shows_the_mark_and_takes_no_other(
    desk: Client, project: Project, rated: Rating
) -> None:
    project.correction_hours = 0
    project.save()
    shown = box(desk.get(f"{LIST}{rated.pk}/").content.decode())
    assert "checked" in shown
    assert "disabled" in shown


def test_the_key_of_not_sure_ticks_the_box_and_the_draft_has_it(
    new_context: Callable[..., BrowserContext], ada: User, project: Project
) -> None:
    make_item(project=project)
    browser = new_context().new_page()
    log_in(browser, "ada")
    take_item(browser, "eggs")
    browser.wait_for_function("() => document.activeElement.closest('[data-row]')")
    browser.keyboard.press("#")
    expect(browser.get_by_role("checkbox", name="Not sure")).to_be_checked()
    expect(browser.locator("#draft-state")).to_have_text(SAVED)
    assert Draft.objects.get().answers["not_sure"] == "yes"
    browser.keyboard.press("#")
    expect(browser.get_by_role("checkbox", name="Not sure")).not_to_be_checked()
