"""Forms that start a project, and the templates from which one starts."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypedDict

from django import forms
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User
from rubrics.documents.shipped import GALLERY, SLUGS, shipped
from rubrics.judging import schema
from rubrics.models import Rubric
from rubrics.pages.outline import Outline, outline, scales_in_words
from tasks.lead_pages.forms import FormAmongOthers
from tasks.models import Project, TextView
from tasks.models.new_projects import start_project
from tasks.models.project_settings import MOST_WANTED


class TemplateSettings(TypedDict, total=False):
    """The settings of a project that a template sets."""

    view: TextView
    lease_minutes: int


# By the rubric's slug; all other settings are the usual ones. Long answers with Markdown and code
# are read rendered, and take their time. Replies in a chat are read as they were sent.
TEMPLATE_SETTINGS: Mapping[str, TemplateSettings] = {
    "response-quality": {"view": TextView.RENDERED, "lease_minutes": 45},
    "dialogue": {"view": TextView.TEXT, "lease_minutes": 30},
    "dices": {"view": TextView.TEXT},
    "fed-turns": {"view": TextView.TEXT},
    "lamda": {"view": TextView.TEXT},
    "wmt-direct-assessment": {"view": TextView.TEXT},
}
DOUBLE_CLICK = timedelta(seconds=10)  # the same form sent again makes no second project


@dataclass(frozen=True, slots=True)
class ProjectTemplate:
    """A rubric to start a project with, and its settings."""

    rubric: schema.Rubric  # of a stored one its scales alone
    stored: Rubric | None  # None until the first project loads it
    settings: TemplateSettings

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
        project = Project(**self.settings)
        view = project.get_view_display()
        if project.view == TextView.TEXT:
            view = gettext("as typed, without formatting")
        words = gettext("Texts are shown %(view)s. An item is reserved for %(minutes)s minutes.")
        return words % {"view": view, "minutes": project.lease_minutes}

    def load(self, *, by: User, now: datetime) -> Rubric:
        """Return the stored rubric; store a shipped one first."""
        if self.stored:
            return self.stored
        rubric, _is_new = Rubric.objects.load(self.rubric, by=by, now=now)
        return rubric


def project_templates() -> dict[str, ProjectTemplate]:
    """Return a template for each shipped rubric, loaded or not, and each other that is offered.

    The key is the primary key of a stored rubric, or the slug of a shipped one. The gallery comes
    last, after the others by title.
    """
    stored = {rubric.slug: rubric for rubric in Rubric.objects.newest_versions()}
    offered = {slug for slug, rubric in stored.items() if rubric.is_template}
    others = sorted(offered - {*SLUGS, *GALLERY}, key=lambda slug: stored[slug].title)
    templates = {}
    for slug in (*SLUGS, *others, *GALLERY):
        rubric = stored.get(slug)
        settings = TEMPLATE_SETTINGS.get(slug, {})
        if rubric is None:
            templates[slug] = ProjectTemplate(shipped(slug), None, settings)
        else:
            templates[str(rubric.pk)] = ProjectTemplate(rubric.sketch, rubric, settings)
    return templates


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
        same_title = Project.objects.filter(created_by=by, title=self.cleaned_data["title"])
        key = self.cleaned_data["form_key"]
        twin = same_title.exclude(form_key=key, created_at__gt=now - DOUBLE_CLICK).first()
        if twin:
            new_key = self.get_initial_for_field(self.fields["form_key"], "form_key")
            self.data = {**self.data, "form_key": new_key}
        return twin


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
        templates = project_templates()
        field = self.fields["rubric"]
        field.choices = templates  # type: ignore[attr-defined]
        field.coerce = templates.__getitem__  # type: ignore[attr-defined]
        field.initial = next(iter(templates))

    def make(self, *, by: User, now: datetime) -> Project:
        """Create the project of a valid form."""
        values = self.cleaned_data
        template: ProjectTemplate = values["rubric"]
        with transaction.atomic():
            return start_project(
                title=values["title"],
                rubric=template.load(by=by, now=now),
                wanted=values["wanted"],
                settings=template.settings,
                form_key=values["form_key"],
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
