"""Load a file of ratings: its items first, unless the project has them, then what people said.

All of it is one transaction. A dry run is the same, rolled back.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping as AnyMapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from config.web.raw_sql import run
from rubrics.judging.schema import Rubric as Schema
from tasks.models import Batch, Project, RatingFile
from tasks.models.imported import count_first_import

from ..batches.loading import BadLines, FileToLoad, Load, UploadRefused, load_batch
from ..batches.row_places import bad_rows
from ..columns.file_counts import FileCounts
from ..columns.mapping import Mapping
from ..columns.score_cells import Score, scale_of
from ..columns.scoring import QUALITY, RatingRow, ScoreCell
from ..columns.table_cells import file_rows
from ..columns.uses import Use
from ..files.rows import LineError, Source, Unreadable
from .made_rubric import make_rubric
from .own_cells import fault_in
from .rating_writer import RatingLoad

NO_CHECKS: dict[str, dict[str, str]] = {}  # one for all ratings without, to save memory
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
        if load := self.item_load:
            items, responses = load.items, load.responses
            counts = counts._replace(items=items, responses=responses, are_more=False)
        if self.rating_load:
            counts = counts._replace(scores=self.rating_load.scores_in_file)
        return counts


def load_file(file: FileToLoad) -> ImportResult:
    """Store the ratings of a file, if it has some, and its items unless the project has them.

    Raises UploadRefused and AlreadyLoading.
    """
    mapping = file.mapping
    if not (mapping and mapping.repeats):
        return ImportResult(load_batch(file), None)
    project = file.project
    try:
        with transaction.atomic():
            file.take_turn()
            before = {name: getattr(project, name) for name in CHANGED}
            mapping = _with_raters(replace(mapping, file=file.stem), project)
            if file.makes_rubric:
                with file.open() as source:
                    make_rubric(mapping, file_rows(source), project, file.by, file.now)
            else:
                mapping = _with_rubric(mapping, project.rubric.schema)
            file = replace(file, mapping=mapping)
            ratings = RatingLoad(
                project,
                _new_file(file, mapping),
                file.takes_breaks,
                file.report,
                mapping.scoring.slots,
            )
            store = partial(_store, file, mapping, ratings, before)
            if mapping.lacks_texts and project.items.exists():
                store(None)
                return ImportResult(None, ratings)
            if mapping.lacks_texts and mapping.of(Use.TARGET) and not mapping.of(Use.MODEL):
                text = _(
                    "The file numbers responses without texts. Load the items first, or name "
                    "models."
                )
                raise UploadRefused(text)
            return ImportResult(load_batch(file, store), ratings)
    except Unreadable as error:
        raise UploadRefused(_("%(file)s %(fault)s"), file=file.name, fault=error) from error


def _new_file(file: FileToLoad, mapping: Mapping) -> RatingFile:
    return RatingFile.objects.create(
        project=file.project,
        file_name=file.name[-255:],
        uploader=file.by,
        created_at=file.now,
        has_checks=bool(mapping.of(Use.CHECK, Use.EXPORTED)),
    )


def _store(
    file: FileToLoad,
    mapping: Mapping,
    rating_load: RatingLoad,
    settings_before: AnyMapping[str, object],
    load: Load | None,
) -> None:
    """Store the ratings of a file whose items are there. Raises UploadRefused.

    `settings_before`: settings of the project before the import.
    """
    left_out = bad_rows() if load else ()
    with file.open() as source:
        rating_load.take(_rows(rating_load, source, mapping, file.tick, left_out))
    is_empty = not (rating_load.ratings or rating_load.answer_rows)
    if is_empty and not (rating_load.bad or load):
        why = " ".join(rating_load.sentences)
        raise UploadRefused(_("No rating can be taken. %(why)s"), why=why)
    if rating_load.bad and not (file.take_good and (load or not is_empty)):
        raise BadLines(file.name, rating_load.bad)
    if is_empty:  # the items come in without them
        rating_load.file.delete()
    else:
        _finish(file.project, rating_load)
        rating_load.file.keep_changes(settings_before)


def with_all_scales(
    mapping: Mapping, source_file: AbstractContextManager[Source]
) -> tuple[Mapping, AnyMapping[str, Counter[Score]]]:
    """Return a mapping with a scale for each dimension of its file, and what the file writes."""
    with source_file as source:
        values = mapping.reader.scales(file_rows(source))
    scoring, scales = mapping.scoring, {}
    for code, counts in values.items():
        scale = scale_of(counts)
        if scale and scoring.dimensions.get(code) != "":
            scales[code] = scoring.scales.get(code) or scale
    return replace(mapping, scoring=replace(scoring, scales=scales)), values


def _with_rubric(mapping: Mapping, rubric_schema: Schema) -> Mapping:
    """Return a mapping with the rubric's scale for each dimension that the rubric has."""
    scoring = mapping.scoring
    factor = 1 + scoring.doubled
    dimensions = {dimension.code: dimension for dimension in rubric_schema.dimensions}
    scales = dict(scoring.scales)
    for name in {**scales, **dimensions}:
        if dimension := dimensions.get(_code(rubric_schema, name)):
            scales[name] = -(-dimension.lowest // factor), dimension.highest // factor
    return replace(mapping, scoring=replace(scoring, scales=scales))


def _with_raters(mapping: Mapping, project: Project) -> Mapping:
    """Return a mapping that takes no two raters of the project for one person."""
    names = {*project.raters.values_list("name", flat=True)}
    merged = {
        name: common
        for name, common in mapping.scoring.merged.items()
        if not names.issuperset((name, common))
    }
    return replace(mapping, scoring=replace(mapping.scoring, merged=merged))


def _rows(
    load: RatingLoad,
    source: Source,
    mapping: Mapping,
    tick: Callable[[int], object],
    bad_rows: Collection[int],
) -> Iterator[RatingRow]:
    """Yield the ratings of a file with the codes of the rubric; report its errors.

    The `bad_rows` were reported with the items.
    """
    code_of = cache(partial(_code, load.project.rubric.schema))
    latest: RatingRow | None = None
    known: dict[ScoreCell, ScoreCell] = {}
    for number, row in enumerate(file_rows(source), start=1):
        entries = [*mapping.ratings(row)]  # it counts the scores of bad rows, too
        for entry in () if number in bad_rows else entries:
            fault = entry if isinstance(entry, LineError) else fault_in(entry)
            if fault:
                load.refuse([fault])
            elif isinstance(entry, RatingRow):
                if "answered_at" in entry.exported:
                    load.answer_rows.append(entry)
                else:
                    latest = _with_codes(entry, code_of, latest, known)
                    yield latest
        if not number % MANY:
            tick(number)
    load.left_out += mapping.reader.left_out
    load.scores_in_file += mapping.reader.number


def _with_codes(
    rating: RatingRow,
    code_of: Callable[[str], str],
    latest: RatingRow | None,
    known: dict[ScoreCell, ScoreCell],
) -> RatingRow:
    """Return a rating with the codes of the rubric.

    All ratings are in memory, so what is equal in them is stored once.
    """
    target = rating.target
    if latest and latest.target == target:
        target = latest.target
    scores = {}
    for name, score in rating.score_cells.items():
        scores[code_of(name)] = known.setdefault(score, score)
    checks = {}
    for name, cells in rating.check_cells.items():
        checks[name and code_of(name)] = cells
    return replace(rating, target=target, score_cells=scores, check_cells=checks or NO_CHECKS)


def _code(rubric_schema: Schema, name: str) -> str:
    """Return the code of the dimension that a file means, or the name if it means none."""
    folded = name.casefold()
    names = {}
    for dimension in reversed(rubric_schema.dimensions):
        names[dimension.short.casefold()] = names[dimension.title.casefold()] = dimension.code
    names |= {dimension.code: dimension.code for dimension in rubric_schema.dimensions}
    last = folded.rpartition(".")[2]
    if folded in names or last in names.values():
        return names.get(folded) or last
    if folded in ("", QUALITY) and len(rubric_schema.dimensions) == 1:
        return rubric_schema.dimensions[0].code
    return name


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
