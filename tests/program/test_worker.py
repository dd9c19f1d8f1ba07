"""The worker makes what pages show, so that no page that one looks at writes anything."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.utils import timezone

import config.settings
from annotators.models import Session, User
from tasks.agreement import results
from tasks.agreement.stored import FORM
from tasks.management.commands import work as work_command
from tasks.models import (
    AgreementResult,
    Invitation,
    ItemEntry,
    ItemList,
    ItemWords,
    Project,
    Rating,
    ScoreCounts,
)
from tasks.models.tallies import Tally, tally_of
from tests.addresses import addresses
from tests.factories import make_batch, make_item, make_lease, make_project, make_rating, make_user
from tests.invitations import make_email, make_link
from tests.worker import work

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    """A project of lea's with all that one can look at."""
    ada, lea = make_user(name="ada"), make_user(name="lea")
    made = make_project(slug="p", annotators=[ada, make_user(name="ben")], leads=[lea])
    batch = make_batch(project=made)
    for number in range(3):
        make_rating(item=make_item(batch=batch, external_id=f"item {number}"), annotator=ada)
    flagged = make_lease(item=make_item(batch=batch), annotator=made.memberships.all()[1].user)
    flagged.flag(reason="broken", now=timezone.now())
    make_lease(item=make_item(batch=batch), annotator=ada)
    return made


def of_world(project: Project) -> dict[str, list[Any]]:
    """What stands in an address for each of its parts, or for a part after a word."""
    ada = User.objects.get(username="ada")
    rating = project.ratings.filter(annotator=ada)[0]
    return {
        "slug": [project.slug],
        "lease": [ada.leases.filter(status="live").get().pk],
        "user": [ada.pk],
        "version": [project.rubric.version],
        "token": [make_link(project).path.split("/")[-2], make_email(project).token],
        "table": ["models", "pairs"],
        "rubrics/slug": [project.rubric.slug],
        "user/object_id": [ada.pk],
        "rubric/object_id": [project.rubric_id],
        "ratings/pk": [rating.pk],
        "items/pk": [rating.item_id],
        "batches/pk": [rating.item.batch_id],
        "invitations/pk": [*Invitation.objects.values_list("pk", flat=True)],
    }


def examples(project: Project) -> Iterator[tuple[str, str]]:
    """Every address of the URLconf, with things that there are."""
    parts = of_world(project)
    for written, example in addresses():
        found = [written if "<" in written else example]
        for word, name in re.findall(r"(?:(\w+)/)?<(?:\w+:)?(\w+)>", written):
            values = parts.get(f"{word}/{name}") or parts.get(name, ["1"])
            found = [
                re.sub(rf"<(?:\w+:)?{name}>", str(value), each)
                for each in found
                for value in values
            ]
        yield from ((written, f"/{each}") for each in found)


@pytest.fixture
def cache_in_database(settings: Any) -> None:
    """Limits are counted in the database, as in production."""
    settings.CACHES = {"default": {**config.settings.CACHES["default"], "LOCATION": "cache_here"}}
    call_command("createcachetable")


@contextmanager
def writing_refused(refused: set[str]) -> Iterator[None]:
    """A transaction that stores nothing; the tables of what it refused."""

    def note(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        try:
            return execute(sql, *rest)
        except Exception as error:
            if "read-only transaction" in str(error):
                refused.update(re.findall(r'^\W*(?:UPDATE|INSERT INTO|\w+)\W+"?(\w+)', sql))
            raise

    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
        with connection.execute_wrapper(note):
            yield
        transaction.set_rollback(True)


def test_no_get_writes_but_two_notes(project: Project, cache_in_database: None) -> None:
    """Each address of the URLconf, for everybody."""
    make_user(name="root", admin=True)
    clients = [Client(raise_request_exception=False) for _ in range(4)]
    for client, name in zip(clients[1:], ("ada", "lea", "root"), strict=True):
        client.force_login(User.objects.get(username=name))
    every = list(examples(project))
    refused: dict[str, set[str]] = {}
    shown = set()
    for written, address in every:
        for client in clients:
            tables: set[str] = set()
            with writing_refused(tables):
                answer = client.get(address)
                b"".join(answer) if answer.streaming else answer.content
            if answer.status_code == 200:
                shown.add(written)
            if tables or answer.status_code >= 500:
                refused.setdefault(written, set()).update(tables or {str(answer.status_code)})
    # Its lead learns that the page of an invitation was opened.
    assert refused == {"join/<str:token>/": {"tasks_invitation"}}
    assert len(shown) > 40, sorted({written for written, _ in every} - shown)
    # A session is used: noted every few minutes, whatever the page.
    Session.objects.update(last_used=timezone.now() - timedelta(hours=1))
    with writing_refused(tables := set()):
        clients[1].get("/profile/")
    assert tables == {"annotators_session"}


def test_pages_show_the_figures_as_last_made_where_nothing_can_be_stored(
    project: Project, client: Client
) -> None:
    client.force_login(User.objects.get(username="lea"))
    pages = ("items/?spread=0", "items/?q=moons", "agreement/", "agreement/pairs.csv", "")

    def shown() -> list[str]:
        refused: set[str] = set()
        with writing_refused(refused):
            answers = [client.get(f"/projects/p/{page}") for page in pages]
            assert [answer.status_code for answer in answers] == [200] * len(pages)
            text = [b"".join(answer).decode() for answer in answers]
        assert not refused
        return text

    before = shown()
    assert "Not computed yet." in before[-1]
    assert "item 0" not in before[1]
    for _ in range(2):
        make_rating(item=project.items.get(external_id="item 1"))
    work()
    made = shown()
    assert "item 1" in made[0]
    assert "item 0" in made[1]
    assert "alpha-ordinal" in made[3]
    assert "There are no figures yet." not in made[-1]
    make_rating(item=project.items.get(external_id="item 2"))
    assert "item 2" not in shown()[0]
    assert shown()[3] == made[3]


def test_figures_are_made_again_once_a_minute_while_ratings_come(project: Project) -> None:
    call_command("work", once=True)
    assert {each.ratings for each in AgreementResult.objects.all()} == {3}
    make_rating(item=project.items.get(external_id="item 1"), now=timezone.now())
    call_command("work", once=True)
    assert {each.ratings for each in AgreementResult.objects.all()} == {3}
    AgreementResult.objects.update(made_at=timezone.now() - timedelta(seconds=61))
    call_command("work", once=True)
    assert {each.ratings for each in AgreementResult.objects.all()} == {4}


def test_figures_of_an_older_program_are_made_again(project: Project) -> None:
    work()
    AgreementResult.objects.update(figures={"form": 1})
    work()
    assert {each.figures["form"] for each in AgreementResult.objects.all()} == {FORM}


def test_a_project_that_fails_keeps_no_other_waiting_and_sigterm_ends_between_two_rounds(
    project: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other = make_rating(item=make_item(project=make_project(slug="q"))).project

    def fail(renewed: Project, now: datetime) -> None:
        if renewed == project:
            raise ValueError("of p")

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(results, "renew", fail)
    monkeypatch.setattr(Event, "wait", lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    monkeypatch.setattr(connection, "close", lambda: None)
    call_command("work")
    signal.signal(signal.SIGTERM, before)
    assert "p: the next round tries again" in caplog.text
    assert set(ItemList.objects.values_list("project", flat=True)) == {other.pk}
    with pytest.raises(ValueError, match="of p"):
        call_command("work", once=True)


def test_a_database_that_is_away_for_a_round_does_not_end_the_worker(
    project: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rounds = 0

    def projects() -> Any:
        nonlocal rounds
        rounds += 1
        if rounds == 1:
            raise OperationalError("the server is starting")
        os.kill(os.getpid(), signal.SIGTERM)
        return []

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(work_command, "projects_with_news", projects)
    monkeypatch.setattr(Event, "wait", lambda *_: None)
    monkeypatch.setattr(connection, "close", lambda: None)
    call_command("work")
    signal.signal(signal.SIGTERM, before)
    assert rounds == 2
    assert "The next round tries again" in caplog.text


# Every rating and every text is a step of its own. After the last that it may take it waits: it is
# never over before it can be killed.
WORKER = """
import sys, time, django
django.setup()
from django.core.management import call_command
from django.db import connection
from tasks.management.commands import work
from tasks.models import list_renewal, stored_figures
connection.settings_dict["NAME"] = sys.argv[1]
list_renewal.STEP = list_renewal.TEXTS = stored_figures.STEP = 1
step = work._step
may = iter(range(int(sys.argv[2])))
work._step = lambda *given: time.sleep(0.03 if next(may, None) is not None else 600) or step(*given)
call_command("work", once=True)
"""


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_halfway_loses_nothing_and_another_goes_on(project: Project) -> None:
    for number in range(60):
        make_rating(item=make_item(project=project, external_id=f"more {number}"))
    program = [sys.executable, "-c", WORKER, str(connection.settings_dict["NAME"])]
    first = subprocess.Popen([*program, "30"])
    while ItemEntry.objects.filter(latest__gt=0).count() < 10:
        assert first.poll() is None
        time.sleep(0.01)
    second = subprocess.Popen([*program, "600"])
    first.kill()
    assert second.wait(60) == 0
    assert first.wait(60) == -signal.SIGKILL
    work()
    known = dict(ItemEntry.objects.filter(latest__gt=0).values_list("item", "latest"))
    assert known == dict(Rating.objects.values_list("item", "pk"))
    assert ItemWords.objects.count() == project.items.count()
    assert {each.ratings for each in AgreementResult.objects.all()} == {63}
    stored = ScoreCounts.objects.get()
    assert stored.upto == Rating.objects.latest("pk").pk
    assert Tally.of(stored.counts) == tally_of(project)


def test_figures_are_as_old_as_the_first_rating_that_they_lack(
    project: Project, client: Client
) -> None:
    """However long nobody rated before."""
    client.force_login(User.objects.get(username="lea"))
    work()
    AgreementResult.objects.update(made_at=timezone.now() - timedelta(days=3))
    rating = make_rating(item=project.items.get(external_id="item 1"), submitted_at=timezone.now())
    for passed, says in ((30, ""), (120, "as of"), (660, "no worker runs")):
        then = timezone.now() - timedelta(seconds=passed)
        Rating.objects.filter(pk=rating.pk).update(submitted_at=then)
        for page in ("agreement/", ""):
            said = client.get(f"/projects/p/{page}").content.decode()
            assert ("no worker runs" in said) == (says == "no worker runs")
            assert bool(re.search(r">\s*as of \d\d:\d\d\s*<", said)) == (says == "as of")
