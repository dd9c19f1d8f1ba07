"""What came back: the desk offers it before the next item, and it is answered on its own page, as
long as it waits and however late; an answer is stored once."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import (
    Batch,
    Concern,
    Draft,
    Item,
    Lease,
    Membership,
    Notice,
    Project,
    Rating,
    ReturnedRating,
)
from tasks.models.replies import reply_to
from tasks.queue.submitting import Outdated, correct_rating
from tests.desk_steps import HTMX, OTHER, held, page, scored, start, url
from tests.factories import make_item, make_lease, make_project, make_submission, make_user
from tests.waiting import at_once

pytestmark = pytest.mark.django_db

DESK = "/projects/eggs/desk/"
AT_FIRST = {"comment": "At first"}
MARKED = AT_FIRST | {"not_sure": "yes"}
STILL_ASKED = "Saved. You are still asked to check this rating: change it, or submit it as it is."


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    """It has a lead, an item gets one rating, and none may be corrected."""
    return make_project(slug="eggs", annotators=[ada], leads=[lead], wanted=1, correction_hours=0)


@pytest.fixture
def back(desk: Client, project: Project, ada: User, lead: User) -> Rating:
    """What ada said of an item, and flagged, and the lead asks her to look at again."""
    make_item(project=project, external_id="first")
    lease = start(desk, project, ada)
    desk.post(url(lease, "flag"), {"reason": "unclear"}, headers=HTMX)
    desk.post(url(lease), scored(lease) | AT_FIRST | page(), headers=HTMX)
    again = Concern.Decision.AGAIN
    reply_to(Concern.objects.get(), again, by=lead, now=timezone.now(), answer="Look at it.")
    return Rating.objects.get()


def text(answer: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def of(rating: Rating, step: str = "") -> str:
    return f"/projects/eggs/ratings/{rating.pk}/" + (f"{step}/" if step else "")


def answer(
    desk: Client,
    rating: Rating,
    said: dict[str, str] = AT_FIRST,
    *,
    score: int = 7,
    revision: int = 1,
) -> Any:
    assert rating.lease
    sent = scored(rating.lease, score) | said | {"revision": str(revision)}
    return desk.post(of(rating, "correct"), sent | page(writer=OTHER), headers=HTMX)


@pytest.mark.parametrize("headers", [HTMX, {}])
def test_the_desk_offers_it_before_the_next_item_and_leases_nothing_meanwhile(
    desk: Client, project: Project, ada: User, back: Rating, headers: dict[str, str]
) -> None:
    following = make_item(project=project, warning="Blood")
    shown = desk.post(f"{DESK}start/", headers=headers, follow=True)
    assert "Look at it." in text(shown)
    assert f'href="{of(back)}"' in shown.content.decode()
    assert not Lease.objects.filter(status="live").exists()
    assert "Look at it." in text(desk.get(of(back)))
    answer(desk, back, score=6)
    assert start(desk, project, ada).item == following


def test_the_warning_of_a_returned_item_is_read_before_its_texts(
    desk: Client, back: Rating
) -> None:
    Item.objects.update(warning="Violence")
    shown = desk.get(DESK)
    assert "The item has a warning: Violence" in text(shown)
    assert back.item.messages[-1]["text"] not in text(shown)


def test_an_item_that_is_held_stays_at_the_desk(
    desk: Client, project: Project, ada: User, back: Rating
) -> None:
    lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
    assert f'action="{url(lease)}"' in desk.get(DESK).content.decode()
    answer(desk, back, score=6)
    assert held(ada) == lease


def test_an_answer_is_a_revision_whatever_the_hours_and_the_leads_are_told(
    desk: Client, back: Rating, lead: User
) -> None:
    assert "Your first answers are kept" in text(answer(desk, back, {"comment": "Then so"}))
    first, second = Rating.objects.order_by("revision")
    assert (first.comment, second.comment, second.supersedes) == ("At first", "Then so", first)
    assert (second.kind, second.lease) == ("counted", None)
    assert ReturnedRating.objects.get().settled_at is not None
    assert Notice.objects.get(kind=Notice.Kind.REVISED).user == lead
    assert "can’t be changed once submitted" in text(desk.get(of(back)))  # nobody asks any more


def test_an_unchanged_answer_to_a_returned_rating_is_stored_once(
    desk: Client, back: Rating
) -> None:
    assert "Your first answers are kept" in text(answer(desk, back))
    assert answer(desk, back).status_code == 200  # sent again
    assert Rating.objects.count() == 2
    assert ReturnedRating.objects.get().settled_at is not None


@pytest.mark.django_db(transaction=True)
def test_two_windows_answer_at_once_and_one_of_them_is_stored(desk: Client, back: Rating) -> None:
    assert back.lease

    def correct(comment: str) -> object:
        assert back.lease
        said = make_submission(lease=back.lease, comment=comment)
        try:
            return correct_rating(
                Rating.objects.get(pk=back.pk), said, based_on=1, now=timezone.now()
            )
        except Outdated as refused:
            return refused

    came = at_once([partial(correct, "One"), partial(correct, "Two")])
    assert sorted(type(each).__name__ for each in came) == ["Outdated", "Rating"]
    assert Rating.objects.count() == 2


def close_batch(lead: User) -> None:
    Batch.objects.update(status="closed")


def close_project(lead: User) -> None:
    Project.objects.update(status="closed")


def ask_no_more(lead: User) -> None:
    reply_to(Concern.objects.get(), Concern.Decision.SOMEONE_ELSE, by=lead, now=timezone.now())


@pytest.mark.parametrize(
    ("happens", "why"),
    [
        (close_batch, "The batch is closed, so its ratings can’t be changed."),
        (close_project, "The project is closed, so its ratings can’t be changed."),
        (ask_no_more, "In this project, ratings can’t be changed once submitted."),
    ],
)
def test_a_returned_rating_that_can_no_longer_be_answered_keeps_what_was_entered(
    desk: Client, back: Rating, lead: User, happens: Callable[[User], None], why: str
) -> None:
    happens(lead)
    refused = answer(desk, back, {"comment": "Too late"})
    assert refused.status_code == 409
    for shown in (refused, desk.get(of(back))):
        assert why in text(shown)
        assert "You can no longer save what you entered" in text(shown)
    assert Rating.objects.count() == 1
    assert Draft.objects.get().answers["comment"] == "Too late"
    assert "Look at it." not in text(desk.get(DESK))


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_a_project_that_is_not_open_asks_for_nothing(
    desk: Client, back: Rating, status: str
) -> None:
    Project.objects.update(status=status)
    assert f"This project is {status}." in text(desk.get(DESK))


def test_an_item_that_was_dropped_meanwhile_can_still_be_answered(
    desk: Client, back: Rating
) -> None:
    Item.objects.update(dropped=True)
    answer(desk, back, score=6)
    assert Rating.objects.count() == 2


def test_a_removed_annotator_cannot_answer_a_returned_rating(desk: Client, back: Rating) -> None:
    Membership.objects.filter(role="annotator").delete()
    assert answer(desk, back, score=6).status_code == 404
    assert Rating.objects.count() == 1


def test_a_mark_alone_leaves_it_open_and_a_score_settles_it(desk: Client, back: Rating) -> None:
    assert STILL_ASKED in text(answer(desk, back, MARKED))
    assert STILL_ASKED in text(answer(desk, back, revision=2))  # the mark taken back
    assert ReturnedRating.objects.get().rating == Rating.objects.current().get()
    assert not Notice.objects.filter(kind=Notice.Kind.REVISED).exists()
    assert "Look at it." in text(desk.get(DESK))
    assert STILL_ASKED not in text(answer(desk, back, MARKED, revision=3, score=6))
    assert ReturnedRating.objects.get().settled_at is not None


def test_a_lead_who_asks_no_more_is_understood_after_a_mark_too(
    desk: Client, back: Rating, lead: User
) -> None:
    answer(desk, back, MARKED)
    ask_no_more(lead)
    assert ReturnedRating.objects.get().settled_at is not None


def test_a_returned_rating_comes_to_its_annotator_only(
    client: Client, back: Rating, project: Project
) -> None:
    ben = make_user(name="ben")
    project.memberships.create(user=ben, role="annotator")
    client.force_login(ben)
    assert "Look at it." not in text(client.get(DESK))
    assert client.get(of(back)).status_code == 404
