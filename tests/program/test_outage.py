"""While the database is away: 503, when to come back, and a page; and all is well as soon as it is
back.

The errors are real ones of a real server: connections are ended under the program, and a pool is
asked for connections that nobody gives.
"""

from __future__ import annotations

import html
import logging
import re
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import OperationalError, close_old_connections, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import include, path
from psycopg_pool import PoolTimeout

import config.settings
import config.urls
from annotators.accounts import sessions
from annotators.models import User
from config import outage
from config.embedded_postgres import cluster, server as embedded
from config.embedded_postgres.base import DatabaseWrapper
from config.embedded_postgres.programs import EmbeddedDatabaseError
from tests.cases import cases
from tests.factories import make_user


class Addresses:
    """The program's addresses, and one that does what a test wants."""

    handler500 = config.urls.handler500
    todo: Callable[[], Any]

    @staticmethod
    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(Addresses.todo())

    urlpatterns = [
        path("does/", lambda request: Addresses.view(request)),
        path("", include(config.urls)),
    ]


@pytest.fixture(autouse=True)
def _nobody_waited_in_vain() -> Iterator[None]:
    outage.last_wait.until = 0
    yield
    outage.last_wait.until = 0


@pytest.fixture
def visitor(transactional_db: None) -> Client:
    """Someone logged in, who sees errors as a browser does."""
    client = Client(raise_request_exception=False)
    client.force_login(make_user())
    return client


def end(pids: list[int]) -> None:
    """End the server's processes of these connections, and wait until they are gone."""
    with psycopg.connect(**without_pool()) as other:
        other.autocommit = True
        for pid in pids:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def without_pool() -> dict[str, Any]:
    """Where the tests' database is, for a connection beside the program's."""
    known = connection.get_connection_params()
    return {name: known[name] for name in ("dbname", "host", "user")}


def ask_on_an_ended_connection() -> str:
    connection.ensure_connection()
    assert connection.connection is not None
    end([connection.connection.info.backend_pid])
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'answered'")
        return str(cursor.fetchone()[0])


def get(visitor: Client, todo: Callable[[], Any], **headers: str) -> Any:
    """A request, and the end of it as a server brings it: a connection that broke is let go."""
    Addresses.todo = staticmethod(todo)
    with override_settings(ROOT_URLCONF=Addresses):
        response = visitor.get("/does/", headers=headers)
    close_old_connections()
    return response


# --- what is answered ---


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["plain", "htmx"])
def test_a_request_whose_connection_is_lost_may_be_sent_again(
    visitor: Client, headers: dict[str, str]
) -> None:
    response = get(visitor, ask_on_an_ended_connection, **headers)
    assert response.status_code == 503
    assert re.fullmatch(r"[1-9]\d?", response.headers["Retry-After"])
    assert response.headers["Cache-Control"] == "no-store"
    assert "The database is not answering right now" in response.content.decode()


def test_a_lost_connection_within_a_transaction_is_a_503_and_the_next_request_is_answered(
    visitor: Client,
) -> None:
    def store() -> None:
        with transaction.atomic():
            make_user(name="never-stored")
            ask_on_an_ended_connection()

    assert get(visitor, store).status_code == 503
    stored = User.objects.filter(username="never-stored")
    asked = get(visitor, stored.exists)
    assert (asked.status_code, asked.content) == (200, b"False")


def test_the_next_request_is_answered_though_every_connection_that_lay_idle_is_dead(
    visitor: Client,
) -> None:
    """psycopg's pool rests 1 s after the second dead connection, 2 s after the third, and then
    gives up."""
    idle = hold_connections(8)
    end(idle)
    assert get(visitor, lambda: "answered").content == b"answered"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone()[0] not in idle


def hold_connections(number: int) -> list[int]:
    """Use so many connections at once, each in a thread, and give them back; their servers' process
    ids."""
    connection.close()
    together = threading.Barrier(number, timeout=20)
    pids: list[int] = []

    def use() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            pids.append(cursor.fetchone()[0])
            together.wait()
        connection.close()

    users = [threading.Thread(target=use) for _ in range(number)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert len(set(pids)) == number
    return pids


def test_an_error_in_front_of_the_view_is_an_outage_too(visitor: Client) -> None:
    """The session and the user are fetched by middleware."""

    def away(_self: DatabaseWrapper, _params: dict[str, Any]) -> None:
        raise PoolTimeout("couldn't get a connection after 3.00 sec")

    connection.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseWrapper, "get_new_connection", away)
        response = visitor.get("/")
    assert response.status_code == 503
    assert "Retry-After" in response.headers


def test_a_request_right_after_a_wait_in_vain_does_not_wait(visitor: Client) -> None:
    def wait() -> None:
        raise OperationalError from PoolTimeout("couldn't get a connection after 3.00 sec")

    asked: list[str] = []
    assert get(visitor, wait).status_code == 503
    response = get(visitor, lambda: asked.append("asked"))
    assert (response.status_code, asked) == (503, [])
    outage.last_wait.until = 0  # as it is by the clock
    assert get(visitor, lambda: "answered").status_code == 200


def test_a_lost_connection_holds_up_nobody_else(visitor: Client) -> None:
    assert get(visitor, ask_on_an_ended_connection).status_code == 503
    assert get(visitor, lambda: "answered").status_code == 200


@pytest.mark.parametrize(
    "error",
    [RuntimeError("on purpose"), OperationalError("deadlock"), psycopg.errors.QueryCanceled()],
)
def test_everything_else_that_breaks_is_no_outage(visitor: Client, error: Exception) -> None:
    def fail() -> None:
        if isinstance(error, OperationalError):
            raise error from psycopg.errors.DeadlockDetected()
        raise error

    response = get(visitor, fail)
    assert response.status_code == 500
    assert "Retry-After" not in response.headers
    assert "Something went wrong on our side" in response.content.decode()


@cases(
    ("error", "expected"),
    [
        (psycopg.OperationalError("server closed the connection unexpectedly"), True),
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.CrashShutdown(), True),
        (psycopg.errors.CannotConnectNow(), True),
        (psycopg.errors.ConnectionFailure(), True),
        (psycopg.errors.TooManyConnections(), True),
        (PoolTimeout(), True),
        (EmbeddedDatabaseError("did not start"), True),
        (psycopg.errors.DeadlockDetected(), False),
        (psycopg.errors.LockNotAvailable(), False),
        (psycopg.errors.DiskFull(), False),  # it answers, and refuses: see below
        (psycopg.errors.UniqueViolation(), False),
        (ValueError(), False),
        (None, False),
    ],
)
def test_an_outage_is_told_by_what_the_database_said(
    error: Exception | None, expected: bool
) -> None:
    assert outage.is_outage(error) is expected


def test_a_request_during_an_outage_is_one_line_of_the_log_without_a_traceback(
    visitor: Client, caplog: pytest.LogCaptureFixture
) -> None:
    get(visitor, ask_on_an_ended_connection)
    [record] = [record for record in caplog.records if record.name == "django.request"]
    assert outage.WithoutTraceback().filter(record)
    assert "/does/" in record.getMessage()
    assert logging.Formatter().format(record).count("\n") == 0


def test_the_outage_itself_is_logged_once(
    visitor: Client, caplog: pytest.LogCaptureFixture
) -> None:
    outage.last_wait.note()
    outage.last_wait.note()
    said = [record.getMessage() for record in caplog.records if record.name == "config.outage"]
    assert said == ["the database is away; requests are answered with 503 until it is back"]


def test_a_proxy_is_told_that_the_server_is_there_while_the_database_is_away(
    client: Client, settings: Any
) -> None:
    settings.SECURE_SSL_REDIRECT = True
    outage.last_wait.note()
    answer = client.get("/healthz", headers={"Host": "of.the.proxy"})
    assert (answer.status_code, answer.content) == (200, b"ok\n")


# --- a database that can be read, but takes nothing new ---


@pytest.fixture
def read_only(visitor: Client) -> Iterator[Client]:
    """The visitor, after the database has become read-only."""
    visitor.get("/")  # what is made once, is made
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        yield visitor
        cursor.execute("SET default_transaction_read_only = off")


@pytest.fixture
def cache_in_database(transactional_db: None, settings: Any) -> Iterator[None]:
    """Limits on log-ins are counted in the database, as in production."""
    settings.CACHES = {"default": {**config.settings.CACHES["default"], "LOCATION": "cache_here"}}
    call_command("createcachetable")
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE cache_here")


def assert_refused(answer: Any) -> None:
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "60"
    page = " ".join(answer.content.decode().split())
    assert "The database takes nothing new right now." in page
    assert "What you sent last is not saved." in page
    assert "tell the people who run this site" in page


def test_a_write_that_a_read_only_database_refuses_is_a_503(read_only: Client) -> None:
    assert_refused(get(read_only, lambda: make_user(name="never-stored")))
    assert read_only.get("/profile/").status_code == 200


def test_a_log_in_is_not_called_one_too_many(cache_in_database: None, read_only: Client) -> None:
    visitor = Client(raise_request_exception=False)
    assert_refused(visitor.post("/accounts/login/", {"login": "ada", "password": "secret"}))


def test_a_form_that_a_read_only_database_refuses_can_be_sent_again_from_its_page(
    read_only: Client,
) -> None:
    browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
    browser.cookies = read_only.cookies
    page = browser.get("/profile/").content.decode()
    chosen = dict(re.findall(r'name="(\w+)" value="([^"]*)"[^>]*checked', page))
    keys = dict(re.findall(r'name="(key_\w+)" value="([^"]*)"', page))
    form = hidden_fields(page) | chosen | keys | {"theme": "dark", "note": 'a "line"\n<b>'}
    refused = browser.post("/profile/", form)
    assert_refused(refused)
    assert "Send again" in refused.content.decode()
    assert hidden_fields(refused.content.decode()) == form
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = off")
    assert browser.post("/profile/", hidden_fields(refused.content.decode())).status_code == 302
    assert User.objects.get().theme == "dark"


def hidden_fields(page: str) -> dict[str, str]:
    """What the hidden fields of a page hold."""
    found = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}


def test_no_page_keeps_a_password(cache_in_database: None, read_only: Client) -> None:
    visitor = Client(raise_request_exception=False)
    refused = visitor.post("/accounts/login/", {"login": "ada", "password": "secret"})
    assert_refused(refused)
    assert "secret" not in refused.content.decode()
    assert "Send again" not in refused.content.decode()


def test_a_forged_form_is_refused_as_ever(read_only: Client) -> None:
    forged = Client(enforce_csrf_checks=True, raise_request_exception=False)
    forged.cookies = read_only.cookies
    assert forged.post("/profile/", {"theme": "dark"}).status_code == 403


def test_nor_is_who_has_a_message_waiting_called_unreadable(
    visitor: Client, read_only: Client
) -> None:
    def leave_one(request: HttpRequest) -> str:
        request.session["anything"] = "new"
        return "stored at the end of the request"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Addresses, "view", lambda request: HttpResponse(leave_one(request)))
        with override_settings(ROOT_URLCONF=Addresses):
            assert_refused(read_only.get("/does/"))


def test_a_page_is_served_though_the_use_of_its_session_cannot_be_noted(
    read_only: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "NOTED_EVERY", timedelta(0))
    assert read_only.get("/profile/").status_code == 200


def test_a_disk_that_is_full_at_the_commit_is_answered_so_too(visitor: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute(FULL_AT_COMMIT)

        def store() -> None:
            with transaction.atomic():
                cursor.execute("INSERT INTO full_disk VALUES (1)")

        try:
            assert_refused(get(visitor, store))
            assert get(visitor, User.objects.count).status_code == 200
        finally:
            cursor = connection.cursor()
            cursor.execute("DROP TABLE full_disk; DROP FUNCTION is_full()")


FULL_AT_COMMIT = """
CREATE TABLE full_disk (id int);
CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON full_disk
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION is_full();
"""


def test_a_write_refused_by_a_read_only_database_is_one_line_of_the_log_with_its_cause(
    read_only: Client, caplog: pytest.LogCaptureFixture
) -> None:
    get(read_only, lambda: make_user(name="never-stored"))
    assert logged(caplog) == [
        "Service Unavailable: /does/ (cannot execute INSERT in a read-only transaction)"
    ]


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The lines of the log."""
    keep = outage.WithoutTraceback()
    return [logging.Formatter().format(each) for each in caplog.records if keep.filter(each)]


# --- what visitors do wrong ---


def test_a_mistake_of_a_visitor_is_one_line_of_the_log_and_no_error(
    client: Client, admin_client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.raise_request_exception = False
    for who, address, status in [
        (client, "/nowhere/", 404),
        (admin_client, "/projects/nowhere/", 404),
        (admin_client, "/admin/annotators/user/?password__startswith=a", 400),
        (admin_client, "/admin/annotators/user/?id__nothing=a", 400),
        (admin_client, "/admin/annotators/user/?two%0Alines=a", 400),
        (admin_client, "/admin/annotators/user/?username__regex=(", 400),
        (admin_client, "/admin/annotators/user/?is_active__regex=(", 400),
        (admin_client, "/admin/annotators/user/?date_joined__year=99999999999999", 400),
        (admin_client, "/admin/annotators/user/?is_active__exact=a", 302),
        (admin_client, "/admin/annotators/user/?username=%00", 400),
        (admin_client, "/admin/annotators/user/99999999999999999999/change/", 302),
    ]:
        caplog.clear()
        assert (address, who.get(address).status_code) == (address, status)
        assert len(logged(caplog)) <= 1
        assert "\n" not in "".join(logged(caplog))
        assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


# --- the embedded server, killed ---


def test_nobody_waits_for_a_long_recovery(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def recover(_home: cluster.Home, _server: dict[str, str], _seconds: int) -> bool:
        begun.set()
        return go_on.wait(20)

    data = tmp_path / "data"
    data.mkdir()
    home = cluster.Home(data / "postgres", data / "postgres", cluster.server_owner())
    monkeypatch.setattr(cluster, "ensure_running", recover)
    monkeypatch.setattr(embedded, "PATIENCE", 0.01)
    monkeypatch.setitem(embedded._attached, data, (home, -1))
    first = threading.Thread(target=embedded.revive, args=(data, {}))
    first.start()
    try:
        assert begun.wait(20)
        assert (
            embedded.attach(data, {}) == home.sockets
        )  # asked by every request; it must not wait either
        assert embedded.revive(data, {}) is False
    finally:
        go_on.set()
        first.join()
    assert embedded.revive(data, {}) is True


@pytest.mark.django_db
def test_a_server_that_cannot_start_says_so_to_who_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_home: cluster.Home, _server: dict[str, str], _seconds: int) -> bool:
        raise EmbeddedDatabaseError("it did not start: no space left on device")

    where = connection.settings_dict["EMBEDDED"]
    connection.ensure_connection()
    monkeypatch.setattr(cluster, "ensure_running", fail)
    with pytest.raises(EmbeddedDatabaseError, match="no space left on device"):
        embedded.revive(where["data"], where["server"])
