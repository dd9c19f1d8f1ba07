"""The report of an upload: what a worker found in its file, as its page says it.

It is stored as JSON, in the language of the upload.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, JsonValue

from .columns.choices import Certainty
from .columns.uses import Use
from .files.rows import ErrorsByKind, LineError


class ReportPart(BaseModel):
    """A part of a report, which never changes."""

    model_config = ConfigDict(frozen=True)

    def but(self, **changes: object) -> Self:
        """Return the part with other values of some fields."""
        return self.model_copy(update=changes)


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


class ItemExample(ReportPart):
    """The fields of an item, with long texts cut."""

    label: str
    external_id: str
    persona: tuple[str, ...]
    warning: str
    context: str
    system: str
    reference: str
    source: str
    messages: tuple[dict[str, JsonValue], ...]
    responses: tuple[str, ...]
    metadata: dict[str, JsonValue]


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
    examples: tuple[ItemExample, ...] = ()


class ScoreReport(ReportPart):
    """A score of a unit, and who gave it."""

    name: str
    value: int
    colour: str


class UnitReport(ReportPart):
    """An item whose scores differ much."""

    item: str
    prompt: str
    cells: tuple[ScoreReport, ...]


class AgreementReport(ReportPart):
    """The agreement in a dimension, and the items in which it is the lowest."""

    title: str
    units: int  # rated twice or more
    figure: str
    sentence: str
    furthest: tuple[UnitReport, ...]


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
    agreements: tuple[AgreementReport, ...] = ()


class DimensionReport(ReportPart):
    """A dimension of the file, and how its scores are written."""

    code: str
    scale: tuple[int, int] | None  # the lowest and the highest score
    words: Sequence[str]  # that stand for scores, the worst first
    extremes: tuple[str, ...]  # the lowest and the highest number that the file has
    none: int  # cells without an answer
    halves: int
    texts: Sequence[str]  # if people answered in texts


class ScoringReport(ReportPart):
    """How the ratings of the file are written, see `Scoring`."""

    no_answer: tuple[str, ...]
    doubled: bool
    first: int
    rater: str
    slots: bool | None = None  # None in a report of an older version
    dimensions: tuple[DimensionReport, ...]
    has_numbers: bool  # of responses
    has_checks: bool
    can_make: bool  # a rubric of the columns

    @property
    def empty_cells(self) -> int:
        """The number of cells without an answer."""
        return sum(dimension.none for dimension in self.dimensions)

    @property
    def has_halves(self) -> bool:
        """True if a score is a half."""
        return any(dimension.halves for dimension in self.dimensions)


class UploadReport(ReportPart):
    """All that is known of a file."""

    sentence: str = ""
    remarks: tuple[str, ...] = ()  # about how it is read
    layout: str = ""
    layouts: tuple[tuple[str, str], ...] = ()
    columns: tuple[ColumnReport, ...] = ()
    mapping: str = ""  # as YAML; "" for our own shape
    scoring: ScoringReport | None = None
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
        in_file = bool(self.scoring and self.scoring.rater)
        return in_file or any(Use.RATER in (column.use, *column.options) for column in self.columns)

    def as_json(self) -> Mapping[str, Any]:
        """Return the report as it is stored."""
        return self.model_dump(mode="json", exclude_defaults=True)


def fault_kinds(errors_by_kind: ErrorsByKind) -> Iterable[FaultGroup]:
    """Yield the kinds of faults, in the language of the request."""
    for kind in errors_by_kind.kinds:
        yield FaultGroup(samples=tuple(map(FaultReport.of, kind.samples)), rest=kind.rest)
    if errors_by_kind.others:
        yield FaultGroup(rest=errors_by_kind.rest)
