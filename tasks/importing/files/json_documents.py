"""One JSON document → rows. No Django but its translations.

A document is a list of objects, or an object that holds rows (`json_parts.py` says in which ways).
If it holds rows in several places, its parts, one is chosen. `readers.py` calls `json_source`.
"""

import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from django.utils.translation import gettext as _, gettext_lazy

from .json_lines import JsonLines, JsonSource
from .json_parts import DocumentPart, RowLayout, ValueShape, parts_in, shape_of, whole_option
from .json_text import HINT, JsonText
from .json_values import lenient
from .rows import (
    MOST_INNER,
    WHOLE,
    Option,
    Source,
    SourceRow,
    Unreadable,
    part_needed,
    printable,
)

MOST_CELLS = 64 * 2**20  # characters of a table by columns, and 50 more for each cell
MOST_OPTIONS = 50


def json_source(file: BinaryIO, *, are_lines: bool, part: str) -> Source:
    """Return the reader of a text that begins with { or [. Raises ChoiceNeeded.

    It is JSON lines if its first line is a whole object and others follow; a file of one line is
    if its name says so (`are_lines`). Everything else is one document, whatever its line breaks.
    """
    text = JsonText(file)
    if text.peek() == "[":
        return JsonDocument(file, DocumentPart("", RowLayout.LIST, ValueShape("[")))
    line = text.line
    try:
        text.take()
        is_lines = text.line == line and (are_lines or text.peek() != "")
    except Unreadable:  # a line that is broken, or a document that is longer than a row
        first, end, _rest = text.text[text.position :].partition("\n")
        is_lines = end != "" and not first.rstrip().endswith(("{", "[", ",", ":"))
    return JsonLines(file) if is_lines else _document(file, part)


def _document(file: BinaryIO, chosen: str) -> Source:
    """Return the reader of an object. Raises ChoiceNeeded."""
    shape = shape_of(JsonText(file))
    whole = DocumentPart("", RowLayout.WHOLE, shape)
    if chosen == WHOLE:
        return JsonDocument(file, whole, (whole_option(shape),))
    parts = _parts_of(shape)
    if not parts:
        marks = {entry.mark for entry in shape.members.values()}
        if marks == {"{"} and shape.entry_count > MOST_INNER:
            text = _("is one object of %(number)s objects; %(hint)s")
            raise Unreadable(text, number=shape.entry_count, hint=HINT)
        return JsonDocument(file, whole)
    options = [part.option for part in parts[:MOST_OPTIONS] if part.path]
    if options or parts[0].layout is RowLayout.BY_KEY:
        options.append(whole_option(shape))
    for part in parts:
        if chosen and part.path == chosen:
            return JsonDocument(file, part, tuple(options))
    proposed = _proposed(parts)
    if chosen and not parts[0].path:
        return JsonDocument(file, parts[0])  # which has no such part
    if chosen or proposed is None:
        raise part_needed(options)
    return JsonDocument(file, proposed, tuple(options))


def _parts_of(shape: ValueShape) -> list[DocumentPart]:
    """Return the parts of a document, those in the fewest objects first."""
    parts = sorted(parts_in(shape), key=lambda part: part.depth)
    if (
        shape.entry_count == 1
    ):  # a list without entries may be one of objects if there is nothing else
        for key, entry in shape.members.items():
            if entry.mark == "[" and not entry.entry_count:
                parts.append(DocumentPart(key, RowLayout.LIST, entry))
    return parts


def _proposed(document_parts: Sequence[DocumentPart]) -> DocumentPart | None:
    """Return the part to read if none is chosen, or None if there are several alike."""
    first = document_parts[0]
    if not first.path:
        return first
    lists = []
    for part in document_parts:
        if part.layout is RowLayout.LIST and part.depth == first.depth:
            lists.append(part)
    # An object that has others, and no list, may be one row.
    return lists[0] if len(lists) == 1 else None


class _TableRow(NamedTuple):
    """A row of a table by columns, as it is put together."""

    line: int  # of its first cell
    cell_texts: list[str]  # as JSON: "name": value


class JsonDocument(JsonSource):
    """The rows of a document. Never more than one of them or one block is in memory."""

    advice = gettext_lazy("write an object for each item")
    hint = HINT

    def __init__(
        self, file: BinaryIO, document_part: DocumentPart, options: Sequence[Option] = ()
    ) -> None:
        super().__init__(file)
        self.part = document_part
        self.parts = options
        self.proposals = {"part": document_part.path}

    def rows(self) -> Iterator[SourceRow]:
        self._begin()
        text = JsonText(self.file)
        yield from self._rows_within(text, "")
        if text.peek():
            raise text.broken(_("something comes after its end"))

    def _rows_within(self, text: JsonText, path: str) -> Iterator[SourceRow]:
        """Yield the rows in the next value if it is the part, or the object that has it."""
        if path == self.part.path:
            yield from self._rows_of_part(text)
            return
        for key in text.within():
            inner = f"{path}.{printable(key)}" if path else printable(key)
            is_above = text.peek() == "{" and self.part.path.startswith(f"{inner}.")
            if is_above or inner == self.part.path:
                yield from self._rows_within(text, inner)
            else:
                text.pass_over()

    def _rows_of_part(self, text: JsonText) -> Iterator[SourceRow]:
        match self.part.layout:
            case RowLayout.LIST:
                return self._list(text)
            case RowLayout.BY_KEY:
                return self._by_key(text)
            case RowLayout.COLUMNS:
                return self._columns(text)
            case RowLayout.SPLIT:
                return self._split(text)
        return iter([self.row(text.line, text.take())])

    def _list(self, text: JsonText) -> Iterator[SourceRow]:
        for number in text.within():
            line = text.line
            yield self.row(line, text.take(), f"{self.part.path}[{number}]")

    def _by_key(self, text: JsonText) -> Iterator[SourceRow]:
        for key in text.within():
            line = text.line
            path = ".".join(filter(None, (self.part.path, printable(key))))
            yield self.row(line, text.take(), path, key)

    def _columns(self, text: JsonText) -> Iterator[SourceRow]:
        """Yield the rows of a table by columns, which is read as a whole."""
        rows_by_number: dict[str, _TableRow] = {}
        size = 0
        for name in text.within():
            for number in text.within():
                cell = f"{json.dumps(name)}: {text.take()}"
                row = rows_by_number.setdefault(number, _TableRow(text.line, []))
                row.cell_texts.append(cell)
                size += len(cell) + 50
                if size > MOST_CELLS:
                    raise Unreadable(
                        _(
                            "is a table by columns of more than 64 MB; write it by rows, "
                            'in pandas with orient="records"'
                        )
                    )
        for number, row in rows_by_number.items():
            yield self.row(row.line, f"{{{', '.join(row.cell_texts)}}}", f"[{number}]")

    def _split(self, text: JsonText) -> Iterator[SourceRow]:
        """Yield the rows of a table whose columns are named before its rows."""
        names: list[str] = []
        for key in text.within():
            if key == "columns":
                names = [_column_name(text.take()) for _place in text.within()]
            elif key != "data" or not names:
                text.pass_over()
            else:
                for number in text.within():
                    line = text.line
                    cells = [text.take() for _place in text.within()]
                    pairs = zip(names, cells, strict=False)
                    row = ", ".join(f"{name}: {cell}" for name, cell in pairs)
                    yield self.row(line, f"{{{row}}}", f"[{number}]")


def _column_name(text: str) -> str:
    """Return the name of a column as JSON, which may stand in an object that tells of it."""
    column = lenient.decode(text)
    name = column.get("name") if isinstance(column, dict) else column
    return json.dumps(str(name))
