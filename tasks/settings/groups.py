"""Settings that are saved together, and the fields that a form has of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django import forms
from django.utils.functional import Promise


class SettingsGroup(NamedTuple):
    """Settings that are saved together. A field that the project does not have is left out."""

    title: str | Promise
    why: str | Promise
    after: str | Promise  # what happens at "Save"
    usual: tuple[str, ...]
    rare: tuple[str, ...] = ()
    fold: str | Promise = ""  # the title over the rare ones


@dataclass(frozen=True)
class GroupOfFields:
    """A group of settings with the fields that a form has of it."""

    code: str
    words: SettingsGroup
    usual: Sequence[forms.BoundField]
    rare: Sequence[forms.BoundField]

    @property
    def is_wrong(self) -> bool:
        """True if a rare one is wrong: then they are not folded."""
        return any(field.errors for field in self.rare)
