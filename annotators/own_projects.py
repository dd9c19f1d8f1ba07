"""The projects that one rates in: how far one is in each, and where there is something to rate.

All projects together take a fixed number of queries, and none of them reads ratings.
"""

from dataclasses import dataclass
from datetime import datetime

from config.web.people import User
from rubrics.outline import Outline, outline
from tasks.models import Draft, Lease, Project, ReturnedRating, Workday
from tasks.pace import Pace
from tasks.queue.availability import outlook, prospects

from .progress import about


@dataclass(frozen=True, slots=True)
class OwnProject:
    """A project as its annotator's start page shows it."""

    project: Project
    pace: Pace
    left: int  # items to rate, today if there is a daily limit
    held: str  # the item that they hold, by name; "" for none
    half_done: str  # an item with a draft, by name; "" for none
    # "" if there is something to rate, else the project's status if it is not open, "daily" if the
    # day's limit is reached, "empty", "done", or "none" if only others can rate what is left.
    state: str

    @property
    def can_rate(self) -> bool:
        return bool(self.held) or not self.state

    @property
    def is_new(self) -> bool:
        """True if they have neither rated nor begun an item here, and can begin."""
        return not (self.pace.rated or self.held or self.half_done or self.state)

    @property
    def outline(self) -> Outline:
        return outline(self.project.rubric.schema)

    @property
    def time_left(self) -> str:
        """The time for the items left, in words; "" without an estimate."""
        time = self.pace.time_for(self.left)
        return about(*time) if time and self.can_rate else ""

    @property
    def bar(self) -> str:
        """The share of the items rated, as the width of an SVG element."""
        return f"{min(100, 100 * self.pace.rated / max(1, self.pace.items)):.2f}%"


def next_project(annotator: User, project: Project, now: datetime) -> OwnProject | None:
    """Return another project in which the annotator gets an item now, or None.

    The queue itself is asked, so that no two projects send their annotator to each other.
    """
    others = (row for row in own_projects(annotator, now) if row.project != project)
    return next(
        (
            row
            for row in others
            if row.held or (row.can_rate and outlook(row.project, annotator, now).is_work)
        ),
        None,
    )


def own_projects(annotator: User, now: datetime) -> list[OwnProject]:
    """Return the projects that one rates in: first what one has begun, then what is to be rated."""
    projects = list(
        Project.objects.rated_by(annotator)
        .in_use()
        .select_related("rubric")
        .defer("rubric__dimensions", "rubric__guidance")
    )
    paces = Workday.objects.paces(annotator, projects, now)
    found = prospects(projects, annotator, now)
    held = {
        lease.project_id: lease.item.external_id
        for lease in Lease.objects.held_anywhere(annotator, now)
    }
    drafts = {
        draft.project_id: draft.item.external_id
        for draft in Draft.objects.half_done(annotator).select_related("item").reverse()
    }
    returned = set(ReturnedRating.objects.waiting_of(annotator).values_list("project", flat=True))
    rows = [
        _own(
            project,
            paces[project.pk],
            *found[project.pk],
            project.pk in returned,
            held.get(project.pk, ""),
            drafts.get(project.pk, ""),
        )
        for project in projects
    ]
    return sorted(rows, key=lambda row: (not row.held, not row.can_rate))


def _own(
    project: Project,
    pace: Pace,
    left: int,
    offered: bool,
    returned: bool,
    held: str,
    half_done: str,
) -> OwnProject:
    state = ""
    today = None if project.most_daily is None else max(0, project.most_daily - pace.today)
    if project.status != Project.Status.OPEN:
        state = str(project.status)
    elif not (returned or offered or held):
        state = "none" if pace.rated < pace.items else "done" if pace.items else "empty"
    elif today == 0 and not returned:  # what came back is handed out whatever the day's limit
        state = "daily"
    left = left if today is None else min(left, today)
    return OwnProject(project, pace, left, held, half_done, state)
