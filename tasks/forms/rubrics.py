"""Forms around a rubric's draft: a new dimension, and publishing."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rubrics.models import Rubric, RubricDraft


class DimensionForm(forms.Form):
    """The title of a new dimension."""

    title = forms.CharField(label=_("Title"), max_length=120)


class PublishForm(forms.Form):
    """The last words before a draft is published."""

    changes = forms.CharField(label=_("What changed, in one line"), max_length=200, required=False)
    is_read = forms.BooleanField(label=_("I have read each part. A program wrote this draft."))

    def __init__(
        self, draft: RubricDraft, before: Rubric | None, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if before is None:
            self.fields["changes"].widget = forms.HiddenInput()
        if not draft.is_by_program:
            del self.fields["is_read"]
