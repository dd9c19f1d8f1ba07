"""Cells of a table → values of our own shape. No Django but its translations.

All that reads a file gets its rows from `file_rows`. Every cell of a table is a text. A list in a
cell is JSON, so the row

    {"id": "moons", "prompt": "", "messages": "[{…}]", "persona": ""}

becomes {"id": "moons", "messages": [{…}], "persona": ""}. The meaning of an empty cell depends on
its column:

- In a text column (`prompt`, `response`, `context`, metadata, …) it is the empty text.
- In `persona` and `history` it is an empty list.
- In `messages` and `responses` it is absent.

Some columns are alternatives: `prompt`, `messages` and `history`; `response` and `responses`. An
empty cell gives way to a filled one of the same group.
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

LISTS = ("persona", "history", "messages", "responses")  # columns of lists
# A row that needs no work has none of these: of a group with two columns, one is a list.
COLUMNS_WITH_LISTS = frozenset(LISTS)
ABSENT_IF_EMPTY = frozenset({"messages", "responses"})


def file_rows(source: Source) -> Iterator[SourceRow]:
    """Yield the rows of a source, with the lists in the cells of a table read."""
    for row in source.rows():
        yield _with_lists(row) if source.is_table else row


def _with_lists(row: SourceRow) -> SourceRow:
    """Return the row of a table with its lists read, or with the error of a broken one."""
    if isinstance(row.content, LineError):
        return row
    if COLUMNS_WITH_LISTS.isdisjoint(row.content):
        return row  # as most tables are: the copy of each row is an eighth of the reading
    try:
        return replace(row, content=parsed_row(row.content))
    except BadValue as bad:
        name = row.content.get("id")
        item = name if isinstance(name, str) else ""
        return replace(row, content=bad.at(row, item))


def parsed_row(content: Mapping[str, object]) -> JsonObject:
    """Return the values of a table's row. Raises BadValue for a list that is broken."""
    absent = _absent_if_empty(content)
    row_content: JsonObject = {}
    for column, cell in content.items():
        if cell or column not in absent:
            row_content[column] = cell
    for column in LISTS:
        cell = row_content.get(column)
        if isinstance(cell, str) and cell.startswith("["):
            row_content[column] = _read_list(cell, column)
    return row_content


def _absent_if_empty(content: Mapping[str, object]) -> set[str]:
    """Return the columns of a row whose empty cells say nothing.

    If a group of alternatives has no filled cell, the first one counts.
    """
    absent = set(ABSENT_IF_EMPTY)
    for group in (CONVERSATIONS, ANSWERS):
        columns = [column for column in group if column in content]
        counting = [column for column in columns if content[column]]
        if not counting:
            counting = columns[:1]
        absent.update(column for column in columns if column not in counting)
    return absent


def _read_list(cell: str, column: str) -> object:
    """Return the list in a cell, as JSON or as Python writes it. Raises BadValue."""
    try:
        return decoder.decode(cell)
    except (ValueError, RecursionError) as error:
        with suppress(ValueError):
            return read_literal(cell)  # as pandas writes it
        fault = problem(error, 0)
        advice = _("a cell that begins with [ is a list in JSON")
        raise BadValue(column, fault.reason, advice, fault.value) from error
