"""Figures, the list and leases follow an item that is dropped or taken back.

The act pays for all of it, so that neither a rating nor a page does.
"""

from datetime import datetime

from .item_list import renew_entry
from .items import Item
from .leases import Lease
from .stored_figures import ScoreCounts


def settle_dropped(item: Item, *, now: datetime) -> None:
    """Let all that is stored of an item follow its state, for who has locked batch and item."""
    ScoreCounts.settle_dropped(item, now=now)
    renew_entry(item)
    item.batch.count_asked_again(item)
    if item.dropped:
        held = Lease.objects.filter(item=item, status=Lease.Status.LIVE)
        held.update(status=Lease.Status.DROPPED, ended_at=now)
