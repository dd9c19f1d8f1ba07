"""The walk through the versions of a rubric: what changed, and the project that is not on it."""

from __future__ import annotations

from dataclasses import replace

from django.utils import timezone

from rubrics.documents.document import dump
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric, RubricDraft
from tests.factories import make_item, make_project, make_rating, make_user
from tests.visitor import Visitor, Walk


def versions(visitor: Visitor) -> Walk:
    """A second version, a draft of the third, and projects of the first."""
    lea, ben, now = make_user(name="lea-versions"), make_user(name="ben-versions"), timezone.now()
    first = replace(shipped("ultrafeedback"), slug="revised", title="R" + "evised" * 12)
    rubric, _ = Rubric.objects.load(first, by=lea, now=now)
    begun = make_project(slug="begun", rubric=rubric, leads=[lea])
    make_rating(item=make_item(project=begun), annotator=ben, now=now)
    make_project(slug="unbegun", rubric=rubric, leads=[lea])
    second = replace(first, summary="S" + "ummary" * 20)
    Rubric.objects.load(second, by=lea, now=now, changes="A longer summary.")
    content = dump(second)
    rules = content["dimensions"][0]["rules"]
    rules.append(rules.pop(0))
    del content["dimensions"][0]["levels"][0]["definition"]
    draft = RubricDraft.objects.start(content, by=lea, now=now)
    visitor.become(lea)
    visitor.go("/rubrics/revised/2/")
    visitor.page.locator(".since > summary").click()
    yield "second version"
    visitor.go(f"/rubric-drafts/{draft.pk}/changes/")
    yield "full"
    visitor.go("/projects/begun/")
    yield "stays on a version"
    clauses = make_project(slug="clauses", leads=[lea])
    clauses.write_clause("RQ-05", "A line.\nAnother.", by=lea, now=now)
    visitor.go("/projects/clauses/rubric/1/")
    visitor.page.locator("#RQ-05").get_by_role("link", name="Change the text").click()
    yield "with the tabs"
    visitor.go("/projects/unbegun/")
    yield "may move to a version"
