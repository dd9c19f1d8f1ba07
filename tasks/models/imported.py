"""Raters outside of the program, and the files in which their ratings came."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models, transaction
from django.db.models import ProtectedError, Q
from django.utils.translation import gettext as _

from config.web.people import User
from rubrics.models import Rubric

from .projects import Project

LONGEST_RATER = 150  # characters, as a user name has
# What the first import of ratings makes of a project's settings.
FIRST_IMPORT = {"imported": Project.Imported.PLACES, "wanted": 1}


def names_at_work(project: Project) -> dict[int, str]:
    """Return the names of those who have rated in a project, as `names_of` has them."""
    at_work = project.batch_progress.order_by().values("annotator")
    if not project.has_imported:
        accounts = get_user_model().objects.filter(pk__in=at_work).order_by("username")
        return dict(accounts.values_list("pk", "username"))
    people = {row["annotator"] for row in at_work}
    return names_of(people.union(row.person for row in project.raters.all()))


def names_of(person_numbers: Collection[int]) -> dict[int, str]:
    """Return the names of people by their numbers (`counting.PERSON`), accounts first.

    An imported rater who is not the account of the same name says so.
    """
    accounts = get_user_model().objects.filter(pk__in=person_numbers).order_by("username")
    names = dict(accounts.values_list("pk", "username"))
    user_names = {*names.values()}
    imported = [-number for number in person_numbers if number < 0]
    for rater in ImportedRater.objects.filter(pk__in=imported) if imported else ():
        names[-rater.pk] = rater.name
        if rater.name in user_names:
            names[-rater.pk] = _("%(name)s (imported)") % {"name": rater}
    return names


@transaction.atomic
def count_first_import(project: Project) -> None:
    """Have imported ratings count and fill places, if nothing is rated or leased here."""
    if _is_rated_or_leased(project):  # then nobody has to wait
        return
    project.hold_items()
    if not _is_rated_or_leased(project):
        project.store(**FIRST_IMPORT)


def go_back_before_import(
    project: Project, settings_before: Mapping[str, Any], *, now: datetime
) -> None:
    """Have the rubric and the settings that an import of ratings changed, if nobody rates.

    Settings that a lead has changed since stay.
    """
    project.refresh_from_db()
    if _is_rated_or_leased(project):
        return
    rubric = Rubric.objects.filter(pk__in=[settings_before.get("rubric_id", 0)]).first()
    if rubric:
        project.take_rubric(rubric, now=now)
    if all(getattr(project, name) == value for name, value in FIRST_IMPORT.items()):
        project.change(
            **{name: settings_before[name] for name in FIRST_IMPORT if name in settings_before}
        )


def _is_rated_or_leased(project: Project) -> bool:
    return project.ratings.filter(rater=None).exists() or project.leases.exists()


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
    def display_name(self) -> str:
        """Name under which leads see the rater: of the account, if it is one's."""
        return self.account.get_username() if self.account else self.name

    @property
    def person(self) -> int:
        """Number of the person, as `counting.PERSON` has it."""
        return -self.pk if self.account_id is None else self.account_id


class RatingFileQuerySet(models.QuerySet["RatingFile"]):
    def with_numbers(self) -> Self:
        """Annotate how many ratings are there of each."""
        return self.annotate(number=models.Count("ratings"))


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
    # The rubric that was made from its columns, and which settings of the project the import has
    # changed, as they were before.
    rubric = models.ForeignKey(
        Rubric, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", db_index=False
    )
    before = models.JSONField(default=dict, db_default={})

    objects = RatingFileQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    number: int  # of ratings; set by `with_numbers`

    def __str__(self) -> str:
        return self.file_name

    def keep_changes(self, settings_before: Mapping[str, object]) -> None:
        """Store which of its project's settings the import has changed, as they were before."""
        project = self.project
        for name, value in settings_before.items():
            if value != getattr(project, name):
                self.before[name] = value
        self.rubric = project.rubric if "rubric_id" in self.before else None
        self.save(update_fields=["before", "rubric"])

    @property
    def is_rated_from(self) -> bool:
        """True if someone has rated an item of it since it came, or decided on one.

        If the import changed the project, it is enough that someone had any item.
        """
        if self.before and not self.project.is_unopened:
            return True
        of_file = self.ratings.values("item")
        if self.project.decisions.filter(item__in=of_file).exists():
            return True
        since = self.project.ratings.filter(rater=None, submitted_at__gte=self.created_at)
        return since.filter(item__in=of_file).exists()

    def remove_if_bare(self, now: datetime) -> None:
        """Delete a file that has no rating left, with the people and the rubric that it brought.

        People and a rubric that are needed otherwise stay. If a file came later, the project is as
        before both once that one goes too.
        """
        if self.ratings.exists() or self.answers.exists():
            return
        project = self.project
        rubric = self.rubric
        later = project.rating_files.filter(pk__gt=self.pk).first()
        self.delete()
        project.raters.filter(ratings=None, corpus_answers=None).delete()
        if later:
            later.before |= self.before
            later.rubric = later.rubric or rubric
            later.save(update_fields=["before", "rubric"])
            return
        go_back_before_import(project, self.before, now=now)
        if rubric and not rubric.is_template:
            with suppress(ProtectedError):  # it is needed otherwise
                rubric.delete()
