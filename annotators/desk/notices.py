"""Messages above the next item about what happened to the one before."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks.models import Lease, Rating

STAYS_CLOSED = gettext_lazy(
    "That item was not opened: you have opened as many items with a warning today as a day may "
    "bring. It went back to the others; if you had entered anything of it before, that is kept for "
    "when it comes again."
)


def of_storing(held: Lease, rating: Rating) -> str:
    """Return how a late rating was stored, or "" if it came in time and counts."""
    if rating.kind == Rating.Kind.EXTRA:
        said = _(
            "Your rating is stored, as an extra one: %(why)s. It is kept and exported all the same."
        )
        return said % {"why": rating.why_extra}
    if rating.submitted_at > held.expires_at:
        return _(
            "Your rating is stored, and counts: your time for the item was over, but a place was "
            "free."
        )
    return ""
