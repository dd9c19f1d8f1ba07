"""Calls are counted by token, operation, status and day, and the page of tokens shows them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import timedelta
from unittest import mock

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from tasks.api import usage
from tasks.models import ApiToken, ApiUsage, Project
from tasks.models.api_usage import UsageCount, UsageKey
from tests.api.calling import Caller, api_client, make_token
from tests.factories import make_item, make_project, make_rating
from tests.worker import work

PAGE = "/projects/eggs/tokens/"


@pytest.fixture(autouse=True)
def _nothing_is_counted() -> Iterator[None]:
    with mock.patch.object(usage.counter, "_counts", {}):
        yield


@pytest.fixture
def project(lead: User) -> Project:
    """At /projects/eggs/, led by lea."""
    return make_project(slug="eggs", leads=[lead])


def stored() -> list[tuple[str, int, int, int]]:
    """What is stored: operation, status, calls and rows."""
    usage.counter.store()
    every = ApiUsage.objects.order_by("operation", "status")
    return list(every.values_list("operation", "status", "calls", "rows"))


def test_calls_are_counted_by_operation_and_status(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    for address in ("projects", "projects", "projects/eggs", "projects/none", "projects?limit=0"):
        caller.get(address)
    assert stored() == [
        ("get_project", 200, 1, 0),
        ("get_project", 404, 1, 0),
        ("list_projects", 200, 2, 2),
        ("list_projects", 422, 1, 0),
    ]


@pytest.mark.django_db(transaction=True)
def test_rows_of_a_followed_list_are_counted(lead: User, project: Project) -> None:
    make_rating(item=make_item(project=project, responses=["a", "b"]))
    api_client(lead, project).value("projects/eggs/scores")
    assert stored() == [("list_scores", 200, 1, 2)]


def test_rows_of_an_export_are_counted_once_it_is_sent(lead: User, project: Project) -> None:
    make_rating(item=make_item(project=project, responses=["Two.", "Many."]))
    caller = api_client(lead, project, names_people=True, names_models=True)
    response = caller.get("projects/eggs/export")
    assert stored() == [("export_project", 200, 1, 0)]
    rows = b"".join(response.streaming_content).count(b"\n") - 1
    assert stored() == [("export_project", 200, 1, rows)]
    assert rows > 0


def test_a_call_writes_nothing_for_it(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    caller.get("projects/none")
    with CaptureQueriesContext(connection) as queries:
        caller.get("projects/none")
    assert [query["sql"] for query in queries if "apiusage" in query["sql"]] == []


def test_counts_are_added_to_those_that_are_stored(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    for number in (1, 2):
        caller.get("projects")
        assert stored() == [("list_projects", 200, number, number)]


def test_a_refused_call_keeps_the_last_reason(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    for limit in (0, 5000):
        caller.get(f"projects?limit={limit}")
    usage.counter.store()
    assert "less than or equal to 1000" in ApiUsage.objects.get().reason


def test_an_unknown_token_is_counted_nowhere(db: None) -> None:
    Caller("evh_nothing").get("projects")
    assert stored() == []


def test_a_token_that_is_gone_leaves_no_count(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    caller.get("projects")
    ApiToken.objects.all().delete()
    assert stored() == []


def test_counts_that_can_t_be_stored_wait_for_the_next_time(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    caller.get("projects")
    with mock.patch.object(ApiUsage.objects, "add", side_effect=OSError):
        usage.counter.store()
    caller.get("projects")
    assert stored() == [("list_projects", 200, 2, 2)]


@pytest.mark.django_db(transaction=True)
@override_settings(API_USAGE_SECONDS=0.05)
def test_a_process_stores_its_counts_by_itself(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    for number in (1, 2):
        caller.get("projects")
        for _moment in range(200):
            if ApiUsage.objects.filter(calls=number).exists():
                break
            time.sleep(0.05)
        assert ApiUsage.objects.get().calls == number


def test_a_process_stores_its_counts_at_its_end(lead: User, project: Project) -> None:
    api_client(lead, project).get("projects")
    usage._store_at_end()
    assert not ApiUsage.objects.exists()  # not in tests, whose database is gone by then
    with override_settings(API_USAGE_SECONDS=60):
        usage._store_at_end()
    assert ApiUsage.objects.get().calls == 1


# --- the page ---


def words(client: Client) -> str:
    text = re.sub(r"<[^>]+>", " ", client.get(PAGE).content.decode())
    return " ".join(text.split())


def used(token: ApiToken, operation: str, status: int, days_ago: int, calls: int) -> None:
    now = timezone.now() - timedelta(days=days_ago)
    key = UsageKey(token.pk, operation, status, now.date())
    reason = "So it is." if status >= 400 else ""
    count = UsageCount(last=now, calls=calls, rows=10 * calls, reason=reason)
    ApiUsage.objects.add({key: count})


def test_the_page_shows_the_calls_of_one_s_tokens_in_seven_days(
    client: Client, lead: User, project: Project
) -> None:
    client.force_login(lead)
    assert "No calls yet" in words(client)
    token, _secret = make_token(owner=lead, project=project, name="nightly")
    used(token, "list_scores", 200, 0, 1_000)
    used(token, "list_scores", 200, 6, 200)
    used(token, "list_scores", 200, 7, 5_000)  # too long ago
    used(token, "list_scores", 429, 1, 9)
    other, _secret = make_token(owner=User.objects.create_user("mia"), name="of another")
    used(other, "list_scores", 200, 0, 77)
    page = words(client)
    assert "about 1,209 by your tokens · 9 refused · at most 300 a minute each" in page
    assert "list_scores nightly 1,209 12,090 9 429: So it is. today" in page
    assert "77" not in page


@pytest.mark.django_db(transaction=True)
def test_old_counts_are_deleted(lead: User, project: Project) -> None:
    token, _secret = make_token(owner=lead, project=project)
    used(token, "list_scores", 200, 89, 1)
    used(token, "list_scores", 200, 91, 2)
    work()
    assert ApiUsage.objects.get().calls == 1
