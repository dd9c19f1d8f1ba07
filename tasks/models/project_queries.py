"""The projects of a user: those in which they rate, those that they lead or adjudicate."""

from typing import Self, TypeVar

from django.db import models
from django.db.models.expressions import RawSQL

from config.web.people import User
from rubrics.models import PARSED_COLUMNS

from .memberships import Membership
from .roles import Role

Row = TypeVar("Row", bound=models.Model)

# Each page of a project asks for these. The ORM takes longer to write them than they take to run.
# They name the tables as the ORM does: of the project, and of its rubric by `select_related`.
HAS_IMPORTED = "EXISTS (SELECT FROM tasks_ratingfile WHERE project_id = tasks_project.id)"
LED_AS = """
SELECT id FROM tasks_membership
WHERE project_id = tasks_project.id AND user_id = %s AND role = %s
"""
NEWER_VERSION = """
SELECT max(newer.version) FROM rubrics_rubric AS newer
WHERE newer.slug = rubrics_rubric.slug AND newer.version > rubrics_rubric.version
"""


# The projects that each method returns, by the user's role in them. One may both lead and rate.
#
#                     annotator  lead  adjudicator            admin
#     rated_by        yes        no    no                     those that they rate
#     led_by          no         yes   no                     all
#     for_lead_pages  no         yes   no                     all
#     adjudicated_by  no         no    yes, unless also lead  none: an admin leads all
#     project_to_settle (project_pages.py)
#                     no         yes   yes                    all
class ProjectsOfUser(models.QuerySet[Row]):
    """The projects of a user, by their roles."""

    def rated_by(self, user: User) -> Self:
        """Return the projects in which a user is an annotator."""
        return self._with_member(user, Role.ANNOTATOR).defer("introduction")

    def led_by(self, user: User) -> Self:
        """Return the projects that a user leads; an admin leads all of them."""
        if user.is_superuser:
            return self.all()
        return self._with_member(user, Role.LEAD)

    def led_by_nobody_but(self, user: User) -> Self:
        """Return the projects whose only active lead is this user."""
        leads = Membership.objects.filter(role=Role.LEAD)
        others = leads.filter(user__is_active=True).exclude(user=user)
        led = self.filter(pk__in=leads.filter(user=user).values("project"))
        return led.exclude(pk__in=others.values("project"))

    def adjudicated_by(self, user: User) -> Self:
        """Return the projects whose cases a user settles without leading them."""
        if user.is_superuser:
            return self.none()
        leads = Membership.objects.filter(user=user, role=Role.LEAD)
        adjudicated = self._with_member(user, Role.ADJUDICATOR)
        return adjudicated.exclude(pk__in=leads.values("project"))

    def _with_member(self, user: User, *roles: Role) -> Self:
        memberships = Membership.objects.filter(user=user, role__in=roles)
        return self.filter(pk__in=memberships.values("project"))

    def for_lead_pages(self, user: User) -> Self:
        """Return the projects that a user leads, with what each of their pages needs.

        Annotated: `has_imported`. `led_as`, the primary key of the membership as a lead; None for
        an admin without one. `newer_version`, the last version of the rubric; None if it is in use.
        """
        return self.led_by(user)._with_page_parts(user)

    def _with_page_parts(self, user: User) -> Self:
        """Add what the frame of a project's pages needs, without the long texts of the rubric."""
        projects = self.select_related("rubric")
        long_texts = [f"rubric__{column}" for column in PARSED_COLUMNS]
        has_imported = RawSQL(HAS_IMPORTED, (), models.BooleanField())  # noqa: S611 - constant
        as_lead = (user.pk, Role.LEAD.value)
        led_as = RawSQL(LED_AS, as_lead, models.BigIntegerField())  # noqa: S611 - constant
        newer_version = RawSQL(NEWER_VERSION, (), models.IntegerField())  # noqa: S611 - constant
        return projects.defer(*long_texts).annotate(
            has_imported=has_imported, led_as=led_as, newer_version=newer_version
        )

    def may_be_made_by(self, user: User) -> bool:
        """Return True if a user may create projects: an admin, or the lead of another project.

        The lab's provider may say so of others.
        """
        return user.is_superuser or user.may_start_projects or self.led_by(user).exists()
