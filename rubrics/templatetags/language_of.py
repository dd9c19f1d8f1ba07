"""What tells a reader, one who listens above all, that words are in a language that the page is not
in."""

from __future__ import annotations

from typing import Protocol

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, get_language_info

register = template.Library()


class Written(Protocol):
    """What holds words in a language of its own, given by its code."""

    @property
    def language(self) -> str: ...


@register.simple_tag
def language_of(written: Written) -> str:
    """Attributes for an element that holds words of a rubric, or of something else that says its
    language, and nothing else (WCAG 2.2, 3.1.2); none where the page speaks that language
    anyway."""
    if written.language == get_language():
        return ""
    return format_html(
        ' lang="{}" dir="{}"', written.language, "rtl" if _is_rtl(written.language) else "ltr"
    )


def _is_rtl(code: str) -> bool:
    try:
        return bool(get_language_info(code)["bidi"])
    except KeyError:  # a language that Django has no name for
        return False
