"""The cells of a file, in SQL and in Python: empty ones, and those that would run as formulas."""

import re

from psycopg import sql

from .column_types import Column

# The start of a cell that a spreadsheet would run as a formula, except for plain numbers. It has
# the full-width forms too, because some spreadsheets fold them. PostgreSQL reads it as Python does.
FORMULA = r"^(?=[=+\-@\t\r\n＝＋－＠])(?![+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$)"


def cell(column: Column, defused: bool = False) -> sql.Composable:
    """Return a column's expression, with NULL for an empty text, which COPY would put in quotes.

    With `defused`, a text that a spreadsheet would run has an apostrophe before it.
    """
    if not column.is_free:
        return column.sql
    text = column.sql
    if defused:
        replacement = sql.SQL("regexp_replace({}, {}, {})")
        text = replacement.format(text, sql.Literal(FORMULA), sql.Literal("'"))
    return sql.SQL("NULLIF({}, '')").format(text)


def defuse(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it as a formula."""
    return re.sub(FORMULA, "'", text)
