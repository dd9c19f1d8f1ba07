"""The parts of a rubric, and links to its readings.

A reading is a text of guidance that decides where the source is unclear.
"""

import re
from collections.abc import Iterable, Sequence

from django import template
from django.utils.html import conditional_escape, escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Consequences
from rubrics.judging.parts import Condition, Example
from rubrics.judging.schema import Rubric
from rubrics.pages.by_clause import ClauseEntry
from rubrics.pages.fact_effects import consequence
from rubrics.pages.rubric_page import ExampleAnswer, parts_of
from rubrics.pages.rule_sentences import RuleWriter
from rubrics.pages.sentences import is_rule_in_words, sentences, title_parts

register = template.Library()
register.simple_tag(parts_of)
register.simple_tag(consequence)
register.filter(is_rule_in_words)

SAME_PAGE = "here"  # in place of the rubric's address: the text stands on the same page
ELSEWHERE = format_html(' target="{}" rel="noopener"', "_blank")


@register.simple_tag
def asked_if(rubric: Rubric, dimension: Dimension, when: Condition) -> SafeString | str:
    """Say when a part is asked; "" for always."""
    if not when.names:
        return ""
    condition = RuleWriter(rubric, dimension).condition(when)
    return format_html(_("Asked only if: {condition}."), condition=condition)


@register.simple_tag
def our_reading(dimension: Dimension, code: str, rubric_url: str = "") -> str:
    """Return the link “our reading” to the text of this code, or "" if there is none."""
    if code:
        return _link(dimension, code, _("our reading"), rubric_url)
    return ""


@register.simple_tag
def with_readings(
    text: str, rubric: Rubric, dimension: Dimension, rubric_url: str = ""
) -> SafeString:
    """Return a text in which the name of each reading, such as “Reading 1”, is a link to it."""
    links: dict[str, SafeString] = {}
    for guidance in (*rubric.guidance, *dimension.guidance):
        name, has_name, _title = guidance.title.partition(":")
        if has_name and name in text:
            links[name] = _link(dimension, guidance.code, name, rubric_url)
    pieces = [text]
    if links:
        names = "|".join(map(re.escape, links))
        pieces = re.split(rf"\b({names})\b", text)
    return format_html_join("", "{}", ((links.get(piece, piece),) for piece in pieces))


@register.simple_tag
def due(
    text: str, rubric: Rubric, dimension: Dimension, rubric_url: str, consequences: str
) -> SafeString:
    """Return a text as `with_readings`, with what names a score as `consequences` has it."""
    if consequences == Consequences.ALWAYS:
        return with_readings(text, rubric, dimension, rubric_url)
    pieces = []
    for sentence, names_score in sentences(rubric, text):
        piece = with_readings(sentence, rubric, dimension, rubric_url)
        pieces.append((piece, names_score))
    return _due(pieces, " ", consequences)


@register.simple_tag
def due_title(title: str, rubric: Rubric, consequences: str) -> SafeString | str:
    """Return a title, as `due` does."""
    if consequences == Consequences.ALWAYS:
        return title
    return _due(title_parts(rubric, title), "", consequences)


def _due(pieces: Iterable[tuple[str, bool]], separator: str, consequences: str) -> SafeString:
    """Join the pieces. Those that name a score wait until that is due, or are left out."""
    texts = []
    for text, names_score in pieces:
        if not names_score:
            texts.append(text)
        elif consequences == Consequences.AFTER:
            texts.append(format_html('<span class="not-due">{}</span>', text))
    return format_html_join(separator, "{}", ((text,) for text in texts))


@register.simple_tag
def clause_links(clause_ids: Iterable[str]) -> SafeString:
    """Return links to clauses, as small labels; "" for none."""
    links = []
    for clause in map(escape, clause_ids):
        links.append(f'<a class="clause" href="#{clause}">{clause}</a>')
    if not links:
        return SafeString("")
    return mark_safe(f'<span class="clauses">{"".join(links)}</span>')  # noqa: S308 - escaped


@register.simple_tag
def clause_entries(entries_of_clause: Sequence[ClauseEntry], lang: SafeString) -> SafeString:
    """Return the parts that carry a clause, each a line of a list with a link to it.

    A page has hundreds of lines, and a loop in the template takes five times as long.
    """
    return mark_safe("".join(_entry(entry, lang) for entry in entries_of_clause))  # noqa: S308 - escaped


@register.simple_tag
def example_texts(example: Example, lang: SafeString) -> SafeString:
    """Return the texts of an example, each under who wrote it. A page has some fifty of them."""
    parts = []
    if example.persona:
        parts += [_who(_("Persona")), _list_of(example.persona, "ul", "lines", lang)]
    for turn in example.history:
        parts += [_who(_role(turn.role, lang)), f'<p class="asked"{lang}>{escape(turn.text)}</p>']
    if example.response is not None:
        reply = f'<p class="blank">{_("empty response")}</p>'
        if example.response.strip():
            reply = f'<p class="reply"{lang}>{escape(example.response)}</p>'
        parts += [_who(_("Response")), reply]
    if example.candidates:
        parts += [_who(_("Candidate set")), _list_of(example.candidates, "ol", "replies", lang)]
    if example.elsewhere:
        words = _("The model’s answers to other histories:")
        parts += [_who(words), _list_of(example.elsewhere, "ul", "replies", lang)]
    return mark_safe("".join(parts))  # noqa: S308 - escaped


def _who(words: str) -> str:
    return f'<p class="who">{words}</p>'


def _role(role: str, lang: SafeString) -> str:
    """Return who wrote a turn; a role without words of ours stands as it is."""
    if role == "user":
        return _("User")
    if role == "assistant":
        return _("Assistant")
    return f"<span{lang}>{escape(role)}</span>"


def _list_of(texts: Iterable[str], tag: str, name: str, lang: SafeString) -> str:
    lines = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<{tag} class="{name}"{lang}>{lines}</{tag}>'


@register.simple_tag
def answer_lines(example_answers: Iterable[ExampleAnswer], lang: SafeString) -> SafeString:
    """Return the answers and ticks of an example as lines of a list."""
    lines = []
    for check, answer, is_good in example_answers:
        kind = "answered" if answer else "ticked"
        poor = "" if is_good else " poor"
        text = ""
        if answer:
            text = f"<b{lang}>{escape(answer.wording)}</b>"
        wording = f"<span{lang}>{escape(check.wording)}</span>"
        lines.append(f'<li class="{kind}{poor}">{wording} {text}</li>')
    return mark_safe("".join(lines))  # noqa: S308 - escaped


def _entry(entry: ClauseEntry, lang: SafeString) -> str:
    href = escape(entry.href)
    kind = conditional_escape(entry.kind)
    link = f'<a href="#{href}">{conditional_escape(entry.sentence or "")}</a>'
    if not entry.sentence:
        link = f'<a href="#{href}"{lang}><b>{conditional_escape(entry.title)}</b></a>'
    text = ""
    if entry.text:
        text = f"<span{lang}>{conditional_escape(entry.text)}</span>"
    is_example = ""
    if entry.is_example:
        is_example = ' class="of-example"'
    return f'<li{is_example}><span class="kind">{kind}</span> <span>{link} {text}</span></li>'


def _link(dimension: Dimension, code: str, words: str, rubric_url: str) -> SafeString:
    reading = code
    anchor = f"guidance-{code}"
    if any(text.code == code for text in dimension.guidance):
        reading = f"{dimension.code}-{code}"
        anchor = f"dimension-{dimension.code}-guidance-{code}"
    if rubric_url == SAME_PAGE:
        rubric_url = ""
        anchor = f"about-reading-{reading}"
    elsewhere = ""
    if rubric_url:
        elsewhere = ELSEWHERE
    link = '<a class="our-reading" data-reading="{}" href="{}#{}"{}>{}</a>'
    return format_html(link, reading, rubric_url, anchor, elsewhere, words)
