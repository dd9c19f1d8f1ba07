"""Ratings of items whose texts are in another file, or in none."""

from ..rating_guesses import guessed_ratings
from ..shape import FileShape, Sample, Use, _


def _doubt(sample: Sample) -> str | None:
    """Return None if a column holds prose, such as prompts: then it is no file without texts."""
    uses = {column.path: Use.METADATA for column in sample.columns}
    found, _said, _scoring, asked, _told = guessed_ratings(sample, uses, FileShape("", ()))
    prose = any(
        column.holds_words
        and len(" ".join(map(str, column.filled)).split()) > 2 * len(column.filled)
        for column in sample.columns
        if column.path not in {*found, *asked}
    )
    return None if prose or Use.SCORE not in found.values() else ""


SHAPE = FileShape(
    _("ratings without texts"), (), {"target": Use.METADATA}, alone=True, judge=_doubt
)
