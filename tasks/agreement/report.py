"""All figures of one dimension: over all, by model, batch, week and check, and by pair.

Pages and commands show this value and compute nothing themselves.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
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
from tasks.agreement.figures import Coefficient, Figure, Missing, estimates, value_of
from tasks.agreement.measures import APPLIES, MEASURES, OF_CLASSES, OF_MANY_LEVELS
from tasks.agreement.samples import Counts, Floats, Ints, Mask, Matrix, Scores

Shown = Figure | Missing

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
    f"icc-{model}-{'k' if average else '1'}": partial(icc, model=model, average=average)
    for average in (False, True)
    for model in (1, 2, 3)
}
# Those that need no persons: each unit may have raters of its own.
OF_SLOTS = ("icc-1-1", "icc-1-k")
MOST_UNITS_SHOWN = 10
MOST_COMPARED = 50  # people: of more, no figures are made of two, or of all but one


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of a part: of a model, batch or week by its number, of a check by its code."""

    name: int | str
    units: int  # rated twice or more
    ratings: int  # of these units
    prevalence: list[float]  # the share of each level among these ratings
    figures: Mapping[str, Shown]


@dataclass(frozen=True, slots=True)
class Pair:
    """The figures of two annotators, by the codes of OVERALL and OF_PAIR."""

    first: int
    second: int
    units: int
    figures: Mapping[str, Shown]


@dataclass(frozen=True, slots=True)
class Origin:
    """Pairs of ratings of a unit that differ in a check; "" for those that agree in all checks."""

    check: str
    pairs: int
    apart: float  # mean difference of their scores
    share: float  # of all squared differences between scores


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a dimension, or for each what is missing."""

    overall: Part
    team: tuple[int, ...]  # the annotators whom `of_team` compares
    team_units: int
    of_team: Mapping[str, Shown]
    models: tuple[Part, ...]
    batches: tuple[Part, ...]
    weeks: tuple[Part, ...]  # a unit belongs to the week of its last rating
    checks: tuple[Part, ...]
    pairs: tuple[Pair, ...]
    sources: list[Origin]  # the largest share first
    furthest: tuple[int, ...]  # the units with the largest squared differences, the largest first
    # The annotator without whom the figure of scores is highest, and that figure. None where no
    # three annotators are.
    without: tuple[int, Shown] | None


def report(scores: Scores, checks: Mapping[str, Ints], applies: Scores | None = None) -> Report:
    """Return all figures.

    `checks` has, for the code of each check, the positions of its answers (see `Scores.answers`).
    `applies` has 1 in place of each score, and 0 for each answer without one.
    """
    team = () if scores.measures is OF_CLASSES else scores.team()
    of_team = scores.matrix(team) if team else None
    has_slots = not scores.slots.isdisjoint(team)
    icc_codes = OF_SLOTS if has_slots else OF_TEAM

    overall = _part("", scores.counts, _overall(scores))

    def by(parts: Ints) -> tuple[Part, ...]:
        numbers = np.unique(parts).tolist()
        if len(numbers) == 1:  # the same rows
            return (replace(overall, name=numbers[0]),)
        return tuple(
            _part(each, scores.where(parts == each).counts, _overall(scores)) for each in numbers
        )

    return Report(
        overall=overall,
        team=team,
        team_units=of_team.compared if of_team else 0,
        of_team=estimates({code: OF_TEAM[code] for code in icc_codes}, of_team) if of_team else {},
        models=by(scores.model),
        batches=by(scores.batch),
        weeks=by(scores.last_week),
        checks=tuple(_of_checks(scores, checks, applies)),
        pairs=tuple(_pairs(scores)),
        sources=_sources(scores, checks),
        furthest=furthest_of(scores),
        without=without_one(scores),
    )


def main_figure(scores: Scores) -> Part:
    """Return the overall figure by the main measure alone."""
    code = scores.measures[0]
    return _part("", scores.counts, {code: _overall(scores)[code]})


def _overall(scores: Scores) -> Mapping[str, Coefficient[Counts]]:
    """Return the coefficients of a scale, for any annotators."""
    return (
        {"alpha-interval": alpha_of_moments}
        if scores.measures is OF_MANY_LEVELS
        else {code: OVERALL[code] for code in scores.measures if code in OVERALL}
    )


def _part(name: int | str, counts: Counts, coefficients: Mapping[str, Coefficient[Counts]]) -> Part:
    tally = counts.tally
    return Part(
        name=name,
        units=counts.compared,
        ratings=int(tally.sum()),
        prevalence=(tally / (tally.sum() or 1)).tolist(),
        figures=estimates(coefficients, counts),
    )


def _of_checks(
    scores: Scores, checks: Mapping[str, Ints], applies: Scores | None
) -> Iterator[Part]:
    """Yield the figures of each check, one after the other: its answers are a copy of the scores.

    A million scores with the answers to twenty checks would take a gigabyte.
    """
    for code, positions in checks.items():
        yield _part(code, scores.answers(positions).counts, OF_ANSWERS)
    if applies is not None:
        yield _part(APPLIES, applies.counts, OF_ANSWERS)


def _pairs(scores: Scores) -> Iterator[Pair]:
    of_pair = {code: each for code, each in OF_PAIR.items() if code in scores.measures}
    people = scores.persons
    for first, second in combinations(people if len(people) <= MOST_COMPARED else (), 2):
        matrix: Matrix = scores.matrix((first, second))
        yield Pair(
            first,
            second,
            matrix.compared,
            estimates(_overall(scores), matrix.counts)
            | (estimates(of_pair, matrix) if of_pair else {}),
        )


def _squares(scores: Scores) -> Floats:
    """Return the squared difference of the scores of each pair of rows; of two classes 1."""
    rows, others = scores.pairs
    apart = scores.scale[scores.value[rows]] - scores.scale[scores.value[others]]
    return (np.sign(apart) if scores.measures is OF_CLASSES else apart) ** 2


def _sources(scores: Scores, checks: Mapping[str, Ints]) -> list[Origin]:
    rows, others = scores.pairs
    squares = _squares(scores)
    alike = np.ones(len(rows), dtype=bool)
    found = []

    def source(check: str, which: Mask) -> Origin:
        share = squares[which].sum() / (squares.sum() or 1)
        return Origin(check, int(which.sum()), float(np.sqrt(squares[which]).mean()), float(share))

    for code, positions in checks.items():
        values = positions[scores.said]
        differ = values[rows] != values[others]
        alike &= ~differ
        differ &= np.minimum(values[rows], values[others]) >= 0  # both were answered
        if differ.any():
            found.append(source(code, differ))
    found.sort(key=lambda each: -each.share)
    return [*found, source("", alike)] if alike.any() else found


def furthest_of(scores: Scores) -> tuple[int, ...]:
    """Return the units with the largest squared differences, the largest first."""
    rows, _others = scores.pairs
    of_unit = np.bincount(scores.unit[rows], weights=_squares(scores))
    order = np.argsort(-of_unit, kind="stable")[:MOST_UNITS_SHOWN]
    return tuple(int(unit) for unit in order if of_unit[unit])


def without_one(scores: Scores) -> tuple[int, Shown] | None:
    """Return the annotator without whom the main figure is highest, and that figure."""
    people = scores.persons
    if not 3 <= len(people) <= MOST_COMPARED:
        return None
    main = _overall(scores)[scores.measures[0]]
    others = {each: scores.where(scores.annotator != each).counts for each in people}
    values = {each: value_of(main, counts) for each, counts in others.items()}
    best = max(values, key=lambda each: -np.inf if np.isnan(values[each]) else values[each])
    return best, estimates({"": main}, others[best])[""]
