"""Exports on their way to a browser: of limited size, few at a time, and not for ever.

The page Export and the API call `streamed`. It takes one of the few places, and gives it back when
the file is sent or the client is gone.
"""

import socket
from collections.abc import Iterable, Iterator
from threading import BoundedSemaphore
from zipfile import ZIP_DEFLATED, ZipFile

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from .export import Export, is_larger
from .filters import Refused
from .options import Format

MOST_ROWS = 200_000
# Of a workbook, which takes a second of work by then. A worker makes a larger one.
MOST_ROWS_AT_ONCE = 5_000
MOST_CELLS_AT_ONCE = 200_000
# In one process. A client that reads slowly holds a thread, a connection and a snapshot.
MOST_AT_ONCE = 2
# A client that takes no block for so long is cut off.
SEND_SECONDS = 60

_places = BoundedSemaphore(MOST_AT_ONCE)


class Busy(Exception):
    """All places for streams are taken."""


def streamed(
    export: Export, name: str, *, is_zipped: bool, client: socket.socket | None
) -> Iterator[bytes]:
    """Return a file, or a ZIP of it and what is beside it, as a stream.

    Raise Refused if it is too large or the project lacks a name, Busy if all places are taken.
    """
    if is_larger(export, MOST_ROWS):
        most = number_format(MOST_ROWS, force_grouping=True)
        raise Refused(
            "",
            _("This file has more than %(most)s rows. Choose fewer, or write it by %(command)s.")
            % {"most": most, "command": export.command(name)},
        )
    if not _places.acquire(blocking=False):
        raise Busy
    blocks = zipped(export, name) if is_zipped else export
    stream = _in_its_place(blocks, is_whole=export.options.format is Format.XLSX)
    next(stream)  # so that it is ended, and its place free, even if nothing of it is read
    if client is not None:
        client.settimeout(SEND_SECONDS)
    return stream


def is_for_worker(export: Export) -> bool:
    """Return True if a request would take too long. Raise Refused if the project lacks a name."""
    if export.options.format is not Format.XLSX:
        return False
    return is_larger(export, MOST_ROWS_AT_ONCE, MOST_CELLS_AT_ONCE)


def _in_its_place(blocks: Iterable[bytes], *, is_whole: bool) -> Iterator[bytes]:
    """Yield nothing, then the blocks. `is_whole`: Refused may come until all of it is made."""
    try:
        rest = iter(blocks)
        first = next(rest, b"") if is_whole else b""
        yield b""
        yield first
        yield from rest
    finally:
        _places.release()


def zipped(export: Export, name: str) -> Iterator[bytes]:
    """Yield a ZIP of a file and what is beside it."""
    out = _Buffer()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        # Its size is not known beforehand, and may be more than 4 GiB.
        with archive.open(name, "w", force_zip64=True) as file:
            for block in export:
                file.write(block)
                yield out.take()
        for other, content in export.companion_files(name).items():
            archive.writestr(other, content)
    yield out.take()


class _Buffer:
    """A file for the ZIP: the bytes that were written since they were last taken."""

    closed = False

    def __init__(self) -> None:
        self._content = bytearray()

    def write(self, content: bytes) -> int:
        """Take the bytes; return how many they are."""
        self._content += content
        return len(content)

    def flush(self) -> None:
        """Do nothing: there is nothing behind it."""

    def close(self) -> None:
        """Do nothing, too."""

    def take(self) -> bytes:
        """Return the bytes since the last call."""
        content = bytes(self._content)
        self._content.clear()
        return content
