"""While a file is loaded into a project, all its pages answer, and a lead's press waits for no lock
longer than two seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection, connections, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.importing.batches import loading as batch_loading
from tasks.importing.upload_worker import work_on_next
from tasks.models import Batch, Invitation, Item, Lease, Notice, Project, Upload
from tests.desk_steps import HTMX, page, scored, url
from tests.factories import make_item, make_lease, make_project, make_user
from tests.practising import OFF
from tests.waiting import LONGEST, at_once

from .import_steps import shown_in

pytestmark = pytest.mark.django_db(transaction=True)

BUSY = "A file is being loaded: try again in a moment."
GOOD = b"id,prompt,response\n" + b"".join(b"n%d,Why?,So.\n" % number for number in range(3))
SETTINGS = {
    "title": "Eggs",
    "status": "open",
    "wanted": "2",
    "overlap_percent": "0",
    "overlap_wanted": "3",
    "order": "shuffled",
    "grouping": "spread",
    "view": "rendered",
    "lease_minutes": "45",
    "search_address": "https://find.example/{claim}",
    **OFF,
}
PATIENCE = 10  # seconds after which a load or a lock ends, so that no test waits for ever


@pytest.fixture
def ada() -> User:
    return make_user(name="ada")


@pytest.fixture
def lead() -> User:
    return make_user(name="lead")


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    return make_project(slug="p", annotators=[ada], leads=[lead], wanted=2)


def visit(user: User) -> Client:
    """A browser in which somebody has logged in."""
    client = Client()
    client.force_login(user)
    return client


def upload(client: Client, name: str = "items.csv") -> Any:
    return client.post("/projects/p/upload/", {"file": SimpleUploadedFile(name, GOOD)})


def load() -> bool:
    """Do the work on a file as a worker does."""
    return work_on_next(timezone.now())


def ask_for_import(client: Client) -> None:
    """Upload a file, have it read, and ask for its import."""
    upload(client)
    load()
    waiting = Upload.objects.latest("pk")
    client.post(waiting.address, shown_in(waiting) | {"act": "import"})


def in_thread(threads: ThreadPoolExecutor, action: Callable[[], Any]) -> Future[Any]:
    def run() -> Any:
        try:
            return action()
        finally:
            connections.close_all()

    return threads.submit(run)


@contextmanager
def half_way(monkeypatch: pytest.MonkeyPatch, load: Callable[[], Any]) -> Iterator[Future[Any]]:
    """A load that has stored its rows, and goes on when the block ends."""
    stopped, go_on = threading.Event(), threading.Event()
    fill_tables = batch_loading.fill_tables

    def slowly(batch: Batch) -> None:
        fill_tables(batch)
        stopped.set()
        go_on.wait(PATIENCE)

    monkeypatch.setattr(batch_loading, "fill_tables", slowly)
    with ThreadPoolExecutor(1) as threads:
        loading = in_thread(threads, load)
        assert stopped.wait(LONGEST)
        try:
            yield loading
        finally:
            go_on.set()


@contextmanager
def locked(table: str) -> Iterator[None]:
    """Every row of a table is locked, as by a transaction that changes it."""
    held, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SELECT FROM {table} FOR NO KEY UPDATE")
            held.set()
            let_go.wait(PATIENCE)

    with ThreadPoolExecutor(1) as threads:
        in_thread(threads, hold)
        assert held.wait(LONGEST)
        try:
            yield
        finally:
            let_go.set()


def test_while_a_file_is_loaded_sixteen_presses_and_all_pages_answer(
    project: Project, ada: User, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
    form = scored(lease) | page()
    leads = [visit(lead) for _ in range(17)]
    desk = visit(ada)
    presses: list[Callable[[], Any]] = [
        *(partial(each.post, "/projects/p/status/", {"status": "paused"}) for each in leads[:6]),
        *(partial(each.post, "/projects/p/settings/", SETTINGS) for each in leads[6:11]),
        *(
            partial(each.post, f"/projects/p/members/{ada.pk}/", {"role": "annotator"})
            for each in leads[11:16]
        ),
        partial(desk.post, url(lease), form, headers=HTMX),
        partial(desk.get, "/"),
    ]
    ask_for_import(leads[16])
    with half_way(monkeypatch, load) as loading:
        answers = at_once(presses)
        assert not loading.done()
    assert {answer.status_code for answer in answers[:16]} == {302}
    assert {answer.status_code for answer in answers[16:]} == {200}
    assert loading.result()
    assert Lease.objects.get(pk=lease.pk).status == "submitted"


def test_settings_that_are_changed_meanwhile_are_those_of_the_new_items(
    project: Project, ada: User, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.change_status("paused")
    ask_for_import(visit(lead))
    with half_way(monkeypatch, load) as loading:
        project.change(wanted=5)
        project.change_status("open")
        assert not loading.done()
    assert set(Item.objects.values_list("wanted", flat=True)) == {5}
    batch = Batch.objects.get()
    assert (batch.wanted, batch.size) == (15, 3)
    assert Notice.objects.get(user=ada, kind="batch").batch == batch


def test_a_second_upload_to_the_project_is_left_to_the_worker_and_one_to_another_is_loaded(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = make_project(slug="other", leads=[lead])
    second = visit(lead)
    (tmp_path / "more.csv").write_bytes(GOOD)
    ask_for_import(visit(lead))
    with half_way(monkeypatch, load) as loading:
        answer = upload(second, "more.csv")
        text = second.get(answer.headers["Location"]).content.decode()
        monkeypatch.undo()
        call_command("import_batch", "other", str(tmp_path / "more.csv"), verbosity=0)
        assert not loading.done()
    assert "lead loads items.csv into this project. This file is next." in text
    assert (project.batches.count(), other.batches.count()) == (1, 1)


def test_a_press_that_waits_for_a_lock_is_to_be_tried_again_and_keeps_what_was_entered(
    project: Project, ada: User, lead: User
) -> None:
    batch = make_item(project=project).batch
    now = timezone.now()
    (link,) = Invitation.objects.invite(project, [("a@b.org", "")], role="lead", by=lead, now=now)
    clients = [visit(lead) for _ in range(4)]
    settings = SETTINGS | {"title": 'Kept & "whole"'}
    presses: list[Callable[[], Any]] = [
        partial(clients[0].post, "/projects/p/settings/", settings),
        partial(clients[1].post, "/projects/p/status/?a=b", {"status": "paused"}),
        partial(clients[2].post, f"/projects/p/members/{ada.pk}/", {"role": "none"}),
        partial(clients[3].post, f"/projects/p/invitations/{link.pk}/withdraw/"),
    ]
    with locked("tasks_project, tasks_batch, tasks_invitation"):
        answers = at_once(presses)
    for answer in answers:
        assert (answer.status_code, BUSY in answer.content.decode()) == (409, True)
    first, second, *_ = (answer.content.decode() for answer in answers)
    assert 'name="title" value="Kept &amp; &quot;whole&quot;"' in first
    assert first.count("csrfmiddlewaretoken") == 2  # one is the log-out's
    assert 'action="/projects/p/status/?a=b"' in second
    project.refresh_from_db()
    assert (project.status, list(project.batches.all())) == ("open", [batch])
    assert clients[0].post("/projects/p/settings/", settings).status_code == 302


def test_the_limit_ends_with_the_request(project: Project, lead: User) -> None:
    assert visit(lead).post("/projects/p/status/", {"status": "paused"}).status_code == 302
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
