"""An annotator's progress as the desk shows it: in words and round numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tasks.models.pace import Pace

MINUTE, HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class Progress:
    """An annotator's progress as texts, empty if there is nothing to say yet."""

    pace: Pace  # the numbers that the texts are made of
    today: str
    mine: str
    items: str
    median: str
    left: str
    time_left: str
    based_on: str

    @classmethod
    def of(cls, pace: Pace) -> Progress:
        median = pace.median
        time_left = pace.time_left
        return cls(
            pace=pace,
            today=_format_number(pace.today),
            mine=_format_number(pace.rated),
            items=_format_number(pace.items),
            median="" if median is None else duration(median),
            left=_format_number(pace.left),
            time_left="" if time_left is None else span(*time_left),
            based_on=str(pace.based_on or ""),
        )

    @property
    def texts(self) -> dict[str, str]:
        """The texts by their names."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "pace"}


def _format_number(number: int) -> str:
    """Format a number, with its digits in groups."""
    return number_format(number, force_grouping=True)


def duration(seconds: float) -> str:
    """Format a duration, with seconds below ten minutes."""
    whole = round(seconds)
    if whole < MINUTE:
        return _("%(seconds)s s") % {"seconds": whole}
    if whole < 10 * MINUTE:
        minutes, rest = divmod(whole, MINUTE)
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": rest}
    return _("%(minutes)s min") % {"minutes": round(whole / MINUTE)}


def hours(seconds: int) -> str:
    """Format working time, to the minute from one minute on."""
    if seconds < MINUTE:
        return _("%(seconds)s s") % {"seconds": seconds}
    whole, minutes = divmod(round(seconds / MINUTE), 60)
    if not whole:
        return _("%(minutes)s min") % {"minutes": minutes}
    return _("%(hours)s h %(minutes)s min") % {"hours": _format_number(whole), "minutes": minutes}


def span_of_minutes(least: float, most: float) -> str:
    """Format a range of time after the word "about": it is never below a minute."""
    return span(max(least, MINUTE), max(most, MINUTE))


def span(least: float, most: float) -> str:
    """Format a range of time, rounded outwards.

    It is in minutes, and from two hours on in hours and halves.
    """
    if most < MINUTE:
        return _("less than a minute")
    step = MINUTE
    unit = MINUTE
    words = _("%(span)s min")
    if most >= 2 * HOUR:
        step = HOUR // 2
        unit = HOUR
        words = _("%(span)s h")
    low = math.floor(least / step) * step / unit
    high = math.ceil(most / step) * step / unit
    ends = [number_format(f"{end:g}") for end in dict.fromkeys((low, high))]
    return words % {"span": "–".join(ends)}
