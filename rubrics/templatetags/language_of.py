"""Mark text in another language than the page, above all for screen readers."""

from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def language_of(written: Any) -> str:
    """Return lang and dir for an element with text of `written` only (WCAG 2.2, 3.1.2).

    `written` is anything with a `language`. Return "" if the page is in that language anyway.
    """
    if written.language == get_language():
        return ""
    is_rtl = written.language.partition("-")[0] in settings.LANGUAGES_BIDI
    return format_html(' lang="{}" dir="{}"', written.language, "rtl" if is_rtl else "ltr")
