"""Questions about columns of ratings: of several people, of another text, with codes.

Each function looks at columns that are chosen, and returns the choices with its questions. No
Django but its translations.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .names import fold
from .rating_choices import ONE_MORE, RatingChoices
from .rating_names import is_machine, is_preference, is_self_doubt, last_name, rater_role
from .rating_scoring import common_spellings
from .score_columns import ScoreColumn
from .uses import ANSWERING, PROMPTS, Use

# Texts of an item that a score may be of, instead of the response.
OTHER_TEXTS = (*PROMPTS, Use.CONVERSATION, Use.CONTEXT, Use.REFERENCE, Use.SYSTEM, Use.PERSONA)
# What a rating is about, and what it says of itself: one person rates the same only once.
ABOUT = (*PROMPTS, Use.CONVERSATION, Use.GROUP, *ANSWERING, Use.MODEL, Use.CONTEXT)
OF_RATING = (Use.RATER, Use.DIMENSION, Use.TARGET)
FEW = 0.9  # of the rows: fewer different ones repeat each other


def doubt_preferences(ratings: RatingChoices) -> RatingChoices:
    """Leave out scores that compare responses, or ask of which response they are."""
    answers = ratings.of(*ANSWERING)
    responses = [path for path in answers if ratings.uses[path] is not Use.CHAT]
    lists = [path for path in responses if "[" in path or ratings.score_columns[path].holds_lists]
    has_several = len(answers) > 1 or bool(lists)
    if not has_several or ratings.of(Use.TARGET):
        return ratings
    beginnings = {path.partition("[")[0] for path in lists}
    preferences = []
    for path in ratings.of(Use.SCORE):
        if ratings.key(path).response or path.partition("[")[0] in beginnings:
            continue
        column = ratings.score_columns[path]
        scale = column.scale
        is_order = scale and scale[1] <= max(2, len(answers))
        if is_order or column.levels:
            ratings = ratings.with_use(path, Use.METADATA, _("compares the responses"))
            preferences.append(path)
        else:
            question = _("it does not say which of the responses it rates: leave it out?")
            ratings = ratings.with_question(path, (Use.UNUSED, Use.METADATA), question)
    return remark_on_preferences(ratings, preferences)


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
    if profile.combinations(*paths) >= FEW * len(profile.marks):
        return ratings
    question = _("a person has several rows for one response: does this column say the rating?")
    for path in [*ratings.of(Use.SCORE), *ratings.doubtful_scores]:
        ratings = ratings.with_question(path, ONE_MORE, question)
    return ratings


def doubt_spellings(ratings: RatingChoices) -> RatingChoices:
    """Ask whether names that differ in capitals and blanks alone are one person.

    In an export that a layout knows they are accounts.
    """
    for path in _chosen(ratings, Use.RATER):
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
    cells = [path for path in _chosen(ratings, Use.RATER) if "." not in path and "[" not in path]
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
    paths = _chosen(ratings, Use.SCORE)
    ratings = _doubt_codes(ratings, paths)
    has_several = len(paths) > 1
    for path in ratings.of(Use.SCORE):
        question = ""
        if path in paths:
            question = _doubt(ratings, ratings.score_columns[path], has_several=has_several)
        if question:
            ratings = ratings.with_question(path, ONE_MORE, question)
    return ratings


def _doubt(ratings: RatingChoices, column: ScoreColumn, *, has_several: bool) -> str:
    """Return the first question about a column of scores, or "".

    `has_several`: the file has other columns of scores.
    """
    is_by_rows = ratings.has_raters_in_rows
    if other := _other_text(ratings, column.path):
        words = _("is it a score of the response, or of “%(column)s”?")
        return fill_in(words, column=other)
    if column.states_several_scales:
        return _("its scores are of several scales: is it a score?")
    if is_by_rows and has_several and is_self_doubt(column.name):
        return _("is it a score, or how sure the rater is?")
    if is_by_rows and is_machine(column.name) and not ratings.key(column.path).response:
        return _("is it a score of the rater, or of a model?")
    return ""


def _doubt_codes(ratings: RatingChoices, score_paths: Sequence[str]) -> RatingChoices:
    """Ask once whether numbers such as -99 mean no answer. The scoring has them as such."""
    coded = [path for path in score_paths if ratings.score_columns[path].no_answer_codes]
    codes: set[int] = set()
    for path in coded:
        codes.update(ratings.score_columns[path].no_answer_codes)
    no_answers = tuple(map(str, sorted(codes)))
    ratings = replace(ratings, no_answers=no_answers)
    words = _("is it a score? %(codes)s then means no answer, unless you say otherwise below")
    for path in coded:
        question = fill_in(words, codes=", ".join(no_answers))
        group = coded[0] if path != coded[0] else ""
        ratings = ratings.with_question(path, ONE_MORE, question, group=group)
    return ratings


def _chosen(ratings: RatingChoices, use: Use) -> list[str]:
    """Return the columns of a use that the steps chose, and no layout."""
    return [path for path in ratings.of(use) if ratings.choices_before[path].use is not use]


def _other_text(ratings: RatingChoices, path: str) -> str:
    """Return the column of another text than the response after which a score is named, or ""."""
    name = fold(last_name(path))
    answers = [fold(last_name(answer)) for answer in ratings.of(*ANSWERING)]
    if ratings.key(path).response or name.startswith(tuple(answers)):
        return ""
    texts = [*ratings.of(*OTHER_TEXTS), *ratings.of(Use.UNDECIDED)]
    for text in texts:
        title = fold(last_name(text))
        if text not in ratings.choices and title and name != title and name.startswith(title):
            return text
        is_prompt = ratings.uses[text] in PROMPTS
        if is_prompt and name.startswith(("prompt", "question", "instruction")):
            return text
    return ""


def leave_models(ratings: RatingChoices) -> RatingChoices:
    """Leave out the models that gave numbers: `quality.suggestion.agent`."""
    for path in ratings.of(Use.MODEL):
        parent = ratings.score_columns.get(path.rpartition(".")[0])
        if parent and parent.is_numeric:
            ratings = ratings.with_use(path, Use.METADATA, _("looks like scores of a model"))
    return ratings
