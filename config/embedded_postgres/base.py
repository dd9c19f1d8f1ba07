"""A thin layer on Django's backend, for any PostgreSQL: connections that answer, also after the
server went.

Where the database is the embedded one, the first connection starts it, or attaches to it; nothing
else does: `manage.py help` costs no server. A forked process lets go of what it inherited and
attaches anew.
"""

from __future__ import annotations

import atexit
import os
import select
from collections.abc import Iterable
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from django.db import DatabaseError, connections
from django.db.backends.postgresql import base, client
from psycopg import OperationalError
from psycopg_pool import ConnectionPool

from config.embedded_postgres import programs
from config.embedded_postgres import server as embedded

# Seconds for which a request waits for a server that is being started again.
PATIENCE = 3.0
# Seconds for which a connection that lay idle is believed without being asked, where its line is
# still: a server that goes says so on it. A line that was cut in between says nothing, as firewalls
# cut what rests for minutes.
BELIEVED = 30.0
# Pools of a parent process. Their threads don't exist here and their sockets belong to the parent:
# they are neither used nor closed, only kept from the garbage collector, which would try to close
# them.
_inherited: list[Any] = []


class DatabaseClient(client.DatabaseClient):
    """`manage.py dbshell`; for the embedded server by the psql that came with it."""

    def runshell(self, parameters: Iterable[str]) -> None:
        """Start the embedded server, then the shell."""
        if self.connection.settings_dict.get("EMBEDDED"):
            self.connection.get_connection_params()
            self.executable_name = str(programs.program("psql"))
        super().runshell(parameters)


class DatabaseWrapper(base.DatabaseWrapper):
    """PostgreSQL where DATABASES["default"] says, or, where "EMBEDDED" is in it, in the folder that
    its "data" names."""

    client_class = DatabaseClient

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters, with the socket of a server that is known to run."""
        if where := self.settings_dict.get("EMBEDDED"):
            sockets = embedded.attach(where["data"], where["server"])
            self.settings_dict.update(
                HOST=str(sockets), USER=embedded.SUPERUSER, PASSWORD="", PORT=""
            )
        return super().get_connection_params()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A connection that answers; where the embedded server turns out to be dead, after it was
        started again, if that does not take too long."""
        where = self.settings_dict.get("EMBEDDED")
        if where and embedded.is_reviving(where["data"]):
            embedded.revive(where["data"], where["server"], patience=PATIENCE)
        try:
            return self._one_that_answers(conn_params)
        except (DatabaseError, OperationalError):
            if not where or not embedded.revive(where["data"], where["server"], patience=PATIENCE):
                raise
            return self._one_that_answers(conn_params)

    def _one_that_answers(self, conn_params: dict[str, Any]) -> Any:
        """Take a connection out of the pool and ask it, unless it answered a moment ago.

        The pool's own check is not used: it throws dead connections away one by one and rests for
        longer and longer in between, so that after a restart of the server a request gives up
        before it met a live one.
        """
        for last in (False, True):
            connection = super().get_new_connection(conn_params)
            try:
                if not _answered_lately(connection):
                    ConnectionPool.check_connection(connection)
            except OperationalError:
                # It died while it lay there: the server went, and the others are as dead.
                if self.pool:
                    self.pool.putconn(connection)
                self._renew_pool()
                if last:
                    raise
            else:
                break
        return connection

    def _close(self) -> None:
        """Give the connection back. One that broke tells that the server went: what comes next
        shall neither meet the others that broke with it, nor wait until somebody looks why."""
        lost = self.connection is not None and self.connection.broken
        if self.connection is not None and not lost:
            _answered[self.connection] = monotonic()
        super()._close()  # type: ignore[misc]  # the stubs do not know it
        if lost:
            self._renew_pool()
            if where := self.settings_dict.get("EMBEDDED"):
                embedded.begin_revival(where["data"], where["server"])

    def _renew_pool(self) -> None:
        if self.pool:
            self.pool.drain()


# When each connection that lies in a pool was given back.
_answered: WeakKeyDictionary[Any, float] = WeakKeyDictionary()


def _answered_lately(connection: Any) -> bool:
    """Whether a connection was given back a moment ago, and nothing came on its line since: neither
    its end nor a word of the server's, which would have to be read first."""
    given_back = _answered.get(connection)
    if given_back is None or monotonic() - given_back > BELIEVED:
        return False
    line = select.poll()
    line.register(connection.fileno(), select.POLLIN)
    return not line.poll(0)


# Django's pools by alias, those of this process.
_pools: dict[str, Any] = base.DatabaseWrapper._connection_pools  # type: ignore[attr-defined]  # not in the stubs


def _let_go() -> None:
    """In a forked child: forget the parent's connections and pools without touching their
    sockets."""
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
