"""The rating form: validates the posted fields, evaluates them and builds a `Submission`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from time import time
from typing import Any

from django import forms

from rubrics.schema import Reason, Rubric, Unit, Verdict
from tasks.answers import (
    ASKED,
    COMMENT,
    FACT,
    NO_ANSWERS,
    NOT_SURE,
    TICKED,
    WHOLE,
    Answers,
    Claim,
    FieldName,
    SlotAnswers,
)
from tasks.fact_checks import Clock, clock_after
from tasks.models import (
    CorpusAnswer,
    Draft,
    FactCheck,
    Item,
    Lease,
    Placement,
    Rating,
    Response,
    TextView,
)
from tasks.rating_form import verdict_words as wording
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.fields import (
    FactPlace,
    OneOf,
    SealedClock,
    Target,
    element_id,
    fact_places,
    one_of,
    seal,
)
from tasks.rating_form.item_view import ItemView, ShownResponse, ShownSet, fields_at
from tasks.rating_form.view_models import EvaluatedForm, EvaluatedTarget, Row
from tasks.submission import GivenFact, GivenScore, SeenRemark, Submission

LONGEST_SEEN = 200_000  # enough for fifty responses that are all twins
# Actions on a claim (r1.fact.1): start its look-up, or take it out of the form.
LOOK_UP, TAKE_OUT = "look_up", "take_out"


class RatingForm(forms.Form):
    """The answers that an annotator posts for a leased item.

    Only posted fields are validated. The evaluated form reports missing answers, at their rows.
    """

    def __init__(self, desk: ItemView, data: Mapping[str, str]) -> None:
        """Build the fields for the posted names."""
        super().__init__(data)
        self.desk = desk
        responses = tuple([response.key for response in desk.responses])
        known = fields_at(desk.places, responses)
        # Most posted values are in a field's allow-list. They need no further validation.
        self.chosen: dict[str, str] = {}
        for name in data:
            shape, given = known.get(name), data[name]
            # A browser sends every text field. Treat an empty one as not sent.
            if shape is not None and given:
                if isinstance(shape, OneOf) and given in shape.values:
                    self.chosen[name] = given
                else:
                    self.fields[name] = shape
            elif name in (LOOK_UP, TAKE_OUT):
                self.fields[name] = _claims(responses)
        # Each claim has a field of its own: a sealed clock is valid for one claim only.
        for response, place in self.claims:
            if place.clock in self.fields:
                self.fields[place.clock] = SealedClock(desk.annotator, response.pk, place.number)
        self.fields.update(seen=SEEN, view=VIEW, active_seconds=ACTIVE_SECONDS)

    @cached_property
    def claims(self) -> list[tuple[ShownResponse, FactPlace]]:
        """The places of claims, unless no field of one was posted."""
        names = (*self.chosen, *self.fields)
        has_some = any(FieldName.read(name).dimension == FACT for name in names)
        responses = self.desk.responses if has_some else ()
        return [(response, place) for response in responses for place in fact_places(response.key)]

    @property
    def looking_up(self) -> str:
        """The claim (`r1.fact.1`) whose look-up begins; "" for none."""
        return self._claim(LOOK_UP)

    @property
    def rearranged(self) -> str:
        """The response (`r1`) that gains or loses a claim; "" for none."""
        return FieldName.read(self.looking_up or self._claim(TAKE_OUT)).target

    def _claim(self, done: str) -> str:
        return "" if done in self.errors else str(self.cleaned_data.get(done, ""))

    @cached_property
    def answers(self) -> Answers:
        """The posted answers.

        Values that are not allowed are left out; their errors report them. The clocks of look-ups
        are started, stopped or continued.
        """
        answers = self.chosen | {
            # A form without JavaScript ends lines with CR LF, a script with LF. Treat them alike.
            name: self.cleaned_data[name]
            if isinstance(shape, SealedClock)
            else self.data[name].replace("\r\n", "\n")
            for name, shape in self.fields.items()
            if name not in self.errors or not isinstance(shape, OneOf | SealedClock)
            if name in self.data
        }
        for _response, place in self.claims:
            self._settle(place, answers)
        return Answers.read(answers)

    @property
    def sent(self) -> dict[str, str]:
        """The fields of the answers with sealed clocks, for another page to post again."""
        answers = self.answers.fields()
        clocks = {
            place.clock: seal(self.desk.annotator, response.pk, place.number, clock)
            for response, place in self.claims
            if (clock := Clock.read(answers.get(place.clock, "")))
        }
        return answers | clocks

    def _settle(self, place: FactPlace, answers: dict[str, str]) -> None:
        """Start, stop or continue the clock of a claim; remove all fields of one taken out."""
        said = Claim(*(answers.get(name, "") for name in place.names.values()))
        blank = not (said.claim.strip() or said.outcome or said.sources.strip())
        if blank or place.prefix == self._claim(TAKE_OUT):
            for name in (place.clock,) if blank else place.names.values():
                answers.pop(name, None)
            return
        stored = self.desk.stored.claim(place.target, place.number)
        clock = clock_after(said, stored, self.desk.now)
        if clock is None and place.prefix == self.looking_up and said.claim.strip():
            clock = Clock()
        if clock is not None:
            answers[place.clock] = str(clock.after_outcome(said.outcome, self.desk.now))

    def evaluated(self, *, submitting: bool = False) -> EvaluatedForm:
        """Return the evaluated form with all its errors."""
        answers, errors = self.answers, self.errors  # cleans the fields
        evaluated = evaluate(
            self.desk,
            answers,
            seen=str(self.cleaned_data.get("seen", "")).split(),
            submitting=submitting,
            looking_up=self.looking_up,
        )
        misshapen = tuple(
            (element_id(name), f"{wording.field(name)}: {message}")
            for name, messages in errors.items()
            for message in messages
        )
        return replace(evaluated, errors=(*misshapen, *evaluated.errors))

    def submission(self, evaluated: EvaluatedForm) -> Submission:
        """Return the data to store; the evaluated form must be storable."""
        scores = (
            _given_score(
                target.shown, row, (why for name, why in evaluated.between if name == row.name)
            )
            for target in evaluated.targets
            for row in target.rows
            if row.dimension.scores
        )
        by_response = [
            (target, target.shown.pk)
            for target in evaluated.responses
            if isinstance(target.shown, ShownResponse)
        ]
        return Submission(
            scores=tuple(scores),
            comments=tuple((pk, target.comment) for target, pk in by_response if target.comment),
            wholes=tuple(
                (target.shown.place, row.answers)
                for target in evaluated.responses
                for row in target.rows
                if not row.dimension.scores and row.answers.given
            ),
            comment=evaluated.comment,
            not_sure=evaluated.not_sure,
            facts=tuple(given for target, pk in by_response for given in _given_facts(target, pk)),
            active_seconds=self.cleaned_data.get("active_seconds"),
            view=self.cleaned_data.get("view") or "",
        )


def _given_facts(target: EvaluatedTarget, response: int) -> Iterator[GivenFact]:
    facts = (fact for fact in target.facts if not fact.blank)
    for number, fact in enumerate(facts, start=1):
        sources = "\n".join(fact.addresses)
        yield GivenFact(
            *(response, number, fact.claim.strip(), fact.outcome, sources),
            fact.seconds,
            fact.is_over_time,
        )


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
def _claims(responses: tuple[str, ...]) -> forms.Field:
    return OneOf(tuple([place.prefix for key in responses for place in fact_places(key)]))


def _given_score(target: Target, row: Row, between: Iterable[Reason]) -> GivenScore:
    assert isinstance(target, ShownResponse | ShownSet)
    assert isinstance(row.judgement, Verdict)
    assert (row.score is None) is bool(row.without)
    return GivenScore(
        dimension=row.dimension.code,
        unit=str(row.dimension.unit),
        response=target.pk if isinstance(target, ShownResponse) else None,
        model=target.model,
        position=target.place,
        value=row.score if row.is_asked else None,
        open=row.judgement.open,
        clauses=tuple(sorted({reason.clause for reason in row.judgement.acting} - {""})),
        remarks=tuple(
            SeenRemark(reason.clause, reason.rule, reason.text) for reason in (*row.told, *between)
        ),
        answers=row.answers,
        without=row.without,
    )


def item_view_of(
    lease: Lease, corrected: Rating | None = None, draft: Draft | None = None
) -> ItemView:
    """Return a leased item as shown, with its responses in the order drawn for the lease.

    `corrected`: the rating that the page corrects, if it does. `draft`: the draft that it shows.
    """
    rubric = lease.project.rubric.schema
    item = lease.item
    by_pk = {response.pk: response for response in item.own_responses}
    responses = tuple(
        ShownResponse(f"r{place}", pk, by_pk[pk].position, by_pk[pk].model, by_pk[pk].text)
        for place, pk in enumerate(lease.responses, start=1)
    )
    sets = _shown_sets(rubric, item, responses, lease.model_names)
    return ItemView(
        rubric=rubric,
        responses=responses,
        sets=sets,
        persona=tuple(item.persona),
        has_history=bool(item.messages),
        tags=item.tags if any(each.needs.tags for each in rubric.dimensions) else frozenset(),
        query=item.messages[-1]["text"] if item.messages else "",
        asks_reasons=lease.project.asks_reasons,
        consequences=lease.project.consequences,
        search=lease.project.search_address,
        now=int(time()),
        about_corpora=_about_corpora(lease, sets) if sets else {},
        annotator=lease.annotator_id,
        stored=_stored(draft, corrected, responses)
        if any(each.fact_check for each in rubric.dimensions)
        else NO_ANSWERS,
    )


def _stored(
    draft: Draft | None, corrected: Rating | None, responses: Sequence[ShownResponse]
) -> Answers:
    """Return the stored claims: those of the draft if there is one, else of the rating."""
    if draft is not None:
        return Answers.read(draft.answers)
    keys = {response.pk: response.key for response in responses}
    return Answers.of(_look_ups(corrected, keys) if corrected else ())


def _shown_sets(
    rubric: Rubric, item: Item, responses: Sequence[ShownResponse], models: Sequence[str]
) -> tuple[ShownSet, ...]:
    """Return the candidate sets that some dimension applies to, in the order of `models`."""
    dimensions = [
        dimension for dimension in rubric.dimensions if dimension.unit is Unit.CANDIDATE_SET
    ]
    candidates = {
        model: tuple(each for each in responses if each.model == model) for model in models
    }
    asked = {
        model: [each for each in dimensions if len(candidates[model]) >= each.needs.candidates]
        for model in models
    }
    elsewhere = _histories_elsewhere(
        item,
        {
            model: max(each.needs.other_histories for each in some)
            for model, some in asked.items()
            if some
        },
    )
    sets = (
        ShownSet(
            f"s{place}",
            f"m{place}",
            model,
            candidates[model],
            frozenset(
                each.code for each in asked[model] if elsewhere[model] >= each.needs.other_histories
            ),
        )
        for place, model in enumerate(models, start=1)
    )
    return tuple(shown for shown in sets if shown.asked)


def _about_corpora(lease: Lease, sets: Sequence[ShownSet]) -> dict[str, str]:
    """Return the annotator's latest answers about these models' corpora, by field."""
    keys = {shown.model: shown.corpus_key for shown in sets}
    given = CorpusAnswer.objects.latest_of(lease.annotator, lease.item.batch_id)
    return {
        str(FieldName(keys[model], dimension, code)): answer
        for (model, dimension, code), answer in given.items()
        if model in keys
    }


def _histories_elsewhere(item: Item, models: Mapping[str, int]) -> Counter[str]:
    """Count the other histories of the batch that each model answered, up to its limit.

    `models` maps each model to its limit. One query counts for all models.
    """
    if item.elsewhere is not None:  # it shows what the rubric asks, however few there are
        return Counter(models)
    if not any(models.values()):  # always so if the rubric asks about single responses only
        return Counter()
    others = Response.objects.filter(item__batch=item.batch_id).exclude(item=item).order_by()
    found = [
        others.filter(model=model).values_list("model", "item").distinct()[:most]
        for model, most in models.items()
        if most
    ]
    return Counter(model for model, _item in found[0].union(*found[1:], all=True))


def first_evaluated(
    desk: ItemView, corrected: Rating | None = None, draft: Draft | None = None
) -> EvaluatedForm:
    """Return the form as its annotator first sees it: the draft, else the corrected rating."""
    if draft is not None:
        return evaluate(desk, Answers.read(draft.answers), seen=draft.seen.split())
    return evaluate(desk, NO_ANSWERS if corrected is None else answers_of(corrected, desk))


def evaluated_of(rating: Rating, desk: ItemView) -> EvaluatedForm:
    """Return the form with the answers of a rating, ignoring what was entered since."""
    return evaluate(replace(desk, about_corpora={}), answers_of(rating, desk))


def answers_of(rating: Rating, desk: ItemView) -> Answers:
    """Return all answers of a rating."""
    return Answers.of(_said(rating, desk))


def _said(rating: Rating, desk: ItemView) -> Iterator[tuple[FieldName, str]]:
    keys: dict[int | str | None, str] = {each.pk: each.key for each in desk.responses}
    yield FieldName(COMMENT), rating.comment
    yield FieldName(NOT_SURE), TICKED if rating.not_sure else ""
    yield from ((FieldName.read(name), answer) for name, answer in rating.asked.items())
    for placement in Placement.objects.filter(rating=rating):
        yield FieldName(keys[placement.response_id], COMMENT), placement.comment
        for check, part, value in SlotAnswers.stored(None, placement.checks).given:
            yield FieldName(keys[placement.response_id], WHOLE, check, part), value
    yield from _look_ups(rating, keys)
    keys |= {shown.model: shown.key for shown in desk.sets}
    for score in rating.scores.all():
        key = keys.get(score.model if score.response_id is None else score.response_id)
        said = SlotAnswers.stored(score.value, score.checks, score.without)
        for check, part, value in said.given if key else ():
            name = FieldName(str(key), score.dimension, check, part)
            # The answer to a question of the program stands in for the tick that it is stored as.
            if str(name._replace(part=ASKED)) not in rating.asked:
                yield name, value


def _look_ups(rating: Rating, keys: Mapping[Any, str]) -> Iterator[tuple[FieldName, str]]:
    """Yield the claims that were looked up, with their clocks stopped."""
    for fact in FactCheck.objects.filter(rating=rating):
        clock = "" if fact.seconds is None else str(Clock(fact.seconds))
        said = Claim(fact.claim, fact.outcome, fact.sources, clock)
        for part, value in zip(Claim._fields, said, strict=True):
            yield FieldName(keys[fact.response_id], FACT, str(fact.position), part), value
