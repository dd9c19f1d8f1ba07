"""Drafts: forms that annotators have filled in and not submitted yet.

A draft survives a reload, the end of its lease, a change of device and a restart. One rule covers
all of its changes: a page may save over, or turn into a rating, only the draft that it wrote or was
shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Q

from tasks.submission import DraftVersion

from .items import Item
from .projects import Project

if TYPE_CHECKING:
    from annotators.models import User

    from .leases import Lease
    from .ratings import Rating

# The lock on the lease makes a submit and a save wait for each other: a submit takes it too.
OF_LEASE = """
SELECT lease.project_id, lease.item_id, lease.annotator_id, lease.id, NULL::bigint
FROM tasks_lease AS lease WHERE lease.id = %(lease)s AND lease.status <> 'submitted'
FOR SHARE OF lease
"""
# The caller has locked the rating, as a correction does.
OF_CORRECTION = """
SELECT rating.project_id, rating.item_id, rating.annotator_id, NULL::bigint, rating.id
FROM tasks_rating AS rating WHERE rating.id = %(corrects)s
  AND NOT EXISTS (SELECT FROM tasks_rating AS later WHERE later.supersedes_id = rating.id)
"""
SAVE = """
WITH open (project_id, item_id, annotator_id, lease_id, corrects_id) AS ({open})
INSERT INTO tasks_draft AS draft (project_id, item_id, annotator_id, lease_id, corrects_id, writer,
  number, revision, answers, seen, active_seconds, saved_at, begun_at)
SELECT open.*, %(writer)s, %(number)s, {first}, %(answers)s::jsonb, %(seen)s,
  %(active_seconds)s::int, %(now)s, %(begun_at)s::timestamptz
FROM open
ON CONFLICT (annotator_id, item_id) DO UPDATE
  SET lease_id = excluded.lease_id, corrects_id = excluded.corrects_id, writer = excluded.writer,
    number = excluded.number, revision = {next}, answers = excluded.answers,
    seen = excluded.seen, active_seconds = excluded.active_seconds, saved_at = excluded.saved_at,
    begun_at = CASE WHEN draft.corrects_id = excluded.corrects_id
      THEN coalesce(draft.begun_at, excluded.begun_at) ELSE excluded.begun_at END
  WHERE CASE WHEN draft.writer = excluded.writer THEN draft.number < excluded.number
      OR excluded.number = 0 ELSE draft.revision = %(based_on)s END
RETURNING revision
"""
SAVE_OF_LEASE = SAVE.format(open=OF_LEASE, first="1", next="draft.revision + 1")
# A correction that is given up deletes its draft, so the next draft must not count from 1 again.
LATER = "nextval('tasks_draft_revision')"
SAVE_OF_CORRECTION = SAVE.format(open=OF_CORRECTION, first=LATER, next=LATER)


class UnseenDraft(Exception):
    """A draft of the item was saved that the page was not shown. Nothing was changed."""


class DraftQuerySet(models.QuerySet["Draft"]):
    def save_form(
        self,
        lease: Lease,
        version: DraftVersion,
        answers: Mapping[str, str],
        *,
        corrects: Rating | None = None,
        seen: str = "",
        active_seconds: int | None = None,
        now: datetime,
    ) -> int | None:
        """Save a form as a draft and return the draft's revision.

        `corrects`: the revision of a rating that the form corrects. Change nothing if a later
        request of the same page came first. Return None, and change nothing, if the rating or the
        correction was stored meanwhile.

        Raise UnseenDraft if another page has saved the draft meanwhile.
        """
        values: dict[str, Any] = {
            "lease": lease.pk,
            "corrects": corrects.pk if corrects else None,
            "writer": version.writer,
            "number": version.number,
            "based_on": version.based_on,
            # PostgreSQL cannot store NUL; the form reports it at the submit.
            "answers": json.dumps(
                {
                    name: text.replace("\0", "\N{REPLACEMENT CHARACTER}")
                    for name, text in answers.items()
                }
            ),
            "seen": seen,
            "active_seconds": active_seconds,
            "now": now,
            "begun_at": corrects.correction_begun(active_seconds, now) if corrects else None,
        }
        # One statement needs no transaction of its own.
        with transaction.atomic() if corrects else nullcontext(), connection.cursor() as cursor:
            if corrects:
                corrects.lock()
            cursor.execute(SAVE_OF_CORRECTION if corrects else SAVE_OF_LEASE, values)
            if row := cursor.fetchone():
                return int(row[0])
        there = self.filter(item=lease.item_id, annotator=lease.annotator_id).first()
        if there is None or (corrects.is_superseded() if corrects else lease.has_rating()):
            return None
        if there.writer != version.writer:
            raise UnseenDraft
        return there.revision

    def correction_begun(self, rating: Rating) -> datetime | None:
        """Return the time at which the annotator began to correct a revision, if it is stored."""
        return (
            self.filter(item=rating.item_id, annotator=rating.annotator_id, corrects=rating)
            .values_list("begun_at", flat=True)
            .first()
        )

    def of_item(self, item: Item, annotator: User) -> Draft | None:
        """Return the annotator's draft of an item, if there is one."""
        return self.filter(item=item, annotator=annotator).first()

    def half_done(self, annotator: User) -> Self:
        """Return the annotator's drafts of items that they can still rate, newest first."""
        return self.filter(
            annotator=annotator,
            lease__isnull=False,
            item__dropped=False,
            item__counted__lt=models.F("item__wanted"),
        ).order_by("-saved_at")

    def discard(self, item: Item, annotator: User, version: DraftVersion | None) -> None:
        """Delete the draft of a correction because the page that wrote or showed it gives it up."""
        begun = self.filter(item=item, annotator=annotator, corrects__isnull=False)
        if version:
            begun = begun.filter(Q(writer=version.writer) | Q(revision=version.based_on))
        begun.delete()


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
    # `writer` and `number` are those of the `DraftVersion` that saved it.
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
