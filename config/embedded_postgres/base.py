"""A thin layer on Django's PostgreSQL backend that checks connections and replaces dead ones.

It also raises WritesRefused where the database takes nothing new.

It works with any PostgreSQL. The first connection to the embedded server starts it or attaches to
it; nothing else does, so `manage.py help` starts no server. Only `prepare_database` makes one where
there is none. A forked process drops the connections it inherited and attaches again.
"""

import atexit
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from django.db import DatabaseError, connections
from django.db.backends.postgresql import base, client
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg import OperationalError
from psycopg_pool import ConnectionPool

from config.embedded_postgres import cluster, programs, server as embedded
from config.embedded_postgres.programs import EmbeddedDatabaseError
from config.web.refused_writes import WritesRefused, is_refusal

# Pools and connections of a parent process. Their threads don't exist here and their sockets belong
# to the parent. They are neither used nor closed; the list only protects them from the garbage
# collector, which would try to close them.
_inherited: list[Any] = []


class DatabaseClient(client.DatabaseClient):
    """The client of `manage.py dbshell`; the embedded server brings its own psql."""

    def runshell(self, parameters: Iterable[str]) -> None:
        """Start the embedded server, then the shell."""
        if self.connection.settings_dict.get("EMBEDDED"):
            self.connection.get_connection_params()
            self.executable_name = str(programs.installed_programs() / "bin/psql")
        super().runshell(parameters)


class ErrorWrapper(DatabaseErrorWrapper):
    """Django's translation of the driver's errors, with one of our own."""

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        """Raise WritesRefused, or Django's error, from the driver's."""
        if is_refusal(error):
            raise WritesRefused(str(error)) from error
        super().__exit__(kind, error, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's PostgreSQL connection, with checks and with support for the embedded server.

    If DATABASES["default"] has "EMBEDDED", the server is the one in the folder of its "data".
    """

    client_class = DatabaseClient

    @cached_property
    def wrap_database_errors(self) -> ErrorWrapper:
        """Return the context in which Django uses the driver."""
        return ErrorWrapper(self)

    def get_connection_params(self) -> dict[str, Any]:
        """Return Django's parameters; for the embedded server, start it and use its socket."""
        if where := self.settings_dict.get("EMBEDDED"):
            self.settings_dict.update(
                HOST=str(embedded.attach(where["data"], where["server"])),
                USER=cluster.SUPERUSER,
                PASSWORD="",
                PORT="",
            )
        return super().get_connection_params()

    def prepare_database(self) -> None:
        """Make the embedded database if there is none. Only `migrate` and `demo` do."""
        if where := self.settings_dict.get("EMBEDDED"):
            embedded.attach(where["data"], where["server"], make=True)
        super().prepare_database()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection that answers. Restart the embedded server first if it is dead."""
        try:
            return self._one_that_answers(conn_params)
        except (DatabaseError, OperationalError):
            where = self.settings_dict.get("EMBEDDED")
            if not where or not embedded.revive(where["data"], where["server"]):
                raise
            return self._one_that_answers(conn_params)

    def _one_that_answers(self, conn_params: dict[str, Any]) -> Any:
        """Take a connection from the pool and check it.

        The pool's own check drops dead connections one by one, with growing pauses. After a server
        restart a request would time out before it gets a live connection.
        """
        connection = super().get_new_connection(conn_params)
        try:
            ConnectionPool.check_connection(connection)
        except OperationalError:
            # It died in the pool because the server ended, so the others are dead too.
            if self.pool:
                self.pool.putconn(connection)
                self.pool.drain()
            connection = super().get_new_connection(conn_params)
        return connection

    def _close(self) -> None:
        """Return the connection to the pool.

        A broken one shows that the server ended. Then renew the pool and restart the server now, so
        that the next request finds no other dead connection and waits less.
        """
        lost = self.connection is not None and self.connection.broken
        super()._close()  # type: ignore[misc]  # the stubs do not know it
        if lost:
            if self.pool:
                self.pool.drain()
            if where := self.settings_dict.get("EMBEDDED"):
                with suppress(EmbeddedDatabaseError):  # the next connection says so
                    embedded.revive(where["data"], where["server"])


# Django's pools of this process, by alias.
_pools: dict[str, ConnectionPool] = base.DatabaseWrapper._connection_pools  # type: ignore[attr-defined]  # not in the stubs


def _let_go() -> None:
    """Forget the parent's connections and pools in a forked child, without touching sockets."""
    for connection in connections.all(initialized_only=True):
        _inherited.append(connection)
        del connections[connection.alias]
    _inherited.append(dict(_pools))
    _pools.clear()


def close_all() -> None:
    """Close this thread's connections and the process's pools; the next use opens new ones."""
    connections.close_all()
    for pool in _pools.values():
        pool.close()
    _pools.clear()


os.register_at_fork(after_in_child=_let_go)
# At exit the later one comes first. The last process that detaches stops the server.
atexit.register(embedded.detach)
atexit.register(close_all)
