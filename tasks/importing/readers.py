"""Files → rows, one at a time: which reader a file needs is told by its name and its beginning. No
Django.

A reader yields a SourceRow for every row of the file, in its order, with what stands there or what is
wrong with it. What a row means is `mapping`'s affair.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from typing import BinaryIO, Protocol

from .encodings import BOM, HEAD, as_utf8, with_line_feeds
from .json_reader import JsonLines, JsonList
from .message import Message
from .message import gettext_lazy as _
from .rows import LineError, SourceRow, Unreadable, excerpt, printable
from .table_reader import Table

__all__ = [
    "FORMATS",
    "LineError",
    "SourceRow",
    "Source",
    "Unreadable",
    "excerpt",
    "printable",
    "recognise",
]


class Source(Protocol):
    """A file of rows, which may be gone through again and again, and the form of a file of bad
    rows."""

    @property
    def hint(self) -> Message:
        """What to write where nothing stands."""

    def rows(self) -> Iterator[SourceRow]: ...
    def bad_rows_head(self) -> str: ...
    def bad_row(self, row: SourceRow, why: str, first: bool) -> str: ...
    def bad_rows_tail(self) -> str: ...


# By the end of the file's name: what usually parts cells, or None for JSON.
FORMATS: Mapping[str, str | None] = {
    ".csv": ",",
    ".tsv": "\t",
    ".tab": "\t",
    ".txt": "\t",
    ".jsonl": None,
    ".ndjson": None,
    ".json": None,
}


@contextmanager
def recognise(file: BinaryIO, file_name: str, encoding: str = "") -> Iterator[Source]:
    """The reader for a file, as long as it is in use. Raises Unreadable."""
    ending = PurePath(file_name).suffix.lower()
    if ending not in FORMATS:
        raise Unreadable(
            _(
                "is of a format that is not read; allowed are %(formats)s",
                formats=", ".join(FORMATS),
            )
        )
    with ExitStack() as copies:
        file = as_utf8(file, encoding, copies)
        start = file.read(HEAD).removeprefix(BOM).lstrip()
        file.seek(0)
        delimiter = FORMATS[ending]
        # No header begins like this, whatever the name says.
        if delimiter is not None and not start.startswith((b"{", b"[")):
            yield Table(file, delimiter)
            return
        file = with_line_feeds(file, copies)
        yield JsonList(file) if start.startswith(b"[") or _holds_items(start) else JsonLines(file)


def _holds_items(start: bytes) -> bool:
    """Whether JSON begins with an object whose first key is `items`, and so holds a list."""
    rest = start.removeprefix(b"{").lstrip()
    return (
        start.startswith(b"{")
        and rest.startswith(b'"items"')
        and _is_list(rest.removeprefix(b'"items"'))
    )


def _is_list(rest: bytes) -> bool:
    return rest.lstrip().removeprefix(b":").lstrip().startswith(b"[")
