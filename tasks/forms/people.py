"""Forms for the people of a project: their roles, and invitations."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.web.people import User
from tasks.address_list import read_addresses
from tasks.models import Invitation, Membership
from tasks.models.invitations import LONGEST_ADDRESS, MOST_JOINING

from . import FormAmongOthers

LINK_DAYS = 14  # until a link runs out, unless its lead says otherwise
LONGEST_LINK = 365  # days
LONGEST_LIST = 50_000  # characters


class RoleForm(forms.Form):
    """All that a person is in the project from now on."""

    BOTH, NONE = "both", "none"
    ROLES = {
        "annotator": (Membership.Role.ANNOTATOR,),
        "lead": (Membership.Role.LEAD,),
        BOTH: (Membership.Role.ANNOTATOR, Membership.Role.LEAD),
        NONE: (),
    }
    CHOICES = [*Membership.Role.choices, (BOTH, _("annotator and lead"))]

    role = forms.ChoiceField(choices=[*CHOICES, (NONE, "")])

    @property
    def roles(self) -> tuple[Membership.Role, ...]:
        return self.ROLES[self.cleaned_data["role"]]


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


class LinkForm(FormAmongOthers):
    """How many may join by the project's link, and until which day."""

    most = forms.IntegerField(
        label=_("People, at most"), min_value=1, max_value=MOST_JOINING, initial=10
    )
    until = forms.DateField(
        label=_("Until the end of"), widget=forms.DateInput({"type": "date"}, "%Y-%m-%d")
    )

    def __init__(self, link: Invitation | None, data: Any = None) -> None:
        """`link`: the project's link as it is."""
        super().__init__(data, auto_id="link_%s")
        self.used = 0
        self.initial["until"] = timezone.localdate() + timedelta(days=LINK_DAYS)
        if link:
            self.used = link.used
            until = timezone.localtime(link.expires_at - timedelta(seconds=1)).date()
            self.initial = {"most": link.most, "until": until}

    def clean_most(self) -> int:
        most: int = self.cleaned_data["most"]
        if most < self.used:
            raise forms.ValidationError(
                _("%(used)d have joined already: enter that number or more."),
                params={"used": self.used},
            )
        return most

    def clean_until(self) -> datetime:
        """Return the end of the day, in the lead's time zone."""
        day, today = self.cleaned_data["until"], timezone.localdate()
        if not today <= day <= today + timedelta(days=LONGEST_LINK):
            raise forms.ValidationError(_("Choose a day from today on, within a year."))
        end = datetime.combine(day + timedelta(days=1), time(), timezone.get_current_timezone())
        return end.astimezone(UTC)


class InviteForm(FormAmongOthers):
    """One person's address, and their role."""

    email = forms.EmailField(
        label=_("Address"),
        max_length=LONGEST_ADDRESS,
        widget=forms.EmailInput({"placeholder": _("name@example.org")}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)


class InviteManyForm(FormAmongOthers):
    """A list of addresses. It is taken as a whole or not at all."""

    people = forms.CharField(
        label=_("One address a line, or CSV: address, name"),
        max_length=LONGEST_LIST,
        widget=forms.Textarea(
            {
                "rows": 3,
                "dir": "auto",
                "spellcheck": "false",
                "placeholder": _("gil@example.org\nhana@example.org, Hana"),
            }
        ),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)

    def clean_people(self) -> list[tuple[str, str]]:
        return read_addresses(self.cleaned_data["people"])
