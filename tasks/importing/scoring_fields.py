"""The fields about ratings in the form about a file: how they are written, and by which rubric.

`forms.py` has them if the file's report finds ratings.
"""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _, ngettext

from tasks.importing.lead_choices import ScoringChoices
from tasks.importing.report import DimensionReport, ScoringReport
from tasks.lead_pages.forms import Segmented, optional_choice, optional_text
from tasks.models import Project


class ScoringFields:
    """The fields about ratings. Each dimension has one, "scale-0" or "words-0", by its number."""

    def __init__(
        self, form: forms.BaseForm, report: ScoringReport, project: Project | None
    ) -> None:
        """Add the fields to a form. `project`: the one that the file goes into, if known."""
        self.form = form
        self.report = report
        before = {*form.fields}
        if report.can_make:
            self._add_rubrics(project)
        for number, dimension in enumerate(report.dimensions):
            self._add_scale(number, dimension)
        self._add_no_answer()
        self._add_raters()
        self._add_numbers()
        if report.has_checks:
            breaks = [
                ("", _("Leave them out")),
                ("take", _("Take them, with the rules that they break")),
            ]
            chosen = form.initial.get("breaks", "")
            label = _("Ratings that break a rule")
            form.fields["breaks"] = optional_choice(label, breaks, chosen)
        self.names = [name for name in form.fields if name not in before]

    @property
    def fields(self) -> list[forms.BoundField]:
        return [self.form[name] for name in self.names]

    def _add_rubrics(self, project: Project | None) -> None:
        other = str(project.rubric) if project else _("One of the published rubrics")
        rubrics = [("made", _("One made from these columns")), ("", other)]
        chosen = self.form.initial.get("rubric", "")
        field = optional_choice(_("By which rubric"), rubrics, chosen)
        field.widget = Segmented(choices=rubrics)
        self.form.fields["rubric"] = field

    def _add_scale(self, number: int, dimension_report: DimensionReport) -> None:
        words = {"dimension": dimension_report.code}
        if dimension_report.texts:
            label = _("Texts of %(dimension)s, the worst first") % words
            texts = dimension_report.words or dimension_report.texts
            self.form.fields[f"words-{number}"] = optional_text(label, "; ".join(texts))
            return
        lowest, highest = dimension_report.scale or ("", "")
        scale = _("%(lowest)s to %(highest)s") % {"lowest": lowest, "highest": highest}
        ends = ", ".join(dimension_report.extremes)
        extremes = _("lowest and highest found: %(found)s") % {"found": ends}
        label = _("Scale of %(dimension)s") % words
        self.form.fields[f"scale-{number}"] = optional_text(label, scale, extremes)

    def _add_no_answer(self) -> None:
        none = self.report.empty_cells
        label = _("Means “no answer”, beside an empty cell")
        no_answer = ", ".join(filter(None, self.report.no_answer))
        cells = ngettext("%(number)s cell", "%(number)s cells", none) % {"number": none}
        self.form.fields["no_answer"] = optional_text(label, no_answer, cells)

    def _add_raters(self) -> None:
        if self.report.rater:
            self.form.fields["rater"] = optional_text(_("Who rated"), self.report.rater)
        self.form.fields["slots"] = forms.BooleanField(
            label=_("Raters are slots: rater 1 of each item is somebody else"),
            help_text=_("Then no figures are made of single raters, or of two."),
            initial=bool(self.report.slots),
            required=False,
        )

    def _add_numbers(self) -> None:
        """Add what responses are numbered from, and what becomes of halves."""
        if self.report.has_numbers:
            numbers = [("0", "0"), ("1", "1")]
            label = _("Number of the first response")
            self.form.fields["first"] = optional_choice(label, numbers, str(self.report.first))
        if self.report.doubled or self.report.has_halves:
            self.form.fields["doubled"] = forms.BooleanField(
                label=_("Double all scores, as there are halves"),
                initial=self.report.doubled,
                required=False,
            )

    @property
    def chosen(self) -> ScoringChoices:
        """How ratings are written, by a valid form; what it does not ask is left out."""
        sent = self.form.cleaned_data
        scales = {}
        words = {}
        for number, dimension in enumerate(self.report.dimensions):
            texts = sent.get(f"words-{number}")
            if texts:
                words[dimension.code] = tuple(_parts(texts, ";"))
            ends = re.findall(r"-?\d+", sent.get(f"scale-{number}", ""))
            if len(ends) == 2:
                scales[dimension.code] = (int(ends[0]), int(ends[1]))
        no_answer = ("", *_parts(sent["no_answer"], ","))
        sent_choices: dict[str, Any] = {}
        for name in ("rater", "doubled", "slots"):
            if name in sent:
                sent_choices[name] = sent[name]
        if "first" in sent:
            sent_choices["first"] = int(sent["first"])
        return ScoringChoices(scales=scales, words=words, no_answer=no_answer, **sent_choices)


def _parts(text: str, sign: str) -> list[str]:
    """Return what stands between signs, without empty parts."""
    return [part.strip() for part in text.split(sign) if part.strip()]
