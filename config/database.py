"""Database settings: the database in DATABASE_URL, or the embedded PostgreSQL in DATA."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict, make_conninfo

SHAPE = "postgresql://USER:PASSWORD@HOST:PORT/NAME"
# If the database's machine vanishes without a word, a request knows after some 5 s: what it sent is
# not acknowledged, or two probes after 3 s of silence are not. DATABASE_URL may say otherwise.
IMPATIENT = {
    "connect_timeout": 3,
    "tcp_user_timeout": 5000,
    "keepalives_idle": 3,
    "keepalives_interval": 1,
    "keepalives_count": 2,
}

# Prepare a statement from its third execution on a connection. The desk runs the same queries all
# day, and planning them costs more than running them. A pooler that mixes sessions must support
# prepared statements (PgBouncer in transaction mode: 1.21 or newer).
PREPARED = {"server_side_binding": True, "prepare_threshold": 2}


class EmbeddedPlace(TypedDict):
    """The folder of the embedded server, and its own settings."""

    data: Path
    server: dict[str, str]


class DatabaseEntry(TypedDict, total=False):
    """An entry of Django's DATABASES."""

    NAME: str
    USER: str
    PASSWORD: str
    HOST: str
    PORT: str
    ENGINE: str
    CONN_HEALTH_CHECKS: bool
    CONN_MAX_AGE: int
    DISABLE_SERVER_SIDE_CURSORS: bool
    OPTIONS: Mapping[str, Any]  # of libpq and of Django
    EMBEDDED: EmbeddedPlace


def database_settings(
    url: str, *, data: Path, threads: int, cursors: bool = False
) -> DatabaseEntry:
    """Return the entry of DATABASES for `url`, or for the embedded server in `data` if it is empty.

    The backend in config/embedded_postgres takes connections from a pool and checks them before
    use. Without the check, the first requests after a database restart would fail.

    With `cursors`, what is read in portions stays on the server meanwhile. A pooler in transaction
    mode can't do that.
    """
    # max_size: two more than the threads, one for a job besides the requests and one while a broken
    # connection is replaced. timeout: a page that would wait longer than 3 s is better refused.
    # reconnect_timeout: 1 s is enough, because the next request tries again. The pool's own retries
    # come less and less often, and would miss a database that is back for half a minute.
    pool = {"min_size": 1, "max_size": threads + 2, "timeout": 3.0, "reconnect_timeout": 1.0}
    embedded: DatabaseEntry = {"NAME": "evenhand", "EMBEDDED": {"data": data, "server": {}}}
    database = parse_url(url) if url else embedded
    return {
        **database,
        "ENGINE": "config.embedded_postgres",
        "CONN_HEALTH_CHECKS": False,
        "CONN_MAX_AGE": 0,
        "DISABLE_SERVER_SIDE_CURSORS": not cursors,
        "OPTIONS": {**database.get("OPTIONS", {}), "pool": pool, **PREPARED},
    }


def parse_url(url: str) -> DatabaseEntry:
    """Parse a database URL into Django's settings, as libpq does.

    So several hosts and all of libpq's parameters are possible. Error messages repeat nothing that
    may be a part of a password: only the name of an option, and that only after an @.
    """
    if not url.startswith(("postgres://", "postgresql://")):
        raise ImproperlyConfigured(
            f"DATABASE_URL does not begin with postgresql://; it must look like {SHAPE}."
        )
    try:
        options = conninfo_to_dict(url)
        if not re.fullmatch(r"[\d,]*", str(options.get("port", ""))):
            raise psycopg.ProgrammingError
    except psycopg.ProgrammingError as error:
        unknown = "@" in url and re.search(r'invalid URI query parameter: "(\w+)"', str(error))
        fault = f"has the option {unknown[1]!r}, which libpq does not know" if unknown else ""
        advice = " Write % in the password as %25, or use DATABASE_PASSWORD."
        raise ImproperlyConfigured(
            f"DATABASE_URL {fault or 'is malformed'}; it must look like {SHAPE}."
            f"{advice if 'percent' in str(error) else ''}"
        ) from None
    name = str(options.pop("dbname", ""))
    if not name or "/" in name:
        raise ImproperlyConfigured(f"DATABASE_URL names no database; it must look like {SHAPE}.")
    return {
        "NAME": name,
        "USER": str(options.pop("user", "")),
        "PASSWORD": str(options.pop("password", "")),
        "HOST": str(options.pop("host", "")),
        "PORT": str(options.pop("port", "")),
        "OPTIONS": {**IMPATIENT, **options},
    }


def refuse_old_pooler(url: str) -> None:
    """Exit if a pooler mixes up the prepared statements of its clients.

    It does if a connection sees what another prepared, under the name that its client gave it. A
    pooler that knows prepared statements gives them names of its own. If the database is away, say
    nothing: it is looked for again with each request.
    """
    try:
        with (
            psycopg.connect(make_conninfo(url, **IMPATIENT), autocommit=True) as one,
            psycopg.connect(make_conninfo(url, **IMPATIENT), autocommit=True) as other,
        ):
            one.execute("SELECT 1", prepare=True)
            seen = "SELECT FROM pg_prepared_statements WHERE name LIKE '\\_pg3\\_%'"
            if not other.execute(seen).rowcount:
                return
    except (psycopg.errors.DuplicatePreparedStatement, psycopg.errors.InvalidSqlStatementName):
        pass  # of a client that is gone; prepared elsewhere
    except psycopg.Error:
        return
    raise SystemExit(
        "DATABASE_URL leads to a pooler that mixes up prepared statements. Use PgBouncer 1.21 or "
        "newer with max_prepared_statements above 0, or pool_mode=session."
    )
