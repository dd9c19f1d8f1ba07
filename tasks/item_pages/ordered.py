"""The first entries of the list in an order, so that no page reads most items of a project."""

from typing import Any

from config.web.raw_sql import all_rows
from tasks.models import ItemEntry, Project
from tasks.models.item_list import MOST_COUNTED, ItemEntryQuerySet, ItemFilter, Sort

FIRST = 10_000  # entries in an order, among which traits are looked for


def first_entries(
    project: Project,
    wanted: ItemFilter,
    sort: str,
    sort_key: tuple[Any, ...] | None,
    *,
    is_reversed: bool,
    number: int,
    most: int,
) -> list[ItemEntry]:
    """Return the first entries that a filter leaves in, in an order, after a sort key if any.

    `number`: of all that the filter leaves in, as `counted` has it.
    """
    found = ItemEntry.objects.matching(project, wanted).defer("traits")
    every = ItemEntry.objects.filter(project=project)
    if sort_key:
        found = found.after_key(sort, sort_key, is_reversed=is_reversed)
        every = every.after_key(sort, sort_key, is_reversed=is_reversed)
    is_short = number <= MOST_COUNTED
    if not is_short and sort.endswith(Sort.SPREAD) and wanted.has_traits_alone:
        # A score goes with the spread, as the lowest ones go with a large spread. The index of the
        # order may then pass most of the items. So it gives the first ones, and if too few of them
        # have the traits, all items that have them are sorted.
        near = every.in_order(sort, is_reversed=is_reversed, is_short=False)[:FIRST]
        keys = _with_traits(near, wanted.traits_in(project), most)
        is_short = True
        if len(keys) == most:
            found = ItemEntry.objects.filter(pk__in=keys).defer("traits")
    return list(found.in_order(sort, is_reversed=is_reversed, is_short=is_short)[:most])


def _with_traits(near: ItemEntryQuerySet, traits: list[list[str]], most: int) -> list[int]:
    """Return the keys of the first of these entries that have one or more traits of each list.

    PostgreSQL reads these alone: with a subquery of the ORM it would look for the traits first.
    """
    statement, values = near.values_list("item", "traits").query.sql_with_params()
    has = " AND ".join(["traits && %s::text[]"] * len(traits))
    near_keys = f"SELECT item_id FROM ({statement}) AS near (item_id, traits) WHERE {has} LIMIT %s"  # noqa: S608 - of constants
    return [pk for (pk,) in all_rows(near_keys, [*values, *traits, most])]
