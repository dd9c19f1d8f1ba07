"""The table of drafts: rubrics that are being written.

The pages of the editor change a draft (`RubricDraft.edit`, then `keep`) until it is published or
deleted. Its content is a document as it was entered, which may have faults (`report`).
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Func, Q
from django.db.models.fields.json import KeyTextTransform
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from config.web.raw_sql import run

from ..documents import document
from ..documents.document_report import DocumentReport, examine
from ..documents.draft_parts import DraftDocument, read_part
from ..documents.yaml_lines import DocumentError, in_yaml, refuse_beyond
from ..editor.edit import Edit, Memory
from ..judging import schema
from ..pages.differences import Change, changes_between
from ..pages.readable_document import in_sentences
from ..versions import UnpublishedVersion
from .published_rubrics import Rubric


class RubricDraftQuerySet(models.QuerySet["RubricDraft"]):
    def edited_by(self, user: User, makers: models.QuerySet[Any, Any]) -> Self:
        """Return the drafts that a user or one of these makers made; an admin edits all of them."""
        if user.is_superuser:
            return self
        return self.filter(Q(made_by=user) | Q(made_by__in=makers))

    def listed(self) -> Self:
        """Return the drafts without their content, annotated: `title`, `dimension_count`."""
        listed = "jsonb_path_query_array(%(expressions)s, '$.dimensions[*]')"
        drafts = self.defer("content", "readable", "beside", "pasted")
        return drafts.select_related("changed_by").annotate(
            title=KeyTextTransform("title", "content"),
            dimension_count=Func(
                "content",
                template=f"jsonb_array_length({listed})",
                output_field=models.IntegerField(),
            ),
        )

    def start(
        self,
        content: Mapping[str, object],
        *,
        is_by_program: bool = False,
        unread: Iterable[str] = (),
        by: User,
        now: datetime,
    ) -> "RubricDraft":
        """Store a new draft under a short name that its maker may publish."""
        slug = Rubric.objects.free_slug(str(content["slug"]), by)
        draft = self.model(
            slug=slug, made_by=by, made_at=now, revision=0, is_by_program=is_by_program
        )
        draft.beside = {"unread": dict.fromkeys(unread, "")}
        draft.keep({**content, "slug": slug}, by=by, now=now)
        return draft


class RubricDraft(models.Model):
    """A rubric that is being written."""

    slug = models.SlugField(_("Short name"), max_length=80)
    content = models.JSONField()  # a document as entered, which may have faults
    readable = models.JSONField(null=True)  # the last content whose parts fit together
    # What the forms keep beside the document: `levels` that it does not show, by dimension and
    # score; `same`, the dimension whose levels another one has; `unread`, titles of dimensions in
    # the answer of a program that could not be read.
    beside = models.JSONField(default=dict)
    pasted = models.JSONField(default=list)  # a prompt and two responses to try it on
    revision = models.PositiveIntegerField()
    is_by_program = models.BooleanField(default=False)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField()

    objects: ClassVar[RubricDraftQuerySet] = RubricDraftQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ("-changed_at",)

    def __str__(self) -> str:
        return str(self.content.get("title") or self.slug)

    @cached_property
    def report(self) -> DocumentReport:
        """The content as read and proved."""
        return examine(self.content)

    @cached_property
    def last_readable(self) -> schema.Rubric | None:
        """The rubric of the last content that could be read; None if there was none yet."""
        if self.report.rubric or self.readable is None:
            return self.report.rubric
        with suppress(DocumentError):  # its parts fitted together when it was stored
            refuse_beyond(self.readable)
            return document.parse_stored(self.readable)
        return None

    def edit(self) -> Edit:
        """Return the content to be edited; the draft keeps its own."""
        follows = self.revision == 1 and not self.published
        content = read_part(DraftDocument, self.content)
        memory = read_part(Memory, self.beside)
        return Edit(content, memory, follows_title=follows)

    @property
    def has_publish_attempt(self) -> bool:
        """True once someone tried to publish it: until then nothing in it is wrong, only open."""
        return "tried" in self.beside

    def mark_publish_attempt(self) -> None:
        """Store that someone tried to publish it."""
        self.beside = self.beside | {"tried": {}}
        self.save(update_fields=["beside"])

    @property
    def text(self) -> str:
        """The content as a YAML document; in the usual order, if its shape can be read.

        More than a document may have, which older versions stored, is in JSON: that takes no time.
        """
        try:
            refuse_beyond(self.content)
        except DocumentError:
            return json.dumps(self.content, indent=1, ensure_ascii=False)
        with suppress(DocumentError):
            return in_yaml(document.dump(document.parse_stored(self.content)))
        return in_yaml(self.content)

    @property
    def version_to_read(self) -> UnpublishedVersion | None:
        """The last content that could be read, with its address; None if there was none yet."""
        if self.last_readable is None:
            return None
        return UnpublishedVersion(f"draft-{self.pk}", self.last_readable)

    @cached_property
    def published(self) -> Rubric | None:
        """The newest version of its short name, if there is one."""
        return Rubric.objects.filter(slug=self.slug).order_by("-version").first()

    @cached_property
    def changes(self) -> list[Change]:
        """The differences from the newest version, of the last content that could be read."""
        if self.last_readable and self.published:
            older = in_sentences(self.published.schema)
            return changes_between(older, in_sentences(self.last_readable))
        return []

    def keep(self, content: Mapping[str, object], *, by: User, now: datetime) -> None:
        """Store a document and `beside`, as the next revision.

        Characters that no database keeps are left out. Raises DocumentError if it is more than a
        document may have.
        """
        refuse_beyond(content)
        slug = str(content.get("slug", self.slug))
        if not self.published and slug != self.slug:
            self.slug = Rubric.objects.free_slug(slug, self.made_by)
        for name in ("report", "last_readable", "changes", "published"):
            vars(self).pop(name, None)
        stored = document.storable({**content, "slug": self.slug})
        stored = {"language": "en", "checks": [], "dimensions": []} | stored
        stored["dimensions"] = [
            {"levels": [], "checks": [], "rules": [], **dimension}  # lists of its own
            for dimension in stored["dimensions"]
        ]
        self.beside = document.storable(self.beside)
        self.content, self.changed_by, self.changed_at = stored, by, now
        self.revision += 1
        if self.report.rubric:
            self.readable = stored
        self.save()

    def publish(self, *, changes: str, by: User, now: datetime) -> Rubric:
        """Prove the content, publish it as the next version, and delete the draft.

        The short name is one that the maker of the draft may publish. Raises DocumentError with
        what the proof finds.
        """
        with transaction.atomic():
            run("SELECT pg_advisory_xact_lock(hashtext('publish_rubric'))", [])  # one by one
            slug = Rubric.objects.free_slug(self.slug, self.made_by)
            rubric = document.parse(self.content | {"slug": slug})
            made, _is_new = Rubric.objects.load(rubric, by=by, now=now, changes=changes)
            self.delete()
            return made
