"""Forms of an upload: its file, and the choices of its lead."""

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from tasks.importing.columns.uses import RATINGS, Use
from tasks.importing.files.encodings import ENCODINGS
from tasks.importing.lead_choices import ColumnMeaning, LeadChoices, ScoringChoices
from tasks.importing.report import (
    ColumnReport,
    DimensionReport,
    ReadingChoice,
    ScoringReport,
    UploadReport,
)
from tasks.lead_pages.forms import FormAmongOthers, Segmented
from tasks.models import Project, Upload
from tasks.models.batches import LONGEST_NAME, LONGEST_WARNING

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
        text_fields: Sequence[forms.BoundField],
        group: Sequence[str],
    ) -> None:
        self.column = column
        self.use = use
        self.texts = text_fields
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
        return self.is_undecided and bool(self.column.options)

    @property
    def is_undecided(self) -> bool:
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
        self.columns = []
        for number, column in enumerate(report.columns):
            self.columns.append(self._column(number, column))
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
        name = f"use-{number}"
        if column.use is Use.UNDECIDED and column.options:
            uses = _open_uses(column)
            use = self._add(name, column.question, uses, column.use)
            self.fields[name].widget = forms.RadioSelect(choices=uses)
        else:
            use = self._add(name, column.path, _uses(column), column.use)
        texts = []
        if column.use in RATINGS:
            rater = column.rater
            # The header of scores that nothing else says the rater of may be a name.
            if not rater and not self.report.has_raters:
                rater = column.path
            # Of an answer to a check it is the check.
            label = _("Which check") if column.use is Use.CHECK else _("Dimension")
            texts.append(self._add_text(f"rater-{number}", _("Who rated"), rater))
            texts.append(self._add_text(f"dimension-{number}", label, column.dimension))
        group = [other.path for other in self.report.columns if other.group == column.path]
        return ColumnFields(column, use, texts, group)

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
        self._add(name, label, field_choices, chosen)

    def _add_join(self, part_choices: Sequence[ReadingChoice]) -> None:
        """Add the part whose columns the rows get, and the key."""
        field_choices: list[Any] = [("", _("no other part"))]
        field_choices += [(part.value, part.value) for part in part_choices]
        self._add("join", _("With the columns of"), field_choices, self.initial.get("join", ""))
        text = gettext(
            'A column of both, such as "id"; "question_id:id", if the other part calls it '
            'otherwise; "topic,number", if it takes two.'
        )
        self._add_text("key", _("By the column"), self.initial.get("key", ""), text)

    def _add(
        self, name: str, label: Any, field_choices: Iterable[Any], initial: str
    ) -> forms.BoundField:
        self.fields[name] = forms.ChoiceField(
            label=label, choices=list(field_choices), initial=initial, required=False
        )
        return self[name]

    def _add_text(
        self, name: str, label: Any, initial: str, help_text: str = ""
    ) -> forms.BoundField:
        self.fields[name] = forms.CharField(
            label=label, initial=initial, required=False, help_text=help_text, max_length=500
        )
        return self[name]

    def _add_scoring(self, scoring: ScoringReport) -> None:
        """Add how the ratings of the file are written, and by which rubric they are read."""
        before = {*self.fields}
        if scoring.can_make:
            self._add_rubrics()
        for number, dimension in enumerate(scoring.dimensions):
            self._add_scale(number, dimension)
        none = scoring.empty_cells
        label = _("Means “no answer”, beside an empty cell")
        no_answer = ", ".join(filter(None, scoring.no_answer))
        cells = ngettext("%(number)s cell", "%(number)s cells", none) % {"number": none}
        self._add_text("no_answer", label, no_answer, cells)
        if scoring.rater:
            self._add_text("rater", _("Who rated"), scoring.rater)
        self.fields["slots"] = forms.BooleanField(
            label=_("Raters are slots: rater 1 of each item is somebody else"),
            help_text=_("Then no figures are made of single raters, or of two."),
            initial=bool(scoring.slots),
            required=False,
        )
        if scoring.has_numbers:
            numbers = [("0", "0"), ("1", "1")]
            self._add("first", _("Number of the first response"), numbers, str(scoring.first))
        if scoring.doubled or scoring.has_halves:
            self.fields["doubled"] = forms.BooleanField(
                label=_("Double all scores, as there are halves"),
                initial=scoring.doubled,
                required=False,
            )
        if scoring.has_checks:
            breaks = [
                ("", _("Leave them out")),
                ("take", _("Take them, with the rules that they break")),
            ]
            chosen = self.initial.get("breaks", "")
            self._add("breaks", _("Ratings that break a rule"), breaks, chosen)
        self.scoring = [self[name] for name in self.fields if name not in before]

    def _add_rubrics(self) -> None:
        project = self.upload.project
        other = str(project.rubric) if project else _("One of the published rubrics")
        rubrics = [("made", _("One made from these columns")), ("", other)]
        self._add("rubric", _("By which rubric"), rubrics, self.initial.get("rubric", ""))
        self.fields["rubric"].widget = Segmented(choices=rubrics)

    def _add_scale(self, number: int, dimension_report: DimensionReport) -> None:
        words = {"dimension": dimension_report.code}
        if dimension_report.texts:
            label = _("Texts of %(dimension)s, the worst first") % words
            texts = dimension_report.words or dimension_report.texts
            self._add_text(f"words-{number}", label, "; ".join(texts))
            return
        lowest, highest = dimension_report.scale or ("", "")
        scale = _("%(lowest)s to %(highest)s") % {"lowest": lowest, "highest": highest}
        ends = ", ".join(dimension_report.extremes)
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
    def choices(self) -> LeadChoices:
        """The choices of a valid form. Another shape proposes its own uses of the columns."""
        sent = self.cleaned_data
        reading = {name: sent.get(name, self.initial.get(name, "")) for name in READING}
        if reading["header"] == "":
            reading["header"] = None
        update = {}
        layout = sent.get("shape")
        if layout:
            update["shape"] = layout
        if layout == self.report.layout:
            update["uses"] = self._uses()
            update["said"] = self._meanings()
        if self.report.scoring:
            update["rubric"] = sent.get("rubric", "")
            update["breaks"] = sent.get("breaks", "")
            update["scoring"] = self._scoring(self.report.scoring)
        elif "rubric" in self.initial:
            update["rubric"] = self.initial["rubric"]
        lead_choices = LeadChoices.model_validate({**self.names, **reading})
        return lead_choices.model_copy(update=update)

    def _uses(self) -> dict[str, str]:
        uses = {}
        for fields in self.columns:
            column = fields.column
            uses[column.path] = self.cleaned_data[fields.use.name] or column.use
        return uses

    def _meanings(self) -> dict[str, ColumnMeaning]:
        """Return who rated which dimension in a column, as the lead says it."""
        meanings = {}
        for fields in self.columns:
            if fields.texts:
                rater, dimension = (self.cleaned_data[field.name] for field in fields.texts)
                meanings[fields.column.path] = ColumnMeaning(rater=rater, dimension=dimension)
        return meanings

    def _scoring(self, scoring: ScoringReport) -> ScoringChoices:
        """Return how the lead says that ratings are written, as `Scoring` has it."""
        sent = self.cleaned_data
        scales = {}
        words = {}
        for number, dimension in enumerate(scoring.dimensions):
            code = dimension.code
            texts = sent.get(f"words-{number}")
            if texts:
                words[code] = tuple(_parts(texts, ";"))
            ends = re.findall(r"-?\d+", sent.get(f"scale-{number}", ""))
            if len(ends) == 2:
                scales[code] = (int(ends[0]), int(ends[1]))
        no_answer = ("", *_parts(sent["no_answer"], ","))
        choices_of_all = ScoringChoices(scales=scales, words=words, no_answer=no_answer)
        sent_choices = {
            str(name): sent[name] for name in ("rater", "doubled", "slots") if name in sent
        }
        if "first" in sent:
            sent_choices["first"] = int(sent["first"])
        return choices_of_all.model_copy(update=sent_choices)


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
