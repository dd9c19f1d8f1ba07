"""The list of a project's items, a page at a time, with the scores of each.

`list_views.py` shows a page (`listed_items`); the page of an item has its `neighbours`. Which
entries come first in an order is in `ordered.py`; what a page needs of them in `list_rows.py`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Without
from tasks.cases.badges import Badge, badge_of
from tasks.item_pages.disputed_checks import most_disputed
from tasks.item_pages.list_rows import (
    ListedResponse,
    ListedScore,
    counted_scores,
    items_of,
    responses_of,
)
from tasks.item_pages.listed_states import days_of, listed_states
from tasks.item_pages.ordered import FilteredList
from tasks.item_pages.sort_keys import read_sort_key, write_sort_key
from tasks.lead_pages.model_names import ModelNames
from tasks.models import Item, ItemEntry, Project
from tasks.models.item_list import KEYS, MOST_COUNTED, NO_SPREAD, ItemFilter, Sort

ON_A_PAGE = 50
LONGEST_BEGINNING = 120  # characters
Values = list[int | None]  # of scores; None: the answer without one


class ListColumn(NamedTuple):
    """A model, or a response whose model has no name."""

    model: str
    position: int  # in the upload; 0 for a model

    @classmethod
    def of(cls, listed_response: ListedResponse) -> "ListColumn":
        """Return the column of a response."""
        return cls(listed_response.model, 0 if listed_response.model else listed_response.position)


@dataclass(frozen=True, slots=True)
class PagePosition:
    """The begin of a page: after a sort key, before one, or so that the page is the last."""

    after: str = ""  # a sort key as an address has it
    before: str = ""
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class ListedRow:
    """An item of the list."""

    item: Item
    beginning: str  # of its prompt
    cells: Sequence[Sequence[Badge]]  # by column
    spread: int | None
    disputed_check: str  # in words
    mark: str
    state: str
    day: str


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of the list."""

    columns: Sequence[str]  # models, or responses whose model has no name
    listed_rows: list[ListedRow]
    number: int | None  # of all that a filter leaves in; None: too many to count
    before: str  # the sort key of the page before, as an address has it; "" without one
    after: str


FIRST_PAGE = PagePosition()


def listed_items(
    project: Project,
    dimension: Dimension,
    model_names: ModelNames,
    *,
    wanted: ItemFilter | None = None,
    sort: str = Sort.ID,
    position: PagePosition = FIRST_PAGE,
) -> ListPage:
    """Return a page of the items that a filter leaves in, in an order."""
    filtered = _filtered_list(project, wanted or ItemFilter(), sort)
    page = _entries(filtered, position)
    keys = [entry.pk for entry in page.item_entries]
    items = items_of(keys)
    responses = responses_of(items)
    columns = _columns(responses.values(), model_names)
    scores = counted_scores(items)
    states = listed_states(items)
    days = days_of(items)
    badge = cache(lambda value: badge_of(dimension, value))
    dimensions = project.rubric.schema.dimensions
    rows = []
    for entry in page.item_entries:
        item = items[entry.pk].item
        state = states[entry.pk]
        item_scores = scores[entry.pk]
        cells = _cells(responses[entry.pk], item_scores, dimension.code, columns)
        row = ListedRow(
            item=item,
            beginning=" ".join(item.summary.split())[:LONGEST_BEGINNING],
            cells=[list(map(badge, values)) for values in cells],
            spread=None if entry.spread == NO_SPREAD else entry.spread,
            disputed_check=most_disputed(item_scores, dimensions),
            mark=state.kind,
            state=state.words,
            day=days.get(entry.pk, ""),
        )
        rows.append(row)
    heads = [_head(column, model_names) for column in columns]
    return ListPage(heads, rows, filtered.exact_number, *_page_ends(page, sort))


def _filtered_list(project: Project, wanted: ItemFilter, sort: str) -> FilteredList:
    """Return the list that a filter leaves, with its number as `counted` has it.

    An empty filter needs no count: an index has all items in any order, and the page has their
    number from elsewhere.
    """
    number = MOST_COUNTED + 1
    if not wanted.is_empty:
        number = ItemEntry.objects.matching(project, wanted).counted()
    return FilteredList(project, wanted, sort, number)


def neighbours(
    item: Item, wanted: ItemFilter | None = None, sort: str = Sort.ID
) -> tuple[int | None, int | None]:
    """Return the keys of the items before and after one, in the list that a filter leaves."""
    sort_key = ItemEntry.objects.filter(item=item).values_list(*KEYS[sort]).get()
    filtered = _filtered_list(item.project, wanted or ItemFilter(), sort)
    before = filtered.first_entries(sort_key, is_reversed=True, most=1)
    after = filtered.first_entries(sort_key, is_reversed=False, most=1)
    return _key_of(before), _key_of(after)


def _key_of(item_entries: Sequence[ItemEntry]) -> int | None:
    return item_entries[0].pk if item_entries else None


class _EntryPage(NamedTuple):
    """The entries of a page of the list, and if there are others."""

    item_entries: list[ItemEntry]
    has_before: bool
    has_after: bool


def _entries(filtered: FilteredList, position: PagePosition) -> _EntryPage:
    """Return the entries of a page of items; of the first one, if its key is none."""
    key = None
    if not position.is_last:
        key = read_sort_key(filtered.sort, position.before or position.after)
    # Before a key, entries are read backwards from it; those of the last page, from the end.
    is_reversed = position.is_last or bool(position.before and key)
    entries = filtered.first_entries(key, is_reversed=is_reversed, most=ON_A_PAGE + 1)
    has_more = len(entries) > ON_A_PAGE
    entries = entries[:ON_A_PAGE]
    comes_from_key = bool(key and entries)
    if is_reversed:
        return _EntryPage(entries[::-1], has_more, comes_from_key)
    return _EntryPage(entries, comes_from_key, has_more)


def _page_ends(page: _EntryPage, sort: str) -> tuple[str, str]:
    """Return the sort keys before and after a page, as an address has them; "" without one."""
    before = after = ""
    if page.has_before:
        before = write_sort_key(page.item_entries[0].sort_key(sort))
    if page.has_after:
        after = write_sort_key(page.item_entries[-1].sort_key(sort))
    return before, after


def _columns(
    responses_of_items: Iterable[Sequence[ListedResponse]], model_names: ModelNames
) -> list[ListColumn]:
    list_columns: set[ListColumn] = set()
    for of_item in responses_of_items:
        list_columns.update(map(ListColumn.of, of_item))
    return sorted(
        list_columns, key=lambda column: (model_names.sort_key(column.model), column.position)
    )


def _head(list_column: ListColumn, model_names: ModelNames) -> str:
    number = {"number": list_column.position}
    return model_names.of(list_column.model) or _("Response %(number)s") % number


def _cells(
    listed_responses: Sequence[ListedResponse],
    listed_scores: Sequence[ListedScore],
    dimension: str,
    list_columns: Sequence[ListColumn],
) -> list[Values]:
    """Return the values of the scores in a dimension, by column."""
    by_target: Mapping[int | str, Values] = _values_by_target(listed_scores, dimension)
    cells_by_column: dict[ListColumn, Values] = defaultdict(list)
    first_columns: dict[str, ListColumn] = {}
    for response in listed_responses:
        column = ListColumn.of(response)
        cells_by_column[column] += by_target.get(response.pk, [])
        first_columns.setdefault(response.model, column)
    for target, values in by_target.items():
        if isinstance(target, str):  # a candidate set stands where its first response does
            cells_by_column[first_columns[target]] += values
    return [cells_by_column[column] for column in list_columns]


def _values_by_target(
    listed_scores: Iterable[ListedScore], dimension: str
) -> Mapping[int | str, Values]:
    values_by_target: dict[int | str, Values] = defaultdict(list)
    for score in listed_scores:
        if score.dimension == dimension and score.without != Without.NOT_ASKED:
            values_by_target[score.target].append(score.value)
    return values_by_target
