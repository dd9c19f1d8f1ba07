"""Detect what a response repeats: a sentence, or a run of words that follows itself.

These are pure functions over Unicode strings. A repeat is a question to the annotator, never a
verdict.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice, pairwise
from operator import eq
from typing import NamedTuple

from .plain_text import LONGEST, REMEMBERED, plain_words, prose_of

_INLINE_CODE = re.compile(r"`[^`\n]+`")
# The pattern starts with the mark itself. A lookbehind would be tried at every character.
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*\s+|[。！？]")
_WORD = re.compile(r"\w+(?:['’]\w+)*")
# A stretch with one of these is a table, a pattern or a formula, where repetition is normal.
_NOT_PROSE = re.compile(r"[{}<>=\\|`\t]")
# A repeated heading ("Pack light: pack light clothes") has one of these in between. A stammer does
# not.
_STOP = re.compile(r"[^\w\s,'’]")

# Short sentences recur in good prose ("I see."), so it takes more of them to be remarkable.
_SHORT_WORDS = 4
_LONG_WORDS = 8
# How many times a run of so many words must occur in a row.
_TIMES_OF_SHORT_RUN = {1: 5, 2: 3, 3: 3}
_TIMES_OF_LONGER_RUN = 2
_LONGEST_RUN = 40  # words
# How many words of a text are searched for runs, counting only lines that repeat four words.
# That covers some 60,000 characters.
_MOST_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch of text that occurs `times` times in one response."""

    text: str
    times: int


def repeats(text: str) -> Repeat | None:
    """Return the stretch that a response repeats, if there is one (RQ-11, DQ-03).

    A sentence of eight words counts from its second occurrence, one of four from its third, and a
    shorter one from its fifth. A sentence of three words counts as soon as it follows itself in one
    line. A run of four words with no stop in it also counts as soon as it follows itself. A shorter
    run counts from the third time in a row, a single word from the fifth.

    Code blocks are left out, because repetition is normal there. The search ends after 200,000
    characters.
    """
    return _repeats(text[:LONGEST])


@lru_cache(maxsize=REMEMBERED)
def _repeats(text: str) -> Repeat | None:
    prose = prose_of(text)
    return _repeated_sentence(prose) or _repeated_run(prose)


# --- sentences ---


class _Sentence(NamedTuple):
    """A sentence of a text."""

    words: str  # `plain_words`: two sentences are the same if these are
    text: str  # as it stands
    line: int  # the number of its line


def _repeated_sentence(prose: str) -> Repeat | None:
    """Return the sentence that is repeated with the most words in all; of two, the first."""
    sentences = _sentences_of(prose)
    times = Counter([sentence.words for sentence in sentences])
    if len(times) == len(sentences):
        return None  # as in most texts
    first_text: dict[str, str] = {}
    for sentence in sentences:
        first_text.setdefault(sentence.words, sentence.text.strip())
    doubled = _doubled_sentences(sentences)
    best = None
    most_words = 0
    for words, count in times.items():
        length = _count_words(words)
        is_repeat = words in doubled or _is_often(first_text[words], count, length)
        if is_repeat and count * length > most_words:
            best = Repeat(first_text[words], count)
            most_words = count * length
    return best


def _sentences_of(prose: str) -> list[_Sentence]:
    """Return the sentences that have letters."""
    sentences = []
    for number, line in enumerate(prose.splitlines()):
        for text in _split_into_sentences(line):
            words = plain_words(text)
            if any(map(str.isalpha, words)):
                sentences.append(_Sentence(words, text, number))
    return sentences


def _split_into_sentences(line: str) -> Iterator[str]:
    """Yield each sentence up to its mark, without quotation marks or brackets that close it."""
    start = 0
    for end in _SENTENCE_END.finditer(line):
        yield line[start : end.start() + 1]
        start = end.end()
    yield line[start:]


def _doubled_sentences(sentences: Sequence[_Sentence]) -> set[str]:
    """Return the words of the sentences that follow themselves, so that few of them are enough.

    That is twice in one line for three words, and five times in a row in any lines.
    """
    doubled: set[str] = set()
    for words, in_a_row in groupby(sentences, key=lambda sentence: sentence.words):
        for times, (before, sentence) in enumerate(pairwise(in_a_row), start=2):
            is_long_in_line = sentence.line == before.line and _count_words(words) >= 3
            is_doubled = is_long_in_line or times >= 5
            if is_doubled and not _NOT_PROSE.search(sentence.text):
                doubled.add(words)
    return doubled


def _is_often(text: str, count: int, length: int) -> bool:
    """Return True if a sentence of `length` words is remarkable when it occurs `count` times."""
    if length >= _LONG_WORDS:
        return count >= 2
    if length >= _SHORT_WORDS and count >= 3:
        return True
    return length >= 2 and count >= 5 and not _NOT_PROSE.search(text)


def _count_words(words: str) -> int:
    """Count words; in scripts without spaces, two characters count as one word."""
    number = sum(any(map(str.isalnum, word)) for word in words.split())
    if words.isascii():
        return number
    wide = sum(ord(character) >= 0x2E80 for character in words)
    return max(number, wide // 2)


# --- runs of words ---


class _Run(NamedTuple):
    """A run of words that follows itself in a line, such as "very" in "very very very"."""

    matches: Sequence[re.Match[str]]  # its words, the first time
    times: int
    text: str  # all of it


def _repeated_run(prose: str) -> Repeat | None:
    """Return a run of words that occurs several times in a row within one line."""
    words_left = _MOST_WORDS
    text = prose
    if "`" in prose:
        text = _INLINE_CODE.sub("`", prose)
    for line in text.splitlines():
        # Every run that counts does: one word five times, two or three words thrice.
        if not _says_four_words_twice(line):
            continue
        matches = list(islice(_WORD.finditer(line), words_left))
        words_left -= len(matches)
        for run in _runs_in_line(line, matches):
            words = [match[0].casefold() for match in run.matches]
            is_number = all(map(str.isdigit, words))
            if is_number or _NOT_PROSE.search(run.text):
                continue
            if run.times >= 3 or not _STOP.search(run.text):
                start = run.matches[0].start()
                end = run.matches[-1].end()
                times = max(run.times, _count_occurrences(words, prose))
                return Repeat(line[start:end], times)
    return None


def _runs_in_line(line: str, matches: Sequence[re.Match[str]]) -> Iterator[_Run]:
    """Yield the runs that follow themselves often enough, the shortest first."""
    words = [match[0].casefold() for match in matches]
    longest = min(_LONGEST_RUN, len(words) // 2)
    for size in range(1, longest + 1):
        times = _TIMES_OF_SHORT_RUN.get(size, _TIMES_OF_LONGER_RUN)
        least_equal = size * (times - 1)
        for first, equal in _stretches_of_equal_words(words, size, least_equal):
            run = matches[first : first + equal + size]
            text = line[run[0].start() : run[-1].end()]
            yield _Run(run[:size], len(run) // size, text)


def _stretches_of_equal_words(
    words: Sequence[str], distance: int, least: int
) -> Iterator[tuple[int, int]]:
    """Yield where words equal those `distance` further on, at least so many in a row, and how many.

    In "we go we go we" at a distance of 2, the 3 words from place 0 on equal those from place 2 on.
    """
    # A byte 1 for each word that equals its further one, else 0: a regular expression finds
    # stretches of bytes much faster than a loop.
    equal = bytes(map(eq, words, words[distance:]))
    for stretch in re.finditer(rb"\x01{%d,}" % least, equal):
        yield stretch.start(), stretch.end() - stretch.start()


def _count_occurrences(words: Sequence[str], prose: str) -> int:
    """Return how often these words follow each other in a text, in a row or not."""
    run = r"\W+".join(map(re.escape, words))
    return len(re.findall(rf"(?<!\w){run}(?!\w)", prose.casefold()))


def _says_four_words_twice(line: str) -> bool:
    """Return True if the line has the same four words in a row twice.

    This splits words at apostrophes, unlike `_WORD`. A run that repeats still repeats when split.
    """
    words = line.translate(_WORD_CHARACTERS).casefold().split()
    windows = set(zip(words, words[1:], words[2:], words[3:], strict=False))
    return len(windows) <= len(words) - 4  # one less than there are windows, if all differ


class _WordCharacters(dict[int, str]):
    """A table for str.translate with a space for every character outside of words.

    Like that of `plain_words`, it grows with the characters that texts have.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if not (character.isalnum() or character == "_"):
            character = " "
        self[code] = character
        return character


_WORD_CHARACTERS = _WordCharacters()
