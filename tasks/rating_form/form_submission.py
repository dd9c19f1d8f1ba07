"""The submission that an evaluated form is stored as."""

from collections.abc import Iterator, Sequence

from rubrics.judging.verdict import Reason, Verdict
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import SeenRemark, Submission, SubmittedClaim, SubmittedScore

from .evaluated_form import EvaluatedForm, EvaluatedTarget
from .fields import Target
from .item_view import CandidateSetView, ResponseView
from .row_view import Row


def submission_of(
    evaluated: EvaluatedForm, *, active_seconds: int | None = None, view: str = ""
) -> Submission:
    """Return the submission of a form that can be stored."""
    comments: list[tuple[int, str]] = []
    claims: list[SubmittedClaim] = []
    for target in evaluated.responses:
        if isinstance(target.target, ResponseView):
            pk = target.target.pk
            claims += _submitted_claims(target, pk)
            if target.comment:
                comments.append((pk, target.comment))
    scores = tuple(_submitted_scores(evaluated))
    wholes = tuple(_wholes(evaluated))
    return Submission(
        scores=scores,
        comments=tuple(comments),
        wholes=wholes,
        comment=evaluated.comment,
        not_sure=evaluated.not_sure,
        facts=tuple(claims),
        active_seconds=active_seconds,
        view=view,
    )


def _wholes(evaluated: EvaluatedForm) -> Iterator[tuple[int, SlotAnswers]]:
    """Yield the answers about each whole response, with its position."""
    for target in evaluated.responses:
        for row in target.rows:
            answers = row.answers
            if not row.dimension.scores and answers.entries:
                yield target.target.place, answers


def _submitted_claims(target: EvaluatedTarget, response: int) -> Iterator[SubmittedClaim]:
    facts = [fact for fact in target.look_ups if not fact.blank]
    for number, fact in enumerate(facts, start=1):
        yield SubmittedClaim(
            response=response,
            position=number,
            claim=fact.claim.strip(),
            outcome=fact.outcome,
            sources="\n".join(fact.addresses),
            seconds=fact.seconds,
            over_time=fact.is_over_time,
        )


def _submitted_scores(evaluated: EvaluatedForm) -> Iterator[SubmittedScore]:
    for target in evaluated.targets:
        for row in target.rows:
            if row.dimension.scores:
                remarks = [remark for name, remark in evaluated.remarks_between if name == row.name]
                yield _submitted_score(target.target, row, remarks)


def _submitted_score(target: Target, row: Row, between: Sequence[Reason]) -> SubmittedScore:
    assert isinstance(target, ResponseView | CandidateSetView)
    assert isinstance(row.judgement, Verdict)
    assert (row.score is None) is bool(row.without)
    clauses = {reason.clause for reason in row.judgement.acting_reasons} - {""}
    seen_remarks: list[SeenRemark] = []
    for reason in (*row.notices, *between):
        remark = SeenRemark(reason.clause, reason.rule, reason.text)
        seen_remarks.append(remark)
    response = target.pk if isinstance(target, ResponseView) else None
    return SubmittedScore(
        dimension=row.dimension.code,
        unit=str(row.dimension.unit),
        response=response,
        model=target.model,
        position=target.place,
        value=row.score if row.applies else None,
        open=row.judgement.open,
        clauses=tuple(sorted(clauses)),
        remarks=tuple(seen_remarks),
        answers=row.answers,
        without=row.without,
    )
