"""The secret key that signs sessions and links, if it is given: it has to be a strong one."""

from django.core.exceptions import ImproperlyConfigured

SHORTEST = 50  # characters
FEWEST = 10  # different ones; 50 digits of chance have them all
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
HOW = "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(64))'"


def checked_secret(key: str) -> str:
    """Return the key if it is hard to guess, else raise. Error messages never repeat the key."""
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
