"""Verdicts on checks, as `manage.py rubric judge` gives them. Nothing is stored."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

from django.http import HttpResponse
from ninja import Body, Router
from pydantic import BaseModel, Field, model_validator
from pydantic_core import to_json

from config.web.problems import ValueFault
from rubrics.judging.answering import WrongShape, answer_item
from rubrics.judging.dimension import Dimension
from rubrics.judging.plain import Entries
from rubrics.judging.rules import UnknownCheck
from rubrics.judging.scales import BLANK
from rubrics.models import Rubric
from tasks.importing.columns.items import MOST_RESPONSES

from .authentication import ApiCall
from .bodies import JSON
from .problems import invalid
from .projects import ProjectRubric
from .sent import Sent

router = Router(tags=["verdict"])
MOST_JUDGED = 1_000  # in one call
MOST_TARGETS = 5_000  # of all its items


class SentTarget(Sent):
    """A target of an item: the checks that hold, and the score if it has one."""

    checks: list[str] = Field(description="facts that hold, by the names that rules use")
    answered: list[str] | None = Field(
        None, description="questions with an answer; left out: all of them"
    )
    score: int | None = Field(None, strict=True, description="as entered, if it is")
    blank: bool = Field(False, description="true in place of a score: the answer without one")

    @property
    def as_line(self) -> dict[str, Any]:
        """The target as the command reads it."""
        score = BLANK if self.blank else self.score
        return {"checks": self.checks, "answered": self.answered, "score": score}


class VerdictOrder(Sent):
    """Items that are to be judged, each with its targets."""

    rubric: str = Field(description="its short name")
    version: int = Field(0, ge=0, lt=2**31, description="left out: the newest")
    dimension: str = Field(description="its code, such as quality")
    items: list[Annotated[list[SentTarget], Field(max_length=MOST_RESPONSES)]] = Field(
        min_length=1,
        max_length=MOST_JUDGED,
        description="each a list of its targets; one target alone is judged by itself",
    )

    @model_validator(mode="after")
    def is_soon_done(self) -> Self:
        """Refuse more targets than one call should keep others waiting for."""
        if sum(map(len, self.items)) > MOST_TARGETS:
            raise ValueError(f"{MOST_TARGETS} targets at most, of all items")
        return self


class VerdictReason(BaseModel):
    """The text of a rule, and the clause that it comes from."""

    clause: str
    text: str


class ScoreBar(BaseModel):
    """A score that is not open."""

    score: int
    clauses: list[str]
    reasons: Sequence[str]


class ScoreRemark(VerdictReason):
    """A remark on scores that are open."""

    scores: tuple[int, ...]


class TargetVerdict(BaseModel):
    """The open scores of a target, and why the others are barred."""

    open: tuple[int, ...]
    barred: list[ScoreBar]
    remarks: list[ScoreRemark]
    overridden: list[VerdictReason] = Field(description="forces that lost to another one")
    forced: int | None = Field(description="the score that a rule sets")
    missing: list[str] = Field(description="questions that still need an answer")
    excluded: list[str] = Field(
        default=[],
        description="left out if empty: checks that count as not answered, beside those that force",
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
    items: list[JudgedItem]


@router.post("/verdict", response=VerdictAnswer)
def give_verdict(request: ApiCall, order: Annotated[VerdictOrder, Body()]) -> HttpResponse:
    """Judge checks by a published rubric: open scores, a forced one, and why others are barred.

    Any token may ask. Nothing is stored. Checks that clash are an answer with `error`.
    """
    rubric = _rubric(order)
    dimension = _dimension(rubric, order.dimension)
    answer = {
        "rubric": {"slug": rubric.slug, "version": rubric.version},
        "dimension": dimension.code,
        "items": _judged(dimension, order.items),
    }
    # As they are: to make models of verdicts takes longer than to judge.
    return HttpResponse(to_json(answer), content_type=JSON)


def _rubric(verdict_order: VerdictOrder) -> Rubric:
    """Return the version that is asked for, or raise Problem."""
    slug, version = verdict_order.rubric, verdict_order.version
    versions = Rubric.objects.filter(slug=slug).order_by("-version")
    if version:
        versions = versions.filter(version=version)
    rubric = versions.to_show().first()
    if rubric is None:
        value = f"{slug} {version}" if version else slug
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


def _judged(dimension: Dimension, sent_items: Sequence[Sequence[SentTarget]]) -> list[Entries]:
    """Return the verdicts on each item, or raise Problem with all that can't be judged."""
    verdicts = []
    faults = []
    for number, item_targets in enumerate(sent_items):
        lines = [target.as_line for target in item_targets]
        try:
            verdicts.append(answer_item(dimension, lines))
        except UnknownCheck as unknown:
            allowed = f"checks of {dimension.code}: {', '.join(dimension.facts)}"
            names = list(unknown.unknown)
            faults.append(ValueFault(names, allowed, "Correct it.", pointer=f"/items/{number}"))
        except WrongShape as shape:
            faults.append(ValueFault(None, str(shape), "Correct it.", pointer=f"/items/{number}"))
    if faults:
        raise invalid(faults)
    return verdicts
