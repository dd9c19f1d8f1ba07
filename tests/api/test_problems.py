"""A call that fails gets a problem document, whatever the reason."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.test import Client, override_settings
from psycopg_pool import PoolTimeout

from config import outage
from config.web.problems import MOST_FAULTS, ProblemKind
from tests.api.made_operations import Addresses
from tests.cases import cases

JSON = "application/json"


@pytest.fixture(autouse=True)
def _addresses() -> Iterator[None]:
    outage.last_wait.until = 0
    with override_settings(ROOT_URLCONF=Addresses):
        yield
    outage.last_wait.until = 0


@pytest.fixture
def caller() -> Client:
    """A program, which gets an answer to whatever happens."""
    return Client(raise_request_exception=False)


def problem_in(response: Any, status: int) -> dict[str, Any]:
    """The document of a response, which has to be one of the status."""
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(response.content)
    assert {"type", "title", "status", "detail"} <= set(document)
    assert document["status"] == status
    assert document["type"].startswith("/api/#")
    return document


def post(caller: Client, body: Any, **headers: Any) -> Any:
    sent = body if isinstance(body, str | bytes) else json.dumps(body)
    return caller.post("/api/made/items", sent, content_type=headers.pop("type", JSON), **headers)


@cases("address", ["/api/nothing", "/api/v1", "/api/v1/", "/api/v1/no/such", "/api/made/missing"])
def test_an_address_that_is_not_there_is_a_404(caller: Client, address: str) -> None:
    document = problem_in(caller.get(address), 404)
    assert "secret" not in json.dumps(document)


def test_a_wrong_method_is_a_405_that_names_the_right_ones(caller: Client) -> None:
    response = caller.delete("/api/made/items")
    assert problem_in(response, 405)["detail"].endswith("There is: POST.")
    assert response.headers["Allow"] == "POST"
    assert problem_in(caller.post("/api/v1/openapi.json"), 405)["detail"].endswith("GET, HEAD.")


def test_a_form_of_another_site_reaches_no_page_of_errors() -> None:
    """No call has a cookie, so none can be forged: the check of forms stays out of it."""
    caller = Client(enforce_csrf_checks=True)
    assert post(caller, {"items": []}).status_code == 200
    problem_in(caller.post("/api/v1/openapi.json"), 405)


def test_a_conflict_is_a_409_with_the_time_to_wait(caller: Client) -> None:
    response = caller.get("/api/made/conflict")
    assert problem_in(response, 409)["detail"] == "It runs already."
    assert response.headers["Retry-After"] == "2"


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_holds_is_a_409(caller: Client) -> None:
    def lock() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT FROM django_migrations WHERE id = 1 FOR UPDATE NOWAIT")

    known = connection.get_connection_params()
    with psycopg.connect(**{key: known[key] for key in ("dbname", "host", "user")}) as other:
        other.execute("SELECT FROM django_migrations WHERE id = 1 FOR UPDATE")
        Addresses.todo = staticmethod(lock)
        response = caller.get("/api/made/does")
    problem_in(response, 409)
    assert response.headers["Retry-After"] == "5"


def test_a_body_that_is_too_large_is_a_413(caller: Client) -> None:
    with override_settings(LARGEST_FORM=10):
        document = problem_in(post(caller, {"items": []}), 413)
    assert document["detail"] == "The body has 13 bytes; the most is 10. Send less."


@cases("type_", ["text/plain", "application/x-www-form-urlencoded", "application/xml"])
def test_a_body_of_another_type_is_a_415(caller: Client, type_: str) -> None:
    document = problem_in(post(caller, "items=1", type=type_), 415)
    assert document["detail"] == f"The Content-Type is {type_}; send application/json."


@cases(
    "body",
    ['{"items": ', "", '{"items": NaN}', b"\xff\xfe", "[" * 100_000],
)
def test_a_body_that_is_no_json_is_a_400_or_a_422(caller: Client, body: Any) -> None:
    problem_in(post(caller, body), 422 if body == "" else 400)


@cases("charset", ["latin-1", "utf-16"])
def test_a_body_in_another_encoding_is_a_400(caller: Client, charset: str) -> None:
    document = problem_in(post(caller, "{}", type=f"{JSON}; charset={charset}"), 400)
    assert document["detail"] == f"The body is in {charset}; send UTF-8."


def test_a_value_of_the_body_is_named_by_its_pointer(caller: Client) -> None:
    body = {"items": [{"id": "a", "responses": []}, {"id": "b", "responses": [{"text": 7}]}]}
    document = problem_in(post(caller, body), 422)
    assert document["errors"] == [
        {
            "pointer": "/items/1/responses/0/text",
            "value": 7,
            "allowed": "a valid string",
            "advice": "Correct it.",
        }
    ]
    assert document["total_errors"] == 1
    expected = "/items/1/responses/0/text: a valid string. Correct it."
    assert document["detail"] == expected


def test_a_value_of_the_address_is_named_by_its_parameter(caller: Client) -> None:
    document = problem_in(caller.get("/api/made/numbers?limit=5000"), 422)
    assert document["errors"] == [
        {
            "parameter": "limit",
            "value": "5000",
            "allowed": "less than or equal to 1000",
            "advice": "Correct it.",
        }
    ]


def test_a_hundred_faults_are_listed_and_all_are_counted(caller: Client) -> None:
    body = {"items": [{"id": "much too long", "responses": []}] * 250}
    document = problem_in(post(caller, body), 422)
    assert len(document["errors"]) == MOST_FAULTS == 100
    assert document["total_errors"] == 250
    assert document["detail"].endswith("And 249 more.")


@cases("text", ["\\u0000", "\\ud800", "a\\udfffb"])
def test_a_text_that_no_table_takes_is_a_422(caller: Client, text: str) -> None:
    body = f'{{"items": [{{"id": "a", "responses": [{{"text": "{text}"}}]}}]}}'
    document = problem_in(post(caller, body), 422)
    assert document["errors"][0]["pointer"] == "/items/0/responses/0/text"
    problem_in(post(caller, f'{{"{text}": 1}}'), 422)


def test_a_text_outside_of_the_first_plane_is_taken(caller: Client) -> None:
    body = '{"items": [{"id": "a", "responses": [{"text": "\\ud83d\\ude00"}]}]}'
    assert post(caller, body).json() == {"items": 1}


def test_a_long_value_is_quoted_in_part(caller: Client) -> None:
    body = {"items": [{"id": "x" * 10_000, "responses": []}]}
    [error] = problem_in(post(caller, body), 422)["errors"]
    assert error["value"] == "x" * 200 + "…"


def test_a_fault_of_ours_is_a_500_without_a_traceback(
    caller: Client, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise RuntimeError("in a secret place")

    Addresses.todo = staticmethod(fail)
    response = caller.get("/api/made/does")
    problem_in(response, 500)
    assert b"secret" not in response.content
    assert b"Traceback" not in response.content
    assert "in a secret place" in caplog.text


def test_a_database_that_is_away_is_a_503_with_the_time_to_wait(caller: Client) -> None:
    def fail() -> None:
        raise PoolTimeout("no connection")

    Addresses.todo = staticmethod(fail)
    for _first_then_at_once in range(2):
        response = caller.get("/api/made/does")
        problem_in(response, 503)
        assert response.headers["Retry-After"] == "5"


@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_nothing_new_is_a_503(caller: Client) -> None:
    def write() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute("CREATE TABLE anything ()")

    Addresses.todo = staticmethod(write)
    response = caller.get("/api/made/does")
    assert "takes nothing new" in problem_in(response, 503)["detail"]
    assert response.headers["Retry-After"] == "60"


def test_an_address_with_nul_and_an_unknown_host_are_a_400(caller: Client) -> None:
    problem_in(caller.get("/api/made/numbers?limit=%00"), 400)
    problem_in(caller.get("/api/made/numbers", headers={"Host": "elsewhere.example"}), 400)


def test_a_problem_is_english_whatever_the_caller_reads(caller: Client) -> None:
    german = caller.get("/api/made/numbers?limit=x", headers={"Accept-Language": "de"})
    assert problem_in(german, 422)["title"] == "Some values can’t be taken"
    assert german.headers["Content-Language"] == "en"


def test_the_page_about_the_api_fails_as_a_page(caller: Client) -> None:
    response = caller.get("/api/?a=%00")
    assert response.headers["Content-Type"].startswith("text/html")


def test_the_document_is_openapi_with_the_problems_of_each_operation(caller: Client) -> None:
    document = caller.get("/api/made/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    responses = document["paths"]["/api/made/items"]["post"]["responses"]
    expected = {"200", "401", "422", "429", "500", "503", "403", "409", "413", "415", "400"}
    assert set(responses) == expected
    [content] = responses["422"]["content"]
    assert content == "application/problem+json"


def test_each_kind_of_problem_has_a_status_of_its_own() -> None:
    assert (
        len({kind.status for kind in ProblemKind})
        == len(ProblemKind)
        == len({kind.slug for kind in ProblemKind})
    )


def test_two_calls_at_once_have_answers_of_their_own(caller: Client) -> None:
    answers: list[int] = []

    def ask(limit: int) -> None:
        answers.append(Client().get(f"/api/made/numbers?limit={limit}").json()[0])

    threads = [threading.Thread(target=ask, args=[number]) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [1, 2]
