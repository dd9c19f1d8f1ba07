"""Items → tables, by COPY: the whole file or nothing of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, BinaryIO

from django.db import connection, transaction
from django.db.models import Max
from psycopg import sql

from tasks.models import Batch, Item, Project, Response

from .mapping import NewItem, items_of
from .readers import LineError, Unreadable, excerpt, printable, reader_for

if TYPE_CHECKING:
    from annotators.models import User

# What is held in memory at once: so many items, or bytes of the file, whichever comes first.
CHUNK_ITEMS = 2_000
CHUNK_BYTES = 8 * 2**20
# Where that many items are new, PostgreSQL is told, for what it planned by is no longer true.
MANY = 1_000
LONGEST_NAME = 200  # characters of a batch's name, as its column says
# Names of metadata in a project: each is a column of the export, of which PostgreSQL's limit is 1,664.
MOST_NAMES = 1_000

ITEM_COLUMNS = (
    *("id", "project_id", "batch_id", "external_id", "position", "persona", "messages", "system", "context"),
    *("reference", "source", "metadata", "counted"),
)
RESPONSE_COLUMNS = ("id", "project_id", "item_id", "position", "model", "text")

# Without the escapes, which would only be undone again.
_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class Loaded:
    """What came in."""

    batch: Batch
    items: int
    responses: int


class Refused(Exception):
    """The file as a whole is not taken. The message names it and says why."""


class BadLines(Refused):
    """Lines that are not taken, and so nothing is. Each has been reported."""

    def __init__(self, file_name: str, count: int) -> None:
        self.count = count
        lines = "1 line" if count == 1 else f"{count:,} lines"
        super().__init__(f"{file_name}: {lines} cannot be taken, so nothing was loaded")


def load_batch(
    project: Project,
    file: BinaryIO,
    *,
    file_name: str,
    batch_name: str = "",
    by: User | None = None,
    now: datetime,
    report: Callable[[LineError], object],
) -> Loaded:
    """Store a file (open, binary, seekable) as a new batch; every bad line goes to `report`, in their order.

    The batch is named like the file, without its ending, where no name is given. Raises Refused.
    """
    file_name = printable(PurePath(file_name).name)
    batch_name = batch_name or PurePath(file_name).stem[:LONGEST_NAME]
    try:
        rows = reader_for(file_name)
        digest = _digest(file)
        with transaction.atomic():
            # One upload to a project at a time: names, positions and ids are settled against what is there.
            Project.objects.select_for_update(no_key=True).get(pk=project.pk)
            batch = _new_batch(project, file_name, batch_name, digest, by, now)
            load = _Load(batch, report)
            for chunk in _chunks(items_of(rows(file))):
                load.take(chunk)
            load.finish()
    except Unreadable as error:
        raise Refused(f"{file_name} {error}") from error
    return Loaded(batch, load.items, load.responses)


def _digest(file: BinaryIO) -> str:
    """The SHA-256 of a file, which is left at its beginning."""
    digest = hashlib.sha256()
    file.seek(0)
    while block := file.read(2**20):
        digest.update(block)
    file.seek(0)
    return digest.hexdigest()


def _new_batch(
    project: Project, file_name: str, name: str, digest: str, by: User | None, now: datetime
) -> Batch:
    if not name.strip() or "\0" in name or len(name) > LONGEST_NAME:
        raise Refused(f"The batch's name is {excerpt(name)}; it must have 1 to {LONGEST_NAME} characters.")
    batches = Batch.objects.filter(project=project)
    if same := batches.filter(digest=digest).first():
        raise Refused(
            f'{file_name} is already in the project, as batch "{same}" of {same.created_at:%Y-%m-%d}.'
        )
    if batches.filter(name=name).exists():
        raise Refused(f'A batch "{name}" is already in the project; choose another name.')
    last = batches.aggregate(last=Max("position"))["last"]
    return Batch.objects.create(
        project=project,
        name=name,
        position=0 if last is None else last + 1,
        file_name=file_name[-255:],
        digest=digest,
        created_by=by,
        created_at=now,
    )


def _chunks(entries: Iterable[NewItem | LineError]) -> Iterator[list[NewItem | LineError]]:
    chunk: list[NewItem | LineError] = []
    size = 0
    for entry in entries:
        chunk.append(entry)
        size += entry.size if isinstance(entry, NewItem) else 0
        if len(chunk) >= CHUNK_ITEMS or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


@dataclass
class _Load:
    """One file on its way into its batch. After the first bad line the rest is only looked through."""

    batch: Batch
    report: Callable[[LineError], object]
    items: int = 0
    responses: int = 0
    bad: int = 0
    lines: dict[str, int] = field(default_factory=dict)  # id → where it stands in the file
    names: set[str] = field(default_factory=set)  # of metadata

    def __post_init__(self) -> None:
        self.others = Item.objects.filter(project=self.batch.project_id).exclude(batch=self.batch)
        self.alone = not self.others.exists()

    def take(self, chunk: Sequence[NewItem | LineError]) -> None:
        """Store a chunk, or report what is wrong with it."""
        there = self._there(chunk)
        good: list[NewItem] = []
        for entry in chunk:
            if isinstance(entry, LineError):
                self._refuse(entry)
            elif first := self.lines.get(entry.external_id):
                self._refuse(_repeated(entry, f"stands already in line {first}"))
            elif batch := there.get(entry.external_id):
                self._refuse(_repeated(entry, f'is already in the project, in batch "{batch}"'))
            else:
                self.lines[entry.external_id] = entry.line
                self._note_names(entry)
                good.append(entry)
        if good and not self.bad:
            self._copy(good)

    def finish(self) -> None:
        """See to it that the whole may stay, and have the planner told. Raises Refused."""
        name = self.batch.file_name
        if self.bad:
            raise BadLines(name, self.bad)
        if not self.items:
            raise Refused(f"{name} holds no items; write one JSON object a line.")
        if self.names and not self.alone:
            self.names.update(self.others.metadata_names())
            self._limit_names()
        if self.items >= MANY:
            transaction.on_commit(_analyze)

    def _there(self, chunk: Sequence[NewItem | LineError]) -> dict[str, str]:
        """The batches of those ids of the chunk that the project has already."""
        if self.alone:
            return {}
        ids = [entry.external_id for entry in chunk if isinstance(entry, NewItem)]
        return dict(self.others.filter(external_id__in=ids).values_list("external_id", "batch__name"))

    def _refuse(self, error: LineError) -> None:
        self.bad += 1
        self.report(error)

    def _note_names(self, item: NewItem) -> None:
        if not self.names.issuperset(item.metadata):
            self.names.update(item.metadata)
            self._limit_names()

    def _limit_names(self) -> None:
        if len(self.names) > MOST_NAMES:
            raise Refused(
                f"{self.batch.file_name} brings the project to more than {MOST_NAMES:,} names of metadata, "
                "each a column of the export; gather some in one object."
            )

    def _copy(self, items: Sequence[NewItem]) -> None:
        project, batch = self.batch.project_id, self.batch.pk
        keys = _new_keys(Item._meta.db_table, len(items))
        with connection.cursor() as cursor:
            with cursor.copy(_copy_into(Item._meta.db_table, ITEM_COLUMNS)) as copy:
                for position, (key, item) in enumerate(zip(keys, items, strict=True), start=self.items):
                    copy.write_row(
                        (
                            key,
                            project,
                            batch,
                            item.external_id,
                            position,
                            _json(item.persona),
                            _json([{"role": turn.role, "text": turn.text} for turn in item.messages]),
                            item.system,
                            item.context,
                            item.reference,
                            item.source,
                            _json(item.metadata),
                            0,
                        )
                    )
            responses = [
                (key, number, response)
                for key, item in zip(keys, items, strict=True)
                for number, response in enumerate(item.responses, start=1)
            ]
            response_keys = _new_keys(Response._meta.db_table, len(responses))
            with cursor.copy(_copy_into(Response._meta.db_table, RESPONSE_COLUMNS)) as copy:
                for response_key, (key, number, response) in zip(response_keys, responses, strict=True):
                    copy.write_row((response_key, project, key, number, response.model, response.text))
        self.items += len(items)
        self.responses += len(responses)


def _repeated(item: NewItem, reason: str) -> LineError:
    return LineError(
        item.line, "id", excerpt(item.external_id), reason, "give every item an id of its own in the project"
    )


def _copy_into(table: str, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )


def _new_keys(table: str, count: int) -> list[int]:
    """Primary keys from the table's own sequence, so that rows inserted one by one go on from there."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(name) FROM (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS name) AS own,"
            " generate_series(1, %s)",
            [table, count],
        )
        return [key for (key,) in cursor.fetchall()]


def _analyze() -> None:
    with connection.cursor() as cursor:
        for model in (Item, Response):
            cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(model._meta.db_table)))
