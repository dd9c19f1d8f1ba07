"""The members of a project, one row a person: what they are, and what they did in it."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import get_user_model

from config.web.people import User
from rubrics.schema import Dimension
from tasks.agreement.results import last_result
from tasks.exporting.filters import pseudonyms_of
from tasks.models import Project
from tasks.models.progress import progress_of
from tasks.overview.people import Person, people_of


@dataclass(frozen=True, slots=True)
class Member:
    """A person with a role in a project. Nothing here comes from other projects."""

    user: User
    role: str  # a role, or "both"
    figures: Person | None  # None: does not rate here
    hours: float
    pseudonym: str  # "" until they have rated


def members_of(project: Project, dimension: Dimension, now: datetime) -> list[Member]:
    """Return the members by name. `dimension`: of α with others."""
    roles: dict[int, set[str]] = {}
    for user, role in project.memberships.values_list("user", "role"):
        roles.setdefault(user, set()).add(role)
    ratings = project.workdays.ratings_by_day()
    days = {each.annotator_id: each for each in project.workdays.latest_of_each()}
    kept = last_result(project, dimension) or {}
    found = people_of(project, progress_of(project), ratings, days, now, figures=kept, means={})
    figures = {each.key: each for each in found}
    pseudonyms = pseudonyms_of(project)
    seconds = {key: spent for key, (_n, spent, _day) in project.workdays.sums().items()}
    people = get_user_model().objects.filter(pk__in=roles)
    return [
        Member(
            user=user,
            role="both" if len(roles[user.pk]) > 1 else next(iter(roles[user.pk])),
            figures=figures.get(user.pk),
            hours=seconds.get(user.pk, 0) / 3600,
            pseudonym=pseudonyms.get(user.pk, ""),
        )
        for user in people.order_by(get_user_model().USERNAME_FIELD)
    ]
