"""The minimal view."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from .models import Note


@require_http_methods(["GET", "POST"])
def note(request: HttpRequest) -> HttpResponse:
    """A form; what is sent in it is stored, and the form comes again."""
    owner = request.session["owner"]
    made = None
    if request.method == "POST":
        made = Note._default_manager.create(owner=owner, text=request.POST["text"], made_at=timezone.now())
    return render(request, "minimal.html", {"owner": owner, "made": made})
