"""Django's `migrate`, which makes the embedded database where there is none.

An app's first migration replaces those from before the first release. A database that has all of
them goes on from there. One that lacks some is left as it is, because their files are gone.
"""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# The first migration of a history that was replaced once before.
FORMER_FIRST = ("annotators", "0001_initial")
REFUSED = (
    "{where} was made before the first release, and lacks migrations whose files are gone. It was "
    "left as it is. To go on with its data, first bring it up to {names} (docs/admins.md, “Update "
    "from before the first release”). To try the demonstration, name a new folder: make demo "
    "DATA=other"
)


class Command(migrate.Command):
    """Django's command. Its checks ask the database, so the database is made before them."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Make the database, refuse one that lacks migrations that are gone, then migrate."""
        connection = connections[options["database"]]
        connection.prepare_database()
        require_replaced_migrations(connection)
        return super().execute(*args, **options)


def require_replaced_migrations(connection: BaseDatabaseWrapper) -> None:
    """Refuse a database that has some of the replaced migrations and lacks others."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    loader = MigrationLoader(connection, load=False)
    loader.load_disk()
    names = []
    for migration in loader.disk_migrations.values():
        missing = set(migration.replaces) - applied
        is_begun = len(missing) < len(migration.replaces) or FORMER_FIRST in applied
        if missing and is_begun:
            names.append(".".join(max(missing)))
    if names:
        where = "The database"
        if settings.EMBEDDED:
            where = f"The database in {settings.DATA}"
        raise CommandError(REFUSED.format(where=where, names=" and ".join(sorted(names))))
