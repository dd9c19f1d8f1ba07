r"""Which stretch of a text is a formula, and its MathML.

Formulas are written in LaTeX between `$…$`, `$$…$$`, `\(…\)`, `\[…\]` or as an environment such as
`align`. What is between dollars may be money and what is between escaped brackets prose: a formula
has to look like one.

math-core turns them into MathML Core, which browsers show without script. It was taken over
latex2mathml, which leaves the `&` of `aligned` on the page, shows half of what it can't read, sets
columns by attributes that Chromium does not know, and takes ten times as long. Two faults of it are
kept out here, before it is asked: it descends the machine's stack, up to 1.6 kB a level as
measured, and a full stack ends the process; and a bracket that is never closed doubles its time.
Its results still go through the sanitiser, like all else.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from math_core import LatexError, LatexToMathML

# How much of a formula is read: with these at most 480 kB of stack are in use, and a thread has 512
# kB or more.
LONGEST = 2_000
_MOST_COMMANDS = 200
_DEEPEST = 30
_MOST_OTHERS = 300  # brackets and large operators, of which Unicode has many
_MOST_COST = 500_000
# A length beyond this many em would paint over what is beside the formula.
_WIDEST = 10.0

_ENVIRONMENTS = (
    "align|alignat|aligned|array|cases|equation|gather|gathered|multline|split|[bBpvV]?matrix"
)
_INSIDE = rf"{{1,{LONGEST}}}"
# An opening dollar follows no letter or digit and a closing one precedes none: US$5, $HOME/a:$PATH,
# $A$1.
_DOLLARS = re.compile(rf"\$(?![\s$])((?:[^$\\]|\\.){_INSIDE})(?<!\s)\$(?![\w$])", re.DOTALL)
_DOUBLE_DOLLARS = re.compile(rf"\$\$((?:[^$\\]|\\.|\$(?!\$)){_INSIDE})\$\$", re.DOTALL)
_ROUND = re.compile(rf"\\\(((?:[^\\]|\\[^()]){_INSIDE})\\\)", re.DOTALL)
_SQUARE = re.compile(rf"\\\[((?:[^\\]|\\[^\[\]]){_INSIDE})\\\]", re.DOTALL)
_ENVIRONMENT = re.compile(
    rf"(\\begin\{{((?:{_ENVIRONMENTS})\*?)\}}.{{1,{LONGEST}}}?\\end\{{\2\}})", re.DOTALL
)

_WORDS_IN_FORMULAS = re.compile(
    r"\\(?:text|mathrm|mathbf|mathit|operatorname)\w*\*?\s*\{[^{}]*\}|\\[A-Za-z]+"
)
_PROSE = re.compile(
    r"[^\W\d_]{2,}[,;:.]?\s+[^\W\d_]{3,}|[^\W\d_]{3,}[,;:.]?\s+[^\W\d_]{2,}"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
_LONE_WORD = re.compile(r"[a-z]{3,}")
_MONEY = re.compile(r"\d[^\\]*?(?:\s[^\W\d_]{2,}|[€£¥])")
_MATHEMATICAL = re.compile(r"[\\^_=+*/<>-]")

# All that may nest or bracket, a delimiter with the \left or \right that it belongs to.
_PIECE = re.compile(
    r"\\(?:left|middle|right)(?![A-Za-z])\s*(?:\\[A-Za-z]+|\\.|.)?|\\[A-Za-z]+|\\.|[{}(\[&%]|[^\x00-\x7f]",
    re.DOTALL,
)
_KIND = re.compile(r"[{}]|\\(?:left|right|begin|end)(?![A-Za-z])")
_ENDS = {"{": "}", "\\left": "\\right", "\\begin": "\\end"}
_COMMAND = re.compile(r"\\[A-Za-z]")
_BRACKET = re.compile(
    r"[(\[]|\\\{|\\(?:[lu]l(?:corner|angle|bracket|parenthesis)"
    r"|l(?:ang|angle|brace|brack|ceil|floor|group|moustache|paren|vert))",
    re.IGNORECASE,
)
# LaTeX numbers these; each formula of a response would be number one.
_NUMBERED = re.compile(r"\\(begin|end)\{(align|alignat|equation|gather|multline)\}")

_TAG = re.compile(r"<(\w+)((?: [\w:-]+=\"[^\"<>]*\")+)(/?)>")
_ATTRIBUTE = re.compile(r" ([\w:-]+)=\"([^\"]*)\"")
_LENGTH = re.compile(r"(-?\d+(?:\.\d+)?)(?:em|rem|ex|%)?")
_LENGTHS = frozenset(
    {
        "width",
        "height",
        "depth",
        "voffset",
        "lspace",
        "rspace",
        "minsize",
        "maxsize",
        "linethickness",
    }
)
# The policy forbids styles inside a page, so those that matter are classes. Widths and colours are
# left out.
_CLASSES = {
    "text-align:left": "r-math-left",
    "text-align:right": "r-math-right",
    "padding-left:0": "r-math-tight-left",
    "padding-right:0": "r-math-tight-right",
    "border-top": "r-math-line-top",
    "border-right": "r-math-line-right",
    "border-bottom": "r-math-line-bottom",
    "border-left": "r-math-line-left",
}
CLASSES = frozenset(_CLASSES.values())

_converter = LatexToMathML(fancy_error=False, max_expansions=0)


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it stands in a text, what is between its delimiters, and whether it has its own
    line."""

    written: str
    content: str
    display: bool


def formula_at(text: str, start: int) -> Formula | None:
    """The formula that begins at this place, if one does. Time is bounded by `LONGEST`, whatever
    the text."""
    two = text[start : start + 2]
    if two == "$$":
        return _formula(_DOUBLE_DOLLARS.match(text, start), display=True)
    if two.startswith("$"):
        before = text[start - 1] if start else " "
        if before == "$" or before.isalnum():
            return None
        found = _formula(_DOLLARS.match(text, start), display=False)
        return None if found and _MONEY.match(found.content) else found
    if two == "\\(":
        return _formula(_ROUND.match(text, start), display=False)
    if two == "\\[":
        found = _formula(_SQUARE.match(text, start), display=True)
        # Brackets are escaped for other ends too: \[1\] is a note, \[sic\] a remark.
        return found if found and _MATHEMATICAL.search(found.content) else None
    if text.startswith("\\begin{", start):
        return _formula(_ENVIRONMENT.match(text, start), display=True)
    return None


def _formula(found: re.Match[str] | None, *, display: bool) -> Formula | None:
    if found is None:
        return None
    content = found[1].strip()
    if (
        not content
        or _LONE_WORD.fullmatch(content)
        or _PROSE.search(_WORDS_IN_FORMULAS.sub(" \\ ", content))
    ):
        return None
    return Formula(found[0], content, display)


def mathml(formula: Formula) -> str | None:
    """The formula as a `math` element; None where it is too large or can't be read: show it as
    written."""
    if not cost(formula):
        return None
    content = formula.content
    if "\\tag" not in content and "\\label" not in content:
        content = _NUMBERED.sub(r"\\\1{\2*}", content)
    try:
        converted = _converter.convert_with_local_state(content, displaystyle=formula.display)
    except LatexError:
        return None
    except BaseException as failure:
        # A fault inside the converter, not in the formula. It has no type to import and is no
        # Exception.
        if type(failure).__name__ != "PanicException":
            raise
        return None
    return _TAG.sub(_classed, converted)


def cost(formula: Formula) -> int:
    r"""How much reading it can take, some 10 ns each; 0 where it is not going to be read.

    Each bracket that nothing closes is tried twice, with all that follows. Which one closes which
    depends on what the commands between them take, so all that open are counted, those of a table's
    cells apart. Braces, `\left` and environments that don't match can't be read anyway, and to find
    that out takes long.
    """
    content = formula.content
    if len(content) > LONGEST:
        return 0
    most = 0
    brackets, ends = (
        [0],
        [""],
    )  # so far, in the formula and in the cell of each table that is open; what ends a group
    commands = others = 0
    for piece in _PIECE.findall(content):
        kind = _KIND.match(piece)
        commands += _COMMAND.match(piece) is not None
        others += not piece.isascii()
        if kind and kind[0] in _ENDS:
            ends.append(_ENDS[kind[0]])
            if ends[-1] == "\\end":
                brackets.append(0)
        elif kind:
            if ends.pop() != kind[0]:
                return 0
            if kind[0] == "\\end":
                brackets.pop()
        elif piece in ("&", "\\\\") and ends[-1] == "\\end":
            brackets[-1] = 0
        elif piece == "%":  # a comment: what is behind it would not be seen
            return 0
        elif _BRACKET.fullmatch(piece) or unicodedata.category(piece[-1]) in ("Ps", "Pi"):
            brackets[-1] += 1
            most = max(most, brackets[-1])
        if len(ends) > _DEEPEST:
            return 0
    if ends != [""] or commands > _MOST_COMMANDS or others > _MOST_OTHERS:
        return 0
    total = len(content) << most
    return total if total <= _MOST_COST else 0


def _classed(tag: re.Match[str]) -> str:
    """A tag without styles and without lengths that reach beyond the formula."""
    name, attributes, closing = tag.groups()
    kept, classes = [], []
    for attribute, value in _ATTRIBUTE.findall(attributes):
        if attribute == "style":
            for declaration in value.split(";"):
                key = declaration.replace(" ", "")
                known = _CLASSES.get(key) or (
                    _CLASSES.get(key.partition(":")[0]) if "solid" in key else None
                )
                if known:
                    classes.append(known)
        elif attribute not in _LENGTHS or _is_small(value):
            kept.append(f' {attribute}="{value}"')
    if classes:
        kept.append(f' class="{" ".join(classes)}"')
    return f"<{name}{''.join(kept)}{closing}>"


def _is_small(length: str) -> bool:
    found = _LENGTH.fullmatch(length)
    return found is not None and abs(float(found[1])) <= _WIDEST
