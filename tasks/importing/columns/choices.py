"""Choices: what each column is taken for, how sure that is, and why. Knows no Django."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from .uses import Use


class Certainty(StrEnum):
    """How sure a use of a column is."""

    SURE = "sure"
    LIKELY = "likely"
    DOUBTFUL = "open"  # the lead is asked


@dataclass(frozen=True)
class ColumnChoice:
    """A use of a column, with its reason. A doubtful one has a question, and what it may be."""

    path: str
    use: Use
    certainty: Certainty
    reason: str = ""
    options: tuple[Use, ...] = ()
    question: str = ""
    group: str = ""  # of columns that are asked about once: the first one's path


def with_groups(uses: Mapping[str, Use], column_choices: Iterable[ColumnChoice]) -> dict[str, Use]:
    """Return uses in which a group of columns has the use of its first one."""
    completed = dict(uses)
    for choice in column_choices:
        use = completed.get(choice.path, Use.UNDECIDED)
        if choice.group in uses and use is Use.UNDECIDED:
            completed[choice.path] = uses[choice.group]
    return completed
