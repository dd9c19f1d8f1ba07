"""Scores in a file of which each row is of one rater, whom a cell names.

No Django but its translations.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext as _

from .rating_choices import ONE_MORE, RatingChoices
from .rating_names import is_amount, is_label, is_quality
from .score_columns import ScoreColumn
from .scores_by_people import choose_scores_of_responses
from .spelling import fold
from .uses import ANSWERING, PROMPTS, Use

# In the paths of what programs say of a row.
MACHINES = re.compile("moderation|detox|perspectiveapi|metadata|usage|params|config")


def choose_scores_in_rows(ratings: RatingChoices) -> RatingChoices:
    """Choose the scores of the rater of each row, and what goes with them."""
    cells = [column for column in ratings.free_cells if not MACHINES.search(fold(column.path))]
    # A comment, a time, a dimension: by their names, so that they are not taken for scores.
    ratings = _choose_around_scores(ratings, cells)
    # By the names of responses: these scores say more than the others.
    ratings = choose_scores_of_responses(ratings, _undecided(ratings, cells))
    undecided = _undecided(ratings, cells)
    # Small numbers are the usual scores.
    ratings = _choose_numbers(ratings, undecided)
    # Where there are none, numbers with a decimal point are asked about.
    ratings = _ask_about_decimals(ratings, undecided)
    # Words such as "good": surer if there are no other scores.
    ratings = _choose_words(ratings, undecided)
    # Where there is still no score, labels may be one.
    return _choose_labels(ratings, undecided)


def _undecided(ratings: RatingChoices, score_columns: Iterable[ScoreColumn]) -> list[ScoreColumn]:
    return [column for column in score_columns if column.path not in ratings.choices]


def _choose_around_scores(
    ratings: RatingChoices, score_columns: Iterable[ScoreColumn]
) -> RatingChoices:
    """Choose what goes with a rating and is no score."""
    for column in score_columns:
        use = column.use_in_rating
        if use and use is not Use.SCORE:
            ratings = ratings.with_use(column.path, use, _("goes with a rating"))
    return ratings


def _choose_numbers(ratings: RatingChoices, score_columns: Iterable[ScoreColumn]) -> RatingChoices:
    """Choose small numbers that are named as scores, or that are a series or on one scale."""
    numeric = [
        column for column in score_columns if column.is_numeric and not is_amount(column.name)
    ]
    by_name = [column for column in numeric if is_quality(column.name)]
    clear = by_name or _longest_series(numeric)
    ends = [scale[1] for column in numeric if (scale := column.scale)]
    are_on_one_scale = max(ends, default=0) - min(ends, default=0) <= 1
    for column in clear or numeric:
        if clear or are_on_one_scale:
            reason = _("small numbers beside who rated")
            ratings = ratings.with_use(column.path, Use.SCORE, reason)
        else:
            ratings = ratings.with_question(column.path, ONE_MORE, _("is it a score?"))
    if by_name and not ratings.of(Use.DIMENSION):
        for column in numeric:
            if column not in by_name and _varies(ratings, column):
                ratings = _choose_on_scale(ratings, column, by_name)
    return ratings


def _choose_on_scale(
    ratings: RatingChoices, column: ScoreColumn, best_columns: Iterable[ScoreColumn]
) -> RatingChoices:
    """Choose a column that has the scale of one of clearer scores, or ask about it."""
    scales = [other.scale for other in best_columns]
    if column.scale in scales:
        reason = _("on the same scale as other scores")
        return ratings.with_use(column.path, Use.SCORE, reason)
    return ratings.with_question(column.path, ONE_MORE, _("is it one more score?"))


def _ask_about_decimals(
    ratings: RatingChoices, score_columns: Iterable[ScoreColumn]
) -> RatingChoices:
    """Ask about decimals in the object of who rated, if there are no other scores."""
    if ratings.of(Use.SCORE):
        return ratings
    parents = {path.rpartition(".")[0] for path in ratings.of(Use.RATER)}
    question = _("is it a score? Only whole scores and halves can be imported")
    for column in score_columns:
        parent = column.path.rpartition(".")[0]
        if parent in parents and column.is_decimal and column.has_score_name:
            ratings = ratings.with_question(column.path, ONE_MORE, question)
    return ratings


def _choose_words(ratings: RatingChoices, score_columns: Iterable[ScoreColumn]) -> RatingChoices:
    """Choose or ask about columns of few and short texts, which may be levels."""
    texts = []
    for column in _undecided(ratings, score_columns):
        if len(column.levels) > 1 and not is_amount(column.name):
            texts.append(column)
    has_scores = bool(ratings.of(Use.SCORE))
    levels = []
    for column in texts:
        if _is_of_item(ratings, column):
            continue
        is_clear = column.ordered_levels and is_quality(column.name)
        if is_clear or (not has_scores and _varies(ratings, column)):
            levels.append(column)
    return ratings.with_words([*levels, *_siblings(levels, texts)])


def _choose_labels(ratings: RatingChoices, score_columns: Iterable[ScoreColumn]) -> RatingChoices:
    """Choose or ask about labels, if there are no scores."""
    if ratings.of(Use.SCORE) or ratings.doubtful_scores:
        return ratings
    for column in score_columns:
        if not is_label(column.name) or not (column.is_numeric or column.levels):
            continue
        if column.ordered_levels and not _is_of_item(ratings, column):
            reason = _("words of a known order")
            ratings = ratings.with_use(column.path, Use.SCORE, reason)
        else:
            ratings = ratings.with_question(column.path, ONE_MORE, _("is it a score?"))
    return ratings


def _is_of_item(ratings: RatingChoices, column: ScoreColumn) -> bool:
    """Tell whether all raters of an item say the same."""
    about = ratings.of(Use.GROUP, *PROMPTS, Use.CONVERSATION, *ANSWERING)
    if not about or ratings.is_unique(about[0]):
        return False
    return ratings.profile.follows(column.path, about[0])


def _varies(ratings: RatingChoices, column: ScoreColumn) -> bool:
    """Tell whether a column says something else of the same rater, and of the same item."""
    raters = [path for path in ratings.of(Use.RATER) if "[" not in path]
    items = ratings.of(Use.GROUP, *PROMPTS)[:1]
    for path in (*items, *raters):
        other = ratings.profile.columns[path]
        repeats = other.distinct < other.filled
        if repeats and ratings.profile.follows(column.path, path):
            return False
    return True


def _siblings(
    best_columns: Sequence[ScoreColumn], score_columns: Iterable[ScoreColumn]
) -> Iterator[ScoreColumn]:
    """Yield columns such as `Q_fair` beside `Q_safe` that have no other texts than these."""
    texts_by_beginning: defaultdict[str, set[str]] = defaultdict(set)
    for column in best_columns:
        beginning, *rest = re.split("[ _.-]", column.name)
        if rest:
            texts_by_beginning[beginning].update(column.levels)
    for column in score_columns:
        beginning = re.split("[ _.-]", column.name)[0]
        has_no_others = texts_by_beginning[beginning].issuperset(column.levels)
        if has_no_others and column not in best_columns:
            yield column


def _longest_series(score_columns: Iterable[ScoreColumn]) -> list[ScoreColumn]:
    """Return the longest series of names, such as Q1, Q2, Q3; none if no name has a number."""
    columns_by_stem: defaultdict[str, list[ScoreColumn]] = defaultdict(list)
    for column in score_columns:
        stem = column.name.rstrip("0123456789")
        columns_by_stem[stem].append(column)
    series = [group for stem, group in columns_by_stem.items() if stem != group[0].name]
    return max(series, key=len, default=[])
