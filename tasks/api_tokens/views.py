"""The page of tokens of the API. A new one is shown once, in the answer to its form."""

from dataclasses import dataclass
from datetime import datetime

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from config.web.access_log import note
from config.web.decorators import redirect_get_to
from config.web.requests import Request
from tasks.lead_pages.led import led, led_with
from tasks.models import ApiToken, Project
from tasks.models.api_tokens import ApiTokenQuerySet

from .forms import WRITE, TokenForm
from .usage_rows import TokenUsage, usage_of


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made, with what nobody sees again."""

    token: ApiToken
    secret: str


@dataclass(frozen=True, slots=True)
class TokenLine:
    """A token in the table."""

    token: ApiToken
    is_usable: bool
    ends_soon: bool
    calls: int


@require_safe
@led
def tokens(request: Request, project: Project) -> HttpResponse:
    """Show one's tokens, those of others for this project, and the form of a new one."""
    return _page(request, project, TokenForm(request.user, project))


@redirect_get_to("tasks:tokens", "slug")
@led
def make_token(request: Request, project: Project) -> HttpResponse:
    """Make a token, once its maker has given their password again, and show it."""
    form = TokenForm(request.user, project, request.POST)
    if not form.is_valid():
        return _page(request, project, form)
    return _make(request, project, form)


@reauthentication_required
def _make(request: Request, project: Project, token_form: TokenForm) -> HttpResponse:
    values = token_form.cleaned_data
    try:
        with transaction.atomic():
            token, secret = ApiToken.objects.make(
                owner=request.user,
                project=token_form.chosen_project,
                name=values["name"],
                may_write=values["may"] == WRITE,
                days=values["days"],
                names_people=values["names_people"],
                names_models=values["names_models"],
                now=timezone.now(),
            )
    except IntegrityError:  # pressed twice
        token_form = TokenForm(request.user, project, request.POST)
        return _page(request, project, token_form)
    note(f"API token made: {token.pk}", request, account=request.user)
    blank = TokenForm(request.user, project)
    return _page(request, project, blank, NewToken(token, secret))


@redirect_get_to("tasks:tokens", "slug")
@led_with(ApiToken)
@reauthentication_required
def renew_token(request: Request, project: Project, pk: int) -> HttpResponse:
    """Let one's token work as long again, from now."""
    token = get_object_or_404(ApiToken.objects.of(request.user), pk=pk)
    if token.renew(now=timezone.now()):
        note(f"API token renewed: {pk}", request, account=request.user)
        messages.success(request, _("“%(name)s” is renewed.") % {"name": token})
    else:
        messages.error(request, _("“%(name)s” is over. Make another one.") % {"name": token})
    return redirect("tasks:tokens", project.slug)


@redirect_get_to("tasks:tokens", "slug")
@led_with(ApiToken)
def withdraw_token(request: Request, project: Project, pk: int) -> HttpResponse:
    """End a token for good: one's own, or another's that reaches the project."""
    my_tokens = ApiToken.objects.filter(owner=request.user)
    token = get_object_or_404(my_tokens | ApiToken.objects.reaching(project), pk=pk)
    if token.withdraw(by=request.user, now=timezone.now()):
        note(f"API token withdrawn: {pk}", request, account=request.user)
    messages.success(request, _("“%(name)s” is withdrawn.") % {"name": token})
    return redirect("tasks:tokens", project.slug)


@redirect_get_to("tasks:tokens", "slug")
@led
def remove_token(request: Request, project: Project, pk: int) -> HttpResponse:
    """Remove the line of one's token that is over."""
    token = ApiToken.objects.of(request.user).filter(pk=pk).first()
    if token is not None:
        if token.is_usable(timezone.now()):
            raise Http404
        token.delete()
    return redirect("tasks:tokens", project.slug)


def _page(
    request: Request, project: Project, token_form: TokenForm, made: NewToken | None = None
) -> HttpResponse:
    """Show the page, with a token that was just made."""
    now = timezone.now()
    usage = usage_of(request.user, now)
    my_lines = _lines(ApiToken.objects.of(request.user), now, usage)
    my_lines.sort(key=lambda line: not line.is_usable)
    others = ApiToken.objects.of_others(project, request.user, now)
    context = {
        "project": project,
        "form": token_form,
        "made": made,
        "my_lines": my_lines,
        "others": _lines(others, now, usage),
        "usage": usage,
        "most": settings.API_CALLS_A_MINUTE,
        "now": now,
        "led": len(token_form.led),
        "site": settings.SITE_URL,
    }
    return render(request, "tasks/api_tokens/tokens.html", context)


def _lines(token_query: ApiTokenQuerySet, now: datetime, usage: TokenUsage) -> list[TokenLine]:
    """Return tokens as the table shows them."""
    lines = []
    for token in token_query:
        is_usable = token.is_usable(now)
        calls = usage.by_token.get(token.pk, 0)
        lines.append(TokenLine(token, is_usable, token.ends_soon(now), calls))
    return lines
