"""Forms of an upload: its file, and the choices of its lead."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from tasks.importing.columns.uses import RATINGS, Use
from tasks.importing.files.encodings import ENCODINGS
from tasks.importing.files.formats import FORMATS
from tasks.importing.report import ColumnReport, ReadingChoice, UploadReport
from tasks.models import Project, Upload
from tasks.models.items import LONGEST_NAME, LONGEST_WARNING

from . import FormAmongOthers

# Control characters, and those that turn the direction of what follows: in a name they deceive.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# The uses that most columns have. The others stand under "More".
COMMON = (Use.ID, Use.PROMPT, Use.RESPONSE, Use.MODEL, Use.METADATA, Use.UNUSED)
NAMES = ("batch", "warning", "title")  # which change nothing about how the file is read
READING = ("encoding", "part", "join", "key", "delimiter", "header")
DELIMITERS = (
    ("", _("as the file has it")),
    (",", _("comma")),
    (";", _("semicolon")),
    ("\t", _("tab")),
    ("|", _("vertical bar")),
)


class ColumnFields:
    """The fields of one column."""

    def __init__(
        self,
        column: ColumnReport,
        use: forms.BoundField,
        texts: Sequence[forms.BoundField],
        group: Sequence[str],
    ) -> None:
        self.column = column
        self.use = use
        self.texts = texts
        self.group = group  # the paths of the columns for which its answer holds too

    @property
    def name(self) -> str:
        """The column's name, and how many others its answer is for."""
        if not self.group:
            return self.column.path or gettext("no name")
        words = gettext("%(number)s columns, %(first)s … %(last)s")
        number = len(self.group) + 1
        return words % {"number": number, "first": self.column.path, "last": self.group[-1]}

    @property
    def is_radio(self) -> bool:
        """True if the lead is asked first, with what is likely."""
        return self.is_open and bool(self.column.options)

    @property
    def is_open(self) -> bool:
        """True if the lead is asked what the column is."""
        return self.column.use is Use.UNDECIDED


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
        self.columns = [
            self._column(number, column) for number, column in enumerate(report.columns)
        ]
        self.scoring: list[forms.BoundField] = []
        if report.scoring:
            self._add_scoring(report.scoring)
        for name, options in report.choices.items():
            self._add_option(name, options)
        if parts := report.choices.get("part"):
            self._add_join(parts)
        if report.layouts:
            self._add("shape", _("Read as"), report.layouts, report.layout)
        if upload.project is None:
            self._add_project()
        else:
            self._explain_batches(upload.project)

    def _column(self, number: int, column: ColumnReport) -> ColumnFields:
        if column.use is Use.UNDECIDED and column.options:
            use = self._add(f"use-{number}", column.question, _open_uses(column), column.use)
            self.fields[f"use-{number}"].widget = forms.RadioSelect(choices=_open_uses(column))
        else:
            use = self._add(f"use-{number}", column.path, _uses(column), column.use)
        texts = []
        if column.use in RATINGS:
            # The header of scores that nothing else says the rater of may be a name.
            rater = column.rater or ("" if self.report.has_raters else column.path)
            # Of an answer to a check it is the check.
            label = _("Which check") if column.use is Use.CHECK else _("Dimension")
            texts = [
                self._add_text(f"rater-{number}", _("Who rated"), rater),
                self._add_text(f"dimension-{number}", label, column.dimension),
            ]
        group = [other.path for other in self.report.columns if other.group == column.path]
        return ColumnFields(column, use, texts, group)

    @property
    def open_columns(self) -> list[ColumnFields]:
        """The columns that are asked about, of a group the first one."""
        return [fields for fields in self.columns if fields.is_open and not fields.column.group]

    @property
    def asked_reading(self) -> list[forms.BoundField]:
        """The fields of how the file is read that the lead is asked about."""
        names = ("part", "join", "key") if self.report.choice == "part" else (self.report.choice,)
        return [self[name] for name in READING if name in self.fields and name in names]

    @property
    def other_reading(self) -> list[forms.BoundField]:
        """The other fields of how the file is read."""
        names = [field.name for field in self.asked_reading]
        return [self[name] for name in READING if name in self.fields and name not in names]

    def clean(self) -> dict[str, Any]:
        """Require the key of a part that is joined."""
        cleaned = self.cleaned_data
        if cleaned.get("join") and not cleaned.get("key"):
            self.add_error("key", gettext("Say which column names the rows of both parts."))
        return cleaned

    def _add_project(self) -> None:
        led = Project.objects.led_by(self.upload.uploader).filter(archived_at=None)
        title = self.upload.choices.get("title") or PurePath(self.upload.file_name).stem
        self.fields["title"] = forms.CharField(
            label=_("Name of the new project"), initial=title, required=False, max_length=200
        )
        self.fields["project"] = forms.ModelChoiceField(
            led.order_by("title"),
            label=_("Or a project of yours"),
            empty_label=_("a new project"),
            required=False,
        )

    def _explain_batches(self, project: Project) -> None:
        dimensions = project.rubric.schema.dimensions
        needs_others = any(dimension.needs.other_histories for dimension in dimensions)
        if needs_others and project.batches.exists():
            self.fields["batch"].help_text += " " + gettext(
                "Each batch is a corpus of its own. If the same model is in another batch, what it "
                "said there does not count here: put all its responses into one file."
            )

    def _add_option(self, name: str, options: Sequence[ReadingChoice]) -> None:
        """Add a reading option that the file leaves open, with a sample of each value."""
        label = self.fields[name].label if name in self.fields else _("Sheet or list")
        choices = []
        for option in options:
            words = f"{option.value}: {option.sample}" if option.sample else option.value
            choices.append((option.value, words))
        self._add(name, label, choices, self.initial.get(name, ""))

    def _add_join(self, parts: Sequence[ReadingChoice]) -> None:
        """Add the part whose columns the rows get, and the key."""
        none = ("", _("no other part"))
        choices = [none, *((part.value, part.value) for part in parts)]
        self._add("join", _("With the columns of"), choices, self.initial.get("join", ""))
        text = gettext(
            'A column of both, such as "id"; "question_id:id", if the other part calls it '
            'otherwise; "topic,number", if it takes two.'
        )
        self._add_text("key", _("By the column"), self.initial.get("key", ""), text)

    def _add(self, name: str, label: Any, choices: Iterable[Any], initial: str) -> forms.BoundField:
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

    def _add_scoring(self, scoring: Mapping[str, Any]) -> None:
        """Add how the ratings of the file are written, and by which rubric they are read."""
        before = {*self.fields}
        for number, dimension in enumerate(scoring["dimensions"]):
            self._add_scale(number, dimension)
        none = sum(dimension["none"] for dimension in scoring["dimensions"])
        self._add_text(
            "no_answer",
            _("Means “no answer”, beside an empty cell"),
            ", ".join(filter(None, scoring["no_answer"])),
            ngettext("%(number)s cell", "%(number)s cells", none) % {"number": none},
        )
        if scoring["rater"]:
            self._add_text("rater", _("Who rated"), scoring["rater"])
        self.fields["slots"] = forms.BooleanField(
            label=_("Raters are slots: rater 1 of each item is somebody else"),
            help_text=_("Then no figures are made of single raters, or of two."),
            initial=scoring.get("slots", False),
            required=False,
        )
        if scoring["has_numbers"]:
            numbers = [("0", "0"), ("1", "1")]
            self._add("first", _("Number of the first response"), numbers, str(scoring["first"]))
        if scoring["doubled"] or any(dimension["halves"] for dimension in scoring["dimensions"]):
            self.fields["doubled"] = forms.BooleanField(
                label=_("Double all scores, as there are halves"),
                initial=scoring["doubled"],
                required=False,
            )
        if scoring["can_make"]:
            project = self.upload.project
            other = str(project.rubric) if project else _("One of the published rubrics")
            rubrics = [("made", _("One made from these columns")), ("", other)]
            self._add("rubric", _("By which rubric"), rubrics, self.initial.get("rubric", ""))
        if scoring["has_checks"]:
            breaks = [
                ("", _("Leave them out")),
                ("take", _("Take them, with the rules that they break")),
            ]
            chosen = self.initial.get("breaks", "")
            self._add("breaks", _("Ratings that break a rule"), breaks, chosen)
        self.scoring = [self[name] for name in self.fields if name not in before]

    def _add_scale(self, number: int, dimension: Mapping[str, Any]) -> None:
        words = {"dimension": dimension["code"]}
        if dimension["texts"]:
            label = _("Texts of %(dimension)s, the worst first") % words
            texts = dimension["words"] or dimension["texts"]
            self._add_text(f"words-{number}", label, "; ".join(texts))
            return
        lowest, highest = dimension["scale"] or ("", "")
        scale = _("%(lowest)s to %(highest)s") % {"lowest": lowest, "highest": highest}
        ends = ", ".join(dimension["extremes"])
        extremes = _("lowest and highest found: %(found)s") % {"found": ends}
        self._add_text(f"scale-{number}", _("Scale of %(dimension)s") % words, scale, extremes)

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
    def choices(self) -> dict[str, Any]:
        """The choices of a valid form. Another shape proposes its own uses of the columns."""
        sent = self.cleaned_data
        choices: dict[str, Any] = dict(self.names)
        for name in READING:
            choices[name] = sent.get(name, self.initial.get(name, ""))
        if choices["header"] == "":
            choices["header"] = None
        if layout := sent.get("shape"):
            choices["shape"] = layout
        if layout == self.report.layout:
            choices["uses"] = self._uses()
            choices["said"] = self._meanings()
        if scoring := self.report.scoring:
            choices |= {name: sent.get(name, "") for name in ("rubric", "breaks")}
            choices["scoring"] = self._scoring(scoring)
        elif "rubric" in self.initial:
            choices["rubric"] = self.initial["rubric"]
        return choices

    def _uses(self) -> dict[str, str]:
        uses = {}
        for fields in self.columns:
            column = fields.column
            uses[column.path] = self.cleaned_data[fields.use.name] or column.use
        return uses

    def _meanings(self) -> dict[str, dict[str, str]]:
        """Return who rated which dimension in a column, as the lead says it."""
        meanings = {}
        for fields in self.columns:
            if fields.texts:
                rater, dimension = (self.cleaned_data[field.name] for field in fields.texts)
                meanings[fields.column.path] = {"rater": rater, "dimension": dimension}
        return meanings

    def _scoring(self, scoring: Mapping[str, Any]) -> dict[str, Any]:
        """Return how the lead says that ratings are written, as `Scoring` has it."""
        sent = self.cleaned_data
        scales, words = {}, {}
        for number, dimension in enumerate(scoring["dimensions"]):
            code = dimension["code"]
            if texts := sent.get(f"words-{number}"):
                words[code] = _parts(texts, ";")
            ends = re.findall(r"-?\d+", sent.get(f"scale-{number}", ""))
            if len(ends) == 2:
                scales[code] = [*map(int, ends)]
        no_answer = ["", *_parts(sent["no_answer"], ",")]
        choices: dict[str, Any] = {"scales": scales, "words": words, "no_answer": no_answer}
        for name, kind in (("rater", str), ("first", int), ("doubled", bool), ("slots", bool)):
            if name in sent:
                choices[name] = kind(sent[name])
        return choices


def _parts(text: str, sign: str) -> list[str]:
    """Return what stands between signs, without empty parts."""
    return [part.strip() for part in text.split(sign) if part.strip()]


def _uses(column: ColumnReport) -> Iterable[Any]:
    """Return the uses to choose from: six first, the rest under "More"."""
    common = [(use, use.label) for use in COMMON]
    if column.use is Use.UNDECIDED:
        common.insert(0, (Use.UNDECIDED, Use.UNDECIDED.label))
    more = [(use, use.label) for use in Use if use not in (*COMMON, Use.UNDECIDED)]
    return [*common, (gettext("More"), more)]


def _open_uses(column: ColumnReport) -> Iterable[Any]:
    """Return the uses that are likely for a column that is asked about."""
    options = dict.fromkeys((*column.options, Use.METADATA, Use.UNUSED))
    return [(use, use.label) for use in options if use is not Use.UNDECIDED]


class FileForm(FormAmongOthers):
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
