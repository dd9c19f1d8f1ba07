"""Bad rows → a file of the format that they came in, with a column that says why. No Django."""

from __future__ import annotations

from typing import BinaryIO

from .message import Language
from .readers import Source
from .rows import LineError, Row


class TooMuch(Exception):
    """More bad rows than the file may hold."""


class BadRowsFile:
    """A file of bad rows as it grows, `most` bytes at most, which says in `language` why they are
    bad; without a file, nothing is written."""

    def __init__(
        self, source: Source, file: BinaryIO | None, most: int | None, language: Language
    ) -> None:
        self.source, self.file, self.most, self.language = source, file, most, language
        self.size = 0
        self.empty = True

    def add(self, row: Row, error: LineError) -> None:
        if self.empty:
            self._write(self.source.bad_rows_head())
        self._write(self.source.bad_row(row, error.why(self.language), self.empty))
        self.empty = False

    def finish(self) -> None:
        if not self.empty:
            self._write(self.source.bad_rows_tail())

    def _write(self, text: str) -> None:
        if self.file is None:
            return
        # Bytes that were no UTF-8 go back as they were.
        written = text.encode("utf-8", "surrogateescape")
        self.size += len(written)
        if self.most is not None and self.size > self.most:
            raise TooMuch
        self.file.write(written)
