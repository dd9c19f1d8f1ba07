"""Invitations to a project: a link for several people, or an e-mail for one."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Self, TypedDict

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.signing import BadSignature, Signer
from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy as _

from config.web.people import User

from .memberships import Membership
from .notices import Notice
from .projects import Project

MOST_JOINING = 1_000  # people by one link
KEPT_FOR = timedelta(days=7)  # from the last e-mail on
SOON = timedelta(days=2)  # what ends earlier needs the lead
# A second press of the button comes within this time.
EMAIL_INTERVAL = timedelta(minutes=1)
LONGEST_FAULT = 300  # characters
LONGEST_ADDRESS = 254

# Nobody can guess a signature, and the table holds no secret. An e-mail has a link of its own, seen
# by nobody before its reader: whoever comes by it proves that the address is theirs. The salt
# keeps its old name, for the links of e-mails that were sent.
LINK_SALT = "tasks.models.invitations"
EMAIL_SALT = "tasks.models.invitations.letter"


def _signer(salt: str) -> Signer:
    return Signer(salt=salt, sep=".")


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def by_token(self, token: str) -> "Invitation | None":
        """Return the invitation of a link's last part, or None if it is not one of ours."""
        for salt in (EMAIL_SALT, LINK_SALT):
            with suppress(BadSignature, ValueError):
                key = int(_signer(salt).unsign(token))
                match = self.select_related("project__rubric", "made_by").filter(pk=key).first()
                if match is not None and salt == EMAIL_SALT:
                    match.proven_address = match.email
                return match
        return None

    def links(self) -> Self:
        """Return the links for several people."""
        return self.filter(email="")

    def current_link(self) -> "Invitation | None":
        """Return the link of one project that is not withdrawn, if any."""
        return self.links().filter(withdrawn_at=None).first()

    def emails(self) -> Self:
        """Return the invitations by e-mail."""
        return self.exclude(email="")

    def usable_at(self, now: datetime) -> Self:
        """Return those by which somebody can join."""
        return self.filter(withdrawn_at=None, expires_at__gt=now, used__lt=F("most"))

    def ending(self, now: datetime) -> Self:
        """Return open ones that run out within two days."""
        return self.usable_at(now).filter(expires_at__lte=now + SOON).order_by("expires_at", "pk")

    def withdraw(self, *, now: datetime) -> int:
        """End for good those not accepted or withdrawn before. Return how many."""
        is_pending = Q(email="") | Q(used=0)
        return self.filter(is_pending, withdrawn_at=None).update(withdrawn_at=now)

    def not_delivered(self, now: datetime) -> Self:
        """Return open ones whose last e-mail did not leave."""
        return self.usable_at(now).filter(wanted_at=None).exclude(fault="").order_by("pk")

    def to_send(self, now: datetime) -> Self:
        """Return those whose e-mail is to be sent, in the order in which it was asked for."""
        wanted = self.filter(wanted_at__lte=now, withdrawn_at=None, used=0)
        return wanted.order_by("wanted_at", "pk")

    def invite(
        self,
        project: Project,
        invitees: Sequence[tuple[str, str]],
        *,
        role: str,
        by: User,
        now: datetime,
    ) -> list["Invitation"]:
        """Store an invitation for each address and name; return those whose e-mail is to be sent.

        An address that has an invitation already gets no second one. The one it has is sent again
        if it ran out or never left, and offers the role of now. An account with the address is told
        in its inbox, too. The worker sends the e-mails (`tasks.people.emails`).
        """
        with transaction.atomic():
            _take_turns(project)
            just_now = Q(sent_at__gt=now - EMAIL_INTERVAL)  # though it is withdrawn by now
            is_pending = Q(withdrawn_at=None, used=0)
            pending = self.filter(is_pending | just_now, project=project).emails()
            earlier = {row.email.lower(): row for row in pending.order_by("made_at", "pk")}
            wish = _email_wish(now)
            new: list[Invitation] = []
            again: list[Invitation] = []
            for email, name in invitees:
                invitation = earlier.get(email.lower())
                if invitation is None:
                    new.append(
                        self.create(
                            project=project,
                            role=role,
                            email=email,
                            name=name,
                            made_by=by,
                            made_at=now,
                            **wish,
                        )
                    )
                elif invitation.state(now) in Invitation.SENT_ANEW:
                    again.append(invitation)
            pending.filter(pk__in=[row.pk for row in again]).update(role=role, **wish)
            to_send = [*new, *again]
            _tell_those_with_an_account(to_send, now)
            return to_send

    def offer_link(
        self, project: Project, *, most: int, expires_at: datetime, by: User, now: datetime
    ) -> "Invitation":
        """Store the limits of the project's link. Make a link if there is none."""
        with transaction.atomic():
            _take_turns(project)
            link = self.filter(project=project).select_for_update().current_link()
            if link is None:
                role = Membership.Role.ANNOTATOR
                link = Invitation(project=project, role=role, made_by=by, made_at=now)
            # Somebody may have joined since the lead looked.
            link.most = max(most, link.used)
            link.expires_at = expires_at
            link.save()
            return link


class EmailWish(TypedDict):
    """The fields of an invitation that say that an e-mail is wanted."""

    wanted_at: datetime
    language: str
    expires_at: datetime


def _email_wish(now: datetime) -> EmailWish:
    """Return the wish for an e-mail, in the language in use."""
    return {"wanted_at": now, "language": get_language() or "", "expires_at": now + KEPT_FOR}


def _take_turns(project: Project) -> None:
    """Let one transaction at a time invite to a project. An upload holds up none of them."""
    leads = project.memberships.filter(role=Membership.Role.LEAD).order_by("pk")
    list(leads.select_for_update(no_key=True))


def _tell_those_with_an_account(invitations: Sequence["Invitation"], now: datetime) -> None:
    by_address = {invitation.email.lower(): invitation for invitation in invitations}
    users = get_user_model().objects.annotate(address=Lower("email"))
    notices = []
    for user in users.filter(address__in=by_address, is_active=True):
        invitation = by_address[user.address]
        notice = Notice(
            user=user,
            project_id=invitation.project_id,
            kind=Notice.Kind.INVITATION,
            invitation=invitation,
            created_at=now,
        )
        notices.append(notice)
    Notice.objects.tell(*notices)


class Invitation(models.Model):
    """An offer of a role in a project: by e-mail to one person, or by a link to several."""

    class State(models.TextChoices):
        """States that the fields and the clock tell. None is stored."""

        TO_SEND = "to send", _("to be sent")
        NOT_SENT = "not sent", _("not delivered")
        SENT = "sent", _("sent")
        OPENED = "opened", _("opened, not accepted")
        ACCEPTED = "accepted", _("accepted")  # and of a link: as many joined as may
        ENDED = "ended", _("run out")
        WITHDRAWN = "withdrawn", _("withdrawn")

    # The e-mail is of no use in such a state: whoever is invited once more gets it anew.
    SENT_ANEW = frozenset({State.NOT_SENT, State.ENDED})

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="invitations")
    role = models.CharField(max_length=12, choices=Membership.Role)
    email = models.EmailField(max_length=LONGEST_ADDRESS, blank=True)  # "": a link
    name = models.CharField(max_length=150, blank=True)
    most = models.PositiveSmallIntegerField(default=1)  # people
    used = models.PositiveSmallIntegerField(default=0)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField()
    # Since when its e-mail is to be sent, and in which language. A time to come puts it off.
    wanted_at = models.DateTimeField(null=True, blank=True)
    language = models.CharField(max_length=8, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)  # the last e-mail
    fault = models.CharField(max_length=LONGEST_FAULT, blank=True)  # why it did not leave
    expires_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    # Who accepted an e-mail. A link does not record who joined by it.
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ("-made_at", "-pk")
        constraints = (
            models.CheckConstraint(
                condition=Q(most__gte=1, used__lte=F("most")),
                name="an_invitation_serves_no_more_than_it_may",
            ),
            models.CheckConstraint(
                condition=Q(email="") | Q(most=1), name="a_letter_invites_one_person"
            ),
            models.UniqueConstraint(
                fields=("project",),
                condition=Q(email="", withdrawn_at=None),
                name="a_project_has_one_link",
            ),
            models.UniqueConstraint(
                "project",
                Lower("email"),
                condition=~Q(email="") & Q(withdrawn_at=None, used=0),
                name="an_address_is_invited_once_at_a_time",
            ),
        )

    # Its e-mail address, if this was loaded by the link of the e-mail.
    proven_address = ""

    @property
    def path(self) -> str:
        """The address of its page on this site, to be shown to its lead and in an inbox."""
        return reverse("annotators:join", args=[self.token])

    @property
    def email_path(self) -> str:
        """The address of its page for the e-mail, and for nobody else."""
        return reverse("annotators:join", args=[_signer(EMAIL_SALT).sign(str(self.pk))])

    @property
    def token(self) -> str:
        """The last part of the link. Whoever has it can join."""
        return _signer(LINK_SALT).sign(str(self.pk))

    def state(self, now: datetime) -> State:
        """Return what became of it up to now."""
        if self.used >= self.most:
            return self.State.ACCEPTED
        if self.withdrawn_at:
            return self.State.WITHDRAWN
        if self.expires_at <= now:
            return self.State.ENDED
        if self.wanted_at:
            return self.State.TO_SEND
        if self.fault:
            return self.State.NOT_SENT
        return self.State.OPENED if self.opened_at else self.State.SENT

    def is_usable(self, now: datetime) -> bool:
        """Return True if somebody can join by it."""
        over = (self.State.ACCEPTED, self.State.WITHDRAWN, self.State.ENDED)
        return self.state(now) not in over

    def is_valid(self, now: datetime) -> bool:
        """Return True if it is open, and who made it still leads the project, which is in use."""
        in_use = Project.objects.led_by(self.made_by).filter(pk=self.project_id, archived_at=None)
        return self.is_usable(now) and self.made_by.is_active and in_use.exists()

    def ends_soon(self, now: datetime) -> bool:
        """Return True if it is open, and runs out within two days."""
        return self.is_usable(now) and self.expires_at <= now + SOON

    def ask_email(self, *, now: datetime) -> bool:
        """Have its e-mail sent again. Return False if one left a moment ago, or it is over."""
        just_sent = Q(sent_at__gt=now - EMAIL_INTERVAL, fault="")
        pending = Invitation.objects.emails().filter(pk=self.pk, used=0, withdrawn_at=None)
        return bool(pending.exclude(just_sent).update(**_email_wish(now)))

    def note_email(self, *, fault: str, now: datetime) -> None:
        """Store that an e-mail left, or why it did not."""
        self.sent_at = now
        self.wanted_at = None
        self.fault = fault[:LONGEST_FAULT]
        self.save(update_fields=["sent_at", "wanted_at", "fault", "expires_at"])

    def note_first_visit(self, *, now: datetime) -> None:
        """Store when its page was first opened."""
        Invitation.objects.filter(pk=self.pk, opened_at=None).update(opened_at=now)

    def withdraw(self, *, now: datetime) -> bool:
        """End it for good. Return False if it was accepted or withdrawn before."""
        return bool(Invitation.objects.filter(pk=self.pk).withdraw(now=now))

    @property
    def offers_rating(self) -> bool:
        return self.role == Membership.Role.ANNOTATOR

    def is_for(self, user: object) -> bool:
        """Return False for an e-mail that offers more than to rate, to another address's account.

        Without an account, the link of the e-mail proves the address.
        """
        address: str = getattr(user, "email", self.proven_address)
        return self.offers_rating or self.email.lower() == address.lower()

    def accept(self, *, by: User, now: datetime) -> bool:
        """Give a user the role. Return False if the invitation is over, or not for them.

        Somebody who has the role already takes no place of a link.
        """
        with transaction.atomic():
            # Locked, then looked at again: others may accept it, or its lead withdraw it, now.
            current = Invitation.objects.select_for_update().get(pk=self.pk)
            if not current.is_valid(now) or not current.is_for(by):
                return False
            if self.project.admit(by, role=current.role, by=by) or self.email:
                current.used += 1
                current.accepted_by = by if self.email else None
                current.save(update_fields=["used", "accepted_by"])
                Notice.objects.tell_leads(
                    self.project_id,
                    Notice.Kind.JOINED,
                    words=by.get_username(),
                    by=by.pk,
                    now=now,
                )
            return True
