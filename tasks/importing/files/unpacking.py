"""Workbooks, Parquet files, logs and compressed files → files of text.

They may break the process that reads them. So another one does, `containers`, and whatever it
dies of is a sentence here. No Django but its translations.
"""

import json
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from django.utils.translation import gettext_lazy

from . import containers
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
    "nameless": gettext_lazy(
        "has a value in row %(row)s, column %(column)s, which has no name in row %(line)s; "
        "name the column, or empty the cell"
    ),
    "bytes": gettext_lazy(
        "holds bytes in the column %(name)s; leave the column out, or write it as text"
    ),
    "archive": gettext_lazy(
        "is an archive, and neither a workbook nor a log of Inspect; unpack it first"
    ),
}


class TooLong(Exception):
    """A file takes longer to unpack than a request may take."""


# Until the processes of this one have worked so long, in seconds; None: each as long as it may.
_ends_at: ContextVar[float | None] = ContextVar("ends_at", default=None)


def _worked() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Have all files that are unpacked within take no more work; else TooLong is raised."""
    token = _ends_at.set(_worked() + seconds)
    try:
        yield
    finally:
        _ends_at.reset(token)


@contextmanager
def unpacked(file: BinaryIO, part: str) -> Iterator[BinaryIO]:
    """Yield an unnamed file: of a container the rows as JSON lines, of another file what it was.

    Raises Unreadable, and ChoiceNeeded if the file has several sheets.
    """
    with TemporaryFile() as copy, TemporaryFile() as out:
        file.seek(0)
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        # A second more than the caller waits, for when nobody waits any more.
        seconds, ends_at = int(containers.MOST_SECONDS) + 1, _ends_at.get()
        if ends_at is not None:
            seconds = max(1, round(ends_at - _worked()))
        try:
            done = subprocess.run(  # noqa: S603 - our own module
                [
                    sys.executable,
                    "-m",
                    containers.__name__,
                    str(out.fileno()),
                    part,
                    str(seconds),
                ],
                stdin=copy,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[out.fileno()],
                cwd=Path(__file__).parents[3],
                timeout=containers.MOST_SECONDS,
                check=True,
            )
        except subprocess.SubprocessError as error:  # it took too long, or was aborted or killed
            if ends_at is not None:
                raise TooLong from error
            raise Unreadable(TOO_MUCH) from error
        said = json.loads(done.stdout)
        if "parts" in said:
            raise part_needed([Option(name, excerpt(row), row) for name, row in said["parts"]])
        if "fault" in said:
            shown = {key: excerpt(value) for key, value in said.items() if isinstance(value, str)}
            raise Unreadable(FAULTS.get(said["fault"], BROKEN), **said | shown)
        yield out
