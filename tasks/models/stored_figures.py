"""Stored figures, so that no page reads all ratings: counts of scores, and agreement.

Ratings are append-only. Each one adds the counts of its scores, and a correction takes away those
of the revision that it supersedes. So what a rating adds never changes, and the counts up to one
rating hold until an item is dropped or taken back: that act changes them. The counts of a project
are those stored, and those of the ratings since.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self

from django.db import models, transaction
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from psycopg import sql

from config.web.raw_sql import all_rows
from rubrics.judging.kinds import Without
from rubrics.models import Rubric

from .counting import COUNTING, FILLING, PERSON, RATERS
from .items import Item
from .loads import is_alone
from .projects import Project
from .ratings import Rating

# A rating is visible to everybody this long after its time. No request lives so long (60 seconds,
# in `config/gunicorn.py`), so no rating with a lower key can come later.
SETTLED = timedelta(minutes=10)
STEP = 500  # settled ratings that each request counts anew, at most
NO_END = 2**63 - 1

# The counts that some ratings add; a correction takes away those of the revision before it, by a
# sign of -1. The first column tells scores, ticks and targets without a score (a `Without`) apart.
ADDED = sql.SQL("""
WITH signed AS (
  SELECT rating.id AS rating_id, {person} AS person, 1 AS sign FROM tasks_rating AS rating {raters}
  WHERE rating.project_id = %(project)s AND {condition}
  UNION ALL
  SELECT rating.supersedes_id, {person}, -1 FROM tasks_rating AS rating {raters}
  WHERE rating.project_id = %(project)s AND rating.supersedes_id IS NOT NULL AND {condition}
), score AS (
  SELECT score.dimension, coalesce(response.model, score.model) AS model, signed.person,
    coalesce(nullif(score.without, ''), 'score') AS kind, coalesce(score.value, 0)::int AS value,
    score.checks, sum(signed.sign) AS number
  FROM signed JOIN tasks_score AS score ON score.rating_id = signed.rating_id
  LEFT JOIN tasks_response AS response ON response.id = score.response_id
  GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT kind, dimension, model, person, value, sum(number)::bigint FROM score
GROUP BY kind, dimension, model, person, value
UNION ALL
SELECT 'tick', dimension, tick.code, 0, 0, sum(number)::bigint
FROM score, jsonb_each_text(score.checks) AS tick (code, answer)
WHERE tick.answer = 'yes'
GROUP BY dimension, tick.code
UNION ALL
SELECT 'tick', 'response', tick.code, 0, 0, sum(signed.sign)::bigint
FROM signed JOIN tasks_placement AS placement ON placement.rating_id = signed.rating_id,
  jsonb_each_text(placement.checks) AS tick (code, answer)
WHERE tick.answer = 'yes'
GROUP BY tick.code
""")
# Conditions of ratings whose scores are counted. Those that count, from one key to another:
COUNTED = sql.SQL("rating.id > %(after)s AND rating.id <= %(upto)s AND {counting}").format(
    counting=COUNTING
)
# Those of an item up to a key, as if it were not dropped.
OF_ITEM = sql.SQL("rating.item_id = %(item)s AND rating.id <= %(upto)s AND {filling}").format(
    filling=FILLING
)
# An annotator's: those that count after a key, and all of dropped items.
OF_ANNOTATOR = sql.SQL("""rating.annotator_id = %(by)s AND {filling} AND (rating.id > %(after)s
      OR rating.item_id IN (SELECT id FROM tasks_item WHERE dropped))""").format(filling=FILLING)


class TallyKey(NamedTuple):
    """Under which a number is counted: the first columns of `ADDED`, and of the stored counts."""

    kind: str  # "score", "tick" or a `Without`
    dimension: str
    name: str  # the model, or the code of the check that is ticked
    annotator: int
    value: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Counted scores by dimension, model, annotator and value, and ticks by dimension and check.

    The ticks of the whole response are those of the dimension "response". A target without a score
    is counted as 0, under the reason why it has none.
    """

    targets_by_key: Counter[TallyKey] = field(default_factory=Counter)

    @classmethod
    def of(cls, counted_rows: Iterable[Sequence[Any]]) -> "Tally":
        """Return the counts in rows of a key's parts and their number."""
        counts_by_key: Counter[TallyKey] = Counter()
        for *columns, number in counted_rows:
            counts_by_key[TallyKey(*columns)] += number
        return cls(counts_by_key)

    def __add__(self, other: "Tally") -> "Tally":
        # Counters leave out what adds up to 0.
        return Tally(self.targets_by_key + other.targets_by_key)

    def __sub__(self, other: "Tally") -> "Tally":
        return Tally(self.targets_by_key - other.targets_by_key)

    @property
    def rows(self) -> list[list[Any]]:
        """The counts as JSON stores them."""
        return [[*key, number] for key, number in sorted(self.targets_by_key.items())]

    def by_model(self, dimension: str) -> dict[str, Counter[int]]:
        """Return how often each score was given, for each model."""
        return self._by_value("score", dimension, "name")

    def blanks(self, dimension: str) -> dict[str, int]:
        """Return how often each model got the answer without a score."""
        by_model = self._by_value(Without.BLANK, dimension, "name")
        return {model: numbers.total() for model, numbers in by_model.items()}

    def targets(self, kind: str, dimension: str) -> int:
        """Return how many targets have a score, or are without one for a reason (a `Without`)."""
        return sum(number for _key, number in self._of(kind, dimension))

    def by_annotator(self, dimension: str) -> dict[int, Counter[int]]:
        """Return how often each score was given, for each annotator's primary key."""
        return self._by_value("score", dimension, "annotator")

    def _by_value(self, kind: str, dimension: str, group: str) -> dict[Any, Counter[int]]:
        """Return how often each value occurs, by a column of the keys."""
        counts_by_value: dict[Any, Counter[int]] = {}
        for key, number in sorted(self._of(kind, dimension)):
            counts_by_value.setdefault(getattr(key, group), Counter())[key.value] += number
        return counts_by_value

    def _of(self, kind: str, dimension: str) -> Iterator[tuple[TallyKey, int]]:
        for key, number in self.targets_by_key.items():
            if (key.kind, key.dimension) == (kind, dimension):
                yield key, number

    def ticks(self, dimension: str) -> Counter[str]:
        """Return how often each check was answered with "yes"."""
        return Counter({key.name: number for key, number in self._of("tick", dimension)})


def tally_of(project: Project, *, after: int = 0, upto: int = NO_END) -> Tally:
    """Return what the ratings with a primary key above `after`, up to `upto`, add to the counts."""
    return _tally(COUNTED, project, after=after, upto=upto)


def _tally(condition: sql.Composable, project: Project, **parameters: int) -> Tally:
    """Return what the ratings add that meet a condition, such as `COUNTED`."""
    statement = ADDED.format(condition=condition, person=PERSON, raters=RATERS)
    return Tally.of(all_rows(statement, {"project": project.pk, **parameters}))


class ScoreCounts(models.Model):
    """The counts of a project's ratings up to one of them. They can be made again at any time."""

    project = models.OneToOneField(
        Project, on_delete=models.CASCADE, related_name="+", primary_key=True
    )
    upto = models.BigIntegerField(default=0)  # primary key of the last rating that is counted
    counts = models.JSONField(default=list)  # `Tally.rows`
    # How often an item was dropped or taken back, and when last.
    acts = models.PositiveIntegerField(default=0, db_default=0)
    acted_at = models.DateTimeField(null=True)

    def store_up_to(self, upto: int) -> None:
        """Store the counts up to a rating, unless others were stored meanwhile."""
        more = tally_of(self.project, after=self.upto, upto=upto)
        counts = (Tally.of(self.counts) + more).rows
        ScoreCounts.objects.get_or_create(project=self.project)
        unchanged = ScoreCounts.objects.filter(project=self.project, upto=self.upto, acts=self.acts)
        unchanged.update(counts=counts, upto=upto)
        self.counts = counts
        self.upto = upto

    @classmethod
    def follow_item(cls, item: Item, *, now: datetime) -> None:
        """Take the scores of a dropped item from the counts, or add those of one taken back.

        The caller has locked the item. Counts and figures that are being made meanwhile see by
        `acts` that they lack this.
        """
        project = item.project
        stored, _made = cls.objects.select_for_update().get_or_create(project=project)
        of_item = _tally(OF_ITEM, project, item=item.pk, upto=stored.upto)
        counts = Tally.of(stored.counts)
        counts = counts - of_item if item.dropped else counts + of_item
        stored.counts = counts.rows
        stored.acts += 1
        stored.acted_at = now
        stored.save(update_fields=["counts", "acts", "acted_at"])


def counts_stored(project: Project) -> ScoreCounts:
    """Return the stored counts of a project, empty ones if there are none."""
    return ScoreCounts.objects.filter(project=project).first() or ScoreCounts(project=project)


def store_counts(project: Project, now: datetime) -> None:
    """Store the counts of the settled ratings, once enough of them came since.

    None are stored where a rater is an account's: its next rating may take an imported one away.
    """
    stored = counts_stored(project)
    is_settled = Q(submitted_at=None) | Q(submitted_at__lte=now - SETTLED)
    since = Rating.objects.filter(is_settled, project=project, pk__gt=stored.upto)
    settled = since.order_by("pk")
    # No load runs: none stores ratings with lower keys later.
    with transaction.atomic():
        are_enough = settled[STEP - 1 : STEP].exists() and is_alone(project.pk)
        if are_enough and not project.raters.exclude(account=None).exists():
            stored.store_up_to(settled.reverse()[0].pk)


def whole_tally(project: Project, *, by: int | None = None) -> Tally:
    """Return the counts of all ratings of a project: those stored, and those of ratings since.

    `by`: the scores of this annotator alone, those of dropped items too: it is their work.
    """
    stored = counts_stored(project)
    if by is None:
        return Tally.of(stored.counts) + tally_of(project, after=stored.upto)
    by_annotator = [row for row in stored.counts if TallyKey(*row[:-1]).annotator == by]
    since = _tally(OF_ANNOTATOR, project, after=stored.upto, by=by)
    return Tally.of(by_annotator) + since


class RatingChoice(NamedTuple):
    """The ratings that a result of agreement is of: else the last revisions before any talk."""

    first: bool = False  # the first revisions
    sound: bool = False  # without ratings that break a rule
    # The current revisions, those after a question too. Stored only where there are such.
    talk: bool = False


ALL_RATINGS = RatingChoice()


class AgreementResultQuerySet(models.QuerySet["AgreementResult"]):
    def of(self, project: Project, dimension: str, choice: RatingChoice) -> Self:
        """Return the result of a dimension under the project's rubric, of these ratings."""
        return self.filter(
            project=project, rubric=project.rubric_id, dimension=dimension, **choice._asdict()
        )

    def with_acts(self) -> Self:
        """Annotate how often an item was dropped or taken back by now, and when last."""
        counts = ScoreCounts.objects.filter(project=OuterRef("project"))
        acts = Coalesce(Subquery(counts.values("acts")), 0)
        acted_at = Subquery(counts.values("acted_at"))
        return self.annotate(acts_now=acts, acted_at=acted_at)


class AgreementResult(models.Model):
    """The figures of one dimension of a project, as the page and the command show them.

    They hold for as many ratings as the project had (`ratings`, revisions included). Whoever takes
    a file back deletes them, so an equal number means that no rating came since. `acts`: as of
    `ScoreCounts`.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="+", db_index=False)
    dimension = models.CharField(max_length=80)
    # As in `RatingChoice`.
    first = models.BooleanField()
    sound = models.BooleanField(default=False, db_default=False)
    talk = models.BooleanField(default=False, db_default=False)
    ratings = models.PositiveIntegerField()
    acts = models.PositiveIntegerField(default=0, db_default=0)
    made_at = models.DateTimeField()
    figures = models.JSONField()

    objects = AgreementResultQuerySet.as_manager()

    # Set by `with_acts`.
    acts_now: int
    acted_at: datetime | None

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "rubric", "dimension", "first", "sound", "talk"),
                name="a_dimension_has_one_result_of_agreement",
            ),
        )
