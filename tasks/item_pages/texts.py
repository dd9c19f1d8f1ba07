"""The texts of an item as its page shows them to leads."""

from typing import Any

from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from tasks.models import Item
from tasks.text.render import rendering

BESIDE = {
    "context": _("Context"),
    "system": _("System"),
    "reference": _("Reference answer"),
    "source": _("Source"),
}


def shown_texts(item: Item) -> dict[str, Any]:
    """Return what `tasks/item_texts.html` needs."""
    beside = [(label, getattr(item, name)) for name, label in BESIDE.items()]
    return {
        "item": item,
        "beside": [(label, rendered(text)) for label, text in beside if text],
        "messages_shown": [(turn["role"], rendered(turn["text"])) for turn in item.messages],
    }


def rendered(text: str) -> str:
    """Return a text as HTML."""
    return mark_safe(rendering(text).html)  # noqa: S308 - the renderer sanitises it
