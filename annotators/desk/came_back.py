"""Reasons for which a rating came back: questions that wait for a reply, and others."""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.models import Question, Rating, ReturnedRating
from tasks.rating_form.rating_words import ScoreWords, TargetInWords, rating_in_words


@dataclass(frozen=True, slots=True)
class WaitingQuestion:
    """A question to an annotator, with what they answered where it asks."""

    text: str
    target: str  # the response by its letter, the candidate set by its number; "" for the item
    score_words: Sequence[ScoreWords]  # in the dimension that it asks about, else in all


@dataclass(frozen=True, slots=True)
class CameBack:
    """A rating that waits for a revision, and why."""

    returned: ReturnedRating
    questions: Sequence[WaitingQuestion]
    last_question: int  # the key of the last question, 0 without one
    reasons: Sequence[str]  # that are no questions


def came_back(rating: Rating | None) -> CameBack | None:
    """Return why a rating waits for a revision, or None if it does not wait."""
    if rating is None or not rating.waits_for_revision:
        return None
    returned = rating.returned
    questions = list(Question.objects.waiting_on(rating))
    words_by_target = rating_in_words(rating, best=False) if questions else {}
    in_words = []
    for question in questions:
        words = words_by_target.get(question.target)
        target = words.target.name if words else ""
        answers = _answers(words, question.dimension) if words else []
        in_words.append(WaitingQuestion(question.text, target, answers))
    texts = {question.text for question in questions}
    reasons = [reason for reason in returned.every_reason.values() if reason not in texts]
    last_question = questions[-1].pk if questions else 0
    return CameBack(returned, in_words, last_question, list(dict.fromkeys(reasons)))


def _answers(target_words: TargetInWords, dimension: str) -> list[ScoreWords]:
    answers = []
    for code, answer in target_words.words_by_dimension.items():
        if dimension in ("", code):
            answers.append(answer)
    return answers
