"""Draw a measure by week as a line: positions as per cents of the chart's width and height.

Marks are attributes of SVG elements, since the content security policy bars inline styles.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

from django.utils.formats import date_format, number_format
from django.utils.translation import pgettext

from tasks.agreement.words import coefficient, is_below

Json = dict[str, Any]
# Where the plot lies; figures of the axis are to its left, weeks and numbers under it.
_LEFT, _RIGHT, _TOP, _BOTTOM = 10.0, 94.0, 5.0, 77.0
MOST_LABELS = 6  # of weeks, so that they fit on a phone
MOST_VALUES = 8  # dots with their figure beside them; of more weeks the last dot has it
MOST_LARGE_DOTS = 26


@dataclass(frozen=True, slots=True)
class Dot:
    """A week's figure with its interval."""

    x: str
    y: str
    low: str
    high: str
    words: str  # "" where there is no room
    is_below: bool  # below the axis: drawn at its edge


@dataclass(frozen=True, slots=True)
class Label:
    """A week under the axis, and how many were rated twice or more in it."""

    x: str
    week: str
    units: str


@dataclass(frozen=True, slots=True)
class Line:
    """The chart: grid lines, one dot for each week with a figure, lines between neighbours."""

    grid: list[tuple[str, str]]  # height and figure
    dots: list[Dot]
    between: list[tuple[Dot, Dot]]
    labels: list[Label]
    radius: str


def line(weeks: list[Json], measure: str, marks: Iterable[float]) -> Line:
    """Return the chart of weeks, as they are stored: those in which nothing came are missing."""
    days = [date.fromisoformat(week["name"]) for week in weeks]
    places = [(day - days[0]).days // 7 for day in days]
    count = places[-1] + 1 if places else 0
    every = -(-count // MOST_LABELS)
    shown = {place: week["figures"][measure] for place, week in zip(places, weeks, strict=True)}
    units = {place: week["units"] for place, week in zip(places, weeks, strict=True)}
    with_figure = [place for place, each in shown.items() if "missing" not in each]
    written = with_figure if count <= MOST_VALUES else with_figure[-1:]
    dots = {
        place: Dot(
            x=_x(place, count),
            y=_y(shown[place]["value"]),
            low=_y(shown[place]["low"]),
            high=_y(shown[place]["high"]),
            words=coefficient(shown[place]["value"]) if place in written else "",
            is_below=is_below(shown[place]["value"]),
        )
        for place in with_figure
    }
    return Line(
        grid=[(_y(mark), f"{mark:g}".removeprefix("0") or "0") for mark in (0, 0.5, *marks, 1)],
        dots=list(dots.values()),
        between=[
            (dots[place], dots[after])
            for place, after in pairwise(with_figure)
            if after == place + 1
        ],
        labels=[
            # Translators: a day without its year, in the letters of Django's date formats
            Label(
                _x(place, count),
                date_format(days[0] + timedelta(weeks=place), pgettext("date format", "j M")),
                number_format(units.get(place, 0), force_grouping=True),
            )
            for place in range(0, count, max(every, 1))
        ],
        radius="4.5" if count <= MOST_LARGE_DOTS else "2.5",
    )


def _x(place: int, count: int) -> str:
    return f"{_LEFT + (_RIGHT - _LEFT) * (place + 0.5) / count:.2f}%"


def _y(value: float) -> str:
    return f"{_BOTTOM - (_BOTTOM - _TOP) * min(max(value, 0), 1):.2f}%"
