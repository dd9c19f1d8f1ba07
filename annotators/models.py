"""Users and their sessions. Other apps know users only as settings.AUTH_USER_MODEL."""

from datetime import date, datetime
from functools import cache
from typing import Any, ClassVar, Self
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from .keyboard import Keys

# What one may choose for one's pages. The database refuses anything else.
LANGUAGES = {"": _("Same as the browser"), **dict(settings.LANGUAGES)}
THEMES = {
    "system": _("same as the system"),
    "light": _("light"),
    "dark": _("dark"),
    "contrast-light": _("high contrast, light"),
    "contrast-dark": _("high contrast, dark"),
}
TEXT_SIZES = {
    "normal": _("normal"),
    "large": _("large"),
    "larger": _("larger"),
    "largest": _("largest"),
}
READING_WIDTHS = {"narrow": _("narrow"), "normal": _("normal"), "wide": _("wide")}


@cache
def zones() -> tuple[str, ...]:
    """Return UTC and the sorted names by place ("Asia/Tokyo"), as browsers use them."""
    with_place = [name for name in available_timezones() if "/" in name]
    by_place = [name for name in with_place if not name.startswith("Etc/")]
    return ("UTC", *sorted(by_place))


class Users(UserManager["User"]):
    """Django's manager, which knows the accounts of the first hour."""

    def create_superuser(self, *args: Any, **fields: Any) -> "User":
        """Make an admin's account by command. Its password works while others are switched off."""
        return super().create_superuser(*args, **fields, keeps_password=True)


class User(AbstractUser):
    """An annotator, lead or admin.

    A `tasks.Membership` says what they may do in a project. Only admin is global, and is
    `is_superuser`.
    """

    email = models.EmailField(_("E-mail"), blank=True)
    language = models.CharField(max_length=8, choices=LANGUAGES, blank=True, default="")
    theme = models.CharField(max_length=16, choices=THEMES, default="system")
    text_size = models.CharField(max_length=16, choices=TEXT_SIZES, default="normal")
    reading_width = models.CharField(max_length=16, choices=READING_WIDTHS, default="normal")
    single_keys = models.BooleanField(default=True)
    # After a score by mouse the desk goes on to the next row, as after a score by key.
    moves_on = models.BooleanField(default=True, db_default=True)
    # By command, the keys that differ from the usual ones (`annotators.keyboard`).
    own_keys = models.JSONField(default=dict, blank=True)
    # An admin chose the password, so the owner chooses another one first (`accounts.passwords`).
    must_change_password = models.BooleanField(default=False, db_default=False, editable=False)
    # Made by `createsuperuser`: the way in while the lab's provider is away.
    keeps_password = models.BooleanField(default=False, db_default=False, editable=False)
    # The lab's provider says so; leads and admins may anyway.
    may_start_projects = models.BooleanField(default=False, db_default=False, editable=False)
    # By name; "" until the browser or the user has set it, and UTC until then.
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    # The title of the project that a new account is made for: its password is another.
    joins = ""

    objects: ClassVar[Users] = Users()

    class Meta(AbstractUser.Meta):
        constraints = (
            models.UniqueConstraint(Lower("username"), name="a_name_is_taken_whatever_its_case"),
            models.CheckConstraint(
                condition=Q(theme__in=tuple(THEMES)),
                name="a_theme_is_one_that_there_is",
            ),
            models.CheckConstraint(
                condition=Q(text_size__in=tuple(TEXT_SIZES)),
                name="a_text_size_is_one_that_there_is",
            ),
            models.CheckConstraint(
                condition=Q(reading_width__in=tuple(READING_WIDTHS)),
                name="a_reading_width_is_one_that_there_is",
            ),
            models.CheckConstraint(
                condition=Q(language__in=tuple(LANGUAGES)),
                name="a_language_is_one_that_there_is",
            ),
            # It signs in one account, and an e-mail to it invites one.
            models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="an_address_has_one_account",
                violation_error_message=_("Another account has this address."),
            ),
        )

    @property
    def may_use_password(self) -> bool:
        """True unless the site has switched off the passwords of such accounts."""
        match settings.PASSWORDS:
            case "everyone":
                return True
            case "createsuperuser":
                return self.keeps_password
        return False

    @property
    def keys(self) -> Keys:
        """The keys of the desk's commands."""
        return Keys.of_person(self.single_keys, self.own_keys)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone or "UTC")

    def today(self, now: datetime) -> date:
        """Return the date in the user's time zone."""
        return now.astimezone(self.zone).date()

    def set_first_time_zone(self, time_zone: str) -> None:
        """Store the browser's time zone if none is known. An unknown zone is ignored."""
        if not self.time_zone and time_zone in zones():
            self.time_zone = time_zone
            self.save(update_fields=["time_zone"])

    @property
    def color_scheme(self) -> str:
        """The value of the CSS property `color-scheme`."""
        schemes = {"system": "light dark", "contrast-light": "light", "contrast-dark": "dark"}
        return schemes.get(self.theme, self.theme)


class Session(AbstractBaseSession):
    """A log-in, as Django stores it, with its user in a column.

    The column lets one query find both (`annotators.accounts.sessions`). The signed user in
    `session_data` is the one that counts.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="+"
    )
    last_used = models.DateTimeField(default=timezone.now)  # accurate to a few minutes

    class Meta(AbstractBaseSession.Meta):
        abstract = False

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return Django's: `get_decoded` asks it to decode. The other one imports this module."""
        return SessionStore


class ResetRequestQuerySet(models.QuerySet["ResetRequest"]):
    """Requests for a new password, as the worker asks for them."""

    def to_answer(self, now: datetime) -> Self:
        """Return the requests that are due, oldest first."""
        return self.filter(due_at__lte=now).order_by("pk")


class ResetRequest(models.Model):  # noqa: DJ008 - no page names it
    """A request for a new password. The worker answers it by e-mail, if the address has an account.

    The page stores it for any address and looks nothing up. So its time tells nobody who has an
    account.
    """

    address = models.EmailField()
    # Of the page on which it was made: an account may have none.
    language = models.CharField(max_length=8)
    client_ip = models.CharField(max_length=64)  # for the access log
    made_at = models.DateTimeField()
    due_at = models.DateTimeField(db_index=True)

    objects = ResetRequestQuerySet.as_manager()
