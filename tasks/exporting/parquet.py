"""Write rows as Parquet, a group of rows at a time. Needs pyarrow, a group of its own."""

from collections.abc import Iterator
from itertools import islice

from django.db import connection
from psycopg import sql

from .rows import Selection
from .writing import Buffer, cell

GROUP = 5_000  # rows; so many are in memory
# By type of column: the types in PostgreSQL, in memory and in the file. All others are text.
TYPES = {"integer": ("int8", "int64"), "number": ("float8", "float64")}


class Parquet:
    """A file in blocks. Empty texts are null, as in JSONL; JSON is text."""

    rows = 0  # when all blocks are out

    def __init__(self, selection: Selection) -> None:
        self._selection = selection

    def __iter__(self) -> Iterator[bytes]:
        # Not installed by default: it is larger than everything else together.
        import pyarrow
        from pyarrow.parquet import ParquetWriter

        columns = self._selection.columns
        kinds = [TYPES.get(column.type, ("text", "string")) for column in columns]
        moment = pyarrow.timestamp("us", "UTC")
        schema = pyarrow.schema(
            (column.name, moment if column.type == "time" else pyarrow.type_for_alias(kind))
            for column, (_, kind) in zip(columns, kinds, strict=True)
        )
        statement = sql.SQL("COPY (SELECT {} {}) TO STDOUT").format(
            sql.SQL(", ").join(map(cell, columns)), self._selection.rows + self._selection.order
        )
        out = Buffer()
        with (
            connection.cursor() as cursor,
            cursor.copy(statement) as copied,
            ParquetWriter(out, schema) as writer,
        ):
            copied.set_types([read for read, _ in kinds])
            rows = copied.rows()
            while group := list(islice(rows, GROUP)):
                self.rows += len(group)
                arrays = [
                    pyarrow.array(values, kind).cast(field.type)
                    for values, (_, kind), field in zip(
                        zip(*group, strict=True), kinds, schema, strict=True
                    )
                ]
                writer.write_batch(pyarrow.record_batch(arrays, schema=schema))
                yield out.taken()
        yield out.taken()
