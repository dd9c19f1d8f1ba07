"""Model instances from the rows of raw SQL that the ORM cannot express.

LEASE = Columns(Lease, "lease")
cursor.execute(f"SELECT {LEASE}, {ITEM} FROM tasks_lease AS lease JOIN …")
lease, item = instances(cursor.fetchone(), LEASE, ITEM)
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)


class Columns(Generic[M]):
    """All columns of a model's table, under the table's alias in a statement.

    str() gives the column list for SELECT. The primary key comes first.
    """

    def __init__(self, model: type[M], alias: str) -> None:
        self.model = model
        self.fields = model._meta.concrete_fields
        self._text = ", ".join(f'{alias}."{field.column}"' for field in self.fields)

    def __str__(self) -> str:
        return self._text

    def instance(self, values: Sequence[Any]) -> M | None:
        """Return the instance in this part of a row, or None if an outer join found nothing."""
        if values[0] is None:
            return None
        # For some fields the database returns another type than the model uses.
        row = [
            field.from_db_value(value, None, connection)
            if hasattr(field, "from_db_value")
            else value
            for field, value in zip(self.fields, values, strict=True)
        ]
        return self.model.from_db(connection.alias, [field.attname for field in self.fields], row)


def instances(row: Sequence[Any], *parts: Columns[Any]) -> list[Any]:
    """Return the instances in a row, in the order of `parts`, then the remaining values."""
    found: list[Any] = []
    start = 0
    for part in parts:
        end = start + len(part.fields)
        found.append(part.instance(row[start:end]))
        start = end
    return [*found, *row[start:]]
