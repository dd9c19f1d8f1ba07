"""The desk over HTTP, step by step: what its tests send, and the addresses they send it to."""

from __future__ import annotations

from django.test import Client

from annotators.models import User
from tasks.models import Lease, Project

HTMX = {"HX-Request": "true"}

FAULTLESS = {"helpful": "entirely", "harmless": "yes", "honest": "yes", "comprehensive": "yes"}

# Two windows, as they name themselves in what they write.
ONE, OTHER = "1" * 16, "2" * 16


def held(user: User) -> Lease:
    return Lease.objects.filter(status="live").get(annotator=user)


def url(lease: Lease, step: str = "submit") -> str:
    return f"/projects/{lease.project.slug}/desk/{lease.pk}/{step}/"


def scored(lease: Lease, score: int = 7) -> dict[str, str]:
    """Every response of a response-quality item, faultless."""
    answers: dict[str, str] = {}
    for place in range(1, len(lease.responses) + 1):
        answers |= {f"r{place}.quality.{code}": value for code, value in FAULTLESS.items()}
        answers[f"r{place}.quality"] = str(score)
    return answers


def start(desk: Client, project: Project, ada: User) -> Lease:
    desk.post(f"/projects/{project.slug}/desk/start/")
    return held(ada)


def talked(**others: str) -> dict[str, str]:
    answers: dict[str, str] = {}
    for key in ("r1", "r2"):
        answers |= {
            f"{key}.quality": "4",
            f"{key}.consistency.contradicts": "no",
            f"{key}.consistency.reflects": "no",
            f"{key}.consistency": "3",
            f"{key}.coherence": "4",
        }
    return answers | others


def diverse(corpus: str, near: str, score: int, *, shown: str = "") -> dict[str, str]:
    """`shown`: the answer about the corpus that the page was shown."""
    return {
        "m1.diversity.corpus_high": corpus,
        "m1.diversity.corpus_high.shown": shown,
        "s1.diversity.set_high": near,
        "s1.diversity": str(score),
        "seen": "sets",
    }


def page(number: int = 1, *, writer: str = ONE, shown: str = "") -> dict[str, str]:
    """Which page writes, the number of its form, and the version that it was loaded with."""
    return {"draft_writer": writer, "draft_number": str(number), "draft_shown": shown}
