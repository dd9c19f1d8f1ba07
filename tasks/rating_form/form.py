"""The rating form: validates the posted fields, evaluates them and builds a `Submission`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import chain

from django import forms

from tasks.answers.fact_checks import Clock, clock_after
from tasks.answers.slot_answers import FACT, Answers, Claim, FieldName
from tasks.answers.submission import Submission
from tasks.models import TextView

from .evaluate import evaluate
from .evaluated_form import EvaluatedForm, FormError
from .fields import FactPlace, OneOf, SealedClock, element_id, fact_places, one_of, seal
from .form_submission import submission_of
from .item_view import ItemView, ResponseView, fields_at
from .verdict_words import field_in_words

LONGEST_SEEN = 200_000  # enough for fifty responses that are all twins
# Actions on a claim (r1.fact.1): start its look-up, or take it out of the form.
LOOK_UP = "look_up"
TAKE_OUT = "take_out"


class RatingForm(forms.Form):
    """The answers that an annotator posts for a leased item.

    Only posted fields are validated. The evaluated form reports missing answers, at their rows.
    """

    def __init__(self, desk: ItemView, data: Mapping[str, str]) -> None:
        """Build the fields for the posted names."""
        super().__init__(data)
        self.desk = desk
        # Most posted values are in a field's allow-list. They need no further validation.
        self.chosen: dict[str, str] = {}
        self._sort_fields(data)
        # Each claim has a field of its own: a sealed clock is valid for one claim only.
        for response, place in self.claims:
            if place.clock in self.fields:
                self.fields[place.clock] = SealedClock(desk.annotator, response.pk, place.number)
        self.fields.update(seen=SEEN, view=VIEW, active_seconds=ACTIVE_SECONDS)

    def _sort_fields(self, data: Mapping[str, str]) -> None:
        """Put each posted answer into `chosen` if it is allowed, else its field into `fields`."""
        responses = tuple([response.key for response in self.desk.responses])
        known = fields_at(self.desk.places, responses)
        for name in data:
            field = known.get(name)
            value = data[name]
            if name in (LOOK_UP, TAKE_OUT):
                self.fields[name] = _claims(responses)
            elif field is None or not value:
                continue  # a browser sends every text field: an empty one counts as not sent
            elif isinstance(field, OneOf) and value in field.values:
                self.chosen[name] = value
            else:
                self.fields[name] = field

    @cached_property
    def claims(self) -> list[tuple[ResponseView, FactPlace]]:
        """The places of claims, unless no field of one was posted."""
        names = (*self.chosen, *self.fields)
        if not any(FieldName.read(name).dimension == FACT for name in names):
            return []
        claims: list[tuple[ResponseView, FactPlace]] = []
        for response in self.desk.responses:
            claims += ((response, place) for place in fact_places(response.key))
        return claims

    @property
    def looking_up(self) -> str:
        """The claim (`r1.fact.1`) whose look-up begins; "" for none."""
        return self._claim(LOOK_UP)

    @property
    def rearranged(self) -> str:
        """The response (`r1`) that gains or loses a claim; "" for none."""
        return FieldName.read(self.looking_up or self._claim(TAKE_OUT)).target

    def _claim(self, action: str) -> str:
        return "" if action in self.errors else str(self.cleaned_data.get(action, ""))

    @cached_property
    def answers(self) -> Answers:
        """The posted answers.

        Values that are not allowed are left out; their errors report them. The clocks of look-ups
        are started, stopped or continued.
        """
        answers = dict(self.chosen)
        for name, field in self.fields.items():
            is_refused = name in self.errors and isinstance(field, OneOf | SealedClock)
            if name not in self.data or is_refused:
                continue
            if isinstance(field, SealedClock):
                answers[name] = self.cleaned_data[name]
            else:
                # A form without JavaScript ends lines with CR LF, a script with LF.
                answers[name] = self.data[name].replace("\r\n", "\n")
        for _response, place in self.claims:
            self._set_clock(place, answers)
        return Answers.read(answers)

    @property
    def sent(self) -> dict[str, str]:
        """The fields of the answers with sealed clocks, for another page to post again."""
        answers = self.answers.fields()
        for response, place in self.claims:
            clock = Clock.read(answers.get(place.clock, ""))
            if clock:
                sealed = seal(self.desk.annotator, response.pk, place.number, clock)
                answers[place.clock] = sealed
        return answers

    def _set_clock(self, place: FactPlace, texts_by_field: dict[str, str]) -> None:
        """Start, stop or continue the clock of a claim; remove all fields of one taken out."""
        texts = {part: texts_by_field.get(name, "") for part, name in place.names.items()}
        claim = Claim(**texts)
        if claim.is_blank:
            texts_by_field.pop(place.clock, None)
        elif place.prefix == self._claim(TAKE_OUT):
            for name in place.names.values():
                texts_by_field.pop(name, None)
        else:
            clock = self._clock_of(place, claim)
            if clock is not None:
                texts_by_field[place.clock] = str(clock)

    def _clock_of(self, place: FactPlace, claim: Claim) -> Clock | None:
        """Return the clock of a claim as it is now; None if its look-up has not begun."""
        stored = self.desk.stored.claim(place.target, place.number)
        clock = clock_after(claim, stored, self.desk.now)
        if clock is None and place.prefix == self.looking_up and claim.claim.strip():
            clock = Clock()
        return clock and clock.after_outcome(claim.outcome, self.desk.now)

    def evaluated(self, *, submitting: bool = False) -> EvaluatedForm:
        """Return the evaluated form with all its errors."""
        answers = self.answers  # cleans the fields
        errors = self.errors
        seen = str(self.cleaned_data.get("seen", "")).split()
        evaluated = evaluate(
            self.desk,
            answers,
            seen=seen,
            submitting=submitting,
            looking_up=self.looking_up,
        )
        misshapen: list[FormError] = []
        for name, messages in errors.items():
            words = field_in_words(name)
            element = element_id(name)
            for message in messages:
                misshapen.append(FormError(element, f"{words}: {message}"))
        return replace(evaluated, errors=(*misshapen, *evaluated.errors))

    def submission(self, evaluated: EvaluatedForm) -> Submission:
        """Return the data to store; the evaluated form must be storable."""
        active_seconds = self.cleaned_data.get("active_seconds")
        view = self.cleaned_data.get("view") or ""
        return submission_of(evaluated, active_seconds=active_seconds, view=view)


class Seconds(forms.IntegerField):
    """Whole seconds counted by a browser, capped at one day.

    A correct count never exceeds a day of work on one item. The database's integers are bounded.
    """

    most = 24 * 60 * 60

    def to_python(self, value: object) -> int | None:
        seconds: int | None = super().to_python(value)
        return None if seconds is None else min(seconds, self.most)


SEEN = forms.CharField(required=False, max_length=LONGEST_SEEN)
ACTIVE_SECONDS = Seconds(required=False, min_value=0)
VIEW = one_of(tuple(TextView.values))


@lru_cache(maxsize=256)
def _claims(response_keys: tuple[str, ...]) -> forms.Field:
    places = chain.from_iterable(map(fact_places, response_keys))
    return OneOf(tuple(place.prefix for place in places))
