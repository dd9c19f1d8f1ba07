"""One file shows the database's functions and triggers as the migrations have left them.

`tasks/queue/sql/functions.sql` is for reading: nothing loads it. After a migration that
changes a function or a trigger, write the file anew:

    WRITE_SQL_FUNCTIONS=yes .venv/bin/python -m pytest tests/test_sql_functions.py -n 0

Lines that begin with "--" are comments. They are kept, each with the definition below it.
"""

import os
import re
from pathlib import Path

import pytest
from django.db import connection

FILE = Path(__file__).resolve().parent.parent / "tasks/queue/sql/functions.sql"
WRITE = "WRITE_SQL_FUNCTIONS=yes .venv/bin/python -m pytest tests/test_sql_functions.py -n 0"

# Each function, then the triggers that call it. What an extension brings is not ours, and what
# PostgreSQL makes for foreign keys is internal.
DEFINITIONS = """
WITH ours AS (
  SELECT oid, proname, pg_get_function_identity_arguments(oid) AS arguments
  FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
)
SELECT definition FROM (
  SELECT proname, arguments, '' AS on_table, '' AS name, pg_get_functiondef(oid) AS definition
  FROM ours
  UNION ALL
  SELECT coalesce(ours.proname, ''), coalesce(ours.arguments, ''), pg_class.relname, tgname,
    pg_get_triggerdef(pg_trigger.oid)
  FROM pg_trigger
  JOIN pg_class ON pg_class.oid = tgrelid AND relnamespace = 'public'::regnamespace
  LEFT JOIN ours ON ours.oid = tgfoid
  WHERE NOT tgisinternal
) AS found
ORDER BY proname COLLATE "C", arguments COLLATE "C", on_table COLLATE "C", name COLLATE "C"
"""


def read_database() -> list[str]:
    """Return the definitions of the database's functions and triggers, each ending in ";"."""
    with connection.cursor() as cursor:
        cursor.execute(DEFINITIONS)
        return [f"{definition.rstrip()};" for (definition,) in cursor.fetchall()]


def read_file() -> list[tuple[str, str]]:
    """Return the file's definitions, each with the comment above it."""
    comment, *blocks = re.split(r"^(?=CREATE )", FILE.read_text(encoding="utf-8"), flags=re.M)
    found = []
    for block in blocks:
        # After a definition only blank lines and the next one's comment follow.
        parts = re.fullmatch(r"(.*?;)\n((?:--[^\n]*\n|\n)*)", block, re.S)
        assert parts is not None, f"{FILE.name} has something else than definitions: {block[:80]}"
        found.append((comment, parts[1]))
        comment = parts[2]
    return found


def write_file(definitions: list[str]) -> None:
    """Write the definitions to the file, and keep the comments that are there."""
    comments = {definition.partition("\n")[0]: comment for comment, definition in read_file()}
    parts = [
        comments.get(definition.partition("\n")[0], "\n") + definition + "\n"
        for definition in definitions
    ]
    FILE.write_text("".join(parts), encoding="utf-8")


@pytest.mark.django_db
def test_the_file_shows_the_functions_and_triggers_of_the_database() -> None:
    definitions = read_database()
    if os.environ.get("WRITE_SQL_FUNCTIONS") == "yes":
        write_file(definitions)
    assert [definition for _comment, definition in read_file()] == definitions, (
        f"{FILE.name} differs from the database after all migrations. If the migration is right, "
        f"write the file anew: {WRITE}"
    )
