"""Prepare a rubric for its page: the parts, the examples as on the desk, and the clauses."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from .in_words import Group, ShownRule, rules_of
from .rules import judge
from .schema import (
    Answer,
    Check,
    Dimension,
    Example,
    Guidance,
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
    groups: tuple[tuple[Group, tuple[ShownRule, ...]], ...]

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
    is_reading: bool = False


def parts_of(rubric: Rubric) -> list[DimensionSection]:
    """Return the dimensions of a rubric, prepared for a page."""
    return [_part(rubric, dimension) for dimension in rubric.dimensions]


def _part(rubric: Rubric, dimension: Dimension) -> DimensionSection:
    anchor = f"dimension-{dimension.code}"
    return DimensionSection(
        anchor,
        dimension,
        tuple(
            _shown_level(level, dimension, f"{anchor}-{level.score}") for level in dimension.levels
        ),
        tuple(rules_of(dimension, rubric, anchor)),
    )


# --- levels and examples ---


def _shown_level(level: Level, dimension: Dimension, anchor: str) -> ShownLevel:
    return ShownLevel(
        anchor,
        level,
        _shade(level.score, dimension),
        tuple(
            ShownExample(
                f"{anchor}-example-{number}",
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
    for check in dimension.checks:
        if not check.asked:
            if check.code in example.checks:
                yield ShownAnswer(check, None, check.code not in dimension.faults)
            continue
        asserting = next((each for each in check.answers if each.sets in example.checks), None)
        silent = None if is_set else next((each for each in check.answers if not each.sets), None)
        if answer := asserting or silent:
            yield ShownAnswer(check, answer, answer.code in dimension.faultless(check))


# --- clause by clause ---

# A part that carries clauses: their ids, and the entry for each of them.
Carrier: TypeAlias = tuple[Iterable[str], ClauseEntry]


def by_clause(rubric: Rubric, parts: Sequence[DimensionSection]) -> list[dict[str, Any]]:
    """Return each clause in order: its source, who decides, and every part that carries it."""
    entries: dict[str, list[ClauseEntry]] = defaultdict(list)
    for clauses, entry in _carriers(rubric, parts):
        for clause in clauses:
            entries[clause].append(entry)
    source = {clause.id: clause.source for clause in rubric.clauses}
    return [
        {
            "id": clause,
            "source": source.get(clause, ""),
            "decided": list(_decided(found)),
            "entries": found,
        }
        for clause, found in sorted(entries.items())
    ]


def _decided(entries: Iterable[ClauseEntry]) -> Iterator[str]:
    """Yield who decides about a clause: a rule, a reading of ours, else whoever rates."""
    found = [
        *([_("a rule")] if any(entry.sentence for entry in entries) else []),
        *([_("our reading")] if any(entry.is_reading for entry in entries) else []),
    ]
    yield from found or [_("for people to judge")]


def _carriers(rubric: Rubric, parts: Sequence[DimensionSection]) -> Iterator[Carrier]:
    """Yield the parts that carry clauses, in the order in which each clause lists them."""
    yield from _guidance(rubric.guidance, "guidance", rubric)
    for part in parts:
        yield from _carriers_in(part, rubric)
    for part in parts:
        for level in part.levels:
            for shown in level.examples:
                yield (
                    sorted(_clauses_of(shown.example, part.dimension)),
                    ClauseEntry(
                        _("example"),
                        shown.id,
                        f"{part.dimension.title} {shown.example.score}",
                        shown.example.why,
                        is_example=True,
                    ),
                )


def _carriers_in(part: DimensionSection, rubric: Rubric) -> Iterator[Carrier]:
    dimension = part.dimension
    yield (
        dimension.clauses,
        ClauseEntry(_("question"), part.id, dimension.title, dimension.question),
    )
    yield from _guidance(dimension.guidance, f"{part.id}-guidance", rubric)
    for aid in dimension.aids:
        yield aid.clauses, ClauseEntry(_("aid"), f"{part.id}-aid-{aid.code}", aid.title, aid.text)
    for shown in part.levels:
        level, title = shown.level, f"{dimension.title} {shown.level.score}, {shown.level.label}"
        yield (
            level.clauses,
            ClauseEntry(_("level"), shown.id, title, is_reading=bool(level.reading)),
        )
    for check in dimension.checks:
        anchor = f"{part.id}-check-{check.code}"
        yield (
            check.clauses,
            ClauseEntry(
                _("check"), anchor, check.wording, check.help, is_reading=bool(check.reading)
            ),
        )
        for answer in check.answers:
            title = f"{check.wording}: {answer.wording}"
            yield (
                answer.clauses,
                ClauseEntry(
                    _("answer"), anchor, title, answer.help, is_reading=bool(answer.reading)
                ),
            )
    for _group, rules in part.groups:
        for rule in rules:
            yield (
                [rule.clause],
                ClauseEntry(
                    _("rule"), rule.id, "", sentence=rule.sentence, is_reading=bool(rule.reading)
                ),
            )


def _guidance(texts: Iterable[Guidance], anchor: str, rubric: Rubric) -> Iterator[Carrier]:
    for text in texts:
        yield (
            text.clauses,
            ClauseEntry(
                _("guidance"),
                f"{anchor}-{text.code}",
                text.title,
                text.text,
                is_reading=text.code in rubric.readings,
            ),
        )


def _clauses_of(example: Example, dimension: Dimension) -> set[str]:
    """Return the clauses of the ticks and answers that hold for the example.

    An answer without clauses counts with those of its question.
    """
    of_ticks = (
        check.clauses
        for check in dimension.checks
        if check.code in example.checks and not check.asked
    )
    of_answers = (
        answer.clauses or check.clauses
        for check in dimension.checks
        for answer in check.answers
        if answer.sets in example.checks
    )
    return set().union(*of_ticks, *of_answers)
