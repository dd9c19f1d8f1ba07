"""Texts without what does not count in a comparison: code, punctuation, invisible characters.

These are pure functions over Unicode strings.
"""

import re
import unicodedata
from functools import lru_cache

# The most characters of a text that detectors look at. The punctuation of a longer one takes
# seconds.
LONGEST = 200_000
# How many texts are cached. Each annotator and each of their submits looks at the same response.
REMEMBERED = 512

# In Unicode's punctuation category, but they carry meaning.
_MEANINGFUL = frozenset("%‰&@#*/\\_§¶†‡")
_QUOTES = frozenset("\"'")

# Invisible characters that Unicode counts as letters, marks or symbols.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_INVISIBLE_CATEGORIES = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})

# A block of code between fences; one that is not closed goes to the end of the text.
_FENCE = re.compile(
    r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|^[ \t]*(```|~~~).*\Z", re.MULTILINE | re.DOTALL
)
# Everything but visible letters and digits.
_NO_LETTER = re.compile(rf"[\W_{''.join(sorted(_BLANK_LETTERS))}]+")


def is_invisible(character: str) -> bool:
    """Return True for white space, and for what leaves no mark on a page."""
    return (
        character.isspace()
        or character in _BLANK_LETTERS
        or unicodedata.category(character) in _INVISIBLE_CATEGORIES
        or 0xFE00 <= ord(character) <= 0xFE0F  # variation selectors
        or 0xE0100 <= ord(character) <= 0xE01EF
    )


def prose_of(text: str) -> str:
    """Return the text without its code blocks. Most texts have none."""
    if "```" in text or "~~~" in text:
        return _FENCE.sub("\n", text)
    return text


@lru_cache(maxsize=REMEMBERED)
def code_blocks(text: str) -> tuple[str, ...]:
    """Return the code blocks, unchanged."""
    return tuple(match.group() for match in _FENCE.finditer(text))


@lru_cache(maxsize=REMEMBERED)
def letters_of(text: str) -> str:
    """Return the letters and digits outside of code. Punctuation does not change them."""
    return _NO_LETTER.sub("", unicodedata.normalize("NFC", prose_of(text)))


def plain_words(text: str) -> str:
    """Return the words of a text in small letters, such as "its me" for "It’s  me!".

    Punctuation and invisible characters are taken out.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_PLAIN_CHARACTERS)
    return " ".join(plain.split())


class _PlainCharacters(dict[int, str | None]):
    """The table of `plain_words` for str.translate, which asks it for each character.

    A character is worked out when a text first has it, and then is an entry of the dictionary: a
    table of all of Unicode would take seconds.
    """

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        plain: str | None = character
        if character.isspace():
            plain = " "
        elif unicodedata.category(character).startswith("P") or is_invisible(character):
            plain = None  # "" would make the translation of ASCII ten times slower
        self[code] = plain
        return plain


_PLAIN_CHARACTERS = _PlainCharacters()


@lru_cache(maxsize=2 * REMEMBERED)
def without_marks(text: str, replacement: str) -> str:
    """Return the text outside of code with each punctuation mark replaced.

    Case counts. Runs of white space become one space.
    """
    prose = unicodedata.normalize("NFC", prose_of(text))
    characters = []
    for index, character in enumerate(prose):
        if _is_mark(prose, index):
            characters.append(replacement)
        elif character.isspace() or not is_invisible(character):
            characters.append(character)
    words = "".join(characters).split()
    return " ".join(words)


def _is_mark(text: str, index: int) -> bool:
    """Return True for a punctuation mark that has no meaning and is not part of a number."""
    character = text[index]
    category = unicodedata.category(character)
    if not category.startswith("P") or character in _MEANINGFUL:
        return False
    can_be_in_number = category in ("Po", "Pd") and character not in _QUOTES
    is_before_digit = text[index + 1 : index + 2].isdigit()
    if not (can_be_in_number and is_before_digit):
        return True
    before = text[index - 1 : index]
    if not before or before.isdigit():
        return False  # -5, 3.5
    return before.isalpha() or character not in ".,-–"
