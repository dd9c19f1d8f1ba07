"""The slips of who writes YAML, in plain words: one need not know YAML's own.

`yaml_lines` asks for them when PyYAML refuses a text.
"""

import re
from typing import Any

from django.utils.translation import gettext, gettext_noop as _

# A part of what PyYAML says, and what is said instead. The first that is found counts. `_` only
# marks a message here: it is translated if it is said.
SLIPS = {
    "key in text": _(
        "this line is read as a part of the text above it; indent it like its neighbours, or put a"
        ' text with ": " in quotes'
    ),
    r"mapping values|got ':'": _('a text with ": " needs quotes'),
    r"'\\t'": _("a tab; indent with spaces"),
    r"quoted scalar found unexpected": _("this quote is not closed; close it"),
    r"block end>, but found '<scalar>'": _(
        "more text after a closing quote; write a quote inside of a text twice, or in the other"
        " kind of quotes"
    ),
    r"block end>, but found '[]},]'|content, but found '[]},]'": _(
        "a comma or bracket too many; take it out, or put the text in quotes"
    ),
    r"block end>|block collection|sequence entries": _(
        "the indentation does not fit; begin a line in the same column as its neighbours"
    ),
    r"expected ':'": _(
        'a key without ": "; write it, or indent the line as a part of the text above'
    ),
    r"expected ',' or|flow node": _(
        "a list in [ ] or a mapping in { } lacks a comma or its end; write it, or put the text in"
        " quotes"
    ),
    r"alias|anchor|tag|start any token|directive": _(
        "a text that begins with *, &, !, %, @ or ` needs quotes"
    ),
    r"another document": _('a second document begins; keep one, and no line "---"'),
    r"block scalar": _("the text after > or | begins in the next line; move it there"),
    r"escape": _("a backslash in double quotes; use single quotes"),
    r"unhashable": _("a list or mapping as a key; write a text"),
    r"merging": _("<< takes a mapping, or the alias of one"),
    r"no value": _("this number or date can’t be read; put it in quotes"),
    "": _("not readable as YAML; look at quotes, commas and indentation, also in the line before"),
}


def slip_in_words(text: str, error: Any) -> tuple[int, str]:
    """Return what PyYAML says about a text in plain words, with the line."""
    problem = f"{error.context} {error.problem}"
    mark = error.problem_mark
    if error.context_mark and problem.startswith("while scanning"):
        mark = error.context_mark
    begun_line = text[: mark.index].rpartition("\n")[2]
    if ": " not in begun_line:  # the only one of its line
        problem = problem.replace("mapping values", "key in text").replace("got ':'", "")
    line = mark.line + 1
    for part, words in SLIPS.items():
        if re.search(part, problem):
            return line, gettext(words)
    raise AssertionError  # the last one fits all
