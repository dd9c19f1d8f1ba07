"""Scores and what they rest on: the order shown, and looked-up claims."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from rubrics.judging.kinds import Unit, Without

from .items import Response
from .projects import Project
from .ratings import Rating
from .targets import Target, target_of

UNITS = [
    (Unit.RESPONSE.value, _("response")),
    (Unit.CANDIDATE_SET.value, _("candidate set")),
]
WITHOUT = [
    (Without.BLANK.value, _("not applicable")),
    (Without.NOT_ASKED.value, _("not asked")),
]


HAS_VALUE = Q(value__isnull=False, without="")
HAS_NONE = Q(value__isnull=True, without__in=("blank", "not_asked"))


class Placement(models.Model):
    """A response's position on the desk, and the comment on it."""

    rating = models.ForeignKey(
        Rating, on_delete=models.PROTECT, related_name="placements", db_index=False
    )
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="placements")
    position = models.PositiveSmallIntegerField()  # 1 is the first, shown as A
    comment = models.TextField(blank=True)
    # The answers about the whole response, by check code.
    checks = models.JSONField(default=dict, blank=True, db_default={})

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("rating", "position"), name="one_response_stands_at_a_place"
            ),
            models.UniqueConstraint(
                fields=("rating", "response"), name="a_response_stands_at_one_place"
            ),
        )


class Score(models.Model):
    """The score of a response, or of a model's candidate set if `response` is empty."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="scores")
    rating = models.ForeignKey(Rating, on_delete=models.PROTECT, related_name="scores")
    dimension = models.CharField(max_length=80)
    unit = models.CharField(max_length=20, choices=UNITS)
    response = models.ForeignKey(
        Response,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="scores",
    )
    model = models.TextField(blank=True)
    position = models.PositiveSmallIntegerField()
    value = models.SmallIntegerField(null=True, blank=True)
    # Why there is no value.
    without = models.CharField(
        max_length=10, choices=WITHOUT, blank=True, default="", db_default=""
    )
    open = ArrayField(models.SmallIntegerField())
    # Clauses of the rules that barred the other scores.
    clauses = ArrayField(models.CharField(max_length=80), default=list, blank=True)
    # Names of the rules that an imported score breaks.
    breaks = ArrayField(models.TextField(), default=list, blank=True, db_default=[])
    # The remarks that the annotator saw and did not follow, as [{clause, rule, text}].
    remarks = models.JSONField(default=list, blank=True)
    # All answers, by check code.
    checks = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("rating", "dimension", "response"),
                condition=Q(response__isnull=False),
                name="a_response_has_one_score_for_a_dimension",
            ),
            models.UniqueConstraint(
                fields=("rating", "dimension", "model"),
                condition=Q(response__isnull=True),
                name="a_candidate_set_has_one_score_for_a_dimension",
            ),
            models.CheckConstraint(
                condition=HAS_VALUE | HAS_NONE,
                name="a_score_has_a_value_or_says_why_not",
            ),
        )

    @property
    def target(self) -> Target:
        return target_of(self.response_id, self.model)


class FactCheck(models.Model):
    """A claim that was looked up (RQ-02, RQ-03)."""

    class Outcome(models.TextChoices):
        HOLDS = "holds", _("it holds")
        REFUTED = "refuted", _("it is refuted")
        UNDETERMINED = "undetermined", _("undetermined")

    rating = models.ForeignKey(
        Rating, on_delete=models.PROTECT, related_name="fact_checks", db_index=False
    )
    response = models.ForeignKey(Response, on_delete=models.PROTECT, related_name="fact_checks")
    position = models.PositiveSmallIntegerField()
    claim = models.TextField()
    outcome = models.CharField(max_length=12, choices=Outcome)
    sources = models.TextField(blank=True)  # URLs, one per line
    # From the start of the look-up to its outcome; None if it was not timed.
    seconds = models.PositiveIntegerField(null=True, blank=True)
    # The look-up took all the time that the rubric allows, or more.
    over_time = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(
                fields=("rating", "response", "position"),
                name="fact_checks_of_a_response_are_numbered",
            ),
            models.CheckConstraint(
                condition=Q(over_time=False) | Q(seconds__isnull=False),
                name="a_look_up_over_time_was_timed",
            ),
        )
