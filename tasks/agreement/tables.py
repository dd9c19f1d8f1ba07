"""The tables and charts of the page on agreement as CSV, with the figures unrounded."""

from collections.abc import Iterator, Mapping
from typing import Any

from tasks.agreement.measures import MEASURES, TITLES, Json
from tasks.exporting.writing import csv_lines, defuse

Row = tuple[Any, ...]
_FIGURE = ("measure", "value", "low", "high", "units", "missing")
_PART = ("by", "name", *_FIGURE)
_SOURCE = ("check", "pairs", "apart", "share")
# The columns of each table.
TABLES: Mapping[str, tuple[str, ...]] = {
    "overall": ("annotators", *_FIGURE),
    "models": _PART,
    "batches": _PART,
    "weeks": _PART,
    "checks": (*_PART, "ticked"),
    "pairs": ("first", "second", *_FIGURE),
    "sources": _SOURCE,
    "furthest": ("item", "response", "model", "scores"),
}


def csv_of(table: str, found: Json, measure: str, about: Mapping[str, object]) -> Iterator[bytes]:
    """Return the lines of one of TABLES as CSV, safe for spreadsheets. `about` ends every row."""
    lines = (
        ["" if value is None else defuse(str(value)) for value in (*row, *about.values())]
        for row in _rows(table, found, measure)
    )
    return csv_lines((*TABLES[table], *about), lines)


def _figure(measure: str, shown: Json, units: int) -> Row:
    """Return a figure unrounded, or empty cells and the reason why there is none."""
    ends = (shown.get(name) for name in ("value", "low", "high"))
    return (measure, *ends, units, shown.get("missing"))


def _rows(table: str, found: Json, measure: str) -> Iterator[Row]:
    """Yield the rows of one of TABLES."""
    match table:
        case "overall":
            yield from _overall(found)
        case "models":
            yield _part("all", found["overall"], measure)
            yield from (_part("model", part, measure) for part in found["models"])
        case "batches":
            yield from (_part("batch", part, measure) for part in found["batches"])
        case "weeks":
            yield from (_part("week", part, measure) for part in found["weeks"])
        case "checks":
            for part in found["checks"]:
                yield (*_part("check", part, MEASURES[measure]), part["ticked"])
        case "pairs":
            for pair in found["pairs"]:
                yield (
                    pair["first"],
                    pair["second"],
                    *_figure(measure, pair["figures"][measure], pair["units"]),
                )
        case "sources":
            yield from (tuple(source[name] for name in _SOURCE) for source in found["sources"])
        case "furthest":
            for unit in found["furthest"]:
                scores = map(str, unit["scores"])
                yield (unit["item"], unit["response"], unit["model"], ";".join(scores))


def _overall(found: Json) -> Iterator[Row]:
    everything, team = found["overall"], ";".join(found["team"])
    for names, figures, units in (
        ("", everything["figures"], everything["units"]),
        (team, found["of_team"], found["team_units"]),
    ):
        for code in TITLES:
            if code in figures:
                yield (names, *_figure(code, figures[code], units))


def _part(by: str, part: Json, measure: str) -> Row:
    return (by, part["name"], *_figure(measure, part["figures"][measure], part["units"]))
