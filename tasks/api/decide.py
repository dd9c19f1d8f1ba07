"""Cases, and the decisions of leads on them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal, NoReturn, Self

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Body, Query, Router
from pydantic import BaseModel, Field, field_validator

from config.web.problems import Problem, ProblemKind, ValueFault
from rubrics.judging.kinds import Unit
from tasks.cases.case import BareCase, CaseAnswer, Target, bare_case
from tasks.cases.deciding import Barred, decide_locked, lock_items, take_back_locked
from tasks.cases.final_score_form import ANEW, BLANK, FinalScoreForm
from tasks.models import Item, Project, ScoreDecision

from . import decisions
from .authentication import WRITES, ApiCall
from .names import Names
from .problems import invalid, may_answer
from .sent import Sent

router = Router(tags=["decisions"])


class CaseKey(Sent):
    """The name of a case: a target of an item, in a dimension."""

    item: str = Field(description="the item’s id in the upload")
    target: str = Field(
        description="the response’s number in the upload, or the model of a candidate set"
    )
    dimension: str = Field(description="its code")

    @field_validator("target", mode="before")
    @classmethod
    def as_text(cls, number: object) -> object:
        """Return the number of a response as lists have it."""
        return str(number) if type(number) is int else number


class SeenCase(CaseKey):
    """A case as the caller has seen it."""

    version: str = Field(description="of the case, as it was read")


class SentDecision(SeenCase):
    """A score of one’s own, or the rating whose answer is adopted."""

    score: int | None = Field(None, strict=True, description="with the checks that most ticked")
    blank: bool = Field(False, description="true in place of a score: the answer without one")
    adopted_rating: int | None = Field(
        None, description="in place of a score: the rating whose answer is adopted, with its checks"
    )
    cause: ScoreDecision.Cause | Literal[""] = Field("", description="why people differ")
    reason: str = Field("", description="needed if nobody gave the score, or the rubric is unclear")

    @property
    def as_sent(self) -> dict[str, str]:
        """The decision as the form of a page sends it."""
        sent = {"cause": self.cause, "reason": self.reason, "version": self.version}
        if self.score is not None:
            sent |= {"choice": ANEW, "score": str(self.score)}
        if self.blank:
            sent["choice"] = BLANK
        if self.adopted_rating is not None:
            sent["choice"] = str(self.adopted_rating)
        return sent

    @property
    def choice(self) -> str:
        """The name of the value in place of what the page calls its choice."""
        if self.adopted_rating is not None:
            return "adopted_rating"
        return "blank" if self.blank else "score"


class AnswerOfCase(BaseModel):
    """An answer that counts."""

    rating: int
    score: int | None
    without: str = Field(description="why there is no score")
    check_answers: dict[str, str] = Field(description="check → answer")

    @classmethod
    def of(cls, answer: CaseAnswer) -> Self:
        """Return an answer as the API has it."""
        return cls(
            rating=answer.rating.pk,
            score=answer.value,
            without=answer.without,
            check_answers=dict(answer.check_answers),
        )


class DecisionOfCase(BaseModel):
    """The decision that stands."""

    score: int | None
    without: str = Field(description="why there is no score")
    check_answers: dict[str, str]
    adopted_rating: int | None
    cause: str
    reason: str = Field(description="empty for a token without names of people: it may have some")
    decided_at: datetime

    @classmethod
    def of(cls, decision: ScoreDecision, *, names_people: bool) -> Self:
        """Return a decision as the API has it."""
        return cls(
            score=decision.value,
            without=decision.without,
            check_answers=decision.checks,
            adopted_rating=decision.adopted_id,
            cause=decision.cause,
            reason=decision.reason if names_people else "",
            decided_at=decision.decided_at,
        )


class ReadCase(BaseModel):
    """A case as it is now."""

    item: str
    target: str
    dimension: str
    version: str = Field(description="send it with a decision, which holds for this one alone")
    counted_answers: list[AnswerOfCase]
    decision: DecisionOfCase | None

    @classmethod
    def of(cls, case: BareCase, case_key: CaseKey, *, names_people: bool) -> Self:
        """Return a case as it is now."""
        standing = None
        if case.decision:
            standing = DecisionOfCase.of(case.decision, names_people=names_people)
        return cls(
            item=case.item.external_id,
            target=case_key.target,
            dimension=case.dimension.code,
            version=case.version,
            counted_answers=[AnswerOfCase.of(answer) for answer in case.answers],
            decision=standing,
        )


class DecisionForm(FinalScoreForm):
    """A decision, in which an answer is adopted by its rating."""

    def _choices(self) -> Iterator[tuple[str, str]]:
        for answer in self.case.answers:
            yield str(answer.rating.pk), self.in_words(answer)
        yield ANEW, _("Another score")
        if self.case.dimension.blank:
            yield BLANK, self.case.dimension.blank

    def _person(self, choice: str) -> int:
        for answer in self.case.answers:
            if str(answer.rating.pk) == choice:
                return answer.person
        raise LookupError(choice)


@router.get(
    "/projects/{slug:slug}/case",
    response=ReadCase,
    openapi_extra=may_answer(ProblemKind.CONFLICT),  # the item is dropped
)
def get_case(request: ApiCall, slug: str, case_key: Annotated[CaseKey, Query()]) -> ReadCase:
    """Return a case: the answers that count, the decision that stands, and the version of both."""
    project = request.auth.project(slug)
    items = project.items.filter(external_id=case_key.item)
    case = _CaseFinder(request, project, case_key).case_in(items)
    return _state(request, case, case_key)


@decisions.router.post("/projects/{slug:slug}/decisions", auth=WRITES, response=ReadCase)
def decide_score(request: ApiCall, slug: str, sent: Annotated[SentDecision, Body()]) -> ReadCase:
    """Decide the final score of a case: a score, or the answer of a rating.

    It is refused if a rating or a decision came since the case was read, or if the rules bar the
    score under the checks that go with it.
    """
    with transaction.atomic():
        case = _locked(request, slug, sent)
        form = DecisionForm(case, sent.as_sent)
        if not form.is_valid():
            raise _refused(form, sent)
        try:
            decision = decide_locked(case, form.decided, by=request.auth.owner, now=timezone.now())
        except Barred as barred:
            form.refuse(barred)
            rules = dict.fromkeys(reason.clause or reason.rule for reason in barred.reasons)
            raise _refused(form, sent, ", ".join(rules) or "the other answers") from barred
    return _state(request, replace(case, revisions=[*case.revisions, decision]), sent)


@router.post("/projects/{slug:slug}/decisions/take-back", auth=WRITES, response=ReadCase)
def withdraw_decision(
    request: ApiCall, slug: str, case_sent: Annotated[SeenCase, Body()]
) -> ReadCase:
    """Take the decision of a case back: its final score is that of the answers again."""
    with transaction.atomic():
        case = _locked(request, slug, case_sent)
        if case.decision is None:
            raise Problem(ProblemKind.CONFLICT, "No decision stands that could be taken back.")
        decision = take_back_locked(case, by=request.auth.owner, now=timezone.now())
    return _state(request, replace(case, revisions=[*case.revisions, decision]), case_sent)


def _state(request: ApiCall, case: BareCase, case_key: CaseKey) -> ReadCase:
    return ReadCase.of(case, case_key, names_people=request.auth.token.names_people)


def _locked(request: ApiCall, slug: str, seen_case: SeenCase) -> BareCase:
    """Return a case while neither a rating nor a decision can come.

    Raise Problem if it is another one than the caller has seen.
    """
    project = request.auth.project(slug)
    keys = project.items.filter(external_id=seen_case.item).values_list("pk", flat=True)
    items = lock_items(project, list(keys))
    case = _CaseFinder(request, project, seen_case).case_in(items)
    if case.is_hidden_from(request.auth.owner):
        detail = (
            "In this project one decides first, before one sees the answers. Decide this case on "
            "its page."
        )
        raise Problem(ProblemKind.CONFLICT, detail)
    if case.version != seen_case.version:
        answers = ", ".join(_in_words(answer) for answer in case.answers)
        decided = f"; decided: {case.decision.value}" if case.decision else ""
        detail = (
            f"A rating or a decision came meanwhile. You saw {seen_case.version}; now it is "
            f"{case.version}, with the answers {answers}{decided}."
        )
        advice = "Look at the case as it is now, then decide."
        fault = ValueFault(seen_case.version, case.version, advice, pointer="/version")
        raise Problem(ProblemKind.CONFLICT, detail, faults=[fault])
    return case


def _in_words(answer: CaseAnswer) -> str:
    score = answer.without if answer.value is None else answer.value
    return f"{score} (rating {answer.rating.pk})"


class _CaseFinder:
    """The case that a call names, or the fault of what it names."""

    def __init__(self, request: ApiCall, project: Project, case_key: CaseKey) -> None:
        self.names = Names(request.auth, project)
        self.project = project
        self.key = case_key
        self.is_in_body = isinstance(case_key, SeenCase)

    def case_in(self, items_of_id: Iterable[Item]) -> BareCase:
        """Return the case of the item, which is the only one. Raise Problem if there is none."""
        for item in items_of_id:
            return self._case_of(item)
        self._refuse("item", "an item of the project")

    def _case_of(self, item: Item) -> BareCase:
        if item.dropped:
            detail = "The item is dropped. Take it back, then decide."
            raise Problem(ProblemKind.CONFLICT, detail)
        item.project = self.project
        case = bare_case(item, self.key.dimension, self._target(item))
        if case is None:
            self._refuse("target", "a target that somebody rated in this dimension")
        return case

    def _target(self, item: Item) -> Target:
        """Return the target that is named. Raise Problem if the rubric has no such dimension."""
        text = self.key.target
        units = {part.code: part.unit for part in self.project.rubric.schema.dimensions}
        unit = units.get(self.key.dimension)
        if unit is None:
            self._refuse("dimension", f"one of {', '.join(units)}")
        if unit is Unit.CANDIDATE_SET:
            return self.names.model_called(text) or ""
        for response in item.responses_in_order:
            if str(response.position) == text:
                return response.pk
        self._refuse("target", f"1 to {len(item.responses_in_order)}")

    def _refuse(self, name: str, allowed: str) -> NoReturn:
        pointer = f"/{name}" if self.is_in_body else None
        parameter = None if self.is_in_body else name
        value = getattr(self.key, name)
        fault = ValueFault(value, allowed, "Correct it.", pointer=pointer, parameter=parameter)
        raise invalid([fault])


def _refused(decision_form: DecisionForm, sent_decision: SentDecision, rules: str = "") -> Problem:
    """Return the problem of a decision: the form's sentences, and the rules that bar a score."""
    advice = f"Decide otherwise. It is barred by {rules}." if rules else "Correct it."
    faults = []
    for name, messages in decision_form.errors.items():
        field = sent_decision.choice if name == "choice" else name
        for message in messages:
            value = getattr(sent_decision, field)
            faults.append(ValueFault(value, str(message), advice, pointer=f"/{field}"))
    return invalid(faults)
