"""A cache of rendered templates that are given nothing but their cache key.

A template that sees only the values of its key can't show what the key lacks. So the cache needs
no switch for development: an edited template is another template, and is rendered anew.
"""

from collections.abc import Hashable
from functools import lru_cache

from django.template import Context, Engine, Template
from django.utils.safestring import SafeString
from django.utils.translation import get_language


def render_cached(page: str, **values: Hashable) -> SafeString:
    """Return the template `page`, rendered with these values and no others.

    The values must never change: texts, numbers, frozen dataclasses, and tuples of these.
    """
    template = Engine.get_default().get_template(page)
    return _rendered(template, get_language(), tuple(values.items()))


@lru_cache(maxsize=1024)  # of 5 to 20 kB each
def _rendered(
    template: Template, _language: str | None, values: tuple[tuple[str, Hashable], ...]
) -> SafeString:
    return template.render(Context(dict(values)))
