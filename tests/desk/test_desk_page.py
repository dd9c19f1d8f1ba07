"""The reader of the desk's page finds what the loads and the torture need on today's pages."""

from __future__ import annotations

import pytest
from django.test import Client

from annotators.models import User
from benchmarks.desk_page import Page
from tasks.models import Project
from tests.desk_steps import HTMX, ONE, OTHER, held, page, scored, start, url
from tests.factories import make_item

pytestmark = pytest.mark.django_db
DESK = "/projects/eggs/desk/"


@pytest.fixture
def project(project: Project) -> Project:
    """One item, then one with a warning."""
    first = make_item(project=project, external_id="a & b", responses=["One.", "Two."])
    make_item(project=project, batch=first.batch, external_id="second", warning="Blood.")
    return project


def read(desk: Client) -> Page:
    return Page(desk.get(DESK).content.decode())


def test_a_form_says_which_item_and_version_it_shows(
    desk: Client, project: Project, ada: User
) -> None:
    assert (read(desk).start, read(desk).lease) == (f"{DESK}start/", 0)
    lease = start(desk, project, ada)
    saved = desk.post(url(lease, "draft"), page(3) | {"comment": "Hm & so"}, headers=HTMX)
    assert Page(saved.content.decode()).says_saved
    shown = read(desk)
    assert (shown.path, shown.lease) == (f"{DESK}{lease.pk}/", lease.pk)
    assert (shown.start, shown.opening) == ("", "")
    assert (shown.item, shown.comment, shown.shown) == ("a & b", "Hm & so", f"{ONE}.3")
    assert shown.targets == ("r1", "r2")
    assert {"seen", "comment", "r1.comment", "r2.comment"} <= {*shown.fields}
    assert len(shown.writer) == len(ONE)
    assert shown.shows_texts
    beside = desk.post(url(lease, "draft"), page(writer=OTHER), headers=HTMX)
    assert Page(beside.content.decode()).links_to_versions == 1


def test_an_answer_to_submit_is_the_next_page_or_says_why_not(
    desk: Client, project: Project, ada: User
) -> None:
    lease = start(desk, project, ada)

    def send(address: str, answers: dict[str, str]) -> Page:
        return Page(desk.post(address, answers | page(), headers=HTMX).content.decode())

    again = send(url(lease), {})
    assert again.lease == lease.pk
    assert "Response A" in again.refusal
    assert not again.says_saved
    following = send(url(lease), scored(lease))
    assert following.lease == held(ada).pk != lease.pk
    assert following.opening == f"{DESK}{following.lease}/open/"
    assert not following.shows_texts
    assert send(url(lease), scored(lease, 1)).says_rated
    opened = send(following.opening, {})
    assert opened.shows_texts
    last = send(f"{opened.path}submit/", scored(held(ada)))
    assert (last.lease, last.says_nothing_left, last.limit) == (0, True, "")
    listed = Page(desk.get("/projects/eggs/ratings/").content.decode())
    assert len(listed.ratings_of("a & b")) == 1


@pytest.mark.parametrize(
    ("limits", "limit"),
    [({"most_daily": 1}, "daily"), ({"most_warned_daily": 0}, "daily_warned")],
)
def test_the_reader_says_which_limit_of_the_day_was_reached(
    desk: Client, project: Project, ada: User, limits: dict[str, int], limit: str
) -> None:
    Project.objects.update(**limits)
    desk.post(url(start(desk, project, ada)), scored(held(ada)), headers=HTMX)
    assert (read(desk).limit, read(desk).says_nothing_left) == (limit, False)
