"""What is asked about: an item's responses and candidate sets in the order drawn, and the fields for them.

Field names are stable: `r1.quality` a score, `r1.quality.language_error` a check, `r1.comment`,
`s1.diversity`, `m1.diversity.corpus_high`; r1 is the first response shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from rubrics import detectors
from rubrics.schema import Check, Dimension, Kind, Rubric, Scope, Unit

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
TICKED = "yes"
NONE_OF_THESE = "none_of_these"
MOST_FACTS = 20  # claims looked up for one response
OUTCOMES = ("holds", "refuted", "undetermined")


@dataclass(frozen=True, slots=True)
class ShownResponse:
    """A response as it stands on the desk.

    `pk` of its row, `number` in the upload; `model` is known here and never shown.
    """

    key: str
    pk: int
    number: int
    model: str
    text: str

    @property
    def label(self) -> str:
        return label_of(int(self.key[1:]))

    @property
    def blank(self) -> bool:
        """Whether there is nothing to be seen of it: the page says so in its place."""
        return detectors.is_empty(self.text)

    @property
    def name(self) -> str:
        return _("Response %(label)s") % {"label": self.label}


@dataclass(frozen=True, slots=True)
class ShownSet:
    """A model's candidates for this history, under an opaque name.

    `asked`: codes of the dimensions that apply, since there are candidates enough and the model answered
    enough other histories (DQ-11).
    """

    key: str
    corpus_key: str
    model: str
    candidates: tuple[ShownResponse, ...]
    asked: frozenset[str]

    @property
    def number(self) -> int:
        return int(self.key[1:])

    @property
    def name(self) -> str:
        return _("Model %(number)s") % {"number": self.number}


@dataclass(frozen=True, slots=True)
class Desk:
    """An item as it is put before an annotator.

    `query`: the turn that the responses answer. `asks_reasons`: where a dimension has ticks only, one of
    them, or "none of these", must be given with the score.
    """

    rubric: Rubric
    responses: tuple[ShownResponse, ...]
    sets: tuple[ShownSet, ...] = ()
    persona: tuple[str, ...] = ()
    has_history: bool = False
    query: str = ""
    asks_reasons: bool = False

    @property
    def has_persona(self) -> bool:
        return bool(self.persona)

    def dimensions(self, unit: Unit) -> tuple[Dimension, ...]:
        """Those that apply to this item."""
        return tuple(
            dimension
            for dimension in self.rubric.dimensions
            if dimension.unit is unit
            and (self.has_persona or not dimension.needs.persona)
            and (self.has_history or not dimension.needs.history)
        )

    def asks_reason(self, dimension: Dimension) -> bool:
        """Whether a score of the dimension needs a tick, or the word that none fits."""
        checks = dimension.checks
        return self.asks_reasons and bool(checks) and all(check.kind is Kind.TICK for check in checks)

    def targets(self, dimension: Dimension) -> tuple[ShownResponse | ShownSet, ...]:
        """Everything that the dimension scores in this item."""
        if dimension.unit is Unit.RESPONSE:
            return self.responses
        return tuple(shown for shown in self.sets if dimension.code in shown.asked)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of the form: `kind` is score, check, asked, corpus, outcome, or text; `values` are allowed."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


def label_of(number: int) -> str:
    """A, B, …, Z, AA, AB, … for 1, 2, …"""
    label = ""
    while number:
        number, letter = divmod(number - 1, 26)
        label = LETTERS[letter] + label
    return label


def element_id(name: str) -> str:
    """A field's name as the id of an element: dots would have to be escaped in selectors."""
    return name.replace(".", "-")


def field_of(dimension: Dimension, target: ShownResponse | ShownSet, check: Check) -> str:
    """The name of the field that a check of a target is answered in."""
    if check.scope is Scope.CORPUS and isinstance(target, ShownSet):
        return f"{target.corpus_key}.{dimension.code}.{check.code}"
    return f"{target.key}.{dimension.code}.{check.code}"


def fields_of(desk: Desk) -> Iterator[FieldSpec]:
    """Every field that the form has."""
    for unit in Unit:
        for dimension in desk.dimensions(unit):
            for target in desk.targets(dimension):
                yield from _fields_of_row(dimension, target)
                yield from _marks_of_row(desk, dimension, target)
                if desk.asks_reason(dimension):
                    yield FieldSpec(f"{target.key}.{dimension.code}.{NONE_OF_THESE}", "check", (TICKED,))
    for response in desk.responses:
        yield FieldSpec(f"{response.key}.comment", "text")
        for number in range(1, MOST_FACTS + 1):
            fact = f"{response.key}.fact.{number}"
            yield FieldSpec(f"{fact}.claim", "text")
            yield FieldSpec(f"{fact}.outcome", "outcome", OUTCOMES)
            yield FieldSpec(f"{fact}.sources", "text")
    yield FieldSpec("comment", "text")


def _fields_of_row(dimension: Dimension, target: ShownResponse | ShownSet) -> Iterator[FieldSpec]:
    base = f"{target.key}.{dimension.code}"
    yield FieldSpec(base, "score", tuple(str(score) for score in dimension.scores))
    for check in dimension.checks:
        if check.kind is Kind.DETECTED:
            continue
        values = tuple(answer.code for answer in check.answers) or (TICKED,)
        kind = "corpus" if check.scope is Scope.CORPUS else "check"
        yield FieldSpec(field_of(dimension, target, check), kind, values)
        if check.kind is Kind.TICK and check.detector:
            yield FieldSpec(f"{base}.{check.code}.asked", "asked", ("yes", "no"))


def _marks_of_row(desk: Desk, dimension: Dimension, target: ShownResponse | ShownSet) -> Iterator[FieldSpec]:
    """Which lines of the persona an answer is about (DQ-06)."""
    for check in dimension.checks:
        if check.marks_persona:
            for number in range(1, len(desk.persona) + 1):
                yield FieldSpec(f"{field_of(dimension, target, check)}.line.{number}", "check", (TICKED,))
