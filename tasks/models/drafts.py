"""Drafts: forms that annotators have filled in and not submitted yet.

A draft survives a reload, the end of its lease, a change of device and a restart. Each page has a
draft of its own, and writes no other. So nothing that was saved can be overwritten by another page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q

from config.web.people import User
from config.web.raw_sql import run
from tasks.answers.submission import DraftVersion

from .concerns import Concern
from .items import Item
from .projects import Project
from .ratings import Rating

# The annotator's drafts of an item, newest first, as JSON for `Draft.read`. One that its page has
# submitted is left out: it may have been saved while the submit waited for its locks.
OF_ITEM = """
(SELECT json_agg(found) FROM (
  SELECT draft.id, draft.lease_id, draft.corrects_id, draft.writer, draft.number, draft.continued,
    draft.answers, draft.seen, draft.active_seconds, draft.saved_at
  FROM tasks_draft AS draft LEFT JOIN tasks_lease AS ended ON ended.id = draft.lease_id
    AND ended.writer = draft.writer AND ended.number > draft.number
  WHERE draft.item_id = {item} AND draft.annotator_id = {annotator} AND ended IS NULL
  ORDER BY draft.saved_at DESC, draft.id DESC) AS found)
"""
# The draft of the page that submits, the draft that it was shown, and all continued ones. Drafts of
# other pages stay.
OVER = """
SELECT draft.id FROM tasks_draft AS draft
WHERE draft.item_id = %(item)s AND draft.annotator_id = %(annotator)s AND (draft.continued
  OR draft.writer || '.' || draft.number = %(shown)s
  OR draft.writer = %(writer)s AND (draft.number <= %(number)s OR %(number)s = 0))
ORDER BY draft.id FOR UPDATE
"""


OF_A_LEASE = Q(lease__isnull=False, corrects__isnull=True)
OF_A_CORRECTION = Q(lease__isnull=True, corrects__isnull=False)


class DraftQuerySet(models.QuerySet["Draft"]):
    def half_done(self, annotator: User) -> Self:
        """Return the annotator's drafts with anything in them, of items that they can still rate.

        The newest comes first. Only the names of their items are fetched.
        """
        by_annotator = {"item": OuterRef("item"), "annotator": annotator}
        ratings = Rating.objects.filter(**by_annotator)
        skips = Concern.objects.filter(**by_annotator, kind=Concern.Kind.SKIP)
        drafts = self.filter(
            ~Exists(ratings),
            ~Exists(skips),
            ~Q(answers={}),
            annotator=annotator,
            item__dropped=False,
            item__counted__lt=models.F("item__wanted"),
        )
        brief = drafts.select_related("item").only("project", "item__external_id")
        return brief.order_by("-saved_at", "-pk")

    def discard(self, item: int, annotator: int, version: DraftVersion) -> None:
        """Delete the draft that a page wrote up to this version, and the one that it was shown.

        `item` and `annotator` are primary keys.
        """
        values = {
            "item": item,
            "annotator": annotator,
            "writer": version.writer,
            "number": version.number,
            "shown": version.loaded,
        }
        run(f"DELETE FROM tasks_draft WHERE id IN ({OVER})", values)  # noqa: S608 - a constant


class Draft(models.Model):
    """The form of an item as one page left it; its submit deletes it.

    It belongs to a lease, or to the revision of a rating that it `corrects`. If the item is rated
    from another page, the draft stays, and the page of the rating links to it.
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
    # Another page was shown this version, and has saved its own since.
    continued = models.BooleanField(default=False)
    # By field name (tasks.rating_form.fields), in the order drawn for the annotator. The order is
    # the same in every lease of the item.
    answers = models.JSONField()
    seen = models.TextField(blank=True)  # remarks that were already shown
    active_seconds = models.PositiveIntegerField(null=True, blank=True)
    saved_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True, blank=True)  # of a correction

    objects = DraftQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("annotator", "item", "writer"), name="one_draft_of_a_page"
            ),
            models.CheckConstraint(
                condition=OF_A_CORRECTION | OF_A_LEASE,
                name="a_draft_is_of_a_lease_or_of_a_correction",
            ),
        )

    @classmethod
    def read(cls, draft_rows: Iterable[Mapping[str, Any]] | None) -> list[Self]:
        """Return the drafts in the rows of `OF_ITEM`."""
        drafts = []
        for row in draft_rows or ():
            saved_at = datetime.fromisoformat(row["saved_at"])
            drafts.append(cls(**{**row, "saved_at": saved_at}))
        return drafts

    @property
    def version(self) -> str:
        """The name of this version, which a page that shows it sends as `draft_shown`."""
        return f"{self.writer}.{self.number}"
