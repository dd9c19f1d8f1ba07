"""Parts of a page that are the same for everyone but for a few texts: drawn once in a process, with
gaps for those texts.

Django's templates take a millisecond or more for a row of the rating form, and with every next item
all of them would be drawn anew.
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

# No text from the database or a form holds this character, so that none can be taken for a gap.
MARK = "\0"
GAP = re.compile(f"{MARK}(\\w+){MARK}")


def gap(name: str) -> str:
    """What stands in a remembered part for the text of that name."""
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
    """A template by its name, from memory where it can be.

    `looks`: all that its looks hang on beside the language and the `texts`, which differ from page
    to page; None where it must be drawn anew. `bare`: a context of which anything may be
    remembered, with gaps for the texts; where a key of `replacing` comes out, there is the gap of
    that name. `whole`: the context to draw it anew with.
    """
    if looks is None or settings.DEBUG:
        return mark_safe(get_template(page).render(whole()))  # noqa: S308 - a template's output
    parts, names = _parts(_Part(page, get_language(), looks, bare, replacing))
    filled = list(parts)
    escaped = {name: escaped_once(texts[name]) for name in names}
    filled[1::2] = [escaped[name] for name in parts[1::2]]
    return mark_safe("".join(filled))  # noqa: S308 - as above, and texts that are escaped


def escaped_once(text: str) -> str:
    """What Django's `conditional_escape` gives of a text, at a fifth of the cost: that asks of each
    whether it is to be put off."""
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
    """What is drawn, and the names of the gaps between: text, name, text, name, …, text; and all
    names."""
    page = get_template(part.page).render(part.bare())
    for text, name in part.replacing.items():
        page = page.replace(text, gap(name))
    parts = tuple(GAP.split(page))
    return parts, frozenset(parts[1::2])
