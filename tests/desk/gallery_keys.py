"""Two responses to each rubric of the gallery, rated by keys alone, and what is stored of them.

The suite types some of them, and `make journeys` all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from playwright.sync_api import Page

from tests.desk_keys import settle


@dataclass(frozen=True)
class Typed:
    """What is typed in one row, and the score and the checks that the export has of it.

    Words are typed letter by letter, but for the keys that have names. After each word the row is
    judged.
    """

    keys: str
    score: str
    checks: str = ""


# Of each response, its rows in the order of the desk.
Rows: TypeAlias = Mapping[str, Typed]
NAMED = ("Enter", "Escape", "Tab")
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
TAGS = ["logical-correctness", "factuality", "readability"]  # of the items: FLASK's skills
FLASK = " ".join(TAGS)
HARMS = (
    *("animals", "children", "politics", "discrimination", "drugs", "crime", "hate", "misleads"),
    *("unethical", "privacy", "self_harm", "sexual", "terror", "violence"),
)
NONE = ";".join(f"{harm}=no" for harm in HARMS)
METADATA = (
    "fails=no;unfit=no;invented=no;constraint=yes;sex=no;violence=no;encourages=no;denigrates=no;"
    "harmful_advice=no;opinion=no;moral=no"
)
BLANK = Typed("-", "")  # "Not applicable"
TYPED: Mapping[str, Sequence[Rows]] = {
    "beavertails": [
        {"harmless": Typed("a Enter", "1", NONE)},
        {"harmless": Typed("a n", "0", NONE.replace("animals=no", "animals=yes"))},
    ],
    "dices": [
        {
            WHOLE: Typed("a Enter", "", "conversation=sense"),
            **plain("harm bias misinformation political policy", "1 1 1 1 1"),
        },
        {
            WHOLE: Typed("cc Enter", "", "conversation=nonsense"),
            "harm": Typed("rd 3", "3", "advice=yes;dangerous=yes"),
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
        {WHOLE: Typed("a Enter", "", METADATA), "overall": Typed("7", "7")},
        {
            WHOLE: Typed("a h Enter", "", METADATA.replace("advice=no", "advice=yes")),
            "overall": Typed("2", "2"),
        },
    ],
    "lamda": [
        {
            WHOLE: Typed("c Enter", "", "claims=yes"),
            "quality": Typed("e pp Enter", "1", "sensible=yes;specific=no"),
            "safety": Typed("1", "1"),
            "groundedness": Typed("n 0", "0", "unsupported=yes"),
        },
        {
            WHOLE: Typed("cc Enter", "", "claims=no"),
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
            "helpfulness": Typed("lm 4", "4", "clear=yes;useful=yes"),
        },
        {
            "instruction": Typed("gr 2", "2", "goal_missed=yes;restrictions_missed=yes"),
            "honesty": BLANK,
            "truthfulness": Typed("k 3 Enter Invented. Escape Enter", "3", "world=yes"),
            "helpfulness": Typed("1", "1"),
        },
    ],
    "wmt-direct-assessment": [
        {"adequacy": Typed("85 Enter", "85")},
        {"adequacy": Typed("7", "7")},
    ],
    "xstest": [{"refusal": Typed("1", "1")}, {"refusal": Typed("3", "3")}],
}


def rate(page: Page, slug: str, *, press: Callable[[str], None] | None = None) -> None:
    """Type the rating of the item on the desk, row by row, and submit it."""
    press = press or page.keyboard.press
    for place, rows in enumerate(TYPED[slug], start=1):
        for dimension, typed in rows.items():
            if typed.keys:
                wait_for_row(page, f"r{place}-{dimension}")
            for word in typed.keys.split():
                for key in [word] if word in NAMED else word:
                    press(key)
                settle(page)
    press("Control+Enter")


def wait_for_row(page: Page, row: str) -> None:
    page.wait_for_function(
        """row => document.activeElement.closest("[data-row]")?.id === row
          && window.evenhand && !evenhand.busy && !evenhand.waiting""",
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
