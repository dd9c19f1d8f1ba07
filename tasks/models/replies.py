"""Reply to skips and flags: a decision is stored, its annotator told, and the item follows."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from config.web.people import User

from .concerns import Concern
from .dropping import decide_dropped
from .items import Item
from .notices import Notice
from .ratings import Rating
from .returned_ratings import ReturnedRating
from .wanted_ratings import hold_batch

Decision = Concern.Decision


@transaction.atomic
def reply_to(
    concern: Concern, decision: Decision, *, by: User, now: datetime, answer: str = ""
) -> None:
    """Store the lead's decision on a concern and apply it to the item.

    A decision may be changed; the item that it dropped is then handed out again.

    - "again": a skipped item may come to the same annotator again. A flagged rating comes back to
      them each time the lead decides so, until it is revised or decided otherwise. If there is no
      rating yet, it comes back as soon as it is stored.
    - "to someone else": a flagged item that is already rated wants one more rating
      (`wanted_ratings`).
    - "answered": the annotator reads the answer, and nothing else changes.
    """
    hold_batch(concern.item.batch_id)
    item = Item.objects.select_for_update(of=("self",)).get(pk=concern.item_id)
    stored = Concern.objects.select_for_update(of=("self",)).get(pk=concern.pk)
    before = stored.decision
    is_news = (decision, answer) != (before, stored.answer)
    stored.decision = decision
    stored.answer = answer
    stored.decided_by = by
    stored.decided_at = now
    stored.save(update_fields=["decision", "answer", "decided_by", "decided_at"])
    if not concern.project.concerns.waiting().flags:
        Notice.objects.mark_decided(stored.project_id, now=now)
    comes_back = stored.kind == Concern.Kind.FLAG and _follow_flag(stored, before, now)
    # A rating that comes back has a notice of its own, with the answer. A lead who rates too is not
    # told of their own decision.
    if is_news and not comes_back and stored.annotator_id != by.pk:
        _tell_annotator(stored, now)
    if Decision.DROP in (decision, before):
        why = answer or concern.note or str(concern.get_reason_display())
        decide_dropped(item, decision == Decision.DROP, why=why, by=by, now=now)
    if decision != before:
        item.offer_again()


def _tell_annotator(concern: Concern, now: datetime) -> None:
    notice = Notice(
        user_id=concern.annotator_id,
        project_id=concern.project_id,
        kind=Notice.Kind.DECISION,
        concern=concern,
        created_at=now,
    )
    Notice.objects.tell(notice)


def _follow_flag(flag: Concern, before: str, now: datetime) -> bool:
    """Send the flagged rating back to its annotator, or stop asking for it.

    Return True if it goes back.
    """
    rating = (
        Rating.objects.current()
        .filter(item=flag.item_id, annotator=flag.annotator_id, attempt=0)
        .first()
    )
    if rating is None:
        return False
    if flag.decision == Decision.AGAIN:
        return _send_back(rating, flag, now)
    if before == Decision.AGAIN:
        ReturnedRating.objects.withdraw([rating.pk], cause=flag.cause, now=now)
    return False


def _send_back(rating: Rating, flag: Concern, now: datetime) -> bool:
    """Send a rating of the item back to the annotator, unless they found it distressing.

    Return True if it goes back.
    """
    if flag.is_distressing:
        return False
    reason = flag.answer or _("The lead asks you to check this item again.")
    return ReturnedRating.objects.send_back(rating, reason, cause=flag.cause, now=now)


def send_back_stored(rating: Rating, *, now: datetime) -> None:
    """Send back a rating that was just stored, if the lead has asked for that before.

    This applies each of the annotator's flags on the item that the lead decided as "again".
    """
    if not rating.comes_back:
        return
    flags = Concern.objects.filter(
        item=rating.item_id,
        annotator=rating.annotator_id,
        kind=Concern.Kind.FLAG,
        decision=Decision.AGAIN,
    )
    for flag in flags.order_by("decided_at", "pk"):
        _send_back(rating, flag, now)


@transaction.atomic
def drop_item(item: Item, *, why: str, by: User, now: datetime) -> None:
    """Drop an item for a reason, which answers the flags and skips of it that wait."""
    for concern in item.concerns.undecided().select_related("project", "item"):
        reply_to(concern, Decision.DROP, answer=why, by=by, now=now)
    decide_dropped(item, True, why=why, by=by, now=now)
