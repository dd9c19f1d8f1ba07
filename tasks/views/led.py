"""The decorator of the pages of a project's leads."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404

from config.web.requests import Request
from tasks.models import Project

Answer = TypeVar("Answer", bound=HttpResponseBase)


def led(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """Give a view the project of its URL; whoever does not lead it gets a 404."""

    @wraps(view)
    def answer(request: Request, slug: str, **named: Any) -> Answer:
        projects = Project.objects.led_by(request.user).select_related("rubric")
        return view(request, get_object_or_404(projects, slug=slug), **named)

    return answer
