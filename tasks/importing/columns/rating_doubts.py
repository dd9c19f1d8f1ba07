"""Questions about columns of ratings: of several people, of another text, with codes.

Each function looks at columns that are chosen, and returns the choices with its questions. No
Django but its translations.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .rating_choices import ONE_MORE, RatingChoices
from .rating_names import is_machine, is_preference, is_self_doubt, last_name, rater_role
from .rating_scoring import common_spellings
from .score_columns import ScoreColumn
from .spelling import fold
from .uses import ANSWERING, PROMPTS, Use

# Texts of an item that a score may be of, instead of the response.
OTHER_TEXTS = (*PROMPTS, Use.CONVERSATION, Use.CONTEXT, Use.REFERENCE, Use.SYSTEM, Use.PERSONA)
# What a rating is about, and what it says of itself: one person rates the same only once.
ABOUT = (*PROMPTS, Use.CONVERSATION, Use.GROUP, *ANSWERING, Use.MODEL, Use.CONTEXT)
OF_RATING = (Use.RATER, Use.DIMENSION, Use.TARGET)
MOSTLY_DIFFERENT = 0.9  # the share of different rows from which on none counts as repeated
WORDS_FOR_PROMPTS = ("prompt", "question", "instruction")  # with which folded names begin


def doubt_preferences(ratings: RatingChoices) -> RatingChoices:
    """Leave out scores that compare responses, or ask of which response they are.

    This is of items with several responses, unless a column or a name says which one is rated.
    """
    answers = ratings.of(*ANSWERING)
    lists = _lists_of_responses(ratings)
    if ratings.of(Use.TARGET) or (len(answers) < 2 and not lists):
        return ratings
    preferences = []
    for path in ratings.of(Use.SCORE):
        if ratings.key(path).response or _outer_name(path) in lists:
            continue
        column = ratings.score_columns[path]
        if column.levels or _is_order(column, len(answers)):
            ratings = ratings.with_use(path, Use.METADATA, _("compares the responses"))
            preferences.append(path)
        else:
            question = _("it does not say which of the responses it rates: leave it out?")
            ratings = ratings.with_question(path, (Use.UNUSED, Use.METADATA), question)
    return remark_on_preferences(ratings, preferences)


def _lists_of_responses(ratings: RatingChoices) -> set[str]:
    """Return the lists of responses, by name. A chat is none: its last turn is the response."""
    lists = set()
    for path in ratings.of(*ANSWERING):
        is_list = "[" in path or ratings.score_columns[path].holds_lists
        if is_list and ratings.uses[path] is not Use.CHAT:
            lists.add(_outer_name(path))
    return lists


def _outer_name(path: str) -> str:
    """Return the outermost list that a column is in; its whole path if it is in none."""
    return path.partition("[")[0]


def _is_order(column: ScoreColumn, responses: int) -> bool:
    """Tell whether no score is above the number of responses: it may say which is best.

    A list of responses is one column, but has two of them at least.
    """
    scale = column.scale
    return scale is not None and scale[1] <= max(2, responses)


def leave_preferences(ratings: RatingChoices) -> RatingChoices:
    """Leave out orders and preferences of raters, where they are all there is."""
    if not ratings.of(Use.RATER):
        return ratings
    preferences = []
    for column in ratings.free:
        if is_preference(column.name) and (column.is_numeric or column.levels):
            ratings = ratings.with_use(column.path, Use.METADATA, _("compares the responses"))
            preferences.append(column.path)
    return remark_on_preferences(ratings, preferences)


def remark_on_preferences(ratings: RatingChoices, names: Sequence[str]) -> RatingChoices:
    """Say that preferences have no place, if there are some. They are all named at once."""
    if not names:
        return ratings
    words = _("Left out, as it compares responses: %(columns)s.")
    return ratings.with_remark(words, columns=", ".join(names))


def remark_on_slots(ratings: RatingChoices) -> RatingChoices:
    """Say why the raters are taken for slots."""
    words = _(
        "Items with fewer ratings lack the last raters, never an earlier one: raters look like "
        "slots, which other people have in each item."
    )
    return ratings.with_remark(words)


def doubt_repeats(ratings: RatingChoices) -> RatingChoices:
    """Ask about all scores if one person has several rows for one response."""
    if not ratings.has_raters_in_rows or ratings.of(Use.TIME, Use.EXPORTED, Use.CHECK):
        return ratings
    paths = ratings.of(*ABOUT, *OF_RATING)
    if len(paths) < 2:
        return ratings
    profile = ratings.profile
    if profile.combinations(*paths) >= MOSTLY_DIFFERENT * len(profile.marks):
        return ratings
    question = _("a person has several rows for one response: does this column say the rating?")
    for path in [*ratings.of(Use.SCORE), *ratings.doubtful_scores]:
        ratings = ratings.with_question(path, ONE_MORE, question)
    return ratings


def doubt_spellings(ratings: RatingChoices) -> RatingChoices:
    """Ask whether names that differ in capitals and blanks alone are one person.

    In an export that a layout knows they are accounts.
    """
    for path in _guessed(ratings, Use.RATER):
        column = ratings.profile.columns[path]
        spellings = common_spellings((column.list_entries or column).counts)
        names = [f"“{name}” = “{common}”" for name, common in spellings.items()]
        if names:
            words = _("one person each: %(names)s?")
            question = fill_in(words, names=", ".join(names))
            ratings = ratings.with_doubtful_rater(path, question)
    return ratings


def doubt_raters(ratings: RatingChoices) -> RatingChoices:
    """Ask which column says who rated, if several name different people in a row."""
    cells = [path for path in _guessed(ratings, Use.RATER) if "." not in path and "[" not in path]
    if not any(_differ(ratings, cells[0], other) for other in cells[1:]):
        return ratings
    question = _("several columns name people: did this one give the scores?")
    for path in cells:
        ratings = ratings.with_question(path, (Use.RATER, Use.METADATA), question)
    return ratings


def _differ(ratings: RatingChoices, path: str, other: str) -> bool:
    """Tell whether two columns of who rated name different people, or people in two roles."""
    follows = ratings.profile.follows
    are_same = follows(other, path) and follows(path, other)
    return not are_same or rater_role(other) != rater_role(path)


def doubt_scores(ratings: RatingChoices) -> RatingChoices:
    """Ask about scores of two scales, with a code, of a machine, or of how sure a rater is."""
    has_several = len(_guessed(ratings, Use.SCORE)) > 1
    ratings = _doubt_codes(ratings)
    for path in _guessed(ratings, Use.SCORE):
        question = _doubt(ratings, ratings.score_columns[path], has_several=has_several)
        if question:
            ratings = ratings.with_question(path, ONE_MORE, question)
    return ratings


def _doubt_codes(ratings: RatingChoices) -> RatingChoices:
    """Ask once whether numbers such as -99 mean no answer. The scoring has them as such."""
    codes_by_path = {}
    for path in _guessed(ratings, Use.SCORE):
        if codes := ratings.score_columns[path].no_answer_codes:
            codes_by_path[path] = codes
    every = sorted({*chain.from_iterable(codes_by_path.values())})
    ratings = replace(ratings, no_answers=tuple(map(str, every)))
    words = _("is it a score? %(codes)s then means no answer, unless you say otherwise below")
    question = fill_in(words, codes=", ".join(ratings.no_answers))
    first = ""  # the others are asked about with it
    for path in codes_by_path:
        ratings = ratings.with_question(path, ONE_MORE, question, group=first)
        first = first or path
    return ratings


def _doubt(ratings: RatingChoices, column: ScoreColumn, *, has_several: bool) -> str:
    """Return the first question about a column of scores, or "".

    `has_several`: the file has other columns of scores.
    """
    if text := _text_in_name(ratings, column.path):
        words = _("is it a score of the response, or of “%(column)s”?")
        return fill_in(words, column=text)
    if column.states_several_scales:
        return _("its scores are of several scales: is it a score?")
    if not ratings.has_raters_in_rows:
        return ""
    if has_several and is_self_doubt(column.name):
        return _("is it a score, or how sure the rater is?")
    if is_machine(column.name) and not ratings.key(column.path).response:
        return _("is it a score of the rater, or of a model?")
    return ""


def _text_in_name(ratings: RatingChoices, path: str) -> str:
    """Return the column of another text after which a score is named, or "".

    `context_quality` is of `context`, and `question_clarity` of a prompt by any name. A name that
    begins with a response's is of that.
    """
    name = fold(last_name(path))
    responses = tuple(fold(last_name(response)) for response in ratings.of(*ANSWERING))
    if ratings.key(path).response or name.startswith(responses):
        return ""
    for text in (*ratings.of(*OTHER_TEXTS), *ratings.of(Use.UNDECIDED)):
        title = fold(last_name(text))
        is_longer = title != "" and name != title and name.startswith(title)
        is_doubtful_score = text in ratings.choices
        if is_longer and not is_doubtful_score:
            return text
        if ratings.uses[text] in PROMPTS and name.startswith(WORDS_FOR_PROMPTS):
            return text
    return ""


def _guessed(ratings: RatingChoices, use: Use) -> list[str]:
    """Return the columns that are of a use since the steps guessed so, and no layout says it."""
    return [path for path in ratings.of(use) if ratings.choices_before[path].use is not use]


def leave_models(ratings: RatingChoices) -> RatingChoices:
    """Leave out the models that gave numbers: `quality.suggestion.agent`."""
    for path in ratings.of(Use.MODEL):
        parent = ratings.score_columns.get(path.rpartition(".")[0])
        if parent and parent.is_numeric:
            ratings = ratings.with_use(path, Use.METADATA, _("looks like scores of a model"))
    return ratings
