"""Export a project's ratings: a file, a dictionary of its columns, and a manifest.

Rows, header and counts are of one moment, while people go on rating.
"""

import json
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date, datetime
from hashlib import sha256
from typing import Any, Literal

from django.conf import settings
from django.db import connection, transaction
from psycopg import sql

from rubrics.models import Rubric
from tasks.models import Admission, Project
from tasks.models.imported import names_of
from tasks.models.item_list import ItemFilter

from .columns import Column
from .filters import look_up, newcomers_of, pseudonyms_of, refuse_old_list
from .options import DEFAULT, Format, Options
from .rows import Selection, select
from .workbook import MOST_ROWS, Workbook, too_many_rows
from .writing import Copied, Parquet, csv_file, csv_lines, json_file


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
        self.project, self.options, self.listed, self.now = project, options, listed, now
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
            self.options = filters.shown(self.options)
            self.columns, self.rubrics = selection.columns, selection.rubrics
            file = file_of(selection, self.options)
            for block in file:
                self._digest.update(block)
                self.size += len(block)
                yield block
            self.rows = file.rows

    @property
    def file_name(self) -> str:
        return f"{self.options.shape}.{self.options.format}"

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def manifest(self) -> bytes:
        """Return how the file came about, as JSON. `manage.py export_ratings --again` reads it."""
        content = {
            "program": f"Evenhand {version()}",
            "project": self.project.slug,
            "title": self.project.title,
            "rubrics": [_described(rubric) for rubric in self.rubrics],
            "options": asdict(self.options),
            "consequences": self.project.consequences,
            # Where there are others, the kinds that count in the figures of `items`.
            **({"counted": self.project.counted_kinds} if self.project.has_imported else {}),
            **({"slots": self._slots()} if self.project.has_slots else {}),
            # Dropped items of the project: in the file by `options.dropped`, else left out.
            **({"dropped_items": dropped} if (dropped := self.project.dropped_count) else {}),
            **({"admissions": admitted} if (admitted := self._admissions()) else {}),
            "rows": self.rows,
            "columns": len(self.columns),
            "bytes": self.size,
            "sha256": self.sha256,
            "taken_at": self.now.isoformat(),
        }
        text = json.dumps(content, indent=2, ensure_ascii=False, default=date.isoformat)
        return f"{text}\n".encode()

    def _admissions(self) -> list[dict[str, Any]]:
        """Return who may rate after practice, and how; nothing if the project has no practice."""
        found = Admission.objects.in_project(self.project) if self.project.practice != "off" else {}
        hidden = pseudonyms_of(self.project) if self.options.pseudonyms else None
        names = names_of(found) if hidden is None else hidden | newcomers_of(self.project, hidden)
        return [
            {
                "annotator": names.get(key, "newcomer"),
                "how": each.how,
                "at": each.at.isoformat(),
                **(
                    {"by": str(each.by), "reason": each.reason}
                    if each.by and hidden is None
                    else {}
                ),
            }
            for key, each in sorted(found.items())
        ]

    def _slots(self) -> list[str]:
        """Return the raters of files who are no persons, as the file names them."""
        slots = self.project.raters.filter(is_slot=True)
        if not self.options.pseudonyms:
            return [slot.name for slot in slots]
        hidden = pseudonyms_of(self.project)
        return sorted(hidden[slot.person] for slot in slots if slot.person in hidden)

    def dictionary(self) -> bytes:
        """Return the columns as CSV: name, type, meaning."""
        rows = ((column.name, column.type, column.meaning) for column in self.columns)
        return b"".join(csv_lines(("name", "type", "meaning"), rows))

    def beside(self, name: str) -> dict[str, bytes]:
        """Return the files that go beside the one of this name."""
        return {
            f"{name}.columns.csv": self.dictionary(),
            f"{name}.manifest.json": self.manifest(),
        }


def file_of(selection: Selection, options: Options) -> Copied | Parquet | Workbook:
    """Return the file of a selection, in blocks."""
    match options.format:
        case Format.PARQUET:
            return Parquet(selection)
        case Format.JSONL:
            return json_file(selection)
        case Format.CSV:
            return csv_file(
                [column.name for column in selection.columns],
                [(selection.columns, selection.rows + selection.order)],
                delimiter=options.delimiter.character,
            )
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
    with connection.cursor() as cursor:
        cursor.execute(
            sql.SQL("SELECT count(*) FROM (SELECT {} LIMIT {}) AS found").format(
                selection.rows, sql.Literal(most + 1)
            )
        )
        return bool(cursor.fetchone()[0] > most)


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
    told = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    return str(told["project"]["version"])


def _described(rubric: Rubric) -> dict[str, Any]:
    """Return a version of a rubric, with a digest of all that it says."""
    return {"rubric": rubric.slug, "version": rubric.version, "sha256": rubric.digest}
