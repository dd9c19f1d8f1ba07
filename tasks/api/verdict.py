"""Verdicts on checks, as `manage.py rubric judge` gives them. Nothing is stored."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Self

from ninja import Body, Router
from pydantic import BaseModel, Field, StrictInt, model_validator

from config.web.problems import ValueFault
from rubrics.judging.answering import WrongShape, answer_checks, answer_item
from rubrics.judging.dimension import Dimension
from rubrics.judging.plain import Entries
from rubrics.judging.rules import UnknownCheck
from rubrics.models import Rubric

from .authentication import ApiCall
from .problems import invalid
from .projects import ProjectRubric
from .sent import Sent

router = Router(tags=["verdict"])
MOST_JUDGED = 1_000  # in one call
MOST_TARGETS = 100  # of an item


class SentTarget(Sent):
    """The checks that hold for a target."""

    checks: list[str] = Field(description="facts that hold, by the names that rules use")
    answered: list[str] | None = Field(
        None, description="questions with an answer; left out: all of them"
    )


class SentScoredTarget(SentTarget):
    """A target among those of its item."""

    score: StrictInt | Literal["-"] | None = Field(
        None, description="as entered, if it is; “-” is the answer without a score"
    )


class VerdictOrder(Sent):
    """Targets that are to be judged, each by itself, or items with all their targets."""

    rubric: str = Field(description="its short name")
    version: int | None = Field(None, description="left out: the newest")
    dimension: str = Field(description="its code, such as quality")
    targets: list[SentTarget] | None = Field(None, min_length=1, max_length=MOST_JUDGED)
    items: list[Annotated[list[SentScoredTarget], Field(max_length=MOST_TARGETS)]] | None = Field(
        None,
        min_length=1,
        max_length=MOST_JUDGED,
        description="items, each a list of its targets; rules between them count",
    )

    @model_validator(mode="after")
    def has_either(self) -> Self:
        """Refuse both targets and items, and neither."""
        if (self.targets is None) == (self.items is None):
            raise ValueError("either targets or items")
        return self


class VerdictReason(BaseModel):
    """The text of a rule, and the clause that it comes from."""

    clause: str
    text: str


class ScoreBar(BaseModel):
    """A score that is not open."""

    score: int
    clauses: list[str]
    reasons: list[str]


class ScoreRemark(VerdictReason):
    """A remark on scores that are open."""

    scores: list[int]


class TargetVerdict(BaseModel):
    """The open scores of a target, and why the others are barred."""

    open: list[int]
    barred: list[ScoreBar]
    remarks: list[ScoreRemark]
    overridden: list[VerdictReason] = Field(description="forces that lost to another one")
    forced: int | None = Field(description="the score that a rule sets")
    missing: list[str] = Field(description="questions that still need an answer")
    excluded: list[str] = Field(
        default=[], description="checks that count as not answered, beside those that force"
    )


class CheckClash(BaseModel):
    """Checks that cannot hold together: there is no verdict."""

    error: str
    checks: list[str]
    clauses: list[str]


class OrderFault(VerdictReason):
    """Two scores of an item that contradict a rule between its targets, by their indexes."""

    lower: int
    higher: int


class JudgedItem(BaseModel):
    """The verdicts on the targets of an item."""

    targets: list[TargetVerdict | CheckClash]
    out_of_order: list[OrderFault]


class VerdictAnswer(BaseModel):
    """The verdicts, in the order of what was sent."""

    rubric: ProjectRubric
    dimension: str
    targets: list[TargetVerdict | CheckClash] | None = None
    items: list[JudgedItem] | None = None


@router.post("/verdict", response=VerdictAnswer)
def give_verdict(request: ApiCall, body: Annotated[VerdictOrder, Body()]) -> dict[str, Any]:
    """Judge checks by a published rubric: open scores, a forced one, and why others are barred.

    Any token may ask. Nothing is stored. Checks that clash are an answer with `error`.
    """
    rubric = _rubric(body)
    dimension = _dimension(rubric, body.dimension)
    answer = {
        "rubric": ProjectRubric(slug=rubric.slug, version=rubric.version),
        "dimension": dimension.code,
    }
    if body.targets is not None:
        targets = [target.model_dump() for target in body.targets]
        return answer | {"targets": _judged(answer_checks, dimension, targets, "/targets")}
    items = []
    for item in body.items or ():
        items.append([target.model_dump() for target in item])
    return answer | {"items": _judged(answer_item, dimension, items, "/items")}


def _rubric(order: VerdictOrder) -> Rubric:
    """Return the version that is asked for, or raise Problem."""
    versions = Rubric.objects.filter(slug=order.rubric).order_by("-version")
    if order.version is not None:
        versions = versions.filter(version=order.version)
    rubric = versions.to_show().first()
    if rubric is None:
        value = order.rubric if order.version is None else f"{order.rubric} {order.version}"
        allowed = "the short name of a published rubric, and one of its versions"
        fault = ValueFault(value, allowed, "Look it up under Rubrics.", pointer="/rubric")
        raise invalid([fault])
    return rubric


def _dimension(rubric: Rubric, code: str) -> Dimension:
    """Return a dimension of a rubric, or raise Problem."""
    codes = [dimension.code for dimension in rubric.schema.dimensions]
    if code not in codes:
        allowed = f"one of {', '.join(codes)}"
        raise invalid([ValueFault(code, allowed, "Correct it.", pointer="/dimension")])
    return rubric.schema.dimension(code)


def _judged(
    judge: Callable[[Dimension, Any], Entries],
    dimension: Dimension,
    entries: Sequence[object],
    pointer: str,
) -> list[Entries]:
    """Return the verdict on each entry, or raise Problem with all that can't be judged."""
    verdicts = []
    faults = []
    for number, entry in enumerate(entries):
        try:
            verdicts.append(judge(dimension, entry))
        except (UnknownCheck, WrongShape) as error:
            faults.append(_fault(error, dimension, f"{pointer}/{number}"))
    if faults:
        raise invalid(faults)
    return verdicts


def _fault(error: UnknownCheck | WrongShape, dimension: Dimension, pointer: str) -> ValueFault:
    if isinstance(error, UnknownCheck):
        allowed = f"checks of {dimension.code}: {', '.join(dimension.facts)}"
        return ValueFault(list(error.unknown), allowed, "Correct the name.", pointer=pointer)
    return ValueFault(None, str(error), "Correct it.", pointer=pointer)
