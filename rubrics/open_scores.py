"""Which scores answers leave open, and the fewest changes that open a barred one.

A row names some answers; all else is at its best: nothing else is ticked or detected, each question
has its best answer (`rubrics.rules.best_answers`), and a comment is written. A question without a
best answer has none then. A row also names what its answers need in order to be asked.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, islice

from .reasons import clashes_in
from .rules import best_answers, judge
from .schema import COMMENT, Check, Clashes, Dimension, Effect, Reason, Verdict

MOST_NEEDED = 3  # answers that a row adds, so that its own are asked
MOST_TRIES = 2_000  # sets of changes

# The codes of checks, each with that of its answer: "yes" for a tick, "" for one taken back.
Given = Mapping[str, str]
Row = tuple[Given, Verdict]


MOST_PAIRS = 5_000  # that are looked at: of a hundred answers all


@lru_cache(maxsize=32)
def open_scores(dimension: Dimension) -> Sequence[Row]:
    """Return the rows of a dimension: all at its best, each answer alone, pairs that interact.

    A pair interacts if it leaves open other scores than follow from what its answers open and bar
    alone. Answers that cannot go together have no row.
    """
    first = [row for row in [_asked(dimension, {})] if row]
    best = {score for _given, verdict in first for score in verdict.open}
    alone = [
        (given, row)
        for check, value in _values(dimension)
        if value and value != check.best
        if (row := _asked(dimension, given := {check.code: value}))
    ]
    pairs = [
        row
        for (one, (needed, verdict)), (other, (more, its)) in islice(
            combinations(alone, 2), MOST_PAIRS
        )
        if one.keys() != other.keys()
        if (row := _possible(dimension, {**needed, **more, **one, **other}))
        if {*row[1].open} != following(dimension, best, verdict, its)
    ]
    rows = [*first, *(row for _given, row in alone), *pairs]
    return [*{frozenset(row[0].items()): row for row in rows}.values()]


def following(dimension: Dimension, best: set[int], *alone: Verdict) -> set[int]:
    """Return what answers leave open together if each opens and bars what it does alone.

    `best` is open without them. A rule that forces the score bars all others.
    """
    return best.union(*(each.open for each in alone)).difference(
        *((best, {*dimension.scores})[each.forced is not None] - {*each.open} for each in alone)
    )


def why_not(dimension: Dimension, given: Given, score: int) -> Given:
    """Return the fewest changes to a row that open a score; none if MOST_TRIES do not open it.

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
            for some in islice(sets, MOST_TRIES)
            if isinstance(verdict := at_best(dimension, {**given, **some})[2], Verdict)
            and score in verdict.open
            and not any(e.best or e.when.names for e in map(dimension.check, verdict.missing))
        ),
        {},
    )


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


def _asked(dimension: Dimension, given: Given) -> Row | None:
    """Return the row of some answers, with the fewest others that they need to be asked."""
    named = {*dimension.when.names}.union(
        *(check.when.names for check in (*dimension.shared, *dimension.checks))
    )
    more = [
        (each.code, code) for each, code in _values(dimension) if code and named & {*each.facts}
    ]
    sets = (dict(some) for number in range(MOST_NEEDED + 1) for some in combinations(more, number))
    return next((row for some in sets if (row := _possible(dimension, {**some, **given}))), None)


def _possible(dimension: Dimension, given: Given) -> Row | None:
    facts, answers, verdict = at_best(dimension, given)
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
