"""The table of rubrics.

A version is a draft or published. The database refuses every change to a published version (see
migrations/sql/published_rubrics.sql), because ratings refer to its text.
"""

from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from typing import ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User

from . import document, schema


class RubricQuerySet(models.QuerySet["Rubric"]):
    def published(self) -> Self:
        """Return the published versions."""
        return self.filter(status=Rubric.Status.PUBLISHED)

    def newest_published(self) -> Self:
        """Return the newest published version of each slug."""
        return self.published().order_by("slug", "-version").distinct("slug")

    def newest(self, slug: str) -> "Rubric":
        """Return the version with the highest number. Raises Rubric.DoesNotExist."""
        return self.filter(slug=slug).order_by("-version")[:1].get()

    def load(
        self, rubric: schema.Rubric, *, by: User | None = None, now: datetime, publish: bool = True
    ) -> tuple["Rubric", bool]:
        """Store a rubric as the next version of its slug; return (version, is_new).

        When `publish` is set and the newest published version is equal, return that version.
        """
        with transaction.atomic():
            versions = list(
                self.filter(slug=rubric.slug).select_for_update().values_list("version", flat=True)
            )
            newest = self.published().filter(slug=rubric.slug).order_by("-version").first()
            if publish and newest is not None and newest.schema == rubric:
                return newest, False
            made = self.create(
                **document.dump(rubric),
                version=max(versions, default=0) + 1,
                status=Rubric.Status.PUBLISHED if publish else Rubric.Status.DRAFT,
                created_by=by,
                created_at=now,
                published_at=now if publish else None,
            )
            return made, True


class Rubric(models.Model):
    """One version of a rubric."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")

    slug = models.SlugField(_("Short name"), max_length=80)
    version = models.PositiveIntegerField(_("Version"))
    status = models.CharField(_("Status"), max_length=12, choices=Status, default=Status.DRAFT)
    title = models.CharField(_("Title"), max_length=200)
    summary = models.TextField(_("Summary"))
    language = models.CharField(_("Language"), max_length=20, default="en")
    guidance = models.JSONField(_("Guidance"), default=list, blank=True)
    # As in a document, without what is at its default.
    dimensions = models.JSONField(default=list)
    clauses = models.JSONField(_("Clauses"), default=list, blank=True)
    checks = models.JSONField(_("Checks of the whole response"), default=list, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("Created by"),
    )
    created_at = models.DateTimeField(_("Created at"))
    published_at = models.DateTimeField(_("Published at"), null=True, blank=True)

    objects: ClassVar[RubricQuerySet] = RubricQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("rubric")
        verbose_name_plural = _("rubrics")
        ordering = ("slug", "-version")
        constraints = (
            models.UniqueConstraint(
                fields=("slug", "version"), name="a_rubric_version_is_numbered_once"
            ),
            models.CheckConstraint(
                condition=Q(status="published", published_at__isnull=False)
                | Q(status="draft", published_at__isnull=True),
                name="a_published_rubric_says_when",
            ),
        )

    def __str__(self) -> str:
        return gettext("%(title)s, version %(version)s") % {
            "title": self.title,
            "version": self.version,
        }

    @property
    def schema(self) -> schema.Rubric:
        """The rubric as a typed value; each process parses a published version once."""
        if self.status == self.Status.PUBLISHED:
            return _published_schema(self.pk)
        return _read_schema(self)


@lru_cache(maxsize=256)
def _published_schema(pk: int) -> schema.Rubric:
    return _read_schema(Rubric.objects.published().get(pk=pk))


def _read_schema(rubric: Rubric) -> schema.Rubric:
    """Parse the columns, which have the names and the values of a document's entries."""
    return document.parse(
        ({spec.name: getattr(rubric, spec.name) for spec in fields(schema.Rubric)}), is_stored=True
    )
