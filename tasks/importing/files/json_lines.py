"""JSON → rows, from one object per line. No Django but its translations."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from django.utils.translation import gettext as _, ngettext

from .json_values import ADVICE, lenient, problem, strict_decoder
from .rows import (
    LONGEST_ROW,
    OTHER_ENCODING,
    JsonObject,
    LineError,
    Source,
    SourceRow,
    Text,
    excerpt,
    fill_in,
    not_utf8,
    refuse_empty,
)


class JsonSource(Source):
    """A source whose rows are JSON objects."""

    advice: Text  # for a row that is no object

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.nulls = 0  # NaN and Infinity, which are read as null
        self.null_line = 0  # of the first one
        self._line = 0  # of the row that is being read
        self._decoder = strict_decoder(self._note_null)

    @property
    def remarks(self) -> Sequence[str]:
        if not self.nulls:
            return self.fixed_remarks
        text = ngettext(
            "%(number)s value is NaN or Infinity, which JSON does not have; it is read as empty "
            "(line %(line)s).",
            "%(number)s values are NaN or Infinity, which JSON does not have; they are read as "
            "empty (first in line %(line)s).",
            self.nulls,
        )
        return (*self.fixed_remarks, fill_in(text, number=self.nulls, line=self.null_line))

    def row(
        self, line: int, text: str, path: str = "", member_name: str | None = None
    ) -> SourceRow:
        """Return the row of an object's text, in which lone surrogates stand for bytes not UTF-8.

        Its `member_name`, if it has one, is its id if it has none.
        """
        self._line = line
        row_content: JsonObject | LineError
        try:
            row_content = self._decoder.decode(text)
            if not isinstance(row_content, dict):
                reason = _("is not a JSON object")
                row_content = LineError(line, "", excerpt(row_content), reason, str(self.advice))
            elif member_name is not None and "id" not in row_content:
                row_content = {"id": member_name, **row_content}
        except (ValueError, RecursionError) as error:
            row_content = problem(error, line)
        if not text.isascii() and (around := not_utf8(text)):
            row_content = LineError(line, "", around, _("is not UTF-8"), str(OTHER_ENCODING))
        if isinstance(row_content, LineError):
            column = ".".join(filter(None, (path, row_content.column)))
            row_content = replace(row_content, column=column, item=_id_in(text))
        return SourceRow(line, row_content, path)

    def _note_null(self, _text: str) -> None:
        self.nulls += 1
        self.null_line = self.null_line or self._line

    def _begin(self) -> None:
        """Begin to read the file once more."""
        self.file.seek(0)
        self.nulls = self.null_line = 0


class JsonLines(JsonSource):
    """JSON objects, one per line. Blank lines, a BOM and CRs at line ends are ignored."""

    advice = ADVICE

    def __init__(self, file: BinaryIO, hint: Text = ADVICE) -> None:
        super().__init__(file)
        self.hint = hint

    def rows(self) -> Iterator[SourceRow]:
        self._begin()
        empty = 0
        for number, line in enumerate(_lines(self.file), start=1):
            empty = empty + 1 if line and line.isspace() else 0
            refuse_empty(empty, number)
            if line is None:
                reason = fill_in(_("is longer than %(most)s bytes"), most=LONGEST_ROW)
                error = LineError(number, "", "", reason, _("make several items of it"))
                yield SourceRow(number, error)
            elif not empty:
                yield self.row(number, line.decode("utf-8", "surrogateescape"))


def _id_in(text: str) -> str:
    """Return the id in an object's text that is refused, or "" if it has none."""
    try:
        content = lenient.decode(text)
    except (ValueError, RecursionError):
        return ""
    item = content.get("id") if isinstance(content, dict) else ""
    return item if isinstance(item, str) else ""


def _lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of a file, and None for a line that is too long.

    A line that is too long is skipped in pieces.
    """
    line = file.readline(LONGEST_ROW + 1).removeprefix(BOM_UTF8)
    while line:
        if len(line) > LONGEST_ROW and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_ROW)
            yield None
        else:
            yield line
        line = file.readline(LONGEST_ROW + 1)
