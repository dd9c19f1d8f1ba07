"""Statements that the ORM cannot express, and model instances from their rows.

LEASE = Columns(Lease, "lease")
row = one_row(f"SELECT {LEASE}, {ITEM} FROM tasks_lease AS lease JOIN …", [])
lease, item = instances(row, LEASE, ITEM)
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from django.db import connection, models
from psycopg import sql

RowT = TypeVar("RowT")
M = TypeVar("M", bound=models.Model)
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]
Statement: TypeAlias = str | sql.Composable


def run(statement: Statement, values: Values) -> int:
    """Run a statement and return the number of rows that it changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount


def one_row(statement: Statement, values: Values) -> tuple[Any, ...] | None:
    """Run a statement and return its first row, or None if it has none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def all_rows(statement: Statement, values: Values) -> list[tuple[Any, ...]]:
    """Run a statement and return all of its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def rows_as(make_row: Callable[..., RowT], statement: Statement, values: Values) -> list[RowT]:
    """Run a statement and make each of its rows from its columns, by their names."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        names = [column.name for column in cursor.description]
        return [make_row(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


class Columns(Generic[M]):
    """The columns of a model's table, under the table's alias in a statement.

    str() gives the column list for SELECT. The primary key comes first. Fields named in `defer`
    are left out, and loaded at first use as Django loads deferred fields.
    """

    def __init__(self, model: type[M], alias: str, *, defer: Collection[str] = ()) -> None:
        self.model, self.alias = model, alias
        columns = model._meta.concrete_fields
        self.fields = [field for field in columns if field.name not in defer]
        self.names = [field.attname for field in self.fields]
        # For these fields the database returns another type than the model uses.
        self.converted = [
            (position, field.from_db_value)
            for position, field in enumerate(self.fields)
            if hasattr(field, "from_db_value")
        ]

    def __str__(self) -> str:
        return ", ".join(f'{self.alias}."{field.column}"' for field in self.fields)

    def instance(self, cells: Sequence[Any]) -> M | None:
        """Return the instance in this part of a row, or None if an outer join found nothing."""
        if cells[0] is None:
            return None
        row = list(cells)
        for position, convert in self.converted:
            row[position] = convert(row[position], None, connection)
        return self.model.from_db(connection.alias, self.names, row)


def instances(row: Sequence[Any], *table_columns: Columns[Any]) -> list[Any]:
    """Return the instances in a row, in the order of `table_columns`, then the remaining values."""
    row_instances: list[Any] = []
    start = 0
    for part in table_columns:
        end = start + len(part.fields)
        row_instances.append(part.instance(row[start:end]))
        start = end
    return [*row_instances, *row[start:]]


def give_related(instance: models.Model, name: str, related_instances: list[Any]) -> None:
    """Give an instance the rows of a relation, as `prefetch_related` does after a query."""
    related_rows = getattr(instance, name).get_queryset()
    related_rows._result_cache = related_instances
    related_rows._prefetch_done = True
    instance.__dict__.setdefault("_prefetched_objects_cache", {})[name] = related_rows
