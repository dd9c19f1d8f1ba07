"""A lead's pages on practice, its settings, and the places that count nothing of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from annotators.models import User
from rubrics.models import Rubric, RubricDraft
from tasks.models import Admission, Project
from tasks.models.progress import progress_of
from tests.factories import NOW, make_item, make_practice, make_project, make_rating, make_user
from tests.practising import begin, finish, require

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    people = [make_user(name=name) for name in ("ada", "ben")]
    made = make_project(slug="eggs", annotators=people, leads=[make_user(name="lea")])
    make_item(project=made, responses=["One."])
    return require(made)


@pytest.fixture
def lead(client: Client, project: Project) -> Client:
    client.force_login(User.objects.get(username="lea"))
    return client


def words(page: Any) -> str:
    html = page.content.decode()
    [main] = LexborHTMLParser(html).css("main")
    return " ".join(main.text(separator=" ").split())


def test_a_lead_sees_each_persons_rounds_and_how_they_came_in(
    lead: Client, project: Project
) -> None:
    ada = Client()
    ada.force_login(User.objects.get(username="ada"))
    finish(ada, begin(ada, project))
    said = words(lead.get("/projects/eggs/people/practice/"))
    assert "ada Round 1 · 8 of 8 within one, 2 of 2 automatic scores right" in said
    assert "passed the practice" in said
    assert "ben no round yet Reason Let in" in said


def test_a_removed_annotator_keeps_the_rounds_and_cannot_be_let_in(
    lead: Client, project: Project
) -> None:
    ada = User.objects.get(username="ada")
    make_practice(project=project, annotator=ada, now=NOW, score=6)
    project.change_roles(ada, [])
    let_in = f"/projects/eggs/people/practice/{ada.pk}/"
    said = words(lead.post(let_in, {"reason": "Wrote the rubric."}, follow=True))
    assert "ada Round 1" in said
    assert "does not rate in this project" in said
    assert said.count("Let in") == 1  # ben
    assert not Admission.objects.exists()


def test_a_lead_reads_each_answer_beside_its_example(lead: Client, project: Project) -> None:
    ada = User.objects.get(username="ada")
    made = make_practice(project=project, annotator=ada, now=NOW, score=6)
    page = lead.get(f"/projects/eggs/people/practice/rounds/{made.pk}/")
    said = words(page)
    assert "ada, round 1" in said
    assert "ada The example Quality 6 4" in said
    assert made.example_at(1).example.why.split(".")[0] in said
    other = make_project(slug="other")
    assert lead.get(f"/projects/{other.slug}/people/practice/").status_code == 404


def test_a_lead_reads_which_examples_people_miss_and_goes_to_them(
    lead: Client, project: Project
) -> None:
    for name, score in (("ada", 6), ("ben", 4)):
        person = User.objects.get(username=name)
        made = make_practice(project=project, annotator=person, now=NOW, score=score)
    page = lead.get("/projects/eggs/people/practice/")
    place = made.example_at(1).place
    assert f"Quality level 4, example {place}" in words(page)
    assert "1 of 2 wrong, 1 of 2 missed RQ-12" in words(page)
    link = f"/projects/eggs/rubric/1/#{made.example_at(1).anchor}"
    assert link in page.content.decode()
    rubric = lead.get(link)
    assert f'id="{made.example_at(1).anchor}"' in rubric.content.decode()
    assert "Edit a copy" in words(rubric)  # it ships with the program
    draft = lead.post("/rubrics/new/", {"way": "copy", "rubric": project.rubric_id})
    assert draft["Location"] == f"/rubric-drafts/{RubricDraft.objects.get().pk}/"


def test_people_and_forecast_know_who_gets_no_item_yet(lead: Client, project: Project) -> None:
    assert "practises first" in words(lead.get("/projects/eggs/people/"))
    [ada, ben] = people_on_overview(lead)
    assert (ada.practises, ada.left) == (True, 0)
    require(project, practice="offered")
    assert "practises first" not in words(lead.get("/projects/eggs/people/"))
    assert [person.left for person in people_on_overview(lead)] == [1, 1]
    assert ben.name == "ben"


def people_on_overview(lead: Client) -> Any:
    return lead.get("/projects/eggs/").context["people"]


def test_the_publisher_of_a_rubric_can_edit_its_next_version(
    lead: Client, project: Project
) -> None:
    schema = replace(project.rubric.schema, slug="own")
    own, _is_new = Rubric.objects.load(schema, by=User.objects.get(username="lea"), now=NOW)
    Project.objects.filter(pk=project.pk).update(rubric=own)
    assert "Edit in the next version" in words(lead.get("/projects/eggs/rubric/1/"))


def test_the_settings_are_a_group_of_their_own(lead: Client, project: Project) -> None:
    where = "/projects/eggs/settings/"
    said = {"practice": "offered", "practice_examples": "6", "practice_near": "5"}
    said |= {"practice_tries": "3", "group": "practice"}
    lead.post(where, said)
    project.refresh_from_db()
    assert (project.practice, project.practice_examples) == ("offered", 6)
    assert (project.practice_near, project.practice_tries) == (5, 3)
    refused = lead.post(where, said | {"practice_examples": "3"})
    assert "greater than or equal to 4" in refused.content.decode()


def test_progress_agreement_and_hours_do_not_see_practice(lead: Client, project: Project) -> None:
    ben = User.objects.get(username="ben")
    item = make_item(project=project, responses=["Two."])
    make_rating(item=item, annotator=ben)

    def told() -> list[object]:
        hours = lead.get("/projects/eggs/hours.csv")
        return [
            progress_of(project),
            words(lead.get("/projects/eggs/")),
            words(lead.get("/projects/eggs/agreement/")),
            hours.getvalue() if hours.streaming else hours.content,
        ]

    before = told()
    make_practice(project=project, annotator=User.objects.get(username="ada"), now=NOW, score=6)
    assert told() == before
