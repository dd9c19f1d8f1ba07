"""A database of 28 November goes on with its data."""

from __future__ import annotations

import lzma
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from annotators.models import User
from config.embedded_postgres import programs
from tasks.models import Item, Rating, Score

# The demonstration of 28 November (01b82b3b), brought up to the last replaced migration as
# docs/admins.md says, by pg_dump.
DEMONSTRATION = Path(__file__).parents[1] / "stored/demonstration-of-28-november.sql.xz"
FORMER = "of_november"

pytestmark = pytest.mark.django_db

# Tables with their columns, constraints, indexes and triggers, and all functions.
SCHEMA = """
SELECT format('%s.%s %s %s %s', table_name, column_name, udt_name, is_nullable, column_default)
FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""
# PostgreSQL writes conditions with other casts once they were dumped and loaded, and a default may
# have the type that its column had before.
CASTS = re.compile(r"::[a-z ]+(\(\d+\))?(\[\])?|[()]")


def psql(database: str, *arguments: str, content: bytes = b"") -> None:
    of_server = connection.get_connection_params()
    place = {"PGHOST": of_server["host"], "PGUSER": of_server["user"], "PGDATABASE": database}
    subprocess.run(
        [programs.installed_programs() / "bin/psql", "-q", "-v", "ON_ERROR_STOP=1", *arguments],
        input=content,
        env=os.environ | place,
        stdout=subprocess.DEVNULL,
        check=True,
    )


@pytest.fixture
def current_schema() -> set[str]:
    """What the tables of the other tests have."""
    return schema_of(connection)


@pytest.fixture
def _former_database(current_schema: set[str]) -> Iterator[None]:
    """The demonstration of November, in place of the database of the other tests."""
    psql("postgres", "-c", f"CREATE DATABASE {FORMER}")
    psql(FORMER, content=lzma.decompress(DEMONSTRATION.read_bytes()))
    usual = connections["default"]
    former = usual.copy()
    former.settings_dict["NAME"] = FORMER
    former.settings_dict["OPTIONS"]["pool"] = False  # the pool has connections to the usual one
    connections["default"] = former
    yield
    former.close()
    connections["default"] = usual
    psql("postgres", "-c", f"DROP DATABASE {FORMER}")


def schema_of(database: BaseDatabaseWrapper) -> set[str]:
    with database.cursor() as cursor:
        cursor.execute(SCHEMA)
        rows = {CASTS.sub("", row) for (row,) in cursor.fetchall()}
    # The table of the cache is made by a command of its own.
    return {row for row in rows if not re.search(r"\bcache\b|cache_", row)}


@pytest.mark.usefixtures("_former_database")
def test_the_demonstration_of_november_goes_on_with_the_tables_of_today(
    current_schema: set[str],
) -> None:
    call_command("migrate", verbosity=0)
    assert len(current_schema) > 500
    assert schema_of(connection) == current_schema
    counts = [model.objects.count() for model in (User, Item, Rating, Score)]
    assert counts == [8, 93, 248, 2680]
    call_command("migrate", verbosity=0, check_unapplied=True)
