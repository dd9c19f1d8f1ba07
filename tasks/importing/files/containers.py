"""Workbooks, Parquet files, logs, archives and compressed files → texts, by a limited process.

    python -m tasks.importing.files.containers OUT PART SECONDS < FILE

It writes to the file descriptor OUT, and prints an `Outcome` as JSON.

The libraries below may ask for any memory, or abort. So they are imported here and nowhere else,
after the limits are set. No Django, which would be in their way.
"""

import json
import re
import resource
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from errno import EFBIG
from gzip import GzipFile
from itertools import islice, repeat
from tarfile import TarFile
from tempfile import TemporaryFile
from typing import IO, Any, TypeAlias
from zipfile import ZipFile

from .formats import GZIP, LONGEST_START, MOST_COLUMNS, PARQUET, is_packed, is_tar, may_hold_rows

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
ALWAYS_WRITTEN = 2**20  # bytes, however small the file is
MOST_MERGED = 10_000  # ranges of cells
LONGEST_SAMPLE = 60  # characters of a cell
MOST_FILES = 100  # of an archive that are offered
MOST_TITLES = 5  # rows of a sheet among which its header is
# Characters that XML does not take, but zero, and the "_" of a text that looks like one of these.
ESCAPED = re.compile("_x(00[01][0-9A-F](?<!0000)|0020|005F|FFF[EF])_", re.IGNORECASE)
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
# The file of a log of Inspect that names the model: of an evaluation that ended, of one that did
# not, and of old versions.
LOG_HEADERS = ("header.json", "_journal/start.json", "start.json")
# How a sample came about, which may be a thousand times as long as what was said.
LEFT_OUT = ("events", "events_data", "attachments", "store", "timelines")
# Files that tell what else an archive is.
OTHER_DOCUMENTS = {
    "content.xml": "OpenDocument",
    "word/document.xml": "Word",
    "ppt/presentation.xml": "PowerPoint",
    "xl/workbook.bin": "XLSB",
}
Cells: TypeAlias = Sequence[Any]
Merged: TypeAlias = tuple[int, int, int, int]  # first row, first column, last row, last column


@dataclass(frozen=True, slots=True)
class PartStart:
    """A part of a container, as it begins."""

    name: str
    sample: str = ""
    first_row: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A text that was written, or the reason why none was.

    Its kind says what it is:

    - `objects`: rows as JSON lines.
    - `cells`: rows of a sheet as JSON lists of cells, each in the line that has its number.
    - `text`: a text that was compressed.
    - `parts`: nothing is written, because one of the parts must be chosen.
    - `fault`: nothing can be read. `unpacking` has a sentence for each fault.
    """

    kind: str
    part: str = ""  # what is to be read of the text
    name: str = ""  # of the file in an archive
    prefix: str = ""  # begins the names of its parts
    merged: Sequence[Merged] = ()
    part_starts: Sequence[PartStart] = ()
    fault: str = ""
    placeholders: Mapping[str, str | int] = field(
        default_factory=dict
    )  # in the sentence of a fault


class Fault(Exception):
    """An outcome without rows."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def fault_with(fault: str, **placeholders: str | int) -> Fault:
    """Return why nothing can be read."""
    return Fault(Outcome("fault", fault=fault, placeholders=placeholders))


def choice_of(part_starts: Sequence[PartStart]) -> Fault:
    """Return the parts of which one must be chosen."""
    return Fault(Outcome("parts", part_starts=part_starts))


class Output:
    """A file that grows no further than what a file of texts unpacks to."""

    def __init__(self, file: Any, packed_size: int) -> None:
        self.file = file
        self.left = max(ALWAYS_WRITTEN, MOST_RATIO * packed_size)

    def write(self, block: bytes) -> None:
        """Write a block. Raises Fault."""
        self.left -= len(block)
        if self.left < 0:
            raise fault_with("bomb")
        self.file.write(block)

    def copy(self, file: Any) -> None:
        """Write the rest of a file."""
        while block := file.read(2**20):
            self.write(block)


def main(descriptor: str, part: str, seconds: str) -> None:
    """Write the text of standard input, and print the outcome."""
    sys.modules["numpy"] = None  # type: ignore[assignment]  # openpyxl would import it for nothing
    for kind, most in (*LIMITS.items(), (resource.RLIMIT_CPU, int(seconds))):
        resource.setrlimit(kind, (most, most))
    try:
        with open(int(descriptor), "wb") as out:
            outcome = _unpack(sys.stdin.buffer, out, part)
    except Fault as fault:
        outcome = fault.outcome
    except BaseException as error:  # a panic of arro3 is no Exception
        is_large = getattr(error, "errno", 0) == EFBIG
        name = "large" if is_large else type(error).__name__
        outcome = fault_with(name, what=str(error)).outcome
    print(json.dumps(asdict(outcome)))


def _unpack(file: IO[bytes], out: IO[bytes], part: str) -> Outcome:
    """Write what a file holds, and return the outcome."""
    size = file.seek(0, 2)
    file.seek(0)
    start = file.read(LONGEST_START)
    file.seek(0)
    output = Output(out, size)
    if start.startswith(GZIP):
        with GzipFile(fileobj=file) as unpacked:
            if not is_tar(unpacked.peek(LONGEST_START)):
                output.copy(unpacked)
                return Outcome("text", part)
            with TemporaryFile() as tar:
                Output(tar, size).copy(unpacked)
                tar.seek(0)
                return _from_tar(tar, output, part)
    if is_tar(start):
        return _from_tar(file, output, part)
    if start.startswith(PARQUET):
        return _write_objects(_parquet_rows(file), output, part)
    return _from_zip(file, output, part, size)


# --- archives ---


def _from_tar(file: IO[bytes], output: Output, part: str) -> Outcome:
    with TarFile(fileobj=file) as archive:
        members = {member.name: member for member in archive if member.isfile()}
        return _from_archive(list(members), lambda name: archive.extractfile(name), output, part)


def _from_zip(file: IO[bytes], output: Output, part: str, size: int) -> Outcome:
    with ZipFile(file) as archive:
        names = archive.namelist()
        headers = [name for name in LOG_HEADERS if name in names]
        is_workbook = "xl/workbook.xml" in names
        for name, program in OTHER_DOCUMENTS.items():
            if name in names:
                raise fault_with("document", program=program)
        if not (is_workbook or headers):
            return _from_archive(names, archive.open, output, part)
        unpacked = sum(info.file_size for info in archive.infolist())
        if unpacked > MOST_RATIO * size:
            raise fault_with("bomb")
        if unpacked > MOST_UNPACKED:
            raise fault_with("unpacked")
        if is_workbook:
            return _write_sheet(file, archive, output, part)
        return _write_objects(_samples(archive, headers[0]), output, part)


def _from_archive(
    names: Sequence[str], open_member: Callable[[str], Any], output: Output, part: str
) -> Outcome:
    """Write the only file of an archive, or the one that the first of a part's names chooses."""
    files = [*filter(may_hold_rows, names)]
    chosen = [name for name in files if part == name or part.startswith(f"{name}/")]
    if len(files) == 1:
        name = files[0]
    elif chosen:
        name = max(chosen, key=len)
    elif files:
        archive_parts = []
        for name in files[:MOST_FILES]:
            archive_parts.append(PartStart(name, _first_line(open_member, name)))
        raise choice_of(archive_parts)
    else:
        raise fault_with("archive")
    inner_part = part.removeprefix(name).removeprefix("/")
    prefix = f"{name}/" if len(files) > 1 else ""  # of the parts of the file
    with open_member(name) as member:
        start = member.read(LONGEST_START)
        if not is_packed(start):
            output.write(start)
            output.copy(member)
            return Outcome("text", inner_part, name, prefix)
        with TemporaryFile() as copy:
            limited = Output(copy, output.left // MOST_RATIO)
            limited.write(start)
            limited.copy(member)
            try:
                outcome = _unpack(copy, output.file, inner_part)
            except Fault as fault:
                raise Fault(_within(prefix, name, fault.outcome)) from fault
    return _within(prefix, name, outcome)


def _within(prefix: str, name: str, outcome: Outcome) -> Outcome:
    """Return what came of a file that stands in an archive, and perhaps is another archive."""
    return replace(outcome, name=outcome.name or name, prefix=prefix + outcome.prefix)


def _first_line(open_member: Callable[[str], Any], name: str) -> str:
    with open_member(name) as member:
        start: bytes = member.read(LONGEST_START)
    text = start.decode("utf-8", "replace")
    lines = text.splitlines()
    if lines and lines[0].isprintable():
        return lines[0][:LONGEST_SAMPLE]
    return ""


# --- rows of objects ---


def _write_objects(
    row_objects: Iterator[Mapping[str, object]], output: Output, part: str
) -> Outcome:
    for row in row_objects:
        content = {name: value for name, value in row.items() if value is not None}
        output.write(_json_line(content))
    return Outcome("objects", part)


def _json_line(row_object: Any) -> bytes:
    text = json.dumps(row_object, ensure_ascii=False, default=_as_text)
    # Half a character becomes its escape in JSON.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _as_text(value: Any) -> str:
    """Return a time as ISO 8601 writes it, at midnight without the hour; or another value."""
    iso = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return iso.removesuffix("T00:00:00")


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


# --- workbooks ---


def _write_sheet(file: IO[bytes], archive: ZipFile, output: Output, part: str) -> Outcome:
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    filled = [sheet for sheet in book.worksheets if any(_filled_rows(sheet))]
    names = [sheet.title for sheet in filled]
    visible = [sheet.title for sheet in filled if sheet.sheet_state == "visible"]
    titles = visible or book.sheetnames[:1]
    if part not in names and (part or len(titles) != 1):
        parts = [PartStart(title, first_row=_first_row(book[title])) for title in titles]
        raise choice_of(parts)
    sheet = book[part or titles[0]]
    line = 1  # to be written next
    for number, cells in _filled_rows(sheet):
        if len(cells) > MOST_COLUMNS:
            raise fault_with("far", row=number, column=len(cells), most=MOST_COLUMNS)
        output.write(b"\n" * (number - line) + _json_line(cells))
        line = number + 1
    with archive.open(sheet._worksheet_path) as text:
        merged = list(islice(_merged_ranges(text), MOST_MERGED))
    return Outcome("cells", part, merged=merged)


def _merged_ranges(sheet_file: IO[bytes]) -> Iterator[Merged]:
    """Yield the ranges of merged cells in a sheet, with columns that are counted from 0."""
    from openpyxl.utils import column_index_from_string

    window = b""
    while block := sheet_file.read(2**20):
        window += block
        end = max(0, len(window) - LONGEST_START)
        for match in MERGED.finditer(window):
            left, top, right, bottom = (group.decode() for group in match.groups())
            first = column_index_from_string(left) - 1
            last = column_index_from_string(right) - 1
            yield int(top), first, int(bottom), last
            end = max(end, match.end())
        window = window[end:]


def _first_row(sheet: Any) -> dict[str, str]:
    """Return the first row below the header of a sheet, as texts. Short rows above are a title."""
    cell_rows: list[list[str]] = []
    for _number, cells in islice(_filled_rows(sheet), MOST_TITLES):
        row = [str(cell or "")[:LONGEST_SAMPLE] for cell in cells]
        cell_rows.append(row)
    usual = max(map(len, cell_rows), default=0)
    while cell_rows and len(cell_rows[0]) * 2 <= usual:
        del cell_rows[0]
    names, first = (*cell_rows, [], [])[:2]
    values = [*first, *repeat("", len(names))]
    return dict(zip(names, values, strict=False))


def _filled_rows(sheet: Any) -> Iterator[tuple[int, Cells]]:
    """Yield the rows that are not empty, with their numbers and without empty cells at the end."""
    sheet.reset_dimensions()  # a file may claim any
    sheet._get_row = _cells_up_to_the_last
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        if cells:
            yield number, cells


def unescape(text: str) -> str:
    """Return a text with what XML does not take, such as a CR, which Excel writes as _x000D_."""
    return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _cells_up_to_the_last(sheet_cells: list[dict[str, Any]], *_limits: Any) -> list[Any]:
    """Return the values of a row. openpyxl makes one for each column of a row that is empty.

    The error of a formula is an object, so that it is not taken for a text.
    """
    filled = [cell for cell in sheet_cells if cell["value"] is not None]
    row_values: list[Any] = [None] * max((cell["column"] for cell in filled), default=0)
    for cell in filled:
        value = cell["value"]
        if cell["data_type"] == "e":
            value = {"error": value}
        elif isinstance(value, str):
            value = unescape(value)
        row_values[cell["column"] - 1] = value
    return row_values


if __name__ == "__main__":
    main(*sys.argv[1:])
