"""How far a project is, from the counts of its batches and seats, in one statement."""

import json
from dataclasses import dataclass

from config.web.raw_sql import one_row

from .projects import Project

# One statement sees one moment: its sums belong together, whatever is rated meanwhile.
PROGRESS = """
WITH part AS (
  SELECT status = 'open' AS is_open, size - dropped AS items, finished, 0 AS counted, wanted, begun
  FROM tasks_batch WHERE project_id = %(project)s
  UNION ALL
  SELECT batch.status = 'open', 0, seat.finished, seat.counted, 0, seat.begun
  FROM tasks_seat AS seat JOIN tasks_batch AS batch ON batch.id = seat.batch_id
  WHERE seat.project_id = %(project)s
)
SELECT coalesce(sum(items), 0)::int, coalesce(sum(finished), 0)::int,
  coalesce(sum(counted), 0)::int, coalesce(sum(wanted), 0)::int,
  (SELECT coalesce(jsonb_agg(jsonb_build_array(ratings, number) ORDER BY ratings DESC), '[]') FROM (
    SELECT ratings, sum(begun[ratings]) AS number
    FROM part, generate_subscripts(begun, 1) AS ratings GROUP BY ratings
  ) AS each WHERE number > 0),
  greatest(0, coalesce(sum(wanted - counted) FILTER (WHERE is_open), 0))::int,
  coalesce(sum(items) FILTER (WHERE is_open), 0)::int,
  coalesce(sum(items - finished) FILTER (WHERE is_open), 0)::int
FROM part
"""


@dataclass(frozen=True, slots=True)
class ProjectFigures:
    """How far a project is. Finished, begun and untouched items add up to `items`."""

    items: int  # without dropped ones
    finished: int  # items that have all the ratings they want
    counted: int  # ratings
    wanted: int  # ratings
    begun: tuple[tuple[int, int], ...]  # pairs (ratings, items that have so many and want more)
    # In open batches, the only ones that hand out items:
    left: int  # ratings still wanted
    open_items: int  # without dropped ones
    unfinished: int  # items that want ratings

    @property
    def untouched(self) -> int:
        """The items without a rating."""
        return self.items - self.finished - sum(items for _ratings, items in self.begun)

    @property
    def left_elsewhere(self) -> int:
        """The ratings still wanted in batches that are not open."""
        return max(0, self.wanted - self.counted - self.left)


def progress_of(project: Project) -> ProjectFigures:
    """Return how far a project is. The cost does not grow with its items or ratings."""
    row = one_row(PROGRESS, {"project": project.pk})
    assert row is not None
    items, finished, counted, wanted, begun, *in_open_batches = row
    pairs = tuple(map(tuple, json.loads(begun)))
    return ProjectFigures(items, finished, counted, wanted, pairs, *in_open_batches)
