"""A call with a key is done once, and whole, however often it is sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test import RequestFactory, override_settings

from annotators.models import User
from config.web.problems import Problem, ProblemKind
from tasks.api.storing import LARGEST_ANSWER, call_digest
from tasks.models import AnsweredCall, Batch, Project
from tests.api.calling import Caller, api_client
from tests.api.made_operations import Addresses
from tests.cases import cases
from tests.factories import make_batch, make_project
from tests.worker import work

ADDRESS = "/api/made/stores"
KEY = {"Idempotency-Key": "night-1"}


@pytest.fixture(autouse=True)
def _addresses() -> Iterator[None]:
    with override_settings(ROOT_URLCONF=Addresses):
        yield


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="eggs", leads=[lead])


@pytest.fixture
def caller(lead: User, project: Project) -> Caller:
    """Its calls to ADDRESS make a batch."""
    does(lambda: {"batch": make_batch(project=project).pk})
    return api_client(lead, project, may_write=True)


def does(todo: Any) -> None:
    """Have calls to ADDRESS do this."""
    Addresses.todo = staticmethod(todo)


def detail_of(response: Any, status: int) -> str:
    assert response.status_code == status, response.content
    return str(response.json()["detail"])


def test_a_call_with_a_key_is_done_once_and_answered_alike(caller: Caller) -> None:
    first, second = [caller.post(ADDRESS, {"a": 1}, **KEY) for _number in range(2)]
    assert first.json() == {"batch": Batch.objects.get().pk}
    assert (second.status_code, second.content) == (first.status_code, first.content)
    assert second.headers["Content-Type"] == first.headers["Content-Type"] == "application/json"


def test_a_call_without_a_key_is_done_each_time(caller: Caller) -> None:
    for _number in range(2):
        assert caller.post(ADDRESS, {}).status_code == 200
    assert Batch.objects.count() == 2
    assert not AnsweredCall.objects.exists()


@cases(("address", "body"), [(ADDRESS, {"a": 2}), ("/api/made/changes", {"a": 1})])
def test_a_key_with_another_body_or_address_is_a_422(
    caller: Caller, address: str, body: object
) -> None:
    caller.post(ADDRESS, {"a": 1}, **KEY)
    response = caller.post(address, body, **KEY)
    assert "Take a new key for each call." in detail_of(response, 422)
    assert response.json()["errors"][0]["parameter"] == "Idempotency-Key"
    assert Batch.objects.count() == 1


@cases("key", ["", "x" * 201, "a b", "a\0", "\xe9"])
def test_a_key_has_1_to_200_characters(caller: Caller, key: str) -> None:
    response = caller.post(ADDRESS, {}, **{"Idempotency-Key": key})
    assert "1 to 200 ASCII characters" in detail_of(response, 422)


def test_keys_of_another_token_are_others(caller: Caller, lead: User, project: Project) -> None:
    other = api_client(lead, project, may_write=True)
    for program in (caller, other):
        assert program.post(ADDRESS, {}, **KEY).status_code == 200
    assert Batch.objects.count() == 2


def test_a_call_that_failed_stored_nothing_and_leaves_its_key(
    caller: Caller, project: Project
) -> None:
    def fail() -> None:
        make_batch(project=project)
        raise Problem(ProblemKind.INVALID, "It won’t do.")

    todo = Addresses.todo
    does(fail)
    for headers in (KEY, {}):
        detail_of(caller.post(ADDRESS, {}, **headers), 422)
        assert not Batch.objects.exists()
    does(todo)
    assert caller.post(ADDRESS, {"mended": True}, **KEY).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_call_that_is_under_way_is_a_409_with_the_time_to_wait(
    caller: Caller, project: Project
) -> None:
    is_under_way, may_end = threading.Event(), threading.Event()

    def take_long() -> dict[str, int]:
        batch = make_batch(project=project)
        is_under_way.set()
        assert may_end.wait(20)
        return {"batch": batch.pk}

    def call() -> None:
        Caller(caller.secret).post(ADDRESS, {}, **KEY)
        connections.close_all()

    does(take_long)
    thread = threading.Thread(target=call)
    thread.start()
    assert is_under_way.wait(20)
    meanwhile = caller.post(ADDRESS, {}, **KEY)
    may_end.set()
    thread.join()
    assert "still under way" in detail_of(meanwhile, 409)
    assert meanwhile.headers["Retry-After"] == "2"
    assert caller.post(ADDRESS, {}, **KEY).json() == {"batch": Batch.objects.get().pk}


@pytest.mark.django_db(transaction=True)
def test_a_call_whose_process_dies_leaves_neither_a_row_nor_its_key(
    caller: Caller, project: Project
) -> None:
    def die() -> None:
        make_batch(project=project)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    todo = Addresses.todo
    does(die)
    detail_of(caller.post(ADDRESS, {}, **KEY), 503)
    assert not Batch.objects.exists()
    assert not AnsweredCall.objects.exists()
    does(todo)
    assert caller.post(ADDRESS, {}, **KEY).json() == {"batch": Batch.objects.get().pk}


def test_an_answer_of_more_than_a_megabyte_is_refused_and_nothing_done(
    caller: Caller, project: Project
) -> None:
    def answer_much() -> str:
        make_batch(project=project)
        return "x" * LARGEST_ANSWER

    does(answer_much)
    assert "1048576 bytes at most" in detail_of(caller.post(ADDRESS, {}, **KEY), 413)
    assert not Batch.objects.exists()


def test_a_key_is_free_again_after_a_day(caller: Caller) -> None:
    caller.post(ADDRESS, {}, **KEY)
    old = AnsweredCall.objects.get().called_at - timedelta(days=1)
    AnsweredCall.objects.update(called_at=old)
    assert caller.post(ADDRESS, {"another": 1}, **KEY).status_code == 200
    assert Batch.objects.count() == 2
    again = caller.post(ADDRESS, {"another": 1}, **KEY).json()
    assert again == {"batch": Batch.objects.latest("pk").pk}


@pytest.mark.django_db(transaction=True)
def test_old_answers_are_deleted(caller: Caller) -> None:
    for number in (1, 2):
        caller.post(ADDRESS, {}, **{"Idempotency-Key": f"night-{number}"})
    old = AnsweredCall.objects.earliest("pk")
    AnsweredCall.objects.filter(pk=old.pk).update(called_at=old.called_at - timedelta(days=1))
    work()
    assert AnsweredCall.objects.get().key == "night-2"


def test_a_form_is_the_same_whatever_its_boundary() -> None:
    def digest(content: bytes, boundary: str) -> str:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n'
        body = b"%s\r\n%s\r\n--%s--\r\n" % (head.encode(), content, boundary.encode())
        type_ = f"multipart/form-data; boundary={boundary}"
        request = RequestFactory().post(ADDRESS, body, content_type=type_)
        [file] = request.FILES.getlist("file")
        assert file.read() == content
        return call_digest(request)

    assert digest(b"id,text", "one") == digest(b"id,text", "two") != digest(b"id,other", "one")
