"""An adjudicator settles the cases of a project, reads its rubric, and reaches nothing else."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from django.conf import settings
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from psycopg.errors import LockNotAvailable

from annotators.models import User
from tasks.lead_pages.led import settled
from tasks.lead_pages.model_names import ModelNames
from tasks.models import ClauseText, Membership, Project
from tests.addresses import addresses
from tests.factories import NOW, make_item, make_membership, make_project, make_user

pytestmark = pytest.mark.django_db
Role = Membership.Role


@pytest.fixture
def project(lead: User) -> Project:
    """With an item; its slug is that of the examples of addresses."""
    project = make_project(slug="some-slug", leads=[lead])
    make_item(project=project, responses=[("heron", "Two.")])
    return project


@pytest.fixture
def judge(project: Project) -> User:
    """Adjudicates in the project."""
    judge = make_user(name="judy")
    make_membership(project=project, user=judge, role=Role.ADJUDICATOR)
    return judge


def request_of(user: User, method: str = "get") -> HttpRequest:
    request: HttpRequest = getattr(RequestFactory(), method)("/")
    request.user = user
    request.htmx = False  # type: ignore[attr-defined]
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()
    return request


def project_for(user: User) -> Project:
    """Return the project that a view of its cases gets."""
    projects: list[Project] = []

    @settled
    def view(request: HttpRequest, project: Project) -> HttpResponse:
        projects.append(project)
        return HttpResponse()

    view(request_of(user), slug="some-slug")
    return projects[0]


# --- who settles ---


def test_cases_are_settled_by_adjudicators_leads_and_admins(lead: User, judge: User) -> None:
    make_membership(project=Project.objects.get(), user=judge)  # she rates, too
    roles = {}
    for person in (judge, lead, make_user(name="root", admin=True)):
        roles[person.username] = project_for(person).as_adjudicator
    assert roles == {"judy": True, "lea": False, "root": False}


def test_a_lead_who_adjudicates_too_stays_a_lead(project: Project, lead: User) -> None:
    make_membership(project=project, user=lead, role=Role.ADJUDICATOR)
    assert not project_for(lead).as_adjudicator


@pytest.mark.parametrize("role", ["annotator", "adjudicator elsewhere"])
def test_cases_do_not_exist_for_others(project: Project, role: str) -> None:
    person = make_user()
    if role == "annotator":
        make_membership(project=project, user=person)
    else:
        make_membership(project=make_project(), user=person, role=Role.ADJUDICATOR)
    with pytest.raises(Http404):
        project_for(person)


def test_a_change_of_an_adjudicator_waits_for_a_lock_as_a_leads_does(judge: User) -> None:
    @settled
    def locked(request: HttpRequest, project: Project) -> HttpResponse:
        raise OperationalError from LockNotAvailable()

    answer = locked(request_of(judge, "post"), slug="some-slug")
    assert answer.status_code == 409


def test_the_names_of_models_stay_hidden_from_an_adjudicator(judge: User) -> None:
    project = project_for(judge)
    request = request_of(judge)
    names = ModelNames(request, project)  # type: ignore[arg-type]
    request.session[names.key] = True  # as a lead who pressed “Show models” has it
    assert not ModelNames(request, project).are_visible  # type: ignore[arg-type]
    assert ModelNames(request, project).of("heron") == "Model 1"  # type: ignore[arg-type]


# --- what else exists for an adjudicator ---

CASES = re.compile(r"projects/some-slug/disagreements/")


# A GET of an address that takes forms is led to their page, whoever sends it.
REFUSED = {"get": (302, 404, 405), "post": (404, 405)}


@pytest.mark.parametrize("verb", ["get", "post"])
def test_an_adjudicator_reaches_no_page_of_a_project_but_cases_and_rubric(
    client: Client, judge: User, verb: str
) -> None:
    client.force_login(judge)
    reached = set()
    for _written, example in addresses():
        is_of_project = example.startswith(("projects/some-slug/", "uploads/", "rubric-drafts/"))
        if not is_of_project or CASES.match(example):
            continue
        answer = getattr(client, verb)(f"/{example}")
        if answer.status_code not in REFUSED[verb]:
            reached.add(example)
    rubric = "projects/some-slug/rubric/1/"
    assert reached == ({rubric} if verb == "get" else set())


def test_an_adjudicator_reads_the_rubric_and_changes_nothing(
    client: Client, project: Project, judge: User, lead: User
) -> None:
    clause = project.rubric.schema.clauses[0].id
    ClauseText.objects.create(
        project=project, clause=clause, text="Word for word.", written_by=lead, written_at=NOW
    )
    client.force_login(judge)
    page = client.get("/projects/some-slug/rubric/1/").content.decode()
    assert "Word for word." in page
    assert "Add the source’s text" not in page
    assert 'name="rubric"' not in page  # nothing is copied from it
    sent = {"clause": clause, "text": "Other words."}
    assert client.post("/projects/some-slug/rubric/1/", sent).status_code == 404
    assert ClauseText.objects.get().text == "Word for word."


def tabs_of(page: str) -> list[str]:
    [navigation] = re.findall(r'<nav class="project-tabs".*?</nav>', page, re.S)
    return re.findall(r'<a href="([^"]+)"', navigation)


def test_the_tabs_of_an_adjudicator_are_the_cases_and_the_rubric(
    client: Client, judge: User, lead: User
) -> None:
    rubric = "/projects/some-slug/rubric/1/"
    client.force_login(lead)
    assert "/projects/some-slug/people/" in tabs_of(client.get(rubric).content.decode())
    client.force_login(judge)
    cases = "/projects/some-slug/disagreements/"
    for page in (rubric, cases):
        assert tabs_of(client.get(page).content.decode()) == [cases, rubric]
