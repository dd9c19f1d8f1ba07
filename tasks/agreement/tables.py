"""The tables and charts of the page on agreement as CSV, with the figures unrounded."""

from collections.abc import Iterator, Mapping

from tasks.agreement.measures import MEASURES, TITLES
from tasks.agreement.page_result import PageResult
from tasks.agreement.stored import Estimate, Estimates, Missing, Part
from tasks.exporting.cells import defuse
from tasks.exporting.csv_files import csv_lines

Row = tuple[object, ...]
_FIGURE = ("measure", "value", "low", "high", "units", "missing")
_PART = ("by", "name", *_FIGURE)
# The columns of each table.
TABLES: Mapping[str, tuple[str, ...]] = {
    "overall": ("annotators", *_FIGURE),
    "models": _PART,
    "batches": _PART,
    "weeks": _PART,
    "checks": (*_PART, "ticked"),
    "pairs": ("first", "second", *_FIGURE),
    "sources": ("check", "pairs", "apart", "share"),
    "furthest": ("item", "response", "model", "scores"),
}


def csv_of(
    table: str, agreement: PageResult, measure: str, about: Mapping[str, object]
) -> Iterator[bytes]:
    """Return the lines of one of TABLES as CSV, safe for spreadsheets. `about` ends every row."""
    heads = (*TABLES[table], *about)
    lines = []
    for row in _rows(table, agreement, measure):
        values = (*row, *about.values())
        line = [_cell(value) for value in values]
        lines.append(line)
    return csv_lines(heads, lines)


def _cell(value: object) -> str:
    return "" if value is None else defuse(str(value))


def _figure(measure: str, figure: Estimate, units: int) -> Row:
    """Return a figure unrounded, or empty cells and the reason why there is none."""
    if isinstance(figure, Missing):
        return (measure, None, None, None, units, figure.missing)
    return (measure, figure.value, figure.low, figure.high, units, None)


def _rows(table: str, agreement: PageResult, measure: str) -> Iterator[Row]:
    """Yield the rows of one of TABLES."""
    result = agreement.result
    match table:
        case "overall":
            yield from _overall(agreement)
        case "models":
            yield _group("all", result.overall, measure)
            for model in result.models:
                yield _group("model", model, measure)
        case "batches":
            for batch in result.batches:
                yield _group("batch", batch, measure)
        case "weeks":
            for week in result.weeks:
                yield _group("week", week, measure)
        case "checks":
            for check in result.checks:
                row = _group("check", check, MEASURES[measure])
                yield (*row, check.ticked)
        case "pairs":
            names = agreement.names_by_number
            for pair in result.pairs:
                cells = _figure(measure, pair.figures[measure], pair.units)
                yield (names[pair.first], names[pair.second], *cells)
        case "sources":
            for source in result.sources:
                yield (source.check, source.pairs, source.distance, source.share)
        case "furthest":
            for unit in result.furthest:
                texts = map(str, unit.scores)
                scores = ";".join(texts)
                yield (unit.item, unit.response, unit.model, scores)


def _overall(agreement: PageResult) -> Iterator[Row]:
    result = agreement.result
    yield from _of_people("", result.overall.figures, result.overall.units)
    team = ";".join(agreement.names_among(result.team))
    yield from _of_people(team, result.of_team, result.team_units)


def _of_people(names: str, estimates: Estimates, units: int) -> Iterator[Row]:
    """Yield all figures of everybody (""), or of a team."""
    for code in TITLES:
        if code in estimates:
            cells = _figure(code, estimates[code], units)
            yield (names, *cells)


def _group(by: str, group: Part, measure: str) -> Row:
    cells = _figure(measure, group.figures[measure], group.units)
    return (by, group.name, *cells)
