"""Projects and their members."""

import secrets
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from itertools import chain, count
from typing import Any, ClassVar, Self, TypeAlias

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MinValueValidator
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.text import slugify
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User
from config.web.raw_sql import one_row, run
from rubrics import schema
from rubrics.models import PARSED_COLUMNS, Rubric
from rubrics.practice import LEAST, MOST, examples_of
from tasks.fact_checks import SEARCH

from . import roles
from .loads import wait_for_loads
from .notices import Notice
from .wanted_ratings import hold_batch

# A project's URL is /projects/SLUG/. Other pages have these URLs.
RESERVED_SLUGS = frozenset({"new"})
MOST_WANTED = 1_000  # ratings of one item
# Minutes. The desk reports every two minutes that its annotator is at work, and one report may be
# lost on the way.
LEAST_LEASE = 5
# Settings that a duplicate has too.
COPIED = (
    *("overlap_percent", "overlap_wanted", "order", "grouping", "view", "lease_minutes"),
    *("asks_reasons", "most_daily", "most_warned_daily", "search_address", "correction_hours"),
    *("names_annotators", "shows_own_agreement", "introduction", "introduced_at"),
    *("practice", "practice_examples", "practice_near", "practice_tries", "consequences"),
)
LONGEST_INTRODUCTION = 4_000  # characters
LONGEST_SEARCH = 500  # characters of an address
BEGUN = """
SELECT EXISTS (SELECT FROM tasks_rating WHERE project_id = %(project)s)
  OR EXISTS (SELECT FROM tasks_draft WHERE project_id = %(project)s)
  OR EXISTS (SELECT FROM tasks_corpusanswer WHERE project_id = %(project)s)
  OR EXISTS (SELECT FROM tasks_lease WHERE project_id = %(project)s AND status = 'live'
    AND expires_at > %(now)s)
"""


class TextView(models.TextChoices):
    """The ways to show the texts of an item."""

    TEXT = "text", _("as text")  # as written
    RENDERED = "rendered", _("rendered: Markdown, code and formulas")
    # As written, with marks where the responses differ.
    DIFFERENCE = "difference", _("as text, with the differences of the responses")


# An item is shown in one of these at first. The differences are for comparing, not for reading.
FIRST_VIEWS = [(view.value, view.label) for view in (TextView.RENDERED, TextView.TEXT)]
# Items and dropped items, and people with a role. All pages of a project show them.
SIZES = """
SELECT coalesce(sum(size - dropped), 0)::int, coalesce(sum(dropped), 0)::int,
  (SELECT count(DISTINCT user_id) FROM tasks_membership WHERE project_id = %(project)s)
FROM tasks_batch WHERE project_id = %(project)s
"""
# Each page of a project asks for these. The ORM takes longer to write them than they take to run.
HAS_IMPORTED = "EXISTS (SELECT FROM tasks_ratingfile WHERE project_id = tasks_project.id)"
LED_AS = """
SELECT id FROM tasks_membership
WHERE project_id = tasks_project.id AND user_id = %s AND role = %s
"""
NEWER_VERSION = """
SELECT max(newer.version) FROM rubrics_rubric AS newer
WHERE newer.slug = rubrics_rubric.slug AND newer.version > rubrics_rubric.version
"""
UNOPENED = """
SELECT NOT EXISTS (SELECT FROM tasks_lease WHERE project_id = %(project)s)
  AND NOT EXISTS (SELECT FROM tasks_draft WHERE project_id = %(project)s)
  AND NOT EXISTS (SELECT FROM tasks_rating WHERE project_id = %(project)s AND kind <> 'imported')
  AND NOT EXISTS (SELECT FROM tasks_concern WHERE project_id = %(project)s)
  AND NOT EXISTS (SELECT FROM tasks_corpusanswer
    WHERE project_id = %(project)s AND annotator_id IS NOT NULL)
"""


def new_seed() -> int:
    """Return a random seed."""
    return secrets.randbits(31)


class ProjectQuerySet(models.QuerySet["Project"]):
    def rated_by(self, user: User) -> Self:
        """Return the projects in which a user is an annotator."""
        return self.filter(
            pk__in=Membership.objects.filter(user=user, role=Membership.Role.ANNOTATOR).values(
                "project"
            )
        ).defer("introduction")

    def led_by(self, user: User) -> Self:
        """Return the projects that a user leads; an admin leads all of them."""
        if user.is_superuser:
            return self.all()
        return self.filter(
            pk__in=Membership.objects.filter(user=user, role=Membership.Role.LEAD).values("project")
        )

    def shown_to_lead(self, user: User) -> Self:
        """Return the projects that a user leads, with what each of their pages needs.

        Annotated: `has_imported`; `led_as`, the key of the role, None for an admin without one;
        `newer_version` of the rubric, or None.
        """
        key, number = models.BigIntegerField(), models.IntegerField()
        return (
            self.led_by(user)
            .select_related("rubric")
            .defer(*(f"rubric__{column}" for column in PARSED_COLUMNS))
            .annotate(
                has_imported=RawSQL(HAS_IMPORTED, (), models.BooleanField()),  # noqa: S611 - constant
                led_as=RawSQL(LED_AS, (user.pk, roles.Role.LEAD.value), key),  # noqa: S611 - constant
                newer_version=RawSQL(NEWER_VERSION, (), number),  # noqa: S611 - constant
            )
        )

    def may_be_made_by(self, user: User) -> bool:
        """Return True if a user may create projects: an admin, or the lead of another project."""
        return user.is_superuser or self.led_by(user).exists()

    def start(
        self,
        *,
        title: str,
        rubric: Rubric,
        wanted: int,
        slug: str = "",
        settings: Mapping[str, object] | None = None,
        form_key: str = "",
        by: User | None,
        now: datetime,
    ) -> "Project":
        """Create a project, with `by` as its lead.

        Without a slug, make one from the title. The form with this key that was sent before has
        made the project already; return that one.
        """
        project = self.model(
            title=title,
            rubric=rubric,
            wanted=wanted,
            form_key=form_key,
            created_by=by,
            created_at=now,
            **(settings or {}),
        )
        with transaction.atomic():
            # A slug that was free may be taken by now, by a button that was pressed twice.
            for project.slug in (slug,) if slug else self._free_slugs(title):
                try:
                    with transaction.atomic():
                        project.save(force_insert=True)
                    break
                except IntegrityError:
                    if form_key and (made := self.filter(created_by=by, form_key=form_key).first()):
                        return made
                    if slug or not self.filter(slug=project.slug).exists():
                        raise
            if by is not None:
                project.admit(by, role=Membership.Role.LEAD, by=by, now=now)
            return project

    def _free_slugs(self, title: str) -> Iterator[str]:
        base = slugify(title)[:70].strip("-_") or "project"
        taken = {
            *RESERVED_SLUGS,
            *self.filter(slug__startswith=base).values_list("slug", flat=True),
        }
        numbered = (f"{base}-{number}" for number in count(2))
        return (slug for slug in chain([base], numbered) if slug not in taken)


class Project(models.Model):
    """Items rated by one version of a rubric."""

    led_as: int | None  # only from `shown_to_lead`
    newer_version: int | None  # likewise

    class Status(models.TextChoices):
        OPEN = "open", _("open")
        PAUSED = "paused", _("paused")
        CLOSED = "closed", _("closed")

    class Order(models.TextChoices):
        UPLOADED = "uploaded", _("as uploaded")  # by batch and position
        PRIORITY = "priority", _("by the batches’ priority")  # higher first, then as uploaded
        SHUFFLED = "shuffled", _("shuffled, for each annotator differently")  # drawn by the seed

    class Grouping(models.TextChoices):
        """The rules for items with the same conversation, persona, system prompt and context."""

        FREE = "free", _("no rule")
        SPREAD = "spread", _("at most one of a group for each annotator")
        TOGETHER = "together", _("all of a group to the same annotators")

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(_("Title"), max_length=200)

    class Practice(models.TextChoices):
        """The ways in which annotators practise on the rubric's examples."""

        OFF = "off", _("off")
        OFFERED = "offered", _("offered")
        REQUIRED = "required", _("required before the first item")

    class Consequences(models.TextChoices):
        """The times from which annotators see which scores their answers leave open."""

        ALWAYS = schema.Consequences.ALWAYS.value, _("always")
        AFTER = schema.Consequences.AFTER.value, _("after answering")
        NEVER = schema.Consequences.NEVER.value, _("never")

    class Imported(models.TextChoices):
        """The ways in which ratings from files can count."""

        APART = "apart", _("Shown, and counted nowhere")
        COUNTED = "counted", _("Counted in all figures and exports")
        # The project is made of them: they fill the places that their items want.
        PLACES = "places", _("Counted, and an item that has some wants no others")

    # What the first import of ratings makes of the settings.
    FIRST_IMPORT: ClassVar = {"imported": Imported.PLACES, "wanted": 1}

    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="projects")
    status = models.CharField(_("Status"), max_length=12, choices=Status, default=Status.OPEN)
    # An archived project is closed, and on no start page.
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    # Counted ratings for each item. A share of the items, drawn by the seed, gets `overlap_wanted`
    # instead. `Item.wanted` stores the result, which may be higher for other reasons.
    wanted = models.PositiveSmallIntegerField(_("Ratings wanted of each item"), default=3)
    overlap_percent = models.PositiveSmallIntegerField(
        _("Overlap, in percent of the items"), default=0, db_default=0
    )
    overlap_wanted = models.PositiveSmallIntegerField(
        _("Ratings wanted of items in the overlap"), default=3, db_default=3
    )
    order = models.CharField(
        _("Order of the items"),
        max_length=12,
        choices=Order,
        default=Order.UPLOADED,
        db_default="uploaded",
    )
    grouping = models.CharField(
        _("Items with the same conversation"),
        max_length=12,
        choices=Grouping,
        default=Grouping.FREE,
        db_default="free",
    )
    # Annotators can switch it; the membership remembers to what.
    view = models.CharField(
        _("Default text view"),
        max_length=12,
        choices=FIRST_VIEWS,
        default=TextView.RENDERED,
        db_default="rendered",
    )
    lease_minutes = models.PositiveSmallIntegerField(
        _("Minutes for which an item is reserved"),
        default=30,
        validators=[MinValueValidator(LEAST_LEASE)],
    )
    # What the rules decide is the same in all three.
    consequences = models.CharField(
        _("Consequences"),
        max_length=12,
        choices=Consequences,
        default=Consequences.ALWAYS,
        db_default="always",
    )
    # A dimension that has only ticks needs one of them, or "none of these", with its score.
    asks_reasons = models.BooleanField(default=False)
    # The daily limits count the annotator's own days, by their time zone. None: no limit.
    most_daily = models.PositiveSmallIntegerField(
        _("Items per person and day"), null=True, blank=True
    )
    most_warned_daily = models.PositiveSmallIntegerField(
        _("Items with a warning per person and day"), null=True, blank=True
    )
    # What annotators read before their next item, once per change. The desk does not load it.
    introduction = models.TextField(
        _("Introduction"), max_length=LONGEST_INTRODUCTION, blank=True, default="", db_default=""
    )
    introduced_at = models.DateTimeField(null=True, blank=True, editable=False)  # the last change
    practice = models.CharField(
        _("Practice on the rubric’s examples"),
        max_length=12,
        choices=Practice,
        default=Practice.OFF,
        db_default="off",
    )
    practice_examples = models.PositiveSmallIntegerField(
        _("Examples in a round"), default=8, db_default=8
    )
    # A round admits to a project that requires practice with so many scores within one.
    practice_near = models.PositiveSmallIntegerField(
        _("How many scores must be within one"), default=6, db_default=6
    )
    practice_tries = models.PositiveSmallIntegerField(
        _("Rounds in which one can pass"), default=2, db_default=2
    )
    # A URL with {claim} in place of the claim.
    search_address = models.CharField(
        _("Search address for claims"), max_length=LONGEST_SEARCH, default=SEARCH, db_default=SEARCH
    )
    imported = models.CharField(
        _("Ratings from files"),
        max_length=12,
        choices=Imported,
        default=Imported.APART,
        db_default="apart",
    )
    # On the page on agreement. Exports have a choice of their own.
    names_annotators = models.BooleanField(
        _("Name annotators on the agreement page"), default=True, db_default=True
    )
    # To themselves, in `agreement.own`.
    shows_own_agreement = models.BooleanField(
        _("Show annotators how far they agree with the others"), default=False, db_default=False
    )
    # Counted from the first submission. None: as long as the batch is open. 0: no corrections.
    # `Rating.why_read_only` checks this and all other conditions.
    correction_hours = models.PositiveSmallIntegerField(
        _("Hours in which a rating can be corrected"), null=True, blank=True
    )
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

    objects: ClassVar[ProjectQuerySet] = ProjectQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("title",)
        constraints = (
            models.CheckConstraint(
                condition=Q(archived_at=None) | Q(status="closed"),
                name="an_archived_project_is_closed",
            ),
            models.CheckConstraint(
                condition=Q(wanted__gte=1), name="an_item_wants_a_rating_at_least"
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=LEAST_LEASE),
                name="a_lease_lasts_five_minutes_at_least",
            ),
            models.CheckConstraint(
                condition=Q(overlap_percent__lte=100, overlap_wanted__gte=1),
                name="an_overlap_is_of_a_hundred_at_most",
            ),
            models.CheckConstraint(
                condition=Q(practice_examples__range=(LEAST, MOST)),
                name="a_round_has_four_to_twenty_examples",
            ),
            models.CheckConstraint(
                condition=Q(search_address__regex=r"^https?://.*\{claim\}"),
                name="claims_are_looked_up_at_an_address",
            ),
            models.CheckConstraint(
                condition=Q(view__in=("text", "rendered")),
                name="texts_are_shown_as_text_or_rendered",
            ),
            models.CheckConstraint(
                condition=Q(consequences__in=("always", "after", "never")),
                name="consequences_show_always_after_or_never",
            ),
            models.UniqueConstraint(
                fields=("created_by", "form_key"),
                condition=~Q(form_key=""),
                name="a_form_makes_one_project",
            ),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def status_in_words(self) -> str:
        return gettext("archived") if self.archived_at else self.get_status_display()

    @property
    def item_count(self) -> int:
        """Return the number of items, without dropped ones."""
        return int(self._sizes[0])

    @property
    def dropped_count(self) -> int:
        """Return the number of dropped items."""
        return int(self._sizes[1])

    @cached_property
    def _sizes(self) -> tuple[Any, ...]:
        return one_row(SIZES, {"project": self.pk}) or (0, 0, 0)

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

    @property
    def people_count(self) -> int:
        """Return the number of people with a role in the project."""
        return int(self._sizes[2])

    def duplicate(self, *, title: str, form_key: str = "", by: User, now: datetime) -> "Project":
        """Create a project with the same rubric, settings and people, and without items."""
        with transaction.atomic():
            made = Project.objects.start(
                title=title,
                rubric=self.rubric,
                wanted=self.wanted,
                settings={name: getattr(self, name) for name in COPIED},
                form_key=form_key,
                by=by,
                now=now,
            )
            if made.created_at != now:  # the form was sent before
                return made
            for text in self.clause_texts.all():
                made.write_clause(text.clause, text.text, by=by, now=now)
            for membership in self.memberships.select_related("user"):
                made.admit(membership.user, role=membership.role, by=by, now=now)
            return made

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
            membership, is_new = Membership.objects.get_or_create(
                project=self, user=user, role=role, defaults={"agreed": agreed}
            )
            if agreed and not membership.agreed:
                membership.agreed = True
                membership.save(update_fields=["agreed"])
            if is_new and user != by:
                Notice.objects.tell(
                    Notice(
                        user=user,
                        project=self,
                        kind=Notice.Kind.ADDED,
                        words=role,
                        created_at=now or timezone.now(),
                    )
                )
            return is_new

    def change_roles(self, user: User, roles: Collection[str], *, by: User | None = None) -> bool:
        """Give a user these roles and no others, and keep their work.

        Return False, and change nothing, for the last active lead.
        """
        with transaction.atomic():
            Project.objects.select_for_update(no_key=True).get(pk=self.pk)
            leads = self.memberships.filter(role=Membership.Role.LEAD)
            if Membership.Role.LEAD not in roles and leads.filter(user=user).exists():
                if not leads.filter(user__is_active=True).exclude(user=user).exists():
                    return False
                self.invitations.filter(made_by=user).withdraw(now=timezone.now())
            self.memberships.filter(user=user).exclude(role__in=roles).delete()
            for role in roles:
                self.admit(user, role=role, by=by)
            if Membership.Role.ANNOTATOR not in roles:
                self.leases.give_back(user, now=timezone.now(), removed=True)
        return True

    def change(self, **values: Any) -> None:
        """Change the settings of a project, even while people work in it.

        If other ratings are wanted, those that are there stay, even if an item now has more than it
        needs. Leases go on and keep their time; their ratings count if the item still has a place.
        """
        if values.get("status", self.Status.CLOSED) != self.Status.CLOSED:
            values["archived_at"] = None
        self._store(**values)
        # Whatever was changed: this completes an earlier change that was interrupted.
        if sum(batch.apply_settings() for batch in self.batches.all()):
            self.memberships.update(drawn=None)

    @property
    def practice_size(self) -> int:
        """The number of examples in a round; 0 if nobody practises, for want of examples too."""
        there = len(examples_of(self.rubric.schema)) if self.practice != self.Practice.OFF else 0
        return min(self.practice_examples, there) if there >= LEAST else 0

    @property
    def practice_wanted(self) -> int:
        """The number of scores that have to be within one, to pass."""
        return min(self.practice_near, self.practice_size)

    @property
    def offers_practice(self) -> bool:
        """True if annotators can practise."""
        return self.practice_size > 0

    @property
    def asks_practice(self) -> bool:
        """True if annotators practise before their first item."""
        return self.practice == self.Practice.REQUIRED and self.offers_practice

    def is_introduced_to(self, user: User) -> bool:
        """Return True if an annotator has read the introduction, or there is none."""
        if self.introduced_at is None:
            return True
        return self.memberships.filter(user=user, introduced_at=self.introduced_at).exists()

    def introduce(self, user: User, shown: str) -> None:
        """Store that an annotator has read the introduction; `shown`: the time of the one read."""
        if self.introduced_at and shown == self.introduced_at.isoformat():
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
            batch.count_asked()  # so that no page has to
        return True

    @transaction.atomic
    def take_rubric(self, rubric: Rubric, *, now: datetime) -> bool:
        """Take another rubric. Return False, and stay, if rating has begun."""
        self._hold_items()
        if self.is_begun(now) or self.leases.filter(status="live").exists():
            return False
        self.practice_rounds.open().update(ended_at=now)  # they count for nothing
        self._store(rubric=rubric)
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

    @transaction.atomic
    def count_first_import(self) -> None:
        """Have imported ratings count and fill places, if nothing is rated or leased here."""
        if self._is_rated_here:  # then nobody has to wait
            return
        self._hold_items()
        if not self._is_rated_here:
            self._store(**self.FIRST_IMPORT)

    def go_back_before_import(self, before: Mapping[str, Any], *, now: datetime) -> None:
        """Have the rubric and the settings that an import of ratings changed, if nobody rates.

        Settings that a lead has changed since stay.
        """
        self.refresh_from_db()
        if self._is_rated_here:
            return
        rubric = Rubric.objects.filter(pk__in=[before.get("rubric_id", 0)]).first()
        if rubric:
            self.take_rubric(rubric, now=now)
        if all(getattr(self, name) == value for name, value in self.FIRST_IMPORT.items()):
            self.change(**{name: before[name] for name in self.FIRST_IMPORT if name in before})

    @property
    def _is_rated_here(self) -> bool:
        return self.ratings.filter(rater=None).exists() or self.leases.exists()

    def hold(self) -> None:
        """Lock a project with its batches and items, once no load runs.

        Whoever takes, submits or saves something waits until the transaction ends.
        """
        wait_for_loads(self.pk)
        for batch in self.batches.order_by("pk"):
            hold_batch(batch.pk)
        self._hold_items()

    def _hold_items(self) -> None:
        """Lock the project and its items: whoever takes one waits until the transaction ends."""
        # An upload takes this lock before its items can be seen.
        Project.objects.select_for_update(no_key=True).get(pk=self.pk)
        run("SELECT FROM tasks_item WHERE project_id = %s ORDER BY id FOR UPDATE", [self.pk])

    def change_status(self, status: str) -> None:
        """Pause, close or open the project. Leases go on, and their ratings are taken."""
        self._store(status=status, archived_at=None)

    def archive(self, *, now: datetime) -> None:
        """Close the project and take it from the start pages. Its pages stay where they are."""
        self._store(status=Project.Status.CLOSED, archived_at=now)

    def _store(self, **values: Any) -> None:
        """Store fields under a lock that uploads take too, so that no batch has old values."""
        with transaction.atomic():
            Project.objects.select_for_update(no_key=True).get(pk=self.pk)
            for name, value in values.items():
                setattr(self, name, value)
            self.save(update_fields=values.keys())
            if values.get("status") == self.Status.OPEN:  # batches loaded meanwhile are ready now
                Notice.objects.tell_of_batches(self.pk, now=timezone.now())


class Membership(models.Model):
    """A user's role in a project. One person may both lead and rate."""

    Role: TypeAlias = roles.Role

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="memberships",
    )
    role = models.CharField(max_length=12, choices=Role)
    # False: another lead gave the role, and its holder never took an invitation to it. Then the
    # other leads see none of the holder's drafts of rubrics.
    agreed = models.BooleanField(default=True, db_default=True)
    # In a shuffled project: how far an annotator has come in the order drawn for them. One number
    # for each rank of batches: first, in their turn, last.
    drawn = ArrayField(models.PositiveIntegerField(), null=True, blank=True)
    # Of the introduction that an annotator last read.
    introduced_at = models.DateTimeField(null=True, blank=True)
    # The view that an annotator last chose to read in; "" until then.
    view = models.CharField(
        _("Default text view"),
        max_length=12,
        choices=FIRST_VIEWS,
        blank=True,
        default="",
        db_default="",
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "user", "role"), name="a_role_is_held_once"),
            models.CheckConstraint(
                condition=Q(view__in=("", "text", "rendered")),
                name="a_member_chose_text_or_rendered",
            ),
        )
