"""A thin layer on Django's backend: the first connection starts, or attaches to, the embedded server.

Nothing else does: `manage.py help` costs no server. A forked process lets go of what it inherited and
attaches anew.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Iterable
from typing import Any

from django.db import DatabaseError, connections
from django.db.backends.postgresql import base, client
from psycopg import OperationalError
from psycopg_pool import PoolTimeout

from config import embedded, programs

# Pools of a parent process. Their threads don't exist here and their sockets belong to the parent: they are
# neither used nor closed, only kept from the garbage collector, which would try to close them.
_inherited: list[Any] = []


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell`, by the psql that came with the server."""

    def runshell(self, parameters: Iterable[str]) -> None:
        """Start the server, then the shell."""
        self.connection.get_connection_params()
        self.executable_name = str(programs.program("psql"))
        super().runshell(parameters)


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL in the folder that DATABASES["default"]["EMBEDDED"]["data"] names."""

    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters, with the socket of a server that is known to run."""
        where = self.settings_dict["EMBEDDED"]
        sockets = embedded.attach(where["data"], where["server"])
        self.settings_dict.update(HOST=str(sockets), USER=embedded.SUPERUSER, PASSWORD="", PORT="")
        return super().get_connection_params()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection; where the server turns out to be dead (killed, say), one more try after a start."""
        try:
            return super().get_new_connection(conn_params)
        except (DatabaseError, OperationalError, PoolTimeout):
            where = self.settings_dict["EMBEDDED"]
            if not embedded.revive(where["data"], where["server"]):
                raise  # it runs: the reason is another, such as a pool with all connections lent
            return super().get_new_connection(conn_params)


# Django's pools by alias, those of this process.
_pools: dict[str, Any] = base.DatabaseWrapper._connection_pools  # type: ignore[attr-defined]


def _let_go() -> None:
    """In a forked child: forget the parent's connections and pools without touching their sockets."""
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            _inherited.append(connection.connection)
            connection.connection = None
            connection.in_atomic_block = False
            connection.savepoint_ids = []
            connection.needs_rollback = False
    _inherited.append(dict(_pools))
    _pools.clear()


def close_all() -> None:
    """Close this thread's connections and the process's pools; the next use opens new ones."""
    for connection in connections.all(initialized_only=True):
        if isinstance(connection, DatabaseWrapper):
            connection.close()
    for pool in list(_pools.values()):
        pool.close()
    _pools.clear()


def _leave() -> None:
    """At exit: close what is open, then detach; the last process stops the server."""
    close_all()
    embedded.detach()


os.register_at_fork(after_in_child=_let_go)
atexit.register(_leave)
