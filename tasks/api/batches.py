"""Batches of a project, and how far each is."""

from datetime import datetime
from typing import Annotated, Self

from ninja import Query, Router
from pydantic import BaseModel, Field

from tasks.models import Batch

from .authentication import ApiCall
from .cursors import Page, paged
from .parameters import Paging

router = Router(tags=["batches"])


class ListedBatch(BaseModel):
    """A batch, without dropped items in its counts."""

    key: int = Field(description="as `removed` and events name it")
    name: str
    status: Batch.Status
    complete: bool = Field(description="false: more items may come")
    rank: int = Field(description="handed out first (-1), in its turn (0) or last (1)")
    priority: int
    items: int
    finished: int = Field(description="items that have all the ratings they want")
    ratings: int = Field(description="ratings that fill a place")
    wanted: int = Field(description="ratings that the items want")
    dropped_items: int
    warning: str = Field(description="shown before each item")
    file: str = Field(description="the name of the file it was uploaded from")
    created_at: datetime

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Return a batch with its progress as a list has it."""
        return cls(
            key=batch.pk,
            name=batch.name,
            status=Batch.Status(batch.status),
            complete=batch.complete,
            rank=batch.rank,
            priority=batch.priority,
            items=batch.item_count,
            finished=batch.finished_count,
            ratings=batch.counted,
            wanted=batch.wanted,
            dropped_items=batch.dropped,
            warning=batch.warning,
            file=batch.file_name,
            created_at=batch.created_at,
        )


@router.get("/projects/{slug:slug}/batches", response=Page[ListedBatch])
def list_batches(
    request: ApiCall, slug: str, paging: Annotated[Paging, Query()]
) -> Page[ListedBatch]:
    """List the batches of a project, in the order in which they were made."""
    project = request.auth.project(slug)
    batches = project.batches.with_progress().defer("mapping", "asked")
    return paged(request, batches, paging, f"batches of {project.pk}", ListedBatch.of)
