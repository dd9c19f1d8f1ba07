"""How scores are given (by a digit, a button alone, or a number), drawn and laid out. Pure.

A row at the desk is some 390 pixels wide.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from .dimension import Dimension
from .kinds import Better
from .parts import Check, Level

MOST_BUTTONS = 11  # levels
BLANK = "-"  # the value of the answer without a score, in a form, and its key
SIGN = "∅"  # stands for it where scores are numbers
# A scale stands beside its title if it has at most so many levels, each word of the title so many
# letters, and all buttons so many. In a line of its own all buttons have room for LETTERS.
MOST_BESIDE = 6
TITLE_BESIDE = 14
LETTERS_BESIDE = 30
LETTERS = 54
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
    if dimension.blank and dimension.lowest >= 0:
        return BLANK
    return ""


@lru_cache(maxsize=256)
def bands(dimension: Dimension) -> Sequence[range]:
    """Return the parts of a scale that charts tell apart: each score, or ten runs of them."""
    number = 10
    if not is_typed(dimension):
        number = len(dimension.scores)
    return _bands_of(dimension.scores, number)


def _bands_of(scale_range: range, number: int) -> Sequence[range]:
    """Return so many parts of a scale, as equal as can be."""
    ends = [len(scale_range) * place // number for place in range(number + 1)]
    return [scale_range[start:end] for start, end in pairwise(ends)]


def shade(dimension: Dimension, score: int) -> str:
    """Return the colour of a score: "1" (the worst) to "7", or "n1" to "n7" where no end is good.

    The middle one of five levels has the middle colour, and its neighbours have others.
    """
    return _shade_in(bands(dimension), dimension.better, score)


def shade_of(scale_range: range, better: Better, score: int) -> str:
    """Return the colour of a score on a scale that belongs to no dimension yet."""
    number = len(scale_range)
    if number > MOST_BUTTONS:
        number = 10
    return _shade_in(_bands_of(scale_range, number), better, score)


def _shade_in(order: Sequence[range], better: Better, score: int) -> str:
    """Return the colour of a score by its place among the bands of a scale."""
    [place] = [place for place, band in enumerate(order) if score in band]
    if better is Better.LOW:
        place = len(order) - 1 - place
    fraction = place / (len(order) - 1)
    colour = round(1 + 6 * fraction)
    if better in (Better.HIGH, Better.LOW):
        return str(colour)
    return f"n{colour}"


def nearest(dimension: Dimension, score: int) -> Level | None:
    """Return the described level that is nearest to a score, the lower of two; None without any."""
    by_score = sorted(dimension.levels, key=lambda level: level.score)
    return min(by_score, key=lambda level: abs(level.score - score), default=None)


@lru_cache(maxsize=256)
def row_classes(dimension: Dimension) -> tuple[str, ...]:
    """Return how the row of a dimension is laid out.

    `plain`: nothing but a scale. `wide`: its scale has a line of its own. `under`: its labels are
    too long for the buttons, so that those of the ends stand under them. `places`: a scale with a
    minus, whose buttons say words and the key of their place.
    """
    classes = []
    if not dimension.checks:
        classes.append("plain")
    if not _is_scale_beside_title(dimension):
        classes.append("wide")
    if has_labels_under_buttons(dimension):
        classes.append("under")
    if _has_minus(dimension) and not is_typed(dimension) and _letters(dimension) <= LETTERS:
        classes.append("places")
    return tuple(classes)


def _is_scale_beside_title(dimension: Dimension) -> bool:
    """Return True if title and scale share a line, with checks below them."""
    has_classes = dimension.better is Better.NONE
    if not dimension.checks or not dimension.scores or has_classes or _has_minus(dimension):
        return False
    if _letters(dimension) > LETTERS_BESIDE or _button_count(dimension) > MOST_BESIDE:
        return False
    return _longest_word(dimension.title) <= TITLE_BESIDE


def has_labels_under_buttons(dimension: Dimension) -> bool:
    """Return True if the labels are too long for the buttons: those of the ends stand below."""
    has_classes = dimension.better is Better.NONE
    return _letters(dimension) > LETTERS and not has_classes and not is_typed(dimension)


def _has_minus(dimension: Dimension) -> bool:
    return dimension.lowest < 0


def _button_count(dimension: Dimension) -> int:
    return len(dimension.scores) + bool(dimension.blank)


def _letters(dimension: Dimension) -> float:
    """Return the width of all buttons, in letters: each takes the widest word of a label."""
    labels = [level.label for level in dimension.levels if not level.between]
    letters = _button_count(dimension) * _longest_word(" ".join(labels))
    if _has_minus(dimension):  # the words on its buttons are larger
        letters *= 1.25
    return letters


def is_crowded(check: Check) -> bool:
    """Return True if a word or two lines of an answer to a question are wider than its button."""
    in_a_line = 3
    if len(check.answers) in (2, 4):
        in_a_line = 2
    room = ANSWERS // in_a_line
    wordings = [answer.wording for answer in check.answers]
    return any(len(text) > 2 * room or _longest_word(text) > room for text in wordings)


def _longest_word(text: str) -> float:
    """Return the width of the widest word, in letters of usual width."""
    words = text.replace("-", " ").split()
    widths = [sum(map(_width, word)) for word in words]
    return max(widths, default=0)


def _width(letter: str) -> float:
    """Return the width of a letter, in letters of usual width."""
    if letter in "fijlrtI":
        return 0.6
    if letter in "mwMW":
        return 1.5
    return 1
