"""A response or a turn as HTML that may stand in any page: `rendered(text)`.

Safe whatever the text: what `tasks.text.markdown` makes of it goes through nh3 with the list below,
and nothing that is not on the list comes out. No address is loaded or can be followed, there are no
ids, names or styles, and every class begins with `r-`, which nothing else in the pages does;
static/css/desk.css styles them, inside `.rendered`.

Time is bounded, too: a text too long, too deep or too intricate is shown as it was written, and
`rendering(text)` says so, for the page to tell its reader. It also says how many steps
(`tasks.text.markdown`) that took, so that a page can bound what all of its texts take.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from html import escape

import nh3

from tasks.text.formulas import CLASSES as FORMULA_CLASSES
from tasks.text.highlighting import CLASSES as CODE_CLASSES
from tasks.text.markdown import CLASSES as TEXT_CLASSES
from tasks.text.markdown import Steps, TooDeep, TooManySteps, to_html

# A text longer than this, or whose HTML would be, is shown as it was written.
LONGEST = 40_000
_LONGEST_HTML = 1_000_000
# So many characters of HTML are cleaned in what a step takes.
_HTML_OF_STEP = 64
# How many texts are remembered. Few are long, and one of those may take a megabyte.
_REMEMBERED = 512
_REMEMBERED_LONG = 64  # a page has fifty responses at most
_LONG = 4_000

_NAMES = TEXT_CLASSES | {"r-as-written"}
_MATHML_NAMES = (
    "math menclose mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow mspace msqrt"
    " mstyle msub msubsup msup mtable mtd mtext mtr munder munderover"
)
_HTML_NAMES = "b blockquote br code div em h3 h4 h5 h6 hr i li ol p pre s span strong table tbody td th thead tr ul"
_MATHML_ATTRIBUTES = (
    "accent accentunder depth displaystyle fence form height largeop linethickness lspace maxsize minsize"
    " movablelimits notation rspace scriptlevel separator stretchy symmetric voffset width"
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
    """Why a text is shown as it was written. PAGE: the texts before it took all that a page may."""

    LENGTH = "length"
    NESTING = "nesting"
    WORK = "work"
    PAGE = "page"


@dataclass(frozen=True, slots=True)
class Rendering:
    """A text as HTML, how many steps that took, and why it is as it was written, if it is."""

    html: str
    steps: int
    excess: Excess | None = None


def rendered(text: str) -> str:
    """The text as HTML, safe to stand in any page as it is."""
    return rendering(text).html


def rendering(text: str) -> Rendering:
    """The text as HTML, and what its reader has to be told. Remembered: each is shown to all who
    rate it."""
    return _long(text) if len(text) > _LONG else _short(text)


def _render(text: str) -> Rendering:
    # No text of the database has one, but the sanitiser takes Unicode only.
    text = _HALF_A_CHARACTER.sub("\ufffd", text)
    steps = Steps()
    if len(text) > LONGEST:
        # Escaped it is safe by itself, and nothing more is done with it.
        return Rendering(f'<p class="r-as-written">{escape(text)}</p>', 1, Excess.LENGTH)
    try:
        html = to_html(text, steps)
    except TooDeep:
        return _as_written(text, steps, Excess.NESTING)
    except TooManySteps:
        return _as_written(text, steps, Excess.WORK)
    if len(html) > _LONGEST_HTML:
        return _as_written(text, steps, Excess.WORK)
    return _cleaned(html, steps)


def _as_written(text: str, steps: Steps, excess: Excess) -> Rendering:
    return _cleaned(f'<p class="r-as-written">{escape(text)}</p>', steps, excess)


def _cleaned(html: str, steps: Steps, excess: Excess | None = None) -> Rendering:
    return Rendering(_cleaner.clean(html), 1 + steps.taken + len(html) // _HTML_OF_STEP, excess)


_short = lru_cache(_REMEMBERED)(_render)
_long = lru_cache(_REMEMBERED_LONG)(_render)
