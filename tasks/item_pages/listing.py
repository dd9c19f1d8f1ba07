"""The list of a project's items, a page at a time, with the scores of each."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.db.models import F
from django.utils.translation import gettext as _

from rubrics.schema import Dimension, Scope, Without
from tasks.agreement.measures import Json
from tasks.item_pages.side_by_side import coloured
from tasks.model_names import ModelNames
from tasks.models import Concern, Item, ItemEntry, Project, Rating, Response, Score
from tasks.models.item_list import (
    KEYS,
    MOST_COUNTED,
    NO_SPREAD,
    ItemEntryQuerySet,
    ItemFilter,
    Sort,
)
from tasks.models.ratings import CAME_AT

ON_A_PAGE = 50
Column = tuple[str, int]  # a model, and 0; or "" and the position in the upload
LONGEST_GIST = 120  # characters


def listed_items(
    project: Project,
    dimension: Dimension,
    names: ModelNames,
    *,
    wanted: ItemFilter | None = None,
    sort: str = Sort.ID,
    **part: str,
) -> Json:
    """Return a page of the items that a filter leaves in, in an order; `part` as in `_entries`."""
    every = ItemEntry.objects.matching(project, wanted or ItemFilter())
    number = every.counted()
    entries, has_before, has_after = _entries(every, sort, number, **part)
    items = Item.objects.in_brief().in_bulk([each.pk for each in entries])
    responses: dict[int, list[Response]] = defaultdict(list)
    for response in Response.objects.filter(item__in=items).defer("text").order_by("position"):
        responses[response.item_id].append(response)
    columns = sorted(
        {_column(each) for some in responses.values() for each in some},
        key=lambda column: (names.sort_key(column[0]), column[1]),
    )
    said = _said(items)
    flagged: dict[int, Concern] = {
        each.item_id: each
        for each in Concern.objects.filter(item__in=items)
        .undecided()
        .order_by("-raised_at", "-pk")
        .select_related("annotator")
    }
    times = dict(
        Rating.objects.filter(pk__in=[each.latest for each in entries])
        .order_by()
        .values_list("pk", CAME_AT)
    )
    return {
        # Models, or responses whose model has no name.
        "columns": [
            names.of(model) or _("Response %(number)s") % {"number": position}
            for model, position in columns
        ],
        "rows": [
            {
                "item": items[each.pk],
                "gist": " ".join(items[each.pk].gist.split())[:LONGEST_GIST],
                "cells": _cells(responses[each.pk], said[each.pk], dimension, columns),
                "spread": None if each.spread == NO_SPREAD else each.spread,
                "differs_on": _differs_on(said[each.pk], project.rubric.schema.dimensions),
                "latest": times.get(each.latest),
                "raised": flagged.get(each.pk),  # the oldest
            }
            for each in entries
        ],
        # Of all that the filter leaves in.
        "number": None if number > MOST_COUNTED else number,
        "before": _write_sort_key(entries[0].sort_key(sort)) if has_before else "",
        "after": _write_sort_key(entries[-1].sort_key(sort)) if has_after else "",
    }


def neighbours(
    item: Item, wanted: ItemFilter | None = None, sort: str = Sort.ID
) -> tuple[Item | None, Item | None]:
    """Return the keys of the items before and after one, in the list that a filter leaves."""
    project, own = item.project, ItemEntry.objects.get(item=item).sort_key(sort)
    found = ItemEntry.objects.matching(project, wanted or ItemFilter())
    is_short = wanted is not None and found.counted() <= MOST_COUNTED
    before, after = (
        found.after_key(sort, own, is_reversed=way)
        .in_order(sort, is_reversed=way, is_short=is_short)
        .values_list("item", flat=True)
        .first()
        for way in (True, False)
    )
    keys = Item.objects.only("project").in_bulk([pk for pk in (before, after) if pk])
    return keys.get(before or 0), keys.get(after or 0)


def is_sort_key(sort: str, written: str) -> bool:
    """Return True if an address names a sort key, or none."""
    return not written or _read_sort_key(sort, written) is not None


def _entries(
    every: ItemEntryQuerySet,
    sort: str,
    number: int,
    *,
    after: str = "",
    before: str = "",
    last: str = "",
) -> tuple[list[ItemEntry], bool, bool]:
    """Return the entries of a page of items, and whether there are others before and after it.

    The page is what comes `after` a sort key or `before` one, or the `last` page.
    """
    key = None if last else _read_sort_key(sort, before or after)
    is_reversed = bool(last or (before and key))
    if key:
        every = every.after_key(sort, key, is_reversed=is_reversed)
    ordered = every.in_order(sort, is_reversed=is_reversed, is_short=number <= MOST_COUNTED)
    found = list(ordered.defer("traits")[: ON_A_PAGE + 1])
    more, page = len(found) > ON_A_PAGE, found[:ON_A_PAGE]
    if is_reversed:
        return page[::-1], more, bool(key and page)
    return page, bool(key and page), more


def _write_sort_key(key: Sequence[Any]) -> str:
    return ".".join(map(str, key))


def _read_sort_key(sort: str, written: str) -> tuple[Any, ...] | None:
    """Return the sort key that an address names, or None if it names none."""
    if not written:
        return None
    if len(KEYS[sort]) == 1:
        return (written,)
    with suppress(ValueError):
        value, item = map(int, written.split("."))
        if -(2**15) <= value < 2**63 and 0 < item < 2**63:
            return value, item
    return None


def _column(response: Response) -> Column:
    return response.model, 0 if response.model else response.position


def _said(items: Iterable[int]) -> Mapping[int, list[Score]]:
    """Return the scores of each item that count, with the checks that go with them."""
    found: dict[int, list[Score]] = defaultdict(list)
    # No subquery: it would give the table another name than `counting` does.
    ratings = (
        Rating.objects.filter(item__in=items).counting().current().values_list("pk", flat=True)
    )
    counted = (
        Score.objects.filter(rating__in=list(ratings))
        .order_by("rating")
        .only("rating", "response", "model", "dimension", "value", "without", "checks")
        .annotate(item=F("rating__item"))
    )
    for score in counted:
        found[score.item].append(score)
    return found


def _cells(
    responses: Sequence[Response],
    said: Sequence[Score],
    dimension: Dimension,
    columns: Sequence[Column],
) -> list[list[Json]]:
    scored: dict[int | str, list[int | None]] = defaultdict(list)
    for each in said:
        if each.dimension == dimension.code and each.without != Without.NOT_ASKED:
            scored[each.target].append(each.value)
    cells: dict[Column, list[int | None]] = defaultdict(list)
    for response in responses:
        cells[_column(response)] += scored.get(response.pk, [])
    firsts = {each.model: _column(each) for each in reversed(responses)}
    for model, values in scored.items():
        if isinstance(model, str):  # a candidate set stands where its first response does
            cells[firsts[model]] += values
    return [[coloured(dimension, value) for value in cells[column]] for column in columns]


def _differs_on(said: Sequence[Score], dimensions: Sequence[Dimension]) -> str:
    """Return the check on which ratings of one target differ most often, or the first of those."""
    targets: dict[tuple[str, int | str], list[Mapping[str, str]]] = defaultdict(list)
    for each in said:
        targets[each.dimension, each.target].append(each.checks)
    differing = Counter(
        (dimension, code)
        for (dimension, _target), answers in targets.items()
        for code in {code for each in answers for code in each}
        if len({each.get(code, "") for each in answers}) > 1
    )
    wordings = {
        (dimension.code, check.code): check.wording
        for dimension in dimensions
        for check in dimension.checks
        if check.scope is Scope.TARGET and differing[dimension.code, check.code]
    }
    return wordings[max(wordings, key=lambda check: differing[check])] if wordings else ""
