"""The fields of one column in the form about a file: what it is and, of ratings, whose they are.

`forms.py` has one `ColumnFields` for each column of the file's report.
"""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from tasks.importing.columns.uses import RATINGS, Use
from tasks.importing.lead_choices import ColumnMeaning
from tasks.importing.report import ColumnReport, UploadReport
from tasks.lead_pages.forms import optional_choice, optional_text

# The uses that most columns have. The others stand under "More".
COMMON = (Use.ID, Use.PROMPT, Use.RESPONSE, Use.MODEL, Use.METADATA, Use.UNUSED)


class ColumnFields:
    """The fields of one column, by its number: "use-3", of ratings "rater-3", "dimension-3"."""

    def __init__(self, form: forms.BaseForm, report: UploadReport, number: int) -> None:
        """Add the fields to a form."""
        self.form = form
        self.column = report.columns[number]
        # The paths of the columns for which its answer holds too.
        path = self.column.path
        self.group = [other.path for other in report.columns if other.group == path]
        self.names = [f"use-{number}"]
        form.fields[f"use-{number}"] = _use_field(self.column)
        if self.column.use in RATINGS:
            self.names += [f"rater-{number}", f"dimension-{number}"]
            form.fields[f"rater-{number}"] = _rater_field(self.column, report)
            form.fields[f"dimension-{number}"] = _dimension_field(self.column)

    @property
    def use(self) -> forms.BoundField:
        return self.form[self.names[0]]

    @property
    def texts(self) -> list[forms.BoundField]:
        """The fields of who rated, and which dimension; none of a column without ratings."""
        return [self.form[name] for name in self.names[1:]]

    @property
    def chosen_use(self) -> str:
        """The use in a valid form."""
        return self.form.cleaned_data[self.names[0]] or self.column.use

    @property
    def chosen_meaning(self) -> ColumnMeaning:
        """Whose ratings of which dimension a column has, in a valid form."""
        rater, dimension = (self.form.cleaned_data[name] for name in self.names[1:])
        return ColumnMeaning(rater=rater, dimension=dimension)

    @property
    def name(self) -> str:
        """The column's name, and how many others its answer is for."""
        if not self.group:
            return self.column.path or gettext("no name")
        words = gettext("%(number)s columns, %(first)s … %(last)s")
        number = len(self.group) + 1
        return words % {"number": number, "first": self.column.path, "last": self.group[-1]}

    @property
    def is_undecided(self) -> bool:
        """True if the lead is asked what the column is."""
        return self.column.use is Use.UNDECIDED

    @property
    def is_radio(self) -> bool:
        """True if the lead is asked first, with what is likely."""
        return self.is_undecided and bool(self.column.options)


def _use_field(column: ColumnReport) -> forms.ChoiceField:
    if column.use is Use.UNDECIDED and column.options:
        uses = _likely_uses(column)
        field = optional_choice(column.question, uses, column.use)
        field.widget = forms.RadioSelect(choices=uses)
        return field
    return optional_choice(column.path, _all_uses(column), column.use)


def _rater_field(column: ColumnReport, report: UploadReport) -> forms.CharField:
    rater = column.rater
    # The header of scores that nothing else says the rater of may be a name.
    if not rater and not report.has_raters:
        rater = column.path
    return optional_text(_("Who rated"), rater)


def _dimension_field(column: ColumnReport) -> forms.CharField:
    # Of an answer to a check it is the check.
    label = _("Which check") if column.use is Use.CHECK else _("Dimension")
    return optional_text(label, column.dimension)


def _all_uses(column: ColumnReport) -> Iterable[Any]:
    """Return the uses to choose from: six first, the rest under "More"."""
    common = [(use, use.label) for use in COMMON]
    if column.use is Use.UNDECIDED:
        common.insert(0, (Use.UNDECIDED, Use.UNDECIDED.label))
    more = [(use, use.label) for use in Use if use not in (*COMMON, Use.UNDECIDED)]
    return [*common, (gettext("More"), more)]


def _likely_uses(column: ColumnReport) -> Iterable[Any]:
    """Return the uses that are likely for a column that is asked about."""
    options = dict.fromkeys((*column.options, Use.METADATA, Use.UNUSED))
    return [(use, use.label) for use in options if use is not Use.UNDECIDED]
