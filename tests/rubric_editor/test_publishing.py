"""Publishing a draft: proved as it is stored, numbered, and under a short name of one's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric, RubricDraft
from tests.factories import NOW, make_project, make_rubric
from tests.waiting import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def editor(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def draft_of(by: User, **changes: Any) -> RubricDraft:
    content = document.dump(shipped("mt-bench")) | {"slug": "chats", "title": "Chats"} | changes
    return RubricDraft.objects.start(content, by=by, now=NOW)


def publish(editor: Client, draft: RubricDraft, **fields: str) -> Any:
    stored = RubricDraft.objects.filter(pk=draft.pk).first() or draft
    fields = {"revision": str(stored.revision)} | fields
    return editor.post(f"/rubric-drafts/{draft.pk}/publish/", fields)


def test_a_draft_becomes_the_next_version_and_goes(editor: Client, lead: User) -> None:
    for version in (1, 2):
        draft = draft_of(lead, title=f"Chats {version}")
        answer = publish(editor, draft, changes="A new title.")
        assert answer["Location"] == f"/rubrics/chats/{version}/"
        made = Rubric.objects.get(slug="chats", version=version)
        assert (made.title, made.created_by) == (f"Chats {version}", lead)
        said = json.dumps(document.dump(made.schema), sort_keys=True, ensure_ascii=False)
        assert made.digest == hashlib.sha256(said.encode()).hexdigest()
    assert made.changes == "A new title."
    assert not RubricDraft.objects.exists()


def test_a_draft_with_a_fault_is_not_published_and_says_what_to_mend(
    editor: Client, lead: User
) -> None:
    draft = draft_of(lead, summary=" ")
    page = publish(editor, draft).content.decode()
    assert "Not published: 1 thing to do first." in page
    assert "Write the summary: what is rated, and why" in page
    assert f'href="/rubric-drafts/{draft.pk}/parts/about/"' in page
    assert RubricDraft.objects.exists()
    assert not Rubric.objects.filter(slug="chats").exists()


def test_a_draft_that_the_proof_refuses_is_not_published(editor: Client, lead: User) -> None:
    (dimension,) = document.dump(shipped("mt-bench"))["dimensions"]
    force = {"code": "always", "effect": "force", "score": 1, "reason": "Always."}
    rules = [force, force | {"code": "never", "score": 2}]
    draft = draft_of(lead, dimensions=[dimension | {"rules": rules}])
    page = publish(editor, draft).content.decode()
    assert "give one a higher precedence" in page
    assert not Rubric.objects.filter(slug="chats").exists()


def test_a_draft_that_someone_changed_meanwhile_is_not_published_unseen(
    editor: Client, lead: User
) -> None:
    draft = draft_of(lead)
    page = publish(editor, draft, revision="0").content.decode()
    assert f"{lead} changed the draft meanwhile. Look at it again, then publish." in page
    assert RubricDraft.objects.exists()


def test_a_new_version_says_what_changed(editor: Client, lead: User) -> None:
    publish(editor, draft_of(lead))
    draft = draft_of(lead, title="Talks")
    page = publish(editor, draft).content.decode()
    assert "Changes since version 1" in page
    assert "Talks" in page.split('<ul class="changes breaks">')[1]
    assert "This field is required." in page


def test_a_draft_by_a_program_is_published_once_someone_has_read_it(
    editor: Client, lead: User
) -> None:
    draft = draft_of(lead)
    RubricDraft.objects.update(is_by_program=True)
    assert "I have read each part" in publish(editor, draft).content.decode()
    assert RubricDraft.objects.exists()
    assert publish(editor, draft, is_read="on").status_code == 302


def test_a_short_name_belongs_to_who_first_published_it(
    editor: Client, lead: User, ben: User
) -> None:
    early = draft_of(ben)
    assert early.slug == "chats"
    publish(editor, draft_of(lead))
    assert draft_of(ben).slug == "chats-2"
    other = Client()
    other.force_login(ben)
    assert publish(other, early)["Location"] == "/rubrics/chats-2/1/"
    assert Rubric.objects.get(slug="chats").created_by == lead


@pytest.mark.parametrize("is_one_person", [True, False])
@pytest.mark.django_db(transaction=True)
def test_drafts_of_one_name_that_are_published_at_once_are_numbered_one_after_the_other(
    lead: User, ben: User, *, is_one_person: bool
) -> None:
    makers = (lead, lead if is_one_person else ben)
    for number in range(5):
        names = {"slug": f"chats{number}"}
        drafts = [draft_of(by, title=f"T{at}", **names) for at, by in enumerate(makers)]
        acts: list[Callable[[], Rubric]] = [
            partial(each.publish, changes="", by=lead, now=NOW) for each in drafts
        ]
        made = {(each.slug, each.version) for each in at_once(acts)}
        assert len(made) == 2
        assert (f"chats{number}", 1) in made


def test_the_publisher_of_a_name_cannot_open_anothers_draft_of_it(
    editor: Client, lead: User, ben: User
) -> None:
    draft = draft_of(ben)
    mine = draft_of(lead).publish(changes="", by=lead, now=NOW)
    make_project(slug="chats", leads=[lead], rubric=mine)
    assert mine.slug == draft.slug
    assert editor.get(f"/rubric-drafts/{draft.pk}/parts/about/").status_code == 404
    assert publish(editor, draft).status_code == 404


def test_the_short_name_of_a_shipped_rubric_belongs_to_nobody(lead: User) -> None:
    assert draft_of(lead, slug="summeval").slug == "summeval-2"
    make_rubric()
    assert draft_of(lead, slug="response-quality").slug == "response-quality-2"


def test_a_page_for_annotators_is_there_before_publishing(editor: Client, lead: User) -> None:
    draft = draft_of(lead)
    page = editor.get(f"/rubrics/draft-{draft.pk}/0/").content.decode()
    assert "<h1>Chats</h1>" in page
    assert editor.get("/rubrics/draft-99999/0/").status_code == 404
