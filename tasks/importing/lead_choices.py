"""The choices of a lead about a file, as an upload stores them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from .columns.scoring import Name
from .files.options import ReadingOptions


class ColumnMeaning(BaseModel):
    """The person and the dimension of the ratings in a column."""

    model_config = ConfigDict(frozen=True)

    rater: str = ""
    dimension: str = ""


class ScoringChoices(BaseModel):
    """How ratings are written, as far as the lead was asked; see `Scoring`."""

    model_config = ConfigDict(frozen=True)

    scales: dict[str, tuple[int, int]] = {}
    words: dict[Name, tuple[Name, ...]] = {}
    no_answer: tuple[str, ...] = ()
    rater: str = ""
    first: int = 1
    doubled: bool = False
    slots: bool = False


class LeadChoices(ReadingOptions):
    """The choices of a lead about a file. Those that were never made are not stored."""

    title: str = ""  # of the new project
    batch: str = ""
    warning: str = ""
    shape: str = ""
    uses: dict[str, str] = {}  # by column, as are the meanings
    said: dict[str, ColumnMeaning] = {}
    rubric: str = ""  # "made" of the columns
    breaks: str = ""  # "take" ratings that break a rule
    scoring: ScoringChoices = ScoringChoices()
    is_new: bool = False  # the project, which was made for the file
    # Of a file that came by a call: what its columns are, as YAML, and whether it is imported once
    # it is read. "all": if every row is good; "good": the good ones.
    mapping: str = ""
    at_once: Literal["", "all", "good"] = ""

    def as_json(self) -> dict[str, JsonValue]:
        """Return the choices as they are stored."""
        return self.model_dump(mode="json", exclude_unset=True)
