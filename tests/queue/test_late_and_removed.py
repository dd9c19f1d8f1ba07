"""Who was removed does nothing more in the project, but for what was on their desk; and what was a
member's long ago counts no more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import Concern, Draft, Item, Lease, Membership, Notice, Project, Rating
from tasks.queue.live_leases import lease_of
from tasks.queue.submitting import submit_lease
from tests.addresses import addresses
from tests.desk_steps import HTMX, OTHER, page, scored, start, url
from tests.factories import (
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_submission,
    make_user,
)
from tests.waiting import at_once

pytestmark = pytest.mark.django_db

STEPS = ("open", "verdict", "draft", "texts", "submit", "skip", "flag", "renew", "corpus")
TEXT = "Two: Phobos and Deimos."
REASON = {"reason": "broken"}


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    """It has a lead, and an item gets one rating."""
    return make_project(slug="eggs", annotators=[ada], leads=[lead], wanted=1)


@pytest.fixture
def held(desk: Client, project: Project, ada: User) -> Lease:
    """The item on ada's desk."""
    make_item(project=project)
    return start(desk, project, ada)


def ended(lease: Lease, days: float) -> Lease:
    """The lease, which came to its end by the clock so many days ago."""
    at = timezone.now() - timedelta(days=days)
    Lease.objects.filter(pk=lease.pk).update(
        status="expired", started_at=at - timedelta(hours=1), expires_at=at, ended_at=at
    )
    lease.refresh_from_db()
    return lease


def removed(project: Project, ada: User, *, days: float = 0) -> None:
    """ada was removed so many days ago."""
    assert project.change_roles(ada, ())
    Lease.objects.filter(status="removed").update(ended_at=timezone.now() - timedelta(days=days))


def counted(lease: Lease) -> tuple[int, int]:
    item = Item.objects.get(pk=lease.item_id)
    return item.counted, item.reserved


# --- removed ---


def test_a_removed_annotator_finds_nothing_at_any_address_of_the_project(
    desk: Client, held: Lease, project: Project, ada: User
) -> None:
    desk.post(url(held), scored(held) | page(), headers=HTMX)
    rating = Rating.objects.get()
    make_item(project=project)
    held = start(desk, project, ada)
    removed(project, ada)
    for written, _example in addresses():
        if not written.startswith("projects/<slug"):
            continue
        where = written.replace("<slug:slug>", "eggs").replace("<int:lease>", str(held.pk))
        pk = rating.pk if "/ratings/" in written else held.pk
        where = where.replace("<slug:table>", "overall")
        where = f"/{where.replace('<int:pk>', str(pk)).replace('<int:user>', str(ada.pk))}"
        # A GET of a step leads to its page, which isn't there.
        assert desk.get(where, follow=True).status_code == 404, where
        if written.endswith("/") and where != url(held):
            form = scored(held) | REASON | {"revision": "1"} | page()
            assert desk.post(where, form, headers=HTMX).status_code in (404, 405), where
    for where in ("/", "/inbox/", "/work/", "/work/own-data.csv", "/profile/"):
        assert desk.get(where).status_code == 200
    assert (Rating.objects.count(), Draft.objects.count(), Concern.objects.count()) == (1, 0, 0)


@pytest.mark.parametrize("days", [0.5, 20])
@pytest.mark.parametrize("step", STEPS)
def test_with_a_lease_that_had_ended_before_nothing_is_shown_told_or_stored(
    desk: Client, held: Lease, project: Project, ada: User, step: str, days: float
) -> None:
    ended(held, days)
    removed(project, ada)
    form = scored(held) | REASON | page() | {"comment": "x" * 900}
    for headers in (HTMX, {}):
        answer = desk.post(url(held, step), form, headers=headers)
        assert answer.status_code in (404, 405)
        assert TEXT not in answer.content.decode()
    assert (Rating.objects.count(), Draft.objects.count(), Concern.objects.count()) == (0, 0, 0)
    assert not Notice.objects.exclude(kind="added").exists()


@pytest.mark.parametrize("more", [{}, {"kept": "1"}])
def test_an_item_on_the_desk_at_a_removal_is_stored_as_extra_for_that_reason(
    desk: Client, held: Lease, project: Project, ada: User, more: dict[str, str]
) -> None:
    removed(project, ada, days=0.9)
    said = "you no longer rated in the project"
    for _twice in range(2):
        answer = desk.post(url(held), scored(held) | page() | more, headers=HTMX)
        assert answer.status_code == 200
        assert more or answer.headers["HX-Redirect"] == "/"
        told = answer.content if more else desk.get("/").content
        assert said in told.decode()
    rating = Rating.objects.get()
    assert (rating.kind, rating.extra_because, rating.lease) == ("extra", "removed", held)
    assert counted(held) == (0, 0)
    another = scored(held, score=6) | page(2)
    assert desk.post(url(held), another, headers=HTMX).status_code == 404


def test_an_incomplete_rating_or_one_a_day_after_the_removal_is_not_stored(
    desk: Client, held: Lease, project: Project, ada: User
) -> None:
    removed(project, ada, days=0.9)
    answer = desk.post(url(held), {"comment": "Half"} | page(), headers=HTMX)
    assert (answer.status_code, Draft.objects.exists()) == (404, False)
    Lease.objects.update(ended_at=timezone.now() - timedelta(days=1, minutes=1))
    assert desk.post(url(held), scored(held) | page(), headers=HTMX).status_code == 404
    assert not Rating.objects.exists()


def test_a_removal_by_the_administration_does_the_same(
    desk: Client, held: Lease, project: Project, ada: User, lead: User, client: Client
) -> None:
    Membership.objects.get(user=ada).delete()  # and the lease is not given back yet
    assert desk.post(url(held, "verdict"), scored(held), headers=HTMX).status_code == 404
    assert desk.post(url(held), scored(held) | page(), headers=HTMX).status_code == 200
    assert Rating.objects.get().extra_because == "removed"
    held.refresh_from_db()
    assert (held.status, counted(held)) == ("submitted", (0, 0))


def test_an_annotator_who_was_let_in_again_may_submit_late(
    desk: Client, held: Lease, project: Project, ada: User
) -> None:
    removed(project, ada)
    make_membership(project=project, user=ada)
    desk.post(url(held), scored(held) | page(), headers=HTMX)
    assert (Rating.objects.get().kind, counted(held)[0]) == ("counted", 1)


def test_a_removal_between_the_look_up_and_the_submit_is_seen(
    held: Lease, project: Project, ada: User
) -> None:
    stale = lease_of(ada, "eggs", held.pk)
    assert stale
    removed(project, ada)
    rating = submit_lease(stale, make_submission(lease=stale), now=timezone.now())
    assert (rating.kind, rating.extra_because) == ("extra", "removed")


@pytest.mark.django_db(transaction=True)
def test_a_submit_and_the_removal_at_once_give_one_rating_and_free_the_place() -> None:
    for _ in range(8):
        ada = make_user()
        project = make_project(annotators=[ada], wanted=1)
        lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
        said = make_submission(lease=lease)
        whole = lease_of(ada, project.slug, lease.pk)
        assert whole
        acts: list[Callable[[], object]] = [
            partial(submit_lease, whole, said, now=timezone.now()),
            partial(project.change_roles, ada, ()),
        ]
        at_once(acts)
        rating = Rating.objects.get(lease=lease)
        assert counted(lease) == (int(rating.kind == "counted"), 0)
        assert (rating.kind, rating.extra_because) in (("counted", ""), ("extra", "removed"))


# --- long ago ---


def test_a_lease_that_ended_more_than_fourteen_days_ago_stores_as_extra(
    desk: Client, held: Lease, project: Project
) -> None:
    ended(held, 14.1)
    answer = desk.post(url(held), scored(held) | page(), headers=HTMX)
    assert "your time for the item had ended more than 14 days before" in answer.content.decode()
    rating = Rating.objects.get()
    assert (rating.kind, rating.extra_because) == ("extra", "late")
    assert counted(held) == (0, 0)


def test_a_late_rating_within_fourteen_days_counts_where_there_is_a_place(
    desk: Client, held: Lease
) -> None:
    ended(held, 13.9)
    assert TEXT in desk.post(url(held, "verdict"), scored(held) | page()).content.decode()
    desk.post(url(held), scored(held) | page(2), headers=HTMX)
    assert (Rating.objects.get().kind, counted(held)[0]) == ("counted", 1)


def test_a_lease_that_nobody_ended_is_over_by_the_clock(desk: Client, held: Lease) -> None:
    Lease.objects.update(expires_at=timezone.now() - timedelta(days=20))
    assert desk.post(url(held, "renew"), headers=HTMX).status_code == 409
    desk.post(url(held), scored(held) | page(), headers=HTMX)
    assert Rating.objects.get().extra_because == "late"
    assert counted(held) == (0, 0)


@pytest.mark.parametrize("headers", [HTMX, {}])
@pytest.mark.parametrize("step", ["verdict", "verdict/?row=r1-quality", "texts", "open", "submit"])
def test_the_desk_of_a_long_ended_lease_shows_its_end_instead_of_the_texts(
    desk: Client, held: Lease, step: str, headers: dict[str, str]
) -> None:
    ended(held, 20)
    at = timezone.now().replace(month=11, day=10, hour=12)
    at = at if at < timezone.now() - timedelta(days=14) else at.replace(year=at.year - 1)
    Lease.objects.update(ended_at=at)
    where = url(held, step) if "?" not in step else url(held, step).removesuffix("/")
    answer = desk.post(where, {"comment": "Half"} | page(), headers=headers)
    text = " ".join(answer.content.decode().split())
    assert f"This item was yours until 10 Nov {at.year}." in text
    assert TEXT not in text
    assert answer.headers["HX-Retarget"] == "#desk"
    assert Draft.objects.get().answers["comment"] == "Half"


def test_the_corpus_of_a_long_ended_lease_shows_no_texts(
    desk: Client, talk: Project, ada: User
) -> None:
    lease = start(desk, talk, ada)
    where = url(lease, "corpus") + "?model=m1"
    assert "reply 3" in desk.get(where).content.decode()
    ended(lease, 15)
    text = desk.get(where).content.decode()
    assert "This item was yours until" in text
    assert "reply 3" not in text


def test_a_draft_of_another_page_stays_beside_a_late_rating(desk: Client, held: Lease) -> None:
    desk.post(url(held, "draft"), {"comment": "On a train"} | page(writer=OTHER), headers=HTMX)
    ended(held, 15)
    answer = desk.post(url(held), scored(held) | {"comment": "At home"} | page(), headers=HTMX)
    assert (answer.status_code, TEXT in answer.content.decode()) == (200, False)
    assert Rating.objects.get().comment == "At home"
    assert Draft.objects.get().answers == {"comment": "On a train"}
