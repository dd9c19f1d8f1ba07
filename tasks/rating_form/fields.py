"""The places of the form, one for each dimension of each target, and their fields.

Field names are stable. r1 is the first response shown: `r1.quality` is a score,
`r1.quality.language_error` a check, `r1.comment` a comment. Candidate sets have `s1.diversity`,
`m1.diversity.corpus_high` and `m1.diversity.corpus_high.revision`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import ascii_uppercase

from django.utils.translation import gettext as _

from rubrics.schema import Check, Dimension, Kind, Scope
from tasks.models import FactCheck

TICKED = "yes"
NONE_OF_THESE = "none_of_these"
MOST_FACTS = 20  # claims looked up for one response


@dataclass(frozen=True, slots=True)
class Target:
    """A response or a candidate set, by its position on the desk."""

    key: str  # r1, r2, … for a response; s1, s2, … for a candidate set

    @property
    def place(self) -> int:
        """The position on the desk, from 1."""
        return int(self.key[1:])

    @property
    def label(self) -> str:
        """The letters of a response: A, B, …, Z, AA, AB and so on; "" for a candidate set."""
        return label_of(self.place) if self.key.startswith("r") else ""

    @property
    def name(self) -> str:
        if self.label:
            return _("Response %(label)s") % {"label": self.label}
        return _("Model %(number)s") % {"number": self.place}


def label_of(number: int) -> str:
    """Return the letters of a number from 1: A, B, …, Z, AA, AB and so on."""
    label = ""
    while number:
        number, letter = divmod(number - 1, 26)
        label = ascii_uppercase[letter] + label
    return label


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of the form."""

    name: str
    kind: str  # score, check, asked, corpus, revision, outcome, clock or text
    values: tuple[str, ...] = ()  # allowed values


@dataclass(frozen=True)  # without slots, so that cached properties build names only once
class FormSlot:
    """The place of one dimension of one target in the form.

    It determines the fields there. Most items share it, since it has nothing of an item but the
    persona, and that only if a check asks about its lines.
    """

    dimension: Dimension
    target: Target
    corpus: str  # m1, … for a candidate set, else ""
    persona: tuple[str, ...]  # its lines
    asks_reasons: bool  # as in `ItemView`

    @cached_property
    def name(self) -> str:
        return f"{self.target.key}.{self.dimension.code}"

    @cached_property
    def asks_reason(self) -> bool:
        """True if a score needs a tick here, or the tick "none of these"."""
        checks = self.dimension.checks
        return (
            self.asks_reasons and bool(checks) and all(check.kind is Kind.TICK for check in checks)
        )

    def field_of(self, check: Check) -> str:
        """Return the name of the field with the answer to a check."""
        if check.scope is Scope.CORPUS and self.corpus:
            return f"{self.corpus}.{self.dimension.code}.{check.code}"
        return f"{self.name}.{check.code}"

    @cached_property
    def fields(self) -> tuple[FieldSpec, ...]:
        return tuple(self._fields())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
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
            if check.marks_persona:  # the lines that an answer is about (DQ-06)
                for number in range(1, len(self.persona) + 1):
                    yield FieldSpec(f"{name}.line.{number}", "check", (TICKED,))
        if self.asks_reason:
            yield FieldSpec(f"{self.name}.{NONE_OF_THESE}", "check", (TICKED,))


# Equal places are one object, which makes them fast cache keys.
place_of = lru_cache(maxsize=1024)(FormSlot)


@dataclass(frozen=True)
class FactPlace:
    """The place of one claim about a response in the form (`r1.fact.1`)."""

    target: str
    number: int  # from 1

    @cached_property
    def prefix(self) -> str:
        return f"{self.target}.fact.{self.number}"

    @property
    def id(self) -> str:
        return element_id(self.prefix)

    @property
    def clock(self) -> str:
        """The name of the field with the clock of the look-up."""
        return self.names[3]

    @cached_property
    def fields(self) -> tuple[FieldSpec, FieldSpec, FieldSpec, FieldSpec]:
        return (
            FieldSpec(f"{self.prefix}.claim", "text"),
            FieldSpec(f"{self.prefix}.outcome", "outcome", tuple(FactCheck.Outcome.values)),
            FieldSpec(f"{self.prefix}.sources", "text"),
            FieldSpec(f"{self.prefix}.clock", "clock"),  # fourth: see `clock`
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(spec.name for spec in self.fields)


@lru_cache(maxsize=256)
def fact_places(target: str) -> tuple[FactPlace, ...]:
    """Return the places of all claims that a response may have."""
    return tuple(FactPlace(target, number) for number in range(1, MOST_FACTS + 1))


def revision_of(name: str) -> str:
    """Return the field with the revision of a corpus answer that the page was shown."""
    return f"{name}.revision"


def element_id(name: str) -> str:
    """Return a field's name as an element id, without dots, which selectors must escape."""
    return name.replace(".", "-")
