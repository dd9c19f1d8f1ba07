"""Detect what a response repeats: a sentence, or a run of words that follows itself.

`ItemJudge` asks about each response that is rated. A repeat is a question to the annotator, never a
verdict. These are pure functions over Unicode strings:

    repeats("Wash the rice. Then rest. Wash the rice.")        None: it takes longer sentences
    repeats("It was very very very very very good.")           Repeat("very", 5)
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

from .plain_text import LONGEST, REMEMBERED, plain_words, prose_of
from .repeated_runs import NOT_PROSE, Repeat, repeated_run

# The pattern starts with the mark itself. A lookbehind would be tried at every character.
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*\s+|[。！？]")
# Short sentences recur in good prose ("I see."), so it takes more of them to be remarkable.
_LONG_WORDS = 8  # a sentence with so many words is remarkable the second time
_SHORT_WORDS = 4  # so is one with so many words the third time
_TIMES_OF_SHORTEST = 5  # and one with fewer words, from two on, the fifth time
_WORDS_OF_DOUBLED = 3  # a sentence with so many is remarkable if it follows itself in one line


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
    return _repeated_sentence(prose) or repeated_run(prose)


@dataclass(frozen=True, slots=True)
class _Sentence:
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
    for line_number, line in enumerate(prose.splitlines()):
        for text in _split_into_sentences(line):
            words = plain_words(text)
            if any(map(str.isalpha, words)):
                sentences.append(_Sentence(words, text, line_number))
    return sentences


def _split_into_sentences(line: str) -> Iterator[str]:
    """Yield each sentence up to its mark, without quotation marks or brackets that close it.

    'He said: "Go." I went.' is split into 'He said: "Go.' and 'I went.'
    """
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
    for words, same_sentences in groupby(sentences, key=lambda sentence: sentence.words):
        for times, (before, sentence) in enumerate(pairwise(same_sentences), start=2):
            is_long = _count_words(words) >= _WORDS_OF_DOUBLED
            is_doubled = is_long and sentence.line == before.line
            if not is_doubled and times < _TIMES_OF_SHORTEST:
                continue
            if not NOT_PROSE.search(sentence.text):
                doubled.add(words)
    return doubled


def _is_often(text: str, count: int, length: int) -> bool:
    """Return True if a sentence of `length` words is remarkable when it occurs `count` times."""
    if length >= _LONG_WORDS:
        return count >= 2
    if length >= _SHORT_WORDS and count >= 3:
        return True
    return length >= 2 and count >= _TIMES_OF_SHORTEST and not NOT_PROSE.search(text)


def _count_words(words: str) -> int:
    """Count words; in scripts without spaces, two characters count as one word."""
    number = sum(any(map(str.isalnum, word)) for word in words.split())
    if words.isascii():
        return number
    wide = sum(ord(character) >= 0x2E80 for character in words)
    return max(number, wide // 2)
