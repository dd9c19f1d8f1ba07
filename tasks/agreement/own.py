"""An annotator's agreement with the others, as they may see it themselves.

It is the share of pairs, one's own score and another person's of the same target, that are the
same, and of those that are close. One understands both without statistics, and two people are
enough. α, by which leads compare people, needs the scores of all, and the worker to make it.

A figure must not tell what another person said of one item: what changes between two looks would
show. So it rests on whole closed batches, each with 20 shared items or more, once no lease of
anybody can add a rating that counts. A share near 0 or 1 would tell every score: it is shown as
"5 % or less" or "95 % or more". Few pairs have a share that leaves three of them open.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil, sqrt

from django.utils.translation import gettext as _
from psycopg import sql

from config.web.people import User
from config.web.raw_sql import rows_as
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from tasks.agreement.measures import percent
from tasks.models import Project
from tasks.models.counting import COUNTING, CURRENT
from tasks.models.leases import LONGEST_LATE

LEAST_ITEMS = 20  # that are shared, in a batch
EDGE = 5  # shares nearer than this percentage to 0 or to 100 are not told
LEFT_OPEN = 3  # pairs that a share leaves open at least, where there are few
CLOSE_PARTS = 10  # two scores are close within one level, or within this part of a long scale

# A row for each dimension with the fields of `PairSums`.
PAIR_SUMS = sql.SQL("""
WITH final_batch AS (
  -- The closed batches in which no lease of anybody can add a rating that counts. A lease that
  -- ended can still count if it is submitted in time and its item has a place, even after a skip.
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
), own_rating AS (
  -- The annotator's ratings in these batches. The batch comes by a subquery, so that this starts
  -- from one's own ratings and not from all items of a batch.
  SELECT id, item_id, batch_id FROM (
    SELECT rating.id, rating.item_id,
      (SELECT batch_id FROM tasks_item WHERE id = rating.item_id) AS batch_id
    FROM tasks_rating AS rating
    WHERE rating.annotator_id = %(annotator)s AND rating.project_id = %(project)s
      AND rating.kind = 'counted'
      AND {current}
  ) AS rated
  WHERE batch_id = ANY(ARRAY(SELECT id FROM final_batch))
), item_pairs AS (
  -- For each dimension and item that somebody else rated too: how many pairs there are of an own
  -- score and another one of the same target, and how many of them are the same or close.
  SELECT own_score.dimension, count(*) AS pairs,
    count(*) FILTER (WHERE own_score.value = score.value) AS same,
    count(*) FILTER (WHERE abs(own_score.value - score.value) <= scale.close_difference) AS close,
    count(*) OVER (PARTITION BY own_score.dimension, own_rating.batch_id) AS items_of_batch
  FROM own_rating JOIN tasks_score AS own_score ON own_score.rating_id = own_rating.id
    JOIN unnest(%(dimensions)s::text[], %(close_differences)s::int[])
      AS scale (code, close_difference) ON scale.code = own_score.dimension
    JOIN tasks_rating AS rating
      ON rating.item_id = own_rating.item_id AND rating.id <> own_rating.id
    JOIN tasks_score AS score
      ON score.rating_id = rating.id AND score.dimension = own_score.dimension
      AND coalesce(score.response_id::text, score.model)
        = coalesce(own_score.response_id::text, own_score.model)
  WHERE own_score.value IS NOT NULL AND score.value IS NOT NULL AND {counting}
    AND {current}
  GROUP BY own_score.dimension, own_rating.batch_id, own_rating.item_id
)
SELECT dimension, count(*) AS items,
  sum(pairs)::int AS pairs, sum(pairs * pairs)::int AS pair_squares,
  sum(same)::int AS same, sum(same * same)::int AS same_squares,
  sum(same * pairs)::int AS same_products,
  sum(close)::int AS close, sum(close * close)::int AS close_squares,
  sum(close * pairs)::int AS close_products
FROM item_pairs WHERE items_of_batch >= %(least_items)s GROUP BY dimension
""").format(counting=COUNTING, current=CURRENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSums:
    """Sums over the items of a dimension: of the pairs of scores in an item, and of the hits.

    A hit is a pair with the `same` score, or with `close` ones. A product is the number of an
    item's hits times the number of its pairs.
    """

    dimension: str  # its code
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
class PersonalAgreement:
    """The figures of a dimension, as the annotator reads them."""

    dimension: Dimension
    items: int
    same: str
    close: str  # "" where it says nothing: for classes and on two levels
    largest_difference: int  # of two scores that are close


def agreement_of_annotator(
    project: Project, annotator: User, now: datetime
) -> Iterator[PersonalAgreement]:
    """Yield the figures of each dimension in which the annotator may see any."""
    sums_by_code = _pair_sums(project, annotator, now)
    for dimension in project.rubric.schema.dimensions:
        if dimension.code in sums_by_code:
            yield _personal_agreement(dimension, sums_by_code[dimension.code])


def _pair_sums(project: Project, annotator: User, now: datetime) -> Mapping[str, PairSums]:
    """Return the sums of the dimensions that have any, by code."""
    dimensions = project.rubric.schema.dimensions
    pair_sums = rows_as(
        PairSums,
        PAIR_SUMS,
        {
            "annotator": annotator.pk,
            "project": project.pk,
            "late": now - LONGEST_LATE,
            "least_items": LEAST_ITEMS,
            "dimensions": [dimension.code for dimension in dimensions],
            "close_differences": [_close_difference(dimension) for dimension in dimensions],
        },
    )
    return {sums.dimension: sums for sums in pair_sums}


def _personal_agreement(dimension: Dimension, sums: PairSums) -> PersonalAgreement:
    close = ""
    if dimension.better is not Better.NONE and len(dimension.scores) != 2:
        close = _share(sums, sums.close, sums.close_squares, sums.close_products)
    return PersonalAgreement(
        dimension=dimension,
        items=sums.items,
        same=_share(sums, sums.same, sums.same_squares, sums.same_products),
        close=close,
        largest_difference=_close_difference(dimension),
    )


def _close_difference(dimension: Dimension) -> int:
    """Return the largest difference of two scores that are close."""
    length = dimension.highest - dimension.lowest
    return max(1, length // CLOSE_PARTS)


def _share(sums: PairSums, hits: int, hit_squares: int, hit_products: int) -> str:
    """Return the share of pairs that are hits, in words: "62 % (54 to 70)".

    The hits are the pairs that are the same, or those that are close. `sums` has the squares and
    products. A share near an end is only told as "95 % or more".

    The interval is that of a ratio of two sums over items, since scores of one item go together.
    Cochran, W. G. (1977). Sampling Techniques, 3rd ed., chapter 6.
    """
    pairs = sums.pairs
    share = hits / pairs
    edge = max(EDGE, ceil(100 * LEFT_OPEN / pairs))
    if 100 * hits >= (100 - edge) * pairs:
        return _("%(share)s or more") % {"share": percent(1 - edge / 100)}
    if 100 * hits <= edge * pairs:
        return _("%(share)s or less") % {"share": percent(edge / 100)}
    # The sum over items of (hits - share * pairs) squared.
    residual = max(0, hit_squares - 2 * share * hit_products + share**2 * sums.pair_squares)
    margin = 1.96 * sqrt(residual * sums.items / (sums.items - 1)) / pairs
    low = max(0, share - margin)
    high = min(1, share + margin)
    return _("%(value)s (%(low)s to %(high)s)") % {
        "value": percent(share),
        "low": f"{100 * low:.0f}",
        "high": f"{100 * high:.0f}",
    }
