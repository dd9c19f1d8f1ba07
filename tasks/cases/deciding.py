"""Decide a case, or take its decision back.

Nothing is stored if a rating or another decision came since the page was read, or if the rules bar
the score under the checks that go with it. Functions whose names end in `locked` are for callers
that have locked the item and read the case since; the others do both.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from config.web.people import User
from rubrics.judging.verdict import Reason
from tasks.models import CaseEntry, Item, Project, ScoreDecision
from tasks.models.list_renewal import renew_entry

from .asking import Subject, withdraw_questions
from .case import BareCase, CaseAnswer, bare_case


class CaseChanged(Exception):
    """A rating or a decision came since the page was read."""


class Barred(Exception):
    """The rules bar the score under the checks that go with it."""

    def __init__(self, score: int, reasons: Sequence[Reason]) -> None:
        super().__init__(score)
        self.score = score
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class Choice:
    """The decision of a lead: an answer of the case, or a score of their own."""

    adopted: int | None  # the person whose answer it is (`CaseAnswer.person`)
    value: int | None  # of one's own
    cause: str = ""
    reason: str = ""
    without: str = ""  # "blank": not applicable, of one's own


@transaction.atomic
def decide_case(
    case: BareCase, choice: Choice, *, version: str, by: User, now: datetime
) -> ScoreDecision:
    """Store a decision. Raise CaseChanged or Barred, and store nothing, if it cannot stand."""
    return decide_locked(_locked(case, version), choice, by=by, now=now)


def decide_locked(case: BareCase, choice: Choice, *, by: User, now: datetime) -> ScoreDecision:
    """Store a decision on a case that was read while its item was locked, as it still is.

    Raise Barred, and store nothing, if the rules bar the score.
    """
    decision = _new(case, by, now)
    decision.cause = choice.cause
    decision.reason = choice.reason
    if choice.adopted is None:
        decision.source = ScoreDecision.Source.ANEW
        decision.value = choice.value
        decision.without = choice.without
        decision.checks = _checks_for(case, choice.value)
    else:
        answer = _answer_of(case, choice.adopted)
        decision.source = ScoreDecision.Source.ANSWER
        decision.adopted = answer.rating
        decision.value = answer.value
        decision.without = answer.without
        decision.checks = dict(answer.check_answers)
    if decision.value is not None and not case.is_open(decision.value, decision.checks):
        reasons = case.reasons_against(decision.value, decision.checks)
        raise Barred(decision.value, reasons)
    decision.save(force_insert=True)
    withdraw_questions(Subject(case.item, case.dimension.code, case.target), now=now)
    if not CaseEntry.objects.mark_decided(case.item, case.dimension.code, case.target):
        renew_entry(case.item)  # nothing ever differed, or no worker came yet
    return decision


def store_first_locked(case: BareCase, choice: Choice, *, by: User, now: datetime) -> ScoreDecision:
    """Store a score of somebody who has not seen the answers. No rule bars it: it is not final.

    The case was read while its item was locked, as it still is.
    """
    decision = _new(case, by, now)
    decision.source = ScoreDecision.Source.FIRST
    decision.value = choice.value
    decision.without = choice.without
    decision.save(force_insert=True)
    return decision


@transaction.atomic
def take_decision_back(case: BareCase, *, version: str, by: User, now: datetime) -> None:
    """Take the decision of a case back. Raise CaseChanged if there is another one by now."""
    case = _locked(case, version)
    if case.decision is None:
        raise CaseChanged
    take_back_locked(case, by=by, now=now)


def take_back_locked(case: BareCase, *, by: User, now: datetime) -> ScoreDecision:
    """Take the decision back of a case that was read while its item was locked, as it still is.

    Return its last revision, which says so.
    """
    decision = _new(case, by, now)
    decision.source = ScoreDecision.Source.WITHDRAWN
    decision.save(force_insert=True)
    renew_entry(case.item)
    return decision


def lock_items(project: Project, item_keys: Collection[int]) -> list[Item]:
    """Lock items until the transaction ends, so that neither a rating nor a decision can come.

    All lock them in the same order, so that nobody waits for somebody who waits.
    """
    locked = Item.objects.select_for_update(of=("self",), no_key=True)
    items = list(locked.filter(project=project, pk__in=item_keys).order_by("pk"))
    for item in items:
        item.project = project
    return items


def _locked(case: BareCase, version: str) -> BareCase:
    """Return a case as it is now, while neither a rating nor a decision can come.

    Raise CaseChanged if it has another version.
    """
    (locked,) = lock_items(case.item.project, [case.item.pk])
    current = bare_case(locked, case.dimension.code, case.target)
    if current is None or version != current.version:
        raise CaseChanged
    return current


def _answer_of(case: BareCase, person: int) -> CaseAnswer:
    for answer in case.answers:
        if answer.person == person:
            return answer
    raise CaseChanged


def _checks_for(case: BareCase, value: int | None) -> dict[str, str]:
    """Return the first checks under which a score is open, else the first ones there are."""
    for checks in case.check_sets:
        if value is None or case.is_open(value, checks):
            return dict(checks)
    return dict(case.check_sets[0])


def _new(case: BareCase, by: User, now: datetime) -> ScoreDecision:
    of_response = isinstance(case.target, int)
    last = case.revisions[-1].revision if case.revisions else 0
    return ScoreDecision(
        project=case.item.project,
        item=case.item,
        rubric=case.item.project.rubric,
        dimension=case.dimension.code,
        response_id=case.target if of_response else None,
        model="" if of_response else str(case.target),
        revision=last + 1,
        seen=case.seen,
        decided_by=by,
        decided_at=now,
    )
