"""The contexts of templates that show a form: of the desk, of a correction, of a preview.

A page puts together the contexts that it needs, and adds its own names.
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from config.web.requests import Request
from rubrics.models import Rubric
from tasks.models import Draft, Item, Lease, Project, Rating
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.item_view import ItemView

from .came_back import CameBack, came_back
from .corpus import corpora
from .corpus_texts import CorpusPage
from .loading import DeskItem
from .text_views import TextViews, text_views_of


class FormContext(TypedDict):
    """The names in the templates of a form, beside the addresses of `DeskItem.urls`."""

    project: Project
    rubric: Rubric
    lease: Lease
    item: Item
    desk: ItemView  # the item as the page shows it
    evaluated: EvaluatedForm
    look: TextViews  # how its texts are shown
    corpora: dict[str, CorpusPage]  # the first responses of each model, by candidate set
    came_back: CameBack | None  # why the rating waits for a revision


class OtherVersions(TypedDict, total=False):
    """The other drafts of the item beside that of the page, or the rating that was stored."""

    other_drafts: Sequence[Draft]  # of other pages
    conflict: Rating  # with other answers than the form
    conflict_url: str


class NewPageContext(TypedDict):
    """The name of a new page, and the draft that it shows."""

    draft_writer: str
    draft_shown: str  # the version of the draft; "" if there is none
    draft: Draft | None


def form_context(
    desk_item: DeskItem,
    evaluated: EvaluatedForm,
    *,
    post: Mapping[str, str] | None = None,
    corpora_of: Collection[str] | None = None,
) -> FormContext:
    """Return the context of the templates that show a form, without the addresses of its page.

    `corpora_of`: show the corpora of these candidate sets' models; None for all.
    """
    lease = desk_item.lease
    project = lease.project
    if not evaluated.shows_sets:
        corpora_of = ()
    return FormContext(
        project=project,
        rubric=project.rubric,
        lease=lease,
        item=lease.item,
        desk=desk_item.view,
        evaluated=evaluated,
        look=text_views_of(desk_item.view, lease.view, post),
        corpora=corpora(lease, desk_item.view, corpora_of),
        came_back=came_back(desk_item.corrected),
    )


def new_page_context(desk_item: DeskItem) -> NewPageContext:
    """Return the context of a page that was not there before: it writes a draft of its own."""
    draft = desk_item.draft
    return NewPageContext(
        draft_writer=secrets.token_hex(8),
        draft_shown=draft.version if draft else "",
        draft=draft,
    )


def other_versions_context(desk_item: DeskItem, conflict: Rating | None) -> OtherVersions:
    """Return what there is beside the page's own draft: a rating, or drafts of other pages."""
    if conflict is None:
        return {"other_drafts": desk_item.other_drafts}
    slug = desk_item.lease.project.slug
    conflict_url = reverse("annotators:rating", args=[slug, conflict.pk])
    draft = desk_item.draft
    if draft:
        conflict_url += f"?draft={draft.writer}"
    return {"conflict": conflict, "conflict_url": conflict_url}


def render_page(
    request: Request, page: str, part: str, context: Mapping[str, object], status: int
) -> HttpResponse:
    """Render a page, or for HTMX only the part of it that a new item changes."""
    name = page
    if request.htmx and not request.htmx.boosted:
        name = f"{page}#{part}"
    return render(request, name, context, status=status)
