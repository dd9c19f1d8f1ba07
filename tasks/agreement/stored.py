"""The figures of a dimension as they are stored, and how they are written and read as JSON.

Without numpy, as are the pages. People are stored by their numbers (`counting.PERSON`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

# The version of the stored figures. Increase it when their content or their computation changes:
# results of another version are made again.
FORM = 10


class Why(StrEnum):
    """A reason why there is no figure."""

    NO_RATINGS = "no ratings"
    ONE_ANNOTATOR = "one annotator"
    # No unit has ratings by two annotators, or none by all whom the sample compares.
    NO_OVERLAP = "no overlap"
    # An interval needs two units that can be compared.
    TOO_FEW_UNITS = "too few units"
    ONE_CATEGORY = "one category"
    # An annotator gave one level only, or the units' means are all the same.
    NO_VARIATION = "no variation"


@dataclass(frozen=True, slots=True)
class Figure:
    """A coefficient's value and its 95 % interval.

    `low` and `high` are the percentiles 2.5 and 97.5 of the resamples in which the coefficient is
    defined; `undefined` of them were left out.
    """

    value: float
    low: float
    high: float
    undefined: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that cannot be had, and why."""

    missing: Why


Estimate = Figure | Missing
Estimates = Mapping[str, Estimate]  # by the codes of `measures.TITLES`


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over items, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float
    items: int


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of a part: of a model or batch by its name, a week by its Monday, or a check."""

    name: str  # "" of all; a check by its code
    units: int  # rated twice or more
    ratings: int  # of these units
    prevalence: Sequence[float]  # the share of each level among these ratings
    figures: Estimates


@dataclass(frozen=True, slots=True)
class ModelPart(Part):
    """The figures of a model, its mean score, and the difference of that to the best model's.

    None stands where the items are too few, and for classes. The best itself has no difference.
    """

    mean: Mean | None
    difference: Mean | None
    is_best: bool


@dataclass(frozen=True, slots=True)
class CheckPart(Part):
    """The figures of a check, and the share of its ticks: None for a question."""

    ticked: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """The figures of two annotators, by the codes of `report.OVERALL` and `report.OF_PAIR`."""

    first: int
    second: int
    units: int
    figures: Estimates


@dataclass(frozen=True, slots=True)
class Origin:
    """Pairs of ratings of a unit that differ in a check; "" for those that agree in all checks."""

    check: str
    pairs: int
    distance: Annotated[float, Field(alias="apart")]  # mean difference of their scores
    share: float  # of all squared differences between scores


@dataclass(frozen=True, slots=True)
class DifferingUnit:
    """A unit whose scores differ much, by the names of item and target."""

    key: int  # of the item
    item: str
    response: int | None
    model: str
    scores: tuple[int, ...]
    # The number of each person, and their score.
    scores_of_people: Annotated[Sequence[tuple[int, int]], Field(alias="given")]


@dataclass(frozen=True, slots=True)
class WithoutOne:
    """The main figure without an annotator."""

    annotator: int
    figure: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The figures of a dimension. A first look has none of those with a default."""

    main: str  # the code of the main measure
    reading: str  # how far one may rely on the ratings; "" without a figure
    overall: Part
    annotators: Sequence[int]
    furthest: Sequence[DifferingUnit]
    # Without whom the main figure is highest. None where no three annotators are.
    without: WithoutOne | None
    team: Sequence[int] = field(default_factory=list)  # the annotators whom `of_team` compares
    team_units: int = 0
    of_team: Estimates = field(default_factory=dict)
    slots: Sequence[int] = field(default_factory=list)  # the annotators who are slots of a file
    models: Sequence[ModelPart] = field(default_factory=list)
    batches: Sequence[Part] = field(default_factory=list)
    weeks: Sequence[Part] = field(default_factory=list)  # a unit is of the week of its last rating
    checks: Sequence[CheckPart] = field(default_factory=list)
    pairs: Sequence[Pair] = field(default_factory=list)
    sources: Sequence[Origin] = field(default_factory=list)  # the largest share first
    breaks: int = 0  # ratings of the project that break a rule
    dropped: int = 0  # items of the project
    short: str = ""  # the dimension's short title
    seed: int = 0
    resamples: int = 0

    @property
    def main_figure(self) -> Estimate:
        """The figure over all by the main measure."""
        return self.overall.figures[self.main]


@cache
def _results() -> TypeAdapter[Result]:
    return TypeAdapter(Result)


@cache
def _estimates() -> TypeAdapter[Estimate]:
    return TypeAdapter(Estimate)


def as_json(result: Result) -> Mapping[str, Any]:
    """Return a result as it is stored: flat, where one person is left out."""
    json = _results().dump_python(result, mode="json", by_alias=True)
    without = json["without"]
    if without:
        json["without"] = {"annotator": without["annotator"], **without["figure"]}
    return {**json, "form": FORM}


def result_of(json: Mapping[str, Any]) -> Result:
    """Return the result of stored JSON."""
    without = json["without"]
    if without:
        without = {"annotator": without["annotator"], "figure": without}
    return _results().validate_python({**json, "without": without})


def estimate_of(json: object) -> Estimate:
    """Return a single figure of stored JSON."""
    return _estimates().validate_python(json)
