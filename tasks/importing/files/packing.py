"""Several files that belong together → one archive, as somebody could have made it by hand.

Items may stand in one file and ratings in another. An archive of both is read like any other, and
its parts are joined. No Django but its translations.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from django.utils.translation import gettext as _

from .containers import LOG_HEADERS, MOST_BYTES
from .file_faults import FAULTS
from .formats import FORMATS, may_hold_rows
from .rows import FileRefused

MOST_FILES = 20
LONGEST_NAME = 200  # characters of the archive's name, without its ending


class NamedFile(NamedTuple):
    """A file with its name."""

    name: str
    file: BinaryIO


@contextmanager
def as_one_file(files: Sequence[NamedFile]) -> Iterator[NamedFile]:
    """Yield a file that is alone as it is, and an archive of several. Raises FileRefused."""
    if len(files) == 1:
        yield files[0]
        return
    refuse_files([file.name for file in files])
    name = archive_name([file.name for file in files])
    if sum(file.seek(0, 2) for _name, file in files) > MOST_BYTES:
        raise FileRefused(_("%(file)s %(fault)s"), file=name, fault=FAULTS["large"])
    with TemporaryFile() as archive:
        _pack(files, archive)
        archive.seek(0)
        yield NamedFile(name, archive)


def refuse_files(names: Sequence[str]) -> None:
    """Raise FileRefused if there are too many files, or one that an archive would leave unread."""
    if len(names) > MOST_FILES:
        text = _("These are %(number)s files. Choose %(most)s at most.")
        raise FileRefused(text, number=len(names), most=MOST_FILES)
    for name in names:
        if not may_hold_rows(name):
            text = _(
                "“%(file)s” is no file of items or ratings by its name. Several files are read "
                "together if their names end in %(formats)s and begin with no dot, “readme” or "
                "“license”."
            )
            raise FileRefused(text, file=name, formats=", ".join(FORMATS))


def archive_name(names: Sequence[str]) -> str:
    """Return a name for an archive, made from those of its files without their endings."""
    stems = [PurePath(name).stem for name in names]
    return " + ".join(stems)[:LONGEST_NAME] + ".zip"


def _pack(files: Sequence[NamedFile], archive: BinaryIO) -> None:
    """Write files into an archive as they are. The same files are always the same archive."""
    names = {*LOG_HEADERS}  # which would make a log of Inspect of it
    with ZipFile(archive, "w", ZIP_STORED) as packed:
        for name, file in files:
            distinct = _distinct_name(name.encode("utf-8", "replace").decode(), names)
            names.add(distinct)
            entry = ZipInfo(distinct)
            entry.file_size = file.seek(0, 2)
            file.seek(0)
            with packed.open(entry, "w") as copy:
                shutil.copyfileobj(file, copy)


def _distinct_name(name: str, names: set[str]) -> str:
    """Return a name that is not among others, with a number before it if needed.

    Its ending stays, which says how to read it: `2 items.csv.gz`.
    """
    distinct, number = name, 1
    while distinct in names:
        number += 1
        distinct = f"{number} {name}"
    return distinct
