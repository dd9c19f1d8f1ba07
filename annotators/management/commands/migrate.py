"""Django's `migrate`, which makes the embedded database where there is none.

The baseline of each app stands in place of all migrations before the first release. A database that
has those is left as it is. If it has all of them, `--fake` records the baseline instead of them.
"""

from collections.abc import Set
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections, transaction
from django.db.migrations.recorder import MigrationRecorder

BASELINE = "0001_baseline"
FIRST = ("annotators", "0001_initial")  # the others depend on it
LAST = {
    "annotators": "0011_an_address_has_one_account",
    "rubrics": "0005_source_beside_each_clause",
    "tasks": "0055_a_draft_of_each_page",
}
REFUSED = (
    "{where} was made before the first release, by migrations that are gone. It was left as it is. "
    "To go on with its data, {do} (docs/admins.md, “Update from before the first release”). To try "
    "the demonstration, name a new folder: make demo DATA=other"
)


class Command(migrate.Command):
    """Django's command. Its checks ask the database, so the database is made before them."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Make the database, refuse one from before the baseline, then check and migrate."""
        connections[options["database"]].prepare_database()
        recorder = MigrationRecorder(connections[options["database"]])
        found = recorder.applied_migrations().keys()
        if FIRST in found:
            missing = LAST.items() - found
            if missing or not options["fake"] or options["plan"]:
                raise CommandError(_refusal(missing))
            with transaction.atomic(using=options["database"]):
                recorder.migration_qs.filter(app__in=LAST).delete()
                for app in LAST:
                    recorder.record_applied(app, BASELINE)
            options["fake"] = False  # migrations after the baseline are run
        return super().execute(*args, **options)


def _refusal(missing: Set[tuple[str, str]]) -> str:
    where = f"The database in {settings.DATA}" if settings.EMBEDDED else "The database"
    names = " and ".join(".".join(each) for each in sorted(missing))
    do = (
        f"first bring it up to {names}"
        if missing
        else "back it up and run manage.py migrate --fake"
    )
    return REFUSED.format(where=where, do=do)
