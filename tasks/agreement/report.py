"""All figures of one dimension: over all, by model, batch, week and check, and by pair.

Pages and files show this value and compute nothing themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from tasks.agreement.coefficients import (
    alpha,
    alpha_of_moments,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac,
    icc,
    interval,
    kendall,
    linear,
    nominal,
    ordinal,
    percent_agreement,
    quadratic,
    spearman,
    within_one,
)
from tasks.agreement.figures import Coefficient, estimates, value_of
from tasks.agreement.measures import APPLIES, MEASURES, OF_CLASSES, OF_MANY_LEVELS
from tasks.agreement.samples import Counts, Floats, Ints, Mask, Matrix, Scores
from tasks.agreement.stored import Estimate, Estimates, Origin, Pair, Part

# Coefficients by code, for any annotators: those of MEASURES.
OVERALL: Mapping[str, Coefficient[Counts]] = {
    "alpha-ordinal": partial(alpha, metric=ordinal),
    "alpha-nominal": partial(alpha, metric=nominal),
    "alpha-interval": partial(alpha, metric=interval),
    "same": percent_agreement,
    "within-one": partial(percent_agreement, weighing=within_one),
    "fleiss": fleiss_kappa,
    "ac1": gwet_ac,
    "ac2-linear": partial(gwet_ac, weighing=linear),
    "ac2-quadratic": partial(gwet_ac, weighing=quadratic),
}
# For answers to a check.
OF_ANSWERS = {code: OVERALL[code] for code in dict.fromkeys(MEASURES.values())}
# For two annotators.
OF_PAIR: Mapping[str, Coefficient[Matrix]] = {
    "kappa": cohen_kappa,
    "kappa-linear": partial(cohen_kappa, weighing=linear),
    "kappa-quadratic": partial(cohen_kappa, weighing=quadratic),
    "spearman": spearman,
    "kendall": kendall,
}
# For a team that rated the same units.
OF_TEAM: Mapping[str, Coefficient[Matrix]] = {
    "icc-1-1": partial(icc, icc_model=1),
    "icc-2-1": partial(icc, icc_model=2),
    "icc-3-1": partial(icc, icc_model=3),
    "icc-1-k": partial(icc, icc_model=1, average=True),
    "icc-2-k": partial(icc, icc_model=2, average=True),
    "icc-3-k": partial(icc, icc_model=3, average=True),
}
# Those that need no persons: each unit may have raters of its own.
OF_SLOTS = ("icc-1-1", "icc-1-k")
MOST_UNITS = 10
MOST_COMPARED = 50  # people: of more, no figures are made of two, or of all but one


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a dimension, or for each what is missing.

    People are positions among the annotators; models, batches and weeks are numbers.
    """

    overall: Part
    team: tuple[int, ...]  # the annotators whom `of_team` compares
    team_units: int
    of_team: Estimates
    by_model: Mapping[int, Part]
    by_batch: Mapping[int, Part]
    by_week: Mapping[int, Part]  # a unit belongs to the week of its last rating
    by_check: tuple[Part, ...]
    pairs: tuple[Pair, ...]
    sources: list[Origin]  # the largest share first
    furthest: tuple[int, ...]  # the units with the largest squared differences, the largest first
    # The annotator without whom the figure of scores is highest, and that figure. None where no
    # three annotators are.
    without: tuple[int, Estimate] | None


def report(
    scores: Scores, positions_by_check: Mapping[str, Ints], applies: Scores | None = None
) -> Report:
    """Return all figures.

    `positions_by_check` has the positions of the answers to each check (see `Scores.answers`).
    `applies` has 1 in place of each score, and 0 for each answer without one.
    """
    team: tuple[int, ...] = ()
    if scores.measures is not OF_CLASSES:
        team = scores.team()
    team_units = 0
    of_team: Estimates = {}
    if team:
        matrix = scores.matrix(team)
        team_units = matrix.compared
        coefficients = _team_coefficients(scores, team)
        of_team = estimates(coefficients, matrix)
    overall = _part("", scores.counts, _overall(scores))
    by_model = _parts(scores, scores.model, overall)
    by_batch = _parts(scores, scores.batch, overall)
    by_week = _parts(scores, scores.last_week, overall)
    by_check = tuple(_check_parts(scores, positions_by_check, applies))
    pairs = tuple(_pairs(scores))
    return Report(
        overall=overall,
        team=team,
        team_units=team_units,
        of_team=of_team,
        by_model=by_model,
        by_batch=by_batch,
        by_week=by_week,
        by_check=by_check,
        pairs=pairs,
        sources=_sources(scores, positions_by_check),
        furthest=furthest_of(scores),
        without=without_one(scores),
    )


def main_figure(scores: Scores) -> Part:
    """Return the overall figure by the main measure alone."""
    code = scores.measures[0]
    coefficient = _overall(scores)[code]
    return _part("", scores.counts, {code: coefficient})


def _overall(scores: Scores) -> Mapping[str, Coefficient[Counts]]:
    """Return the coefficients of a scale, for any annotators."""
    if scores.measures is OF_MANY_LEVELS:
        return {"alpha-interval": alpha_of_moments}
    coefficients = {}
    for code in scores.measures:
        if code in OVERALL:
            coefficients[code] = OVERALL[code]
    return coefficients


def _team_coefficients(scores: Scores, team: Sequence[int]) -> Mapping[str, Coefficient[Matrix]]:
    if scores.slots.isdisjoint(team):
        return OF_TEAM
    return {code: OF_TEAM[code] for code in OF_SLOTS}


def _part(name: str, counts: Counts, coefficients: Mapping[str, Coefficient[Counts]]) -> Part:
    tally = counts.tally
    ratings = tally.sum()
    shares = tally / (ratings or 1)
    figures = estimates(coefficients, counts)
    return Part(name, counts.compared, int(ratings), shares.tolist(), figures)


def _parts(scores: Scores, part_of_row: Ints, overall: Part) -> Mapping[int, Part]:
    """Return the figures of each part by its number; of a single part those of all rows."""
    numbers = np.unique(part_of_row).tolist()
    if len(numbers) == 1:
        return {numbers[0]: overall}
    parts = {}
    for number in numbers:
        rows = scores.where(part_of_row == number)
        parts[number] = _part("", rows.counts, _overall(scores))
    return parts


def _check_parts(
    scores: Scores, positions_by_check: Mapping[str, Ints], applies: Scores | None
) -> Iterator[Part]:
    """Yield the figures of each check, one after the other: its answers are a copy of the scores.

    A million scores with the answers to twenty checks would take a gigabyte.
    """
    for code, positions in positions_by_check.items():
        answers = scores.answers(positions)
        yield _part(code, answers.counts, OF_ANSWERS)
    if applies is not None:
        yield _part(APPLIES, applies.counts, OF_ANSWERS)


def _pairs(scores: Scores) -> Iterator[Pair]:
    people = scores.persons
    if len(people) > MOST_COMPARED:
        return
    of_two = {}
    for code, coefficient in OF_PAIR.items():
        if code in scores.measures:
            of_two[code] = coefficient
    for first, second in combinations(people, 2):
        matrix = scores.matrix((first, second))
        figures = estimates(_overall(scores), matrix.counts)
        if of_two:
            more_figures = estimates(of_two, matrix)
            figures.update(more_figures)
        yield Pair(first, second, matrix.compared, figures)


def _squares(scores: Scores) -> Floats:
    """Return the squared difference of the scores of each pair of rows; of two classes 1."""
    rows, others = scores.pairs
    values = scores.scale[scores.value]
    differences = values[rows] - values[others]
    if scores.measures is OF_CLASSES:
        differences = np.sign(differences)
    return differences**2


def _origin(check: str, squares: Floats, which: Mask) -> Origin:
    of_pairs = squares[which]
    share = of_pairs.sum() / (squares.sum() or 1)
    distances = np.sqrt(of_pairs)
    distance = distances.mean()
    pairs = int(which.sum())
    return Origin(check, pairs, float(distance), float(share))


def _sources(scores: Scores, positions_by_check: Mapping[str, Ints]) -> list[Origin]:
    rows, others = scores.pairs
    squares = _squares(scores)
    agree_in_all = np.ones(len(rows), dtype=bool)
    origins = []
    for code, positions in positions_by_check.items():
        answers = positions[scores.answer_set]
        first = answers[rows]
        second = answers[others]
        differ = first != second
        agree_in_all &= ~differ
        differ &= np.minimum(first, second) >= 0  # both were answered
        if differ.any():
            origin = _origin(code, squares, differ)
            origins.append(origin)
    origins.sort(key=lambda origin: -origin.share)
    if agree_in_all.any():
        origin = _origin("", squares, agree_in_all)
        origins.append(origin)
    return origins


def furthest_of(scores: Scores) -> tuple[int, ...]:
    """Return the units with the largest squared differences, the largest first."""
    rows, _others = scores.pairs
    squares = _squares(scores)
    of_unit = np.bincount(scores.unit[rows], weights=squares)
    order = np.argsort(-of_unit, kind="stable")
    first = order[:MOST_UNITS].tolist()
    return tuple(unit for unit in first if of_unit[unit])


def without_one(scores: Scores) -> tuple[int, Estimate] | None:
    """Return the annotator without whom the main figure is highest, and that figure."""
    people = scores.persons
    if not 3 <= len(people) <= MOST_COMPARED:
        return None
    code = scores.measures[0]
    main = _overall(scores)[code]
    samples = {}
    values = {}
    for person in people:
        others = scores.where(scores.annotator != person)
        samples[person] = others.counts
        value = value_of(main, others.counts)
        values[person] = -np.inf if np.isnan(value) else value
    best = max(values, key=lambda person: values[person])
    figures = estimates({"": main}, samples[best])
    return best, figures[""]
