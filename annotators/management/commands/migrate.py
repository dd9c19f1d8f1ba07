"""Django's `migrate`, which makes the embedded database where there is none."""

from typing import Any

from django.core.management.commands import migrate
from django.db import connections


class Command(migrate.Command):
    """Django's command. Its checks ask the database, so the database is made before them."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Make the database, then check and migrate."""
        connections[options["database"]].prepare_database()
        return super().execute(*args, **options)
