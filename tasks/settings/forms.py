"""Forms that set up a project and its batches, and decisions on concerns."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from rubrics.judging.practice_rounds import LEAST, MOST, examples_of
from tasks.answers.fact_checks import SEARCH, is_search
from tasks.lead_pages.forms import Segmented
from tasks.models import Project
from tasks.models.batches import LONGEST_WARNING
from tasks.models.project_settings import LEAST_LEASE, MOST_WANTED

from .check_fields import DISPUTED, changed_checks, check_fields
from .groups import GroupOfFields, SettingsGroup
from .thresholds import THRESHOLDS, threshold_fields

MOST_DAILY = 10_000  # items
# What a lead may enter, by the name of the setting.
LIMITS: dict[str, dict[str, int]] = {
    "wanted": {"min_value": 1, "max_value": MOST_WANTED},
    "overlap_percent": {"max_value": 100},
    "overlap_wanted": {"min_value": 1, "max_value": MOST_WANTED},
    "lease_minutes": {"min_value": LEAST_LEASE, "max_value": 24 * 60},
    "most_daily": {"min_value": 1, "max_value": MOST_DAILY},
    "most_warned_daily": {"max_value": MOST_DAILY},
    "correction_hours": {"max_value": 366 * 24},
    "practice_examples": {"min_value": LEAST, "max_value": MOST},
    "practice_near": {"min_value": 1, "max_value": MOST},
    "practice_tries": {"min_value": 1, "max_value": 100},
    "priority": {"min_value": -1_000, "max_value": 1_000},
    "warning": {"max_length": LONGEST_WARNING},
}


class StatusForm(forms.Form):
    """Choice of a project's status: open, paused, closed or archived."""

    ARCHIVED = "archived"
    status = forms.ChoiceField(choices=[*Project.Status.choices, (ARCHIVED, _("archived"))])


def within_limits(field: "models.Field[Any, Any]", **options: Any) -> forms.Field | None:
    """Return the form's field for a setting, with its limits."""
    limits: Any = LIMITS.get(field.name, {})
    return field.formfield(**options, **limits)


class FieldWithOriginal(forms.BoundField):
    """A field beside a hidden input with the value that the page showed.

    Django points the hidden one's aria-describedby at the help text, which is invalid HTML.
    """

    def build_widget_attrs(
        self, attrs: dict[str, Any], widget: forms.Widget | None = None
    ) -> dict[str, Any]:
        """Return the attributes of the visible input; give the hidden one none of them."""
        if widget and widget.is_hidden:
            return attrs
        return super().build_widget_attrs(attrs, widget)


class SaveChangedOnly(forms.ModelForm):
    """Base class of a form that two leads may have open at once.

    It saves only the fields that the sender changed, so others' edits meanwhile survive. For this
    the page has hidden fields with the values that it showed. They come back as "initial-…".
    """

    bound_field_class = FieldWithOriginal

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.show_hidden_initial = True

    def changes(self) -> dict[str, Any]:
        """Return what the sender changed, by field."""
        return {name: self.cleaned_data[name] for name in self.changed_data}


class SettingsForm(SaveChangedOnly):
    """The settings of a project."""

    GROUPS = {
        "project": SettingsGroup(
            _("Project"),
            _("What annotators see of it before they rate."),
            _("A changed introduction is shown to each annotator before their next item."),
            ("title", "introduction"),
        ),
        "ratings": SettingsGroup(
            _("Ratings"),
            _("No rating is lost: if you ask for fewer, items keep the ratings they have."),
            _("Items that have as many ratings are finished at once."),
            ("wanted",),
            ("overlap_percent", "overlap_wanted"),
            _("Another number for a random part"),
        ),
        "practice": SettingsGroup(
            _("Practice"),
            _("Newcomers rate examples of the rubric, and see after each what is right."),
            _("At once. Who has rated here goes on."),
            ("practice", "practice_examples"),
            ("practice_near", "practice_tries"),
            _("When a round is passed"),
        ),
        "turns": SettingsGroup(
            _("Who gets what"),
            _("Which item comes next, and how many a day."),
            _("From the next item on. Reserved items stay reserved."),
            ("order", "most_daily"),
            ("grouping", "most_warned_daily"),
            _("Groups and warnings"),
        ),
        "desk": SettingsGroup(
            _("At the desk"),
            _("Annotators can switch the view. The view in use is stored with the rating."),
            _("From the next item on."),
            ("view", "consequences", "search_address"),
            ("lease_minutes",),
            _("How long an item is reserved"),
        ),
        "corrections": SettingsGroup(
            _("Corrections"),
            _("A correction is a new revision, and the earlier one is kept."),
            _("At once, for earlier ratings too."),
            ("correction_hours",),
        ),
        "disagreements": SettingsGroup(
            _("Disagreements"),
            _("From which distance the scores of one response differ. Below it they are near."),
            _("At once, in the final scores of exports too. Decisions stay."),
            (THRESHOLDS, "decides_first"),
            (DISPUTED,),
            _("Checks that are settled even if the scores are near"),
        ),
        "imported": SettingsGroup(
            _("Ratings from files"),
            _("They can be shown beside your own, or count with them."),
            _("Figures follow within a minute or two."),
            ("imported",),
        ),
        "names": SettingsGroup(
            _("Agreement"),
            _("Whom its page and its files name, and what annotators see of it."),
            _("At once."),
            ("names_annotators", "shows_own_agreement"),
        ),
        "status": SettingsGroup(
            _("Pause or close"),
            _("Nothing is deleted here. People may finish the item they have open."),
            _("At once."),
            ("status",),
        ),
    }

    class Meta:
        model = Project
        fields = (
            "title",
            "introduction",
            "status",
            "wanted",
            "overlap_percent",
            "overlap_wanted",
            "order",
            "grouping",
            "view",
            "lease_minutes",
            "most_daily",
            "most_warned_daily",
            "correction_hours",
            "imported",
            "names_annotators",
            "shows_own_agreement",
            "search_address",
            "practice",
            "practice_examples",
            "practice_near",
            "practice_tries",
            "consequences",
            THRESHOLDS,
            DISPUTED,
            "decides_first",
        )
        formfield_callback = within_limits
        labels = {"status": _("Status of the project")}
        help_texts = {
            "introduction": _("Plain text, for instance what is being rated and whom to ask."),
            "status": _(
                "A paused or closed project hands out no items. In a closed project nobody can "
                "correct ratings."
            ),
            "overlap_percent": _(
                "These items get another number of ratings. They are drawn at random, once. 0: no "
                "overlap."
            ),
            "grouping": _(
                "Items with the same conversation, persona and context form a group. A group that "
                "is reserved for an annotator is free again one day after their last item of it."
            ),
            "consequences": _(
                "When annotators see which scores their answers leave open. After answering: once "
                "a row is answered, or a score is tried where there are only ticks. Never: a "
                "barred score is refused with its reason. The rules stay the same."
            ),
            "lease_minutes": _(
                "At least 5. The reservation is renewed while the annotator works: their page "
                "reports it every two minutes. When it ends, the item goes to others."
            ),
            "most_daily": _("Empty: no limit. The day follows the annotator’s time zone."),
            "most_warned_daily": _(
                "Empty: no limit. After that, annotators get items without a warning, if any are "
                "left."
            ),
            "correction_hours": _(
                "Counted from the first submit. Empty: as long as the batch is open. 0: no "
                "corrections."
            ),
            "practice_examples": _("From 4 to 20. With fewer that can be used, a round has those."),
            "practice_near": _(
                "Every automatic score must be right, too. Only if practice is required."
            ),
            "practice_tries": _("After these rounds, a lead can still let someone in."),
            "names_annotators": _(
                "Also in its files. Otherwise both show the pseudonyms of the exports, such as "
                "rater-1. Other pages always show names to leads."
            ),
            "shows_own_agreement": _(
                "Each sees their own, under “My work”: how often another person gave the same "
                "score, in closed batches only. Never by item; with two annotators it is the "
                "agreement with one person."
            ),
            "decides_first": _(
                "Whoever settles a case enters a score, then sees the answers, and keeps the score "
                "or changes it. Both are stored."
            ),
            "search_address": _(
                "The address of a search, with {claim} in place of the claim. The search opens in "
                "a new tab and does not learn where it was opened."
            ),
        }
        widgets = {
            "order": Segmented,
            "view": Segmented,
            "practice": Segmented,
            "consequences": Segmented,
            "grouping": forms.RadioSelect,
            "imported": forms.RadioSelect,
            "introduction": forms.Textarea({"rows": 4, "dir": "auto"}),
            "search_address": forms.TextInput(
                {"inputmode": "url", "spellcheck": "false", "autocapitalize": "none"}
            ),
        }

    def __init__(self, *args: Any, group: str = "", **kwargs: Any) -> None:
        """`group`: the one that is shown and saved; all of them without one."""
        super().__init__(*args, **kwargs)
        self.group = group if group in self.GROUPS else ""
        project = self.instance
        if len(examples_of(project.rubric.schema)) < LEAST:
            self.fields["practice"].help_text = _(
                "The rubric has fewer than four examples that can be used: nobody practises."
            )
        if not project.rubric.schema.checks_facts:
            del self.fields["search_address"]
        if project.has_imported and project.imported != Project.Imported.PLACES:
            choices = dict(Project.Imported.choices)
            del choices[Project.Imported.PLACES]
            self.fields["imported"].choices = list(choices.items())  # type: ignore[attr-defined]
        else:
            del self.fields["imported"]
        del self.fields[THRESHOLDS], self.fields[DISPUTED]
        self.fields |= {**threshold_fields(project), **check_fields(project)}
        if self.group:
            fields = self.GROUPS[self.group]
            grouped = {*self._expanded(fields.usual), *self._expanded(fields.rare)}
            for name in set(self.fields) - grouped:
                del self.fields[name]

    @property
    def groups(self) -> Iterator[GroupOfFields]:
        """The groups of this form, each with its words, and its usual and rare settings.

        The rare ones are folded unless one of them is wrong.
        """
        for code, group in self.GROUPS.items():
            usual = self._bound(group.usual)
            rare = self._bound(group.rare)
            if usual:
                yield GroupOfFields(code, group, usual, rare)

    def _bound(self, setting_names: tuple[str, ...]) -> list[forms.BoundField]:
        """Return those of some fields that the form has."""
        fields = []
        for name in self._expanded(setting_names):
            if name in self.fields:
                fields.append(self[name])
        return fields

    def _expanded(self, setting_names: tuple[str, ...]) -> list[str]:
        """Return names of fields: those of all dimensions in place of thresholds and checks."""
        names: list[str] = []
        for name in setting_names:
            if name in (THRESHOLDS, DISPUTED):
                names += [field for field in self.fields if field.startswith(f"{name}.")]
            else:
                names.append(name)
        return names

    def changes(self) -> dict[str, Any]:
        """Return what the sender changed, by field, and since when the introduction is there."""
        changes = super().changes()
        if "introduction" in changes:
            has_text = bool(changes["introduction"])
            changes["introduced_at"] = timezone.now() if has_text else None
        thresholds = {}
        for name in self._expanded((THRESHOLDS,)):
            if name in changes:
                code = name.removeprefix(f"{THRESHOLDS}.")
                thresholds[code] = changes.pop(name)
        if thresholds:
            changes[THRESHOLDS] = thresholds
        checks = changed_checks(self, changes)
        for name in self._expanded((DISPUTED,)):
            changes.pop(name, None)
        if checks:
            changes["ticked_checks"] = checks
        return changes

    def clean_search_address(self) -> str:
        """Check that a claim can be put into the address."""
        address: str = self.cleaned_data["search_address"]
        if not is_search(address):
            raise forms.ValidationError(
                _(
                    "“%(address)s” is no address of a search: it begins with https:// or http://, "
                    "and has {claim} once, behind the name of the server, such as %(usual)s."
                ),
                params={"address": address, "usual": SEARCH},
            )
        return address
