r"""Markdown as models write it, converted to HTML that is not sanitised yet.

markdown-it-py reads CommonMark with tables, strikethrough, task lists and formulas. It differs from
CommonMark so that an annotator sees everything that was written, and nothing else:

- HTML is text, and so is an address in angle brackets, which may be a tag. Definitions of
  references, which CommonMark removes, are text too.
- A line break in the source is one on the page. Chats show it so, and models write verses,
  addresses and code that way.
- A link is shown as its text and its address. Nothing can be opened by accident, no tab stop comes
  between two keys, and no site learns who reads what. A link text that promises another address is
  exposed. The same goes for images.
- Headings continue the levels of the page and skip none.
- A row's surplus cells, which have no column, are shown in the last column of the table.
- The info string of a code fence is shown above the code.

`code_in` tells where the code is in a text that is shown as it was written.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.parser_inline import ParserInline
from markdown_it.renderer import RendererHTML
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import escapedSplit, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, backtick
from markdown_it.token import Token

from tasks.text.formulas import Formula, cost, formula_at, mathml
from tasks.text.highlighting import highlighted

# Texts beyond these limits are shown as written. A step is one attempt to parse at one place or
# line, some 5 µs. A response of 20,000 characters takes 2,000 to 20,000 steps.
MOST_STEPS = 60_000
_MOST_CELLS = 5_000
# A step takes as long as this many units of a formula's cost.
_COST_OF_STEP = 256
# Code takes a step for each character. Hostile code takes more, by CPU time. The time for a step is
# generous, so that honest code takes the same number of steps on a slow machine.
_SECONDS_OF_STEP = 10e-6
# markdown-it drops text nested deeper than this.
_DEEPEST = 20
# The page's own headings above a text end with level two.
_FIRST_HEADING = 3
_LAST_HEADING = 6
# A formula of more characters may need scrolling, which must work by keyboard too.
_WIDE_FORMULA = 60
_LONGEST_BLOCK = 60  # lines of a formula
_LINE_END = re.compile(r"\r\n?|\n")

_NAMES = (
    "r-address r-center r-code r-formula r-image r-language r-left r-right r-source r-table r-task"
)
CLASSES = frozenset(_NAMES.split())


class TooManySteps(Exception):
    """The text takes too many steps to render; the exception does not say where."""


class TooDeep(Exception):
    """The text nests lists or quotations too deep to be shown."""


@dataclass
class Steps:
    """The count of steps that a text has taken."""

    count: int = 0

    def take(self, steps: int = 1) -> None:
        self.count += steps
        if self.count > MOST_STEPS:
            raise TooManySteps


class _Inline(ParserInline):
    """A parser that counts the places it skips in search of a closing bracket.

    The library caches the token at each place, but skips all of them again for every open bracket.
    """

    def skipToken(self, state: StateInline) -> None:
        state.env["steps"].take()
        super().skipToken(state)


class _Markdown(MarkdownIt):
    """A reader that shows every address as written, because none can be opened from the page."""

    def validateLink(self, url: str) -> bool:
        return True

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link


def to_html(text: str, steps: Steps) -> str:
    """Return the text as HTML that is not sanitised yet.

    Raise TooManySteps or TooDeep if the text exceeds a limit.
    """
    env = {"steps": steps}
    tokens = _MARKDOWN.parse(text, env)
    # Each token is rendered and sanitised, and nested lists have many tokens in few characters.
    steps.take(sum(1 + len(token.children or ()) for token in tokens))
    html: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env)
    return html


def code_in(text: str, steps: Steps) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each stretch of code, with its fences or backticks.

    A span over several lines is a stretch in each. Raise as `to_html` does.
    """
    tokens = _MARKDOWN.parse(text, {"steps": steps})
    lines = [0, *(end.end() for end in _LINE_END.finditer(text)), len(text)]
    place = 0
    for before, token in pairwise([*tokens[:1], *tokens]):
        if not token.map:
            continue
        place, end = max(place, lines[token.map[0]]), lines[token.map[1]]
        if token.type == "fence":
            yield text.index(token.markup, place), end
        bar = r"\|" if before.type in ("th_open", "td_open") else "|"  # as a cell has to write it
        spans = (child.meta.get("written", "") for child in token.children or ())
        for span in filter(None, "\n".join(spans).replace("|", bar).split("\n")):
            begin = text.find(span, place, end)
            if begin < 0:  # it begins or ends in a surplus cell; no line is searched for it again
                break
            place = begin + len(span)
            yield begin, place


# --- bounds ---


def _block_step(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Count an attempt to parse a line; runs before all block rules and never matches."""
    state.env["steps"].take()
    if not silent and state.level >= _DEEPEST - 2:  # a list takes two levels
        raise TooDeep
    return False


def _inline_step(state: StateInline, silent: bool) -> bool:
    """Count an attempt to parse a place in a line, as `_block_step` does for lines."""
    state.env["steps"].take()
    return False


# --- code ---


def _code_in_line(state: StateInline, silent: bool) -> bool:
    """Parse code in a line as the library does, and note it with its backticks."""
    begin = state.pos
    is_parsed = backtick(state, silent)
    # Backticks that nothing closes are pending, as text.
    if is_parsed and not silent and not state.pending:
        state.tokens[-1].meta["written"] = state.src[begin : state.pos]
    return is_parsed


# --- formulas ---


def _push_formula(state: StateBlock | StateInline, kind: str, formula: Formula) -> Token:
    state.env["steps"].take(cost(formula) // _COST_OF_STEP)
    token = state.push(kind, "", 0)
    token.content = formula.source
    token.meta = {"formula": formula}
    return token


def _formula_in_line(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    formula = formula_at(state.src[: state.posMax], state.pos)
    if formula is None:
        return False
    if not silent:
        _push_formula(state, "formula", formula)
    state.pos += len(formula.source)
    return True


def _formula_on_lines(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a formula that has lines of its own.

    A mark that begins a list or a heading elsewhere belongs to the formula here.
    """
    if state.is_code_block(start):
        return False
    begin = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith(("$$", "\\[", "\\begin{"), begin):
        return False
    last = start + 1
    while (
        last < min(end, start + _LONGEST_BLOCK)
        and not state.isEmpty(last)
        and state.sCount[last] >= state.blkIndent
    ):
        last += 1
    lines = state.getLines(start, last, state.blkIndent, False).lstrip()
    formula = formula_at(lines, 0)
    if formula is None or lines[len(formula.source) :].partition("\n")[0].strip():
        return False
    if not silent:
        state.line = start + formula.source.count("\n") + 1
        _push_formula(state, "formula_block", formula).block = True
    return True


def _formula(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    formula: Formula = tokens[index].meta["formula"]
    converted = mathml(formula)
    if converted is None:
        return f'<code class="r-source">{escape(formula.source)}</code>'
    # The keyboard must reach a formula that is likely to need scrolling.
    stop = ' tabindex="0"' if len(formula.tex) > _WIDE_FORMULA else ""
    return f'<span class="r-formula"{stop}>{converted}</span>' if formula.display else converted


def _formula_block(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    return f"<p>{_formula(self, tokens, index, options, env)}</p>\n"


# --- tables ---


def _whole_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table as the library does, but keep the cells that have no column."""
    before = len(state.tokens)
    if not table(state, start, end, silent):
        return False
    tokens = state.tokens[before:]
    state.env["steps"].take(len(tokens) // 3)
    columns = sum(token.type == "th_open" for token in tokens)
    if sum(token.type == "td_open" for token in tokens) > _MOST_CELLS:
        raise TooManySteps
    for index, token in enumerate(tokens):
        if token.type != "tr_close" or not (row := tokens[index - 2]).map:
            continue
        line = row.map[0]
        cells = escapedSplit(
            state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].strip()
        )
        cells = cells[cells[0] == "" : len(cells) - (cells[-1] == "")]
        row.content = " | ".join([row.content, *(cell.strip() for cell in cells[columns:])])
    return True


# --- after reading ---


def _fit_the_page(state: StateCore) -> None:
    """Continue the page's heading levels, and use our own classes."""
    heading_levels: list[int] = []
    for token in state.tokens:
        style = token.attrs.pop("style", None)
        token.attrs.pop("class", None)
        if style:
            token.attrs["class"] = f"r-{str(style).removeprefix('text-align:')}"
        elif token.type == "heading_open":
            level = int(token.tag[1:])
            while heading_levels and heading_levels[-1] >= level:
                heading_levels.pop()
            heading_levels.append(level)
        elif token.type == "list_item_open" and "checked" in (token.meta or {}):
            token.attrs["class"] = "r-task"
        if token.type.startswith("heading_"):
            token.tag = f"h{min(_FIRST_HEADING + len(heading_levels) - 1, _LAST_HEADING)}"


# --- writing ---


def _link_begin(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    # A link has no link in it, but perhaps an image, whose text may have one.
    env.setdefault("addresses", []).append(_address(tokens[index], "href"))
    return ""


def _link_end(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    address = env["addresses"].pop()
    before = tokens[index - 1]
    return "" if before.type == "text" and before.content == address else _visible(address)


def _image(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    text = self.renderInline(tokens[index].children or [], options, env)
    return f'<span class="r-image">{text}</span>{_visible(_address(tokens[index], "src"))}'


def _address(token: Token, name: str) -> str:
    title = token.attrs.get("title")
    return f"{token.attrs[name]} “{title}”" if title else str(token.attrs[name])


def _visible(address: str) -> str:
    return f' <span class="r-address">({escape(address)})</span>' if address else ""


def _list_item(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    """Render a task's box as a character: a control would become part of the rating form."""
    meta = tokens[index].meta or {}
    item = self.renderToken(tokens, index, options, env)
    if "checked" not in meta:
        return item
    return item + ("☑ " if meta["checked"] else "☐ ")


def _table_begin(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    return '<div class="r-table" tabindex="0"><table>\n'


def _table_end(
    self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any
) -> str:
    return "</table></div>\n"


def _code(self: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    info = unescapeAll(token.info).strip()

    def took(seconds: float) -> None:
        env["steps"].take(max(len(token.content), int(seconds / _SECONDS_OF_STEP)))

    code = highlighted(token.content, info.split()[0], took) if info else None
    if code is None:
        code = escape(token.content, quote=False)
    language = f'<div class="r-language">{escape(info)}</div>' if info else ""
    return f'<div class="r-code">{language}<pre><code>{code}</code></pre></div>\n'


def _markdown() -> MarkdownIt:
    reader = _Markdown(
        "commonmark", {"html": False, "breaks": True, "tasklists": True, "maxNesting": _DEEPEST}
    )
    reader.inline = _Inline()
    reader.enable(["table", "strikethrough"]).disable(
        ["reference", "html_block", "html_inline", "autolink"]
    )
    ends_paragraphs: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    reader.block.ruler.at("table", _whole_table, {"alt": ["paragraph", "reference"]})
    reader.block.ruler.before("table", "formula", _formula_on_lines, ends_paragraphs)
    reader.block.ruler.before("formula", "step", _block_step, ends_paragraphs)
    reader.inline.ruler.before("text", "step", _inline_step)
    reader.inline.ruler.before("escape", "formula", _formula_in_line)
    reader.inline.ruler.at("backticks", _code_in_line)
    reader.core.ruler.push("fit_the_page", _fit_the_page)
    for kind, rule in {
        "code_block": _code,
        "fence": _code,
        "formula": _formula,
        "formula_block": _formula_block,
        "image": _image,
        "link_close": _link_end,
        "link_open": _link_begin,
        "list_item_open": _list_item,
        "table_close": _table_end,
        "table_open": _table_begin,
    }.items():
        reader.add_render_rule(kind, rule)
    return reader


_MARKDOWN = _markdown()
