"""Workbooks, Parquet files and archives → rows, in a process of its own that has limits.

    python -m tasks.importing.container_reader ROWS PART ENDING … < FILE

ROWS is a file descriptor. Rows are written to it as JSON lines; in those of a workbook, a row's
line is its number in the sheet. The file of an archive is written as it is. What became of it is
printed as JSON: `{}`, `{"name": …}` for the file of an archive, `{"parts": […]}` if none of them
is chosen, or `{"fault": …}`, which `unpacking` puts in words.

The libraries below may ask for any memory, or abort. So they are imported here and nowhere else,
after the limits are set. No Django, which would be in their way.
"""

import errno
import json
import os
import re
import resource
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, BinaryIO
from zipfile import ZipFile

MOST_MEMORY = 2**30  # bytes of addresses
MOST_SECONDS = 120
MOST_WRITTEN = 2 * 2**30  # bytes of rows
MOST_UNPACKED = 200 * 2**20  # bytes of a workbook or an archive
MOST_RATIO = 200  # times its size, which no file of texts reaches
MOST_COLUMNS = 1_000
MOST_ROWS = 2**20  # in a sheet of Excel
BATCH = 256  # rows of Parquet in memory
PARQUET = b"PAR1"
# What a log of Inspect has beside its samples: the newer names first, then that of an evaluation
# that did not end, and that of old versions.
HEADERS = ("header.json", "_journal/start.json", "start.json")
# How a sample came about, which may be a thousand times as long as what was said.
LEFT_OUT = ("events", "events_data", "attachments", "store", "timelines")


class Fault(Exception):
    """A reason why nothing can be read."""

    def __init__(self, fault: str, **values: object) -> None:
        self.said = {"fault": fault, **values}
        super().__init__(fault)


def main(rows: str, part: str, *endings: str) -> None:
    """Write the rows of standard input, and print what became of it."""
    for kind, most in (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, MOST_SECONDS + 10),  # for when nobody waits any more
        (resource.RLIMIT_FSIZE, MOST_WRITTEN),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    try:
        with os.fdopen(int(rows), "wb") as out:
            said = _read(sys.stdin.buffer, out, part, endings)
    except Fault as fault:
        said = fault.said
    except MemoryError:
        said = {"fault": "memory"}
    except BaseException as error:  # a panic of arro3 is no Exception
        said = {"fault": "broken", "what": str(error)}
        if getattr(error, "errno", None) == errno.EFBIG:
            said = {"fault": "large"}
    print(json.dumps(said))


def _read(file: BinaryIO, out: BinaryIO, part: str, endings: Sequence[str]) -> dict[str, Any]:
    size = os.fstat(file.fileno()).st_size
    if file.read(len(PARQUET)) == PARQUET:
        _parquet(file, out)
        return {}
    with ZipFile(file) as archive:
        unpacked = sum(info.file_size for info in archive.infolist())
        if unpacked > MOST_RATIO * size:
            raise Fault("bomb")
        if unpacked > MOST_UNPACKED:
            raise Fault("unpacked")
        if any(info.flag_bits & 1 for info in archive.infolist()):
            raise Fault("locked")
        names = archive.namelist()
        if "xl/workbook.xml" in names:
            return _workbook(file, out, part)
        samples = [name for name in names if re.fullmatch(r"samples/.*\.json", name)]
        headers = [name for name in HEADERS if name in names]
        if samples and headers:
            _inspect_log(archive, headers[0], samples, out)
            return {}
        return _archive(archive, out, part, endings)


def _line(content: dict[str, Any]) -> bytes:
    """Return a row. What has no value is left out."""
    content = {name: value for name, value in content.items() if value is not None}
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        text = json.dumps(_finite(content), ensure_ascii=False, default=_plain)
    # Half a character becomes its escape in JSON.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _plain(value: Any) -> str:
    """Return the text of a value that JSON has no kind for: a time, a length of time, a decimal."""
    return str(value.isoformat() if hasattr(value, "isoformat") else value)


def _finite(value: Any) -> Any:
    """Return a value with the texts NaN, Infinity and -Infinity for these numbers."""
    match value:
        case float():
            return value if value - value == 0 else json.dumps(value)
        case list() | tuple():
            return [_finite(entry) for entry in value]
        case dict():
            return {name: _finite(entry) for name, entry in value.items()}
    return value


def _named_once(names: Sequence[str]) -> Sequence[str]:
    if len(names) > MOST_COLUMNS:
        raise Fault("columns", number=len(names), most=MOST_COLUMNS)
    for position, name in enumerate(names):
        if name and name in names[:position]:
            raise Fault("twice", name=name)
    return names


# --- Parquet ---


def _parquet(file: BinaryIO, out: BinaryIO) -> None:
    from arro3.io import read_parquet

    file.seek(0)
    batches = read_parquet(file, batch_size=BATCH)
    names = _named_once(batches.schema.names)
    for name, kind in zip(names, batches.schema.types, strict=True):
        if "Binary" in re.sub('"[^"]*"', "", str(kind)):  # in a list or an object, too
            raise Fault("bytes", name=name)
    for batch in batches:
        out.writelines(map(_line, batch.to_struct_array().to_pylist()))


# --- workbooks ---


def _workbook(file: BinaryIO, out: BinaryIO, part: str) -> dict[str, Any]:
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    used = [title for title, sheet in sheets.items() if next(_filled(sheet), None)]
    if part not in sheets:
        if part or len(used) > 1:
            return {"parts": used}
        part = (used or list(sheets))[0]
    rows = _filled(sheets[part])
    header, cells = next(rows, (0, []))
    names = _named_once(["" if cell is None else str(_cell(cell)) for cell in cells])
    at = 1  # the line to be written
    for number, cells in rows:
        for position, cell in enumerate(cells):
            if cell is not None and not "".join(names[position : position + 1]).strip():
                raise Fault("nameless", cell=f"{_letters(position)}{number}", line=header)
        out.write(b"\n" * (number - at))
        out.write(_line(dict(zip(names, map(_cell, cells), strict=False))))
        at = number + 1
    return {}


def _filled(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the rows that are not empty, with their numbers and without empty cells at the end."""
    sheet.reset_dimensions()  # a file may claim any
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if number > MOST_ROWS:
            raise Fault("rows", most=MOST_ROWS)
        filled = [position for position, cell in enumerate(cells, 1) if cell is not None]
        if filled:
            yield number, cells[: filled[-1]]


def _cell(value: Any) -> Any:
    """Return a cell's value. A time at midnight is a day."""
    if isinstance(value, str):
        return value.replace("_x000D_", "\r")
    text = value.isoformat() if hasattr(value, "isoformat") else value
    return text.removesuffix("T00:00:00") if isinstance(text, str) else text


def _letters(position: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(position + 1))


# --- archives ---


def _inspect_log(archive: ZipFile, header: str, samples: Sequence[str], out: BinaryIO) -> None:
    """Write the samples of a log of Inspect, with its model and task where they have none."""
    run = json.loads(archive.read(header))["eval"]
    for name in samples:
        sample = json.loads(archive.read(name))
        for key in LEFT_OUT:
            sample.pop(key, None)
        out.write(_line({"model": run["model"], "task": run["task"]} | sample))


def _archive(archive: ZipFile, out: BinaryIO, part: str, endings: Sequence[str]) -> dict[str, Any]:
    """Write a file of an archive as it is: the one that is named, or the only one to be read."""
    names = [
        name
        for name in archive.namelist()
        if PurePath(name).suffix.lower() in endings and not name.startswith("__MACOSX/")
    ]
    if not names:
        raise Fault("nothing", endings=", ".join(endings))
    if part not in names:
        if len(names) > 1:
            return {"parts": names}
        [part] = names
    with archive.open(part) as file:
        shutil.copyfileobj(file, out)
    return {"name": part}


if __name__ == "__main__":
    main(*sys.argv[1:])
