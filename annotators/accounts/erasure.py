"""Erase a person: who they are goes, what they rated stays.

An admin does it when somebody asks for it. The account stays as an empty one with the name
`erased-17`, because ratings and decisions have an author. Everything that tells who that was is
deleted: name, address, log-ins, settings, roles, drafts, messages to them. `comments=True` also
deletes what they wrote beside their scores.
"""

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotators.models import Session, User
from tasks.models import (
    ApiToken,
    Concern,
    Draft,
    ImportedRater,
    Invitation,
    Lease,
    Membership,
    Notice,
    Placement,
    Project,
    Question,
    Rating,
    ScoreDecision,
    StoredExport,
)
from tasks.models.case_openings import CaseOpening
from tasks.models.progress import Assignment, GroupHold

# What is the person's alone, by the name of the column that refers to them.
DELETED = (
    (Session, "person"),
    (EmailAddress, "user"),
    (SocialAccount, "user"),
    (Notice, "user"),
    (Membership, "user"),
    (Draft, "annotator"),
    (Assignment, "annotator"),
    (GroupHold, "annotator"),
    (CaseOpening, "user"),
    (StoredExport, "lead"),
)
# Texts that people write beside their scores, by the lookup that leads to their author. A reason
# may not be empty, so it says that it is gone.
COMMENTS = (
    (Rating, "annotator", {"comment": ""}),
    (Placement, "rating__annotator", {"comment": ""}),
    (Concern, "annotator", {"note": ""}),
    (Question, "annotator", {"reply": ""}),
    (ScoreDecision, "decided_by", {"reason": "[removed]"}),
)


class LastLeadError(Exception):
    """The person is the last active lead of a project, which would have none."""

    def __init__(self, project: Project) -> None:
        super().__init__(str(project))
        self.project = project


def pseudonym_of(person: User) -> str:
    """Return the name that an account has once its person is erased."""
    return f"erased-{person.pk}"


def is_erased(person: User) -> bool:
    return person.username == pseudonym_of(person)


@transaction.atomic
def erase_person(person: User, *, comments: bool) -> None:
    """Erase a person. Raise LastLeadError, and change nothing, if a project would have no lead."""
    person = User.objects.select_for_update().get(pk=person.pk)
    now = timezone.now()
    pseudonym = pseudonym_of(person)
    for project in Project.objects.led_by_nobody_but(person):
        raise LastLeadError(project)
    Lease.objects.give_back(person, now=now, removed=True)
    for token in ApiToken.objects.filter(owner=person):
        token.withdraw(by=person, now=now)
    ApiToken.objects.filter(owner=person).update(name=pseudonym)
    invited = Q(accepted_by=person)
    if person.email:
        invited |= Q(email__iexact=person.email)
    Invitation.objects.filter(invited, withdrawn_at=None, used=0).withdraw(now=now)
    Invitation.objects.filter(invited).exclude(email="").update(
        email=f"{pseudonym}@erased.invalid", name="", fault=""
    )
    ImportedRater.objects.filter(account=person).update(name=pseudonym)
    # Files that were made have names in them.
    of_person = Membership.objects.filter(user=person).values("project")
    StoredExport.objects.filter(project__in=of_person).delete()
    for model, column in DELETED:
        model._base_manager.filter(**{column: person}).delete()
    LogEntry.objects.filter(content_type__model="user", object_id=str(person.pk)).delete()
    if comments:
        for model, lookup, values in COMMENTS:
            written = model._base_manager.filter(**{lookup: person})
            for name, value in values.items():
                written.exclude(**{name: ""}).update(**{name: value})
    _empty(person, pseudonym)


def _empty(person: User, pseudonym: str) -> None:
    """Take all that the account says of its person."""
    blank = User(username=pseudonym, date_joined=person.date_joined, is_active=False)
    blank.set_unusable_password()
    blank.pk = person.pk
    blank.save(force_update=True)
