"""Names without the way in which they are written: case, blanks, signs, accents.

    fold("Modèle de réponse")           → "modeledereponse"
    folded_path("A[*].Model_Name")      → "a[*].modelname"
    variant("Response B")               → ("response", "b")

It knows no Django.
"""

import re
import unicodedata
from functools import lru_cache

TOKENS = re.compile(r"[^\W\d_A-Z]+|[A-Z](?![^\W\d_A-Z])|[A-Z][^\W\d_A-Z]*|\d+")
MARKS = (".", "[*]")  # in a path
MARK = re.compile(r"(\.|\[\*\])")


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())


@lru_cache(maxsize=10_000)
def fold(name: str) -> str:
    """Return a name without case, blanks, signs and accents."""
    plain = unicodedata.normalize("NFKD", name.casefold().replace("°", "o"))
    return "".join(filter(str.isalnum, plain))


@lru_cache(maxsize=10_000)
def folded_path(path: str) -> str:
    """Return a path with each of its names folded: `A[*].Model_Name` → `a[*].modelname`."""
    parts = MARK.split(path)
    return "".join(part if part in MARKS else fold(part) for part in parts)


@lru_cache(maxsize=10_000)
def variant(name: str) -> tuple[str, str]:
    """Return a name's folded rest, and the number or letter in it: `Response B` → response, b.

    The mark is "" if there is none, or several.
    """
    tokens = TOKENS.findall(name.replace("°", "o"))
    marks = [token for token in tokens if token.isdigit() or len(token) == 1]
    if len(marks) != 1 or len(tokens) < 2 or len(marks[0]) > 2:
        return fold(name), ""
    mark = marks[0]
    rest = [token for token in tokens if token != mark]
    return fold("".join(rest)), mark.casefold()
