"""Which scores answers leave open, and the fewest changes that open a barred one.

A row names some answers; all else is at its best: nothing else is ticked or detected, each question
has its best answer (`rubrics.rules.best_answers`), and a comment is written. A question without a
best answer has none then. A row also names what its answers need in order to be asked.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import combinations, islice, takewhile

from .reasons import clashes_in
from .rules import best_answers, judge, reach
from .schema import COMMENT, Check, Clashes, Dimension, Effect, Reason, Verdict

MOST_NEEDED = 3  # answers that a row adds, so that its own are asked
MOST_TRIES = 2_000  # sets of changes

# The codes of checks, each with that of its answer: "yes" for a tick, "" for one taken back.
Given = Mapping[str, str]
Row = tuple[Given, Verdict]


MOST_PAIRS = 5_000  # that are looked at: of a hundred answers all
# For all dimensions of a rubric. A number of looks at parts of it, not of seconds: a page always
# has the same rows. The table of "response-quality" takes 98,280 of them. To say what opens one of
# its scores takes most: 2,000 tries of 520 looks are 1,040,000.
MOST_LOOKS = 1_100_000


class Judge:
    """A dimension to judge as often as a budget of looks allows."""

    def __init__(self, dimension: Dimension, looks: int = MOST_LOOKS) -> None:
        self.dimension = dimension
        self.most = looks // looks_at(dimension)
        self.left = self.most  # judgements

    @cached_property
    def needed(self) -> list[tuple[str, str]]:
        """The answers that others need in order to be asked."""
        dimension = self.dimension
        checks = (*dimension.shared, *dimension.checks)
        named = {*dimension.when.names}.union(*(check.when.names for check in checks))
        naming = {check.code for check in checks if not named.isdisjoint(check.facts)}
        every = _values(dimension)
        return [(check.code, value) for check, value in every if value and check.code in naming]

    @property
    def is_over(self) -> bool:
        """True if the budget is used up."""
        return self.left <= 0

    def at_best(self, given: Given) -> "tuple[frozenset[str], Given, Verdict | Clashes]":
        """Judge as `at_best` does, and count it."""
        self.left -= 1
        return at_best(self.dimension, given)


class Rows(list[Row]):
    """The rows of a dimension's table. They are not whole if the budget did not reach."""

    is_whole = True


def looks_at(dimension: Dimension) -> int:
    """Return how many parts of a dimension a judgement looks at."""
    checks = (*dimension.shared, *dimension.checks)
    answers = sum(1 + len(check.answers) + len(check.when.names) for check in checks)
    rules = sum(
        1 + len(rule.names) + len(rule.needs.names) + len(reach(rule, dimension))
        for rule in dimension.rules
    )
    clashes = len(dimension.asked) * sum(len(rule.names) for rule in dimension.excluding)
    return 20 + len(dimension.scores) + 2 * answers + 2 * rules + clashes // 4


@lru_cache(maxsize=32)
def open_scores(dimension: Dimension, looks: int = MOST_LOOKS) -> Rows:
    """Return the rows of a dimension: all at its best, each answer alone, pairs that interact.

    A pair interacts if it leaves open other scores than follow from what its answers open and bar
    alone. Answers that cannot go together have no row.
    """
    own = Judge(dimension, looks)
    first = [row for row in [_asked(own, {})] if row]
    best = {score for _given, verdict in first for score in verdict.open}
    alone = [
        (given, row)
        for check, value in _values(dimension)
        if value and value != check.best
        if (row := _asked(own, given := {check.code: value}))
    ]
    pairs = [
        row
        for (one, (needed, verdict)), (other, (more, its)) in islice(
            combinations(alone, 2), MOST_PAIRS
        )
        if one.keys() != other.keys()
        if (row := _possible(own, {**needed, **more, **one, **other}))
        if {*row[1].open} != following(dimension, best, verdict, its)
    ]
    every = [*first, *(row for _given, row in alone), *pairs]
    rows = Rows({frozenset(row[0].items()): row for row in every}.values())
    rows.is_whole = not own.is_over
    return rows


def following(dimension: Dimension, best: set[int], *alone: Verdict) -> set[int]:
    """Return what answers leave open together if each opens and bars what it does alone.

    `best` is open without them. A rule that forces the score bars all others.
    """
    return best.union(*(each.open for each in alone)).difference(
        *((best, {*dimension.scores})[each.forced is not None] - {*each.open} for each in alone)
    )


def why_not(dimension: Dimension, given: Given, score: int) -> Given:
    """Return the fewest changes to a row that open a score; none if `most_tries` do not open it.

    A score that is open only until another question is answered does not count.
    """
    changes = [
        (check.code, value)
        for check, value in _values(dimension)
        if value != given.get(check.code, check.best or "")
    ]
    sets = (
        dict(some) for number in range(len(changes)) for some in combinations(changes, number + 1)
    )
    return next(
        (
            some
            for some in islice(sets, most_tries(dimension))
            if isinstance(verdict := at_best(dimension, {**given, **some})[2], Verdict)
            and score in verdict.open
            and not any(e.best or e.when.names for e in map(dimension.check, verdict.missing))
        ),
        {},
    )


def most_tries(dimension: Dimension) -> int:
    """Return how many sets of changes are tried: fewer of a dimension with very much in it."""
    return min(MOST_TRIES, Judge(dimension).most)


def beaten(dimension: Dimension, given: Given, verdict: Verdict) -> tuple[Reason, ...]:
    """Return the reasons that lose to a rule that forces the score of a row."""
    facts, answers, _judged = at_best(dimension, given)
    rules = tuple(
        replace(rule, effect=Effect.ADVISE) if rule.effect is Effect.FORCE else rule
        for rule in dimension.rules
    )
    lost = judge(
        replace(dimension, rules=rules).beside(dimension.shared), facts, answered=answers.keys()
    )
    return (*verdict.overridden, *lost.acting) if isinstance(lost, Verdict) else ()


def _values(dimension: Dimension) -> Iterator[tuple[Check, str]]:
    """Yield each check with each answer that it may have, the comment apart.

    Checks of the whole response that the dimension does not name are left out.
    """
    return (
        (check, value)
        for check in (*dimension.shared, *dimension.checks)
        if check in dimension.checks or check in dimension.beside((check,)).shared
        if check.code != COMMENT
        for value in ([answer.code for answer in check.answers] if check.asked else ["yes", ""])
    )


def _asked(judge: Judge, given: Given) -> Row | None:
    """Return the row of some answers, with the fewest others that they need to be asked."""
    more = judge.needed
    sets = (dict(some) for number in range(MOST_NEEDED + 1) for some in combinations(more, number))
    tries = takewhile(lambda _some: not judge.is_over, sets)
    return next((row for some in tries if (row := _possible(judge, {**some, **given}))), None)


def _possible(judge: Judge, given: Given) -> Row | None:
    """Return the row of some answers if they can stand together and the budget reaches."""
    if judge.is_over:
        return None
    dimension = judge.dimension
    facts, answers, verdict = judge.at_best(given)
    asked = {check.code for check, is_asked, _ in dimension.asking(facts, answers) if is_asked}
    return (
        (given, verdict)
        if isinstance(verdict, Verdict)
        and (verdict.open or verdict.barred)
        and asked.issuperset(given)
        and not any(clashes_in(dimension, facts))
        else None
    )


def at_best(dimension: Dimension, given: Given) -> tuple[frozenset[str], Given, Verdict | Clashes]:
    """Judge these answers with all else at its best; return the facts, all answers, and that.

    An answer to what is not asked says nothing.
    """
    best = {check.code: check.best for check, _facts in dimension.asked if check.best}
    own = {fact for code in given for fact in dimension.check(code).facts}
    held = dimension.asserted_by({**best, **given}) & own
    kept = {check.code: answer.code for check, answer in best_answers(dimension, held)}
    answers = {COMMENT: "yes", **kept, **given}
    facts = dimension.asserted_by(answers)
    return facts, answers, judge(dimension, facts, answered=answers.keys())
