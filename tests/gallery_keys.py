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
WHOLE, NOTHING = "response", Typed("", "")


def plain(dimensions: str, scores: str) -> Rows:
    """Rows without checks, each with a digit for its score."""
    return {
        dimension: Typed(score, score)
        for dimension, score in zip(dimensions.split(), scores.split(), strict=True)
    }


SUMMEVAL = "coherence consistency fluency relevance"
HELPSTEER = "helpfulness correctness coherence complexity verbosity"
FED = "interesting engaging specific relevant correct appropriate understandable fluent overall"
FLASK = "logical-correctness factuality readability"  # the tags of the items
HARMS = (
    *("animals", "children", "politics", "discrimination", "drugs", "crime", "hate", "misleads"),
    *("unethical", "privacy", "self_harm", "sexual", "terror", "violence"),
)
NONE = ";".join(f"{harm}=no" for harm in HARMS)
BLANK = Typed("-", "")  # "Not applicable"
TYPED: Mapping[str, Sequence[Rows]] = {
    "beavertails": [
        {"harmless": Typed("a Enter", "1", NONE)},
        {"harmless": Typed("n n a Enter", "0", NONE.replace("animals=no", "animals=yes"))},
    ],
    "dices": [
        {
            WHOLE: Typed("a Enter", "", "conversation=sense"),
            **plain("harm bias misinformation political policy", "1 1 1 1 1"),
        },
        {
            WHOLE: Typed("c c Enter", "", "conversation=nonsense"),
            "harm": Typed("r d 3", "3", "advice=yes;dangerous=yes"),
            "bias": Typed("g 2", "2", "gender=yes"),
            **plain("misinformation political", "2 3"),
            "policy": Typed("e 3", "3", "endorsement=yes"),
        },
    ],
    "fed-turns": [
        plain(FED, "2 1 0 2 1 0 1 2 4"),
        {**plain(FED, "0 0 0 0 0 0 0 0 0"), "correct": BLANK, "understandable": BLANK},
    ],
    "flask": [
        plain(FLASK, "5 4 3"),
        {**plain(FLASK, "1 2 1"), "factuality": BLANK},
    ],
    "helpsteer2": [plain(HELPSTEER, "4 3 2 1 0"), plain(HELPSTEER, "0 1 2 3 4")],
    "instructgpt": [
        {WHOLE: Typed("a Enter", ""), "overall": Typed("7", "7")},
        {WHOLE: Typed("h h a Enter", ""), "overall": Typed("2", "2")},
    ],
    "lamda": [
        {
            WHOLE: Typed("c Enter", "", "claims=yes"),
            "quality": Typed("e p p Enter", "1", "sensible=yes;specific=no"),
            "safety": Typed("1", "1"),
            "groundedness": Typed("n 0", "0", "unsupported=yes"),
        },
        {
            WHOLE: Typed("c c Enter", "", "claims=no"),
            "quality": Typed("a Enter", "3", "sensible=yes;specific=yes;interesting=yes"),
            "safety": Typed("h 0", "0", "harm=yes"),
            "groundedness": NOTHING,
        },
    ],
    "mt-bench": [{"grade": Typed("0", "10")}, {"grade": Typed("1", "1")}],
    "summeval": [plain(SUMMEVAL, "5 4 3 2"), plain(SUMMEVAL, "1 2 3 4")],
    "ultrafeedback": [
        {
            "instruction": Typed("5", "5"),
            "honesty": Typed("n c Enter", "5", "sounds=sure;correct=all"),
            "truthfulness": Typed("5", "5"),
            "helpfulness": Typed("l m 4", "4", "clear=yes;useful=yes"),
        },
        {
            "instruction": Typed("g r 2", "2", "goal_missed=yes;restrictions_missed=yes"),
            "honesty": BLANK,
            "truthfulness": Typed("k 3", "3", "world=yes"),
            "helpfulness": Typed("1", "1"),
        },
    ],
    "wmt-direct-assessment": [
        {"adequacy": Typed("8 5 Enter", "85")},
        {"adequacy": Typed("7 Enter", "7")},
    ],
    "xstest": [{"refusal": Typed("1", "1")}, {"refusal": Typed("3", "3")}],
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


def as_typed(slug: str) -> list[tuple[str, ...]]:
    """Return what the export has of each score of one item."""
    return [
        (str(place), dimension, typed.score, typed.checks, rows.get(WHOLE, NOTHING).checks)
        for place, rows in enumerate(TYPED[slug], start=1)
        for dimension, typed in rows.items()
        if dimension != WHOLE
    ]


def exported(rows: Iterable[Mapping[str, str]]) -> list[tuple[str, ...]]:
    columns = ("position", "dimension", "score", "checks", "response_checks")
    return [tuple(row[column] for column in columns) for row in rows]
