"""An annotator's agreement with the others, as they may see it themselves.

It is the share of pairs, one's own score and another person's of the same target, that are the
same, and of those that are close. One understands both without statistics, and two people are
enough. α, by which leads compare people, needs the scores of all, and the worker to make it.

A figure must not tell what another person said of one item: what changes between two looks would
show. So it rests on whole closed batches, each with 20 shared items or more, once no lease of
anybody can add a rating that counts. A share near 0 or 1 would tell every score: it is shown as
"5 % or less" or "95 % or more". Few pairs have a share that leaves three of them open.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from math import ceil, sqrt
from typing import NamedTuple

from django.utils.translation import gettext as _
from psycopg import sql

from config.web.people import User
from config.web.raw_sql import all_rows
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from tasks.agreement.measures import percent
from tasks.models import Project
from tasks.models.counting import COUNTING, CURRENT
from tasks.models.leases import LONGEST_LATE

LEAST_ITEMS = 20  # in a batch
EDGE, LEFT_OPEN = 5, 3  # percentages nearer to 0 or 100 are not told, nor the last so many pairs
CLOSE_PARTS = 10  # two scores are close within one level, or within this part of a long scale
# A row for each dimension: items, then sums over items of pairs, of hits, of their squares and
# their product, first with equal scores as hits, then with close ones. An ended lease can still
# count if it is submitted in time and its item has a place, even after a skip.
AGREED = sql.SQL("""
WITH final AS (
  SELECT batch.id FROM tasks_batch AS batch JOIN tasks_project AS project
    ON project.id = batch.project_id
  WHERE batch.project_id = %(project)s AND 'closed' IN (batch.status, project.status)
    AND NOT EXISTS (
      SELECT FROM tasks_item AS item JOIN tasks_lease AS lease ON lease.item_id = item.id
      WHERE item.batch_id = batch.id AND item.counted < item.wanted AND NOT item.dropped
        AND lease.status <> 'submitted'
        AND coalesce(lease.ended_at, lease.expires_at) > %(late)s
        AND NOT EXISTS (
          SELECT FROM tasks_rating AS rated
          WHERE rated.item_id = item.id AND rated.annotator_id = lease.annotator_id))
), mine AS (
  -- As a subquery, so that this starts from one's own ratings and not from all items of a batch.
  SELECT id, item_id, batch_id FROM (
    SELECT rating.id, rating.item_id,
      (SELECT batch_id FROM tasks_item WHERE id = rating.item_id) AS batch_id
    FROM tasks_rating AS rating
    WHERE rating.annotator_id = %(annotator)s AND rating.project_id = %(project)s
      AND rating.kind = 'counted'
      AND {current}
  ) AS rated
  WHERE batch_id = ANY(ARRAY(SELECT id FROM final))
), shared AS (
  SELECT own.dimension, count(*) AS pairs,
    count(*) FILTER (WHERE own.value = score.value) AS same,
    count(*) FILTER (WHERE abs(own.value - score.value) <= scale.near) AS close,
    count(*) OVER (PARTITION BY own.dimension, mine.batch_id) AS items
  FROM mine JOIN tasks_score AS own ON own.rating_id = mine.id
    JOIN unnest(%(dimensions)s::text[], %(near)s::int[]) AS scale (code, near)
      ON scale.code = own.dimension
    JOIN tasks_rating AS rating ON rating.item_id = mine.item_id AND rating.id <> mine.id
    JOIN tasks_score AS score ON score.rating_id = rating.id AND score.dimension = own.dimension
      AND coalesce(score.response_id::text, score.model)
        = coalesce(own.response_id::text, own.model)
  WHERE own.value IS NOT NULL AND score.value IS NOT NULL AND {counting}
    AND {current}
  GROUP BY own.dimension, mine.batch_id, mine.item_id
)
SELECT dimension, count(*), sum(pairs)::int, sum(pairs * pairs)::int,
  sum(same)::int, sum(same * same)::int, sum(same * pairs)::int,
  sum(close)::int, sum(close * close)::int, sum(close * pairs)::int
FROM shared WHERE items >= %(least)s GROUP BY dimension
""").format(counting=COUNTING, current=CURRENT)


class PairSums(NamedTuple):
    """The sums of `AGREED` over the items of a dimension, after its code."""

    items: int
    pairs: int
    pair_squares: int
    same: int
    same_squares: int
    same_products: int
    close: int
    close_squares: int
    close_products: int


@dataclass(frozen=True, slots=True)
class OwnAgreement:
    """The figures of a dimension, as the annotator reads them."""

    dimension: Dimension
    items: int
    same: str
    close: str  # "" where it says nothing: for classes and on two levels
    largest_difference: int  # of two scores that are close


def agreement_of_annotator(
    project: Project, annotator: User, now: datetime
) -> Iterator[OwnAgreement]:
    """Yield the figures of each dimension in which the annotator may see any."""
    dimensions = project.rubric.schema.dimensions
    differences = [_close_difference(dimension) for dimension in dimensions]
    rows = all_rows(
        AGREED,
        {
            "annotator": annotator.pk,
            "project": project.pk,
            "late": now - LONGEST_LATE,
            "least": LEAST_ITEMS,
            "dimensions": [dimension.code for dimension in dimensions],
            "near": differences,
        },
    )
    sums_by_code = {code: PairSums(*sums) for code, *sums in rows}
    for dimension, difference in zip(dimensions, differences, strict=True):
        sums = sums_by_code.get(dimension.code)
        if sums is None:
            continue
        close = ""
        if dimension.better is not Better.NONE and len(dimension.scores) != 2:
            close = _share(sums, sums.close, sums.close_squares, sums.close_products)
        yield OwnAgreement(
            dimension=dimension,
            items=sums.items,
            same=_share(sums, sums.same, sums.same_squares, sums.same_products),
            close=close,
            largest_difference=difference,
        )


def _close_difference(dimension: Dimension) -> int:
    """Return the largest difference of two scores that are close."""
    length = dimension.highest - dimension.lowest
    return max(1, length // CLOSE_PARTS)


def _share(sums: PairSums, hits: int, squares: int, products: int) -> str:
    """Return hits by pairs in words, with the interval of a ratio of two sums over items.

    Scores of one item go together. Cochran, W. G. (1977). Sampling Techniques, 3rd ed., chapter 6.
    """
    pairs = sums.pairs
    share = hits / pairs
    edge = max(EDGE, ceil(100 * LEFT_OPEN / pairs))
    if 100 * hits >= (100 - edge) * pairs:
        return _("%(share)s or more") % {"share": percent(1 - edge / 100)}
    if 100 * hits <= edge * pairs:
        return _("%(share)s or less") % {"share": percent(edge / 100)}
    residual = max(0, squares - 2 * share * products + share**2 * sums.pair_squares)
    margin = 1.96 * sqrt(residual * sums.items / (sums.items - 1)) / pairs
    low = max(0, share - margin)
    high = min(1, share + margin)
    return _("%(value)s (%(low)s to %(high)s)") % {
        "value": percent(share),
        "low": f"{100 * low:.0f}",
        "high": f"{100 * high:.0f}",
    }
