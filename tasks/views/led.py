"""The decorator of the pages of a project's leads."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.db import OperationalError, connection
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from psycopg.errors import LockNotAvailable

from config.web.locks import wait_briefly
from config.web.requests import Request
from tasks.models import Project

Answer = TypeVar("Answer", bound=HttpResponseBase)


def led(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """Give a view the project of its URL; whoever does not lead it gets a 404.

    A change waits for a lock briefly. Then a page says so, and has what was entered.
    """

    @wraps(view)
    def answer(request: Request, slug: str, **named: Any) -> Answer:
        projects = Project.objects.shown_to_lead(request.user)
        project = get_object_or_404(projects, slug=slug)
        try:
            with connection.execute_wrapper(wait_briefly):
                return view(request, project, **named)
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
            return render(request, "tasks/busy.html", {"project": project}, status=409)  # type: ignore[return-value]  # it is an HttpResponse

    return answer
