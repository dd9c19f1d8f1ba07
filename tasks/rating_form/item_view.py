"""The item as shown: its responses and candidate sets in the order drawn, and their fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from django import forms

from rubrics.judging import detectors
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Consequences, Unit
from rubrics.judging.parts import Needs
from rubrics.judging.schema import Rubric
from tasks.answers.fact_checks import SEARCH
from tasks.answers.slot_answers import (
    COMMENT,
    NO_ANSWERS,
    NOT_SURE,
    REPLY,
    TICKED,
    Answers,
    FieldName,
)

from .fields import REPLY_TEXT, TEXT, FormSlot, Target, fact_places, one_of, slot_of

SHORT = 240  # characters of a reply: three lines of the desk's text column


@dataclass(frozen=True, slots=True)
class ResponseView(Target):
    """A response as shown on the desk."""

    pk: int
    number: int  # in the upload
    model: str  # never shown
    text: str

    @property
    def blank(self) -> bool:
        """True if the text has nothing visible; the page says so instead of showing it."""
        return detectors.is_empty(self.text)


@dataclass(frozen=True, slots=True)
class CandidateSetView(Target):
    """A model's candidates for this history, under an opaque name.

    A dimension applies if there are enough candidates, and if the model answered enough other
    histories (DQ-11).
    """

    corpus_key: str  # m1, m2, …
    model: str
    candidates: tuple[ResponseView, ...]
    applicable: frozenset[str]  # codes of the dimensions that apply


ScoredTarget = ResponseView | CandidateSetView


@dataclass(frozen=True, slots=True)
class ItemView:
    """An item as shown to one annotator."""

    rubric: Rubric
    responses: tuple[ResponseView, ...]
    sets: tuple[CandidateSetView, ...] = ()
    persona: tuple[str, ...] = ()  # its lines
    has_history: bool = False
    tags: frozenset[str] = frozenset()  # of the item, if the rubric asks by them
    query: str = ""  # the turn that the responses answer
    consequences: str = Consequences.ALWAYS
    search: str = SEARCH  # address of the search for claims
    now: int = 0  # the time of the request, in seconds of the Unix epoch
    # The annotator's latest answers about the corpora of the batch, by field.
    about_corpora: Mapping[str, str] = field(default_factory=dict)
    annotator: int = 0  # primary key
    stored: Answers = NO_ANSWERS  # with the claims of the draft, else of the revised rating

    @property
    def lists_responses(self) -> bool:
        """True if three responses or more are short, so that they are compared at a glance."""
        return len(self.responses) > 2 and all(
            len(response.text) <= SHORT for response in self.responses
        )

    def dimensions(self, unit: Unit) -> tuple[Dimension, ...]:
        """Return the dimensions that apply to this item."""
        parts = self.rubric.parts
        return tuple(part for part in parts if part.unit is unit and self._meets(part.needs))

    def _meets(self, needs: Needs) -> bool:
        if needs.tags and self.tags.isdisjoint(needs.tags):
            return False
        return bool((self.persona or not needs.persona) and (self.has_history or not needs.history))

    def targets(
        self, dimension: Dimension
    ) -> tuple[ResponseView, ...] | tuple[CandidateSetView, ...]:
        """Return everything that the dimension scores in this item."""
        if dimension.unit is Unit.RESPONSE:
            return self.responses
        return tuple(group for group in self.sets if dimension.code in group.applicable)

    @property
    def places(self) -> tuple[FormSlot, ...]:
        """Every slot of the form."""
        form_slots: list[FormSlot] = []
        for unit in Unit:
            for dimension in self.dimensions(unit):
                form_slots += (self.slot(dimension, target) for target in self.targets(dimension))
        return tuple(form_slots)

    def slot(self, dimension: Dimension, target: Target) -> FormSlot:
        """Return the slot of a dimension of a target."""
        corpus = target.corpus_key if isinstance(target, CandidateSetView) else ""
        lines = self.persona if any(check.marks_persona for check in dimension.checks) else ()
        return slot_of(dimension, Target(target.key), corpus, lines)


@lru_cache(maxsize=256)
def fields_at(
    slots: tuple[FormSlot, ...], response_keys: tuple[str, ...]
) -> dict[str, forms.Field]:
    """Return every field of a form with these slots and these responses (keys), by name."""
    fields: dict[str, forms.Field] = {COMMENT: TEXT, REPLY: REPLY_TEXT, NOT_SURE: one_of((TICKED,))}
    for slot in slots:
        fields |= slot.fields
    for key in response_keys:
        fields[str(FieldName(key, COMMENT))] = TEXT
        if any(slot.dimension.fact_check for slot in slots):
            for fact in fact_places(key):
                fields |= fact.fields
    return fields
