"""Read a rubric from a document, and write it: `parse(dump(rubric)) == rubric`.

Pages, commands and stored versions come here. A document that cannot be a rubric raises
DocumentError with all its faults. Each names the line, the path, the value, and what to do:

    line 7: dimensions.quality.levels.9.score: 9; quality goes from 1 to 7
"""

from dataclasses import MISSING, is_dataclass
from enum import StrEnum
from typing import Any

from ..judging.schema import Rubric
from .nodes import UNSTORABLE, entries_of
from .reading import Reading
from .yaml_lines import DocumentError, with_lines


def read(text: str) -> Rubric:
    """Return the rubric of a YAML text. Raises DocumentError."""
    return _checked(Reading(*with_lines(text)))


def parse(content: object) -> Rubric:
    """Return the rubric of plain values, from YAML or JSON. Raises DocumentError."""
    return _checked(Reading(content))


def parse_stored(content: object) -> Rubric:
    """Return the rubric of plain values that were checked before they were stored.

    Ratings refer to published versions. So these stay readable when the checks of how their parts
    fit together, and of how their rules work, get stricter. Raises DocumentError for other faults.
    """
    return _without_faults(Reading(content))


def read_with_faults(text: str) -> tuple[Rubric, tuple[str, ...]]:
    """Return the rubric of a YAML text whose parts can be read, and what is wrong with it.

    Raises DocumentError with all faults if one of its parts cannot be read.
    """
    reading = Reading(*with_lines(text))
    rubric = None if reading.faults else reading.rubric
    _check(reading)
    error = DocumentError(reading.faults)
    if rubric is None:
        raise error
    return rubric, error.faults


def _checked(reading: Reading) -> Rubric:
    _check(reading)
    return _without_faults(reading)


def _check(reading: Reading) -> None:
    reading.add_misfits()
    reading.prove()


def _without_faults(reading: Reading) -> Rubric:
    if reading.faults or not reading.rubric:
        raise DocumentError(reading.faults)
    return reading.rubric


def dump(value: object) -> Any:
    """Return a rubric, or a part of one, as plain values.

    An entry at its default is left out, unless `judging.parts` marks its field as WRITTEN.
    """
    if is_dataclass(value) and not isinstance(value, type):
        entries = {}
        for entry in entries_of(type(value)):
            part = getattr(value, entry.name)
            if entry.is_written or entry.default is MISSING or part != entry.default:
                entries[entry.name] = dump(part)
        return entries
    if isinstance(value, tuple):
        return [dump(part) for part in value]
    if isinstance(value, StrEnum):
        return str(value)
    return value


def storable(value: Any) -> Any:
    """Return plain values as JSON that PostgreSQL keeps; dates and the like as texts."""
    if isinstance(value, dict):
        return {storable(str(key)): storable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [storable(part) for part in value]
    if value is None or isinstance(value, int):
        return value
    return UNSTORABLE.sub("", str(value))
