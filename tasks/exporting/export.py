"""Export a project's ratings: a file, a dictionary of its columns, and a manifest.

Rows, header and counts are of one moment, while people go on rating.
"""

import json
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from hashlib import sha256
from shlex import join
from typing import Literal, NotRequired, TypedDict

from django.conf import settings
from django.db import connection, transaction
from psycopg import sql

from rubrics.models import Rubric
from tasks.models import Admission, Project
from tasks.models.imported import names_of
from tasks.models.item_list import ItemFilter

from .column_types import Column
from .copying import CopyStream
from .csv_files import csv_file, csv_lines
from .filters import look_up, refuse_old_list
from .json_files import json_file
from .options import DEFAULT, Format, Options
from .parquet_files import Parquet
from .pseudonyms import newcomers_of, pseudonyms_of
from .rows import select
from .selection import Selection
from .workbook import MOST_ROWS, Workbook, too_many_rows


class AdmissionRow(TypedDict):
    """Someone who may rate after practice, and how they came in."""

    annotator: str
    how: str
    at: str
    by: NotRequired[str]
    reason: NotRequired[str]


class ManifestRubric(TypedDict):
    """A version of a rubric, with a digest of all that it says."""

    rubric: str
    version: int
    sha256: str


class ExportOrigin(TypedDict, total=False):
    """The part of a manifest that says what the file is of."""

    program: str
    project: str
    title: str
    rubrics: list[ManifestRubric]
    options: str  # as the query of the page Export
    consequences: str
    counted: Sequence[str]  # the kinds that count in the figures of `items`
    slots: list[str]
    dropped_items: int  # in the file by `options.dropped`, else left out
    admissions: list[AdmissionRow]


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
            **self._origin(),
            "rows": self.rows,
            "columns": len(self.columns),
            "bytes": self.size,
            "sha256": self.sha256,
            "taken_at": self.now.isoformat(),
        }
        text = json.dumps(content, indent=2, ensure_ascii=False, default=date.isoformat)
        return f"{text}\n".encode()

    def _origin(self) -> ExportOrigin:
        project = self.project
        origin: ExportOrigin = {
            "program": f"Evenhand {version()}",
            "project": project.slug,
            "title": project.title,
            "rubrics": [_version_of(rubric) for rubric in self.rubrics],
            "options": self.options.query,
            "consequences": project.consequences,
        }
        if project.has_imported:
            origin["counted"] = project.counted_kinds
        if project.has_slots:
            origin["slots"] = self._slots()
        if project.dropped_count:
            origin["dropped_items"] = project.dropped_count
        admissions = self._admissions()
        if admissions:
            origin["admissions"] = admissions
        return origin

    def _admissions(self) -> list[AdmissionRow]:
        """Return who may rate after practice, and how; nothing if the project has no practice."""
        if self.project.practice == "off":
            return []
        admissions = Admission.objects.in_project(self.project)
        if self.options.pseudonyms:
            names = pseudonyms_of(self.project)
            names |= newcomers_of(self.project, names)
        else:
            names = names_of(admissions)
        rows = []
        for key, admission in sorted(admissions.items()):
            admission_row: AdmissionRow = {
                "annotator": names.get(key, "newcomer"),
                "how": admission.how,
                "at": admission.at.isoformat(),
            }
            if admission.by and not self.options.pseudonyms:
                admission_row["by"] = str(admission.by)
                admission_row["reason"] = admission.reason
            rows.append(admission_row)
        return rows

    def _slots(self) -> list[str]:
        """Return the raters of files who are no persons, as the file names them."""
        slots = self.project.raters.filter(is_slot=True)
        if not self.options.pseudonyms:
            return [slot.name for slot in slots]
        pseudonyms = pseudonyms_of(self.project)
        return sorted(pseudonyms[slot.person] for slot in slots if slot.person in pseudonyms)

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


def version() -> str:
    """Return the version of the program."""
    text = (settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8")
    settings_of_project = tomllib.loads(text)
    return str(settings_of_project["project"]["version"])


def _version_of(rubric: Rubric) -> ManifestRubric:
    """Return a version of a rubric, with a digest of all that it says."""
    return {"rubric": rubric.slug, "version": rubric.version, "sha256": rubric.digest}
