"""States of projects and batches: the table in docs/leads.md, and each page that it speaks of."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import Lease, Project
from tests.factories import (
    ROOT,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_user,
)
from tests.invitations import make_link

pytestmark = pytest.mark.django_db


MAY = ("rate", "finish", "correct")


def words(response: Any) -> str:
    text = response.content.decode()
    main = text[text.index("<main") : text.index("</main>")]
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", main)))


def table() -> dict[str, list[str]]:
    """State → what an annotator reads, what they may do, what a lead reads."""
    text = (ROOT / "docs/leads.md").read_text(encoding="utf-8").partition("\n## States\n")[2]
    rows = re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", text.split("\n## ")[0], re.M)
    return {state: told for state, *told in rows[2:]}


def rated(project: Project, ada: User, *, held: bool = False, left: bool = True) -> None:
    """One item is rated, and a second one may be left, or on the desk."""
    now = timezone.now()
    make_rating(item=make_item(project=project), annotator=ada, now=now, submitted_at=now)
    if left:
        item = make_item(project=project, external_id="k-06")
        if held:
            make_lease(item=item, annotator=ada, now=now)


def then(status: str, *, held: bool = False) -> Callable[[Project, User], None]:
    def come(project: Project, ada: User) -> None:
        rated(project, ada, held=held)
        if status == "archived":
            project.archive(now=timezone.now())
        else:
            project.change_status(status)

    return come


def with_batch(status: str) -> Callable[[Project, User], None]:
    def come(project: Project, ada: User) -> None:
        rated(project, ada, left=False)
        make_item(batch=make_batch(project=project, status=status))

    return come


def with_more_to_come(project: Project, ada: User) -> None:
    rated(project, ada, left=False)
    project.batches.update(complete=False)


WAYS: dict[str, Callable[[Project, User], None]] = {
    "no items": lambda _project, _ada: None,
    "open": rated,
    "complete": lambda project, ada: rated(project, ada, left=False),
    "paused": then("paused"),
    "paused, with an item": then("paused", held=True),
    "closed": then("closed"),
    "closed, with an item": then("closed", held=True),
    "archived": then("archived"),
    "open, a batch paused": with_batch("paused"),
    "open, a batch not complete": with_more_to_come,
    "open, a batch closed": with_batch("closed"),
}


def test_the_table_has_each_state() -> None:
    assert set(table()) == set(WAYS)


@pytest.mark.parametrize("state", WAYS)
def test_pages_say_and_let_do_what_the_table_says(state: str, client: Client) -> None:
    ada, lena = make_user(name="ada"), make_user(name="lena")
    project = make_project(slug="eggs", title="Kitchen", annotators=[ada], leads=[lena], wanted=1)
    link = make_link(project)
    WAYS[state](project, ada)
    reads, may, leads = table()[state]
    client.force_login(ada)
    addresses = ("/", "/projects/eggs/desk/")
    shown = " ".join(map(words, [*map(client.get, addresses), Client().get(link.path)]))
    for sentence in re.findall("“([^”]+)”", reads):
        assert sentence in shown
    holds = Lease.objects.live_in_all_projects(ada, timezone.now()).exists()
    client.post("/projects/eggs/desk/start/")
    does = {
        "rate": not holds and Lease.objects.live_in_all_projects(ada, timezone.now()).exists(),
        "finish": holds and client.get("/projects/eggs/desk/").context["lease"] is not None,
        "correct": any(not each.why_read_only(timezone.now()) for each in project.ratings.all()),
    }
    assert (", ".join(each for each in MAY if does[each]) or "–") == may
    client.force_login(lena)
    overview = client.get("/projects/eggs/")
    for sentence in re.findall("“([^”]+)”", leads):
        assert sentence in words(overview)
    # What is asked for first is not what cannot be done, or is done.
    primary = re.findall(r'class="primary"\s+href="([^"]+)"', overview.content.decode())
    over = project.status == "closed" or state == "complete"
    assert ("/projects/eggs/upload/" in primary) != over
    assert ("/projects/eggs/export/" in primary) == (state == "complete")
    if state == "complete":
        client.post("/projects/eggs/status/", {"status": "closed"})
        assert 'form="status"' in overview.content.decode()
        assert 'form="status"' not in client.get("/projects/eggs/").content.decode()


def test_no_forecast_where_nobody_gets_items_and_none_is_missed_in_a_closed_project(
    client: Client,
) -> None:
    lena = make_user(name="lena")
    project = make_project(slug="eggs", leads=[lena])
    make_item(project=project)
    client.force_login(lena)
    assert "No forecast: nobody gets items." in words(client.get("/projects/eggs/"))
    assert client.get("/projects/eggs/").context["needs"].number == 1
    project.change_status("closed")
    assert client.get("/projects/eggs/").context["needs"].number == 0
