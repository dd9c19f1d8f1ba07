"""The forms of the parts of a draft, as a page shows them and as a browser sends them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy as _

from rubrics.editor.edit import Edit
from rubrics.editor.fields import (
    AboutFields,
    CheckRow,
    CheckRows,
    ExampleRow,
    ExampleRows,
    LevelLine,
    PartFields,
    RuleRow,
    RuleRows,
    ScaleFields,
)
from rubrics.editor.findings import PartFinding, at_row
from rubrics.editor.parts import form_fields
from rubrics.editor.scale import CLASSES, OWN

from .part_fields import (
    Choices,
    EntryForm,
    NeutralText,
    RubricText,
    SentFields,
    TextArea,
    checkbox,
    forms_of_rows,
    more_field,
)
from .row_forms import CheckForm, ExampleForm, RowForm, RuleForm

RowFields: TypeAlias = CheckRows | RuleRows | ExampleRows
PRESETS: Choices = [
    ("1–5", "1–5"),
    ("0–4", "0–4"),
    ("1–7", "1–7"),
    ("1–10", "1–10"),
    ("yes/no", _("yes/no")),
    (CLASSES, _("classes")),
    (OWN, _("own")),
]
NUMBER = {"class": "short", "inputmode": "numeric"}


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


class LevelForm(EntryForm):
    """A score with its texts."""

    score = NeutralText(widget=forms.HiddenInput)
    label = RubricText(widget=forms.TextInput({"id": "label-#"}))
    definition = RubricText(widget=TextArea(id="meaning-#", rows=1))

    def __init__(
        self, sent: SentFields | None, level_line: LevelLine, prefix: str, lang: str
    ) -> None:
        super().__init__(sent, level_line, prefix, lang)
        score = {"score": self.initial["score"]}
        names = {
            "label": gettext("On the button of %(score)s") % score,
            "definition": gettext("Meaning of %(score)s") % score,
        }
        for name, words in names.items():
            self.fields[name].widget.attrs["aria-label"] = words


class NewLevelForm(EntryForm):
    """A line in which one adds a score to a long scale."""

    score = NeutralText(widget=forms.TextInput({"inputmode": "numeric", "aria-label": _("Score")}))
    label = RubricText(widget=forms.TextInput({"aria-label": _("On its button")}))
    definition = RubricText(widget=TextArea(rows=1, **{"aria-label": _("Meaning")}))


class ScaleForm(EntryForm):
    """The texts of a dimension, its scale and its levels."""

    title = RubricText(_("Title"), widget=forms.TextInput({"id": "title"}))
    question = RubricText(
        _("Question that annotators read"), widget=forms.TextInput({"id": "question"})
    )
    preset = NeutralText(widget=forms.RadioSelect(choices=PRESETS))
    lowest = NeutralText(_("from"), widget=forms.TextInput({"id": "lowest", **NUMBER}))
    highest = NeutralText(_("to"), widget=forms.TextInput({"id": "highest", **NUMBER}))
    same = NeutralText(_("Levels"), widget=forms.Select({"id": "same", "class": "auto"}))
    ends = checkbox(
        _("only the ends are described"), value="yes", id="ends", **{"class": "ends-only"}
    )
    better = NeutralText()
    may_not_apply = checkbox(_("May not apply"), value="yes")
    blank = RubricText(widget=forms.TextInput({"aria-label": _("What its button says")}))
    more = more_field()

    def __init__(self, sent: SentFields | None, scale_fields: ScaleFields, lang: str) -> None:
        super().__init__(sent, scale_fields, "", lang)
        self.code = scale_fields.code
        self.levels = forms_of_rows(
            LevelForm, sent, scale_fields.levels, LevelLine(), "level", lang
        )
        self.new_level = NewLevelForm(None, LevelLine(), f"level.{len(self.levels)}", lang)
        others = [("", gettext("its own"))]
        for code, title in scale_fields.others:
            others.append((code, gettext("same as %(title)s") % {"title": title}))
        self.fields["same"].widget.choices = others
        self.initial["blank"] = self.initial["blank"] or gettext("Not applicable")

    def posted(self) -> ScaleFields:
        """Return the texts as they were entered."""
        levels = tuple(LevelLine(**level.sent_values()) for level in self.levels)
        return ScaleFields(levels=levels, **self.sent_values())


@dataclass(frozen=True, slots=True)
class ListKind:
    """A list that a part may be: the types of its rows and of their forms."""

    fields: type[RowFields]  # all rows
    row_class: type[CheckRow | RuleRow | ExampleRow]
    form_class: type[RowForm]  # of a row


LIST_KINDS = (
    ListKind(CheckRows, CheckRow, CheckForm),
    ListKind(RuleRows, RuleRow, RuleForm),
    ListKind(ExampleRows, ExampleRow, ExampleForm),
)


class RowsForm:
    """The form of a list: a form for each of its rows.

    On a page, the last row is one to fill in (`form_to_show`).
    """

    def __init__(self, sent: SentFields | None, row_fields: RowFields, lang: str) -> None:
        [self.kind] = [kind for kind in LIST_KINDS if isinstance(row_fields, kind.fields)]
        self.rows: list[RowForm] = forms_of_rows(
            self.kind.form_class, sent, row_fields.rows, self.kind.row_class(), "", lang
        )

    def posted(self) -> PartFields:
        """Return the rows as they were entered."""
        rows = tuple(row.posted() for row in self.rows)
        return self.kind.fields(rows)


PartForm: TypeAlias = AboutForm | ScaleForm | RowsForm


def part_form(fields: PartFields, lang: str = "", sent: SentFields | None = None) -> PartForm:
    """Return the form of a part with its fields, or with what was sent in place of them."""
    match fields:
        case AboutFields():
            return AboutForm(sent, fields, "", lang)
        case ScaleFields():
            return ScaleForm(sent, fields, lang)
    return RowsForm(sent, fields, lang)


def posted_fields(empty: PartFields, data: QueryDict) -> PartFields:
    """Return the fields of a part that a page sent; `empty` tells which part it is."""
    return part_form(empty, sent=SentFields(data)).posted()


def form_to_show(edit: Edit, part: str, posted: PartFields | None) -> PartForm:
    """Return the form of a part as it is in the document.

    A list ends in a row to fill in. `posted`: what the page sent just now, if it did, so that this
    row keeps what was chosen there.
    """
    fields = form_fields(edit, part)
    lang = edit.content.language
    form = part_form(fields, lang)
    if isinstance(form, RowsForm):
        number = len(form.rows)
        values = _chosen_before(posted, number) or form.kind.row_class()
        row_to_fill_in = form.kind.form_class(None, values, str(number), lang)
        row_to_fill_in.is_blank = True
        form.rows.append(row_to_fill_in)
    return form


def _chosen_before(posted: PartFields | None, number: int) -> CheckRow | RuleRow | None:
    """Return a blank row with the menu of a posted one, by its number; None without any.

    Once such a row is stored, the list is longer, and the row to fill in has the next number.
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
    """Let one begin to write: in the row that was added, or the question of a new dimension."""
    field = None
    if isinstance(form_of_part, ScaleForm) and not form_of_part.initial["question"]:
        field = form_of_part.fields["question"]
    if (
        isinstance(form_of_part, RowsForm)
        and form_of_part.kind.form_class is CheckForm
        and is_added
    ):
        field = form_of_part.rows[-1].fields["wording"]
    if field:
        field.widget.attrs["autofocus"] = True


def add_findings(form_of_part: PartForm, findings: Iterable[PartFinding]) -> list[PartFinding]:
    """Give the rows of a form their findings; return those of the part as a whole."""
    of_part = [*findings]
    if not isinstance(form_of_part, RowsForm):
        return [at_row(finding, form_of_part.initial["more"]) for finding in of_part]
    for row in form_of_part.rows:
        if not row.code:
            continue
        more = row.initial["more"]
        row.findings = [at_row(finding, more) for finding in of_part if finding.at == row.code]
        of_part = [finding for finding in of_part if finding.at != row.code]
    return of_part
