"""Store a correction of a rating, or the answer to one that came back, as its next revision."""

from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import Min

from tasks.models import Draft, Item, Notice, Rating
from tasks.models.targets import share_batch
from tasks.submission import Submission

from .insert_rating import store


class NotCorrected(Exception):
    """A correction that is refused; `rating` is the latest revision."""

    def __init__(self, rating: Rating, why: str = "") -> None:
        self.rating = rating
        super().__init__(why)


class Outdated(NotCorrected):
    """A correction of a revision that is no longer the latest."""


class ReadOnly(NotCorrected):
    """A correction of a rating that may no longer be corrected; the message says why."""


def correct_rating(
    rating: Rating, submission: Submission, *, based_on: int, now: datetime
) -> Rating:
    """Store a new revision of the rating and return it.

    `based_on`: the number of the revision that the correction was made from. The same
    correction sent again returns the revision that it created. A correction that changes
    nothing returns the latest revision, unless that came back: then it is an answer too, and a
    new revision.

    Raise Outdated if another revision was stored meanwhile, and ReadOnly if the rating may not be
    corrected.
    """
    with transaction.atomic():
        # This and a request that closes the batch wait for each other. As everywhere, the batch
        # is locked before the item.
        share_batch(rating.item.batch_id)
        Item.objects.select_for_update(no_key=True).get(pk=rating.item_id)
        latest = Rating.objects.lock_latest(rating)
        if latest.revision != based_on:
            told = (
                Rating.objects.revisions_of(rating)
                .filter(revision=based_on + 1, fingerprint=submission.fingerprint)
                .first()
            )
            if told is None:
                raise Outdated(latest)
            return told
        if submission.fingerprint == latest.fingerprint and not latest.is_asked_for:
            return latest
        begun = Draft.objects.filter(corrects=latest).aggregate(first=Min("begun_at"))["first"]
        started = begun or latest.correction_begun(submission.active_seconds, now)
        elapsed = max(0, int((now - started).total_seconds()))
        revised = Rating(
            project_id=rating.project_id,
            item_id=rating.item_id,
            annotator=rating.annotator,
            rubric_id=rating.rubric_id,
            active_seconds=submission.active_within(elapsed),
            elapsed_seconds=elapsed,
            started_at=started,
            submitted_at=now,
        )
        order = latest.placements.order_by("position").values_list("response", flat=True)
        _store_next(latest, revised, submission, list(order), now)
        return revised


def _store_next(
    latest: Rating, revised: Rating, submission: Submission, responses: list[int], now: datetime
) -> None:
    """Store a rating as the next revision of this one, which the caller has locked.

    If this one came back, that settles it, unless only the mark "not sure" changed: then the
    new revision waits in its place. Raise ReadOnly if this one may no longer be changed.
    """
    if reason := latest.why_read_only(now):
        raise ReadOnly(latest, reason)
    revised.attempt = latest.attempt
    revised.revision, revised.supersedes = latest.revision + 1, latest
    revised.kind, revised.extra_because = latest.kind, latest.extra_because
    store(revised, submission, responses)
    if not latest.is_asked_for:
        return
    if submission.not_sure != latest.not_sure and (
        replace(submission, not_sure=latest.not_sure).fingerprint == latest.fingerprint
    ):
        latest.returned.rating = revised
        latest.returned.save(update_fields=["rating"])
    else:
        _settle(latest, now)


def _settle(latest: Rating, now: datetime) -> None:
    """Mark what was asked as done, and tell the leads, if one of them asked."""
    latest.returned.settled_at = now
    latest.returned.save(update_fields=["settled_at"])
    asked = latest.returned.notices.filter(  # by a lead; in the order of the index
        user=latest.annotator_id, kind=Notice.Kind.RETURNED, project=latest.project_id
    )
    if asked.exists():
        Notice.objects.tell_leads(
            latest.project_id,
            Notice.Kind.REVISED,
            returned=latest.returned.pk,
            by=latest.annotator_id,
            now=now,
        )
