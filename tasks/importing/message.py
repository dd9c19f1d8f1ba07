"""What is said of a file, before it is put into words: a message and what stands in it. No Django.

`gettext_lazy` and `ngettext_lazy` are named like Django's, so that `make messages` finds what they
are given. A Message is English wherever it is printed; `wording` puts it into the reader's
language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Value: TypeAlias = "str | int | Message"


class Language(NamedTuple):
    """How a language words a message, a message with a number that matters, and a number."""

    gettext: Callable[[str], str]
    ngettext: Callable[[str, str, int], str]
    number: Callable[[int], str]


ENGLISH = Language(str, lambda one, many, number: one if number == 1 else many, "{:,}".format)


@dataclass(frozen=True, slots=True)
class Message:
    """`text` with places such as %(line)s for `values`. With a `plural` it is what is said of one
    thing, and `number` how many there are."""

    text: str
    values: Mapping[str, Value]
    plural: str = ""
    number: int = 0

    def __str__(self) -> str:
        return self.worded(ENGLISH)

    def worded(self, language: Language) -> str:
        """The message in a language, its values too."""
        if self.plural:
            text = language.ngettext(self.text, self.plural, self.number)
        else:
            text = language.gettext(self.text)
        return text % {name: _shown(value, language) for name, value in self.values.items()}


def gettext_lazy(text: str, /, **values: Value) -> Message:
    """A message."""
    return Message(text, values)


def ngettext_lazy(text: str, plural: str, number: int, /, **values: Value) -> Message:
    """A message that hangs on a number."""
    return Message(text, values, plural, number)


def _shown(value: Value, language: Language) -> str:
    match value:
        case Message():
            return value.worded(language)
        case int():
            return language.number(value)
    return value
