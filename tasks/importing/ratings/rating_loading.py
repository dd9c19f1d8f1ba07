"""Load a file of ratings: its items first, unless the project has them, then what people said.

`uploading.py` and `manage.py import_batch` call `load_file`. All of it is one transaction. A dry
run is the same, rolled back.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping as AnyMapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from config.web.raw_sql import run
from tasks.models import Batch, Project, RatingFile
from tasks.models.imported import count_first_import

from ..batches.loading import BadLines, FileToLoad, Load, UploadRefused, load_batch
from ..batches.row_places import bad_rows
from ..columns.file_counts import FileCounts
from ..columns.mapping import Mapping
from ..columns.scoring import RatingRow
from ..columns.table_cells import file_rows
from ..columns.uses import Use
from ..files.rows import LineError, Source, Unreadable
from .file_dimensions import RubricCodes, with_scales_of_rubric
from .made_rubric import make_rubric
from .own_cells import fault_in
from .rating_writer import RatingLoad

MANY = 1_000  # ratings after which PostgreSQL's statistics are outdated
CHANGED = ("rubric_id", "wanted", "imported")  # of a project, by an import


class ImportResult(NamedTuple):
    """All that was imported of a file."""

    item_load: Load | None  # None: the project has them
    rating_load: RatingLoad | None  # None: the file has none

    @property
    def bad(self) -> dict[str, int]:
        """The rows of items and the ratings that were left out, as a report names them."""
        bad_rows = self.item_load.bad if self.item_load else 0
        bad_ratings = self.rating_load.bad if self.rating_load else 0
        return {"bad": bad_rows, "bad_ratings": bad_ratings}

    def counts(self, estimated: FileCounts) -> FileCounts:
        """Return the counts of the file, with those that the import has made exact."""
        counts = estimated
        if self.item_load:
            items, responses = self.item_load.items, self.item_load.responses
            counts = counts._replace(items=items, responses=responses, are_more=False)
        if self.rating_load:
            counts = counts._replace(scores=self.rating_load.scores_in_file)
        return counts


def load_file(file: FileToLoad) -> ImportResult:
    """Store the ratings of a file, if it has some, and its items unless the project has them.

    Raises UploadRefused and AlreadyLoading.
    """
    has_ratings = file.mapping is not None and file.mapping.repeats
    if not has_ratings:
        return ImportResult(load_batch(file), None)
    try:
        with transaction.atomic():
            return _load_ratings(file)
    except Unreadable as error:
        raise UploadRefused(_("%(file)s %(fault)s"), file=file.name, fault=error) from error


def _load_ratings(file: FileToLoad) -> ImportResult:
    project = file.project
    file.take_turn()
    settings_before = {name: getattr(project, name) for name in CHANGED}
    mapping = _mapping_for_project(file)
    file = replace(file, mapping=mapping)
    load = RatingLoad(
        project,
        file=_new_file(file, mapping),
        takes_breaks=file.takes_breaks,
        report=file.report,
        slots=mapping.scoring.slots,
    )
    store_ratings = partial(_store_ratings, file, mapping, load, settings_before)
    if mapping.lacks_texts and project.items.exists():
        store_ratings(None)
        return ImportResult(None, load)
    if mapping.lacks_texts and mapping.of(Use.TARGET) and not mapping.of(Use.MODEL):
        text = _("The file numbers responses without texts. Load the items first, or name models.")
        raise UploadRefused(text)
    return ImportResult(load_batch(file, store_ratings), load)


def _mapping_for_project(file: FileToLoad) -> Mapping:
    """Return the mapping of a file with the project's raters and the scales of its rubric.

    If the file makes the rubric, it is made here.
    """
    assert file.mapping is not None
    mapping = _with_raters(replace(file.mapping, file=file.stem), file.project)
    if not file.makes_rubric:
        return with_scales_of_rubric(mapping, file.project.rubric.schema)
    with file.open() as source:
        make_rubric(mapping, file_rows(source), file.project, file.by, file.now)
    return mapping


def _new_file(file: FileToLoad, mapping: Mapping) -> RatingFile:
    return RatingFile.objects.create(
        project=file.project,
        file_name=file.name[-255:],
        uploader=file.by,
        created_at=file.now,
        has_checks=bool(mapping.of(Use.CHECK, Use.EXPORTED)),
    )


def _with_raters(mapping: Mapping, project: Project) -> Mapping:
    """Return a mapping that takes no two raters of the project for one person."""
    names = set(project.raters.values_list("name", flat=True))
    merged = {}
    for name, common_name in mapping.scoring.merged.items():
        if not {name, common_name} <= names:
            merged[name] = common_name
    return replace(mapping, scoring=replace(mapping.scoring, merged=merged))


def _store_ratings(
    file: FileToLoad,
    mapping: Mapping,
    load: RatingLoad,
    settings_before: AnyMapping[str, object],
    item_load: Load | None,
) -> None:
    """Store the ratings of a file whose items are there. Raises UploadRefused.

    `settings_before`: settings of the project before the import. `item_load`: how the items came
    in; None if the project had them.
    """
    reported_rows = bad_rows() if item_load else ()
    with file.open() as source:
        load.take(_ratings_in(source, file, mapping, load, reported_rows))
    is_empty = not (load.ratings or load.answer_rows)
    if is_empty and not (load.bad or item_load):
        why = " ".join(load.sentences)
        raise UploadRefused(_("No rating can be taken. %(why)s"), why=why)
    if load.bad and not (file.take_good and (item_load or not is_empty)):
        raise BadLines(file.name, load.bad)
    if is_empty:  # the items come in without them
        load.file.delete()
    else:
        _finish(file.project, load)
        load.file.keep_changes(settings_before)


def _ratings_in(
    source: Source,
    file: FileToLoad,
    mapping: Mapping,
    load: RatingLoad,
    reported_rows: Collection[int],
) -> Iterator[RatingRow]:
    """Yield the ratings of a file with the codes of the rubric; report its errors.

    The `reported_rows` are bad, and were reported with the items.
    """
    codes = RubricCodes(load.project.rubric.schema)
    for number, row in enumerate(file_rows(source), start=1):
        entries = list(mapping.ratings(row))  # of bad rows too: it counts their scores
        if number not in reported_rows:
            yield from _good_ratings(entries, load, codes)
        if number % MANY == 0:
            file.tick(number)
    load.left_out += mapping.reader.left_out
    load.scores_in_file += mapping.reader.number


def _good_ratings(
    entries: Iterable[RatingRow | LineError], load: RatingLoad, codes: RubricCodes
) -> Iterator[RatingRow]:
    for entry in entries:
        fault = entry if isinstance(entry, LineError) else fault_in(entry)
        if fault:
            load.refuse([fault])
        elif isinstance(entry, RatingRow):
            is_about_corpus = "answered_at" in entry.exported
            if is_about_corpus:
                load.answer_rows.append(entry)
            else:
                yield codes.coded(entry)


def _finish(project: Project, load: RatingLoad) -> None:
    """Have the ratings count if they are the first, and their items want what they then want."""
    # Else PostgreSQL plans the first figures as if the tables were as before.
    run("ANALYZE tasks_item, tasks_rating, tasks_score, tasks_placement", [])
    others = project.ratings.imported().exclude(file=load.file)
    # If there are others, the lead has said that they stay apart.
    if project.imported == Project.Imported.APART and not others.exists():
        count_first_import(project)
    for batch in Batch.objects.filter(pk__in=load.batches):
        batch.follow_imports()
