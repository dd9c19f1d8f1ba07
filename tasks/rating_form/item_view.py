"""What is asked about: an item's responses and candidate sets in the order drawn, and the fields
for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from rubrics import detectors
from rubrics.schema import Dimension, Rubric, Scope, Unit
from tasks.fact_checks import SEARCH

from .fields import FieldSpec, Place, fact_places, place_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


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
    def place(self) -> int:
        """On the desk, from 1."""
        return int(self.key[1:])

    @property
    def label(self) -> str:
        return label_of(self.place)

    @property
    def bare(self) -> ShownResponse:
        """Its place on the desk alone, with nothing of the item."""
        return ShownResponse(self.key, pk=0, number=0, model="", text="")

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

    `asked`: codes of the dimensions that apply, since there are candidates enough and the model
    answered enough other histories (DQ-11).
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
    def bare(self) -> ShownSet:
        """Its place on the desk alone, with nothing of the item."""
        return ShownSet(self.key, self.corpus_key, model="", candidates=(), asked=self.asked)

    @property
    def name(self) -> str:
        return _("Model %(number)s") % {"number": self.number}


Target = ShownResponse | ShownSet


@dataclass(frozen=True, slots=True)
class Desk:
    """An item as it is put before an annotator.

    `query`: the turn that the responses answer. `asks_reasons`: where a dimension has ticks only,
    one of them, or "none of these", must be given with the score. `search`: the address where
    claims are searched. `now`: when it is put there, in seconds of the Unix epoch. `recorded`: by
    field, what the annotator has answered about the corpora of the batch, every revision, the first
    one first. `annotator`: their primary key; `kept`: by field, what is known here of the claims
    that they look up.
    """

    rubric: Rubric
    responses: tuple[ShownResponse, ...]
    sets: tuple[ShownSet, ...] = ()
    persona: tuple[str, ...] = ()
    has_history: bool = False
    query: str = ""
    asks_reasons: bool = False
    search: str = SEARCH
    now: int = 0
    recorded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    annotator: int = 0
    kept: Mapping[str, str] = field(default_factory=dict)

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

    def targets(self, dimension: Dimension) -> tuple[Target, ...]:
        """Everything that the dimension scores in this item."""
        if dimension.unit is Unit.RESPONSE:
            return self.responses
        return tuple(shown for shown in self.sets if dimension.code in shown.asked)

    @property
    def places(self) -> tuple[Place, ...]:
        """Every one of the form."""
        return tuple(
            self.place(dimension, target)
            for unit in Unit
            for dimension in self.dimensions(unit)
            for target in self.targets(dimension)
        )

    @property
    def corpus_fields(self) -> tuple[str, ...]:
        """The names of those in which something is answered about a corpus."""
        return tuple(
            self.place(dimension, target).field_of(check)
            for dimension in (self.dimensions(Unit.CANDIDATE_SET) if self.sets else ())
            for target in self.targets(dimension)
            for check in dimension.checks
            if check.scope is Scope.CORPUS
        )

    def place(self, dimension: Dimension, target: Target) -> Place:
        corpus = target.corpus_key if isinstance(target, ShownSet) else ""
        return place_of(dimension, target.key, corpus, len(self.persona), self.asks_reasons)


def label_of(number: int) -> str:
    """A, B, …, Z, AA, AB, … for 1, 2, …"""
    label = ""
    while number:
        number, letter = divmod(number - 1, 26)
        label = LETTERS[letter] + label
    return label


def fields_of(desk: Desk) -> Iterator[FieldSpec]:
    """Every field that the form has."""
    return fields_at(desk.places, [response.key for response in desk.responses])


def fields_at(places: Iterable[Place], responses: Iterable[str]) -> Iterator[FieldSpec]:
    """Every field of a form with these places, and with these responses (by key)."""
    checks_facts = False
    for place in places:
        yield from place.fields
        checks_facts = checks_facts or place.dimension.fact_check is not None
    for key in responses:
        yield FieldSpec(f"{key}.comment", "text")
        if checks_facts:
            for fact in fact_places(key):
                yield from fact.fields
    yield FieldSpec("comment", "text")
