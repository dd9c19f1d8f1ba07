"""Mark text in another language than the page, above all for screen readers."""

from typing import Protocol

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, get_language_info

register = template.Library()


class Written(Protocol):
    """An object with text in a language of its own, given by its code."""

    @property
    def language(self) -> str: ...


@register.simple_tag
def language_of(written: Written) -> str:
    """Return lang and dir for an element with text of `written` only (WCAG 2.2, 3.1.2).

    Return "" if the page is in that language anyway.
    """
    if written.language == get_language():
        return ""
    return format_html(
        ' lang="{}" dir="{}"', written.language, "rtl" if _is_rtl(written.language) else "ltr"
    )


def _is_rtl(code: str) -> bool:
    try:
        return bool(get_language_info(code)["bidi"])
    except KeyError:  # a language that Django does not know
        return False
