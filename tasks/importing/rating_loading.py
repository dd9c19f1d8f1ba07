"""Load a file of ratings: its items first, unless the project has them, then what people said.

All of it is one transaction. A dry run is the same, rolled back.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping as AnyMapping
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
from tasks.models import Batch, Item, Project, RatingFile
from tasks.models.loads import is_alone, wait_for_loads

from .batch_writer import Load, UploadRefused
from .foreign import Mapping
from .grouping import Gathering, TooMany
from .loading import AlreadyLoading, BadLines, load_batch
from .own_cells import fault_in
from .rating_reader import Written, scale_of
from .rating_writer import RatingLoad
from .ratings import QUALITY, RatingRow, code_of
from .readers import recognise
from .rows import LineError, Unreadable, printable
from .uses import Use

MOST_OPTIONS = 20  # answers of a check
MANY = 1_000  # ratings after which PostgreSQL's statistics are outdated
# Items that have neither texts nor ratings: nobody could rate them, and nobody has.
DROP_BARE = """
UPDATE tasks_item SET dropped = true WHERE batch_id = %s AND lacks_texts
  AND NOT EXISTS (SELECT FROM tasks_rating WHERE item_id = tasks_item.id)
"""


def load_ratings(
    project: Project,
    file: BinaryIO,
    *,
    mapping: Mapping,
    file_name: str,
    encoding: str = "",
    part: str = "",
    by: User | None = None,
    now: datetime,
    report: Callable[[LineError], object],
    take_good: bool = False,
    takes_breaks: bool = False,
    makes_rubric: bool = False,
    wait: bool = True,
    tick: Callable[[int], object] = lambda rows: None,
    keep: Callable[[Load | None, RatingLoad], object] = lambda load, ratings: None,
    dry: bool = False,
    **of_batch: Any,
) -> tuple[Load | None, RatingLoad]:
    """Store the ratings of a file, and its items unless the project has them.

    Options that are not named here are those of `load_batch`, and mean the same. With
    `takes_breaks`, a score that breaks a rule comes in with the rule's name; else its rating is
    bad. With `makes_rubric` the project gets a rubric made from the columns. Raises UploadRefused
    and AlreadyLoading.
    """
    options_of: AnyMapping[str, Counter[Written]] = {}
    if makes_rubric:
        where = (file, file_name, encoding, part)
        mapping, _found = with_all_scales(mapping, *where)
        with recognise(*where) as source:
            options_of = mapping.reader.scales(source.rows(), Use.CHECK)
    has_items = not mapping.lacks_texts or not Item.objects.filter(project=project).exists()
    if has_items and mapping.lacks_texts and mapping.of(Use.TARGET) and not mapping.of(Use.MODEL):
        raise UploadRefused(
            _("The file numbers responses without texts. Load the items first, or name models.")
        )
    options: Any = {"file_name": file_name, "encoding": encoding, "part": part, "tick": tick}
    found: list[RatingLoad] = []

    def store(load: Load | None) -> None:
        if makes_rubric and not project.take_rubric(
            _made_rubric(mapping, options_of, project, by, now), now=now
        ):
            raise UploadRefused(
                _("“%(project)s” is being rated, so its rubric stays; choose it."),
                project=project.title,
            )
        ratings = RatingLoad(
            project,
            RatingFile.objects.create(
                project=project,
                file_name=printable(PurePath(file_name).name)[-255:],
                uploader=by,
                created_at=now,
                has_checks=bool(mapping.of(Use.CHECK, Use.EXPORTED)),
            ),
            takes_breaks=takes_breaks,
            report=report,
            passed_over=load.spoiled if load else (),
        )
        ratings.take(_gathered(ratings, file, mapping, has_items, options))
        if not (ratings.ratings or ratings.answers or ratings.bad):
            raise UploadRefused(_("No rating can be taken. %(why)s"), why=" ".join(ratings.told))
        if not (ratings.ratings or ratings.answers) or (ratings.bad and not take_good):
            raise BadLines(file_name, ratings.bad)
        _settle(project, ratings)
        found.append(ratings)
        keep(load, ratings)

    if has_items:
        given = {**options, **of_batch, "mapping": mapping, "by": by, "now": now, "wait": wait}
        load = load_batch(
            project, file, report=report, take_good=take_good, keep=store, dry=dry, **given
        )
        return load, found[0]
    with transaction.atomic():
        if wait:
            wait_for_loads(project.pk)
        elif not is_alone(project.pk):
            raise AlreadyLoading
        project.refresh_from_db()
        store(None)
        transaction.set_rollback(dry)
    return None, found[0]


def with_all_scales(
    mapping: Mapping, file: BinaryIO, name: str, encoding: str, part: str
) -> tuple[Mapping, AnyMapping[str, Counter[Written]]]:
    """Return a mapping with a scale for each dimension of its file, and what the file writes."""
    with recognise(file, name, encoding, part) as source:
        found = mapping.reader.scales(source.rows())
    scoring = mapping.scoring
    scales = {
        code: scoring.scales.get(code) or scale
        for code, each in found.items()
        if (scale := scale_of(each)) and scoring.dimensions.get(code) != ""
    }
    return replace(mapping, scoring=replace(scoring, scales=scales)), found


def _gathered(
    ratings: RatingLoad,
    file: BinaryIO,
    mapping: Mapping,
    has_items: bool,
    options: AnyMapping[str, Any],
) -> Gathering:
    """Return the ratings of a file by item and rater; report its errors."""
    name, encoding, part = options["file_name"], options["encoding"], options["part"]
    named = replace(mapping, file=PurePath(name).stem)
    code_of = cache(partial(_code, ratings.project.rubric.schema))
    gathering = Gathering()
    try:
        with recognise(file, name, encoding, part) as source:
            for number, row in enumerate(source.rows(), start=1):
                if isinstance(row.content, LineError):
                    if not has_items:  # else it is reported with the items
                        ratings.refuse([row.content])
                    continue
                for each in named.ratings(row):
                    if isinstance(each, LineError):
                        ratings.refuse([each])
                    elif fault := fault_in(each):
                        ratings.refuse([fault])
                    elif "answered_at" in each.own:
                        ratings.answers.append(each)
                    else:
                        gathering.add(_in_codes(each, code_of))
                if not number % MANY:
                    options["tick"](number)
    except Unreadable as error:
        raise UploadRefused(_("%(file)s %(fault)s"), file=name, fault=error) from error
    except TooMany as error:
        text, most = error.args
        raise UploadRefused(
            _("%(file)s has %(what)s; split it."), file=name, what=text % {"most": most}
        ) from error
    ratings.left_out += named.reader.left_out
    return gathering


def _in_codes(row: RatingRow, code_of: Callable[[str], str]) -> RatingRow:
    """Return a row with the codes of the rubric's dimensions in place of the file's names."""
    return replace(
        row,
        scores={code_of(name): score for name, score in row.scores.items()},
        checks={name and code_of(name): given for name, given in row.checks.items()},
    )


def _code(rubric: Schema, name: str) -> str:
    """Return the code of the dimension that a file means, or the name if it means none."""
    wanted = name.casefold()
    for each in rubric.dimensions:
        if wanted in (each.code, each.title.casefold(), each.short.casefold()):
            return each.code
    last = wanted.rpartition(".")[2]
    by_end = [each.code for each in rubric.dimensions if each.code == last]
    only = [each.code for each in rubric.dimensions if wanted in ("", QUALITY)]
    return next((code for few in (by_end, only) if len(few) == 1 for code in few), name)


def _settle(project: Project, ratings: RatingLoad) -> None:
    """Have the ratings count if they are the first, and their items want what they then want."""
    if ratings.ratings >= MANY:  # else PostgreSQL plans as if the tables were as before
        run("ANALYZE tasks_item, tasks_rating, tasks_score, tasks_placement", [])
    others = project.ratings.imported().exclude(file=ratings.file)
    # If there are others, the lead has said that they stay apart.
    if project.imported == Project.Imported.APART and not others.exists():
        project.count_first_import()
    for batch in Batch.objects.filter(pk__in=ratings.batches):
        run(DROP_BARE, [batch.pk])
        batch.apply_settings()


def _made_rubric(
    mapping: Mapping,
    options_of: AnyMapping[str, Counter[Written]],
    project: Project,
    by: User | None,
    now: datetime,
) -> Rubric:
    """Publish a rubric with a dimension for each that the file rates, and no rules.

    A check that the file answers by texts is a question about the first of them.
    """
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
        made, _is_new = Rubric.objects.load(document.parse(content), by=by, now=now)
    except DocumentError as error:
        raise UploadRefused(
            _("No rubric can be made from these columns: %(fault)s"), fault=error
        ) from error
    return made
