"""What the torture holds against the batches that a lead uploads and takes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from annotators.models import User
from tasks.models import Batch, Item, Project

from ..factories import (
    make_batch,
    make_item,
    make_lease,
)
from ..torture.batches import check_batches
from ..torture.journal import Journal
from ..torture.promises import Findings

NAME, ITEMS = "passing-1", ["passing-1-0", "passing-1-1"]


@pytest.fixture
def batch(project: Project) -> Batch:
    return make_batch(project=project, name=NAME)


@pytest.fixture
def stored(batch: Batch) -> list[Item]:
    return [make_item(batch=batch, external_id=each) for each in ITEMS]


@pytest.fixture
def lead(tmp_path: Path) -> Callable[..., Journal]:
    """Have the lead's journal say what was uploaded, and removed with that outcome."""

    def written(batch: Batch, *, keys: list[int] | None = None, **outcome: Any) -> Journal:
        journal = Journal(tmp_path / "lead.jsonl")
        number = journal.intend("upload", batch=NAME, items=ITEMS)
        own = [*batch.items.values_list("pk", flat=True)]
        journal.acknowledge(number, key=batch.pk, keys=keys or own)
        if outcome:
            journal.acknowledge(journal.intend("remove", batch=NAME), **outcome)
        return journal

    return written


def found(journal: Journal, folder: Path) -> list[str]:
    journal.close()
    findings = Findings()
    check_batches(connection.connection, folder, findings)
    return [*findings.breaches]


@pytest.mark.parametrize("outcome", [{}, {"gone": False}])
def test_a_batch_that_is_there_with_all_of_its_items_is_right(
    batch: Batch, stored: list[Item], lead: Any, outcome: dict[str, bool], tmp_path: Path
) -> None:
    assert found(lead(batch, **outcome), tmp_path) == []


def test_a_batch_that_is_gone_with_all_of_them_is_right(
    batch: Batch, stored: list[Item], lead: Any, tmp_path: Path
) -> None:
    journal = lead(batch, gone=True)
    assert batch.remove()
    assert found(journal, tmp_path) == []


def test_a_batch_of_whose_upload_nobody_was_told_may_be_there_or_not(
    project: Project, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / "lead.jsonl")
    journal.intend("upload", batch=NAME, items=ITEMS)
    assert found(journal, tmp_path) == []


@pytest.mark.parametrize("what", ["item", "response"])
def test_a_batch_that_lacks_something_is_seen(
    batch: Batch, stored: list[Item], lead: Any, what: str, tmp_path: Path
) -> None:
    journal = lead(batch)
    stored[0].responses.filter(position=1).delete()
    if what == "item":
        stored[0].responses.all().delete()
        stored[0].delete()
    assert found(journal, tmp_path) == ["a batch that is there in parts"]


def test_a_removal_that_was_told_and_did_not_take_place_is_seen(
    batch: Batch, stored: list[Item], lead: Any, tmp_path: Path
) -> None:
    assert found(lead(batch, gone=True), tmp_path) == ["a batch that was removed and is there"]


@pytest.mark.parametrize("outcome", [{}, {"gone": False}])
def test_a_batch_that_is_gone_though_nobody_removed_it_is_seen(
    batch: Batch, stored: list[Item], lead: Any, outcome: dict[str, bool], tmp_path: Path
) -> None:
    journal = lead(batch, **outcome)
    assert batch.remove()
    assert found(journal, tmp_path) == ["a batch that was not removed and is gone"]


def test_remains_of_a_removed_batch_are_reported(
    batch: Batch, stored: list[Item], lead: Any, ada: User, tmp_path: Path
) -> None:
    other = make_item(project=batch.project)
    make_lease(item=other, annotator=ada)
    journal = lead(batch, keys=[other.pk], gone=True)
    assert batch.remove()
    Item.objects.filter(pk=other.pk).update(external_id=ITEMS[0])
    assert found(journal, tmp_path) == [
        "items of a batch that is gone",
        "a row of tasks_lease of a batch that is gone",
        "a row of tasks_response of a batch that is gone",
        "a row of tasks_itementry of a batch that is gone",
    ]


def test_a_removal_in_spite_of_a_draft_is_seen(
    batch: Batch, stored: list[Item], lead: Any, tmp_path: Path
) -> None:
    journal = lead(batch, gone=True)
    assert batch.remove()
    ada = Journal(tmp_path / "ada.jsonl")
    number = ada.intend("draft", lease=1, item=ITEMS[1], answers={"comment": "So."}, page={})
    ada.acknowledge(number)
    ada.close()
    assert found(journal, tmp_path) == ["a batch that is gone with what was saved of it"]


def test_a_page_that_calls_an_item_removed_which_is_there_is_seen(
    batch: Batch, stored: list[Item], lead: Any, tmp_path: Path
) -> None:
    ada = Journal(tmp_path / "ada.jsonl")
    ada.note(gone=ITEMS[0])
    ada.close()
    assert found(lead(batch), tmp_path) == ["an item that was called removed and is there"]
