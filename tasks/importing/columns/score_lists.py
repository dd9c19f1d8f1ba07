"""Scores in lists: in the entries of responses, in a list of ratings, as lists of numbers.

No Django but its translations.
"""

from django.utils.translation import gettext as _

from .rating_choices import MAY_SCORE, ONE_MORE, RatingChoices
from .rating_names import WHO, is_amount, is_model, is_quality, may_name_rater
from .score_columns import ScoreColumn
from .spelling import fold
from .uses import ANSWERING, Use

# Parts of the names of lists that hold ratings.
LIST_NAMES = ("annotation", "rating", "score", "review", "evaluation", "judg", "human", "expert")


def choose_scores_in_responses(ratings: RatingChoices) -> RatingChoices:
    """Choose scores that stand in an entry with a response: `responses[*].scores`."""
    lists = ratings.lists_of(*ANSWERING)
    rated = []
    for column in ratings.free:
        is_inside = column.list_path in lists and not is_amount(column.name)
        has_several_raters = ratings.has_raters_in_rows or max(column.list_lengths, default=0) > 1
        if is_inside and has_several_raters and column.is_numeric:
            rated.append(column)
    has_raters = bool(ratings.of(Use.RATER))
    clear = [column for column in rated if has_raters or is_quality(column.name)]
    # Others on the same scale are scores too, if one is named as such.
    scales = [column.scale for column in clear]
    for column in rated:
        if column in clear or column.scale in scales:
            reason = _("scores in the entry of a response")
            ratings = ratings.with_use(column.path, Use.SCORE, reason)
        elif clear:
            ratings = ratings.with_question(column.path, MAY_SCORE, _("is it one more score?"))
    return ratings


def choose_lists_of_ratings(ratings: RatingChoices) -> RatingChoices:
    """Choose what is in lists of objects, one for each rater: `ratings[*].score`."""
    lists = ratings.lists_of(Use.RATER)
    ratings = _choose_with_raters(ratings, lists)
    ratings = _choose_by_list_names(ratings, lists)
    ratings = _choose_raters_of_scores(ratings, lists)
    if not ratings.of(Use.DIMENSION):
        ratings = _choose_on_scale(ratings)
    return ratings


def _choose_with_raters(ratings: RatingChoices, lists: set[str]) -> RatingChoices:
    """Choose scores, and what goes with them, in lists that say who rated."""
    beginnings = tuple(name for name in lists if name)
    for column in ratings.free:
        use = column.use_in_rating
        if use and column.path.startswith(beginnings):
            ratings = ratings.with_use(column.path, use, _("in a list with who rated"))
    return ratings


def _choose_by_list_names(ratings: RatingChoices, known_lists: set[str]) -> RatingChoices:
    """Choose scores in other lists whose names say that they hold ratings."""
    for column in ratings.free:
        name = fold(column.list_path)
        is_of_ratings = any(word in name for word in LIST_NAMES)
        if is_of_ratings and column.list_path not in known_lists and column.is_score:
            ratings = ratings.with_use(column.path, Use.SCORE, _("in a list of ratings"))
    return ratings


def _choose_raters_of_scores(ratings: RatingChoices, known_lists: set[str]) -> RatingChoices:
    """Choose the first column in a list of scores that may name who rated."""
    lists = ratings.lists_of(Use.SCORE) - known_lists - {""}
    for column in ratings.free:
        if column.list_path in lists and WHO.fullmatch(fold(column.name)):
            ratings = ratings.with_use(column.path, Use.RATER, _("in a list of ratings"))
            lists.remove(column.list_path)
    return ratings


def _choose_on_scale(ratings: RatingChoices) -> RatingChoices:
    """Choose numbers in a list of ratings on the scale of scores in it, and ask about others."""
    scales = [ratings.score_columns[path].scale for path in ratings.of(Use.SCORE)]
    lists = ratings.lists_of(Use.SCORE, Use.RATER) - ratings.lists_of(*ANSWERING) - {""}
    for column in ratings.free:
        if column.list_path not in lists or not column.is_numeric or is_amount(column.name):
            continue
        if column.scale in scales:
            reason = _("on the same scale as other scores")
            ratings = ratings.with_use(column.path, Use.SCORE, reason)
        else:
            ratings = ratings.with_question(column.path, ONE_MORE, _("is it one more score?"))
    return ratings


def choose_lists_of_scores(ratings: RatingChoices) -> RatingChoices:
    """Choose lists of numbers, one for each rater: `quality: [4, 5, 3]`."""
    lists = []
    for column in ratings.free:
        is_list_of_numbers = column.holds_lists and column.is_numeric
        if (
            is_list_of_numbers
            and max(column.list_lengths, default=0) > 1
            and not is_amount(column.name)
        ):
            lists.append(column)
    for column in lists:
        ratings = _choose_list_of_raters(ratings, column)
    has_raters = bool(ratings.of(Use.RATER))
    sizes = [column.list_lengths for column in lists]
    for column in lists:
        if column.list_path:
            continue
        if is_model(column.name):
            reason = _("looks like scores of a model")
            ratings = ratings.with_use(column.path, Use.METADATA, reason)
        elif has_raters or is_quality(column.name) or sizes.count(column.list_lengths) > 1:
            ratings = ratings.with_use(column.path, Use.SCORE, _("a list of scores"))
        else:
            question = _("is it a list of scores, one by each rater?")
            ratings = ratings.with_question(column.path, MAY_SCORE, question)
    return ratings


def _choose_list_of_raters(ratings: RatingChoices, score_column: ScoreColumn) -> RatingChoices:
    """Choose the list of who gave a list of scores: `quality.responses.users`."""
    for column in ratings.free:
        parent, _dot, name = column.path.rpartition(".")
        names_people = may_name_rater(name.removesuffix("s"))
        if parent == score_column.path and column.holds_lists and names_people:
            ratings = ratings.with_use(column.path, Use.RATER, _("a list of who rated"))
    return ratings
