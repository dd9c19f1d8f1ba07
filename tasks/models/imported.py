"""Raters outside of the program, and the files in which their ratings came."""

from collections.abc import Collection
from datetime import datetime

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _

from config.web.people import User
from rubrics.models import Rubric

from .projects import Project

LONGEST_RATER = 150  # characters, as a user name has


def names_at_work(project: Project) -> dict[int, str]:
    """Return the names of those who have rated in a project, as `names_of` has them."""
    at_work = project.batch_progress.order_by().values("annotator")
    if not project.has_imported:
        accounts = get_user_model().objects.filter(pk__in=at_work).order_by("username")
        return dict(accounts.values_list("pk", "username"))
    people = {row["annotator"] for row in at_work}
    return names_of(people.union(row.person for row in project.raters.all()))


def names_of(people: Collection[int]) -> dict[int, str]:
    """Return the names of people by their numbers (`counting.PERSON`), accounts first.

    An imported rater who is not the account of the same name says so.
    """
    accounts = get_user_model().objects.filter(pk__in=people).order_by("username")
    names = dict(accounts.values_list("pk", "username"))
    imported = [-number for number in people if number < 0]
    raters = ImportedRater.objects.filter(pk__in=imported) if imported else ()
    return names | {
        -rater.pk: _("%(name)s (imported)") % {"name": rater}
        if rater.name in names.values()
        else rater.name
        for rater in raters
    }


class ImportedRater(models.Model):
    """Somebody who rated outside, by the name that files of the project give them.

    If it turns out who it is, `account` says so: then both are shown as one person. A slot is
    no person: rater 1 of each item is somebody else.
    """

    project = models.ForeignKey(
        Project, on_delete=models.PROTECT, related_name="raters", db_index=False
    )
    name = models.CharField(max_length=LONGEST_RATER)
    account: "models.ForeignKey[User | None, User | None]" = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    # A place in each item, such as the first rater's: a different person has it in each of them.
    is_slot = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ("name",)
        constraints = (
            models.CheckConstraint(
                condition=Q(is_slot=False) | Q(account=None), name="a_slot_is_nobodys_account"
            ),
            models.UniqueConstraint(
                fields=("project", "name"), name="a_rater_is_named_once_in_a_project"
            ),
            models.UniqueConstraint(
                fields=("project", "account"),
                condition=Q(account__isnull=False),
                name="an_account_is_one_rater_in_a_project",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def shown(self) -> str:
        """Name under which leads see the rater: of the account, if it is one's."""
        return self.account.get_username() if self.account else self.name

    @property
    def person(self) -> int:
        """Number of the person, as `ratings.PERSON` has it."""
        return -self.pk if self.account_id is None else self.account_id


class RatingFile(models.Model):
    """A file from which ratings were imported."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="rating_files")
    file_name = models.CharField(max_length=255)
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField()
    # Without them, nobody was asked: a tick that is missing says nothing.
    has_checks = models.BooleanField(default=False, db_default=False)
    # The rubric that was made from its columns, and what the project was before, to take it back.
    rubric = models.ForeignKey(
        Rubric, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    before = models.JSONField(default=dict, db_default={})

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.file_name

    def remove_if_bare(self, now: datetime) -> None:
        """Delete a file that has no rating left, with the people and the rubric that it brought.

        People and a rubric that are needed otherwise stay.
        """
        if self.ratings.exists():
            return
        project, rubric = self.project, self.rubric
        self.delete()
        project.raters.filter(ratings=None).delete()
        others = project.rating_files.filter(rubric=rubric)
        if rubric is None or others.exists():
            return
        if project.rubric_id == rubric.pk:
            project.go_back_before_import(self.before, now=now)
        if not (rubric.projects.exists() or rubric.ratings.exists()):
            rubric.delete()
