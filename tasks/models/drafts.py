"""Drafts: forms that annotators have filled in and not submitted yet.

A draft survives a reload, the end of its lease, a change of device and a restart.
"""

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

# A draft is a leftover if its lease has its rating, or its revision has its correction. It is never
# shown, and no other draft conflicts with it.
LEFT_OVER = """(
  EXISTS (SELECT FROM tasks_lease AS over
    WHERE over.id = draft.lease_id AND over.status = 'submitted')
  OR EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = draft.corrects_id))"""
# One statement saves a draft only if it is still as its writer last saw it. It checks the lease
# again after locking it, because a submit may be just about to end it.
SAVE = """
INSERT INTO tasks_draft AS draft (project_id, item_id, annotator_id, lease_id, corrects_id, writer,
  number, revision, answers, seen, active_seconds, saved_at, begun_at)
SELECT {of}, %(writer)s,
  %(number)s, 1, %(answers)s::jsonb, %(seen)s, %(active_seconds)s::int, %(now)s,
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
    open="""tasks_lease AS lease WHERE lease.id = %(lease)s AND lease.status <> 'submitted'
  FOR SHARE OF lease""",
    left_over=LEFT_OVER,
)
SAVE_CORRECTION = SAVE.format(
    of="rating.project_id, rating.item_id, rating.annotator_id, NULL::bigint, rating.id",
    open="""tasks_rating AS rating WHERE rating.id = %(corrects)s
  AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)""",
    left_over=LEFT_OVER,
)


@dataclass(frozen=True, slots=True)
class DraftVersion:
    """The page that saves a draft, and the version that it started from."""

    writer: str  # a random name for each page view
    number: int = 0  # counts the requests of the page
    based_on: int = 0  # draft revision that the page was loaded with; 0 for none
    # Earlier pages whose form this one restored from the browser's storage, each with the number of
    # its last request.
    taken: tuple[tuple[str, int], ...] = ()

    @property
    def pages(self) -> dict[str, int]:
        """Request numbers of this page and of those whose form it restored, by page name."""
        return dict(self.taken) | {self.writer: self.number}

    def overwrites(self, draft: Draft) -> bool:
        """Return True if this page may overwrite the draft.

        The page wrote the draft, restored the form of the page that did, or was loaded with this
        revision.
        """
        goes_on = draft.number <= dict(self.taken).get(draft.writer, -1)
        return self.writer == draft.writer or goes_on or self.based_on == draft.revision


class DraftQuerySet(models.QuerySet["Draft"]):
    def save_form(
        self,
        lease: Lease,
        writing: DraftVersion,
        answers: Mapping[str, str],
        *,
        seen: str = "",
        active_seconds: int | None = None,
        now: datetime,
    ) -> int | None:
        """Save a form as a draft and return its revision.

        Return None on a conflict: another page has saved the draft meanwhile, in another window or
        on another device. Nothing is changed then, and the caller shows both versions.

        A request also changes nothing if it arrives after a later one of the same page, or after
        the rating or the correction itself.
        """
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
        """Return the time at which the annotator began to correct a revision, if it is stored."""
        begun = self.filter(item=rating.item_id, annotator=rating.annotator_id, corrects=rating)
        return begun.values_list("begun_at", flat=True).first()

    def open_of(self, item: Item, annotator: User) -> Draft | None:
        """Return the annotator's draft of an item, unless it is a leftover."""
        mine = self.filter(item=item, annotator=annotator, corrects__superseded_by=None)
        return mine.exclude(lease__status="submitted").first()

    def discard(self, item: Item, annotator: User, *, writing: DraftVersion | None = None) -> None:
        """Delete the draft of a correction because its annotator gives it up.

        With `writing`, delete it only if that page wrote it, or one whose form it restored.
        """
        begun = self.filter(item=item, annotator=annotator, corrects__isnull=False)
        if writing:
            taken = (Q(writer=page, number__lte=number) for page, number in writing.taken)
            begun = begun.filter(reduce(or_, taken, Q(writer=writing.writer)))
        begun.delete()


def _storable(answers: Mapping[str, str]) -> dict[str, str]:
    """Replace NUL, which PostgreSQL cannot store; the form reports it at submit."""
    return {
        name: value.replace("\0", "\N{REPLACEMENT CHARACTER}") for name, value in answers.items()
    }


class Draft(models.Model):
    """The form of an item as an annotator left it; the submit deletes it.

    An annotator has at most one draft of an item. It belongs to a lease, or to the revision of a
    rating that it `corrects`.
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
    # By field name (tasks.rating_form.fields), in the order drawn for the annotator. The order is
    # the same in every lease of the item.
    answers = models.JSONField()
    seen = models.TextField(blank=True)  # remarks that were already shown
    active_seconds = models.PositiveIntegerField(null=True, blank=True)
    saved_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True, blank=True)  # of a correction

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
