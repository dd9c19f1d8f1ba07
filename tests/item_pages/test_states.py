"""Whatever comes in the way says three things: what happened, that nothing is lost, and what to
do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any
from unittest import mock

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from django.utils import timezone

from annotators.models import User
from config import outage
from tasks.models import Lease, Project, ReturnedRating
from tests.desk_steps import HTMX
from tests.factories import (
    ROOT,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_user,
)
from tests.invitations import DAY, make_email, path_of

pytestmark = pytest.mark.django_db
DESK = "/projects/eggs/desk/"
SAFE_AT_DESK = "All your ratings are saved. You find them in My work."


@dataclass
class Scene:
    """Someone who rates in a project with one item, and their browser."""

    client: Client
    ada: User
    project: Project

    def lend(self, **fields: Any) -> Lease:
        return make_lease(
            item=make_item(project=self.project), annotator=self.ada, now=timezone.now(), **fields
        )


@pytest.fixture
def scene() -> Scene:
    ada = make_user(name="ada", time_zone="Asia/Tokyo")
    client = Client(raise_request_exception=False)
    client.force_login(ada)
    return Scene(client, ada, make_project(slug="eggs", annotators=[ada], wanted=1))


# --- how one comes into each state ---


def with_others(scene: Scene) -> Any:
    make_lease(item=make_item(project=scene.project), annotator=make_user(), now=timezone.now())
    return scene.client.get(DESK)


def late_for_an_invitation(scene: Scene) -> Any:
    project = make_project(leads=[make_user(name="lea")])
    invitation = make_email(project, now=timezone.now() - 8 * DAY)
    return scene.client.get(path_of(invitation))


def of_the_project(status: str) -> Callable[[Scene], Any]:
    def come(scene: Scene) -> Any:
        make_item(project=scene.project)
        Project.objects.update(status=status)
        return scene.client.get(DESK)

    return come


def came_back(scene: Scene) -> Any:
    rating = make_rating(item=make_item(project=scene.project), annotator=scene.ada)
    ReturnedRating.objects.send_back(rating, "Is it true?", cause="", now=timezone.now())
    return scene.client.get(DESK)


def not_introduced(scene: Scene) -> Any:
    Project.objects.update(introduction="These are eggs.", introduced_at=timezone.now())
    make_item(project=scene.project)
    return scene.client.get(DESK)


def has_not_practised(scene: Scene) -> Any:
    Project.objects.update(practice="required")
    make_item(project=scene.project)
    return scene.client.get(DESK)


def in_paused_batches(scene: Scene) -> Any:
    make_item(batch=make_batch(project=scene.project, status="paused"))
    return scene.client.get(DESK)


def in_closed_batches(scene: Scene) -> Any:
    make_item(batch=make_batch(project=scene.project, status="closed"))
    return scene.client.get(DESK)


def in_a_batch_that_goes_on(scene: Scene) -> Any:
    make_batch(project=scene.project, complete=False)
    return scene.client.get(DESK)


def sent_when_signed_out(scene: Scene) -> Any:
    lease = scene.lend()
    scene.client.session.flush()
    return scene.client.post(f"{DESK}{lease.pk}/verdict/", {"comment": "Half of it"})


def long_over(scene: Scene) -> Any:
    lease = scene.lend()
    ended = timezone.now() - timedelta(days=20)
    Lease.objects.update(started_at=ended, expires_at=ended)
    return scene.client.post(f"{DESK}{lease.pk}/verdict/", {"comment": "Half of it"})


def enough_for_today(scene: Scene) -> Any:
    Project.objects.update(most_daily=1)
    now = timezone.now()
    make_rating(
        item=make_item(project=scene.project), annotator=scene.ada, now=now, submitted_at=now
    )
    make_item(project=scene.project)
    return scene.client.get(DESK)


def enough_warnings_for_today(scene: Scene) -> Any:
    Project.objects.update(most_warned_daily=1)
    today = scene.ada.today(timezone.now())
    scene.ada.workdays.create(project=scene.project, day=today, opened=1)
    make_item(project=scene.project, warning="Speaks of war.")
    return scene.client.get(DESK)


def signed_out(scene: Scene) -> Any:
    scene.client.logout()
    return scene.client.get(DESK, follow=True)


def draft_of_two_windows(scene: Scene) -> Any:
    lease = scene.lend()
    said = {"draft_number": "1"}
    draft = f"{DESK}{lease.pk}/draft/"
    first = scene.client.post(
        draft, {**said, "draft_writer": "a" * 16, "comment": "Here."}, headers=HTMX
    )
    assert first.status_code == 200
    scene.client.post(draft, {**said, "draft_writer": "b" * 16, "comment": "There."}, headers=HTMX)
    return scene.client.get(DESK)


def lease_of_old(scene: Scene) -> Any:
    lease = scene.lend()
    lease.release(now=timezone.now())
    make_lease(item=lease.item, annotator=make_user(), now=timezone.now())
    return scene.client.post(f"{DESK}{lease.pk}/renew/", headers=HTMX)


def form_of_an_earlier_sign_in(scene: Scene) -> Any:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(scene.ada)
    return strict.post(f"{DESK}start/")


def cut_short(scene: Scene) -> Any:
    with override_settings(DATA_UPLOAD_MAX_NUMBER_FIELDS=1):
        return scene.client.post(f"{DESK}start/", {"one": "1", "two": "2"})


def too_large(scene: Scene) -> Any:
    return scene.client.post(f"{DESK}start/", {"one": "x" * (17 * 2**20)})


def too_often(scene: Scene) -> Any:
    scene.client.logout()
    with override_settings(ACCOUNT_RATE_LIMITS={"login": "1/m/ip"}):
        answers = [
            scene.client.post("/accounts/login/", {"login": "ada", "password": "no"}) for _ in "12"
        ]
    cache.clear()
    return answers[-1]


def broken(scene: Scene) -> Any:
    with mock.patch("annotators.desk.views.show_next", side_effect=RuntimeError("on purpose")):
        return scene.client.get(DESK)


def database_away(scene: Scene) -> Any:
    with mock.patch.object(outage.last_wait, "is_fresh", return_value=True):
        return scene.client.get(DESK)


def desk(scene: Scene) -> Any:
    scene.lend()
    return scene.client.get(DESK)


# State → how one comes there, its status, and the three things: happened, nothing lost, what to do.
STATES: dict[str, tuple[Callable[[Scene], Any], int, str, str, str]] = {
    "out": (
        with_others,
        200,
        "Others are rating all remaining items right now.",
        SAFE_AT_DESK,
        "you can get it. Come back then.",
    ),
    "introduction": (not_introduced, 200, "These are eggs.", "eggs.", "Go on to rating"),
    "practice": (
        has_not_practised,
        200,
        "Practise first: rate 8 examples of the rubric",
        "see after each what it should be, and why",
        "Start practising",
    ),
    "returned": (came_back, 200, "This item is back", "Is it true?", "Check again"),
    "daily": (
        enough_for_today,
        200,
        "You have reached today’s limit of 1 item.",
        SAFE_AT_DESK,
        "You can go on tomorrow. Your day ends at midnight (Asia/Tokyo).",
    ),
    "daily_warned": (
        enough_warnings_for_today,
        200,
        "All items left for you have a warning, and you have reached today’s limit of 1 such item.",
        SAFE_AT_DESK,
        "You can go on tomorrow. Your day ends at midnight (Asia/Tokyo).",
    ),
    "long_over": (
        long_over,
        200,
        "This item was yours until",
        SAFE_AT_DESK,
        "If it comes back to you, what you had entered is there.",
    ),
    "batches_paused": (
        in_paused_batches,
        200,
        "More items are in paused batches. The lead decides when they open again.",
        SAFE_AT_DESK,
        "Come back later, or ask the lead when.",
    ),
    "goes_on": (
        in_a_batch_that_goes_on,
        200,
        "You have rated everything so far. More items are coming.",
        SAFE_AT_DESK,
        "Come back later, or choose another project on the start page.",
    ),
    "batches_closed": (
        in_closed_batches,
        200,
        "The remaining batches are closed.",
        "Nothing left to rate",
        "Go to the start page",
    ),
    "sent_when_signed_out": (
        sent_when_signed_out,
        403,
        "You were signed out",
        "Half of it",
        "Sign in in another tab, then enter it there again.",
    ),
    "paused": (
        of_the_project("paused"),
        200,
        "This project is paused. You get new items when the lead opens it again.",
        SAFE_AT_DESK,
        "Come back later, or choose another project on the start page.",
    ),
    "closed": (
        of_the_project("closed"),
        200,
        "This project is closed. Thank you for your work!",
        "Nothing left to rate",
        "Go to the start page",
    ),
    "nothing": (
        lambda scene: scene.client.get(DESK),
        200,
        "There are no items yet.",
        "Nothing left to rate",
        "Go to the start page",
    ),
    "in no project": (
        lambda scene: scene.project.memberships.all().delete() and scene.client.get("/"),
        200,
        "You are not in any project.",
        SAFE_AT_DESK,
        "Ask the lead of a project to add you by your name, ada. The project then appears here.",
    ),
    "session expired": (
        signed_out,
        200,
        "Please sign in",
        "Everything you saved or entered is safe.",
        "sign in to go on.",
    ),
    "draft of two windows": (
        draft_of_two_windows,
        200,
        "Another version of your answers was saved on",
        "in another window or on another device.",
        "Open that version",
    ),
    "ended lease": (
        lease_of_old,
        409,
        "The time for this item is over, and others have it now.",
        "Nothing is lost:",
        "submit, and your rating is saved as an extra one.",
    ),
    "server away": (
        desk,
        200,
        "No connection.",
        "Nothing is lost:",
        "keep rating. Your work is sent as soon as you are back online.",
    ),
    "signed out elsewhere": (
        desk,
        200,
        "You signed out or in somewhere else, so this page can’t send any more.",
        "everything you saved or entered is still there.",
        "Open the page again:",
    ),
    "not a member": (
        lambda scene: scene.project.memberships.all().delete() and scene.client.get(DESK),
        404,
        "you have no access: only members can open a project.",
        "Nothing was changed, and everything you saved is safe.",
        "ask the lead of the project to add you by your name.",
    ),
    "400": (
        cut_short,
        400,
        "What you sent was cut off, had more than 100 files, or did not come from one of our "
        "pages.",
        "It was not saved. Everything saved before is safe.",
        "Go back, reload the page and send it again.",
    ),
    "413": (
        too_large,
        413,
        "You sent 17.0 MB; the limit here is 16.0 MB.",
        "It was not saved. Everything saved before is safe.",
        "Go back and send less. You can split a file of items into several.",
    ),
    "403": (
        lambda scene: scene.client.get("/projects/new/"),
        403,
        "Your account does not allow this.",
        "Nothing was changed, and everything you saved is safe.",
        "Ask the lead of the project or an administrator for access.",
    ),
    "403_csrf": (
        form_of_an_earlier_sign_in,
        403,
        "It came from a page you opened before you signed in, or from a browser without cookies.",
        "It was not saved. Everything saved before is safe.",
        "reload the page and send it again.",
    ),
    "404": (
        lambda scene: scene.client.get("/nowhere/"),
        404,
        "This page is gone,",
        "Nothing was changed, and everything you saved is safe.",
        "The start page shows what you can open.",
    ),
    "410": (
        late_for_an_invitation,
        410,
        "ran out on",
        "Nothing that you saved is lost.",
        "To get another, ask lea, who sent you the link.",
    ),
    "429": (
        too_often,
        429,
        "Too many requests came from your network within a minute.",
        "Nothing was saved this time. Everything saved before is safe.",
        "Wait a minute, then try again.",
    ),
    "500": (
        broken,
        500,
        "The server had an error and could not answer.",
        "Everything saved before is safe.",
        "go back and send it again. It is never saved twice.",
    ),
    "503": (
        database_away,
        503,
        "The database is not answering right now.",
        "Everything saved before is safe.",
        "go back and send it again in a few seconds. It is never saved twice.",
    ),
}


class Words(HTMLParser):
    """What a page says, and what it has its script say (data-…)."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts += [value for name, value in attrs if value and name.startswith("data-")]

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+([;,.])", r"\1", " ".join(" ".join(self.parts).split()))


@pytest.mark.parametrize("state", STATES)
def test_a_page_of_trouble_says_what_happened_what_is_safe_and_what_to_do(
    scene: Scene, state: str
) -> None:
    come, status, *said = STATES[state]
    answer = come(scene)
    assert answer.status_code == status
    words = Words(answer.content.decode()).text
    assert [part for part in said if part not in words] == []
    if answer.request["PATH_INFO"] != "/" and status != 409:
        assert 'href="/"' in answer.content.decode()  # and there is a way out


def test_nothing_of_any_stands_where_nothing_is_in_the_way(scene: Scene) -> None:
    """Else the three would prove nothing of their state."""
    make_item(project=scene.project)
    scene.client.post(f"{DESK}start/")
    pages = [scene.client.get(address).content.decode() for address in (DESK, "/", "/profile/")]
    words = " ".join(
        Words(re.sub(r'<p\s+id="trouble".*?</p>', "", page, flags=re.DOTALL)).text for page in pages
    )
    assert "How many moons has Mars?" in words
    stands = {
        state: part
        for state, (_come, _status, *said) in STATES.items()
        for part in said
        if part in words
    }
    assert stands == {}


def test_no_state_is_left_out() -> None:
    pages = {file.stem for file in (ROOT / "templates").glob("[0-9]*.html")}
    idle = (ROOT / "templates/annotators/desk/idle.html").read_text(encoding="utf-8")
    at_desk = set(re.findall(r'state == "(\w+)"', idle)) - {"start"}
    assert len(pages) > 6
    assert len(at_desk) > 5
    assert (pages | at_desk) - set(STATES) == set()


def test_the_time_of_return_is_told_and_the_page_looks_again_by_itself(scene: Scene) -> None:
    page = with_others(scene).content.decode()
    back = Lease.objects.get().expires_at.astimezone(scene.ada.zone)
    assert f'<time datetime="{back:%Y-%m-%dT%H:%M:%S%z}">' in page
    assert "This page updates by itself." in page
    assert back - timezone.now() < timedelta(hours=1)


# --- the way back from the log-in ---


@pytest.mark.parametrize(
    ("sent_from", "back"),
    [
        ("http://testserver/projects/eggs/desk/", "/projects/eggs/desk/"),
        ("http://testserver/work/?page=2", "/work/%3Fpage%3D2"),
        ("https://elsewhere.example/projects/eggs/desk/", "/"),
        ("", "/"),
    ],
)
def test_a_form_sent_after_the_session_ended_leads_back_to_its_page(
    scene: Scene, sent_from: str, back: str
) -> None:
    scene.client.logout()
    headers = {"Referer": sent_from} if sent_from else {}
    answer = scene.client.post(f"{DESK}start/", headers=headers)
    assert (answer.status_code, answer.headers["Location"]) == (
        302,
        f"/accounts/login/?next={back}",
    )
