"""An admin takes a passage out of an item: no table has it any more, and ratings stay."""

from __future__ import annotations

import pytest
from django.contrib.postgres.fields import ArrayField
from django.db import models

from tasks.erasing.passages import ABOUT_ITEM, MARK, count_passages, redact, without
from tasks.erasing.project_rows import rows_of_projects
from tasks.models import Draft, Item, Rating, Score
from tests.fuzz.people import HERE
from tests.worker import work

from .full_projects import make_full_project
from .leftovers import tables_with

NUMBER = "030 1234567"
# Fields of rows about an item that are no text of somebody: codes, digests, names and ids.
NO_TEXTS = {
    "CaseEntry": {"checks", "dimension", "model", "spread_without", "token", "values"},
    "Concern": {"decision", "kind", "reason"},
    "Draft": {"seen", "writer"},
    "FactCheck": {"outcome"},
    "Item": {"external_id"},
    "ItemEntry": {"external_id", "state", "traits"},
    "ItemWords": {"runs"},  # made anew
    "Lease": {"model_names", "passed", "responses", "status", "writer"},
    "Notice": {"kind"},
    "Placement": {"checks"},
    "Question": {"dimension", "model"},
    "Rating": {"asked", "extra_because", "fingerprint", "kind", "view"},
    "Response": {"model"},
    "Score": {
        *("breaks", "checks", "clauses", "dimension", "model", "open", "remarks", "unit"),
        "without",
    },
    "ScoreDecision": {"cause", "checks", "dimension", "model", "seen", "source", "without"},
}
TEXTUAL = (models.CharField, models.TextField, models.JSONField, ArrayField)


@pytest.mark.django_db(transaction=True)
def test_no_table_has_a_passage_that_was_taken_out() -> None:
    project = make_full_project(HERE)
    rating = Rating.objects.filter(project=project, annotator__isnull=False).earliest("pk")
    item = rating.item
    for free_texts in ABOUT_ITEM:
        for row in free_texts.table._base_manager.filter(**{free_texts.lookup: item.pk}):
            changes = {}
            for name in free_texts.columns:
                changes[name] = with_number(getattr(row, name))
            free_texts.table._base_manager.filter(pk=row.pk).update(**changes)
    work()
    assert tables_with(NUMBER), "the passage was put nowhere"
    scores = list(Score.objects.order_by("pk").values_list("value", "checks"))
    count = count_passages(item, NUMBER)
    assert redact(item, NUMBER) == count > 10
    assert tables_with(NUMBER) == []
    assert tables_with("1234567") == []
    work()
    assert tables_with(NUMBER) == []
    assert list(Score.objects.order_by("pk").values_list("value", "checks")) == scores
    item.refresh_from_db()
    assert MARK in item.messages[-1]["text"]


def with_number(value: object) -> object:
    """A value of a field with the passage in its texts."""
    if isinstance(value, str):
        return f"{value} {NUMBER}"
    if isinstance(value, list):
        return [with_number(part) for part in value]
    if isinstance(value, dict):
        return {key: with_number(part) for key, part in value.items()}
    return value


def test_every_text_about_an_item_is_looked_through_or_has_a_reason() -> None:
    looked_through: dict[str, set[str]] = {}
    for free_texts in ABOUT_ITEM:
        looked_through.setdefault(free_texts.table.__name__, set()).update(free_texts.columns)
    for model in models_about_items():
        name = model.__name__
        textual = set()
        for field in model._meta.concrete_fields:
            if isinstance(field, TEXTUAL):
                textual.add(field.name)
        known = looked_through.get(name, set()) | NO_TEXTS.get(name, set())
        assert textual == known, name


def models_about_items() -> list[type[models.Model]]:
    """The models whose rows are about an item."""
    about: list[type[models.Model]] = [Item]
    for model, _path in reversed(rows_of_projects()):
        for field in model._meta.concrete_fields:
            if field.related_model in about and model not in about:
                about.append(model)
    return about


def test_a_passage_is_taken_out_of_texts_and_of_no_key() -> None:
    value = {"note": ["Ann, Ann", 3, None], "Ann": "An"}
    assert without("Ann", value) == {"note": [f"{MARK}, {MARK}", 3, None], "Ann": "An"}


@pytest.mark.django_db(transaction=True)
def test_other_items_keep_the_passage() -> None:
    project = make_full_project(HERE)
    first, second = Item.objects.filter(project=project).order_by("pk")[:2]
    for item in (first, second):
        Item.objects.filter(pk=item.pk).update(system=NUMBER)
    redact(first, NUMBER)
    second.refresh_from_db()
    assert second.system == NUMBER
    assert Draft.objects.filter(project=project).exists()
