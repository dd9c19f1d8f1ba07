"""Find a run of words that follows itself within a line, such as "very" in "very very very".

`repetition.repeats` calls `repeated_run` for a response in which no sentence is repeated:

    repeated_run("Turn left and go on, turn left and go on.")    Repeat("Turn left and go on", 2)

These are pure functions over Unicode strings.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import eq

_INLINE_CODE = re.compile(r"`[^`\n]+`")
_WORD = re.compile(r"\w+(?:['’]\w+)*")
# A stretch with one of these is a table, a pattern or a formula, where repetition is normal.
NOT_PROSE = re.compile(r"[{}<>=\\|`\t]")
# A repeated heading ("Pack light: pack light clothes") has one of these in between. A stammer does
# not.
_STOP = re.compile(r"[^\w\s,'’]")
# How many times a run of so many words must occur in a row.
_TIMES_OF_SHORT_RUN = {1: 5, 2: 3, 3: 3}
_TIMES_OF_LONGER_RUN = 2
_TIMES_WITH_STOP = 3  # of a run with a stop in it, however long it is
_LONGEST_RUN = 40  # words
# How many words of a text are searched for runs, counting only lines that repeat four words.
# That covers some 60,000 characters.
_MOST_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch of text that occurs `times` times in one response."""

    text: str
    times: int


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of words that follows itself in a line."""

    matches: Sequence[re.Match[str]]  # its words, where they stand, the first time
    times: int
    text: str  # all of it

    @property
    def is_remarkable(self) -> bool:
        """Return True unless it may be a number, a table, code or a heading."""
        is_number = all(word[0].isdigit() for word in self.matches)
        if is_number or NOT_PROSE.search(self.text):
            return False
        return self.times >= _TIMES_WITH_STOP or not _STOP.search(self.text)


def repeated_run(prose: str) -> Repeat | None:
    """Return the first run of words that occurs several times in a row within one line."""
    words_left = _MOST_WORDS
    text = prose
    if "`" in prose:
        text = _INLINE_CODE.sub("`", prose)
    for line in text.splitlines():
        # Every run that counts does: one word five times, two or three words thrice.
        if not _says_four_words_twice(line):
            continue
        words = list(islice(_WORD.finditer(line), words_left))
        words_left -= len(words)
        for run in _runs_in_line(line, words):
            if run.is_remarkable:
                stretch = line[run.matches[0].start() : run.matches[-1].end()]
                times = max(run.times, _count_occurrences(run.matches, prose))
                return Repeat(stretch, times)
    return None


def _runs_in_line(line: str, matches: Sequence[re.Match[str]]) -> Iterator[_Run]:
    """Yield the runs that follow themselves often enough, the shortest first."""
    plain_words = [word[0].casefold() for word in matches]
    longest = min(_LONGEST_RUN, len(matches) // 2)
    for size in range(1, longest + 1):
        times = _TIMES_OF_SHORT_RUN.get(size, _TIMES_OF_LONGER_RUN)
        least_equal = size * (times - 1)
        for equal in _equal_words(plain_words, size, least_equal):
            repeated = matches[equal.start : equal.stop + size]
            text = line[repeated[0].start() : repeated[-1].end()]
            yield _Run(repeated[:size], len(repeated) // size, text)


def _equal_words(words: Sequence[str], distance: int, least: int) -> Iterator[slice]:
    """Yield the stretches of at least so many words, each equal to that `distance` further on.

    In "we go we go we" at a distance of 2 it is the stretch from 0 to 3. Words 0 to 2 are equal to
    words 2 to 4.
    """
    # A byte 1 for each word that equals its further one, else 0: a regular expression finds
    # stretches of bytes much faster than a loop.
    is_equal = bytes(map(eq, words, words[distance:]))
    for stretch in re.finditer(rb"\x01{%d,}" % least, is_equal):
        yield slice(stretch.start(), stretch.end())


def _count_occurrences(matches: Sequence[re.Match[str]], prose: str) -> int:
    """Return how often these words follow each other in a text, in a row or not."""
    patterns = [re.escape(word[0].casefold()) for word in matches]
    run = r"\W+".join(patterns)
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
