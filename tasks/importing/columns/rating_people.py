"""Columns for each person who rated, perhaps for each dimension. No Django but translations."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from .first_names import is_first_name
from .names import variant
from .rating_names import (
    BEHIND_NAME,
    is_amount,
    is_model,
    is_of_part,
    is_person,
    is_quality,
    is_role,
    is_score,
    is_soft,
    without_any,
    without_mark,
)
from .score_columns import SCALE_IN_NAME, ScoreColumn, common_scale
from .scoring import QUALITY, SEPARATORS, code_of

LETTER = re.compile(r"([a-zA-Z]?)[ _.-]?(\d{1,2})")  # of a column that may be a person's
FEWEST = 3  # columns with names that may be people's
MOST_LEVELS = 10  # of the range that people share


@dataclass(frozen=True)
class PersonColumn:
    """A column with the scores of one person in one dimension."""

    column: ScoreColumn
    name: str
    dimension: str = QUALITY
    question: str = ""  # to be asked, if it is doubtful
    response: str = ""  # the column of the response that is rated


def people_in(score_columns: Sequence[ScoreColumn]) -> list[PersonColumn]:
    """Return the columns of people, by the first of three ways that gives any.

    1. Numbers or letters of raters: `rater_1`, `fluency_1`.
    2. Names of a person and a dimension: `fluency_Anna`.
    3. Names of people alone: `Anna`.
    """
    plain = [column for column in score_columns if not is_amount(column.name)]
    numbers = [column for column in score_columns if column.is_numeric or not column.answers]
    by_marks = _by_marks(column for column in plain if column.is_numeric or column.levels)
    by_marks += _siblings(by_marks, numbers)
    if by_marks:
        return by_marks
    candidates = []
    for column in numbers:
        if not is_amount(column.name) or is_first_name(_first_part(column)):
            candidates.append(column)
    for column in score_columns:
        is_graded = column.has_grades and column not in numbers
        if is_graded and is_first_name(_first_part(column)):
            candidates.append(column)
    return _by_both(candidates) or _by_names(candidates)


def people_by_responses(
    score_columns: Iterable[ScoreColumn], response_columns: Mapping[str, str]
) -> list[PersonColumn]:
    """Return columns such as `Anna_1` and `Anna_2` beside `response_1` and `response_2`.

    The responses are their columns, by what is only in its name: `Bewertung ChatGPT (Anna)`.
    """
    titles: defaultdict[tuple[str, str], dict[str, ScoreColumn]] = defaultdict(dict)
    for column in score_columns:
        rest, mark = without_any(column.name, response_columns)
        if mark and column.is_numeric and not is_amount(rest):
            titles[_person_and_title(rest)][mark] = column
    people = []
    for (name, title), marks in titles.items():
        if not _may_be_person(name) or marks.keys() != response_columns.keys():
            continue
        question = "" if _is_surely_person(name) else _("is it a person who rated?")
        for mark, column in marks.items():
            person = PersonColumn(column, name, code_of(title), question, response_columns[mark])
            people.append(person)
    return people


def _person_and_title(name: str) -> tuple[str, str]:
    """Return the person in a name and the dimension, which is that of any score if none is."""
    plain = _plain_name(name)
    parts = [part for part in SEPARATORS.split(plain) if part]
    for person, title in (parts, parts[::-1]) if len(parts) == 2 else ():
        if is_first_name(person):
            return person, title
    return plain.strip("()"), QUALITY


def _plain_name(name: str) -> str:
    """Return a name without a scale, a word for scores, and the s of whose they are."""
    name = " ".join(SCALE_IN_NAME.sub(" ", name).split())
    name = BEHIND_NAME.sub("", name)
    return re.sub("['’]s$", "", name).strip()


def _first_part(column: ScoreColumn) -> str:
    """Return the part of a column's name before the first blank, dot or dash."""
    return SEPARATORS.split(_plain_name(column.name), maxsplit=1)[0]


def _siblings(
    person_columns: Sequence[PersonColumn], score_columns: Iterable[ScoreColumn]
) -> Iterator[PersonColumn]:
    """Yield columns such as `depth_1` beside `fluency_1`, on the scale of these."""
    names = {variant(person.column.name)[1]: person.name for person in person_columns}
    stems: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
    known = {person.column.path for person in person_columns}
    for column in score_columns:
        stem, mark = variant(column.name)
        if mark in names and column.path not in known and is_soft(column.name):
            stems[stem][mark] = column
    highest = max((_highest(person.column) for person in person_columns), default=0)
    for marks in stems.values():
        fits = all(_highest(column) <= highest for column in marks.values())
        if not fits or marks.keys() != names.keys():
            continue
        for mark, column in marks.items():
            dimension = code_of(without_mark(column.name))
            yield PersonColumn(column, names[mark], dimension)


def _highest(column: ScoreColumn) -> int:
    """Return the end of a column's scale, or 1 if it has none."""
    scale = column.scale
    return scale[1] if scale else 1


def _by_marks(score_columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns such as `rater_1`, `score B`, `fluency_1`."""
    all_stems = _by_stem(score_columns)
    several = [columns_by_mark for columns_by_mark in all_stems if len(columns_by_mark) > 1]
    roles = [columns_by_mark for columns_by_mark in several if _are_roles(columns_by_mark)]
    people = []
    for columns_by_mark in roles:
        for column in columns_by_mark.values():
            people.append(PersonColumn(column, column.name))
    if roles:
        return [*people, *_unknown(several, roles)]
    # The number of a single role may be no person's, so it is asked about.
    for columns_by_mark in all_stems:
        for column in columns_by_mark.values():
            if is_role(column.name):
                question = _("is it a person who rated?")
                people.append(PersonColumn(column, column.name, QUALITY, question))
    dimensions = [columns_by_mark for columns_by_mark in several if _is_dimension(columns_by_mark)]
    if not dimensions:
        return [*people, *_unknown(several, [])]
    for columns_by_mark in several:
        if columns_by_mark.keys() == dimensions[0].keys():
            people += _marked_people(columns_by_mark)
    return people


def _by_stem(score_columns: Iterable[ScoreColumn]) -> list[dict[str, ScoreColumn]]:
    """Return the columns by their marks, in groups whose names differ in the mark alone."""
    columns_by_stem: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
    for column in score_columns:
        letter = LETTER.fullmatch(column.name)
        stem, mark = letter.groups() if letter else variant(column.name)
        if mark:
            columns_by_stem[stem][mark] = column
    return [*columns_by_stem.values()]


def _marked_people(columns_by_mark: Mapping[str, ScoreColumn]) -> Iterator[PersonColumn]:
    """Yield the columns of one dimension, each with a person's number or letter."""
    for mark, column in columns_by_mark.items():
        title = without_mark(column.name)
        name = BEHIND_NAME.sub("", column.name)
        is_plain = name != column.name or is_score(title)
        person = name if is_plain and name else mark
        yield PersonColumn(column, person, code_of(title))


def _are_roles(marks: dict[str, ScoreColumn]) -> bool:
    return all(is_role(column.name) for column in marks.values())


def _unknown(
    several: Iterable[dict[str, ScoreColumn]],
    person_columns: Sequence[dict[str, ScoreColumn]],
) -> Iterator[PersonColumn]:
    """Yield numbered columns that may be people: small numbers on one scale."""
    known = common_scale(column for marks in person_columns for column in marks.values())
    most = min(MOST_LEVELS, known[1]) if known else MOST_LEVELS
    question = _("is it a person who rated?")
    for marks in several:
        columns = [*marks.values()]
        if marks in person_columns or not all(column.is_numeric for column in columns):
            continue
        _low, high = common_scale(columns) or (0, 0)
        name = columns[0].name
        is_other = is_quality(without_mark(name)) or is_of_part(name) or is_model(name)
        if 1 < high <= most and not is_other:
            for column in columns:
                yield PersonColumn(column, column.name, QUALITY, question)


def _is_dimension(marks: dict[str, ScoreColumn]) -> bool:
    names = [without_mark(column.name) for column in marks.values()]
    return all(is_quality(name) and not is_of_part(name) for name in names)


def _by_both(score_columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns such as `Anna_fluency` or `fluency_Anna`."""
    pairs = {}
    for column in score_columns:
        if pair := _pair_in(column):
            pairs[pair] = column
    # The places of the person and of the title in each pair; a person mostly comes first.
    for person, title in ((0, 1), (1, 0)):
        fitting = {pair: column for pair, column in pairs.items() if _may_be_person(pair[person])}
        people = {pair[person] for pair in fitting}
        titles = {pair[title] for pair in fitting}
        has_titles = len(titles) > 1 or all(map(is_quality, titles))
        are_known = all(map(_is_surely_person, people))
        # `Vibe (Anna)` may be a score; `row.Anna` says nothing of that, nor does an address.
        have_first_names = all(map(is_first_name, people))
        may_rate = have_first_names and all(pair[title] in pairs[pair].name for pair in fitting)
        has_all = len(fitting) == len(people) * len(titles)
        if len(people) > 1 and (has_titles or may_rate) and has_all:
            doubt = "" if has_titles and are_known else _("is it a person who rated?")
            return [
                PersonColumn(column, pair[person], code_of(pair[title]), doubt)
                for pair, column in fitting.items()
            ]
    return []


def _pair_in(column: ScoreColumn) -> tuple[str, str] | None:
    """Return the names of a person and a dimension, in either order, or None."""
    name = _plain_name(column.name)
    if match := re.fullmatch(r"(.+?)\s*\((.+)\)", name):
        return match[1], match[2]
    first, *rest = SEPARATORS.split(name, maxsplit=1)
    if rest:
        return first, rest[0]
    outer = column.path.split(".")[:-1]
    if outer:  # an object for each person
        return outer[-1], name
    return None


def _may_be_person(name: str) -> bool:
    return is_first_name(name) or is_person(name)


def _is_surely_person(name: str) -> bool:
    """Tell whether a name is surely a person's."""
    return "@" in name or is_first_name(name)


def _by_names(score_columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns that have the names of people, and ask if the numbers do not go together."""
    people = []
    for column in score_columns:
        name = _plain_name(column.name)
        if _may_be_person(name):
            people.append(PersonColumn(column, name))
    known = [person for person in people if _is_surely_person(person.name)]
    are_scored = any(map(_is_scored, known)) or all(map(_is_in_scores, people))
    fewest = 2 if are_scored or all(map(_is_capital, people)) else FEWEST
    if len(people) < fewest:
        return []
    is_clear = _are_clear(people, known)
    question = _("is it a person who rated?")
    checked = []
    for person in people:
        doubt = "" if is_clear and person in known else question
        checked.append(PersonColumn(person.column, person.name, QUALITY, doubt))
    return checked


def _are_clear(person_columns: Sequence[PersonColumn], known: Sequence[PersonColumn]) -> bool:
    """Tell whether columns with names that are known surely hold scores of these people."""
    if all(map(_is_scored, known)):
        return True
    if known and all("@" in person.name for person in person_columns):
        return True
    scales = [scale for person in known if (scale := person.column.scale)]
    low = min((scale[0] for scale in scales), default=0)
    high = max((scale[1] for scale in scales), default=0)
    return len(known) > 1 and low > 0 and high - low < MOST_LEVELS


def _is_scored(person_column: PersonColumn) -> bool:
    """Tell whether a name says that it is a person's score: `Score Anna`."""
    return is_score(person_column.column.name)


def _is_in_scores(person_column: PersonColumn) -> bool:
    """Tell whether a column is in an object that is named as scores: `ratings.ana`."""
    return any(map(is_score, person_column.column.path.split(".")[:-1]))


def _is_capital(person_column: PersonColumn) -> bool:
    return person_column.name[:1].isupper() or "@" in person_column.name
