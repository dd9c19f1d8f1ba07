"""A cache of rendered page parts that differ only in a few texts.

Each process renders such a part once, with gaps, and fills the gaps for each response. Django's
templates take a millisecond or more for one row of the rating form. Without the cache, every row
would be rendered again for every item.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

# No text from the database or a form contains this character, so no text can look like a gap.
MARK = "\0"
GAP = re.compile(f"{MARK}(\\w+){MARK}")


def gap(name: str) -> str:
    """Return the placeholder of the text `name` in a cached part."""
    return f"{MARK}{name}{MARK}"


def drawn(
    page: str,
    looks: tuple[Hashable, ...] | None,
    texts: Mapping[str, str],
    *,
    bare: Callable[[], dict[str, Any]],
    whole: Callable[[], dict[str, Any]],
    replacing: Mapping[str, str] = MappingProxyType({}),
) -> SafeString:
    """Return the rendered template `page`, from the cache if possible.

    `looks` is the cache key. It lists everything that changes the HTML, except the language and
    `texts`. None means: do not cache, render with the context `whole`.

    `texts` are the strings that differ from page to page. `bare` returns a context that is safe to
    cache, with gaps for these texts. `replacing` maps strings in the rendered output to names of
    gaps that replace them.
    """
    if looks is None or settings.DEBUG:
        return mark_safe(get_template(page).render(whole()))  # noqa: S308 - a template's output
    parts, names = _parts(_Part(page, get_language(), looks, bare, replacing))
    filled = list(parts)
    escaped = {name: escaped_once(texts[name]) for name in names}
    filled[1::2] = [escaped[name] for name in parts[1::2]]
    return mark_safe("".join(filled))  # noqa: S308 - as above, and texts that are escaped


def escaped_once(text: str) -> str:
    """Return the same as Django's `conditional_escape`, at a fifth of the cost.

    Django also checks each text for a lazy string.
    """
    return text if hasattr(text, "__html__") else SafeString(escape(text))


@dataclass(frozen=True)
class _Part:
    page: str
    language: str | None
    looks: tuple[Hashable, ...]
    bare: Callable[[], dict[str, Any]] = field(compare=False)
    replacing: Mapping[str, str] = field(compare=False)


@lru_cache(maxsize=512)
def _parts(part: _Part) -> tuple[tuple[str, ...], frozenset[str]]:
    """Render a part; return text, name, text, name, …, text, and the set of all names."""
    page = get_template(part.page).render(part.bare())
    for text, name in part.replacing.items():
        page = page.replace(text, gap(name))
    parts = tuple(GAP.split(page))
    return parts, frozenset(parts[1::2])
