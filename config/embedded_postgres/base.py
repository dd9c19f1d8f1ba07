"""Django's PostgreSQL backend with four changes. `manage.py` and the site use it everywhere.

- A connection is checked when it is taken from the pool. A dead one shows that the server ended,
  so the whole pool is renewed.
- With "EMBEDDED" in DATABASES["default"], the first connection starts the embedded server or
  attaches to it (`server.py`). Nothing else does, so `manage.py help` starts no server.
- A forked process lets go of the connections that it inherited, and attaches again.
- An error of a database that takes nothing new is raised as WritesRefused.
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

from config.database import EmbeddedPlace
from config.embedded_postgres import cluster, programs, server as embedded
from config.embedded_postgres.programs import EmbeddedDatabaseError
from config.web.refused_writes import WritesRefused, is_refusal


class DatabaseClient(client.DatabaseClient):
    """The client of `manage.py dbshell`. The embedded server comes with a psql."""

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
    """Django's PostgreSQL connection, with checks and with support for the embedded server."""

    client_class = DatabaseClient

    @cached_property
    def wrap_database_errors(self) -> ErrorWrapper:
        """Return the context in which Django uses the driver."""
        return ErrorWrapper(self)

    @property
    def embedded_server(self) -> EmbeddedPlace | None:
        """The folder `data` and the parameters `server` of the embedded server, if it is used."""
        return self.settings_dict.get("EMBEDDED")

    def get_connection_params(self) -> dict[str, Any]:
        """Return Django's parameters; for the embedded server, start it and use its socket."""
        if self.embedded_server:
            socket_folder = embedded.attach(**self.embedded_server)
            self.settings_dict.update(
                HOST=str(socket_folder), USER=cluster.SUPERUSER, PASSWORD="", PORT=""
            )
        return super().get_connection_params()

    def prepare_database(self) -> None:
        """Make the embedded database if there is none. Only `migrate` and `demo` do."""
        if self.embedded_server:
            embedded.attach(**self.embedded_server, make=True)
        super().prepare_database()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection that answers. Restart the embedded server first if it is dead."""
        try:
            return self._checked_connection(conn_params)
        except (DatabaseError, OperationalError):
            if not self.embedded_server or not embedded.revive(**self.embedded_server):
                raise
            return self._checked_connection(conn_params)

    def _checked_connection(self, conn_params: dict[str, Any]) -> Any:
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

        If it is broken, the server ended. Then renew the pool and restart the server now, so that
        the next request finds no other dead connection and waits less.
        """
        is_broken = self.connection is not None and self.connection.broken
        super()._close()  # type: ignore[misc]  # the stubs do not know it
        if not is_broken:
            return
        if self.pool:
            self.pool.drain()
        if self.embedded_server:
            with suppress(EmbeddedDatabaseError):  # the next connection says so
                embedded.revive(**self.embedded_server)


# Django's pools of this process, by alias.
_pools: dict[str, ConnectionPool] = base.DatabaseWrapper._connection_pools  # type: ignore[attr-defined]  # not in the stubs


def close_all() -> None:
    """Close this thread's connections and the process's pools; the next use opens new ones."""
    connections.close_all()
    for pool in _pools.values():
        pool.close()
    _pools.clear()


# In a forked process: the pools and connections of its parent. Their threads don't exist here, and
# their sockets belong to the parent. The list protects them from the garbage collector, which would
# close them.
_of_parent: list[Any] = []


def _let_go_of_parent() -> None:
    """Forget the parent's connections and pools, without touching their sockets."""
    for connection in connections.all(initialized_only=True):
        _of_parent.append(connection)
        del connections[connection.alias]
    _of_parent.append(dict(_pools))
    _pools.clear()


os.register_at_fork(after_in_child=_let_go_of_parent)
# At exit the later one comes first. The last process that detaches stops the server.
atexit.register(embedded.detach)
atexit.register(close_all)
