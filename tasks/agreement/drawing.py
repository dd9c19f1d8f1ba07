"""Draw results of agreement: figures in words, and their marks as per cents of an axis.

All widths are attributes of SVG elements, since the content security policy bars inline styles.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from itertools import pairwise

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _, pgettext

from rubrics.scales import shade
from rubrics.schema import Dimension, Rubric
from tasks.agreement.measures import (
    APPLIES,
    MEASURES,
    SHARES,
    TITLES,
    Json,
    coefficient,
    is_below,
    percent,
    sentence,
    titled,
    worded,
)
from tasks.answers import LABELS

LOW = 0.5  # a figure whose interval reaches below is drawn in the colour of limits
MARKS = (0.667, 0.800)  # of coefficients that leave out chance
# Reasons that more ratings remove.
WAITING = ("no ratings", "one annotator", "no overlap", "too few units")
# Lower ends of the colours of pairs, from brown to teal.
HEAT = (0.5, 0.6, 0.7, 0.8)
# The place of the plot of weeks; figures of the axis are to its left, weeks and numbers under it.
_LEFT, _RIGHT, _TOP, _BOTTOM = 10.0, 94.0, 5.0, 77.0
MOST_LABELS = 6  # of weeks, so that they fit on a phone
MOST_VALUES = 8  # dots with their figure beside them; of more weeks the last dot has it
MOST_LARGE_DOTS = 26
# Of a pair: figure, units and colour; None without a figure, and () where there is no pair.
Cell = tuple[str, int, int] | tuple[()] | None


def drawn(found: Json, rubric: Rubric, dimension: Dimension, measure: str) -> Json:
    """Return the context of the page; `measure` is what the groups are compared by."""
    everything = found["overall"]["figures"]
    main = everything[found["main"]]
    has_figure = "missing" not in main
    awaits_ratings = main.get("missing") in WAITING  # else there are shares at least
    wordings = {check.code: check.wording for check in rubric.checks_at(dimension)}
    wordings[APPLIES] = _("Applies")
    of_answers = MEASURES[measure]
    checks = [
        each
        for each in found["checks"]
        if each["figures"][of_answers].get("missing") != "one category"
    ]
    most = max((len(each["given"]) for each in found["furthest"]), default=0)
    marks = () if measure in SHARES else MARKS
    persons = [name for name in found["annotators"] if name not in found["slots"]]
    return {
        "found": found,
        "alpha": coefficient(main["value"]) if has_figure else "",
        "interval": [coefficient(main[end]) for end in ("low", "high")] if has_figure else [],
        "shares": {  # classes have the first, a scale of many levels none
            code.replace("-", "_"): percent(everything[code]["value"])
            for code in ("same", "within-one")
            if code in everything and not awaits_ratings
        },
        "sentence": sentence(found),
        "awaits_ratings": awaits_ratings,
        "measure": TITLES[measure],
        "of_answers": TITLES[of_answers],
        "marks": [(on_axis(mark), f"{mark:g}"[1:]) for mark in marks],
        "line": line(found["weeks"], measure, marks),
        "by_model": [
            whisker(pgettext("figure", "All"), everything[measure]),
            *_parts(found["models"], measure),
        ],
        "by_batch": _parts(found["batches"], measure),
        "by_week": [
            whisker(
                date_format(date.fromisoformat(each["name"]), "DATE_FORMAT"),
                each["figures"][measure],
            )
            for each in found["weeks"]
        ],
        "by_check": [
            whisker(
                wordings[each["name"]],
                each["figures"][of_answers],
                each["ticked"],
                n=f"{each['units']:n}",
            )
            | {"is_in_rubric": each["name"] != APPLIES}
            for each in sorted(
                checks, key=lambda each: -each["figures"][of_answers].get("value", -2)
            )
        ],
        "unanimous": [wordings[each["name"]] for each in found["checks"] if each not in checks],
        "others": [
            (title, worded(each), units)
            for figures, units in (
                (everything, found["overall"]["units"]),
                (found["of_team"], found["team_units"]),
            )
            for title, each in titled(figures)
        ],
        "persons": persons,
        "pairs": _pairs(found["pairs"], persons, measure),
        "origins": [
            {
                **each,
                "wording": wordings.get(each["check"], ""),
                "apart": number_format(f"{each['apart']:.1f}"),
                "share": percent(each["share"]),
            }
            for each in found["sources"][:8]
        ],
        # A column for each answer; people are in the order of their names.
        "letters": LABELS[:most],
        "furthest": [
            {
                **each,
                "cells": [
                    {"name": name, "value": score, "colour": shade(dimension, score)}
                    for name, score in each["given"]
                ]
                + [{}] * (most - len(each["given"])),
            }
            for each in found["furthest"]
        ],
    }


def _parts(parts: list[Json], measure: str) -> list[Json]:
    return [whisker(each["name"] or "–", each["figures"][measure]) for each in parts]


def whisker(name: str, shown: Json, share: float | None = None, n: str = "") -> Json:
    """Return a figure of a chart: a dot with its interval on an axis from 0 to 1, and its words.

    `share`: how often the check was answered so. `n`: of how many responses with two or more
    answers. Without a figure there are only the words.
    """
    if "missing" in shown:
        return {"name": name, "n": n, "words": worded(shown)}
    return {
        "name": name,
        "n": n,
        "words": worded(shown),
        "share": "" if share is None else percent(share),
        "at": on_axis(shown["value"]),
        "low": on_axis(shown["low"]),
        "high": on_axis(shown["high"]),
        "is_low": shown["low"] < LOW,
        "is_below": is_below(shown["value"]),  # the axis: drawn at its edge
    }


def on_axis(value: float) -> str:
    """Return the position on an axis from 0 to 1."""
    return f"{100 * min(max(value, 0), 1):.2f}%"


def _pairs(pairs: Iterable[Json], names: list[str], measure: str) -> list[tuple[str, list[Cell]]]:
    """Return a row for each annotator but the first, with a cell for each but the last."""
    cells = {(pair["first"], pair["second"]): _cell(pair, measure) for pair in pairs}
    return [
        (name, [cells[other, name] if other in names[:position] else () for other in names[:-1]])
        for position, name in enumerate(names)
        if position and cells
    ]


def _cell(pair: Json, measure: str) -> Cell:
    shown = pair["figures"][measure]
    if "missing" in shown:
        return None
    colour = 1 + sum(shown["value"] >= least for least in HEAT)
    return coefficient(shown["value"]), pair["units"], colour


def line(weeks: list[Json], measure: str, marks: Iterable[float]) -> Json:
    """Return the chart of weeks, as they are stored: those in which nothing came are missing.

    It has grid lines with their figures, a dot for each week with a figure and its interval, lines
    between neighbours, and a label for weeks under the axis.
    """
    days = [date.fromisoformat(week["name"]) for week in weeks]
    positions = [(day - days[0]).days // 7 for day in days]
    count = positions[-1] + 1 if positions else 0
    every = -(-count // MOST_LABELS)
    shown = {
        position: week["figures"][measure] for position, week in zip(positions, weeks, strict=True)
    }
    units = {position: week["units"] for position, week in zip(positions, weeks, strict=True)}
    with_figure = [position for position, each in shown.items() if "missing" not in each]
    written = with_figure if count <= MOST_VALUES else with_figure[-1:]
    dots = {
        position: {
            "x": _x(position, count),
            "y": _y(shown[position]["value"]),
            "low": _y(shown[position]["low"]),
            "high": _y(shown[position]["high"]),
            # "" where there is no room
            "words": coefficient(shown[position]["value"]) if position in written else "",
            "is_low": shown[position]["low"] < LOW,
            "is_below": is_below(shown[position]["value"]),  # the axis: drawn at its edge
        }
        for position in with_figure
    }
    return {
        "grid": [(_y(mark), f"{mark:g}".removeprefix("0") or "0") for mark in (0, 0.5, *marks, 1)],
        "dots": list(dots.values()),
        "between": [
            (dots[position], dots[after])
            for position, after in pairwise(with_figure)
            if after == position + 1
        ],
        "labels": [
            {
                "x": _x(position, count),
                "week": date_format(days[0] + timedelta(weeks=position), "MONTH_DAY_FORMAT"),
                "units": number_format(units.get(position, 0), force_grouping=True),
            }
            for position in range(0, count, max(every, 1))
        ],
        "radius": "4.5" if count <= MOST_LARGE_DOTS else "2.5",
    }


def _x(position: int, count: int) -> str:
    return f"{_LEFT + (_RIGHT - _LEFT) * (position + 0.5) / count:.2f}%"


def _y(value: float) -> str:
    return f"{_BOTTOM - (_BOTTOM - _TOP) * min(max(value, 0), 1):.2f}%"
