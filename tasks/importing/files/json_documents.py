"""One JSON document → rows. No Django but its translations.

A document is a list of objects, or an object that holds rows in one of these ways, perhaps within
other objects:

- a list of objects, under a key that is the part's name;
- objects of the same kind by their keys, which become the ids of rows that have none;
- columns: objects whose keys number the rows, as pandas writes them, or lists of the same length;
- `columns` and `data`, the names and the rows of a table, as pandas and others write them.

If it holds several, a part is chosen. Any other object is one row.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO, NamedTuple

from django.utils.translation import gettext as _, gettext_lazy

from .json_lines import JsonLines, JsonSource
from .json_text import CLOSING, HINT, JsonText
from .json_values import lenient
from .rows import (
    LONGEST_EXCERPT,
    MOST_INNER,
    WHOLE,
    JsonObject,
    Option,
    Source,
    SourceRow,
    Unreadable,
    excerpt,
    part_needed,
    printable,
)

MOST_CELLS = 64 * 2**20  # characters of a table by columns, and 50 more for each cell
DEEPEST = 3  # objects that a part may be in
LOOKED_AT = 50  # entries of an object
MOST_OPTIONS = 50


@dataclass
class ValueShape:
    """A value of a document, as far as is needed to find rows in it."""

    mark: str  # its first character
    inner: str = ""  # the first character of a list's last entry
    first_text: str = ""  # the text of a list's first entry
    number: int = 0  # of entries
    members: dict[str, "ValueShape"] = field(default_factory=dict)  # of an object, the first ones

    @property
    def is_list(self) -> bool:
        return self.mark == "[" and self.inner == "{"


class DocumentPart(NamedTuple):
    """Rows in a document."""

    path: str  # the keys to it, with dots
    kind: str  # the name of a method of JsonDocument
    shape: ValueShape

    @property
    def depth(self) -> int:
        return self.path.count(".") + 1 if self.path else 0

    @property
    def option(self) -> Option:
        """The part as a choice, with the first row or the names of columns."""
        row = _first_row(self.shape)
        if self.kind == "by_key":
            row = {"id": None} | row
        return Option(self.path, excerpt(row or list(self.shape.members)), row, is_of_document=True)


def json_source(file: BinaryIO, *, are_lines: bool, part: str) -> Source:
    """Return the reader of a text that begins with { or [. Raises ChoiceNeeded.

    It is JSON lines if its first line is a whole object and others follow; a file of one line is
    if its name says so (`are_lines`). Everything else is one document, whatever its line breaks.
    """
    text = JsonText(file)
    if text.peek() == "[":
        return JsonDocument(file, DocumentPart("", "list", ValueShape("[")))
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
    shape = _shape_of(JsonText(file))
    whole = DocumentPart("", "whole", shape)
    if chosen == WHOLE:
        return JsonDocument(file, whole, (_whole_option(shape),))
    parts = sorted(_parts_in(shape), key=lambda part: part.depth)
    if shape.number == 1:  # a list without entries may be one of objects if there is nothing else
        for key, entry in shape.members.items():
            if entry.mark == "[" and not entry.number:
                parts.append(DocumentPart(key, "list", entry))
    if not parts:
        marks = {entry.mark for entry in shape.members.values()}
        if marks == {"{"} and shape.number > MOST_INNER:
            text = _("is one object of %(number)s objects; %(hint)s")
            raise Unreadable(text, number=shape.number, hint=HINT)
        return JsonDocument(file, whole)
    options = [part.option for part in parts[:MOST_OPTIONS] if part.path]
    if options or parts[0].kind == "by_key":
        options.append(_whole_option(shape))
    for part in parts:
        if chosen and part.path == chosen:
            return JsonDocument(file, part, tuple(options))
    proposed = _proposed(parts)
    if chosen and not parts[0].path:
        return JsonDocument(file, parts[0])  # which has no such part
    if chosen or proposed is None:
        raise part_needed(options)
    return JsonDocument(file, proposed, tuple(options))


def _proposed(document_parts: Sequence[DocumentPart]) -> DocumentPart | None:
    """Return the part to read if none is chosen, or None if there are several alike."""
    if not document_parts[0].path:
        return document_parts[0]
    depth = document_parts[0].depth
    lists = [part for part in document_parts if part.kind == "list" and part.depth == depth]
    # An object that has others, and no list, may be one row.
    return lists[0] if len(lists) == 1 else None


def _shape_of(text: JsonText, depth: int = 0) -> ValueShape:
    """Take the next value and return its shape."""
    shape = ValueShape(text.peek())
    if shape.mark not in CLOSING:
        text.take()
        return shape
    for key in text.within():
        if shape.mark == "[":
            shape.inner = text.peek()
            entry = text.take()
            shape.first_text = shape.first_text or entry
        elif depth < DEEPEST and shape.number < LOOKED_AT:
            shape.members[printable(key)] = _shape_of(text, depth + 1)
        else:
            text.take()
        shape.number += 1
    return shape


def _parts_in(shape: ValueShape, path: str = "") -> Iterator[DocumentPart]:
    """Yield the rows in a value; those within it only if it is no row or table itself."""
    kind = _kind_of(shape)
    if kind:
        yield DocumentPart(path, kind, shape)
        return
    for key, entry in shape.members.items():
        yield from _parts_in(entry, f"{path}.{key}" if path else key)


def _kind_of(shape: ValueShape) -> str:
    """Return how a value holds rows, or "" if it holds none itself."""
    if shape.is_list:
        return "list"
    entries = list(shape.members.values())
    marks = {entry.mark for entry in entries}
    if {"columns", "data"} <= shape.members.keys() and shape.members["data"].inner == "[":
        return "split"
    if marks == {"["} and len(entries) > 1:
        lengths = {entry.number for entry in entries}
        has_objects = any(entry.inner in CLOSING for entry in entries)
        is_table = len(lengths) == 1 and max(lengths) > 1 and not has_objects
        return "columns" if is_table else ""
    if marks != {"{"}:
        return ""
    keys = [entry.members.keys() for entry in entries]
    if all(key.isdigit() for names in keys for key in names) and any(keys):
        return "columns" if not all(key.isdigit() for key in shape.members) else ""
    common = set(keys[0]).intersection(*keys)
    has_tables = any(_kind_of(entry) in ("columns", "split") for entry in entries)
    if has_tables or len(keys) < 2 or len(common) * 2 < max(map(len, keys)):
        return ""
    is_by_columns = entries[0].number > MOST_INNER >= shape.number
    return "columns" if is_by_columns else "by_key"


def _first_row(shape: ValueShape) -> JsonObject:
    """Return the names in the first row of a part, with the values of a list's."""
    if not shape.is_list:
        for entry in shape.members.values():
            return dict.fromkeys(entry.members or shape.members)
        return {}
    first_row: JsonObject = {}
    content = lenient.decode(shape.first_text)
    for name, value in islice(content.items(), MOST_INNER) if isinstance(content, dict) else ():
        first_row[name] = value[:LONGEST_EXCERPT] if isinstance(value, str) else value
    return first_row


def _whole_option(shape: ValueShape) -> Option:
    return Option(WHOLE, excerpt(list(shape.members)), dict.fromkeys(shape.members))


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
            yield from getattr(self, f"_{self.part.kind}")(text)
            return
        for key in text.within():
            inner = f"{path}.{printable(key)}" if path else printable(key)
            is_above = text.peek() == "{" and self.part.path.startswith(f"{inner}.")
            if is_above or inner == self.part.path:
                yield from self._rows_within(text, inner)
            else:
                text.pass_over()

    def _whole(self, text: JsonText) -> Iterator[SourceRow]:
        line = text.line
        yield self.row(line, text.take())

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
        # The first line of each row, and its cells.
        rows_by_number: dict[str, tuple[int, list[str]]] = {}
        size = 0
        for name in text.within():
            for number in text.within():
                cell = f"{json.dumps(name)}: {text.take()}"
                rows_by_number.setdefault(number, (text.line, []))[1].append(cell)
                size += len(cell) + 50
                if size > MOST_CELLS:
                    raise Unreadable(
                        _(
                            "is a table by columns of more than 64 MB; write it by rows, "
                            'in pandas with orient="records"'
                        )
                    )
        for number, (line, cells) in rows_by_number.items():
            yield self.row(line, f"{{{', '.join(cells)}}}", f"[{number}]")

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
