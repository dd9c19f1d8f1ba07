"""The first entries of the list in an order, so that no page reads most items of a project.

`listing.py` makes a page of them. Which plan PostgreSQL takes depends on how many items a filter
leaves in, and so does the statement.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

from config.web.raw_sql import all_rows
from tasks.models import ItemEntry, Project
from tasks.models.item_list import MOST_COUNTED, ItemEntryQuerySet, ItemFilter, Sort

FIRST = 10_000  # entries in an order, among which traits are looked for
SortKey: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class FilteredList:
    """The items of a project that a filter leaves in, in an order."""

    project: Project
    wanted: ItemFilter
    sort: str
    number: int  # of all items that the filter leaves in, as `counted` has it

    @property
    def exact_number(self) -> int | None:
        """The number of items; None if there are too many to count."""
        return None if self.number > MOST_COUNTED else self.number

    def first_entries(
        self, sort_key: SortKey | None, *, is_reversed: bool, most: int
    ) -> list[ItemEntry]:
        """Return the first entries in the order, after a sort key if any."""
        matching = ItemEntry.objects.matching(self.project, self.wanted)
        entries = self._after(matching, sort_key, is_reversed)
        is_short = self.number <= MOST_COUNTED
        is_by_spread = self.sort.endswith(Sort.SPREAD)
        if not is_short and is_by_spread and self.wanted.has_traits_alone:
            # A score goes with the spread, as the lowest ones go with a large spread. The index of
            # the order may then pass most of the items. So it gives the first ones, and if too few
            # of them have the traits, all items that have them are sorted.
            every = ItemEntry.objects.filter(project=self.project)
            following = self._after(every, sort_key, is_reversed)
            first = following.in_order(self.sort, is_reversed=is_reversed, is_short=False)[:FIRST]
            keys = _with_traits(first, self.wanted.traits_in(self.project), most)
            is_short = True
            if len(keys) == most:
                entries = ItemEntry.objects.filter(pk__in=keys)
        in_order = entries.in_order(self.sort, is_reversed=is_reversed, is_short=is_short)
        return list(in_order.defer("traits")[:most])

    def _after(
        self, item_entries: ItemEntryQuerySet, sort_key: SortKey | None, is_reversed: bool
    ) -> ItemEntryQuerySet:
        if not sort_key:
            return item_entries
        return item_entries.after_key(self.sort, sort_key, is_reversed=is_reversed)


def _with_traits(first_entries: ItemEntryQuerySet, traits: list[list[str]], most: int) -> list[int]:
    """Return the keys of the first of these entries that have one or more traits of each list.

    PostgreSQL reads these alone: with a subquery of the ORM it would look for the traits first.
    """
    statement, values = first_entries.values_list("item", "traits").query.sql_with_params()
    has_traits = " AND ".join(["traits && %s::text[]"] * len(traits))
    with_traits = (
        f"SELECT item_id FROM ({statement}) AS near (item_id, traits) WHERE {has_traits} LIMIT %s"  # noqa: S608 - of constants
    )
    return [pk for (pk,) in all_rows(with_traits, [*values, *traits, most])]
