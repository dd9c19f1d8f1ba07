"""The form about an upload's file: how it is read, what its columns are, and where it goes.

The fields depend on the report of the file, so most of them are added when the form is made: those
of each column (`column_fields.py`), those about ratings (`scoring_fields.py`), and the others here.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy as _

from tasks.importing.files.encodings import ENCODINGS
from tasks.importing.lead_choices import LeadChoices
from tasks.importing.report import ReadingChoice, UploadReport
from tasks.lead_pages.forms import FormAmongOthers, optional_choice, optional_text
from tasks.models import Project, Upload
from tasks.models.batches import LONGEST_NAME, LONGEST_WARNING

from .column_fields import ColumnFields
from .scoring_fields import ScoringFields

NAMES = ("batch", "warning", "title")  # which change nothing about how the file is read
READING = ("encoding", "part", "join", "key", "delimiter", "header")
DELIMITERS = (
    ("", _("as the file has it")),
    (",", _("comma")),
    (";", _("semicolon")),
    ("\t", _("tab")),
    ("|", _("vertical bar")),
)


class ChoicesForm(FormAmongOthers):
    """The choices of a lead about a file."""

    batch = forms.CharField(
        label=_("Name of the batch"),
        help_text=_("If left empty, the file’s name without its ending."),
        required=False,
        max_length=LONGEST_NAME,
    )
    warning = forms.CharField(
        label=_("Warning before each item"),
        help_text=_("If left empty, only items with a warning of their own have one."),
        required=False,
        max_length=LONGEST_WARNING,
    )
    encoding = forms.ChoiceField(
        label=_("Encoding"),
        choices=[
            ("", _("detect")),
            *ENCODINGS.items(),
        ],
        required=False,
    )
    delimiter = forms.ChoiceField(label=_("Between cells"), choices=DELIMITERS, required=False)
    header = forms.IntegerField(
        label=_("Line with the names"),
        help_text=_("0 if no line has them. If left empty, as proposed."),
        required=False,
        min_value=0,
        max_value=10_000,
    )

    def __init__(self, upload: Upload, report: UploadReport, sent: QueryDict | None = None) -> None:
        super().__init__(sent, initial=upload.choices | report.proposed)
        self.upload = upload
        self.report = report
        numbers = range(len(report.columns))
        self.columns = [ColumnFields(self, report, number) for number in numbers]
        self.scoring_fields: ScoringFields | None = None
        if report.scoring:
            self.scoring_fields = ScoringFields(self, report.scoring, upload.project)
        for name, options in report.choices.items():
            self._add_option(name, options)
        if parts := report.choices.get("part"):
            self._add_join(parts)
        if report.layouts:
            self.fields["shape"] = optional_choice(_("Read as"), report.layouts, report.layout)
        if upload.project is None:
            self._add_project()
        else:
            self._explain_batches(upload.project)

    @property
    def scoring(self) -> list[forms.BoundField]:
        """The fields about ratings; none if the file has none."""
        return self.scoring_fields.fields if self.scoring_fields else []

    @property
    def undecided_columns(self) -> list[ColumnFields]:
        """The columns that are asked about, of a group the first one."""
        return [
            fields for fields in self.columns if fields.is_undecided and not fields.column.group
        ]

    @property
    def undecided_reading(self) -> list[forms.BoundField]:
        """The fields of how the file is read that the lead is asked about."""
        names = {self.report.choice}
        if self.report.choice == "part":
            names |= {"join", "key"}
        return [self[name] for name in self._reading_names() if name in names]

    @property
    def other_reading(self) -> list[forms.BoundField]:
        """The other fields of how the file is read."""
        names = [field.name for field in self.undecided_reading]
        return [self[name] for name in self._reading_names() if name not in names]

    def _reading_names(self) -> list[str]:
        return [name for name in READING if name in self.fields]

    def clean(self) -> None:
        """Require the key of a part that is joined."""
        if self.cleaned_data.get("join") and not self.cleaned_data.get("key"):
            self.add_error("key", gettext("Say which column names the rows of both parts."))

    def _add_project(self) -> None:
        projects = Project.objects.led_by(self.upload.uploader).filter(archived_at=None)
        title = self.upload.choices.get("title") or PurePath(self.upload.file_name).stem
        self.fields["title"] = forms.CharField(
            label=_("Name of the new project"), initial=title, required=False, max_length=200
        )
        self.fields["project"] = forms.ModelChoiceField(
            projects.order_by("title"),
            label=_("Or a project of yours"),
            empty_label=_("a new project"),
            required=False,
        )

    def _explain_batches(self, project: Project) -> None:
        dimensions = project.rubric.schema.dimensions
        needs_others = any(dimension.needs.other_histories for dimension in dimensions)
        if needs_others and project.batches.exists():
            warning = gettext(
                "Each batch is a corpus of its own. If the same model is in another batch, what it "
                "said there does not count here: put all its responses into one file."
            )
            self.fields["batch"].help_text += f" {warning}"

    def _add_option(self, name: str, reading_choices: Sequence[ReadingChoice]) -> None:
        """Add a reading option that the file leaves open, with a sample of each value."""
        label = self.fields[name].label if name in self.fields else _("Sheet, list or file")
        field_choices: list[Any] = []
        for option in reading_choices:
            words = f"{option.value}: {option.sample}" if option.sample else option.value
            field_choices.append((option.value, words))
        chosen = self.initial.get(name, "")
        if not chosen and name != self.report.choice:  # else a browser sends the first one
            field_choices.insert(0, ("", gettext("as the file has it")))
        self.fields[name] = optional_choice(label, field_choices, chosen)

    def _add_join(self, part_choices: Sequence[ReadingChoice]) -> None:
        """Add the part whose columns the rows get, and the key."""
        field_choices: list[Any] = [("", _("no other part"))]
        field_choices += [(part.value, part.value) for part in part_choices]
        chosen = self.initial.get("join", "")
        self.fields["join"] = optional_choice(_("With the columns of"), field_choices, chosen)
        text = gettext(
            'A column of both, such as "id"; "question_id:id", if the other part calls it '
            'otherwise; "topic,number", if it takes two.'
        )
        key = self.initial.get("key", "")
        self.fields["key"] = optional_text(_("By the column"), key, text)

    @property
    def reads_otherwise(self) -> bool:
        """True if the form changes how the file is read, so that it must be looked at again."""
        return bool(set(self.changed_data) - {*NAMES})

    @property
    def names(self) -> dict[str, str]:
        """The choices that change nothing about how the file is read."""
        return {name: self.cleaned_data[name] for name in NAMES if name in self.fields}

    @property
    def project(self) -> Project | None:
        """The project that the file goes into, if there is one."""
        return self.upload.project or self.cleaned_data.get("project")

    @property
    def choices(self) -> LeadChoices:
        """The choices of a valid form. Another shape proposes its own uses of the columns."""
        sent = self.cleaned_data
        reading = {name: sent.get(name, self.initial.get(name, "")) for name in READING}
        if reading["header"] == "":
            reading["header"] = None
        update: dict[str, object] = {}
        layout = sent.get("shape")
        if layout:
            update["shape"] = layout
        if layout == self.report.layout:
            update["uses"] = {fields.column.path: fields.chosen_use for fields in self.columns}
            rated = [fields for fields in self.columns if fields.texts]
            update["said"] = {fields.column.path: fields.chosen_meaning for fields in rated}
        if self.scoring_fields:
            update["rubric"] = sent.get("rubric", "")
            update["breaks"] = sent.get("breaks", "")
            update["scoring"] = self.scoring_fields.chosen
        elif "rubric" in self.initial:
            update["rubric"] = self.initial["rubric"]
        lead_choices = LeadChoices.model_validate({**self.names, **reading})
        return lead_choices.model_copy(update=update)
