"""Decisions: the final score of a response or candidate set, where people differ or a lead says so.

`tasks/cases/` makes and shows them; exports and agreement read them. Append-only, like ratings: a
later decision, or taking one back, is a new revision. A decision overwrites no rating, and counts
in no figure of agreement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from config.web.people import User, named_account
from config.web.raw_sql import Columns, all_rows, instances
from rubrics.models import Rubric

from .items import Item, Response
from .projects import Project
from .ratings import Rating
from .scores import HAS_NONE, HAS_VALUE
from .targets import Target, target_of

LONGEST_REASON = 2_000  # characters


class CaseName(NamedTuple):
    """The name of a case in the database."""

    item: int
    dimension: str
    target: Target


class ScoreDecisionQuerySet(models.QuerySet["ScoreDecision"]):
    def revisions_on(self, item_keys: Collection[int]) -> dict[CaseName, list[ScoreDecision]]:
        """Return the revisions of each decision on these items, the first one first."""
        revisions_by_case: dict[CaseName, list[ScoreDecision]] = defaultdict(list)
        for decision in self.filter(item__in=item_keys).order_by("revision"):
            revisions_by_case[decision.key].append(decision)
        return revisions_by_case

    def by_median(self, project: Project) -> Self:
        """Return the decisions of a project that were made at once, and say which are the last.

        A score from before the answers were shown is no later decision.
        """
        later = ScoreDecision.objects.exclude(source=ScoreDecision.Source.FIRST).filter(
            item=OuterRef("item"),
            dimension=OuterRef("dimension"),
            revision__gt=OuterRef("revision"),
        )
        is_same = Q(response=OuterRef("response")) | Q(response=None, model=OuterRef("model"))
        decisions = self.filter(
            project=project, bulk__isnull=False, source=ScoreDecision.Source.MEDIAN
        )
        return decisions.annotate(is_last=~Exists(later.filter(is_same)))

    def on_target(self, item: Item, target: Target) -> dict[str, list[ScoreDecision]]:
        """Return all revisions on a target in each dimension, the first ones too, in order."""
        statement = ON_RESPONSE if isinstance(target, int) else ON_CANDIDATES
        revisions: dict[str, list[ScoreDecision]] = defaultdict(list)
        for row in all_rows(statement, {"item": item.pk, "target": target}):
            decision, username, version = instances(row, DECISION)
            decision.rubric_version = version
            decision.decided_by = named_account(decision.decided_by_id, username)
            revisions[decision.dimension].append(decision)
        return revisions

    def in_words(self) -> Self:
        """Return the decisions with who made them, and the version of the rubric of each."""
        decisions = self.select_related("decided_by")
        return decisions.annotate(rubric_version=F("rubric__version"))

    def keys_by(self, user: User, item_keys: Collection[int]) -> set[CaseName]:
        """Return the cases of these items that a person gave a score to, be it a first one."""
        rows = self.filter(item__in=item_keys, decided_by=user)
        return {decision.key for decision in rows.only("item", "dimension", "response", "model")}

    def standing_digests(self, item_keys: Collection[int]) -> dict[CaseName, str]:
        """Return what each standing decision on these items has seen, by its case."""
        rows = self.filter(item__in=item_keys).exclude(source=ScoreDecision.Source.FIRST)
        digests: dict[CaseName, str] = {}
        columns = ("item", "dimension", "response", "model", "source", "seen")
        for decision in rows.order_by("revision").only(*columns):
            digests[decision.key] = decision.seen if decision.stands else ""
        return digests

    def with_revision(self) -> Self:
        """Return the decisions after which who made them revised a rating of the same item."""
        revisions = Rating.objects.filter(
            item=OuterRef("item"),
            annotator=OuterRef("decided_by"),
            revision__gt=1,
            submitted_at__gt=OuterRef("decided_at"),
        )
        return self.filter(Exists(revisions))


class ScoreDecision(models.Model):
    """One revision of the final score of a target in a dimension."""

    class Source(models.TextChoices):
        """The origin of the score."""

        ANSWER = "answer", _("an answer")  # with its checks
        ANEW = "anew", _("anew")  # with the checks that most ticked
        MEDIAN = "median", _("the median")  # of many cases at once, with the same checks
        # Before the answers were shown. It is no final score until it is confirmed.
        FIRST = "first", _("before the answers")
        WITHDRAWN = "withdrawn", _("taken back")

    class Cause(models.TextChoices):
        """The reason why people differed."""

        SLIP = "slip", _("a slip")
        RUBRIC = "rubric", _("the rubric is unclear")
        JUDGEMENT = "judgement", _("a judgement call")
        CONTEXT = "context", _("context is missing")
        ITEM = "item", _("a faulty item")

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="decisions")
    item = models.ForeignKey(
        Item, on_delete=models.PROTECT, related_name="decisions", db_index=False
    )
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="+")
    dimension = models.CharField(max_length=80)
    # The response, or the model of the candidate set.
    response = models.ForeignKey(
        Response, on_delete=models.PROTECT, null=True, blank=True, related_name="decisions"
    )
    model = models.TextField(blank=True)
    revision = models.PositiveSmallIntegerField(default=1)
    source = models.CharField(max_length=12, choices=Source)
    value = models.SmallIntegerField(null=True, blank=True)
    without = models.CharField(max_length=10, blank=True, default="", db_default="")
    checks = models.JSONField(default=dict, blank=True)
    adopted = models.ForeignKey(
        Rating, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    cause = models.CharField(max_length=12, choices=Cause, blank=True, default="", db_default="")
    reason = models.TextField(max_length=LONGEST_REASON, blank=True)
    # A digest of the answers that counted then (`final_scores.figures`). If it is another one now,
    # the case has changed.
    seen = models.CharField(max_length=32)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    decided_at = models.DateTimeField()
    # The same for all cases that were decided at once. They are taken back as a whole.
    bulk = models.UUIDField(null=True, blank=True)

    rubric_version: int  # set by `in_words` and `on_target`

    objects = ScoreDecisionQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("project", "bulk"),
                condition=Q(bulk__isnull=False),
                name="decisions_made_at_once",
            ),
        )
        constraints = (
            models.UniqueConstraint(
                fields=("item", "dimension", "response", "revision"),
                condition=Q(response__isnull=False),
                name="decisions_on_a_response_are_numbered",
            ),
            models.UniqueConstraint(
                fields=("item", "dimension", "model", "revision"),
                condition=Q(response__isnull=True),
                name="decisions_on_a_candidate_set_are_numbered",
            ),
            models.CheckConstraint(
                condition=Q(source="withdrawn") | HAS_VALUE | HAS_NONE,
                name="a_decision_has_a_score_or_says_why_not",
            ),
            models.CheckConstraint(
                condition=Q(source="answer", adopted__isnull=False)
                | (~Q(source="answer") & Q(adopted__isnull=True)),
                name="an_adopted_answer_is_named",
            ),
        )

    @property
    def stands(self) -> bool:
        """True if it is a final score, and not the end of one or a score before the answers."""
        return self.source not in (self.Source.WITHDRAWN, self.Source.FIRST)

    @property
    def target(self) -> Target:
        return target_of(self.response_id, self.model)

    @property
    def key(self) -> CaseName:
        return CaseName(self.item_id, self.dimension, self.target)


DECISION = Columns(ScoreDecision, "decision")
# Each page of a case asks for these. The ORM takes longer to write them than they take to run.
ON_ITEM = f"""
SELECT {DECISION}, account.username, rubric.version FROM tasks_scoredecision AS decision
JOIN annotators_user AS account ON account.id = decision.decided_by_id
JOIN rubrics_rubric AS rubric ON rubric.id = decision.rubric_id
WHERE decision.item_id = %(item)s
"""  # noqa: S608 - constant parts
ON_RESPONSE = f"""{ON_ITEM}
AND decision.response_id = %(target)s ORDER BY decision.revision
"""
ON_CANDIDATES = f"""{ON_ITEM}
AND decision.response_id IS NULL AND decision.model = %(target)s ORDER BY decision.revision
"""
