"""Attributes that mark text in another language than the page (WCAG 2.2, 3.1.2)."""

from typing import Protocol

from django.conf import settings
from django.utils.html import format_html
from django.utils.translation import get_language

from ..judging.schema import verdict_language


class InLanguage(Protocol):
    """Anything whose texts are in one language, such as a rubric or its stored version."""

    @property
    def language(self) -> str:
        """The code of the language, such as "de"."""


def language_of(texts: InLanguage) -> str:
    """Return ` lang="…" dir="…"` for an element with nothing but these texts.

    Return "" if the page is in their language anyway.
    """
    return _attributes(texts.language)


def language_of_verdicts(texts: InLanguage) -> str:
    """Return the attributes for what the program says in the words of a rubric."""
    return _attributes(verdict_language(texts.language))


def _attributes(language: str) -> str:
    if language == get_language():
        return ""
    direction = "ltr"
    if language.partition("-")[0] in settings.LANGUAGES_BIDI:
        direction = "rtl"
    return format_html(' lang="{}" dir="{}"', language, direction)
