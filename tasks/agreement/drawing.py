"""The page of agreement: one result in words, in tables and as charts.

`views.py` renders the template with the attributes of `PageFigures`. The overview and the reports
use single functions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import NamedTuple

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _, pgettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.scales import shade
from rubrics.judging.schema import Rubric
from tasks.agreement.charts import ChartMark, WeekChart, Whisker, axis_marks, line, whisker
from tasks.agreement.measures import (
    APPLIES,
    MEASURES,
    SHARES,
    TITLES,
    coefficient,
    figure_in_words,
    percent,
    sentence,
    titled,
)
from tasks.agreement.page_result import PageResult
from tasks.agreement.stored import (
    CheckPart,
    DifferingUnit,
    Estimate,
    Estimates,
    Figure,
    Missing,
    Origin,
    Pair,
    Part,
    Result,
    Why,
)
from tasks.answers.slot_answers import LABELS

MARKS = (0.667, 0.800)  # of coefficients that leave out chance
# Reasons that more ratings remove.
WAITING = (Why.NO_RATINGS, Why.ONE_ANNOTATOR, Why.NO_OVERLAP, Why.TOO_FEW_UNITS)
# Lower ends of the colours of pairs, from brown to teal.
HEAT = (0.5, 0.6, 0.7, 0.8)
MOST_ORIGINS = 8  # of disagreement; the CSV file has all


class FigureRow(NamedTuple):
    """A row of the table of all figures."""

    title: str
    words: str
    units: int


class PairCell(NamedTuple):
    """How well two annotators agree."""

    figure: str  # "" if there is none
    units: int = 0
    colour: int = 0


class PairRow(NamedTuple):
    """An annotator, with a cell for each pair with one before them, and None for all others."""

    name: str
    pair_cells: list[PairCell | None]


@dataclass(frozen=True, slots=True)
class ShareWords:
    """The plain shares in words, "" for those that a scale does not have."""

    same: str = ""
    within_one: str = ""


@dataclass(frozen=True, slots=True)
class OriginRow:
    """A row of where the disagreement sits."""

    check: str
    wording: str
    pairs: int
    distance: str
    share: str


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """A score of a unit, and who gave it."""

    name: str
    value: int
    colour: str


@dataclass(frozen=True, slots=True)
class UnitRow:
    """A unit with a cell for each of its scores, and None for each after them."""

    key: int  # of the item
    item: str
    response: int | None
    model: str
    score_cells: list[ScoreCell | None]


@dataclass(frozen=True, kw_only=True)
class PageFigures:
    """All that the page has of a result, by the names in its template."""

    result: Result
    made_at: datetime | None
    team: list[str]
    persons: list[str]  # the annotators who are no slots
    awaits_ratings: bool  # else there are shares at least
    alpha: str  # "" without a figure
    interval: list[str]
    shares: ShareWords
    sentence: str
    measure: str
    of_answers: str
    marks: list[ChartMark]
    line: WeekChart
    by_model: list[Whisker]
    by_batch: list[Whisker]
    by_week: list[Whisker]
    by_check: list[Whisker]
    unanimous: list[str]
    all_figures: list[FigureRow]
    pairs: list[PairRow]
    origins: list[OriginRow]
    letters: Sequence[str]  # a column for each answer; people are in the order of their names
    furthest: list[UnitRow]


def page_figures(
    agreement: PageResult, rubric: Rubric, dimension: Dimension, measure: str
) -> PageFigures:
    """Return what the page has; `measure` is what the groups are compared by."""
    result = agreement.result
    overall = result.overall.figures
    main = result.main_figure
    awaits_ratings = is_awaiting(main)
    wordings = {check.code: check.wording for check in rubric.checks_at(dimension)}
    wordings[APPLIES] = _("Applies")
    of_answers = MEASURES[measure]
    checks, unanimous = _checks_by_variety(result.checks, of_answers)
    marks = () if measure in SHARES else MARKS
    persons = [number for number in result.annotators if number not in result.slots]
    scores_of_units = [len(unit.scores_of_people) for unit in result.furthest]
    columns = max(scores_of_units, default=0)
    overall_row = whisker(pgettext("figure", "All"), overall[measure])
    largest = result.sources[:MOST_ORIGINS]
    return PageFigures(
        result=result,
        made_at=agreement.made_at,
        team=agreement.names_among(result.team),
        persons=agreement.names_among(persons),
        awaits_ratings=awaits_ratings,
        alpha=printed_value(main),
        interval=ends_of(main),
        shares=ShareWords() if awaits_ratings else _shares(overall),
        sentence=sentence(result, agreement.names_by_number),
        measure=str(TITLES[measure]),
        of_answers=str(TITLES[of_answers]),
        marks=axis_marks(marks),
        line=line(result.weeks, measure, marks),
        by_model=[overall_row, *_groups(result.models, measure)],
        by_batch=_groups(result.batches, measure),
        by_week=[_week(week, measure) for week in result.weeks],
        by_check=[_check(check, of_answers, wordings) for check in checks],
        unanimous=[wordings[check.name] for check in unanimous],
        all_figures=_all_figures(result),
        pairs=_pairs(result.pairs, persons, agreement.names_by_number, measure),
        origins=[_origin(origin, wordings) for origin in largest],
        letters=LABELS[:columns],
        furthest=[
            _unit_row(unit, agreement.names_by_number, dimension, columns)
            for unit in result.furthest
        ],
    )


def is_awaiting(figure: Estimate) -> bool:
    """Return True if more ratings will bring a figure that is missing."""
    return isinstance(figure, Missing) and figure.missing in WAITING


def printed_value(figure: Estimate) -> str:
    """Return a figure as papers print it, "" if there is none."""
    return "" if isinstance(figure, Missing) else coefficient(figure.value)


def ends_of(figure: Estimate) -> list[str]:
    """Return the ends of a figure's interval, none if there is no figure."""
    if isinstance(figure, Missing):
        return []
    return [coefficient(figure.low), coefficient(figure.high)]


def _shares(estimates: Estimates) -> ShareWords:
    """Return the plain shares: classes have the first, a scale of many levels none."""
    return ShareWords(_share(estimates, "same"), _share(estimates, "within-one"))


def _share(estimates: Estimates, code: str) -> str:
    figure = estimates.get(code)
    return percent(figure.value) if isinstance(figure, Figure) else ""


def _checks_by_variety(
    check_parts: Sequence[CheckPart], measure: str
) -> tuple[list[CheckPart], list[CheckPart]]:
    """Return the checks whose answers differ, by agreement, and those with one answer."""
    various = []
    unanimous = []
    for check in check_parts:
        if check.figures[measure] == Missing(Why.ONE_CATEGORY):
            unanimous.append(check)
        else:
            various.append(check)
    various.sort(key=lambda check: _rank(check.figures[measure]))
    return various, unanimous


def _rank(figure: Estimate) -> float:
    """Return the place of a figure: the highest first, those that are missing last."""
    return 2 if isinstance(figure, Missing) else -figure.value


def _all_figures(result: Result) -> list[FigureRow]:
    rows = []
    for title, figure in titled(result.overall.figures):
        rows.append(FigureRow(title, figure_in_words(figure), result.overall.units))
    for title, figure in titled(result.of_team):
        rows.append(FigureRow(title, figure_in_words(figure), result.team_units))
    return rows


def _groups(group_parts: Iterable[Part], measure: str) -> list[Whisker]:
    return [whisker(group.name or "–", group.figures[measure]) for group in group_parts]


def _week(week: Part, measure: str) -> Whisker:
    day = date.fromisoformat(week.name)
    name = date_format(day, "DATE_FORMAT")
    return whisker(name, week.figures[measure])


def _check(check: CheckPart, measure: str, wordings: Mapping[str, str]) -> Whisker:
    row = whisker(wordings[check.name], check.figures[measure], check.ticked)
    return replace(row, n=f"{check.units:n}", is_in_rubric=check.name != APPLIES)


def _origin(origin: Origin, wordings: Mapping[str, str]) -> OriginRow:
    return OriginRow(
        check=origin.check,
        wording=wordings.get(origin.check, ""),
        pairs=origin.pairs,
        distance=number_format(f"{origin.distance:.1f}"),
        share=percent(origin.share),
    )


def _unit_row(
    unit: DifferingUnit, names_by_number: Mapping[int, str], dimension: Dimension, column_count: int
) -> UnitRow:
    score_cells = unit_cells(unit, names_by_number, dimension)
    padding = [None] * (column_count - len(score_cells))
    return UnitRow(unit.key, unit.item, unit.response, unit.model, [*score_cells, *padding])


def unit_cells(
    unit: DifferingUnit, names_by_number: Mapping[int, str], dimension: Dimension
) -> list[ScoreCell]:
    """Return a cell for each score of a unit."""
    cells = []
    for number, score in unit.scores_of_people:
        cell = ScoreCell(names_by_number[number], score, shade(dimension, score))
        cells.append(cell)
    return cells


def _pairs(
    pairs: Iterable[Pair], persons: Sequence[int], names_by_number: Mapping[int, str], measure: str
) -> list[PairRow]:
    """Return a row for each annotator but the first, with a cell for each but the last."""
    cells_by_pair = {(pair.first, pair.second): _pair_cell(pair, measure) for pair in pairs}
    if not cells_by_pair:
        return []
    rows = []
    for position, person in enumerate(persons[1:], start=1):
        pair_cells: list[PairCell | None] = []
        for other in persons[:position]:
            pair_cells.append(cells_by_pair[other, person])
        pair_cells += [None] * (len(persons) - 1 - position)
        rows.append(PairRow(names_by_number[person], pair_cells))
    return rows


def _pair_cell(pair: Pair, measure: str) -> PairCell:
    figure = pair.figures[measure]
    if isinstance(figure, Missing):
        return PairCell("")
    steps = sum(figure.value >= least for least in HEAT)
    return PairCell(coefficient(figure.value), pair.units, 1 + steps)
