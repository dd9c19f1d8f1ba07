"""Examples of a rubric to practise on: which ones can be used, and which a round has.

An example is named by its dimension, its score and its place at the level, from 1: `quality.4.2`.
A published version never changes, so a name always means the same example.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import NamedTuple

from . import detectors
from .dimension import Dimension
from .parts import COMMENT, Check, Example, Needs
from .rules import judge
from .schema import Rubric
from .verdict import Verdict

LEAST = 4  # examples of a round
MOST = 20
WORDS = 8  # of a title
AUTOMATIC = 2  # examples of a round whose score a rule forces


class ExampleName(NamedTuple):
    """The name of an example, by its parts."""

    dimension: str
    score: int
    place: int  # at the level, from 1

    @classmethod
    def read(cls, name: str) -> "ExampleName":
        """Parse a name, such as `quality.4.2`. Codes of dimensions have no points."""
        dimension, score, place = name.split(".")
        return cls(dimension, int(score), int(place))

    def __str__(self) -> str:
        return f"{self.dimension}.{self.score}.{self.place}"


@dataclass(frozen=True, slots=True)
class UsableExample:
    """An example that one can practise on."""

    name: str  # of an `ExampleName`
    dimension: Dimension
    example: Example
    is_automatic: bool  # a rule forces its score
    clauses: frozenset[str]  # of the rules that act on it

    @property
    def place(self) -> int:
        """The place at its level, from 1."""
        return ExampleName.read(self.name).place

    @property
    def anchor(self) -> str:
        """The anchor on the page of the rubric (`rubrics.pages.rubric_page`)."""
        return f"dimension-{self.dimension.code}-{self.example.score}-example-{self.place}"

    @property
    def level(self) -> tuple[str, int]:
        return self.dimension.code, self.example.score

    @property
    def title(self) -> str:
        """The beginning of the last message of a user, else of the last message."""
        turns = self.example.history
        texts = [turn.text for turn in turns if turn.role == "user"]
        if turns and not texts:
            texts.append(turns[-1].text)
        words = " ".join(texts[-1:]).split()
        title = " ".join(words[:WORDS])
        if len(words) > WORDS:
            title += " …"
        return title


@lru_cache(maxsize=64)
def examples_of(rubric: Rubric) -> dict[str, UsableExample]:
    """Return the examples with a text whose score the rules leave open, by name."""
    usable_examples: dict[str, UsableExample] = {}
    for dimension in rubric.dimensions:
        for level in dimension.levels:
            for place, example in enumerate(level.examples, start=1):
                if usable := _usable_example(dimension, place, example):
                    usable_examples[usable.name] = usable
    return usable_examples


def _usable_example(dimension: Dimension, place: int, example: Example) -> UsableExample | None:
    facts = {*example.checks}
    if dimension.needs_comment:
        facts.add(COMMENT)
    verdict = judge(dimension, facts)
    texts = example.candidates or (example.response or "",)
    is_empty = all(detectors.is_empty(text) for text in texts)
    if is_empty or not isinstance(verdict, Verdict) or example.score not in verdict.open:
        return None
    name = str(ExampleName(dimension.code, example.score, place))
    is_automatic = verdict.forced == example.score
    clauses = frozenset(reason.clause for reason in verdict.acting_reasons if reason.clause)
    return UsableExample(name, dimension, example, is_automatic, clauses)


@lru_cache(maxsize=256)
def rubric_of_dimension(rubric: Rubric, code: str) -> Rubric:
    """Return the rubric with one dimension, which applies to every item.

    It has the checks of the whole response if the dimension names one. Nothing is looked up, and no
    line of a persona is marked.
    """
    dimension = rubric.dimension(code)
    whole_checks: tuple[Check, ...] = ()
    if dimension.shared:
        whole_checks = rubric.checks
    checks = tuple(replace(check, marks_persona=False) for check in dimension.checks)
    dimension = replace(dimension, checks=checks, needs=Needs(), aids=())
    return replace(rubric, dimensions=(dimension,), checks=whole_checks)


def draw_round(
    rubric: Rubric, number: int, earlier: Iterable[Collection[str]], seed: str
) -> list[str]:
    """Return the names of the examples of a new round, in their order.

    `earlier` has those of the rounds before. Examples that were not used before come first, then
    two automatic scores, then levels that the round lacks, of each dimension in turn, then clauses
    that it lacks. `seed` decides the rest.
    """
    chance = Random(seed)  # noqa: S311 - an order, no secret
    left = list(examples_of(rubric).values())
    chance.shuffle(left)
    used = Counter(name for names in earlier for name in names)
    drawn: list[UsableExample] = []
    while left and len(drawn) < number:
        priority = _priority(drawn, used)
        best = min(left, key=priority)
        drawn.append(best)
        left.remove(best)
    chance.shuffle(drawn)
    return [example.name for example in drawn]


def _priority(
    drawn: Sequence[UsableExample], used: Counter[str]
) -> Callable[[UsableExample], tuple[int, ...]]:
    """Return the order of the examples that may be drawn next, the best first."""
    levels = Counter(example.level for example in drawn)
    dimensions = Counter(example.dimension.code for example in drawn)
    clauses = frozenset().union(*(example.clauses for example in drawn))
    wants_automatic = sum(example.is_automatic for example in drawn) < AUTOMATIC

    def priority(example: UsableExample) -> tuple[int, ...]:
        lacks_automatic = wants_automatic and not example.is_automatic
        new_clauses = len(example.clauses - clauses)
        of_level = levels[example.level]
        of_dimension = dimensions[example.dimension.code]
        return used[example.name], lacks_automatic, of_level, of_dimension, -new_clauses

    return priority
