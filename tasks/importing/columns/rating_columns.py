"""The proposal which columns of a file are ratings, and of whom. No Django but its translations.

Ratings of a clear structure are chosen with a reason. Doubtful ones are asked about. `decide` has
the steps in their order. Each step takes the choices so far (`RatingChoices`) and returns more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from .choices import ColumnChoice
from .layouts import Layout
from .profile import Profile
from .rated_items import choose_item, leave_rest
from .rater_columns import choose_raters
from .rating_choices import MAY_SCORE, RatingChoices
from .rating_doubts import (
    doubt_preferences,
    doubt_raters,
    doubt_repeats,
    doubt_scores,
    doubt_spellings,
    leave_models,
    leave_preferences,
    remark_on_preferences,
    remark_on_slots,
)
from .rating_names import is_human, is_score, use_of
from .rating_scoring import proposed_scoring
from .rating_slots import are_slots
from .score_lists import (
    choose_lists_of_ratings,
    choose_lists_of_scores,
    choose_scores_in_responses,
)
from .scores_by_people import choose_columns_of_people
from .scores_by_rows import choose_scores_in_rows
from .scoring import RatingKeys, Scoring, code_of
from .uses import RATING, Use

PLACES = (".rank", ".start", ".end")  # in an order or a text


@dataclass(frozen=True)
class RatingProposal:
    """The choices about columns of ratings, whose they are, and how they are written."""

    choices: Mapping[str, ColumnChoice]
    rating_keys: RatingKeys
    scoring: Scoring
    rating_remarks: Sequence[str]


def propose_ratings(
    profile: Profile, choices: Mapping[str, ColumnChoice], layout: Layout
) -> RatingProposal:
    """Return what of the columns is ratings, beside what they are else."""
    ratings = decide(RatingChoices.at_start(profile, choices, layout))
    scoring = _scoring(ratings)
    if are_slots(profile, ratings.uses, ratings.rating_keys):
        scoring = replace(scoring, slots=True)
        ratings = remark_on_slots(ratings)
    left_out = [name for name, code in scoring.dimensions.items() if not code]
    ratings = remark_on_preferences(ratings, left_out)
    return RatingProposal(ratings.choices, ratings.rating_keys, scoring, ratings.remarks)


def decide(ratings: RatingChoices) -> RatingChoices:
    """Choose the columns of ratings, and what goes with them. The order of the steps counts."""
    if ratings.of(*RATING):
        # The layout of a known tool says which columns are ratings.
        ratings = check_layout(ratings)
    else:
        # Who rated comes first: what may be a score depends on whether each row has a rater.
        ratings = choose_raters(ratings)
        # Lists of responses come before all others, which may then be of raters.
        ratings = choose_scores_in_responses(ratings)
        ratings = choose_lists_of_ratings(ratings)
        # Lists of bare numbers say least of whose they are, so names and objects come first.
        ratings = choose_lists_of_scores(ratings)
        if ratings.has_raters_in_rows:
            ratings = choose_scores_in_rows(ratings)
        elif not ratings.of(Use.SCORE):
            # Names of people are guessed only where nothing else says who rated.
            ratings = choose_columns_of_people(ratings)
    # What compares responses is no score, and does not count as one below.
    ratings = doubt_preferences(ratings)
    if ratings.has_ratings:
        # The item comes after all scores: what is none of them may be its key.
        ratings = choose_item(ratings)
        # Needs the item: what is the same in all its rows stays.
        ratings = leave_rest(ratings)
        # Needs the item, too. What is asked of all scores is not asked of one of them below.
        ratings = doubt_repeats(ratings)
        ratings = doubt_spellings(ratings)
        # Asked instead of spellings: first it must be clear which column counts.
        ratings = doubt_raters(ratings)
        ratings = doubt_scores(ratings)
        ratings = leave_models(ratings)
    else:
        ratings = leave_preferences(ratings)
        # Without scores there are no raters, times or comments of ratings.
        ratings = ratings.without_uses()
    # Last, as it is about what all steps left free.
    return explain_numbers(ratings)


def check_layout(ratings: RatingChoices) -> RatingChoices:
    """Leave out what is no score in a layout's columns, and ask about texts that may be levels."""
    for path, key in ratings.layout.rating_keys(ratings.profile.sample).items():
        ratings = ratings.with_key(path, key)
    misfits = []
    for path in ratings.of(Use.SCORE):
        column = ratings.score_columns[path]
        if column.is_numeric and not path.endswith(PLACES):
            continue
        if "[" not in path and column.levels:
            ratings = ratings.with_words([column])
        elif column.profile.filled:
            misfits.append(path)
    return _leave_out(ratings, misfits)


def _leave_out(ratings: RatingChoices, paths: Sequence[str]) -> RatingChoices:
    """Leave out columns that hold no scores, and say how much that is."""
    if not paths:
        return ratings
    for path in paths:
        ratings = ratings.with_use(path, Use.UNUSED, _("no scores"))
    number = sum(ratings.profile.columns[path].filled for path in paths)
    words = _("There is no place for %(columns)s yet (%(number)s values).")
    return ratings.with_remark(words, columns=", ".join(paths), number=number)


def explain_numbers(ratings: RatingChoices) -> RatingChoices:
    """Say of columns that are still free that they may be scores, or who rated."""
    for column in ratings.free:
        if use_of(column.name) is Use.RATER:
            reason = _("named as who rated, without scores")
            ratings = ratings.with_use(column.path, Use.METADATA, reason)
        is_number = column.is_numeric or column.is_decimal
        is_by_people = is_human(column.name) or column.states_scale
        if is_by_people and is_score(column.name) and column.is_numeric:
            question = _("is it a score of one person?")
            ratings = ratings.with_question(column.path, MAY_SCORE, question)
        elif column.has_score_name and not column.list_path and is_number:
            reason = _("may be a score; nothing says who rated")
            ratings = ratings.with_use(column.path, Use.METADATA, reason)
    return ratings


def _scoring(ratings: RatingChoices) -> Scoring:
    """Return how the scores are written, also those that are asked about."""
    profile, uses, keys = ratings.profile, ratings.uses, ratings.rating_keys
    rater = ratings.layout.rater
    scoring = proposed_scoring(profile, uses, keys, rater)
    no_answer = (*scoring.no_answer, *ratings.no_answers)
    scoring = replace(scoring, no_answer=no_answer)
    doubtful_uses = dict.fromkeys(ratings.doubtful_scores, Use.SCORE)
    if not doubtful_uses:
        return scoring
    with_doubtful = proposed_scoring(profile, uses | doubtful_uses, keys, rater)
    # The scale of a dimension is that of the whole file, whatever is answered.
    scales = dict(scoring.scales)
    for path in doubtful_uses:
        dimension = ratings.key(path).dimension or code_of(path)
        scales.pop(dimension, None)
    return replace(scoring, scales=scales, words=with_doubtful.words)
