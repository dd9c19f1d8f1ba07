"""Load a file into a new batch: the whole file or nothing, or the good items only.

An item is loaded with all of its rows or not at all, wherever they are in the file.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import PurePath
from typing import BinaryIO, TypeAlias

from django.db import transaction
from django.db.models import Max
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _, ngettext

from config.web.people import User
from config.web.raw_sql import run
from tasks.models import Batch, Item, Notice, Project, Response
from tasks.models.batches import LONGEST_NAME
from tasks.models.loads import is_alone, wait_for_loads

from ..columns.items import NewItem, item_of
from ..columns.mapping import Mapping
from ..columns.opening import open_file
from ..columns.profile import Profile
from ..columns.proposals import propose
from ..columns.sample import ROWS
from ..columns.table_cells import file_rows
from ..files.options import AS_PROPOSED, ReadingOptions
from ..files.rows import LineError, Source, Unreadable, excerpt, fill_in, printable
from .row_faults import faults
from .row_places import (
    RowCounts,
    count_files,
    fill_tables,
    find_places,
    items_with_empty_responses,
    leave_out_same,
)
from .staging import UploadRefused, stage

NewItems: TypeAlias = tuple[Iterator[NewItem | LineError], Sequence[str]]

# Run ANALYZE after this many new items, because the planner's statistics are then outdated.
MANY = 1_000
# Settings of the project that decide about the items of a batch.
SETTINGS = ("wanted", "overlap_percent", "overlap_wanted", "grouping")


class AlreadyLoading(Exception):
    """Another file is being loaded into the project."""


class BadLines(UploadRefused):
    """Nothing was loaded because of bad rows. Each of them has been reported."""

    def __init__(self, file_name: str, count: int) -> None:
        self.count = count
        super().__init__(
            ngettext(
                "%(file)s: %(number)s row can’t be loaded, so nothing was loaded",
                "%(file)s: %(number)s rows can’t be loaded, so nothing was loaded",
                count,
            ),
            file=file_name,
            number=count,
        )


@dataclass(frozen=True)
class FileToLoad:
    """A file for a project, and how to load it."""

    project: Project
    stream: BinaryIO  # open, binary, seekable
    file_name: str
    now: datetime
    # Called with each error, in the order of the file and in the active language.
    report: Callable[[LineError], object]
    mapping: Mapping | None = None  # None: the file is in our own shape
    reading: ReadingOptions = AS_PROPOSED
    batch_name: str = ""  # "": the file's name without its ending
    warning: str = ""  # shown before all of its items
    by: User | None = None
    take_good: bool = False  # load the items whose rows are all good; else one bad row refuses all
    takes_breaks: bool = False  # scores that break a rule come in, with the rule's name
    makes_rubric: bool = False  # from the scales of the mapping
    waits: bool = True  # for another load into the project
    skips: bool = False  # items that the project has with the same texts; else they are faults
    # Called with the number of rows read so far, again and again. What it raises ends the load.
    tick: Callable[[int], object] = lambda rows: None

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return printable(PurePath(self.file_name).name)

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return PurePath(self.name).stem

    def open(self) -> AbstractContextManager[Source]:
        """Open the file. Raises Unreadable."""
        return open_file(self.stream, self.name, self.reading)

    def new_items(self, source: Source) -> NewItems:
        """Return the items of the open file, and what to tell of it. Raises UploadRefused."""
        return _items(source, self)

    def batch(self) -> Batch:
        """Return the batch for its items. Raises UploadRefused."""
        return _new_batch(self)

    def take_turn(self) -> None:
        """Begin to load. Raises AlreadyLoading, unless it may wait for another file.

        There is one at a time, because the checks of names, positions and ids depend on the batches
        and items that are there. Nothing else waits for this lock.
        """
        if self.waits:
            wait_for_loads(self.project.pk)
        elif not is_alone(self.project.pk):
            raise AlreadyLoading
        self.project.refresh_from_db()


@dataclass
class Load:
    """A batch, and what of its file was stored in it."""

    batch: Batch
    items: int = 0
    responses: int = 0
    bad: int = 0  # rows that were left out
    skipped: int = 0  # items that the project has with the same texts
    empty: list[int] = field(default_factory=list)  # items, for each empty response
    text_remarks: Sequence[str] = ()  # what a lead should know of its texts
    sentences: Sequence[str] = ()  # that, and of its columns


def load_batch(file: FileToLoad, keep: Callable[[Load], object] = lambda load: None) -> Load:
    """Store the items of a file in its batch. Raises UploadRefused and AlreadyLoading.

    `keep` may store more of the outcome in the same transaction.
    """
    project = file.project
    try:
        with transaction.atomic():
            file.take_turn()
            batch = file.batch()
            first = batch.size
            with file.open() as source:
                items, remarks = file.new_items(source)
                stage(batch, items, file.tick)
            load = _fill(Load(batch), file)
            if not load.items and not load.skipped:
                text = _("%(file)s holds no items; %(hint)s.")
                raise UploadRefused(text, file=file.name, hint=source.hint)
            load.sentences = [*remarks, *load.text_remarks]
            if project.overlap_percent or project.grouping != Project.Grouping.FREE:
                batch.apply_settings(first)
            keep(load)
            batch.recount_new_items()
            _finish(load)
    except Unreadable as error:
        raise UploadRefused(_("%(file)s %(fault)s"), file=file.name, fault=error) from error
    return load


def _items(source: Source, file: FileToLoad) -> NewItems:
    """Return the file's items, and what to tell of it.

    Raises UploadRefused.
    """
    profile = Profile.of(file_rows(source), ROWS)
    if file.mapping:
        if not profile.columns.keys() >= file.mapping.columns.keys():  # some may begin later
            profile = Profile.of(file_rows(source))
        if faults := file.mapping.faults(profile.sample):
            raise UploadRefused("%(file)s: %(faults)s", file=file.name, faults=" ".join(faults))
        mapping = replace(file.mapping, file=file.stem)
        return map(mapping.item, file_rows(source)), ()
    proposal = propose(profile)
    is_sure = proposal.is_our_shape and not (proposal.doubtful or source.guesses)
    # A file without one good row has faults that its rows tell.
    if is_sure or not profile.rows:
        return map(item_of, file_rows(source)), proposal.remarks
    text = _(
        "%(file)s is not in our own shape, or one must look at it first. %(said)s "
        "manage.py import_batch --guess prints what each column may be, for --mapping."
    )
    sentences = " ".join((*source.guesses, *proposal.sentences(profile)))
    raise UploadRefused(text, file=file.name, said=sentences)


def _fill(load: Load, file: FileToLoad) -> Load:
    """Store the items of the rows that are staged, and report the faults. Raises BadLines."""
    mapping = file.mapping
    if file.skips:
        load.skipped = leave_out_same(load.batch)
    counts = find_places(load.batch, repeats=bool(mapping and mapping.repeats))
    load.bad = counts.left_out if file.take_good else counts.bad
    if load.bad:
        for fault in faults(is_partial=file.take_good, skips=file.skips):
            file.report(fault)
        if not (file.take_good and counts.items):
            raise BadLines(load.batch.file_name, load.bad)
    load.items, load.responses = counts.items, counts.responses
    load.text_remarks = [*_remarks(counts)]
    fill_tables(load.batch)
    if not (mapping and mapping.lacks_texts):
        load.empty = items_with_empty_responses()
    return load


def _remarks(counts: RowCounts) -> Iterator[str]:
    """Yield a sentence for each thing that a lead may not expect."""
    if counts.left_out:
        text = _("Rows: %(rows)s in the file, %(good)s in these items, %(left_out)s left out.")
        if counts.copies:
            text = _(
                "Rows: %(rows)s in the file, %(good)s in these items, %(left_out)s left out, of "
                "which %(copies)s as copies."
            )
        good = counts.rows - counts.left_out
        yield fill_in(text, good=good, **counts._asdict())
    if files := count_files():
        text = ngettext(
            "%(number)s text holds a file as letters (base64), such as a picture; annotators "
            "see it folded, with its size.",
            "%(number)s texts hold a file as letters (base64), such as a picture; annotators "
            "see it folded, with its size.",
            files,
        )
        yield fill_in(text, number=files)


def _finish(load: Load) -> None:
    """Apply settings that were changed while the file was read, and tell annotators of it.

    This locks the project, so it comes last. After many new items, have PostgreSQL analyze the
    tables once the transaction is committed.
    """
    used = load.batch.project
    project = Project.objects.select_for_update(no_key=True).get(pk=used.pk)
    if any(getattr(project, name) != getattr(used, name) for name in SETTINGS):
        load.batch.project = project
        load.batch.apply_settings()
    # Not of others, which may be removed at this moment.
    Notice.objects.tell_of_batches(project.pk, batch=load.batch.pk, now=load.batch.created_at)
    if load.items >= MANY:
        tables = f"{Item._meta.db_table}, {Response._meta.db_table}"
        transaction.on_commit(partial(run, f"ANALYZE {tables}", []))


def _free_name(project: Project, stem: str) -> str:
    """Return a file's name for its batch, with a number if a batch has it: a corrected file."""
    names = set(project.batches.values_list("name", flat=True))
    name, number = stem[:LONGEST_NAME], 1
    while name in names:
        number += 1
        name = f"{stem[: LONGEST_NAME - 5]} {number}"
    return name


def _new_batch(file: FileToLoad) -> Batch:
    """Make the batch of a file. Raises UploadRefused."""
    project = file.project
    name = file.batch_name or _free_name(project, file.stem)
    if not name.strip() or "\0" in name or len(name) > LONGEST_NAME:
        text = _("The batch’s name is %(name)s; it must have 1 to %(most)s characters.")
        raise UploadRefused(text, name=excerpt(name), most=LONGEST_NAME)
    batches = Batch.objects.filter(project=project)
    digest = _digest(file)
    if same := batches.filter(digest=digest).first():
        text = _("%(file)s is already in the project, as batch “%(batch)s” of %(day)s.")
        day = date_format(localtime(same.created_at))
        raise UploadRefused(text, file=file.name, batch=same.name, day=day)
    if batches.filter(name=name).exists():
        text = _(
            "A batch “%(name)s” is already in the project; choose another name, by "
            "“Name of the batch” on the page or by --batch."
        )
        raise UploadRefused(text, name=name)
    return make_batch(file, name=name, digest=digest)


def make_batch(file: FileToLoad, *, name: str, digest: str, complete: bool = True) -> Batch:
    """Make a batch for the items of a file, behind all others of its project."""
    last = file.project.batches.aggregate(last=Max("position"))["last"]
    return Batch.objects.create(
        project=file.project,
        name=name,
        position=0 if last is None else last + 1,
        complete=complete,
        warning=file.warning,
        file_name=file.name[-255:],
        digest=digest,
        created_by=file.by,
        created_at=file.now,
    )


def _digest(file: FileToLoad) -> str:
    file.stream.seek(0)
    digest = hashlib.file_digest(file.stream, "sha256")  # type: ignore[arg-type]
    # A file may be taken again, for another part or use of it.
    reading, mapping = file.reading, file.mapping
    part = "\n".join(filter(None, (reading.part, reading.join, reading.key)))
    if part or mapping:
        digest.update(f"{part}\n{mapping and mapping.as_yaml({})}".encode())
    return digest.hexdigest()
