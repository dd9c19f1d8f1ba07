"""How the texts of the item on the desk are shown: as they were written, rendered, or with their
differences.

What is chosen holds for the item, and goes along with its form: nothing of it is stored before the
rating is.

The texts of one page share what they may take. Where that is used up, the others are shown as they
were written, and the page says so; how much of them is remembered makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from tasks.models import View
from tasks.rating_form.item_view import Desk, ShownResponse
from tasks.text.diff import Kind, difference, steps
from tasks.text.render import Excess, rendering

FIRST = "r1"  # the key of the response that stands first
# What the texts of a page may take together, in steps of the renderer's (`tasks.text.markdown`),
# some 3 seconds. Fifty responses of 8,000 characters take 50,000 to 300,000 rendered, 200,000
# compared.
MOST_STEPS = 600_000


@dataclass(frozen=True, slots=True)
class ShownText:
    """What a page says of a text: whether it is rendered; why it stands as it was written where it
    should be or compared (`excess`, as in `tasks.text.render`); and the label of the response that
    it is compared with."""

    is_rendered: bool = False
    excess: str = ""
    other: str = ""


@dataclass(slots=True)
class Work:
    """What the texts of a page may still take, in steps, and how they were shown so far: a text
    that stands there twice takes its steps once."""

    left: int = MOST_STEPS
    shown: dict[tuple[str, str], tuple[ShownText, str]] = field(default_factory=dict)

    def take(self, steps: int) -> None:
        self.left -= steps

    @property
    def is_done(self) -> bool:
        return self.left <= 0


@dataclass(frozen=True, slots=True)
class Look:
    """How all texts of an item are shown.

    `back`: the view that the differences lead back to. `base`: the key of the response that all
    others are compared with; it is itself compared with the next one.
    """

    view: View
    back: View = View.TEXT
    base: str = FIRST
    responses: tuple[ShownResponse, ...] = ()
    work: Work = field(default_factory=Work, compare=False)

    @property
    def may_compare(self) -> bool:
        return len(self.responses) > 1

    @property
    def may_choose(self) -> bool:
        """Whether there is a choice of what is compared, now that something is."""
        return len(self.responses) > 2 and self.view == View.DIFFERENCE

    @property
    def switched(self) -> View:
        """Where the switch between text and rendered leads."""
        return View.TEXT if self.view == View.RENDERED else View.RENDERED

    @property
    def compared(self) -> View:
        """Where the switch of the differences leads."""
        return self.back if self.view == View.DIFFERENCE else View.DIFFERENCE

    def show(self, text: str, key: str = "") -> tuple[ShownText, str]:
        """A text as the page has it, and what is said of it. `key`: that of the response whose text
        it is."""
        other = self._other(key) if self.view == View.DIFFERENCE else None
        if self.view != View.RENDERED and other is None:
            return ShownText(), text
        asked = text, other.key if other else ""
        if asked not in self.work.shown:
            self.work.shown[asked] = self._work_out(text, other)
        return self.work.shown[asked]

    def _work_out(self, text: str, other: ShownResponse | None) -> tuple[ShownText, str]:
        """A text rendered or compared; or as it was written, where that is too much."""
        if other is not None and not self.work.is_done:
            self.work.take(steps(other.text, text))
            if not self.work.is_done:
                return ShownText(other=other.label), compared(text, other.text)
        elif not self.work.is_done:
            shown = rendering(text)
            self.work.take(shown.steps)
            html = mark_safe(shown.html)  # noqa: S308 - it holds what the renderer's list allows
            return ShownText(is_rendered=True, excess=shown.excess or ""), html
        return ShownText(excess=Excess.PAGE), text

    def _other(self, key: str) -> ShownResponse | None:
        """The response that one is compared with."""
        if not (key and self.may_compare):
            return None
        if key != self.base:
            return next(response for response in self.responses if response.key == self.base)
        return next(response for response in self.responses if response.key != self.base)


def compared(text: str, other: str) -> SafeString:
    """A text, with marks on what is in it alone, and with what the other one has in its place."""
    shown = {Kind.SAME: "{}", Kind.FIRST: "<del>{}</del>", Kind.SECOND: "<ins>{}</ins>"}
    parts = (format_html(shown[part.kind], part.text) for part in difference(other, text))
    return format_html_join("", "{}", ((part,) for part in parts))


class LookForm(forms.Form):
    """What an annotator wants to see: `show` is what a button asks for, `view` how it was. What
    makes no sense shows the texts as the project has them at first."""

    show = forms.ChoiceField(choices=View.choices, required=False)
    view = forms.ChoiceField(choices=View.choices, required=False)
    back = forms.ChoiceField(choices=View.choices, required=False)
    base = forms.CharField(required=False)

    def look(self, desk: Desk, first: str) -> Look:
        """`first`: the view that the project begins with."""
        given: dict[str, Any] = self.cleaned_data if self.is_valid() else {}
        before = View(given.get("view") or first)
        view = View(given.get("show") or before)
        if view == View.DIFFERENCE and len(desk.responses) < 2:
            view = View(first)
        back = before if before != View.DIFFERENCE else View(given.get("back") or first)
        keys = [response.key for response in desk.responses]
        base = given.get("base", "")
        return Look(view, back, base if base in keys else FIRST, desk.responses)


def look_at(desk: Desk, first: str, asked: Mapping[str, str] | None = None) -> Look:
    """How a desk is shown to whoever asks for something, or for nothing yet."""
    if not asked:
        return Look(View(first), View(first), responses=desk.responses)
    return LookForm(asked).look(desk, first)
