"""The texts of an item as a page shows them: as written, rendered, or with their differences.

All texts of a page share a budget of steps. Once it is used up, the page shows the other texts as
they were written, and says so. A cached text costs as many steps as a new one. They share a budget
of characters too: beyond it only the beginning of each is shown. A text that is cut, or has files
in it, leads to all of it as it is stored (`answer_whole_text`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from tasks.models import TextView
from tasks.rating_form.fields import Target
from tasks.rating_form.item_view import ItemView, ResponseView
from tasks.text.diff import DiffKind, difference, little_in_common, steps
from tasks.text.excerpt import LONGEST_SHOWN, Excerpt, excerpt_of
from tasks.text.render import Excess, plain, rendering

from .text_switches import TextSwitches, chosen_switches

# In the renderer's steps (`tasks.text.markdown`): some 3 seconds. Fifty responses of 8,000
# characters take 50,000 to 300,000 rendered, 200,000 compared.
MOST_STEPS = 600_000
# For the browser: some second of its layout. Each text shows at least a beginning.
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


class TextOnPage(NamedTuple):
    """A text in HTML, and how the page shows it."""

    display: TextDisplay
    html: SafeString


class TextAndBase(NamedTuple):
    """A text, and the key of the response that it is compared with, or ""."""

    text: str
    base: str


@dataclass(slots=True)
class PageBudget:
    """The rest of the budgets of a page, and its texts so far.

    A text that appears twice takes its steps once.
    """

    steps: int = MOST_STEPS
    characters: int = MOST_CHARACTERS
    texts_on_page: dict[TextAndBase, TextOnPage] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResponseFrame(Target):
    """The place of a response on a page, with a gap for its text; no text is a blank one."""

    text: str

    @property
    def blank(self) -> bool:
        return not self.text


@dataclass(frozen=True, slots=True)
class TextViews:
    """Shows the texts of an item, one after the other, in the view that is chosen."""

    switches: TextSwitches
    responses: tuple[ResponseView, ...] = ()
    budget: PageBudget = field(default_factory=PageBudget, compare=False)

    def show(self, text: str, key: str = "") -> TextOnPage:
        """Return a text as the page shows it. `key`: of the response, if the text is one's."""
        base = self._base_of(key)
        text_and_base = TextAndBase(text, base.key if base else "")
        if text_and_base not in self.budget.texts_on_page:
            self.budget.texts_on_page[text_and_base] = self._within_budgets(text, base)
        text_on_page = self.budget.texts_on_page[text_and_base]
        if self._is_chosen_base(key):
            display = replace(text_on_page.display, is_base=True)
            return text_on_page._replace(display=display)
        return text_on_page

    def _base_of(self, key: str) -> ResponseView | None:
        """Return the response that a text is compared with, or None if there is no comparison."""
        is_compared = key and self.switches.compares and self.switches.may_compare
        if not is_compared or self._is_chosen_base(key):
            return None
        others = {response.key: response for response in self.responses if response.key != key}
        first_other = next(iter(others.values()))
        return others.get(self.switches.base, first_other)

    def _is_chosen_base(self, key: str) -> bool:
        return self.switches.may_choose and key == self.switches.base

    def _within_budgets(self, text: str, base: ResponseView | None) -> TextOnPage:
        """Show what the budgets allow: as asked, as it was written, or its beginning."""
        most = max(SHORTEST_BEGINNING, min(LONGEST_SHOWN, self.budget.characters))
        excerpt = excerpt_of(text, most)
        self.budget.characters -= len(excerpt.text)
        text_on_page = self._in_chosen_view(excerpt, base) or self._beyond_budget(excerpt, base)
        display = replace(text_on_page.display, has_files=bool(excerpt.notes))
        if excerpt.is_cut:
            display = replace(display, most=most, length=len(text))
        return text_on_page._replace(display=display)

    def _in_chosen_view(self, excerpt: Excerpt, base: ResponseView | None) -> TextOnPage | None:
        """Return a text in the view that is chosen, or None if the steps do not reach."""
        if self.budget.steps <= 0:
            return None
        if base:
            return self._compared(excerpt, base)
        is_rendered = self.switches.view == TextView.RENDERED
        rendered = rendering(excerpt) if is_rendered else plain(excerpt)
        self.budget.steps -= rendered.steps
        display = TextDisplay(is_rendered, rendered.excess or "")
        html = mark_safe(rendered.html)  # noqa: S308 - escaped, or only what the renderer allows
        return TextOnPage(display, html)

    def _compared(self, excerpt: Excerpt, base: ResponseView) -> TextOnPage | None:
        """Return a text with its differences from the base, or None if it is too long for that."""
        base_excerpt = excerpt_of(base.text)
        # Of a cut text the end would be marked, which is in both.
        if excerpt.is_cut or base_excerpt.is_cut:
            return None
        self.budget.steps -= steps(base_excerpt.text, excerpt.text)
        if self.budget.steps <= 0:
            return None
        return _mark_difference(excerpt, base_excerpt, base.label)

    def _beyond_budget(self, excerpt: Excerpt, base: ResponseView | None) -> TextOnPage:
        """Return a text as it was written, and say so if another view is chosen."""
        excess = ""
        if base or self.switches.view == TextView.RENDERED:
            excess = Excess.PAGE
        return TextOnPage(TextDisplay(excess=excess), _as_plain_text(excerpt))


def _mark_difference(excerpt: Excerpt, base: Excerpt, base_label: str) -> TextOnPage:
    """Mark what only `excerpt` has, unless that is nearly everything."""
    parts = difference(base.text, excerpt.text)
    if little_in_common(parts):
        return TextOnPage(TextDisplay(other=base_label, is_marked=False), _as_plain_text(excerpt))
    # What only the base has is left out.
    tags = {DiffKind.SAME: "{}", DiffKind.SECOND: "<ins>{}</ins>"}
    pieces = []
    for part in parts:
        if part.diff_kind in tags:
            pieces.append(format_html(tags[part.diff_kind], part.text))
    html = excerpt.with_notes("".join(pieces))
    return TextOnPage(TextDisplay(other=base_label), mark_safe(html))  # noqa: S308 - escaped, with notes of ours


def _as_plain_text(excerpt: Excerpt) -> SafeString:
    return mark_safe(excerpt.html)  # noqa: S308 - escaped, with notes of ours


def text_views_of(
    desk: ItemView, lease_view: str, post: Mapping[str, str] | None = None
) -> TextViews:
    """Return the texts of a desk in the view that a page asks for, else in that of the lease."""
    return TextViews(chosen_switches(desk, lease_view, post), desk.responses)
