"""Word-by-word differences between two responses: `difference(first, second)`.

RapidFuzz finds the longest common sequence of words. Its time depends on the lengths alone: some
15 ms for two texts of 20,000 characters. difflib takes minutes where texts repeat few words.
`steps(first, second)` returns an upper bound of the work before doing it.

The longest common sequence is not always worth showing: any two texts share a "the" here and there.
So one or two common words between larger differences are shown as different, too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import groupby

from rapidfuzz.distance import LCSseq

# Spaces, a character of a script without spaces between words, a punctuation mark, or a word with
# its accents and joiners.
_CJK = "\u2e80-\u2fdf\u3040-\u31ff\u3400-\u9fff\uf900-\ufaff"
_MARKS = r"!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u206f\u3000-\u303f"
_WORD = re.compile(rf"\s+|[{_CJK}]|[{_MARKS}]|[^\s{_MARKS}{_CJK}]+(?:['’][^\s{_MARKS}{_CJK}]+)*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# The comparison stores one bit for each pair: 12 MB for two texts of 10,000 words and spaces each.
# Beyond this limit, lines are compared, and beyond it again nothing.
_MOST_PAIRS = 100_000_000
# Work that takes as long as one step of the renderer, some 5 µs.
_PAIRS_OF_STEP = 8_192
_CHARACTERS_OF_STEP = 8
# In two texts longer than this together, words are not counted: each character counts as a step.
_LONGEST = 4_000_000
# A common part between two differences is shown as common if it has this many words, or more words
# than one of the differences.
_WORDS_TO_SHOW = 3
# Two texts have little in common if they share less than this part of the shorter one's words.
# Answers to different questions share up to a quarter, by chance. Below a third, two words of three
# would be marked, and the marks would point at nothing.
LEAST_COMMON = 1 / 3


class DiffKind(StrEnum):
    """The texts that a part belongs to: both, the first or the second."""

    SAME = "same"
    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A stretch of both texts, or of one alone.

    The SAME and FIRST parts together are the first text, character for character. The SAME and
    SECOND parts are the second text.
    """

    diff_kind: DiffKind
    text: str


@lru_cache(maxsize=64)
def difference(first: str, second: str) -> tuple[DiffPart, ...]:
    """Return the common parts and the differences of two texts, in text order."""
    parts = _joined(_compare(*_units(first, second)))
    return tuple(_joined(_without_confetti(list(parts))))


def little_in_common(diff_parts: Sequence[DiffPart]) -> bool:
    """Return True if marks of what differs would say nothing (`LEAST_COMMON`)."""
    words = dict.fromkeys(DiffKind, 0)
    for part in diff_parts:
        words[part.diff_kind] += _words(part.text)
    same = words[DiffKind.SAME]
    shorter = min(words[DiffKind.FIRST], words[DiffKind.SECOND])
    return same < LEAST_COMMON * (same + shorter)


@lru_cache(maxsize=64)
def steps(first: str, second: str) -> int:
    """Return the most steps that `difference` takes, each as long as a step of the renderer."""
    characters = len(first) + len(second)
    if characters > _LONGEST:
        return characters
    pairs = len(_WORD.findall(first)) * len(_WORD.findall(second))
    return characters // _CHARACTERS_OF_STEP + min(pairs, _MOST_PAIRS) // _PAIRS_OF_STEP


def _units(first: str, second: str) -> tuple[list[str], list[str]]:
    """Split both texts into words; if these are too many, into lines, or not at all."""
    for unit in (_WORD, _LINE):
        before, after = unit.findall(first), unit.findall(second)
        if len(before) * len(after) <= _MOST_PAIRS:
            return before, after
    return [first], [second]


def _compare(before: Sequence[str], after: Sequence[str]) -> Iterator[DiffPart]:
    for step in LCSseq.opcodes(before, after):
        old = "".join(before[step.src_start : step.src_end])
        if step.tag == "equal":
            yield DiffPart(DiffKind.SAME, old)
        else:
            yield DiffPart(DiffKind.FIRST, old)
            yield DiffPart(DiffKind.SECOND, "".join(after[step.dest_start : step.dest_end]))


def _joined(diff_parts: Iterable[DiffPart]) -> Iterator[DiffPart]:
    """Merge neighbours of one kind and drop empty parts.

    In a difference, the first text's part comes before the second's.
    """
    filled = (part for part in diff_parts if part.text)
    for is_same, group in groupby(filled, key=lambda part: part.diff_kind is DiffKind.SAME):
        stretch = list(group)
        for kind in (DiffKind.SAME,) if is_same else (DiffKind.FIRST, DiffKind.SECOND):
            if text := "".join(part.text for part in stretch if part.diff_kind is kind):
                yield DiffPart(kind, text)


def _without_confetti(diff_parts: list[DiffPart]) -> Iterator[DiffPart]:
    """Turn common parts too short to mean anything into differences."""
    changed = [0 if part.diff_kind is DiffKind.SAME else _words(part.text) for part in diff_parts]
    for position, part in enumerate(diff_parts):
        is_inside = 0 < position < len(diff_parts) - 1
        words = (
            _words(part.text) if part.diff_kind is DiffKind.SAME and is_inside else _WORDS_TO_SHOW
        )
        if words < _WORDS_TO_SHOW:
            before = changed[max(0, position - 2) : position]
            after = changed[position + 1 : position + 3]
            if words <= min(max(before), max(after)):
                yield DiffPart(DiffKind.FIRST, part.text)
                yield DiffPart(DiffKind.SECOND, part.text)
                continue
        yield part


def _words(text: str) -> int:
    words = _WORD.findall(text)
    return sum(not word.isspace() and (len(word) > 1 or word.isalnum()) for word in words)
