"""The form by which a lead replies to a skip or a flag."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tasks.models import Concern


class DecisionForm(forms.Form):
    """The lead's decision on an item that was skipped or flagged."""

    decision = forms.ChoiceField(
        error_messages={
            "required": _("Say what becomes of the item."),
            "invalid_choice": _("This decision is not possible here. Choose another one."),
        },
    )
    answer = forms.CharField(required=False, max_length=2_000)

    def __init__(self, concern: Concern, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["decision"].choices = concern.choices  # type: ignore[attr-defined]

    def clean_answer(self) -> str:
        answer: str = self.cleaned_data["answer"]
        if not answer and self.cleaned_data.get("decision") == Concern.Decision.ANSWERED:
            raise forms.ValidationError(_("Write an answer. The annotator sees only this."))
        return answer
