"""Parquet files and logs of Inspect → rows as JSON lines, in the process of `containers`.

The libraries are imported where they are needed, after the limits of the process are set. Knows no
Django.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import IO
from zipfile import ZipFile

from .formats import MOST_COLUMNS
from .outcomes import Outcome, Output, fault_with, line_of

# How a sample came about, which may be a thousand times as long as what was said.
LEFT_OUT = ("events", "events_data", "attachments", "store", "timelines")


def write_parquet(file: IO[bytes], output: Output, part: str) -> Outcome:
    """Write the rows of a Parquet file. Raises Fault."""
    return _write_objects(_parquet_rows(file), output, part)


def write_log(archive: ZipFile, header: str, output: Output, part: str) -> Outcome:
    """Write the samples of a log. `header`: the file in it that names its model. Raises Fault."""
    return _write_objects(_samples(archive, header), output, part)


def _write_objects(
    row_objects: Iterator[Mapping[str, object]], output: Output, part: str
) -> Outcome:
    for row in row_objects:
        content = {name: value for name, value in row.items() if value is not None}
        output.write(line_of(content))
    return Outcome("objects", part)


def _parquet_rows(file: IO[bytes]) -> Iterator[Mapping[str, object]]:
    from arro3.io import read_parquet

    batches = read_parquet(file, batch_size=256)
    names = batches.schema.names
    if len(names) > MOST_COLUMNS:
        raise fault_with("columns", number=len(names), most=MOST_COLUMNS)
    for place, (name, kind) in enumerate(zip(names, batches.schema.types, strict=True)):
        if name in names[:place]:
            raise fault_with("twice", name=name)
        if "Binary" in re.sub('"[^"]*"', "", str(kind)):  # in a list or an object, too
            raise fault_with("bytes", name=name)
    for batch in batches:
        yield from batch.to_struct_array().to_pylist()


def _samples(archive: ZipFile, header: str) -> Iterator[Mapping[str, object]]:
    """Yield the samples of a log of Inspect, with its model and task where they have none."""
    run = json.loads(archive.read(header))["eval"]
    of_run = {"model": run["model"], "task": run["task"]}
    is_sample = re.compile(r"samples/.*\.json").fullmatch
    for name in filter(is_sample, archive.namelist()):
        content = json.loads(archive.read(name))
        sample = of_run | content
        yield {key: value for key, value in sample.items() if key not in LEFT_OUT}
