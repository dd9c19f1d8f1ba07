"""The options of an export, as values. No Django.

Page, command, manifest and worker have them as one query, which `tasks.exporting.forms` reads.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from enum import StrEnum
from urllib.parse import urlencode


class Shape(StrEnum):
    """The kinds of rows that a file may have."""

    SCORES = "scores"
    RATINGS = "ratings"
    ITEMS = "items"
    WIDE = "wide"
    DECISIONS = "decisions"
    TALK = "talk"
    CORPUS_ANSWERS = "corpus_answers"
    PRACTICE = "practice"


class Format(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"
    JSONL = "jsonl"
    PARQUET = "parquet"


CONTENT_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    Format.JSONL: "application/jsonl",
    Format.PARQUET: "application/vnd.apache.parquet",
}


class Delimiter(StrEnum):
    """The characters between the cells of a CSV file."""

    COMMA = "comma"
    SEMICOLON = "semicolon"
    TAB = "tab"

    @property
    def character(self) -> str:
        return {"comma": ",", "semicolon": ";", "tab": "\t"}[self]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of one export. An empty filter leaves everything in."""

    shape: Shape = Shape.SCORES
    format: Format = Format.CSV
    # Names, as the project knows them. With `pseudonyms`, annotators have those here, too.
    batches: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    annotators: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    items: str = ""  # a filter of the list of items, as the query of its address
    # Whole days in UTC, both included.
    since: date | None = None
    until: date | None = None
    revisions: bool = False  # the superseded ones, too
    dropped: bool = False  # dropped items, too
    texts: bool = False
    open_median: bool = False  # of items: the median as the final score where they differ
    pseudonyms: bool = False
    delimiter: Delimiter = Delimiter.COMMA  # CSV only

    @property
    def query(self) -> str:
        """The options that are not at default, as the query of the page Export."""
        pairs = []
        for spec in fields(self):
            value = getattr(self, spec.name)
            if value != spec.default:
                pairs.append((spec.name, "on" if value is True else value))
        return urlencode(pairs, doseq=True)


DEFAULT = Options()
# By type of column: the type in pandas, which has a value for nothing.
NUMBERS = {"integer": "Int64", "number": "Float64"}


def in_notebook(options: Options, name: str, types: Mapping[str, str]) -> str:
    """Return the line of Python by which pandas reads an export of this name.

    `types`: the type of each column. pandas takes "001" for a number and "NA" for nothing unless it
    is told that a column is text.
    """
    file = json.dumps(name, ensure_ascii=False)
    match options.format:
        case Format.PARQUET:
            return f"pandas.read_parquet({file})"
        case Format.JSONL:
            return f"pandas.read_json({file}, lines=True, dtype=False, precise_float=True)"
        case Format.CSV if options.delimiter is not Delimiter.COMMA:
            reader, more_arguments = "csv", f", sep={json.dumps(options.delimiter.character)}"
        case Format.CSV:
            reader, more_arguments = "csv", ""
        case Format.XLSX:
            reader, more_arguments = "excel", ""
    more_arguments += ', keep_default_na=False, na_values=[""]'
    if options.shape is Shape.WIDE:  # each other column is a model's, and holds numbers
        texts = json.dumps(dict.fromkeys(["project", "batch", "item"], "string"))
        return f"pandas.read_{reader}({file}, dtype={texts}{more_arguments})"
    numbers = {column: NUMBERS[kind] for column, kind in types.items() if kind in NUMBERS}
    as_numbers = json.dumps(numbers, ensure_ascii=False)
    return f'pandas.read_{reader}({file}, dtype="string"{more_arguments}).astype({as_numbers})'


def stored_query(options: str | Mapping[str, object]) -> str:
    """Return stored options as a query. Earlier versions stored each by its name."""
    if isinstance(options, str):
        return options
    pairs = [(name, "on" if value is True else value) for name, value in options.items() if value]
    return urlencode(pairs, doseq=True)
