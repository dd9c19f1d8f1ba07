"""Updates of a page's answers about corpora (DQ-11) to those recorded by now."""

from __future__ import annotations

from django import template
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

from annotators.desk.keyboard import Keys
from tasks.rating_form.view_models import Sheet

register = template.Library()


@register.simple_tag(takes_context=True)
def recorded(context: template.Context) -> SafeString | str:
    """Render the revision of each answer that the page shows now.

    Render the whole question if another answer was recorded than the page had.
    """
    sheet: Sheet = context["sheet"]
    if sheet.sets_appear or not sheet.shows_sets:
        return ""
    keys: Keys = context["user"].keys
    parts = []
    for row in (row for target in sheet.sets for row in target.rows):
        for question in (each for each in row.corpus if each.shown != each.revision):
            known = {"rubric": context["rubric"], "row": row, "question": question, "oob": True}
            known["letters"] = keys.letters(row.dimension.checks)
            page = (
                "annotators/form/question.html"
                if question.note
                else "annotators/form/question.html#shown"
            )
            parts.append(get_template(page).render(known))
    return mark_safe("\n".join(parts))  # noqa: S308 - templates' output
