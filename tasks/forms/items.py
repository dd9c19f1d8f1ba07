"""Forms of the list of items, and of the page of one."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

LONGEST_QUESTION = 2_000


class ListForm(forms.Form):
    """The place in the list of items, or the ID of one. Whatever is no text counts as not asked."""

    id = forms.CharField(required=False)
    after = forms.CharField(required=False, strip=False)
    before = forms.CharField(required=False, strip=False)

    @property
    def asked(self) -> dict[str, str]:
        self.full_clean()
        return {name: self.cleaned_data.get(name, "") for name in self.fields}


class ShownForm(forms.Form):
    """The item on whose page the models are shown or hidden, if it is one."""

    item = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


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
