"""Forms of the page of an item."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_QUESTION = 2_000


class SendBackForm(forms.Form):
    """A rating to send back to its annotator, and the question."""

    rating = forms.TypedChoiceField(label=_("Rating by"), coerce=int)
    question = forms.CharField(
        label=_("Your question"),
        max_length=LONGEST_QUESTION,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_("The annotator reads it above the item, and answers with a correction."),
    )

    def __init__(self, ratings: list[tuple[int, str]], *args: Any, **kwargs: Any) -> None:
        """`ratings`: those that can be sent back, by primary key and name."""
        super().__init__(*args, **kwargs)
        field = self.fields["rating"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = ratings
