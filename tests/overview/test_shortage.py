"""A project that cannot end says so: ratings that too few people are there to give."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from annotators.models import User
from tasks.models import Concern, Project
from tasks.models.dropping import decide_dropped
from tasks.models.replies import reply_to
from tasks.overview.shortage import Shortage
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_rating,
    make_user,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def lea() -> User:
    return make_user(name="lea")


@pytest.fixture
def pair() -> list[User]:
    return [make_user(name="ada"), make_user(name="ben")]


def study(lea: User, pair: list[User], *, wanted: int) -> Project:
    """Six items, for two people."""
    project = make_project(slug="eggs", leads=[lea], annotators=pair, wanted=wanted)
    batch = make_batch(project=project)
    for _ in range(6):
        make_item(batch=batch)
    return project


def rate(project: Project, people: list[User], number: int = 6) -> None:
    for item in project.items.all()[:number]:
        for person in people:
            make_rating(item=item, annotator=person)


def lacking(project: Project) -> Shortage | None:
    """What the overview says."""
    client = Client()
    client.force_login(User.objects.get(username="lea"))
    found: Shortage | None = client.get(f"/projects/{project.slug}/").context["needs"].shortage
    return found


def words(client: Client, address: str) -> str:
    text = re.sub(r"<[^>]+>", " ", client.get(address).content.decode())
    return re.sub(r"\s+", " ", html.unescape(text))


def test_five_ratings_wanted_of_two_people_are_too_many_from_the_start_to_the_end(
    client: Client, lea: User, pair: list[User]
) -> None:
    client.force_login(lea)
    project = study(lea, pair, wanted=5)
    for person in ([], pair[:1], pair[1:]):
        rate(project, person)
        page, start = words(client, "/projects/eggs/"), words(client, "/")
        assert "Needs you 1 18 ratings can’t come" in page
        assert "Invite people, or want fewer ratings in the settings ." in page
        assert "18 ratings can’t come" in start
        assert "can’t end as it is" in start
    assert lacking(project) == Shortage(18, 2, is_all_done=True)
    assert "Everybody here has rated or skipped all items" in page
    make_membership(project=project, user=make_user())
    assert lacking(project) == Shortage(12, 3, is_all_done=False)
    project.change(wanted=3)
    assert lacking(project) is None
    assert "Nothing right now." in words(client, "/projects/eggs/")


def test_ratings_that_the_people_may_not_give_again_are_lacking(
    lea: User, pair: list[User]
) -> None:
    project = study(lea, pair, wanted=3)
    rate(project, pair, 5)
    last = project.items.last()
    assert last
    make_rating(item=last, annotator=pair[0])
    assert lacking(project) == Shortage(6, 2, is_all_done=False)
    make_lease(item=last, annotator=pair[1]).skip(reason="other", now=NOW)
    assert lacking(project) == Shortage(6, 2, is_all_done=False)  # the lead may give it back
    reply_to(Concern.objects.get(), Concern.Decision.SOMEONE_ELSE, by=lea, now=NOW)
    assert lacking(project) == Shortage(7, 2, is_all_done=True)
    reply_to(Concern.objects.get(), Concern.Decision.AGAIN, by=lea, now=NOW)
    assert lacking(project) == Shortage(6, 2, is_all_done=False)
    decide_dropped(last, True, why="A faulty text.", by=lea, now=NOW)
    assert lacking(project) == Shortage(5, 2, is_all_done=True)


def test_a_batch_that_nobody_left_may_rate_cannot_be_finished(lea: User, pair: list[User]) -> None:
    project = study(lea, pair, wanted=1)
    batch = project.batches.get()
    gone = make_user()
    batch.change(annotators=[gone])
    assert lacking(project) == Shortage(6, 2, is_all_done=True)
    batch.change(annotators=[gone, pair[0]])
    assert lacking(project) is None


@pytest.mark.parametrize("state", ["paused", "closed", "nobody", "inactive", "complete"])
def test_a_project_that_rests_or_has_nobody_or_is_complete_lacks_nobody(
    lea: User, pair: list[User], state: str
) -> None:
    project = study(lea, pair, wanted=2 if state == "complete" else 5)
    rate(project, pair)
    if state in ("paused", "closed"):
        project.change_status(state)
    elif state == "nobody":
        project.memberships.filter(role="annotator").delete()
    elif state == "inactive":
        User.objects.filter(pk__in=[each.pk for each in pair]).update(is_active=False)
    assert lacking(project) is None
