"""Drop an item, or take it back: all figures follow at once, the list, and who holds the item.

The act pays for all of it, so that neither a rating nor a page does.
"""

from datetime import datetime

from django.db import transaction

from config.web.people import User

from .items import Item
from .list_renewal import renew_entry
from .stored_figures import ScoreCounts
from .wanted_ratings import hold_batch


@transaction.atomic
def decide_dropped(item: Item, dropped: bool, *, why: str, by: User, now: datetime) -> None:
    """Drop an item, or take it back, with a reason. The last act counts."""
    hold_batch(item.batch_id)
    item = Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    if not (dropped or item.dropped):
        return
    is_news = item.dropped != dropped
    item.dropped = dropped
    item.dropped_why = why
    item.dropped_by = by
    item.dropped_at = now
    item.save(update_fields=["dropped", "dropped_why", "dropped_by", "dropped_at"])
    item.offer_again()
    if is_news:
        ScoreCounts.follow_item(item, now=now)
        renew_entry(item)
        item.batch.recount_applicable(item.pk, is_dropped=item.dropped)
    if item.dropped:
        item.leases.filter(status="live").update(status="dropped", ended_at=now)
