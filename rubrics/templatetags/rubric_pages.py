"""The parts of a rubric, and links to its readings.

A reading is a text of guidance that decides where the source is unclear.
"""

import re

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from rubrics.in_words import Words, consequence
from rubrics.page import parts_of
from rubrics.schema import Condition, Dimension, Rubric

register = template.Library()
register.simple_tag(parts_of)
register.simple_tag(consequence)

HERE = "here"  # in place of the rubric's address: the text stands on the same page
ELSEWHERE = format_html(' target="{}" rel="noopener"', "_blank")


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


def _link(dimension: Dimension, code: str, words: str, rubric_url: str) -> SafeString:
    is_own = any(text.code == code for text in dimension.guidance)
    anchor = f"dimension-{dimension.code}-guidance-{code}" if is_own else f"guidance-{code}"
    if rubric_url == HERE:
        rubric_url, anchor = "", f"about-reading-{code}"
    return format_html(
        '<a class="our-reading" data-reading="{}" href="{}#{}"{}>{}</a>',
        *(code, rubric_url, anchor, ELSEWHERE if rubric_url else "", words),
    )
