"""The rows of answers about corpora: each answer about all that one model said in a batch."""

from psycopg import sql

from tasks.models import Project
from tasks.models.counting import person_of

from .columns import CORPUS_ANSWERS
from .filters import FilterColumns, Filters
from .options import Options
from .selection import PEOPLE, Selection

_FROM = sql.SQL("""
    FROM tasks_corpusanswer AS corpus_answer
    JOIN tasks_project AS project ON project.id = corpus_answer.project_id
    JOIN tasks_batch AS batch ON batch.id = corpus_answer.batch_id
    LEFT JOIN tasks_importedrater AS rater ON rater.id = corpus_answer.rater_id
    LEFT JOIN {people} AS annotator
      ON annotator.id = COALESCE(corpus_answer.annotator_id, rater.account_id)
    WHERE corpus_answer.project_id = {key} {only}""")
_IN_ORDER = sql.SQL(" ORDER BY corpus_answer.id")
_FILTERS = FilterColumns(
    moment=sql.SQL("corpus_answer.answered_at"),
    batch_key=sql.SQL("corpus_answer.batch_id"),
    model=sql.SQL("corpus_answer.model"),
    person=person_of("corpus_answer"),
)
# PostgreSQL runs it as an anti-join.
_CURRENT = sql.SQL("""NOT EXISTS (
      SELECT FROM tasks_corpusanswer AS later WHERE later.revision > corpus_answer.revision
        AND (COALESCE(later.annotator_id, -later.rater_id), later.batch_id, later.model,
          later.dimension, later.code)
        = (COALESCE(corpus_answer.annotator_id, -corpus_answer.rater_id), corpus_answer.batch_id,
          corpus_answer.model, corpus_answer.dimension, corpus_answer.code))""")


def select_corpus_answers(project: Project, options: Options, filters: Filters) -> Selection:
    """Return what an export of answers about corpora selects."""
    current = () if options.revisions else (_CURRENT,)
    only = filters.where(_FILTERS, *current)
    rows = _FROM.format(key=sql.Literal(project.pk), people=PEOPLE, only=only)
    return Selection(CORPUS_ANSWERS, rows, _IN_ORDER)
