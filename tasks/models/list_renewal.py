"""Renew the entries of the list of items, and index the texts, in steps of the worker.

`manage.py work` calls `renew_entries` and `index_texts` until nothing is left. A step locks the
progress of its project's list (`ItemList`), so that no two workers do the same.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from psycopg import sql

from config.web.raw_sql import all_rows, one_row, run
from rubrics.judging.kinds import Better

from .case_counts import add_up_cases
from .case_renewal import renew_cases
from .counting import COUNTING, CURRENT, PERSON, RATERS
from .item_list import NO_SPREAD, ItemEntry, ItemList
from .item_words import INDEX
from .items import Item, Response
from .loads import is_alone
from .projects import Project
from .stored_figures import SETTLED
from .tallies import NO_END

STEP = 1_000  # ratings in one transaction
TEXTS = 200  # items whose texts are indexed in one transaction

# The key of the last of the next settled ratings, and how many these are.
NEXT_SETTLED = """
SELECT coalesce(max(id), %(upto)s), count(*) FROM (
  SELECT id FROM tasks_rating
  WHERE project_id = %(project)s AND id > %(upto)s
    AND coalesce(submitted_at, '-infinity') <= %(settled)s
  ORDER BY id LIMIT %(step)s) AS next
"""
# The items of these ratings whose entries lack one. The ratings of an item are stored one after
# the other, each with a higher key, because each of them locks the item. One more than a step
# takes tells that there are others: beside the settled ratings, some that are not settled may have
# keys up to the last.
OUTDATED = """
SELECT DISTINCT entry.item_id
FROM tasks_rating AS rating JOIN tasks_itementry AS entry ON entry.item_id = rating.item_id
WHERE rating.project_id = %(project)s AND rating.id > %(upto)s AND rating.id <= %(last)s
  AND entry.latest < rating.id
LIMIT %(step)s + 1
"""
# Whoever drops an item, or wants more ratings of it, changes its entry too. Don't wait for them:
# they may wait for us.
LOCK = """
SELECT item_id FROM tasks_itementry WHERE item_id = ANY(%(items)s) FOR NO KEY UPDATE SKIP LOCKED
"""
# Makes entries anew from the scores that count: `scored` has these, `furthest` the largest spread
# of an item's targets, `trait` what can be filtered by (`ItemEntry.traits`).
RENEW = sql.SQL("""
WITH scored AS (
  SELECT rating.item_id, {person} AS person, score.dimension, score.response_id, score.value,
    score.checks, coalesce(response.model, score.model) AS model
  FROM tasks_rating AS rating JOIN tasks_score AS score ON score.rating_id = rating.id {raters}
  LEFT JOIN tasks_response AS response ON response.id = score.response_id
  WHERE rating.item_id = ANY(%(items)s) AND {counting}
    AND {current}
), furthest AS (
  SELECT item_id, max(spread) AS spread FROM (
    SELECT item_id, CASE WHEN dimension = ANY(%(classes)s) THEN least(max(value) - min(value), 1)
      ELSE max(value) - min(value) END AS spread FROM scored
    GROUP BY item_id, dimension, response_id, CASE WHEN response_id IS NULL THEN model END
    HAVING count(value) > 1) AS target
  GROUP BY item_id
), trait AS (
  SELECT item_id, concat(%(project)s, ':by:', person) AS name FROM scored
  UNION SELECT item_id, concat(%(project)s, ':score:', dimension, ':', value) FROM scored
  WHERE value IS NOT NULL
  UNION SELECT item_id, concat(%(project)s, ':model:', dimension, ':', value, ':', md5(model))
  FROM scored WHERE value IS NOT NULL
  UNION SELECT item_id, concat(%(project)s, ':check:', dimension, ':', key, '=', answer)
  FROM scored, jsonb_each_text(checks) AS given (key, answer) WHERE answer <> ''
)
UPDATE tasks_itementry AS entry SET
  latest = (SELECT coalesce(max(id), 0) FROM tasks_rating WHERE item_id = item.id),
  spread = coalesce(furthest.spread, %(no_spread)s),
  traits = coalesce(has.traits, ARRAY[]::text[]),
  state = tasks_item_state(item.counted, item.wanted, item.dropped)
FROM tasks_item AS item LEFT JOIN furthest ON furthest.item_id = item.id LEFT JOIN (
  SELECT item_id, array_agg(name ORDER BY name COLLATE "C") AS traits FROM trait GROUP BY item_id
) AS has ON has.item_id = item.id
WHERE item.id = ANY(%(items)s) AND entry.item_id = item.id
""").format(counting=COUNTING, current=CURRENT, person=PERSON, raters=RATERS)


class _Step(NamedTuple):
    """The next ratings that entries may lack."""

    settled_upto: int  # the key of the last settled one: none with a lower key comes later
    is_last: bool  # then all ratings after it are in this step, too, though they are not settled


@transaction.atomic
def renew_entries(project: Project, *, now: datetime) -> bool:
    """Renew the entries of the items rated since the last step. Return True if others are left."""
    progress = _lock_progress(project)
    if progress is None or not is_alone(project.pk):
        return False
    step = _next_step(project, progress, now)
    items = _outdated_items(project, progress, step)
    locked = _keys(LOCK, {"items": items}) if items else []
    if locked:
        # A statement of its own sees all that was changed before the locks were taken.
        _renew(project, locked)
    if len(locked) < len(items):  # the others wait for the next round
        return False
    if len(items) > STEP:
        return True
    if step.settled_upto > progress.upto:
        progress.upto = step.settled_upto
        progress.save(update_fields=["upto"])
    if step.is_last:
        add_up_cases(project, came=bool(locked))
    return not step.is_last


def _next_step(project: Project, progress: ItemList, now: datetime) -> _Step:
    values = {"project": project.pk, "upto": progress.upto, "step": STEP, "settled": now - SETTLED}
    upto, number = one_row(NEXT_SETTLED, values) or (progress.upto, 0)
    return _Step(upto, is_last=number < STEP)


def _outdated_items(project: Project, progress: ItemList, step: _Step) -> list[int]:
    last = NO_END if step.is_last else step.settled_upto
    values = {"project": project.pk, "upto": progress.upto, "last": last, "step": STEP}
    return _keys(OUTDATED, values)


def renew_entry(item: Item) -> None:
    """Renew the entry of an item that its caller has locked, so that no rating comes meanwhile."""
    _renew(item.project, [item.pk])


def renew_all(project: Project, item_keys: list[int]) -> None:
    """Renew the entries of items, for who has locked the project's loads and the items."""
    for first in range(0, len(item_keys), STEP):
        _renew(project, item_keys[first : first + STEP])


def _renew(project: Project, item_keys: list[int]) -> None:
    dimensions = project.rubric.schema.dimensions
    classes = [dimension.code for dimension in dimensions if dimension.better is Better.NONE]
    values = {
        "items": item_keys,
        "project": project.pk,
        "no_spread": NO_SPREAD,
        "classes": classes,
    }
    run(RENEW, values)
    renew_cases(project, item_keys)


@transaction.atomic
def index_texts(project: Project) -> bool:
    """Index the texts of the next items. Return True if others are left."""
    progress = _lock_progress(project)
    if progress is None:
        return False
    # Uploads to a project come one after the other, so no item gets a lower key later.
    entries = ItemEntry.objects.filter(project=project, item__gt=progress.indexed).order_by("item")
    items = list(entries.values_list("item", flat=True)[: TEXTS + 1])
    if items:
        run(INDEX, {"items": items[:TEXTS]})
        responses = Response.objects.filter(item__in=items).exclude(model="").order_by()
        models = responses.values_list("model", flat=True).distinct()
        progress.indexed = items[:TEXTS][-1]
        progress.responders = sorted({*progress.responders, *models})
        progress.save(update_fields=["indexed", "responders"])
    return len(items) > TEXTS


def _lock_progress(project: Project) -> ItemList | None:
    """Return how far the list of a project is, locked; None if another worker has locked it."""
    progress, _made = ItemList.objects.get_or_create(project=project)
    return ItemList.objects.select_for_update(skip_locked=True).filter(pk=progress.pk).first()


def _keys(statement: str, parameters: Mapping[str, object]) -> list[int]:
    """Return the keys of items that a statement has in its one column."""
    return [pk for (pk,) in all_rows(statement, parameters)]
