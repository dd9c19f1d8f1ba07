"""The item as shown: its responses and candidate sets in the order drawn, and their fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from rubrics import detectors
from rubrics.schema import Dimension, Rubric, Scope, Unit
from tasks.fact_checks import SEARCH

from .fields import FieldSpec, FormSlot, fact_places, place_of

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class ShownResponse:
    """A response as shown on the desk."""

    key: str  # r1, r2, …
    pk: int
    number: int  # in the upload
    model: str  # never shown
    text: str

    @property
    def place(self) -> int:
        """The position on the desk, from 1."""
        return int(self.key[1:])

    @property
    def label(self) -> str:
        return label_of(self.place)

    @property
    def bare(self) -> ShownResponse:
        """A copy that keeps the position on the desk but no data of the item."""
        return ShownResponse(self.key, pk=0, number=0, model="", text="")

    @property
    def blank(self) -> bool:
        """True if the text has nothing visible; the page says so instead of showing it."""
        return detectors.is_empty(self.text)

    @property
    def name(self) -> str:
        return _("Response %(label)s") % {"label": self.label}


@dataclass(frozen=True, slots=True)
class ShownSet:
    """A model's candidates for this history, under an opaque name.

    A dimension applies if there are enough candidates, and if the model answered enough other
    histories (DQ-11).
    """

    key: str  # s1, s2, …
    corpus_key: str  # m1, m2, …
    model: str
    candidates: tuple[ShownResponse, ...]
    asked: frozenset[str]  # codes of the dimensions that apply

    @property
    def number(self) -> int:
        return int(self.key[1:])

    @property
    def bare(self) -> ShownSet:
        """A copy that keeps the position on the desk but no data of the item."""
        return ShownSet(self.key, self.corpus_key, model="", candidates=(), asked=self.asked)

    @property
    def name(self) -> str:
        return _("Model %(number)s") % {"number": self.number}


Target = ShownResponse | ShownSet


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as shown to one annotator."""

    rubric: Rubric
    responses: tuple[ShownResponse, ...]
    sets: tuple[ShownSet, ...] = ()
    persona: tuple[str, ...] = ()  # its lines
    has_history: bool = False
    query: str = ""  # the turn that the responses answer
    # A dimension that has ticks only requires one of them, or "none of these", with the score.
    asks_reasons: bool = False
    search: str = SEARCH  # address of the search for claims
    now: int = 0  # the time of the request, in seconds of the Unix epoch
    # The annotator's answers about the corpora of the batch, by field: all revisions, oldest first.
    recorded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    annotator: int = 0  # primary key
    # The stored fields of the claims that the annotator looks up, by field.
    kept: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_persona(self) -> bool:
        return bool(self.persona)

    def dimensions(self, unit: Unit) -> tuple[Dimension, ...]:
        """Return the dimensions that apply to this item."""
        return tuple(
            dimension
            for dimension in self.rubric.dimensions
            if dimension.unit is unit
            and (self.has_persona or not dimension.needs.persona)
            and (self.has_history or not dimension.needs.history)
        )

    def targets(self, dimension: Dimension) -> tuple[Target, ...]:
        """Return everything that the dimension scores in this item."""
        if dimension.unit is Unit.RESPONSE:
            return self.responses
        return tuple(shown for shown in self.sets if dimension.code in shown.asked)

    @property
    def places(self) -> tuple[FormSlot, ...]:
        """Every place of the form."""
        return tuple(
            self.place(dimension, target)
            for unit in Unit
            for dimension in self.dimensions(unit)
            for target in self.targets(dimension)
        )

    @property
    def corpus_fields(self) -> tuple[str, ...]:
        """The names of the fields with answers about a corpus."""
        return tuple(
            self.place(dimension, target).field_of(check)
            for dimension in (self.dimensions(Unit.CANDIDATE_SET) if self.sets else ())
            for target in self.targets(dimension)
            for check in dimension.checks
            if check.scope is Scope.CORPUS
        )

    def place(self, dimension: Dimension, target: Target) -> FormSlot:
        corpus = target.corpus_key if isinstance(target, ShownSet) else ""
        return place_of(dimension, target.key, corpus, len(self.persona), self.asks_reasons)


def label_of(number: int) -> str:
    """Return the letters of a number from 1: A, B, …, Z, AA, AB and so on."""
    label = ""
    while number:
        number, letter = divmod(number - 1, 26)
        label = LETTERS[letter] + label
    return label


def fields_of(desk: ItemView) -> Iterator[FieldSpec]:
    """Return every field of the desk's form."""
    return fields_at(desk.places, [response.key for response in desk.responses])


def fields_at(places: Iterable[FormSlot], responses: Iterable[str]) -> Iterator[FieldSpec]:
    """Yield every field of a form with these places and these responses (keys)."""
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
