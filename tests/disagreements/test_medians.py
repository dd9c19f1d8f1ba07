"""Many cases settled at once by their medians: what is offered, stored, skipped and taken back."""

from __future__ import annotations

import re
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test import Client

from annotators.models import User
from tasks.cases.bulk_decisions import (
    Settled,
    Undone,
    bulk_decisions,
    settle_by_medians,
    take_back_at_once,
)
from tasks.cases.deciding import CaseChanged, Choice, decide_case
from tasks.cases.medians import MedianList, median_list
from tasks.models import (
    CaseEntry,
    ImportedRater,
    Item,
    Project,
    Question,
    Rating,
    ScoreDecision,
)
from tasks.models.case_kinds import CaseState
from tasks.models.dropping import decide_dropped
from tasks.models.list_renewal import renew_entry
from tasks.models.roles import Role
from tests.factories import (
    NOW,
    imported_rating,
    make_membership,
    make_project,
    make_user,
)

from .rated_items import NAMES, case_of, correct, rated, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(lead: User) -> Project:
    people = [make_user(name=name) for name in NAMES]
    return make_project(slug="eggs", annotators=people, leads=[lead], wanted=3)


def versions(cases: MedianList) -> dict[str, str]:
    return {case.token: case.version for case in cases.offered}


def settle_listed(cases: MedianList, project: Project, lead: User, reason: str = "") -> Settled:
    return settle_by_medians(project, versions(cases), reason=reason, by=lead, now=NOW)


def names(cases: MedianList) -> tuple[list[str], list[str]]:
    offered = [case.item.external_id for case in cases.offered]
    barred = [case.item.external_id for case in cases.barred]
    return offered, barred


# --- what is offered ---


def test_open_cases_of_exactly_the_spread_are_listed(project: Project, lead: User) -> None:
    rated(project, "two", 5, 6, 7)
    rated(project, "three", 4, 5, 7)
    decided = rated(project, "decided", 5, 5, 7)
    settle(decided, lead)
    incomplete = rated(project, "incomplete", 5, 7)
    Item.objects.filter(pk=incomplete.pk).update(wanted=3)
    renew_entry(incomplete)
    cases = median_list(project, 2)
    assert names(cases) == (["two"], [])
    assert (cases.number, cases.offered[0].median) == (1, 6)


def test_the_median_of_an_even_number_of_scores_is_the_lower_middle(project: Project) -> None:
    rated(project, "even", 7, 5)
    (case,) = median_list(project, 2).offered
    assert case.median == 5


def test_a_median_that_the_checks_of_most_people_bar_is_listed_apart_with_the_rule(
    project: Project,
) -> None:
    """RQ-12: with a language error the score is 4 at most, and the median is 5."""
    error = "language_error"
    rated(project, "barred", 4, 5, 6, ticks={0: error, 1: error})
    (case,) = median_list(project, 2).barred
    assert case.median == 5
    rule = case_of(case.item).reasons_against(5, case.checks)[0]
    assert case.obstacle == rule.text


def test_a_case_without_a_majority_on_a_check_is_listed_apart_with_its_name(
    project: Project,
) -> None:
    rated(project, "disputed", 2, 4, ticks={0: "language_error"})
    (case,) = median_list(project, 2).barred
    wording = project.rubric.schema.dimensions[0].check("language_error").wording
    assert case.obstacle == f"No majority on {wording}."


def test_a_case_in_which_somebody_gave_no_score_is_listed_apart(project: Project) -> None:
    rated(project, "blank", 5, 7, None)
    (case,) = median_list(project, 2).barred
    assert (case.median, case.obstacle) == (None, "Not everyone gave a score.")


def test_no_more_cases_than_the_limit_are_offered_and_those_left_open_hide_none(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.cases.medians.MOST", 2)
    for number in range(3):
        rated(project, f"item-{number}", 5, 7)
        rated(project, f"barred-{number}", 2, 4, ticks={0: "language_error"})
    cases = median_list(project, 2)
    assert (len(cases.offered), cases.number, cases.are_all_read) == (2, 6, False)


def test_the_list_marks_the_items_that_its_reader_rated(
    client: Client, project: Project, lead: User
) -> None:
    rated(project, "of-ada", 5, 7, 6)
    rated(project, "of-others", 5, 6, 7)
    ada = User.objects.get(username="ada")
    others = Rating.objects.get(item__external_id="of-others", annotator=ada)
    Rating.objects.filter(pk=others.pk).update(annotator=make_user(name="dan"))
    make_membership(project=project, user=ada, role=Role.ADJUDICATOR)
    client.force_login(ada)
    page = client.get("/projects/eggs/disagreements/medians/").content.decode()
    assert "You rated 1 of these items yourself: it is marked." in page
    heads = re.findall(r'<th scope="row">(.*?)</th>', page, re.DOTALL)
    marks = {re.sub(r"<.*?>", "", head).split()[0]: "rated by you" in head for head in heads}
    assert marks == {"of-ada": True, "of-others": False}
    client.force_login(lead)
    page = client.get("/projects/eggs/disagreements/medians/").content.decode()
    assert "rated by you" not in page
    assert "yourself" not in page


def test_the_list_marks_the_items_that_its_reader_rated_in_a_file(
    client: Client, project: Project, lead: User
) -> None:
    project.change(imported="counted")
    item = rated(project, "filed", 5, 6)
    rating = imported_rating(item=item, by="Lea", values={1: 7})
    assert rating.rater
    ImportedRater.objects.filter(pk=rating.rater.pk).update(account=lead)
    Item.objects.filter(pk=item.pk).update(wanted=2)
    renew_entry(Item.objects.select_related("project__rubric").get(pk=item.pk))
    client.force_login(lead)
    assert "rated by you" in client.get("/projects/eggs/disagreements/medians/").content.decode()


# --- what is stored ---


def test_all_listed_cases_are_decided_as_one_with_score_checks_and_reason(
    project: Project, lead: User
) -> None:
    error = "language_error"
    rated(project, "one", 2, 3, 4, ticks={0: error, 1: error})
    rated(project, "two", 5, 6, 7)
    assert settle_listed(median_list(project, 2), project, lead, "Near enough.") == Settled(2, 0)
    one, two = ScoreDecision.objects.order_by("item__external_id")
    assert (one.value, one.checks[error], two.value) == (3, "yes", 6)
    assert error not in two.checks
    assert one.bulk == two.bulk
    assert {row.source for row in (one, two)} == {ScoreDecision.Source.MEDIAN}
    assert {(row.reason, row.decided_by, row.decided_at) for row in (one, two)} == {
        ("Near enough.", lead, NOW)
    }
    states = CaseEntry.objects.in_state(CaseState.DECIDED, project, ())
    assert states.count() == 2
    assert case_of(one.item).decision == one


def test_a_case_that_changed_since_it_was_listed_is_left_as_it_is(
    project: Project, lead: User
) -> None:
    items = {}
    for name in ("same", "corrected", "decided", "asked", "dropped", "wanted"):
        items[name] = rated(project, name, 5, 7)
    cases = median_list(project, 2)
    assert len(cases.offered) == 6
    correct(items["corrected"], "ada", 6)
    settle(items["decided"], lead)
    case = case_of(items["asked"])
    Question.objects.create(
        project=project,
        item=items["asked"],
        annotator=User.objects.get(username="ada"),
        rating=case.answers[0].rating,
        dimension=case.dimension.code,
        response_id=case.target,
        text="Why?",
        asked_at=NOW,
    )
    decide_dropped(items["dropped"], True, why="Broken.", by=lead, now=NOW)
    Item.objects.filter(pk=items["wanted"].pk).update(wanted=3)
    assert settle_listed(cases, project, lead) == Settled(1, 5)
    (decision,) = ScoreDecision.objects.filter(source="median")
    assert decision.item == items["same"]


def test_a_score_from_before_the_answers_changes_no_case(project: Project, lead: User) -> None:
    item = rated(project, "item", 5, 7)
    cases = median_list(project, 2)
    case = case_of(item)
    ScoreDecision.objects.create(
        project=project,
        item=item,
        rubric=project.rubric,
        dimension=case.dimension.code,
        response_id=case.target,
        source="first",
        value=6,
        seen=case.final.seen,
        decided_by=lead,
        decided_at=NOW,
    )
    assert settle_listed(cases, project, lead) == Settled(1, 0)
    assert ScoreDecision.objects.get(source="median").revision == 2


def test_a_case_of_another_project_is_not_settled(project: Project, lead: User) -> None:
    rated(project, "item", 5, 7)
    other = make_project(leads=[lead])
    wanted = versions(median_list(project, 2))
    assert settle_by_medians(other, wanted, reason="", by=lead, now=NOW) == Settled(0, 1)


# --- taken back ---


def test_all_are_taken_back_as_a_whole_but_those_decided_anew(project: Project, lead: User) -> None:
    items = [rated(project, f"item-{number}", 5, 7) for number in range(3)]
    settle_listed(median_list(project, 2), project, lead)
    settle(items[0], lead)
    (bulk,) = bulk_decisions(project)
    assert (bulk.number, bulk.in_force, bulk.decided_by) == (3, 2, lead)
    later = NOW + timedelta(hours=1)
    assert take_back_at_once(project, bulk.bulk, by=lead, now=later) == Undone(2, 1)
    assert case_of(items[0]).decision is not None
    assert [case_of(item).decision for item in items[1:]] == [None, None]
    assert len(median_list(project, 2).offered) == 2
    assert take_back_at_once(project, bulk.bulk, by=lead, now=later) == Undone(0, 3)
    assert bulk_decisions(project)[0].in_force == 0


def test_decisions_of_another_project_are_not_taken_back(project: Project, lead: User) -> None:
    rated(project, "item", 5, 7)
    settle_listed(median_list(project, 2), project, lead)
    bulk = bulk_decisions(project)[0].bulk
    other = make_project(leads=[lead])
    assert take_back_at_once(other, bulk, by=lead, now=NOW) == Undone(0, 0)


def test_a_decision_on_a_dropped_item_is_taken_back_too(project: Project, lead: User) -> None:
    item = rated(project, "item", 5, 6, 7)
    settle_listed(median_list(project, 2), project, lead)
    decide_dropped(item, True, why="Broken.", by=lead, now=NOW)
    assert take_back_at_once(project, bulk_decisions(project)[0].bulk, by=lead, now=NOW) == Undone(
        1, 0
    )
    decide_dropped(item, False, why="Mended.", by=lead, now=NOW)
    assert CaseEntry.objects.in_state(CaseState.OPEN, project, ()).count() == 1


# --- two at once ---


@pytest.mark.django_db(transaction=True)
def test_the_first_of_two_who_settle_at_once_wins(project: Project, lead: User) -> None:
    items = [rated(project, f"item-{number}", 5, 7) for number in range(3)]
    cases = median_list(project, 2)
    outcomes: list[Settled] = []

    def settle_too() -> None:
        outcomes.append(settle_listed(cases, project, lead))
        connections.close_all()

    thread = threading.Thread(target=settle_too)
    with transaction.atomic():
        outcomes.append(settle_listed(cases, project, lead))
        thread.start()
        _wait_until_somebody_waits()
    thread.join(timeout=20)
    assert outcomes == [Settled(3, 0), Settled(0, 3)]
    assert [ScoreDecision.objects.filter(item=item).count() for item in items] == [1, 1, 1]


@pytest.mark.django_db(transaction=True)
def test_a_decision_on_a_case_that_is_being_settled_with_many_waits_and_loses(
    project: Project, lead: User
) -> None:
    item = rated(project, "item", 5, 7)
    case = case_of(item)
    errors: list[type[Exception]] = []

    def decide_too() -> None:
        try:
            decide_case(
                case,
                Choice(case.answers[0].person, None),
                version=case.version,
                by=lead,
                now=NOW,
            )
        except CaseChanged as error:
            errors.append(type(error))
        connections.close_all()

    thread = threading.Thread(target=decide_too)
    with transaction.atomic():
        settle_listed(median_list(project, 2), project, lead)
        thread.start()
        _wait_until_somebody_waits()
    thread.join(timeout=20)
    assert errors == [CaseChanged]


def _wait_until_somebody_waits() -> None:
    with connection.cursor() as cursor:
        for _attempt in range(2_000):
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
            cursor.execute("SELECT pg_sleep(0.005)")
    raise AssertionError("nobody waits for a lock")


# --- the page ---


def address(project: Project) -> str:
    return f"/projects/{project.slug}/disagreements/medians/"


def page(client: Client, project: Project, **query: Any) -> str:
    return client.get(address(project), query).content.decode()


def fields_of(cases: MedianList) -> list[str]:
    return [f"{token}={version}" for token, version in versions(cases).items()]


def test_the_page_lists_settles_and_takes_back(
    project: Project, lead: User, client: Client
) -> None:
    client.force_login(lead)
    for number in range(2):
        rated(project, f"item-{number}", 5, 6, 7)
    rated(project, "wide", 4, 7)
    html = page(client, project)
    assert "2 cases have a spread of 2" in " ".join(html.split())
    assert "wide" not in html
    assert "wide" in page(client, project, spread=3)
    for name in NAMES:  # a token may have the letters of one
        assert not re.search(rf"\b{name}\b", html)
    cases = median_list(project, 2)
    answer = client.post(
        address(project), {"cases": fields_of(cases), "reason": "Near."}, follow=True
    )
    words = " ".join(answer.content.decode().split())
    assert "2 cases are settled by their medians." in words
    assert "Take 2 back" in words
    bulk = bulk_decisions(project)[0].bulk
    answer = client.post(f"{address(project)}{bulk}/take-back/", follow=True)
    assert "2 decisions are taken back." in answer.content.decode()


def test_the_page_says_how_many_cases_changed(project: Project, lead: User, client: Client) -> None:
    client.force_login(lead)
    item = rated(project, "item", 5, 7)
    rated(project, "other", 5, 7)
    cases = fields_of(median_list(project, 2))
    correct(item, "ada", 6)
    answer = client.post(address(project), {"cases": cases}, follow=True)
    words = answer.content.decode()
    assert "1 case is settled by its median." in words
    assert "1 case changed meanwhile and was left as it is." in words


@pytest.mark.parametrize("cases", [[], ["x"], ["0123456789abcdef=1:abc"]])
def test_a_list_that_is_not_whole_is_refused_and_the_reason_stays(
    project: Project, lead: User, client: Client, cases: list[str]
) -> None:
    client.force_login(lead)
    rated(project, "item", 5, 7)
    answer = client.post(address(project), {"cases": cases, "reason": "My own words"})
    html = answer.content.decode()
    assert "The list is not whole. Load the page again." in html
    assert "My own words" in html
    assert not ScoreDecision.objects.exists()


def test_more_cases_than_the_limit_are_refused(
    project: Project, lead: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(lead)
    for number in range(2):
        rated(project, f"item-{number}", 5, 7)
    cases = fields_of(median_list(project, 2))
    monkeypatch.setattr("tasks.disagreements.median_form.MOST", 1)
    client.post(address(project), {"cases": cases})
    assert not ScoreDecision.objects.exists()


def test_nothing_is_shown_or_settled_where_one_decides_before_seeing_the_answers(
    project: Project, lead: User, client: Client
) -> None:
    client.force_login(lead)
    rated(project, "hidden-item", 5, 7)
    cases = fields_of(median_list(project, 2))
    project.change(decides_first=True)
    assert "hidden-item" not in page(client, project)
    client.post(address(project), {"cases": cases})
    assert not ScoreDecision.objects.exists()


def test_an_annotator_has_no_such_page(project: Project, client: Client) -> None:
    client.force_login(User.objects.get(username="ada"))
    assert client.get(address(project)).status_code == 404
    assert client.post(address(project), {"cases": ["x"]}).status_code == 404


def test_the_number_of_statements_does_not_grow_with_the_cases(
    project: Project, lead: User, django_assert_max_num_queries: Any
) -> None:
    def statements() -> int:
        with django_assert_max_num_queries(60) as counted:
            settle_listed(median_list(project, 2), project, lead)
        return len(counted)

    rated(project, "first", 5, 7)
    one = statements()
    for number in range(4):
        rated(project, f"item-{number}", 5, 7)
    assert statements() == one


def test_imported_ratings_count_as_in_a_decision_by_itself(project: Project, lead: User) -> None:
    project.change(imported=Project.Imported.COUNTED)
    item = rated(project, "item", 5, 7)
    imported_rating(item=item, by="Dee", values={1: 6})
    renew_entry(item)
    (case,) = median_list(project, 2).offered
    assert case.median == 6
    settle_listed(median_list(project, 2), project, lead)
    assert not case_of(item).has_changed


def test_an_adjudicator_settles_too(project: Project, client: Client) -> None:
    adjudicator = make_user()
    make_membership(project=project, user=adjudicator, role=Role.ADJUDICATOR)
    client.force_login(adjudicator)
    rated(project, "item", 5, 7)
    client.post(address(project), {"cases": fields_of(median_list(project, 2))})
    assert ScoreDecision.objects.get().decided_by == adjudicator


def test_leads_alone_read_the_name_of_who_settled_at_once(project: Project, client: Client) -> None:
    judge = make_user(name="judy")
    make_membership(project=project, user=judge, role=Role.ADJUDICATOR)
    other = make_user(name="leo")
    make_membership(project=project, user=other, role=Role.LEAD)
    rated(project, "item", 5, 7)
    settle_listed(median_list(project, 2), project, other)
    lines = {}
    for reader in ("lea", "leo", "judy"):
        client.force_login(User.objects.get(username=reader))
        page = client.get(address(project)).content.decode()
        text = " ".join(page.partition('id="before"')[2].split())
        lines[reader] = re.findall(r"1 case · (\w+), ", text)
    assert lines == {"lea": ["leo"], "leo": ["you"], "judy": ["another"]}
