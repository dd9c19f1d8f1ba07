"""Two responses to each rubric of the gallery, rated by keys alone, and what is stored of them.

The suite types some of them, and `make journeys` all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from playwright.sync_api import Page


@dataclass(frozen=True)
class Typed:
    """What is typed in one row, and the score and the checks that the export has of it."""

    keys: str
    score: str
    checks: str = ""


# Of each response, its rows in the order of the desk.
Rows: TypeAlias = Mapping[str, Typed]


def plain(dimensions: str, scores: str) -> Rows:
    """Rows without checks, each with a digit for its score."""
    return {
        dimension: Typed(score, score)
        for dimension, score in zip(dimensions.split(), scores.split(), strict=True)
    }


SUMMEVAL = "coherence consistency fluency relevance"
TYPED: Mapping[str, Sequence[Rows]] = {
    "beavertails": [
        {"harmless": Typed("a Enter", "1")},
        {"harmless": Typed("n n a Enter", "0")},
    ],
    "instructgpt": [
        {"response": Typed("a Enter", ""), "overall": Typed("7", "7")},
        {"response": Typed("h h a Enter", ""), "overall": Typed("2", "2")},
    ],
    "lamda": [
        {
            "response": Typed("c Enter", ""),
            "quality": Typed("e p p Enter", "1"),
            "safety": Typed("1", "1"),
            "groundedness": Typed("n 0", "0"),
        },
        {
            "response": Typed("c c Enter", ""),
            "quality": Typed("a Enter", "3"),
            "safety": Typed("h 0", "0"),
            "groundedness": Typed("", ""),
        },
    ],
    "mt-bench": [{"grade": Typed("0", "10")}, {"grade": Typed("1", "1")}],
    "summeval": [plain(SUMMEVAL, "5 4 3 2"), plain(SUMMEVAL, "1 2 3 4")],
    "wmt-direct-assessment": [
        {"adequacy": Typed("8 5 Enter", "85")},
        {"adequacy": Typed("7 Enter", "7")},
    ],
}


def rate(page: Page, slug: str, *, press: Callable[[str], None] | None = None) -> None:
    """Type the rating of the item on the desk, row by row, and submit it."""
    press = press or page.keyboard.press
    rows = [
        (f"r{place}-{dimension}", typed.keys.split())
        for place, answers in enumerate(TYPED[slug], start=1)
        for dimension, typed in answers.items()
        if typed.keys
    ]
    for number, (row, keys) in enumerate(rows, start=1):
        wait_for_row(page, row)
        for key in keys if number < len(rows) or keys[-1] != "Enter" else keys[:-1]:
            press(key)
    press("Control+Enter")


def wait_for_row(page: Page, row: str) -> None:
    page.wait_for_function(
        """row => document.activeElement.closest("[data-row]")?.id === row
          && !evenhand.busy && !evenhand.waiting""",
        arg=row,
    )


def as_typed(slug: str) -> list[tuple[str, str, str, str]]:
    """Return what the export has of one item: position, dimension, score, checks."""
    return [
        (str(place), dimension, typed.score, typed.checks)
        for place, rows in enumerate(TYPED[slug], start=1)
        for dimension, typed in rows.items()
        if dimension != "response"
    ]


def exported(rows: Iterable[Mapping[str, str]]) -> list[tuple[str, str, str, str]]:
    return [(row["position"], row["dimension"], row["score"], row["checks"]) for row in rows]
