"""Small documents of one dimension, made of few words."""

from __future__ import annotations

from typing import Any

Content = dict[str, Any]


def tick(code: str, **more: Any) -> Content:
    return {"code": code, "kind": "tick", "wording": code, **more}


def detected(code: str) -> Content:
    return tick(code, kind="detected", detector="empty")


def question(code: str, *sets: str) -> Content:
    """A question with an answer for each fact, "" for an answer that asserts none."""
    answers = [
        {"code": f"a{number}", "wording": "A", **({"sets": fact} if fact else {})}
        for number, fact in enumerate(sets)
    ]
    return tick(code, kind="one_of", answers=answers)


def rule(code: str, effect: str, when: Content | None = None, **more: Any) -> Content:
    said = {"code": code, "clause": "X-1", "effect": effect, "reason": "So.", **more}
    return said | ({"when": when} if when else {})


def document(checks: list[Content], rules: list[Content], highest: int = 5) -> Content:
    return {
        "slug": "made",
        "title": "Made",
        "summary": "Made up.",
        "dimensions": [
            {
                "code": "quality",
                "short": "Q",
                "title": "Quality",
                "question": "How good?",
                "unit": "response",
                "lowest": 1,
                "highest": highest,
                "levels": [
                    {"score": score, "label": "L", "definition": "D."}
                    for score in range(1, highest + 1)
                ],
                "checks": checks,
                "rules": rules,
            }
        ],
    }


LOW = rule("r1", "cap", {"all_of": ["a"]}, score=1)
HIGH = rule("r2", "floor", {"all_of": ["b"]}, score=3)
RANK = rule("r1", "rank_below", {"all_of": ["a"]})
