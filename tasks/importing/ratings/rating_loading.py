"""Load a file of ratings: its items first, unless the project has them, then what people said.

All of it is one transaction. A dry run is the same, rolled back.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping as AnyMapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from pathlib import PurePath
from typing import Any, BinaryIO

from django.db import transaction
from django.utils.translation import get_language, gettext as _

from config.web.people import User
from config.web.raw_sql import run
from rubrics import document
from rubrics.models import Rubric
from rubrics.schema import Rubric as Schema
from rubrics.yaml_lines import DocumentError
from tasks.models import Batch, Project, RatingFile

from ..batches.loading import BadLines, Load, UploadRefused, load_batch, take_turn
from ..batches.staging import bad_rows
from ..columns.mapping import Mapping
from ..columns.score_cells import Score, scale_of
from ..columns.scoring import QUALITY, RatingRow, code_of
from ..columns.table_cells import file_rows, open_file
from ..columns.uses import Use
from ..files.options import AS_PROPOSED, ReadingOptions
from ..files.rows import LineError, Source, Unreadable, printable
from .own_cells import fault_in
from .rating_writer import RatingLoad

MOST_OPTIONS = 20  # answers of a check
MANY = 1_000  # ratings after which PostgreSQL's statistics are outdated
# Items that have neither texts nor ratings: nobody could rate them, and nobody has. One that a
# later file rates counts again, unless a lead has dropped it.
DROP_BARE = """
UPDATE tasks_item SET dropped = NOT dropped WHERE batch_id = %s AND lacks_texts
  AND dropped_at IS NULL
  AND dropped = EXISTS (SELECT FROM tasks_rating WHERE item_id = tasks_item.id)
"""


def load_ratings(
    project: Project,
    file: BinaryIO,
    *,
    mapping: Mapping,
    file_name: str,
    reading: ReadingOptions = AS_PROPOSED,
    by: User | None = None,
    now: datetime,
    report: Callable[[LineError], object],
    take_good: bool = False,
    takes_breaks: bool = False,
    makes_rubric: bool = False,
    wait: bool = True,
    tick: Callable[[int], object] = lambda rows: None,
    **of_batch: Any,
) -> tuple[Load | None, RatingLoad]:
    """Store the ratings of a file, and its items unless the project has them.

    Options that are not named here are those of `load_batch`, and mean the same. With
    `takes_breaks`, a score that breaks a rule comes in with the rule's name; else its rating is
    bad. With `makes_rubric` the project gets a rubric made from the scales of the mapping. Raises
    UploadRefused and AlreadyLoading.
    """
    load = None
    read = partial(open_file, file, file_name, reading)

    def store(load: Load | None) -> None:
        named = replace(mapping, file=PurePath(file_name).stem)
        ratings.take(_rows(ratings, read(), named, tick, bad_rows() if load else ()))
        taken = ratings.ratings or ratings.answers
        if not (taken or ratings.bad or load):
            raise UploadRefused(_("No rating can be taken. %(why)s"), why=" ".join(ratings.told))
        if ratings.bad and not (take_good and (taken or load)):
            raise BadLines(file_name, ratings.bad)
        if taken:
            _settle(project, ratings)
        else:  # the items come in without them
            stored.delete()

    try:
        with transaction.atomic():
            take_turn(project, wait=wait)
            mapping = _with_raters(mapping, project)
            if makes_rubric:
                _make_rubric(mapping, read(), project, by, now)
            else:
                mapping = _with_rubric(mapping, project.rubric.schema)
            stored = RatingFile.objects.create(
                project=project,
                file_name=printable(PurePath(file_name).name)[-255:],
                uploader=by,
                created_at=now,
                has_checks=bool(mapping.of(Use.CHECK, Use.EXPORTED)),
            )
            ratings = RatingLoad(project, stored, takes_breaks, report)
            if mapping.lacks_texts and project.items.exists():
                store(None)
            elif mapping.lacks_texts and mapping.of(Use.TARGET) and not mapping.of(Use.MODEL):
                raise UploadRefused(
                    _(
                        "The file numbers responses without texts. Load the items first, or name "
                        "models."
                    )
                )
            else:
                given: Any = {"file_name": file_name, "reading": reading, "by": by}
                given |= {"now": now, "report": report, "take_good": take_good, "tick": tick}
                load = load_batch(project, file, mapping=mapping, keep=store, **given, **of_batch)
    except Unreadable as error:
        raise UploadRefused(_("%(file)s %(fault)s"), file=file_name, fault=error) from error
    return load, ratings


def with_all_scales(
    mapping: Mapping, file: AbstractContextManager[Source]
) -> tuple[Mapping, AnyMapping[str, Counter[Score]]]:
    """Return a mapping with a scale for each dimension of its file, and what the file writes."""
    with file as source:
        found = mapping.reader.scales(file_rows(source))
    scoring = mapping.scoring
    scales = {
        code: scoring.scales.get(code) or scale
        for code, each in found.items()
        if (scale := scale_of(each)) and scoring.dimensions.get(code) != ""
    }
    return replace(mapping, scoring=replace(scoring, scales=scales)), found


def _with_rubric(mapping: Mapping, rubric: Schema) -> Mapping:
    """Return a mapping with the rubric's scale for each dimension that the rubric has."""
    scoring = mapping.scoring
    factor = 1 + scoring.doubled
    dimensions = {dimension.code: dimension for dimension in rubric.dimensions}
    scales = dict(scoring.scales)
    for name in {**scales, **dimensions}:
        if dimension := dimensions.get(_code(rubric, name)):
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
    ratings: RatingLoad,
    file: AbstractContextManager[Source],
    mapping: Mapping,
    tick: Callable[[int], object],
    bad_rows: Collection[int],
) -> Iterator[RatingRow]:
    """Yield the ratings of a file with the codes of the rubric; report its errors.

    The `bad_rows` were reported with the items.
    """
    code_of = cache(partial(_code, ratings.project.rubric.schema))
    with file as source:
        for number, row in enumerate(file_rows(source), start=1):
            if number in bad_rows:
                continue
            for each in mapping.ratings(row):
                if isinstance(each, LineError):
                    ratings.refuse([each])
                elif wrong := fault_in(each):
                    ratings.refuse([wrong])
                elif "answered_at" in each.own:
                    ratings.answers.append(each)
                else:
                    yield replace(
                        each,
                        scores={code_of(name): said for name, said in each.scores.items()},
                        checks={name and code_of(name): of for name, of in each.checks.items()},
                    )
            if not number % MANY:
                tick(number)
    ratings.left_out += mapping.reader.left_out


def _code(rubric: Schema, name: str) -> str:
    """Return the code of the dimension that a file means, or the name if it means none."""
    wanted = name.casefold()
    ways = (
        lambda each: wanted in (each.code, each.title.casefold(), each.short.casefold()),
        lambda each: wanted.rpartition(".")[2] == each.code,
        lambda each: wanted in ("", QUALITY) and len(rubric.dimensions) == 1,
    )
    return next((each.code for fits in ways for each in rubric.dimensions if fits(each)), name)


def _settle(project: Project, ratings: RatingLoad) -> None:
    """Have the ratings count if they are the first, and their items want what they then want."""
    # Else PostgreSQL plans the first figures as if the tables were as before.
    run("ANALYZE tasks_item, tasks_rating, tasks_score, tasks_placement", [])
    others = project.ratings.imported().exclude(file=ratings.file)
    # If there are others, the lead has said that they stay apart.
    if project.imported == Project.Imported.APART and not others.exists():
        project.count_first_import()
    for batch in Batch.objects.filter(pk__in=ratings.batches):
        run(DROP_BARE, [batch.pk])
        batch.apply_settings()


def _make_rubric(
    mapping: Mapping,
    file: AbstractContextManager[Source],
    project: Project,
    by: User | None,
    now: datetime,
) -> None:
    """Publish a rubric with a dimension for each that a file rates, and no rules; rate by it.

    A check that the file answers by texts is a question about the first of them.
    """
    with file as source:
        rows = file_rows(source) if mapping.of(Use.CHECK) else ()
        options_of = mapping.reader.scales(rows, Use.CHECK)
    scoring = mapping.scoring
    scales = {
        name: scale
        for name in {**scoring.scales, **scoring.words}
        if (scale := scoring.scale(name)) and scoring.dimensions.get(name) != ""
    }
    if not scales:
        raise UploadRefused(
            _("No scale is known; give the lowest and highest score, or the texts in order.")
        )
    content: dict[str, Any] = {
        "slug": Rubric.objects.free_slug(f"{project.slug[:70]}-scale", by),
        "title": project.title[: document.LONGEST["line"]],
        "summary": _("Made from the columns of a file."),
        "language": get_language() or "en",
        "dimensions": [
            {
                "code": re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-_")[:40] or QUALITY,
                "short": name[:12],
                "title": (name[:1].upper() + name[1:])[: document.LONGEST["line"]],
                "question": name[: document.LONGEST["line"]],
                "lowest": lowest,
                "highest": highest,
            }
            for name, (lowest, highest) in scales.items()
        ],
    }
    content["dimensions"][0]["checks"] = [
        {
            "code": check,
            "kind": "one_of",
            "wording": check.capitalize(),
            "answers": [{"code": code_of(text), "wording": text} for text in sorted(texts)],
        }
        for check, found in options_of.items()
        if 1 < len(texts := [text for text in found if isinstance(text, str)]) <= MOST_OPTIONS
    ]
    try:
        parsed = document.parse(content)
        made, _is_new = Rubric.objects.load(parsed, by=by, now=now, is_template=False)
    except DocumentError as error:
        raise UploadRefused(
            _("No rubric can be made from these columns: %(fault)s"), fault=error
        ) from error
    if not project.take_rubric(made, now=now):
        raise UploadRefused(
            _("“%(project)s” is being rated, so its rubric stays; choose it."),
            project=project.title,
        )
