"""Acts on an item: it is dropped or taken back."""

from typing import Annotated

from django.shortcuts import get_object_or_404
from django.utils import timezone
from ninja import Body, Router
from pydantic import BaseModel, Field

from tasks.item_pages.small_forms import DropForm

from .authentication import WRITES, ApiCall
from .problems import invalid_form
from .sent import Sent

router = Router(tags=["items"])
ITEM = "/projects/{slug:slug}/items/{path:item}"


class SentReason(Sent):
    """The reason for an act."""

    why: str = Field("", description="for the other leads")


class ItemState(BaseModel):
    """An item after an act."""

    item: str = Field(description="the item's id in the upload")
    dropped: bool


@router.post(f"{ITEM}/drop", auth=WRITES, response=ItemState)
def drop_item_by_id(
    request: ApiCall, slug: str, item: str, reason: Annotated[SentReason, Body()]
) -> ItemState:
    """Drop an item with a reason: it is no longer handed out, and counts in no figure.

    The reason answers the flags and skips of it that wait. Its ratings stay.
    """
    return _decided(request, slug, item, {"act": "drop", "why": reason.why})


@router.post(f"{ITEM}/take-back", auth=WRITES, response=ItemState)
def take_item_back(
    request: ApiCall, slug: str, item: str, reason: Annotated[SentReason, Body()]
) -> ItemState:
    """Take an item back that was dropped, with a reason."""
    return _decided(request, slug, item, {"act": "take_back", "why": reason.why})


def _decided(request: ApiCall, slug: str, item: str, fields: dict[str, str]) -> ItemState:
    items = request.auth.project(slug).items.select_related("batch")
    row = get_object_or_404(items, external_id=item)
    form = DropForm(fields)
    if not form.is_valid():
        raise invalid_form(form)
    form.apply(row, by=request.auth.owner, now=timezone.now())
    return ItemState(item=row.external_id, dropped=fields["act"] == "drop")
