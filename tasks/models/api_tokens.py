"""Tokens of the API: each lets a program call it, for one project or all, until a day."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

from config.web.people import User

from .project_queries import ProjectsOfUser
from .projects import Project
from .roles import Role

PREFIX = "evh_"  # by which people and scanners of secrets recognise one
BYTES = 32  # random ones
PERIODS = {30: _("in 30 days"), 90: _("in 90 days"), 365: _("in a year")}
SOON = timedelta(days=7)  # before its end its owner is told


def new_secret() -> str:
    """Return a new token, which nobody can guess."""
    return PREFIX + secrets.token_urlsafe(BYTES)


def digest_of(secret: str) -> str:
    """Return what is stored of a token. Nobody guesses 32 random bytes, so it needs no salt."""
    return sha256(secret.encode()).hexdigest()


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def usable_at(self, now: datetime) -> Self:
        """Return those that have neither ended nor been withdrawn."""
        return self.filter(withdrawn_at=None, expires_at__gt=now)

    def of(self, owner: User) -> Self:
        """Return a person's tokens: those that work first, each group newest first."""
        return self.filter(owner=owner).select_related("project").order_by("-made_at", "-pk")

    def reaching(self, project: Project) -> Self:
        """Return those that reach a project: whoever leads it may withdraw them."""
        leads = project.memberships.filter(role=Role.LEAD).values("user")
        for_all = Q(project=None) & (Q(owner__in=leads) | Q(owner__is_superuser=True))
        return self.filter(Q(project=project) | for_all)

    def of_others(self, project: Project, user: User, now: datetime) -> Self:
        """Return the tokens of other people that reach a project and work."""
        usable = self.reaching(project).usable_at(now).filter(owner__is_active=True)
        return usable.exclude(owner=user).select_related("owner", "project").order_by("owner", "pk")

    def to_announce(self, now: datetime) -> Self:
        """Return those about whose end an e-mail is due."""
        due = self.usable_at(now).filter(announce_at__lte=now, owner__is_active=True)
        return due.exclude(owner__email="").order_by("announce_at", "pk")

    def make(
        self,
        *,
        owner: User,
        project: Project | None,
        name: str,
        may_write: bool,
        days: int,
        names_people: bool,
        names_models: bool,
        now: datetime,
    ) -> tuple["ApiToken", str]:
        """Store a token. Return it with its secret, which is stored nowhere."""
        secret = new_secret()
        expires_at = now + timedelta(days=days)
        token = self.create(
            owner=owner,
            project=project,
            name=name,
            digest=digest_of(secret),
            may_write=may_write,
            names_people=names_people,
            names_models=names_models,
            days=days,
            made_at=now,
            expires_at=expires_at,
            announce_at=expires_at - SOON,
        )
        return token, secret


class ApiToken(models.Model):
    """The right of a program to call the API in the name of its owner.

    It may do what its owner may do at the moment of the call, and never more.
    """

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="api_tokens"
    )
    # None: all that the owner leads.
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, null=True, blank=True, related_name="api_tokens"
    )
    name = models.CharField(_("Name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    may_write = models.BooleanField(default=False)
    # Names as the pages have them; otherwise pseudonyms and numbers.
    names_people = models.BooleanField(default=False)
    names_models = models.BooleanField(default=False)
    days = models.PositiveSmallIntegerField()  # from when it is made or renewed
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    # When the e-mail about its end is due; None: it has been sent.
    announce_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    last_call = models.DateTimeField(null=True, blank=True)  # accurate to a few minutes

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ("-made_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                "owner",
                Lower("name"),
                condition=Q(withdrawn_at=None),
                name="a_name_stands_for_one_token_of_a_person",
            ),
            models.CheckConstraint(condition=Q(days__in=tuple(PERIODS)), name="a_token_has_an_end"),
            models.CheckConstraint(
                condition=Q(expires_at__gt=F("made_at")), name="a_token_ends_after_it_began"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None, withdrawn_by=None)
                | Q(withdrawn_at__isnull=False, withdrawn_by__isnull=False),
                name="somebody_withdrew_a_token",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def projects(self) -> ProjectsOfUser[Project]:
        """The projects that it reaches at this moment, as the pages of leads have them."""
        led = Project.objects.for_lead_pages(self.owner)
        return led if self.project_id is None else led.filter(pk=self.project_id)

    def is_usable(self, now: datetime) -> bool:
        """Return True if it has neither ended nor been withdrawn."""
        return self.withdrawn_at is None and self.expires_at > now

    def ends_soon(self, now: datetime) -> bool:
        """Return True if it works, and ends within a week."""
        return self.is_usable(now) and self.expires_at <= now + SOON

    def renew(self, *, now: datetime) -> bool:
        """Let it work as long again from now. Return False if it is over."""
        if not self.is_usable(now):
            return False
        expires_at = now + timedelta(days=self.days)
        usable = ApiToken.objects.usable_at(now).filter(pk=self.pk)
        return bool(usable.update(expires_at=expires_at, announce_at=expires_at - SOON))

    def withdraw(self, *, by: User, now: datetime) -> bool:
        """End it for good. Return False if it was withdrawn before."""
        pending = ApiToken.objects.filter(pk=self.pk, withdrawn_at=None)
        return bool(pending.update(withdrawn_at=now, withdrawn_by=by))


class TokenUse(models.Model):
    """How many calls a token has made in the minute of its last one.

    The table is not logged: each call writes here, and after a crash the limit begins anew.
    """

    token = models.OneToOneField(
        ApiToken,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="use",
        db_constraint=False,
    )
    minute = models.BigIntegerField()  # since 1970
    calls = models.PositiveIntegerField()
