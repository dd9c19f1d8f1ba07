"""The rows of a file as one SELECT. COPY runs it, so PostgreSQL writes the file row by row."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth import get_user_model
from psycopg import sql

from rubrics.models import Rubric

from .column_types import Column

PEOPLE = sql.Identifier(get_user_model()._meta.db_table)


@dataclass(frozen=True, slots=True)
class Selection:
    """The parts of a statement: the columns, the rest from FROM on, and the order."""

    columns: Sequence[Column]
    from_clause: sql.Composable
    order: sql.Composable
    rubrics: Sequence[Rubric] = ()
