"""Measure how varied a corpus of responses is. The functions are pure.

Distinct-n is the number of different n-grams, divided by the number of all words generated. It
comes from Li, Galley, Brockett, Gao, Dolan 2016, "A Diversity-Promoting Objective Function for
Neural Conversation Models". It is 0 if there are no words.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """The diversity figures of a corpus."""

    distinct_1: float  # 0 to 1
    distinct_2: float  # 0 to 1
    responses: int
    most_repeated: tuple[tuple[str, int], ...]  # (text, times)


def distinct(texts: Iterable[Sequence[str]], n: int) -> float:
    """Return distinct-n of tokenised texts."""
    grams: set[tuple[str, ...]] = set()
    total = 0
    for words in texts:
        total += len(words)
        grams.update(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
    return len(grams) / total if total else 0.0


def figures(texts: Sequence[str], most: int = 5) -> Figures:
    """Return the figures shown once the question about a corpus is answered (DQ-11)."""
    # As the paper counts tokens: split at white space, with case folded.
    tokenised = [text.casefold().split() for text in texts]
    said = Counter(" ".join(words) for words in tokenised if words)
    return Figures(
        distinct_1=distinct(tokenised, 1),
        distinct_2=distinct(tokenised, 2),
        responses=len(texts),
        most_repeated=tuple((text, times) for text, times in said.most_common(most) if times > 1),
    )
