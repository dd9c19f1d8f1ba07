"""Parts of the desk that many items share, and the texts of an item.

All that is asked about a response, verdicts, the foot and the rubric's guidance are rendered once
for all pages that show the same (`config.web.cached_html`). They have gaps for what differs from
item to item: the URLs of the form, the texts of the item and the annotator's comment.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import urlencode

from django import template
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotators.desk.text_views import ResponseFrame, TextViews
from annotators.keyboard import Keys, score_keys
from config.web.cached_html import fill, gap, render_cached
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Consequences
from rubrics.judging.scales import blank_key, digits, nearest, row_classes
from rubrics.views import rubric_text_html, rubric_text_url
from tasks.item_pages.texts import WHOLE_TEXT, texts_of
from tasks.rating_form.evaluated_form import EvaluatedForm, EvaluatedTarget
from tasks.rating_form.fields import LONGEST_TEXT, Target
from tasks.rating_form.item_view import ResponseView
from tasks.rating_form.row_view import Row
from tasks.text.excerpt import excerpt_of

register = template.Library()
register.simple_tag(nearest, name="described")
register.filter(row_classes)
register.simple_tag(lambda: LONGEST_TEXT, name="longest_text")

URLS = ("verdict_url", "submit_url", "draft_url", "texts_url", "skip_url", "flag_url", "renew_url")
URL_GAPS = {name: gap(name) for name in URLS}


@dataclass(frozen=True)
class RubricName:
    """The part of a rubric that its URL and the language of its texts need."""

    slug: str
    version: int
    language: str


@dataclass(frozen=True)
class Foot:
    """The part of a form that its foot shows: the scores so far, and the annotator's own note."""

    notes: tuple[str, ...]
    targets: tuple[EvaluatedTarget, ...]
    not_sure: bool = False

    @classmethod
    def of(cls, evaluated: EvaluatedForm, *, not_sure: bool = False) -> "Foot":
        targets = []
        for target in evaluated.targets:
            targets.append(EvaluatedTarget(Target(target.key), target.rows))
        return cls(evaluated.notes, tuple(targets), not_sure)


@dataclass(frozen=True)
class TurnView:
    """A message of the conversation."""

    role: str
    text: str


@dataclass(frozen=True)
class Reader:
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
def questions_of_row(context: template.Context, row: Row) -> SafeString:
    """Render the questions and ticks of a row out of band: other answers decide what is asked."""
    return _shared(context, "annotators/form/row.html#questions", row=row, oob=True)


@register.simple_tag(takes_context=True)
def headings(context: template.Context, row: Row) -> SafeString:
    """Render the headings over the ticks of a row out of band: they begin to name scores."""
    return _shared(context, "annotators/form/row.html#headings", row=row)


@register.simple_tag(takes_context=True)
def announcement(context: template.Context, row: Row) -> SafeString:
    """Render a verdict as it is read out."""
    notes = context["evaluated"].notes
    return _shared(context, "annotators/desk/announcement.html", row=row, notes=notes)


@register.simple_tag
def saved_now() -> SafeString:
    """Say that a draft is saved, with the time."""
    return render_cached("annotators/drafts/saved.html", time=time_format(timezone.localtime()))


@register.simple_tag(takes_context=True)
def responses(context: template.Context) -> SafeString:
    """Render the responses, with all that is asked about each beside its text."""
    sections = {}
    targets = []
    for target in context["evaluated"].responses:
        sections[target.key] = _response(context, target)
        targets.append(EvaluatedTarget(Target(target.key), ()))
    return _shared(
        context,
        "annotators/desk/responses.html",
        sections,
        sections=tuple(map(gap, sections)),
        targets=tuple(targets),
        lists_responses=context["desk"].lists_responses,
        look=context["look"].switches,
    )


def _response(context: template.Context, target: EvaluatedTarget) -> SafeString:
    response = target.target
    assert isinstance(response, ResponseView)
    text = placeholder = ""
    if not response.blank:
        text = show_text(context, response.key, response.text, key=response.key)
        placeholder = gap("text")
    # The same in all items, with a gap for its text.
    target = replace(target, target=ResponseFrame(response.key, placeholder))
    return _shared(context, "annotators/desk/response.html", {"text": text}, target=target)


@register.simple_tag(takes_context=True)
def panel(context: template.Context, target: EvaluatedTarget) -> SafeString:
    """Render all that is asked about a candidate set, beside its responses."""
    target = replace(target, target=Target(target.key))
    return _shared(context, "annotators/desk/panel.html", target=target)


@register.simple_tag(takes_context=True)
def look_bar(context: template.Context) -> SafeString:
    """Render the buttons that choose how the texts are shown."""
    return _shared(context, "annotators/desk/look.html", look=context["look"].switches)


@register.simple_tag(takes_context=True)
def strip(context: template.Context, *, oob: bool = False) -> SafeString:
    """Render the scores so far; `oob` as for `outcome`."""
    scores = Foot.of(context["evaluated"])
    user = Reader(context["user"].keys)
    return render_cached("annotators/desk/strip.html", evaluated=scores, user=user, oob=oob)


@register.inclusion_tag("annotators/desk/rubric_side.html", takes_context=True)
def rubric_side(context: template.Context) -> dict[str, str]:
    """Show the place of the rubric beside the item; the browser fetches its texts by themselves."""
    with_examples = not context.get("practice")
    consequences = _consequences(context)
    url = rubric_text_url(context["rubric"], with_examples=with_examples, consequences=consequences)
    return {"url": url}


@register.simple_tag(takes_context=True)
def rubric_plain(context: template.Context) -> SafeString:
    """Render the rubric without its examples, for a page of practice without JavaScript."""
    return rubric_text_html(context["rubric"], with_examples=False, is_plain=True)


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
    project = context.get("project")
    if project and not context.get("practice"):
        return project.consequences
    return Consequences.ALWAYS


@register.simple_tag(takes_context=True)
def today(context: template.Context, *, oob: bool = False) -> SafeString:
    """Render how much is done, for the bar; `oob` as for `outcome`."""
    pace = context["progress"].pace
    most = context["project"].most_daily
    done, whole = (pace.today, most) if most else (pace.rated, pace.items)
    texts = {**context["progress"].texts, "done": str(done), "of": str(whole)}
    gaps = _gaps_for(texts)
    html = render_cached("annotators/desk/today.html", **gaps, has_limit=bool(most), oob=oob)
    return fill(html, texts)


@register.simple_tag(takes_context=True)
def foot(context: template.Context) -> SafeString:
    """Render the comment, the line of what is left, and the buttons that lead away from an item."""
    evaluated = context["evaluated"]
    progress = context.get("progress")
    back_url = ""
    if progress and progress.pace.rated:
        back_url = str(context.get("back_url", ""))
    return _shared(
        context,
        "annotators/desk/foot.html",
        {"comment": evaluated.comment},
        evaluated=Foot.of(evaluated, not_sure=evaluated.not_sure),
        comment=gap("comment"),
        preview=bool(context.get("preview")),
        back_url=back_url,
    )


@register.simple_tag(takes_context=True)
def concern_form(context: template.Context) -> SafeString:
    """Render the form to skip or flag the item."""
    return _shared(
        context,
        "annotators/desk/concern.html",
        {"csrf_token": context["csrf_token"]},
        csrf_token=gap("csrf_token"),
        is_unfolded=context["is_unfolded"],
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
        **URL_GAPS,
        **values,
    )
    urls = {name: str(context.get(name, "")) for name in URLS}
    return fill(html, {**urls, **texts})


def _gaps_for(texts: Mapping[str, str]) -> dict[str, str]:
    """Return a gap for each text, and "" where there is none."""
    gaps = {}
    for name, text in texts.items():
        gaps[name] = gap(name) if text else ""
    return gaps


@register.simple_tag
def letters(keys: Keys, dimension: Dimension) -> frozenset[str]:
    """Return the letters that call a check of this dimension."""
    return keys.letters(dimension.lettered_checks)


@register.filter
def digit(dimension: Dimension, score: int) -> str:
    """Return the digit that gives a score; "" for none."""
    return digits(dimension).get(score, "")


register.filter("key_of_blank", blank_key)
register.simple_tag(score_keys)


@register.simple_tag(takes_context=True, name="text")
def show_text(
    context: template.Context, name: str | int, text: str, *, key: str = "", oob: bool = False
) -> SafeString:
    """Show a text of the item in the view of the context's `look`.

    `name`: its name among the item's texts; `key`: the key of the response that it belongs to;
    `oob`: as for `outcome`.
    """
    views: TextViews = context["look"]
    display, html = views.show(text, key)
    frame = render_cached(
        "annotators/desk/text.html",
        display=display,
        name=name,
        text=gap("text"),
        whole_url=gap("whole_url"),
        oob=oob,
    )
    address = f"{context.get('texts_url', '')}?{urlencode({WHOLE_TEXT: name})}"
    return fill(frame, {"text": html, "whole_url": address})


@register.simple_tag(takes_context=True)
def conversation(context: template.Context) -> SafeString:
    """Render what the responses answer: the persona, the conversation and what belongs to them."""
    item = context["item"]
    texts = dict[str, str]()
    for name, text in texts_of(item).items():
        texts[name] = show_text(context, name, text)
    texts["source"] = item.source
    persona = []
    for number, line in enumerate(item.persona, 1):
        texts[f"line {number}"] = line
        persona.append(gap(f"line {number}"))
    gaps = _gaps_for(texts)
    turns = []
    for number, message in enumerate(item.messages, 1):
        turns.append(TurnView(message["role"], gaps.get(str(number), "")))
    html = render_cached(
        "annotators/desk/item.html",
        persona=tuple(persona),
        turns=tuple(turns),
        **{name: gaps.get(name, "") for name in ("context", "system", "reference", "source")},
    )
    return fill(html, texts)


@register.filter
def role_name(role: str) -> str:
    """Return the name of a speaker: a word for the two usual roles, else the role as uploaded."""
    return {"user": _("User"), "assistant": _("Assistant")}.get(role, role)


@register.filter
def in_brief(value: object, most: int) -> object:
    """Return the beginning of a text, with notes in place of files; another value as it is."""
    if isinstance(value, str):
        return excerpt_of(value, most).in_words
    return value
