"""The members of a project, with what each does."""

from datetime import datetime
from typing import Annotated, Literal, Self

from django.utils import timezone
from ninja import Query, Router
from pydantic import BaseModel, Field

from tasks.models import Membership
from tasks.overview.people_rows import PersonRow
from tasks.people.member_rows import MemberRow, members_of

from .authentication import ApiCall
from .cursors import Page, paged
from .parameters import Paging

router = Router(tags=["people"])

State = Literal[
    "rating",
    "practises",
    "not_started",
    "active",
    "stopped",
    "away",
    "imported",
    "inactive",
]


class ListedMember(BaseModel):
    """A member of a project."""

    name: str | None = Field(
        description="the user name; if the token may not name people, the pseudonym, which is null "
        "until the first rating"
    )
    roles: list[Membership.Role]
    state: State | None = Field(
        description="`rating`: holds an item now. `practises`: before the first item. `active`: "
        "rated today. `stopped`: has items left, and gave no rating for three working days. "
        "`imported`: all ratings came in files. `inactive`: the account is closed. null: does not "
        "rate here"
    )
    rated: int = Field(description="items")
    left: int = Field(description="items that want ratings and may come to them, at most")
    hours: float
    last: datetime | None = Field(description="when the last rating came")

    @classmethod
    def of(cls, member: MemberRow, *, names_people: bool) -> Self:
        """Return the row of the page People as the API has it."""
        person = member.person
        return cls(
            name=member.user.get_username() if names_people else member.pseudonym or None,
            roles=[role for role in Membership.Role if role in member.roles],
            state=_state_of(person) if member.user.is_active else "inactive",
            rated=person.rated if person else 0,
            left=person.left if person else 0,
            hours=round(member.hours, 2),
            last=person.last if person else None,
        )


def _state_of(person: PersonRow | None) -> State | None:
    """Return the state of somebody, in the order of the page."""
    if person is None:
        return None
    if person.is_imported:
        return "imported"
    if person.is_rating:
        return "rating"
    if person.practises:
        return "practises"
    if not person.last:
        return "not_started"
    if person.is_today:
        return "active"
    return "stopped" if person.has_stopped else "away"


@router.get("/projects/{slug:slug}/people", response=Page[ListedMember])
def list_people(
    request: ApiCall, slug: str, paging: Annotated[Paging, Query()]
) -> Page[ListedMember]:
    """List the members of a project, in the order in which they came.

    Their imported ratings count with them. Imported raters who are no members are left out.
    """
    project = request.auth.project(slug)
    members = members_of(project, project.rubric.schema.dimensions[0], timezone.now())
    by_user = {member.user.pk: member for member in members}
    names_people = request.auth.token.names_people

    def listed(membership: Membership) -> ListedMember:
        return ListedMember.of(by_user[membership.user_id], names_people=names_people)

    firsts = project.memberships.firsts().filter(user__in=by_user)
    return paged(request, firsts, paging, f"people of {project.pk}", listed)
