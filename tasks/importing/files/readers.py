"""Files → rows. A file's beginning decides which reader it needs, and then its name.

A reader gets the file in UTF-8 and yields a SourceRow for every row, in order, with its content or
its error. `mapping` interprets the rows. No Django but its translations.

UTF-8 and UTF-16 are recognised by the beginning of the file, with or without a byte order mark. An
encoding with one byte per character can't be recognised. Windows-1252 is used only if the user says
so and is never guessed, because a wrong guess changes texts unnoticed.
"""

import codecs
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .containers import CONTAINERS, GZIP, MOST_BYTES
from .json_documents import json_source
from .json_lines import JsonLines
from .options import AS_PROPOSED, ReadingOptions
from .rows import HEAD, Source, Text, Unreadable, excerpt
from .tables import Table
from .unpacking import FAULTS, unpacked

TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}  # with their usual delimiters
LINES = (".jsonl", ".ndjson")
FORMATS = (*TABLES, *LINES, ".json", ".gz", ".xlsx", ".parquet", ".eval")
FOREIGN_STARTS: Mapping[bytes | tuple[bytes, ...], Text] = {
    codecs.BOM_UTF32_LE: gettext_lazy("is UTF-32; save it as UTF-8"),
    codecs.BOM_UTF32_BE: gettext_lazy("is UTF-32; save it as UTF-8"),
    (GZIP, *CONTAINERS): gettext_lazy("is compressed again and again; unpack it first"),
    b"\xd0\xcf\x11\xe0": gettext_lazy(
        "is an old workbook, or one that is locked by a password; save it as XLSX without one"
    ),
}
WINDOWS = "windows-1252"
NAMES = {
    "utf-16-le": gettext_lazy("UTF-16 (little end first)"),
    "utf-16-be": gettext_lazy("UTF-16 (big end first)"),
    WINDOWS: gettext_lazy("Windows-1252"),
}
BLOCK = 2**20  # bytes


@contextmanager
def recognise(
    file: BinaryIO, file_name: str, options: ReadingOptions = AS_PROPOSED
) -> Iterator[Source]:
    """Yield the reader for a file and close its copies afterwards.

    Raises Unreadable, and ChoiceNeeded if an option must be chosen first.
    """
    if file.seek(0, 2) > MOST_BYTES:
        raise Unreadable(FAULTS["large"])
    file.seek(0)
    start = file.read(4)
    with ExitStack() as copies:
        if start.startswith((GZIP, *CONTAINERS)):
            file = copies.enter_context(unpacked(file, options.part))
        if start.startswith(CONTAINERS):
            yield JsonLines(file, gettext_lazy("write a row for each response"))
            return
        text = _as_utf8(file, options.encoding, copies.enter_context(TemporaryFile()))
        ending = PurePath(file_name.lower().removesuffix(".gz")).suffix
        source = _of_text(text, ending, options.part)
        if options.part and options.part not in [part.value for part in source.parts]:
            raise Unreadable(
                _("has no part that can be read, and so no %(part)s; name none, or read another"),
                part=excerpt(options.part),
            )
        yield source


def _of_text(text: BinaryIO, ending: str, part: str) -> Source:
    start = text.read(HEAD).removeprefix(codecs.BOM_UTF8).lstrip()
    # No header begins with { or [, so such a file is JSON, whatever its name.
    if start.startswith((b"{", b"[")):
        return json_source(text, lines=ending in LINES, part=part)
    if ending not in FORMATS:
        raise Unreadable(
            _("is of a format that is not read; allowed are %(formats)s"),
            formats=", ".join(FORMATS),
        )
    # A table by a wrong name has no line that begins with an object.
    if ending in TABLES or (start and not re.search(rb"(?m)^[ \t]*[{\[]", start)):
        return Table(text, TABLES.get(ending, ","))
    return JsonLines(text)


def _as_utf8(file: BinaryIO, encoding: str, copy: BinaryIO) -> BinaryIO:
    """Return the file, or its copy in UTF-8 if it has another encoding, at its beginning.

    `encoding` is "" or "windows-1252"; a byte order mark overrules it.
    """
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    for start, fault in FOREIGN_STARTS.items():
        if head.startswith(start):
            raise Unreadable(fault)
    found = _utf16(head) or ("" if head.startswith(codecs.BOM_UTF8) else encoding)
    if not found:
        return file
    try:
        for text in codecs.iterdecode(iter(lambda: file.read(BLOCK), b""), found):
            copy.write(text.encode())
    except UnicodeDecodeError as error:
        raise Unreadable(
            _("was read as %(encoding)s, but byte %(byte)s does not fit; save the file as UTF-8"),
            encoding=NAMES[found],
            byte=file.tell() - len(error.object) + error.start + 1,
        ) from error
    copy.seek(0)
    return copy


def _utf16(head: bytes) -> str:
    """Return the kind of UTF-16, or "" for another encoding.

    Every file of items begins with an ASCII character or a byte order mark.
    """
    for encoding, mark, zero in (
        ("utf-16-le", codecs.BOM_UTF16_LE, 1),
        ("utf-16-be", codecs.BOM_UTF16_BE, 0),
    ):
        if head.startswith(mark) or (len(head) > 1 and head[zero] == 0 and head[1 - zero] != 0):
            return encoding
    return ""
