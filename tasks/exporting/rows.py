"""The rows of an export, for each shape: `select` returns its columns and its one SELECT.

The file, its preview and its counts come from that statement. Each shape has a module of its own.
"""

from collections.abc import Sequence
from dataclasses import replace

from psycopg import sql

from rubrics.models import Rubric
from tasks.models import Item, Project, Rating

from . import columns, talk_rows
from .column_types import Column
from .corpus_rows import select_corpus_answers
from .decision_rows import select_decisions
from .filters import Filters
from .item_rows import select_items
from .options import Options, Shape
from .practice_rows import select_practice
from .project_columns import of_metadata
from .rating_rows import select_ratings
from .score_rows import SCORES_IN_ORDER, checks_of, rubrics_of, score_rows
from .selection import Selection
from .talk_rows import select_talk
from .wide_rows import select_wide

# What leads wrote of people, and their own names: empty with pseudonyms.
NAMING = (columns.DECIDED_BY, columns.REASON, talk_rows.ASKED_BY)
WITHOUT_METADATA = (Shape.CORPUS_ANSWERS, Shape.PRACTICE, Shape.WIDE)


def select(project: Project, options: Options, filters: Filters) -> Selection:
    """Return what an export of a project selects, with the columns that the options ask for."""
    rubrics = rubrics_of(Rating.objects.filter(project=project))
    selection = select_shape(project, options, filters, rubrics)
    all_columns = list(selection.columns)
    if options.dropped:
        after_item = all_columns.index(columns.ITEM) + 1
        all_columns.insert(after_item, columns.DROPPED)
    if options.texts:
        all_columns += columns.TEXTS
    if options.shape not in WITHOUT_METADATA:
        items = Item.objects.filter(project=project)
        all_columns += map(of_metadata, items.metadata_names())
    if filters.pseudonyms is not None:
        all_columns = [_without_names(column, filters) for column in all_columns]
    return replace(selection, columns=all_columns, rubrics=rubrics)


def select_shape(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    """Return what a shape selects, with the columns that it always has."""
    match options.shape:
        case Shape.SCORES:
            return _select_scores(project, options, filters, rubrics)
        case Shape.RATINGS:
            return select_ratings(project, options, filters, rubrics)
        case Shape.ITEMS:
            return select_items(project, options, filters, rubrics)
        case Shape.WIDE:
            return select_wide(project, filters, rubrics)
        case Shape.DECISIONS:
            return select_decisions(project, options, filters)
        case Shape.TALK:
            return select_talk(project, filters)
        case Shape.CORPUS_ANSWERS:
            return select_corpus_answers(project, options, filters)
        case Shape.PRACTICE:
            return select_practice(project, filters)


def _select_scores(
    project: Project, options: Options, filters: Filters, rubrics: Sequence[Rubric]
) -> Selection:
    checks = checks_of(rubrics)
    all_revisions = options.revisions
    rows = score_rows(
        "project_id", project.pk, checks, all_revisions=all_revisions, filters=filters
    )
    return Selection(columns.SCORES, rows, SCORES_IN_ORDER)


def _without_names(column: Column, filters: Filters) -> Column:
    """Return a column with pseudonyms in place of names; one that may have other names is empty."""
    if column.name == columns.ANNOTATOR.name:
        return replace(column, sql=filters.pseudonym)
    if column in NAMING:
        return replace(column, sql=sql.NULL)
    return column
