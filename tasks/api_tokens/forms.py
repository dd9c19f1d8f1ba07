"""The form of a new token."""

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy as _

from config.web.people import User
from tasks.lead_pages.forms import FormAmongOthers, Segmented
from tasks.models import ApiToken, Project
from tasks.models.api_tokens import PERIODS

READ, WRITE = "read", "write"
EVERY = ""  # in place of a project: all that one leads


class TokenForm(FormAmongOthers):
    """The name, rights, project and end of a new token."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("What it is for, such as nightly-export."),
        max_length=60,
    )
    may = forms.ChoiceField(
        label=_("It may"),
        help_text=_(
            "Read: items, ratings, agreement, exports. Write: add items, import ratings, decide. "
            "Never people or roles."
        ),
        choices={READ: _("read"), WRITE: _("read and write")},
        initial=READ,
        widget=Segmented,
    )
    project = forms.ChoiceField(label=_("Project"), required=False)
    names_people = forms.BooleanField(
        label=_("Names of people"),
        help_text=_("Otherwise rater-1 and so on, as in exports with pseudonyms."),
        required=False,
    )
    names_models = forms.BooleanField(
        label=_("Names of models"),
        help_text=_("Otherwise Model 1 and so on, as on your pages."),
        required=False,
    )
    days = forms.TypedChoiceField(
        label=_("Expires"),
        help_text=_("An e-mail comes a week before. There is no token without an end."),
        choices=PERIODS,
        coerce=int,
        initial=90,
        widget=Segmented,
    )

    def __init__(self, owner: User, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner
        self.led = {row.slug: row for row in Project.objects.led_by(owner).order_by("title", "pk")}
        offered = [(slug, row.title) for slug, row in self.led.items()]
        offered.append((EVERY, gettext("all that you lead")))
        self.fields["project"].choices = offered  # type: ignore[attr-defined]  # a ChoiceField
        self.fields["project"].initial = project.slug

    def clean_name(self) -> str:
        """Refuse the name of another token that was not withdrawn."""
        name: str = self.cleaned_data["name"]
        if ApiToken.objects.of(self.owner).filter(name__iexact=name, withdrawn_at=None).exists():
            message = _("You have a token of this name: withdraw it first, or choose another name.")
            raise forms.ValidationError(message)
        return name

    @property
    def chosen_project(self) -> Project | None:
        """The project of a valid form, or None for all."""
        return self.led.get(self.cleaned_data["project"])
