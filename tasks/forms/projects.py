"""Forms that start a project and set it up, its batches, and decisions on concerns."""

import secrets
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User
from rubrics import schema
from rubrics.models import Rubric
from rubrics.outline import Outline, outline, scales_in_words
from rubrics.practice import LEAST, MOST, examples_of
from rubrics.shipped import GALLERY, SLUGS, shipped
from tasks.fact_checks import SEARCH, is_search
from tasks.models import Batch, Concern, Membership, Project, TextView
from tasks.models.items import LONGEST_WARNING
from tasks.models.projects import LEAST_LEASE, MOST_WANTED

from . import FormAmongOthers, Segmented

# By the rubric's slug; all other settings are the usual ones. Long answers with Markdown and code
# are read rendered, and take their time. Replies in a chat are read as they were sent.
TEMPLATE_SETTINGS: dict[str, dict[str, object]] = {
    "response-quality": {"view": TextView.RENDERED, "lease_minutes": 45},
    "dialogue": {"view": TextView.TEXT, "lease_minutes": 30},
    "dices": {"view": TextView.TEXT},
    "fed-turns": {"view": TextView.TEXT},
    "lamda": {"view": TextView.TEXT},
    "wmt-direct-assessment": {"view": TextView.TEXT},
}

MOST_DAILY = 10_000  # items
DOUBLE_CLICK = timedelta(seconds=10)  # the same form sent again makes no second project
# What a lead may enter, by the name of the setting.
LIMITS: dict[str, dict[str, Any]] = {
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


@dataclass(frozen=True, slots=True)
class ProjectTemplate:
    """A rubric to start a project with, and its settings."""

    rubric: schema.Rubric  # of a stored one its scales alone
    stored: Rubric | None  # None until the first project loads it
    settings: dict[str, object]

    def __str__(self) -> str:
        return str(self.stored or self.rubric.title)

    @property
    def is_of_gallery(self) -> bool:
        return self.rubric.slug in GALLERY

    @property
    def has(self) -> Collection[str]:
        """Names of what it has (`schema.Rubric.has`)."""
        return self.stored.has if self.stored else self.rubric.has

    @property
    def outline(self) -> Outline:
        return outline(self.rubric)

    @property
    def scales(self) -> str:
        return scales_in_words(self.rubric.dimensions)

    @property
    def settings_in_words(self) -> str:
        usual = Project(**self.settings)
        return gettext("Texts are shown %(view)s. An item is reserved for %(minutes)s minutes.") % {
            "view": gettext("as typed, without formatting")
            if usual.view == TextView.TEXT
            else usual.get_view_display(),
            "minutes": usual.lease_minutes,
        }

    def load(self, *, by: User, now: datetime) -> Rubric:
        """Return the stored rubric; store a shipped one first."""
        return self.stored or Rubric.objects.load(self.rubric, by=by, now=now)[0]


def project_templates() -> dict[str, ProjectTemplate]:
    """Return a template for each shipped rubric, loaded or not, and each other that is offered.

    The key is the primary key of a stored rubric, or the slug of a shipped one. The gallery comes
    last, after the others by title.
    """
    stored = {rubric.slug: rubric for rubric in Rubric.objects.newest_of_each()}
    offered = {slug for slug, rubric in stored.items() if rubric.is_template}
    others = sorted(offered - {*SLUGS, *GALLERY}, key=lambda slug: stored[slug].title)
    found = {}
    for slug in (*SLUGS, *others, *GALLERY):
        rubric = stored.get(slug)
        written = rubric.sketch if rubric else shipped(slug)
        found[str(rubric.pk) if rubric else slug] = ProjectTemplate(
            written, rubric, TEMPLATE_SETTINGS.get(slug, {})
        )
    return found


class FormOfOneProject(forms.Form):
    """Base class of a form that makes one project, however often it is sent."""

    form_key = forms.CharField(
        required=False,
        max_length=32,
        initial=lambda: secrets.token_hex(16),
        widget=forms.HiddenInput,
    )

    def twin(self, *, by: User, now: datetime) -> Project | None:
        """Return the person's earlier project of this title, unless a double click made it.

        If there is one, the form gets a new key, so that it can make another.
        """
        clicked = {"form_key": self.cleaned_data["form_key"], "created_at__gt": now - DOUBLE_CLICK}
        made = Project.objects.filter(created_by=by, title=self.cleaned_data["title"])
        if found := made.exclude(**clicked).first():
            key = self.get_initial_for_field(self.fields["form_key"], "form_key")
            self.data = {**self.data, "form_key": key}
        return found


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
        there = project_templates()
        field = self.fields["rubric"]
        field.choices, field.coerce = there, there.__getitem__  # type: ignore[attr-defined]
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

    title = forms.CharField(
        label=_("Title of the new project"),
        max_length=200,
        widget=forms.TextInput({"id": "title-of-duplicate"}),  # the settings have a title too
    )


class StatusForm(forms.Form):
    """Choice of a project's status: open, paused, closed or archived."""

    ARCHIVED = "archived"
    status = forms.ChoiceField(choices=[*Project.Status.choices, (ARCHIVED, _("archived"))])


def within_limits(field: "models.Field[Any, Any]", **options: Any) -> forms.Field | None:
    """Return the form's field for a setting, with its limits."""
    return field.formfield(**options, **LIMITS.get(field.name, {}))


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

    # Code → title, the group's purpose, what happens at "Save", usual fields, rare fields, and the
    # title of their fold. A field that the project does not have is left out.
    GROUPS = {
        "project": (
            _("Project"),
            _("What annotators see of it before they rate."),
            _("A changed introduction is shown to each annotator before their next item."),
            ("title", "introduction"),
            (),
            "",
        ),
        "ratings": (
            _("Ratings"),
            _("No rating is lost: if you ask for fewer, items keep the ratings they have."),
            _("Items that have as many ratings are finished at once."),
            ("wanted",),
            ("overlap_percent", "overlap_wanted"),
            _("Another number for a random part"),
        ),
        "practice": (
            _("Practice"),
            _("Newcomers rate examples of the rubric, and see after each what is right."),
            _("At once. Who has rated here goes on."),
            ("practice", "practice_examples"),
            ("practice_near", "practice_tries"),
            _("When a round is passed"),
        ),
        "turns": (
            _("Who gets what"),
            _("Which item comes next, and how many a day."),
            _("From the next item on. Reserved items stay reserved."),
            ("order", "most_daily"),
            ("grouping", "most_warned_daily"),
            _("Groups and warnings"),
        ),
        "desk": (
            _("At the desk"),
            _("Annotators can switch the view. The view in use is stored with the rating."),
            _("From the next item on."),
            ("view", "consequences", "search_address"),
            ("lease_minutes",),
            _("How long an item is reserved"),
        ),
        "corrections": (
            _("Corrections"),
            _("A correction is a new revision, and the earlier one is kept."),
            _("At once, for earlier ratings too."),
            ("correction_hours",),
            (),
            "",
        ),
        "imported": (
            _("Ratings from files"),
            _("They can be shown beside your own, or count with them."),
            _("Figures follow within a minute or two."),
            ("imported",),
            (),
            "",
        ),
        "names": (
            _("Agreement"),
            _("Whom its page and its files name, and what annotators see of it."),
            _("At once."),
            ("names_annotators", "shows_own_agreement"),
            (),
            "",
        ),
        "status": (
            _("Pause or close"),
            _("Nothing is deleted here. People may finish the item they have open."),
            _("At once."),
            ("status",),
            (),
            "",
        ),
    }

    class Meta:
        model = Project
        fields = (
            *(
                "title",
                "introduction",
                "status",
                "wanted",
                "overlap_percent",
                "overlap_wanted",
                "order",
                "grouping",
            ),
            *("view", "lease_minutes", "most_daily", "most_warned_daily", "correction_hours"),
            *("imported", "names_annotators", "shows_own_agreement", "search_address"),
            *("practice", "practice_examples", "practice_near", "practice_tries", "consequences"),
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
            "search_address": _(
                "The address of a search, with {claim} in place of the claim. The search opens in "
                "a new tab and does not learn where it was opened."
            ),
        }
        widgets = {
            **dict.fromkeys(("order", "view", "practice", "consequences"), Segmented),
            **dict.fromkeys(("grouping", "imported"), forms.RadioSelect),
            "introduction": forms.Textarea({"rows": 4, "dir": "auto"}),
            "search_address": forms.TextInput(
                {"inputmode": "url", "spellcheck": "false", "autocapitalize": "none"}
            ),
        }

    def __init__(self, *args: Any, group: str = "", **kwargs: Any) -> None:
        """`group`: the one that is shown and saved; all of them without one."""
        super().__init__(*args, **kwargs)
        self.group = group if group in self.GROUPS else ""
        made_of_them = Project.Imported.PLACES
        if len(examples_of(self.instance.rubric.schema)) < LEAST:
            self.fields["practice"].help_text = _(
                "The rubric has fewer than four examples that can be used: nobody practises."
            )
        if not self.instance.rubric.schema.checks_facts:
            del self.fields["search_address"]
        if self.instance.has_imported and self.instance.imported != made_of_them:
            self.fields["imported"].choices = [  # type: ignore[attr-defined]
                each for each in Project.Imported.choices if each[0] != made_of_them
            ]
        else:
            del self.fields["imported"]
        if self.group:
            _title, _why, _after, usual, rare, *_fold = self.GROUPS[self.group]
            for name in {*self.fields}.difference(usual, rare):
                del self.fields[name]

    @property
    def groups(self) -> Iterator[dict[str, Any]]:
        """The groups of this form, each with its words, and its usual and rare settings.

        The rare ones are folded unless one of them is wrong.
        """
        for code, (title, why, after, *names, fold) in self.GROUPS.items():
            usual, rare = ([self[name] for name in part if name in self.fields] for part in names)
            if usual:
                yield {
                    "code": code,
                    "title": title,
                    "why": why,
                    "after": after,
                    "usual": usual,
                    "rare": rare,
                    "fold": fold,
                    "is_wrong": any(field.errors for field in rare),
                }

    def changes(self) -> dict[str, Any]:
        """Return what the sender changed, by field, and since when the introduction is there."""
        changed = super().changes()
        if "introduction" in changed:
            changed["introduced_at"] = timezone.now() if changed["introduction"] else None
        return changed

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

    annotators = forms.ModelMultipleChoiceField(
        label=_("Who may work on it"),
        queryset=get_user_model().objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("If you choose nobody, everybody may work on it."),
    )

    class Meta:
        model = Batch
        fields = ("status", "rank", "priority", "warning")
        formfield_callback = within_limits
        labels = {"status": _("Status of the batch")}
        help_texts = {
            "status": _(
                "A paused or closed batch hands out no items. Ratings in progress are still "
                "accepted. In a closed batch nobody can correct ratings. You can open it again."
            ),
            "priority": _("Higher comes first, if the project orders items by priority."),
            "warning": _(
                "Annotators read it before they see the texts, and may skip the item. It applies "
                "to items handed out from now on."
            ),
        }
        widgets = {
            "rank": forms.RadioSelect,
            "warning": forms.Textarea({"rows": 2, "dir": "auto"}),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        members = self.instance.project.memberships.filter(role=Membership.Role.ANNOTATOR)
        assigned = list(self.instance.assignments.values_list("annotator", flat=True))
        # Show assigned annotators who have left the project, too. Without them the batch would
        # look as if everybody could work on it.
        self.fields["annotators"].queryset = (  # type: ignore[attr-defined]
            get_user_model()
            .objects.filter(models.Q(pk__in=members.values("user")) | models.Q(pk__in=assigned))
            .order_by("username")
        )
        self.fields["annotators"].initial = assigned


class DecisionForm(forms.Form):
    """The lead's decision on an item that was skipped or flagged."""

    decision = forms.ChoiceField(
        error_messages={
            "required": _("Say what becomes of the item."),
            "invalid_choice": _("This decision is not possible here. Choose another one."),
        },
    )
    answer = forms.CharField(required=False, max_length=2_000)

    def __init__(self, concern: Concern, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["decision"].choices = concern.choices  # type: ignore[attr-defined]

    def clean_answer(self) -> str:
        answer: str = self.cleaned_data["answer"]
        if not answer and self.cleaned_data.get("decision") == Concern.Decision.ANSWERED:
            raise forms.ValidationError(_("Write an answer. The annotator sees only this."))
        return answer
