"""Acts on a batch: it is paused, resumed or closed."""

from typing import Self

from django.shortcuts import get_object_or_404
from ninja import Router
from pydantic import BaseModel

from tasks.models import Batch

from .authentication import WRITES, ApiCall

router = Router(tags=["batches"])
BATCH = "/projects/{slug:slug}/batches/{path:name}"


class BatchState(BaseModel):
    """A batch after an act."""

    name: str
    status: Batch.Status

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Return the state of a batch."""
        return cls(name=batch.name, status=Batch.Status(batch.status))


@router.post(f"{BATCH}/pause", auth=WRITES, response=BatchState)
def pause_batch(request: ApiCall, slug: str, name: str) -> BatchState:
    """Pause a batch: it hands out no items. Ratings in progress are still accepted."""
    return _changed(request, slug, name, Batch.Status.PAUSED)


@router.post(f"{BATCH}/resume", auth=WRITES, response=BatchState)
def resume_batch(request: ApiCall, slug: str, name: str) -> BatchState:
    """Open a batch again, be it paused or closed."""
    return _changed(request, slug, name, Batch.Status.OPEN)


@router.post(f"{BATCH}/close", auth=WRITES, response=BatchState)
def close_batch(request: ApiCall, slug: str, name: str) -> BatchState:
    """Close a batch: it hands out no items, and nobody can correct its ratings."""
    return _changed(request, slug, name, Batch.Status.CLOSED)


def _changed(request: ApiCall, slug: str, name: str, status: Batch.Status) -> BatchState:
    batch = get_object_or_404(request.auth.project(slug).batches, name=name)
    batch.change(status=status)
    return BatchState.of(batch)
