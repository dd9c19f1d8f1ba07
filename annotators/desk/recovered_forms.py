"""The answer to a form that the browser kept while it was offline, and sends from another page."""

from django.http import HttpResponse
from django.shortcuts import render

from tasks.models import Lease, Rating

from .form_contexts import other_versions_context
from .loading import DeskItem


def answer_recovered_form(
    desk_item: DeskItem, conflict: Rating | None = None, *, notice: str | None = None
) -> HttpResponse:
    """Answer a form that the browser kept and sends from another page.

    Say that the item was rated otherwise, or confirm with the message `notice` that the form is
    stored. Without either, say that it could not be stored and is saved as a draft.
    """
    lease = desk_item.lease
    version = desk_item.header.version
    context = {
        **other_versions_context(desk_item, conflict),
        **desk_item.urls,
        "name": version.writer if version else lease.pk,
        "can_go_on": lease.status == Lease.Status.LIVE or desk_item.corrected,
        "item": lease.item,
        "stored": notice,
    }
    return render(desk_item.request, "annotators/drafts/kept.html", context)
