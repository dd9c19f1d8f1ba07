"""The walk through the pages on which a lead starts a rubric, and has a draft as a document."""

from __future__ import annotations

from unittest import mock

from django.utils import timezone
from playwright.sync_api import expect

from rubrics.documents.document import dump
from rubrics.documents.shipped import shipped
from rubrics.documents.yaml_lines import in_yaml
from rubrics.models import RubricDraft
from tests.factories import make_project, make_user
from tests.made_rubrics import LOW, document, tick
from tests.visitor import Visitor, Walk

DRAFT = "rubric-drafts/<int:pk>/"
RUBRICS_STATES = {
    "rubrics/": {"no drafts", "full"},
    "rubrics/new/": {"empty", "nothing found", "refused", "read"},
    f"{DRAFT}document/": {
        *("full", "refused", "differences", "changed meanwhile, many lines"),
    },
    f"{DRAFT}delete/": {"asked"},
    f"{DRAFT}parts/<str:part>/": {
        *("about", "scale", "questions", "rules", "examples", "classes"),
        *("cannot be read", "changed meanwhile", "with faults"),
    },
    f"{DRAFT}publish/": {"asked", "by a program", "with faults"},
    "rubrics/draft-<int:pk>/0/": {"full"},
}
RUBRICS_NO_PAGE = {
    f"{DRAFT}document.yaml": "a download",
    DRAFT: "leads to a part",
    f"{DRAFT}dimensions/": "leads to a part",
    "rubrics/draft-<int:pk>/0/beside/<str:digest>/": "what the desk fetches",
}
ANSWER = """title: A
dimensions:
  - {title: Tone, question: Is it, lowest: 1, highest: 5}
  - {title: Truth}
"""


def starting(visitor: Visitor) -> Walk:
    """From a list without drafts to a draft that is deleted."""
    page = visitor.page
    lea = make_user(name="lea-starts")
    make_project(leads=[lea])
    visitor.become(lea)
    visitor.go("/rubrics/")
    yield "no drafts"
    visitor.go("/rubrics/new/")
    yield "empty"
    visitor.go("/rubrics/new/?q=nothing-has-this")
    yield "nothing found"
    visitor.send("/rubrics/new/", way="file", text="Long" * 40)
    yield "refused"
    page.get_by_label("The model’s answer").fill(ANSWER)
    visitor.press("Read it")
    expect(page.get_by_text("not read")).to_be_visible()
    yield "read"
    content = document([tick("b")], [LOW]) | {"title": "L" + "ong" * 30}
    draft = RubricDraft.objects.start(content, by=lea, is_by_program=True, now=timezone.now())
    visitor.go("/rubrics/")
    yield "full"
    address = f"/rubric-drafts/{draft.pk}/document/"
    visitor.go(address)
    yield "full"
    visitor.send(address, text="Long" * 40)
    yield "refused"
    other = in_yaml(content | {"title": "Short"})
    visitor.send(address, text=other)
    yield "differences"
    with mock.patch("rubrics.pages.line_differences.MOST_PAIRS", 0):
        visitor.send(address, text=other, revision="0", replaces="on")
    expect(page.get_by_text("So many lines differ")).to_be_visible()
    yield "changed meanwhile, many lines"
    visitor.go(f"/rubric-drafts/{draft.pk}/delete/")
    yield "asked"


def writing(visitor: Visitor) -> Walk:
    """Through the parts of a draft, to its being published."""
    page = visitor.page
    lea = make_user(name="lea-writes")
    make_project(leads=[lea])
    visitor.become(lea)
    content = dump(shipped("ultrafeedback"))
    example = {"score": 3, "checks": ["goal_missed"], "why": "Half.", "response": "One of two."}
    content["dimensions"][0]["levels"][2]["examples"] = [example, example | {"score": 5}]
    draft = RubricDraft.objects.start(content, by=lea, now=timezone.now())
    parts = f"/rubric-drafts/{draft.pk}/parts/"
    for part, state in (
        *(("about", "about"), ("instruction", "scale"), ("honesty.checks", "questions")),
        *(("honesty.rules", "rules"), ("instruction.examples", "examples")),
    ):
        visitor.go(f"{parts}{part}/")
        if state != "about":
            expect(page.locator("#try .levels")).to_be_visible()
        yield state
    visitor.go(f"/rubrics/draft-{draft.pk}/0/")
    yield "full"
    visitor.go(f"/rubric-drafts/{draft.pk}/publish/")
    yield "asked"
    visitor.send(f"{parts}instruction/", more="clauses: [" + "Long" * 40)
    yield "cannot be read"
    visitor.send(f"{parts}instruction/", title="L" + "ong" * 30)
    yield "changed meanwhile"
    content["dimensions"][0] |= {"better": "none", "question": ""}
    draft.is_by_program = True
    draft.keep(content, by=lea, now=timezone.now())
    visitor.go(f"{parts}instruction/")
    yield "classes"
    visitor.go(f"{parts}about/")
    yield "with faults"
    visitor.go(f"/rubric-drafts/{draft.pk}/publish/")
    yield "by a program"
    visitor.send(f"/rubric-drafts/{draft.pk}/publish/", is_read="on")
    yield "with faults"
