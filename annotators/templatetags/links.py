"""Links in a text that someone wrote, each with the address that it leads to."""

import re

from django import template
from django.utils.html import Urlizer
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # the direction of letters


class _Addressed:
    """The HTML of a link, whose letters may look like another address than it has."""

    def format(self, *, href: str, attrs: str, url: str) -> str:
        plain = href in (url, f"http://{url}", f"mailto:{url}")
        label = url if plain else f"{url} ({href})"
        return f'<a href="{href}"{attrs}>{label}</a>'


class _OpenUrlizer(Urlizer):
    """Django's own way to find links, shown with their addresses."""

    url_template = _Addressed()  # type: ignore[assignment]  # it has the method that is called


@register.filter(is_safe=True)
def open_links(text: str) -> SafeString:
    """Return a text as HTML with links that show where they lead."""
    plain = _TURNING.sub("", text)
    return mark_safe(_OpenUrlizer()(plain, nofollow=True, autoescape=True))  # noqa: S308 - it escapes all
