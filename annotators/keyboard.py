"""Each person's keys for the commands of the desk.

A command has one key, identified by the character that it types. In a layout whose letters are not
Latin, it is the key at the place where an American layout has that character. Digits belong to the
scores. If a check and a command have the same key, the command gets it and the check shows none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from rubrics.schema import Check


@dataclass(frozen=True, slots=True)
class Keys:
    """The key of each command, as it is written on the keyboard: "S", "?". "" for no key."""

    on: bool = True  # single keys do anything at all (WCAG 2.1.4)
    skip: str = "S"
    flag: str = "F"
    best: str = "A"
    pause: str = "Z"
    view: str = "V"
    compare: str = "U"
    look_up: str = "W"
    back: str = "B"
    rubric: str = "."
    unsure: str = "#"
    help: str = "?"

    @classmethod
    def chosen(cls, on: bool, own: Mapping[str, str]) -> Keys:
        """Return a person's own keys by command, and the usual ones for the rest.

        If a usual key was given to another command, the command that it belonged to has none until
        a new one is chosen.
        """
        chosen = [(command, own[command]) for command in COMMANDS if command in own] if own else ()
        return _chosen(on, tuple(chosen))

    def by_command(self) -> dict[str, str]:
        """Return the keys by their command."""
        return {command: getattr(self, command) for command in COMMANDS}

    def letters(self, checks: Iterable[Check]) -> frozenset[str]:
        """Return the checks' letters that work: single keys are on, and no command has them."""
        taken = set(self.by_command().values())
        return frozenset(
            check.key
            for check in checks
            if self.on and check.key and written(check.key) not in taken
        )


COMMANDS = tuple(each.name for each in fields(Keys) if each.name != "on")
USUAL = Keys().by_command()


@lru_cache(maxsize=256)
def _chosen(on: bool, own: tuple[tuple[str, str], ...]) -> Keys:
    taken = {key for _, key in own}
    usual = {command: "" if key in taken else key for command, key in USUAL.items()}
    return Keys(on, **(usual | dict(own)))


def written(key: str) -> str:
    """Return a key in upper case if that is one character too ("ß" stays)."""
    key = unicodedata.normalize("NFC", key.strip())
    return key.upper() if len(key.upper()) == 1 else key


def is_key(key: str) -> bool:
    """Return True if a command may have the key.

    It must be one visible character that the script finds again in lower case. Digits and the
    minus sign belong to the scores. The plus sign joins keys in what screen readers are told.
    """
    return (
        len(key) == 1 == len(key.lower())
        and key.isprintable()
        and not key.isspace()
        and not key.isdigit()
        and unicodedata.category(key)[0] != "M"
        and key not in "+-"
    )
