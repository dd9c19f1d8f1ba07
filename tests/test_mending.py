"""What came back to be mended, and may not be any more when its annotator sends it: it stands, they
are told why, and what they wrote is kept."""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import (
    Batch,
    Concern,
    CorpusAnswer,
    Draft,
    Lease,
    Notice,
    Project,
    Rating,
    ReadOnly,
    ReturnedRating,
)
from tests.desk_steps import HTMX, OTHER, diverse, page, scored, start, talked, url
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_submission,
    make_user,
)
from tests.waiting import until_one_waits_for_us

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    """It has a lead, and an item gets one rating."""
    return make_project(slug="eggs", annotators=[ada], leads=[lead], wanted=1)


@pytest.fixture
def lease(desk: Client, project: Project, ada: User, lead: User) -> Lease:
    """Of an item that ada rated and flagged, and that the lead asks her to look at again."""
    make_item(project=project)
    first = start(desk, project, ada)
    desk.post(url(first, "flag"), {"reason": "unclear"}, headers=HTMX)
    desk.post(url(first), scored(first) | {"comment": "At first"} | page(), headers=HTMX)
    Concern.objects.get().decide(
        Concern.Decision.AGAIN, by=lead, now=timezone.now(), answer="Look at it."
    )
    mending = start(desk, project, ada)
    assert mending.revises == first.rating
    return mending


def close_batch() -> None:
    Batch.objects.update(status="closed")


def released_and_batch_closed(lease: Lease) -> None:
    lease.release(now=timezone.now())
    close_batch()


def expired_days_ago_and_batch_closed(lease: Lease) -> None:
    days_ago = timezone.now() - timedelta(days=13)
    Lease.objects.filter(pk=lease.pk).update(expires_at=days_ago)
    Lease.objects.get(pk=lease.pk).expire(now=timezone.now())
    close_batch()


def released_and_project_closed(lease: Lease) -> None:
    lease.release(now=timezone.now())
    Project.objects.update(status="closed")


def released_and_asked_for_no_more(lease: Lease) -> None:
    lease.release(now=timezone.now())
    concern = Concern.objects.get()
    concern.decide(Concern.Decision.SOMEONE_ELSE, by=make_user(), now=timezone.now())
    Project.objects.update(correction_hours=0)


def live_and_batch_closed(lease: Lease) -> None:
    close_batch()


THE_BATCH = "The batch is closed, so its ratings can’t be changed."
STANDS = pytest.mark.parametrize(
    ("happens", "why"),
    [
        (released_and_batch_closed, THE_BATCH),
        (expired_days_ago_and_batch_closed, THE_BATCH),
        (released_and_project_closed, "The project is closed, so its ratings can’t be changed."),
        (
            released_and_asked_for_no_more,
            "In this project, ratings can’t be changed once submitted.",
        ),
        (live_and_batch_closed, THE_BATCH),
    ],
)


def mended(lease: Lease, **said: str) -> dict[str, str]:
    return scored(lease, score=6) | {"comment": "Mended"} | said | page(writer=OTHER)


@STANDS
@pytest.mark.parametrize("headers", [HTMX, {}])
def test_it_stands_and_its_annotator_learns_why_and_loses_nothing(
    desk: Client, lease: Lease, happens: Callable[[Lease], None], why: str, headers: dict[str, str]
) -> None:
    happens(lease)
    where = f"/projects/eggs/ratings/{Rating.objects.get().pk}/"
    for _ in range(2):  # and again, where the answer did not come
        answer = desk.post(url(lease), mended(lease), headers=headers)
        assert answer["HX-Redirect" if headers else "Location"] == where
        assert Rating.objects.count() == 1  # no other revision
        assert Draft.objects.get().answers["comment"] == "Mended"
        assert not Lease.objects.filter(status="live").exists()
    there = " ".join(html.unescape(desk.get(where).content.decode()).split())
    assert why.format(batch=lease.item.batch.name) in there
    assert "You can no longer save what you entered" in there
    assert "We keep it with your rating" in there
    assert re.search(r"<td[^>]*>At first</td> <td[^>]*>Mended</td>", there)


@STANDS
def test_what_a_browser_had_kept_meanwhile_changes_nothing_either(
    desk: Client, lease: Lease, happens: Callable[[Lease], None], why: str
) -> None:
    happens(lease)
    answer = desk.post(url(lease), mended(lease, kept="1"), headers=HTMX)
    text = " ".join(html.unescape(answer.content.decode()).split())
    assert answer.status_code == 409
    assert f"You already rated {lease.item}" in text
    assert why.format(batch=lease.item.batch.name) in text
    assert 'id="rating"' not in text  # the panel alone
    assert Rating.objects.count() == 1
    assert Draft.objects.get().answers["comment"] == "Mended"


def test_what_says_the_same_as_stands_is_told_why_it_stands_and_leaves_nothing(
    desk: Client, lease: Lease
) -> None:
    close_batch()
    answer = desk.post(
        url(lease), scored(lease) | {"comment": "At first"} | page(writer=OTHER), headers=HTMX
    )
    assert answer.status_code == 200
    assert THE_BATCH in html.unescape(answer.content.decode())
    assert (Rating.objects.count(), Draft.objects.exists()) == (1, False)


def test_what_a_browser_had_kept_of_it_and_says_the_same_lends_nothing_anew(
    desk: Client, lease: Lease, project: Project
) -> None:
    close_batch()
    make_item(project=project, batch=make_batch(project=project))
    sent = scored(lease) | {"comment": "At first", "kept": "1"} | page(writer=OTHER)
    answer = desk.post(url(lease), sent, headers=HTMX)
    text = html.unescape(answer.content.decode())
    assert f"{lease.item.external_id} is saved" in text
    assert THE_BATCH in text
    assert not Lease.objects.filter(status="live").exists()


def test_what_is_open_again_goes_on_from_what_was_kept(
    desk: Client, lease: Lease, project: Project, ada: User
) -> None:
    close_batch()
    desk.post(url(lease), mended(lease), headers=HTMX)
    Batch.objects.update(status="open")
    again = start(desk, project, ada)
    assert again.revises == lease.revises
    assert ">Mended</textarea>" in desk.get("/projects/eggs/desk/").content.decode()


def test_what_is_asked_for_is_mended_however_late_and_where_nothing_may_be_corrected(
    desk: Client, lease: Lease
) -> None:
    Project.objects.update(correction_hours=0)
    lease.release(now=timezone.now())
    desk.post(url(lease), mended(lease), headers=HTMX)
    assert [rating.comment for rating in Rating.objects.order_by("revision")] == [
        "At first",
        "Mended",
    ]


def test_what_is_asked_for_may_be_corrected_on_its_page_too_while_another_item_waits_at_the_desk(
    desk: Client, project: Project, lease: Lease, ada: User
) -> None:
    Project.objects.update(correction_hours=0)
    lease.release(now=timezone.now())
    other = make_lease(item=make_item(project=project), annotator=ada)
    rating = Rating.objects.get()
    address = f"/projects/eggs/ratings/{rating.pk}/"
    assert "Look at it." in desk.get(address).content.decode()
    desk.post(f"{address}correct/", scored(lease, 6) | page() | {"revision": "1"}, headers=HTMX)
    assert Rating.objects.current().get().revision == 2
    assert ReturnedRating.objects.get().mended_at is not None
    assert Lease.objects.get(pk=other.pk).status == Lease.Status.LIVE
    shown = desk.get(address).content.decode()
    assert "can’t be changed once submitted" in shown  # nobody asks any more


def test_what_is_not_asked_for_any_more_is_a_correction_while_there_is_time_for_one(
    desk: Client, lease: Lease, lead: User
) -> None:
    Concern.objects.get().decide(Concern.Decision.SOMEONE_ELSE, by=lead, now=timezone.now())
    desk.post(url(lease), mended(lease), headers=HTMX)
    assert [rating.comment for rating in Rating.objects.order_by("revision")] == [
        "At first",
        "Mended",
    ]


def test_what_was_closed_is_not_to_be_kept_longer(desk: Client, lease: Lease) -> None:
    lease.expire(now=lease.expires_at)
    assert lease.renew(now=lease.expires_at)
    lease.expire(now=lease.expires_at)
    close_batch()
    answer = desk.post(url(lease, "renew"), headers=HTMX)
    assert answer.status_code == 409
    assert "others have its places" not in answer.content.decode()


def test_what_was_lent_while_its_correction_was_stored_is_not_held_once_that_is_told(
    desk: Client, lease: Lease
) -> None:
    """It was taken after the correction had looked for what to give back."""
    rating = lease.revises
    assert rating is not None
    assert rating.lease
    lease.release(now=timezone.now())
    rating.correct(
        make_submission(lease=rating.lease, comment="There"), based_on=1, now=timezone.now()
    )
    late = make_lease(
        item=lease.item, annotator=lease.annotator, now=timezone.now(), revises=rating
    )
    answer = desk.post(url(late), mended(late), headers=HTMX)
    assert answer["HX-Redirect"] == f"/projects/eggs/ratings/{rating.pk}/"
    late.refresh_from_db()
    assert late.status == "released"


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_whoever_closes_the_batch_and_is_then_refused(lease: Lease) -> None:
    submission = make_submission(lease=lease, comment="Mended")
    came: list[object] = []

    def submit() -> None:
        try:
            came.append(Lease.objects.get(pk=lease.pk).submit(submission, now=timezone.now()))
        except ReadOnly as refused:
            came.append(refused)
        finally:
            connection.close()

    thread = threading.Thread(target=submit)
    with transaction.atomic():
        close_batch()
        thread.start()
        until_one_waits_for_us()
    thread.join()
    assert isinstance(came[0], ReadOnly)
    assert Rating.objects.count() == 1


def test_an_answer_about_a_corpus_that_came_with_it_is_not_stored_either(
    desk: Client, talk: Project, ada: User
) -> None:
    first = start(desk, talk, ada)
    desk.post(url(first), talked() | diverse("yes", "yes", 5) | page())
    ReturnedRating.objects.send_back(
        Rating.objects.get(), "Look again", cause="flag 1", now=timezone.now()
    )
    Lease.objects.give_back(ada, now=timezone.now())
    mending = start(desk, talk, ada)
    sent = talked() | diverse("no", "no", 2, shown=1) | page(writer=OTHER)
    close_batch()
    assert "/ratings/" in desk.post(url(mending), sent)["Location"]
    assert [each.answer for each in CorpusAnswer.objects.all()] == ["yes"]
    Batch.objects.update(status="open")
    assert desk.post(url(mending), sent).status_code in (200, 302)
    assert [each.answer for each in CorpusAnswer.objects.order_by("revision")] == ["yes", "no"]
    assert Rating.objects.count() == 2


STILL_ASKED = "Saved. You are still asked to check this rating: change it"
UNCHANGED = {"comment": "At first"}
MARKED = UNCHANGED | {"not_sure": "yes"}


def test_a_mark_alone_leaves_the_lead_s_question_open_at_the_desk(
    desk: Client, lease: Lease, project: Project, ada: User, lead: User
) -> None:
    answer = desk.post(url(lease), scored(lease) | MARKED | page(writer=OTHER), headers=HTMX)
    assert STILL_ASKED in answer.content.decode()
    marked = Rating.objects.current().get()
    assert (marked.revision, marked.not_sure) == (2, True)
    assert not Notice.objects.filter(kind=Notice.Kind.MENDED).exists()
    again = start(desk, project, ada)
    assert again.revises == marked
    shown = desk.get("/projects/eggs/desk/").content.decode()
    assert "Look at it." in shown
    # The same once more is an answer: ada has looked, and it stays.
    answer = desk.post(url(again), scored(again) | MARKED | page(writer=OTHER), headers=HTMX)
    assert STILL_ASKED not in answer.content.decode()
    assert ReturnedRating.objects.get().mended_at is not None
    assert Notice.objects.get(kind=Notice.Kind.MENDED).user == lead


def test_a_mark_alone_leaves_it_open_on_the_rating_s_page_and_a_score_settles_it(
    desk: Client, lease: Lease
) -> None:
    address = f"/projects/eggs/ratings/{Rating.objects.get().pk}/"

    def correct(revision: int, form: dict[str, str]) -> str:
        sent = form | page(revision) | {"revision": str(revision)}
        return desk.post(f"{address}correct/", sent, headers=HTMX).content.decode()

    assert STILL_ASKED in correct(1, scored(lease) | MARKED)
    assert STILL_ASKED in correct(2, scored(lease) | UNCHANGED)  # the mark taken back
    assert ReturnedRating.objects.get().rating == Rating.objects.current().get()
    assert "Look at it." in desk.get(address).content.decode()
    assert STILL_ASKED not in correct(3, scored(lease, score=6) | MARKED)
    assert ReturnedRating.objects.get().mended_at is not None


def test_a_lead_who_asks_no_more_is_understood_after_a_mark_too(
    desk: Client, lease: Lease, lead: User
) -> None:
    desk.post(url(lease), scored(lease) | MARKED | page(writer=OTHER), headers=HTMX)
    Concern.objects.get().decide(Concern.Decision.SOMEONE_ELSE, by=lead, now=timezone.now())
    assert ReturnedRating.objects.get().mended_at is not None
