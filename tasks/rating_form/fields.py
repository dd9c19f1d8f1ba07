"""The slots of the form, one for each dimension of each target, and their fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext as _, gettext_lazy, pgettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Kind, Scope
from rubrics.judging.parts import Check
from rubrics.judging.scales import BLANK, is_typed
from tasks.answers.fact_checks import Clock
from tasks.answers.slot_answers import (
    ASKED,
    FACT,
    LABELS,
    LINE,
    OWN,
    SCORE,
    SHOWN,
    TICKED,
    Claim,
    FieldName,
)
from tasks.models import FactCheck
from tasks.models.questions import LONGEST_QUESTION

LONGEST_TEXT = 20_000
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
        return LABELS[self.place - 1] if self.key.startswith("r") else ""

    @property
    def short(self) -> str:
        return self.label or pgettext("short for model", "M%(number)s") % {"number": self.place}

    @property
    def name(self) -> str:
        if self.label:
            return _("Response %(label)s") % {"label": self.label}
        return _("Model %(number)s") % {"number": self.place}


class OneOf(forms.Field):
    """One of a few values, or none."""

    def __init__(self, allowed: tuple[str, ...]) -> None:
        super().__init__(required=False)
        self.values = allowed

    def validate(self, value: str | None) -> None:
        """Raise ValidationError for any other value."""
        if value and value not in self.values:
            text = _("“%(value)s” is not possible. Choose from: %(allowed)s.")
            names = {"value": value[:40], "allowed": ", ".join(self.values)}
            raise ValidationError(text % names)


class SealedClock(forms.Field):
    """A field that takes the sealed clock of a look-up and cleans it to the text for `Clock.read`.

    A browser stores the clock but cannot set it. It cannot replay an earlier clock either: the
    clock stored on the server takes precedence (`clock_after` in `tasks.answers.fact_checks`).
    """

    def __init__(self, annotator: int, response: int, number: int) -> None:
        super().__init__(required=False)
        self.signer = _signer(annotator, response, number)

    def clean(self, value: str) -> str:
        """Return the clock; raise ValidationError if it was not sealed for this claim."""
        try:
            return self.signer.unsign(value)
        except BadSignature:
            raise ValidationError(
                _("The clock of this look-up is not valid. Look the claim up again.")
            ) from None


def seal(annotator: int, response: int, number: int, clock: Clock) -> str:
    """Return the clock as a signed text, valid only for this claim and this annotator.

    `annotator` and `response` are primary keys. `number` counts the response's claims from 1.
    """
    return _signer(annotator, response, number).sign(str(clock))


def _signer(annotator: int, response: int, number: int) -> Signer:
    # The salt names no lease: a form outlives its lease, and continues as a correction.
    return Signer(salt=f"look-up {annotator}: {response}.{number}")


# Fields have no request state, so all forms share these few instances.
def _text_field(most: int) -> forms.CharField:
    return forms.CharField(
        required=False,
        strip=False,
        max_length=most,
        error_messages={
            "max_length": gettext_lazy(
                "Too long: %(show_value)s characters, limit %(limit_value)s. Please "
                "shorten it. Nothing was cut."
            ),
            "null_characters_not_allowed": gettext_lazy(
                "The text contains a NUL character. Remove it."
            ),
        },
    )


TEXT = _text_field(LONGEST_TEXT)
REPLY_TEXT = _text_field(LONGEST_QUESTION)
one_of = lru_cache(maxsize=256)(OneOf)


@dataclass(frozen=True)  # without slots, so that cached properties build names only once
class FormSlot:
    """One dimension of one target in the form, with its fields.

    Most items share it, since it has nothing of an item but the persona, and that only if a check
    asks about its lines.
    """

    dimension: Dimension
    target: Target
    corpus: str  # m1, … for a candidate set, else ""
    persona: tuple[str, ...]  # its lines

    @cached_property
    def name(self) -> str:
        return str(FieldName(self.target.key, self.dimension.code))

    def field_of(self, check: Check, part: str = "") -> str:
        """Return the name of the field with the answer to a check, or with a part of it."""
        is_of_corpus = check.scope is Scope.CORPUS and self.corpus
        target = self.corpus if is_of_corpus else self.target.key
        return str(FieldName(target, self.dimension.code, check.code, part))

    @cached_property
    def typed_score_name(self) -> str:
        """The name of the field of the score that was entered before a rule forced another one."""
        return str(FieldName(self.target.key, self.dimension.code, SCORE, OWN))

    @cached_property
    def fields(self) -> dict[str, forms.Field]:
        """The fields by name."""
        fields: dict[str, forms.Field] = {}
        if self.dimension.scores and not self.dimension.given:
            field = self._score_field()
            fields |= {self.name: field, self.typed_score_name: field}
        for check in self.dimension.lettered_checks:
            if check.kind is not Kind.DETECTED:
                fields |= self._fields_of(check)
        return fields

    def _score_field(self) -> forms.Field:
        if is_typed(self.dimension):
            return TEXT  # it may be anything: what is no score stays in its field, with the reason
        scores = [str(score) for score in self.dimension.scores]
        if self.dimension.blank:
            scores.append(BLANK)
        return one_of(tuple(scores))

    def _fields_of(self, check: Check) -> dict[str, forms.Field]:
        codes = tuple(answer.code for answer in check.answers)
        field = one_of(codes or (TICKED,))
        fields: dict[str, forms.Field] = {self.field_of(check): field}
        if check.scope is Scope.CORPUS:
            fields[self.field_of(check, SHOWN)] = field
        if check in self.dimension.watched_ticks:
            fields[self.field_of(check, ASKED)] = one_of(("yes", "no"))
        if check.marks_persona:  # the lines that an answer is about (DQ-06)
            for number in range(1, len(self.persona) + 1):
                fields[self.field_of(check, f"{LINE}{number}")] = one_of((TICKED,))
        return fields


# Equal slots are one object, which makes them fast cache keys.
slot_of = lru_cache(maxsize=1024)(FormSlot)


@dataclass(frozen=True)
class FactPlace:
    """The fields of one claim about a response (`r1.fact.1`)."""

    target: str
    number: int  # from 1

    @cached_property
    def prefix(self) -> str:
        return str(FieldName(self.target, FACT, str(self.number)))

    @property
    def id(self) -> str:
        return element_id(self.prefix)

    @property
    def clock(self) -> str:
        """The name of the field with the clock of the look-up."""
        return self.names["clock"]

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of its fields, by the part of a `Claim` that they have."""
        number = str(self.number)
        return {part: str(FieldName(self.target, FACT, number, part)) for part in Claim._fields}

    @property
    def fields(self) -> dict[str, forms.Field]:
        fields: dict[str, forms.Field] = dict.fromkeys(self.names.values(), TEXT)
        fields[self.names["outcome"]] = one_of(tuple(FactCheck.Outcome.values))
        return fields


@lru_cache(maxsize=256)
def fact_places(target: str) -> tuple[FactPlace, ...]:
    """Return the fields of all claims that a response may have."""
    return tuple(FactPlace(target, number) for number in range(1, MOST_FACTS + 1))


def element_id(name: str) -> str:
    """Return a field's name as an element id, without dots, which selectors must escape."""
    return name.replace(".", "-")
