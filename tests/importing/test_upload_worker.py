"""A file is read and imported by a worker, while its page tells how far it is."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.importing import upload_worker, uploading
from tasks.importing.batches.loading import FileToLoad, load_batch
from tasks.management.commands import work as work_command
from tasks.models import Item, Membership, Notice, Project, Upload, UploadProgress
from tasks.models.loads import is_alone, wait_for_loads
from tests.factories import make_membership, make_project, make_user
from tests.worker import work

from .import_steps import (
    lines,
    pass_rows,
    shown_in,
)

pytestmark = pytest.mark.django_db(transaction=True)  # a worker has two connections

OWN = [{"id": str(number), "prompt": "Why?", "response": "So."} for number in range(6)]
FOREIGN = [{"question": f"Why {number}?", "answer": "So."} for number in range(6)]


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="p", leads=[lead])


@pytest.fixture
def here(client: Client, lead: User, project: Project, monkeypatch: pytest.MonkeyPatch) -> Client:
    """The lead's browser, in front of a worker that reports at once."""
    monkeypatch.setattr(upload_worker, "LONG", timedelta())
    monkeypatch.setattr(upload_worker, "EVERY", 0)
    client.force_login(lead)
    return client


def upload(client: Client, rows: list[dict[str, str]], slug: str = "p") -> Upload:
    file = SimpleUploadedFile("items.jsonl", lines(*rows))
    answer = client.post(f"/projects/{slug}/upload/", {"file": file})
    found = Upload.objects.latest("pk")
    assert answer.headers["Location"] == found.address
    return found


def to_import(client: Client, rows: list[dict[str, str]], slug: str = "p") -> Upload:
    """Upload a file, have it read, and ask for its import."""
    waiting = upload(client, rows, slug)
    work_on_uploads()
    act(client, waiting, "import")
    return waiting


def work_on_uploads() -> None:
    while upload_worker.work_on_next(timezone.now()):
        pass


def page(client: Client, upload: Upload) -> str:
    return " ".join(client.get(upload.address).content.decode().split())


def elsewhere(do: Callable[[], Any]) -> Any:
    """What comes of it in another thread, with a connection of its own."""

    def closing() -> Any:
        try:
            return do()
        finally:
            connection.close()

    with ThreadPoolExecutor() as other:
        return other.submit(closing).result()


def act(client: Client, upload: Upload, name: str) -> Any:
    upload.refresh_from_db()
    return client.post(upload.address, shown_in(upload) | {"act": name})


class Worker(threading.Thread):
    """A worker that stops before every second row until it may go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(daemon=True)
        self.may, self.stands = threading.Semaphore(0), threading.Semaphore(0)

        def halting(entries: Iterable[Any]) -> Iterator[Any]:
            for number, entry in enumerate(entries):
                if threading.current_thread() is self and number % 2 == 0:
                    self.stands.release()
                    assert self.may.acquire(timeout=60)
                yield entry

        pass_rows(monkeypatch, halting)

    def run(self) -> None:
        try:
            upload_worker.work_on_next(timezone.now())
        finally:
            connection.close()

    def step(self) -> None:
        """Let it read two rows, and wait until it is before the next."""
        self.may.release()
        assert self.stands.acquire(timeout=60)

    def end(self) -> None:
        self.may.release(1_000)
        self.join(60)
        assert not self.is_alive()


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Worker]]:
    """Start workers, which are before their first row then."""
    begun: list[Worker] = []

    def start() -> Worker:
        worker = Worker(monkeypatch)
        begun.append(worker)
        worker.start()
        assert worker.stands.acquire(timeout=60)
        return worker

    yield start
    for worker in begun:
        worker.end()


def test_a_file_is_read_then_looked_at_then_imported(here: Client) -> None:
    for number, rows in enumerate((FOREIGN, OWN), start=1):
        waiting = upload(here, rows)
        assert "The file waits" in page(here, waiting)
        work()
        assert Item.objects.count() == 6 * (number - 1)
        assert "As annotators will see it" in page(here, waiting)
        act(here, waiting, "import")
        assert "The file waits" in page(here, waiting)
        work()
        assert Item.objects.count() == 6 * number
        assert "Imported as batch" in page(here, waiting)


def test_a_page_says_how_to_start_a_worker_if_none_begins(here: Client) -> None:
    waiting = upload(here, OWN)
    assert "manage.py work" not in page(here, waiting)
    UploadProgress.objects.update(asked_at=timezone.now() - timedelta(seconds=20))
    assert "<code>manage.py work</code>" in page(here, waiting)


def test_the_page_tells_how_far_the_worker_is(here: Client, begin: Callable[[], Worker]) -> None:
    waiting = to_import(here, OWN)
    worker = begin()
    assert "The file is being imported" in page(here, waiting)
    worker.step()
    worker.step()
    assert "4 rows" in page(here, waiting)
    progress = UploadProgress.objects.get()
    assert (progress.rows, progress.bytes) == (4, len(lines(*OWN[:4])))
    worker.end()
    assert "Imported as batch" in page(here, waiting)


def test_the_page_of_a_file_asks_again_until_the_worker_is_done(here: Client) -> None:
    waiting = upload(here, FOREIGN)
    hx = {"HX-Request": "true"}
    assert 'id="work"' in here.get(waiting.address, headers=hx).content.decode()
    work()
    assert here.get(waiting.address, headers=hx).headers["HX-Refresh"] == "true"


def test_work_is_cancelled_while_it_waits(here: Client) -> None:
    waiting = upload(here, OWN)
    here.post(waiting.address, {"act": "cancel"})
    work()
    assert not Item.objects.exists()
    assert "Read the file again" in page(here, waiting)
    act(here, waiting, "read")
    work()
    assert "6</b> items ready" in page(here, waiting)


def test_work_of_a_lead_without_an_account_stops(
    here: Client, begin: Callable[[], Worker], lead: User
) -> None:
    to_import(here, OWN)
    worker = begin()
    worker.step()
    User.objects.filter(pk=lead.pk).update(is_active=False)
    worker.end()
    assert not Item.objects.exists()
    User.objects.filter(pk=lead.pk).update(is_active=True)
    to_import(here, OWN + OWN[:1])
    User.objects.filter(pk=lead.pk).update(is_active=False)
    work()
    assert not Item.objects.exists()


def test_an_import_is_cancelled_halfway(here: Client, begin: Callable[[], Worker]) -> None:
    waiting = to_import(here, OWN)
    worker = begin()
    worker.step()
    here.post(waiting.address, {"act": "cancel"})
    assert "The work is being cancelled" in page(here, waiting)
    worker.end()
    assert not Item.objects.exists()
    assert not Notice.objects.exclude(kind="upload").exists()
    assert "Read the file again" in page(here, waiting)


def test_work_that_is_cancelled_at_its_last_rows_is_undone(
    here: Client, begin: Callable[[], Worker]
) -> None:
    waiting = upload(here, OWN[:2])
    worker = begin()  # before the only rows
    here.post(waiting.address, {"act": "cancel"})
    worker.end()
    assert not Item.objects.exists()


def test_the_progress_of_an_upload_is_written_once_a_second(
    here: Client, begin: Callable[[], Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_worker, "EVERY", 1_000_000)
    monkeypatch.setattr(upload_worker, "monotonic", lambda: 2_000_000)
    waiting = upload(here, OWN)
    worker = begin()
    worker.step()
    progress = UploadProgress.objects.get()  # of the first bytes, which come from the database
    assert (progress.bytes, progress.rows) == (waiting.size, 0)
    worker.end()


def test_a_cancelled_import_leaves_the_look_at_the_file(
    here: Client, begin: Callable[[], Worker]
) -> None:
    waiting = upload(here, FOREIGN)
    work()
    act(here, waiting, "import")
    worker = begin()
    here.post(waiting.address, {"act": "cancel"})
    worker.end()
    assert "Import 6 items" in page(here, waiting)
    act(here, waiting, "import")
    work()
    assert Item.objects.count() == 6


def test_the_second_file_of_a_project_waits_and_is_told_whose_is_loaded(
    here: Client, begin: Callable[[], Worker], project: Project
) -> None:
    ben = make_user(name="ben")
    make_membership(project=project, user=ben, role=Membership.Role.LEAD)
    bens = Client()
    bens.force_login(ben)
    first = to_import(here, OWN)
    worker = begin()
    second = upload(bens, [row | {"id": f"more {row['id']}"} for row in OWN])
    assert f"{first.uploader} loads items.jsonl into this project." in page(bens, second)
    assert not upload_worker.is_waiting(timezone.now())
    assert not upload_worker.work_on_next(timezone.now())  # and another worker leaves it alone
    worker.end()
    work()
    assert "6</b> items ready" in page(bens, second)
    assert Item.objects.count() == 6


def test_a_file_waits_for_the_command_too_and_a_worker_that_died_is_none(
    here: Client, project: Project
) -> None:
    first = upload(here, OWN)
    UploadProgress.objects.update(tries=1)
    second = upload(here, FOREIGN)
    assert "A worker begins within seconds." in page(here, second)
    with transaction.atomic():
        assert is_alone(project.pk)
        said = elsewhere(lambda: page(here, first))
    assert "Another file is being loaded into this project." in said


def test_an_import_ordered_by_a_lead_who_left_is_dropped(
    here: Client, project: Project, lead: User
) -> None:
    upload(here, OWN)
    project.memberships.filter(user=lead).delete()
    work()
    assert not Item.objects.exists()
    assert not Upload.objects.exists()


def test_the_worker_deletes_files_after_a_day(here: Client) -> None:
    upload(here, FOREIGN)
    work()
    Upload.objects.update(stored_at=timezone.now() - timedelta(hours=23))
    work()
    assert Upload.objects.exists()
    Upload.objects.update(stored_at=timezone.now() - timedelta(hours=25))
    work()
    assert not Upload.objects.exists()
    assert not Notice.objects.exists()


def test_a_batch_that_a_worker_imported_can_be_removed(here: Client, project: Project) -> None:
    to_import(here, OWN)
    work()
    assert Notice.objects.exists()
    assert project.batches.get().remove()
    assert not Upload.objects.exists()


def test_two_projects_do_not_wait_for_one_another(
    here: Client, begin: Callable[[], Worker], lead: User
) -> None:
    make_project(slug="q", leads=[lead])
    to_import(here, OWN)
    other = upload(here, OWN, "q")
    worker = begin()
    work()
    act(here, other, "import")
    work()
    assert [item.project.slug for item in Item.objects.all()] == ["q"] * 6
    assert here.get("/projects/p/").status_code == here.get("/projects/p/items/").status_code == 200
    worker.end()
    assert Item.objects.count() == 12


def test_a_finished_upload_is_a_line_of_the_inbox(here: Client) -> None:
    waiting = upload(here, FOREIGN)
    work()
    assert "items.jsonl is read. Look at it." in here.get("/inbox/").content.decode()
    act(here, waiting, "import")
    work()
    inbox = here.get("/inbox/").content.decode()
    assert "Batch “items” is loaded." in inbox
    assert "is read. Look at it." not in inbox
    answer = here.post(f"/inbox/{Notice.objects.get().pk}/")
    assert answer.headers["Location"] == waiting.address


def test_an_import_that_is_refused_shows_the_file_again_with_the_reason(
    here: Client, project: Project
) -> None:
    waiting = upload(here, [*FOREIGN, {"question": "", "answer": ""}])
    work()
    act(here, waiting, "import")
    other = lines({"id": "items:2", "prompt": "a", "response": "b"})
    load_batch(
        FileToLoad(
            project,
            io.BytesIO(other),
            file_name="other.jsonl",
            now=timezone.now(),
            report=lambda error: None,
        )
    )
    work()
    assert Item.objects.count() == 1
    assert "The project has changed since the file was read." in page(here, waiting)


def test_a_file_that_ends_every_worker_is_refused_by_the_fourth(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = upload(here, OWN)

    def die(*_: Any, **__: Any) -> None:
        raise SystemExit

    with monkeypatch.context() as mortal:
        mortal.setattr(uploading, "do", die)
        for _time in range(3):
            with pytest.raises(SystemExit):
                work()
    work()
    assert not Item.objects.exists()
    assert "Workers ended while they had this file" in page(here, waiting)


# A worker that waits for its end after 40 % of the rows.
WORKER = """
import sys, time, django
django.setup()
from django.core.management import call_command
from django.db import connection, transaction
from tasks.importing import upload_worker
from tasks.importing.batches import loading
connection.settings_dict["NAME"] = sys.argv[1]
upload_worker.EVERY = 0
stage = loading.stage
def halting(entries):
    for number, entry in enumerate(entries):
        if number == 40:
            time.sleep(600)
        yield entry
loading.stage = lambda batch, entries, tick: stage(batch, halting(entries), tick)
call_command("work", files=True)
"""


def test_a_worker_killed_at_forty_per_cent_leaves_nothing_and_no_row_comes_twice(
    here: Client,
) -> None:
    waiting = to_import(here, [OWN[0] | {"id": str(number)} for number in range(100)])
    program = [sys.executable, "-c", WORKER, str(connection.settings_dict["NAME"])]
    worker = subprocess.Popen(program)
    while UploadProgress.objects.get().rows < 40:
        assert worker.poll() is None
    assert "The file is being imported" in page(here, waiting)
    worker.kill()
    worker.wait(60)
    assert not Item.objects.exists()
    assert waiting.project
    with transaction.atomic():  # once the database has seen that the worker is gone
        wait_for_loads(waiting.project.pk)
        Upload.objects.select_for_update().get(pk=waiting.pk)
    work()
    assert Item.objects.count() == 100


def test_a_running_worker_has_files_loaded_by_a_process_of_its_own(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []

    class Process:
        def __init__(self, command: list[str]) -> None:
            started.append(command[-2:])

        def poll(self) -> int | None:
            return None if len(started) < 3 else 0

    monkeypatch.setattr(work_command.subprocess, "Popen", Process)
    running = work_command.Command()
    running._load_files(timezone.now())
    assert not started  # there is nothing to load
    upload(here, OWN)
    for _time in range(3):
        running._load_files(timezone.now())
    assert started == [["work", "--files"]] * 2  # at once
