"""Rows changed by hand: an answer that the rubric lacks is named, and no page fails for it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from annotators.models import User
from tasks.models import CorpusAnswer, Draft, Membership, Project, Rating, Score
from tests.desk_steps import HTMX, OTHER, diverse, page, scored, start, talked, url
from tests.factories import make_item, make_membership

pytestmark = pytest.mark.django_db
SAID = "“bogus”, which the rubric does not have"


def words(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return re.sub(r"\s+", " ", answer.content.decode())


def spoil() -> None:
    """Give every answer of every score a code that no rubric has, and add a check."""
    for score in Score.objects.all():
        score.checks = dict.fromkeys([*score.checks, "gone"], "bogus")
        score.save(update_fields=["checks"])
    CorpusAnswer.objects.update(answer="bogus")


def see(client: Client, project: Project, lead: User) -> None:
    """Look at every page of a lead that shows ratings."""
    make_membership(project=project, user=lead, role=Membership.Role.LEAD)
    client.force_login(lead)
    where = f"/projects/{project.slug}/"
    assert SAID in words(client, f"{where}items/{Rating.objects.latest('pk').item_id}/")
    for name in ("", "items/?q=rain", "agreement/", "agreement/?measure=same", "export/"):
        words(client, where + name)


def test_a_rating_of_responses_names_it_and_is_corrected(
    desk: Client, project: Project, ada: User, lead: User
) -> None:
    make_item(project=project)
    lease = start(desk, project, ada)
    desk.post(url(lease), scored(lease) | page(), headers=HTMX)
    spoil()
    where = f"/projects/eggs/ratings/{Rating.objects.get().pk}/"
    assert SAID in words(desk, where)
    assert SAID in words(desk, "/projects/eggs/ratings/")
    Project.objects.update(correction_hours=0)  # to be read only
    words(desk, where)
    Project.objects.update(correction_hours=None)
    form = scored(lease) | page() | {"revision": "1", "comment": "Anew"}
    assert desk.post(f"{where}correct/", form, headers=HTMX).status_code == 200
    assert "bogus" not in str(list(Rating.objects.current().get().scores.values("checks")))
    spoil()
    see(desk, project, lead)


def test_a_rating_of_dialogues_names_it_and_the_desk_asks_anew(
    desk: Client, talk: Project, ada: User, lead: User
) -> None:
    lease = start(desk, talk, ada)
    desk.post(url(lease), talked() | diverse("yes", "yes", 5) | page(), headers=HTMX)
    spoil()
    assert SAID in words(desk, f"/projects/talk/ratings/{Rating.objects.get().pk}/")
    words(desk, "/projects/talk/desk/")
    lease = start(desk, talk, ada)
    sent = talked() | diverse("no", "no", 2, shown="yes") | page(writer=OTHER)
    assert desk.post(url(lease), sent, headers=HTMX).status_code == 200
    assert set(CorpusAnswer.objects.values_list("answer", flat=True)) == {"bogus", "no"}
    spoil()
    see(desk, talk, lead)


def test_a_draft_with_one_is_shown_without_it(desk: Client, talk: Project, ada: User) -> None:
    lease = start(desk, talk, ada)
    desk.post(url(lease, "draft"), talked() | page(), headers=HTMX)
    draft = Draft.objects.get()
    draft.answers |= {"r1.consistency.contradicts": "bogus", "r1.gone.gone": "bogus"}
    draft.save(update_fields=["answers"])
    assert "bogus" not in words(desk, "/projects/talk/desk/")
