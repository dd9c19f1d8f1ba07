"""The page of a rubric: every level, check and rule with its clause."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from .models import Rubric
from .page import page_of


@require_safe
def rubric(request: HttpRequest, slug: str, version: int) -> HttpResponse:
    """Show one published version in full. Clause ids are anchors."""
    found = get_object_or_404(Rubric.objects.published(), slug=slug, version=version)
    shown = {"rubric": found.schema, "page": page_of(found.schema), "version": found}
    return render(request, "rubrics/rubric.html", shown)
