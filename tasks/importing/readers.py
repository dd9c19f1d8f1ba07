"""Files → rows. The file's name and its beginning decide which reader it needs. No Django.

A reader yields a SourceRow for every row of the file, in order, with its content or its error.
`mapping` interprets the rows.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import PurePath
from typing import BinaryIO

from .encodings import BOM, HEAD, as_utf8
from .json_reader import JsonLines, JsonList
from .message import gettext_lazy as _
from .rows import Source, Unreadable
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


@contextmanager
def recognise(file: BinaryIO, file_name: str, encoding: str = "") -> Iterator[Source]:
    """Yield the reader for a file and close its copies afterwards. Raises Unreadable."""
    ending = PurePath(file_name).suffix.lower()
    if ending not in FORMATS:
        raise Unreadable(
            _(
                "is of a format that is not read; allowed are %(formats)s",
                formats=", ".join(FORMATS),
            )
        )
    with ExitStack() as copies:
        file = as_utf8(file, encoding, copies)
        start = file.read(HEAD).removeprefix(BOM).lstrip()
        file.seek(0)
        delimiter = FORMATS[ending]
        # No header begins with { or [, so such a file is JSON, whatever its name.
        if delimiter is not None and not start.startswith((b"{", b"[")):
            yield Table(file, delimiter)
        else:
            yield JsonList(file) if LIST.match(start) else JsonLines(file)
