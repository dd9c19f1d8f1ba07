"""Projects: what is stored of them, who is in them, and how they change and end."""

import secrets
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User
from config.web.raw_sql import one_row, run
from rubrics.models import Rubric

from .loads import wait_for_loads
from .notices import Notice
from .project_queries import ProjectsOfUser
from .project_settings import ProjectSettings
from .roles import Role
from .wanted_ratings import hold_batch

BEGUN = """
SELECT EXISTS (SELECT FROM tasks_rating WHERE project_id = %(project)s)
  OR EXISTS (SELECT FROM tasks_draft WHERE project_id = %(project)s)
  OR EXISTS (SELECT FROM tasks_corpusanswer WHERE project_id = %(project)s)
  OR EXISTS (SELECT FROM tasks_lease WHERE project_id = %(project)s AND status = 'live'
    AND expires_at > %(now)s)
"""
# Items and dropped items, and people with a role. All pages of a project show them.
SIZES = """
SELECT coalesce(sum(size - dropped), 0)::int, coalesce(sum(dropped), 0)::int,
  (SELECT count(DISTINCT user_id) FROM tasks_membership WHERE project_id = %(project)s)
FROM tasks_batch WHERE project_id = %(project)s
"""
UNOPENED = """
SELECT NOT EXISTS (SELECT FROM tasks_lease WHERE project_id = %(project)s)
  AND NOT EXISTS (SELECT FROM tasks_draft WHERE project_id = %(project)s)
  AND NOT EXISTS (SELECT FROM tasks_rating WHERE project_id = %(project)s AND kind <> 'imported')
  AND NOT EXISTS (SELECT FROM tasks_concern WHERE project_id = %(project)s)
  AND NOT EXISTS (SELECT FROM tasks_scoredecision WHERE project_id = %(project)s)
  AND NOT EXISTS (SELECT FROM tasks_corpusanswer
    WHERE project_id = %(project)s AND annotator_id IS NOT NULL)
"""


def new_seed() -> int:
    """Return a random seed."""
    return secrets.randbits(31)


class ProjectSizes(NamedTuple):
    """The numbers in the head of every page of a project."""

    items: int = 0
    dropped: int = 0
    people: int = 0


class ProjectQuerySet(ProjectsOfUser["Project"]):
    """Queries of projects."""


class Project(ProjectSettings):
    """Items rated by one version of a rubric."""

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(_("Title"), max_length=200)
    status = models.CharField(_("Status"), max_length=12, choices=Status, default=Status.OPEN)
    # An archived project is closed, and on no start page.
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    # Everything random in the project depends on it, such as the order of responses and samples.
    seed = models.PositiveIntegerField(default=new_seed)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    created_at = models.DateTimeField()
    # Drawn for each form that makes a project, so that two clicks make one; "" without a form.
    form_key = models.CharField(
        max_length=32, blank=True, default="", db_default="", editable=False
    )

    objects = ProjectQuerySet.as_manager()

    class Meta(ProjectSettings.Meta):
        ordering = ("title",)
        constraints = (
            *ProjectSettings.Meta.constraints,
            models.CheckConstraint(
                condition=Q(archived_at=None) | Q(status="closed"),
                name="an_archived_project_is_closed",
            ),
            models.UniqueConstraint(
                fields=("created_by", "form_key"),
                condition=~Q(form_key=""),
                name="a_form_makes_one_project",
            ),
        )

    # Set by `for_lead_pages` and `project_to_settle` alone.
    led_as: int | None
    newer_version: int | None
    # Set by `project_to_settle`: its user settles cases, and leads nothing here.
    as_adjudicator = False

    def __str__(self) -> str:
        return self.title

    @property
    def status_in_words(self) -> str:
        return gettext("archived") if self.archived_at else self.get_status_display()

    @property
    def item_count(self) -> int:
        """Return the number of items, without dropped ones."""
        return self._sizes.items

    @property
    def dropped_count(self) -> int:
        """Return the number of dropped items."""
        return self._sizes.dropped

    @property
    def people_count(self) -> int:
        """Return the number of people with a role in the project."""
        return self._sizes.people

    @cached_property
    def _sizes(self) -> ProjectSizes:
        row = one_row(SIZES, {"project": self.pk})
        return ProjectSizes(*row) if row else ProjectSizes()

    @cached_property
    def has_imported(self) -> bool:
        """Return True if ratings came from a file."""
        return self.rating_files.exists()

    @cached_property
    def has_slots(self) -> bool:
        """Return True if some raters of files are slots, see `ImportedRater`."""
        return self.has_imported and self.raters.filter(is_slot=True).exists()

    @property
    def breaking_ratings(self) -> int:
        """Return how many ratings count that break a rule."""
        return self.ratings.counting().breaking_rules().count() if self.has_imported else 0

    @property
    def counted_kinds(self) -> tuple[str, ...]:
        """Return the kinds of ratings that figures count."""
        return ("counted",) if self.imported == self.Imported.APART else ("counted", "imported")

    def write_clause(self, clause: str, text: str, *, by: User, now: datetime) -> None:
        """Store the source's own text of a clause; a blank one takes it away."""
        if text.strip():
            entry = {"text": text, "written_by": by, "written_at": now}
            self.clause_texts.update_or_create(clause=clause, defaults=entry)
        else:
            self.clause_texts.filter(clause=clause).delete()

    def admit(
        self,
        user: User,
        *,
        role: str,
        by: User | None = None,
        now: datetime | None = None,
    ) -> bool:
        """Give a user a role, and tell them. Return False if they already have it.

        Only a role that they take themselves, or that an admin gives, is one that they agreed to.
        """
        agreed = by is None or by == user or by.is_superuser
        with transaction.atomic():
            membership, is_new = self.memberships.get_or_create(
                user=user, role=role, defaults={"agreed": agreed}
            )
            if agreed and not membership.agreed:
                membership.agreed = True
                membership.save(update_fields=["agreed"])
            if is_new and user != by:
                at = now or timezone.now()
                kind = Notice.Kind.ADDED
                notice = Notice(user=user, project=self, kind=kind, words=role, created_at=at)
                Notice.objects.tell(notice)
            return is_new

    def change_roles(self, user: User, roles: Collection[str], *, by: User | None = None) -> bool:
        """Give a user these roles and no others, and keep their work.

        Return False, and change nothing, for the last active lead.
        """
        with transaction.atomic():
            self._lock()
            leads = self.memberships.filter(role=Role.LEAD)
            if Role.LEAD not in roles and leads.filter(user=user).exists():
                if not leads.filter(user__is_active=True).exclude(user=user).exists():
                    return False
                self.invitations.filter(made_by=user).withdraw(now=timezone.now())
            self.memberships.filter(user=user).exclude(role__in=roles).delete()
            for role in roles:
                self.admit(user, role=role, by=by)
            if Role.ANNOTATOR not in roles:
                self.leases.give_back(user, now=timezone.now(), removed=True)
        return True

    def change(self, **changes: Any) -> None:
        """Change the settings of a project, even while people work in it.

        If other ratings are wanted, those that are there stay, even if an item now has more than it
        needs. Leases go on and keep their time; their ratings count if the item still has a place.
        """
        if changes.get("status", self.Status.CLOSED) != self.Status.CLOSED:
            changes["archived_at"] = None
        thresholds = changes.pop("chosen_thresholds", {})
        if thresholds:
            self.change_thresholds(thresholds)
        checks = changes.pop("ticked_checks", {})
        if checks:
            self.change_disputed_checks(checks)
        self.store(**changes)
        # Whatever was changed: this completes an earlier change that was interrupted.
        if sum(batch.apply_settings() for batch in self.batches.all()):
            self.memberships.update(drawn=None)

    def change_thresholds(self, thresholds: Mapping[str, int | None]) -> None:
        """Change from which distance scores differ, of the dimensions named here alone.

        None stands for the usual one.
        """
        with transaction.atomic():
            chosen = {**self._lock().chosen_thresholds, **thresholds}
            remaining = {
                code: threshold for code, threshold in chosen.items() if threshold is not None
            }
            self.store(chosen_thresholds=remaining)

    def change_disputed_checks(self, is_disputed_by_check: Mapping[str, bool]) -> None:
        """Change on which checks a difference is to be settled: on these it is, or is not (False).

        Others stay as they are, also those that only another version of the rubric has.
        """
        with transaction.atomic():
            disputed = set(self._lock().disputed_checks)
            for check, is_disputed in is_disputed_by_check.items():
                if is_disputed:
                    disputed.add(check)
                else:
                    disputed.discard(check)
            self.store(disputed_checks=sorted(disputed))

    def is_introduced_to(self, user: User) -> bool:
        """Return True if an annotator has read the introduction, or there is none."""
        if self.introduced_at is None:
            return True
        return self.memberships.filter(user=user, introduced_at=self.introduced_at).exists()

    def introduce(self, user: User, version: str) -> None:
        """Store that an annotator has read the introduction of a time, the last change of it."""
        if self.introduced_at and version == self.introduced_at.isoformat():
            self.memberships.filter(user=user).update(introduced_at=self.introduced_at)

    def is_begun(self, now: datetime) -> bool:
        """Return True if someone has rated, begun or reserved an item."""
        return one_row(BEGUN, {"project": self.pk, "now": now}) == (True,)

    def move_to_newest_rubric(self, *, now: datetime) -> bool:
        """Take the newest version of the rubric. Return False, and stay, if rating has begun.

        Whoever takes or submits an item meanwhile waits for this or is waited for. Then a lease is
        of the newer version (`queue.allocation`), and a late rating by the older one is refused.
        """
        self.leases.sweep(self, now)
        if not self.take_rubric(Rubric.objects.newest(self.rubric.slug), now=now):
            return False
        for batch in self.batches.all():
            batch.count_applicable()  # so that no page has to
        return True

    @transaction.atomic
    def take_rubric(self, rubric: Rubric, *, now: datetime) -> bool:
        """Take another rubric. Return False, and stay, if rating has begun."""
        self.hold_items()
        if self.is_begun(now) or self.leases.filter(status="live").exists():
            return False
        self.practice_rounds.under_way().update(ended_at=now)  # they count for nothing
        self.store(rubric=rubric)
        return True

    def has_others(self, user: User) -> bool:
        """Return True if anybody else is in the project, or invited."""
        return self.memberships.exclude(user=user).exists() or self.invitations.exists()

    @property
    def is_unopened(self) -> bool:
        """Return True if nobody ever had an item of it, or left anything on one."""
        return one_row(UNOPENED, {"project": self.pk}) == (True,)

    @transaction.atomic
    def remove(self) -> bool:
        """Delete the project with all that is in it, if it is unopened. Return True if it is gone.

        Whoever takes an item at this moment is waited for, or finds none.
        """
        self.hold()
        if not self.is_unopened:
            return False
        for batch in self.batches.all():
            batch.remove()
        for rows in (self.rating_files, self.raters, self.invitations, self.memberships):
            rows.all().delete()
        self.clause_texts.all().delete()
        self.delete()
        return True

    def hold(self) -> None:
        """Lock a project with its batches and items, once no load runs.

        Whoever takes, submits or saves something waits until the transaction ends.
        """
        wait_for_loads(self.pk)
        for batch in self.batches.order_by("pk"):
            hold_batch(batch.pk)
        self.hold_items()

    def hold_items(self) -> None:
        """Lock the project and its items: whoever takes one waits until the transaction ends."""
        # An upload takes this lock before its items can be seen.
        self._lock()
        run("SELECT FROM tasks_item WHERE project_id = %s ORDER BY id FOR UPDATE", [self.pk])

    def change_status(self, status: str) -> None:
        """Pause, close or open the project. Leases go on, and their ratings are taken."""
        self.store(status=status, archived_at=None)

    def archive(self, *, now: datetime) -> None:
        """Close the project and take it from the start pages. Its pages stay where they are."""
        self.store(status=Project.Status.CLOSED, archived_at=now)

    def store(self, **fields: Any) -> None:
        """Store fields under a lock that uploads take too, so that no batch has old values."""
        with transaction.atomic():
            self._lock()
            for name, value in fields.items():
                setattr(self, name, value)
            self.save(update_fields=fields.keys())
            if fields.get("status") == self.Status.OPEN:  # batches loaded meanwhile are ready now
                Notice.objects.tell_of_batches(self.pk, now=timezone.now())

    def _lock(self) -> "Project":
        """Lock the project until the transaction ends, and return it as it is stored."""
        return Project.objects.select_for_update(no_key=True).get(pk=self.pk)
