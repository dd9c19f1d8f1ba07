"""The parts of a rubric, and links to its readings.

A reading is a text of guidance that decides where the source is unclear.
"""

import re
from collections.abc import Iterable, Mapping

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from rubrics.in_words import Words, consequence
from rubrics.page import parts_of
from rubrics.schema import Condition, Consequences, Dimension, Rubric
from rubrics.sentences import is_rule_in_words, sentences, title_parts

register = template.Library()
register.simple_tag(parts_of)
register.simple_tag(consequence)
register.filter(is_rule_in_words)

HERE = "here"  # in place of the rubric's address: the text stands on the same page
ELSEWHERE = format_html(' target="{}" rel="noopener"', "_blank")


@register.simple_tag
def text_of(texts: Mapping[str, str], clause: str) -> str:
    """Return the text of a clause; "" for none."""
    return texts.get(clause, "")


@register.simple_tag
def asked_if(rubric: Rubric, dimension: Dimension, when: Condition) -> SafeString | str:
    """Say when a part is asked; "" for always."""
    if not when.names:
        return ""
    condition = Words(rubric, dimension).condition(when)
    return format_html(_("Asked only if: {condition}."), condition=condition)


@register.simple_tag
def our_reading(dimension: Dimension, code: str, rubric_url: str = "") -> str:
    """Return the link “our reading” to the text of this code, or "" if there is none."""
    return _link(dimension, code, _("our reading"), rubric_url) if code else ""


@register.simple_tag
def with_readings(
    text: str, rubric: Rubric, dimension: Dimension, rubric_url: str = ""
) -> SafeString:
    """Return a text in which the name of each reading, such as “Reading 1”, is a link to it."""
    links = {
        name: _link(dimension, each.code, name, rubric_url)
        for each in (*rubric.guidance, *dimension.guidance)
        if (name := each.title.partition(":")[0]) != each.title
    }
    names = "|".join(map(re.escape, links))
    parts = re.split(rf"\b({names})\b", text) if links else [text]
    return format_html_join("", "{}", ((links.get(part, part),) for part in parts))


@register.simple_tag
def due(
    text: str, rubric: Rubric, dimension: Dimension, rubric_url: str, consequences: str
) -> SafeString:
    """Return a text as `with_readings`, with what names a score as `consequences` has it."""
    if consequences == Consequences.ALWAYS:
        return with_readings(text, rubric, dimension, rubric_url)
    parts = (
        (with_readings(sentence, rubric, dimension, rubric_url), names_score)
        for sentence, names_score in sentences(rubric, text)
    )
    return _due(parts, " ", consequences)


@register.simple_tag
def due_title(title: str, rubric: Rubric, consequences: str) -> SafeString | str:
    """Return a title, as `due` does."""
    if consequences == Consequences.ALWAYS:
        return title
    return _due(title_parts(rubric, title), "", consequences)


def _due(parts: Iterable[tuple[str, bool]], between: str, consequences: str) -> SafeString:
    """Join the parts. Those that name a score wait until that is due, or are left out."""
    texts = []
    for text, names_score in parts:
        if not names_score:
            texts.append(text)
        elif consequences == Consequences.AFTER:
            texts.append(format_html('<span class="not-due">{}</span>', text))
    return format_html_join(between, "{}", ((text,) for text in texts))


def _link(dimension: Dimension, code: str, words: str, rubric_url: str) -> SafeString:
    is_own = any(text.code == code for text in dimension.guidance)
    anchor = f"dimension-{dimension.code}-guidance-{code}" if is_own else f"guidance-{code}"
    if rubric_url == HERE:
        rubric_url, anchor = "", f"about-reading-{code}"
    return format_html(
        '<a class="our-reading" data-reading="{}" href="{}#{}"{}>{}</a>',
        *(code, rubric_url, anchor, ELSEWHERE if rubric_url else "", words),
    )
