"""The page of the API and its client, for whoever is logged in."""

from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.web.problems import ProblemKind
from config.web.requests import Request, download

from . import client as shipped_client
from .reference import resources_of

CLIENT = "evenhand_client.py"  # the name as a module


@require_safe
def reference(request: Request) -> HttpResponse:
    """Show every operation with an example. Kinds of problems are anchors."""
    context = {"resources": resources_of(settings.SITE_URL), "problems": list(ProblemKind)}
    return render(request, "tasks/api_pages/api.html", context)


@require_safe
def client(request: Request) -> HttpResponseBase:
    """Send the client, with the address of the site in it."""
    return download(request, CLIENT, "text/x-python", iter([_client_of(settings.SITE_URL)]))


@cache
def _client_of(site: str) -> bytes:
    """Return the client of a site."""
    text = Path(shipped_client.__file__).read_text(encoding="utf-8")
    return text.replace(f'"{shipped_client.SITE}"', f'"{site}"').encode()
