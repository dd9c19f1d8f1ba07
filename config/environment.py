"""Environment variables, read strictly: an invalid value raises ImproperlyConfigured."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from urllib.parse import SplitResult, quote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.database import parse_url

YES = ("1", "yes", "true", "on")
NO = ("0", "no", "false", "off")
SHORTEST_SECRET = 50  # characters
FEWEST_CHARACTERS = 10  # different ones; 50 digits of chance have them all
# Words of example keys, lower case without punctuation. A random key contains none of them.
EXAMPLES = (
    "changeme",
    "djangoinsecure",
    "example",
    "secret",
    "password",
    "randomcharacters",
    "yourkey",
)
HOW_TO_MAKE_ONE = "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(64))'"


def string(name: str, default: str = "") -> str:
    """Return the variable, stripped, or `default` if it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def secret(name: str) -> str:
    """Return the variable, or what the file has whose path is in the variable `name`_FILE.

    An error never repeats the secret, nor the path: somebody may have put the secret there.
    """
    path = string(f"{name}_FILE")
    if not path:
        return string(name)
    if string(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; set one of them.")
    try:
        value = Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "it is not UTF-8")
        raise ImproperlyConfigured(
            f"The file that {name}_FILE names cannot be read: {reason}."
        ) from None
    if not value:
        raise ImproperlyConfigured(f"The file that {name}_FILE names is empty.")
    return value


def secret_url(name: str) -> str:
    """Return the secret, a URL, with its password percent-encoded.

    The password ends at the last @. In it, only a % has to be percent-encoded already.
    """
    return re.sub(
        r"(?<=://)([^:@/?#]*:)(.*)(?=@)",
        lambda match: match[1] + quote(match[2], safe="%"),
        secret(name),
    )


def mail_url(url: str) -> SplitResult:
    """Return the parts of smtp://USER:PASSWORD@HOST:PORT or smtps://…; all are empty for ""."""
    parts = urlsplit(url)
    if url and (parts.scheme not in ("smtp", "smtps") or not parts.hostname):
        raise ImproperlyConfigured(
            f"EMAIL_URL begins with {parts.scheme!r}; it must look like "
            "smtp://USER:PASSWORD@HOST:PORT or smtps://…"
        )
    return parts


def database_url() -> str:
    """Return DATABASE_URL, with the password in DATABASE_PASSWORD where there is one."""
    url = secret_url("DATABASE_URL")
    password = quote(secret("DATABASE_PASSWORD"), safe="")
    if not password:
        return url
    if not url:
        raise ImproperlyConfigured(
            "DATABASE_PASSWORD is set without DATABASE_URL; set both of them, or neither."
        )
    if parse_url(url)["PASSWORD"]:
        raise ImproperlyConfigured(
            "DATABASE_URL has a password, and DATABASE_PASSWORD is set; leave one of them out."
        )
    return f"{url}{'&' if '?' in url else '?'}password={password}"


def flag(name: str, *, default: bool) -> bool:
    """Return the variable as a boolean."""
    value = string(name, "yes" if default else "no").lower()
    if value not in (*YES, *NO):
        raise ImproperlyConfigured(
            f"{name} is {value!r}; allowed are {', '.join(YES)} and {', '.join(NO)}."
        )
    return value in YES


def number(name: str, *, default: int, least: int, most: int) -> int:
    """Return the variable as an integer from `least` to `most`, both included."""
    value = string(name, str(default))
    if value.isascii() and value.isdigit() and least <= int(value) <= most:
        return int(value)
    raise ImproperlyConfigured(
        f"{name} is {value!r}; it must be a whole number from {least} to {most}."
    )


def address(name: str, *, default: str) -> str:
    """Return the variable as an IP address to listen on, IPv6 in brackets as before a port."""
    value = string(name, default)
    try:
        ip = ip_address(value.removeprefix("[").removesuffix("]"))
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} is {value!r}; it must be an IP address, such as 127.0.0.1, "
            "or 0.0.0.0 for all of them."
        ) from None
    return f"[{ip}]" if isinstance(ip, IPv6Address) else str(ip)


def origin(name: str, *, default: str) -> str:
    """Return the variable as an origin: scheme, host and perhaps a port, without a slash."""
    value = string(name, default).rstrip("/")
    with suppress(ValueError):
        parts = urlsplit(value)
        _port = parts.port  # raises ValueError if it is none; 0 is any free port
        if re.fullmatch(r"https?://[^\s/?#@]+", value) and parts.hostname:
            return value
    raise ImproperlyConfigured(
        f"{name} is {value!r}; it must look like https://evenhand.example, without a path."
    )


def choice(name: str, *, default: str, among: Sequence[str]) -> str:
    """Return the variable if it is one of `among`."""
    value = string(name, default)
    if value in among:
        return value
    raise ImproperlyConfigured(f"{name} is {value!r}; allowed are {', '.join(among)}.")


def strings(name: str, *, default: Sequence[str] = ()) -> list[str]:
    """Return the variable as a list, split at commas."""
    return [word.strip() for word in string(name).split(",") if word.strip()] or list(default)


def checked_secret(key: str) -> str:
    """Return the key if it is hard to guess, else raise. Error messages never repeat the key."""
    plain = "".join(filter(str.isalnum, key.lower()))
    if not key:
        fault = "is unset; beside DATABASE_URL it must be given"
    elif len(key) < SHORTEST_SECRET:
        fault = f"has {len(key)} characters; it must have {SHORTEST_SECRET} or more"
    elif len(set(key)) < FEWEST_CHARACTERS or key in (key + key)[1:-1]:
        fault = "repeats itself; it must be random"
    elif any(example in plain for example in EXAMPLES):
        fault = "is an example, which everybody knows; it must be random"
    else:
        return key
    raise ImproperlyConfigured(f"SECRET_KEY {fault}. {HOW_TO_MAKE_ONE}")
