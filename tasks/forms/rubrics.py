"""Forms around a rubric's draft: a new dimension, and publishing."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from rubrics import schema
from rubrics.editing import CLASSES, OWN
from rubrics.models import Rubric, RubricDraft
from rubrics.plain_findings import EFFECTS
from rubrics.schema import Kind
from tasks.models.clause_texts import LONGEST_CLAUSE_TEXT

# The choices in the forms of a part, each with its name.
WORDS = {
    "presets": [
        *((preset, preset) for preset in ("1–5", "0–4", "1–7", "1–10")),
        *(("yes/no", _("yes/no")), (CLASSES, _("classes")), (OWN, _("own"))),
    ],
    "kinds": [
        *((Kind.TICK, _("tick")), (Kind.YES_NO, _("yes/no")), (Kind.ONE_OF, _("one of"))),
        (Kind.DETECTED, _("seen by the program")),
    ],
    "effects": [*EFFECTS.items()],
    "hows": [
        *(("all_of", _("all of")), ("any_of", _("any of")), ("none_of", _("none of"))),
        ("of", _("at least … of")),
    ],
}


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
        ids = [clause.id for clause in rubric.clauses]
        self.fields["clause"].choices = zip(ids, ids, strict=True)  # type: ignore[attr-defined]


class PublishForm(forms.Form):
    """The last words before a draft is published."""

    changes = forms.CharField(label=_("What changed, in one line"), max_length=200, required=False)
    revision = forms.IntegerField(widget=forms.HiddenInput)  # of the draft that was shown
    is_read = forms.BooleanField(label=_("I have read each part. A program wrote this draft."))

    def __init__(
        self, draft: RubricDraft, before: Rubric | None, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.draft, self.initial = draft, {"revision": draft.revision}
        self.fields["changes"].required = before is not None
        if before is None:
            self.fields["changes"].widget = forms.HiddenInput()
        if not draft.is_by_program:
            del self.fields["is_read"]

    def clean_revision(self) -> None:
        """Refuse what someone changed after the page was made."""
        if self.cleaned_data["revision"] != self.draft.revision:
            raise forms.ValidationError(
                gettext("%(name)s changed the draft meanwhile. Look at it again, then publish.")
                % {"name": self.draft.changed_by}
            )
