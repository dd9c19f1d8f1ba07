"""Detect empty texts, repetition, copies of the query, and responses equal but for punctuation.

These are pure functions over Unicode strings. A detection is a question to the annotator, never a
verdict. Only `is_empty` is certain.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, islice, pairwise
from operator import eq, itemgetter
from typing import NamedTuple

# In Unicode's punctuation category, but they carry meaning.
_MEANINGFUL = frozenset("%‰&@#*/\\_§¶†‡")
_QUOTES = frozenset("\"'")

# Invisible characters that Unicode counts as letters, marks or symbols.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_INVISIBLE_CATEGORIES = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})

_FENCE = re.compile(
    r"^[ \t]*(```|~~~).*?^[ \t]*\1[ \t]*$|^[ \t]*(```|~~~).*\Z", re.MULTILINE | re.DOTALL
)
_INLINE_CODE = re.compile(r"`[^`\n]+`")
# The pattern starts with the mark itself. A lookbehind would be tried at every character.
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*\s+|[。！？]")
_WORD = re.compile(r"\w+(?:['’]\w+)*")
# A stretch with one of these is a table, a pattern or a formula, where repetition is normal.
_NOT_PROSE = re.compile(r"[{}<>=\\|`\t]")
# A repeated heading ("Pack light: pack light clothes") has one of these in between. A stammer does
# not.
_STOP = re.compile(r"[^\w\s,'’]")

# Everything but visible letters and digits.
_NO_LETTER = re.compile(rf"[\W_{''.join(sorted(_BLANK_LETTERS))}]+")

# Short sentences recur in good prose ("I see."), so it takes more of them to be remarkable.
_SHORT_WORDS = 4
_LONG_WORDS = 8
# Words in a run → how many times it must occur in a row.
_RUN_TIMES = {1: 5, 2: 3, 3: 3}
_LONGEST_RUN = 40
# How many words of a text are searched for runs, counting only lines that repeat four words.
# That covers some 60,000 characters.
_MOST_WORDS = 10_000
# Only so many characters of a text are searched for what it repeats. Two texts of which one is
# longer are compared as they stand: their punctuation takes seconds.
_LONGEST = 200_000
# How many texts are cached. Each annotator and each of their submits looks at the same response.
_REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class Repeat:
    """A stretch of text that occurs `times` times in one response."""

    text: str
    times: int


def is_empty(text: str) -> bool:
    """Return True if a text has only white space or invisible characters (RQ-06).

    "NA" and "null" are text.
    """
    return all(map(_invisible, text[:100])) and all(map(_invisible, set(text)))


def _invisible(character: str) -> bool:
    return (
        character.isspace()
        or character in _BLANK_LETTERS
        or unicodedata.category(character) in _INVISIBLE_CATEGORIES
        or 0xFE00 <= ord(character) <= 0xFE0F
        or 0xE0100 <= ord(character) <= 0xE01EF
    )


def repeats(text: str) -> Repeat | None:
    """Return the stretch that a response repeats, if there is one (RQ-11, DQ-03).

    A sentence of eight words counts from its second occurrence, one of four from its third, and a
    shorter one from its fifth. A sentence of three words counts as soon as it follows itself in one
    line. A run of four words with no stop in it also counts as soon as it follows itself. A shorter
    run counts from the third time in a row, a single word from the fifth.

    Code blocks are left out, because repetition is normal there. The search ends after 200,000
    characters.
    """
    return _repeats(text[:_LONGEST])


@lru_cache(maxsize=_REMEMBERED)
def _repeats(text: str) -> Repeat | None:
    prose = _prose(text)
    return _repeated_sentence(prose) or _repeated_run(prose)


def _repeated_sentence(prose: str) -> Repeat | None:
    sentences = _sentences_of(prose)
    times = Counter([sentence.key for sentence in sentences])
    if len(times) == len(sentences):
        return None  # as in most texts
    first = {sentence.key: sentence.text.strip() for sentence in reversed(sentences)}
    doubled = _doubled_sentences(sentences)
    best = None  # the first of those with the most words in all
    most = 0
    for key, count in times.items():
        length = _length(key)
        words = count * length
        is_repeat = key in doubled or _is_often(first[key], count, length)
        if is_repeat and words > most:
            best = Repeat(first[key], count)
            most = words
    return best


class _Sentence(NamedTuple):
    """A sentence in plain words, as it stands, and the number of its line."""

    key: str
    text: str
    line: int


def _sentences_of(prose: str) -> list[_Sentence]:
    """Return the sentences that have letters."""
    sentences = []
    for number, line in enumerate(prose.splitlines()):
        for text in _sentences(line):
            key = _plain_words(text)
            if any(map(str.isalpha, key)):
                sentences.append(_Sentence(key, text, number))
    return sentences


def _doubled_sentences(sentences: Sequence[_Sentence]) -> set[str]:
    """Return the sentences that follow themselves, so that their number does not count."""
    doubled: set[str] = set()
    for key, in_a_row in groupby(sentences, key=itemgetter(0)):
        for number, (before, sentence) in enumerate(pairwise(in_a_row), start=2):
            follows = sentence.line == before.line and _length(key) >= 3
            if (follows or number >= 5) and not _NOT_PROSE.search(sentence.text):
                doubled.add(key)
    return doubled


def _is_often(text: str, count: int, length: int) -> bool:
    """Return True if a sentence of so many words occurs so often that it is remarkable."""
    if length >= _LONG_WORDS:
        return count >= 2
    if length >= _SHORT_WORDS and count >= 3:
        return True
    return length >= 2 and count >= 5 and not _NOT_PROSE.search(text)


def _sentences(line: str) -> Iterator[str]:
    """Yield each sentence up to its mark, without quotation marks or brackets that close it."""
    start = 0
    for end in _SENTENCE_END.finditer(line):
        yield line[start : end.start() + 1]
        start = end.end()
    yield line[start:]


def _length(key: str) -> int:
    """Count words; in scripts without spaces, two characters count as one word."""
    words = sum(any(map(str.isalnum, word)) for word in key.split())
    if key.isascii():
        return words
    wide = sum(ord(character) >= 0x2E80 for character in key)
    return max(words, wide // 2)


def _repeated_run(prose: str) -> Repeat | None:
    """Return a run of words that occurs several times in a row within one line."""
    left = _MOST_WORDS
    text = prose
    if "`" in prose:
        text = _INLINE_CODE.sub("`", prose)
    for line in text.splitlines():
        if not _says_four_words_twice(line):
            continue  # every run that counts does: one word five times, two or three words thrice
        matches = list(islice(_WORD.finditer(line), left))
        left -= len(matches)
        for run in _runs(line, matches):
            words = [match[0].casefold() for match in run.matches]
            is_number = all(map(str.isdigit, words))
            if is_number or _NOT_PROSE.search(run.text):
                continue
            if run.times >= 3 or not _STOP.search(run.text):
                start = run.matches[0].start()
                end = run.matches[-1].end()
                times = max(run.times, _count(words, prose))
                return Repeat(line[start:end], times)
    return None


class _Run(NamedTuple):
    """A run of words that follows itself in a line."""

    matches: Sequence[re.Match[str]]  # its words, the first time
    times: int
    text: str  # all of it


def _runs(line: str, matches: Sequence[re.Match[str]]) -> Iterator[_Run]:
    """Yield the runs that follow themselves often enough, the shortest first."""
    words = [match[0].casefold() for match in matches]
    longest = min(_LONGEST_RUN, len(words) // 2)
    for size in range(1, longest + 1):
        # A byte 1 for each word that equals the one `size` positions before.
        again = bytes(map(eq, words[size:], words))
        times = _RUN_TIMES.get(size, 2)
        least = size * (times - 1)
        for stretch in re.finditer(rb"\x01{%d,}" % least, again):
            end = stretch.end() + size
            run = matches[stretch.start() : end]
            text = line[run[0].start() : run[-1].end()]
            yield _Run(run[:size], len(run) // size, text)


def _count(words: list[str], prose: str) -> int:
    """Return how often these words follow each other in a text, in a row or not."""
    run = r"\W+".join(map(re.escape, words))
    return len(re.findall(rf"(?<!\w){run}(?!\w)", prose.casefold()))


def _says_four_words_twice(line: str) -> bool:
    """Return True if the line has the same four words in a row twice.

    This splits words at apostrophes, unlike `_WORD`. A run that repeats still repeats when split.
    """
    words = line.translate(_WORDS).casefold().split()
    windows = set(zip(words, words[1:], words[2:], words[3:], strict=False))
    return len(windows) <= len(words) - 4


def same_as_query(response: str, query: str) -> bool:
    """Return True if the response is the query up to case, punctuation and spacing (DQ-09)."""
    if max(len(response), len(query)) > _LONGEST:
        return response == query
    key = _plain_words(response)
    return bool(key) and key == _plain_words(query)


def twins(first: str, second: str) -> bool:
    """Return True if two responses are equal or differ only in punctuation (RQ-04).

    Case counts, spacing does not. Signs with a meaning are not punctuation: 50% and 50, C# and C,
    3.5 and 35, -5 and 5 are not twins. Code blocks must be identical. Two empty responses are not
    twins, because there is nothing to compare. Very long texts are twins only if they are equal.
    """
    if max(len(first), len(second)) > _LONGEST:
        return first == second and not is_empty(first)
    if _letters(first) != _letters(second):  # as in most pairs
        return False
    if _code(first) != _code(second) or is_empty(first) or is_empty(second):
        return False
    # A mark may stand for a pause ("yes—no", "yes, no") or for nothing ("U.S.", "US").
    marks = ("", " ")
    return any(_without_marks(first, mark) == _without_marks(second, mark) for mark in marks)


@lru_cache(maxsize=_REMEMBERED)
def _code(text: str) -> tuple[str, ...]:
    """Return the code blocks, unchanged."""
    return tuple(match.group() for match in _FENCE.finditer(text))


@lru_cache(maxsize=_REMEMBERED)
def _letters(text: str) -> str:
    """Return the letters and digits outside of code. Punctuation does not change them."""
    return _NO_LETTER.sub("", unicodedata.normalize("NFC", _prose(text)))


def _plain_words(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_PLAIN)
    return " ".join(plain.split())


class _Plain(dict[int, str | None]):
    """A lazy table for str.translate.

    It removes punctuation and invisible characters and turns all white space into spaces.
    """

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        plain: str | None = character
        if character.isspace():
            plain = " "
        elif unicodedata.category(character).startswith("P") or _invisible(character):
            plain = None  # "" would make the translation of ASCII ten times slower
        self[code] = plain
        return plain


class _Words(dict[int, str]):
    """A lazy table for str.translate that puts a space for every character outside of words."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = word = character if character.isalnum() or character == "_" else " "
        return word


_WORDS = _Words()
_PLAIN = _Plain()


def _prose(text: str) -> str:
    """Return the text without its code blocks. Most texts have none."""
    if "```" in text or "~~~" in text:
        return _FENCE.sub("\n", text)
    return text


@lru_cache(maxsize=2 * _REMEMBERED)
def _without_marks(text: str, instead: str) -> str:
    """Return the text outside of code with each punctuation mark replaced by `instead`.

    Runs of white space become one space.
    """
    prose = unicodedata.normalize("NFC", _prose(text))
    characters = []
    for index, character in enumerate(prose):
        if _is_mark(prose, index):
            characters.append(instead)
        elif character.isspace() or not _invisible(character):
            characters.append(character)
    words = "".join(characters).split()
    return " ".join(words)


def _is_mark(text: str, index: int) -> bool:
    """Return True for a punctuation mark that has no meaning and is not part of a number."""
    character = text[index]
    category = unicodedata.category(character)
    if not category.startswith("P") or character in _MEANINGFUL:
        return False
    if category not in ("Po", "Pd") or character in _QUOTES:
        return True
    if not text[index + 1 : index + 2].isdigit():
        return True
    before = text[index - 1 : index]
    if not before or before.isdigit():
        return False
    return before.isalpha() or character not in ".,-–"
