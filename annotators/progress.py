"""An annotator's progress as the desk shows it: in words and round numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from tasks.pace import Pace

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
        return cls(
            pace=pace,
            today=number_format(pace.today, force_grouping=True),
            mine=number_format(pace.rated, force_grouping=True),
            items=number_format(pace.items, force_grouping=True),
            median="" if pace.median is None else duration(pace.median),
            left=number_format(pace.left, force_grouping=True),
            time_left="" if pace.time_left is None else span(*pace.time_left),
            based_on=str(pace.based_on or ""),
        )

    @property
    def texts(self) -> dict[str, str]:
        """The texts by their names."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "pace"}


def duration(seconds: float) -> str:
    """Format a duration, with seconds below ten minutes."""
    whole = round(seconds)
    if whole < MINUTE:
        return _("%(seconds)s s") % {"seconds": whole}
    if whole < 10 * MINUTE:
        return _("%(minutes)s min %(seconds)s s") % {
            "minutes": whole // MINUTE,
            "seconds": whole % MINUTE,
        }
    return _("%(minutes)s min") % {"minutes": round(whole / MINUTE)}


def hours(seconds: int) -> str:
    """Format working time, to the minute from one minute on."""
    if seconds < MINUTE:
        return _("%(seconds)s s") % {"seconds": seconds}
    whole, minutes = divmod(round(seconds / MINUTE), 60)
    if not whole:
        return _("%(minutes)s min") % {"minutes": minutes}
    return _("%(hours)s h %(minutes)s min") % {
        "hours": number_format(whole, force_grouping=True),
        "minutes": minutes,
    }


def about(least: float, most: float) -> str:
    """Format a range of time after the word "about": it is never below a minute."""
    return span(max(least, MINUTE), max(most, MINUTE))


def span(least: float, most: float) -> str:
    """Format a range of time, rounded outwards.

    It is in minutes, and from two hours on in hours and halves.
    """
    if most < MINUTE:
        return _("less than a minute")
    step, unit, words = MINUTE, MINUTE, _("%(span)s min")
    if most >= 2 * HOUR:
        step, unit, words = HOUR // 2, HOUR, _("%(span)s h")
    low, high = math.floor(least / step) * step / unit, math.ceil(most / step) * step / unit
    ends = [number_format(f"{end:g}") for end in dict.fromkeys((low, high))]
    return words % {"span": "–".join(ends)}
