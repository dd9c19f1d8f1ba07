"""The talk about a case: questions and replies by the letters of its answers, without names."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from tasks.models import Question
from tasks.models.questions import LONGEST_QUESTION

from .asking import Obstacle, Subject, obstacles_to
from .case import Case, CaseAnswer
from .rating_views import RatingView

ALL = "all"


@dataclass(frozen=True, slots=True)
class Talk:
    """One question about a case, and what came of it."""

    letter: str  # of the answer; "" if its rating does not count any more
    question: str
    asked_at: datetime
    days: int  # since then
    reply: str
    replied_at: datetime | None
    has_changed: bool  # another score came with the reply
    is_withdrawn: bool

    @property
    def waits(self) -> bool:
        return self.replied_at is None and not self.is_withdrawn


@dataclass(frozen=True, slots=True)
class TalkPanel:
    """The talk about a case, the form that asks, and why some answers cannot be asked about."""

    talks: Sequence[Talk]
    form: "AskForm | None"  # None if nobody can be asked
    obstacles: Sequence[tuple[str, Obstacle]]  # by letter


class AskForm(forms.Form):
    """A question about a case to the annotator of one answer, or to all of them."""

    to = forms.ChoiceField(
        label=gettext_lazy("Ask"),
        error_messages={
            "invalid_choice": gettext_lazy("This answer can’t be asked about any more."),
        },
    )
    text = forms.CharField(
        label=gettext_lazy("Your question"),
        max_length=LONGEST_QUESTION,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=gettext_lazy("The annotator reads it above the item, with their own answer."),
    )

    def __init__(self, letters: Sequence[str], *args: Any, **kwargs: Any) -> None:
        """`letters`: of the answers that can be asked about."""
        kwargs.setdefault("auto_id", "ask-%s")
        super().__init__(*args, **kwargs)
        choices = []
        for letter in letters:
            choices.append((letter, _("Answer %(letter)s") % {"letter": letter}))
        if len(letters) > 1:
            choices.append((ALL, _("all of them")))
        self.fields["to"].choices = choices  # type: ignore[attr-defined]


def subject_of(case: Case) -> Subject:
    """Return the subject of a question about a case."""
    return Subject(case.item, case.dimension.code, case.target)


def talk_panel(
    case: Case, ratings: Sequence[RatingView], *, data: Any = None, now: datetime
) -> TalkPanel:
    """Return the talk about a case, with the form; `data`: what was sent."""
    obstacles = obstacles_to(subject_of(case), ratings)
    letters = []
    refusals = []
    for answer in case.answers:
        obstacle = obstacles.get(answer.rating.pk)
        if obstacle is None:
            letters.append(answer.letter)
        else:
            refusals.append((answer.letter, obstacle))
    form = AskForm(letters, data) if letters or data is not None else None
    return TalkPanel(talks_of(case, now=now), form, refusals)


def talks_of(case: Case, *, now: datetime) -> list[Talk]:
    """Return the talk about a case, its target and the whole item, oldest first."""
    answers_by_person: dict[int, CaseAnswer] = {}
    for answer in case.answers:
        answers_by_person[answer.person] = answer
    questions = Question.objects.touching_case(case.item, case.dimension.code, case.target)
    talks = []
    for question in questions.with_scores(case.dimension.code, case.target):
        answer_of_person = answers_by_person.get(question.annotator_id)
        talk = Talk(
            letter=answer_of_person.letter if answer_of_person else "",
            question=question.text,
            asked_at=question.asked_at,
            days=(now - question.asked_at).days,
            reply=question.reply,
            replied_at=question.replied_at,
            has_changed=question.has_other_score,
            is_withdrawn=question.withdrawn_at is not None,
        )
        talks.append(talk)
    return talks
