"""How the scores of a scale are given: by a digit, by a button alone, or as a number. Pure.

And how much room they need: a row at the desk is some 390 pixels wide.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from .schema import Dimension, Level

MOST_BUTTONS = 11  # levels
# Beside the title there is room for so many levels, and for so many letters in a word of the title.
MOST_BESIDE, TITLE_BESIDE = 6, 14
# The letters that fit into all buttons of a scale: beside the title, and in a line of its own.
LETTERS_BESIDE, LETTERS = 35, 56


def is_typed(dimension: Dimension) -> bool:
    """Return True if a score is typed as a number: the scale has too many levels for buttons."""
    return len(dimension.scores) > MOST_BUTTONS


@lru_cache(maxsize=256)
def digits(dimension: Dimension) -> Mapping[int, str]:
    """Return the digit that gives each score, without the scores that no digit gives.

    A digit gives a score at once. So where a score has two digits, no digit may be the score that
    it says: "1" and "0" would be two scores. On a scale with a minus, a digit is the place.
    """
    scores = dimension.scores
    if is_typed(dimension):
        return {}
    if scores[0] < 0:
        return {score: str(place) for place, score in enumerate(scores[:9], start=1)}
    if scores[-1] <= 9 or scores == range(1, 11):  # where "0" is the 10
        return {score: str(score % 10) for score in scores}
    return {}


def nearest(dimension: Dimension, score: int) -> Level | None:
    """Return the described level that is nearest to a score, the lower of two; None without any."""
    return min(
        dimension.levels, key=lambda level: (abs(level.score - score), level.score), default=None
    )


@lru_cache(maxsize=256)
def shape(dimension: Dimension) -> tuple[str, ...]:
    """Return how the row of a dimension is laid out.

    `plain`: nothing but a scale. `wide`: its scale has a line of its own. `under`: its labels are
    too long for the buttons, so that those of the ends stand under them.
    """
    letters = len(dimension.scores) * max(
        (_longest_word(level.label) for level in dimension.levels if not level.between), default=0
    )
    is_plain, is_under = not dimension.checks, letters > LETTERS and not is_typed(dimension)
    is_wide = (
        is_plain
        or letters > LETTERS_BESIDE
        or len(dimension.scores) > MOST_BESIDE
        or dimension.lowest < 0
        or _longest_word(dimension.title) > TITLE_BESIDE
    )
    names = {"plain": is_plain, "wide": is_wide, "under": is_under}
    return tuple(name for name, holds in names.items() if holds)


def _longest_word(text: str) -> int:
    return max(map(len, re.split(r"[\s-]", text)))
