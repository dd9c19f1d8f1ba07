"""A call of each operation to a made project, as the page of the API has it as an example."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from django.utils import timezone

from annotators.models import User
from tasks.models import Item
from tests.api.calling import Caller, Form, api_client, wait_for_others
from tests.factories import make_project, make_rating, make_user
from tests.worker import work, work_on_files

PROJECT = "projects/everyday"
BATCH = f"{PROJECT}/batches/2026-11-30"
CASE = {"item": "q1", "target": 1, "dimension": "quality"}
ANSWERS = [{"model": "heron", "text": "Eight."}, {"model": "stork", "text": "Eight legs."}]
ITEMS = [{"id": "q1", "prompt": "How many legs does a spider have?", "responses": ANSWERS}]
FILE = "id,prompt,response,model\nq2,Why is the sky blue?,It scatters blue light.,heron\n"
LONGEST_LIST = 2
LONGEST_TEXT = 240  # characters
# What is another one in every database and at every time.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.:+Z-]*")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
NUMBERS = {"id", "key", "rating", "supersedes", "adopted_rating", "file_key"}
TEXTS = {"cursor", "since", "version", "sha256"}


class Examples:
    """Calls that a program made, by operation, without what differs from time to time."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.by_operation: dict[str, dict[str, Any]] = {}

    def call(self, operation: str, address: str, body: Any = None, method: str = "") -> Any:
        """Make a call, keep it as the example of an operation, and return what it says."""
        wait_for_others()
        method = method or ("GET" if body is None else "POST")
        response = self.caller.call(method, address, body)
        assert response.status_code < 300, response.content
        content = b"".join(response) if response.streaming else response.content
        is_json = response.headers["Content-Type"].startswith("application/json")
        answer = response.json() if is_json else content.decode()
        example: dict[str, Any] = {"method": method, "address": steady(address)}
        if isinstance(body, Form):
            example["form"] = {name: value for name, value in body.items() if name != "file"}
            example["file"] = body["file"][0]
        elif body is not None:
            example["body"] = steady(body)
        example |= {"status": response.status_code, "answer": steady(answer)}
        self.by_operation[operation] = example
        return answer


def steady(value: Any, name: str = "") -> Any:
    """A value as it is in every database and at every time, its lists and texts cut."""
    if isinstance(value, dict):
        parts = list(value.items())
        if all(isinstance(part, dict) for part in value.values()):  # alike, by name
            parts = parts[:LONGEST_LIST]
        return {key: steady(part, key) for key, part in parts}
    if isinstance(value, list):
        if name == "counted_answers":  # in an order that goes by keys
            value = sorted(value, key=lambda answer: answer["score"])
        return [steady(part, name) for part in value[:LONGEST_LIST]]
    if isinstance(value, float):
        return round(value, 3)
    if isinstance(value, int):
        return 1 if name in NUMBERS and not isinstance(value, bool) else value
    if not isinstance(value, str):
        return value
    if name in TEXTS:
        return name.upper() if value else ""
    value = TIME.sub("2026-11-30T06:00:00Z", value)
    value = DAY.sub("2026-11-30", value)
    value = re.sub(r"(since|cursor)=[\w-]+", r"\1=CURSOR", value)
    value = re.sub(r"(jobs|upload)/\d+", r"\1/1", value.replace("http://testserver", "SITE"))
    return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}…"


def made_examples(lead: User) -> dict[str, dict[str, Any]]:
    """A call of each operation. Each needs a committed transaction of its own."""
    ada, ben = make_user(name="ada"), make_user(name="ben")
    make_project(
        slug="everyday", title="Everyday help", leads=[lead], annotators=[ada, ben], wanted=2
    )
    caller = api_client(lead, may_write=True, names_people=True, names_models=True)
    examples = Examples(caller)
    for write in (_begin, _read_people_and_items, _rate, _read_files, _end):
        write(examples, [ada, ben])
    return examples.by_operation


def _begin(examples: Examples, people: list[User]) -> None:
    call = examples.call
    call("make_project", "projects", {"title": "Night", "rubric": "response-quality", "wanted": 2})
    call("list_projects", "projects?limit=1")
    call("get_rubric", f"{PROJECT}/rubric")
    call("add_items", f"{PROJECT}/items", {"batch": "2026-11-30", "items": ITEMS})
    for act in ("pause", "resume", "complete"):
        call(f"{act}_batch", f"{BATCH}/{act}", method="POST")
    call("list_batches", f"{PROJECT}/batches")


def _read_people_and_items(examples: Examples, people: list[User]) -> None:
    call = examples.call
    call("list_items", f"{PROJECT}/items?texts=true")
    call("drop_item_by_id", f"{PROJECT}/items/q1/drop", {"why": "It stands in another batch."})
    call("take_item_back", f"{PROJECT}/items/q1/take-back", {"why": "That batch is gone."})


def _rate(examples: Examples, people: list[User]) -> None:
    call = examples.call
    cursor = call("wait_for_events", f"{PROJECT}/events")["cursor"]
    item, now = Item.objects.get(external_id="q1"), timezone.now()
    for person, value in zip(people, (4, 7), strict=True):
        lent = now - timedelta(minutes=1)
        make_rating(item=item, annotator=person, now=lent, submitted_at=now, values={1: value})
    call("wait_for_events", f"{PROJECT}/events?since={quote(cursor)}")
    call("list_ratings", f"{PROJECT}/ratings?limit=1")
    cursor = call("list_scores", f"{PROJECT}/scores")["cursor"]
    call("list_scores", f"{PROJECT}/scores?limit=1")
    query = "&".join(f"{name}={value}" for name, value in CASE.items())
    version = call("get_case", f"{PROJECT}/case?{query}")["version"]
    decision = {"score": 5, "cause": "judgement", "reason": "It answers, and no more."}
    version = call("decide_score", f"{PROJECT}/decisions", CASE | {"version": version} | decision)
    call("list_decisions", f"{PROJECT}/decisions")
    seen = CASE | {"version": version["version"]}
    call("withdraw_decision", f"{PROJECT}/decisions/take-back", seen)


def _read_files(examples: Examples, people: list[User]) -> None:
    call = examples.call
    job = call("send_file", f"{PROJECT}/files", Form(file=("more.csv", FILE), batch="more"))
    work_on_files()
    call("get_job", f"{PROJECT}/jobs/{job['id']}")
    call("export_project", f"{PROJECT}/export?shape=items&batches=2026-11-30")
    call("get_manifest", f"{PROJECT}/export/manifest?shape=items&batches=2026-11-30")


def _end(examples: Examples, people: list[User]) -> None:
    call = examples.call
    call("get_agreement", f"{PROJECT}/agreement?dimension=quality")
    work()
    call("get_agreement", f"{PROJECT}/agreement?dimension=quality")
    call("get_project", PROJECT)
    call("list_people", f"{PROJECT}/people")
    call("close_batch", f"{BATCH}/close", method="POST")
    checks = {"checks": ["harmless", "language_error"]}
    judged = {"rubric": "response-quality", "dimension": "quality", "items": [[checks]]}
    call("give_verdict", "verdict", judged)
