"""Write Parquet by arro3, a group of rows at a time.

It goes to an unnamed file first, because its writer seeks.
"""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import Any

from .column_types import Column
from .copying import BLOCK, typed_rows
from .selection import Selection

GROUP = 5_000  # rows; so many are in memory


class Parquet:
    """A file in blocks. Empty texts are null, as in JSONL; JSON is text."""

    rows = 0  # when all blocks are out

    def __init__(self, selection: Selection) -> None:
        self._selection = selection

    def __iter__(self) -> Iterator[bytes]:
        # 35 MB, which few processes need.
        from arro3.core import Field, RecordBatchReader, Schema
        from arro3.io import write_parquet

        columns = self._selection.columns
        schema = Schema([Field(column.name, _parquet_type(column)) for column in columns])
        with TemporaryFile() as file:
            with closing(typed_rows(self._selection)) as rows:
                batches = RecordBatchReader.from_batches(schema, self._groups(rows, schema))
                write_parquet(batches, file, compression="snappy", max_row_group_size=GROUP)
            file.seek(0)
            yield from iter(partial(file.read, BLOCK), b"")

    def _groups(self, fetched_rows: Iterator[tuple[Any, ...]], schema: Any) -> Iterator[Any]:
        from arro3.core import Array, DataType, RecordBatch

        while group := list(islice(fetched_rows, GROUP)):
            self.rows += len(group)
            arrays = []
            for values, parquet_type in zip(zip(*group, strict=True), schema.types, strict=True):
                # Times come as texts, which an array of times is only cast from.
                if DataType.is_timestamp(parquet_type):
                    arrays.append(Array(values, DataType.string()).cast(parquet_type))
                else:
                    arrays.append(Array(values, parquet_type))
            yield RecordBatch.from_arrays(arrays, schema=schema)


def _parquet_type(column: Column) -> Any:
    from arro3.core import DataType

    match column.type:
        case "integer":
            return DataType.int64()
        case "number":
            return DataType.float64()
        case "time":
            return DataType.timestamp("us", tz="UTC")
    return DataType.string()
