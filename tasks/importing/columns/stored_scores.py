"""A cell of a score → the score as it will be stored. No Django but its translations.

On a scale from 1 to 5, "4" is 4, and "6" a fault; "fair" is 2 of the words bad, fair, good.
"""

from django.utils.translation import gettext as _

from ..files.rows import excerpt, fill_in
from ..files.values import BadValue
from .rated_parts import Cell, text_of
from .score_cells import LONGEST, read_score
from .scoring import Scoring

ANY = (-(10**6), 10**6)  # of a dimension without a scale


def stored_score(cell: Cell, scoring: Scoring, no_answer: frozenset[str]) -> int | None:
    """Return the score of a cell as it will be stored, None for no answer. Raises BadValue.

    `no_answer`: folded texts that mean none.
    """
    dimension = cell.dimension
    texts = [text.casefold() for text in scoring.words.get(dimension, ())]
    factor = 1 if texts else 1 + scoring.doubled
    lowest, highest = scoring.scale(dimension) or ANY
    score = read_score(text_of(cell.value)[:LONGEST], no_answer)
    text = text_of(cell.value).strip().casefold()
    if text in texts:
        score = texts.index(text) + 1
    match score:
        case None:
            return None
        case str():
            reason = _("is no number")
            advice = _("write a score, put the column’s texts in order, or say that it is none")
        case _ if score * factor % 1:
            reason = _("is no whole score")
            advice = _("round it, or have halves doubled")
        case _ if lowest <= score * factor <= highest:
            return int(score * factor)
        case _:
            words = _("is off the scale of %(dimension)s, from %(lowest)s to %(highest)s")
            lowest //= factor
            highest //= factor
            reason = fill_in(words, dimension=dimension, lowest=lowest, highest=highest)
            advice = _("correct it, or choose another scale")
    raise BadValue(cell.place, reason, advice, excerpt(cell.value))
