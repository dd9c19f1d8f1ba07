"""The parts of a column of an export: its name, its type, its meaning and its SQL."""

from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from psycopg import sql
from psycopg.sql import Composable

# text: anything, which a spreadsheet could take for a formula. word: one of the program's own.
# time: as text. json: JSON as text.
Type: TypeAlias = Literal["text", "word", "integer", "number", "time", "json"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an export, with the SQL expression of its value."""

    name: str
    sql: Composable
    type: Type = "text"
    meaning: str = ""
    json: Composable | None = None  # the value as JSON, where `sql` is not

    @property
    def is_free(self) -> bool:
        """True if a spreadsheet could take a cell for a formula."""
        return self.type in ("text", "json")


def utc(expression: str) -> sql.Composable:
    """Return the expression that formats a moment for the file."""
    return sql.SQL("""to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')""").format(
        sql.SQL(expression)
    )


def _column(type_: Type, name: str, expression: str, meaning: str) -> Column:
    return Column(name, sql.SQL(expression), type_, _in_one_line(meaning))


def _in_one_line(text: str) -> str:
    words = text.split()
    return " ".join(words)


text_column = partial(_column, "text")
word_column = partial(_column, "word")
integer_column = partial(_column, "integer")
number_column = partial(_column, "number")
json_column = partial(_column, "json")


def time_column(name: str, expression: str, meaning: str) -> Column:
    return Column(name, utc(expression), "time", _in_one_line(meaning))
