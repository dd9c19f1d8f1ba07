"""A token speaks for its owner: in its project, until its end, and no longer than the owner
leads."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import threading
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import connection, connections
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from config.log_filters import WithoutTokens
from config.web.refused_writes import WritesRefused
from tasks.api import authentication
from tasks.models import ApiToken, Membership, Project, TokenUse
from tasks.models.api_tokens import new_secret
from tests.api.calling import Caller, api_client, make_token
from tests.api.made_operations import Addresses
from tests.factories import make_membership, make_project, make_user

PROBLEM = "application/problem+json"


@pytest.fixture
def project(lead: User) -> Project:
    """At /projects/eggs/, led by lea."""
    return make_project(slug="eggs", leads=[lead])


def refusal(response: Any, status: int) -> str:
    """Why a call was refused."""
    assert (response.status_code, response.headers["Content-Type"]) == (status, PROBLEM)
    return str(response.json()["detail"])


# --- what a token is ---


def test_a_secret_is_32_random_bytes_behind_a_prefix_and_its_hash_alone_is_stored(
    lead: User, project: Project
) -> None:
    token, secret = make_token(owner=lead, project=project)
    assert re.fullmatch(r"evh_[A-Za-z0-9_-]{43}", secret)
    assert new_secret() != new_secret()
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(tasks_apitoken)::text FROM tasks_apitoken")
        [row] = cursor.fetchone()
    assert secret not in row
    assert secret[4:] not in row


def test_a_token_reads_its_project(lead: User, project: Project) -> None:
    assert api_client(lead, project).value("projects/eggs")["slug"] == "eggs"


def test_a_token_of_one_project_reaches_no_other_that_its_owner_leads(
    lead: User, project: Project
) -> None:
    make_project(slug="ham", leads=[lead])
    caller = api_client(lead, project)
    assert [row["slug"] for row in caller.rows("projects")] == ["eggs"]
    refusal(caller.get("projects/ham"), 404)


def test_a_token_for_all_reaches_what_its_owner_leads_at_that_moment(
    lead: User, project: Project
) -> None:
    caller = api_client(lead)
    refusal(caller.get("projects/ham"), 404)
    ham = make_project(slug="ham", leads=[lead])
    assert [row["slug"] for row in caller.rows("projects")] == ["eggs", "ham"]
    ham.memberships.all().delete()
    assert [row["slug"] for row in caller.rows("projects")] == ["eggs"]
    refusal(caller.get("projects/ham"), 404)


def test_a_call_costs_one_query_for_its_token(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    caller.get("projects/none")
    with CaptureQueriesContext(connection) as queries:
        caller.get("projects/none")
    assert len(queries) == 2  # the token, and the project that is not there


# --- until when ---


def test_a_token_dies_with_its_end(lead: User, project: Project) -> None:
    past = timezone.now() - timedelta(days=31)
    caller = api_client(lead, project, days=30, now=past, name="old-ci")
    day = (past + timedelta(days=30)).date().isoformat()
    expected = f"The token “old-ci” ended on {day}. Make another one."
    assert refusal(caller.get("projects"), 401) == expected


def test_a_withdrawn_token_is_dead(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    assert caller.token
    assert caller.token.withdraw(by=lead, now=timezone.now())
    assert "was withdrawn" in refusal(caller.get("projects"), 401)


@pytest.mark.parametrize("for_all", [False, True])
def test_a_token_is_dead_the_moment_its_owner_no_longer_leads(
    lead: User, project: Project, for_all: bool
) -> None:
    caller = api_client(lead, None if for_all else project)
    project.memberships.update(role=Membership.Role.ANNOTATOR)
    assert "leads its project no longer" in refusal(caller.get("projects/eggs"), 401)
    make_membership(project=project, user=lead, role=Membership.Role.LEAD)
    assert caller.get("projects/eggs").status_code == 200


def test_a_token_is_dead_while_its_owner_is_deactivated(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    User.objects.filter(pk=lead.pk).update(is_active=False)
    assert "is closed" in refusal(caller.get("projects/eggs"), 401)


def test_a_token_of_an_admin_needs_no_role(db: None, project: Project) -> None:
    admin = make_user(admin=True)
    assert api_client(admin, project).value("projects/eggs")["slug"] == "eggs"
    assert [row["slug"] for row in api_client(admin).rows("projects")] == ["eggs"]


# --- how it is sent ---


@pytest.mark.parametrize("scheme", ["", "Basic", "Token"])
def test_a_call_without_a_bearer_is_told_how_to_send_one(
    lead: User, project: Project, scheme: str
) -> None:
    _token, secret = make_token(owner=lead, project=project)
    headers = {"Authorization": f"{scheme} {secret}"} if scheme else {}
    response = Client().get("/api/v1/projects", headers=headers)
    assert "Authorization: Bearer evh_…" in refusal(response, 401)
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_session_speaks_for_nobody(client: Client, lead: User, project: Project) -> None:
    client.force_login(lead)
    assert "Bearer" in refusal(client.get("/api/v1/projects"), 401)
    lead.must_change_password = True
    lead.save()
    refusal(client.get("/api/v1/projects"), 401)


@pytest.mark.parametrize("place", ["projects?token={}", "projects/{}", "projects/eggs?a={}"])
def test_a_token_in_the_address_is_refused_with_a_sentence(
    lead: User, project: Project, place: str
) -> None:
    caller = api_client(lead, project)
    response = caller.get(place.format(caller.secret))
    assert "does not belong in an address" in refusal(response, 400)


def test_a_log_cuts_tokens_out() -> None:
    secret = new_secret()
    record = logging.LogRecord("n", 30, "f", 1, "GET /api/v1/x?a=%s&b", (secret,), None)
    assert WithoutTokens().filter(record)
    assert record.getMessage() == "GET /api/v1/x?a=evh_…&b"


def test_a_token_that_reads_changes_nothing(lead: User, project: Project) -> None:
    """It is told so, by its name; one that writes does."""
    with override_settings(ROOT_URLCONF=Addresses):
        reads = api_client(lead, project, name="reader").post("/api/made/changes", {})
        assert "The token “reader” may only read" in refusal(reads, 403)
        writes = api_client(lead, project, may_write=True).post("/api/made/changes", {})
        assert writes.json() == {"changed": True}


# --- limits ---


def test_the_eleventh_wrong_token_of_a_minute_waits_and_a_right_one_does_not(
    lead: User, project: Project
) -> None:
    wrong = Caller(new_secret())
    for _number in range(10):
        assert "no such token" in refusal(wrong.get("projects"), 401)
    response = wrong.get("projects")
    assert "Too many wrong tokens" in refusal(response, 429)
    assert response.headers["Retry-After"] == "60"
    assert api_client(lead, project).get("projects").status_code == 200


def test_wrong_tokens_are_counted_by_address(db: None) -> None:
    wrong = Caller(new_secret())
    for _number in range(11):
        last = wrong.get("projects")
    assert last.status_code == 429
    elsewhere = wrong.client.get(
        "/api/v1/projects",
        headers={"Authorization": f"Bearer {wrong.secret}"},
        REMOTE_ADDR="192.0.2.7",
    )
    assert elsewhere.status_code == 401


def test_a_refused_token_is_in_the_access_log(db: None, caplog: pytest.LogCaptureFixture) -> None:
    secret = new_secret()
    Caller(secret).get("projects")
    [line] = [json.loads(r.message) for r in caplog.records if r.name == "evenhand.access"]
    assert line == {"event": "API: token refused", "address": "127.0.0.1"}


@override_settings(API_CALLS_A_MINUTE=3)
def test_a_token_calls_as_often_in_a_minute_as_the_setting_says(
    lead: User, project: Project
) -> None:
    caller = api_client(lead, project)
    other = api_client(lead, project)
    now = timezone.now().replace(second=18, microsecond=0)
    with mock.patch.object(authentication.timezone, "now", return_value=now):
        for _number in range(3):
            assert caller.get("projects").status_code == 200
        response = caller.get("projects")
        assert "3 calls a minute. Wait 42 seconds" in refusal(response, 429)
        assert response.headers["Retry-After"] == "42"
        assert other.get("projects").status_code == 200
    later = now + timedelta(seconds=42)
    with mock.patch.object(authentication.timezone, "now", return_value=later):
        assert caller.get("projects").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_calls_at_once_are_all_counted(lead: User, project: Project) -> None:
    """In the database, so that processes and hosts count together."""
    caller = api_client(lead, project)
    statuses: list[int] = []

    def call() -> None:
        for _number in range(5):
            statuses.append(Caller(caller.secret).get("projects/none").status_code)
        connections.close_all()

    threads = [threading.Thread(target=call) for _number in range(4)]
    now = timezone.now()
    with mock.patch.object(authentication.timezone, "now", return_value=now):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert statuses == [404] * 20
    assert TokenUse.objects.get().calls == 20


def test_calls_are_counted_in_a_table_that_waits_for_no_disk(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT relpersistence FROM pg_class WHERE relname = 'tasks_tokenuse'")
        assert cursor.fetchone() == ("u",)


def test_the_last_call_is_noted_every_few_minutes(lead: User, project: Project) -> None:
    caller = api_client(lead, project)
    caller.get("projects")
    first = ApiToken.objects.get().last_call
    assert first
    caller.get("projects")
    assert ApiToken.objects.get().last_call == first
    ApiToken.objects.update(last_call=first - timedelta(minutes=6))
    caller.get("projects")
    assert ApiToken.objects.filter(last_call__gt=first).exists()


def test_a_database_that_takes_nothing_new_is_read_all_the_same(
    lead: User, project: Project
) -> None:
    def refuse_writes(execute: Any, statement: Any, *arguments: Any) -> Any:
        if "INSERT" in str(statement):
            raise WritesRefused
        return execute(statement, *arguments)

    caller = api_client(lead, project)
    with connection.execute_wrapper(refuse_writes):
        assert caller.get("projects").status_code == 200
        refusal(Caller(new_secret()).get("projects"), 401)
