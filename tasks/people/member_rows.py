"""The members of a project, a row each, as the page of the people shows them."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import get_user_model

from config.web.people import User
from rubrics.judging.dimension import Dimension
from tasks.agreement.results import last_result
from tasks.exporting.pseudonyms import pseudonyms_of
from tasks.models import Project
from tasks.models.progress import progress_of
from tasks.models.roles import Role
from tasks.overview.people_rows import PeopleFigures, PersonRow, people_of


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member of a project, with nothing of other projects."""

    user: User
    roles: frozenset[str]
    person: PersonRow | None  # None: does not rate here
    hours: float
    pseudonym: str  # "" until they have rated

    @property
    def role(self) -> str:
        """The roles as a choice of `RoleForm`: a lead adjudicates without that role."""
        roles = self.roles
        if Role.LEAD in self.roles:
            roles = self.roles - {Role.ADJUDICATOR}
        return "+".join(sorted(roles))


def members_of(project: Project, dimension: Dimension, now: datetime) -> list[MemberRow]:
    """Return the members by name. `dimension`: the one in which their α is told."""
    roles: dict[int, set[str]] = {}
    for key, role in project.memberships.values_list("user", "role"):
        roles.setdefault(key, set()).add(role)
    figures = PeopleFigures(
        project,
        progress_of(project),
        ratings=project.workdays.ratings_by_day(),
        days=project.workdays.latest_by_annotator(),
        agreement=last_result(project, dimension, names_people=False),
    )
    people = {person.key: person for person in people_of(figures, now)}
    pseudonyms = pseudonyms_of(project, stores=False)
    seconds = project.workdays.seconds_by_annotator()
    accounts = get_user_model()
    name = accounts.USERNAME_FIELD
    rows = []
    for user in accounts.objects.filter(pk__in=roles).only(name, "is_active").order_by(name):
        row = MemberRow(
            user=user,
            roles=frozenset(roles[user.pk]),
            person=people.get(user.pk),
            hours=seconds.get(user.pk, 0) / 3600,
            pseudonym=pseudonyms.get(user.pk, ""),
        )
        rows.append(row)
    return rows
