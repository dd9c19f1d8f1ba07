"""Workbooks, Parquet files, logs, archives and compressed files → files of text.

`readers.py` calls `unpacked`. Such a file may break the process that reads it. So another process
does, `containers`, and whatever it dies of is a sentence here. No Django but its translations.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from . import containers
from .file_faults import BROKEN, FAULTS, TOO_MUCH
from .outcomes import MergedRange, Outcome, PartStart
from .rows import ChoiceNeeded, Option, Unreadable, excerpt, part_needed

ROOT = Path(__file__).parents[3]  # in which the process finds our modules


@dataclass(frozen=True)
class Unpacked:
    """The text of a container."""

    file: BinaryIO
    outcome: Outcome  # what the text is


@contextmanager
def unpacked(file: BinaryIO, part: str) -> Iterator[Unpacked]:
    """Yield the text of a container, in an unnamed file.

    `part`: the sheet or the file in it to read; "" for the only one. Raises Unreadable, and
    ChoiceNeeded if it has several parts.
    """
    with TemporaryFile() as copy, TemporaryFile() as text_file:
        file.seek(0)
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        outcome = _run(copy, text_file, part)
        match outcome.kind:
            case "parts":
                raise _choice_of_part(outcome)
            case "fault":
                raise _fault(outcome)
        text_file.seek(0)
        yield Unpacked(text_file, outcome)


def _choice_of_part(outcome: Outcome) -> ChoiceNeeded:
    """Return that a part must be chosen, with what each begins with."""
    options = []
    for start in outcome.part_starts:
        sample = excerpt(start.first_row or start.sample)
        options.append(Option(outcome.prefix + start.name, sample, start.first_row))
    return part_needed(options)


def _fault(outcome: Outcome) -> Unreadable:
    """Return the sentence of a fault. The texts in it may be any, so they are cut and escaped."""
    placeholders = {}
    for name, value in outcome.placeholders.items():
        placeholders[name] = excerpt(value) if isinstance(value, str) else value
    return Unreadable(FAULTS.get(outcome.fault, BROKEN), **placeholders)


def _run(file: BinaryIO, text_file: BinaryIO, part: str) -> Outcome:
    """Run the process that unpacks a file into a text, and return its outcome.

    Raises Unreadable if it takes too long, or is killed for its memory.
    """
    # A second more than this process waits, for when nobody waits any more.
    seconds = int(containers.MOST_SECONDS) + 1
    descriptor = text_file.fileno()
    command = [sys.executable, "-m", containers.__name__, str(descriptor), part, str(seconds)]
    try:
        process = subprocess.run(  # noqa: S603 - our own module
            command,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[descriptor],
            cwd=ROOT,
            timeout=containers.MOST_SECONDS,
            check=True,
        )
    except subprocess.SubprocessError as error:
        raise Unreadable(TOO_MUCH) from error
    return _read_outcome(process.stdout)


def _read_outcome(printed: bytes) -> Outcome:
    """Return the outcome that `containers` printed as JSON."""
    fields = json.loads(printed)
    part_starts = [PartStart(**start) for start in fields.pop("part_starts")]
    merged = [MergedRange(*borders) for borders in fields.pop("merged")]
    return Outcome(**fields, part_starts=part_starts, merged=merged)
