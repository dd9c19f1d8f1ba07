"""The texts of an item: by their names, and as its page shows them to leads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from tasks.models import Item
from tasks.text.excerpt import LONGEST_SHOWN, excerpt_of
from tasks.text.render import rendering

EXTRA_TEXTS = {
    "context": _("Context"),
    "system": _("System"),
    "reference": _("Reference answer"),
    "source": _("Source"),
}
WHOLE_TEXT = "whole"  # the parameter that asks for all of a text


@dataclass(frozen=True, slots=True)
class RenderedText:
    """A text as `item_text.html` has it."""

    html: SafeString
    most: int  # characters, if the text is cut; else 0
    length: int
    has_files: bool
    whole_url: str  # where all of it can be opened, or ""


@dataclass(frozen=True)
class ItemTexts:
    """The texts of an item, by the names in `item_texts.html`."""

    item: Item
    extra_texts: Sequence[tuple[str | Promise, RenderedText]]  # by label
    turns: list[tuple[str, RenderedText]]  # by role


def texts_of(item: Item) -> dict[str, str]:
    """Return the texts around an item's responses by their names; messages count from 1."""
    texts = {"context": item.context, "system": item.system}
    for number, message in enumerate(item.messages, 1):
        texts[str(number)] = message["text"]
    texts["reference"] = item.reference
    return {name: text for name, text in texts.items() if text}


def whole_text(texts: Mapping[str, str], name: str) -> HttpResponse:
    """Answer all of a text, character for character. Raise Http404 for an unknown name."""
    if name not in texts:
        raise Http404
    return HttpResponse(texts[name], content_type="text/plain; charset=utf-8")


def item_texts(item: Item, address: str = "") -> ItemTexts:
    """Return the texts of an item, as its page shows them.

    `address`: where all of each can be opened.
    """
    extra_texts = []
    for name, label in EXTRA_TEXTS.items():
        text = getattr(item, name)
        if text:
            content = as_html(text, name, address)
            extra_texts.append((label, content))
    turns = []
    for number, turn in enumerate(item.messages, 1):
        content = as_html(turn["text"], str(number), address)
        turns.append((turn["role"], content))
    return ItemTexts(item, extra_texts, turns)


def as_html(text: str, name: str = "", address: str = "") -> RenderedText:
    """Return a text as it is shown; `address` as for `item_texts`."""
    part = excerpt_of(text)
    query = urlencode({WHOLE_TEXT: name})
    html = mark_safe(rendering(part).html)  # noqa: S308 - the renderer sanitises it
    return RenderedText(
        html=html,
        most=LONGEST_SHOWN if part.is_cut else 0,
        length=len(text),
        has_files=bool(part.notes),
        whole_url=f"{address}?{query}" if address else "",
    )
