"""The rows of the database that a page of the list needs, each kind in one statement.

A page has a thousand scores, so none of these is a model's instance. And the ORM takes longer to
write a statement than PostgreSQL to answer it.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache
from typing import NamedTuple

from django.db import models
from django.db.models.expressions import RawSQL
from psycopg import sql

from config.web.raw_sql import all_rows
from tasks.models import Concern, Item
from tasks.models.counting import COUNTING, CURRENT
from tasks.models.targets import Target, target_of

# When the last rating of an item came, and whether a concern waits for the lead.
LATEST = """
SELECT coalesce(file.created_at, rating.submitted_at)
FROM tasks_itementry AS entry JOIN tasks_rating AS rating ON rating.id = entry.latest
  LEFT JOIN tasks_ratingfile AS file ON file.id = rating.file_id
WHERE entry.item_id = tasks_item.id
"""
IS_RAISED = """
EXISTS (SELECT FROM tasks_concern WHERE item_id = tasks_item.id AND decision = %s)
"""
RESPONSES = """
SELECT item_id, id, model, position FROM tasks_response WHERE item_id = ANY(%(items)s)
ORDER BY position
"""
# The scores that count, of ratings as they stand.
SCORES = sql.SQL("""
SELECT rating.item_id, score.response_id, score.model, score.dimension, score.value, score.without,
  score.checks::text
FROM tasks_rating AS rating JOIN tasks_score AS score ON score.rating_id = rating.id
WHERE rating.item_id = ANY(%(items)s) AND {counting}
  AND {current}
ORDER BY rating.id
""").format(counting=COUNTING, current=CURRENT)


class ListedItem(NamedTuple):
    """An item in brief, with the time of its last rating, and if a concern waits for the lead."""

    item: Item
    latest: datetime | None
    is_raised: bool


class ListedResponse(NamedTuple):
    """A response as the list needs it."""

    item: int
    pk: int
    model: str
    position: int


class ListedScore(NamedTuple):
    """A score as the list needs it."""

    item: int
    response: int | None
    model: str
    dimension: str
    value: int | None
    without: str
    check_answers: Mapping[str, str]

    @property
    def target(self) -> Target:
        return target_of(self.response, self.model)


def items_of(item_keys: Collection[int]) -> dict[int, ListedItem]:
    """Return items in brief, by their keys."""
    rows = Item.objects.filter(pk__in=item_keys).in_brief()
    every = rows.annotate(
        latest=RawSQL(f"({LATEST})", (), models.DateTimeField()),  # noqa: S611 - constant
        is_raised=RawSQL(IS_RAISED, (Concern.Decision.NONE,), models.BooleanField()),  # noqa: S611 - constant
    )
    return {item.pk: ListedItem(item, item.latest, item.is_raised) for item in every}


def concerns_of(listed_items: Mapping[int, ListedItem]) -> dict[int, Concern]:
    """Return the oldest concern of each item that waits for the lead. Most pages have none."""
    raised = [pk for pk, row in listed_items.items() if row.is_raised]
    if not raised:
        return {}
    newest_first = Concern.objects.filter(item__in=raised).undecided().order_by("-raised_at", "-pk")
    return {row.item_id: row for row in newest_first.select_related("annotator")}


def responses_of(item_keys: Collection[int]) -> Mapping[int, list[ListedResponse]]:
    """Return the responses of each item, in their order."""
    responses_by_item: dict[int, list[ListedResponse]] = defaultdict(list)
    for row in all_rows(RESPONSES, {"items": [*item_keys]}):
        responses_by_item[row[0]].append(ListedResponse(*row))
    return responses_by_item


def counted_scores(item_keys: Collection[int]) -> Mapping[int, list[ListedScore]]:
    """Return the scores of each item that count, with the checks that go with them."""
    scores_by_item: dict[int, list[ListedScore]] = defaultdict(list)
    read = cache(json.loads)  # many scores have the same checks
    for *values, checks in all_rows(SCORES, {"items": [*item_keys]}):
        scores_by_item[values[0]].append(ListedScore._make([*values, read(checks)]))
    return scores_by_item
