"""The gallery: rubrics after published studies, as documents, for a new project and at the desk."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from rubrics.documents.document import read
from rubrics.documents.proof import findings
from rubrics.documents.shipped import FOLDER, GALLERY, path_of, shipped
from rubrics.models import Rubric
from tasks.models import Project
from tests.desk_keys import log_in, take_item
from tests.exports import rows_of
from tests.factories import NOW, make_item, make_project, make_user

from .gallery_keys import (
    TAGS,
    TYPED,
    WHOLE,
    as_typed,
    exported,
    rate,
)

# --- the documents ---


def test_the_gallery_is_all_documents_of_its_folder() -> None:
    assert [*GALLERY] == sorted(file.stem for file in (FOLDER / "rubrics").iterdir())


@pytest.mark.parametrize("slug", GALLERY)
def test_a_document_is_proved_and_names_what_it_follows(slug: str) -> None:
    text = path_of(slug).read_text("utf-8")
    rubric = read(text)
    assert rubric.slug == slug
    assert [*findings(rubric)] == []
    head = " ".join(re.findall("(?m)^# (.*)", text.partition("slug:")[0]))
    [year] = re.findall(r"^After .+?\. (?:\w+ and [\w ]+), (20\d\d)\. https://", head)
    assert re.search(rf"[Aa]fter .* \(.*{year}", rubric.summary)


def test_each_rubric_of_the_gallery_has_keys_to_type() -> None:
    """`make journeys` types all, the test below some."""
    for slug in GALLERY:
        rated = {dimension for rows in TYPED[slug] for dimension in rows}
        asked = {each.code for each in shipped(slug).dimensions if {*each.needs.tags} <= {*TAGS}}
        assert rated - {WHOLE} == asked
        assert (WHOLE in rated) == bool(shipped(slug).checks)


@pytest.mark.parametrize("slug", GALLERY)
def test_a_rubric_that_only_has_scales_is_a_short_document(slug: str) -> None:
    dimensions = shipped(slug).dimensions
    if not any(dimension.checks or dimension.rules for dimension in dimensions):
        assert len(path_of(slug).read_text("utf-8").splitlines()) <= 20 + 15 * len(dimensions)


# --- a new project ---


def test_a_rubric_of_the_gallery_is_stored_by_the_first_project_that_uses_it(
    client: Client, db: None
) -> None:
    client.force_login(make_user(admin=True))
    page = client.get("/projects/new/").content.decode()
    assert re.findall(r'name="rubric" value="([^"]*)"', page)[-len(GALLERY) :] == [*GALLERY]
    assert "Coherence 1–5" in page
    assert re.search(r"Factuality 1–5\s+and 8 more scales", page)
    assert not Rubric.objects.exists()
    for title in ("Digests", "Briefs"):
        offered = client.get("/projects/new/").content.decode()
        [value] = re.findall(r'value="([^"]*)" [^>]*>\s*<div>\s*<label[^>]*>LaMDA', offered)
        client.post("/projects/new/", {"title": title, "rubric": value, "wanted": "2"})
    assert Rubric.objects.get().schema == shipped("lamda")
    made = Project.objects.values_list("rubric__slug", "view")
    assert [*made] == [("lamda", "text")] * 2, "a chat is read as it was written"


def test_a_rubric_of_the_gallery_stays_in_sight_when_the_form_comes_back(
    client: Client, db: None
) -> None:
    client.force_login(make_user(admin=True))
    assert "<details>" in client.get("/projects/new/").content.decode()
    refused = client.post("/projects/new/", {"title": "", "rubric": "summeval", "wanted": "2"})
    assert "<details open>" in refused.content.decode()


# --- the desk ---


@pytest.fixture
def start(new_context: Callable[..., BrowserContext], ada: User) -> Callable[[str], Page]:
    """Open the desk of a rubric of the gallery, with two items of two responses."""
    page = new_context().new_page()
    log_in(page, ada.username)

    def open_desk(slug: str) -> Page:
        rubric, _is_new = Rubric.objects.load(shipped(slug), now=NOW)
        project = make_project(slug=slug, rubric=rubric, annotators=[ada])
        for _ in range(2):
            make_item(project=project, metadata={"tags": TAGS})
        take_item(page, slug)
        return page

    return open_desk


# The others with `make journeys ONLY=gallery`.
@pytest.mark.parametrize("slug", ["lamda", "wmt-direct-assessment"])
def test_scores_typed_at_the_desk_are_the_exported_ones(
    start: Callable[[str], Page], slug: str
) -> None:
    page = start(slug)
    rate(page, slug)
    expect(page.get_by_text("1 of 2 rated")).to_be_visible()
    rate(page, slug)
    expect(page.get_by_text("You have rated all your items")).to_be_visible()
    assert exported(rows_of(Project.objects.get())) == as_typed(slug) * 2
