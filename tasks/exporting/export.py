"""Export a project's ratings to a file.

Rows, header and counts are of one moment, while people go on rating.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from tasks.models import Project

from .filters import look_up
from .options import DEFAULT, Options
from .rows import select
from .writing import blocks_of


def exported(project: Project, options: Options = DEFAULT) -> Iterator[bytes]:
    """Yield the file in blocks. Raise Refused at the first if the project lacks a name."""
    with snapshot():
        yield from blocks_of(select(project, options, look_up(project, options)), options)


@contextmanager
def snapshot() -> Iterator[None]:
    """Let all queries see the database as it is at the first of them, and change nothing.

    Within a transaction, that one's isolation holds.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
