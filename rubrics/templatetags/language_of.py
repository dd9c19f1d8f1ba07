"""What tells a reader, one who listens above all, that words are in a language that the page is not in."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language, get_language_info

from rubrics.models import Rubric
from rubrics.schema import Rubric as Schema

register = template.Library()


@register.simple_tag
def language_of(rubric: Rubric | Schema) -> str:
    """Attributes for an element that holds a rubric's own words and nothing else (WCAG 2.2, 3.1.2); none
    where the page speaks the rubric's language anyway."""
    if rubric.language == get_language():
        return ""
    return format_html(' lang="{}" dir="{}"', rubric.language, "rtl" if _is_rtl(rubric.language) else "ltr")


def _is_rtl(code: str) -> bool:
    try:
        return bool(get_language_info(code)["bidi"])
    except KeyError:  # a language that Django has no name for
        return False
