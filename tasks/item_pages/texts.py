"""The texts of an item: by their names, and as its page shows them to leads."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from tasks.models import Item
from tasks.text.excerpt import LONGEST_SHOWN, excerpt_of
from tasks.text.render import rendering

BESIDE = {
    "context": _("Context"),
    "system": _("System"),
    "reference": _("Reference answer"),
    "source": _("Source"),
}
WHOLE_TEXT = "whole"  # the parameter that asks for all of a text


def texts_of(item: Item) -> dict[str, str]:
    """Return the texts around an item's responses by their names; messages count from 1."""
    messages = {str(number): message["text"] for number, message in enumerate(item.messages, 1)}
    texts = {
        "context": item.context,
        "system": item.system,
        **messages,
        "reference": item.reference,
    }
    return {name: text for name, text in texts.items() if text}


def whole_text(texts: dict[str, str], name: str) -> HttpResponse:
    """Answer all of a text, character for character. Raise Http404 for an unknown name."""
    if name not in texts:
        raise Http404
    return HttpResponse(texts[name], content_type="text/plain; charset=utf-8")


def shown_texts(item: Item, address: str = "") -> dict[str, Any]:
    """Return what `tasks/item_texts.html` needs. `address`: where all of each can be opened."""
    beside = [(label, name, getattr(item, name)) for name, label in BESIDE.items()]
    numbered = enumerate(item.messages, 1)
    return {
        "item": item,
        "beside": [(label, as_html(text, name, address)) for label, name, text in beside if text],
        "messages_shown": [
            (turn["role"], as_html(turn["text"], str(number), address)) for number, turn in numbered
        ],
    }


def as_html(text: str, name: str = "", address: str = "") -> dict[str, Any]:
    """Return what `tasks/item_text.html` needs of a text; `address` as for `shown_texts`."""
    part = excerpt_of(text)
    return {
        "html": mark_safe(rendering(part).html),  # noqa: S308 - the renderer sanitises it
        "most": LONGEST_SHOWN if part.is_cut else 0,
        "length": len(text),
        "has_files": bool(part.notes),
        "whole_url": f"{address}?{urlencode({WHOLE_TEXT: name})}" if address else "",
    }
