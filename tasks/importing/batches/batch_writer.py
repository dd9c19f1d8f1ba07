"""Write the rows of one file to its batch: group them into items and COPY these."""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from json.encoder import encode_basestring as quoted
from typing import TypeAlias

from django.db import connection, transaction
from django.utils.translation import gettext as _, ngettext
from psycopg import sql

from config.web.raw_sql import all_rows, one_row, run
from rubrics.detectors import is_empty
from tasks.models import Batch, Item, Notice, Project, Response
from tasks.text.excerpt import SIGN, holds_file

from ..columns.items import MOST_RESPONSES, NewItem, NewResponse, item_of
from ..columns.mapping import Mapping
from ..files.rows import FileRefused, LineError, SourceRow, excerpt, filled

# Run ANALYZE after this many new items, because the planner's statistics are then outdated.
MANY = 1_000
# Metadata names in a project. Each is a column of the export; PostgreSQL's limit is 1,664 columns.
MOST_NAMES = 1_000
# A chunk in memory ends after this many rows or bytes of the file, whichever comes first.
CHUNK_ITEMS = 1_000
CHUNK_BYTES = 4 * 2**20
MOST_FIRSTS = 1_000  # items in memory, to show how a later row differs from them

# Settings of the project that decide about the items of a batch.
SETTINGS = ("wanted", "overlap_percent", "overlap_wanted", "grouping")

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
    *("reference", "source", "warning", "metadata", "lacks_texts", "wanted", "counted"),
)
TEXTS = slice(1, 5)  # of an item's fields, from `messages` to `reference`
# Without the primary key: the importer does not need the keys of responses.
RESPONSE_COLUMNS = ("project_id", "item_id", "position", "model", "text")

# The ids that are already in the project, with their batches' names. They are one value, because a
# statement of a thousand values took 9 ms longer, a twentieth of an import.
THERE = """
SELECT item.external_id, batch.name
FROM tasks_item AS item JOIN tasks_batch AS batch ON batch.id = item.batch_id
WHERE item.project_id = %s AND item.batch_id <> %s AND item.external_id = ANY(%s)
"""

# The index of a row's item, the number of the row's first response in it (1 in the item's first
# row), and the item's fields.
Placed: TypeAlias = tuple[int, int, tuple[str, ...]]


class UploadRefused(FileRefused):
    """The whole file is refused. The message names the file and gives the reason."""


class Ids:
    """The ids of a file's items, numbered from 0, as hashes in two arrays.

    For a million ids they take 16 MB, a dict of the texts 140. Two of a million ids have the same
    hash of 64 bits in one of 40 million such files; then the second item is refused.
    """

    def __init__(self) -> None:
        self.hashes = array("q")
        # An open hash table of the numbers, each plus 1; 0 is a free slot.
        self.slots = array("I", [0]) * 1_024

    def number(self, name: str) -> int:
        """Return the number of an id: the next one if the id is new."""
        own = hash(name)
        if not self.slots[slot := self._slot(own)]:
            self.hashes.append(own)
            self.slots[slot] = len(self.hashes)
            if 2 * len(self.hashes) > len(self.slots):
                self.slots = array("I", [0]) * (2 * len(self.slots))
                for number, each in enumerate(self.hashes, start=1):
                    self.slots[self._slot(each)] = number
        return self.slots[self._slot(own)] - 1

    def _slot(self, own: int) -> int:
        """Return the slot of a hash, or the free slot for it."""
        slots, hashes = self.slots, self.hashes
        slot = own % len(slots)
        while slots[slot] and hashes[slots[slot] - 1] != own:
            slot = (slot + 1) % len(slots)
        return slot


@dataclass
class Load:
    """One pass through a file.

    The first pass stores nothing more after the first bad row. The second pass has it as `first`,
    and so knows the bad items. It stores the good ones if `copying`, and passes the errors to
    `report`.

    For every item of the file it keeps in memory some 50 bytes.
    """

    batch: Batch
    first: "Load | None" = None
    copying: bool = True
    report: Callable[[LineError], object] = lambda error: None
    tick: Callable[[int], object] = lambda rows: None  # called with the rows read so far
    items: int = 0  # stored
    responses: int = 0  # stored
    bad: int = 0  # rows
    empty: list[int] = field(default_factory=list)  # stored items, for each empty response
    files: int = 0  # stored texts with a picture or another file as base64
    names: set[str] = field(default_factory=set)  # of metadata
    told: Sequence[str] = ()  # what a lead should know
    mapping: Mapping | None = None
    # Bad items by their ids: the line of the first bad row, and those with contradicting rows.
    spoiled: dict[str, int] = field(default_factory=dict)
    differing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.others = Item.objects.filter(project=self.batch.project_id).exclude(batch=self.batch)
        self.ids = Ids()  # whose numbers are the indexes in the arrays below
        self.lines = array("I")  # of the first rows
        self.hashes = array("q")  # of the fields
        self.answers = array("q")  # hashes of the first rows' responses
        self.more_answers: set[tuple[int, int]] = set()  # of the other rows', with the index
        self.counts = array("I")  # of responses
        self.keys = array("q")  # primary keys; 0 before the item is stored
        self.firsts: dict[str, NewItem] = {}  # first rows of differing items

    def take_all(self, rows: Iterable[SourceRow]) -> None:
        """Take the rows in chunks, so that few of them are in memory."""
        chunk: list[SourceRow] = []
        size = 0
        for number, row in enumerate(rows, start=1):
            chunk.append(row)
            size += len(row.raw)
            if len(chunk) >= CHUNK_ITEMS or size >= CHUNK_BYTES:
                self.take(chunk)
                self.tick(number)
                chunk, size = [], 0
        self.take(chunk)

    def take(self, chunk: Sequence[SourceRow]) -> None:
        """Store the good rows of a chunk and pass the errors of the bad ones to `report`."""
        items = [item_of(row) for row in chunk]
        names = [item.external_id for item in items if isinstance(item, NewItem)]
        there = dict(all_rows(THERE, [self.batch.project_id, self.batch.pk, names]))
        fresh: list[tuple[int, str, tuple[str, ...]]] = []
        answers: list[tuple[int, int, NewResponse]] = []
        for item in items:
            found = item if isinstance(item, LineError) else self._judged(item, there)
            if isinstance(found, LineError):
                self.bad += 1
                if found.item:
                    self.spoiled.setdefault(found.item, found.line)
                self.report(found)
                continue
            if found is None or not self.copying or (self.first is None and self.bad):
                continue
            assert isinstance(item, NewItem)
            index, number, fields = found
            if number == 1:
                self._limit_names(item.metadata)
                fresh.append((index, item.external_id, fields))
            answers += [
                (index, at, response) for at, response in enumerate(item.responses, start=number)
            ]
        if answers and (self.first is not None or not self.bad):
            self._copy(fresh, answers)
            if any(SIGN in row.raw for row in chunk):
                texts = [text for *_place, fields in fresh for text in fields[TEXTS]]
                texts += [response.text for *_place, response in answers]
                self.files += sum(map(holds_file, texts))

    def finish(self) -> None:
        """Check the limit on metadata names, and apply the project's settings to the batch.

        Raises UploadRefused.
        """
        if self.names:
            self._limit_names(self.others.metadata_names())
        project = self.batch.project
        if project.overlap_percent or project.grouping != Project.Grouping.FREE:
            self.batch.apply_settings()

    def remarks(self) -> Iterator[str]:
        """Yield a sentence for each thing that is no fault, but that a lead may not expect."""
        if self.files:
            text = ngettext(
                "%(number)s text holds a file as letters (base64), such as a picture; annotators "
                "see it folded, with its size.",
                "%(number)s texts hold a file as letters (base64), such as a picture; annotators "
                "see it folded, with its size.",
                self.files,
            )
            yield filled(text, number=self.files)

    def settle(self) -> None:
        """Apply settings that were changed while the file was read, and tell annotators of it.

        This locks the project, so it comes last. After many new items, have PostgreSQL analyze the
        tables once the transaction is committed.
        """
        used = self.batch.project
        project = Project.objects.select_for_update(no_key=True).get(pk=used.pk)
        if any(getattr(project, name) != getattr(used, name) for name in SETTINGS):
            self.batch.project = project
            self.batch.apply_settings()
        # Not of others, which may be removed at this moment.
        Notice.objects.tell_of_batches(project.pk, batch=self.batch.pk, now=self.batch.created_at)
        if self.items >= MANY:
            tables = f"{Item._meta.db_table}, {Response._meta.db_table}"
            transaction.on_commit(partial(run, f"ANALYZE {tables}", []))

    def _judged(self, item: NewItem, there: dict[str, str]) -> Placed | LineError | None:
        """Return where a row belongs, or a LineError if it conflicts with the file or project.

        None: the row says nothing new of its item.
        """
        found = self._placed(item, there)
        bad_line = self.first and self.copying and self.first.spoiled.get(item.external_id)
        if isinstance(found, LineError) or not bad_line:
            return found
        return LineError(
            item.line,
            "id",
            excerpt(item.external_id),
            filled(_("is also the id of line %(line)s, which has an error"), line=bad_line),
            _("fix that line; an item is loaded with all its rows or not at all"),
        )

    def _placed(self, item: NewItem, there: dict[str, str]) -> Placed | LineError | None:
        name = item.external_id
        if batch := there.get(name):
            return LineError(
                item.line,
                "id",
                excerpt(name),
                filled(_("is already in the project, in batch “%(batch)s”"), batch=batch),
                _("give every item an id of its own in the project"),
                name,
            )
        fields = _fields(item)
        index = self.ids.number(name)
        if index == len(self.lines):
            self.lines.append(item.line)
            self.hashes.append(hash(fields))
            self.answers.append(hash(item.responses))
            self.counts.append(len(item.responses))
            self.keys.append(0)
            if self.first and name in self.first.differing and len(self.firsts) < MOST_FIRSTS:
                self.firsts[name] = item
            return index, 1, fields
        if hash(fields) != self.hashes[index]:
            self.differing.add(name)
            return self._differs(item, self.lines[index])
        answers = (index, hash(item.responses))
        if answers[1] == self.answers[index] or answers in self.more_answers:
            if self.mapping and self.mapping.repeats:
                return None  # each of these rows has other ratings
            return LineError(  # without the item's id: the item comes in without this row
                item.line,
                "",
                excerpt(name),
                filled(
                    _("is a copy of another row of its item, which begins in line %(line)s"),
                    line=self.lines[index],
                ),
                _("take it out, or have it left out"),
            )
        self.more_answers.add(answers)
        count = self.counts[index]
        self.counts[index] += len(item.responses)
        if self.counts[index] > MOST_RESPONSES:
            return LineError(
                item.line,
                "id",
                excerpt(name),
                filled(_("brings the item to more than %(most)s responses"), most=MOST_RESPONSES),
                _("make several items of it"),
                name,
            )
        return index, count + 1, fields

    def _differs(self, item: NewItem, line: int) -> LineError:
        column, value = "id", excerpt(item.external_id)
        reason = filled(_("is already in line %(line)s, with another item"), line=line)
        if item.external_id in self.firsts:
            column, value = _difference(self.firsts[item.external_id], item)
            if value:
                reason = filled(_("differs from line %(line)s, which has the same id"), line=line)
            else:
                reason = filled(
                    _("is missing here, but line %(line)s with the same id has it"), line=line
                )
        return LineError(
            item.line,
            column,
            value,
            reason,
            _(
                "rows with the same id are one item: give them the same item data, "
                "or give each row its own id"
            ),
            item.external_id,
        )

    def _limit_names(self, more: Iterable[str]) -> None:
        self.names.update(more)
        if len(self.names) > MOST_NAMES:
            raise UploadRefused(
                _(
                    "%(file)s gives the project more than %(most)s metadata names. Each one "
                    "becomes a column of the export; group some of them in one object."
                ),
                file=self.batch.file_name,
                most=MOST_NAMES,
            )

    def _copy(
        self,
        fresh: list[tuple[int, str, tuple[str, ...]]],
        answers: list[tuple[int, int, NewResponse]],
    ) -> None:
        project, batch, wanted = self.batch.project_id, self.batch.pk, self.batch.project.wanted
        with connection.cursor() as cursor:
            if fresh:
                keys = new_keys(Item._meta.db_table, len(fresh))
                with cursor.copy(copy_into(Item._meta.db_table, ITEM_COLUMNS)) as copy:
                    for position, (key, (index, name, fields)) in enumerate(
                        zip(keys, fresh, strict=True), start=self.items
                    ):
                        self.keys[index] = key
                        copy.write_row((key, project, batch, name, position, *fields, wanted, 0))
            with cursor.copy(copy_into(Response._meta.db_table, RESPONSE_COLUMNS)) as copy:
                for index, number, response in answers:
                    copy.write_row(
                        (project, self.keys[index], number, response.model, response.text)
                    )
        self.items += len(fresh)
        self.responses += len(answers)
        if not (self.mapping and self.mapping.lacks_texts):
            self.empty += [
                self.keys[index] for index, _number, response in answers if is_empty(response.text)
            ]


def _fields(item: NewItem) -> tuple[str, ...]:
    """Return what must be the same in every row of an item, as it will be stored.

    These are the columns of ITEM_COLUMNS from `persona` to `lacks_texts`.
    """
    # Build this JSON by hand: starting the encoder takes several times as long.
    turns = [f'{{"role":{quoted(turn.role)},"text":{quoted(turn.text)}}}' for turn in item.messages]
    return (
        f"[{','.join(map(quoted, item.persona))}]",
        f"[{','.join(turns)}]",
        item.system,
        item.context,
        item.reference,
        item.source,
        item.warning,
        json_text(item.metadata) if item.metadata else "{}",
        "t" if item.lacks_texts else "f",
    )


def _difference(first: NewItem, item: NewItem) -> tuple[str, str]:
    """Return the first column in which a row differs from its item's first row, and its value.

    The value is "" if the row has none.
    """
    there, here = _columns(first), _columns(item)
    name = next(
        name
        for name in {**here, **there}
        if name not in there or name not in here or json_text(there[name]) != json_text(here[name])
    )
    value = item.messages[-1].text if name == "prompt" and item.messages else here.get(name)
    return name, excerpt(value) if name in here else ""


def _columns(item: NewItem) -> dict[str, object]:
    """Return what every row of an item must say alike, by its column."""
    return {
        "persona": list(item.persona),
        "prompt": [(turn.role, turn.text) for turn in item.messages],
        "system": item.system,
        "context": item.context,
        "reference": item.reference,
        "source": item.source,
        "warning": item.warning,
        **item.metadata,
    }


# Without ASCII escapes, which PostgreSQL would only undo. Sorted, so that equal objects give equal
# JSON.
_json = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    separators=(",", ":"),
    sort_keys=True,
    # Write a Decimal as a string between two NULs, because json would round it. `json_text` removes
    # the quotes and the NULs; no text contains a NUL here.
    default=lambda number: f"\0{number}\0",
).encode
_NUMBER = re.compile(r'"\\u0000([^"\\]+)\\u0000"')


def json_text(value: object) -> str:
    """Return a value as JSON, with its numbers as they were written."""
    text = _json(value)
    return _NUMBER.sub(r"\1", text) if "\\u0000" in text else text


def copy_into(table: str, columns: Sequence[str]) -> sql.Composed:
    return sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )


def new_keys(table: str, count: int) -> list[int]:
    """Return new primary keys from the table's own sequence, which later INSERTs continue."""
    (keys,) = one_row(
        # One array, because fetching a row per key would take longer than the rest.
        "SELECT array_agg(nextval(name)) FROM"
        " (SELECT pg_get_serial_sequence(%s, 'id')::regclass AS name)"
        " AS own, generate_series(1, %s)",
        [table, count],
    ) or ([],)
    return list(keys)
