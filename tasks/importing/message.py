"""Lazily translated messages about a file, with their values. No Django.

`gettext_lazy` and `ngettext_lazy` have the names of Django's functions, so that `make messages`
finds their arguments. str() of a Message is English; `worded` translates it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Value: TypeAlias = "str | int | Message"


class Language(NamedTuple):
    """The functions that translate messages and format numbers in a language."""

    gettext: Callable[[str], str]
    ngettext: Callable[[str, str, int], str]
    number: Callable[[int], str]


ENGLISH = Language(str, lambda one, many, number: one if number == 1 else many, "{:,}".format)


@dataclass(frozen=True, slots=True)
class Message:
    """A message in English with its values, to be translated later."""

    text: str  # with placeholders such as %(line)s; the singular if there is a plural
    values: Mapping[str, Value]
    plural: str = ""
    number: int = 0  # decides between `text` and `plural`

    def __str__(self) -> str:
        return self.worded(ENGLISH)

    def worded(self, language: Language) -> str:
        """Return the message in a language, with its values formatted in that language."""
        if self.plural:
            text = language.ngettext(self.text, self.plural, self.number)
        else:
            text = language.gettext(self.text)
        return text % {name: _shown(value, language) for name, value in self.values.items()}


def gettext_lazy(text: str, /, **values: Value) -> Message:
    """Return a message without a plural."""
    return Message(text, values)


def ngettext_lazy(text: str, plural: str, number: int, /, **values: Value) -> Message:
    """Return a message with singular and plural."""
    return Message(text, values, plural, number)


def _shown(value: Value, language: Language) -> str:
    match value:
        case Message():
            return value.worded(language)
        case int():
            return language.number(value)
    return value
