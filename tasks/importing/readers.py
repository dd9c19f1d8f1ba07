"""Files → rows. The file's name and its beginning decide which reader it needs.

A reader gets the file in UTF-8 and yields a SourceRow for every row, in order, with its content or
its error. `mapping` interprets the rows. No Django but its translations.

UTF-8 and UTF-16 are recognised by the beginning of the file, with or without a byte order mark. An
encoding with one byte per character can't be recognised. Windows-1252 is used only if the user says
so and is never guessed, because a wrong guess changes texts unnoticed.
"""

import codecs
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import PurePath
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .json_reader import JsonLines, JsonList
from .rows import HEAD, Source, Unreadable
from .table_reader import Table

# The beginning of a list, or of an object with a list under its first key `items`.
LIST = re.compile(rb'(\{\s*"items"\s*:\s*)?\[')
# File extension → usual delimiter of cells, or None for JSON.
FORMATS: Mapping[str, str | None] = {
    ".csv": ",",
    ".tsv": "\t",
    ".tab": "\t",
    ".txt": "\t",
    ".jsonl": None,
    ".ndjson": None,
    ".json": None,
}
FOREIGN_STARTS = {
    codecs.BOM_UTF32_LE: gettext_lazy("is UTF-32; save it as UTF-8"),
    codecs.BOM_UTF32_BE: gettext_lazy("is UTF-32; save it as UTF-8"),
    b"\x1f\x8b": gettext_lazy("is compressed (gzip); unpack it first"),
    b"PK\x03\x04": gettext_lazy(
        "is an archive (zip) or a workbook; unpack it, or save it as CSV in UTF-8"
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
def recognise(file: BinaryIO, file_name: str, encoding: str = "") -> Iterator[Source]:
    """Yield the reader for a file and close its copy afterwards. Raises Unreadable."""
    ending = PurePath(file_name).suffix.lower()
    if ending not in FORMATS:
        raise Unreadable(
            _("is of a format that is not read; allowed are %(formats)s"),
            formats=", ".join(FORMATS),
        )
    with _as_utf8(file, encoding) as text:
        start = text.read(HEAD).removeprefix(codecs.BOM_UTF8).lstrip()
        delimiter = FORMATS[ending]
        # No header begins with { or [, so such a file is JSON, whatever its name.
        if delimiter is not None and not start.startswith((b"{", b"[")):
            yield Table(text, delimiter)
        else:
            yield JsonList(text) if LIST.match(start) else JsonLines(text)


@contextmanager
def _as_utf8(file: BinaryIO, encoding: str) -> Iterator[BinaryIO]:
    """Yield the file, or an unnamed copy in UTF-8 if it has another encoding, at its beginning.

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
        yield file
        return
    with tempfile.TemporaryFile() as copy:
        try:
            for text in codecs.iterdecode(iter(partial(file.read, BLOCK), b""), found):
                copy.write(text.encode())
        except UnicodeDecodeError as error:
            raise Unreadable(
                _(
                    "was taken as %(encoding)s, which it is not near byte %(byte)s; "
                    "save it as UTF-8"
                ),
                encoding=NAMES[found],
                byte=file.tell() - len(error.object) + error.start + 1,
            ) from error
        copy.seek(0)
        yield copy


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
