"""The walk through the pages on which a lead starts a rubric, and has a draft as a document."""

from __future__ import annotations

from django.utils import timezone
from playwright.sync_api import expect

from rubrics.models import RubricDraft
from rubrics.yaml_lines import in_yaml
from tests.factories import make_project, make_user
from tests.made_rubrics import LOW, document, tick
from tests.visitor import Visitor, Walk

DRAFT = "rubric-drafts/<int:pk>/"
RUBRICS_STATES = {
    "rubrics/": {"no drafts", "full"},
    "rubrics/new/": {"empty", "nothing found", "refused", "read"},
    f"{DRAFT}document/": {"full", "refused", "differences", "changed meanwhile"},
    f"{DRAFT}delete/": {"asked"},
}
RUBRICS_NO_PAGE = {f"{DRAFT}document.yaml": "a download"}
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
    visitor.send(address, text=other, revision="0", replaces="on")
    yield "changed meanwhile"
    visitor.go(f"/rubric-drafts/{draft.pk}/delete/")
    yield "asked"
