"""Record answers about a corpus, and send back the scores that they bar."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils.translation import gettext as _

from config.web.people import User
from rubrics.judging.dimension import Dimension
from rubrics.judging.rules import judge
from rubrics.judging.verdict import Verdict

from .batches import Batch
from .corpus_answers import CorpusAnswer, CorpusAnswerQuerySet
from .ratings import Rating
from .returned_ratings import ReturnedRating
from .scores import Score


@dataclass(frozen=True, slots=True)
class CorpusQuestion:
    """A check about all that a model said in a batch, and the annotator who answers it."""

    annotator: User
    batch: Batch
    model: str
    dimension: Dimension
    code: str  # of the check

    def answers_in_dimension(self) -> CorpusAnswerQuerySet:
        """Return the annotator's answers to all checks of the dimension, in order."""
        return CorpusAnswer.objects.filter(
            annotator=self.annotator,
            batch=self.batch,
            model=self.model,
            dimension=self.dimension.code,
        ).order_by("revision")


def record_answer(question: CorpusQuestion, answer: str, *, now: datetime) -> None:
    """Store an answer; one that differs from the last is a new revision.

    Earlier scores that it bars come back to the annotator. Scores that it allows again no longer
    need to come back.
    """
    with transaction.atomic():
        _take_turn(question.annotator)
        latest = question.answers_in_dimension().filter(code=question.code).last()
        if latest is not None and latest.answer == answer:
            return
        CorpusAnswer.objects.create(
            project_id=question.batch.project_id,
            batch=question.batch,
            annotator=question.annotator,
            model=question.model,
            dimension=question.dimension.code,
            code=question.code,
            answer=answer,
            revision=latest.revision + 1 if latest else 1,
            answered_at=now,
        )
        _send_back(question, now)
    # A request that stores a score checks it afterwards against the corpus answers
    # (`send_barred_back`), but does not see this one before the commit. Scores stored until then
    # are checked here.
    send_barred_back(question, now=now)


def send_barred_back(question: CorpusQuestion, *, now: datetime) -> None:
    """Check an annotator's scores of a model against their latest answers about its corpus.

    `question`: the one that they answered last.
    """
    with transaction.atomic():
        _take_turn(question.annotator)
        _send_back(question, now)


def _take_turn(annotator: User) -> None:
    """Lock the annotator's row, so that two requests of the same annotator take turns.

    A changed answer may arrive while the first is still being stored. Before the first answer there
    is no row of an answer to lock.
    """
    get_user_model().objects.select_for_update(no_key=True).get(pk=annotator.pk)


def _send_back(question: CorpusQuestion, now: datetime) -> None:
    # A later revision takes the place of one before.
    answers = dict(question.answers_in_dimension().values_list("code", "answer"))
    cause = f"{question.model} {question.dimension.code}"
    ratings = Rating.objects.current().by(question.annotator)
    scores = Score.objects.filter(
        rating__in=ratings.filter(item__batch=question.batch),
        dimension=question.dimension.code,
        response=None,
        model=question.model,
        value__isnull=False,
    )
    waiting = ReturnedRating.objects.reasons_by_rating(question.annotator, question.batch)
    barred: dict[int, str] = {}
    allowed: list[int] = []
    for score in scores:
        before = waiting.get(score.rating_id, {}).get(cause, "")
        reason = _why_barred(question, score, answers)
        if reason and reason != before:
            barred[score.rating_id] = reason
        elif before and not reason:
            allowed.append(score.rating_id)
    # The annotator is at the desk, which tells them.
    ReturnedRating.objects.send_all_back(barred, cause=cause, now=now, tell=False)
    if allowed:
        ReturnedRating.objects.withdraw(allowed, cause=cause, now=now)


def _why_barred(
    question: CorpusQuestion, stored_score: Score, answer_by_check: Mapping[str, str]
) -> str:
    """Return the reason why the corpus answers bar a score, or "" if they allow it."""
    if _allow(question.dimension, {**stored_score.checks, **answer_by_check}, stored_score.value):
        return ""
    check = question.dimension.check(_barring_check(question, stored_score, answer_by_check))
    answer = answer_by_check[check.code]
    wordings = {choice.code: choice.wording for choice in check.answers}
    return _("You changed “%(check)s” to %(answer)s. With that, you can’t give %(score)s here.") % {
        "check": check.wording,
        "answer": wordings.get(answer, answer),
        "score": stored_score.value,
    }


def _allow(dimension: Dimension, answer_by_check: Mapping[str, str], value: int | None) -> bool:
    verdict = judge(dimension, dimension.facts_of_answers(answer_by_check))
    return isinstance(verdict, Verdict) and value in verdict.open


def _barring_check(
    question: CorpusQuestion, stored_score: Score, answer_by_check: Mapping[str, str]
) -> str:
    """Return the corpus check that bars a score: another answer to it would allow the score.

    If several checks do, prefer the one answered last. Return that one too if no single answer
    would be enough.
    """
    dimension = question.dimension
    answers = {**stored_score.checks, **answer_by_check}
    for code in (question.code, *answer_by_check):
        others = {choice.code for choice in dimension.check(code).answers}
        others.discard(answer_by_check[code])
        if any(_allow(dimension, {**answers, code: other}, stored_score.value) for other in others):
            return code
    return question.code
