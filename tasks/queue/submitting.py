"""Store the rating of a lease once, whatever happens meanwhile, and its corrections.

`allocation.submit_and_take_next` calls `submit_lease` with what the form says, and the desk's page
of a correction calls `correct_rating`. Both store with `insert_rating.store`.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.db.models import Min
from django.http import Http404

from tasks.answers.submission import Submission
from tasks.models import Draft, Item, Lease, Membership, Notice, Project, Question, Rating
from tasks.models.replies import send_back_stored
from tasks.models.wanted_ratings import share_batch

from .insert_rating import store


def submit_lease(lease: Lease, submission: Submission, *, now: datetime) -> Rating:
    """Store a rating, once, and return it.

    If the lease was already submitted, return the rating that was stored then. If it has ended,
    store the rating all the same; it counts if the item still has a place. It is extra if the
    lease ended long ago or the annotator was removed. Raise Http404 if the project has moved to
    another version of its rubric since the form was read.
    """
    with transaction.atomic(savepoint=False):
        usual = _store_if_usual(lease, submission, now)
        if usual:
            return usual
        lease.lock()
        if lease.status == Lease.Status.SUBMITTED:
            # From the database: `lease.rating` may be one that was not stored.
            return Rating.objects.get(lease=lease)
        if lease.status != Lease.Status.LIVE:
            projects = Project.objects.filter(pk=lease.project_id, rubric=lease.project.rubric_id)
            if not projects.exists():
                raise Http404
            # Late. If the same annotator has a newer lease on the item, this ends it too.
            lease.release_later_lease(now)
        because = _why_not_counted(lease, now)
        rating = _new_rating(lease, submission, now, because)
        if store(rating, submission, lease.responses, only_first=True):
            send_back_stored(rating, now=now)
        else:
            # The item was rated meanwhile under a later lease: store this as an extra rating.
            rating.attempt = lease.ratings_of_annotator().latest("attempt").attempt + 1
            rating.kind = Rating.Kind.EXTRA
            rating.extra_because = because or Rating.Extra.AGAIN
            store(rating, submission, lease.responses)
        return rating


def _store_if_usual(lease: Lease, submission: Submission, now: datetime) -> Rating | None:
    """Store and return a counted rating of a live lease, or return None if anything is unusual.

    Nothing is locked before: the statement itself checks that nothing has come in between.
    """
    is_live = lease.status == Lease.Status.LIVE and lease.annotator_is_member
    if not is_live or lease.is_long_over(now):
        return None
    rating = _new_rating(lease, submission, now)
    rating.kind = Rating.Kind.COUNTED
    rating.extra_because = ""
    if not store(rating, submission, lease.responses, only_first=True, only_live=True):
        return None
    send_back_stored(rating, now=now)
    return rating


def _why_not_counted(lease: Lease, now: datetime) -> str:
    """Return why a rating can't count whatever the item wants, or "".

    The caller has locked the lease. If it has ended, look whether the annotator rates in the
    project: they may have been removed meanwhile, or have come back.
    """
    if lease.status != Lease.Status.LIVE:
        lease.annotator_is_member = Membership.objects.filter(
            project=lease.project_id, user=lease.annotator_id, role=Membership.Role.ANNOTATOR
        ).exists()
    if not lease.annotator_is_member:
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
    if because or not item.has_place_for(is_live=lease.status == Lease.Status.LIVE):
        is_dropped = item.dropped and item.counted < item.wanted
        reason = Rating.Extra.DROPPED if is_dropped else Rating.Extra.FULL
        rating.kind = Rating.Kind.EXTRA
        rating.extra_because = because or reason
    return rating


class Outdated(Exception):
    """A correction of a revision that is no longer the latest."""


class ReadOnly(Exception):
    """A correction of a rating that may no longer be corrected; the message says why."""


class QuestionWaits(Exception):
    """A correction that leaves a question open, because it lacks its reply or came before it."""


def correct_rating(
    rating: Rating,
    submission: Submission,
    *,
    based_on: int,
    reply: str = "",
    last_question: int | None = None,
    now: datetime,
) -> Rating:
    """Store a new revision of the rating and return it.

    `based_on`: the number of the revision that the correction was made from. The same
    correction sent again returns the revision that it created. A correction that changes
    nothing returns the latest revision, unless that came back: then it is an answer too, and a
    new revision. `reply`: to the questions that wait. `last_question`: the key of the last one
    that the page showed, 0 if it showed none; None says that none needs an answer.

    Raise Outdated if another revision was stored meanwhile, ReadOnly if the rating may not be
    corrected, and QuestionWaits if a question was not shown, or nothing changes without a reply.
    """
    with transaction.atomic():
        # This and a request that closes the batch wait for each other. As everywhere, the batch
        # is locked before the item.
        share_batch(rating.item.batch_id)
        Item.objects.select_for_update(no_key=True).get(pk=rating.item_id)
        latest = Rating.objects.lock_latest(rating)
        if latest.revision != based_on:
            revisions = Rating.objects.revisions_of(rating).filter(revision=based_on + 1)
            same = revisions.filter(fingerprint=submission.fingerprint).first()
            if same is None:
                raise Outdated
            return same
        is_same = submission.fingerprint == latest.fingerprint
        if is_same and not latest.waits_for_revision:
            return latest
        if last_question is not None and latest.waits_for_revision:
            is_answered = bool(reply) or not is_same
            _check_questions(latest, last_question, is_answered=is_answered)
        begun = Draft.objects.filter(corrects=latest).aggregate(first=Min("begun_at"))["first"]
        started = begun or latest.correction_started_at(submission.active_seconds, now)
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
        _store_next(latest, revised, submission, list(order), reply, now)
        return revised


def _check_questions(latest: Rating, last_question: int, *, is_answered: bool) -> None:
    """Raise QuestionWaits if one was not shown, or if those shown have no answer."""
    waiting = list(Question.objects.waiting_on(latest).values_list("pk", flat=True))
    if waiting and (waiting[-1] > last_question or not is_answered):
        raise QuestionWaits


def _store_next(
    latest: Rating,
    revised: Rating,
    submission: Submission,
    response_keys: list[int],
    reply: str,
    now: datetime,
) -> None:
    """Store a rating as the next revision of this one, which the caller has locked.

    If this one came back, that settles it, unless only the mark "not sure" changed, without a
    reply: then the new revision waits in its place. Raise ReadOnly if this one may no longer be
    changed.
    """
    reason = latest.why_read_only(now)
    if reason:
        raise ReadOnly(reason)
    revised.attempt = latest.attempt
    revised.revision = latest.revision + 1
    revised.supersedes = latest
    revised.kind = latest.kind
    revised.extra_because = latest.extra_because
    store(revised, submission, response_keys)
    if not latest.waits_for_revision:
        return
    unmarked = replace(submission, not_sure=latest.not_sure)
    is_only_mark = submission.not_sure != latest.not_sure
    if is_only_mark and unmarked.fingerprint == latest.fingerprint and not reply:
        latest.returned.rating = revised
        latest.returned.save(update_fields=["rating"])
    else:
        closed = Question.objects.close(latest, revised, reply, now=now)
        _finish_return(latest, Question.objects.askers_of(revised) if closed else (), now)


def _finish_return(latest: Rating, askers: Collection[int], now: datetime) -> None:
    """Mark what was asked as done, and tell the leads and askers, if one of them asked."""
    latest.returned.settled_at = now
    latest.returned.save(update_fields=["settled_at"])
    notices = latest.returned.notices.filter(  # by a lead; in the order of the index
        user=latest.annotator_id, kind=Notice.Kind.RETURNED, project=latest.project_id
    )
    if notices.exists():
        Notice.objects.tell_leads(
            latest.project_id,
            Notice.Kind.REVISED,
            returned=latest.returned.pk,
            askers=askers,
            by=latest.annotator.pk,
            now=now,
        )
