"""Forms for uploads, new projects, members and exports."""

import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from django import forms
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from tasks.exporting.filters import Refused
from tasks.exporting.options import Delimiter, Format, Options, Shape
from tasks.importing.encodings import WINDOWS
from tasks.importing.loading import LONGEST_NAME, LONGEST_WARNING
from tasks.importing.readers import FORMATS
from tasks.models import Membership, Project, Rating
from tasks.models.projects import MOST_WANTED
from tasks.project_templates import ProjectTemplate, project_templates

Label: TypeAlias = Any  # a text, or one that is translated when it is shown


class FormAmongOthers(forms.Form):
    """Base class of a form on a page with other forms."""

    def add_error(self, field: str | None, error: Any) -> None:
        """Make the browser scroll to the first error, which may be far down the page."""
        super().add_error(field, error)
        for name in self.errors:
            widget = self.fields[name].widget
            # A group of boxes would have it on each of them, and a page may have it only once.
            if not widget.use_fieldset and not widget.is_hidden:
                widget.attrs["autofocus"] = True
                return


class UploadForm(FormAmongOthers):
    """Upload of a file of items."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV, TSV, JSON or JSON lines; rows with the same id are one item."),
        widget=forms.FileInput(attrs={"accept": ",".join(FORMATS)}),
    )
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
    take_good = forms.BooleanField(
        label=_("Take the good rows if others are bad"),
        help_text=_(
            "Otherwise one bad row keeps the whole file out. An item comes in with all of its rows "
            "or with none."
        ),
        required=False,
    )

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


class TextsForm(forms.Form):
    """Options for the texts of a downloaded file."""

    exact = forms.BooleanField(
        label=_("Leave every text exactly as it is"),
        help_text=_(
            "Otherwise a text that a spreadsheet would run as a formula (it begins with =, +, -, "
            "@, a tab, a carriage return or a line feed, and is no plain number) gets an "
            "apostrophe in front."
        ),
        required=False,
    )


def _one_of(default: StrEnum, label: Label, names: Mapping[Any, Label]) -> forms.TypedChoiceField:
    """Return a field for one of the values of an enumeration."""
    return forms.TypedChoiceField(
        label=label,
        choices=list(names.items()),
        coerce=type(default),
        empty_value=default,
        required=False,
        widget=forms.Select,
    )


def _some_of(label: Label, choices: Iterable[tuple[str, Label]] = ()) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=label, choices=list(choices), widget=forms.CheckboxSelectMultiple, required=False
    )


class DayInput(forms.DateInput):
    """A browser's field for a day. It reads no date in the words of a language."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")


def _day(label: Label) -> forms.DateField:
    return forms.DateField(
        label=label,
        help_text=_("A whole day in UTC."),
        widget=DayInput(),
        required=False,
    )


class ExportForm(FormAmongOthers, TextsForm):
    """Options for an export. Without any it is the scores as CSV."""

    FILTERS = ("batches", "models", "annotators", "since", "until", "kinds")
    field_order = ("shape", "format", "exact")

    items = forms.CharField(required=False, widget=forms.HiddenInput)
    shape = _one_of(
        Shape.SCORES,
        _("A row is"),
        {
            Shape.SCORES: _("a score"),
            Shape.RATINGS: _("a response or candidate set as one annotator rated it"),
            Shape.ITEMS: _("a response or candidate set, with figures of its scores"),
            Shape.CORPUS_ANSWERS: _("an answer about all responses of a model"),
        },
    )
    format = _one_of(
        Format.CSV,
        _("Format"),
        {Format.CSV: "CSV", Format.JSONL: _("JSON lines"), Format.PARQUET: _("Parquet")},
    )
    texts = forms.BooleanField(label=_("The texts of items and responses too"), required=False)
    pseudonyms = forms.BooleanField(
        label=_("Pseudonyms in place of user names"),
        help_text=_("They are the same in every file of a project. Comments stay as they are."),
        required=False,
    )
    revisions = forms.BooleanField(
        label=_("Earlier revisions too"),
        help_text=_(
            "Of what was corrected; otherwise only what stands. The column “revision” tells them "
            "apart."
        ),
        required=False,
    )
    bom = forms.BooleanField(
        label=_("CSV: a byte order mark at the start"),
        help_text=_("Some spreadsheets read UTF-8 only with it."),
        required=False,
    )
    delimiter = _one_of(
        Delimiter.COMMA,
        _("CSV: between two cells"),
        {
            Delimiter.COMMA: _("comma"),
            Delimiter.SEMICOLON: _("semicolon"),
            Delimiter.TAB: _("tab"),
        },
    )
    batches = _some_of(_("Only of these batches"))
    models = forms.CharField(
        label=_("Only of these models"),
        help_text=_("One on each line."),
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        required=False,
    )
    annotators = _some_of(_("Only by these annotators"))
    since = _day(_("Submitted on this day or later"))
    until = _day(_("Submitted on this day or earlier"))
    kinds = _some_of(_("Only of these kinds"), Rating.Kind.choices)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = project.memberships.filter(role=Membership.Role.ANNOTATOR)
        for name, names in (
            ("batches", project.batches.order_by("position").values_list("name", flat=True)),
            ("annotators", members.order_by("user").values_list("user__username", flat=True)),
        ):
            self.fields[name].choices = [(each, each) for each in names]  # type: ignore[attr-defined]

    def clean_models(self) -> tuple[str, ...]:
        return tuple(filter(None, map(str.strip, self.cleaned_data["models"].splitlines())))

    def options(self) -> Options:
        """Return what a valid form asks for."""
        asked = {name: value for name, value in self.cleaned_data.items() if name != "exact"}
        for name in ("batches", "annotators", "kinds"):
            asked[name] = tuple(asked[name])
        return Options(**asked, defused=not self.cleaned_data["exact"])

    def refuse(self, refused: Refused) -> None:
        """Show why there is no such export: at its option, else at the first field."""
        self.add_error(refused.option or "shape", str(refused))

    @property
    def filters(self) -> list[forms.BoundField]:
        fields = [self[name] for name in self.FILTERS]
        return [each for each in fields if getattr(each.field, "choices", True) or each.errors]

    @property
    def others(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in (*self.FILTERS, "items")]

    @property
    def is_filtered(self) -> bool:
        """True if there is a filter to be seen."""
        return any(field.errors or field.data for field in self.filters)


class FormOfOneProject(forms.Form):
    """Base class of a form that makes one project, however often it is sent."""

    form_key = forms.CharField(
        required=False,
        max_length=32,
        initial=lambda: secrets.token_hex(16),
        widget=forms.HiddenInput,
    )


class NewProjectForm(FormOfOneProject):
    """A title, a template and the ratings wanted."""

    title = forms.CharField(label=_("Title"), max_length=200)
    rubric = forms.TypedChoiceField(
        label=_("Template"),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a template.")},
    )
    wanted = forms.IntegerField(
        label=_("Ratings wanted of each item"), min_value=1, max_value=MOST_WANTED, initial=3
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["rubric"]
        assert isinstance(field, forms.TypedChoiceField)
        there = {template.key: template for template in project_templates()}
        field.choices, field.coerce = list(there.items()), there.__getitem__
        field.initial = next(iter(there))

    def make(self, *, by: User, now: datetime) -> Project:
        """Create the project of a valid form."""
        given = self.cleaned_data
        template: ProjectTemplate = given["rubric"]
        with transaction.atomic():
            return Project.objects.start(
                title=given["title"],
                rubric=template.load(by=by, now=now),
                wanted=given["wanted"],
                settings=template.settings,
                form_key=given["form_key"],
                by=by,
                now=now,
            )


class DuplicateForm(FormOfOneProject, FormAmongOthers):
    """The title of a project that has the settings of another."""

    title = forms.CharField(label=_("Title of the new project"), max_length=200)


class StatusForm(forms.Form):
    """Choice of a project's status: open, paused, closed or archived."""

    ARCHIVED = "archived"
    status = forms.ChoiceField(choices=[*Project.Status.choices, (ARCHIVED, _("archived"))])


class MemberForm(FormAmongOthers):
    """A person with an account, and their new role in the project."""

    name = forms.CharField(label=_("Name"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)

    def clean_name(self) -> User:
        people = get_user_model()
        name = self.cleaned_data["name"]
        try:
            return people.objects.get(**{f"{people.USERNAME_FIELD}__iexact": name})
        except people.DoesNotExist:
            raise forms.ValidationError(
                _("There is no account named “%(name)s”."), params={"name": name}
            ) from None
