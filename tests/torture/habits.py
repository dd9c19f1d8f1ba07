"""What annotators do, how often, and what they send."""

from __future__ import annotations

from dataclasses import dataclass

# How the ids of items begin that a lead may take back, and how many responses each has.
PASSING, RESPONSES = "passing-", 2
REASONS = ("distressing", "unclear", "broken", "language", "expertise", "other")
# How often what is done, of a hundred times.
HABITS = {
    "rate": 40,
    "draft": 8,
    "draft_elsewhere": 4,
    "rate_twice_at_once": 6,
    "rate_in_two_tabs": 4,
    "send_again": 6,
    "break_off": 10,
    "dawdle": 4,
    "renew": 5,
    "skip": 4,
    "flag": 3,
    "correct": 5,
    "log_out": 1,
}


@dataclass
class Form:
    """A form as it is sent, and its entry in the journal. `rating`: where what it led to is
    corrected."""

    path: str
    fields: dict[str, str]
    lease: int
    intent: int
    revision: int = 1
    item: str = ""
    refused: bool = False
    rating: str = ""
