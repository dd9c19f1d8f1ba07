"""Syntax highlighting: keywords, names, strings, numbers and comments get classes of our own.

Pygments finds the tokens. Its own HTML gives every dot and bracket a class. Here only the tokens
that the stylesheet colours have one, which takes fewer bytes. The language is named by the text,
never guessed: a guess costs more and may mislead.
"""

from collections.abc import Callable
from functools import cache
from html import escape
from itertools import groupby
from operator import itemgetter
from time import thread_time

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType

# Longer code is shown without colours.
LONGEST = 6_000
# On hostile code some lexers take quadratic or cubic time. After this much CPU time, the rest of
# the code has no colours. Honest code of 6,000 characters takes 0.02 s.
_SECONDS = 0.08
# The language names that people write after a code fence.
_NAMES = (
    "bash c c# c++ cpp cs csharp css dart diff docker dockerfile elixir go golang haskell hs html"
    " ini java javascript js json jsx julia kotlin latex lua makefile matlab objective-c objc perl"
    " php powershell ps1 py py3 pycon python python3 r rb rs ruby rust scala sh shell sql swift"
    " tex toml ts tsx typescript vb.net xml yaml yml zsh"
)
LANGUAGES = frozenset(_NAMES.split())
_CLASSES: dict[_TokenType, str] = {
    Comment: "r-comment",
    Comment.Preproc: "r-keyword",
    Generic.Deleted: "r-deleted",
    Generic.Heading: "r-comment",
    Generic.Inserted: "r-inserted",
    Generic.Subheading: "r-comment",
    Keyword: "r-keyword",
    Keyword.Type: "r-type",
    Name.Attribute: "r-type",
    Name.Builtin: "r-type",
    Name.Class: "r-name",
    Name.Decorator: "r-name",
    Name.Function: "r-name",
    Name.Tag: "r-keyword",
    Number: "r-number",
    Operator.Word: "r-keyword",
    String: "r-string",
}
CLASSES = frozenset(_CLASSES.values())


def highlighted(
    code: str, language: str, took: Callable[[float], object] = lambda seconds: None
) -> str | None:
    """Return the code as HTML, or None if the language is unknown or the code too long.

    The HTML has exactly the text of the code. `took` is called with the CPU time in seconds.
    """
    if language.lower() not in LANGUAGES or len(code) > LONGEST:
        return None
    pieces: list[tuple[str, str]] = []  # class and text
    seen = 0
    lexer = _lexer(language.lower())
    start = thread_time()  # after creating the lexer, which happens only once
    for kind, value in lexer.get_tokens(code):
        pieces.append((_class(kind), value))
        seen += len(value)
        if thread_time() > start + _SECONDS:
            pieces.append(("", code[seen:]))
            break
    took(thread_time() - start)
    if "".join(value for _name, value in pieces) != code:  # a lexer may drop a byte order mark
        return None
    html = ""
    for name, group in groupby(pieces, key=itemgetter(0)):
        text = escape("".join(value for _name, value in group), quote=False)
        html += f'<span class="{name}">{text}</span>' if name else text
    return html


@cache
def _lexer(language: str) -> Lexer:
    # Keep the text unchanged: by default a lexer strips blank lines and adds a final newline. The
    # last option is PHP's: few write <?php in a chat.
    lexer: Lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False, startinline=True)
    return lexer


@cache
def _class(token_type: _TokenType) -> str:
    """Return the class of the token type, or of its nearest ancestor that has one, or ""."""
    for ancestor in reversed(token_type.split()):
        if ancestor in _CLASSES:
            return _CLASSES[ancestor]
    return ""
