"""The first page: the projects that a user rates in, and those that they lead."""

from django.db.models import Q, Sum
from django.db.models.functions import Coalesce
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from config.web.requests import Request
from tasks.models import Project


@require_safe
def home(request: Request) -> HttpResponse:
    rated = Project.objects.rated_by(request.user).annotate(
        mine=Coalesce(Sum("seats__rated", filter=Q(seats__annotator=request.user)), 0)
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
