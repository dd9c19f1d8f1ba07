"""The key that signs sessions and links: given and good enough, or made once and kept in DATA."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.data_folder import make_data_folder

SHORTEST = 50  # characters
FEWEST = 8  # different ones; 50 digits of chance have 10
# What stands in examples, in small letters without signs. A key of chance has none of them.
EXAMPLES = (
    "changeme",
    "djangoinsecure",
    "example",
    "secret",
    "password",
    "randomcharacters",
    "yourkey",
)
HOW = "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(64))'"


def checked_secret(key: str) -> str:
    """The key, if nobody can guess it. The message of an error never repeats it."""
    plain = "".join(filter(str.isalnum, key.lower()))
    if not key:
        fault = "is unset; beside DATABASE_URL it must be given"
    elif len(key) < SHORTEST:
        fault = f"has {len(key)} characters; it must have {SHORTEST} or more"
    elif len(set(key)) < FEWEST or key in (key + key)[1:-1]:
        fault = "repeats itself; it must be random"
    elif any(example in plain for example in EXAMPLES):
        fault = "is an example, which everybody knows; it must be random"
    else:
        return key
    raise ImproperlyConfigured(f"SECRET_KEY {fault}. {HOW}")


def kept_secret(data: Path) -> str:
    """The key in `data`/secret_key, made on first use and readable by its owner only.

    Two processes may come here at once: both write a file of their own, and the first to link it
    into place wins, so nobody ever reads half a key.
    """
    path = data / "secret_key"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    make_data_folder(data)
    draft = path.with_name(f"secret_key.{os.getpid()}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(64))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text().strip()
