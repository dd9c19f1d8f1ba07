"""How scores are given (by a digit, a button alone, or a number), drawn and laid out. Pure.

A row at the desk is some 390 pixels wide.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from .schema import Better, Check, Dimension, Level

MOST_BUTTONS = 11  # levels
BLANK = "-"  # the value of the answer without a score, in a form, and its key
SIGN = "∅"  # stands for it where scores are numbers
# A scale stands beside its title if it has at most so many levels, each word of the title so many
# letters, and all buttons so many. In a line of its own all buttons have room for LETTERS.
MOST_BESIDE, TITLE_BESIDE, LETTERS_BESIDE, LETTERS = 6, 14, 30, 54
ANSWERS = 48  # letters of a line of long answers; two or four stand two in a line, others three


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


def blank_key(dimension: Dimension) -> str:
    """Return the key of the answer without a score; "" for none, as where scores have a minus."""
    return BLANK if dimension.blank and dimension.lowest >= 0 else ""


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


@lru_cache(maxsize=256)
def shape(dimension: Dimension) -> tuple[str, ...]:
    """Return how the row of a dimension is laid out.

    `plain`: nothing but a scale. `wide`: its scale has a line of its own. `under`: its labels are
    too long for the buttons, so that those of the ends stand under them. `places`: a scale with a
    minus, whose buttons say words and the key of their place.
    """
    # With a minus the words on the buttons are larger. The answer without a score has its room.
    letters = (
        (len(dimension.scores) + bool(dimension.blank))
        * _longest_word(" ".join(level.label for level in dimension.levels if not level.between))
        * (1.25 if dimension.lowest < 0 else 1)
    )
    layout = {
        "plain": not dimension.checks,
        "wide": not (dimension.checks and dimension.scores)
        or letters > LETTERS_BESIDE
        or len(dimension.scores) + bool(dimension.blank) > MOST_BESIDE
        or dimension.lowest < 0
        or dimension.better is Better.NONE
        or _longest_word(dimension.title) > TITLE_BESIDE,
        "under": not is_typed(dimension)
        and letters > LETTERS
        and dimension.better is not Better.NONE,
        "places": not is_typed(dimension) and letters <= LETTERS and dimension.lowest < 0,
    }
    return tuple(name for name, holds in layout.items() if holds)


def is_crowded(check: Check) -> bool:
    """Return True if a word or two lines of an answer to a question are wider than its button."""
    room = ANSWERS // (2 if len(check.answers) in (2, 4) else 3)
    return any(
        len(answer.wording) > 2 * room or _longest_word(answer.wording) > room
        for answer in check.answers
    )


def _longest_word(text: str) -> float:
    """Return the width of the widest word, in letters of usual width."""
    return max(
        (
            sum(0.6 if each in "fijlrtI" else 1.5 if each in "mwMW" else 1 for each in word)
            for word in text.replace("-", " ").split()
        ),
        default=0,
    )
