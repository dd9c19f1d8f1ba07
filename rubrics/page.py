"""Prepare a rubric for its page: the parts, the examples as on the desk, and the clauses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from .in_words import ShownGroup, rules_of
from .rules import judge
from .schema import (
    Answer,
    Check,
    Dimension,
    Effect,
    Example,
    Kind,
    Level,
    Rubric,
    Scope,
    Unit,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """The answer of an example to one check."""

    check: Check
    answer: Answer | None  # None for a tick
    good: bool  # not a fault


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example as the desk would show it."""

    id: str
    example: Example
    level: Level
    shade: int  # the colour of the score, from 1 (low) to 7 (high)
    said: tuple[ShownAnswer, ...]
    is_partial: bool  # a rule sets the score, and not all questions are answered


@dataclass(frozen=True, slots=True)
class ShownLevel:
    id: str
    level: Level
    shade: int
    examples: tuple[ShownExample, ...]


@dataclass(frozen=True, slots=True)
class DimensionSection:
    """A dimension on the page."""

    id: str
    dimension: Dimension
    levels: tuple[ShownLevel, ...]
    groups: tuple[ShownGroup, ...]

    @property
    def questions(self) -> tuple[Check, ...]:
        return tuple(check for check in self.dimension.checks if check.asked)

    @property
    def ticks(self) -> tuple[Check, ...]:
        return tuple(check for check in self.dimension.checks if check.kind is Kind.TICK)

    @property
    def of_sets(self) -> bool:
        """True if candidate sets are scored; the page shows a diagram of them."""
        return self.dimension.unit is Unit.CANDIDATE_SET

    @property
    def of_each_set(self) -> tuple[Check, ...]:
        """The questions about a candidate set."""
        return tuple(check for check in self.questions if check.scope is Scope.TARGET)

    @property
    def of_the_corpus(self) -> tuple[Check, ...]:
        return tuple(check for check in self.questions if check.scope is Scope.CORPUS)


@dataclass(frozen=True, slots=True)
class ClauseEntry:
    """A link to a part that carries a clause, in the rubric's words or, for a rule, in ours."""

    kind: str
    href: str
    title: str
    text: str = ""
    sentence: SafeString | None = None
    is_example: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    parts: tuple[DimensionSection, ...]
    clauses: tuple[tuple[str, tuple[ClauseEntry, ...]], ...]


def page_of(rubric: Rubric) -> Page:
    """Return everything that the templates need besides the rubric itself."""
    parts = tuple(_part(rubric, dimension) for dimension in rubric.dimensions)
    entries: dict[str, list[ClauseEntry]] = defaultdict(list)
    for clause, entry in _entries(rubric, parts):
        entries[clause].append(entry)
    return Page(parts, tuple((clause, tuple(entries[clause])) for clause in sorted(entries)))


def _part(rubric: Rubric, dimension: Dimension) -> DimensionSection:
    place = f"dimension-{dimension.code}"
    return DimensionSection(
        place,
        dimension,
        tuple(
            _shown_level(level, dimension, f"{place}-{level.score}") for level in dimension.levels
        ),
        tuple(rules_of(dimension, rubric, place)),
    )


# --- levels and examples ---


def _shown_level(level: Level, dimension: Dimension, place: str) -> ShownLevel:
    return ShownLevel(
        place,
        level,
        _shade(level.score, dimension),
        tuple(
            ShownExample(
                f"{place}-example-{number}",
                example,
                dimension.level(example.score),
                _shade(example.score, dimension),
                (said := tuple(_said(example, dimension))),
                sum(each.answer is not None for each in said) < len(dimension.asked),
            )
            for number, example in enumerate(level.examples, start=1)
        ),
    )


def _shade(score: int, dimension: Dimension) -> int:
    return round(1 + 6 * (score - dimension.lowest) / (dimension.highest - dimension.lowest))


def _said(example: Example, dimension: Dimension) -> Iterator[ShownAnswer]:
    """Yield the answers and ticks of an example, in the order of the checks.

    If none of a check's facts is named, its answer is the one that asserts nothing. If a rule sets
    the score, the example names only the decisive facts, so no answer is inferred from absence.
    """
    verdict = judge(dimension, example.checks)
    is_set = isinstance(verdict, Verdict) and verdict.forced is not None
    raising = {
        name
        for rule in dimension.rules
        if rule.effect is Effect.FLOOR
        for name in rule.when.positive
    }
    for check in dimension.checks:
        if not check.asked:
            if check.code in example.checks:
                yield ShownAnswer(check, None, check.code not in dimension.faults)
            continue
        asserting = next((each for each in check.answers if each.sets in example.checks), None)
        silent = None if is_set else next((each for each in check.answers if not each.sets), None)
        if answer := asserting or silent:
            good = (
                answer.code == check.best
                if check.best
                else answer.sets not in dimension.faults - raising
            )
            yield ShownAnswer(check, answer, good)


# --- clause by clause ---


def _entries(
    rubric: Rubric, parts: Sequence[DimensionSection]
) -> Iterator[tuple[str, ClauseEntry]]:
    """Yield (clause, entry) pairs, in the order in which each clause lists its entries."""
    for text in rubric.guidance:
        for clause in text.clauses:
            yield clause, ClauseEntry(_("guidance"), f"guidance-{text.code}", text.title, text.text)
    for part in parts:
        yield from _entries_of(part)
    for clause, dimension, level, number, example in rubric.specimens():
        place = f"dimension-{dimension.code}-{level.score}-example-{number}"
        title = f"{dimension.title} {example.score}"
        yield clause, ClauseEntry(_("example"), place, title, example.why, is_example=True)


def _entries_of(part: DimensionSection) -> Iterator[tuple[str, ClauseEntry]]:
    dimension = part.dimension
    for clause in dimension.clauses:
        yield clause, ClauseEntry(_("question"), part.id, dimension.title, dimension.question)
    for text in dimension.guidance:
        for clause in text.clauses:
            yield (
                clause,
                ClauseEntry(
                    _("guidance"), f"{part.id}-guidance-{text.code}", text.title, text.text
                ),
            )
    for aid in dimension.aids:
        for clause in aid.clauses:
            yield clause, ClauseEntry(_("aid"), f"{part.id}-aid-{aid.code}", aid.title, aid.text)
    for shown in part.levels:
        title = f"{dimension.title} {shown.level.score}, {shown.level.label}"
        for clause in shown.level.clauses:
            yield clause, ClauseEntry(_("level"), shown.id, title)
    for check in dimension.checks:
        place = f"{part.id}-check-{check.code}"
        for clause in check.clauses:
            yield clause, ClauseEntry(_("check"), place, check.wording, check.help)
        for answer in check.answers:
            for clause in answer.clauses:
                yield (
                    clause,
                    ClauseEntry(
                        _("answer"), place, f"{check.wording}: {answer.wording}", answer.help
                    ),
                )
    for group in part.groups:
        for rule in group.rules:
            yield rule.clause, ClauseEntry(_("rule"), rule.id, "", sentence=rule.sentence)
