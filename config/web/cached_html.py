"""A cache of rendered templates that are given nothing but their cache key.

A template that sees only the values of its key can't show what the key lacks. So the cache needs
no switch for development: an edited template is another template, and is rendered anew.

A value that differs from page to page may be a gap. `fill` puts the text there afterwards.
"""

import re
import secrets
from collections.abc import Hashable, Mapping
from functools import lru_cache

from django.template import Context, Engine, Template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

# No text has this mark: nobody outside this process knows it.
_MARK = f"\0{secrets.token_hex(8)}\0"


def render_cached(page: str, **values: Hashable) -> SafeString:
    """Return the template `page`, rendered with these values and no others.

    The values must never change: texts, numbers, frozen dataclasses, and tuples of these.
    """
    return _render(Engine.get_default().get_template(page), get_language(), tuple(values.items()))


def gap(name: str) -> str:
    """Return a value for `render_cached` that holds the place of a text."""
    return f"{_MARK}{name}{_MARK}"


def fill(html: str, texts: Mapping[str, str]) -> SafeString:
    """Return the HTML with these texts in its gaps, escaped unless they are safe HTML."""
    parts = html.split(_MARK)
    safe = {name: conditional_escape(texts[name]) for name in set(parts[1::2])}
    parts[1::2] = [safe[name] for name in parts[1::2]]
    return mark_safe("".join(parts))  # noqa: S308 - a template's output, and escaped texts


@lru_cache(maxsize=1024)  # of 5 to 20 kB each
def _render(
    template: Template, _language: str | None, context_items: tuple[tuple[str, Hashable], ...]
) -> SafeString:
    # Without its indentation the desk's page is 8 % smaller, compressed. Text keeps its own.
    html = re.sub(r">\s*\n\s*<", ">\n<", template.render(Context(dict(context_items))))
    return mark_safe(re.sub(r"\s*\n\s*(?=[^<>]*>)", " ", html))  # noqa: S308 - in tags alone
