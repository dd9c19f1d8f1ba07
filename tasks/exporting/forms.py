"""Forms by which a lead chooses what an export holds.

Page, command, worker and API read the query of an export by `ExportForm` (`options_in`), and make
the export by `export_of`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy as _

from tasks.exporting.export import Export
from tasks.exporting.filters import Refused
from tasks.exporting.options import Delimiter, Format, Options, Shape, stored_query
from tasks.item_pages.forms import MODELS_HIDDEN, ItemFilterForm
from tasks.lead_pages.forms import FormAmongOthers, Segmented
from tasks.models import ItemEntry, Membership, Project, Rating
from tasks.models.imported import names_of


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


def _day(label: Any) -> forms.DateField:
    return forms.DateField(
        label=label,
        help_text=_("A whole day in UTC."),
        widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
        required=False,
    )


def _box(label: Any, help_text: Any = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=help_text, required=False)


class NamesField(forms.MultipleChoiceField):
    """Some names of a project. `look_up` refuses those that it lacks, and says which there are."""

    def valid_value(self, value: Any) -> bool:
        return True


class LinesInput(forms.Textarea):
    """One value on each line. A query may have each by itself."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        return "\n".join(data.getlist(name))


class ExportForm(FormAmongOthers):
    """Options for an export, read from a query. Without any it is the scores as CSV."""

    FILTERS = ("batches", "models", "annotators", "since", "until", "kinds")
    WITH = ("texts", "pseudonyms", "revisions", "dropped", "open_median")

    items = forms.CharField(required=False, widget=forms.HiddenInput)
    shape = forms.TypedChoiceField(
        label=_("What one row is"),
        choices={
            Shape.SCORES: _("one line per score: for statistics"),
            Shape.RATINGS: _("one line per response and annotator, a column per check"),
            Shape.ITEMS: _("one line per response: mean, median, spread, final score"),
            Shape.WIDE: _("one line per item, a column per dimension, response and person"),
            Shape.DECISIONS: _("one line per decision on a final score"),
            Shape.TALK: _("one line per question about a rating, with its reply"),
            Shape.CORPUS_ANSWERS: _("one line per answer about all responses of a model"),
            Shape.PRACTICE: _("one line per answer of practice"),
        },
        coerce=Shape,
        empty_value=Shape.SCORES,
        initial=Shape.SCORES,
        required=False,
        widget=forms.RadioSelect,
    )
    format = forms.TypedChoiceField(
        label=_("File"),
        choices={
            Format.CSV: "CSV",
            Format.XLSX: "Excel (XLSX)",
            Format.JSONL: _("JSON lines"),
            Format.PARQUET: _("Parquet"),
        },
        coerce=Format,
        empty_value=Format.CSV,
        initial=Format.CSV,
        required=False,
        widget=Segmented,
    )
    zip = forms.BooleanField(
        label=_("ZIP, with a list of the columns and a manifest"), required=False, initial=True
    )
    texts = _box(_("The texts of items and responses too"))
    pseudonyms = _box(
        _("Pseudonyms in place of user names"),
        _("They are the same in every file of a project. Comments stay as they are."),
    )
    revisions = _box(
        _("Earlier revisions too"),
        _(
            "Adds the earlier revisions of corrected ratings. The column “revision” numbers them. "
            "Otherwise you get only the last revision."
        ),
    )
    dropped = _box(
        _("Dropped items too"),
        _(
            "Adds a column that marks them. Otherwise a file has nothing of items that were "
            "dropped."
        ),
    )
    open_median = _box(
        _("The median where scores differ"),
        _(
            "As the final score of one line per response. Otherwise the final score is empty "
            "where people differ from the project’s threshold on."
        ),
    )
    # Of the command only: the page has no field for it.
    delimiter = forms.TypedChoiceField(
        choices=[(name, name) for name in Delimiter],
        coerce=Delimiter,
        empty_value=Delimiter.COMMA,
        required=False,
    )
    batches = NamesField(
        label=_("Only of these batches"), widget=forms.CheckboxSelectMultiple, required=False
    )
    models = forms.CharField(
        label=_("Only of these models"),
        help_text=_("One on each line."),
        widget=LinesInput({"rows": 2, "dir": "auto"}),
        required=False,
    )
    annotators = NamesField(
        label=_("Only by these annotators"), widget=forms.CheckboxSelectMultiple, required=False
    )
    since = _day(_("Submitted on this day or later"))
    until = _day(_("Submitted on this day or earlier"))
    kinds = NamesField(
        label=_("Only of these kinds"),
        choices=Rating.Kind.choices,
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, project: Project, shows_models: bool, data: QueryDict) -> None:
        super().__init__(data)
        self.shows_models = shows_models
        self.query = data.urlencode()
        members = project.memberships.filter(role=Membership.Role.ANNOTATOR)
        people = list(members.values_list("user", flat=True))
        people += [rater.person for rater in project.raters.all()]
        batches = project.batches.order_by("position").values_list("name", "name")
        kinds = Rating.Kind.choices
        if not project.has_imported:
            kinds = kinds[:2]  # the last is "imported"
        self._offer("batches", list(batches))
        self._offer("annotators", [(name, name) for name in names_of(people).values()])
        self._offer("kinds", kinds)

    def _offer(self, name: str, field_choices: list[Any]) -> None:
        self.fields[name].choices = field_choices  # type: ignore[attr-defined]

    def clean(self) -> None:
        """Refuse a filter by model while the models are hidden, that of a list of items too."""
        if self.shows_models:
            return
        listed = QueryDict(self.cleaned_data.get("items", ""))
        if self.cleaned_data.get("models") or listed.get("model"):
            self.add_error("models", MODELS_HIDDEN)

    def clean_models(self) -> tuple[str, ...]:
        lines = [line.strip() for line in self.cleaned_data["models"].splitlines()]
        return tuple(filter(None, lines))

    def options(self) -> Options:
        """Return what a valid form asks for."""
        options = dict(self.cleaned_data)
        del options["zip"]
        for name in ("batches", "annotators", "kinds"):
            options[name] = tuple(options[name])
        return Options(**options)

    def refuse(self, refused: Refused) -> None:
        """Show why there is no such export: at its option, else at the first field."""
        self.add_error(refused.option or "shape", str(refused))

    @property
    def filters(self) -> list[forms.BoundField]:
        """The fields that leave something out, without those that have nothing to choose."""
        filters = []
        for name in self.FILTERS:
            field = self[name]
            if getattr(field.field, "choices", True) or field.errors:
                filters.append(field)
        return filters

    @property
    def companion_files(self) -> list[forms.BoundField]:
        return [self[name] for name in self.WITH]

    @property
    def unfiltered(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name not in (*self.FILTERS, "items")]

    @property
    def is_filtered(self) -> bool:
        """True if there is a filter to be seen."""
        return any(field.errors or field.data for field in self.filters)


def options_in(project: Project, options: str | Mapping[str, object]) -> Options:
    """Return the options of a query as it was stored or typed. Raise Refused for a wrong one.

    A name with a slip is refused, too: it would leave out nothing.
    """
    query = QueryDict(stored_query(options))
    form = ExportForm(project, True, query)
    for name in query:
        if name not in form.fields:
            raise _no_such(name, name, form.fields)
    for name, errors in form.errors.items():
        if choices := getattr(form.fields[name], "choices", None):
            raise _no_such(name, query[name], [value for value, _label in choices])
        raise Refused(name, " ".join(map(str, errors)))
    return form.options()


def _no_such(option: str, name: str, names: Iterable[str]) -> Refused:
    message = gettext("There is no “%(name)s”. There are: %(names)s.")
    return Refused(option, message % {"name": name, "names": ", ".join(names)})


class OrderForm(forms.Form):
    """The choices of an export that a worker makes, as the query of its page."""

    choices = forms.CharField(required=False)

    @property
    def query(self) -> QueryDict:
        self.full_clean()
        return QueryDict(self.cleaned_data.get("choices", ""))


def export_of(project: Project, options: Options, *, now: datetime) -> Export:
    """Return an export, with its list of items read as the page of the list reads it.

    A list of the dropped items asks for them. Raise Refused if the list has no such filter.
    """
    if not options.items:
        return Export(project, options, now=now)
    form = ItemFilterForm(project, QueryDict(options.items), shows_models=True)
    if not form.is_valid():
        raise Refused("items", " ".join(form.what_is_wrong))
    if options.pseudonyms and form.wanted.annotator is not None:
        message = gettext(
            "This list is filtered by annotator, so it can’t be exported with pseudonyms."
        )
        raise Refused("items", message)
    if form.wanted.state == ItemEntry.State.DROPPED:
        options = replace(options, dropped=True)
    return Export(project, options, form.wanted, now=now)
