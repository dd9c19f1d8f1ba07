"""The decorators of leads' pages: those of a project, of its cases, and of a rubric's draft."""

import logging
import re
from collections.abc import Callable
from contextlib import nullcontext
from functools import lru_cache, wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.models import Model
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect
from psycopg.errors import LockNotAvailable

from config.web.people import User
from config.web.requests import Request
from rubrics.documents.draft_parts import MisfitError
from rubrics.documents.yaml_lines import DocumentError
from rubrics.models import RubricDraft, RubricDraftQuerySet
from tasks.models import Membership, Project
from tasks.models.project_pages import project_to_settle

logger = logging.getLogger(__name__)
Answer = TypeVar("Answer", bound=HttpResponseBase)


def led(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """Give a view the project of its URL; whoever does not lead it gets a 404.

    A change waits for a lock briefly. Then a page says so, and has what was entered. If someone
    deletes the project meanwhile, the answer is a 404 too.
    """
    return _of_project(view, _project_to_lead)


def settled(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """Give a view the project of its URL; whoever may not settle its cases gets a 404.

    Leads and adjudicators may; `project.as_adjudicator` tells them apart. A change waits for a lock
    as with `led`.
    """
    return _of_project(view, project_to_settle)


def led_with(row_model: type[Model]) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Do as `led`, for a view whose URL has the key of such a row of the project.

    If someone deletes that row meanwhile, the answer is a 404.
    """
    return lambda view: _of_project(view, _project_to_lead, row_model)


def _project_to_lead(user: User, slug: str) -> Project | None:
    return Project.objects.for_lead_pages(user).filter(slug=slug).first()


def _of_project(
    view: Callable[..., Answer],
    find: Callable[[User, str], Project | None],
    row_model: type[Model] | None = None,
) -> Callable[..., Answer]:
    """Give a view the project of its URL, if it is among those that its user is allowed."""

    @wraps(view)
    def answer(request: Request, slug: str, **arguments: Any) -> Answer:
        project = find(request.user, slug)
        if project is None:
            raise Http404
        is_read = request.method in ("GET", "HEAD")  # it waits for no lock
        limit = nullcontext() if is_read else connection.execute_wrapper(_wait_briefly)
        try:
            with limit:
                return view(request, project, **arguments)
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
            return render(request, "tasks/lead_pages/busy.html", {"project": project}, status=409)  # type: ignore[return-value]  # it is an HttpResponse
        except (ObjectDoesNotExist, DatabaseError) as error:
            # A row is missing, a reference leads nowhere, or there is nothing to save.
            has_row = row_model is None or _exists(row_model, arguments["pk"])
            if has_row and _exists(Project, project.pk):
                raise
            logger.info("Someone deleted it since the request began: %s", request.path)
            raise Http404 from error

    return answer


def _exists(row_model: type[Model], key: int) -> bool:
    return row_model._default_manager.filter(pk=key).exists()


def drafts_of(user: User) -> RubricDraftQuerySet:
    """Return the drafts that a user may edit: her own, and those of leads who lead with her.

    Whom another lead made a lead without asking shares no draft.
    """
    leads = Membership.objects.filter(role=Membership.Role.LEAD)
    shared = leads.filter(user=user).values("project")
    makers = leads.filter(project__in=shared, agreed=True).values("user")
    return RubricDraft.objects.edited_by(user, makers)


def edited(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """Give a view the draft of its URL; whoever may not edit it gets a 404.

    A POST locks the draft until its answer, so that two people change it one after the other.
    """

    @wraps(view)
    def answer(request: Request, pk: int, **arguments: Any) -> Answer:
        drafts = drafts_of(request.user).select_related("changed_by")
        if request.method != "POST":
            return view(request, get_object_or_404(drafts, pk=pk), **arguments)
        with transaction.atomic():
            locked = drafts.select_for_update(of=("self",))
            return view(request, get_object_or_404(locked, pk=pk), **arguments)

    return answer


class TooLargeError(Exception):
    """A part of a draft has more to choose from than a page can draw in time."""


def or_document(view: Callable[..., Answer]) -> Callable[..., Answer]:
    """Lead to the document of a draft if no form can show a part: there it can be mended.

    Nothing that such a view stored stays.
    """

    @wraps(view)
    def answer(request: Request, draft: RubricDraft, **arguments: Any) -> Answer:
        try:
            return view(request, draft, **arguments)
        except DocumentError as error:  # more than a document may have: the draft stays as it is
            messages.error(request, _("Not saved: %(fault)s") % {"fault": error})
            return to(request, request.path)
        except (MisfitError, TooLargeError):
            pass
        if connection.in_atomic_block and request.method == "POST":
            transaction.set_rollback(True)
        messages.error(
            request,
            _("This part can’t be shown as a form. Correct the document, then replace the draft."),
        )
        return to(request, reverse("tasks:draft_document", args=[draft.pk]))

    return answer


def to(request: Request, address: str) -> Any:
    """Lead to another page, also from what htmx sent."""
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


def _wait_briefly(execute: Callable[..., Any], statement: Any, *arguments: Any) -> Any:
    """Run a statement, which raises LockNotAvailable once it has waited 2 s for a lock.

    The limit ends with the transaction, so that a pooler takes it to nobody else.
    """
    if not _may_wait(str(statement)):
        return execute(statement, *arguments)
    with transaction.atomic(savepoint=False):
        arguments[-1]["connection"].connection.execute("SET LOCAL lock_timeout = '2s'")
        return execute(statement, *arguments)


@lru_cache(maxsize=1024)
def _may_wait(statement: str) -> bool:
    """Return True if a statement may wait for a lock: SELECT … FOR UPDATE is found too."""
    return bool(re.search(r"\b(INSERT|UPDATE|DELETE|SHARE|pg_advisory_xact_lock)\b", statement))
