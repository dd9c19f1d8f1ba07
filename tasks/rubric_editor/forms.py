"""Forms around a rubric's draft: a new dimension, saving and publishing it.

The forms of its parts are in `part_forms`, those that start a draft in `start_forms`.
"""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from rubrics.judging import schema
from rubrics.models import Rubric, RubricDraft
from tasks.models.clause_texts import LONGEST_CLAUSE_TEXT


class SavingForm(forms.Form):
    """How the form of a part was sent: the text that it was made from, and the button pressed."""

    shown = forms.CharField(required=False)
    act = forms.CharField(required=False)


class DimensionForm(forms.Form):
    """The title of a new dimension."""

    title = forms.CharField(label=_("Title"), max_length=120)


class ClauseTextForm(forms.Form):
    """The source's own text of a clause, as its lines stand; blank to take it away."""

    clause = forms.ChoiceField()
    text = forms.CharField(
        label=_("Text of the source, word for word"),
        required=False,
        strip=False,
        max_length=LONGEST_CLAUSE_TEXT,
    )

    def __init__(self, rubric: schema.Rubric, *args: Any) -> None:
        super().__init__(*args)
        choices = [(clause.id, clause.id) for clause in rubric.clauses]
        self.fields["clause"].choices = choices  # type: ignore[attr-defined]


class PublishForm(forms.Form):
    """The last words before a draft is published."""

    changes = forms.CharField(label=_("What changed, in one line"), max_length=200, required=False)
    revision = forms.IntegerField(widget=forms.HiddenInput)  # of the draft that was shown
    is_read = forms.BooleanField(label=_("I have read each part. A program wrote this draft."))

    def __init__(
        self, draft: RubricDraft, newest_version: Rubric | None, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.draft = draft
        self.initial = {"revision": draft.revision}
        self.fields["changes"].required = newest_version is not None
        if newest_version is None:
            self.fields["changes"].widget = forms.HiddenInput()
        if not draft.is_by_program:
            del self.fields["is_read"]

    def clean_revision(self) -> None:
        """Refuse what someone changed after the page was made."""
        if self.cleaned_data["revision"] != self.draft.revision:
            message = gettext(
                "%(name)s changed the draft meanwhile. Look at it again, then publish."
            )
            raise forms.ValidationError(message % {"name": self.draft.changed_by})
