"""Draw the overview: marks as per cents of an axis, since the policy bars inline styles."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from django.template.defaultfilters import floatformat
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _, pgettext

from rubrics.scales import bands, shade
from rubrics.schema import Dimension, Level
from tasks.agreement.measures import Json, percent
from tasks.models.progress import ProjectFigures
from tasks.overview.speed import Forecast, Ratings

DAYS = 21  # of the chart, at most
LEAST_SLOTS = 12
TOP, BASE = 10.0, 104.0  # pixels from above: highest bar, axis
FULL = 100.0
ROOM = 27.0  # per cent of the width, for what is to come
LEAST_LABELLED = 7.0  # per cent of the width that a figure needs


def per_cent(value: float) -> str:
    """Return a length as SVG has it."""
    return f"{value:.2f}%"


def bar_chart(ratings: Ratings, ahead: Forecast | None, today: date) -> Json:
    """Return a bar for each of the last days up to today, and the forecast's pace as a line."""
    first = max(min(ratings), today - timedelta(days=DAYS - 1))
    days = [first + timedelta(days=number) for number in range((today - first).days + 1)]
    numbers = [ratings.get(day, 0) for day in days]
    most = max(*numbers, ahead.a_day if ahead else 0, 1)
    step = _step(most)
    top = step * math.ceil(most / step)
    slot = (FULL - (ROOM if ahead else 0)) / max(LEAST_SLOTS, len(days))

    def y(number: float) -> float:
        return BASE - (BASE - TOP) * number / top

    bars, names = [], []
    for position, (day, number) in enumerate(zip(days, numbers, strict=True)):
        x, is_today = position * slot, day == today
        if number:
            bars.append(
                {
                    "x": per_cent(x),
                    "width": per_cent(slot * 0.66),
                    "colour": "today-bar" if is_today else "",
                    "y": f"{y(number):.1f}",
                    "height": f"{BASE - y(number):.1f}",
                }
            )
        if is_today:
            # At the chart's edge, a word in the middle of the bar would be cut off on a phone.
            at_edge = x + slot > FULL - 1
            at, kind = (FULL, "strong end") if at_edge else (x + slot * 0.33, "strong mid")
            names.append((per_cent(at), _("today"), kind))
        elif day.weekday() == 0 and (today - day).days * slot > 9:
            names.append((per_cent(x), date_format(day, pgettext("date format", "D j")), ""))
    need = None
    if ahead:
        a_day = _("%(number)s a day") % {"number": floatformat(ahead.a_day, "-1g")}
        need = (per_cent(len(days) * slot), f"{y(ahead.a_day):.1f}", a_day)
    return {
        "bars": bars,
        "grid": [
            (f"{y(value):.1f}", number_format(value, force_grouping=True))
            for value in range(0, top + 1, step)
        ],
        "names": names,
        "need": need,
    }


def named_days(ratings: Ratings) -> list[tuple[str, str]]:
    """Return the days with ratings, each in words and with its number, newest first."""
    words = _("%(weekday)s %(day)s")
    return [
        (
            words
            % {"weekday": WEEKDAYS_ABBR[day.weekday()], "day": date_format(day, "DATE_FORMAT")},
            number_format(number, force_grouping=True),
        )
        for day, number in sorted(ratings.items(), reverse=True)
    ]


def _step(most: float) -> int:
    """Return the distance of the lines of a grid: 1, 2 or 5 times a power of ten."""
    rough = most / 4
    power = 10 ** max(0, math.floor(math.log10(rough))) if rough >= 1 else 1
    return next(int(each * power) for each in (1, 2, 5, 10) if each * power >= rough)


def meter(progress: ProjectFigures) -> list[Json]:
    """Return the parts of the bar of items: finished, then started with most ratings first."""
    started = [
        ("b" if position == 0 and ratings > 1 else "c", items)
        for position, (ratings, items) in enumerate(progress.started)
    ]
    return _in_a_row([("a", progress.finished), *started], progress.items)


def stack(scores: Counter[int], dimension: Dimension) -> list[Json]:
    """Return the shares of the scores, low to high, with a figure where there is room."""
    parts = [
        (shade(dimension, band[0]), sum(scores[score] for score in band))
        for band in bands(dimension)
    ]
    return _in_a_row(parts, scores.total())


def shares(scores: Counter[int], dimension: Dimension) -> str:
    """Return the shares of the scores in words, low to high: "1: 20 %, 2: 80 %"."""
    return ", ".join(
        _("%(name)s: %(value)s")
        % {
            "name": "–".join(map(str, dict.fromkeys((band[0], band[-1])))),
            "value": percent(sum(scores[score] for score in band) / scores.total()),
        }
        for band in bands(dimension)
    )


def in_figures(mean: Json) -> dict[str, str]:
    """Return a mean, and the ends of its interval if it has one, as they are printed."""
    return {
        end: floatformat(mean[end], 2).replace("-", "−")
        for end in ("value", "low", "high")
        if end in mean
    }


def _in_a_row(parts: Iterable[tuple[str, int]], whole: int) -> list[Json]:
    """Return parts of a whole one after the other, by colour and number, without empty ones."""
    marks, x = [], 0.0
    for colour, number in parts:
        width = FULL * number / max(1, whole)
        if width:
            marks.append(
                {
                    "x": per_cent(x),
                    "width": per_cent(width),
                    "colour": colour,
                    "middle": per_cent(x + width / 2),
                    "label": f"{width:.0f}" if width >= LEAST_LABELLED else "",
                }
            )
        x += width
    return marks


def ramp(dimension: Dimension) -> list[tuple[int, str, Level]]:
    """Return the colours from low to high: where each stands, in pixels, its name and a score."""
    return [
        (18 * position, shade(dimension, band[0]), dimension.level(band[0]))
        for position, band in enumerate(bands(dimension))
    ]


def spark(numbers: Sequence[int]) -> str:
    """Return the points of a line in a box of 100 × 20."""
    most, last = max(1, *numbers), max(1, len(numbers) - 1)
    return " ".join(
        f"{FULL * position / last:.1f},{20 - 18 * number / most:.1f}"
        for position, number in enumerate(numbers)
    )
