"""Messages above the next item about what happened to the one before."""

from django.utils.translation import gettext as _, gettext_lazy

from tasks.models import Lease, Rating

STAYS_CLOSED = gettext_lazy(
    "We did not open that item: you have reached today’s limit of items with a "
    "warning. Someone else gets it now. If you had entered something, it is saved "
    "for when the item comes back to you."
)


def of_storing(held: Lease, rating: Rating) -> str:
    """Return how a late rating was stored, or "" if it came in time and counts."""
    if rating.kind == Rating.Kind.EXTRA:
        said = _("Your rating is saved as an extra one: %(why)s. It is still kept and exported.")
        return said % {"why": rating.why_extra}
    if rating.submitted_at > held.expires_at:
        return _(
            "Your rating is saved and counts. Your time for the item was over, "
            "but a place was still free."
        )
    return ""
