"""Projects, and who may do what in them."""

from __future__ import annotations

import secrets
from datetime import datetime
from itertools import chain, count
from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from rubrics.models import Rubric
from tasks.fact_checks import SEARCH

from .queue.targets import find_groups, settle_wanted

if TYPE_CHECKING:
    from annotators.models import User


# A project's address is /projects/SLUG/; these lead elsewhere.
RESERVED_SLUGS = frozenset({"new"})
MOST_WANTED = 1_000  # ratings of one item
LONGEST_SEARCH = 500  # characters of an address


class View(models.TextChoices):
    """How the texts of an item are shown: as they were written, or as the page that they mean;
    `difference`: as written, with marks where responses differ."""

    TEXT = "text", _("as text")
    RENDERED = "rendered", _("rendered: Markdown, code and formulas")
    DIFFERENCE = "difference", _("as text, with the differences of the responses")


# What a project may begin with: differences are looked at, not read by.
FIRST_VIEWS = [(view.value, view.label) for view in (View.TEXT, View.RENDERED)]


def new_seed() -> int:
    return secrets.randbits(31)


class ProjectQuerySet(models.QuerySet["Project"]):
    def rated_by(self, user: User) -> Self:
        """The projects in which someone rates."""
        return self.filter(
            pk__in=Membership.objects.filter(user=user, role=Membership.Role.ANNOTATOR).values(
                "project"
            )
        )

    def led_by(self, user: User) -> Self:
        """The projects that someone leads; an admin leads all."""
        if user.is_superuser:
            return self.all()
        return self.filter(
            pk__in=Membership.objects.filter(user=user, role=Membership.Role.LEAD).values("project")
        )

    def may_be_made_by(self, user: User) -> bool:
        """Whether someone may open a project: admins, and whoever leads one already."""
        return user.is_superuser or self.led_by(user).exists()

    def start(
        self,
        *,
        title: str,
        rubric: Rubric,
        wanted: int,
        slug: str = "",
        by: User | None,
        now: datetime,
    ) -> Project:
        """Open a project; whoever opens it leads it. Without a short name it gets one made of the
        title."""
        with transaction.atomic():
            project = self.create(
                slug=slug or self._free_slug(title),
                title=title,
                rubric=rubric,
                wanted=wanted,
                created_by=by,
                created_at=now,
            )
            if by is not None:
                project.admit(by, role=Membership.Role.LEAD)
            return project

    def _free_slug(self, title: str) -> str:
        base = slugify(title)[:70].strip("-_") or "project"
        taken = {
            *RESERVED_SLUGS,
            *self.filter(slug__startswith=base).values_list("slug", flat=True),
        }
        numbered = (f"{base}-{number}" for number in count(2))
        return next(slug for slug in chain([base], numbered) if slug not in taken)


class Project(models.Model):
    """Items rated by one version of a rubric.

    `wanted`: how many counted ratings an item gets; `overlap_percent` of all items, drawn by the
    seed, get `overlap_wanted` instead. Both are written on the items, where other reasons may raise
    them. `order`: by batches and positions; the same, batches of greater priority first; or each
    annotator in an order of their own, drawn by the seed. `grouping`: what becomes of items that
    show the same (conversation, persona, context). `view`: how texts are shown at first; annotators
    switch it for an item. `lease_minutes`: how long an item is lent. `asks_reasons`: a score of a
    dimension that has ticks only needs one, or "none of these". `seed`: everything drawn at random
    in the project (the order of responses, samples) hangs on it. `most_daily`, `most_warned_daily`:
    how many items one person may rate in a day of theirs, and how many with a warning they may
    open; None: as many as there are. `search_address`: where claims are looked up, with `{claim}`
    in their place. `correction_hours`: how long after it was given a rating may be corrected by
    whoever gave it; None: as long as its batch is open, 0: not at all. What else stands in the way,
    `Rating.why_read_only` knows.
    """

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")

    class Order(models.TextChoices):
        UPLOADED = "uploaded", _("as uploaded")
        PRIORITY = "priority", _("by the batches' priority")
        SHUFFLED = "shuffled", _("shuffled, for each annotator differently")

    class Grouping(models.TextChoices):
        FREE = "free", _("no rule")
        SPREAD = "spread", _("at most one of a group for each annotator")
        TOGETHER = "together", _("all of a group to the same annotators")

    slug = models.SlugField(_("Short name"), max_length=80, unique=True)
    title = models.CharField(_("Title"), max_length=200)
    rubric = models.ForeignKey(
        Rubric, on_delete=models.PROTECT, related_name="projects", verbose_name=_("Rubric")
    )
    status = models.CharField(_("Status"), max_length=12, choices=Status, default=Status.OPEN)
    wanted = models.PositiveSmallIntegerField(_("Ratings wanted of each item"), default=3)
    overlap_percent = models.PositiveSmallIntegerField(
        _("Of so many percent of the items"), default=0, db_default=0
    )
    overlap_wanted = models.PositiveSmallIntegerField(
        _("… so many ratings instead"), default=3, db_default=3
    )
    order = models.CharField(
        _("Order of the items"),
        max_length=12,
        choices=Order,
        default=Order.UPLOADED,
        db_default="uploaded",
    )
    grouping = models.CharField(
        _("Items that show the same"),
        max_length=12,
        choices=Grouping,
        default=Grouping.FREE,
        db_default="free",
    )
    view = models.CharField(
        _("Texts are shown at first"),
        max_length=12,
        choices=FIRST_VIEWS,
        default=View.TEXT,
        db_default="text",
    )
    lease_minutes = models.PositiveSmallIntegerField(
        _("An item is lent for so many minutes"), default=30
    )
    asks_reasons = models.BooleanField(_("Scores need a tick, or “None of these”"), default=False)
    most_daily = models.PositiveSmallIntegerField(
        _("Items that one person may rate in a day"), null=True, blank=True
    )
    most_warned_daily = models.PositiveSmallIntegerField(
        _("… and open with a warning"), null=True, blank=True
    )
    search_address = models.CharField(
        _("Claims are looked up at"), max_length=LONGEST_SEARCH, default=SEARCH, db_default=SEARCH
    )
    correction_hours = models.PositiveSmallIntegerField(
        _("Hours in which annotators may correct what they said"), null=True, blank=True
    )
    seed = models.PositiveIntegerField(_("Seed of what is drawn at random"), default=new_seed)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("Created by"),
    )
    created_at = models.DateTimeField(_("Created at"))

    objects: ClassVar[ProjectQuerySet] = ProjectQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("project")
        verbose_name_plural = _("projects")
        ordering = ("title",)
        constraints = (
            models.CheckConstraint(
                condition=Q(wanted__gte=1), name="an_item_wants_a_rating_at_least"
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=1), name="a_lease_lasts_a_minute_at_least"
            ),
            models.CheckConstraint(
                condition=Q(overlap_percent__lte=100, overlap_wanted__gte=1),
                name="an_overlap_is_of_a_hundred_at_most",
            ),
            models.CheckConstraint(
                condition=Q(search_address__regex=r"^https?://.*\{claim\}"),
                name="claims_are_looked_up_at_an_address",
            ),
            models.CheckConstraint(
                condition=Q(view__in=("text", "rendered")),
                name="texts_are_shown_as_text_or_rendered",
            ),
        )

    def __str__(self) -> str:
        return self.title

    def admit(self, user: User, *, role: Membership.Role) -> bool:
        """Give someone a role; whether they had it not yet."""
        return Membership.objects.get_or_create(project=self, user=user, role=role)[1]

    def change(
        self,
        *,
        status: str,
        wanted: int,
        overlap_percent: int,
        overlap_wanted: int,
        order: str,
        grouping: str,
        view: str,
        lease_minutes: int,
        most_daily: int | None = None,
        most_warned_daily: int | None = None,
        search_address: str = "",
        correction_hours: int | None = None,
        now: datetime,
    ) -> None:
        """Set a project that people may be at work in. What is lent stays lent, for as long as it
        was. Without a `search_address` claims are searched where they were."""
        with transaction.atomic():
            Project.objects.select_for_update(no_key=True).get(pk=self.pk)
            self.status, self.order, self.view, self.lease_minutes = (
                status,
                order,
                view,
                lease_minutes,
            )
            self.most_daily, self.most_warned_daily = most_daily, most_warned_daily
            self.search_address = search_address or self.search_address
            self.correction_hours = correction_hours
            limits = ["most_daily", "most_warned_daily", "correction_hours"]
            self.save(
                update_fields=[
                    "status",
                    "order",
                    "view",
                    "lease_minutes",
                    "search_address",
                    *limits,
                ]
            )
        # Also where they are what they were: a change that was broken off is then brought to its
        # end.
        self.change_wanted(
            wanted=wanted, overlap_percent=overlap_percent, overlap_wanted=overlap_wanted, now=now
        )
        self.change_grouping(grouping)

    def change_wanted(
        self, *, wanted: int, overlap_percent: int = 0, overlap_wanted: int = 3, now: datetime
    ) -> None:
        """Ask for more or fewer ratings, of all items, from now on. Nothing that was said is
        touched: items that have more than is wanted keep them, and leases go on, counted where
        there is still a place."""
        with transaction.atomic():
            # Uploads wait for the same row, so that no batch comes in with the numbers of before.
            Project.objects.select_for_update(no_key=True).get(pk=self.pk)
            self.wanted, self.overlap_percent, self.overlap_wanted = (
                wanted,
                overlap_percent,
                overlap_wanted,
            )
            self.save(update_fields=["wanted", "overlap_percent", "overlap_wanted"])
        anything = 0
        for batch in self.batches.all():
            changed = settle_wanted(self, batch.pk)
            # What was passed by may be open again.
            batch.recount(look_from=0 if changed else None)
            anything += changed
        if anything:
            self.memberships.update(drawn=None)

    def change_grouping(self, grouping: str) -> None:
        """Say what becomes of items that show the same; that is looked up now, where it was not
        yet."""
        with transaction.atomic():
            Project.objects.select_for_update(no_key=True).get(pk=self.pk)
            self.grouping = grouping
            self.save(update_fields=["grouping"])
        if grouping != self.Grouping.FREE:
            for batch in self.batches.all():
                find_groups(batch.pk)


class Membership(models.Model):
    """What someone does in a project. One person may both lead and rate."""

    class Role(models.TextChoices):
        ANNOTATOR = "annotator", _("annotator")
        LEAD = "lead", _("lead")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="memberships",
        verbose_name=_("Person"),
    )
    role = models.CharField(_("Role"), max_length=12, choices=Role)
    # How far an annotator has come in the order that is drawn for them, where the project is
    # shuffled. By rank of batches: first, in their turn, last.
    drawn = ArrayField(models.PositiveIntegerField(), null=True, blank=True)

    class Meta:
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints = (
            models.UniqueConstraint(fields=("project", "user", "role"), name="a_role_is_held_once"),
        )

    def __str__(self) -> str:
        return str(self.user)
