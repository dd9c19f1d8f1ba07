"""Ratings of items whose texts are in another file, or in none."""

from ..columns import FileColumn
from ..rating_guesses import guessed_ratings
from ..shape import FileShape, Sample, Use, _


def _is_prose(column: FileColumn) -> bool:
    """Tell whether a column holds texts of several words, or turns."""
    words = [len(each.split()) if isinstance(each, str) else 9 for each in column.filled]
    return column.holds_words and sum(words) > 2 * len(words)


def _doubt(sample: Sample) -> str | None:
    uses = {column.path: Use.METADATA for column in sample.columns}
    found, _said, _scoring, asked, _told = guessed_ratings(sample, uses, FileShape("", ()))
    others = [each for each in sample.columns if each.path not in {*found, *asked}]
    return "" if Use.SCORE in found.values() and not any(map(_is_prose, others)) else None


SHAPE = FileShape(
    _("ratings without texts"), (), {"target": Use.METADATA}, alone=True, judge=_doubt
)
