"""What the tests of the rubrics say again and again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from rubrics.documents.shipped import shipped
from rubrics.judging.dimension import Dimension
from rubrics.judging.rules import judge
from rubrics.judging.verdict import Clashes, Verdict

ALL_FOUR = ("helpful", "harmless", "honest", "comprehensive")


def response_quality() -> Dimension:
    return shipped("response-quality").dimension("quality")


def dialogue(code: str) -> Dimension:
    return shipped("dialogue").dimension(code)


def verdict_on(
    dimension: Dimension, *facts: str, answered: Collection[str] | None = None
) -> Verdict:
    verdict = judge(dimension, facts, answered=answered)
    assert isinstance(verdict, Verdict), f"{facts} clash: {verdict}"
    return verdict


def open_to(dimension: Dimension, *facts: str) -> tuple[int, ...]:
    return verdict_on(dimension, *facts).open


def clauses_barring(dimension: Dimension, score: int, *facts: str) -> list[str]:
    return [reason.clause for reason in verdict_on(dimension, *facts).bars(score)]


def remarks(dimension: Dimension, score: int, *facts: str) -> list[tuple[str, str]]:
    """(clause, rule) of what is remarked on a score."""
    return [
        (reason.clause, reason.rule) for reason in verdict_on(dimension, *facts).remarks_on(score)
    ]


def clashing(dimension: Dimension, *facts: str) -> list[tuple[str, tuple[str, ...]]]:
    """(clause, the checks named) of every clash; empty where the checks can hold together."""
    verdict = judge(dimension, facts)
    return (
        [(clash.clause, clash.checks) for clash in verdict.clashes]
        if isinstance(verdict, Clashes)
        else []
    )


def rests_on(dimension: Dimension) -> dict[str, set[str]]:
    """The parts of a dimension by the reading on which they rest."""
    found: dict[str, set[str]] = {}
    for part, reading in dimension.readings:
        found.setdefault(reading, set()).add(part)
    return found


def own_words(dimension: Dimension) -> dict[str, tuple[str, str, str]]:
    """The line, the few words and the remark of each rule that has any of them."""
    return {
        rule.code: words
        for rule in dimension.rules
        if any(words := (rule.line, rule.not_yet, rule.remark))
    }


def subsets(names: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Every combination, the smaller first."""
    for size in range(len(names) + 1):
        yield from combinations(names, size)
