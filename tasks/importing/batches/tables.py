"""COPY into tables: the statement, new keys, and JSON as text."""

import json
import re
from collections.abc import Sequence

from psycopg import sql

from config.web.raw_sql import one_row

# Without ASCII escapes, which PostgreSQL would only undo. Sorted, so that equal objects give equal
# JSON.
_json = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    separators=(",", ":"),
    sort_keys=True,
    # Write a Decimal as a string between two NULs, because json would round it. `json_text` removes
    # the quotes and the NULs; no text contains a NUL here.
    default=lambda number: f"\0{number}\0",
).encode
_NUMBER = re.compile(r'"\\u0000([^"\\]+)\\u0000"')


def json_text(value: object) -> str:
    """Return a value as JSON, with its numbers as they were written."""
    if value == {}:  # often, and starting the encoder takes several times as long
        return "{}"
    text = _json(value)
    return _NUMBER.sub(r"\1", text) if "\\u0000" in text else text


def copy_into(table: str, columns: Sequence[str]) -> sql.Composed:
    """Return the statement that fills these columns of a table."""
    return sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )


def new_keys(table: str, count: int) -> list[int]:
    """Return new primary keys from the table's own sequence, which later INSERTs continue."""
    (keys,) = one_row(
        # One array, because fetching a row per key would take longer than the rest.
        "SELECT array_agg(nextval(name)) FROM"
        " (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS name)"
        " AS own, generate_series(1, %s)",
        [table, count],
    ) or ([],)
    return list(keys)
