"""Programs pause, resume and close batches, and drop items and take them back."""

from __future__ import annotations

import pytest

from annotators.models import User
from tasks.models import Batch, Item, Project
from tests.api.calling import Caller, api_client
from tests.cases import cases
from tests.factories import make_batch, make_item, make_project

pytestmark = pytest.mark.django_db

NIGHT = "projects/eggs/batches/night/1"
EGG = "projects/eggs/items/d1/2%20%3F"


@pytest.fixture
def project(lead: User) -> Project:
    """At /projects/eggs/: names of batches and items may have a slash."""
    project = make_project(slug="eggs", leads=[lead])
    batch = make_batch(project=project, name="night/1")
    make_item(batch=batch, external_id="d1/2 ?")
    return project


@pytest.fixture
def caller(lead: User, project: Project) -> Caller:
    return api_client(lead, project, may_write=True)


def test_a_batch_is_paused_resumed_and_closed(caller: Caller) -> None:
    for act, status in [("pause", "paused"), ("resume", "open"), ("close", "closed")]:
        response = caller.post(f"{NIGHT}/{act}", None)
        assert (response.json()["name"], response.json()["status"]) == ("night/1", status)
        assert Batch.objects.get().status == status


@cases("address", ["batches/other/pause", "items/other/drop", "items/other/take-back"])
def test_batches_and_items_of_another_project_are_a_404(caller: Caller, address: str) -> None:
    make_item(batch=make_batch(name="other"), external_id="other")
    body = None if "batches" in address else {"why": "Twice."}
    assert caller.post(f"projects/eggs/{address}", body).status_code == 404


def test_an_item_is_dropped_with_a_reason_and_taken_back(caller: Caller, lead: User) -> None:
    response = caller.post(f"{EGG}/drop", {"why": "Twice in the file."})
    assert response.json() == {"item": "d1/2 ?", "dropped": True}
    item = Item.objects.get()
    assert (item.dropped, item.dropped_why, item.dropped_by) == (True, "Twice in the file.", lead)
    response = caller.post(f"{EGG}/take-back", {"why": "It is another one."})
    assert response.json() == {"item": "d1/2 ?", "dropped": False}
    assert not Item.objects.get().dropped


@cases("body", [{"why": ""}, {}, {"why": "x" * 2_001}, {"reason": "Twice."}])
def test_an_item_is_not_dropped_without_a_reason(caller: Caller, body: object) -> None:
    response = caller.post(f"{EGG}/drop", body)
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] in ("/why", "/reason")
    assert not Item.objects.get().dropped
