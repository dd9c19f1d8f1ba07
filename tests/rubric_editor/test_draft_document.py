"""A draft as a document: read, downloaded, and replaced once its differences were shown."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import given, strategies as st

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.shipped import GALLERY, SLUGS, shipped
from rubrics.documents.yaml_lines import DocumentError, in_yaml, values
from rubrics.models import RubricDraft
from tests.cases import cases
from tests.factories import NOW, make_project, make_user
from tests.made_rubrics import LOW, document as made, tick

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc-", max_size=5), inner),
    max_leaves=12,
)


# --- the text ---


@given(plain)
def test_every_content_is_the_same_when_it_is_read_again(content: Any) -> None:
    assert yaml.safe_load(in_yaml(content)) == content


@cases("slug", [*SLUGS, *GALLERY])
def test_a_shipped_document_is_the_same_when_it_is_read_again(slug: str) -> None:
    assert document.read(in_yaml(document.dump(shipped(slug)))) == shipped(slug)


def test_a_text_of_several_lines_is_a_block_and_letters_stay_letters() -> None:
    assert in_yaml({"b": "Über\nuns\n", "a": [1, {"c": "x"}]}) == (
        "b: |\n  Über\n  uns\na:\n- 1\n- c: x\n"
    )


# --- reading a shape ---


def test_parts_that_do_not_fit_together_are_read_and_told_with_their_lines() -> None:
    text = in_yaml(made([tick("b")], [LOW]))
    rubric, faults = document.read_with_faults(text)
    assert rubric.dimensions[0].rules[0].code == "r1"
    (fault,) = faults
    line, _, said = fault.partition(": ")
    assert said.startswith('dimensions.quality.rules.r1.when.all_of: "a" is no check')
    assert text.splitlines()[int(line.removeprefix("line ")) - 1].strip() == "all_of:"


def test_a_fault_of_the_shape_refuses_with_all_faults() -> None:
    text = in_yaml(made([tick("b")], [LOW]) | {"title": 5})
    with pytest.raises(DocumentError) as refused:
        document.read_with_faults(text)
    assert len(refused.value.faults) == 2


# --- the page ---

BEFORE = made([], [])
AFTER = BEFORE | {"slug": "other", "title": "Better"}


@pytest.fixture
def lea(client: Client) -> User:
    lea = make_user(name="lea")
    make_project(leads=[lea])
    client.force_login(lea)
    return lea


@pytest.fixture
def draft(lea: User) -> RubricDraft:
    return RubricDraft.objects.start(BEFORE, by=lea, now=NOW)


def address(draft: RubricDraft) -> str:
    return f"/rubric-drafts/{draft.pk}/document/"


def words(response: Any) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", response.content.decode()))


@pytest.mark.django_db
def test_the_page_and_the_file_have_the_draft_as_it_was_entered(
    client: Client, draft: RubricDraft
) -> None:
    content = {**BEFORE, "dimensions": [5, {"code": None, "levels": "none"}], "title": ["x"]}
    RubricDraft.objects.update(content=content)
    assert in_yaml(content) in words(client.get(address(draft)))
    answer = client.get(address(draft).replace("/document/", "/document.yaml"))
    assert answer.headers["Content-Disposition"] == 'attachment; filename="made.yaml"'
    assert values(answer.getvalue().decode()) == content


@pytest.mark.django_db
def test_differences_are_shown_and_nothing_is_stored(client: Client, draft: RubricDraft) -> None:
    page = words(client.post(address(draft), {"text": in_yaml(AFTER)}))
    assert "-title: Made" in page
    assert "+title: Better" in page
    assert "slug: other" not in page.partition("As it is")[0]  # it keeps its short name
    draft.refresh_from_db()
    assert (draft.content["title"], draft.revision) == ("Made", 1)


@pytest.mark.django_db
def test_a_button_then_replaces_the_draft(client: Client, draft: RubricDraft) -> None:
    RubricDraft.objects.update(beside={"quality": {"3": "kept"}})
    file = SimpleUploadedFile("a.yaml", in_yaml(AFTER).encode())
    shown = client.post(address(draft), {"file": file}).content.decode()
    fields = dict(re.findall(r'<input type="hidden" name="(text|revision)" value="([^"]*)"', shown))
    sent = {name: html.unescape(value) for name, value in fields.items()}
    response = client.post(address(draft), {**sent, "replaces": "on"})
    assert response.headers["Location"] == address(draft)
    draft.refresh_from_db()
    changed = {"title": "Better", "dimensions": draft.content["dimensions"]}
    assert draft.content == {"language": "en", "checks": []} | BEFORE | changed
    assert (draft.slug, draft.revision, draft.beside) == ("made", 2, {})


@pytest.mark.django_db
def test_a_draft_that_changed_meanwhile_is_not_replaced_and_both_texts_stand(
    client: Client, draft: RubricDraft
) -> None:
    otto = make_user(name="otto")
    draft.keep(BEFORE | {"title": "Otto's"}, by=otto, now=NOW)
    sent = {"text": in_yaml(AFTER), "revision": "1", "replaces": "on"}
    page = words(client.post(address(draft), sent))
    assert "otto changed the draft meanwhile." in page
    assert "-title: Otto's" in page
    assert "title: Better" in page.partition("Replace by")[2]
    draft.refresh_from_db()
    assert draft.content["title"] == "Otto's"
    client.post(address(draft), sent | {"revision": "2"})
    draft.refresh_from_db()
    assert draft.content["title"] == "Better"


@pytest.mark.django_db
def test_a_document_that_cannot_be_read_is_refused_with_its_lines_and_stays(
    client: Client, draft: RubricDraft
) -> None:
    text = in_yaml(AFTER) + "notes: x\n"
    page = words(client.post(address(draft), {"text": text, "revision": "1", "replaces": "on"}))
    assert f'line {text.count(chr(10))}: the document: "notes" is not known here' in page
    assert text in page.partition("Replace by")[2]
    draft.refresh_from_db()
    assert draft.revision == 1


@pytest.mark.django_db
def test_faults_that_a_draft_may_have_are_told_beside_the_differences(
    client: Client, draft: RubricDraft
) -> None:
    text = in_yaml(made([tick("b")], [LOW]))
    page = words(client.post(address(draft), {"text": text}))
    assert 'dimensions.quality.rules.r1.when.all_of: "a" is no check' in page
    client.post(address(draft), {"text": text, "revision": "1", "replaces": "on"})
    draft.refresh_from_db()
    assert draft.content["dimensions"][0]["rules"][0]["code"] == "r1"


@pytest.mark.django_db
def test_equal_documents_do_not_differ(client: Client, draft: RubricDraft) -> None:
    draft.refresh_from_db()  # the database keeps no order of entries, a document has one
    assert draft.text.startswith("slug: made\ntitle: Made\nsummary: Made up.\n")
    page = words(client.post(address(draft), {"text": in_yaml(BEFORE)}))
    assert "Nothing differs." in page


@pytest.mark.django_db
@cases("page", ["document/", "document.yaml"])
def test_a_stranger_has_no_document(db: None, client: Client, page: str) -> None:
    stranger = make_user()
    draft = RubricDraft.objects.start(BEFORE, by=make_user(), now=NOW)
    make_project(leads=[stranger])
    client.force_login(stranger)
    assert client.get(f"/rubric-drafts/{draft.pk}/{page}").status_code == 404
    sent = {"text": in_yaml(AFTER), "revision": "1", "replaces": "on"}
    assert client.post(f"/rubric-drafts/{draft.pk}/{page}", sent).status_code in (404, 405)
    draft.refresh_from_db()
    assert draft.revision == 1
