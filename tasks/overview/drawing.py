"""Draw the overview: marks as per cents of an axis, since the policy bars inline styles."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from django.template.defaultfilters import floatformat
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from rubrics.schema import Dimension
from tasks.models.progress import ProjectFigures
from tasks.overview.speed import Forecast, Ratings

DAYS = 21  # of the chart, at most
LEAST_SLOTS = 12
TOP, BASE, BELOW = 10.0, 104.0, 120.0  # pixels from above: highest bar, axis, names of days
FULL = 100.0
ROOM = 27.0  # per cent of the width, for what is to come
LEAST_LABELLED = 7.0  # per cent of the width that a figure needs
COLOURS = 7


@dataclass(frozen=True, slots=True)
class BarPart:
    """A bar, or a part of one: where it begins, its size, its class and its figure."""

    x: str
    width: str
    colour: str
    y: str = ""
    height: str = ""
    middle: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class BarChart:
    """Ratings per day."""

    bars: list[BarPart] = field(default_factory=list)
    grid: list[tuple[str, str]] = field(default_factory=list)  # y, label
    names: list[tuple[str, str, str]] = field(default_factory=list)  # x, label, class
    need: tuple[str, str, str] | None = None  # x, y, label of the forecast's line
    done: str = ""  # the day of the forecast, in words


def per_cent(value: float) -> str:
    return f"{value:.2f}%"


def bar_chart(ratings: Ratings, ahead: Forecast | None, today: date) -> BarChart:
    """Return a bar for each of the last days up to today, and the forecast's pace as a line."""
    if not ratings:
        return BarChart()
    first = max(min(ratings), today - timedelta(days=DAYS - 1))
    days = [first + timedelta(days=number) for number in range((today - first).days + 1)]
    numbers = [ratings.get(day, 0) for day in days]
    step = _step(max(*numbers, ahead.a_day if ahead else 0, 1))
    top = step * math.ceil(max(*numbers, ahead.a_day if ahead else 0, 1) / step)
    slot = (FULL - (ROOM if ahead else 0)) / max(LEAST_SLOTS, len(days))

    def y(number: float) -> float:
        return BASE - (BASE - TOP) * number / top

    bars, names = [], []
    for place, (day, number) in enumerate(zip(days, numbers, strict=True)):
        x, is_today = place * slot, day == today
        if number:
            bars.append(
                BarPart(
                    per_cent(x),
                    per_cent(slot * 0.66),
                    "today-bar" if is_today else "",
                    y=f"{y(number):.1f}",
                    height=f"{BASE - y(number):.1f}",
                )
            )
        if is_today:
            # At the chart's edge, a word in the middle of the bar would be cut off on a phone.
            at_edge = x + slot > FULL - 1
            at, kind = (FULL, "strong end") if at_edge else (x + slot * 0.33, "strong mid")
            names.append((per_cent(at), _("today"), kind))
        elif day.weekday() == 0 and (today - day).days * slot > 9:
            names.append((per_cent(x), date_format(day, "D j"), ""))
    need = None
    if ahead:
        a_day = _("%(number)s a day") % {"number": floatformat(ahead.a_day, "-1g")}
        need = (per_cent(len(days) * slot), f"{y(ahead.a_day):.1f}", a_day)
    return BarChart(
        bars,
        [
            (f"{y(value):.1f}", number_format(value, force_grouping=True))
            for value in range(0, top + 1, step)
        ],
        names,
        need,
        date_format(ahead.done, "D j") if ahead and ahead.done else "",
    )


def _step(most: float) -> int:
    """Return the distance of the lines of a grid: 1, 2 or 5 times a power of ten."""
    rough = most / 4
    power = 10 ** max(0, math.floor(math.log10(rough))) if rough >= 1 else 1
    return next(int(each * power) for each in (1, 2, 5, 10) if each * power >= rough)


def meter(progress: ProjectFigures) -> list[BarPart]:
    """Return the parts of the bar of items: finished, then begun with most ratings first."""
    marks, x = [], 0.0
    parts = [("a", progress.finished)]
    parts += [("c" if place else "b", items) for place, (_k, items) in enumerate(progress.begun)]
    if len(progress.begun) == 1 and progress.begun[0][0] == 1:
        parts = [(colour.replace("b", "c"), items) for colour, items in parts]
    for colour, items in parts:
        width = FULL * items / max(1, progress.items)
        marks.append(BarPart(per_cent(x), per_cent(width), colour))
        x += width
    return marks


def stack(scores: Mapping[int, int], levels: Sequence[int]) -> list[BarPart]:
    """Return the shares of the scores, low to high, with a figure where there is room."""
    number, x, marks = sum(scores.values()), 0.0, []
    for place, level in enumerate(levels):
        width = FULL * scores.get(level, 0) / max(1, number)
        if width:
            marks.append(
                BarPart(
                    per_cent(x),
                    per_cent(width),
                    str(colour_of(place, len(levels))),
                    middle=per_cent(x + width / 2),
                    label=f"{width:.0f}" if width >= LEAST_LABELLED else "",
                )
            )
        x += width
    return marks


def ramp(dimension: Dimension) -> list[tuple[int, int]]:
    """Return the colours from low to high: where each stands, in pixels, and its number."""
    number = len(dimension.scores)
    return [(18 * place, colour_of(place, number)) for place in range(number)]


def colour_of(place: int, levels: int) -> int:
    """Return the colour of a level, 1 to 7; of five levels the middle one recedes too."""
    if levels == 5:
        return (1, 2, 4, 6, 7)[place]
    return 1 + round((COLOURS - 1) * place / max(1, levels - 1))


def spark(numbers: Sequence[int]) -> str:
    """Return the points of a line in a box of 100 × 20."""
    most, last = max(1, *numbers), max(1, len(numbers) - 1)
    return " ".join(
        f"{FULL * place / last:.1f},{20 - 18 * number / most:.1f}"
        for place, number in enumerate(numbers)
    )
