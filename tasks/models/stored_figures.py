"""The stored counts of a project's scores, so that no page reads all ratings.

The counts up to one rating hold until an item is dropped or taken back: that act changes them. The
counts of a project are those stored, and those of the ratings since (`whole_tally`). The worker
stores them anew now and then.
"""

from datetime import datetime, timedelta

from django.db import models, transaction
from django.db.models import Q

from .items import Item
from .loads import is_alone
from .projects import Project
from .ratings import Rating
from .tallies import Tally, TallyKey, tally_of, tally_of_annotator, tally_of_item

# A rating is visible to everybody this long after its time. No request lives so long (60 seconds,
# in `config/gunicorn.py`), so no rating with a lower key can come later.
SETTLED = timedelta(minutes=10)
STEP = 500  # settled ratings that each request counts anew, at most


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
        of_item = tally_of_item(project, item.pk, upto=stored.upto)
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
    since = tally_of_annotator(project, by, after=stored.upto)
    return Tally.of(by_annotator) + since
