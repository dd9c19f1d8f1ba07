"""Workbooks, Parquet files, logs, archives and compressed files → texts, by a limited process.

    python -m tasks.importing.files.containers OUT PART SECONDS < FILE

It writes to the file descriptor OUT, and prints an `Outcome` as JSON.

The libraries that read such files may ask for any memory, or abort. So `workbooks` and
`object_rows` import them here and nowhere else, after the limits are set. No Django, which would be
in their way.
"""

import json
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from errno import EFBIG
from gzip import GzipFile
from tarfile import TarFile
from tempfile import TemporaryFile
from typing import IO, Any
from zipfile import ZipFile

from .formats import GZIP, LONGEST_START, PARQUET, is_packed, is_tar, may_hold_rows
from .object_rows import write_log, write_parquet
from .outcomes import (
    LONGEST_SAMPLE,
    MOST_RATIO,
    Fault,
    Outcome,
    Output,
    PartStart,
    choice_of,
    fault_with,
)
from .workbooks import write_sheet

MOST_SECONDS = 120
MOST_BYTES = 2 * 2**30  # of a file, and of what is written
# Of memory, and no core files. SECONDS of work are a limit too.
LIMITS = {
    resource.RLIMIT_AS: 2**30,
    resource.RLIMIT_FSIZE: MOST_BYTES,
    resource.RLIMIT_CORE: 0,
}
MOST_UNPACKED = 200 * 2**20  # bytes of a workbook or a log
MOST_FILES = 100  # of an archive that are offered
# The file of a log of Inspect that names the model: of an evaluation that ended, of one that did
# not, and of old versions.
LOG_HEADERS = ("header.json", "_journal/start.json", "start.json")
# Files that tell what else an archive is.
OTHER_DOCUMENTS = {
    "content.xml": "OpenDocument",
    "word/document.xml": "Word",
    "ppt/presentation.xml": "PowerPoint",
    "xl/workbook.bin": "XLSB",
}


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
        return write_parquet(file, output, part)
    return _from_zip(file, output, part, size)


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
            return write_sheet(file, archive, output, part)
        return write_log(archive, headers[0], output, part)


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


if __name__ == "__main__":
    main(*sys.argv[1:])
