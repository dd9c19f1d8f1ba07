"""Items of a project: how far each is, its responses and texts. Items that a program sends."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from ninja import Body, Query, Router
from pydantic import BaseModel, Field, JsonValue

from config.web.problems import ValueFault
from tasks.models import Item, ItemEntry, Project

from .authentication import WRITES, ApiCall
from .cursors import Page, paged
from .names import Names
from .parameters import Paging
from .problems import invalid
from .sending import AddedItems, ItemsToAdd, load_items

router = Router(tags=["items"])

MOST_WITH_TEXTS = 100  # items of a page


class ItemPaging(Paging):
    """Which page of the items, and what of each."""

    texts: bool = Field(
        False, description=f"the texts too; a page has {MOST_WITH_TEXTS} items at most then"
    )


class ItemMessage(BaseModel):
    """A message of a conversation."""

    role: str
    text: str


class TextsOfItem(BaseModel):
    """The texts of an item, as they were uploaded."""

    persona: list[str] = Field(description="its lines")
    system: str
    context: str
    messages: list[ItemMessage]
    reference: str
    source: str

    @classmethod
    def of(cls, item: Item) -> "TextsOfItem":
        """Return the texts of an item."""
        return cls(
            persona=item.persona,
            system=item.system,
            context=item.context,
            messages=[ItemMessage(role=turn["role"], text=turn["text"]) for turn in item.messages],
            reference=item.reference,
            source=item.source,
        )


class ItemResponse(BaseModel):
    """A response to an item."""

    number: int = Field(description="its place in the upload, from 1")
    model: str
    text: str | None = Field(description="null without `texts`")


class ProjectItem(BaseModel):
    """An item with its responses."""

    id: str
    batch: str
    state: ItemEntry.State
    ratings: int = Field(description="ratings that fill a place")
    wanted: int = Field(description="ratings that it wants")
    dropped: bool = Field(description="whether it counts in no figure, because a lead dropped it")
    dropped_at: datetime | None
    dropped_because: str | None = Field(description="null also if the token may not name people")
    warning: str
    metadata: dict[str, JsonValue]
    responses: list[ItemResponse]
    texts: TextsOfItem | None = Field(description="null without `texts`")


def _listing(readable: Names, *, with_texts: bool) -> Callable[[Item], ProjectItem]:
    """Return the function that makes an item as the list has it."""

    def listed(item: Item) -> ProjectItem:
        return ProjectItem(
            id=item.external_id,
            batch=item.batch_name,
            state=ItemEntry.State(item.state),
            ratings=item.counted,
            wanted=item.wanted,
            dropped=item.dropped,
            dropped_at=item.dropped_at if item.dropped else None,
            dropped_because=_reason(item, readable),
            warning=item.warning,
            metadata=item.metadata,
            responses=_responses(item, readable),
            texts=TextsOfItem.of(item) if with_texts else None,
        )

    return listed


def _responses(item: Item, readable: Names) -> list[ItemResponse]:
    responses = []
    for number, model, text in item.response_rows:
        response = ItemResponse(number=number, model=readable.models.of(model), text=text)
        responses.append(response)
    return responses


def _reason(item: Item, readable: Names) -> str | None:
    """Return why an item was dropped. Leads name people in it."""
    if not item.dropped or not readable.token.names_people:
        return None
    return item.dropped_why


@router.get("/projects/{slug:slug}/items", response=Page[ProjectItem])
def list_items(
    request: ApiCall, slug: str, paging: Annotated[ItemPaging, Query()]
) -> Page[ProjectItem]:
    """List the items of a project, in the order in which they were stored."""
    project = request.auth.project(slug)
    if paging.texts and paging.limit > MOST_WITH_TEXTS:
        allowed = f"{MOST_WITH_TEXTS} at most, with texts"
        raise invalid([ValueFault(paging.limit, allowed, "Ask for less.", parameter="limit")])
    return _page(request, project, paging)


@router.post("/projects/{slug:slug}/items", response=AddedItems, auth=WRITES)
def add_items(request: ApiCall, slug: str, to_add: Annotated[ItemsToAdd, Body()]) -> AddedItems:
    """Add items to a batch that takes more until it is called complete: all of them or none.

    They are handed out at once. Until the batch is complete, nothing is asked about candidate sets.
    """
    return load_items(request, request.auth.project(slug), to_add)


def _page(request: ApiCall, project: Project, paging: ItemPaging) -> Page[ProjectItem]:
    items = project.items.with_responses(texts=paging.texts)
    shape = _listing(Names(request.auth, project), with_texts=paging.texts)
    return paged(request, items, paging, f"items of {project.pk}", shape)
