"""Tell the sentences of a rubric's text that name a score from those that do not.

A project can hold back what answers do to the scores, and many a help text says it: "Most missed
fits a 3." Such a sentence is found by its number. Names of readings and ids of clauses have numbers
too, which count for nothing.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ..judging.parts import Guidance
from ..judging.schema import Rubric

_ENDS = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])")
_NUMBER = re.compile(r"(?<![\w.,-])[-−]?\d+(?![\w-]|[.,]\d)")
_CLAUSE = re.compile(r"\b[A-Z]+-\d+\b")


def sentences(rubric: Rubric, text: str) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a text, each with True if it names a score of the rubric."""
    for sentence in _ENDS.split(text):
        yield sentence, names_score(rubric, sentence)


def title_parts(rubric: Rubric, title: str) -> Iterator[tuple[str, bool]]:
    """Yield a title as `sentences` does; of one with a colon, its name comes by itself."""
    name, colon, rest = title.partition(":")
    if colon:
        yield name, names_score(rubric, name)
        yield f"{colon}{rest}", names_score(rubric, rest)
    else:
        yield title, names_score(rubric, title)


def names_score(rubric: Rubric, text: str) -> bool:
    """Return True if a text has a number that is a score of a dimension."""
    plain = _CLAUSE.sub("", text)
    for name in _names(rubric):
        plain = plain.replace(name, "")
    numbers = set()
    for number in _NUMBER.findall(plain):
        numbers.add(int(number.replace("−", "-")))
    return any(not numbers.isdisjoint(dimension.scores) for dimension in rubric.dimensions)


def is_rule_in_words(text: Guidance, rubric: Rubric) -> bool:
    """Return True for guidance that rules alone rest on, so that all of it is about scores."""
    rules, others = _readings(rubric)
    return text.code in rules - others


@lru_cache(maxsize=64)
def _names(rubric: Rubric) -> tuple[str, ...]:
    """Return the names of the readings, such as "Reading 1"; the longest first."""
    texts = list(rubric.guidance)
    for dimension in rubric.dimensions:
        texts += dimension.guidance
    names = set()
    for text in texts:
        name, colon, _rest = text.title.partition(":")
        if colon:
            names.add(name)
    return tuple(sorted(names, key=len, reverse=True))


@lru_cache(maxsize=64)
def _readings(rubric: Rubric) -> tuple[frozenset[str], frozenset[str]]:
    """Return the readings of rules, and those of levels, checks and answers."""
    rule_readings: set[str] = set()
    other_readings: set[str] = set()
    for part in rubric.parts:
        rule_readings.update(rule.reading for rule in part.rules)
        other_readings.update(level.reading for level in part.levels)
        for check in part.checks:
            other_readings.add(check.reading)
            other_readings.update(answer.reading for answer in check.answers)
    return frozenset(rule_readings - {""}), frozenset(other_readings - {""})
