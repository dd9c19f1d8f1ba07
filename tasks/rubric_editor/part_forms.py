"""The form of a part of a draft: what a page shows, and what a browser sends.

A part is the texts about the whole rubric, a dimension with its scale, or a list of checks, rules
or examples. The values of its form are a dataclass of `rubrics/editor/fields.py`. `part_views.py`
calls `form_to_show` for a page and `posted_fields` for what was sent.
"""

from collections.abc import Iterable
from typing import ClassVar, TypeAlias

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from rubrics.editor.edit import Edit
from rubrics.editor.fields import (
    AboutFields,
    CheckRow,
    CheckRows,
    ExampleRow,
    ExampleRows,
    PartFields,
    RuleRow,
    RuleRows,
    ScaleFields,
)
from rubrics.editor.findings import PartFinding, at_row
from rubrics.editor.parts import form_fields

from .part_fields import (
    EntryForm,
    NeutralText,
    RubricText,
    SentFields,
    TextArea,
    forms_of_rows,
    more_field,
)
from .row_forms import CheckForm, ExampleForm, RowForm, RuleForm
from .scale_form import ScaleForm


class AboutForm(EntryForm):
    """The texts about the whole rubric."""

    title = RubricText(_("Title"), widget=forms.TextInput({"id": "title"}))
    summary = RubricText(
        _("Summary: what is rated, and why"), widget=TextArea(id="summary", rows=3)
    )
    language = NeutralText(
        _("Language of its texts"), widget=forms.TextInput({"id": "language", "class": "short"})
    )
    slug = NeutralText(
        _("Short name"),
        widget=forms.TextInput(
            {
                "id": "slug",
                "maxlength": 80,
                "spellcheck": "false",
                "autocapitalize": "none",
                "aria-describedby": "slug-help",
            }
        ),
    )
    more = more_field()

    def posted(self) -> AboutFields:
        """Return the texts as they were entered."""
        return AboutFields(**self.sent_values())


class RowListForm:
    """The form of a list: a form for each of its rows.

    On a page, the last row is one to fill in (`form_to_show`).
    """

    fields_class: ClassVar[type[CheckRows | RuleRows | ExampleRows]]  # all rows
    row_class: ClassVar[type[CheckRow | RuleRow | ExampleRow]]
    form_class: ClassVar[type[RowForm]]  # of a row

    def __init__(
        self, sent: SentFields | None, fields: CheckRows | RuleRows | ExampleRows, lang: str
    ) -> None:
        self.rows: list[RowForm] = forms_of_rows(
            self.form_class, sent, fields.rows, self.row_class(), "", lang
        )

    def posted(self) -> PartFields:
        """Return the rows as they were entered."""
        rows = tuple(row.posted() for row in self.rows)
        return self.fields_class(rows)


class ChecksForm(RowListForm):
    """The form of the questions and ticks of a part."""

    fields_class = CheckRows
    row_class = CheckRow
    form_class = CheckForm


class RulesForm(RowListForm):
    """The form of the rules of a dimension."""

    fields_class = RuleRows
    row_class = RuleRow
    form_class = RuleForm


class ExamplesForm(RowListForm):
    """The form of the examples of a dimension."""

    fields_class = ExampleRows
    row_class = ExampleRow
    form_class = ExampleForm


PartForm: TypeAlias = AboutForm | ScaleForm | RowListForm


def part_form(fields: PartFields, lang: str = "", sent: SentFields | None = None) -> PartForm:
    """Return the form of a part with its fields, or with what was sent in place of them."""
    match fields:
        case AboutFields():
            return AboutForm(sent, fields, "", lang)
        case ScaleFields():
            return ScaleForm(sent, fields, lang)
        case CheckRows():
            return ChecksForm(sent, fields, lang)
        case RuleRows():
            return RulesForm(sent, fields, lang)
        case ExampleRows():
            return ExamplesForm(sent, fields, lang)


def posted_fields(empty: PartFields, data: QueryDict) -> PartFields:
    """Return the fields of a part that a page sent; `empty` tells which part it is."""
    return part_form(empty, sent=SentFields(data)).posted()


def form_to_show(edit: Edit, part: str, posted: PartFields | None) -> PartForm:
    """Return the form of a part as it is in the document. A list ends in a row to fill in.

    `posted`: what the page sent just now, if it did, so that this row keeps what was chosen there.
    """
    fields = form_fields(edit, part)
    lang = edit.content.language
    form = part_form(fields, lang)
    if isinstance(form, RowListForm):
        number = len(form.rows)
        values = _chosen_before(posted, number) or form.row_class()
        row_to_fill_in = form.form_class(None, values, str(number), lang)
        row_to_fill_in.is_blank = True
        form.rows.append(row_to_fill_in)
    return form


def _chosen_before(posted: PartFields | None, number: int) -> CheckRow | RuleRow | None:
    """Return a blank row with the choice that the posted row of this number has in its menu.

    Return None if there is none. Once such a row is stored, the list is longer, and the row to fill
    in has the next number.
    """
    if not isinstance(posted, CheckRows | RuleRows):
        return None
    for row in posted.rows:
        if row.number == number and isinstance(row, CheckRow) and row.kind:
            return CheckRow(kind=row.kind)
        if row.number == number and isinstance(row, RuleRow) and row.effect:
            return RuleRow(effect=row.effect)
    return None


def focus(form_of_part: PartForm, *, is_added: bool) -> None:
    """Put the cursor into the row that was added, or the question of a new dimension."""
    if isinstance(form_of_part, RowListForm) and is_added:
        field = form_of_part.rows[-1].first_field
    elif isinstance(form_of_part, ScaleForm) and not form_of_part.initial["question"]:
        field = form_of_part.fields["question"]
    else:
        return
    field.widget.attrs["autofocus"] = True


def add_findings(form_of_part: PartForm, findings: Iterable[PartFinding]) -> list[PartFinding]:
    """Give the rows of a form their findings; return those of the part as a whole."""
    of_part = [*findings]
    if not isinstance(form_of_part, RowListForm):
        return [at_row(finding, form_of_part.initial["more"]) for finding in of_part]
    for row in form_of_part.rows:
        if not row.code:
            continue
        more = row.initial["more"]
        row.findings = [at_row(finding, more) for finding in of_part if finding.at == row.code]
        of_part = [finding for finding in of_part if finding.at != row.code]
    return of_part
