"""Statements that the ORM cannot express, and model instances from their rows.

LEASE = Columns(Lease, "lease")
row = one_row(f"SELECT {LEASE}, {ITEM} FROM tasks_lease AS lease JOIN …", [])
lease, item = instances(row, LEASE, ITEM)
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)
Values: TypeAlias = Sequence[Any] | Mapping[str, Any]


def run(statement: str, values: Values) -> int:
    """Run a statement and return the number of rows that it changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.rowcount


def one_row(statement: str, values: Values) -> tuple[Any, ...] | None:
    """Run a statement and return its first row, or None if it has none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def all_rows(statement: str, values: Values) -> list[tuple[Any, ...]]:
    """Run a statement and return all of its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


class Columns(Generic[M]):
    """The columns of a model's table, under the table's alias in a statement.

    str() gives the column list for SELECT. The primary key comes first. Fields named in `defer`
    are left out, and loaded at first use as Django loads deferred fields.
    """

    def __init__(self, model: type[M], alias: str, *, defer: Collection[str] = ()) -> None:
        self.model, self.alias = model, alias
        self.fields = [each for each in model._meta.concrete_fields if each.name not in defer]
        self.names = [field.attname for field in self.fields]
        # For these fields the database returns another type than the model uses.
        self.converted = [
            (position, field.from_db_value)
            for position, field in enumerate(self.fields)
            if hasattr(field, "from_db_value")
        ]

    def __str__(self) -> str:
        return ", ".join(f'{self.alias}."{field.column}"' for field in self.fields)

    def instance(self, values: Sequence[Any]) -> M | None:
        """Return the instance in this part of a row, or None if an outer join found nothing."""
        if values[0] is None:
            return None
        row = list(values)
        for position, convert in self.converted:
            row[position] = convert(row[position], None, connection)
        return self.model.from_db(connection.alias, self.names, row)


def instances(row: Sequence[Any], *parts: Columns[Any]) -> list[Any]:
    """Return the instances in a row, in the order of `parts`, then the remaining values."""
    found: list[Any] = []
    start = 0
    for part in parts:
        end = start + len(part.fields)
        found.append(part.instance(row[start:end]))
        start = end
    return [*found, *row[start:]]
