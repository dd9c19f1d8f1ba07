"""Pseudonyms are stored when they are first needed, whoever needs them first."""

from __future__ import annotations

import pytest
from django.utils import timezone

from tasks.exporting.pseudonyms import pseudonyms_of
from tasks.importing.after_import import take_back
from tasks.models import Project, RatingFile, StoredNumber
from tasks.models.stored_numbers import Numbering
from tests.exports import rows_of
from tests.factories import imported_rating, make_item, make_project, make_rating
from tests.waiting import at_once

# Exports read a snapshot, which can't be one of a test's own transaction.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    return make_project(slug="eggs")


def names_in(project: Project) -> list[str]:
    return [row["annotator"] for row in rows_of(project, pseudonyms=True)]


def test_an_export_stores_the_pseudonyms_that_it_has(project: Project) -> None:
    imported_rating(item=make_item(project=project), by="Dora", values={1: 4})
    make_rating(item=make_item(project=project))
    assert set(names_in(project)) == {"rater-1", "rater-2"}
    assert take_back(RatingFile.objects.get(), now=timezone.now())
    assert set(names_in(project)) == {"rater-2"}


def test_numbers_that_are_given_at_once_are_of_one_each(project: Project) -> None:
    kind = StoredNumber.Kind.MODEL
    wanted = [[f"heron {number}" for number in range(first, first + 9)] for first in range(6)]
    answers = at_once(
        [lambda names=names: Numbering(project, kind).of(names) for names in wanted]  # type: ignore[misc]
    )
    stored = Numbering(project, kind).known()
    assert sorted(stored.values()) == list(range(1, 15))
    assert all(answer.items() <= stored.items() for answer in answers)
    assert pseudonyms_of(project) == {}
