"""A program makes a project and sends it items, for a batch that goes on until it is complete."""

from __future__ import annotations

import json
import threading
from io import BytesIO
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from django.test import Client, override_settings

from annotators.models import User
from tasks.importing.batches.loading import FileToLoad, load_batch
from tasks.models import AnsweredCall, Batch, Item, Notice, Project
from tasks.models.progress import progress_of
from tasks.queue.allocation import take_next
from tasks.queue.availability import availability_of
from tasks.queue.submitting import submit_lease
from tasks.rating_form.leased_item import item_view_of
from tests.api.calling import Caller, api_client
from tests.cases import cases
from tests.factories import NOW, make_batch, make_project, make_rating, make_rubric, make_submission
from tests.waiting import at_once, until_one_waits_for_us

ITEMS = "projects/eggs/items"


@pytest.fixture
def ada() -> User:
    """Rates."""
    return User.objects.create_user("ada")


@pytest.fixture
def project(lead: User, ada: User) -> Project:
    """At /projects/eggs/: lea leads, ada rates, and each item gets one rating."""
    return make_project(slug="eggs", leads=[lead], annotators=[ada], wanted=1)


@pytest.fixture
def caller(lead: User, project: Project) -> Caller:
    return api_client(lead, project, may_write=True)


def item(name: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "prompt": f"About {name}?", "responses": [{"text": "Two."}]} | fields


def sent(caller: Caller, *items: Any, batch: str = "night", **options: Any) -> Any:
    """What a call says that sends items, which has to be well."""
    response = caller.post(ITEMS, {"batch": batch, "items": items} | options)
    assert response.status_code == 200, response.content
    return response.json()


def errors_of(response: Any) -> list[Any]:
    assert response.status_code == 422, response.content
    errors: list[Any] = response.json()["errors"]
    return errors


def stored(batch: Batch) -> list[dict[str, Any]]:
    """The items of a batch with their responses, without keys."""
    left_out = ("id", "batch_id", "group")
    rows = []
    for row in batch.items.order_by("position"):
        fields = {name: value for name, value in vars(row).items() if name not in left_out}
        del fields["_state"]
        rows.append(fields | {"responses": list(row.responses.values_list("model", "text"))})
    return rows


# --- items ---


RICH = [
    item("a", persona=["i keep bees"], score=1.50, meta={"source_file": "x"}, warning="Blood"),
    {"id": 7, "messages": [{"role": "user", "content": "Hi"}], "response": "", "model": "gull"},
    item("b", responses=[{"model": "gull", "text": "1"}, {"model": "tern", "text": "2"}]),
    item("b", responses=[{"model": "tern", "text": "3"}]),
]


def test_items_that_are_sent_are_stored_as_those_of_a_file(
    caller: Caller, project: Project
) -> None:
    answer = sent(caller, *RICH)
    assert answer["batch"]["items"] == answer["added"] == 3
    assert answer["responses"] == 5
    batch = Batch.objects.get(name="night")
    sent_items = stored(batch)
    assert batch.remove()
    file = BytesIO("\n".join(map(json.dumps, RICH)).encode())
    load = load_batch(FileToLoad(project, file, file_name="night.jsonl", now=NOW, report=print))
    assert sent_items == stored(load.batch)


def test_numbers_keep_their_digits(caller: Caller) -> None:
    text = '{"batch": "b", "items": [{"id": "a", "prompt": "p", "response": "r", "n": 1.10}]}'
    response = caller.client.post(
        f"/api/v1/{ITEMS}",
        text,
        content_type="application/json",
        headers={"Authorization": f"Bearer {caller.secret}"},
    )
    assert response.status_code == 200
    with connection.cursor() as cursor:
        cursor.execute("SELECT metadata ->> 'n' FROM tasks_item")
        assert cursor.fetchone() == ("1.10",)


def test_a_batch_takes_more_until_it_is_complete(caller: Caller) -> None:
    assert sent(caller, item("a"), item("b"))["batch"]["complete"] is False
    batch = sent(caller, item("c"), complete=True)["batch"]
    assert (batch["name"], batch["complete"], batch["items"]) == ("night", True, 3)
    assert list(Item.objects.values_list("external_id", "position")) == [
        ("a", 0),
        ("b", 1),
        ("c", 2),
    ]
    [error] = errors_of(caller.post(ITEMS, {"batch": "night", "items": [item("d")]}))
    assert (error["pointer"], error["value"]) == ("/batch", "night")
    assert Item.objects.count() == 3


def test_a_batch_of_a_file_is_complete_at_once(caller: Caller, project: Project) -> None:
    file = BytesIO(json.dumps(item("a")).encode())
    load_batch(FileToLoad(project, file, file_name="night.jsonl", now=NOW, report=print))
    [error] = errors_of(caller.post(ITEMS, {"batch": "night", "items": [item("d")]}))
    assert error["advice"] == "Take another name: this batch is complete."


@pytest.mark.parametrize("name", ["night", "2026/11/30 ü?.jsonl"])
def test_a_batch_is_called_complete_once_and_stays_so(caller: Caller, name: str) -> None:
    sent(caller, item("a"), batch=name)
    path = name.replace("?", "%3F")
    for _number in range(2):
        response = caller.post(f"projects/eggs/batches/{path}/complete", {})
        assert response.json()["complete"] is True
    assert caller.post("projects/eggs/batches/none/complete", {}).status_code == 404


@cases(
    ("bad", "pointer", "value"),
    [
        ({"prompt": "p", "response": "r"}, "/items/1/id", None),
        (item("x", responses=[{"text": 7}]), "/items/1/responses/0/text", 7),
        (item("x", responses=[{"text": "a"}, {"txt": "b"}]), "/items/1/responses/1/text", None),
        (item("x", response="r"), "/items/1/responses", "["),
        (item("x", messages=[]), "/items/1/messages", "["),
        (item("x", meta={"a/b": "c"}, **{"a/b": "d"}), "/items/1/a~1b", "d"),
        ("text", "/items/1", "text"),
    ],
)
def test_a_bad_item_refuses_all_and_is_named_by_its_pointer(
    caller: Caller, bad: Any, pointer: str, value: Any
) -> None:
    [error] = errors_of(caller.post(ITEMS, {"batch": "night", "items": [item("a"), bad]}))
    assert error["pointer"] == pointer
    is_text = isinstance(error["value"], str) and isinstance(value, str)
    assert error["value"].startswith(value) if is_text else error["value"] == value
    assert error["allowed"]
    assert error["advice"].endswith(".")
    assert not Batch.objects.exists()


def test_a_hundred_bad_items_are_listed_and_all_are_counted(caller: Caller) -> None:
    body = {"batch": "night", "items": [{"id": str(number)} for number in range(150)]}
    response = caller.post(ITEMS, body)
    assert len(errors_of(response)) == 100
    assert response.json()["total_errors"] == 150


@cases("number", [0, 1001])
def test_a_call_has_1_to_1000_items(caller: Caller, number: int) -> None:
    items = [item(str(place)) for place in range(number)]
    [error] = errors_of(caller.post(ITEMS, {"batch": "night", "items": items}))
    assert error["pointer"] == "/items"


def test_a_body_beyond_the_limit_is_a_413(caller: Caller) -> None:
    with override_settings(LARGEST_FORM=1_000):
        response = caller.post(ITEMS, {"batch": "night", "items": [item("a", context="x" * 999)]})
    assert response.status_code == 413


def test_a_call_with_too_many_names_of_metadata_is_refused(caller: Caller) -> None:
    names = {f"name-{number}": 1 for number in range(1_001)}
    response = caller.post(ITEMS, {"batch": "night", "items": [item("a", **names)]})
    assert response.status_code == 422
    expected = "The call gives the project more than 1,000 metadata names."
    assert response.json()["detail"].startswith(expected)


def test_an_id_that_the_project_has_is_refused_by_its_name(caller: Caller) -> None:
    sent(caller, item("a"))
    [error] = errors_of(caller.post(ITEMS, {"batch": "b", "items": [item("c"), item("a")]}))
    assert (error["pointer"], error["value"]) == ("/items/1/id", "a")
    assert "batch “night”" in error["allowed"]


def test_an_item_that_is_there_with_the_same_texts_is_skipped_and_counted(caller: Caller) -> None:
    sent(caller, *RICH)
    answer = sent(caller, RICH[0], item("new"), *RICH[1:], existing="skip")
    assert (answer["added"], answer["skipped"], answer["batch"]["items"]) == (1, 3, 4)
    assert sent(caller, *RICH, batch="other", existing="skip")["added"] == 0


def test_a_list_is_sent_again_to_a_batch_that_is_complete_if_it_has_nothing_new(
    caller: Caller,
) -> None:
    sent(caller, item("a"), complete=True)
    again = sent(caller, item("a"), existing="skip", complete=True)
    assert (again["added"], again["skipped"]) == (0, 1)
    body = {"batch": "night", "items": [item("a"), item("b")], "existing": "skip"}
    [error] = errors_of(caller.post(ITEMS, body))
    assert error["pointer"] == "/batch"
    assert [row.external_id for row in Item.objects.all()] == ["a"]


@cases(
    "other",
    [
        item("a", prompt="Another?"),
        item("a", responses=[{"text": "Three."}]),
        item("a", responses=[{"model": "gull", "text": "Two."}]),
        item("a", responses=[{"text": "Two."}, {"text": "Two."}]),
        item("a", note="more"),
    ],
)
def test_an_item_that_is_there_with_another_text_is_refused_by_its_name(
    caller: Caller, other: Any
) -> None:
    sent(caller, item("a"), item("b"), existing="skip")
    body = {"batch": "night", "items": [item("b"), item("c"), other], "existing": "skip"}
    [error] = errors_of(caller.post(ITEMS, body))
    assert (error["pointer"], error["value"]) == ("/items/2/id", "a")
    assert "with other texts" in error["allowed"]
    assert Item.objects.count() == 2


# --- at the same time ---


@pytest.mark.django_db(transaction=True)
def test_two_hundred_calls_at_once_with_one_key_are_one_import(caller: Caller) -> None:
    body = {"batch": "night", "items": [item("a"), item("b")]}

    def call_many() -> list[int]:
        program = Caller(caller.secret)
        statuses = []
        for _number in range(20):
            response = program.post(ITEMS, body, **{"Idempotency-Key": "night-1"})
            statuses.append(response.status_code)
        return statuses

    statuses = [status for part in at_once([call_many] * 10) for status in part]
    assert len(statuses) == 200
    assert set(statuses) <= {200, 409}
    assert 200 in statuses
    assert list(Item.objects.values_list("external_id", flat=True)) == ["a", "b"]
    assert AnsweredCall.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_call_waits_for_no_other_load_into_the_project(caller: Caller, project: Project) -> None:
    known = connection.get_connection_params()
    with psycopg.connect(**{name: known[name] for name in ("dbname", "host", "user")}) as other:
        lock = "SELECT pg_advisory_xact_lock(hashtext('load_batch'), hashint8(%s))"
        other.execute(lock, [project.pk])
        response = caller.post(ITEMS, {"batch": "night", "items": [item("a")]})
    assert response.status_code == 409
    assert response.headers["Retry-After"] == "5"
    sent(caller, item("a"))


def test_a_stored_answer_is_for_who_still_leads_the_project(lead: User, project: Project) -> None:
    make_project(slug="ham", leads=[lead])
    maker = api_client(lead, may_write=True)
    body, key = {"batch": "night", "items": [item("a")]}, {"Idempotency-Key": "night-1"}
    assert maker.post(ITEMS, body, **key).status_code == 200
    project.memberships.filter(user=lead).delete()
    assert maker.post(ITEMS, body, **key).status_code == 404


# --- a batch that goes on ---


def rate_all(project: Project, annotator: User) -> list[str]:
    """The items that an annotator gets, rating each."""
    names = []
    while lease := take_next(project, annotator, now=NOW):
        names.append(lease.item.external_id)
        submit_lease(lease, make_submission(lease=lease), now=NOW)
    return names


@pytest.mark.parametrize("order", Project.Order.values)
def test_a_batch_that_goes_on_is_handed_out_and_so_is_what_comes_later(
    caller: Caller, project: Project, ada: User, order: str
) -> None:
    project.store(order=order)
    sent(caller, item("a"), item("b"))
    assert sorted(rate_all(project, ada)) == ["a", "b"]
    assert availability_of(project, ada, NOW).state == "goes_on"
    sent(caller, item("c"), item("d"), complete=True)
    assert sorted(rate_all(project, ada)) == ["c", "d"]
    assert availability_of(project, ada, NOW).state == "nothing"


@pytest.mark.parametrize("rated_first", [True, False])
def test_the_end_of_a_batch_is_told_once_it_is_complete(
    caller: Caller, project: Project, ada: User, lead: User, rated_first: bool
) -> None:
    finished = Notice.objects.filter(user=lead, kind=Notice.Kind.FINISHED)
    sent(caller, item("a"))
    if rated_first:
        rate_all(project, ada)
        assert not progress_of(project).is_complete
        assert not finished.exists()
    caller.post("projects/eggs/batches/night/complete", {})
    if not rated_first:
        assert not finished.exists()
        rate_all(project, ada)
    assert finished.get().batch == Batch.objects.get()
    assert progress_of(project).is_complete


@pytest.mark.django_db(transaction=True)
def test_the_last_rating_and_the_call_that_completes_a_batch_see_each_other(
    caller: Caller, project: Project, ada: User, lead: User
) -> None:
    sent(caller, item("a"))
    batch = Batch.objects.get()
    is_rated = threading.Event()

    def rate() -> None:
        with transaction.atomic():
            make_rating(item=Item.objects.get(), annotator=ada)
            is_rated.set()
            until_one_waits_for_us()

    def complete() -> None:
        assert is_rated.wait(20)
        batch.call_complete()

    at_once([rate, complete])
    assert Notice.objects.get(user=lead, kind=Notice.Kind.FINISHED).batch == batch


def test_candidate_sets_are_asked_about_once_the_batch_is_complete(lead: User, ada: User) -> None:
    rubric = make_rubric(slug="dialogue")
    project = make_project(slug="eggs", rubric=rubric, leads=[lead], annotators=[ada], wanted=2)
    caller = api_client(lead, project, may_write=True)
    answers = [{"model": "gull", "text": "1"}, {"model": "gull", "text": "2"}]
    sent(caller, *[item(str(number), responses=answers) for number in range(7)])
    batch = Batch.objects.get()
    lease = take_next(project, ada, now=NOW)
    assert lease
    assert item_view_of(lease).sets == ()
    assert batch.count_applicable()["diversity"] == 0
    batch.call_complete()
    lease = take_next(project, ada, now=NOW)
    assert lease
    assert [group.model for group in item_view_of(lease).sets] == ["gull"]
    assert batch.count_applicable()["diversity"] == 7


def test_the_settings_of_the_project_hold_for_items_that_come_later(
    caller: Caller, project: Project
) -> None:
    sent(caller, item("a"))
    project.change(overlap_percent=100, overlap_wanted=4, grouping=Project.Grouping.SPREAD)
    sent(caller, item("b"), item("c", prompt="About a?"))
    groups = dict(Item.objects.values_list("external_id", "group"))
    assert list(Item.objects.values_list("wanted", flat=True)) == [4, 4, 4]
    assert groups["a"] == groups["c"] != groups["b"]
    assert Batch.objects.get().wanted == 12


def test_a_lead_sees_that_a_batch_goes_on_and_calls_it_complete(
    client: Client, lead: User, project: Project
) -> None:
    batch = make_batch(project=project, name="night", complete=False)
    make_rating(item=None)
    client.force_login(lead)
    assert "not complete" in client.get("/projects/eggs/items/").content.decode()
    address = f"/projects/eggs/batches/{batch.pk}/"
    assert "Call it complete" in client.get(address).content.decode()
    client.post(address, {"act": "complete"})
    assert "not complete" not in client.get("/projects/eggs/items/").content.decode()
    assert "Call it complete" not in client.get(address).content.decode()


# --- projects ---


@pytest.fixture
def maker(lead: User, project: Project) -> Caller:
    """Has a token for all projects that lea leads."""
    return api_client(lead, may_write=True)


NEW = {"title": "Night", "rubric": "response-quality"}


def test_a_program_makes_a_project_as_the_page_does(maker: Caller, lead: User) -> None:
    settings = {"most_daily": 40, "practice": "required", "introduction": "Hello."}
    response = maker.post("projects", NEW | {"wanted": 2, "settings": settings})
    assert response.status_code == 201, response.content
    made = Project.objects.get(slug=response.json()["slug"])
    assert (made.title, made.wanted, made.created_by) == ("Night", 2, lead)
    assert (made.most_daily, made.practice, made.introduction) == (40, "required", "Hello.")
    usual = Project()
    assert (made.order, made.correction_hours) == (usual.order, usual.correction_hours)


def test_a_token_for_one_project_makes_none(caller: Caller) -> None:
    response = caller.post("projects", NEW)
    assert response.status_code == 403
    assert "Only a token for all projects" in response.json()["detail"]


@cases(
    ("change", "pointer"),
    [
        ({"title": " "}, "/title"),
        ({"rubric": "none"}, "/rubric"),
        ({"wanted": 0}, "/wanted"),
        ({"settings": {"most_daily": "x"}}, "/settings/most_daily"),
        ({"settings": {"colour": "red"}}, "/settings/colour"),
        ({"name": "Night"}, "/name"),
    ],
)
def test_a_project_that_can_t_be_made_is_refused_by_its_pointer(
    maker: Caller, change: dict[str, Any], pointer: str
) -> None:
    before = Project.objects.count()
    [error] = errors_of(maker.post("projects", NEW | change))
    assert error["pointer"] == pointer
    assert Project.objects.count() == before
