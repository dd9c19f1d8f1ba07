"""What the program can see in a text by itself: nothing written, the same thing over and over, the query
given back, two responses that differ in punctuation only.

Pure functions over Unicode strings. A detection is a question to the annotator, never a verdict; only
`is_empty` is certain (rubrics.md, "What the program detects").
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

# Characters that are drawn as nothing though Unicode counts them as letters, marks or symbols.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_INVISIBLE_CATEGORIES = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|^[ \t]*(```|~~~).*\Z", re.MULTILINE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？؟।])[\"'”’»)\]]*\s+|(?<=[。！？])|[\r\n]+")
_WORD = re.compile(r"\w+(?:['’]\w+)*")

# A sentence this short comes back in honest prose ("I see."); it takes more of them to be remarkable.
_SHORT_WORDS = 4
_LONG_WORDS = 8


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch of text that stands `times` times in one response."""

    text: str
    times: int


def is_empty(text: str) -> bool:
    """Nothing but white space or invisible characters (RQ-06). "NA" or "null" are text."""
    return all(_invisible(character) for character in text)


def _invisible(character: str) -> bool:
    return (
        character.isspace()
        or character in _BLANK_LETTERS
        or unicodedata.category(character) in _INVISIBLE_CATEGORIES
        or 0xFE00 <= ord(character) <= 0xFE0F
        or 0xE0100 <= ord(character) <= 0xE01EF
    )


def repeats(text: str) -> Repeat | None:
    """The stretch that a response says again and again, if there is one (RQ-11, DQ-03).

    A long sentence (eight words) counts from its second time, a middling one (four) from its third, and a
    run of words without a stop when it is said three times in a row, a single word five times. Code blocks
    are left out: in them repetition is grammar.
    """
    prose = _FENCE.sub("\n", text)
    return _repeated_sentence(prose) or _repeated_run(prose)


def _repeated_sentence(prose: str) -> Repeat | None:
    first: dict[str, str] = {}
    times: Counter[str] = Counter()
    for sentence in _SENTENCE_END.split(prose):
        key = _plain_words(sentence)
        if key:
            first.setdefault(key, sentence.strip())
            times[key] += 1
    best: Repeat | None = None
    for key, count in times.items():
        length = _length(key)
        enough = (
            (count >= 2 and length >= _LONG_WORDS)
            or (count >= 3 and length >= _SHORT_WORDS)
            or (count >= 5 and length >= 2)
        )
        if enough and (best is None or count * length > best.times * _length(_plain_words(best.text))):
            best = Repeat(first[key], count)
    return best


def _length(key: str) -> int:
    """Words; for scripts that write none apart, two characters are taken for one."""
    return max(key.count(" ") + 1, sum(ord(character) >= 0x2E80 for character in key) // 2)


def _repeated_run(prose: str) -> Repeat | None:
    words = [match.group().casefold() for match in _WORD.finditer(prose)]
    spans = [match.span() for match in _WORD.finditer(prose)]
    for size in range(1, 41):
        wanted = 5 if size == 1 else 3
        run = size  # words that equal the one `size` places before, plus the first `size`
        for index in range(size, len(words)):
            run = run + 1 if words[index] == words[index - size] else size
            if run >= size * wanted and not all(
                word.isdigit() for word in words[index - size + 1 : index + 1]
            ):
                start = index - run + 1
                end = index
                while end + 1 < len(words) and words[end + 1] == words[end + 1 - size]:
                    end += 1
                return Repeat(prose[spans[start][0] : spans[start + size - 1][1]], (end - start + 1) // size)
    return None


def same_as_query(response: str, query: str) -> bool:
    """The response gives the query back, up to case, punctuation and spacing (DQ-09)."""
    key = _plain_words(response)
    return bool(key) and key == _plain_words(query)


def twins(first: str, second: str) -> bool:
    """Two responses that are equal, or differ in punctuation only (RQ-04).

    Case counts, spacing does not. Punctuation inside a number is part of it: 3.5 and 35 are no twins. Code
    blocks must be equal to the letter. Two empty responses are not called twins: nothing is compared.
    """
    if is_empty(first) or is_empty(second):
        return False
    return _without_punctuation(first) == _without_punctuation(second)


def _plain_words(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(
        " " if character.isspace() else character
        for character in normal
        if not unicodedata.category(character).startswith("P")
        and not (_invisible(character) and not character.isspace())
    )
    return " ".join(kept.split())


def _without_punctuation(text: str) -> tuple[str, ...]:
    code = tuple(match.group() for match in _FENCE.finditer(text))
    prose = unicodedata.normalize("NFC", _FENCE.sub("\n", text))
    kept: list[str] = []
    for index, character in enumerate(prose):
        if not unicodedata.category(character).startswith("P"):
            kept.append(character)
        elif index + 1 < len(prose) and prose[index + 1].isdigit():
            before = prose[index - 1] if index else " "
            if before.isdigit() or (character == "-" and before.isspace()):
                kept.append(character)
    return (" ".join("".join(kept).split()), *code)
