"""The wide rows: one for each item, with a column for each dimension, response and person.

The name of such a column is "quality / gpt-4 / ada", and its value the score that Ada gave.
"""

from collections.abc import Sequence

from django.db import connection
from django.utils.translation import gettext
from psycopg import sql

from rubrics.models import Rubric
from tasks.models import Project

from .columns import ANNOTATOR, WIDE
from .filters import Filters, Refused
from .project_columns import of_person
from .score_rows import NO_CHECKS, score_rows
from .selection import Selection

MOST_WIDE = 500  # columns of scores
# The response's model, or its number where a model is missing or stands twice.
_LABEL = sql.SQL("""CASE WHEN response.id IS NULL THEN score.model
    WHEN response.model <> '' AND NOT EXISTS (
      SELECT FROM tasks_response AS twin WHERE twin.item_id = response.item_id
        AND twin.model = response.model AND twin.id <> response.id) THEN response.model
    ELSE response.position::text END""")
_NAMES = sql.SQL("SELECT DISTINCT {} {} AND score.value IS NOT NULL LIMIT {}")
# Of several values of a name, the last one stays: that of the first rating.
_ITEMS = sql.SQL("""
    FROM (
      SELECT item.id, jsonb_object_agg({name}, score.value ORDER BY rating.attempt DESC) AS given
      {rows} AND score.value IS NOT NULL GROUP BY item.id) AS score
    JOIN tasks_item AS item ON item.id = score.id
    JOIN tasks_batch AS batch ON batch.id = item.batch_id
    JOIN tasks_project AS project ON project.id = item.project_id""")
_IN_ORDER = sql.SQL(" ORDER BY batch.position, item.position")


def select_wide(project: Project, filters: Filters, rubrics: Sequence[Rubric]) -> Selection:
    """Return what a wide export selects. Raise Refused if it has more columns than `MOST_WIDE`."""
    rows = score_rows("project_id", project.pk, NO_CHECKS, filters=filters)
    person = ANNOTATOR.sql if filters.pseudonyms is None else filters.pseudonym
    parts = []
    for expression in (sql.SQL("score.dimension"), _LABEL, person):
        parts.append(sql.SQL("({})").format(expression))
    with connection.cursor() as cursor:
        most = sql.Literal(MOST_WIDE + 1)
        cursor.execute(_NAMES.format(sql.SQL(", ").join(parts), rows, most))
        names = cursor.fetchall()
    if len(names) > MOST_WIDE:
        message = gettext(
            "This file would have more than %(most)s columns: one for each dimension, response "
            "and person. Choose fewer, or another shape."
        )
        raise Refused("shape", message % {"most": MOST_WIDE})
    order: list[str] = []
    for rubric in rubrics:
        order += [part.code for part in rubric.schema.parts]
    names.sort(key=lambda name: (order.index(name[0]), *name[1:]))
    people = [of_person(dimension, label, person) for dimension, label, person in names]
    name = sql.SQL(" || ' / ' || ").join(parts)
    return Selection([*WIDE, *people], _ITEMS.format(name=name, rows=rows), _IN_ORDER)
