"""The table of published rubrics, a row for each version.

The database refuses every change to a version (see migrations/sql), because ratings refer to its
text. Its columns have the entries of a document; `Rubric.schema` is the same as a typed value.
"""

import json
from dataclasses import fields
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import ClassVar, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User

from ..documents import document
from ..documents.shipped import GALLERY, SLUGS
from ..judging import schema
from ..judging.plain import Entries
from ..pages.differences import Change, changes_between
from ..pages.readable_document import in_sentences

# The columns that `Rubric.schema` parses once in each process: a page that shows a rubric's schema
# need not fetch them.
PARSED_COLUMNS = ("guidance", "dimensions", "clauses", "checks", "sources")


class RubricQuerySet(models.QuerySet["Rubric"]):
    def to_show(self) -> Self:
        """Return versions without the columns that `schema` has parsed already."""
        return self.defer(*PARSED_COLUMNS)

    def newest_versions(self) -> Self:
        """Return the newest version of each slug."""
        return self.order_by("slug", "-version").distinct("slug")

    def listed(self, user: User) -> Self:
        """Return the newest versions, annotated: `is_own`.

        An own one has a short name that the user may publish.
        """
        firsts = self.model.objects.filter(slug=OuterRef("slug"), version=1, created_by=user)
        by_user = firsts.exclude(slug__in=(*SLUGS, *GALLERY))
        return self.newest_versions().annotate(is_own=Exists(by_user)).defer(*PARSED_COLUMNS)

    def newest(self, slug: str) -> "Rubric":
        """Return the version with the highest number. Raises Rubric.DoesNotExist."""
        return self.filter(slug=slug).order_by("-version")[:1].get()

    def free_slug(self, slug: str, by: User | None) -> str:
        """Return a short name that a user may publish: this one, else with the next free number.

        A short name belongs to who published it first, and that of a shipped rubric to the program.
        """
        start = slug[:74].rstrip("-_")  # a number has room behind it
        first = self.filter(version=1, slug__startswith=start).values_list("slug", "created_by")
        owners = {**dict(first), **dict.fromkeys((*SLUGS, *GALLERY))}
        user = by.pk if by else None
        name = slug
        number = 1
        while owners.get(name, user) != user:
            number += 1
            name = f"{start}-{number}"
        return name

    def load(
        self,
        rubric: schema.Rubric,
        *,
        by: User | None = None,
        now: datetime,
        changes: str = "",
        is_template: bool = True,
    ) -> tuple["Rubric", bool]:
        """Publish a rubric as the next version of its slug; return (version, is_new).

        When the newest version is equal, return that version.
        """
        with transaction.atomic():
            versions = list(self.filter(slug=rubric.slug).select_for_update().order_by("-version"))
            if versions and versions[0].schema == rubric:
                return versions[0], False
            made = self.create(
                **document.dump(rubric),
                version=versions[0].version + 1 if versions else 1,
                changes=changes,
                is_template=is_template,
                created_by=by,
                published_at=now,
            )
            return made, True


class Rubric(models.Model):
    """A published version of a rubric."""

    slug = models.SlugField(_("Short name"), max_length=80)
    version = models.PositiveIntegerField(_("Version"))
    title = models.CharField(_("Title"), max_length=200)
    summary = models.TextField(_("Summary"))
    language = models.CharField(_("Language"), max_length=20, default="en")
    guidance = models.JSONField(_("Guidance"), default=list, blank=True)
    # As in a document, without what is at its default.
    dimensions = models.JSONField(default=list)
    clauses = models.JSONField(_("Clauses"), default=list, blank=True)
    checks = models.JSONField(_("Checks of the whole response"), default=list, blank=True)
    sources = models.JSONField(_("Sources of the clauses"), default=list, blank=True)
    # Not if it was made from a file; its lead may change that.
    is_template = models.BooleanField(_("Template of new projects"), default=True, db_default=True)
    # In one line, since the version before.
    changes = models.CharField(_("What changed"), max_length=200, default="", blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("Created by"),
    )
    published_at = models.DateTimeField(_("Published at"))

    objects: ClassVar[RubricQuerySet] = RubricQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("rubric")
        verbose_name_plural = _("rubrics")
        ordering = ("slug", "-version")
        constraints = (
            models.UniqueConstraint(
                fields=("slug", "version"), name="a_rubric_version_is_numbered_once"
            ),
        )

    def __str__(self) -> str:
        return gettext("%(title)s, version %(version)s") % {
            "title": self.title,
            "version": self.version,
        }

    @property
    def sketch(self) -> schema.Rubric:
        """The rubric with its scales and levels alone: a long list has no time for all the rest."""
        left_out: Entries = {
            "checks": [],
            "rules": [],
            "guidance": [],
            "clauses": [],
            "aids": [],
        }
        dimensions = []
        for dimension in self.dimensions:
            levels = [level | {"examples": []} for level in dimension.get("levels", [])]
            dimensions.append({**dimension, **left_out, "when": {}, "levels": levels})
        about = {name: getattr(self, name) for name in ("slug", "title", "summary", "language")}
        return document.parse_stored(about | {"dimensions": dimensions})

    @cached_property
    def schema(self) -> schema.Rubric:
        """The rubric as a typed value; each process parses a version once."""
        return _schema_of(self.pk)

    @property
    def has(self) -> set[str]:
        """Names of what it has: "rules", "checks", "scores" to enter."""
        names = set()
        for dimension in self.dimensions:
            if dimension.get("rules"):
                names.add("rules")
            if dimension.get("checks") or self.checks:
                names.add("checks")
            if not dimension.get("given"):
                names.add("scores")
        return names

    def since(self, older: "Rubric | None") -> list[Change]:
        """Return in words what differs from another version; nothing if there is none."""
        if older is None:
            return []
        return changes_between(in_sentences(older.schema), in_sentences(self.schema))

    def offer(self, offers: bool) -> None:
        """Make it a template of new projects, or no longer."""
        self.is_template = offers
        self.save(update_fields=["is_template"])

    @property
    def older(self) -> "Rubric | None":
        """The version before this one."""
        if self.version < 2:
            return None
        return Rubric.objects.filter(slug=self.slug, version=self.version - 1).first()

    @property
    def cited(self) -> str:
        """A line to cite this version, in no language but the rubric's."""
        name = f"{self.title} ({self.slug} {self.version}, {self.published_at:%Y-%m-%d})"
        return f"{name}. SHA-256: {self.digest}"

    @property
    def digest(self) -> str:
        """The SHA-256 of the stored document as canonical JSON: sorted keys, UTF-8."""
        text = json.dumps(document.dump(self.schema), sort_keys=True, ensure_ascii=False)
        return sha256(text.encode()).hexdigest()


@lru_cache(maxsize=256)
def _schema_of(pk: int) -> schema.Rubric:
    """Parse the columns, which have the names and the values of a document's entries."""
    rubric = Rubric.objects.get(pk=pk)
    entries = {spec.name: getattr(rubric, spec.name) for spec in fields(schema.Rubric)}
    return document.parse_stored(entries)
