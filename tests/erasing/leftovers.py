"""What the database still has of a text."""

from __future__ import annotations

from config.web.raw_sql import all_rows


def tables_with(text: str) -> list[str]:
    """The tables of the database in which a row has a text, whatever the column."""
    names = all_rows(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'", []
    )
    tables = []
    for (name,) in names:
        rows = f'SELECT 1 FROM "{name}" AS row WHERE strpos(row::text, %s) > 0 LIMIT 1'  # noqa: S608
        if all_rows(rows, [text]):
            tables.append(name)
    return tables
