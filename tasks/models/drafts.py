"""What an annotator has entered of an item and not submitted yet, so that no reload, ended lease,
change of device or restart takes it away."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.db import connection, models
from django.db.models import Q

from .items import Item
from .projects import Project

if TYPE_CHECKING:
    from annotators.models import User

    from .leases import Lease
    from .ratings import Rating

# What belongs to a lease that has its rating, or to a revision that has its correction, is a
# leftover: nobody is shown it, and it is in nobody's way.
LEFT_OVER = """(
  EXISTS (SELECT FROM tasks_lease AS over WHERE over.id = draft.lease_id AND over.status = 'submitted')
  OR EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = draft.corrects_id))"""
# One statement: a draft is written where it stands as its writer last saw it, and otherwise not at
# all. The lease is looked at once more when it can be locked: a submit may be just about to end it.
SAVE = """
INSERT INTO tasks_draft AS draft (project_id, item_id, annotator_id, lease_id, corrects_id, writer, number,
  revision, answers, seen, active_seconds, saved_at, begun_at)
SELECT {of}, %(writer)s, %(number)s, 1, %(answers)s::jsonb, %(seen)s, %(active_seconds)s::int, %(now)s,
  %(begun_at)s::timestamptz
FROM {open}
ON CONFLICT (annotator_id, item_id) DO UPDATE
  SET lease_id = excluded.lease_id, corrects_id = excluded.corrects_id, writer = excluded.writer,
    number = excluded.number,
    revision = draft.revision + 1, answers = excluded.answers, seen = excluded.seen,
    active_seconds = excluded.active_seconds, saved_at = excluded.saved_at,
    begun_at = CASE WHEN draft.corrects_id = excluded.corrects_id
      THEN coalesce(draft.begun_at, excluded.begun_at) ELSE excluded.begun_at END
  WHERE EXISTS (SELECT FROM unnest(%(pages)s::text[], %(numbers)s::int[]) AS page (writer, number)
      WHERE page.writer = draft.writer AND draft.number <= page.number)
    OR (draft.writer <> excluded.writer AND draft.revision = %(based_on)s)
    OR {left_over}
RETURNING revision
"""
SAVE_RATING = SAVE.format(
    of="lease.project_id, lease.item_id, lease.annotator_id, lease.id, NULL::bigint",
    open="tasks_lease AS lease WHERE lease.id = %(lease)s AND lease.status <> 'submitted' FOR SHARE OF lease",
    left_over=LEFT_OVER,
)
SAVE_CORRECTION = SAVE.format(
    of="rating.project_id, rating.item_id, rating.annotator_id, NULL::bigint, rating.id",
    open="""tasks_rating AS rating WHERE rating.id = %(corrects)s
  AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)""",
    left_over=LEFT_OVER,
)


@dataclass(frozen=True, slots=True)
class Writing:
    """Which page writes a draft. `writer`: a name that every page shown has for itself; `number`
    counts what it sends; `based_on`: the revision of the draft that the page was shown with, 0 for
    none. `taken`: the pages before it whose form it has taken over from the browser's keeping, each
    with how much it had sent by then."""

    writer: str
    number: int = 0
    based_on: int = 0
    taken: tuple[tuple[str, int], ...] = ()

    @property
    def pages(self) -> dict[str, int]:
        """How much this page has sent, and each whose form it goes on with, by their names."""
        return dict(self.taken) | {self.writer: self.number}

    def overwrites(self, draft: Draft) -> bool:
        """Whether this page may go on from the draft: it wrote it, or took over the form of the
        page that did, or was shown it as it stands."""
        goes_on = draft.number <= dict(self.taken).get(draft.writer, -1)
        return self.writer == draft.writer or goes_on or self.based_on == draft.revision


class DraftQuerySet(models.QuerySet["Draft"]):
    def save_form(
        self,
        lease: Lease,
        writing: Writing,
        answers: Mapping[str, str],
        *,
        seen: str = "",
        active_seconds: int | None = None,
        now: datetime,
    ) -> int | None:
        """Store a form as it stands; the draft's revision now. None where another page wrote it
        meanwhile, in another window or on another device: then nothing is changed, and both are to
        be shown.

        What a page sent earlier and arrives late changes nothing either; nor does what comes after
        the rating itself, or after the correction."""
        corrects = lease.corrects.pk if lease.corrects else None
        values: dict[str, Any] = {
            "lease": lease.pk,
            "corrects": corrects,
            "writer": writing.writer,
            "number": writing.number,
            "pages": list(writing.pages),
            "numbers": list(writing.pages.values()),
            "based_on": writing.based_on,
            "answers": json.dumps(_storable(answers)),
            "seen": seen,
            "active_seconds": active_seconds,
            "now": now,
            "begun_at": lease.corrects.correction_begun(active_seconds, now)
            if lease.corrects
            else None,
        }
        with connection.cursor() as cursor:
            cursor.execute(SAVE_CORRECTION if corrects else SAVE_RATING, values)
            if row := cursor.fetchone():
                return int(row[0])
        there = self.filter(item=lease.item_id, annotator=lease.annotator_id).first()
        if there is None or (corrects is None and lease.has_rating()):
            return 0
        return there.revision if there.writer == writing.writer else None

    def correction_begun(self, rating: Rating) -> datetime | None:
        """When its annotator began to correct a revision, where that is kept."""
        begun = self.filter(item=rating.item_id, annotator=rating.annotator_id, corrects=rating)
        return begun.values_list("begun_at", flat=True).first()

    def open_of(self, item: Item, annotator: User) -> Draft | None:
        """What someone has entered of an item and not submitted yet."""
        mine = self.filter(item=item, annotator=annotator, corrects__superseded_by=None)
        return mine.exclude(lease__status="submitted").first()

    def discard(self, item: Item, annotator: User, *, writing: Writing | None = None) -> None:
        """Leave a rating as it was: what was begun to correct it goes, since its annotator says so.
        `writing`: only what that page wrote, or one whose form it took over."""
        begun = self.filter(item=item, annotator=annotator, corrects__isnull=False)
        if writing:
            taken = (Q(writer=page, number__lte=number) for page, number in writing.taken)
            begun = begun.filter(reduce(or_, taken, Q(writer=writing.writer)))
        begun.delete()


def _storable(answers: Mapping[str, str]) -> dict[str, str]:
    """Without NUL, which PostgreSQL keeps in no text; at submit the form says what to do about
    it."""
    return {
        name: value.replace("\0", "\N{REPLACEMENT CHARACTER}") for name, value in answers.items()
    }


class Draft(models.Model):
    """The form of an item as an annotator left it: one for each of them. It goes when it has become
    a rating.

    `answers` by field name (tasks.rating_form.fields), in the order drawn for the annotator, which
    is the same in every lease of the item. `seen`: what was remarked already. `lease`: the one
    under which it was written; else `corrects`, the revision of a rating that it was begun to
    correct, at `begun_at`.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="drafts", db_index=False)
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="drafts", db_index=False
    )
    lease = models.ForeignKey(
        "Lease", on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    corrects = models.ForeignKey(
        "Rating", on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    writer = models.CharField(max_length=32)
    number = models.PositiveIntegerField()
    revision = models.PositiveIntegerField()
    answers = models.JSONField()
    seen = models.TextField(blank=True)
    active_seconds = models.PositiveIntegerField(null=True, blank=True)
    saved_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[DraftQuerySet] = DraftQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("annotator", "item"), name="one_draft_of_an_item"),
            models.CheckConstraint(
                condition=Q(lease__isnull=True, corrects__isnull=False)
                | Q(lease__isnull=False, corrects__isnull=True),
                name="a_draft_is_of_a_lease_or_of_a_correction",
            ),
        )

    def __str__(self) -> str:
        return f"{self.item} as {self.annotator} left it"
