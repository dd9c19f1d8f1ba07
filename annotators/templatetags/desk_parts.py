"""Parts of the desk that many items share, and the texts of an item.

Rows of the form, what stands beside them, verdicts and the rubric's guidance are rendered once for
all pages that show the same (`config.web.cached_html`). Only the address of
the form differs from item to item; it is filled in afterwards.
"""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NamedTuple

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from annotators.desk.keyboard import Keys
from annotators.desk.text_views import TextViews
from config.web.cached_html import render_cached
from rubrics.schema import Dimension
from rubrics.views import beside_url
from tasks.rating_form.fields import Target
from tasks.rating_form.view_models import Row, Sheet, TargetSheet

register = template.Library()

# Stands for the address in cached HTML. No text of the database or of a form has this character.
ADDRESS = "\0"


class RubricName(NamedTuple):
    """The part of a rubric that its addresses and the language of its texts need."""

    slug: str
    version: int
    language: str


class Strip(NamedTuple):
    """The part of a form that the strip of its scores shows."""

    notes: tuple[str, ...]
    targets: tuple[TargetSheet, ...]


class Reader(NamedTuple):
    """The part of a user that changes the form."""

    keys: Keys


@register.simple_tag(takes_context=True)
def form_row(context: template.Context, row: Row) -> SafeString:
    """Render a row: its questions, its verdict and its scale."""
    return _shared(context, "annotators/form/row.html", row=row)


@register.simple_tag(takes_context=True)
def outcome(context: template.Context, row: Row, *, oob: bool = False) -> SafeString:
    """Render the verdict and the scale of a row.

    `oob`: HTMX swaps it in wherever it is on the page (out of band).
    """
    return _shared(context, "annotators/form/row.html#outcome", row=row, oob=oob)


@register.simple_tag(takes_context=True)
def panel(context: template.Context, target: TargetSheet) -> SafeString:
    """Render all that is asked about a response or a candidate set, beside its text."""
    without_text = replace(target, shown=Target(target.key))
    return _shared(context, "annotators/desk/panel.html", target=without_text)


@register.simple_tag(takes_context=True)
def look_bar(context: template.Context) -> SafeString:
    """Render the buttons that choose how the texts are shown."""
    look: TextViews = context["look"]
    texts_url = context["texts_url"].replace(_address(context), ADDRESS)
    return _shared(
        context, "annotators/desk/look.html", look=look.without_texts, texts_url=texts_url
    )


@register.simple_tag
def response_name(target: TargetSheet) -> SafeString:
    """Render the heading of a response."""
    return render_cached("annotators/desk/response_name.html", target=Target(target.key))


@register.simple_tag(takes_context=True)
def strip(context: template.Context, *, oob: bool = False) -> SafeString:
    """Render the scores so far; `oob` as for `outcome`."""
    sheet: Sheet = context["sheet"]
    scores = tuple(TargetSheet(Target(target.key), target.rows) for target in sheet.targets)
    return render_cached(
        "annotators/desk/strip.html",
        sheet=Strip(sheet.notes, scores),
        keys=context["user"].keys,
        oob=oob,
    )


@register.inclusion_tag("annotators/desk/rubric_side.html", takes_context=True)
def rubric_side(context: template.Context) -> dict[str, str]:
    """Show the place of the rubric beside the item; the browser fetches its texts by themselves."""
    return {"url": beside_url(context["rubric"])}


@register.simple_tag(takes_context=True)
def dialogs(context: template.Context) -> SafeString:
    """Render the list of keys with the rubric's guidance, and the pause."""
    return _shared(context, "annotators/desk/dialogs.html", schema=context["rubric"].schema)


@register.simple_tag(takes_context=True)
def foot_buttons(context: template.Context) -> SafeString:
    """Render the line of what is left, and the buttons that lead away from an item on the desk."""
    return _shared(
        context,
        "annotators/desk/foot_buttons.html",
        draft_url=f"{ADDRESS}draft/",
        submit_url=f"{ADDRESS}submit/",
        back_url=context["back_url"],
    )


def _shared(context: template.Context, page: str, **values: Hashable) -> SafeString:
    """Render a part with these values, and with the form's addresses in it."""
    rubric = context["rubric"]
    html = render_cached(
        page,
        rubric=RubricName(rubric.slug, rubric.version, rubric.language),
        user=Reader(context["user"].keys),
        verdict_url=f"{ADDRESS}verdict/",
        **values,
    )
    address = escape(_address(context))
    return mark_safe(html.replace(ADDRESS, address))  # noqa: S308 - a template's output


def _address(context: template.Context) -> str:
    return str(context.get("verdict_url", "")).removesuffix("verdict/")


@register.simple_tag
def letters(keys: Keys, dimension: Dimension) -> frozenset[str]:
    """Return the letters that call a check of this dimension."""
    return keys.letters(dimension.checks)


@register.inclusion_tag("annotators/desk/text.html", takes_context=True)
def text(
    context: template.Context, name: str, text: str, *, key: str = "", oob: bool = False
) -> dict[str, Any]:
    """Show a text of the item in the view of the context's `look`.

    `name`: its name among the item's texts; `key`: the key of the response that it belongs to;
    `oob`: as for `outcome`.
    """
    shown, text = context["look"].show(text, key)
    return {"shown": shown, "name": name, "text": text, "oob": oob}
