"""Take a passage out of an item: of its texts, and of all that people wrote about it.

An admin does it where a text has what must not be kept, such as somebody's telephone number.
`redact` puts `MARK` in place of the passage wherever it stands:

    "Call Ann on 030 1234567 at noon."  →  "Call Ann on [removed] at noon."

Ratings stay, and so do the item's id and the names of models: other rows refer to them. Files that
may hold the old text go: exports that were made, and uploads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models, transaction
from django.db.models import Q

from config.web.raw_sql import run
from tasks.models import (
    AnsweredCall,
    Batch,
    Concern,
    Draft,
    FactCheck,
    Item,
    Notice,
    Placement,
    Question,
    Rating,
    Response,
    ReturnedRating,
    ScoreDecision,
    StoredExport,
    Upload,
    UploadBlock,
)
from tasks.models.item_words import INDEX
from tasks.models.items import TEXTS

# No word of a language: it stands in texts of all of them.
MARK = "[removed]"
# A shorter passage would stand in words that mean something else.
SHORTEST = 4


@dataclass(frozen=True)
class FreeTexts:
    """The fields of a model with what somebody wrote, and the lookup that leads to the item."""

    table: type[models.Model]
    lookup: str
    columns: Sequence[str]


# All fields of rows about an item that have more than codes, numbers and digests.
# `tests/erasing/test_passages.py` knows of each other field why it has no text.
ABOUT_ITEM = (
    FreeTexts(Item, "pk", (*TEXTS, "warning", "metadata", "dropped_why")),
    FreeTexts(Response, "item", ("text",)),
    FreeTexts(Rating, "item", ("comment",)),
    FreeTexts(Placement, "rating__item", ("comment",)),
    FreeTexts(FactCheck, "rating__item", ("claim", "sources")),
    FreeTexts(ScoreDecision, "item", ("reason",)),
    FreeTexts(Concern, "item", ("note", "answer")),
    FreeTexts(Question, "item", ("text", "reply")),
    FreeTexts(ReturnedRating, "rating__item", ("reasons", "reason")),
    FreeTexts(Notice, "concern__item", ("words",)),
    FreeTexts(Notice, "returned__rating__item", ("words",)),
    FreeTexts(Draft, "item", ("answers",)),
)
# What may quote any item of its project.
ABOUT_PROJECT = (
    FreeTexts(Upload, "project", ("report", "choices")),
    FreeTexts(Batch, "project", ("mapping",)),
    FreeTexts(AnsweredCall, "token__project", ("answer",)),
)


def count_passages(item: Item, passage: str) -> int:
    """Return how many fields of an item, and of what was written about it, have a passage."""
    count = 0
    for free_texts in ABOUT_ITEM:
        for row in _rows(free_texts, item.pk):
            for name in free_texts.columns:
                count += getattr(row, name) != without(passage, getattr(row, name))
    return count


@transaction.atomic
def redact(item: Item, passage: str) -> int:
    """Take a passage out of an item. Return the number of fields that had it.

    Whoever saves something about the item at this moment is waited for.
    """
    Item.objects.select_for_update().get(pk=item.pk)
    count = 0
    for free_texts in ABOUT_ITEM:
        count += _take_out(free_texts, item.pk, passage)
    for free_texts in ABOUT_PROJECT:
        _take_out(free_texts, item.project_id, passage)
    run(INDEX, {"items": [item.pk]})
    StoredExport.objects.filter(project=item.project_id).delete()
    of_project = Q(upload__project=item.project_id) | Q(upload__batch__project=item.project_id)
    UploadBlock.objects.filter(of_project).delete()
    return count


def _rows(free_texts: FreeTexts, key: int) -> models.QuerySet[Any]:
    return free_texts.table._base_manager.filter(**{free_texts.lookup: key}).only(
        "pk", *free_texts.columns
    )


def _take_out(free_texts: FreeTexts, key: int, passage: str) -> int:
    count = 0
    for row in _rows(free_texts, key).select_for_update(of=("self",)):
        changes = {}
        for name in free_texts.columns:
            value = getattr(row, name)
            redacted = without(passage, value)
            if redacted != value:
                changes[name] = redacted
        if changes:
            # By the manager: the models' own `save` may check what only a new row has.
            free_texts.table._base_manager.filter(pk=row.pk).update(**changes)
            count += len(changes)
    return count


def without(passage: str, value: Any) -> Any:
    """Return a text, or JSON with texts, where `MARK` stands for the passage.

    {"note": "Call Ann on 030 1234567."}  →  {"note": "Call Ann on [removed]."}
    """
    if isinstance(value, str):
        return value.replace(passage, MARK)
    if isinstance(value, Mapping):
        return {key: without(passage, part) for key, part in value.items()}
    if isinstance(value, list):
        return [without(passage, part) for part in value]
    return value
