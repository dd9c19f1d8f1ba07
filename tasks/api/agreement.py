"""How well people agree in a project: the figures of the page, as the worker last made them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Self

from ninja import Query, Router
from pydantic import BaseModel, Field, create_model

from tasks.agreement.forms import AgreementForm
from tasks.agreement.page_result import PageResult, for_lead, with_names
from tasks.agreement.results import lacking_since, last_result
from tasks.agreement.stored import CheckPart, Estimate, Estimates, ModelPart, Origin, Part
from tasks.models import Project

from .authentication import ApiCall
from .names import Names
from .problems import invalid_form

router = Router(tags=["agreement"])


def _choice(name: str, description: str) -> tuple[type[str], Any]:
    """Return a parameter with the choices of the page, which the form reads."""
    field = AgreementForm.base_fields[name]
    codes = [code for code, _label in field.choices]  # type: ignore[attr-defined]
    described = Field(
        codes[0],
        description=description,
        json_schema_extra={"enum": ["", *codes]},  # empty: the first one
    )
    return (str, described)


AgreementQuery = create_model(
    "AgreementQuery",
    dimension=(str, Field("", description="its code; without it the first one of the rubric")),
    revisions=_choice(
        "revisions",
        "`before_talk`: as before any question. `current`: as they are now. `first`: as first "
        "submitted",
    ),
    breaks=_choice("breaks", "`out`: without imported ratings that break a rule"),
)


class ComparedPair(BaseModel):
    """The figures of two people."""

    first: str
    second: str
    units: int = Field(description="that both rated")
    figures: Estimates


class PersonScore(BaseModel):
    """A score, and who gave it."""

    annotator: str
    score: int


class DifferingTarget(BaseModel):
    """A target whose scores differ much."""

    item: str
    response: int | None = Field(description="null for a candidate set")
    model: str
    scores_of_people: list[PersonScore]


class WithoutPerson(BaseModel):
    """The main figure without a person."""

    annotator: str
    figure: Estimate


class AgreementFigures(BaseModel):
    """The figures of a dimension. If there is none, `missing` says why."""

    main: str = Field(description="the main measure, as in `figures`")
    reading: str = Field(
        description="`reliable`, `tentative` or `unreliable`, by the interval of the main measure"
    )
    overall: Part
    models: Sequence[ModelPart]
    batches: Sequence[Part]
    weeks: Sequence[Part]
    checks: Sequence[CheckPart]
    annotators: tuple[str, ...]
    team: list[str] = Field(description="those whom `of_team` compares")
    team_units: int
    of_team: Estimates
    of_pairs: list[ComparedPair]
    sources: Sequence[Origin] = Field(description="checks in which pairs of ratings differ")
    furthest: list[DifferingTarget]
    without: WithoutPerson | None = Field(
        description="without whom the main figure is highest; null for fewer than three people"
    )

    @classmethod
    def of(cls, agreement: PageResult) -> Self:
        """Return the figures of the page with names in place of numbers."""
        result, names = agreement.result, agreement.names_by_number
        return cls(
            main=result.main,
            reading=result.reading,
            overall=result.overall,
            models=result.models,
            batches=result.batches,
            weeks=result.weeks,
            checks=result.checks,
            annotators=tuple(names.values()),
            team=agreement.names_among(result.team),
            team_units=result.team_units,
            of_team=result.of_team,
            of_pairs=_pairs(agreement),
            sources=result.sources,
            furthest=_furthest(agreement),
            without=_without(agreement),
        )


def _pairs(agreement: PageResult) -> list[ComparedPair]:
    names = agreement.names_by_number
    pairs = []
    for pair in agreement.result.pairs:
        first, second = names[pair.first], names[pair.second]
        named_pair = ComparedPair(
            first=first, second=second, units=pair.units, figures=pair.figures
        )
        pairs.append(named_pair)
    return pairs


def _furthest(agreement: PageResult) -> list[DifferingTarget]:
    names = agreement.names_by_number
    targets = []
    for unit in agreement.result.furthest:
        scores = []
        for number, score in unit.scores_of_people:
            scores.append(PersonScore(annotator=names[number], score=score))
        target = DifferingTarget(
            item=unit.item, response=unit.response, model=unit.model, scores_of_people=scores
        )
        targets.append(target)
    return targets


def _without(agreement: PageResult) -> WithoutPerson | None:
    without = agreement.result.without
    if without is None or without.annotator not in agreement.names_by_number:
        return None
    name = agreement.names_by_number[without.annotator]
    return WithoutPerson(annotator=name, figure=without.figure)


class ProjectAgreement(BaseModel):
    """How well people agree in a dimension."""

    dimension: str
    query: str = Field(description="all choices, as in the address of the page Agreement")
    rubric_version: int
    made_at: datetime | None = Field(description="when the worker made the figures")
    lacks_since: datetime | None = Field(
        description="when something came that they lack: the worker makes them anew each minute"
    )
    figures: AgreementFigures | None = Field(
        description="null: not ready yet, because the worker has not made them; ask again in a "
        "minute"
    )


@router.get("/projects/{slug:slug}/agreement", response=ProjectAgreement)
def get_agreement(
    request: ApiCall,
    slug: str,
    agreement_query: Annotated[AgreementQuery, Query()],  # type: ignore[valid-type]  # made above
) -> ProjectAgreement:
    """Return the figures of a dimension as the page Agreement shows them, by the same choices."""
    project = request.auth.project(slug)
    form = AgreementForm(project.rubric.schema, request.GET)
    if not form.is_valid():
        raise invalid_form(form, in_body=False)
    agreement = _last(project, form, Names(request.auth, project))
    return ProjectAgreement(
        dimension=form.chosen.code,
        query=form.query,
        rubric_version=project.rubric.version,
        made_at=agreement.made_at if agreement else None,
        lacks_since=lacking_since(project, agreement),
        figures=AgreementFigures.of(agreement) if agreement else None,
    )


def _last(project: Project, agreement_form: AgreementForm, readable: Names) -> PageResult | None:
    """Return the figures as last made, with the names that the token may read."""
    agreement = last_result(project, agreement_form.chosen, agreement_form.choice)
    if agreement is None:
        return None
    if project.names_annotators and not readable.token.names_people:
        agreement = with_names(agreement, readable.of_people(agreement.result.annotators))
    return for_lead(agreement, readable.models)
