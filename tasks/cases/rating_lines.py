"""The lines of a table that has ratings side by side: scores, answers and ticks."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from tasks.rating_form.rating_words import ScoreWords, align_answers

from .badges import Badge, badge_of


@dataclass(frozen=True, slots=True)
class RatingCell:
    """The part of a line for one rating: a score, ticks or a text, or nothing."""

    score: Badge | None = None
    ticks: Collection[str] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class RatingLine:
    """A line of the table, with a cell for each rating."""

    about: str
    cells: Sequence[RatingCell]
    in_rubric: bool = False  # `about` and the cells are in the rubric's language
    differs: bool = False  # counted ratings disagree in it
    is_compared: bool = False  # else nobody asks if they do

    def compared(self, cells: Sequence[RatingCell]) -> "RatingLine":
        """Return the line, marked if these cells of it are not all the same."""
        differs = any(cell != cells[0] for cell in cells)
        return replace(self, differs=differs, is_compared=True)


def lines_in(dimension: Dimension, score_words: Sequence[ScoreWords]) -> Iterator[RatingLine]:
    """Yield the score, the answers and the ticks of a dimension."""
    cells = [_score_cell(dimension, score) for score in score_words]
    yield _line(dimension.title, cells)
    if any(score.breaks for score in score_words):
        cells = [RatingCell(ticks=score.breaks) for score in score_words]
        yield _line(_("Breaks"), cells)
    sides = [score.answers_in_words for score in score_words]
    for question, texts in align_answers(sides):
        cells = [RatingCell(text=text) for text in texts]
        yield _line(question, cells)
    if any(score.ticks for score in score_words):
        cells = [RatingCell(ticks=score.ticks) for score in score_words]
        yield _line(_("Ticked"), cells)


def _line(about: str, cells: Sequence[RatingCell]) -> RatingLine:
    """Return a line in which ratings can disagree."""
    return RatingLine(about, cells, in_rubric=True)


def _score_cell(dimension: Dimension, score_words: ScoreWords) -> RatingCell:
    if score_words.score is None:
        return RatingCell(text=score_words.label)
    return RatingCell(score=badge_of(dimension, score_words.score))
