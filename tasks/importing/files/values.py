"""Checks of a row's values. No Django but its translations.

A value must have the right type, and the database must be able to store it. Otherwise the checks
raise BadValue, which has advice.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import NoneType

from django.utils.translation import gettext as _, gettext_lazy

from .rows import LineError, SourceRow, Text, excerpt, fill_in, printable

LONGEST_MODEL = 200  # characters of a model's name
DEEPEST = 16  # levels of nested objects and lists in a metadata value
A_TEXT = gettext_lazy("a text")
A_LIST = gettext_lazy("a list")
AN_OBJECT = gettext_lazy("an object")
# What a value is, by its types; bool comes before int, which it is too.
KINDS: tuple[tuple[type | tuple[type, ...], Text], ...] = (
    (NoneType, "null"),
    (bool, gettext_lazy("true or false")),
    ((int, float, Decimal), gettext_lazy("a number")),
    (str, A_TEXT),
    (list, A_LIST),
    (object, AN_OBJECT),
)
WRITE_TEXT = gettext_lazy("write a text, in quotes")
KEEP_ONE = gettext_lazy("keep one of them")


class BadValue(ValueError):
    def __init__(self, column: str, reason: Text, advice: Text, value: str = "") -> None:
        super().__init__(reason)
        self.column = column
        self.reason = str(reason)
        self.advice = str(advice)
        self.value = value

    def at(self, row: SourceRow, item: str = "") -> LineError:
        """Return the error of the row that has the value."""
        path = ".".join(filter(None, (row.path, self.column)))
        column = printable(path)
        return LineError(row.line, column, self.value, self.reason, self.advice, item)


def cell_text(value: object, column: str, most: int | None = None) -> str:
    """Return a text, which may have `most` characters."""
    if not isinstance(value, str):
        raise wrong_kind(column, value, A_TEXT, WRITE_TEXT)
    require_holdable(value, column)
    if most is not None and len(value) > most:
        reason = fill_in(_("is %(number)s characters long"), number=len(value))
        advice = fill_in(_("use %(most)s at most"), most=most)
        raise BadValue(column, reason, advice, excerpt(value))
    return value


def lines_of(text: str, column: str) -> list[str]:
    """Return the lines of a text. A line end at the end of the text begins no further line."""
    lines = cell_text(text, column).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def texts_in_list(text_values: Sequence[object], column: str) -> list[str]:
    """Return the texts in a list. Raises BadValue."""
    texts = []
    for position, value in enumerate(text_values):
        text = cell_text(value, f"{column}[{position}]")
        texts.append(text)
    return texts


def require_holdable(text: str, column: str) -> None:
    """Raise BadValue for a text that PostgreSQL or UTF-8 cannot represent."""
    if "\0" in text:
        reason = _("holds the character NUL (U+0000)")
        advice = _("take it out, the database can’t hold it")
        raise BadValue(column, reason, advice, excerpt(text))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        place = error.start
        code = f"U+{ord(text[place]):04X}"
        reason = fill_in(_("holds half a character (the lone surrogate %(code)s)"), code=code)
        start = max(0, place - 10)
        around = excerpt(text[start : place + 10])
        advice = _("write the whole character")
        raise BadValue(column, reason, advice, around) from None


def require_holdable_all(value: object, column: str, levels_left: int) -> None:
    """Check all texts of a value, and how deep it is nested."""
    match value:
        case str():
            require_holdable(value, column)
        case list() | dict() if not levels_left:
            reason = fill_in(_("is nested more than %(most)s levels deep"), most=DEEPEST)
            advice = _("flatten it, or write it as a text")
            raise BadValue(column, reason, advice)
        case list():
            for position, entry in enumerate(value):
                require_holdable_all(entry, f"{column}[{position}]", levels_left - 1)
        case dict():
            for name, entry in value.items():
                path = f"{column}.{name}"
                require_holdable(name, path)
                require_holdable_all(entry, path, levels_left - 1)


def one_of(value: Mapping[str, object], entry_names: tuple[str, ...], column: str) -> str:
    """Return the one of two names that is in `value`.

    A null counts as present: the value must be a text, so null has the wrong type.
    """
    first, second = entry_names
    has_second = second in value
    if first in value and has_second:
        raise BadValue(f"{column}.{second}", conflict_with(first), KEEP_ONE)
    if first in value:
        return first
    if has_second:
        return second
    advice = fill_in(_('give "%(name)s", a text'), name=first)
    raise BadValue(f"{column}.{first}", _("is missing"), advice)


def require_nothing_else(
    value: Mapping[str, object], entry_names: tuple[str, ...], column: str
) -> None:
    """Refuse entries that would be lost, such as a tool call. Empty entries are allowed."""
    for name, entry in value.items():
        if name in entry_names or entry in (None, "", [], {}):
            continue
        path = f"{column}.{name}"
        reason = _("can’t be shown here")
        advice = _("remove it, or put it next to the item’s id, where it is kept as metadata")
        raise BadValue(path, reason, advice, excerpt(entry))


def conflict_with(name: str) -> str:
    """Return the reason why a column may not be there beside another."""
    return fill_in(_('appears beside "%(name)s"'), name=name)


def wrong_kind(column: str, value: object, expected: Text, advice: Text) -> BadValue:
    """Return the error of a value of the wrong type."""
    kind = next(words for types, words in KINDS if isinstance(value, types))
    reason = fill_in(_("is %(kind)s, not %(wanted)s"), kind=kind, wanted=expected)
    text = "" if value is None else excerpt(value)
    return BadValue(column, reason, advice, text)
