"""How far each item of the list is, in words, and the day of its last rating.

A page has fifty of them. Made here, the words are looked up once for each page, not for each item.
"""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from tasks.item_pages.list_rows import ListedItem, concerns_of
from tasks.models import Concern


class ListedState(NamedTuple):
    """How far an item is: the kind of the dot before it, and the words."""

    kind: str
    words: str


def listed_states(listed_items: Mapping[int, ListedItem]) -> dict[int, ListedState]:
    """Return how far each item is, by its key. A concern that waits comes before all but a drop."""
    dropped = ListedState("off", _("dropped"))
    finished = ListedState("ok", _("finished"))
    begun = _("%(counted)s of %(wanted)s")
    concerns = concerns_of(listed_items)
    states = {}
    for key, (item, _latest, _is_raised) in listed_items.items():
        if item.dropped:
            states[key] = dropped
        elif key in concerns:
            states[key] = _raised(concerns[key])
        elif item.counted >= item.wanted:
            states[key] = finished
        else:
            numbers = {"counted": item.counted, "wanted": item.wanted}
            states[key] = ListedState("off", begun % numbers)
    return states


def _raised(concern: Concern) -> ListedState:
    words = _("skipped by %(name)s")
    if concern.kind == Concern.Kind.FLAG:
        words = _("flagged by %(name)s")
    return ListedState("warn", words % {"name": concern.annotator})


def days_of(listed_items: Mapping[int, ListedItem]) -> dict[int, str]:
    """Return the day of the last rating of each item that has one, without the year, by its key."""
    days = {key: timezone.localdate(row.latest) for key, row in listed_items.items() if row.latest}
    words = {day: date_format(day, "MONTH_DAY_FORMAT") for day in {*days.values()}}
    return {key: words[day] for key, day in days.items()}
