"""Charts of agreement: figures and their intervals as per cents of an axis.

All widths are attributes of SVG elements, since the content security policy bars inline styles.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from django.utils.formats import date_format, number_format

from tasks.agreement.measures import coefficient, figure_in_words, is_below, percent
from tasks.agreement.stored import Estimate, Figure, Missing, Part

LOW = 0.5  # a figure whose interval reaches below is drawn in the colour of limits
# The place of the plot of weeks; figures of the axis are to its left, weeks and numbers under it.
_LEFT = 10.0
_RIGHT = 94.0
_TOP = 5.0
_BOTTOM = 77.0
MOST_LABELS = 6  # of weeks, so that they fit on a phone
MOST_VALUES = 8  # dots with their figure beside them; of more weeks the last dot has it
MOST_LARGE_DOTS = 26


class ChartMark(NamedTuple):
    """A line across a chart."""

    position: str  # "80.00%"
    label: str


@dataclass(frozen=True, slots=True)
class Whisker:
    """A figure of a chart: a dot with its interval on an axis from 0 to 1, and its words.

    Without a figure there are only the words. It may be low, and below the axis: then it is drawn
    at the edge.
    """

    name: str
    words: str
    share: str = ""  # how often a check was answered so
    n: str = ""  # of how many responses with two or more answers
    at: str = ""
    low: str = ""
    high: str = ""
    is_low: bool = False
    is_below: bool = False
    is_in_rubric: bool = False  # the name


@dataclass(frozen=True, slots=True)
class Dot:
    """A week in the chart of weeks; the words are "" where there is no room."""

    x: str
    y: str
    low: str
    high: str
    words: str
    is_low: bool
    is_below: bool


@dataclass(frozen=True, slots=True)
class WeekLabel:
    """A label under the axis of the chart of weeks."""

    x: str
    week: str
    units: str


@dataclass(frozen=True, slots=True)
class WeekChart:
    """A line of weeks, with grid lines and their figures."""

    grid: list[ChartMark]
    dots: list[Dot]
    between: list[tuple[Dot, Dot]]
    labels: list[WeekLabel]
    radius: str


def whisker(name: str, figure: Estimate, share: float | None = None) -> Whisker:
    """Return a figure of a chart. `share`: how often the check was answered so."""
    words = figure_in_words(figure)
    if isinstance(figure, Missing):
        return Whisker(name, words)
    return Whisker(
        name=name,
        words=words,
        share="" if share is None else percent(share),
        at=on_axis(figure.value),
        low=on_axis(figure.low),
        high=on_axis(figure.high),
        is_low=_is_low(figure),
        is_below=is_below(figure.value),
    )


def _is_low(figure: Figure) -> bool:
    return figure.low < LOW


def on_axis(value: float) -> str:
    """Return the position on an axis from 0 to 1."""
    return f"{100 * _clamped(value):.2f}%"


def axis_marks(axis_values: Iterable[float]) -> list[ChartMark]:
    """Return the marks at some values of an axis from 0 to 1."""
    return [ChartMark(on_axis(value), _label_of(value)) for value in axis_values]


def _label_of(value: float) -> str:
    """Return a value without the zero before its point: ".8"."""
    digits = f"{value:g}".removeprefix("0")
    return digits or "0"


def _clamped(value: float) -> float:
    return min(max(value, 0), 1)


def line(weeks: Sequence[Part], measure: str, marks: Iterable[float]) -> WeekChart:
    """Return the chart of weeks, as they are stored: those in which nothing came are missing.

    It has a dot for each week with a figure and its interval, lines between neighbours, and a label
    for weeks under the axis.
    """
    days = [date.fromisoformat(week.name) for week in weeks]
    count = 0
    figures = {}
    units = {}
    for day, week in zip(days, weeks, strict=True):
        distance = day - days[0]
        position = distance.days // 7
        count = position + 1
        units[position] = week.units
        figure = week.figures[measure]
        if isinstance(figure, Figure):
            figures[position] = figure
    dots = _dots(figures, count)
    return WeekChart(
        grid=[_grid_line(mark) for mark in (0, 0.5, *marks, 1)],
        dots=list(dots.values()),
        between=_neighbours(dots),
        labels=list(_week_labels(days, units, count)),
        radius="4.5" if count <= MOST_LARGE_DOTS else "2.5",
    )


def _dots(figure_by_week: Mapping[int, Figure], count: int) -> dict[int, Dot]:
    """Return a dot for each week with a figure."""
    with_words = list(figure_by_week)
    if count > MOST_VALUES:
        with_words = with_words[-1:]
    dots = {}
    for position, figure in figure_by_week.items():
        dots[position] = Dot(
            x=_x(position, count),
            y=_y(figure.value),
            low=_y(figure.low),
            high=_y(figure.high),
            words=coefficient(figure.value) if position in with_words else "",
            is_low=_is_low(figure),
            is_below=is_below(figure.value),
        )
    return dots


def _grid_line(mark: float) -> ChartMark:
    return ChartMark(_y(mark), _label_of(mark))


def _neighbours(dots: Mapping[int, Dot]) -> list[tuple[Dot, Dot]]:
    """Return the pairs of dots of weeks that follow one another."""
    lines = []
    for week, following in pairwise(dots):
        if following == week + 1:
            lines.append((dots[week], dots[following]))
    return lines


def _week_labels(days: Sequence[date], units: Mapping[int, int], count: int) -> Iterator[WeekLabel]:
    step = -(-count // MOST_LABELS)
    for position in range(0, count, max(step, 1)):
        day = days[0] + timedelta(weeks=position)
        week = date_format(day, "MONTH_DAY_FORMAT")
        number = number_format(units.get(position, 0), force_grouping=True)
        yield WeekLabel(_x(position, count), week, number)


def _x(position: int, count: int) -> str:
    width = _RIGHT - _LEFT
    x = _LEFT + width * (position + 0.5) / count
    return f"{x:.2f}%"


def _y(value: float) -> str:
    height = _BOTTOM - _TOP
    y = _BOTTOM - height * _clamped(value)
    return f"{y:.2f}%"
