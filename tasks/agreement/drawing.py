"""Draw results of agreement: figures in words, and their marks as per cents of an axis.

All widths are attributes of SVG elements, since the content security policy bars inline styles.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from rubrics.schema import Dimension
from tasks.agreement.words import coefficient, percent, sentence, titled, worded

Json = dict[str, Any]
LOW = 0.5  # a figure whose interval reaches below is drawn in the colour of limits
MARKS = (0.667, 0.800)
# Lower ends of the colours of pairs, from brown to teal.
HEAT = (0.5, 0.6, 0.7, 0.8)


# Of a pair: figure, units and colour; None without a figure, and () where there is no pair.
Cell = tuple[str, int, int] | tuple[()] | None


@dataclass(frozen=True, slots=True)
class Whisker:
    """A figure in a chart: a dot with its interval on an axis from 0 to 1."""

    name: str
    words: str
    share: str = ""  # how often the check was answered so, in words
    at: str = ""  # positions, as "71.00%"; "" where there is no figure
    low: str = ""
    high: str = ""
    is_low: bool = False
    is_below: bool = False  # below the axis: drawn at its edge


def drawn(found: Json, dimension: Dimension) -> Json:
    """Return the context of the page."""
    main = found["overall"]["alpha-ordinal"]
    shares = {code: found["overall"][code] for code in ("same", "within-one")}
    wordings = {check.code: check.wording for check in dimension.checks}
    return {
        "found": found,
        "main": main,
        "alpha": "" if "missing" in main else coefficient(main["value"]),
        "interval": ""
        if "missing" in main
        else [coefficient(main[each]) for each in ("low", "high")],
        "shares": {}
        if "missing" in main
        else {code.replace("-", "_"): percent(each["value"]) for code, each in shares.items()},
        "sentence": sentence(found),
        "marks": [_at(mark) for mark in MARKS],
        "by_model": [_whisker(_("All"), main), *_parts(found["models"])],
        "by_batch": _parts(found["batches"]),
        "by_week": [_whisker(_day(each["name"]), each) for each in found["weeks"]],
        "by_check": [
            _whisker(wordings[each["name"]], each, share=True)
            for each in sorted(found["checks"], key=lambda each: -each.get("value", -2))
        ],
        "others": [
            (title, worded(each), each.get("units", ""))
            for group in ("overall", "of_team")
            for title, each in titled(found[group])
        ],
        "pairs": _pairs(found),
        "origins": [
            {
                **each,
                "wording": wordings.get(each["check"], ""),
                "apart": f"{each['apart']:.1f}",
                "share": percent(each["share"]),
            }
            for each in found["sources"][:8]
        ],
    }


def _parts(parts: list[Json]) -> list[Whisker]:
    return [_whisker(each["name"] or "–", each) for each in parts]


def _whisker(name: str, shown: Json, *, share: bool = False) -> Whisker:
    if "missing" in shown:
        return Whisker(name, worded(shown))
    often = percent(shown["prevalence"][1]) if share and len(shown["prevalence"]) == 2 else ""
    return Whisker(
        name,
        worded(shown),
        often,
        at=_at(shown["value"]),
        low=_at(shown["low"]),
        high=_at(shown["high"]),
        is_low=shown["low"] < LOW,
        is_below=shown["value"] < 0,
    )


def _at(value: float) -> str:
    """Return the position on an axis from 0 to 1."""
    return f"{100 * min(max(value, 0), 1):.2f}%"


def _day(written: str) -> str:
    return date_format(date.fromisoformat(written), "DATE_FORMAT")


def _pairs(found: Json) -> list[tuple[str, list[Cell]]]:
    """Return a row for each annotator but the first, with a cell for each but the last."""
    names = found["annotators"]
    pairs = {(each["first"], each["second"]): each for each in found["pairs"]}
    return [
        (
            name,
            [_cell(pairs[other, name]) if other in names[:place] else () for other in names[:-1]],
        )
        for place, name in enumerate(names)
        if place
    ]


def _cell(pair: Json) -> Cell:
    shown = pair["figures"]["alpha-ordinal"]
    if "missing" in shown:
        return None
    colour = 1 + sum(shown["value"] >= least for least in HEAT)
    return coefficient(shown["value"]), pair["units"], colour
