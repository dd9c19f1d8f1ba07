"""Projects: those that a token reaches, and how far one is."""

from copy import copy
from datetime import date, datetime
from typing import Annotated, Self

from django.http import QueryDict
from django.utils import timezone
from ninja import Body, Query, Router
from pydantic import BaseModel, Field

from config.web.problems import Problem, ProblemKind, ValueFault
from tasks.importing.files.rows import JsonObject
from tasks.models import Project
from tasks.models.progress import ProjectFigures
from tasks.new_projects.forms import NewProjectForm, project_templates
from tasks.overview.project_rows import ProjectRow, rows_of
from tasks.settings.forms import SettingsForm

from .authentication import WRITES, ApiCall
from .bodies import escaped
from .cursors import Page, paged
from .parameters import Paging
from .problems import invalid, invalid_form

router = Router(tags=["projects"])


class ProjectRubric(BaseModel):
    """A published version of a rubric."""

    slug: str
    version: int


class ListedProject(BaseModel):
    """A project in a list."""

    slug: str = Field(description="its short name, as in its address")
    title: str
    status: Project.Status
    archived: bool
    rubric: ProjectRubric
    created_at: datetime

    @classmethod
    def of(cls, project: Project) -> Self:
        """Return a project as a list has it."""
        rubric = ProjectRubric(slug=project.rubric.slug, version=project.rubric.version)
        return cls(
            slug=project.slug,
            title=project.title,
            status=Project.Status(project.status),
            archived=project.archived_at is not None,
            rubric=rubric,
            created_at=project.created_at,
        )


class ProjectProgress(BaseModel):
    """How far a project is, without dropped items and their ratings."""

    items: int
    finished: int = Field(description="items that have all the ratings they want")
    ratings: int = Field(description="ratings that fill a place")
    wanted: int = Field(description="ratings that the items want")
    left: int = Field(description="ratings still wanted in open batches")
    dropped_items: int

    @classmethod
    def of(cls, figures: ProjectFigures) -> Self:
        """Return the figures as the API has them."""
        return cls(
            items=figures.items,
            finished=figures.finished,
            ratings=figures.counted,
            wanted=figures.wanted,
            left=figures.left,
            dropped_items=figures.dropped,
        )


class ProjectForecast(BaseModel):
    """When the ratings left will be there, from the last days of work."""

    ratings_a_day: float
    done: date | None = Field(description="null: too far away to say")
    earliest: date | None
    latest: date | None


class ProjectReport(ListedProject):
    """A project with its progress and forecast."""

    wanted: int = Field(description="ratings that an item gets")
    progress: ProjectProgress
    today: int = Field(description="ratings of today")
    forecast: ProjectForecast | None = Field(
        description="null: too few days tell, or no rating is left"
    )
    lacking: int = Field(description="ratings that can’t come, because too few people rate")

    @classmethod
    def of_row(cls, row: ProjectRow) -> Self:
        """Return the row of a lead's start page as the API has it."""
        project = row.project
        forecast = None
        if row.forecast:
            forecast = ProjectForecast(
                ratings_a_day=row.forecast.a_day,
                done=row.forecast.done,
                earliest=row.forecast.earliest,
                latest=row.forecast.latest,
            )
        return cls(
            **ListedProject.of(project).model_dump(),
            wanted=project.wanted,
            progress=ProjectProgress.of(row.progress),
            today=row.today,
            forecast=forecast,
            lacking=row.shortage.ratings if row.shortage else 0,
        )


@router.get("/projects", response=Page[ListedProject])
def list_projects(request: ApiCall, paging: Annotated[Paging, Query()]) -> Page[ListedProject]:
    """List the projects that the token reaches, in the order in which they were made."""
    return paged(request, request.auth.projects, paging, "projects", ListedProject.of)


class ProjectToMake(BaseModel, extra="forbid"):
    """A new project."""

    title: str
    rubric: str = Field(description="the slug of a rubric that new projects can have")
    wanted: int = Field(3, description="ratings that an item gets")
    settings: JsonObject = Field({}, description="as on the page of settings, by name")


@router.post("/projects", response={201: ListedProject}, auth=WRITES)
def make_project(request: ApiCall, to_make: Annotated[ProjectToMake, Body()]) -> ListedProject:
    """Make a project, which the token's owner leads. Only a token for all projects may."""
    owner = request.auth.owner
    is_for_all = request.auth.token.project_id is None
    if not (is_for_all and Project.objects.may_be_made_by(owner)):
        detail = "Only a token for all projects of its owner makes one."
        raise Problem(ProblemKind.FORBIDDEN, detail)
    keys = {template.rubric.slug: key for key, template in project_templates().items()}
    if to_make.rubric not in keys:
        allowed = f"one of {', '.join(sorted(keys))}"
        raise invalid([ValueFault(to_make.rubric, allowed, "Correct it.", pointer="/rubric")])
    values = {"title": to_make.title, "rubric": keys[to_make.rubric], "wanted": to_make.wanted}
    form = NewProjectForm(values)
    if not form.is_valid():
        raise invalid_form(form)
    project = form.make(by=owner, now=timezone.now())
    _apply(project, to_make.settings)
    return ListedProject.of(project)


def _apply(project: Project, settings: JsonObject) -> None:
    """Change settings of a project as their page does. Raise Problem if one can't be taken."""
    usual = SettingsForm(instance=project)
    faults = []
    for name, value in settings.items():
        if name not in usual.fields:
            allowed = f"one of {', '.join(usual.fields)}"
            pointer = f"/settings/{escaped(name)}"
            faults.append(ValueFault(value, allowed, "Correct its name.", pointer=pointer))
    if faults:
        raise invalid(faults)
    form = SettingsForm(_as_posted(usual, settings), instance=copy(project))
    if not form.is_valid():
        raise invalid_form(form, within="/settings")
    if changes := form.changes():
        project.change(**changes)


def _as_posted(settings_form: SettingsForm, settings: JsonObject) -> QueryDict:
    """Return what a browser would post after some settings were changed on the page."""
    posted = QueryDict(mutable=True)
    for name, field in settings_form.fields.items():
        before = settings_form.get_initial_for_field(field, name)
        posted.setlist(settings_form.add_initial_prefix(name), _texts(before))
        posted.setlist(name, _texts(settings.get(name, before)))
    return posted


def _texts(value: object) -> list[str]:
    """Return what a form posts for a value."""
    if value is None or value is False:
        return []
    return [str(part) for part in (value if isinstance(value, list) else [value])]


@router.get("/projects/{slug:slug}", response=ProjectReport)
def get_project(request: ApiCall, slug: str) -> ProjectReport:
    """Return a project with its progress and forecast."""
    project = request.auth.project(slug)
    [row] = rows_of([project], timezone.now())
    return ProjectReport.of_row(row)
