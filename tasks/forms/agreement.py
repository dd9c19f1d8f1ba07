"""The form by which a lead chooses what the page on agreement shows."""

from collections.abc import Mapping
from functools import cached_property

from django import forms
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from rubrics.schema import Dimension, Rubric
from tasks.agreement.measures import MAIN, MEASURES
from tasks.agreement.words import TITLES


class AgreementForm(forms.Form):
    """The dimension, the measure, and which revisions count. Unknown ones mean the first ones."""

    dimension = forms.ChoiceField(label=_("Dimension"), required=False)
    measure = forms.ChoiceField(
        label=_("Measure"),
        required=False,
        choices=[(code, TITLES[code]) for code in MEASURES],
    )
    revisions = forms.ChoiceField(
        label=_("Ratings"),
        required=False,
        choices=[
            ("current", _("as they are now")),
            ("first", _("as first submitted, without corrections")),
        ],
    )

    def __init__(self, rubric: Rubric, data: Mapping[str, str]) -> None:
        super().__init__(data)
        self.rubric = rubric
        self.fields["dimension"].choices = [  # type: ignore[attr-defined]
            (each.code, each.title) for each in rubric.dimensions
        ]
        self.is_valid()

    @cached_property
    def chosen(self) -> Dimension:
        code = self.cleaned_data.get("dimension")
        return next(
            (each for each in self.rubric.dimensions if each.code == code),
            self.rubric.dimensions[0],
        )

    @property
    def compared_by(self) -> str:
        return self.cleaned_data.get("measure") or MAIN

    @property
    def query(self) -> str:
        """The choices as a query, for links to the same figures."""
        return urlencode(
            {
                "dimension": self.chosen.code,
                "measure": self.compared_by,
                "revisions": "first" if self.first else "current",
            }
        )

    @property
    def first(self) -> bool:
        return self.cleaned_data.get("revisions") == "first"


class OverviewForm(AgreementForm):
    """The dimension that the overview shows scores of."""

    revisions = None  # type: ignore[assignment]  # Django's way to leave a field out

    @property
    def offers_choice(self) -> bool:
        return len(self.rubric.dimensions) > 1
