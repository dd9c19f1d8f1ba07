"""The tables and charts of the page on agreement as CSV, with the figures unrounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.agreement.measures import MEASURES
from tasks.agreement.words import TITLES
from tasks.exporting.writing import csv_line, defuse

Json = dict[str, Any]
Row = tuple[Any, ...]
_FIGURE = ("measure", "value", "low", "high", "units", "missing")
_PART = ("by", "name", *_FIGURE)


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A table: its columns, and its rows for a result and a measure."""

    columns: tuple[str, ...]
    rows: Callable[[Json, str], Iterator[Row]]


def csv_of(table: CsvTable, found: Json, measure: str, about: Mapping[str, object]) -> bytes:
    """Return a table as CSV, safe for spreadsheets. `about` ends every row."""
    lines: list[Row] = [(*table.columns, *about)]
    lines += [(*row, *about.values()) for row in table.rows(found, measure)]
    return "".join(csv_line(map(_cell, line)) for line in lines).encode()


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
    for part in found["batches"]:
        yield _part("batch", part, measure)


def _weeks(found: Json, measure: str) -> Iterator[Row]:
    for part in found["weeks"]:
        yield _part("week", part, measure)


def _checks(found: Json, measure: str) -> Iterator[Row]:
    for part in found["checks"]:
        yield (*_part("check", part, MEASURES[measure]), part["ticked"])


def _pairs(found: Json, measure: str) -> Iterator[Row]:
    for pair in found["pairs"]:
        figure = _figure(measure, pair["figures"][measure], pair["units"])
        yield (pair["first"], pair["second"], *figure)


def _sources(found: Json, _measure: str) -> Iterator[Row]:
    for source in found["sources"]:
        yield tuple(source[name] for name in TABLES["sources"].columns)


def _furthest(found: Json, _measure: str) -> Iterator[Row]:
    for unit in found["furthest"]:
        yield (unit["item"], unit["response"], unit["model"], ";".join(map(str, unit["scores"])))


TABLES: Mapping[str, CsvTable] = {
    "overall": CsvTable(("annotators", *_FIGURE), _overall),
    "models": CsvTable(_PART, _models),
    "batches": CsvTable(_PART, _batches),
    "weeks": CsvTable(_PART, _weeks),
    "checks": CsvTable((*_PART, "ticked"), _checks),
    "pairs": CsvTable(("first", "second", *_FIGURE), _pairs),
    "sources": CsvTable(("check", "pairs", "apart", "share"), _sources),
    "furthest": CsvTable(("item", "response", "model", "scores"), _furthest),
}
