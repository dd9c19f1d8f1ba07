"""Files → rows. A file's beginning decides which reader it needs, and then its name.

A reader gets the file in UTF-8 and yields a SourceRow for every row, in order, with its content or
its error. `columns` interprets the rows. No Django but its translations.
"""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from tempfile import TemporaryFile
from typing import BinaryIO

from django.utils.translation import gettext as _, gettext_lazy

from .containers import MOST_BYTES
from .encodings import ENCODINGS, FIRST, UTF_16, encoding_needed, encoding_of, in_utf_8
from .file_faults import FAULTS
from .formats import FORMATS, LINES, LONGEST_START, TABLES, ending_of, is_packed
from .joins import Joined, JoinedPart, key_columns
from .json_documents import json_source
from .json_lines import JsonLines
from .options import AS_PROPOSED, ReadingOptions
from .rows import HEAD, ChoiceNeeded, Option, Source, Text, Unreadable, excerpt, part_needed
from .sheets import Sheet
from .tables import Table
from .unpacking import Unpacked, unpacked

WEB_PAGE = rb"(?i)(\xef\xbb\xbf)?\s*(<!--|<!doctype html|<html|<head|<meta|<table|<style)"
FOREIGN: Mapping[bytes, Text] = {  # by a pattern of their beginning
    rb"\xff\xfe\0\0|\0\0\xfe\xff": gettext_lazy("is UTF-32; save it as UTF-8"),
    rb"\xd0\xcf\x11\xe0": gettext_lazy(
        "is an old workbook, or one that is locked by a password; save it as XLSX without one"
    ),
    WEB_PAGE: gettext_lazy(
        "is a web page (HTML), whatever its name; open it in a spreadsheet, and save it as XLSX"
    ),
    rb"\s*<\?xml": gettext_lazy(
        "is XML; open it in a spreadsheet, and save it as XLSX or as CSV in UTF-8"
    ),
    rb"%PDF": gettext_lazy("is a PDF; save its table as XLSX or as CSV in UTF-8"),
    rb"\x28\xb5\x2f\xfd|BZh\d|\xfd7zXZ|7z\xbc\xaf|Rar!": gettext_lazy(
        "is compressed in a way that is not read; use gzip or ZIP, or unpack it first"
    ),
}
AGAIN = gettext_lazy("is compressed again and again; unpack it first")


@contextmanager
def recognise(
    file: BinaryIO, file_name: str, options: ReadingOptions = AS_PROPOSED
) -> Iterator[Source]:
    """Yield the reader for a file and close its copies afterwards.

    Raises Unreadable, and ChoiceNeeded if an option must be chosen first.
    """
    if file.seek(0, 2) > MOST_BYTES:
        raise Unreadable(FAULTS["large"])
    with ExitStack() as copies:
        source = _source(file, file_name, options, copies)
        if options.join:
            pairs = key_columns(options.key)
            part = _joined_part(file, file_name, options, copies)
            other_columns = [other for _column, other in pairs]
            columns = [column for column, _other in pairs]
            source = Joined(source, JoinedPart(part, options.join, other_columns), columns)
        yield source


def _source(file: BinaryIO, file_name: str, options: ReadingOptions, copies: ExitStack) -> Source:
    """Return the reader of one part of a file. Raises ChoiceNeeded."""
    file.seek(0)
    if not is_packed(file.read(LONGEST_START)):
        return _text_source(file, file_name, options, copies)
    text = copies.enter_context(unpacked(file, options.part))
    if text.outcome.kind == "cells":
        return Sheet(text, options)
    if text.outcome.kind == "objects":
        return JsonLines(text.file, gettext_lazy("write a row for each response"))
    return _unpacked_source(text, file_name, options, copies)


def _joined_part(
    file: BinaryIO, file_name: str, options: ReadingOptions, copies: ExitStack
) -> Source:
    """Return the reader of the part that is joined, which is read as it proposes itself."""
    alone = ReadingOptions(encoding=options.encoding, part=options.join)
    try:
        return _source(file, file_name, alone, copies)
    except Unreadable as fault:
        if isinstance(fault, ChoiceNeeded) and fault.field == "encoding":
            raise
        text = _("can’t be joined with its part %(part)s: the file %(fault)s")
        raise Unreadable(text, part=excerpt(options.join), fault=fault) from fault


def _unpacked_source(
    unpacked: Unpacked, file_name: str, options: ReadingOptions, copies: ExitStack
) -> Source:
    """Return the reader of a text that was compressed. Raises ChoiceNeeded."""
    inner = options.model_copy(update={"part": unpacked.outcome.part})
    try:
        source = _text_source(unpacked.file, unpacked.outcome.name or file_name, inner, copies)
    except ChoiceNeeded as needed:
        if needed.field != "part":
            raise
        raise part_needed(_within(unpacked.outcome.prefix, needed.options)) from needed
    source.parts = _within(unpacked.outcome.prefix, source.parts)
    return source


def _within(prefix: str, parts: Sequence[Option]) -> tuple[Option, ...]:
    """Return the parts of a file with their names in the archive."""
    return tuple(replace(part, value=prefix + part.value) for part in parts)


def _text_source(
    file: BinaryIO, file_name: str, options: ReadingOptions, copies: ExitStack
) -> Source:
    """Return the reader of a text. Raises ChoiceNeeded."""
    file.seek(0)
    head = file.read(FIRST)
    for beginning, fault in FOREIGN.items():
        if re.match(beginning, head):
            raise Unreadable(fault)
    if is_packed(head):
        raise Unreadable(AGAIN)
    ending = ending_of(file_name)
    encoding = encoding_of(head, options.encoding)
    if encoding != "utf-8":
        file = copies.enter_context(_converted(file, encoding, is_chosen=bool(options.encoding)))
    source = _by_content(file, ending, options)
    source.proposals = {**source.proposals, "encoding": encoding}
    if options.part and options.part not in [option.value for option in source.parts]:
        raise Unreadable(
            _("has no part that can be read, and so no %(part)s; name none, or read another"),
            part=excerpt(options.part),
        )
    return source


def _by_content(file: BinaryIO, ending: str, options: ReadingOptions) -> Source:
    file.seek(0)
    head = file.read(HEAD).removeprefix(codecs.BOM_UTF8).lstrip()
    # No header begins with { or [, so such a file is JSON, whatever its name.
    if head.startswith((b"{", b"[")):
        return json_source(file, are_lines=ending in LINES, part=options.part)
    if ending not in FORMATS:
        formats = ", ".join(FORMATS)
        text = _("is of a format that is not read; allowed are %(formats)s")
        raise Unreadable(text, formats=formats)
    # A table by a wrong name has no line that begins with an object.
    if ending in TABLES or (head and not re.search(rb"(?m)^[ \t]*[{\[]", head)):
        return Table(file, TABLES.get(ending, ","), options)
    return JsonLines(file)


@contextmanager
def _converted(file: BinaryIO, encoding: str, *, is_chosen: bool) -> Iterator[BinaryIO]:
    """Yield a copy in UTF-8. Raises Unreadable, and ChoiceNeeded if nobody chose the encoding."""
    with TemporaryFile() as copy:
        _convert(file, encoding, copy, is_chosen=is_chosen)
        yield copy


def _convert(file: BinaryIO, encoding: str, copy: BinaryIO, *, is_chosen: bool) -> None:
    file.seek(0)
    try:
        copy.writelines(in_utf_8(file, encoding))
    except UnicodeDecodeError as error:
        if not is_chosen and encoding not in UTF_16:
            file.seek(0)
            raise encoding_needed(file.read(FIRST)) from error
        raise Unreadable(
            _("was read as %(encoding)s, but byte %(byte)s does not fit; choose another encoding"),
            encoding={**UTF_16, **ENCODINGS}[encoding],
            byte=file.tell() - len(error.object) + error.start + 1,
        ) from error
