"""Tell how far the answers of one case lie apart, and why. Pure.

`figures_of` is for the list of cases; the pages of a case ask for medians, majorities and reasons.
A case is one target in one dimension. Two people *saw* different things if no score is open under
the checks of both. Else they *concluded* differently from what both could have seen. The rules
between the targets of an item play no part.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from .dimension import Dimension
from .kinds import Better, Scope
from .parts import COMMENT, Check
from .rules import judge
from .verdict import Clashes, Reason, Verdict

# Between a score and an answer without one: further than any two scores are.
NO_COMMON_SCALE = 32_767
_REMEMBERED = 4096  # verdicts: people answer much the same for one response after another


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """The answer of one person in a case."""

    value: int | None
    without: str = ""  # why there is no score: a `Without`
    # Check code → answer code, with those of the whole response.
    check_answers: Mapping[str, str] = field(default_factory=dict)

    def distance(self, other: "ScoredAnswer", dimension: Dimension) -> int:
        """Return how far two answers are apart; classes are 1 apart."""
        if self.value is None or other.value is None:
            is_same = self.value == other.value and self.without == other.without
            return 0 if is_same else NO_COMMON_SCALE
        distance = abs(self.value - other.value)
        return min(distance, 1) if dimension.better is Better.NONE else distance


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """The difference between the answers of a case, and what it is about."""

    spread: int = 0  # between the scores; 0 for fewer than two
    is_mixed: bool = False  # some gave a score and others none, or none for different reasons
    is_forced_apart: bool = False  # a check forces a score for some, and others gave another one
    checks: tuple[str, ...] = ()  # codes of those that people answered differently
    is_seen: bool = False  # the two farthest answers: seen or concluded
    pairs: int = 0  # of answers that differ
    seen_pairs: int = 0
    squares: int = 0  # the squared differences of all pairs of scores, summed
    # By clause: the spread that would be left if all had answered the clause's checks alike, or
    # NO_COMMON_SCALE if another check would still force some people's score away from others'.
    spread_without: Mapping[str, int] = field(default_factory=dict)

    @property
    def differs_at_all(self) -> bool:
        """True if any threshold, or a check of the lead's list, could make it a case."""
        return bool(self.spread or self.is_mixed or self.is_forced_apart or self.checks)


class _Difference(NamedTuple):
    """A pair of answers that differ."""

    distance: int
    is_seen: bool  # seen or concluded


def figures_of(dimension: Dimension, scored_answers: Sequence[ScoredAnswer]) -> CaseFigures:
    """Return the figures of the answers that count in one case."""
    if len(scored_answers) < 2:
        return CaseFigures()
    checks = differing_checks(dimension, scored_answers)
    differences = [*_differences(dimension, scored_answers)]
    distances = [difference.distance for difference in differences]
    farthest = max(differences, key=lambda difference: difference.distance, default=None)
    is_forced_apart = _are_forced_apart(dimension, scored_answers)
    spread_without: dict[str, int] = {}
    if differences or is_forced_apart:
        spread_without.update(_spreads_without(dimension, scored_answers, checks))
    return CaseFigures(
        spread=spread_of_answers(dimension, scored_answers),
        is_mixed=NO_COMMON_SCALE in distances,
        is_forced_apart=is_forced_apart,
        checks=tuple(check.code for check in checks),
        is_seen=farthest is not None and farthest.is_seen,
        pairs=len(differences),
        seen_pairs=sum(difference.is_seen for difference in differences),
        squares=sum(distance**2 for distance in distances if distance != NO_COMMON_SCALE),
        spread_without=spread_without,
    )


def _differences(
    dimension: Dimension, scored_answers: Sequence[ScoredAnswer]
) -> Iterator[_Difference]:
    """Yield each pair of answers that differ."""
    for one, other in combinations(scored_answers, 2):
        distance = one.distance(other, dimension)
        if distance:
            is_seen = saw_different_things(dimension, one.check_answers, other.check_answers)
            yield _Difference(distance, is_seen)


def first_figures_of(dimension: Dimension, scored_answers: Sequence[ScoredAnswer]) -> CaseFigures:
    """Return the figures of scores alone: how far people were apart before any correction."""
    is_mixed = False
    for one, other in combinations(scored_answers, 2):
        is_mixed |= one.distance(other, dimension) == NO_COMMON_SCALE
    return CaseFigures(spread=spread_of_answers(dimension, scored_answers), is_mixed=is_mixed)


def spread_of_answers(dimension: Dimension, scored_answers: Sequence[ScoredAnswer]) -> int:
    """Return the distance between the lowest and the highest score; 1 for different classes."""
    values = [answer.value for answer in scored_answers if answer.value is not None]
    if not values:
        return 0
    spread = max(values) - min(values)
    return min(spread, 1) if dimension.better is Better.NONE else spread


def differing_checks(dimension: Dimension, scored_answers: Sequence[ScoredAnswer]) -> list[Check]:
    """Return the checks that people answered differently, in the rubric's order."""
    checks = []
    for check in (*dimension.shared, *dimension.checks):
        if check.scope is Scope.TARGET:
            different = {_answer_to(check, answer) for answer in scored_answers}
            if len(different) > 1:
                checks.append(check)
    return checks


def _answer_to(check: Check, answer: ScoredAnswer) -> str:
    value = answer.check_answers.get(check.code, "")
    if value == "no" and not check.needs_answer:
        return ""  # a tick that is not set
    return value


def saw_different_things(
    dimension: Dimension, check_answers: Mapping[str, str], other_answers: Mapping[str, str]
) -> bool:
    """Return True if no score is open under the checks of both people."""
    return scores_left_open(dimension, check_answers).isdisjoint(
        scores_left_open(dimension, other_answers)
    )


def scores_left_open(dimension: Dimension, check_answers: Mapping[str, str]) -> frozenset[int]:
    """Return the scores that checks leave open, with a comment; none if they clash."""
    verdict = verdict_on(dimension, check_answers)
    if isinstance(verdict, Verdict) and verdict.applies:
        return frozenset(verdict.open)
    return frozenset()


def verdict_on(dimension: Dimension, check_answers: Mapping[str, str]) -> Verdict | Clashes:
    """Return the verdict under a person's checks, as if the response had a comment."""
    return _verdict_on(dimension, frozenset(check_answers.items()))


@lru_cache(maxsize=_REMEMBERED)
def _verdict_on(
    dimension: Dimension, answer_pairs: frozenset[tuple[str, str]]
) -> Verdict | Clashes:
    facts = dimension.facts_of_answers(dict(answer_pairs))
    if dimension.needs_comment:
        facts |= {COMMENT}
    return judge(dimension, facts)


def reasons_against(
    dimension: Dimension, value: int, check_answers: Mapping[str, str]
) -> Sequence[Reason]:
    """Return the reasons that bar a score under checks; none if no rule does."""
    verdict = verdict_on(dimension, check_answers)
    if isinstance(verdict, Verdict):
        return verdict.bars(value)
    return [clash.reason for clash in verdict.clashes]


def lower_median(score_values: Sequence[int]) -> int:
    """Return the median of scores; of an even number the lower one of the two in the middle."""
    return sorted(score_values)[(len(score_values) - 1) // 2]


def majority_checks(
    dimension: Dimension, scored_answers: Sequence[ScoredAnswer]
) -> dict[str, str] | None:
    """Return the answers that more than half of the people gave; None if a check has none."""
    answer_by_check = _majorities(dimension, scored_answers)
    if None in answer_by_check.values():
        return None
    return {code: answer for code, answer in answer_by_check.items() if answer}


def checks_without_majority(
    dimension: Dimension, scored_answers: Sequence[ScoredAnswer]
) -> list[str]:
    """Return the codes of the checks to which no answer comes from more than half of the people."""
    majorities = _majorities(dimension, scored_answers)
    return [code for code, answer in majorities.items() if answer is None]


def _majorities(
    dimension: Dimension, scored_answers: Sequence[ScoredAnswer]
) -> dict[str, str | None]:
    """Return the answer of more than half of the people by check; "" is no answer, None no such."""
    answer_by_check: dict[str, str | None] = {}
    checks = {check.code: check for check in (*dimension.shared, *dimension.checks)}
    codes: set[str] = set()
    for answer in scored_answers:
        codes.update(answer.check_answers)
    for code in sorted(codes):
        if code in checks:
            counts = Counter(_answer_to(checks[code], answer) for answer in scored_answers)
        else:  # of another version of the rubric, or the lines of a persona
            counts = Counter(answer.check_answers.get(code, "") for answer in scored_answers)
        value, number = counts.most_common(1)[0]
        answer_by_check[code] = value if 2 * number > len(scored_answers) else None
    return answer_by_check


def _are_forced_apart(dimension: Dimension, scored_answers: Sequence[ScoredAnswer]) -> bool:
    """Return True if some people's checks force a score, and others gave another score."""
    forced = set()
    for answer in scored_answers:
        verdict = verdict_on(dimension, answer.check_answers)
        if isinstance(verdict, Verdict) and verdict.forced is not None:
            forced.add(verdict.forced)
    values = {answer.value for answer in scored_answers if answer.value is not None}
    return bool(forced) and len(values | forced) > 1


def _spreads_without(
    dimension: Dimension, scored_answers: Sequence[ScoredAnswer], checks: Iterable[Check]
) -> Iterator[tuple[str, int]]:
    """Yield each clause of a differing check, with the spread if all had answered it alike.

    All get the answers to its checks that most gave, of equally many the first. Then each score
    moves to the nearest one that is open.
    """
    checks_by_clause: dict[str, list[Check]] = {}
    for check in checks:
        for clause in clauses_of(check):
            checks_by_clause.setdefault(clause, []).append(check)
    for clause, of_clause in checks_by_clause.items():
        agreed = {check.code: _commonest_answer(check, scored_answers) for check in of_clause}
        moved = [_moved(dimension, answer, agreed) for answer in scored_answers]
        is_forced_apart = _are_forced_apart(dimension, moved)
        yield clause, NO_COMMON_SCALE if is_forced_apart else spread_of_answers(dimension, moved)


def clauses_of(check: Check) -> tuple[str, ...]:
    """Return the clauses of a check and of its answers, each once."""
    clauses = dict.fromkeys(check.clauses)
    for answer in check.answers:
        clauses.update(dict.fromkeys(answer.clauses))
    return tuple(clauses)


def _commonest_answer(check: Check, scored_answers: Sequence[ScoredAnswer]) -> str:
    counts = Counter(_answer_to(check, answer) for answer in scored_answers)
    return counts.most_common(1)[0][0]


def _moved(dimension: Dimension, answer: ScoredAnswer, agreed: Mapping[str, str]) -> ScoredAnswer:
    """Return an answer with other checks, and the open score that is nearest to its own."""
    checks = {**answer.check_answers, **agreed}
    scores = scores_left_open(dimension, checks)
    if answer.value is None or not scores:
        return replace(answer, check_answers=checks)
    nearest = min(sorted(scores), key=lambda score: abs(score - (answer.value or 0)))
    return replace(answer, value=nearest, check_answers=checks)
