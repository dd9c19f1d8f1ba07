"""Export a project's ratings: a file, a dictionary of its columns, and a manifest.

Rows, header and counts are of one moment, while people go on rating.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from hashlib import sha256
from shlex import join
from typing import Literal

from django.db import connection, transaction
from psycopg import sql

from rubrics.models import Rubric
from tasks.models import Project
from tasks.models.item_list import ItemFilter

from .column_types import Column
from .copying import CopyStream
from .csv_files import csv_file, csv_lines
from .filters import look_up, refuse_old_list
from .json_files import json_file
from .manifest import origin_of
from .options import DEFAULT, Format, Options
from .parquet_files import Parquet
from .pseudonyms import pseudonyms_of
from .rows import select
from .selection import Selection
from .workbook import MOST_ROWS, Workbook, too_many_rows


class Export:
    """A file in blocks. The dictionary and the manifest are complete when all blocks are out.

    Raise Refused if the list of items is outdated.
    """

    columns: Sequence[Column] = ()
    rubrics: Sequence[Rubric] = ()
    rows = size = 0

    def __init__(
        self,
        project: Project,
        options: Options = DEFAULT,
        listed: ItemFilter | None = None,
        *,
        now: datetime,
    ) -> None:
        """Prepare an export; `listed` is what `options.items` asks for, see `export_of`."""
        self.project = project
        self.options = options
        self.listed = listed
        self.now = now
        self._digest = sha256()
        # Check before the first block: an export that has begun can't be refused.
        refuse_old_list(project, listed, now=now)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the file. Raise Refused at the first block if the options don't fit the project."""
        if self.options.pseudonyms:
            pseudonyms_of(self.project)  # stores them, which a snapshot can't
        with snapshot():
            if self.options.format is Format.XLSX and is_larger(self, MOST_ROWS):
                raise too_many_rows()
            filters = look_up(self.project, self.options, self.listed)
            selection = select(self.project, self.options, filters)
            self.options = filters.options_as_named(self.options)
            self.columns = selection.columns
            self.rubrics = selection.rubrics
            file = file_of(selection, self.options)
            for block in file:
                self._digest.update(block)
                self.size += len(block)
                yield block
            self.rows = file.rows

    @property
    def file_name(self) -> str:
        return f"{self.options.shape}.{self.options.format}"

    def command(self, name: str) -> str:
        """Return the command that writes the same export to a file of this name."""
        query = self.options.query
        options = [query] if query else []
        return join(["manage.py", "export_ratings", self.project.slug, *options, "-o", name])

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def manifest(self) -> bytes:
        """Return how the file came about, as JSON. `manage.py export_ratings --again` reads it."""
        content = {
            **origin_of(self.project, self.options, self.rubrics),
            "rows": self.rows,
            "columns": len(self.columns),
            "bytes": self.size,
            "sha256": self.sha256,
            "taken_at": self.now.isoformat(),
        }
        text = json.dumps(content, indent=2, ensure_ascii=False, default=date.isoformat)
        return f"{text}\n".encode()

    def dictionary(self) -> bytes:
        """Return the columns as CSV: name, type, meaning."""
        rows = ((column.name, column.type, column.meaning) for column in self.columns)
        return b"".join(csv_lines(("name", "type", "meaning"), rows))

    def companion_files(self, name: str) -> dict[str, bytes]:
        """Return the files that go beside the one of this name."""
        return {
            f"{name}.columns.csv": self.dictionary(),
            f"{name}.manifest.json": self.manifest(),
        }


def file_of(selection: Selection, options: Options) -> CopyStream | Parquet | Workbook:
    """Return the file of a selection, in blocks."""
    match options.format:
        case Format.PARQUET:
            return Parquet(selection)
        case Format.JSONL:
            return json_file(selection)
        case Format.CSV:
            names = [column.name for column in selection.columns]
            part = (selection.columns, selection.from_clause + selection.order)
            return csv_file(names, [part], delimiter=options.delimiter.character)
        case Format.XLSX:
            return Workbook(selection, options.shape)


def is_larger(export: Export, most: int, most_cells: int = 0) -> bool:
    """Return True if an export has more rows, or more cells if `most_cells` is not 0.

    Raise Refused if the project lacks a name.
    """
    filters = look_up(export.project, export.options, export.listed)
    selection = select(export.project, export.options, filters)
    if most_cells:
        most = min(most, most_cells // len(selection.columns))
    count = sql.SQL("SELECT count(*) FROM (SELECT {} LIMIT {}) AS found")
    with connection.cursor() as cursor:
        cursor.execute(count.format(selection.from_clause, sql.Literal(most + 1)))
        (rows,) = cursor.fetchone()
    return bool(rows > most)


@contextmanager
def snapshot(access: Literal["READ ONLY", "READ WRITE"] = "READ ONLY") -> Iterator[None]:
    """Let all queries see the database as it is at the first of them.

    They change nothing, unless `access` is for writing.

    Within a transaction, that one's isolation holds.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, {access}")
        yield
