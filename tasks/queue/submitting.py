"""Store the rating of a lease once, whatever happens to item, lease or annotator meanwhile."""

from datetime import datetime

from django.db import transaction

from tasks.models import Concern, Lease, Membership, Rating
from tasks.submission import Submission

from .insert_rating import store


def submit_lease(lease: Lease, submission: Submission, *, now: datetime) -> Rating:
    """Store a rating, once, and return it.

    If the lease was already submitted, return the rating that was stored then. If it has ended,
    store the rating all the same; it counts if the item still has a place. It is extra if the
    lease ended long ago or the annotator was removed.
    """
    with transaction.atomic(savepoint=False):
        is_usual = lease.status == Lease.Status.LIVE and lease.is_members
        if is_usual and not lease.is_long_over(now):
            # The usual case. The statement itself checks that nothing has come in between.
            rating = _new_rating(lease, submission, now)
            rating.kind, rating.extra_because = Rating.Kind.COUNTED, ""
            if store(rating, submission, lease.responses, if_first=True, if_held=True):
                Concern.objects.bring_back(rating, now=now)
                return rating
        lease.lock()
        if lease.status == Lease.Status.SUBMITTED:
            # From the database: `lease.rating` may be one that was not stored.
            return Rating.objects.get(lease=lease)
        if lease.status != Lease.Status.LIVE:
            # Late. If the same annotator has a newer lease on the item, this ends it too.
            lease.release_again(now)
        because = _why_not_counted(lease, now)
        rating = _new_rating(lease, submission, now, because)
        if store(rating, submission, lease.responses, if_first=True):
            Concern.objects.bring_back(rating, now=now)
        else:
            # The item was rated meanwhile under a later lease: store this as an extra rating.
            rating.attempt = lease.own_ratings().latest("attempt").attempt + 1
            rating.kind = Rating.Kind.EXTRA
            rating.extra_because = because or Rating.Extra.AGAIN
            store(rating, submission, lease.responses)
        return rating


def _why_not_counted(lease: Lease, now: datetime) -> str:
    """Return why a rating can't count whatever the item wants, or "".

    The caller has locked the lease. If it has ended, look whether the annotator rates in the
    project: they may have been removed meanwhile, or have come back.
    """
    if lease.status != Lease.Status.LIVE:
        lease.is_members = Membership.objects.filter(
            project=lease.project_id, user=lease.annotator_id, role=Membership.Role.ANNOTATOR
        ).exists()
    if not lease.is_members:
        return Rating.Extra.REMOVED
    return Rating.Extra.LATE if lease.is_long_over(now) else ""


def _new_rating(lease: Lease, submission: Submission, now: datetime, because: str = "") -> Rating:
    """Return an unsaved rating of the item, as if it were the annotator's first.

    `because`: why it can't count, whatever the item wants.

    The caller has locked the item and the lease, or the statement that stores it will.
    """
    item = lease.item
    elapsed = max(0, int((now - lease.started_at).total_seconds()))
    rating = Rating(
        project=item.project,
        item=item,
        annotator=lease.annotator,
        rubric_id=item.project.rubric_id,
        lease=lease,
        active_seconds=submission.active_within(elapsed),
        elapsed_seconds=elapsed,
        started_at=lease.started_at,
        submitted_at=now,
    )
    if because or not item.has_place_for(held=lease.status == Lease.Status.LIVE):
        wants_more = item.counted < item.wanted
        rating.kind = Rating.Kind.EXTRA
        rating.extra_because = because or (
            Rating.Extra.DROPPED if item.dropped and wants_more else Rating.Extra.FULL
        )
    return rating
