"""Rubrics with scales of any length: what tests of numbers and of scales with a minus share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import BrowserContext, Page

from rubrics.documents import document
from rubrics.judging import schema
from rubrics.models import Rubric
from tests.desk_keys import log_in, take_item
from tests.factories import NOW, make_item, make_project, make_user

CONTENT = {
    "code": "content",
    "short": "Content",
    "title": "Keeps the content",
    "question": "How much of what was decided is still there, and right?",
    "unit": "response",
    "lowest": 0,
    "highest": 100,
    "levels": [
        {
            "score": 100,
            "label": "All",
            "definition": "Every decision, with its date and sum. Nothing added.",
        },
        {
            "score": 75,
            "label": "Most",
            "definition": "One date, sum or name is missing, and nobody would act wrongly for it.",
        },
        {
            "score": 50,
            "label": "Half",
            "definition": "The main decision is there. Of the rest about half is missing, or told"
            " so that one would act on it wrongly.",
        },
        {
            "score": 25,
            "label": "Little",
            "definition": "One can tell what the meeting was about, hardly what it decided.",
        },
        {"score": 0, "label": "Nothing", "definition": "None of it, or another meeting."},
    ],
    "checks": [
        {"code": "made_up", "kind": "tick", "wording": "Makes something up", "key": "M"},
        {"code": "wrong_name", "kind": "tick", "wording": "Wrong name or date", "key": "N"},
        {"code": "order", "kind": "tick", "wording": "Order is lost", "key": "O"},
    ],
    "rules": [
        {
            "code": f"{check}_caps",
            "clause": clause,
            "effect": "cap",
            "when": {"any_of": [check]},
            "score": score,
            "reason": reason,
        }
        for check, clause, score, reason in (
            ("made_up", "M-1", 60, "Something is made up."),
            ("wrong_name", "M-2", 60, "A name or date is wrong."),
            ("order", "M-3", 80, "The order is lost."),
        )
    ],
}


def scale(lowest: int, highest: int, code: str = "scale", **labels: str) -> dict[str, Any]:
    """A dimension without checks and rules; `labels` describe a score each, as `at_3="Good"`."""
    scores = (*range(lowest, highest + 1),)
    of = {int(name.removeprefix("at_").replace("m", "-")): said for name, said in labels.items()}
    return {
        "code": code,
        "short": code.title(),
        "title": code.title(),
        "question": f"How is the {code}?",
        "unit": "response",
        "lowest": lowest,
        "highest": highest,
        "levels": [
            {"score": score, "label": of[score], "definition": f"{of[score]}."}
            for score in scores
            if score in of
        ],
        "checks": [],
        "rules": [],
    }


LENGTH = scale(
    -2,
    2,
    "length",
    at_m2="Much too short",
    at_m1="A bit too short",
    at_0="About right",
    at_1="A bit too long",
    at_2="Much too long",
)


def rubric_of(*dimensions: dict[str, Any]) -> schema.Rubric:
    """A rubric with these dimensions."""
    content = {"slug": "minutes", "title": "Minutes", "summary": "Minutes in short."}
    return document.parse({**content, "dimensions": [*dimensions]})


def load(*dimensions: dict[str, Any]) -> Rubric:
    """A published rubric with these dimensions."""
    rubric, _ = Rubric.objects.load(rubric_of(*dimensions), now=NOW)
    return rubric


def open_minutes(
    new_context: Callable[..., BrowserContext], *dimensions: dict[str, Any], **options: Any
) -> Page:
    """Open the desk with an item of two responses, rated by these dimensions."""
    ada = make_user(name="ada")
    project = make_project(slug="minutes", rubric=load(*dimensions), annotators=[ada])
    make_item(project=project, responses=["They met.", "They met on 4 March."])
    page = new_context(**options).new_page()
    log_in(page, "ada")
    take_item(page, "minutes")
    if options.get("java_script_enabled", True):
        page.wait_for_function("() => document.activeElement.closest('[data-row]')")
    return page
