"""Forms of an upload: its file, and the choices of its lead."""

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from tasks.importing.columns.uses import LABELS, RATINGS, Use
from tasks.importing.files.encodings import ENCODINGS
from tasks.importing.files.formats import FORMATS
from tasks.models import Project
from tasks.models.items import LONGEST_NAME, LONGEST_WARNING

from . import FormAmongOthers

# Control characters, and those that turn the direction of what follows: in a name they deceive.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


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
        columns = self.report.get("columns", [])
        says_who = self.report.get("scoring", {}).get("rater") or any(
            column["use"] == Use.RATER for column in columns
        )
        self.columns = [
            (
                column,
                self._add(f"use-{number}", column["path"], LABELS.items(), column["use"]),
                [
                    self._add_text(f"{name}-{number}", label, column["said"][name] or proposed)
                    for name, label, proposed in (
                        # The header of scores that nothing else says the rater of may be a name.
                        ("rater", _("Who rated"), "" if says_who else column["path"]),
                        # Of an answer to a check it is the check.
                        (
                            "dimension",
                            _("Which check") if column["use"] == Use.CHECK else _("Dimension"),
                            "",
                        ),
                    )
                    if column["use"] in RATINGS
                ],
            )
            for number, column in enumerate(columns)
        ]
        if scoring := self.report.get("scoring"):
            self._add_scoring(scoring, project)
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

    def _add_text(
        self, name: str, label: Any, initial: str, help_text: str = ""
    ) -> forms.BoundField:
        self.fields[name] = forms.CharField(
            label=label, initial=initial, required=False, help_text=help_text, max_length=500
        )
        return self[name]

    def _add_scoring(self, scoring: Mapping[str, Any], project: Project) -> None:
        """Add how the ratings of the file are written, and by which rubric they are read."""
        before = {*self.fields}
        for number, each in enumerate(scoring["dimensions"]):
            if each["texts"]:
                label = _("Texts of %(dimension)s, the worst first") % {"dimension": each["code"]}
                self._add_text(f"words-{number}", label, "; ".join(each["words"] or each["texts"]))
            else:
                label = _("Scale of %(dimension)s") % {"dimension": each["code"]}
                lowest, highest = each["scale"] or ("", "")
                scale = _("%(lowest)s to %(highest)s") % {"lowest": lowest, "highest": highest}
                ends = ", ".join(map(str, each["found"] or ()))
                found = _("lowest and highest found: %(found)s") % {"found": ends}
                self._add_text(f"scale-{number}", label, scale, found)
        none = sum(each["none"] for each in scoring["dimensions"])
        self._add_text(
            "no_answer",
            _("Means “no answer”, beside an empty cell"),
            ", ".join(filter(None, scoring["no_answer"])),
            ngettext("%(number)s cell", "%(number)s cells", none) % {"number": none},
        )
        if scoring["rater"]:
            self._add_text("rater", _("Who rated"), scoring["rater"])
        if scoring["has_numbers"]:
            numbers = [("0", "0"), ("1", "1")]
            self._add("first", _("Number of the first response"), numbers, str(scoring["first"]))
        if scoring["doubled"] or any(each["halves"] for each in scoring["dimensions"]):
            self.fields["doubled"] = forms.BooleanField(
                label=_("Double all scores, as there are halves"),
                initial=scoring["doubled"],
                required=False,
            )
        if scoring["can_make"]:
            rubrics = [("made", _("One made from these columns")), ("", str(project.rubric))]
            self._add("rubric", _("By which rubric"), rubrics, self.initial.get("rubric", ""))
        if scoring["has_checks"]:
            breaks = [
                ("", _("Leave them out")),
                ("take", _("Take them, with the rules that they break")),
            ]
            chosen = self.initial.get("breaks", "")
            self._add("breaks", _("Ratings that break a rule"), breaks, chosen)
        self.scoring = [self[name] for name in self.fields if name not in before]

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
                column["path"]: said[field.name] or column["use"]
                for column, field, _texts in self.columns
            }
            found["said"] = {
                column["path"]: column["said"]
                | dict(
                    zip(("rater", "dimension"), (said[each.name] for each in texts), strict=True)
                )
                for column, _field, texts in self.columns
                if texts
            }
        if scoring := self.report.get("scoring"):
            found |= {name: said.get(name, "") for name in ("rubric", "breaks")}
            found["scoring"] = self._scoring(scoring)
        elif "rubric" in self.initial:
            found["rubric"] = self.initial["rubric"]
        return found

    def _scoring(self, scoring: Mapping[str, Any]) -> dict[str, Any]:
        """Return how the lead says that ratings are written, as `Scoring` has it."""
        said = self.cleaned_data
        scales, words = {}, {}
        for number, each in enumerate(scoring["dimensions"]):
            if texts := said.get(f"words-{number}"):
                words[each["code"]] = [text.strip() for text in texts.split(";") if text.strip()]
            ends = re.findall(r"-?\d+", said.get(f"scale-{number}", ""))
            if len(ends) == 2:
                scales[each["code"]] = [*map(int, ends)]
        none = [text.strip() for text in said["no_answer"].split(",")]
        found = {"scales": scales, "words": words, "no_answer": ["", *filter(None, none)]}
        return found | {
            name: kind(said[name])
            for name, kind in (("rater", str), ("first", int), ("doubled", bool))
            if name in said
        }


class FileForm(forms.Form):
    """A file."""

    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "CSV, TSV, JSON or JSON lines, also compressed by gzip; XLSX, Parquet or a log of "
            "Inspect. Rows with the same id are one item."
        ),
        widget=forms.FileInput(attrs={"accept": ",".join(FORMATS)}),
    )

    def clean_file(self) -> UploadedFile:
        """Refuse a file larger than UPLOAD_LIMIT. A much larger one was never read (error 413)."""
        file: UploadedFile = self.cleaned_data["file"]
        file.name = _UNSEEN.sub("", file.name or "") or "file"
        if (file.size or 0) > settings.UPLOAD_LIMIT:
            raise forms.ValidationError(
                _(
                    "The file is larger than %(limit)s. Split it, or have it loaded by manage.py "
                    "import_batch."
                )
                % {"limit": filesizeformat(settings.UPLOAD_LIMIT)}
            )
        return file


class UploadForm(ChoicesForm, FileForm):
    """A file of items."""

    field_order = ("file",)
