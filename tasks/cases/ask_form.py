"""Ask about a case by the letters of its answers, without names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from config.web.people import User
from tasks.models.questions import LONGEST_QUESTION

from .asking import Obstacle, Subject, obstacles_to
from .case import Case
from .history import Naming
from .rating_views import RatingView

ALL = "all"


@dataclass(frozen=True, slots=True)
class AskPanel:
    """The form that asks about a case, and why some answers cannot be asked about."""

    ask_form: "AskForm | None"  # None if nobody can be asked
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


def ask_panel(case: Case, ratings: Sequence[RatingView], *, data: Any = None) -> AskPanel:
    """Return the form that asks about a case; `data`: what was sent."""
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
    return AskPanel(form, refusals)


def naming_of(case: Case, reader: User, *, shows_people: bool) -> Naming:
    """Return the names in the history of a case: letters in place of annotators."""
    letters = {answer.person: answer.letter for answer in case.answers}
    return Naming(reader, shows_people=shows_people, letters=letters)
