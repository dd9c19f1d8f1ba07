"""The tables and charts of the page on agreement as CSV, with the figures unrounded."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tasks.agreement.measures import MEASURES, Json
from tasks.agreement.words import TITLES
from tasks.exporting.writing import csv_lines, defuse

Row = tuple[Any, ...]
_FIGURE = ("measure", "value", "low", "high", "units", "missing")
_PART = ("by", "name", *_FIGURE)
_SOURCE = ("check", "pairs", "apart", "share")


def csv_of(table: str, found: Json, measure: str, about: Mapping[str, object]) -> Iterator[bytes]:
    """Return the lines of one of TABLES as CSV, safe for spreadsheets. `about` ends every row."""
    columns, rows = TABLES[table]
    lines = ((*row, *about.values()) for row in rows(found, measure))
    return csv_lines((*columns, *about), ([_cell(value) for value in line] for line in lines))


def _cell(value: object) -> str:
    return "" if value is None else defuse(str(value))


def _figure(measure: str, shown: Json, units: int) -> Row:
    """Return a figure unrounded, or empty cells and the reason why there is none."""
    ends = (shown.get(name) for name in ("value", "low", "high"))
    return (measure, *ends, units, shown.get("missing"))


def _overall(found: Json, _measure: str) -> Iterator[Row]:
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


def _models(found: Json, measure: str) -> Iterator[Row]:
    yield _part("all", found["overall"], measure)
    for part in found["models"]:
        yield _part("model", part, measure)


def _batches(found: Json, measure: str) -> Iterator[Row]:
    return (_part("batch", part, measure) for part in found["batches"])


def _weeks(found: Json, measure: str) -> Iterator[Row]:
    return (_part("week", part, measure) for part in found["weeks"])


def _checks(found: Json, measure: str) -> Iterator[Row]:
    for part in found["checks"]:
        yield (*_part("check", part, MEASURES[measure]), part["ticked"])


def _pairs(found: Json, measure: str) -> Iterator[Row]:
    for pair in found["pairs"]:
        figure = _figure(measure, pair["figures"][measure], pair["units"])
        yield (pair["first"], pair["second"], *figure)


def _sources(found: Json, _measure: str) -> Iterator[Row]:
    return (tuple(source[name] for name in _SOURCE) for source in found["sources"])


def _furthest(found: Json, _measure: str) -> Iterator[Row]:
    for unit in found["furthest"]:
        yield (unit["item"], unit["response"], unit["model"], ";".join(map(str, unit["scores"])))


# The columns of each table, and its rows for a result and a measure.
TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[Json, str], Iterator[Row]]]] = {
    "overall": (("annotators", *_FIGURE), _overall),
    "models": (_PART, _models),
    "batches": (_PART, _batches),
    "weeks": (_PART, _weeks),
    "checks": ((*_PART, "ticked"), _checks),
    "pairs": (("first", "second", *_FIGURE), _pairs),
    "sources": (_SOURCE, _sources),
    "furthest": (("item", "response", "model", "scores"), _furthest),
}
