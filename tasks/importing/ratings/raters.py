"""The raters that a file names: members of the project, or people of whom a name is stored."""

from collections.abc import Iterable
from itertools import count

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from config.web.people import User
from tasks.models import ImportedRater, Project

from ..batches.staging import UploadRefused


def rater_keys(project: Project, names: Iterable[str], *, slots: bool) -> dict[str, int]:
    """Return the rater of each name; make those who are missing. Addresses are not stored.

    `slots`: they are no persons, so none is a member. Raises UploadRefused if a name is a slot in
    one file and a person in another.
    """
    members = {} if slots else _members(project)
    raters = {rater.name: rater for rater in project.raters.all()}
    accounts = {rater.account_id for rater in raters.values()}
    keys = {}
    for name in names:
        member = members.get(name.lower())
        stored = name
        if "@" in name:
            stored = member.get_username() if member else _unused_name(raters)
        if stored not in raters:
            account = None if member is None or member.pk in accounts else member
            raters[stored] = ImportedRater.objects.create(
                project=project, name=stored, account=account, is_slot=slots
            )
            accounts.add(raters[stored].account_id)
        if raters[stored].is_slot is not slots:
            raise UploadRefused(
                _(
                    "“%(name)s” is a slot of raters in one file and a person in another. Give it "
                    "another name in this file."
                ),
                name=stored,
            )
        keys[name] = raters[stored].pk
    return keys


def _members(project: Project) -> dict[str, User]:
    """Return the members of a project by their names and confirmed addresses in small letters."""
    users = get_user_model().objects.filter(memberships__project=project).distinct()
    members = {user.get_username().lower(): user for user in users}
    for address in EmailAddress.objects.filter(verified=True, user__in=users):
        members[address.email.lower()] = address.user
    return members


def _unused_name(names: Iterable[str]) -> str:
    names = set(names)
    for number in count(len(names) + 1):
        if f"imported-{number}" not in names:
            break
    return f"imported-{number}"
