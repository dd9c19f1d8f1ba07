"""Draw the overview: marks as per cents of an axis, since the policy bars inline styles."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from django.template.defaultfilters import floatformat
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _, pgettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.scales import bands, shade
from tasks.agreement.measures import percent
from tasks.models.progress import ProjectFigures
from tasks.overview.speed import Forecast, Ratings

DAYS = 21  # of the chart, at most
LEAST_SLOTS = 12
TOP, BASE = 10.0, 104.0  # pixels from above: highest bar, axis
FULL = 100.0
ROOM = 27.0  # per cent of the width, for what is to come
LEAST_LABELLED = 7.0  # per cent of the width that a figure needs
LEAST_BETWEEN = 9.0  # per cent of the width between the name of a day and today


def per_cent(value: float) -> str:
    """Return a length as SVG has it."""
    return f"{value:.2f}%"


class GridLine(NamedTuple):
    """A line of a chart's grid, with its height and number."""

    y: str
    label: str


class DayName(NamedTuple):
    """A name under a chart, with its style."""

    x: str
    label: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class DayBar:
    """The ratings of one day."""

    x: str
    width: str
    y: str
    height: str
    colour: str  # "": the usual one


class NeedLine(NamedTuple):
    """The pace of the forecast, from a place on to the right."""

    x: str
    y: str
    label: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """A bar for each of the last days up to today, and the forecast's pace as a line."""

    bars: list[DayBar]
    grid: list[GridLine]
    day_names: list[DayName]
    need: NeedLine | None


def bar_chart(ratings: Ratings, ahead: Forecast | None, today: date) -> BarChart:
    """Return the chart of the last days up to today."""
    first = max(min(ratings), today - timedelta(days=DAYS - 1))
    days = [first + timedelta(days=number) for number in range((today - first).days + 1)]
    most = max(*(ratings.get(day, 0) for day in days), ahead.a_day if ahead else 0, 1)
    step = _step(most)
    top = step * math.ceil(most / step)
    room = ROOM if ahead else 0
    slot = (FULL - room) / max(LEAST_SLOTS, len(days))
    grid = []
    for value in range(0, top + 1, step):
        grid.append(GridLine(_height(value, top), number_format(value, force_grouping=True)))
    bars = []
    names = []
    for position, day in enumerate(days):
        x = position * slot
        if ratings.get(day, 0):
            bars.append(_bar(ratings[day], top, x, slot, day == today))
        if day == today:
            names.append(_name_of_today(x, slot))
        elif day.weekday() == 0 and (today - day).days * slot > LEAST_BETWEEN:
            name = date_format(day, pgettext("date format", "D j"))
            names.append(DayName(per_cent(x), name))
    need = None
    if ahead:
        a_day = _("%(number)s a day") % {"number": floatformat(ahead.a_day, "-1g")}
        need = NeedLine(per_cent(len(days) * slot), _height(ahead.a_day, top), a_day)
    return BarChart(bars, grid, names, need)


def _y(number: float, top: int) -> float:
    return BASE - (BASE - TOP) * number / top


def _height(number: float, top: int) -> str:
    return f"{_y(number, top):.1f}"


def _bar(number: int, top: int, x: float, slot: float, is_today: bool) -> DayBar:
    return DayBar(
        x=per_cent(x),
        width=per_cent(slot * 0.66),
        y=_height(number, top),
        height=f"{BASE - _y(number, top):.1f}",
        colour="today-bar" if is_today else "",
    )


def _name_of_today(x: float, slot: float) -> DayName:
    # At the chart's edge, a word in the middle of the bar would be cut off on a phone.
    if x + slot > FULL - 1:
        return DayName(per_cent(FULL), _("today"), "strong end")
    return DayName(per_cent(x + slot * 0.33), _("today"), "strong mid")


def _step(most: float) -> int:
    """Return the distance of the lines of a grid: 1, 2 or 5 times a power of ten."""
    rough = most / 4
    power = 1
    if rough >= 1:
        power = 10 ** max(0, math.floor(math.log10(rough)))
    steps = (power, 2 * power, 5 * power, 10 * power)
    return min(step for step in steps if step >= rough)


@dataclass(frozen=True, slots=True)
class ShareMark:
    """A part of a whole in a row of them, with a figure where there is room."""

    x: str
    width: str
    colour: str
    middle: str
    label: str  # "" without room


def meter(progress: ProjectFigures) -> list[ShareMark]:
    """Return the parts of the bar of items: finished, then started with most ratings first."""
    parts = [("a", progress.finished)]
    for position, (ratings, items) in enumerate(progress.started):
        colour = "b" if position == 0 and ratings > 1 else "c"
        parts.append((colour, items))
    return _in_a_row(parts, progress.items)


def stack(score_counts: Counter[int], dimension: Dimension) -> list[ShareMark]:
    """Return the shares of the scores, low to high, with a figure where there is room."""
    parts = [(shade(dimension, band[0]), _number(score_counts, band)) for band in bands(dimension)]
    return _in_a_row(parts, score_counts.total())


def _number(score_counts: Counter[int], band: range) -> int:
    return sum(score_counts[score] for score in band)


def shares(score_counts: Counter[int], dimension: Dimension) -> str:
    """Return the shares of the scores in words, low to high: "1: 20 %, 2: 80 %"."""
    words = []
    for band in bands(dimension):
        ends = dict.fromkeys((band[0], band[-1]))  # one, if both are the same
        name = "–".join(map(str, ends))
        value = percent(_number(score_counts, band) / score_counts.total())
        words.append(_("%(name)s: %(value)s") % {"name": name, "value": value})
    return ", ".join(words)


def _in_a_row(coloured_numbers: Iterable[tuple[str, int]], whole: int) -> list[ShareMark]:
    """Return parts of a whole one after the other, by colour and number, without empty ones."""
    marks = []
    x = 0.0
    for colour, number in coloured_numbers:
        width = FULL * number / max(1, whole)
        if width:
            mark = ShareMark(
                x=per_cent(x),
                width=per_cent(width),
                colour=colour,
                middle=per_cent(x + width / 2),
                label=f"{width:.0f}" if width >= LEAST_LABELLED else "",
            )
            marks.append(mark)
        x += width
    return marks


def spark(numbers: Sequence[int]) -> str:
    """Return the points of a line in a box of 100 × 20."""
    most = max(1, *numbers)
    last = max(1, len(numbers) - 1)
    points = []
    for position, number in enumerate(numbers):
        x = FULL * position / last
        y = 20 - 18 * number / most
        points.append(f"{x:.1f},{y:.1f}")
    return " ".join(points)
