"""The slots of the form, one for each dimension of each target, and their fields."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import ascii_uppercase

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer
from django.utils.translation import gettext as _, gettext_lazy, pgettext

from rubrics.schema import Check, Dimension, Kind, Scope
from tasks.answers import ASKED, FACT, LINE, NONE_OF_THESE, SHOWN, TICKED, Claim, FieldName
from tasks.fact_checks import Clock
from tasks.models import FactCheck

LONGEST_TEXT = 20_000
MOST_FACTS = 20  # claims looked up for one response
LABELS = [first + last for first in ("", *ascii_uppercase) for last in ascii_uppercase]


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

    def __init__(self, values: tuple[str, ...]) -> None:
        super().__init__(required=False)
        self.values = values

    def validate(self, value: str | None) -> None:
        """Raise ValidationError for any other value."""
        if value and value not in self.values:
            raise ValidationError(
                _("“%(value)s” is not possible. Choose from: %(allowed)s.")
                % {"value": value[:40], "allowed": ", ".join(self.values)}
            )


class SealedClock(forms.Field):
    """A field that takes the sealed clock of a look-up and cleans it to the text for `Clock.read`.

    A browser stores the clock but cannot set it. It cannot replay an earlier clock either: the
    clock stored on the server takes precedence (`LookUp.clock_after`).
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
TEXT = forms.CharField(
    required=False,
    strip=False,
    max_length=LONGEST_TEXT,
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
    asks_reasons: bool  # as in `ItemView`

    @cached_property
    def name(self) -> str:
        return str(FieldName(self.target.key, self.dimension.code))

    @cached_property
    def asks_reason(self) -> bool:
        """True if a score needs a tick here, or the tick "none of these"."""
        checks = self.dimension.checks
        return (
            self.asks_reasons and bool(checks) and all(check.kind is Kind.TICK for check in checks)
        )

    def field_of(self, check: Check, part: str = "") -> str:
        """Return the name of the field with the answer to a check, or with a part of it."""
        is_of_corpus = check.scope is Scope.CORPUS and self.corpus
        target = self.corpus if is_of_corpus else self.target.key
        return str(FieldName(target, self.dimension.code, check.code, part))

    @cached_property
    def none_of_these(self) -> str:
        """The name of the field of the tick "none of these"."""
        return str(FieldName(self.target.key, self.dimension.code, NONE_OF_THESE))

    @cached_property
    def fields(self) -> dict[str, forms.Field]:
        """The fields by name."""
        fields: dict[str, forms.Field] = {self.name: one_of(tuple(map(str, self.dimension.scores)))}
        for check in self.dimension.checks:
            if check.kind is Kind.DETECTED:
                continue
            name = self.field_of(check)
            fields[name] = one_of(tuple(answer.code for answer in check.answers) or (TICKED,))
            if check.scope is Scope.CORPUS:
                fields[self.field_of(check, SHOWN)] = fields[name]
            if check in self.dimension.watched:
                fields[self.field_of(check, ASKED)] = one_of(("yes", "no"))
            if check.marks_persona:  # the lines that an answer is about (DQ-06)
                for number in range(1, len(self.persona) + 1):
                    fields[self.field_of(check, f"{LINE}{number}")] = one_of((TICKED,))
        if self.asks_reason:
            fields[self.none_of_these] = one_of((TICKED,))
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
        outcomes = one_of(tuple(FactCheck.Outcome.values))
        return {name: outcomes if part == "outcome" else TEXT for part, name in self.names.items()}


@lru_cache(maxsize=256)
def fact_places(target: str) -> tuple[FactPlace, ...]:
    """Return the fields of all claims that a response may have."""
    return tuple(FactPlace(target, number) for number in range(1, MOST_FACTS + 1))


def element_id(name: str) -> str:
    """Return a field's name as an element id, without dots, which selectors must escape."""
    return name.replace(".", "-")
