"""How the scores of a scale are given (by a digit, a button alone, or a number) and drawn. Pure."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from .schema import Better, Dimension, Level

MOST_BUTTONS = 11  # levels


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


@lru_cache(maxsize=256)
def bands(dimension: Dimension) -> Sequence[range]:
    """Return the parts of a scale that charts tell apart: each score, or ten runs of them."""
    scores = dimension.scores
    number = 10 if is_typed(dimension) else len(scores)
    ends = [len(scores) * place // number for place in range(number + 1)]
    return [scores[start:end] for start, end in pairwise(ends)]


def shade(dimension: Dimension, score: int) -> str:
    """Return the colour of a score: "1" (the worst) to "7", or "n1" to "n7" where no end is good.

    The middle one of five levels has the middle colour, and its neighbours have others.
    """
    order = sorted(bands(dimension), key=lambda band: dimension.merit(band[0]))
    place = next(place for place, band in enumerate(order) if score in band)
    return ("n" if dimension.better in (Better.NEITHER, Better.NONE) else "") + str(
        round(1 + 6 * place / (len(order) - 1))
    )


def nearest(dimension: Dimension, score: int) -> Level | None:
    """Return the described level that is nearest to a score, the lower of two; None without any."""
    return min(
        dimension.levels, key=lambda level: (abs(level.score - score), level.score), default=None
    )
