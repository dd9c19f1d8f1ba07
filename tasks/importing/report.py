"""The report of an upload: what a worker found in its file, as its page says it.

It is stored as JSON, in the language of the upload.
"""

from collections.abc import Iterable
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from .columns.choices import Certainty
from .columns.uses import Use
from .files.rows import ErrorsByKind, LineError


class ReportPart(BaseModel):
    """A part of a report, which never changes."""

    model_config = ConfigDict(frozen=True)


class ReadingChoice(ReportPart):
    """A way to read a file, with a sample of it."""

    value: str
    sample: str = ""


class ColumnReport(ReportPart):
    """A column of the file."""

    path: str
    example: str = ""
    use: Use = Use.UNDECIDED
    certainty: Certainty = Certainty.SURE
    reason: str = ""
    question: str = ""
    options: tuple[Use, ...] = ()
    group: str = ""  # the path of the column whose answer holds for it
    rater: str = ""
    dimension: str = ""


class FaultReport(ReportPart):
    """A fault of one line."""

    line: int
    column: str
    value: str
    reason: str
    advice: str

    @classmethod
    def of(cls, error: LineError) -> Self:
        """Return the fault that an error says."""
        return cls(**{name: getattr(error, name) for name in cls.model_fields})


class FaultGroup(ReportPart):
    """Faults of one kind: the first ones, and a sentence about the others."""

    samples: tuple[FaultReport, ...] = ()
    rest: str = ""


class ItemsReport(ReportPart):
    """The items of the file."""

    number: int
    responses: int
    models: tuple[tuple[str, int], ...] = ()
    wanted: int = 0
    hours: int = 0
    empty: int = 0  # responses
    empty_in: tuple[str, ...] = ()
    blank_prompts: int = 0
    blank_prompts_in: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    examples: tuple[dict[str, Any], ...] = ()  # fields of items, with long texts cut


class RatingsReport(ReportPart):
    """The ratings of the file, at a first look."""

    ratings: int
    scores: int
    people: int
    items: int = 0
    slots: bool = False  # in place of people
    remarks: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    dropped: int = 0
    agreements: tuple[dict[str, Any], ...] = ()


class UploadReport(ReportPart):
    """All that is known of a file."""

    sentence: str = ""
    remarks: tuple[str, ...] = ()  # about how it is read
    layout: str = ""
    layouts: tuple[tuple[str, str], ...] = ()
    columns: tuple[ColumnReport, ...] = ()
    mapping: str = ""  # as YAML; "" for our own shape
    scoring: dict[str, Any] | None = None  # how ratings are written, see `first_look`
    choice: str = ""  # a reading option that must be chosen first
    proposed: dict[str, str] = {}  # for it and those that go with it
    choices: dict[str, tuple[ReadingChoice, ...]] = {}  # of reading options that are known
    missing: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()  # why the file was not imported as asked
    refused: str = ""
    rows: int = 0
    bad: int = 0  # rows of items that are left out
    bad_ratings: int = 0  # those that are left out of good rows
    items: ItemsReport | None = None
    ratings: RatingsReport | None = None
    faults: tuple[FaultGroup, ...] = ()
    is_provisional: bool = False  # of the beginning of the file

    @property
    def is_importable(self) -> bool:
        """True if the file has something, and nothing about it is undecided."""
        return bool(self.items or self.ratings) and not self.missing

    @property
    def has_raters(self) -> bool:
        """True if a column or the file says who rated, or a column may say it."""
        in_file = bool(self.scoring and self.scoring["rater"])
        return in_file or any(Use.RATER in (column.use, *column.options) for column in self.columns)

    def as_json(self) -> dict[str, Any]:
        """Return the report as it is stored."""
        return self.model_dump(mode="json", exclude_defaults=True)


def fault_kinds(faults: ErrorsByKind) -> Iterable[FaultGroup]:
    """Yield the kinds of faults, in the language of the request."""
    for kind in faults.kinds:
        yield FaultGroup(samples=tuple(map(FaultReport.of, kind.samples)), rest=kind.rest)
    if faults.others:
        yield FaultGroup(rest=faults.rest)
