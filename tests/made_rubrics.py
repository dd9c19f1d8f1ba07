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


def scales(*dimensions: Content, slug: str = "made") -> Content:
    """A document of several dimensions."""
    return {"slug": slug, "title": "Made", "summary": "Made up.", "dimensions": [*dimensions]}


def scale(code: str, title: str, lowest: int, labels: list[str], **more: Any) -> Content:
    """A dimension with a level for each label, in order from the lowest; "" is not described."""
    return {
        "code": code,
        "short": title[:20],
        "title": title,
        "question": f"How is it, as to {title}?",
        "lowest": lowest,
        "highest": lowest + len(labels) - 1,
        "levels": [
            {"score": score, "label": label, "definition": f"It is {label}."}
            for score, label in enumerate(labels, start=lowest)
            if label
        ],
        **more,
    }


def choice(code: str, wording: str, *answers: str) -> Content:
    """A question with these answers, each of which asserts a fact but the first."""
    given = [
        {"code": f"a{at}", "wording": answer, **({"sets": f"{code}_{at}"} if at else {})}
        for at, answer in enumerate(answers)
    ]
    return {"code": code, "kind": "one_of", "wording": wording, "answers": given}


# Twelve scales of five described levels, without checks and rules.
SKILLS = scales(
    *(
        scale(f"skill_{at}", title, 1, ["Not at all", "Hardly", "Partly", "Mostly", "Fully"])
        for at, title in enumerate(
            (
                *("Logical robustness", "Logical correctness", "Logical efficiency", "Facts"),
                *("Common sense", "Comprehension", "Insightfulness", "Completeness"),
                *("Metacognition", "Readability", "Conciseness", "Harmlessness"),
            )
        )
    ),
    slug="skills",
)
# Labels of long words, in buttons where they fit, else under the scale; few and many levels.
WORDS = scales(
    scale(
        *("help", "Helpfulness", 0),
        [
            "Completely unhelpful",
            "Mostly unhelpful",
            "Partially helpful",
            "Mostly helpful",
            "Ideal",
        ],
    ),
    scale(
        *("clear", "Understandability", 1),
        ["Not understandable", "Hardly", "Partly", "Mostly understandable", "Understandable"],
    ),
    scale("grade", "Grade, as a teacher would give it", 1, ["Terrible", *[""] * 8, "Outstanding"]),
    scale(
        *("length", "Length", -2),
        ["Much too short", "A bit too short", "About right", "A bit too long", "Much too long"],
    ),
    scale(
        *("tone", "Appropriateness", -2),
        ["Inappropriately formal", "Formal", "Appropriate", "Informal", "Inappropriately informal"],
    ),
    slug="words",
)
# Questions with many answers and with long ones, beside scales whose labels are long.
ANSWERS = scales(
    scale(
        *("whole", "Comprehensiveness", 1),
        ["Unsatisfactory", "Poor", "Fair", "Good", "Exceptional"],
        checks=[
            choice(
                *("far", "How far does it answer what the person has asked for"),
                *("all of it", "part of it", "asks back"),
                *("declines and says why it does so, in full", "declines without any explanation"),
            ),
            choice("mood", "Mood", "kind", "neutral", "unkind", "aggressive"),
            choice("sure", "Certainty", "is sure", "is not sure at all of what it says"),
            {"code": "sense", "kind": "yes_no", "wording": "Makes sense"},
            *(
                {"code": f"harm_{at}", "kind": "tick", "wording": wording}
                for at, wording in enumerate(
                    (
                        *("Discrimination", "Self-harm", "Misinformation"),
                        *("Controversial topics, politics", "Financial crime, property crime"),
                    )
                )
            ),
        ],
        rules=[
            rule("harm", "cap", {"any_of": ["harm_0", "harm_1"]}, score=2),
            rule("wise", "require", scores=[4, 5], needs={"all_of": ["harm_4"]}),
        ],
    ),
    scale("risk", "Risk", 0, ["None", "Some", "Grave"]),
    slug="answers",
)
