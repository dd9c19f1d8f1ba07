"""The views of an item's texts: as they were written, rendered, or with their differences.

The choice travels with the item's form, and is stored with the rating. The next item begins in the
view that the annotator last chose to read in (`Lease.view`), never with the differences.

All texts of a page share one budget of steps. Once it is used up, the page shows the other texts
as they were written, and says so. A cached text costs as many steps as a new one. They share one
budget of characters too: beyond it only the beginning of each is shown. A text that is cut, or has
files in it, leads to all of it as it is stored (`answer_whole_text`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.utils.html import format_html
from django.utils.safestring import mark_safe

from tasks.models import TextView
from tasks.rating_form.fields import Target
from tasks.rating_form.item_view import ItemView, ResponseView
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
class TextDisplay:
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
    rendered: dict[tuple[str, str], tuple[TextDisplay, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResponseFrame(Target):
    """The place of a response on a page, with a gap for its text; no text is a blank one."""

    text: str

    @property
    def blank(self) -> bool:
        return not self.text


@dataclass(frozen=True, slots=True)
class TextSwitches:
    """The switches between the views of an item's texts, on a page that may have none of them."""

    view: TextView
    back: TextView = TextView.TEXT  # the view to go back to from the differences
    # Key of the response that all others are compared with. One of two is compared with the other.
    base: str = FIRST
    responses: tuple[Target, ...] = ()

    @property
    def may_compare(self) -> bool:
        return len(self.responses) > 1

    @property
    def may_choose(self) -> bool:
        """True if differences are shown and there is a choice of `base`."""
        return len(self.responses) > 2 and self.view == TextView.DIFFERENCE

    @property
    def after_switch(self) -> TextView:
        """The view that the switch between text and rendered leads to."""
        if self.view == TextView.RENDERED:
            return TextView.TEXT
        return TextView.RENDERED

    @property
    def after_compare(self) -> TextView:
        """The view that the switch of the differences leads to."""
        if self.view == TextView.DIFFERENCE:
            return self.back
        return TextView.DIFFERENCE


@dataclass(frozen=True, slots=True)
class TextViews(TextSwitches):
    """The view of all texts of an item."""

    responses: tuple[ResponseView, ...] = ()
    work: PageWork = field(default_factory=PageWork, compare=False)

    @property
    def switches(self) -> TextSwitches:
        """The same without the texts: what is cached for all items."""
        targets = tuple(Target(response.key) for response in self.responses)
        return TextSwitches(self.view, self.back, self.base, targets)

    def show(self, text: str, key: str = "") -> tuple[TextDisplay, str]:
        """Return how a text is shown, and the text itself or its HTML.

        `key`: the key of the response, if the text is one's.
        """
        other = None
        if self.view == TextView.DIFFERENCE:
            other = self._other(key)
        compared_texts = (text, other.key if other else "")
        if compared_texts not in self.work.rendered:
            self.work.rendered[compared_texts] = self._work_out(text, other)
        display, html = self.work.rendered[compared_texts]
        if self._is_base(key):
            display = replace(display, is_base=True)
        return display, html

    def _work_out(self, text: str, other: ResponseView | None) -> tuple[TextDisplay, str]:
        """Show what the budgets allow: as asked, as it was written, or its beginning."""
        most = max(SHORTEST_BEGINNING, min(LONGEST_SHOWN, self.work.characters))
        part = excerpt_of(text, most)
        self.work.characters -= len(part.text)
        display, html = self._in_view(part, other)
        display = replace(display, has_files=bool(part.notes))
        if part.is_cut:
            display = replace(display, most=most, length=len(text))
        return display, html

    def _in_view(self, excerpt: Excerpt, other: ResponseView | None) -> tuple[TextDisplay, str]:
        is_rendered = self.view == TextView.RENDERED
        if other is not None and self.work.left > 0:
            base = excerpt_of(other.text)
            # Of a cut text the end would be marked, which is in both.
            if not (excerpt.is_cut or base.is_cut):
                self.work.left -= steps(base.text, excerpt.text)
                if self.work.left > 0:
                    return _mark_difference(excerpt, base, other.label)
        elif self.work.left > 0:
            rendered = rendering(excerpt) if is_rendered else plain(excerpt)
            self.work.left -= rendered.steps
            html = mark_safe(rendered.html)  # noqa: S308 - escaped, or only what the renderer allows
            return TextDisplay(is_rendered, rendered.excess or ""), html
        excess = ""
        if is_rendered or other:
            excess = Excess.PAGE
        return TextDisplay(excess=excess), _escaped(excerpt)

    def _is_base(self, key: str) -> bool:
        return self.may_choose and key == self.base

    def _other(self, key: str) -> ResponseView | None:
        """Return the response to compare with, or None if there is no comparison."""
        if not (key and self.may_compare) or self._is_base(key):
            return None
        others = {response.key: response for response in self.responses if response.key != key}
        if self.base in others:
            return others[self.base]
        return next(iter(others.values()))


def _mark_difference(excerpt: Excerpt, base: Excerpt, label: str) -> tuple[TextDisplay, str]:
    """Mark what only `excerpt` has, unless that is nearly everything."""
    parts = difference(base.text, excerpt.text)
    if little_in_common(parts):
        return TextDisplay(other=label, is_marked=False), _escaped(excerpt)
    tags = {DiffKind.SAME: "{}", DiffKind.SECOND: "<ins>{}</ins>"}
    pieces = []
    for piece in parts:
        if piece.diff_kind in tags:
            pieces.append(format_html(tags[piece.diff_kind], piece.text))
    html = excerpt.with_notes("".join(pieces))
    return TextDisplay(other=label), mark_safe(html)  # noqa: S308 - escaped, with notes of ours


def _escaped(excerpt: Excerpt) -> str:
    return mark_safe(excerpt.html)  # noqa: S308 - escaped, with notes of ours


def text_views_of(desk: ItemView, first: str, query: Mapping[str, str] | None = None) -> TextViews:
    """Return the view of a desk's texts that is asked for, or else the lease's (`first`).

    Invalid values lead to the default. This is no Django form, because every verdict reads it: a
    form takes 6 % of a verdict's time for these four fields.
    """
    query = query or {}
    # `show` is asked for by a button, `view` was shown before.
    show = query.get("show", "")
    view = query.get("view", "")
    back = query.get("back", "")
    if not VIEWS.issuperset(filter(None, (show, view, back))):
        show = view = back = ""
    before = TextView(view or first)
    chosen = TextView(show or before)
    if chosen == TextView.DIFFERENCE and len(desk.responses) < 2:
        chosen = TextView(first)
    leads_back = before
    if before == TextView.DIFFERENCE:
        leads_back = TextView(back or first)
    base = query.get("base", "")
    is_base = any(response.key == base for response in desk.responses)
    return TextViews(chosen, leads_back, base if is_base else FIRST, desk.responses)
