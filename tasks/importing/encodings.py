"""Bytes → bytes in UTF-8. No Django.

UTF-8 and UTF-16 are recognised by the beginning of the file, with or without a byte order mark. An
encoding with one byte per character can't be recognised. Windows-1252 is used only if the user says
so and is never guessed, because a wrong guess changes texts unnoticed.
"""

import codecs
import tempfile
from contextlib import ExitStack
from functools import partial
from typing import BinaryIO, cast

from .message import gettext_lazy as _
from .rows import Unreadable

HEAD = 64 * 2**10  # bytes at the beginning of a file that are read to recognise it
BLOCK = 2**20  # bytes

BOM = codecs.BOM_UTF8
FOREIGN_STARTS = {
    codecs.BOM_UTF32_LE: _("is UTF-32; save it as UTF-8"),
    codecs.BOM_UTF32_BE: _("is UTF-32; save it as UTF-8"),
    b"\x1f\x8b": _("is compressed (gzip); unpack it first"),
    b"PK\x03\x04": _("is an archive (zip) or a workbook; unpack it, or save it as CSV in UTF-8"),
}
WINDOWS = "windows-1252"
NAMES = {
    "utf-16-le": _("UTF-16 (little end first)"),
    "utf-16-be": _("UTF-16 (big end first)"),
    WINDOWS: _("Windows-1252"),
}


def as_utf8(file: BinaryIO, encoding: str, copies: ExitStack) -> BinaryIO:
    """Return the file, or a copy in UTF-8 if it has another encoding, at its beginning.

    The copy is an unnamed file on disk that `copies` closes. `encoding` is "" or "windows-1252"; a
    byte order mark overrules it. Raises Unreadable.
    """
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    for start, fault in FOREIGN_STARTS.items():
        if head.startswith(start):
            raise Unreadable(fault)
    found = _utf16(head) or ("" if head.startswith(BOM) else encoding)
    return _copied(file, found, copies) if found else file


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


def _copied(file: BinaryIO, encoding: str, copies: ExitStack) -> BinaryIO:
    copy = copies.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - `copies` closes it
    try:
        for text in codecs.iterdecode(iter(partial(file.read, BLOCK), b""), encoding):
            copy.write(text.encode())
    except UnicodeDecodeError as error:
        raise Unreadable(
            _(
                "was taken as %(encoding)s, which it is not near byte %(byte)s; save it as UTF-8",
                encoding=NAMES[encoding],
                byte=file.tell() - len(error.object) + error.start + 1,
            )
        ) from error
    copy.seek(0)
    return cast(BinaryIO, copy)
