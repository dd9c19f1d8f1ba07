"""Cells of a table → values of our own shape.

Every cell of a table is a text. The meaning of an empty one depends on its column:

- In a text column (`prompt`, `response`, `context`, metadata, …) it is the empty text.
- In `persona` and `history` it is an empty list.
- In `messages` and `responses` it is absent.

Some columns are alternatives: `prompt`, `messages` and `history`; `response` and `responses`. An
empty cell gives way to a filled one of the same group. No Django but its translations.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from django.utils.translation import gettext as _

from ..files.json_values import decoder, problem
from ..files.python_literals import read_literal
from ..files.rows import JsonObject, LineError, Source, SourceRow
from ..files.values import BadValue
from .uses import ANSWERS, CONVERSATIONS

LISTS = ("persona", "history", "messages", "responses")  # a cell that begins with [ is JSON
OPENED = frozenset(LISTS)  # a group with two columns has one of them, too
ABSENT_IF_EMPTY = frozenset({"messages", "responses"})


def file_rows(source: Source) -> Iterator[SourceRow]:
    """Yield the rows of a source, with the lists in the cells of a table opened."""
    return _table_rows(source) if source.is_table else source.rows()


def _table_rows(source: Source) -> Iterator[SourceRow]:
    for row in source.rows():
        yield _with_lists(row)


def parsed_row(content: Mapping[str, object]) -> JsonObject:
    """Return the values of a table's row. Raises BadValue for a list that is broken."""
    absent = set(ABSENT_IF_EMPTY)
    for group in (CONVERSATIONS, ANSWERS):
        names = [name for name in group if name in content]
        filled = [name for name in names if content[name]] or names[:1]
        absent.update(name for name in names if name not in filled)
    values = {name: cell for name, cell in content.items() if cell or name not in absent}
    for column in LISTS:
        cell = values.get(column)
        if isinstance(cell, str) and cell.startswith("["):
            values[column] = _list_in(cell, column)
    return values


def _list_in(cell: str, column: str) -> object:
    try:
        return decoder.decode(cell)
    except (ValueError, RecursionError) as error:
        with suppress(ValueError):
            return read_literal(cell)  # as pandas writes it
        fault = problem(error, 0)
        advice = _("a cell that begins with [ is a list in JSON")
        raise BadValue(column, fault.reason, advice, fault.value) from error


def _with_lists(row: SourceRow) -> SourceRow:
    if isinstance(row.content, LineError) or OPENED.isdisjoint(row.content):
        return row  # as most tables are: the copy of each row is an eighth of the reading
    try:
        return replace(row, content=parsed_row(row.content))
    except BadValue as bad:
        name = row.content.get("id")
        return replace(row, content=bad.at(row, name if isinstance(name, str) else ""))
