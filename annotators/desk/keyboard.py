"""The keys of the desk's own commands, as each person has them.

A command has one key, known by what it types, whatever the layout of the keyboard. Digits are the
scores'. A check's letter comes after a command's: where both are the same key, the check shows
none.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from rubrics.schema import Check


@dataclass(frozen=True, slots=True)
class Keys:
    """What each command is called by, as it is written on a key: "S", "?". "" where it has no key.

    `on`: whether single keys do anything at all (WCAG 2.1.4).
    """

    on: bool = True
    skip: str = "S"
    flag: str = "F"
    next: str = "J"
    previous: str = "K"
    best: str = "A"
    pause: str = "Z"
    view: str = "V"
    compare: str = "U"
    look_up: str = "W"
    back: str = "B"
    help: str = "?"

    @classmethod
    def chosen(cls, on: bool, own: Mapping[str, str]) -> Keys:
        """A person's own keys by command, and the usual ones for the rest.

        A usual key that was given to another command is not called twice: the command that it
        belongs to has none, until one is chosen for it.
        """
        return _chosen(
            on, tuple([(command, own[command]) for command in COMMANDS if command in own])
        )

    def by_command(self) -> dict[str, str]:
        return {command: getattr(self, command) for command in COMMANDS}

    def for_script(self) -> str:
        """JSON of the command by its key, which is in lower case, since Shift and Caps Lock don't
        matter."""
        return _for_script(self)

    def letters(self, checks: Iterable[Check]) -> frozenset[str]:
        """Those of the checks' letters that call their checks."""
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


@lru_cache(maxsize=256)
def _for_script(keys: Keys) -> str:
    return json.dumps({key.lower(): command for command, key in keys.by_command().items() if key})


def written(key: str) -> str:
    """How a key is written: in upper case where that is one character too ("ß" stays)."""
    key = unicodedata.normalize("NFC", key.strip())
    return key.upper() if len(key.upper()) == 1 else key


def is_key(key: str) -> bool:
    """Whether it is what one key types: a single character that can be seen, and that the script
    finds again in lower case. The scores' digits and the plus sign, which joins keys in what screen
    readers are told, are none."""
    return (
        len(key) == 1 == len(key.lower())
        and key.isprintable()
        and not key.isspace()
        and not key.isdigit()
        and unicodedata.category(key)[0] != "M"
        and key != "+"
    )
