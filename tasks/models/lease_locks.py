"""The lock of a lease and its item, and what may have changed of both."""

from datetime import datetime
from typing import NamedTuple

from config.web.raw_sql import one_row

# Rows are locked in the order of the tables in FROM.
LOCK = """
SELECT item.wanted, item.counted, item.reserved, item.dropped,
  lease.status, lease.expires_at, lease.ended_at, lease.opened_at
FROM tasks_item AS item JOIN tasks_lease AS lease ON lease.item_id = item.id
WHERE lease.id = %s FOR NO KEY UPDATE OF item, lease
"""


class LockedLease(NamedTuple):
    """The columns of `LOCK`: what may have changed of an item and of its lease."""

    wanted: int
    counted: int
    reserved: int
    dropped: bool
    status: str
    expires_at: datetime
    ended_at: datetime | None
    first_view_at: datetime | None  # of the texts


def lock_lease(lease: int) -> LockedLease | None:
    """Lock an item and then its lease, until the transaction ends. None: the batch was removed."""
    row = one_row(LOCK, [lease])
    return LockedLease(*row) if row else None
