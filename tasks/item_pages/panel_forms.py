"""The forms of the panel on the page of an item: which act, a question, and a reply."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tasks.models import Concern
from tasks.models.questions import LONGEST_QUESTION

GONE = _("This can’t be done any more. Look at the item again.")


class ActForm(forms.Form):
    """The act that is chosen. A decision can be taken back in place of another one."""

    act = forms.ChoiceField(error_messages={"required": GONE, "invalid_choice": GONE})
    take_back = forms.CharField(required=False)

    def __init__(self, acts: Sequence[str], data: Any) -> None:
        """`acts`: those that the item allows now."""
        super().__init__(data)
        self.fields["act"].choices = [(act, act) for act in acts]  # type: ignore[attr-defined]


class QuestionForm(forms.Form):
    """A rating to send back to its annotator, one response of it or all, and the question."""

    rating = forms.ChoiceField(
        label=_("Rating by"),
        error_messages={
            "invalid_choice": _(
                "You can’t send this rating back now. "
                "If it waits for an answer, ask again after the answer."
            )
        },
    )
    question = forms.CharField(
        label=_("Your question"),
        max_length=LONGEST_QUESTION,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_("The annotator reads it above the item, and answers with a correction."),
    )

    def __init__(self, rating_choices: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        """`rating_choices`: those that can be sent back, as "rating" or "rating-place"."""
        super().__init__(**kwargs)
        self.fields["rating"].choices = rating_choices  # type: ignore[attr-defined]

    @property
    def target(self) -> tuple[int, int]:
        """The rating's primary key and the response's place, which is 0 for the whole item."""
        rating, _dash, place = self.cleaned_data["rating"].partition("-")
        return int(rating), int(place or 0)


class ReplyForm(forms.Form):
    """The reply to a skip or a flag. To drop the item is an act of its own."""

    decision = forms.ChoiceField(
        label=_("What becomes of the item"),
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Say what becomes of the item."),
            "invalid_choice": _("This decision is not possible here. Choose another one."),
        },
    )
    answer = forms.CharField(
        label=_("Your answer"),
        required=False,
        max_length=LONGEST_QUESTION,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
    )

    def __init__(self, concern: Concern, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        choices = []
        for value, label in concern.choices:
            if value != Concern.Decision.DROP:
                choices.append((value, label))
        self.fields["decision"].choices = choices  # type: ignore[attr-defined]

    def clean_answer(self) -> str:
        answer: str = self.cleaned_data["answer"]
        if not answer and self.cleaned_data.get("decision") == Concern.Decision.ANSWERED:
            raise forms.ValidationError(_("Write an answer. The annotator sees only this."))
        return answer
