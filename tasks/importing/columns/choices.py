"""Choices: what each column is taken for, how sure that is, and why. Knows no Django."""

from dataclasses import dataclass
from enum import StrEnum

from .uses import Use


class Certainty(StrEnum):
    """How sure a use of a column is."""

    SURE = "sure"
    LIKELY = "likely"
    OPEN = "open"  # it is asked


@dataclass(frozen=True)
class ColumnChoice:
    """A use of a column, with its reason. An open one has a question, and what it may be."""

    path: str
    use: Use
    certainty: Certainty
    reason: str = ""
    options: tuple[Use, ...] = ()
    question: str = ""
