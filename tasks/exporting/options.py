"""The options of an export, as values. No Django.

A manifest has them as JSON (`read_options`), the command line as `arguments`.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import StrEnum
from typing import Any


class Shape(StrEnum):
    """The kinds of rows that a file may have."""

    SCORES = "scores"
    RATINGS = "ratings"
    ITEMS = "items"
    CORPUS_ANSWERS = "corpus_answers"


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
    texts: bool = False
    pseudonyms: bool = False
    # CSV only. `defused`: cells that a spreadsheet would run as a formula get an apostrophe.
    bom: bool = False
    delimiter: Delimiter = Delimiter.COMMA
    defused: bool = False

    def arguments(self) -> Iterator[str]:
        """Yield what the command line needs for these options, without those at their default."""
        for name, flag in FLAGS.items():
            value = getattr(self, name)
            if value == getattr(DEFAULT, name):
                continue
            for each in value if isinstance(value, tuple) else (value,):
                yield flag if each is True else f"{flag}={each}"


# The arguments of `manage.py export_ratings`.
FLAGS = {
    **{spec.name: f"--{spec.name}" for spec in fields(Options)},
    **{"batches": "--batch", "models": "--model", "annotators": "--annotator", "kinds": "--kind"},
    "since": "--from",
}
DEFAULT = Options()
# What an option must be, by the type of its default.
WANTED = {
    tuple: "a list of names",
    bool: "true or false",
    str: "the query of an address",
    type(None): "a day such as 2026-03-02",
}


def read_options(plain: Mapping[str, Any]) -> Options:
    """Return the options that JSON or a command line has. Raise ValueError if one is wrong."""
    return Options(**{name: _read(name, value) for name, value in plain.items()})


@dataclass(frozen=True, slots=True)
class Manifest:
    """The parts of a manifest that are needed to make its export again."""

    project: str
    options: Options
    sha256: str
    taken_at: datetime


def read_manifest(content: bytes) -> Manifest:
    """Return a manifest that an export wrote. Raise ValueError if it is none."""
    try:
        found = json.loads(content)
        return Manifest(
            project=found["project"],
            options=read_options(found["options"]),
            sha256=found["sha256"],
            taken_at=datetime.fromisoformat(found["taken_at"]),
        )
    except (json.JSONDecodeError, UnicodeDecodeError, LookupError, TypeError, AttributeError):
        raise ValueError("This is no manifest of an export.") from None


def _read(name: str, value: Any) -> Any:
    if name not in FLAGS:
        raise ValueError(f'There is no option "{name}". There are: {", ".join(FLAGS)}.')
    default = getattr(DEFAULT, name)
    match default, value:
        case StrEnum(), _:
            with suppress(ValueError):
                return type(default)(value)
        case tuple(), list() if all(isinstance(each, str) for each in value):
            return tuple(value)
        case (bool(), bool()) | (str(), str()) | (None, None):
            return value
        case None, str():
            with suppress(ValueError):
                return date.fromisoformat(value)
    wanted = f"one of {', '.join(type(default))}" if isinstance(default, StrEnum) else ""
    raise ValueError(f'"{name}" is {value!r}; it must be {wanted or WANTED[type(default)]}.')
