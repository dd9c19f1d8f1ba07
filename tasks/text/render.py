"""Responses and turns as HTML that is safe in any page: `rendering(text)` and `plain(text)`.

The HTML is safe for any text: nh3 sanitises the output of `tasks.text.markdown` with the allow-list
below. No address is loaded or can be followed, and there are no ids, names or styles. Every class
begins with `r-`, a prefix that nothing else in the pages uses. static/css/desk.css styles these
classes inside `.rendered`.

Time is bounded, too: a text that is too long, too deep or too intricate is shown as written. The
reason comes with it, so that the page can inform its reader. So does the number of steps
(`tasks.text.markdown`), so that a page can limit the steps of all its texts. A very long text is
cut, and notes stand for files in it (`tasks.text.excerpt`).
"""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from html import escape

import nh3

from tasks.text.excerpt import Excerpt, excerpt_of, names_in
from tasks.text.formulas import CLASSES as FORMULA_CLASSES
from tasks.text.highlighting import CLASSES as CODE_CLASSES
from tasks.text.markdown import (
    CLASSES as TEXT_CLASSES,
    Steps,
    TooDeep,
    TooManySteps,
    code_in,
    to_html,
)

# Longer texts, and texts with longer HTML, are shown as written.
LONGEST = 40_000
_LONGEST_HTML = 1_000_000
# Sanitising this many characters of HTML takes as long as a step.
_HTML_OF_STEP = 64
# Cache sizes, in texts. Few texts are long, but one of those may take a megabyte.
_REMEMBERED = 512
_REMEMBERED_LONG = 64  # a page has fifty responses at most
_LONG = 4_000

_NAMES = TEXT_CLASSES | {"r-as-written"}
_MATHML_NAMES = (
    "math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow"
    " mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover"
)
_HTML_NAMES = (
    "b blockquote br code div em h3 h4 h5 h6 hr i li ol p pre s span strong table tbody td th"
    " thead tr ul"
)
_MATHML_ATTRIBUTES = (
    "accent accentunder depth displaystyle fence form height largeop linethickness lspace maxsize"
    " minsize movablelimits notation rspace scriptlevel separator stretchy symmetric voffset width"
)
ELEMENTS = frozenset(_MATHML_NAMES.split()) | frozenset(_HTML_NAMES.split())
ATTRIBUTES = {"ol": frozenset({"start"})} | dict.fromkeys(
    _MATHML_NAMES.split(), frozenset(_MATHML_ATTRIBUTES.split())
)
VALUES = {
    "div": {"tabindex": frozenset({"0"})},
    "math": {"display": frozenset({"block"})},
    "mi": {"mathvariant": frozenset({"normal"})},
    "span": {"tabindex": frozenset({"0"})},
}
CLASSES: dict[str, frozenset[str]] = {
    "code": _NAMES,
    "div": _NAMES,
    "li": _NAMES,
    "mtd": FORMULA_CLASSES,
    "p": _NAMES,
    "span": _NAMES | CODE_CLASSES,
    "td": _NAMES,
    "th": _NAMES,
}
_cleaner = nh3.Cleaner(
    tags=ELEMENTS,
    attributes=ATTRIBUTES,
    tag_attribute_values=VALUES,
    allowed_classes=CLASSES,
    clean_content_tags=set(),
    generic_attribute_prefixes=set(),
    url_schemes=set(),
    link_rel=None,
)
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


class Excess(StrEnum):
    """The reason why a text is shown as written."""

    LENGTH = "length"
    NESTING = "nesting"
    WORK = "work"
    PAGE = "page"  # the texts before it used up the steps of the page


@dataclass(frozen=True, slots=True)
class Rendering:
    """A text as HTML."""

    html: str
    steps: int  # taken to render it
    excess: Excess | None = None  # only if it is shown as written


def rendering(text: str | Excerpt) -> Rendering:
    """Return the text as HTML, with its steps and the reason if it is shown as written.

    Results are cached, because each text is shown to everyone who rates it.
    """
    part = excerpt_of(text) if isinstance(text, str) else text
    whole = _long(part.text) if len(part.text) > _LONG else _short(part.text)
    return replace(whole, html=part.with_notes(whole.html)) if part.notes else whole


def plain(text: str | Excerpt) -> Rendering:
    """Return the text as it was written, character for character, with its code marked as code.

    No code is marked where a rendering would exceed a limit: the text reads the same without.
    """
    part = excerpt_of(text) if isinstance(text, str) else text
    whole = _plain(part.text)
    return replace(whole, html=part.with_notes(whole.html)) if part.notes else whole


@lru_cache(_REMEMBERED_LONG)
def _plain(text: str) -> Rendering:
    steps, code = Steps(), []
    if len(text) <= LONGEST and ("`" in text or "~~~" in text):
        with suppress(TooDeep, TooManySteps):
            code = list(code_in(text, steps))
    html, end = "", 0
    for begin, after in code:
        html += f"{escape(text[end:begin])}<code>{escape(text[begin:after])}</code>"
        end = after
    return Rendering(html + escape(text[end:]), 1 + steps.count)


def _render(text: str) -> Rendering:
    # Texts in the database have no lone surrogates, but the sanitiser accepts valid Unicode only.
    text = _HALF_A_CHARACTER.sub("\ufffd", text)
    unrendered = f'<p class="r-as-written">{escape(text)}</p>'
    if len(text) > LONGEST:
        # Escaped text is safe without the sanitiser, whose work on long texts is saved here.
        return Rendering(unrendered, 1, Excess.LENGTH)
    steps = Steps()
    excess: Excess | None = None
    try:
        html = to_html(text, steps)
    except TooDeep:
        html, excess = unrendered, Excess.NESTING
    except TooManySteps:
        html, excess = unrendered, Excess.WORK
    # A formula or an unusual language may part the name of a file.
    if len(html) > _LONGEST_HTML or names_in(html) != names_in(text):
        html, excess = unrendered, Excess.WORK
    return Rendering(_cleaner.clean(html), 1 + steps.count + len(html) // _HTML_OF_STEP, excess)


_short = lru_cache(_REMEMBERED)(_render)
_long = lru_cache(_REMEMBERED_LONG)(_render)
