"""The end of a round of practice: its figures, the clauses that were missed, and each answer."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from rubrics.judging.verdict import Reason
from tasks.models import PracticeRound
from tasks.models.practice import RoundCounts

from .comparison import Comparison
from .practice_item import PracticeItem


class AnsweredItem(NamedTuple):
    """An example with its answer."""

    practice_item: PracticeItem
    compared: Comparison


@dataclass(frozen=True, slots=True)
class MissedClause:
    """A clause that was missed, at the first example of it."""

    reason: Reason
    practice_item: PracticeItem
    compared: Comparison
    is_first: bool = False  # of its example, whose texts stand there alone


@dataclass(frozen=True)
class RoundEnd:
    """A round as pages show it: its figures, the clauses missed, each answer compared."""

    round: PracticeRound
    counts: RoundCounts
    wanted: int
    answered: list[AnsweredItem]
    missed: list[MissedClause]


def end_of(round_: PracticeRound) -> RoundEnd:
    """Return a round as pages show it."""
    items = [PracticeItem(round_, place) for place in range(1, len(round_.examples) + 1)]
    answered = []
    missed: dict[str, MissedClause] = {}  # by clause, at its first example
    for item in items:
        compared = item.compared
        if compared:
            answered.append(AnsweredItem(item, compared))
            by_clause = {reason.clause: reason for reason in compared.missed if reason.clause}
            for clause, reason in by_clause.items():
                missed.setdefault(clause, MissedClause(reason, item, compared))
    places: set[int] = set()
    clauses = []
    for _clause, miss in sorted(missed.items()):
        place = miss.practice_item.place
        clauses.append(replace(miss, is_first=place not in places))
        places.add(place)
    return RoundEnd(
        round=round_,
        counts=round_.counts,
        wanted=min(round_.project.practice_near, len(items)),
        answered=answered,
        missed=clauses,
    )
