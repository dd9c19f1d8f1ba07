"""Forms for the people of a project: their roles, and invitations."""

import csv
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.validators import validate_email
from django.db.models import Q, Value
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from config.web.people import User
from tasks.lead_pages.forms import FormAmongOthers
from tasks.models import Invitation, Project
from tasks.models.invitations import LONGEST_ADDRESS, MOST_JOINING
from tasks.models.roles import Role

LINK_DAYS = 14  # until a link runs out, unless its lead says otherwise
LONGEST_LINK = 365  # days
LONGEST_LIST = 50_000  # characters
LONGEST_NAME = 150
MOST_AT_ONCE = 100  # addresses
# A first line with one of these in the first cell names the columns of the list.
HEADS = frozenset({"address", "e-mail", "email", "mail"})
LONGEST_VALUE = 60  # characters of a bad value in an error


class RoleForm(forms.Form):
    """All that a person is in the project from now on."""

    NONE = "none"
    # Someone with two roles has both, joined by a plus sign. A lead settles without another role.
    CHOICES = [
        *Role.choices,
        (f"{Role.ANNOTATOR}+{Role.LEAD}", _("annotator and lead")),
        (f"{Role.ADJUDICATOR}+{Role.ANNOTATOR}", _("annotator and adjudicator")),
    ]

    role = forms.ChoiceField(choices=[*CHOICES, (NONE, "")])

    @property
    def roles(self) -> list[str]:
        chosen: str = self.cleaned_data["role"]
        return [] if chosen == self.NONE else chosen.split("+")


class RaterForm(forms.Form):
    """The member that an imported rater is; nobody, if it is empty."""

    account = forms.ModelChoiceField(get_user_model().objects.none(), required=False)

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Someone who has left the project may be a rater still.
        accounts = project.raters.values("account")
        is_or_was_member = Q(memberships__project=project) | Q(pk__in=accounts)
        people = get_user_model().objects.filter(is_or_was_member).distinct()
        self.people = people.order_by("username")
        self.fields["account"].queryset = self.people  # type: ignore[attr-defined]


class MemberForm(FormAmongOthers):
    """A person with an account, and their new role in the project."""

    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)

    def clean_name(self) -> User:
        name = self.cleaned_data["name"]
        # By the database's rules for names. Those of `iexact` let two names be one ("ılk", "ilk").
        people = get_user_model().objects.alias(folded=Lower("username"))
        person = people.filter(folded=Lower(Value(name))).first()
        if person is None:
            raise forms.ValidationError(
                _("There is no account named “%(name)s”."), params={"name": name}
            )
        return person


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
        self.link = link
        self.initial["until"] = timezone.localdate() + timedelta(days=LINK_DAYS)
        if link:
            last_second = link.expires_at - timedelta(seconds=1)
            until = timezone.localtime(last_second).date()
            self.initial = {"most": link.most, "until": until}

    def clean_most(self) -> int:
        most: int = self.cleaned_data["most"]
        if self.link and most < self.link.used:
            raise forms.ValidationError(
                _("%(used)d have joined already: enter that number or more."),
                params={"used": self.link.used},
            )
        return most

    def clean_until(self) -> datetime:
        """Return the end of the day, in the lead's time zone."""
        day = self.cleaned_data["until"]
        today = timezone.localdate()
        if not today <= day <= today + timedelta(days=LONGEST_LINK):
            raise forms.ValidationError(_("Choose a day from today on, within a year."))
        next_day = day + timedelta(days=1)
        return datetime.combine(next_day, time(), timezone.get_current_timezone())


class InviteForm(FormAmongOthers):
    """One person's address, and their role."""

    email = forms.EmailField(
        label=_("Address"),
        max_length=LONGEST_ADDRESS,
        widget=forms.EmailInput({"placeholder": _("name@example.org")}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


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
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)

    def clean_people(self) -> list[tuple[str, str]]:
        return read_addresses(self.cleaned_data["people"])


def read_addresses(text: str) -> list[tuple[str, str]]:
    """Return pairs of address and name.

    Raise ValidationError for a list that is not good, with each fault's line and what to do.
    """
    invitees: list[tuple[str, str]] = []
    line_faults: list[str] = []
    line_by_address: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        cells = _cells(line)
        if not any(cells) or (not invitees and not line_faults and cells[0].lower() in HEADS):
            continue
        address = cells[0]
        name = cells[1] if len(cells) > 1 else ""
        earlier = line_by_address.setdefault(address.lower(), number)
        fault = _fault(cells, name)
        if not fault and earlier != number:
            message = gettext("%(address)s is already in line %(line)d: remove one of them.")
            fault = message % {"address": _cut(address), "line": earlier}
        if fault:
            line_faults.append(
                gettext("Line %(line)d: %(fault)s") % {"line": number, "fault": fault}
            )
        else:
            invitees.append((address, name))
    if not invitees and not line_faults:
        line_faults.append(gettext("The list is empty: write one address on each line."))
    if len(invitees) > MOST_AT_ONCE:
        message = ngettext(
            "The list has more than %d address: send it in parts.",
            "The list has more than %d addresses: send it in parts.",
            MOST_AT_ONCE,
        )
        line_faults.append(message % MOST_AT_ONCE)
    if line_faults:
        raise forms.ValidationError(line_faults)
    return invitees


def _cells(line: str) -> list[str]:
    """Return the values of a line, between commas, semicolons or tabs."""
    delimiter = ","
    if "," not in line:
        delimiter = "\t" if "\t" in line else ";"
    row = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    cells = [cell.strip() for cell in row]
    while len(cells) > 1 and not cells[-1]:
        cells.pop()
    return cells or [""]


def _fault(line_cells: list[str], name: str) -> str:
    """Return what is wrong with a line by itself, or ""."""
    if not _is_address(line_cells[0]):
        message = gettext("“%(value)s” is no e-mail address: correct it, or take the line out.")
        if any(cell.lower() in HEADS or _is_address(cell) for cell in line_cells[1:]):
            message = gettext(
                "“%(value)s” is no e-mail address: put the address first, then the name."
            )
        return message % {"value": _cut(line_cells[0])}
    if len(line_cells) > 2:
        return gettext("it has more than an address and a name: put a name with a comma in quotes.")
    if len(name) > LONGEST_NAME or not name.isprintable():
        return gettext("the name is too long or has signs that can’t be shown: shorten it.")
    return ""


def _is_address(value: str) -> bool:
    try:
        validate_email(value)
    except forms.ValidationError:
        return False
    return len(value) <= LONGEST_ADDRESS


def _cut(value: str) -> str:
    return value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}…"
