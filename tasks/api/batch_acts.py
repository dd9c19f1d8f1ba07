"""Acts on a batch: it is paused, resumed, closed or called complete."""

from django.shortcuts import get_object_or_404
from ninja import Router

from tasks.models import Batch

from .authentication import WRITES, ApiCall
from .batches import ListedBatch

router = Router(tags=["batches"])
BATCH = "/projects/{slug:slug}/batches/{path:name}"


@router.post(f"{BATCH}/pause", auth=WRITES, response=ListedBatch)
def pause_batch(request: ApiCall, slug: str, name: str) -> ListedBatch:
    """Pause a batch: it hands out no items. Ratings in progress are still accepted."""
    return _changed(request, slug, name, Batch.Status.PAUSED)


@router.post(f"{BATCH}/resume", auth=WRITES, response=ListedBatch)
def resume_batch(request: ApiCall, slug: str, name: str) -> ListedBatch:
    """Open a batch again, be it paused or closed."""
    return _changed(request, slug, name, Batch.Status.OPEN)


@router.post(f"{BATCH}/close", auth=WRITES, response=ListedBatch)
def close_batch(request: ApiCall, slug: str, name: str) -> ListedBatch:
    """Close a batch: it hands out no items, and nobody can correct its ratings."""
    return _changed(request, slug, name, Batch.Status.CLOSED)


@router.post(f"{BATCH}/complete", auth=WRITES, response=ListedBatch)
def complete_batch(request: ApiCall, slug: str, name: str) -> ListedBatch:
    """Call a batch complete: it takes no more items. One that is complete stays so."""
    batches = request.auth.project(slug).batches.with_progress()
    batch = get_object_or_404(batches, name=name)
    batch.call_complete()
    return ListedBatch.of(batch)


def _changed(request: ApiCall, slug: str, name: str, status: Batch.Status) -> ListedBatch:
    batches = request.auth.project(slug).batches.with_progress()
    batch = get_object_or_404(batches, name=name)
    batch.change(status=status)
    return ListedBatch.of(batch)
