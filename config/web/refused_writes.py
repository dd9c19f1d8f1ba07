"""Errors of a database that can be read, but takes nothing new."""

import psycopg

# SQLSTATEs: the database, or the server, is read-only; its disk is full.
STATES = frozenset({"25006", "53100"})


class WritesRefused(Exception):
    """The database refused to store something.

    It is no DatabaseError of Django, so that no library takes it for something else: a cache for a
    value that is there already, a session for one that has ended.
    """


def is_refusal(error: BaseException | None) -> bool:
    """Return True if PostgreSQL said so, in a statement or at the COMMIT."""
    return isinstance(error, psycopg.Error) and error.sqlstate in STATES
