"""The part of an upload's report that is about ratings: how they are written, and a first look."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from pathlib import PurePath
from typing import BinaryIO

from django.utils import timezone

from rubrics.judging.dimension import Dimension
from tasks.agreement.drawing import unit_cells
from tasks.agreement.measures import figure_in_words, sentence
from tasks.agreement.results import glance_at
from tasks.models import Item, Project, Rating, Upload

from .columns.mapping import Mapping
from .columns.opening import open_file
from .columns.score_cells import Score
from .columns.scoring import FILE, Scoring
from .columns.uses import Use
from .files.rows import printable
from .lead_choices import LeadChoices
from .ratings.file_dimensions import with_all_scales
from .ratings.rating_writer import RatingLoad
from .report import (
    AgreementReport,
    DimensionReport,
    RatingsReport,
    ScoreReport,
    ScoringReport,
    UnitReport,
)
from .upload_choices import reading_of

MOST_DIMENSIONS = 12  # that are looked at
MOST_TEXTS = 20  # of a dimension that people answered in texts
FURTHEST = 3  # units of each, where there are several


def with_ratings(mapping: Mapping, lead_choices: LeadChoices) -> Mapping:
    """Return a mapping with the choices of a lead about its ratings."""
    columns = {}
    for path, column in mapping.rated_columns.rating_keys.items():
        columns[path] = column
        meaning = lead_choices.said.get(printable(path))
        if meaning:
            columns[path] = replace(column, rater=meaning.rater, dimension=meaning.dimension)
    scoring = replace(mapping.scoring, **lead_choices.scoring.model_dump(exclude_unset=True))
    return replace(mapping, rating_keys=columns, scoring=scoring)


def scoring_of(upload: Upload, file: BinaryIO, mapping: Mapping) -> tuple[Mapping, ScoringReport]:
    """Read how the ratings of a whole file are written.

    Return the mapping with a scale for each dimension that has none, and the report.
    """
    options = reading_of(upload)
    rows = open_file(file, upload.file_name, options)
    mapping, scores = with_all_scales(mapping, rows)
    stem = PurePath(upload.file_name).stem
    rater = mapping.scoring.rater.replace(FILE, stem)
    scoring = replace(mapping.scoring, rater=rater)
    dimensions = []
    for code, counts in scores.items():
        is_left_out = scoring.dimensions.get(code) == ""
        if not is_left_out:
            dimensions.append(_dimension(code, counts, scoring))
    is_begun = upload.project and upload.project.is_begun(timezone.now())
    report = ScoringReport(
        no_answer=scoring.no_answer,
        doubled=scoring.doubled,
        first=scoring.first,
        rater=scoring.rater,
        slots=scoring.slots,
        dimensions=tuple(dimensions),
        has_numbers=bool(mapping.of(Use.TARGET)),
        has_checks=bool(mapping.of(Use.CHECK, Use.EXPORTED)),
        can_make=not is_begun,
    )
    return replace(mapping, scoring=scoring), report


def _dimension(code: str, score_counts: Counter[Score], scoring: Scoring) -> DimensionReport:
    """Return how the scores of a dimension are written."""
    halves = 0
    for score, number in score_counts.items():
        if isinstance(score, Decimal):
            halves += number
    return DimensionReport(
        code=code,
        scale=scoring.scales.get(code),
        words=scoring.words.get(code, ()),
        extremes=_extremes(score_counts),
        none=score_counts[None],
        halves=halves,
        texts=_texts(score_counts),
    )


def _extremes(score_counts: Counter[Score]) -> tuple[str, ...]:
    """Return the lowest and the highest number among some scores."""
    numbers = [score for score in score_counts if isinstance(score, int | Decimal)]
    return (str(min(numbers)), str(max(numbers))) if numbers else ()


def _texts(score_counts: Counter[Score]) -> tuple[str, ...]:
    """Return the texts of a dimension that people answered in texts, and not slip by slip."""
    texts = [text for text, _number in score_counts.most_common() if isinstance(text, str)]
    number = sum(score_counts[text] for text in texts)
    if number * 2 <= score_counts.total() - score_counts[None]:
        return ()
    return tuple(map(printable, texts[:MOST_TEXTS]))


def first_look(load: RatingLoad) -> RatingsReport:
    """Return what the ratings say, within the transaction that is rolled back afterwards."""
    project = load.project
    if project.imported == Project.Imported.APART:  # to be seen, they must count for once
        Project.objects.filter(pk=project.pk).update(imported=Project.Imported.COUNTED)
    ratings = Rating.objects.filter(file=load.file, revision=1)
    raters = project.raters.filter(ratings__in=ratings).distinct()
    people = raters.count()
    codes: set[str] = set()
    if people > 1:
        codes.update(ratings.values_list("scores__dimension", flat=True))
    schema = project.rubric.schema
    dimensions = [dimension for dimension in schema.dimensions if dimension.code in codes]
    most = None if len(codes) == 1 else FURTHEST
    members = raters.exclude(account=None)  # some of them
    items = ratings.values("item").distinct()
    dropped = items.filter(item__dropped=True)
    agreements = []
    for dimension in dimensions[:MOST_DIMENSIONS]:
        agreement = _agreement(project, dimension, most)
        agreements.append(agreement)
    return RatingsReport(
        ratings=load.ratings,
        scores=load.scores,
        remarks=tuple(load.sentences),
        people=people,
        items=items.count(),
        slots=load.slots,
        members=tuple(rater.display_name for rater in members),
        dropped=dropped.count(),
        agreements=tuple(agreements),
    )


def _agreement(project: Project, dimension: Dimension, most: int | None) -> AgreementReport:
    """Return the agreement in a dimension, and the units in which it is the lowest."""
    look = glance_at(project, dimension)
    result = look.result
    units = result.furthest[:most]
    keys = [unit.key for unit in units]
    items = Item.objects.filter(pk__in=keys)
    prompts = {item.pk: item.summary for item in items.in_brief()}
    furthest = []
    for unit in units:
        cells = []
        for cell in unit_cells(unit, look.names_by_number, dimension):
            cells.append(ScoreReport(name=cell.name, value=cell.value, colour=cell.colour))
        prompt = prompts.get(unit.key, "")
        furthest.append(UnitReport(item=unit.item, prompt=prompt, cells=tuple(cells)))
    return AgreementReport(
        title=dimension.title,
        units=result.overall.units,
        figure=figure_in_words(result.main_figure),
        sentence=sentence(result, look.names_by_number),
        furthest=tuple(furthest),
    )
