"""manage.py migrate on a database from before the first release."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from annotators.management.commands.migrate import FORMER_FIRST

pytestmark = pytest.mark.django_db

LAST = {"rubrics": "0005_sources", "tasks": "0021_files_taken_back"}
# What a demonstration of 28 November has of each app.
OF_NOVEMBER = {
    "rubrics": ("0001_baseline", "0002_checks_of_the_response", "0003_drafts"),
    "tasks": ("0001_baseline", "0012_practice"),
}


def migrations_of(app: str) -> list[Migration]:
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return [migration for (label, _), migration in loader.disk_migrations.items() if label == app]


def replaced(app: str) -> list[str]:
    [names] = [migration.replaces for migration in migrations_of(app) if migration.replaces]
    return [name for _, name in names]


def former() -> list[tuple[str, str]]:
    """Return the replaced migrations, and those since: the tables of the tests are of today."""
    names = [(app, name) for app in LAST for name in replaced(app)]
    for app in LAST:
        names += ((app, since.name) for since in migrations_of(app) if not since.replaces)
    return names


def recorded() -> set[tuple[str, str]]:
    applied = MigrationRecorder(connection).applied_migrations()
    return {(app, name) for app, name in applied if app in LAST}


def record_instead(*migrations: tuple[str, str]) -> set[tuple[str, str]]:
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app__in=LAST).delete()
    for app, name in migrations:
        recorder.record_applied(app, name)
    return recorded()


def test_a_database_with_all_replaced_migrations_is_up_to_date() -> None:
    record_instead(*former())
    call_command("migrate", verbosity=0, check_unapplied=True)


def test_the_next_migrate_records_the_replacement() -> None:
    before = record_instead(*former())
    call_command("migrate", verbosity=0)
    assert {name for _, name in recorded() - before} == {
        "0001_squashed_0005_sources",
        "0001_squashed_0021_files_taken_back",
    }


def test_a_database_of_november_is_left_as_it_is_and_told_what_is_missing() -> None:
    before = record_instead(*((app, name) for app in LAST for name in OF_NOVEMBER[app]))
    expected = r"up to rubrics\.0005_sources and tasks\.0021_files_taken_back \(docs/admins\.md"
    with pytest.raises(CommandError, match=expected):
        call_command("migrate", verbosity=0)
    assert recorded() == before


@pytest.mark.parametrize("app", LAST)
def test_a_database_that_lacks_one_replaced_migration_is_told_its_name(app: str) -> None:
    rows = [(other, name) for other in LAST for name in replaced(other)]
    rows.remove((app, LAST[app]))
    before = record_instead(*rows)
    with pytest.raises(CommandError, match=rf"first bring it up to {app}\.{LAST[app]} \("):
        call_command("migrate", fake=True, verbosity=0)
    assert recorded() == before


def test_a_database_of_the_first_history_is_left_as_it_is() -> None:
    record_instead()
    MigrationRecorder(connection).record_applied(*FORMER_FIRST)
    with pytest.raises(CommandError, match=r"up to rubrics\.0005_sources and tasks\.0021"):
        call_command("migrate", verbosity=0)
    assert recorded() == set()
