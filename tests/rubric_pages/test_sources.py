"""Each clause says where it stands in the source; a lead may add the source's own text."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.shipped import SLUGS, shipped
from rubrics.documents.yaml_lines import DocumentError
from rubrics.models import Rubric, RubricDraft
from rubrics.views import rubric_text_html
from tasks.models import ClauseText, Membership, Project
from tasks.models.new_projects import duplicate_project
from tests.factories import NOW, make_membership, make_project, make_user

TEXT = "Harmful content: <b>rate it 1</b>.\n  Always."


@pytest.mark.parametrize("slug", SLUGS)
def test_each_clause_of_a_shipped_rubric_says_where_it_stands_and_what_is_added(slug: str) -> None:
    rubric = shipped(slug)
    assert [each.clause for each in rubric.sources] == [each.id for each in rubric.clauses]
    for each in rubric.sources:
        assert "aragraph" in each.where, each.clause
        assert each.added, each.clause


def test_the_page_of_a_rubric_shows_place_reading_and_addition_of_a_clause(
    client: Client, ada: User, rubric: Rubric
) -> None:
    client.force_login(ada)
    page = client.get(f"/rubrics/{rubric.slug}/{rubric.version}/").content.decode()
    entry = page.partition('id="RQ-05"')[2].partition("</section>")[0]
    for text in ("Paragraph 2, line 3", "Harmful content makes it a 1", "Any part counts"):
        assert text in entry
    assert "textarea" not in entry


def test_the_rubric_beside_the_item_leads_to_the_list_of_clauses(rubric: Rubric) -> None:
    page = LexborHTMLParser(rubric_text_html(rubric, with_examples=True))
    links = [each.attributes["href"] for each in page.css("a")]
    there = f"/rubrics/{rubric.slug}/{rubric.version}/"
    assert f"{there}#by-clause" in links
    assert f"{there}#RQ-05" in links


def test_a_document_carries_the_text_of_a_source_as_it_is_written() -> None:
    sources = [{"clause": "A-01", "where": "Line 1", "text": TEXT}]
    content = small(clauses=[{"id": "A-01", "source": "Be kind."}], sources=sources)
    rubric = document.parse(content)
    assert rubric.sources[0].text == TEXT
    assert document.parse(document.dump(rubric)) == rubric


def test_a_source_of_a_clause_that_there_is_not_is_refused() -> None:
    clauses = [{"id": "A-01", "source": "Be kind."}]
    with pytest.raises(DocumentError, match='"A-02" is not the id of a clause'):
        document.parse(small(clauses=clauses, sources=[{"clause": "A-02"}]))


def test_a_draft_keeps_the_sources_of_its_clauses(lead: User) -> None:
    draft = RubricDraft.objects.start(document.dump(shipped("dialogue")), by=lead, now=NOW)
    edit = draft.edit()
    draft.keep(edit.document | {"title": "Chats"}, by=lead, now=NOW)
    made = draft.publish(changes="", by=lead, now=NOW)
    made = Rubric.objects.get(pk=made.pk)
    assert made.schema.sources == shipped("dialogue").sources


def test_a_lead_adds_the_text_of_a_clause_and_the_people_of_the_project_read_it(
    client: Client, project: Project, lead: User, rubric: Rubric, ada: User
) -> None:
    make_membership(project=project, user=lead, role=Membership.Role.LEAD)
    stranger = make_user(name="cleo")
    make_project(rubric=rubric, annotators=[stranger])
    client.force_login(lead)
    there = f"/projects/{project.slug}/rubric/{rubric.version}/"
    sent = client.post(there, {"clause": "RQ-05", "text": TEXT})
    assert (sent.status_code, sent.headers["Location"]) == (302, f"{there}#RQ-05")
    assert ClauseText.objects.get().text == TEXT
    line = html.escape("Harmful content: <b>rate it 1</b>.")
    assert f"<li>{line}</li><li>  Always.</li>" in client.get(there).content.decode()
    page = f"/rubrics/{rubric.slug}/{rubric.version}/"
    for user, reads in ((ada, True), (stranger, False)):
        client.force_login(user)
        assert (line in client.get(page).content.decode()) is reads, user
        assert client.post(there, {"clause": "RQ-05", "text": "x"}).status_code == 404
    assert (
        duplicate_project(project, title="Again", by=lead, now=NOW).clause_texts.get().text == TEXT
    )
    client.force_login(lead)
    client.post(there, {"clause": "RQ-05", "text": " \n"})
    assert not project.clause_texts.exists()


def test_a_text_that_is_too_long_stays_in_its_field_with_the_reason(
    client: Client, project: Project, lead: User, rubric: Rubric
) -> None:
    make_membership(project=project, user=lead, role=Membership.Role.LEAD)
    client.force_login(lead)
    there = f"/projects/{project.slug}/rubric/{rubric.version}/"
    page = client.post(there, {"clause": "RQ-06", "text": "y" * 4001}).content.decode()
    entry = page.partition('id="RQ-06"')[2].partition("</section>")[0]
    assert "y" * 4001 in entry
    assert "at most 4000 characters" in entry
    assert not ClauseText.objects.exists()


def test_the_page_has_the_form_of_the_clause_that_is_asked_for_and_no_other(
    client: Client, project: Project, lead: User, rubric: Rubric
) -> None:
    make_membership(project=project, user=lead, role=Membership.Role.LEAD)
    project.write_clause("RQ-05", TEXT, by=lead, now=NOW)
    client.force_login(lead)
    there = f"/projects/{project.slug}/rubric/{rubric.version}/"
    page = LexborHTMLParser(client.get(there).content.decode())
    ways = {each.attributes["href"]: each.text().split() for each in page.css("[href^='?clause']")}
    assert page.css("textarea[name=text]") == []
    assert ways["?clause=RQ-05#RQ-05"] == ["Change", "the", "text", "RQ-05"]
    assert ways["?clause=RQ-06#RQ-06"] == ["Add", "the", "source’s", "text", "RQ-06"]
    page = LexborHTMLParser(client.get(f"{there}?clause=RQ-05&text=Other").content.decode())
    [field] = page.css("textarea[name=text]")
    assert field.text().strip("\n") == TEXT
    [way_out] = [each for each in page.css(".fields a") if each.text() == "Cancel"]
    assert way_out.attributes["href"] == f"{there}#RQ-05"


def small(**entries: Any) -> dict[str, Any]:
    scale = {"code": "kind", "short": "Kind", "title": "Kind", "question": "How kind?"}
    dimension = scale | {"lowest": 1, "highest": 3, "clauses": ["A-01"]}
    return {"slug": "small", "title": "S", "summary": "S.", "dimensions": [dimension]} | entries


@pytest.fixture
def rubric(project: Project) -> Rubric:
    return project.rubric
