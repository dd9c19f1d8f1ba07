"""The page of an invitation: make an account and join, or join with the account one has."""

from allauth.account.utils import perform_login
from allauth.core import ratelimit
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordMixin, UsernameField
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import get_language_from_request, gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods

from annotators.models import User
from annotators.names import INVALID_NAME, NAME_IN_USE, check_name, is_in_use
from config.web.access_log import note
from config.web.requests import HtmxRequest
from tasks.models import Invitation, Membership, PracticeRound

from .passwords import ADVICE, FocusesFault, not_too_long


class JoinForm(FocusesFault, SetPasswordMixin, forms.ModelForm):
    """A new account: name, password and language. Its address is that of the e-mail, if any."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        help_text=ADVICE,
        strip=False,
        validators=[not_too_long],
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    class Meta:
        model = User
        fields = ("username", "password", "language")
        field_classes = {"username": UsernameField}
        labels = {"username": gettext_lazy("Name"), "language": gettext_lazy("Language")}
        help_texts = {
            "username": gettext_lazy(
                "You sign in with it, and the leads of your projects see it. Letters, digits and "
                ". + - _ without spaces."
            )
        }
        error_messages = {
            "username": {
                "unique": NAME_IN_USE,
                "invalid": INVALID_NAME,
            }
        }

    def clean_username(self) -> str:
        """Refuse a name that could be an e-mail by which someone signs in, or look like a name."""
        name: str = self.cleaned_data["username"]
        check_name(name)
        if is_in_use(name):
            raise ValidationError(NAME_IN_USE)
        return name

    def _post_clean(self) -> None:
        """Judge the password too, now that the account knows its name and address."""
        super()._post_clean()  # type: ignore[misc]  # the stubs do not have it
        self.validate_password_for_user(self.instance, "password")

    def save(self, commit: bool = True) -> User:
        """Store the account, with its password hashed."""
        return self.set_password_and_save(self.instance, "password", commit)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HtmxRequest, token: str) -> HttpResponse:
    """Show an invitation, and let the visitor join by it."""
    invitation = Invitation.objects.by_token(token)
    if invitation is None:
        return _keep_private(render(request, "annotators/join_cut.html", status=404))
    now = timezone.now()
    members = invitation.project.memberships.filter(role=invitation.role)
    if request.user.is_authenticated and members.filter(user=request.user).exists():
        # Nothing is left to press, but by whom it was sent to: a lead who tries it leaves it open.
        was_sent_to_them = invitation.email.lower() == request.user.email.lower() != ""
        if not was_sent_to_them or not invitation.is_valid(now):
            return _enter(request, invitation)
    if not invitation.is_valid(now):
        return _show_end(request, invitation)
    if request.method == "POST":
        return ratelimit.consume_or_429(request, action="join") or _join(request, invitation)
    if request.method == "GET":
        # A GET that writes: its lead learns that the e-mail was read.
        invitation.note_first_visit(now=now)
    return _page(request, invitation, JoinForm())


def _join(request: HtmxRequest, invitation: Invitation) -> HttpResponse:
    """Take the form: of whoever is signed in, else of a new account."""
    user = request.user
    now = timezone.now()
    if user.is_authenticated:
        # Signed in meanwhile, in another tab; or it is not theirs.
        if request.POST.get("as") != str(user.pk) or not invitation.is_for(user):
            return _page(request, invitation, JoinForm())
        if not invitation.accept(by=user, now=now):
            return _show_end(request, invitation)
        note(f"joined by invitation {invitation.pk}", request, account=user)
        return _enter(request, invitation)
    form = JoinForm(request.POST, instance=User(email=invitation.proven_address))
    if settings.PASSWORDS != "everyone":
        return _page(request, invitation, form)
    form.instance.joins = invitation.project.title
    if not invitation.is_for(user) or _has_account(invitation) or not form.is_valid():
        return _page(request, invitation, form)
    return _make_account(request, invitation, form)


def _make_account(
    request: HtmxRequest, invitation: Invitation, join_form: JoinForm
) -> HttpResponse:
    """Make the account, join and log in; or do none of it."""
    try:
        with transaction.atomic():
            user = join_form.save()
            if joined := invitation.accept(by=user, now=timezone.now()):
                perform_login(request, user)
            else:
                transaction.set_rollback(True)
    except IntegrityError:
        # Somebody took the name after the form was checked. Or the address got an account: then the
        # page shows how to sign in, instead of the form.
        join_form.add_error("username", NAME_IN_USE)
        return _page(request, invitation, join_form)
    if not joined:
        return _show_end(request, invitation)
    note(f"account made by invitation {invitation.pk}", request, account=user)
    translation.activate(user.language or get_language_from_request(request))
    return _enter(request, invitation)


def _has_account(invitation: Invitation) -> bool:
    """Return True if the reader of an e-mail has an account with its address."""
    address = invitation.proven_address
    return bool(address) and User.objects.filter(email__iexact=address).exists()


def _enter(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    messages.success(
        request, _("You are in the project “%(title)s”.") % {"title": invitation.project.title}
    )
    match invitation.role:
        case Membership.Role.LEAD:
            return redirect("tasks:project", slug=invitation.project.slug)
        case Membership.Role.ADJUDICATOR:
            return redirect("tasks:disagreements", slug=invitation.project.slug)
    return redirect("annotators:home")


def _page(request: HtmxRequest, invitation: Invitation, join_form: JoinForm) -> HttpResponse:
    project = invitation.project
    minutes = PracticeRound.objects.median_minutes([project.rubric_id])
    context = {
        "invitation": invitation,
        "project": project,
        "minutes": minutes.get(project.rubric_id),
        "form": join_form,
        "lab": settings.LAB_PROVIDER,
        "takes_passwords": settings.PASSWORDS == "everyone",
        "has_account": _has_account(invitation),
        "is_for_them": invitation.is_for(request.user),
        "this_page": request.path,
    }
    return _keep_private(render(request, "annotators/join.html", context))


def _show_end(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Say that the invitation is over, why, and whom to ask."""
    current = Invitation.objects.select_related("project", "made_by").get(pk=invitation.pk)
    now = timezone.now()
    # If it is open by itself, its inviter leads no more, or the project is archived.
    state = Invitation.State.WITHDRAWN
    if not current.is_usable(now):
        state = current.state(now)
    return _keep_private(
        render(request, "410.html", {"invitation": current, "state": state}, status=410)
    )


def _keep_private(page: HttpResponse) -> HttpResponse:
    """Keep the link out of the Referer header. With "no-referrer" Django would take no form."""
    page.headers["Referrer-Policy"] = "strict-origin"
    return page
