"""The options of an export, as values. No Django.

A manifest has them as JSON, the command line as `arguments`. The command reads both.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any


class Shape(StrEnum):
    """The kinds of rows that a file may have."""

    SCORES = "scores"
    RATINGS = "ratings"
    ITEMS = "items"
    WIDE = "wide"
    CORPUS_ANSWERS = "corpus_answers"
    PRACTICE = "practice"


class Format(StrEnum):
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


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
    pseudonyms: bool = False
    # CSV only. `defused`: cells that a spreadsheet would run as a formula get an apostrophe.
    bom: bool = False
    delimiter: Delimiter = Delimiter.COMMA
    defused: bool = False


# The arguments of `manage.py export_ratings`.
FLAGS = {
    **{spec.name: f"--{spec.name}" for spec in fields(Options)},
    **{"batches": "--batch", "models": "--model", "annotators": "--annotator", "kinds": "--kind"},
    "since": "--from",
}
DEFAULT = Options()


def arguments(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the command line of options as Python or JSON has them, without those at default."""
    for name, value in options.items():
        if value != getattr(DEFAULT, name, None):
            flag = FLAGS.get(name, f"--{name}")
            for each in value if isinstance(value, tuple | list) else (value,):
                yield flag if each is True else f"{flag}={each}"


def in_notebook(options: Options, name: str) -> str:
    """Return the line of Python by which pandas reads an export of this name."""
    match options.format:
        case Format.PARQUET:
            return f'pandas.read_parquet("{name}")'
        case Format.JSONL:
            return f'pandas.read_json("{name}", lines=True, dtype={{"item": "string"}})'
        case Format.CSV:
            character = options.delimiter.character
            more = "" if character == "," else f", sep={json.dumps(character)}"
            return f'pandas.read_csv("{name}", dtype={{"item": "string"}}{more})'


def read_manifest(content: bytes) -> dict[str, Any]:
    """Return what is needed to make the export of a manifest again.

    Raise ValueError if no export wrote it.
    """
    try:
        found = json.loads(content)
        return {
            "project": found["project"],
            "arguments": [*arguments(found["options"])],
            "sha256": found["sha256"],
            "taken_at": datetime.fromisoformat(found["taken_at"]),
        }
    except (json.JSONDecodeError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
        raise ValueError("This is no manifest of an export.") from None
