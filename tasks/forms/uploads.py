"""Forms of an upload: its file, and the choices of its lead."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext, gettext_lazy as _

from tasks.importing.readers import FORMATS, WINDOWS
from tasks.importing.uses import LABELS
from tasks.models import Project
from tasks.models.items import LONGEST_NAME, LONGEST_WARNING

from . import FormAmongOthers


class ChoicesForm(FormAmongOthers):
    """The choices of a lead about a file."""

    batch = forms.CharField(
        label=_("Name of the batch"),
        help_text=_("If left empty, the file's name without its ending."),
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
        label=_("Characters"),
        choices=[
            ("", _("UTF-8 or UTF-16, as the file shows")),
            (WINDOWS, _("Windows-1252 (Western Europe)")),
        ],
        required=False,
    )

    def __init__(
        self,
        project: Project,
        *sent: Any,
        report: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        """`report`: what was found in the file, with its columns."""
        super().__init__(*sent, **others)
        self.report = report or {}
        self.columns = [
            (column, self._add(f"use-{number}", column["path"], LABELS.items(), column["use"]))
            for number, column in enumerate(self.report.get("columns", []))
        ]
        if parts := self.report.get("parts"):
            choices = [(each, each) for each in parts]
            self._add("part", _("Sheet or list"), choices, self.initial.get("part", ""))
        if shapes := self.report.get("shapes"):
            self._add("shape", _("Read as"), shapes, self.report["shape"])
        if project.batches.exists() and any(
            each.needs.other_histories for each in project.rubric.schema.dimensions
        ):
            self.fields["batch"].help_text += " " + gettext(
                "Each batch is a corpus of its own. If the same model is in another batch, what it "
                "said there does not count here: put all its responses into one file."
            )

    def _add(self, name: str, label: Any, choices: Any, initial: str) -> forms.BoundField:
        self.fields[name] = forms.ChoiceField(
            label=label, choices=list(choices), initial=initial, required=False
        )
        return self[name]

    @property
    def reads_otherwise(self) -> bool:
        """True if the form changes how the file is read, so that it must be looked at again."""
        return bool(set(self.changed_data) - {"batch", "warning"})

    @property
    def name_and_warning(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("batch", "warning")}

    @property
    def choices(self) -> dict[str, Any]:
        """The choices of a valid form. Another shape proposes its own uses of the columns."""
        said = self.cleaned_data
        part = said.get("part") or self.initial.get("part", "")
        found = self.name_and_warning | {"encoding": said["encoding"], "part": part}
        if shape := said.get("shape"):
            found["shape"] = shape
        if shape == self.report.get("shape"):
            found["uses"] = {
                column["path"]: said[field.name] or column["use"] for column, field in self.columns
            }
        return found


class UploadForm(ChoicesForm):
    """A file of items."""

    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "CSV, TSV, JSON or JSON lines, also compressed by gzip; XLSX, Parquet or a log of "
            "Inspect. Rows with the same id are one item."
        ),
        widget=forms.FileInput(attrs={"accept": ",".join(FORMATS)}),
    )
    field_order = ("file",)

    def clean_file(self) -> UploadedFile:
        """Refuse a file larger than UPLOAD_LIMIT. A much larger one was never read (error 413)."""
        file: UploadedFile = self.cleaned_data["file"]
        if (file.size or 0) > settings.UPLOAD_LIMIT:
            raise forms.ValidationError(
                _(
                    "The file is larger than %(limit)s. Split it, or have it loaded by manage.py "
                    "import_batch."
                )
                % {"limit": filesizeformat(settings.UPLOAD_LIMIT)}
            )
        return file
