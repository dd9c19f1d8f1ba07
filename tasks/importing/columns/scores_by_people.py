"""Scores in a column for each person, or for each response, by the names of the columns.

No Django but its translations.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from posixpath import commonprefix
from typing import NamedTuple

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .rating_choices import MAY_SCORE, RatingChoices
from .rating_names import is_amount, is_quality, last_name, use_of, without_any
from .rating_people import PersonColumn, people_by_responses, people_in
from .score_columns import ScoreColumn
from .scoring import RatingKey, code_of
from .spelling import fold, variant
from .uses import ANSWERING, Use


class ScoreName(NamedTuple):
    """The parts of a column's name: which response it rates, and the rest, the dimension."""

    response: str  # the path of its column
    rest: str


def choose_columns_of_people(ratings: RatingChoices) -> RatingChoices:
    """Choose columns that have the names or numbers of people: `fluency_Anna`, `rater_1`.

    Scores of responses alone are kept as metadata: nothing says who gave them.
    """
    free = ratings.free_cells
    people = people_by_responses(free, _responses_by_mark(ratings))
    if not people or any(person.is_doubtful for person in people):
        numbers = [column for column in free if column.is_numeric]
        ratings = choose_scores_of_responses(ratings, numbers)
        people = people or people_in(free)
    nobodys = ratings.of(Use.SCORE)
    for path in nobodys:
        reason = _("may be a score; nothing says who rated")
        ratings = ratings.with_use(path, Use.METADATA, reason)
    if nobodys:
        return ratings
    ratings = _choose_scores(ratings, people)
    if people:
        ratings = _choose_comments(ratings, people)
    return ratings


def _choose_scores(ratings: RatingChoices, person_columns: Sequence[PersonColumn]) -> RatingChoices:
    """Choose the columns of people who are clear, and ask once about all others."""
    question = _("is it a person who rated?")
    first = ""  # of those that are asked about
    for person in person_columns:
        path = person.column.path
        key = RatingKey(person.name, person.dimension, response=person.response)
        ratings = ratings.with_key(path, key)
        if person.is_doubtful:
            ratings = ratings.with_question(path, MAY_SCORE, question, group=first)
            first = first or path
        elif not person.column.levels:
            ratings = ratings.with_use(path, Use.SCORE, _("a column for each rater"))
    clear = [person.column for person in person_columns if not person.is_doubtful]
    return ratings.with_words([column for column in clear if column.levels])


def _choose_comments(
    ratings: RatingChoices, person_columns: Sequence[PersonColumn]
) -> RatingChoices:
    """Choose comments that have a person's name in theirs, and ask whose the others are."""
    names = {person.name for person in person_columns}
    for column in ratings.free:
        plain_name = column.name.replace("’s", "").replace("'s", "")
        rest, person_name = without_any(plain_name, names)
        if use_of(rest) is not Use.COMMENT or not column.profile.letters:
            continue
        if person_name:
            ratings = ratings.with_use(column.path, Use.COMMENT, _("a comment of who rated"))
            ratings = ratings.with_key(column.path, RatingKey(person_name))
        else:
            options = (Use.COMMENT, Use.METADATA)
            ratings = ratings.with_question(column.path, options, _("whose comment?"))
    return ratings


def choose_scores_of_responses(
    ratings: RatingChoices, score_columns: Iterable[ScoreColumn]
) -> RatingChoices:
    """Choose scores that have the name or the mark of a response in their names.

    Nothing is chosen for items of a single response.
    """
    if len(ratings.of(*ANSWERING)) < 2:
        return ratings
    score_names = _names_of_scores(ratings, score_columns)
    for path, (response, rest) in score_names.items():
        reason = fill_in(_("scores of “%(column)s”"), column=response)
        ratings = ratings.with_use(path, Use.SCORE, reason)
        dimension = code_of(rest.strip(" _.-"))
        ratings = ratings.with_key(path, RatingKey(dimension=dimension, response=response))
    scored = [ratings.score_columns[path] for path in score_names]
    return ratings.with_words([column for column in scored if column.levels])


def _names_of_scores(
    ratings: RatingChoices, score_columns: Iterable[ScoreColumn]
) -> dict[str, ScoreName]:
    """Return the parts of the names of scores of responses, by the paths of the scores.

    A name may begin with the response's: `response_a_fluency`. Else there must be one name with
    each mark, and the rest the same: `fluency_a` and `fluency_b`.
    """
    responses = ratings.of(*ANSWERING)
    responses_by_mark = _responses_by_mark(ratings)
    columns_by_stem: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
    score_names: dict[str, ScoreName] = {}
    for column in score_columns:
        stem, mark = without_any(column.name, responses_by_mark)
        if not _may_rate_a_response(ratings, column, stem, mark):
            continue
        for path in responses:
            name = last_name(path)
            if fold(column.name).startswith(fold(name)):
                score_names[column.path] = ScoreName(path, column.name[len(name) :])
        columns_by_stem[stem][mark] = column
    has_marks = len(responses_by_mark) == len(responses)
    for stem, columns_by_mark in columns_by_stem.items():
        if not has_marks or columns_by_mark.keys() != responses_by_mark.keys():
            continue
        for mark, column in columns_by_mark.items():
            score_names.setdefault(column.path, ScoreName(responses_by_mark[mark], stem))
    return score_names


def _may_rate_a_response(ratings: RatingChoices, column: ScoreColumn, stem: str, mark: str) -> bool:
    """Tell whether a column may hold scores of one response, by its values and its name."""
    is_of_rater = ratings.has_raters_in_rows and not is_amount(stem)
    is_score_of_one = mark and is_quality(stem)
    if column.is_numeric and (is_of_rater or is_score_of_one):
        return True
    return column.is_score


def _responses_by_mark(ratings: RatingChoices) -> Mapping[str, str]:
    """Return the columns of responses by what only one has in its name.

    That is the number of `response_1`, else what differs: `gpt` and `claude` of `gpt_answer` and
    `claude_answer`.
    """
    paths = {last_name(path): path for path in ratings.of(*ANSWERING)}
    paths_by_mark = {variant(name)[1]: path for name, path in paths.items()}
    stems = {variant(name)[0] for name in paths}
    if len(paths_by_mark) > 1 and "" not in paths_by_mark and len(stems) == 1:
        return paths_by_mark
    start = commonprefix([*paths])
    end = commonprefix([name[::-1] for name in paths])[::-1]
    paths_by_rest = {}
    for name, path in paths.items():
        rest = name.removeprefix(start) if start else name.removesuffix(end)
        paths_by_rest[rest.strip(" _.-")] = path
    if len(paths_by_rest) < 2 or "" in paths_by_rest:
        return {}
    return paths_by_rest
