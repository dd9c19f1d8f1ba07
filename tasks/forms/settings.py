"""Forms for a project's settings, its batches, and decisions on concerns."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.db.models import Q
from django.forms.models import model_to_dict
from django.utils.translation import gettext_lazy as _

from tasks.fact_checks import SEARCH, is_search
from tasks.importing.loading import LONGEST_WARNING
from tasks.models import Batch, Concern, Membership, Project
from tasks.models.projects import FIRST_VIEWS, LEAST_LEASE, LONGEST_SEARCH, MOST_WANTED

LONGEST_LEASE = 24 * 60  # minutes
MOST_DAILY = 10_000  # items
LONGEST_CORRECTION = 366 * 24  # hours


class WithoutDescription:
    """Hidden input without aria attributes.

    Django points its aria-describedby at the help text of the visible field, which is invalid HTML.
    """

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        kept = {key: each for key, each in (attrs or {}).items() if not key.startswith("aria-")}
        return super().get_context(name, value, kept)  # type: ignore[misc]  # a widget's


class OriginalValue(WithoutDescription, forms.HiddenInput):
    """Hidden input for the value that the page showed."""


class OriginalValues(WithoutDescription, forms.MultipleHiddenInput):
    """Hidden inputs for the several values that the page showed."""


class SaveChangedOnly(forms.ModelForm):
    """Base class of a form that two leads may have open at once.

    It saves only the fields that the sender changed, so others' edits meanwhile survive. For this
    the page has hidden fields with the values that it showed.
    """

    def show_what_is(self) -> None:
        """Add the hidden fields with the current values; they come back as "initial-…"."""
        for field in self.fields.values():
            field.show_hidden_initial = True
            is_one_of_many = issubclass(field.hidden_widget, forms.MultipleHiddenInput)
            field.hidden_widget = OriginalValues if is_one_of_many else OriginalValue

    def present(self) -> dict[str, Any]:
        """Return the values that the database has now."""
        self.instance.refresh_from_db()
        return model_to_dict(self.instance)

    def over_present(self) -> dict[str, Any]:
        """Return the values to store: the changed fields as sent, the others from the database."""
        present = self.present()
        return {
            name: self.cleaned_data[name] if name in self.changed_data else present[name]
            for name in self.fields
        }


@dataclass(frozen=True, slots=True)
class SettingsGroup:
    """Settings that belong together; the rare ones are folded unless one of them is wrong."""

    code: str
    title: Any
    fields: list[forms.BoundField]
    rare: list[forms.BoundField]

    @property
    def is_open(self) -> bool:
        return any(field.errors for field in self.rare)


class SettingsForm(SaveChangedOnly):
    """The settings of a project."""

    # Code → title, usual fields, rare fields. A field that the project does not have is left out.
    GROUPS = {
        "status": (_("Open, paused or closed"), ("status",), ()),
        "ratings": (_("Ratings"), ("wanted",), ("overlap_percent", "overlap_wanted")),
        "turns": (_("Who gets what"), ("order", "most_daily"), ("grouping", "most_warned_daily")),
        "desk": (_("At the desk"), ("view",), ("lease_minutes", "search_address")),
        "corrections": (_("Corrections"), ("correction_hours",), ()),
        "names": (_("Names"), ("names_annotators",), ()),
    }

    status = forms.ChoiceField(
        label=_("The project is"),
        choices=Project.Status.choices,
        help_text=_(
            "Paused or closed, it hands out nothing. What is being rated just now is taken all the "
            "same. Closed, its ratings stand: nobody can correct them."
        ),
    )
    wanted = forms.IntegerField(
        label=_("Ratings wanted of each item"),
        min_value=1,
        max_value=MOST_WANTED,
        help_text=_(
            "It may be changed at any time. What was said stays; lowered, items that have more "
            "keep them."
        ),
    )
    overlap_percent = forms.IntegerField(
        label=_("Of so many percent of the items"),
        min_value=0,
        max_value=100,
        help_text=_("Drawn at random, once and for all. With 0 every item is treated alike."),
    )
    overlap_wanted = forms.IntegerField(
        label=_("… so many ratings instead"), min_value=1, max_value=MOST_WANTED
    )
    order = forms.ChoiceField(
        label=_("Order of the items"), choices=Project.Order.choices, widget=forms.RadioSelect
    )
    grouping = forms.ChoiceField(
        label=_("Items that show the same"),
        choices=Project.Grouping.choices,
        widget=forms.RadioSelect,
        help_text=_(
            "Items with the same conversation, persona and context are a group. A group that is "
            "one annotator's is free again a day after they last took an item of it."
        ),
    )
    view = forms.ChoiceField(
        label=_("Texts are shown at first"),
        choices=FIRST_VIEWS,
        widget=forms.RadioSelect,
        help_text=_(
            "Annotators can switch it for the item that they hold; the view in use is stored with "
            "the rating."
        ),
    )
    lease_minutes = forms.IntegerField(
        label=_("An item is lent for so many minutes"),
        min_value=LEAST_LEASE,
        max_value=LONGEST_LEASE,
        help_text=_(
            "At least 5. It is renewed while the annotator is at work, which their page reports "
            "every two minutes; after it, the item goes to others."
        ),
    )

    most_daily = forms.IntegerField(
        label=_("Items that one person may rate in a day"),
        required=False,
        min_value=1,
        max_value=MOST_DAILY,
        help_text=_("Empty: as many as there are. The day is that of the annotator's time zone."),
    )
    most_warned_daily = forms.IntegerField(
        label=_("… and open with a warning"),
        required=False,
        min_value=0,
        max_value=MOST_DAILY,
        help_text=_(
            "Empty: as many as there are. Beyond it they get items without a warning, while there "
            "are any."
        ),
    )
    correction_hours = forms.IntegerField(
        label=_("Hours in which annotators may correct what they said"),
        required=False,
        min_value=0,
        max_value=LONGEST_CORRECTION,
        help_text=_(
            "Counted from when they first said it. Empty: as long as the batch is open; 0: not at "
            "all. A correction is a new revision, and the one before it stays."
        ),
    )

    names_annotators = forms.BooleanField(
        label=_("Name annotators on the page on agreement"),
        required=False,
        help_text=_(
            "And in its files. Otherwise these have the pseudonyms of the exports, such as "
            "rater-1. A lead sees names on other pages all the same."
        ),
    )
    search_address = forms.CharField(
        label=_("Claims are looked up at"),
        max_length=LONGEST_SEARCH,
        widget=forms.TextInput(
            {"inputmode": "url", "spellcheck": "false", "autocapitalize": "none"}
        ),
        help_text=_(
            "The address of a search, with {claim} where the claim stands in it. The search opens "
            "in a new tab, and is not told where it comes from."
        ),
    )

    class Meta:
        model = Project
        fields = (
            *("status", "wanted", "overlap_percent", "overlap_wanted", "order", "grouping"),
            *("view", "lease_minutes", "most_daily", "most_warned_daily", "correction_hours"),
            *("names_annotators", "search_address"),
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance.rubric.schema.checks_facts:
            del self.fields["search_address"]
        self.show_what_is()

    @property
    def groups(self) -> list[SettingsGroup]:
        def there(names: tuple[str, ...]) -> list[forms.BoundField]:
            return [self[name] for name in names if name in self.fields]

        return [
            SettingsGroup(code, title, there(usual), there(rare))
            for code, (title, usual, rare) in self.GROUPS.items()
        ]

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


class BatchForm(SaveChangedOnly):
    """The settings of a batch: when its turn comes, and who may work on it."""

    status = forms.ChoiceField(
        label=_("The batch is"),
        choices=Batch.Status.choices,
        help_text=_(
            "Paused, it hands out nothing. Closed, it hands out nothing and its ratings stand: "
            "nobody can correct them. What is being rated just now is taken all the same, and it "
            "can be opened again."
        ),
    )
    rank = forms.TypedChoiceField(
        label=_("Its turn comes"), choices=Batch.Rank.choices, coerce=int, widget=forms.RadioSelect
    )
    priority = forms.IntegerField(
        label=_("Priority"),
        min_value=-1_000,
        max_value=1_000,
        help_text=_("The greater the sooner, in a project that goes by priority."),
    )
    warning = forms.CharField(
        label=_("Warning before every item of it"),
        required=False,
        max_length=LONGEST_WARNING,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
        help_text=_(
            "Annotators read it before the texts are shown, and may skip. It holds for what is "
            "handed out from now on."
        ),
    )
    annotators = forms.ModelMultipleChoiceField(
        label=_("Who may work on it"),
        queryset=get_user_model().objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Nobody chosen means everybody."),
    )

    class Meta:
        model = Batch
        fields = ("status", "rank", "priority", "warning")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["annotators"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        members = self.instance.project.memberships.filter(role=Membership.Role.ANNOTATOR)
        assigned = list(self.instance.assignments.values_list("annotator", flat=True))
        # Show assigned annotators who have left the project, too. Without them the batch would
        # look as if everybody could work on it.
        field.queryset = (
            get_user_model()
            .objects.filter(Q(pk__in=members.values("user")) | Q(pk__in=assigned))
            .order_by("username")
        )
        field.initial = assigned
        self.show_what_is()

    def present(self) -> dict[str, Any]:
        """Return the values that the database has now, with the people assigned."""
        return {
            **super().present(),
            "annotators": [
                each.annotator for each in self.instance.assignments.select_related("annotator")
            ],
        }


class DecisionForm(forms.Form):
    """The lead's decision on an item that was skipped or flagged."""

    decision = forms.ChoiceField(
        error_messages={
            "required": _("Say what becomes of the item."),
            "invalid_choice": _("That cannot be decided of it. Choose another of these."),
        },
    )
    answer = forms.CharField(required=False, max_length=2_000)

    def __init__(self, concern: Concern, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["decision"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = concern.choices

    def clean_answer(self) -> str:
        answer: str = self.cleaned_data["answer"]
        if not answer and self.cleaned_data.get("decision") == Concern.Decision.ANSWERED:
            raise forms.ValidationError(
                _("Write the answer: it is all that the annotator gets by this.")
            )
        return answer
