"""The views of an item's texts: as they were written, rendered, or with their differences.

The choice travels with the item's form, and is stored with the rating. The next item begins in the
view that the annotator last chose to read in (`Lease.view`), never with the differences.

All texts of a page share one budget of steps. Once it is used up, the page shows the other texts
as they were written, and says so. A cached text costs as many steps as a new one. They share one
budget of characters too: beyond it only the beginning of each is shown. A text that is cut, or has
files in it, leads to all of it as it is stored (`answer_whole`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe

from tasks.models import TextView
from tasks.rating_form.item_view import ItemView, ShownResponse
from tasks.text.diff import DiffKind, difference, little_in_common, steps
from tasks.text.excerpt import LONGEST_SHOWN, Excerpt, excerpt_of
from tasks.text.render import Excess, plain, rendering

VIEWS = frozenset(TextView.values)
FIRST = "r1"  # the key of the first response
# The budget of all texts of a page, in the renderer's steps (`tasks.text.markdown`): some 3
# seconds. Fifty responses of 8,000 characters take 50,000 to 300,000 rendered, 200,000 compared.
MOST_STEPS = 600_000


# The budget of all texts of a page in characters, for the browser: some second of its layout. Each
# text shows at least a beginning.
MOST_CHARACTERS = 500_000
SHORTEST_BEGINNING = 4_000


@dataclass(frozen=True, slots=True)
class ShownText:
    """The way a page shows a text."""

    is_rendered: bool = False
    excess: str = ""  # why it is neither rendered nor compared as asked (`tasks.text.render`)
    other: str = ""  # label of the response that it is compared with
    is_base: bool = False  # the others are compared with it
    is_marked: bool = True  # False: too little in common with `other` to mark anything
    most: int = 0  # characters shown, if the text is cut
    length: int = 0  # characters of the text, if it is cut
    has_files: bool = False  # notes are in place of files


@dataclass(slots=True)
class PageWork:
    """The remaining budget of a page's texts, and the texts shown so far.

    A text that appears twice takes its steps once.
    """

    left: int = MOST_STEPS  # steps
    characters: int = MOST_CHARACTERS
    shown: dict[tuple[str, str], tuple[ShownText, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextViews:
    """The view of all texts of an item."""

    view: TextView
    back: TextView = TextView.TEXT  # the view to go back to from the differences
    # Key of the response that all others are compared with. One of two is compared with the other.
    base: str = FIRST
    responses: tuple[ShownResponse, ...] = ()
    work: PageWork = field(default_factory=PageWork, compare=False)

    @property
    def may_compare(self) -> bool:
        return len(self.responses) > 1

    @property
    def may_choose(self) -> bool:
        """True if differences are shown and there is a choice of `base`."""
        return len(self.responses) > 2 and self.view == TextView.DIFFERENCE

    @property
    def switched(self) -> TextView:
        """The view that the switch between text and rendered leads to."""
        return TextView.TEXT if self.view == TextView.RENDERED else TextView.RENDERED

    @property
    def compared(self) -> TextView:
        """The view that the switch of the differences leads to."""
        return self.back if self.view == TextView.DIFFERENCE else TextView.DIFFERENCE

    @property
    def without_texts(self) -> TextViews:
        """The same view of the same responses, for a page that shows none of their texts."""
        bare = (replace(each, pk=0, number=0, model="", text="") for each in self.responses)
        return replace(self, responses=tuple(bare), work=PageWork())

    def show(self, text: str, key: str = "") -> tuple[ShownText, str]:
        """Return how a text is shown, and the text itself or its HTML.

        `key`: the key of the response, if the text is one's.
        """
        other = self._other(key) if self.view == TextView.DIFFERENCE else None
        asked = text, other.key if other else ""
        if asked not in self.work.shown:
            self.work.shown[asked] = self._work_out(text, other)
        how, html = self.work.shown[asked]
        return (replace(how, is_base=True) if self._is_base(key) else how), html

    def _work_out(self, text: str, other: ShownResponse | None) -> tuple[ShownText, str]:
        """Show what the budgets allow: as asked, as it was written, or its beginning."""
        most = max(SHORTEST_BEGINNING, min(LONGEST_SHOWN, self.work.characters))
        part = excerpt_of(text, most)
        self.work.characters -= len(part.text)
        how, html = self._in_view(part, other)
        how = replace(how, has_files=bool(part.notes))
        return (replace(how, most=most, length=len(text)) if part.is_cut else how), html

    def _in_view(self, part: Excerpt, other: ShownResponse | None) -> tuple[ShownText, str]:
        is_rendered = self.view == TextView.RENDERED
        if other is not None and self.work.left > 0:
            base = excerpt_of(other.text)
            if not (part.is_cut or base.is_cut):  # else its end would be marked, which is in both
                self.work.left -= steps(base.text, part.text)
                if self.work.left > 0:
                    return _compared(part, base, other.label)
        elif self.work.left > 0:
            shown = rendering(part) if is_rendered else plain(part)
            self.work.left -= shown.steps
            html = mark_safe(shown.html)  # noqa: S308 - escaped, or only what the renderer allows
            return ShownText(is_rendered, shown.excess or ""), html
        return ShownText(excess=Excess.PAGE if is_rendered or other else ""), _as_written(part)

    def _is_base(self, key: str) -> bool:
        return self.may_choose and key == self.base

    def _other(self, key: str) -> ShownResponse | None:
        """Return the response to compare with, or None if there is no comparison."""
        if not (key and self.may_compare) or self._is_base(key):
            return None
        others = [response for response in self.responses if response.key != key]
        return next((each for each in others if each.key == self.base), others[0])


def _compared(part: Excerpt, base: Excerpt, label: str) -> tuple[ShownText, str]:
    """Mark what only `part` has, unless that is nearly everything."""
    parts = difference(base.text, part.text)
    if little_in_common(parts):
        return ShownText(other=label, is_marked=False), _as_written(part)
    tags = {DiffKind.SAME: "{}", DiffKind.SECOND: "<ins>{}</ins>"}
    own = (format_html(tags[each.kind], each.text) for each in parts if each.kind in tags)
    html = part.with_notes(format_html_join("", "{}", ((each,) for each in own)))
    return ShownText(other=label), mark_safe(html)  # noqa: S308 - escaped, with notes of ours


def _as_written(part: Excerpt) -> str:
    return mark_safe(part.html)  # noqa: S308 - escaped, with notes of ours


def look_at(desk: ItemView, first: str, asked: Mapping[str, str] | None = None) -> TextViews:
    """Return the view of a desk's texts that is asked for, or else the lease's (`first`).

    Invalid values lead to the default. This is no Django form, because every verdict reads it: a
    form takes 6 % of a verdict's time for these four fields.
    """
    # `show` is asked for by a button, `view` was shown before.
    show, view, back = ((asked or {}).get(name, "") for name in ("show", "view", "back"))
    if not VIEWS.issuperset(filter(None, (show, view, back))):
        show = view = back = ""
    before = TextView(view or first)
    shown = TextView(show or before)
    if shown == TextView.DIFFERENCE and len(desk.responses) < 2:
        shown = TextView(first)
    leads_back = before if before != TextView.DIFFERENCE else TextView(back or first)
    base = (asked or {}).get("base", "")
    is_base = any(response.key == base for response in desk.responses)
    return TextViews(shown, leads_back, base if is_base else FIRST, desk.responses)
