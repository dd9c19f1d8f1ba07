"""The first page: what someone rates, and what they lead."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from config.http import Request
from tasks.models import Project


@require_GET
def home(request: Request) -> HttpResponse:
    rated = Project.objects.rated_by(request.user).annotate(
        mine=Count("ratings__item", filter=Q(ratings__annotator=request.user), distinct=True)
    )
    return render(
        request,
        "annotators/home.html",
        {
            "rating": rated,
            "leading": Project.objects.led_by(request.user),
            "may_create": Project.objects.may_be_made_by(request.user),
        },
    )
