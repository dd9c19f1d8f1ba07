"""How varied a corpus of responses is, in numbers. Pure.

Distinct-n: the number of different n-grams over the number of all words generated (Li, Galley,
Brockett, Gao, Dolan 2016, "A Diversity-Promoting Objective Function for Neural Conversation
Models"). 0 for no words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figures:
    """Distinct-1 and distinct-2 (0 to 1), the number of responses, and (text, times) said most
    often."""

    distinct_1: float
    distinct_2: float
    responses: int
    most_repeated: tuple[tuple[str, int], ...]


def words_of(text: str) -> list[str]:
    """Tokens as the paper counts them: what white space parts, case folded."""
    return text.casefold().split()


def distinct(texts: Iterable[Sequence[str]], n: int) -> float:
    """Different n-grams over all words, of tokenised texts."""
    grams: set[tuple[str, ...]] = set()
    total = 0
    for words in texts:
        total += len(words)
        grams.update(tuple(words[start : start + n]) for start in range(len(words) - n + 1))
    return len(grams) / total if total else 0.0


def figures(texts: Sequence[str], most: int = 5) -> Figures:
    """What is shown of a corpus, once the question about it is answered (DQ-11)."""
    tokenised = [words_of(text) for text in texts]
    said = Counter(" ".join(words) for words in tokenised if words)
    return Figures(
        distinct_1=distinct(tokenised, 1),
        distinct_2=distinct(tokenised, 2),
        responses=len(texts),
        most_repeated=tuple((text, times) for text, times in said.most_common(most) if times > 1),
    )
