"""The form by which a lead chooses what the page on agreement and the overview show."""

from collections.abc import Mapping
from functools import cached_property

from django import forms
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.schema import Rubric
from tasks.agreement.measures import MEASURES, TITLES, measures_of
from tasks.models.agreement_results import RatingChoice


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
            ("before_talk", _("before any talk")),
            ("current", _("as they are now")),
            ("first", _("as first submitted, without corrections")),
        ],
    )

    breaks = forms.ChoiceField(
        label=_("Rules"),
        required=False,
        choices=[
            ("in", _("with ratings that break a rule")),
            ("out", _("without ratings that break a rule")),
        ],
    )

    def __init__(self, rubric: Rubric, data: Mapping[str, str]) -> None:
        super().__init__(data)
        self.rubric = rubric
        dimensions = [(dimension.code, dimension.title) for dimension in rubric.dimensions]
        self.fields["dimension"].choices = dimensions  # type: ignore[attr-defined]
        self.is_valid()
        self.offered = [code for code in measures_of(self.chosen) if code in MEASURES]
        measures = [(code, TITLES[code]) for code in self.offered]
        self.fields["measure"].choices = measures  # type: ignore[attr-defined]

    @cached_property
    def chosen(self) -> Dimension:
        code = self.cleaned_data.get("dimension")
        if not code:
            return self.rubric.dimensions[0]
        return self.rubric.dimension(code)

    @property
    def compared_by(self) -> str:
        """The measure chosen, if the dimension has it, else its main one."""
        chosen = self.cleaned_data.get("measure")
        return chosen if chosen in self.offered else self.offered[0]

    @property
    def query(self) -> str:
        """The choices as a query, for links to the same figures."""
        query = {"dimension": self.chosen.code, "measure": self.compared_by}
        query["revisions"] = self.chosen_revisions
        if self.choice.sound:
            query["breaks"] = "out"
        return urlencode(query)

    @property
    def chosen_revisions(self) -> str:
        return self.cleaned_data.get("revisions") or "before_talk"

    @property
    def choice(self) -> RatingChoice:
        return RatingChoice(
            first=self.chosen_revisions == "first",
            sound=self.cleaned_data.get("breaks") == "out",
            talk=self.chosen_revisions == "current",
        )
