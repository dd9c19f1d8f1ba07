"""Database settings: the database in DATABASE_URL, or the embedded PostgreSQL in DATA."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

SHAPE = "postgresql://USER:PASSWORD@HOST:PORT/NAME"
# Query parameters that DATABASE_URL may have. They are passed to libpq unchanged.
OPTIONS = (
    "application_name",
    "connect_timeout",
    "host",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
)

# Prepare a statement from its third execution on a connection. The desk runs the same queries all
# day, and planning them costs more than running them. A pooler that mixes sessions must support
# prepared statements (PgBouncer in transaction mode: 1.21 or newer).
PREPARED = {"server_side_binding": True, "prepare_threshold": 2}


def database_settings(url: str, *, data: Path, threads: int) -> dict[str, Any]:
    """Return the entry of DATABASES for `url`, or for the embedded server in `data` if it is empty.

    The backend in config/embedded_postgres takes connections from a pool and checks them before
    use. Without the check, the first requests after a database restart would fail.
    """
    # max_size: two more than the threads, one for a job besides the requests and one while a broken
    # connection is replaced. timeout: a page that would wait longer than 3 s is better refused.
    # reconnect_timeout: 1 s is enough, because the next request tries again. The pool's own retries
    # come less and less often, and would miss a database that is back for half a minute.
    pool = {"min_size": 1, "max_size": threads + 2, "timeout": 3.0, "reconnect_timeout": 1.0}
    embedded: dict[str, Any] = {"NAME": "evenhand", "EMBEDDED": {"data": data, "server": {}}}
    found = parse_url(url) if url else embedded
    return {
        **found,
        "ENGINE": "config.embedded_postgres",
        "CONN_HEALTH_CHECKS": False,
        "CONN_MAX_AGE": 0,
        "OPTIONS": {**found.get("OPTIONS", {}), "pool": pool, **PREPARED},
    }


def parse_url(url: str) -> dict[str, Any]:
    """Parse a database URL into Django's settings. Error messages never repeat the password."""
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
    if unknown := [option for option in options if option not in OPTIONS]:
        raise ImproperlyConfigured(
            f"DATABASE_URL has the option {unknown[0]!r}; allowed are {', '.join(OPTIONS)}."
        )
    return {
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # A URL's host can't be a socket folder, so accept ?host=/run/postgresql as well.
        "HOST": options.pop("host", None) or unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "OPTIONS": options,
    }
