"""The answer to a form that the browser kept while it was offline, and sends from another page."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from tasks.models import Lease, Rating

from .form_contexts import other_versions_context
from .loading import DeskItem


def answer_recovered_form(
    desk_item: DeskItem, conflict: Rating | None = None, *, stored: str | None = None
) -> HttpResponse:
    """Answer a form that the browser kept and sends from another page.

    Say that the item was rated otherwise, or confirm with the message `stored` that the form is
    stored. Without either, say that it could not be stored and is saved as a draft.
    """
    lease = desk_item.lease
    version = desk_item.header.version
    context: dict[str, Any] = {**other_versions_context(desk_item, conflict), **desk_item.urls}
    context["name"] = version.writer if version else lease.pk
    context["can_go_on"] = lease.status == Lease.Status.LIVE or desk_item.corrected
    context["item"] = lease.item
    context["stored"] = stored
    return render(desk_item.request, "annotators/drafts/kept.html", context)
