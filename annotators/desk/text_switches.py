"""The switches between the views of an item's texts: as written, rendered, or compared.

The choice travels with the item's form, and is stored with the rating. The next item begins in the
view that the annotator last chose to read in (`Lease.view`), never with the differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.models import TextView
from tasks.rating_form.fields import Target
from tasks.rating_form.item_view import ItemView

VIEWS = frozenset(TextView.values)
FIRST_RESPONSE = "r1"  # its key


@dataclass(frozen=True, slots=True)
class TextSwitches:
    """The switches of an item, on a page that may have none of them.

    They hold no texts, so that their HTML is cached for all items.
    """

    view: TextView
    back: TextView = TextView.TEXT  # the view to go back to from the differences
    # Key of the response that all others are compared with. One of two is compared with the other.
    base: str = FIRST_RESPONSE
    bases: tuple[Target, ...] = ()  # that may be chosen

    @property
    def compares(self) -> bool:
        """True if differences are shown."""
        return self.view == TextView.DIFFERENCE

    @property
    def may_compare(self) -> bool:
        """True if there is something to compare."""
        return len(self.bases) > 1

    @property
    def may_choose(self) -> bool:
        """True if differences are shown and there is a choice of `base`."""
        return self.compares and len(self.bases) > 2

    @property
    def after_switch(self) -> TextView:
        """The view that the switch between text and rendered leads to."""
        if self.view == TextView.RENDERED:
            return TextView.TEXT
        return TextView.RENDERED

    @property
    def after_compare(self) -> TextView:
        """The view that the switch of the differences leads to."""
        if self.compares:
            return self.back
        return TextView.DIFFERENCE


def chosen_switches(
    desk: ItemView, lease_view: str, post: Mapping[str, str] | None = None
) -> TextSwitches:
    """Return the switches as a page sent them; without, or with a wrong value, in the lease's view.

    A page sends `show`, the view that a button asks for, `view`, the one that the page has, `back`
    and `base`.

    This is no Django form, because every verdict reads it: a form takes 6 % of a verdict's time for
    these four fields.
    """
    post = post or {}
    show = post.get("show", "")
    view = post.get("view", "")
    back = post.get("back", "")
    sent_views = {show, view, back} - {""}
    if not VIEWS.issuperset(sent_views):
        show = view = back = ""
    page_view = TextView(view or lease_view)
    chosen_view = TextView(show or page_view)
    if chosen_view == TextView.DIFFERENCE and len(desk.responses) < 2:
        chosen_view = TextView(lease_view)
    view_to_go_back_to = page_view
    if page_view == TextView.DIFFERENCE:
        view_to_go_back_to = TextView(back or lease_view)
    keys = [response.key for response in desk.responses]
    base = post.get("base", "")
    if base not in keys:
        base = FIRST_RESPONSE
    bases = tuple(Target(key) for key in keys)
    return TextSwitches(chosen_view, view_to_go_back_to, base, bases)
