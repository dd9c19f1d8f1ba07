"""A batch's name, which may say what its items come from, is for leads alone."""

from __future__ import annotations

from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from annotators import urls
from annotators.models import User
from tasks.models import Batch, Concern, Lease, Notice, Project, Rating, ReturnedRating
from tasks.models.replies import reply_to
from tests.desk_steps import HTMX, held, scored, url
from tests.factories import make_batch, make_item, make_project, make_rating, make_talk, make_user
from tests.invitations import make_link, path_of

pytestmark = pytest.mark.django_db

TELLTALE = "gull-at-temperature-two"
DESK, RATINGS = "/projects/eggs/desk/", "/projects/eggs/ratings/"
PREVIEW = "/projects/eggs/preview/"
CLOSED = "The batch is closed, so its ratings can’t be changed."


class Walker:
    """An annotator's browser that looks for the name in all that it is sent."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.names: set[str | None] = set()  # of the addresses that it was at
        self.told: list[str] = []  # addresses that told the name

    def get(self, address: str, **asked: str) -> str:
        return self._look(address, self.client.get(address, asked))

    def post(self, address: str, said: dict[str, str] | None = None) -> str:
        """The form as a page sends it with HTMX, and as it does without JavaScript."""
        self._look(address, self.client.post(address, said or {}))
        return self._look(address, self.client.post(address, said or {}, headers=HTMX))

    def _look(self, address: str, answer: Any) -> str:
        assert isinstance(answer, HttpResponse | StreamingHttpResponse)
        body = answer.getvalue().decode()
        self.names.add(resolve(address.partition("?")[0]).url_name)
        if TELLTALE in f"{answer.headers}\n{body}":
            self.told.append(address)
        return body


@pytest.fixture
def project(ada: User) -> Project:
    """ada rates in it, and one leads."""
    return make_project(slug="eggs", annotators=[ada], leads=[make_user(name="lea")], wanted=2)


@pytest.fixture
def batch(project: Project) -> Batch:
    return make_batch(project=project, name=TELLTALE, file_name=f"{TELLTALE}.csv")


@pytest.fixture
def walker(client: Client, ada: User) -> Walker:
    client.force_login(ada)
    return Walker(client)


def page(writer: str) -> dict[str, str]:
    return {"draft_writer": writer * 16, "draft_number": "1", "draft_shown": ""}


def walk_to_the_desk(walker: Walker, ada: User) -> None:
    """All that can be done with two items: one is rated, one skipped."""
    walker.get(DESK)
    walker.post(f"{DESK}start/")
    first = held(ada)
    walker.get(DESK)
    walker.post(url(first, "open"))
    walker.get(DESK)
    walker.post(url(first, "texts"), {"show": "difference"})
    walker.post(url(first, "renew"))
    walker.post(f"{url(first, 'verdict')}?row=r1-quality", scored(first))
    for writer in "abc":  # of whom the last two write over the first
        walker.post(url(first, "draft"), {"comment": writer} | page(writer))
    walker.post(url(first, "flag"))
    walker.post(url(first, "flag"), {"reason": "broken"})
    walker.post(url(first))
    walker.post(url(first), scored(first))
    walker.post(url(first), scored(first, 6))  # which says something else
    second = held(ada)
    walker.post(url(second, "skip"))
    walker.post(url(second, "skip"), {"reason": "unclear"})
    walker.post(url(second, "renew"))


def walk_to_a_rating(walker: Walker, rating: Rating, score: int) -> None:
    """Look at it, and try to correct it."""
    assert rating.lease is not None
    said = scored(rating.lease, score) | {"revision": "1"}
    walker.get(RATINGS)
    for step in ("verdict", "draft", "correct"):
        walker.get(f"{RATINGS}{rating.pk}/")
        walker.post(f"{RATINGS}{rating.pk}/{step}/", said | page("d"))


def walk_elsewhere(walker: Walker) -> None:
    """Every page that is not about one item, and those that are for leads."""
    for address in ("/", "/profile/", "/work/", "/work/own-data.csv", DESK, f"{RATINGS}last/"):
        walker.get(address)
    walker.get(PREVIEW)  # which is for leads
    for step in ("verdict", "submit", "texts"):
        walker.post(f"{PREVIEW}{step}/")
    walker.get(f"{PREVIEW}corpus/?model=m1")
    walker.get("/inbox/")
    walker.post(f"/inbox/{Notice.objects.earliest('pk').pk}/")
    walker.post("/inbox/read/")
    walker.get(RATINGS, q=TELLTALE.partition("-")[0])
    walker.post("/profile/sessions/end/", {"session": "others"})
    walker.get("/profile/data/")
    walker.get("/people/1/erase/")
    for step in ("1/", "1/verdict/", "1/submit/", "1/texts/", "1/corpus/", "1/panel/", "paste/"):
        walker.post(f"/rubric-drafts/1/try/{step}")
    Project.objects.filter(slug="eggs").update(practice="offered")
    walker.get("/projects/eggs/practice/")
    walker.post("/projects/eggs/practice/start/")
    for step in ("", "1/"):
        walker.get(f"/projects/eggs/practice/1/{step}")
    for step in ("verdict", "texts", "submit", "disagree"):
        walker.post(f"/projects/eggs/practice/1/1/{step}/")
    walker.get("/projects/eggs/practice/1/1/corpus/?model=m1")
    for leads in ("", "items/", "batches/1/", "export/", "ratings.csv"):
        walker.get(f"/projects/eggs/{leads}")


def test_no_page_or_file_of_an_annotator_has_the_name_of_a_batch(
    walker: Walker, ada: User, batch: Batch
) -> None:
    make_item(batch=batch, warning="Blood.")
    make_item(batch=batch)
    Notice.objects.tell_of_batches(batch.project_id, now=timezone.now())
    walk_to_the_desk(walker, ada)
    rated = Rating.objects.get(annotator=ada)
    for number, status in enumerate((Batch.Status.PAUSED, Batch.Status.CLOSED)):
        Batch.objects.update(status=status)
        walk_to_a_rating(walker, rated, 6 + number % 2)
        walk_elsewhere(walker)
    assert (
        walker.get(RATINGS).count(CLOSED) == walker.get(f"{RATINGS}{rated.pk}/").count(CLOSED) == 1
    )
    latest = Rating.objects.current().get(annotator=ada)
    ReturnedRating.objects.send_back(latest, "Look again.", cause="flag 1", now=timezone.now())
    skipped = Concern.objects.get(kind="skip")
    reply_to(skipped, Concern.Decision.DROP, by=ada, now=timezone.now(), answer="Thanks.")
    walk_elsewhere(walker)
    Batch.objects.update(status=Batch.Status.OPEN)
    walker.get(DESK)
    Batch.objects.update(status=Batch.Status.CLOSED)
    assert rated.lease
    sent = scored(rated.lease, 5) | {"revision": str(latest.revision)}
    assert CLOSED in walker.post(f"{RATINGS}{latest.pk}/correct/", sent)
    walker.get(path_of(make_link(make_project(leads=[make_user()]))))
    talk = make_talk(annotators=[ada])
    Batch.objects.filter(project=talk).update(name=TELLTALE)
    walker.post("/projects/talk/desk/start/")
    walker.get(url(Lease.objects.get(annotator=ada, project=talk), "corpus") + "?model=m1")

    every = {pattern.name for pattern in urls.urlpatterns}
    assert every - walker.names == set(), "addresses that nobody walks to: add them here"
    assert walker.told == []


def test_the_lead_sees_the_name(client: Client, project: Project, batch: Batch) -> None:
    lea = project.memberships.get(role="lead").user
    client.force_login(lea)
    make_rating(item=make_item(batch=batch))
    walker = Walker(client)
    addresses = [
        "/projects/eggs/items/",
        f"/projects/eggs/batches/{batch.pk}/",
        "/projects/eggs/export/",
        "/projects/eggs/ratings.csv",
    ]
    for address in addresses:
        walker.get(address)
    assert walker.told == addresses
