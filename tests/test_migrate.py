"""manage.py migrate on a database from before the first release."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.core.management.commands import migrate
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from annotators.management.commands.migrate import BASELINE, FIRST, LAST

pytestmark = pytest.mark.django_db


def recorded() -> set[tuple[str, str]]:
    return {key for key in MigrationRecorder(connection).applied_migrations() if key[0] in LAST}


def is_as_before_the_first_release(*migrations: tuple[str, str]) -> set[tuple[str, str]]:
    recorder = MigrationRecorder(connection)
    recorder.migration_qs.filter(app__in=LAST).delete()
    for app, name in migrations:
        recorder.record_applied(app, name)
    return recorded()


def test_without_fake_it_is_left_as_it_is_and_the_message_names_the_command() -> None:
    before = is_as_before_the_first_release(FIRST, *LAST.items())
    with pytest.raises(CommandError, match=r"run manage\.py migrate --fake \(docs/admins\.md"):
        call_command("migrate", verbosity=0)
    assert recorded() == before


def test_with_fake_the_baseline_is_recorded_in_place_of_the_last_and_what_follows_is_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By Django, as on an empty database, which is how the tables of all tests are made."""
    run: list[dict[str, Any]] = []
    monkeypatch.setattr(migrate.Command, "execute", lambda _self, **given: run.append(given))
    is_as_before_the_first_release(FIRST, *LAST.items())
    call_command("migrate", fake=True, verbosity=0)
    assert recorded() == {(app, BASELINE) for app in LAST}
    assert [given["fake"] for given in run] == [False]


@pytest.mark.parametrize("app", LAST)
@pytest.mark.parametrize("fake", [False, True])
def test_one_that_lacks_a_last_migration_is_refused_and_the_message_names_it(
    app: str, fake: bool
) -> None:
    others = [each for each in LAST.items() if each[0] != app]
    before = is_as_before_the_first_release(FIRST, *others)
    with pytest.raises(CommandError, match=f"first bring it up to {app}.{LAST[app]} "):
        call_command("migrate", fake=fake, verbosity=0)
    assert recorded() == before
