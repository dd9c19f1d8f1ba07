"""Stored figures, so that no page reads all ratings: counts of scores, and agreement.

Ratings are append-only. Each one adds the counts of its scores, and a correction takes away those
of the revision that it supersedes. So what a rating adds never changes, and the counts up to one
rating hold until an item is dropped or taken back: that act changes them. The counts of a project
are those stored, and those of the ratings since.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.db import models, transaction
from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from config.web.raw_sql import all_rows
from rubrics.models import Rubric
from rubrics.schema import Without

from .counting import completed
from .items import Item
from .loads import is_alone
from .projects import Project
from .ratings import Rating

# A rating is visible to everybody this long after its time. No request lives so long (60 seconds,
# in `config/gunicorn.py`), so no rating with a lower key can come later.
SETTLED = timedelta(minutes=10)
STEP = 500  # settled ratings that each request counts anew, at most
NO_END = 2**63 - 1

# The counts that some ratings add. The first column tells scores from ticks, and from targets
# without a score: a `Without`.
ADDED = """
WITH said AS (
  SELECT rating.id AS rating_id, {person} AS person, 1 AS sign FROM tasks_rating AS rating {raters}
  WHERE rating.project_id = %(project)s AND {which}
  UNION ALL
  SELECT rating.supersedes_id, {person}, -1 FROM tasks_rating AS rating {raters}
  WHERE rating.project_id = %(project)s AND rating.supersedes_id IS NOT NULL AND {which}
), score AS (
  SELECT score.dimension, coalesce(response.model, score.model) AS model, said.person,
    coalesce(nullif(score.without, ''), 'score') AS kind, coalesce(score.value, 0)::int AS value,
    score.checks, sum(said.sign) AS number
  FROM said JOIN tasks_score AS score ON score.rating_id = said.rating_id
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
SELECT 'tick', 'response', tick.code, 0, 0, sum(said.sign)::bigint
FROM said JOIN tasks_placement AS placement ON placement.rating_id = said.rating_id,
  jsonb_each_text(placement.checks) AS tick (code, answer)
WHERE tick.answer = 'yes'
GROUP BY tick.code
"""
# Those that count, from one key to another.
COUNTED = "rating.id > %(after)s AND rating.id <= %(upto)s AND {counting}"
# Those of an item up to a key, as if it were not dropped.
OF_ITEM = "rating.item_id = %(item)s AND rating.id <= %(upto)s AND {filling}"
# An annotator's: those that count after a key, and all of dropped items.
OF_ANNOTATOR = """rating.annotator_id = %(by)s AND {filling} AND (rating.id > %(after)s
      OR rating.item_id IN (SELECT id FROM tasks_item WHERE dropped))"""
Key = tuple[str, str, str, int, int]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counted scores by dimension, model, annotator and value, and ticks by dimension and check.

    The ticks of the whole response are those of the dimension "response". A target without a score
    is counted as 0, under the reason why it has none.
    """

    cells: Counter[Key] = field(default_factory=Counter)

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]]) -> "Tally":
        """Return the counts in rows of a key's parts and their number."""
        counts: Counter[Key] = Counter()
        for kind, dimension, name, annotator, value, number in rows:
            counts[kind, dimension, name, annotator, value] += number
        return cls(counts)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.cells + other.cells)  # which leaves out what adds up to 0

    def __sub__(self, other: "Tally") -> "Tally":
        return Tally(self.cells - other.cells)

    @property
    def rows(self) -> list[list[Any]]:
        """The counts as JSON stores them."""
        return [[*key, number] for key, number in sorted(self.cells.items())]

    def by_model(self, dimension: str) -> dict[str, Counter[int]]:
        """Return how often each score was given, for each model."""
        return self._grouped("score", dimension, lambda key: key[2])

    def blanks(self, dimension: str) -> dict[str, int]:
        """Return how often each model got the answer without a score."""
        found = self._grouped(Without.BLANK, dimension, lambda key: key[2])
        return {model: numbers.total() for model, numbers in found.items()}

    def targets(self, kind: str, dimension: str) -> int:
        """Return how many targets have a score, or are without one for a reason (a `Without`)."""
        return sum(number for key, number in self.cells.items() if key[:2] == (kind, dimension))

    def by_annotator(self, dimension: str) -> dict[int, Counter[int]]:
        """Return how often each score was given, for each annotator's primary key."""
        return self._grouped("score", dimension, lambda key: key[3])

    def _grouped(self, kind: str, dimension: str, of: Any) -> dict[Any, Counter[int]]:
        found: dict[Any, Counter[int]] = {}
        for key, number in sorted(self.cells.items()):
            if key[:2] == (kind, dimension):
                found.setdefault(of(key), Counter())[key[4]] += number
        return found

    def ticks(self, dimension: str) -> Counter[str]:
        """Return how often each check was answered with "yes"."""
        return Counter(
            {key[2]: number for key, number in self.cells.items() if key[:2] == ("tick", dimension)}
        )


def tally_of(project: Project, *, after: int = 0, upto: int = NO_END) -> Tally:
    """Return what the ratings with a primary key above `after`, up to `upto`, add to the counts."""
    return _tally(COUNTED, project, after=after, upto=upto)


def _tally(which: str, project: Project, **values: int) -> Tally:
    statement = completed(ADDED.replace("{which}", which))
    return Tally.of(all_rows(statement, {"project": project.pk, **values}))


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
        before, more = self.upto, tally_of(self.project, after=self.upto, upto=upto)
        self.counts, self.upto = (Tally.of(self.counts) + more).rows, upto
        ScoreCounts.objects.get_or_create(project=self.project)
        ScoreCounts.objects.filter(project=self.project, upto=before, acts=self.acts).update(
            counts=self.counts, upto=upto
        )

    @classmethod
    def follow_item(cls, item: Item, *, now: datetime) -> None:
        """Take the scores of a dropped item from the counts, or add those of one taken back.

        The caller has locked the item. Counts and figures that are being made meanwhile see by
        `acts` that they lack this.
        """
        project = item.project
        stored, _made = cls.objects.select_for_update().get_or_create(project=project)
        own = _tally(OF_ITEM, project, item=item.pk, upto=stored.upto)
        counts = Tally.of(stored.counts)
        stored.counts = (counts - own if item.dropped else counts + own).rows
        stored.acts, stored.acted_at = stored.acts + 1, now
        stored.save(update_fields=["counts", "acts", "acted_at"])


def counts_stored(project: Project) -> ScoreCounts:
    """Return the stored counts of a project, empty ones if there are none."""
    return ScoreCounts.objects.filter(project=project).first() or ScoreCounts(project=project)


def store_counts(project: Project, now: datetime) -> None:
    """Store the counts of the settled ratings, once enough of them came since.

    None are stored where a rater is an account's: its next rating may take an imported one away.
    """
    stored = counts_stored(project)
    settled = Rating.objects.filter(
        Q(submitted_at=None) | Q(submitted_at__lte=now - SETTLED),
        project=project,
        pk__gt=stored.upto,
    ).order_by("pk")
    # No load runs: none stores ratings with lower keys later.
    with transaction.atomic():
        if (
            settled[STEP - 1 : STEP].exists()
            and is_alone(project.pk)
            and not project.raters.exclude(account=None).exists()
        ):
            stored.store_up_to(settled.reverse()[0].pk)


def whole_tally(project: Project, *, by: int | None = None) -> Tally:
    """Return the counts of all ratings of a project: those stored, and those of ratings since.

    `by`: the scores of this annotator alone, those of dropped items too: it is their work.
    """
    stored = counts_stored(project)
    counts = Tally.of(row for row in stored.counts if by in (None, row[3]))
    if by is None:
        return counts + tally_of(project, after=stored.upto)
    return counts + _tally(OF_ANNOTATOR, project, after=stored.upto, by=by)


class AgreementResultQuerySet(models.QuerySet["AgreementResult"]):
    def with_acts(self) -> Self:
        """Annotate how often an item was dropped or taken back by now, and when last."""
        counts = ScoreCounts.objects.filter(project=OuterRef("project"))
        return self.annotate(
            acts_now=Coalesce(Subquery(counts.values("acts")), 0),
            acted_at=Subquery(counts.values("acted_at")),
        )


class AgreementResult(models.Model):
    """The figures of one dimension of a project, as the page and the command show them.

    They hold for as many ratings as the project had (`ratings`, revisions included). Whoever takes
    a file back deletes them, so an equal number means that no rating came since. `acts`: as of
    `ScoreCounts`.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="+", db_index=False)
    dimension = models.CharField(max_length=80)
    first = models.BooleanField()  # of the first revisions, not of the current ones
    sound = models.BooleanField(default=False, db_default=False)  # without those that break a rule
    ratings = models.PositiveIntegerField()
    acts = models.PositiveIntegerField(default=0, db_default=0)
    made_at = models.DateTimeField()
    figures = models.JSONField()

    objects: ClassVar[AgreementResultQuerySet] = AgreementResultQuerySet.as_manager()  # type: ignore[assignment]

    # Set by `with_acts`.
    acts_now: int
    acted_at: datetime | None

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "rubric", "dimension", "first", "sound"),
                name="a_dimension_has_one_result_of_agreement",
            ),
        )
