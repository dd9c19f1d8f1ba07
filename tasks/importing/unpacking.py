"""Compressed files, workbooks, Parquet files and archives → files that can be read as text.

No Django but its translations. What may break the process that reads it is read by another one,
`container_reader`. Whatever that one dies of is a sentence here.
"""

import json
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from . import container_reader
from .container_reader import MOST_RATIO, MOST_SECONDS
from .rows import PartNeeded, Text, Unreadable, excerpt

ROOT = Path(__file__).parents[2]
MOST_BYTES = 2 * 2**30  # of a file, and of what it unpacks to
BLOCK = 2**20  # bytes
FAULTS: Mapping[str, Text] = {
    "memory": gettext_lazy("needs more than 1 GB of memory; save it as CSV in UTF-8, or split it"),
    "time": gettext_lazy("needs more than 2 minutes to read; save it as CSV in UTF-8, or split it"),
    "large": gettext_lazy("has rows of more than 2 GB; split it"),
    "unpacked": gettext_lazy(
        "is more than 200 MB when it is unpacked; save it as CSV in UTF-8, or split it"
    ),
    "bomb": gettext_lazy(
        "unpacks to more than 200 times its size, which no file of texts does; "
        "save it again without compression"
    ),
    "locked": gettext_lazy("is locked by a password; save it without one"),
    "columns": gettext_lazy(
        "has %(number)s columns; a table may have %(most)s: leave out what is not needed, "
        "or write several as one"
    ),
    "rows": gettext_lazy("has a sheet of more than %(most)s rows; save it as CSV in UTF-8"),
    "twice": gettext_lazy("has the column %(name)s twice in its header; rename one of them"),
    "nameless": gettext_lazy(
        "has a value in cell %(cell)s, whose column has no name in line %(line)s; "
        "name the column, or empty the cell"
    ),
    "bytes": gettext_lazy(
        "holds bytes in the column %(name)s; leave the column out, or write it as text"
    ),
    "nothing": gettext_lazy("holds no file that can be read; allowed are %(endings)s"),
    "broken": gettext_lazy(
        "is damaged, or not what it begins like (%(what)s); save it again where it was made, "
        "or save it as CSV in UTF-8"
    ),
}


def refuse_large(file: BinaryIO) -> None:
    """Raise Unreadable for a file of more than MOST_BYTES."""
    if file.seek(0, 2) > MOST_BYTES:
        raise Unreadable(_("is larger than 2 GB; split it"))


@contextmanager
def gunzipped(file: BinaryIO) -> Iterator[BinaryIO]:
    """Yield an unnamed copy of a file, unpacked. Raises Unreadable."""
    size = file.seek(0, 2)
    file.seek(0)
    with TemporaryFile() as copy, GzipFile(fileobj=file) as packed:
        try:
            while block := packed.read(BLOCK):
                copy.write(block)
                if copy.tell() > MOST_RATIO * size:
                    raise Unreadable(FAULTS["bomb"])
                if copy.tell() > MOST_BYTES:
                    raise Unreadable(_("is more than 2 GB when it is unpacked; split it"))
        except (EOFError, zlib.error, BadGzipFile) as error:
            raise Unreadable(FAULTS["broken"], what=error) from error
        yield copy


@contextmanager
def taken_out(
    file: BinaryIO, part: str, endings: tuple[str, ...]
) -> Iterator[tuple[BinaryIO, str]]:
    """Yield an unnamed file: rows as JSON lines, or a file of an archive with its name.

    Raises Unreadable, and PartNeeded if the file has several parts.
    """
    with TemporaryFile() as copy, TemporaryFile() as rows:
        file.seek(0)
        shutil.copyfileobj(file, copy)
        copy.seek(0)
        command = [sys.executable, "-m", container_reader.__name__, str(rows.fileno()), part]
        try:
            done = subprocess.run(  # noqa: S603 - our own module
                [*command, *endings],
                stdin=copy,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[rows.fileno()],
                cwd=ROOT,
                timeout=MOST_SECONDS,
                check=True,
            )
        except subprocess.TimeoutExpired as error:
            raise Unreadable(FAULTS["time"]) from error
        except subprocess.CalledProcessError as error:  # it was aborted or killed
            raise Unreadable(FAULTS["memory"]) from error
        said = json.loads(done.stdout)
        if "parts" in said:
            raise PartNeeded(said["parts"], part)
        if fault := said.pop("fault", ""):
            shown = {
                name: excerpt(value) if isinstance(value, str) else value
                for name, value in said.items()
            }
            raise Unreadable(FAULTS[fault], **shown)
        yield rows, said.get("name", "")
