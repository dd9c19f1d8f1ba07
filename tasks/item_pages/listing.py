"""The list of a project's items, a page at a time, with the scores of each."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext as _

from rubrics.schema import Dimension, Scope, Without
from tasks.agreement.measures import Json
from tasks.item_pages.list_rows import (
    ListedResponse,
    ListedScore,
    counted_scores,
    items_of,
    responses_of,
)
from tasks.item_pages.listed_states import days_of, listed_states
from tasks.item_pages.ordered import first_entries
from tasks.item_pages.side_by_side import coloured
from tasks.model_names import ModelNames
from tasks.models import Item, ItemEntry, Project
from tasks.models.item_list import (
    KEYS,
    MOST_COUNTED,
    NO_SPREAD,
    ItemFilter,
    Sort,
)

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
    wanted = wanted or ItemFilter()
    number = _number(project, wanted)
    entries, has_before, has_after = _entries(project, wanted, sort, number, **part)
    items = items_of([each.pk for each in entries])
    responses = responses_of(items)
    columns = sorted(
        {_column(each) for some in responses.values() for each in some},
        key=lambda column: (names.sort_key(column[0]), column[1]),
    )
    scores = counted_scores(items)
    states = listed_states(items)
    days = days_of(items)
    rows = [
        {
            "item": items[entry.pk].item,
            "gist": " ".join(items[entry.pk].item.gist.split())[:LONGEST_GIST],
            "cells": _cells(responses[entry.pk], scores[entry.pk], dimension.code, columns),
            "spread": None if entry.spread == NO_SPREAD else entry.spread,
            "differs_on": _differs_on(scores[entry.pk], project.rubric.schema.dimensions),
            "mark": states[entry.pk].kind,
            "state": states[entry.pk].words,
            "day": days.get(entry.pk, ""),
        }
        for entry in entries
    ]
    _with_colours(rows, dimension)
    return {
        # Models, or responses whose model has no name.
        "columns": [
            names.of(model) or _("Response %(number)s") % {"number": position}
            for model, position in columns
        ],
        "rows": rows,
        # Of all that a filter leaves in.
        "number": None if number > MOST_COUNTED else number,
        "before": _write_sort_key(entries[0].sort_key(sort)) if has_before else "",
        "after": _write_sort_key(entries[-1].sort_key(sort)) if has_after else "",
    }


def _number(project: Project, wanted: ItemFilter) -> int:
    """Return how many items a filter leaves in, as `counted` has it.

    An empty filter needs no count: an index has all items in any order, and the page has their
    number from elsewhere.
    """
    if wanted.is_empty:
        return MOST_COUNTED + 1
    return ItemEntry.objects.matching(project, wanted).counted()


def neighbours(
    item: Item, wanted: ItemFilter | None = None, sort: str = Sort.ID
) -> tuple[int | None, int | None]:
    """Return the keys of the items before and after one, in the list that a filter leaves."""
    project, wanted_ones = item.project, wanted or ItemFilter()
    own = ItemEntry.objects.filter(item=item).values_list(*KEYS[sort]).get()
    number = _number(project, wanted_ones)
    before, after = (
        first_entries(*(project, wanted_ones, sort, own), is_reversed=way, number=number, most=1)
        for way in (True, False)
    )
    return _key_of(before), _key_of(after)


def _key_of(entries: Sequence[ItemEntry]) -> int | None:
    return entries[0].pk if entries else None


def is_sort_key(sort: str, written: str) -> bool:
    """Return True if an address names a sort key, or none."""
    return not written or _read_sort_key(sort, written) is not None


def _entries(
    project: Project,
    wanted: ItemFilter,
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
    found = first_entries(
        *(project, wanted, sort, key),
        is_reversed=is_reversed,
        number=number,
        most=ON_A_PAGE + 1,
    )
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


def _column(response: ListedResponse) -> Column:
    return response.model, 0 if response.model else response.position


def _cells(
    responses: Sequence[ListedResponse],
    scores: Sequence[ListedScore],
    dimension: str,
    columns: Sequence[Column],
) -> list[list[int | None]]:
    """Return the values of the scores in a dimension, by column."""
    scored: dict[int | str, list[int | None]] = defaultdict(list)
    for score in scores:
        if score.dimension == dimension and score.without != Without.NOT_ASKED:
            scored[score.target].append(score.value)
    cells: dict[Column, list[int | None]] = defaultdict(list)
    for response in responses:
        cells[_column(response)] += scored.get(response.pk, [])
    firsts = {each.model: _column(each) for each in reversed(responses)}
    for model, values in scored.items():
        if isinstance(model, str):  # a candidate set stands where its first response does
            cells[firsts[model]] += values
    return [cells[column] for column in columns]


def _with_colours(rows: Sequence[Json], dimension: Dimension) -> None:
    """Give the values in the cells of the rows their colours, each value's found once."""
    values = {value for row in rows for cell in row["cells"] for value in cell}
    badges = {value: coloured(dimension, value) for value in values}
    for row in rows:
        row["cells"] = [[badges[value] for value in cell] for cell in row["cells"]]


def _differs_on(said: Sequence[ListedScore], dimensions: Sequence[Dimension]) -> str:
    """Return the check on which ratings of one target differ most often, or the first of those."""
    targets: dict[tuple[str, int | str], list[Mapping[str, str]]] = defaultdict(list)
    for each in said:
        targets[each.dimension, each.target].append(each.checks)
    differing: Counter[tuple[str, str]] = Counter()
    for (dimension, _target), answers in targets.items():
        differing.update((dimension, code) for code in _codes_apart(answers))
    wordings = {
        (dimension.code, check.code): check.wording
        for dimension in dimensions
        for check in dimension.checks
        if check.scope is Scope.TARGET and differing[dimension.code, check.code]
    }
    return wordings[max(wordings, key=lambda check: differing[check])] if wordings else ""


def _codes_apart(answers: Sequence[Mapping[str, str]]) -> set[str]:
    """Return the checks that ratings of one target answer differently; "" is no answer."""
    first, *others = (each.items() for each in answers)
    apart = {pair for each in others for pair in each ^ first}
    return {code for code, answer in apart if answer}
