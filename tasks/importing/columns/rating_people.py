"""Columns for each person who rated, perhaps for each dimension. Knows no Django.

A mark is the number or letter by which names differ, the rest is their stem: `fluency_1` has the
mark 1 and the stem fluency. A title is the part of a name that says the dimension.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple, TypeAlias

from .first_names import is_first_name
from .rating_names import (
    BEHIND_NAME,
    is_amount,
    is_amount_by_last_word,
    is_model,
    is_of_part,
    is_person,
    is_quality,
    is_role,
    is_score,
    without_any,
    without_mark,
)
from .score_columns import SCALE_IN_NAME, ScoreColumn, common_scale
from .scoring import QUALITY, SEPARATORS, code_of
from .spelling import variant

MARK_ALONE = re.compile(r"([a-zA-Z]?)[ _.-]?(\d{1,2})")  # a whole name: `1`, `R2`
FEWEST = 3  # columns with names that may be people's
MOST_LEVELS = 10  # of the range that people share

ColumnsByMark: TypeAlias = Mapping[str, ScoreColumn]  # of one stem: {"1": rater_1, "2": rater_2}


class PersonTitle(NamedTuple):
    """A person and the title of a dimension, as a column's name has them."""

    person: str
    title: str


@dataclass(frozen=True)
class PersonColumn:
    """A column with the scores of one person in one dimension."""

    column: ScoreColumn
    name: str
    dimension: str = QUALITY
    response: str = ""  # the column of the response that is rated
    is_doubtful: bool = False  # it is asked whether it is a person


def people_in(score_columns: Sequence[ScoreColumn]) -> list[PersonColumn]:
    """Return the columns of people, by the first of three ways that gives any.

    1. Numbers or letters of raters: `rater_1`, `fluency_1`.
    2. Names of a person and a dimension: `fluency_Anna`.
    3. Names of people alone: `Anna`.
    """
    numbers = [column for column in score_columns if column.is_numeric or not column.answers]
    marked = _by_marks(score_columns)
    if marked:
        return [*marked, *_siblings(marked, numbers)]
    candidates = [column for column in numbers if _may_be_named_after_person(column)]
    for column in score_columns:
        is_graded = column.has_grades and column not in numbers
        if is_graded and is_first_name(_first_part(column)):
            candidates.append(column)
    return _by_names_and_titles(candidates) or _by_names(candidates)


def _may_be_named_after_person(column: ScoreColumn) -> bool:
    """Tell whether a name is of no amount, or begins with a first name."""
    return not is_amount(column.name) or is_first_name(_first_part(column))


def people_by_responses(
    score_columns: Iterable[ScoreColumn], response_columns: Mapping[str, str]
) -> list[PersonColumn]:
    """Return columns such as `Anna_1` and `Anna_2` beside `response_1` and `response_2`.

    The responses are their columns, by what is only in its name: `Bewertung ChatGPT (Anna)`.
    """
    columns_by_name: defaultdict[PersonTitle, dict[str, ScoreColumn]] = defaultdict(dict)
    for column in score_columns:
        rest, mark = without_any(column.name, response_columns)
        if mark and column.is_numeric and not is_amount(rest):
            columns_by_name[_person_and_title(rest)][mark] = column
    people = []
    for (name, title), columns_by_mark in columns_by_name.items():
        if not _may_be_person(name) or columns_by_mark.keys() != response_columns.keys():
            continue
        for mark, column in columns_by_mark.items():
            person = PersonColumn(
                column,
                name,
                dimension=code_of(title),
                response=response_columns[mark],
                is_doubtful=not _is_surely_person(name),
            )
            people.append(person)
    return people


def _person_and_title(name: str) -> PersonTitle:
    """Return the person in a name and the dimension, which is that of any score if none is."""
    plain = _plain_name(name)
    parts = [part for part in SEPARATORS.split(plain) if part]
    for person, title in (parts, parts[::-1]) if len(parts) == 2 else ():
        if is_first_name(person):
            return PersonTitle(person, title)
    return PersonTitle(plain.strip("()"), QUALITY)


def _plain_name(name: str) -> str:
    """Return a name without a scale, a word for scores, and the s of whose they are."""
    name = " ".join(SCALE_IN_NAME.sub(" ", name).split())
    name = BEHIND_NAME.sub("", name)
    return re.sub("['’]s$", "", name).strip()


def _first_part(column: ScoreColumn) -> str:
    """Return the part of a column's name before the first blank, dot or dash."""
    return SEPARATORS.split(_plain_name(column.name), maxsplit=1)[0]


# 1. Numbers or letters of raters.


def _by_marks(score_columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns such as `rater_1`, `score B`, `fluency_1`."""
    groups = _by_stem(score_columns)
    several = [group for group in groups if len(group) > 1]
    roles = [group for group in several if all(is_role(column.name) for column in group.values())]
    if roles:
        people = map(_person, _columns_of(roles))
        return [*people, *_perhaps_people(several, roles)]
    single_roles = _single_roles(groups)
    dimensions = [group for group in several if _is_dimension(group)]
    if not dimensions:
        return [*single_roles, *_perhaps_people(several, [])]
    marks = dimensions[0].keys()
    same_people = [_marked_people(group) for group in several if group.keys() == marks]
    return [*single_roles, *chain.from_iterable(same_people)]


def _by_stem(score_columns: Iterable[ScoreColumn]) -> list[ColumnsByMark]:
    """Return the columns by their marks, in groups whose names differ in the mark alone."""
    columns_by_stem: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
    for column in score_columns:
        if is_amount(column.name) or not (column.is_numeric or column.levels):
            continue
        alone = MARK_ALONE.fullmatch(column.name)
        stem, mark = alone.groups() if alone else variant(column.name)
        if mark:
            columns_by_stem[stem][mark] = column
    return [*columns_by_stem.values()]


def _columns_of(groups: Iterable[ColumnsByMark]) -> Iterable[ScoreColumn]:
    return chain.from_iterable(group.values() for group in groups)


def _person(column: ScoreColumn, *, is_doubtful: bool = False) -> PersonColumn:
    """Return a column as that of a person who has its whole name: `rater_1`."""
    return PersonColumn(column, column.name, is_doubtful=is_doubtful)


def _single_roles(groups: Iterable[ColumnsByMark]) -> list[PersonColumn]:
    """Return columns of roles to be asked about: the number of a single one may be no person's."""
    roles = [column for column in _columns_of(groups) if is_role(column.name)]
    return [_person(column, is_doubtful=True) for column in roles]


def _perhaps_people(
    groups: Iterable[ColumnsByMark], roles: Sequence[ColumnsByMark]
) -> list[PersonColumn]:
    """Return numbered columns to be asked about: small numbers on one scale, beside roles."""
    scale_of_roles = common_scale(_columns_of(roles))
    highest = min(MOST_LEVELS, scale_of_roles[1]) if scale_of_roles else MOST_LEVELS
    people = []
    for group in groups:
        if group not in roles and _may_be_people(group, highest):
            people += [_person(column, is_doubtful=True) for column in group.values()]
    return people


def _may_be_people(group: ColumnsByMark, highest: int) -> bool:
    """Tell whether columns have numbers up to `highest`, and are of no quality, part or model."""
    columns = [*group.values()]
    if not all(column.is_numeric for column in columns):
        return False
    name = columns[0].name
    if is_quality(without_mark(name)) or is_of_part(name) or is_model(name):
        return False
    scale = common_scale(columns)
    return scale is not None and 1 < scale[1] <= highest


def _is_dimension(group: ColumnsByMark) -> bool:
    """Tell whether columns are named after one quality: `fluency_1`, `fluency_2`."""
    names = [without_mark(column.name) for column in group.values()]
    return all(is_quality(name) and not is_of_part(name) for name in names)


def _marked_people(group: ColumnsByMark) -> list[PersonColumn]:
    """Return the columns of one dimension, each with a person's number or letter."""
    people = []
    for mark, column in group.items():
        title = without_mark(column.name)
        name = BEHIND_NAME.sub("", column.name)
        is_plain = name != column.name or is_score(title)
        person = name if is_plain and name else mark
        people.append(PersonColumn(column, person, code_of(title)))
    return people


def _siblings(
    person_columns: Sequence[PersonColumn], score_columns: Iterable[ScoreColumn]
) -> list[PersonColumn]:
    """Return columns such as `depth_1` beside `fluency_1`, on the scale of these."""
    names = {variant(person.column.name)[1]: person.name for person in person_columns}
    known = {person.column.path for person in person_columns}
    highest = max(_highest(person.column) for person in person_columns)
    columns_by_stem: defaultdict[str, dict[str, ScoreColumn]] = defaultdict(dict)
    for column in score_columns:
        stem, mark = variant(column.name)
        is_other = mark in names and column.path not in known
        if is_other and is_amount_by_last_word(column.name):
            columns_by_stem[stem][mark] = column
    people = []
    for group in columns_by_stem.values():
        is_on_scale = all(_highest(column) <= highest for column in group.values())
        if not is_on_scale or group.keys() != names.keys():
            continue
        for mark, column in group.items():
            dimension = code_of(without_mark(column.name))
            people.append(PersonColumn(column, names[mark], dimension))
    return people


def _highest(column: ScoreColumn) -> int:
    """Return the end of a column's scale, or 1 if it has none."""
    scale = column.scale
    return scale[1] if scale else 1


# 2. Names of a person and a dimension.


def _by_names_and_titles(score_columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns such as `Anna_fluency` or `fluency_Anna`; a person mostly comes first."""
    person_first = {}
    title_first = {}
    for column in score_columns:
        if parts := _parts_of_name(column):
            before, behind = parts
            person_first[PersonTitle(before, behind)] = column
            title_first[PersonTitle(behind, before)] = column
    return _people_with_titles(person_first) or _people_with_titles(title_first)


def _parts_of_name(column: ScoreColumn) -> tuple[str, str] | None:
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


def _people_with_titles(columns_by_name: Mapping[PersonTitle, ScoreColumn]) -> list[PersonColumn]:
    """Return the columns of people, if each person has one for each title; else none."""
    columns = {name: column for name, column in columns_by_name.items() if _may_be_person(name[0])}
    people = {name.person for name in columns}
    titles = {name.title for name in columns}
    if len(people) < 2 or len(columns) < len(people) * len(titles):
        return []
    has_titles = len(titles) > 1 or all(map(is_quality, titles))
    # `Vibe (Anna)` may be a score; `row.Anna` says nothing of that, nor does an address.
    are_in_names = all(name.title in column.name for name, column in columns.items())
    may_rate = are_in_names and all(map(is_first_name, people))
    if not (has_titles or may_rate):
        return []
    is_clear = has_titles and all(map(_is_surely_person, people))
    person_columns = []
    for (person, title), column in columns.items():
        dimension = code_of(title)
        person_columns.append(PersonColumn(column, person, dimension, is_doubtful=not is_clear))
    return person_columns


def _may_be_person(name: str) -> bool:
    return is_first_name(name) or is_person(name)


def _is_surely_person(name: str) -> bool:
    """Tell whether a name is surely a person's."""
    return "@" in name or is_first_name(name)


# 3. Names of people alone.


def _by_names(score_columns: Iterable[ScoreColumn]) -> list[PersonColumn]:
    """Return columns that have the names of people, and doubt them if nothing makes them clear."""
    people = []
    for column in score_columns:
        name = _plain_name(column.name)
        if _may_be_person(name):
            people.append(PersonColumn(column, name))
    known = [person for person in people if _is_surely_person(person.name)]
    if len(people) < _fewest(people, known):
        return []
    is_clear = _are_clear(people, known)
    return [replace(person, is_doubtful=not is_clear or person not in known) for person in people]


def _fewest(person_columns: Sequence[PersonColumn], known: Sequence[PersonColumn]) -> int:
    """Return how many columns there must be: fewer if they look like scores or proper names."""
    are_scored = any(map(_is_scored, known)) or all(map(_is_in_scores, person_columns))
    return 2 if are_scored or all(map(_is_capital, person_columns)) else FEWEST


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
    """Tell whether a name begins with a capital letter, or is an address."""
    return person_column.name[:1].isupper() or "@" in person_column.name
