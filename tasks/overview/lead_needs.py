"""The lines of a project that need its lead."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tasks.models import Invitation, Project
from tasks.models.concerns import WaitingConcerns
from tasks.models.open_cases import OpenCases, counted_open_cases
from tasks.models.progress import ProjectFigures
from tasks.overview.people_rows import PersonRow
from tasks.overview.shortage import Shortage


@dataclass(frozen=True, slots=True)
class LeadNeeds:
    """All that needs the lead: each is a line with one verb."""

    nobody: bool  # items want ratings, and nobody rates
    shortage: Shortage | None
    faster: list[PersonRow]
    stopped: list[PersonRow]
    undelivered: list[Invitation]
    ending: list[Invitation]
    concerns: WaitingConcerns
    cases: OpenCases

    @property
    def number(self) -> int:
        """The number of lines."""
        invitations = (self.undelivered, self.ending)
        single_lines = (self.nobody, self.shortage, self.concerns.oldest, self.cases, *invitations)
        single_number = sum(map(bool, single_lines))
        return len(self.faster) + len(self.stopped) + single_number


def needs_of(
    project: Project,
    progress: ProjectFigures,
    person_rows: Sequence[PersonRow],
    shortage: Shortage,
    now: datetime,
) -> LeadNeeds:
    """Return what needs the lead."""
    is_closed = project.status == Project.Status.CLOSED
    are_any = any(person.may_rate for person in person_rows)
    undelivered = list(project.invitations.not_delivered(now))
    # One that was not delivered and runs out is named once.
    ending = [row for row in project.invitations.ending(now) if row not in undelivered]
    faster = [person for person in person_rows if person.faster]
    stopped = [person for person in person_rows if person.has_stopped]
    return LeadNeeds(
        nobody=bool(progress.unfinished) and not is_closed and not are_any,
        shortage=shortage if shortage.ratings else None,
        faster=faster,
        stopped=stopped,
        undelivered=undelivered,
        ending=ending,
        concerns=project.concerns.waiting(),
        cases=counted_open_cases(project),
    )
