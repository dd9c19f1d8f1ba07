"""Workbooks, Parquet files, logs, archives and compressed files → files of text.

They may break the process that reads them. So another one does, `containers`, and whatever it
dies of is a sentence here. No Django but its translations.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from django.utils.translation import gettext_lazy

from . import containers
from .outcomes import MergedRange, Outcome, PartStart
from .rows import Option, Text, Unreadable, excerpt, part_needed

TOO_MUCH = gettext_lazy(
    "needs more than 1 GB of memory or 2 minutes to read; save it as CSV in UTF-8, or split it"
)
BROKEN = gettext_lazy(
    "can’t be read (%(what)s); save it again where it was made, or save it as CSV in UTF-8"
)
FAULTS: Mapping[str, Text] = {
    "MemoryError": TOO_MUCH,
    "large": gettext_lazy("is larger than 2 GB; split it"),
    "unpacked": gettext_lazy(
        "is more than 200 MB when it is unpacked; save it as CSV in UTF-8, or split it"
    ),
    "bomb": gettext_lazy(
        "unpacks to more than 200 times its size, which no file of texts does; "
        "save it again without compression"
    ),
    "columns": gettext_lazy(
        "has %(number)s columns in its header; a table may have %(most)s: leave out "
        "what is not needed, or write several as one"
    ),
    "twice": gettext_lazy("has the column %(name)s twice in its header; rename one of them"),
    "far": gettext_lazy(
        "has a value in row %(row)s, column %(column)s; a table may have %(most)s columns: "
        "empty the cell"
    ),
    "bytes": gettext_lazy(
        "holds bytes in the column %(name)s; leave the column out, or write it as text"
    ),
    "archive": gettext_lazy("is an archive in which no file is of a format that is read"),
    "document": gettext_lazy(
        "is a document of %(program)s; save it as XLSX or as CSV in UTF-8 where it was made"
    ),
}


@dataclass(frozen=True)
class Unpacked:
    """The text of a container."""

    file: BinaryIO
    outcome: Outcome


@contextmanager
def unpacked(file: BinaryIO, part: str) -> Iterator[Unpacked]:
    """Yield the text of a container, in an unnamed file.

    Raises Unreadable, and ChoiceNeeded if it has several parts.
    """
    with TemporaryFile() as copy, TemporaryFile() as out:
        file.seek(0)
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        outcome = _run(copy, out, part)
        if outcome.kind == "parts":
            options = [_option(outcome.prefix, start) for start in outcome.part_starts]
            raise part_needed(options)
        if outcome.kind == "fault":
            fault = FAULTS.get(outcome.fault, BROKEN)
            raise Unreadable(fault, **_printable(outcome.placeholders))
        out.seek(0)
        yield Unpacked(out, outcome)


def _option(prefix: str, start: PartStart) -> Option:
    return Option(prefix + start.name, excerpt(start.first_row or start.sample), start.first_row)


def _printable(placeholders: Mapping[str, str | int]) -> Mapping[str, str | int]:
    """Return the values of a fault, whose texts may be any."""
    printable = {}
    for name, value in placeholders.items():
        printable[name] = excerpt(value) if isinstance(value, str) else value
    return printable


def _run(file: BinaryIO, out: BinaryIO, part: str) -> Outcome:
    """Run the process that unpacks a file, and return its outcome."""
    # A second more than the caller waits, for when nobody waits any more.
    seconds = int(containers.MOST_SECONDS) + 1
    descriptor = out.fileno()
    arguments = (str(descriptor), part, str(seconds))
    command = [sys.executable, "-m", containers.__name__, *arguments]
    root = Path(__file__).parents[3]
    try:
        process = subprocess.run(  # noqa: S603 - our own module
            command,
            stdin=file,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[descriptor],
            cwd=root,
            timeout=containers.MOST_SECONDS,
            check=True,
        )
    except subprocess.SubprocessError as error:  # it took too long, or was aborted or killed
        raise Unreadable(TOO_MUCH) from error
    entries = json.loads(process.stdout)
    starts = [PartStart(**entry) for entry in entries.pop("part_starts")]
    merged = [MergedRange(*entry) for entry in entries.pop("merged")]
    return Outcome(**entries, part_starts=starts, merged=merged)
