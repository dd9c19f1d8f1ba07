"""The minimal view, and a minimal page that uses it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import django_htmx
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from .models import Note


@require_http_methods(["GET", "POST"])
def note(request: HttpRequest) -> HttpResponse:
    """Show a form; on POST, store the text and show the form again."""
    owner = request.session["owner"]
    made = None
    if request.method == "POST":
        made = Note._default_manager.create(
            owner=owner, text=request.POST["text"], made_at=timezone.now()
        )
    return render(request, "minimal.html", {"owner": owner, "made": made})


@gzip_page
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Show the form on a page with htmx, with a checkbox that the server answers at once."""
    return render(request, "page.html", {"owner": request.session["owner"], "script": _htmx()})


@require_POST
def tick(request: HttpRequest) -> HttpResponse:
    """Answer the checkbox without storing anything."""
    return HttpResponse(f"{request.session['owner']}: {request.POST.get('ticked', 'not ticked')}")


@cache
def _htmx() -> SafeString:
    file = Path(django_htmx.__file__).parent / "static" / "django_htmx" / "htmx-2.min.js"
    return mark_safe(file.read_text())  # noqa: S308 - the script itself
