"""Projects: those that a token reaches, and how far one is."""

from datetime import date, datetime
from typing import Annotated, Self

from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, Field

from tasks.models import Project
from tasks.models.progress import ProjectFigures
from tasks.overview.project_rows import ProjectRow, rows_of

from .authentication import ApiCall
from .cursors import Page, paged
from .parameters import Paging

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


@router.get("/projects/{slug:slug}", response=ProjectReport)
def get_project(request: ApiCall, slug: str) -> ProjectReport:
    """Return a project with its progress and forecast."""
    project = request.auth.project(slug)
    [row] = rows_of([project], timezone.now())
    return ProjectReport.of_row(row)
