"""Ratings that stand in a file: how they are written there, and what is read of a row.

No Django but its translations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from .mapping import NewResponse

NO_ANSWER = ("", "NA", "N/A", "n/a", "-")  # in any letters; null always is none
QUALITY = "quality"  # the dimension of scores of which nothing says which
FILE = "{file}"  # in the name of a rater: the file's name without its ending


@dataclass(frozen=True, slots=True)
class Said:
    """The person, the dimension and the check that a column's ratings are of; "" if not fixed."""

    rater: str = ""
    dimension: str = ""
    check: str = ""


@dataclass(frozen=True)
class Scoring:
    """How the ratings of a file are written."""

    no_answer: Sequence[str] = NO_ANSWER
    # By dimension, as the file writes them: the lowest and the highest score.
    scales: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    # By dimension: texts from the lowest to the highest, which are the scores from 1 on.
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # By the file's name of a dimension: the project's, or "" if it is left out.
    dimensions: Mapping[str, str] = field(default_factory=dict)
    doubled: bool = False  # 1, 1.5, 2 are stored as 2, 3, 4
    first: int = 1  # the number of the first response
    rater: str = ""  # who rated where nothing else says it

    def scale(self, dimension: str) -> tuple[int, int] | None:
        """Return the lowest and the highest score of a dimension as they will be stored."""
        if texts := self.words.get(dimension):
            return 1, len(texts)
        factor = 2 if self.doubled else 1
        found = self.scales.get(dimension)
        return found and (found[0] * factor, found[1] * factor)


@dataclass(frozen=True, slots=True)
class RatingRow:
    """Scores and words of one rater about one target of one item, from one row of a file."""

    line: int
    item: str  # the item's id
    rater: str  # as in the file; may be an e-mail address
    number: int | None  # of the response in its item, from 1
    model: str  # of the response, "" if the row does not say
    response: NewResponse | None  # of the same row, where the row has its text
    # By dimension: the column, and the score as it will be stored (None: no answer).
    scores: Mapping[str, tuple[str, int | None]]
    # By dimension, by check: the answer. The dimension is "" if nothing says which.
    checks: Mapping[str, Mapping[str, str]]
    comment: str
    at: datetime | None  # aware
    own: Mapping[str, str]  # cells of our own export, by the names of their columns
