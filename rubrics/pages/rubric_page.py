"""Prepare a rubric for its pages: its parts, and the examples as on the desk.

`rubrics.views` and the text beside an item show the parts (`parts_of`), the page also a table of
all scales (`table_of`). The templates find each value under the name of a field here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Kind, Scope, Unit
from ..judging.parts import Answer, Check, Example, Level
from ..judging.rules import judge
from ..judging.scales import is_typed, shade
from ..judging.schema import Rubric
from ..judging.verdict import Verdict
from .rule_groups import RulesOfGroup, rule_groups

FEWEST_FOR_TABLE = 5  # scales


class ExampleAnswer(NamedTuple):
    """The answer to a check that an example shows, or its tick."""

    check: Check
    answer: Answer | None  # None for a tick
    is_good: bool  # no fault


@dataclass(frozen=True)
class ExampleView:
    """An example, with its answers as the desk shows them."""

    id: str
    example: Example
    level: Level
    shade: str  # the colour of the score
    example_answers: Sequence[ExampleAnswer]
    is_partial: bool  # a rule sets the score, and not all questions are answered


@dataclass(frozen=True)
class LevelView:
    """A level with its examples."""

    id: str
    level: Level
    shade: str
    # The greatest stands first beside the item: that of the best level, or of the first class.
    place: int
    examples: Sequence[ExampleView]


@dataclass(frozen=True)
class PartView:
    """A dimension or the whole response, with all that a page shows of it."""

    id: str
    dimension: Dimension
    levels: Sequence[LevelView]
    groups: Sequence[RulesOfGroup]
    questions: Sequence[Check]
    ticks: Sequence[Check]

    @property
    def is_typed(self) -> bool:
        return is_typed(self.dimension)

    @property
    def of_sets(self) -> bool:
        """True if candidate sets are scored: the page shows a diagram of them."""
        return self.dimension.unit is Unit.CANDIDATE_SET

    @property
    def of_the_set(self) -> list[Check]:
        return [check for check in self.questions if check.scope is Scope.TARGET]

    @property
    def of_the_corpus(self) -> list[Check]:
        return [check for check in self.questions if check.scope is Scope.CORPUS]


@dataclass(frozen=True)
class ScaleTable:
    """The described scores of all scales, and a line for each scale with their levels."""

    scores: tuple[int, ...]
    lines: Sequence[tuple[PartView, Sequence[Level]]]


def parts_of(rubric: Rubric) -> list[PartView]:
    """Return the whole response and each dimension with all that a page shows of it."""
    return [_part(rubric, dimension) for dimension in rubric.parts]


def table_of(part_views: Sequence[PartView]) -> ScaleTable:
    """Return the table of all scales. One of few scales has no scores: they need none."""
    scales = [part for part in part_views if not part.is_typed]
    all_scores: set[int] = set()
    if len(scales) >= FEWEST_FOR_TABLE:
        for part in scales:
            all_scores.update(level.score for level in part.dimension.levels)
    in_order = tuple(sorted(all_scores))
    lines = []
    for part in scales:
        levels = [part.dimension.level(score) for score in in_order]
        lines.append((part, levels))
    return ScaleTable(in_order, lines)


def _part(rubric: Rubric, dimension: Dimension) -> PartView:
    anchor = f"dimension-{dimension.code}"
    checks = dimension.lettered_checks
    levels = []
    for level in dimension.levels:
        levels.append(_level(level, dimension, f"{anchor}-{level.score}"))
    return PartView(
        anchor,
        dimension,
        levels,
        groups=list(rule_groups(dimension, rubric, anchor)),
        questions=[check for check in checks if check.needs_answer],
        ticks=[check for check in checks if check.kind is Kind.TICK],
    )


def _level(level: Level, dimension: Dimension, anchor: str) -> LevelView:
    """Return a level with its examples, as the desk would show them."""
    place = level.score
    if dimension.better in (Better.LOW, Better.NONE):
        place = -place
    examples = []
    for number, example in enumerate(level.examples, start=1):
        examples.append(_example(example, dimension, f"{anchor}-example-{number}"))
    return LevelView(anchor, level, shade(dimension, level.score), place, examples)


def _example(example: Example, dimension: Dimension, anchor: str) -> ExampleView:
    answers = list(example_answers(example, dimension, dimension.checks))
    answered = sum(answer.answer is not None for answer in answers)
    return ExampleView(
        anchor,
        example,
        dimension.level(example.score),
        shade(dimension, example.score),
        answers,
        is_partial=answered < len(dimension.required_checks),
    )


def example_answers(
    example: Example, dimension: Dimension, checks: Iterable[Check]
) -> Iterator[ExampleAnswer]:
    """Yield the answers and ticks of an example to some checks, in their order.

    If none of a check's facts is named, its answer is the one that asserts nothing. If a rule sets
    the score, the example names only the decisive facts, so no answer is inferred from absence.
    """
    verdict = judge(dimension, example.checks)
    is_forced = isinstance(verdict, Verdict) and verdict.forced is not None
    for check in checks:
        if not check.needs_answer:
            if check.code in example.checks:
                is_good = check.code not in dimension.faults
                yield ExampleAnswer(check, None, is_good)
            continue
        answer = _asserting_answer(check, example)
        if answer is None and not is_forced:
            answer = _silent_answer(check, example)
        if answer:
            is_good = answer.code in dimension.faultless_answers(check)
            yield ExampleAnswer(check, answer, is_good)


def _asserting_answer(check: Check, example: Example) -> Answer | None:
    """Return the answer whose fact the example names."""
    for answer in check.answers:
        if answer.sets in example.checks:
            return answer
    return None


def _silent_answer(check: Check, example: Example) -> Answer | None:
    """Return the only answer that asserts nothing, if the check is asked."""
    answers = [answer for answer in check.answers if not answer.sets]
    facts = frozenset(example.checks)
    if len(answers) == 1 and check.when.holds(facts):
        return answers[0]
    return None
