"""Ratings that stand in a file: how they are written there, and what is read of a row.

No Django but its translations.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Annotated, NamedTuple, TypeAlias

import yaml
from pydantic import BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass as checked_dataclass

from .items import NewResponse

# In any letters, also as a beginning: `N/A (no claim)`. Null always is none.
NO_ANSWER = ("", "NA", "N/A", "n/a", "-", "NaN", "not applicable")
QUALITY = "quality"  # the dimension of scores of which nothing says which
FILE = "{file}"  # in the name of a rater: the file's name without its ending
MANY = "*"  # the check of a column that holds several answers: `length=yes;tone=no`
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")  # a code of a rubric
SEPARATORS = re.compile(r"[ _:./()-]+")  # in a name of a person and a dimension
# Names of columns that do not say which dimension.
GENERIC = re.compile(
    r"(value|score|rating|grade|mark|number|star|annotation|answer|response|review|output)s?"
    r"(\[\*\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RatingKey:
    """The person, the dimension, the check and the response that a column's ratings are of.

    Each is "" if the column does not fix it. The response is the path of its column, its model, or
    its number.
    """

    rater: str = ""
    dimension: str = ""
    check: str = ""
    response: str = ""


RatingKeys: TypeAlias = Mapping[str, RatingKey]  # by column
Name: TypeAlias = Annotated[str, BeforeValidator(str)]  # in YAML perhaps a number


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Scoring:
    """How the ratings of a file are written."""

    no_answer: tuple[Name, ...] = NO_ANSWER
    # By dimension, as the file writes them: the lowest and the highest score.
    scales: dict[Name, tuple[int, int]] = field(default_factory=dict)
    # By dimension: texts from the lowest to the highest, which are the scores from 1 on.
    words: dict[Name, tuple[Name, ...]] = field(default_factory=dict)
    # By the file's name of a dimension: the project's, or "" if it is left out.
    dimensions: dict[Name, Name] = field(default_factory=dict)
    doubled: bool = False  # 1, 1.5, 2 are stored as 2, 3, 4
    first: int = 1  # the number of the first response
    rater: Name = ""  # who rated where nothing else says it
    slots: bool = False  # raters are no persons: rater 1 of each item is somebody else
    # By a spelling of a rater's name: the spelling that stands for all.
    merged: dict[Name, Name] = field(default_factory=dict)

    def as_yaml(self) -> str:
        """Return all that is not as usual, as one line of YAML."""
        usual = asdict(Scoring())
        unusual = {key: value for key, value in asdict(self).items() if value != usual[key]}
        return yaml.safe_dump(unusual, default_flow_style=True, allow_unicode=True, width=10**9)

    def code(self, name: str) -> str:
        """Return the project's name of a dimension of the file, or "" if it is left out."""
        return self.dimensions.get(name, name if SLUG.fullmatch(name) else code_of(name))

    def scale(self, dimension: str) -> tuple[int, int] | None:
        """Return the lowest and the highest score of a dimension as they will be stored."""
        if texts := self.words.get(dimension):
            return 1, len(texts)
        scale, factor = self.scales.get(dimension), 1 + self.doubled
        return scale and (scale[0] * factor, scale[1] * factor)


class RatedItem(NamedTuple):
    """The item that all ratings of a row are about."""

    id: str
    model: str  # "" if the row does not say it
    new_response: NewResponse | None  # the row's, if it has a single one


class RatedTarget(NamedTuple):
    """A response as far as a row says which."""

    number: int | None  # in the item, from 1
    model: str  # or ""
    new_response: NewResponse | None  # with its text


# The column of a score, and the score as it will be stored (None: no answer).
ScoreCell: TypeAlias = tuple[str, int | None]


@dataclass(slots=True)
class RatingRow:
    """Scores and words of one rater about one target of one item, from one row of a file.

    The reader of the row adds its cells one after the other. Then it never changes.
    """

    line: int
    item: str  # the item's id
    rater: str  # as in the file; may be an e-mail address
    target: RatedTarget
    score_cells: dict[str, ScoreCell] = field(default_factory=dict)  # by dimension
    # By dimension, by check: the answer. The dimension is "" if nothing says which.
    check_cells: dict[str, dict[str, str]] = field(default_factory=dict)
    comment: str = ""
    at: datetime | None = None  # aware
    # Cells of our own export, by the names of their columns.
    exported: Mapping[str, str] = field(default_factory=dict)


@lru_cache(maxsize=1_000)
def code_of(name: str) -> str:
    """Return the code of a dimension or check that a file names, or a column."""
    name = name.removeprefix("OUTPUT:")  # as Toloka writes it
    parts = [part for part in re.split(r"\.(?=\w)", name) if not GENERIC.fullmatch(part)]
    last = parts[-1].removesuffix("[*]") if parts else QUALITY
    plain = unicodedata.normalize("NFKD", last).encode("ascii", "ignore").decode().lower()
    return last if SLUG.fullmatch(last) else re.sub(r"[^a-z0-9]+", "_", plain).strip("_") or QUALITY


def title_of(name: str, code: str) -> str:
    """Return the part of a column's name that says a dimension, or the code."""
    ends = [*SEPARATORS.finditer(name)]
    parts = [name, *(name[end.end() :] for end in ends), *(name[: end.start()] for end in ends)]
    for part in map(str.strip, parts):
        if code != QUALITY and part and code_of(part) == code:
            return part
    return code
