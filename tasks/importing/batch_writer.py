"""One file on its way into its batch: which rows make which item, and their COPY."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring as quoted
from typing import NamedTuple

from django.db import connection, transaction
from psycopg import sql

from tasks.models import Batch, Item, Response

from .mapping import MOST_RESPONSES, NewItem, NewResponse, item_of
from .message import Message
from .message import gettext_lazy as _
from .rows import LineError, Row, excerpt

# Where that many items are new, PostgreSQL is told, for what it planned by is no longer true.
MANY = 1_000
# Names of metadata in a project: each is a column of the export, of which PostgreSQL's limit is
# 1,664.
MOST_NAMES = 1_000
MOST_FIRSTS = 1_000  # items that are held in memory, to say how a later row differs from them

ITEM_COLUMNS = (
    *(
        "id",
        "project_id",
        "batch_id",
        "external_id",
        "position",
        "persona",
        "messages",
        "system",
        "context",
    ),
    *("reference", "source", "warning", "metadata", "wanted", "counted"),
)
RESPONSE_COLUMNS = (
    "project_id",
    "item_id",
    "position",
    "model",
    "text",
)  # their keys nobody has to know


class Refused(Exception):
    """The file as a whole is not taken. The message names it and says why."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True)
class Faults:
    """What an earlier way through the file found: items with a bad row, by the line of the first,
    and those whose rows say different things of them."""

    spoiled: dict[str, int]
    differing: set[str]


class Fields(NamedTuple):
    """What must be the same in every row of an item, written as it will be stored."""

    persona: str
    messages: str
    system: str
    context: str
    reference: str
    source: str
    warning: str
    metadata: str


class Entry(NamedTuple):
    """What a row says of an item, as it will be stored; or what is wrong with it, with empty
    fields. `row` where it may have to be written out."""

    row: Row | None
    item: NewItem | LineError
    fields: Fields
    size: int


NOTHING = Fields(*[""] * len(Fields._fields))


def entry_of(row: Row, *, keep: bool) -> Entry:
    """What a row says, ready to be stored. Here ends what can be done without the database."""
    item = item_of(row)
    fields = _fields(item) if isinstance(item, NewItem) else NOTHING
    return Entry(row if keep else None, item, fields, row.size)


@dataclass
class Load:
    """Without `faults` it is the first way through, on which nothing is loaded any more after the
    first bad row. With them it loads what is good, if it is `copying`, and hands the rest to
    `refuse`.

    In memory for every item of the file: its id, and four numbers.
    """

    batch: Batch
    faults: Faults | None = None
    copying: bool = True
    refuse: Callable[[Row | None, LineError], object] = lambda row, error: None
    items: int = 0
    responses: int = 0
    bad: int = 0
    names: set[str] = field(default_factory=set)  # of metadata
    spoiled: dict[str, int] = field(default_factory=dict)
    differing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.others = Item.objects.filter(project=self.batch.project_id).exclude(batch=self.batch)
        self.alone = not self.others.exists()
        self.places: dict[str, int] = {}  # id → where it is in the lists below
        self.lines = array("q")
        self.hashes = array("q")
        self.counts = array("q")  # of responses
        self.keys = array("q")  # primary keys; 0 before it is stored
        self.firsts: dict[str, tuple[NewItem, Fields]] = {}

    def take(self, chunk: Sequence[Entry]) -> None:
        """Store a chunk, or hand on what is wrong with it."""
        there = self._there(chunk)
        fresh: list[tuple[int, NewItem, Fields]] = []
        answers: list[tuple[int, int, NewResponse]] = []
        for row, item, fields, _size in chunk:
            found = self._judged(item, fields, there)
            if isinstance(found, LineError):
                self.bad += 1
                self.refuse(row, found)
                continue
            if not self.copying or (self.faults is None and self.bad):
                continue
            assert isinstance(item, NewItem)
            place, number = found
            if number == 1:
                self._note_names(item)
                fresh.append((place, item, fields))
            answers += [
                (place, at, response) for at, response in enumerate(item.responses, start=number)
            ]
        if answers and (self.faults is not None or not self.bad):
            self._copy(fresh, answers)

    def finish(self) -> None:
        """See to it that the whole may stay, and have the planner told. Raises Refused."""
        if self.names and not self.alone:
            self.names.update(self.others.metadata_names())
            self._limit_names()
        self.batch.settle()
        if self.items >= MANY:
            transaction.on_commit(_analyze)

    def _there(self, chunk: Sequence[Entry]) -> dict[str, str]:
        """The batches of those ids of the chunk that the project has already."""
        if self.alone:
            return {}
        ids = [entry.item.external_id for entry in chunk if isinstance(entry.item, NewItem)]
        return dict(
            self.others.filter(external_id__in=ids).values_list("external_id", "batch__name")
        )

    def _judged(
        self, item: NewItem | LineError, fields: Fields, there: dict[str, str]
    ) -> tuple[int, int] | LineError:
        """Where the item of a row stands in the lists, and the number of the row's first response,
        which is 1 in the item's first row; or what is wrong with the row, as far as the file and
        the project go."""
        found = item if isinstance(item, LineError) else self._placed(item, fields, there)
        if isinstance(found, LineError):
            if found.item:
                self.spoiled.setdefault(found.item, found.line)
            return found
        assert isinstance(item, NewItem)
        bad_line = self.faults and self.copying and self.faults.spoiled.get(item.external_id)
        if not bad_line:
            return found
        return LineError(
            item.line,
            "id",
            excerpt(item.external_id),
            _("is that of line %(line)s, which cannot be taken", line=bad_line),
            _("mend that line; an item comes in with all of its rows or with none"),
        )

    def _placed(
        self, item: NewItem, fields: Fields, there: dict[str, str]
    ) -> tuple[int, int] | LineError:
        name = item.external_id
        if batch := there.get(name):
            return self._taken_id(item, batch)
        place = self.places.get(name)
        if place is None:
            place = self.places[name] = len(self.lines)
            self.lines.append(item.line)
            self.hashes.append(hash(fields))
            self.counts.append(len(item.responses))
            self.keys.append(0)
            if self.faults and name in self.faults.differing and len(self.firsts) < MOST_FIRSTS:
                self.firsts[name] = item, fields
            return place, 1
        if hash(fields) != self.hashes[place]:
            self.differing.add(name)
            return self._differs(item, fields, self.lines[place])
        count = self.counts[place]
        self.counts[place] += len(item.responses)
        if self.counts[place] > MOST_RESPONSES:
            return LineError(
                item.line,
                "id",
                excerpt(name),
                _("brings the item to more than %(most)s responses", most=MOST_RESPONSES),
                _("make several items of it"),
                name,
            )
        return place, count + 1

    def _taken_id(self, item: NewItem, batch: str) -> LineError:
        name = item.external_id
        reason = _('is already in the project, in batch "%(batch)s"', batch=batch)
        advice = _("give every item an id of its own in the project")
        return LineError(item.line, "id", excerpt(name), reason, advice, name)

    def _differs(self, item: NewItem, fields: Fields, line: int) -> LineError:
        column, value = "id", excerpt(item.external_id)
        reason = _("stands in line %(line)s already, with another item", line=line)
        if item.external_id in self.firsts:
            column, value = _difference(*self.firsts[item.external_id], item, fields)
            if value:
                reason = _("is not what it is in line %(line)s, whose id this row has", line=line)
            else:
                reason = _(
                    "is missing, and stands in line %(line)s, whose id this row has", line=line
                )
        advice = _(
            "rows with one id are one item: make what they say of it the same, or give each an id of its own"
        )
        return LineError(item.line, column, value, reason, advice, item.external_id)

    def _note_names(self, item: NewItem) -> None:
        if not self.names.issuperset(item.metadata):
            self.names.update(item.metadata)
            self._limit_names()

    def _limit_names(self) -> None:
        if len(self.names) > MOST_NAMES:
            raise Refused(
                _(
                    "%(file)s brings the project to more than %(most)s names of metadata, each a column of "
                    "the export; gather some in one object.",
                    file=self.batch.file_name,
                    most=MOST_NAMES,
                )
            )

    def _copy(
        self, fresh: list[tuple[int, NewItem, Fields]], answers: list[tuple[int, int, NewResponse]]
    ) -> None:
        project, batch, wanted = self.batch.project_id, self.batch.pk, self.batch.project.wanted
        with connection.cursor() as cursor:
            if fresh:
                keys = _new_keys(Item._meta.db_table, len(fresh))
                with cursor.copy(_copy_into(Item._meta.db_table, ITEM_COLUMNS)) as copy:
                    for position, (key, (place, item, fields)) in enumerate(
                        zip(keys, fresh, strict=True), start=self.items
                    ):
                        self.keys[place] = key
                        copy.write_row(
                            (key, project, batch, item.external_id, position, *fields, wanted, 0)
                        )
            with cursor.copy(_copy_into(Response._meta.db_table, RESPONSE_COLUMNS)) as copy:
                for place, number, response in answers:
                    copy.write_row(
                        (project, self.keys[place], number, response.model, response.text)
                    )
        self.items += len(fresh)
        self.responses += len(answers)


def _fields(item: NewItem) -> Fields:
    # Put together by hand what has a form of its own: the encoder takes several times as long to
    # set out.
    turns = [f'{{"role":{quoted(turn.role)},"text":{quoted(turn.text)}}}' for turn in item.messages]
    return Fields(
        f"[{','.join(map(quoted, item.persona))}]",
        f"[{','.join(turns)}]",
        item.system,
        item.context,
        item.reference,
        item.source,
        item.warning,
        json_text(item.metadata) if item.metadata else "{}",
    )


def _difference(first: NewItem, there: Fields, item: NewItem, fields: Fields) -> tuple[str, str]:
    """The column in which a row differs from an item's first, and what it says there; "" where it
    says nothing."""
    name = next(name for name in Fields._fields if getattr(there, name) != getattr(fields, name))
    if name == "metadata":
        keys = [*item.metadata, *first.metadata]
        key = next(
            key
            for key in keys
            if key not in first.metadata
            or key not in item.metadata
            or json_text(first.metadata[key]) != json_text(item.metadata[key])
        )
        return key, excerpt(item.metadata[key]) if key in item.metadata else ""
    if name == "messages":
        return "prompt", excerpt(item.messages[-1].text if item.messages else "")
    value = getattr(item, name)
    return name, excerpt(list(value) if name == "persona" else value)


# Without the escapes, which would only be undone again. Sorted, so that it is the same for the same
# object.
_json = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    separators=(",", ":"),
    sort_keys=True,
    # A decimal, which JSON's own writer would round: between two NULs, which no text has here.
    default=lambda number: f"\0{number}\0",
).encode
_NUMBER = re.compile(r'"\\u0000([^"\\]+)\\u0000"')


def json_text(value: object) -> str:
    """A value as JSON, its numbers as they were written."""
    text = _json(value)
    return _NUMBER.sub(r"\1", text) if "\\u0000" in text else text


def _copy_into(table: str, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )


def _new_keys(table: str, count: int) -> list[int]:
    """Primary keys from the table's own sequence, so that rows inserted one by one go on from
    there."""
    with connection.cursor() as cursor:
        cursor.execute(
            # As one value: a row for each would take longer than the rest.
            "SELECT array_agg(nextval(name)) FROM (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS name)"
            " AS own, generate_series(1, %s)",
            [table, count],
        )
        (keys,) = cursor.fetchone() or ([],)
        return list(keys)


def _analyze() -> None:
    with connection.cursor() as cursor:
        for model in (Item, Response):
            cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(model._meta.db_table)))
