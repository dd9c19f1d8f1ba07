"""The places of the form: one for each dimension of each target, and the fields that stand there.

Field names are stable: `r1.quality` a score, `r1.quality.language_error` a check, `r1.comment`,
`s1.diversity`, `m1.diversity.corpus_high` and `m1.diversity.corpus_high.revision`; r1 is the first
response shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rubrics.schema import Check, Dimension, Kind, Scope

TICKED = "yes"
NONE_OF_THESE = "none_of_these"
MOST_FACTS = 20  # claims looked up for one response
REFUTED = "refuted"
OUTCOMES = ("holds", REFUTED, "undetermined")


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of the form: `kind` is score, check, asked, corpus, revision, outcome, clock, or
    text; `values` are allowed."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)  # without slots: names are put together once
class Place:
    """Where a dimension of a target stands in the form. All that its fields hang on, and nothing of
    the item itself, so that it is the same place in every item.

    `target` is r1, s1, …; `corpus` is m1, … for a candidate set. `lines`: how many the persona has.
    `asks_reasons`: as of the desk.
    """

    dimension: Dimension
    target: str
    corpus: str
    lines: int
    asks_reasons: bool

    @cached_property
    def name(self) -> str:
        return f"{self.target}.{self.dimension.code}"

    @cached_property
    def asks_reason(self) -> bool:
        """Whether a score needs a tick here, or the word that none fits."""
        checks = self.dimension.checks
        return (
            self.asks_reasons and bool(checks) and all(check.kind is Kind.TICK for check in checks)
        )

    def field_of(self, check: Check) -> str:
        """The name of the field that a check is answered in."""
        if check.scope is Scope.CORPUS and self.corpus:
            return f"{self.corpus}.{self.dimension.code}.{check.code}"
        return f"{self.name}.{check.code}"

    @cached_property
    def fields(self) -> tuple[FieldSpec, ...]:
        return tuple(self._fields())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those of the fields."""
        return tuple(spec.name for spec in self.fields)

    def _fields(self) -> Iterator[FieldSpec]:
        yield FieldSpec(self.name, "score", tuple(str(score) for score in self.dimension.scores))
        for check in self.dimension.checks:
            if check.kind is Kind.DETECTED:
                continue
            name = self.field_of(check)
            values = tuple(answer.code for answer in check.answers) or (TICKED,)
            yield FieldSpec(name, "corpus" if check.scope is Scope.CORPUS else "check", values)
            if check.scope is Scope.CORPUS:
                yield FieldSpec(revision_of(name), "revision")
            if check in self.dimension.watched:
                yield FieldSpec(f"{self.name}.{check.code}.asked", "asked", ("yes", "no"))
            if check.marks_persona:  # which lines of it an answer is about (DQ-06)
                for number in range(1, self.lines + 1):
                    yield FieldSpec(f"{name}.line.{number}", "check", (TICKED,))
        if self.asks_reason:
            yield FieldSpec(f"{self.name}.{NONE_OF_THESE}", "check", (TICKED,))


# One object for each place, so that what is remembered of it is found at once.
place_of = lru_cache(maxsize=1024)(Place)


@dataclass(frozen=True)
class FactPlace:
    """Where one claim about a response is looked up (`r1.fact.1`): `number` counts from 1."""

    target: str
    number: int

    @cached_property
    def prefix(self) -> str:
        return f"{self.target}.fact.{self.number}"

    @property
    def clock(self) -> str:
        """The name of the field that the clock of its look-up travels in."""
        return self.names[3]

    @cached_property
    def fields(self) -> tuple[FieldSpec, FieldSpec, FieldSpec, FieldSpec]:
        return (
            FieldSpec(f"{self.prefix}.claim", "text"),
            FieldSpec(f"{self.prefix}.outcome", "outcome", OUTCOMES),
            FieldSpec(f"{self.prefix}.sources", "text"),
            FieldSpec(f"{self.prefix}.clock", "clock"),  # last: `clock`
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Those of the fields."""
        return tuple(spec.name for spec in self.fields)


@lru_cache(maxsize=256)
def fact_places(target: str) -> tuple[FactPlace, ...]:
    """All that a response may have."""
    return tuple(FactPlace(target, number) for number in range(1, MOST_FACTS + 1))


def revision_of(name: str) -> str:
    """The field that says which revision of an answer about a corpus the page was shown."""
    return f"{name}.revision"


def element_id(name: str) -> str:
    """A field's name as the id of an element: dots would have to be escaped in selectors."""
    return name.replace(".", "-")
