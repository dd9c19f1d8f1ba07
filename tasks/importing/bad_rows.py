"""Bad rows → a file in the format of the upload, with a column for the reason. No Django."""

from typing import BinaryIO

from .message import Language
from .rows import LineError, Source, SourceRow


class TooManyBadRows(Exception):
    """The bad rows are larger than their file may be."""


class BadRowsFile:
    """A writer for the file of bad rows, with the reasons in `language`.

    It raises TooManyBadRows beyond `most` bytes. Without a file it writes nothing.
    """

    def __init__(
        self, source: Source, file: BinaryIO | None, most: int | None, language: Language
    ) -> None:
        self.source, self.file, self.most, self.language = source, file, most, language
        self.size = 0

    def add(self, row: SourceRow, error: LineError) -> None:
        before = self.source.between if self.size else self.source.head
        self._write(before + self.source.bad_row(row, error.why(self.language)))

    def finish(self) -> None:
        if self.size:
            self._write(self.source.tail)

    def _write(self, text: str) -> None:
        if self.file is None:
            return
        # Write bytes that were not UTF-8 back unchanged.
        written = text.encode("utf-8", "surrogateescape")
        self.size += len(written)
        if self.most is not None and self.size > self.most:
            raise TooManyBadRows
        self.file.write(written)
