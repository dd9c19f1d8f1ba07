"""The number of open cases: on the tabs, the overview and the start pages as in the queue."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from tasks.disagreements.queue import CaseQueue, QueueFilter
from tasks.models import CaseEntry, Membership, Project, Question, open_cases as counting
from tasks.models.case_counts import add_up_cases
from tasks.models.open_cases import OpenCases, open_cases, open_cases_of
from tests.cases import cases
from tests.factories import NOW, make_membership, make_project, make_user

from .made_cases import project_with_people, some_cases

pytestmark = pytest.mark.django_db
CASES = "/projects/eggs/disagreements/"
OPEN = 3  # of the four cases, which one threshold keeps from being more


@pytest.fixture
def project(lead: User) -> Project:
    project = project_with_people(lead)
    some_cases(project)
    Project.objects.update(chosen_thresholds={"quality": 3})
    return Project.objects.get()


def ask(entry: CaseEntry) -> None:
    """Ask one of the people about a case."""
    rating = entry.item.ratings.select_related("annotator").order_by("pk")[0]
    assert rating.annotator is not None
    Question.objects.create(
        project=entry.project,
        item=entry.item,
        annotator=rating.annotator,
        rating=rating,
        dimension=entry.dimension,
        response_id=entry.response_id,
        text="Why?",
        asked_at=NOW,
    )


def with_disputed_check(project: Project) -> Project:
    """Let a check make cases: how many these are is not counted by kind."""
    Project.objects.filter(pk=project.pk).update(disputed_checks=["quality:helpful"])
    return Project.objects.get(pk=project.pk)


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def page_for(user: User, address: str) -> str:
    client = Client()
    client.force_login(user)
    answer: Any = client.get(address)
    assert answer.status_code == 200
    return str(answer.content.decode())


def in_queue(project: Project, user: User) -> int:
    return CaseQueue(project, user, QueueFilter(), NOW).numbers.open


# --- the number ---


def test_the_number_is_that_of_the_queue(project: Project, lead: User) -> None:
    assert open_cases(project) == OpenCases(OPEN)
    assert in_queue(project, lead) == OPEN


def test_a_case_that_was_asked_about_is_not_open(project: Project, lead: User) -> None:
    ask(CaseEntry.objects.of_project(project)[0])
    assert open_cases(project) == OpenCases(OPEN - 1)
    assert in_queue(project, lead) == OPEN - 1


def test_a_question_about_a_case_that_is_near_takes_no_other_away(project: Project) -> None:
    ask(CaseEntry.objects.of_project(project).last())  # type: ignore[arg-type]
    assert open_cases(project) == OpenCases(OPEN)


def test_a_project_without_cases_has_none_open(lead: User) -> None:
    assert open_cases(make_project(leads=[lead])) == OpenCases(0)
    assert not open_cases(make_project(leads=[lead]))


def test_where_a_check_makes_cases_the_widest_alone_are_counted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = with_disputed_check(project)
    monkeypatch.setattr(counting, "LOOKED_AT", 2)
    number = open_cases(project)
    assert not number.is_exact
    assert 0 < number.number <= OPEN


def test_all_projects_together_take_a_fixed_number_of_queries(project: Project) -> None:
    ask(CaseEntry.objects.of_project(project)[0])
    others = [make_project(chosen_thresholds={"quality": 4}) for _number in range(3)]
    for projects in ([project], [project, *others]):
        rubrics = [project.thresholds for project in projects]  # loaded with their projects
        assert len(rubrics) == len(projects)
        with CaptureQueriesContext(connection) as queries:
            numbers = open_cases_of(projects)
        assert numbers[project.pk] == OpenCases(OPEN - 1)
        assert len(queries) == 3
    assert open_cases_of([]) == {}


def test_the_overview_looks_at_all_cases_before_it_says_that_none_is_open(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = with_disputed_check(project)
    monkeypatch.setattr(counting, "LOOKED_AT", 0)  # the first alone, and it is near
    widest = CaseEntry.objects.of_project(project)[0]
    CaseEntry.objects.filter(pk=widest.pk).update(spread=1, is_forced_apart=False)
    assert open_cases(project) == OpenCases(0, is_exact=False)
    assert counting.counted_open_cases(project) == OpenCases(in_queue(project, lead))
    assert in_queue(project, lead) == OPEN - 1


def test_the_number_follows_each_change_of_an_entry(project: Project, lead: User) -> None:
    entries = list(CaseEntry.objects.of_project(project))
    for change in ({"decision": 1}, {"decision": 0}, {"is_complete": False}, {"spread": 0}):
        CaseEntry.objects.filter(pk=entries[1].pk).update(**change)
        waiting = CaseEntry.objects.in_state("open", project, ()).count()
        assert open_cases(project) == OpenCases(waiting)
    CaseEntry.objects.filter(pk=entries[0].pk).delete()
    assert open_cases(project) == OpenCases(OPEN - 2)
    add_up_cases(project, came=True)
    assert open_cases(project) == OpenCases(OPEN - 2)


def test_no_case_is_looked_at_to_count_them(project: Project, lead: User) -> None:
    for wanted in (QueueFilter(), QueueFilter(spread=3), QueueFilter(check="quality:helpful")):
        with CaptureQueriesContext(connection) as queries:
            CaseQueue(project, lead, wanted, NOW).numbers  # noqa: B018 - read for its queries
            open_cases(project)
        sql = [query["sql"] for query in queries if "tasks_caseentry" in query["sql"]]
        assert all("tasks_question" in statement for statement in sql)


# --- the pages that name it ---


@cases("page", ["", "items/", "people/", "agreement/", "export/", "settings/"])
def test_the_tab_of_each_page_names_the_number(project: Project, lead: User, page: str) -> None:
    shown = page_for(lead, f"/projects/eggs/{page}")
    [tab] = re.findall(rf'<a href="{CASES}"\s*>(.*?)</a>', shown, re.S)[:1]
    assert words(tab) == f"Disagreements {OPEN}"
    assert 'class="badge warn"' in tab


def test_a_number_that_may_be_higher_has_a_plus(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = with_disputed_check(project)
    monkeypatch.setattr(counting, "LOOKED_AT", 1)
    shown = page_for(lead, "/projects/eggs/people/")
    [tab] = re.findall(rf'<a href="{CASES}"\s*>(.*?)</a>', shown, re.S)[:1]
    assert re.fullmatch(r"Disagreements \d\+", words(tab))


def test_a_project_without_open_cases_has_no_badge(project: Project, lead: User) -> None:
    CaseEntry.objects.all().delete()
    shown = page_for(lead, "/projects/eggs/people/")
    [tab] = re.findall(rf'<a href="{CASES}"\s*>(.*?)</a>', shown, re.S)[:1]
    assert words(tab) == "Disagreements"


def test_the_overview_names_open_cases_with_the_way_to_settle_them(
    project: Project, lead: User
) -> None:
    shown = page_for(lead, "/projects/eggs/")
    needs = shown[shown.index('id="needs-you"') :]
    [line] = [line for line in re.findall(r"<li.*?</li>", needs, re.S) if CASES in line]
    assert words(line).startswith(f"{OPEN} disagreements are open")
    assert words(re.findall(rf'<a [^>]*href="{CASES}".*?</a>', line, re.S)[0]) == (
        "Settle : disagreements"
    )
    CaseEntry.objects.all().delete()
    assert "disagreements are open" not in page_for(lead, "/projects/eggs/")


def test_the_start_page_of_a_lead_names_open_cases(project: Project, lead: User) -> None:
    [link] = re.findall(rf'<a [^>]*href="{CASES}".*?</a>', page_for(lead, "/"), re.S)
    assert words(link) == f"{OPEN} disagreements are open"
    CaseEntry.objects.all().delete()
    assert CASES not in page_for(lead, "/")


def test_the_start_page_of_an_adjudicator_leads_to_the_cases(project: Project) -> None:
    judge = make_user(name="judy")
    make_membership(project=project, user=judge, role=Membership.Role.ADJUDICATOR)
    shown = page_for(judge, "/")
    assert "You settle disagreements" in shown
    [row] = [row for row in re.findall(r"<li>.*?</li>", shown, re.S) if CASES in row]
    assert words(row) == f"eggs · {OPEN} disagreements are open Settle eggs"
    assert "/projects/eggs/people/" not in shown
    assert "You are not in any project." not in shown
    Project.objects.update(status="closed", archived_at=NOW)
    assert CASES not in page_for(judge, "/")


def test_the_start_page_of_a_lead_lists_no_project_twice(project: Project, lead: User) -> None:
    make_membership(project=project, user=lead, role=Membership.Role.ADJUDICATOR)
    assert "You settle disagreements" not in page_for(lead, "/")
