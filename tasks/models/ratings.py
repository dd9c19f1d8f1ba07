"""Ratings. Append-only: a correction is a new revision, and the old one stays."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import cached_property
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from config.web.people import User
from rubrics.models import Rubric

from .batches import Batch
from .counting import counting, filling
from .imported import ImportedRater, RatingFile
from .items import Item
from .project_settings import TextView
from .projects import Project

# The most time that a browser may claim for a correction before its first change arrives here. It
# is mostly reading, and the server cannot check more.
BEFORE_THE_FIRST_CHANGE = timedelta(minutes=5)

# A search in an annotator's own ratings has no index. The ratings come from the annotator's index
# (`ratings_of_an_annotator`), newest first, and are read one by one until a page is full: 20,000 of
# them with 2 kB of text take 0.3 to 0.5 s if nothing is found. An index of all texts would slow
# down every import and every rating, and the embedded database has none for trigrams (pg_trgm).
#
# All texts as one, made row by row: PostgreSQL never turns subqueries that aggregate into a scan of
# whole tables. The outer row is the first revision of a rating.
CONTAINS_ALL = """(
  SELECT concat_ws(E'\\n', item.external_id, item.position + 1, item.persona::text, item.system,
    item.context, item.reference, item.source,
    (SELECT string_agg(turn ->> 'text', E'\\n') FROM jsonb_array_elements(item.messages) AS turn),
    (SELECT string_agg(response.text, E'\\n') FROM tasks_response AS response
      WHERE response.item_id = item.id),
    (SELECT string_agg(concat_ws(E'\\n', own.comment, placed.comments), E'\\n')
      FROM tasks_rating AS own CROSS JOIN LATERAL (
        SELECT string_agg(placement.comment, E'\\n') AS comments FROM tasks_placement AS placement
        WHERE placement.rating_id = own.id) AS placed
      WHERE own.item_id = item.id AND own.annotator_id = tasks_rating.annotator_id))
  FROM tasks_item AS item WHERE item.id = tasks_rating.item_id
) ILIKE ALL (%s::text[])"""


# The columns of an imported rating, and of one by an account.
IS_IMPORTED = Q(kind="imported")
OF_A_FILE = Q(
    kind="imported",
    annotator__isnull=True,
    rater__isnull=False,
    file__isnull=False,
    line__isnull=False,
)
OF_AN_ACCOUNT = Q(
    annotator__isnull=False,
    rater__isnull=True,
    file__isnull=True,
    line__isnull=True,
    elapsed_seconds__isnull=False,
    started_at__isnull=False,
    submitted_at__isnull=False,
)
IS_FIRST = Q(revision=1, supersedes=None)
IS_LATER = Q(revision__gt=1, supersedes__isnull=False)
CAME_AT = Coalesce("file__created_at", "submitted_at")  # since when a rating is here
COUNTING_ALONE = counting("tasks_rating").as_string()
FILLING_ALONE = filling("tasks_rating").as_string()


class RatingQuerySet(models.QuerySet["Rating"]):
    def filling(self) -> Self:
        """Return the ratings that fill a place of their item, be it dropped or not."""
        fills = RawSQL(FILLING_ALONE, [], models.BooleanField())  # noqa: S611 - constant
        return self.filter(fills)

    def counting(self) -> Self:
        """Return the ratings that count in figures and exports: none of a dropped item."""
        counts = RawSQL(COUNTING_ALONE, [], models.BooleanField())  # noqa: S611 - constant
        return self.filter(counts)

    def imported(self) -> Self:
        """Return the ratings that came in a file."""
        return self.filter(rater__isnull=False)

    def breaking_rules(self) -> Self:
        """Return the imported ratings that have a score which breaks a rule."""
        return self.imported().filter(scores__breaks__len__gt=0).distinct()

    def items_by_rater(self) -> dict[int, int]:
        """Return how many items each imported rater rated, without those that their account rated.

        The keys are the raters' primary keys.
        """
        of_account = Rating.objects.filter(
            item=OuterRef("item"),
            annotator=OuterRef("rater__account"),
            kind=Rating.Kind.COUNTED,
        )
        alone = self.imported().filter(~Exists(of_account)).order_by().values_list("rater")
        return dict(alone.annotate(models.Count("item", distinct=True)))

    def current(self) -> Self:
        """Return the ratings that no later revision supersedes."""
        return self.filter(superseded_by=None)

    def by(self, annotator: User) -> Self:
        """Return the ratings of an annotator."""
        return self.filter(annotator=annotator)

    def of_person(self, user: User) -> Self:
        """Return the ratings of a person: their own, and those in a file that are theirs."""
        return self.filter(Q(annotator=user) | Q(rater__account=user))

    def first_of(self, annotator: User, project: Project) -> Self:
        """Return the first revisions of an annotator's ratings in a project, newest first.

        A correction does not move a rating in this list. The index `ratings_of_an_annotator` has
        the same order.
        """
        return self.filter(annotator=annotator, project=project, revision=1).order_by("-pk")

    def saying(self, words: Collection[str]) -> Self:
        """Return the ratings that contain all these words in the item or the comments.

        The search ignores case. It reads every rating, so narrow it to one annotator first.
        """
        if not words:
            return self
        patterns = [f"%{_literally(word)}%" for word in words]
        contains = RawSQL(CONTAINS_ALL, [patterns], output_field=models.BooleanField())  # noqa: S611 - constant; words are parameters
        return self.filter(contains)

    def not_sure_of(self) -> Self:
        """Return the ratings whose latest revision their annotator marked as not sure."""
        latest = Rating.objects.current().filter(
            item=OuterRef("item"),
            annotator=OuterRef("annotator"),
            attempt=OuterRef("attempt"),
            not_sure=True,
        )
        return self.filter(Exists(latest))

    def revisions_of(self, rating: Rating) -> Self:
        """Return all revisions of a rating, first to last."""
        return self.filter(
            item=rating.item_id,
            annotator=rating.annotator_id,
            rater=rating.rater_id,
            attempt=rating.attempt,
        ).order_by("revision")

    def lock_latest(self, rating: Rating) -> Rating:
        """Return the latest revision of a rating, locked until the transaction ends."""
        latest_first = self.revisions_of(rating).reverse().select_related("project", "item__batch")
        return latest_first.select_for_update(of=("self",), no_key=True)[0]


def _literally(word: str) -> str:
    """Escape the special characters of LIKE."""
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


class Rating(models.Model):
    """One annotator's rating of one item in one attempt.

    Its `placements` store the order in which the responses were shown.
    """

    class Kind(models.TextChoices):
        COUNTED = "counted", _("counted")  # fills one of the places that the project wants
        # Stored, but fills no place because it came after its lease had ended. See `Extra`.
        EXTRA = "extra", _("extra")
        # Rated outside, and read from a file. `counting` says when it counts.
        IMPORTED = "imported", _("imported")

    class Extra(models.TextChoices):
        """The reasons why a rating is extra, as its annotator reads them after a colon."""

        AGAIN = "again", _("you had already rated this item, and your first rating counts")
        DROPPED = "dropped", _("the lead has dropped the item")
        FULL = "full", _("when it came, the item wanted no more ratings")
        LATE = "late", _("your time for the item had ended more than 14 days before")
        REMOVED = "removed", _("you no longer rated in the project")

    # `project`, `item` and `annotator` need no index of their own: others below begin with them.
    project = models.ForeignKey(
        Project,
        on_delete=models.PROTECT,
        related_name="ratings",
        db_index=False,
    )
    item = models.ForeignKey(
        Item,
        on_delete=models.PROTECT,
        related_name="ratings",
        db_index=False,
    )
    # Who rated: an account here or, of an imported rating, somebody in a file.
    annotator: models.ForeignKey[User, User] = models.ForeignKey(  # type: ignore[misc]
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="ratings",
        db_index=False,
        null=True,
        blank=True,
    )
    rater = models.ForeignKey(
        ImportedRater,
        on_delete=models.PROTECT,
        related_name="ratings",
        db_index=False,
        null=True,
        blank=True,
    )
    file = models.ForeignKey(
        RatingFile,
        on_delete=models.PROTECT,
        related_name="ratings",
        db_index=False,
        null=True,
        blank=True,
    )
    line = models.PositiveIntegerField(null=True, blank=True)  # of the file
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="ratings")
    lease = models.OneToOneField(
        "tasks.Lease",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="rating",
    )
    attempt = models.PositiveSmallIntegerField(default=0)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.COUNTED)
    # The reason at the time of the submit.
    extra_because = models.CharField(
        max_length=12, choices=Extra, blank=True, default="", db_default=""
    )
    revision = models.PositiveSmallIntegerField(default=1)
    supersedes = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="superseded_by",
    )
    comment = models.TextField(blank=True)
    # The annotator's note to themselves: shown, listed and exported to nobody else.
    not_sure = models.BooleanField(default=False, db_default=False)
    # A hash of the answers. It recognises the same submission when it is sent again.
    fingerprint = models.CharField(max_length=64, blank=True, default="", db_default="")
    asked = models.JSONField(default=dict, blank=True)
    # At the submit; empty if the desk did not send it.
    view = models.CharField(
        max_length=12,
        choices=TextView,
        blank=True,
        default="",
        db_default="",
    )
    # Time with the page visible and in use, as the browser measured it; None if it did not.
    active_seconds = models.PositiveIntegerField(null=True, blank=True)
    # These three are None if it is imported and the file does not have them.
    elapsed_seconds = models.PositiveIntegerField(null=True, blank=True)
    # The start of the lease, or of the correction.
    started_at: models.DateTimeField[datetime, datetime] = models.DateTimeField(  # type: ignore[misc]
        null=True, blank=True
    )
    submitted_at: models.DateTimeField[datetime, datetime] = models.DateTimeField(  # type: ignore[misc]
        null=True, blank=True
    )

    objects = RatingQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("item", "annotator", "attempt", "revision"),
                name="an_annotator_rates_an_item_once_in_an_attempt",
            ),
            models.UniqueConstraint(
                fields=("item", "rater", "attempt", "revision"),
                condition=Q(rater__isnull=False),
                name="an_imported_rater_rates_an_item_once_in_an_attempt",
            ),
            models.CheckConstraint(
                condition=OF_A_FILE | (~IS_IMPORTED & OF_AN_ACCOUNT),
                name="a_rating_is_an_accounts_or_came_in_a_file",
            ),
            models.CheckConstraint(
                condition=IS_FIRST | IS_LATER, name="a_later_revision_supersedes_one"
            ),
            models.CheckConstraint(
                condition=~Q(kind="counted") | Q(attempt=0),
                name="what_counts_is_of_the_first_attempt",
            ),
            models.CheckConstraint(
                condition=Q(view__in=("", "text", "rendered", "difference")),
                name="a_rating_was_made_in_a_view_that_there_is",
            ),
        )
        indexes = (
            models.Index(fields=("project", "id"), name="ratings_of_a_project"),
            models.Index(fields=("annotator", "project", "id"), name="ratings_of_an_annotator"),
            models.Index(
                fields=("rater", "item"),
                condition=Q(rater__isnull=False),
                name="ratings_of_an_imported_rater",
            ),
            models.Index(
                fields=("file",), condition=Q(file__isnull=False), name="ratings_of_a_file"
            ),
        )

    # Set by `store`: the lead wants the annotator to look at it again.
    comes_back: bool = False

    def use_loaded(self, *, project: Project, first: Rating) -> None:
        """Use a project and a first revision that are loaded, so that no query reads them again.

        The item and its batch are loaded, too.
        """
        self.project = self.item.project = self.item.batch.project = project
        self.first_submitted_at = first.submitted_at

    @property
    def why_extra(self) -> str:
        """Reason why the rating does not count."""
        return str(self.Extra(self.extra_because or self.Extra.FULL).label)

    @cached_property
    def first_submitted_at(self) -> datetime:
        """Time at which the first revision was submitted."""
        if self.revision == 1:
            return self.submitted_at
        return Rating.objects.revisions_of(self)[0].submitted_at

    def why_read_only(self, now: datetime) -> str:
        """Return the reason why its annotator may not correct it, or "" if they may.

        All conditions for a correction are here. It is never too late for a rating that came back.
        """
        hours = self.project.correction_hours
        if self.project.status == Project.Status.CLOSED:
            return gettext("The project is closed, so its ratings can’t be changed.")
        if self.item.batch.status == Batch.Status.CLOSED:
            # Do not name the batch. Its name may reveal what an annotator must not know.
            return gettext("The batch is closed, so its ratings can’t be changed.")
        if hours is None or self.waits_for_revision:
            return ""
        if hours == 0:
            return gettext("In this project, ratings can’t be changed once submitted.")
        if self.first_submitted_at + timedelta(hours=hours) <= now:
            return ngettext(
                "Here you can correct a rating for %(hours)s hour. That time is over.",
                "Here you can correct a rating for %(hours)s hours. That time is over.",
                hours,
            ) % {"hours": hours}
        return ""

    def correction_started_at(self, active: int | None, now: datetime) -> datetime:
        """Return the start of a correction whose first change arrives now.

        `active`: the active seconds that the browser reports. They count for a few minutes at most,
        and the start is never before the submit of the revision that is corrected.
        """
        before = min(timedelta(seconds=active or 0), BEFORE_THE_FIRST_CHANGE)
        return min(now, max(self.submitted_at, now - before))

    def lock(self) -> None:
        """Lock the rating against a correction until the transaction ends."""
        Rating.objects.select_for_update(no_key=True).values("pk").get(pk=self.pk)

    @property
    def waits_for_revision(self) -> bool:
        """True if the rating came back and waits for its annotator's answer."""
        returned = getattr(self, "returned", None)
        return returned is not None and returned.settled_at is None
