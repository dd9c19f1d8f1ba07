"""The client that programs are given: one file, which the site serves with its address in it."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client as Browser, override_settings
from django.utils import timezone

from annotators.models import User
from tasks.api_pages import client as module
from tasks.api_pages.client import ApiError, Client
from tasks.importing.after_import import take_back
from tasks.models import AnsweredCall, Batch, Item, Project, RatingFile
from tests.api.calling import make_token, wait_for_others
from tests.conftest import Site
from tests.factories import imported_rating, make_project, make_rating, make_user
from tests.worker import work_on_files

FILE = Path(module.__file__)
DOCUMENT = Path(__file__).parents[2] / "docs/api.md"


@pytest.fixture
def ada() -> User:
    """Rates."""
    return make_user(name="ada")


@pytest.fixture
def project(site: Site, lead: User, ada: User) -> Project:
    """At /projects/everyday/: lea leads, and ada rates."""
    return make_project(slug="everyday", leads=[lead], annotators=[ada])


@pytest.fixture
def secret(lead: User, project: Project) -> str:
    _token, secret = make_token(
        owner=lead, project=project, may_write=True, names_people=True, names_models=True
    )
    return secret


@pytest.fixture
def client_here(site: Site, secret: str) -> Client:
    return Client(secret, site.url)


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the client waits, which take no time."""
    seconds: list[float] = []
    clock = SimpleNamespace(sleep=seconds.append, monotonic=float, time=lambda: 1_800_000_000.0)
    monkeypatch.setattr(module, "time", clock)
    return seconds


def item(name: str, text: object = "So.") -> dict[str, Any]:
    return {"id": name, "prompt": "Why?", "responses": [{"text": text}]}


# --- the file ---


def test_the_client_is_a_file_of_200_lines_that_python_3_9_reads_with_its_own_library() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    modules = set()
    for node in ast.parse(text, feature_version=(3, 9)).body:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(str(node.module).partition(".")[0])
    assert modules <= sys.stdlib_module_names


@pytest.mark.django_db
def test_the_site_serves_its_client_to_whoever_is_logged_in(client: Browser, ada: User) -> None:
    assert client.get("/api/client.py").status_code == 302
    client.force_login(ada)
    with override_settings(SITE_URL="https://rate.example.org"):
        response = client.get("/api/client.py")
    assert 'filename="evenhand_client.py"' in response.headers["Content-Disposition"]
    served: str = response.getvalue().decode()
    lines = zip(FILE.read_text(encoding="utf-8").splitlines(), served.splitlines(), strict=True)
    [changed] = [after for before, after in lines if before != after]
    assert changed == 'SITE = "https://rate.example.org"'


# --- items ---


def test_dicts_and_the_lines_of_a_file_are_sent_in_several_calls(
    client_here: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ITEMS_A_CALL", 2)
    assert client_here.push("everyday", map(item, "abc"), batch="2026/11 30") == 3
    file = tmp_path / "night.jsonl"
    file.write_text("\n".join(json.dumps(item(name, "ü")) for name in "defgh") + "\n\n")
    assert client_here.push("everyday", file, batch="2026/11 30", complete=True) == 5
    batch = Batch.objects.get(name="2026/11 30")
    assert "".join(batch.items.order_by("position").values_list("external_id", flat=True)) == (
        "abcdefgh"
    )
    assert batch.complete
    assert AnsweredCall.objects.count() == 2 + 3 + 1
    items = [*map(item, "abc"), item("x", 7)]
    with pytest.raises(ApiError) as refused:
        client_here.push("everyday", items, batch="next", existing="skip")
    assert refused.value.status == 422
    headline, line = str(refused.value).splitlines()
    assert headline.endswith(", from item 2 of the list on")
    assert line.startswith("/items/1/responses/0/text 7: ")
    assert line.endswith(refused.value.document["errors"][0]["advice"])


def test_a_list_of_long_items_is_sent_in_more_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BYTES_A_CALL", 200)
    sizes = [len(part) for part in module._calls(item(name, "x" * 60) for name in "abcde")]
    assert sizes == [1, 1, 1, 1, 1]
    assert [len(part) for part in module._calls(map(item, "abcde"))] == [3, 2]


def test_the_rows_of_an_item_go_into_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ITEMS_A_CALL", 3)
    calls = module._calls(map(item, "aabbbcd"))
    assert ["".join(row["id"] for row in part) for part in calls] == ["aa", "bbb", "cd"]


def test_a_call_whose_answer_is_lost_is_made_again_and_done_once(
    client_here: Client, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = 0
    urlopen = urllib.request.urlopen

    def lose_first(request: Any, **options: Any) -> Any:
        nonlocal answered
        response = urlopen(request, **options)
        answered += 1
        if answered == 1:
            response.close()
            raise ConnectionResetError
        return response

    monkeypatch.setattr(module, "urlopen", lose_first)
    assert client_here.push("everyday", [item("a")], batch="night") == 1
    assert (answered, slept) == (2, [5.0])
    assert Item.objects.count() == 1
    assert AnsweredCall.objects.count() == 1


# --- a site that is busy or away ---


@contextmanager
def answering(*answers: tuple[int, dict[str, str], str]) -> Iterator[str]:
    """The address of a site that gives these answers, in this order."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = left.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_call_is_made_again_after_as_long_as_the_answer_says(slept: list[float]) -> None:
    busy = (429, {"Retry-After": "7"}, "{}")
    with answering(
        busy, (503, {"Retry-After": "3"}, "{}"), (502, {}, "<p>"), (200, {}, "[1]")
    ) as url:
        assert Client("evh_x", url).get("projects") == [1]
    assert slept == [7.0, 3.0, 5.0]
    a_minute_on = formatdate(1_800_000_060, usegmt=True)
    with answering((503, {"Retry-After": a_minute_on}, "{}"), (200, {}, "[1]")) as url:
        assert Client("evh_x", url).get("projects") == [1]
    assert slept[3:] == [60.0]
    with answering((429, {"Retry-After": "301"}, "{}")) as url, pytest.raises(ApiError) as refused:
        Client("evh_x", url).get("projects")
    assert refused.value.status == 429


def test_a_failure_is_told_with_what_the_site_says_of_it(slept: list[float]) -> None:
    with answering((409, {}, '{"detail": "A rating came since."}'), (500, {}, "<p>Oh")) as url:
        for words in ("409: A rating came since.", "500: <p>Oh"):
            with pytest.raises(ApiError, match=words):
                Client("evh_x", url).get("projects")
    assert slept == []


# --- files ---


def test_a_file_is_sent_and_waited_for(
    client_here: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = SimpleNamespace(sleep=lambda _seconds: work_on_files(), monotonic=float)
    monkeypatch.setattr(module, "time", worker)
    file = tmp_path / 'né "1".csv'
    file.write_text("id,prompt,response\na,Why?,So.\n")
    job = client_here.send_file("everyday", file, batch="of the night")
    assert job["state"] == "waiting"
    job = client_here.wait(job)
    assert (job["state"], job["items"], job["batch"]) == ("done", 1, "of the night")
    assert job["file"].startswith("né ")
    file.write_text("id,prompt,response\nb,Why?,So.\n,Why?,So.\n")
    with pytest.raises(ApiError, match="take_good=true") as refused:
        client_here.wait(client_here.send_file("everyday", file))
    assert refused.value.document["job"]["errors"][0]["line"] == 3


# --- scores ---


def test_scores_are_read_to_their_end_and_later_from_there(
    client_here: Client, project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS_A_PAGE", 2)
    client_here.push("everyday", map(item, "abcd"), batch="night")
    first, *others, last = Item.objects.order_by("position")
    for row in (first, *others):
        make_rating(item=row, annotator=ada)
    wait_for_others()
    scores = client_here.scores("everyday")
    assert list(scores.frame()["item"]) == ["a", "b", "c"]
    make_rating(item=last, annotator=ada)
    wait_for_others()
    assert [row["item"] for row in client_here.scores("everyday", scores.cursor)] == ["d"]


def test_the_pipeline_of_the_document_runs_as_it_stands(
    site: Site, project: Project, secret: str, ada: User, tmp_path: Path
) -> None:
    """Items that a night brought are sent, and what was rated since is kept, in 20 lines."""
    section = DOCUMENT.read_text(encoding="utf-8").partition("## A night’s pipeline")[2]
    [lines] = re.findall(r"```python\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    assert len(lines.splitlines()) <= 21  # with the empty one
    client_of_site = FILE.read_text(encoding="utf-8").replace(module.SITE, site.url)
    (tmp_path / "evenhand_client.py").write_text(client_of_site, encoding="utf-8")

    def run() -> list[tuple[Any, ...]]:
        wait_for_others()
        environment = {"EVENHAND_TOKEN": secret}
        subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, env=environment, check=True)
        with sqlite3.connect(tmp_path / "scores.db") as table:
            return table.execute("SELECT row ->> 'item', file FROM scores ORDER BY id").fetchall()

    (tmp_path / "new.jsonl").write_text(f"{json.dumps(item('a'))}\n{json.dumps(item('b'))}")
    assert run() == []
    [sent] = tmp_path.glob("*.sent")
    sent.rename(sent.with_suffix(".jsonl"))  # as if it was stopped before it could say so
    (tmp_path / "new.jsonl").write_text("")
    assert run() == []
    batch = Batch.objects.get()
    assert batch.complete
    first, second = batch.items.order_by("position")
    make_rating(item=first, annotator=ada)
    imported_rating(item=second, by="Dora", values={1: 4})
    file = RatingFile.objects.get()
    assert run() == [("a", None), ("b", file.pk)]
    assert take_back(file, now=timezone.now())
    assert run() == [("a", None)]
