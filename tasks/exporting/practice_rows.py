"""The rows of practice: each answer to an example of the rubric."""

from psycopg import sql

from tasks.models import Project

from .columns import PRACTICE
from .filters import FilterColumns, Filters
from .selection import PEOPLE, Selection

# Without a rater of a file, whom columns about people name: those do not practise.
_FROM = sql.SQL("""
    FROM tasks_practiceanswer AS answer
    JOIN tasks_practiceround AS round ON round.id = answer.round_id
    JOIN tasks_project AS project ON project.id = round.project_id
    JOIN rubrics_rubric AS rubric ON rubric.id = round.rubric_id
    JOIN {people} AS annotator ON annotator.id = round.annotator_id
    LEFT JOIN tasks_importedrater AS rater ON false
    WHERE round.project_id = {key} {only}""")
_IN_ORDER = sql.SQL(" ORDER BY round.id, answer.id")
_FILTERS = FilterColumns(
    moment=sql.SQL("answer.answered_at"),
    person=sql.SQL("round.annotator_id"),
)


def select_practice(project: Project, filters: Filters) -> Selection:
    """Return what an export of practice selects."""
    only = filters.where(_FILTERS)
    rows = _FROM.format(key=sql.Literal(project.pk), people=PEOPLE, only=only)
    return Selection(PRACTICE, rows, _IN_ORDER)
