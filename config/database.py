"""Which database: the one DATABASE_URL names, or the embedded PostgreSQL that keeps itself in
DATA."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SHAPE = "postgresql://USER:PASSWORD@HOST:PORT/NAME"
# What may follow the "?", all handed to libpq as it is.
OPTIONS = (
    "application_name",
    "connect_timeout",
    "host",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
)

# Statements are planned once for a connection, from the third time on: what the desk asks is asked
# all day, and planning it costs more than doing it. Behind a pooler that mixes sessions (PgBouncer
# in transaction mode) this needs one that knows prepared statements (1.21 or newer).
PREPARED = {"server_side_binding": True, "prepare_threshold": 2}


def pool_options(threads: int) -> dict[str, int | float]:
    """psycopg_pool's options for one process that serves with `threads` threads.

    Two more connections than threads: one for a job that runs beside the requests, one while a
    broken one is replaced. Three seconds of waiting, because a page that waits longer for a
    connection is better refused. One second of trying to connect, because the next request tries
    anew; the pool's own attempts come less and less often, and a database that is back would not be
    seen for half a minute.
    """
    return {"min_size": 1, "max_size": threads + 2, "timeout": 3.0, "reconnect_timeout": 1.0}


def database_settings(url: str, *, data: Path, threads: int) -> dict[str, Any]:
    """The entry of DATABASES for `url`, or for the embedded server in `data` when `url` is empty.

    Connections come from a pool and are looked at before use, by config/embedded_postgres: without
    that, the first requests after a restart of the database are errors.
    """
    common: dict[str, Any] = {
        "ENGINE": "config.embedded_postgres",
        "CONN_HEALTH_CHECKS": False,
        "CONN_MAX_AGE": 0,
        "OPTIONS": {"pool": pool_options(threads), **PREPARED},
    }
    if not url:
        return {
            "NAME": "evenhand",
            "EMBEDDED": {"data": data, "server": {}},
            **common,
        }
    found = parse_url(url)
    options = found.pop("OPTIONS")
    return {
        **found,
        **common,
        "OPTIONS": {**options, **common["OPTIONS"]},
    }


def parse_url(url: str) -> dict[str, Any]:
    """Split a database address into Django's settings. The message of an error never repeats the
    password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(
            f"DATABASE_URL is malformed ({error}); it must look like {SHAPE}."
        ) from None
    if parts.scheme not in ("postgres", "postgresql"):
        raise ImproperlyConfigured(
            f"DATABASE_URL begins with {parts.scheme!r}; only PostgreSQL is supported: {SHAPE}."
        )
    name = unquote(parts.path.removeprefix("/"))
    if not name or "/" in name:
        raise ImproperlyConfigured(
            f"DATABASE_URL names the database {name!r}; it must look like {SHAPE}."
        )
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    for option in options:
        if option not in OPTIONS:
            raise ImproperlyConfigured(
                f"DATABASE_URL has the option {option!r}; allowed are {', '.join(OPTIONS)}."
            )
    return {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # A socket folder can't stand in the host's place of an address, so it may come as
        # ?host=/run/postgresql.
        "HOST": options.pop("host", None) or unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "OPTIONS": options,
    }
