"""How the scores of a scale are given: by a digit, by a button alone, or as a number. Pure."""

from collections.abc import Mapping
from functools import lru_cache

from .schema import Dimension, Level

MOST_BUTTONS = 11  # levels


def is_typed(dimension: Dimension) -> bool:
    """Return True if a score is typed as a number: the scale has too many levels for buttons."""
    return len(dimension.scores) > MOST_BUTTONS and not dimension.given


@lru_cache(maxsize=256)
def digits(dimension: Dimension) -> Mapping[int, str]:
    """Return the digit that gives each score, without the scores that no digit gives.

    A digit gives a score at once. So where a score has two digits, no digit may be the score that
    it says: "1" and "0" would be two scores. On a scale with a minus, a digit is the place.
    """
    scores = dimension.scores
    if is_typed(dimension) or dimension.given or not scores:
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
