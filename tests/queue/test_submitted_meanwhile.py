"""A page whose item was submitted meanwhile, elsewhere, is told so; nothing of what stands on it is
lost."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, expect

from annotators.models import User
from tasks.models import Batch, Draft, Lease, Project, Rating
from tasks.queue.live_leases import lease_of
from tasks.queue.submitting import correct_rating
from tests.desk_keys import SAVED, await_verdicts, log_in, take_item
from tests.desk_steps import HTMX, ONE, OTHER, held, page, scored, start, url
from tests.factories import make_item, make_submission

pytestmark = pytest.mark.django_db

TOLD = "You already rated this item"


@pytest.fixture
def lease(desk: Client, project: Project, ada: User) -> Lease:
    """Submitted by one page, with the third form that it sent; the second item is held now."""
    for name in ("first", "second"):
        make_item(project=project, batch=project.batches.first(), external_id=name)
    lease = start(desk, project, ada)
    desk.post(url(lease), scored(lease) | {"comment": "As it was sent"} | page(3), headers=HTMX)
    lease.refresh_from_db()
    assert lease.status == "submitted"
    return lease


def elsewhere(lease: Lease, **said: str) -> dict[str, str]:
    """The form of another window."""
    return scored(lease, score=6) | {"comment": "In another window"} | said | page(writer=OTHER)


@pytest.mark.parametrize("step", ["draft", "verdict", "verdict/?row=r1-quality", "submit"])
@pytest.mark.parametrize("headers", [HTMX, {}])
def test_the_page_of_an_item_submitted_elsewhere_says_when_and_saves_its_form_beside_the_rating(
    desk: Client, lease: Lease, step: str, headers: dict[str, str]
) -> None:
    where = url(lease, step) if "?" not in step else url(lease, step).removesuffix("/")
    answer = desk.post(where, elsewhere(lease), headers=headers)
    text = " ".join(answer.content.decode().split())
    is_part = bool(headers) and step not in ("submit", "verdict")
    assert answer.status_code == (200 if is_part else 409)
    assert TOLD in text
    rating = Rating.objects.get()
    assert rating.submitted_at.strftime("%Y-%m-%dT%H:%M:%S+0000") in text
    assert "This version is saved beside your rating. It does not count." in text
    assert (rating.comment, Draft.objects.get().writer) == ("As it was sent", OTHER)
    both = f"/projects/eggs/ratings/{rating.pk}/?draft={OTHER}"
    assert f'<a href="{both}">Compare both</a>' in text
    text = " ".join(desk.get(both).content.decode().split())
    assert re.search(r"<td[^>]*>As it was sent</td> <td[^>]*>In another window</td>", text)
    assert ">In another window</textarea>" in text


def test_line_ends_and_blanks_make_no_other_rating_of_the_same(desk: Client, lease: Lease) -> None:
    """A browser ends lines by CR and LF where it sends a form by itself, scripts by LF."""
    held = Lease.objects.get(status="live")
    claim = {
        f"r1.fact.1.{name}": said
        for name, said in {"claim": "Two moons ", "outcome": "holds"}.items()
    }
    sources = {"r1.fact.1.sources": "https://a.example\r\nhttps://b.example\r\n"}
    whole = scored(held) | claim | sources | {"comment": "One\r\nTwo"}
    assert desk.post(url(held), whole | page(3), headers=HTMX).status_code == 200
    again = {name: value.replace("\r\n", "\n") for name, value in whole.items()}
    for sent in (whole, again):
        assert desk.post(url(held), sent | page(9), headers=HTMX).status_code == 200
    assert Rating.objects.get(lease=held).comment == "One\nTwo"


def test_a_form_of_an_earlier_lease_from_the_browsers_store_hears_of_the_newer_rating(
    desk: Client, lease: Lease, project: Project, ada: User
) -> None:
    before = Lease.objects.get(status="live")
    Lease.objects.filter(pk=before.pk).update(expires_at=timezone.now())
    since = start(desk, project, ada)
    assert (since.item, since.pk) == (before.item, since.pk)
    assert since.pk != before.pk
    desk.post(url(since), scored(since) | {"comment": "At home"} | page(3), headers=HTMX)
    kept = scored(before) | {"comment": "On a train", "kept": "1"} | page(writer=OTHER)
    answer = desk.post(url(before, "draft"), kept, headers=HTMX)
    assert "You already rated" in answer.content.decode()
    assert Draft.objects.get(item=before.item).answers["comment"] == "On a train"


def test_a_submit_that_is_not_whole_is_told_the_same(desk: Client, lease: Lease) -> None:
    answer = desk.post(url(lease), {"comment": "Half"} | page(writer=OTHER), headers=HTMX)
    assert (answer.status_code, TOLD in answer.content.decode()) == (409, True)


def test_an_open_field_of_a_draft_is_no_difference_from_the_rating(
    desk: Client, lease: Lease
) -> None:
    desk.post(url(lease), {"comment": "Half"} | page(writer=OTHER), headers=HTMX)
    both = f"/projects/eggs/ratings/{Rating.objects.get().pk}/?draft={OTHER}"
    text = desk.get(both).content.decode()
    [table] = re.findall(r'<table class="compared">(.*?)</table>', text, re.DOTALL)
    assert re.findall(r'<th scope="row">(.*?)</th>', table) == ["Comment on the whole item"]


@pytest.mark.parametrize("step", ["draft", "verdict", "submit"])
def test_a_form_equal_to_the_rating_sent_elsewhere_is_no_conflict(
    desk: Client, lease: Lease, step: str
) -> None:
    said = scored(lease) | {"comment": "As it was sent"} | page(writer=OTHER)
    answer = desk.post(url(lease, step), said, headers=HTMX)
    assert (answer.status_code, TOLD in answer.content.decode()) == (200, False)


def test_a_draft_sent_before_the_submit_of_its_own_page_is_ignored(
    desk: Client, lease: Lease
) -> None:
    answer = desk.post(url(lease, "draft"), {"comment": "As it"} | page(2), headers=HTMX)
    assert (answer.status_code, TOLD in answer.content.decode()) == (200, False)
    assert not Draft.objects.exists()
    # What it sends after that, since it never had an answer, is told.
    answer = desk.post(url(lease, "draft"), {"comment": "And more"} | page(4), headers=HTMX)
    assert TOLD in answer.content.decode()


def test_a_corrected_answer_is_no_conflict_others_differ_from_what_stands(
    desk: Client, lease: Lease
) -> None:
    rating = Rating.objects.get()
    correct_rating(
        rating, make_submission(lease=lease, comment="Corrected"), based_on=1, now=timezone.now()
    )
    same = scored(lease) | {"comment": "As it was sent"} | page(writer=OTHER)
    assert desk.post(url(lease, "draft"), same, headers=HTMX).status_code == 200
    assert not Draft.objects.exists()
    assert TOLD in desk.post(url(lease, "draft"), elsewhere(lease), headers=HTMX).content.decode()


def test_two_windows_at_once_the_second_is_told_though_it_came_as_a_first(
    desk: Client, lease: Lease, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = held(ada)
    stale = lease_of(ada, "eggs", again.pk)
    desk.post(url(again), scored(again) | page(), headers=HTMX)
    # It was looked up before the other window's rating was there.
    monkeypatch.setattr("annotators.desk.loading.lease_to_submit", lambda *_: stale)
    answer = desk.post(url(again), elsewhere(again), headers=HTMX)
    assert (answer.status_code, TOLD in answer.content.decode()) == (409, True)


def test_a_correction_begun_elsewhere_is_one_link_away(desk: Client, lease: Lease) -> None:
    where = f"/projects/eggs/ratings/{Rating.objects.get().pk}/"
    begun = scored(lease) | {"comment": "Begun"} | page(writer="3" * 16)
    desk.post(f"{where}draft/", begun, headers=HTMX)
    desk.post(f"{where}draft/", elsewhere(lease), headers=HTMX)
    shown = desk.get(where).content.decode()
    assert ">In another window</textarea>" in shown
    assert f'href="{where}?draft={"3" * 16}">Open that version</a>' in shown


def test_a_form_from_the_browsers_store_has_a_panel_of_its_own(desk: Client, lease: Lease) -> None:
    for step in ("draft", "submit"):
        sent = elsewhere(lease, comment='"><script>') | {"kept": "1"}
        answer = desk.post(url(lease, step), sent, headers=HTMX)
        text = answer.content.decode()
        assert answer.status_code == 200
        assert "You already rated first" in text
        assert 'id="rating"' not in text
        assert f"?draft={OTHER}" in text
    assert Draft.objects.get().answers["comment"] == '"><script>'


def test_a_form_from_the_browsers_store_is_saved_beside_a_newer_draft(
    desk: Client, lease: Lease, ada: User
) -> None:
    again = held(ada)
    desk.post(url(again, "draft"), {"comment": "Here"} | page(), headers=HTMX)
    sent = {"comment": "There", "kept": "1"} | page(writer=OTHER)
    assert desk.post(url(again, "draft"), sent, headers=HTMX).status_code == 200
    shown = desk.get("/projects/eggs/desk/").content.decode()
    assert ">There</textarea>" in shown
    assert f"?draft={ONE}" in shown


def test_where_it_cannot_be_corrected_that_is_said_and_why(desk: Client, lease: Lease) -> None:
    Batch.objects.update(status="closed")
    desk.post(url(lease, "draft"), elsewhere(lease), headers=HTMX)
    both = f"/projects/eggs/ratings/{Rating.objects.get().pk}/?draft={OTHER}"
    text = desk.get(both).content.decode()
    assert "is closed, so its ratings can’t be changed." in text
    assert re.search(r"<td[^>]*>As it was sent</td>\s*<td[^>]*>In another window</td>", text)


def test_a_page_that_says_it_is_there_is_told_too(desk: Client, lease: Lease) -> None:
    answer = desk.post(url(lease, "renew"), headers=HTMX)
    assert answer.status_code == 409
    assert TOLD in answer.content.decode()
    assert "others have its places" not in answer.content.decode()


def test_the_page_that_submitted_is_known(lease: Lease) -> None:
    assert (lease.writer, lease.number) == (ONE, 3)


def test_in_a_browser_what_was_entered_meanwhile_is_one_link_away_whatever_page_one_is_on(
    new_context: Callable[..., BrowserContext], project: Project
) -> None:
    for name in ("first", "second"):
        make_item(
            project=project, batch=project.batches.first(), external_id=name, responses=["Two."]
        )
    page = new_context().new_page()
    log_in(page, "ada")
    take_item(page, "eggs")
    expect(page.locator("h1")).to_contain_text("first")
    with page.context.new_page() as other:
        other.goto("/projects/eggs/desk/")
        expect(other.locator("h1")).to_contain_text("first")
        other.wait_for_function("() => document.activeElement.closest('[data-row]')")
        for key in "a7":
            other.keyboard.press(key)
            await_verdicts(other)
        other.keyboard.press("Control+Enter")
        expect(other.locator("h1")).to_contain_text("second")
    comment = page.get_by_label("Comment on the whole item")
    comment.fill("Not sent of the first")
    expect(page.get_by_role("alert").filter(has_text="You already rated")).to_be_visible()
    expect(page.locator("#draft-state")).to_have_text(SAVED)
    page.goto("/projects/eggs/ratings/last/")
    page.get_by_role("link", name="Open that version").click()
    expect(page.get_by_role("heading", name="This version was not submitted")).to_be_visible()
    expect(comment).to_have_value("Not sent of the first")
    assert Rating.objects.get().comment == ""
