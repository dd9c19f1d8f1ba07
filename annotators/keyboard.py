"""Each person's keys for the commands of the desk, and the keys of a rubric's scores.

A command has one key, identified by the character that it types. In a layout whose letters are not
Latin, it is the key at the place where an American layout has that character. Digits belong to the
scores. If a check and a command have the same key, the command gets it and the check shows none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import NamedTuple

from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Check
from rubrics.judging.scales import blank_key, digits, is_typed
from rubrics.judging.schema import Rubric


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
    def of_person(cls, on: bool, changed: Mapping[str, str]) -> Keys:
        """Return a person's own keys by command, and the usual ones for the rest.

        If a usual key was given to another command, the command that it belonged to has none until
        a new one is chosen.
        """
        changes = [change for change in changed.items() if change[0] in COMMANDS]
        return _keys(on, tuple(changes))

    def by_command(self) -> dict[str, str]:
        """Return the keys by their command."""
        return {command: getattr(self, command) for command in COMMANDS}

    def letters(self, checks: Iterable[Check]) -> frozenset[str]:
        """Return the checks' letters that work: single keys are on, and no command has them."""
        if not self.on:
            return frozenset()
        of_commands = set(self.by_command().values())
        letters = {check.key for check in checks if check.key}
        return frozenset(letter for letter in letters if key_label(letter) not in of_commands)


COMMANDS = tuple(field.name for field in fields(Keys) if field.name != "on")
USUAL = Keys().by_command()


@lru_cache(maxsize=256)
def _keys(on: bool, changed: tuple[tuple[str, str], ...]) -> Keys:
    keys_of_person = dict(changed)
    keys = {}
    for command, usual in USUAL.items():
        is_free = usual not in keys_of_person.values()
        keys[command] = usual if is_free else ""
    return Keys(on, **(keys | keys_of_person))


def key_label(key: str) -> str:
    """Return a key in upper case if that is one character too ("ß" stays)."""
    key = unicodedata.normalize("NFC", key.strip())
    if len(key.upper()) == 1:
        return key.upper()
    return key


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


class ScoreKeys(NamedTuple):
    """The keys that give scores in a row, and what they do."""

    first: str
    last: str
    action: str


def score_keys(rubric: Rubric) -> list[ScoreKeys]:
    """Return the keys that give scores in the rows of a rubric."""
    by_action: dict[str, ScoreKeys] = {}
    for dimension in rubric.dimensions:
        keys = _score_keys(dimension)
        by_action.setdefault(keys.action, keys)
        if key := blank_key(dimension):
            by_action[key] = ScoreKeys(key, "", _("choose the answer without a score"))
    return list(by_action.values())


def _score_keys(dimension: Dimension) -> ScoreKeys:
    first, *_others, last = digits(dimension).values() or ("0", "9")
    if is_typed(dimension):
        action = _("write the number in a row that has a field; ↵ confirms it")
    elif not digits(dimension):
        first = "Tab"
        last = ""
        action = _("go to a scale whose scores have no key, such as a 10; arrow keys choose")
    elif dimension.lowest < 0:
        action = _("give the row the score at this place")
    else:
        action = _("give the row a score")
    return ScoreKeys(first, last, action)
