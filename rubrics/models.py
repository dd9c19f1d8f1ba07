"""The tables of rubrics.

A version is a draft until it is published. After that the database refuses every change to it
(see the migration `freeze_published_rubrics`), because ratings refer to its text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, fields
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models, transaction
from django.db.models import F, Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from . import document, schema

if TYPE_CHECKING:
    from annotators.models import User


class RubricQuerySet(models.QuerySet["Rubric"]):
    def published(self) -> Self:
        return self.filter(status=Rubric.Status.PUBLISHED)

    def newest_published(self) -> Self:
        """Return the newest published version of each slug."""
        return self.published().order_by("slug", "-version").distinct("slug")

    def newest(self, slug: str) -> Rubric:
        """Return the version with the highest number. Raises Rubric.DoesNotExist."""
        return self.filter(slug=slug).order_by("-version")[:1].get()

    def load(
        self, rubric: schema.Rubric, *, by: User | None = None, now: datetime, publish: bool = True
    ) -> tuple[Rubric, bool]:
        """Store a rubric as the next version of its slug; return (version, is_new).

        When `publish` is set and the newest published version is equal, return that version.
        """
        with transaction.atomic():
            versions = list(
                self.filter(slug=rubric.slug)
                .select_for_update()
                .order_by("-version")
                .values_list("pk", "version")
            )
            newest = self.published().filter(slug=rubric.slug).order_by("-version").first()
            if publish and newest is not None and newest.schema == rubric:
                return newest, False
            version = versions[0][1] + 1 if versions else 1
            made = self.create(
                slug=rubric.slug,
                version=version,
                title=rubric.title,
                summary=rubric.summary,
                language=rubric.language,
                guidance=document.plain(rubric.guidance),
                created_by=by,
                created_at=now,
            )
            for position, dimension in enumerate(rubric.dimensions):
                _store_dimension(made, position, dimension)
            if publish:
                made.publish(now=now)
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

    def publish(self, *, now: datetime) -> None:
        self.status = self.Status.PUBLISHED
        self.published_at = now
        self.save(update_fields=["status", "published_at"])


@lru_cache(maxsize=256)
def _published_schema(pk: int) -> schema.Rubric:
    return _read_schema(Rubric.objects.published().get(pk=pk))


def _read_schema(rubric: Rubric) -> schema.Rubric:
    """Parse the stored rows with the document parser, so tables and documents mean the same."""
    dimensions = rubric.dimensions.order_by("position").prefetch_related(
        "levels", "checks", "rules"
    )
    return document.parse(
        {
            **_row(rubric, schema.Rubric, without={"dimensions"}),
            "dimensions": [
                {
                    **_row(dimension, schema.Dimension, without={"levels", "checks", "rules"}),
                    "levels": [_row(level, schema.Level) for level in dimension.levels.all()],
                    "checks": [_row(check, schema.Check) for check in dimension.checks.all()],
                    "rules": [_row(rule, schema.Rule) for rule in dimension.rules.all()],
                }
                for dimension in dimensions
            ],
        },
        is_stored=True,
    )


def _row(row: models.Model, kind: type, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return the columns that store a part of the schema, without those left empty."""
    content = {}
    for spec in fields(kind):
        if spec.name in without:
            continue
        value = getattr(row, spec.name)
        optional = spec.default is not MISSING or spec.default_factory is not MISSING
        if not (optional and value in (None, "", [], {})):
            content[spec.name] = value
    return content


def _columns(part: object, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return a part of the schema as column values."""
    assert not isinstance(part, type)
    content = {}
    for spec in fields(part):  # type: ignore[arg-type]  # a dataclass
        if spec.name in without:
            continue
        value = document.plain(getattr(part, spec.name))
        # Store optional choices as "", never as NULL: Django's convention for text columns.
        content[spec.name] = "" if value is None and spec.name in _OPTIONAL_TEXTS else value
    return content


_OPTIONAL_TEXTS = {"best", "detector", "between"}


def _store_dimension(rubric: Rubric, position: int, part: schema.Dimension) -> None:
    dimension = Dimension.objects.create(
        rubric=rubric, position=position, **_columns(part, without={"levels", "checks", "rules"})
    )
    Level.objects.bulk_create(
        Level(dimension=dimension, **_columns(level)) for level in part.levels
    )
    Check.objects.bulk_create(
        Check(dimension=dimension, position=place, **_columns(check))
        for place, check in enumerate(part.checks)
    )
    Rule.objects.bulk_create(
        Rule(dimension=dimension, position=place, **_columns(rule))
        for place, rule in enumerate(part.rules)
    )


def _choices(kind: Iterable[str]) -> list[tuple[str, str]]:
    return [(str(name), str(name).replace("_", " ")) for name in kind]


UNITS = [
    (schema.Unit.RESPONSE.value, _("response")),
    (schema.Unit.CANDIDATE_SET.value, _("candidate set")),
]


def _codes(size: int = 80) -> ArrayField[Any, Any]:
    return ArrayField(models.CharField(max_length=size), default=list, blank=True)


class Dimension(models.Model):
    """One scale of a rubric."""

    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="dimensions")
    position = models.PositiveSmallIntegerField()
    code = models.SlugField(_("Code"), max_length=80)
    short = models.CharField(max_length=20)
    title = models.CharField(_("Title"), max_length=120)
    question = models.TextField(_("Question"))
    unit = models.CharField(_("What is scored"), max_length=20, choices=UNITS)
    lowest = models.SmallIntegerField(_("Lowest score"))
    highest = models.SmallIntegerField(_("Highest score"))
    needs = models.JSONField(default=dict, blank=True)
    sample = models.PositiveSmallIntegerField(default=50)
    guidance = models.JSONField(default=list, blank=True)
    aids = models.JSONField(default=list, blank=True)
    clauses = _codes()

    class Meta:
        verbose_name = _("dimension")
        verbose_name_plural = _("dimensions")
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("rubric", "code"), name="a_dimension_code_stands_once_in_a_rubric"
            ),
            models.CheckConstraint(condition=Q(lowest__lt=F("highest")), name="a_scale_rises"),
        )

    def __str__(self) -> str:
        return self.title


class Level(models.Model):
    """The description of one score of a dimension."""

    dimension = models.ForeignKey(Dimension, on_delete=models.CASCADE, related_name="levels")
    score = models.SmallIntegerField()
    label = models.CharField(max_length=120)
    definition = models.TextField(blank=True)
    between = models.BooleanField(default=False)
    illustrations = ArrayField(models.TextField(), default=list, blank=True)
    examples = models.JSONField(default=list, blank=True)
    clauses = _codes()

    class Meta:
        # The order of the document; the form decides how to sort them for display.
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("dimension", "score"), name="a_score_has_one_level"),
        )

    def __str__(self) -> str:
        return f"{self.score} {self.label}"


class Check(models.Model):
    """An observation that the annotator makes or the program detects."""

    dimension = models.ForeignKey(Dimension, on_delete=models.CASCADE, related_name="checks")
    position = models.PositiveSmallIntegerField()
    code = models.SlugField(max_length=80)
    kind = models.CharField(max_length=12, choices=_choices(schema.Kind))
    wording = models.CharField(max_length=200)
    help = models.TextField(blank=True)
    key = models.CharField(max_length=4, blank=True)
    scope = models.CharField(
        max_length=12, choices=_choices(schema.Scope), default=schema.Scope.TARGET
    )
    answers = models.JSONField(default=list, blank=True)
    best = models.CharField(max_length=80, blank=True)
    detector = models.CharField(max_length=20, choices=_choices(schema.Detector), blank=True)
    asks = models.TextField(blank=True)
    marks_persona = models.BooleanField(default=False)
    clauses = _codes()

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("dimension", "code"), name="a_check_code_stands_once_in_a_dimension"
            ),
        )

    def __str__(self) -> str:
        return self.wording


class Rule(models.Model):
    """A condition over the checks and its effect on the scores."""

    dimension = models.ForeignKey(Dimension, on_delete=models.CASCADE, related_name="rules")
    position = models.PositiveSmallIntegerField()
    code = models.SlugField(max_length=80)
    clause = models.CharField(max_length=80)
    effect = models.CharField(max_length=12, choices=_choices(schema.Effect))
    reason = models.TextField()
    when = models.JSONField(default=dict, blank=True)
    score = models.SmallIntegerField(null=True, blank=True)
    scores = ArrayField(models.SmallIntegerField(), default=list, blank=True)
    needs = models.JSONField(default=dict, blank=True)
    against = _codes()
    remark = models.TextField(blank=True)
    between = models.CharField(max_length=20, choices=_choices(schema.Detector), blank=True)
    unless_one = _codes()
    precedence = models.SmallIntegerField(default=0)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("dimension", "code"), name="a_rule_code_stands_once_in_a_dimension"
            ),
        )

    def __str__(self) -> str:
        return f"{self.clause} {self.effect}"
