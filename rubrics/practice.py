"""Examples of a rubric to practise on: which ones can be used, and which a round has.

An example is named by its dimension, its score and its place at the level, from 1: `quality.4.2`.
A published version never changes, so a name always means the same example.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from . import detectors
from .rules import judge
from .schema import COMMENT, Dimension, Example, Needs, Rubric, Verdict

LEAST, MOST = 4, 20  # examples of a round
WORDS = 8  # of a title
AUTOMATIC = 2  # examples of a round whose score a rule forces


@dataclass(frozen=True, slots=True)
class Named:
    """An example that one can practise on."""

    name: str
    dimension: Dimension
    example: Example
    is_automatic: bool  # a rule forces its score
    clauses: frozenset[str]  # of the rules that act on it

    @property
    def place(self) -> int:
        """The place at its level, from 1."""
        return int(self.name.rpartition(".")[2])

    @property
    def anchor(self) -> str:
        """The anchor on the page of the rubric (`rubrics.page`)."""
        return f"dimension-{self.dimension.code}-{self.example.score}-example-{self.place}"

    @property
    def level(self) -> tuple[str, int]:
        return self.dimension.code, self.example.score

    @property
    def title(self) -> str:
        """The beginning of the last message of a user, else of the last message."""
        said = [turn.text for turn in self.example.history]
        asked = [turn.text for turn in self.example.history if turn.role == "user"]
        words = (asked or said or [""])[-1].split()
        return " ".join(words[:WORDS]) + (" …" if len(words) > WORDS else "")


@lru_cache(maxsize=64)
def examples_of(rubric: Rubric) -> dict[str, Named]:
    """Return the examples with a text whose score the rules leave open, by name."""
    found = (
        _named(dimension, place, example)
        for dimension in rubric.dimensions
        for level in dimension.levels
        for place, example in enumerate(level.examples, start=1)
    )
    return {each.name: each for each in found if each}


def _named(dimension: Dimension, place: int, example: Example) -> Named | None:
    facts = {*example.checks, *([COMMENT] if dimension.needs_comment else [])}
    verdict = judge(dimension, facts)
    texts = example.candidates or (example.response or "",)
    is_empty = all(detectors.is_empty(text) for text in texts)
    if is_empty or not isinstance(verdict, Verdict) or example.score not in verdict.open:
        return None
    return Named(
        f"{dimension.code}.{example.score}.{place}",
        dimension,
        example,
        verdict.forced == example.score,
        frozenset(reason.clause for reason in verdict.acting) - {""},
    )


@lru_cache(maxsize=256)
def alone(rubric: Rubric, code: str) -> Rubric:
    """Return the rubric with one dimension, which applies to every item.

    It has the checks of the whole response if the dimension names one. Nothing is looked up, and no
    line of a persona is marked.
    """
    dimension = rubric.dimension(code)
    checks = tuple(replace(check, marks_persona=False) for check in dimension.checks)
    names_whole = any(check in rubric.checks for check in dimension.shared)
    return replace(
        rubric,
        dimensions=(replace(dimension, checks=checks, needs=Needs(), aids=()),),
        checks=rubric.checks if names_whole else (),
    )


def draw(rubric: Rubric, number: int, earlier: Iterable[Collection[str]], seed: str) -> list[str]:
    """Return the names of the examples of a new round, in their order.

    `earlier` has those of the rounds before. Examples that were not used before come first, then
    two automatic scores, then levels that the round lacks, of each dimension in turn, then clauses
    that it lacks. `seed` decides the rest.
    """
    chance = Random(seed)  # noqa: S311 - an order, no secret
    left = list(examples_of(rubric).values())
    chance.shuffle(left)
    used = Counter(name for names in earlier for name in names)
    drawn: list[Named] = []
    while left and len(drawn) < number:
        levels = Counter(each.level for each in drawn)
        dimensions = Counter(each.dimension.code for each in drawn)
        met = frozenset().union(*(each.clauses for each in drawn))
        wants_automatic = sum(each.is_automatic for each in drawn) < AUTOMATIC
        best = min(
            left,
            key=lambda each: (
                used[each.name],
                wants_automatic and not each.is_automatic,
                levels[each.level],
                dimensions[each.dimension.code],
                -len(each.clauses - met),
            ),
        )
        drawn.append(best)
        left.remove(best)
    chance.shuffle(drawn)
    return [each.name for each in drawn]
