r"""Formulas in a text: their recognition and their conversion to MathML.

Formulas are written in LaTeX between `$…$`, `$$…$$`, `\(…\)`, `\[…\]` or as an environment such as
`align`. Text between dollars may also be money, and text between escaped brackets prose. So the
content must look like a formula.

math-core converts formulas to MathML Core, which browsers show without scripts. latex2mathml was
rejected. It leaves the `&` of `aligned` on the page and shows half of what it can't read. It also
sets columns by attributes that Chromium does not know, and takes ten times as long.

`cost` rejects formulas that trigger two faults of math-core. It recurses on the machine's stack, up
to 1.6 kB a level as measured, and a full stack ends the process. A bracket that is never closed
doubles its time. Its results still go through the sanitiser, like all other HTML.
"""

import re
import unicodedata
from dataclasses import dataclass

from math_core import LatexError, LatexToMathML

# Limits on a formula. Within them the converter uses at most 480 kB of stack. A thread has 512 kB
# or more.
LONGEST = 2_000
_MOST_COMMANDS = 200
_DEEPEST = 30
_MOST_OTHERS = 300  # not ASCII: Unicode has many brackets and large operators
_MOST_COST = 500_000
# A length of more than this many em would paint over the text around the formula.
_WIDEST = 10.0

_ENVIRONMENTS = (
    "align|alignat|aligned|array|cases|equation|gather|gathered|multline|split|[bBpvV]?matrix"
)
_INSIDE = rf"{{1,{LONGEST}}}"
# No letter or digit precedes an opening dollar or follows a closing one. That excludes US$5,
# $HOME/a:$PATH and $A$1.
_DOLLARS = re.compile(
    rf"(?<!\$)(?<![^\W_])\$(?![\s$])((?:[^$\\]|\\.){_INSIDE})(?<!\s)\$(?![\w$])", re.DOTALL
)
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
_NO_MONEY = re.compile(r"\A(?!\d[^\\]*?(?:\s[^\W\d_]{2,}|[€£¥]))")
_MATHEMATICAL = re.compile(r"[\\^_=+*/<>-]")
_ANYTHING = re.compile("")
# How a formula begins, its whole pattern, if it has a line of its own, and what its content is.
_NOTATIONS = (
    ("$$", _DOUBLE_DOLLARS, True, _ANYTHING),
    ("$", _DOLLARS, False, _NO_MONEY),
    ("\\(", _ROUND, False, _ANYTHING),
    # Brackets are escaped for other reasons too: \[1\] is a note, \[sic\] a remark.
    ("\\[", _SQUARE, True, _MATHEMATICAL),
    ("\\begin{", _ENVIRONMENT, True, _ANYTHING),
)

# Everything that may nest or bracket; a delimiter includes the \left or \right before it.
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
# LaTeX numbers these environments. Every formula of a response would be number one.
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
# The Content-Security-Policy forbids inline styles, so those that matter become classes. Widths and
# colours are left out.
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
    """A formula found in a text."""

    source: str  # with its delimiters
    tex: str  # without them
    display: bool  # on a line of its own


def formula_at(text: str, start: int) -> Formula | None:
    """Return the formula that begins at `start`, or None.

    `LONGEST` bounds the time for any text.
    """
    for begin, pattern, display, kind in _NOTATIONS:
        if text.startswith(begin, start):
            match = pattern.match(text, start)
            content = match[1].strip() if match else ""
            if not match or not content or not kind.search(content) or _is_prose(content):
                return None
            return Formula(match[0], content, display)
    return None


def _is_prose(formula: str) -> bool:
    if _LONE_WORD.fullmatch(formula):
        return True
    return _PROSE.search(_WORDS_IN_FORMULAS.sub(" \\ ", formula)) is not None


def mathml(formula: Formula) -> str | None:
    """Return the formula as a `math` element, or None to show it as written.

    The result is None if the formula is too large or can't be read.
    """
    if not cost(formula):
        return None
    content = formula.tex
    if "\\tag" not in content and "\\label" not in content:
        content = _NUMBERED.sub(r"\\\1{\2*}", content)
    try:
        converted = _converter.convert_with_local_state(content, displaystyle=formula.display)
    except BaseException as failure:
        # A PanicException is a fault inside the converter, not in the formula. Its type can't be
        # imported and is not a subclass of Exception.
        if not isinstance(failure, LatexError) and type(failure).__name__ != "PanicException":
            raise
        return None
    return _TAG.sub(_classed, converted)


def cost(formula: Formula) -> int:
    r"""Return an upper bound of the reading time in units of some 10 ns; 0 to not read it at all.

    The converter tries each unclosed bracket twice, with everything after it. Which bracket closes
    which depends on the arguments that the commands between them take. So all opening brackets are
    counted, separately for each cell of a table. Formulas with braces, `\left` or environments that
    don't match can't be read anyway, and the converter takes long to find that out.
    """
    content = formula.tex
    pieces = _PIECE.findall(content)
    commands = sum(_COMMAND.match(piece) is not None for piece in pieces)
    others = sum(not piece.isascii() for piece in pieces)
    if len(content) > LONGEST or commands > _MOST_COMMANDS or others > _MOST_OTHERS:
        return 0
    most = 0
    brackets = [0]  # so far, in the formula and in the current cell of each open table
    ends = [""]  # the token that ends each open group
    for piece in pieces:
        kind = _KIND.match(piece)
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
        elif piece == "%":  # a comment would hide the rest of its line
            return 0
        elif _BRACKET.fullmatch(piece) or unicodedata.category(piece[-1]) in ("Ps", "Pi"):
            brackets[-1] += 1
            most = max(most, brackets[-1])
        if len(ends) > _DEEPEST:
            return 0
    total = len(content) << most
    return total if ends == [""] and total <= _MOST_COST else 0


def _classed(tag: re.Match[str]) -> str:
    """Return a tag with classes for its styles, without lengths that go beyond the formula."""
    name, attributes, closing = tag.groups()
    values = dict(_ATTRIBUTE.findall(attributes))
    classes: list[str] = []
    for style in values.pop("style", "").replace(" ", "").split(";"):
        # A solid line is known by its side, whatever its width.
        key = style.partition(":")[0] if "solid" in style else style
        if key in _CLASSES:
            classes.append(_CLASSES[key])
    if classes:
        values["class"] = " ".join(classes)
    allowed = ""
    for attribute, value in values.items():
        if attribute not in _LENGTHS or _is_small(value):
            allowed += f' {attribute}="{value}"'
    return f"<{name}{allowed}{closing}>"


def _is_small(length: str) -> bool:
    match = _LENGTH.fullmatch(length)
    return match is not None and abs(float(match[1])) <= _WIDEST
