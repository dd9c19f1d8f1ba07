"""Forms of the desk beside the rating itself."""

from __future__ import annotations

from django import forms


class CorpusForm(forms.Form):
    """Which page of a corpus, and what is searched in it."""

    page = forms.IntegerField(required=False, min_value=1, max_value=100_000)
    q = forms.CharField(required=False, max_length=200)

    def clean_page(self) -> int:
        return self.cleaned_data["page"] or 1
