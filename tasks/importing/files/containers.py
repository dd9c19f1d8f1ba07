"""Workbooks, Parquet files, logs and compressed files → files of text, in a process with limits.

    python -m tasks.importing.files.containers OUT PART SECONDS < FILE

Rows are written to the file descriptor OUT as JSON lines. In those of a workbook, a row's line is
its number in the sheet. A compressed file is written as it is when unpacked. The outcome is printed
as JSON: {} if all is well, {"parts": [[name, row], …]} with a row of each sheet if one must
be chosen, and {"fault": …}, which `unpacking` puts in words.

The libraries below may ask for any memory, or abort. So they are imported here and nowhere else,
after the limits are set. No Django, which would be in their way.
"""

import json
import re
import resource
import sys
from collections.abc import Iterator, Sequence
from errno import EFBIG
from gzip import GzipFile
from itertools import islice, zip_longest
from typing import Any, BinaryIO
from zipfile import ZipFile

MOST_SECONDS = 120
MOST_BYTES = 2 * 2**30  # of a file, and of what is written
# Of memory, and no core files. SECONDS of work are a limit too.
LIMITS = {
    resource.RLIMIT_AS: 2**30,
    resource.RLIMIT_FSIZE: MOST_BYTES,
    resource.RLIMIT_CORE: 0,
}
MOST_UNPACKED = 200 * 2**20  # bytes of a workbook or a log
MOST_RATIO = 200  # times its size, which no file of texts reaches
MOST_COLUMNS = 1_000
# The beginnings of files that are read here. The last one is that of an empty archive.
CONTAINERS = PARQUET, *_ZIP = b"PAR1", b"PK\x03\x04", b"PK\x05\x06"
# Characters that XML does not take, but zero, and the "_" of a text that looks like one of these.
ESCAPED = re.compile("_x(00[01][0-9A-F](?<!0000)|0020|005F|FFF[EF])_", re.IGNORECASE)
GZIP = b"\x1f\x8b"
# The file of a log of Inspect that names the model: of an evaluation that ended, of one that did
# not, and of old versions.
HEADERS = ("header.json", "_journal/start.json", "start.json")
# How a sample came about, which may be a thousand times as long as what was said.
LEFT_OUT = ("events", "events_data", "attachments", "store", "timelines")


class Fault(Exception):
    """An outcome without rows, as it is printed."""


def main(descriptor: str, part: str, seconds: str) -> None:
    """Write the text of standard input, and print the outcome."""
    said: dict[str, Any] = {}
    for kind, most in (*LIMITS.items(), (resource.RLIMIT_CPU, int(seconds))):
        resource.setrlimit(kind, (most, most))
    try:
        with open(int(descriptor), "wb") as out:
            _read(sys.stdin.buffer, out, part)
    except Fault as fault:
        said = fault.args[0]
    except BaseException as error:  # a panic of arro3 is no Exception
        said = {
            "fault": "large" if getattr(error, "errno", 0) == EFBIG else type(error).__name__,
            "what": str(error),
        }
    print(json.dumps(said))


def _read(file: BinaryIO, out: BinaryIO, part: str) -> None:
    size = file.seek(0, 2)
    file.seek(0)
    start = file.read(4)
    file.seek(0)
    if start.startswith(GZIP):
        with GzipFile(fileobj=file) as packed:
            while block := packed.read(2**20):
                if out.tell() + len(block) > MOST_RATIO * size:
                    raise Fault({"fault": "bomb"})
                out.write(block)
    elif start == PARQUET:
        out.writelines(map(_line, _parquet(file)))
    else:
        with ZipFile(file) as archive:
            unpacked = sum(info.file_size for info in archive.infolist())
            if unpacked > min(MOST_UNPACKED, MOST_RATIO * size):
                raise Fault({"fault": "bomb" if unpacked > MOST_RATIO * size else "unpacked"})
            names = archive.namelist()
            headers = [name for name in HEADERS if name in names]
            if "xl/workbook.xml" in names:
                _workbook(file, out, part)
            elif headers:
                out.writelines(map(_line, _samples(archive, headers[0])))
            else:
                raise Fault({"fault": "archive"})


def _line(content: dict[str, Any]) -> bytes:
    """Return a row without empty values. Numbers that JSON lacks are texts."""
    content = {name: value for name, value in content.items() if value is not None}
    text = json.dumps(content, ensure_ascii=False, default=_text)
    if "NaN" in text or "Infinity" in text:
        text = json.dumps(json.loads(text, parse_constant=str), ensure_ascii=False)
    # Half a character becomes its escape in JSON.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _text(value: Any) -> str:
    """Return a time as ISO 8601 writes it, at midnight without the hour; or another value."""
    iso = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return iso.removesuffix("T00:00:00")


def _checked(names: Sequence[str]) -> Sequence[str]:
    if len(names) > MOST_COLUMNS:
        raise Fault({"fault": "columns", "number": len(names), "most": MOST_COLUMNS})
    if twice := [name for place, name in enumerate(names) if name and name in names[:place]]:
        raise Fault({"fault": "twice", "name": twice[0]})
    return names


def _parquet(file: BinaryIO) -> Iterator[dict[str, Any]]:
    from arro3.io import read_parquet

    batches = read_parquet(file, batch_size=256)
    for name, kind in zip(_checked(batches.schema.names), batches.schema.types, strict=True):
        if "Binary" in re.sub('"[^"]*"', "", str(kind)):  # in a list or an object, too
            raise Fault({"fault": "bytes", "name": name})
    for batch in batches:
        yield from batch.to_struct_array().to_pylist()


def _workbook(file: BinaryIO, out: BinaryIO, part: str) -> None:
    sys.modules["numpy"] = None  # type: ignore[assignment]  # it would be imported for nothing
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    used = [sheet.title for sheet in book.worksheets if any(_filled(sheet))]
    sheets = used or book.sheetnames[:1]
    if part not in sheets and (part or len(sheets) != 1):
        raise Fault({"parts": [(name, _first_row(book[name])) for name in sheets]})
    rows = _filled(book[part or sheets[0]])
    at, header = next(rows, (0, []))
    names = _checked(["" if cell is None else str(cell) for cell in header])
    line = 1  # to be written next
    for number, cells in rows:
        for column, cell in enumerate(cells):
            if cell is not None and not "".join(names[column : column + 1]).strip():
                raise Fault({"fault": "nameless", "row": number, "column": column + 1, "line": at})
        out.write(b"\n" * (number - line) + _line(dict(zip(names, cells, strict=False))))
        line = number + 1


def _first_row(sheet: Any) -> dict[str, Any]:
    """Return the first row below the header of a sheet, as texts."""
    rows = [cells for _number, cells in islice(_filled(sheet), 2)]
    names, cells = [[str(cell or "")[:60] for cell in row] for row in (*rows, [], [])[:2]]
    return dict(zip_longest(names, cells[: len(names)], fillvalue=""))


def _filled(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the rows that are not empty, with their numbers and without empty cells at the end."""
    sheet.reset_dimensions()  # a file may claim any
    sheet._get_row = _up_to_the_last
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        filled = [end for end, cell in enumerate(cells, start=1) if cell is not None]
        if filled:
            texts = (unescape(cell) if isinstance(cell, str) else cell for cell in cells)
            yield number, [*islice(texts, filled[-1])]


def unescape(text: str) -> str:
    """Return a text with what XML does not take, such as a CR, which Excel writes as _x000D_."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _up_to_the_last(cells: list[dict[str, Any]], *_limits: Any) -> list[Any]:
    """Return the values of a row. openpyxl makes one for each column of a row that is empty."""
    filled = [cell for cell in cells if cell["value"] is not None]
    row = [None] * max((cell["column"] for cell in filled), default=0)
    for cell in filled:
        row[cell["column"] - 1] = cell["value"]
    return row


def _samples(archive: ZipFile, header: str) -> Iterator[dict[str, Any]]:
    """Yield the samples of a log of Inspect, with its model and task where they have none."""
    run = json.loads(archive.read(header))["eval"]
    for name in filter(re.compile(r"samples/.*\.json").fullmatch, archive.namelist()):
        sample = {"model": run["model"], "task": run["task"]} | json.loads(archive.read(name))
        yield {key: value for key, value in sample.items() if key not in LEFT_OUT}


if __name__ == "__main__":
    main(*sys.argv[1:])
