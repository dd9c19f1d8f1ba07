"""What the desk says above the next item of what became of the one before."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks.models import Lease, Rating

STAYS_CLOSED = gettext_lazy(
    "That item was not opened: you have opened as many items with a warning today as a day may bring. It "
    "went back to the others; if you had entered anything of it before, that is kept for when it comes again."
)


def why_extra(rating: Rating) -> str:
    """Why a rating does not count, beside those that do: what goes on after a colon."""
    if rating.round:
        return _("you had rated the item already, and what you said then counts")
    if rating.item.dropped and rating.item.counted < rating.item.wanted:
        return _("the lead has dropped the item")
    return _("when it came, the item wanted no more ratings")


def of_storing(held: Lease, rating: Rating) -> str:
    """How a rating was stored that came late; "" of one that came in time and counts."""
    if rating.kind == Rating.Kind.EXTRA:
        said = _("Your rating is stored, as an extra one: %(why)s. It is kept and exported all the same.")
        return said % {"why": why_extra(rating)}
    if rating.submitted_at > held.expires_at:
        return _("Your rating is stored, and counts: your time for the item was over, but a place was free.")
    return ""
