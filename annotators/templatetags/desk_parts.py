"""Parts of the desk that many items share, and the texts of an item.

All that is asked about a response, verdicts, the foot and the rubric's guidance are rendered once
for all pages that show the same (`config.web.cached_html`). They have gaps for what differs from
item to item: the URLs of the form, the texts of the item and the annotator's comment.
"""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlencode

from django import template
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotators.desk.text_views import TextViews
from annotators.keyboard import Keys
from config.web.cached_html import fill, gap, render_cached
from rubrics.scales import blank_key, digits, is_typed, nearest, shape
from rubrics.schema import Consequences, Dimension, Rubric
from rubrics.views import beside_html, beside_url
from tasks.item_pages.texts import WHOLE_TEXT, texts_of
from tasks.rating_form.fields import LONGEST_TEXT, Target
from tasks.rating_form.item_view import ShownResponse
from tasks.rating_form.view_models import EvaluatedForm, EvaluatedTarget, Row
from tasks.text.excerpt import excerpt_of

register = template.Library()
register.simple_tag(nearest, name="described")
register.filter(shape)
register.simple_tag(lambda: LONGEST_TEXT, name="longest_text")

URLS = ("verdict_url", "submit_url", "draft_url", "texts_url", "skip_url", "flag_url", "renew_url")


class RubricName(NamedTuple):
    """The part of a rubric that its URL and the language of its texts need."""

    slug: str
    version: int
    language: str


class Foot(NamedTuple):
    """The part of a form that its foot shows: the scores so far, and the annotator's own note."""

    notes: tuple[str, ...]
    targets: tuple[EvaluatedTarget, ...]
    not_sure: bool = False

    @classmethod
    def of(cls, evaluated: EvaluatedForm, *, not_sure: bool = False) -> "Foot":
        scores = (EvaluatedTarget(Target(target.key), target.rows) for target in evaluated.targets)
        return cls(evaluated.notes, tuple(scores), not_sure)


class ShownTurn(NamedTuple):
    """A message of the conversation."""

    role: str
    text: str


class Reader(NamedTuple):
    """The part of a user that changes the form."""

    keys: Keys


@register.simple_tag
def without_keys() -> Reader:
    """Return a reader whose page has none of the desk's keys."""
    return Reader(Keys(on=False))


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
def asked(context: template.Context, row: Row) -> SafeString:
    """Render the questions and ticks of a row out of band: other answers decide what is asked."""
    return _shared(context, "annotators/form/row.html#asked", row=row, oob=True)


@register.simple_tag(takes_context=True)
def headings(context: template.Context, row: Row) -> SafeString:
    """Render the headings over the ticks of a row out of band: they begin to name scores."""
    return _shared(context, "annotators/form/row.html#headings", row=row)


@register.simple_tag(takes_context=True)
def announcement(context: template.Context, row: Row) -> SafeString:
    """Render a verdict as it is read out."""
    return _shared(
        context, "annotators/desk/announcement.html", row=row, notes=context["evaluated"].notes
    )


@register.simple_tag
def saved_now() -> SafeString:
    """Say that a draft is saved, with the time."""
    return render_cached("annotators/drafts/saved.html", time=time_format(timezone.localtime()))


@register.simple_tag(takes_context=True)
def responses(context: template.Context) -> SafeString:
    """Render the responses, with all that is asked about each beside its text."""
    sections = {target.key: _response(context, target) for target in context["evaluated"].responses}
    return _shared(
        context,
        "annotators/desk/responses.html",
        sections,
        sections=tuple(map(gap, sections)),
        targets=tuple(EvaluatedTarget(Target(key), ()) for key in sections),
        lists_responses=context["desk"].lists_responses,
        look=context["look"].without_texts,
    )


def _response(context: template.Context, target: EvaluatedTarget) -> SafeString:
    shown = target.shown
    assert isinstance(shown, ShownResponse)
    # The same in all items, with a gap for its text.
    bare = ShownResponse(shown.key, 0, 0, "", "" if shown.blank else gap("text"))
    text = "" if shown.blank else _text(context, shown.key, shown.text, shown.key)
    return _shared(
        context,
        "annotators/desk/response.html",
        {"text": text},
        target=replace(target, shown=bare),
    )


@register.simple_tag(takes_context=True)
def panel(context: template.Context, target: EvaluatedTarget) -> SafeString:
    """Render all that is asked about a candidate set, beside its responses."""
    return _shared(
        context, "annotators/desk/panel.html", target=replace(target, shown=Target(target.key))
    )


@register.simple_tag(takes_context=True)
def look_bar(context: template.Context) -> SafeString:
    """Render the buttons that choose how the texts are shown."""
    return _shared(context, "annotators/desk/look.html", look=context["look"].without_texts)


@register.simple_tag(takes_context=True)
def strip(context: template.Context, *, oob: bool = False) -> SafeString:
    """Render the scores so far; `oob` as for `outcome`."""
    return render_cached(
        "annotators/desk/strip.html",
        evaluated=Foot.of(context["evaluated"]),
        user=Reader(context["user"].keys),
        oob=oob,
    )


@register.inclusion_tag("annotators/desk/rubric_side.html", takes_context=True)
def rubric_side(context: template.Context) -> dict[str, str]:
    """Show the place of the rubric beside the item; the browser fetches its texts by themselves."""
    with_examples = not context.get("practice")
    consequences = _consequences(context)
    url = beside_url(context["rubric"], with_examples=with_examples, consequences=consequences)
    return {"url": url}


@register.simple_tag(takes_context=True)
def rubric_plain(context: template.Context) -> SafeString:
    """Render the rubric without its examples, for a page of practice without JavaScript."""
    return beside_html(context["rubric"], with_examples=False, is_plain=True)


@register.simple_tag(takes_context=True)
def dialogs(context: template.Context) -> SafeString:
    """Render the list of keys with the rubric's guidance, and the pause."""
    return _shared(
        context,
        "annotators/desk/dialogs.html",
        schema=context["rubric"].schema,
        consequences=_consequences(context),
    )


def _consequences(context: template.Context) -> str:
    """Return when the page shows what answers do to the scores; practice always does."""
    project = None if context.get("practice") else context.get("project")
    return project.consequences if project else Consequences.ALWAYS


@register.simple_tag(takes_context=True)
def today(context: template.Context, *, oob: bool = False) -> SafeString:
    """Render how much is done, for the bar; `oob` as for `outcome`."""
    pace, most = context["progress"].pace, context["project"].most_daily
    done, of = (pace.today, most) if most else (pace.rated, pace.items)
    texts = {**context["progress"].texts, "done": str(done), "of": str(of)}
    gaps = {name: gap(name) if text else "" for name, text in texts.items()}
    html = render_cached("annotators/desk/today.html", **gaps, has_limit=bool(most), oob=oob)
    return fill(html, texts)


@register.simple_tag(takes_context=True)
def foot(context: template.Context) -> SafeString:
    """Render the comment, the line of what is left, and the buttons that lead away from an item."""
    evaluated, progress = context["evaluated"], context.get("progress")
    return _shared(
        context,
        "annotators/desk/foot.html",
        {"comment": evaluated.comment},
        evaluated=Foot.of(evaluated, not_sure=evaluated.not_sure),
        comment=gap("comment"),
        preview=bool(context.get("preview")),
        back_url=context.get("back_url", "") if progress and progress.pace.rated else "",
    )


@register.simple_tag(takes_context=True)
def concern_form(context: template.Context) -> SafeString:
    """Render the form to skip or flag the item."""
    return _shared(
        context,
        "annotators/desk/concern.html",
        {"csrf_token": context["csrf_token"]},
        csrf_token=gap("csrf_token"),
        is_open=context["is_open"],
        concern=context["concern"],
    )


def _shared(
    context: template.Context,
    page: str,
    texts: Mapping[str, str] = MappingProxyType({}),
    **values: Hashable,
) -> SafeString:
    """Render a part with these values; `texts` and the form's URLs are filled in."""
    rubric = context["rubric"]
    html = render_cached(
        page,
        rubric=RubricName(rubric.slug, rubric.version, rubric.language),
        user=Reader(context["user"].keys),
        practice=bool(context.get("practice")),
        **{name: gap(name) for name in URLS},
        **values,
    )
    return fill(html, {**{name: str(context.get(name, "")) for name in URLS}, **texts})


@register.simple_tag
def letters(keys: Keys, dimension: Dimension) -> frozenset[str]:
    """Return the letters that call a check of this dimension."""
    return keys.letters(dimension.lettered)


@register.filter
def digit(dimension: Dimension, score: int) -> str:
    """Return the digit that gives a score; "" for none."""
    return digits(dimension).get(score, "")


register.filter("key_of_blank", blank_key)


@register.simple_tag
def score_keys(rubric: Rubric) -> list[tuple[str, str, str]]:
    """Return the keys that give scores: the first, the last, and what they do in such a row."""
    found: dict[str, tuple[str, str, str]] = {}
    for dimension in rubric.dimensions:
        first, *_others, last = digits(dimension).values() or ("0", "9")
        if is_typed(dimension):
            does = _("write the number in a row that has a field; ↵ confirms it")
        elif not digits(dimension):
            first, last = "Tab", ""
            does = _("go to a scale whose scores have no key, such as a 10; arrow keys choose")
        elif dimension.lowest < 0:
            does = _("give the row the score at this place")
        else:
            does = _("give the row a score")
        found.setdefault(does, (first, last, does))
        if key := blank_key(dimension):
            found[key] = (key, "", _("choose the answer without a score"))
    return list(found.values())


@register.simple_tag(takes_context=True)
def text(
    context: template.Context, name: str | int, text: str, *, key: str = "", oob: bool = False
) -> SafeString:
    """Show a text of the item in the view of the context's `look`.

    `name`: its name among the item's texts; `key`: the key of the response that it belongs to;
    `oob`: as for `outcome`.
    """
    return _text(context, name, text, key, oob=oob)


@register.simple_tag(takes_context=True)
def conversation(context: template.Context) -> SafeString:
    """Render what the responses answer: the persona, the conversation and what belongs to them."""
    item = context["item"]
    shown = {name: _text(context, name, text, "") for name, text in texts_of(item).items()}
    texts = {**shown, "source": item.source}
    texts |= {f"line {number}": line for number, line in enumerate(item.persona, 1)}
    gaps = {name: gap(name) if text else "" for name, text in texts.items()}
    html = render_cached(
        "annotators/desk/item.html",
        persona=tuple(gap(f"line {number}") for number in range(1, len(item.persona) + 1)),
        turns=tuple(
            ShownTurn(each["role"], gaps.get(str(number), ""))
            for number, each in enumerate(item.messages, 1)
        ),
        **{name: gaps.get(name, "") for name in ("context", "system", "reference", "source")},
    )
    return fill(html, texts)


@register.filter
def role_name(role: str) -> str:
    """Return the name of a speaker: a word for the two usual roles, else the role as uploaded."""
    return {"user": _("User"), "assistant": _("Assistant")}.get(role, role)


def _text(
    context: template.Context, name: str | int, text: str, key: str, *, oob: bool = False
) -> SafeString:
    look: TextViews = context["look"]
    shown, html = look.show(text, key)
    frame = render_cached(
        "annotators/desk/text.html",
        shown=shown,
        name=name,
        text=gap("text"),
        whole_url=gap("whole_url"),
        oob=oob,
    )
    address = f"{context.get('texts_url', '')}?{urlencode({WHOLE_TEXT: name})}"
    return fill(frame, {"text": html, "whole_url": address})


@register.filter
def in_brief(value: object, most: int) -> object:
    """Return the beginning of a text, with notes in place of files; another value as it is."""
    return excerpt_of(value, most).in_words if isinstance(value, str) else value
