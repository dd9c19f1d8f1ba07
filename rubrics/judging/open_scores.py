"""Which scores of a dimension answers leave open, as rows of a table.

The pages of a rubric and `manage.py rubric check` show the table:

    nothing wrong                    5, 6, 7
    Language error: yes              1, 2, 3
    Language error: yes, Rude: yes   1

A row names some answers; all else is at its best: nothing else is ticked or detected, each question
has its best answer (`judging.rules.best_answers`), and a comment is written. A question without a
best answer has none then. A row also names what its answers need in order to be asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import combinations, islice
from typing import NamedTuple

from .dimension import Dimension
from .kinds import Effect
from .parts import COMMENT, Check
from .reasons import clashes_in
from .rules import barred_scores, best_answers, judge
from .verdict import Clashes, Reason, Verdict

MOST_NEEDED = 3  # answers that a row adds, so that its own are asked
MOST_PAIRS = 5_000  # that are looked at: of a hundred answers all
# For all dimensions of a rubric. A number of looks at parts of it, not of seconds: a page always
# has the same rows. The table of "response-quality" takes 98,280 of them. To say what opens one of
# its scores takes most: 2,000 tries of 520 looks are 1,040,000.
MOST_WORK = 1_100_000

# The codes of checks, each with that of its answer: "yes" for a tick, "" for one taken back.
Answers = Mapping[str, str]


class OpenRow(NamedTuple):
    """Some answers, and the verdict on them with all else at its best."""

    answers: Answers
    verdict: Verdict


class OpenTable(NamedTuple):
    """The rows of a dimension, in the order of its checks; pairs come last."""

    open_rows: Sequence[OpenRow]
    is_whole: bool  # False if the budget did not reach


class SingleRow(NamedTuple):
    """The row of one answer. It may name others, which the answer needs to be asked."""

    answer: Answers  # alone
    row: OpenRow


class AtBest(NamedTuple):
    """Some answers with all else at its best, and what the rules say of them."""

    facts: frozenset[str]
    answers: Answers  # all of them
    judgement: Verdict | Clashes


class Judge:
    """A dimension to judge as often as a budget of work allows."""

    def __init__(self, dimension: Dimension, work: int = MOST_WORK) -> None:
        self.dimension = dimension
        self.most = work // count_parts(dimension)
        self.left = self.most  # judgements

    @cached_property
    def enabling_answers(self) -> list[tuple[str, str]]:
        """The answers that others need in order to be asked: codes of checks and answers."""
        checks = (*self.dimension.shared, *self.dimension.checks)
        names = {*self.dimension.when.names}.union(*(check.when.names for check in checks))
        answers = []
        for check, value in _values(self.dimension):
            if value and not names.isdisjoint(check.facts):
                answers.append((check.code, value))
        return answers

    @property
    def is_over(self) -> bool:
        """True if the budget is used up."""
        return self.left <= 0

    def judge(self, answers: Answers) -> AtBest:
        """Judge as `judge_at_best` does, and count it."""
        self.left -= 1
        return judge_at_best(self.dimension, answers)


@lru_cache(maxsize=32)
def open_scores(dimension: Dimension, work: int = MOST_WORK) -> OpenTable:
    """Return the rows of a dimension: all at its best, each answer alone, pairs that interact.

    A pair interacts if it leaves open other scores than follow from what its answers open and bar
    alone. Answers that cannot go together have no row.
    """
    judge = Judge(dimension, work)
    open_rows: list[OpenRow] = []
    open_at_best: set[int] = set()
    first = _row_of_answers(judge, {})
    if first:
        open_rows.append(first)
        open_at_best.update(first.verdict.open)
    single_rows = list(_single_rows(judge))
    open_rows += [single.row for single in single_rows]
    for one, other in islice(combinations(single_rows, 2), MOST_PAIRS):
        pair = _interaction(judge, open_at_best, one, other)
        if pair:
            open_rows.append(pair)
    rows_by_answers = {frozenset(row.answers.items()): row for row in open_rows}
    return OpenTable([*rows_by_answers.values()], is_whole=not judge.is_over)


def _single_rows(judge: Judge) -> Iterator[SingleRow]:
    """Yield the row of each answer alone that is not the best one."""
    for check, value in _values(judge.dimension):
        if not value or value == check.best:
            continue
        answer = {check.code: value}
        row = _row_of_answers(judge, answer)
        if row:
            yield SingleRow(answer, row)


def _interaction(
    judge: Judge, open_at_best: set[int], one: SingleRow, other: SingleRow
) -> OpenRow | None:
    """Return the row of two answers if it does not follow from their own rows."""
    if one.answer.keys() == other.answer.keys():
        return None
    needed = {**one.row.answers, **other.row.answers}
    row = _possible_row(judge, {**needed, **one.answer, **other.answer})
    if row is None:
        return None
    expected = expected_scores(judge.dimension, open_at_best, one.row.verdict, other.row.verdict)
    return None if set(row.verdict.open) == expected else row


def _row_of_answers(judge: Judge, answers: Answers) -> OpenRow | None:
    """Return the row of some answers, with the fewest others that they need to be asked."""
    for number in range(MOST_NEEDED + 1):
        for others in combinations(judge.enabling_answers, number):
            row = _possible_row(judge, {**dict(others), **answers})
            if row or judge.is_over:
                return row
    return None


def _possible_row(judge: Judge, answers: Answers) -> OpenRow | None:
    """Return the row of some answers if they can stand together and the budget reaches."""
    if judge.is_over:
        return None
    dimension = judge.dimension
    facts, all_answers, verdict = judge.judge(answers)
    if not isinstance(verdict, Verdict) or not (verdict.open or verdict.barred):
        return None
    applicable = dimension.applicable_checks(facts, all_answers)
    asked = {row.check.code for row in applicable if row.applies}
    is_possible = asked.issuperset(answers) and not any(clashes_in(dimension, facts))
    return OpenRow(answers, verdict) if is_possible else None


def expected_scores(dimension: Dimension, open_at_best: set[int], *verdicts: Verdict) -> set[int]:
    """Return what answers leave open together if each opens and bars what it does alone.

    `open_at_best` is open without them. A rule that forces the score bars all others.
    """
    scores = open_at_best.union(*(verdict.open for verdict in verdicts))
    for verdict in verdicts:
        limited = open_at_best
        if verdict.forced is not None:
            limited = {*dimension.scores}
        scores -= limited.difference(verdict.open)
    return scores


def overruled_reasons(
    dimension: Dimension, answers: Answers, verdict: Verdict
) -> tuple[Reason, ...]:
    """Return the reasons that lose to a rule that forces the score of a row."""
    at_best = judge_at_best(dimension, answers)
    rules = []
    for rule in dimension.rules:
        is_force = rule.effect is Effect.FORCE
        rules.append(replace(rule, effect=Effect.ADVISE) if is_force else rule)
    forceless = replace(dimension, rules=tuple(rules)).with_shared_checks(dimension.shared)
    overruled = judge(forceless, at_best.facts, answered=at_best.answers.keys())
    if isinstance(overruled, Verdict):
        return (*verdict.overridden, *overruled.acting_reasons)
    return ()


def judge_at_best(dimension: Dimension, answers: Answers) -> AtBest:
    """Judge these answers with all else at its best.

    An answer to what is not asked says nothing.
    """
    best = {check.code: check.best for check, _facts in dimension.required_checks if check.best}
    facts_of_these = {fact for code in answers for fact in dimension.check(code).facts}
    asserted = dimension.facts_of_answers({**best, **answers}) & facts_of_these
    others = {check.code: answer.code for check, answer in best_answers(dimension, asserted)}
    all_answers = {COMMENT: "yes", **others, **answers}
    facts = dimension.facts_of_answers(all_answers)
    judgement = judge(dimension, facts, answered=all_answers.keys())
    return AtBest(facts, all_answers, judgement)


def _values(dimension: Dimension) -> Iterator[tuple[Check, str]]:
    """Yield each check with each answer that it may have.

    Checks of the whole response that the dimension does not name are left out.
    """
    for check in (*dimension.shared, *dimension.checks):
        if not _concerns_dimension(check, dimension):
            continue
        if check.needs_answer:
            for answer in check.answers:
                yield check, answer.code
        else:
            yield check, "yes"
            yield check, ""


def _concerns_dimension(check: Check, dimension: Dimension) -> bool:
    """Return True for a check of the dimension, or of the whole response if a rule names it."""
    return check in dimension.checks or check in dimension.with_shared_checks((check,)).shared


def count_parts(dimension: Dimension) -> int:
    """Return how many parts of a dimension a judgement looks at."""
    parts = int(dimension.needs_comment)
    for check in (*dimension.shared, *dimension.checks):
        parts += 1 + len(check.answers) + len(check.when.names)
    for rule in dimension.rules:
        parts += 1 + len(rule.names) + len(rule.needs.names) + len(barred_scores(rule, dimension))
    exclusions = sum(len(rule.names) for rule in dimension.exclusion_rules)
    clashes = len(dimension.required_checks) * exclusions
    return 20 + len(dimension.scores) + 2 * parts + clashes // 4
