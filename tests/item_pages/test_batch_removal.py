"""A batch that nobody has worked on is removed: the wrong file does not stay for good."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client

from annotators.models import User
from tasks.answers.submission import DraftVersion
from tasks.models import (
    Batch,
    Concern,
    CorpusAnswer,
    Draft,
    Item,
    ItemWords,
    Lease,
    Notice,
    Project,
    Response,
    Upload,
)
from tasks.models.item_list import ItemEntry
from tasks.models.list_renewal import index_texts
from tasks.queue.allocation import take_next
from tasks.queue.saving import save_form

from ..factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
)
from ..importing.import_steps import bring
from ..waiting import until_one_waits_for_us

FILE = b"id,prompt,response\na,p,r\n,p,r\nb,p,r\n"


@pytest.fixture
def project(db: None, lead: User, ada: User) -> Project:
    return make_project(slug="eggs", leads=[lead], annotators=[ada], wanted=2)


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def remove(client: Client, batch: Batch) -> str:
    answer: Any = client.post(f"/projects/eggs/batches/{batch.pk}/", {"act": "remove"})
    return str([*get_messages(answer.wsgi_request)][-1])


def load(client: Client) -> Batch:
    """Upload a file and import its good rows."""
    bring(client, "/projects/eggs/upload/", SimpleUploadedFile("items.csv", FILE))
    return Batch.objects.get()


def test_a_batch_goes_with_all_that_belongs_to_it_and_its_file_can_be_loaded_again(
    here: Client, project: Project, ada: User
) -> None:
    batch = load(here)
    index_texts(project)
    batch.change(annotators=[ada])
    assert take_next(project, ada, now=NOW)
    assert remove(here, batch) == "Batch “items” is removed."
    tables = (Batch, Item, Response, ItemEntry, ItemWords, Lease, Upload)
    assert [model._default_manager.count() for model in tables] == [0] * len(tables)
    assert not Notice.objects.filter(kind="batch").exists()
    assert load(here).size == 2


def begun(item: Item, ada: User, how: str) -> None:
    match how:
        case "draft":
            lease = make_lease(item=item, annotator=ada)
            save_form(lease, DraftVersion("w", 1, ""), {"r1.quality": "4"}, now=NOW)
        case "rating":
            make_rating(item=item, annotator=ada)
        case "ended lease":
            make_lease(item=item, annotator=ada).release(now=NOW)
        case "flag":
            make_lease(item=item, annotator=ada).flag(reason="broken", now=NOW)
        case "answer about a corpus":
            CorpusAnswer.objects.create(
                project=item.project,
                batch=item.batch,
                annotator=ada,
                model="m",
                dimension="d",
                code="c",
                answer="yes",
                answered_at=NOW,
            )


@pytest.mark.parametrize("how", ["draft", "rating", "ended lease", "flag", "answer about a corpus"])
def test_a_batch_that_someone_has_worked_on_stays(
    here: Client, project: Project, ada: User, how: str
) -> None:
    batch = make_batch(project=project, name="b")
    begun(make_item(batch=batch), ada, how)
    page = here.get(f"/projects/eggs/batches/{batch.pk}/").content.decode()
    assert "Remove the batch" not in page
    assert "Someone has worked on this batch, so it stays." in page
    assert remove(here, batch) == "Someone has worked on the batch meanwhile. Close it instead."
    assert Item.objects.count() == 1


def test_only_its_leads_remove_a_batch(client: Client, project: Project, ada: User) -> None:
    batch = make_batch(project=project)
    client.force_login(ada)
    answer = client.post(f"/projects/eggs/batches/{batch.pk}/", {"act": "remove"})
    assert answer.status_code == 404
    assert Batch.objects.exists()


@pytest.mark.parametrize("step", ["verdict", "draft", "submit", "skip", "flag", "renew"])
def test_a_page_whose_item_was_removed_is_refused(
    client: Client, project: Project, ada: User, step: str
) -> None:
    batch = make_batch(project=project)
    lease = make_lease(item=make_item(batch=batch), annotator=ada)
    assert batch.remove()
    client.force_login(ada)
    answer = client.post(f"/projects/eggs/desk/{lease.pk}/{step}/", {"reason": "other"})
    assert answer.status_code == 404


def meanwhile(act: Callable[[], object], batch: Batch) -> list[object]:
    """Return what `act` returned or raised; it began while the removal was not yet committed."""
    done: list[object] = []

    def run() -> None:
        try:
            done.append(act())
        except Exception as error:
            done.append(type(error).__name__)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    with transaction.atomic():
        assert batch.remove()
        thread.start()
        until_one_waits_for_us()
    thread.join()
    return done


@pytest.mark.django_db(transaction=True)
def test_an_annotator_gets_no_item_of_a_batch_that_is_being_removed(
    project: Project, ada: User
) -> None:
    batch = make_batch(project=project)
    make_item(batch=batch)
    assert meanwhile(lambda: take_next(project, ada, now=NOW), batch) == [None]
    make_item(batch=make_batch(project=project))
    assert take_next(project, ada, now=NOW) is not None


@pytest.mark.django_db(transaction=True)
def test_an_annotator_who_held_an_item_of_a_batch_being_removed_gets_another(
    project: Project, ada: User
) -> None:
    batch = make_batch(project=project)
    make_lease(item=make_item(batch=batch), annotator=ada, now=NOW)
    other = make_item(batch=make_batch(project=project))
    later = NOW + timedelta(days=1)
    [taken] = meanwhile(lambda: take_next(project, ada, now=later), batch)
    assert isinstance(taken, Lease)
    assert taken.item == other


@pytest.mark.django_db(transaction=True)
def test_a_skip_that_comes_during_the_removal_is_refused_and_stores_nothing(
    project: Project, ada: User
) -> None:
    batch = make_batch(project=project)
    lease = make_lease(item=make_item(batch=batch), annotator=ada)
    assert meanwhile(lambda: lease.skip(reason="other", now=NOW), batch) == ["Http404"]
    assert not Concern.objects.exists()
    assert not Draft.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_lease_that_is_being_taken_goes_with_the_batch(project: Project, ada: User) -> None:
    batch = make_batch(project=project)
    make_item(batch=batch)
    gone: list[bool] = []

    def run() -> None:
        try:
            gone.append(batch.remove())
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    with transaction.atomic():
        assert take_next(project, ada, now=NOW) is not None
        thread.start()
        until_one_waits_for_us()
    thread.join()
    assert gone == [True]
    assert not Lease.objects.exists()
