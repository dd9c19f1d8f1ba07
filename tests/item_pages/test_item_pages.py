"""The list of items, and the page of one: all its ratings side by side, for those who lead."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from tasks.models import Batch, Item, Membership, Project, Rating, ReturnedRating
from tasks.queue.submitting import correct_rating
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)
from tests.worker import work

from .panel_steps import address_of, history_of, page_after, panel_address, send

pytestmark = pytest.mark.django_db
PAIR = [("heron", "Two."), ("gull", "Two: *Phobos* and Deimos.")]


@pytest.fixture
def project(lead: User) -> Project:
    people = [make_user(name=name) for name in ("ada", "ben", "cleo")]
    made = make_project(
        slug="p", rubric=make_rubric(slug="response-quality"), wanted=3, annotators=people
    )
    make_membership(project=made, user=lead, role=Membership.Role.LEAD)
    return made


@pytest.fixture
def client(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


@pytest.fixture
def item(project: Project) -> Item:
    return make_item(project=project, external_id="moons", responses=PAIR)


def rate(item: Item, name: str, values: dict[int, int], **said: Any) -> Rating:
    annotator = User.objects.get(username=name)
    return make_rating(item=item, annotator=annotator, order=(1, 2), values=values, **said)


def text_of(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.content.decode())).split())


def lines(client: Client, item: Item, target: str = "1") -> dict[str, tuple[list[str], bool]]:
    """The cells of each line by what it is about, and whether the line is marked."""
    page = client.get(f"/projects/p/items/{item.pk}/?target={target}").content.decode()
    table = page[page.index('class="compare"') : page.index("</table>")]
    found = {}
    for marked, row in re.findall(r'<tr( class="differ")?>(.*?)</tr>', table, re.S):
        head = re.search(r"<th[^>]*>([^<]*)", row)
        cells = [
            " ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split())
            for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)
        ]
        found[head[1].strip() if head else ""] = (cells, bool(marked))
    return found


def test_all_ratings_stand_side_by_side_and_where_they_differ_is_marked(
    client: Client, item: Item
) -> None:
    rate(item, "ada", {1: 3, 2: 7}, comments={1: "Too short."}, active_seconds=50)
    rate(item, "ben", {1: 6, 2: 7})
    shown = lines(client, item)
    assert shown["Quality"] == (["3", "6"], True)
    assert shown["Harmless"][1] is False
    assert shown["Comment"] == (["Too short.", "–"], False)
    assert shown["Time, revisions"] == (["0:50", "–"], False)
    assert lines(client, item, "2")["Quality"] == (["7", "7"], False)
    page = text_of(client, f"/projects/p/items/{item.pk}/")
    assert re.search(r"Ratings of Model [12] spread 3", page)
    assert shown["Shown as"] == (["A", "A"], False)


def test_an_extra_rating_is_shown_and_makes_no_difference(client: Client, item: Item) -> None:
    rate(item, "ada", {1: 3})
    extra = rate(item, "ben", {1: 6})
    Rating.objects.filter(pk=extra.pk).update(kind="extra", extra_because="full")
    shown = lines(client, item)
    assert shown["Quality"] == (["3", "6"], False)
    assert shown["Does not count"][0] == ["–", "when it came, the item wanted no more ratings"]


def test_claims_that_were_looked_up_stand_with_their_outcome(client: Client, item: Item) -> None:
    rate(item, "ada", {1: 3}, facts=[(1, "Mars has two", "holds", "https://example.org")])
    assert lines(client, item)["Claims looked up"][0] == [
        "Mars has two · it holds · https://example.org"
    ]


def test_models_are_hidden_until_the_lead_asks_and_only_in_that_project(
    client: Client, project: Project, item: Item, lead: User
) -> None:
    other = make_project(slug="q", rubric=project.rubric)
    make_membership(project=other, user=lead, role=Membership.Role.LEAD)
    elsewhere = make_item(project=other, responses=PAIR)
    address = f"/projects/p/items/{item.pk}/"
    assert "heron" not in text_of(client, address)
    assert "heron" not in text_of(client, "/projects/p/items/")
    answer = client.post("/projects/p/models/", {"models": "shown", "item": item.pk})
    assert answer["Location"] == address
    assert "heron" in text_of(client, address)
    assert "heron" in text_of(client, "/projects/p/items/")
    assert "heron" not in text_of(client, f"/projects/q/items/{elsewhere.pk}/")
    client.post("/projects/p/models/", {"models": "hidden"})
    assert "heron" not in text_of(client, address)


def test_a_rating_goes_back_with_a_question_and_the_answer_is_read_here(
    client: Client, item: Item
) -> None:
    rating = rate(item, "ada", {1: 3})
    send(client, item, "ask", rating=rating.pk, question="Why a 3?")
    returned = ReturnedRating.objects.get()
    assert (returned.rating, returned.reason, returned.settled_at) == (rating, "Why a 3?", None)
    [entry] = history_of(client.get(address_of(item)).content.decode())
    assert entry.startswith("Question to ada you, ")
    assert entry.endswith("asked today Why a 3?")
    ada = Client()
    ada.force_login(rating.annotator)
    assert "Why a 3?" in ada.get("/projects/p/desk/").content.decode()
    lease = rating.annotator.leases.get()
    first = lease.responses.index(item.responses.get(position=1).pk) + 1
    sent = {"r1.quality": "7", "r2.quality": "7", f"r{first}.comment": "Six, then."}
    sent |= {f"r{first}.quality": "6", "revision": "1"}
    for check in item.project.rubric.schema.dimensions[0].checks:
        if check.needs_answer:
            best = check.best or check.answers[0].code
            sent |= {f"r{place}.quality.{check.code}": best for place in (1, 2)}
    ada.post(f"/projects/p/ratings/{rating.pk}/correct/", sent)
    shown = lines(client, item)
    assert shown["Quality"][0] == ["6"]
    assert shown["Comment"][0] == ["Six, then."]
    [entry] = history_of(client.get(address_of(item)).content.decode())
    assert "Why a 3? answered, with another score" in entry
    assert shown["Time, revisions"][0][0].endswith("1 correction")


def test_a_rating_that_waits_for_an_answer_is_named_and_gets_no_second_question(
    client: Client, item: Item
) -> None:
    ada, ben = rate(item, "ada", {1: 3}), rate(item, "ben", {1: 5})
    address = address_of(item)
    send(client, item, "ask", rating=ada.pk, question="Why a 3?")
    page = client.get(address).content.decode()
    assert re.findall(r'<option value="(\d+)"', page) == [str(ben.pk)]
    assert "Sent back already, and waiting for an answer: ada" in text_of(client, address)
    page = page_after(client, item, "ask", rating=ada.pk, question="Why not 4?")
    assert "You can’t send this rating back now." in page
    assert "Why not 4?</textarea>" in page
    assert ReturnedRating.objects.get().reason == "Why a 3?"
    send(client, item, "ask", rating=ben.pk, question="Why a 5?")
    shown = text_of(client, address)
    assert "waiting for an answer: ada, ben" in shown
    assert "You can’t send back a rating" not in shown


def test_a_question_about_what_was_corrected_meanwhile_is_not_lost(
    client: Client, item: Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    rating = rate(item, "ada", {1: 3})
    send_back = ReturnedRating.objects.send_back

    def late(asked: Rating, *args: Any, **named: Any) -> bool:
        assert rating.lease
        correct_rating(
            rating, make_submission(lease=rating.lease, values={1: 6}), based_on=1, now=NOW
        )
        return send_back(asked, *args, **named)

    monkeypatch.setattr(ReturnedRating.objects, "send_back", late)
    page = page_after(client, item, "ask", rating=rating.pk, question="Why a 3?")
    assert "It was corrected just now" in page
    assert "Why a 3?</textarea>" in page
    assert not ReturnedRating.objects.exists()


def test_a_mark_for_oneself_is_no_correction_to_others(client: Client, item: Item) -> None:
    rating = rate(item, "ada", {1: 3}, active_seconds=50)
    Rating.objects.filter(pk=rating.pk).update(active_seconds=50)
    assert rating.lease
    said = replace(make_submission(lease=rating.lease, values={1: 3}), not_sure=True)
    correct_rating(rating, said, based_on=1, now=NOW)
    assert Rating.objects.count() == 2
    assert lines(client, item)["Time, revisions"][0] == ["0:50"]


def test_a_form_of_an_item_page_leads_back_to_the_same_target(client: Client, item: Item) -> None:
    rating = rate(item, "ada", {1: 3})
    address = f"/projects/p/items/{item.pk}/"
    shown = client.post("/projects/p/models/", {"models": "shown", "item": item.pk, "target": "2"})
    assert shown["Location"] == f"{address}?target=2"
    asked = send(client, item, "ask", "?target=2", rating=rating.pk, question="Why?")
    assert asked["Location"] == f"{address}?target=2"
    ben = rate(item, "ben", {1: 3})
    refused = send(client, item, "ask", "?target=2", rating=ben.pk, question="")
    assert 'name="target" value="2"' in refused.content.decode()


def test_a_question_needs_words_and_a_rating_of_the_item(client: Client, item: Item) -> None:
    rating = rate(item, "ada", {1: 3})
    stranger = make_rating()
    for key, words in ((rating.pk, " "), (stranger.pk, "?")):
        answer = send(client, item, "ask", rating=key, question=words)
        assert answer.status_code == 200
        assert "errorlist" in answer.content.decode()
    assert not ReturnedRating.objects.exists()


@pytest.mark.parametrize("why", ["project", "batch", "member", "account"])
def test_a_rating_that_nobody_could_mend_cannot_be_sent_back(
    client: Client, project: Project, item: Item, why: str
) -> None:
    rating = rate(item, "ada", {1: 3})
    if why == "project":
        Project.objects.filter(pk=project.pk).update(status="paused")
    elif why == "batch":
        Batch.objects.update(status="closed")
    elif why == "account":
        User.objects.filter(pk=rating.annotator.pk).update(is_active=False)
    else:
        Membership.objects.filter(user=rating.annotator).delete()
    address = f"/projects/p/items/{item.pk}/"
    assert "You can’t send back a rating" in text_of(client, address)
    page = page_after(client, item, "ask", rating=rating.pk, question="Why?")
    assert "This can’t be done any more." in page
    assert not ReturnedRating.objects.exists()


def test_a_listed_item_has_its_scores_its_spread_and_its_state(client: Client, item: Item) -> None:
    rate(item, "ada", {1: 3, 2: 7})
    rate(item, "ben", {1: 6, 2: 7})
    client.post("/projects/p/models/", {"models": "shown"})  # they stand in the order of names
    work()
    page = text_of(client, "/projects/p/items/")
    assert "moons How many moons has Mars? 7 7 3 6 3 2 of 3" in page


@pytest.mark.parametrize(
    ("texts", "beginning"),
    [
        ({"messages": [("user", "Why?"), ("user", "Why  not?")], "context": "Mars."}, "Why not?"),
        ({"messages": [], "context": "Mars."}, "Mars."),
        ({"messages": [], "persona": ["I keep bees."]}, "I keep bees."),
        ({"messages": []}, ""),
        ({"prompt": "word " * 40_000}, ("word " * 24).strip()),
    ],
)
def test_a_line_of_the_list_begins_a_text_and_loads_none(
    client: Client, project: Project, texts: dict[str, Any], beginning: str
) -> None:
    make_item(project=project, **texts)
    [row] = client.get("/projects/p/items/").context["page"].listed_rows
    assert row.beginning.strip() == beginning
    assert len(row.item.summary) <= 240
    assert {"messages", "context", "system", "persona", "metadata"} <= (
        row.item.get_deferred_fields()
    )


def test_neighbours_are_known_by_their_keys_alone(
    client: Client, project: Project, item: Item
) -> None:
    before, after = (make_item(project=project, external_id=name) for name in ("a", "z"))
    shown = client.get(f"/projects/p/items/{item.pk}/").context
    assert (shown["before"], shown["after"]) == (before.pk, after.pk)


def test_the_search_finds_an_item_by_its_id(client: Client, project: Project, item: Item) -> None:
    other = make_item(project=project, external_id="rq-demo-07")
    work()
    page = client.get("/projects/p/items/", {"q": "rq-demo-07"}).content.decode()
    assert f"/projects/p/items/{other.pk}/" in page
    assert f"/projects/p/items/{item.pk}/" not in page


def test_neighbours_by_id_are_one_click_away(client: Client, project: Project, item: Item) -> None:
    earlier = make_item(project=project, external_id="a")
    later = make_item(project=project, external_id="z")
    page = client.get(f"/projects/p/items/{item.pk}/").content.decode()
    assert re.search(rf'rel="prev" href="/projects/p/items/{earlier.pk}/"', page)
    assert re.search(rf'rel="next" href="/projects/p/items/{later.pk}/"', page)


def test_more_items_and_ratings_take_no_more_statements(client: Client, project: Project) -> None:
    def statements(address: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            client.get(address)
        return len(caught)

    batch = make_batch(project=project)
    first = make_item(batch=batch, responses=PAIR)
    rate(first, "ada", {1: 3})
    before = statements("/projects/p/items/"), statements(f"/projects/p/items/{first.pk}/")
    for name in ("ben", "cleo"):
        rate(first, name, {1: 4})
    for _ in range(5):
        rate(make_item(batch=batch, responses=PAIR), "ada", {1: 2})
    after = statements("/projects/p/items/"), statements(f"/projects/p/items/{first.pk}/")
    assert after[0] <= before[0] <= 14  # two of them for the number of open cases
    assert after[1] <= before[1] + 1  # the neighbour


@pytest.mark.parametrize("role", [None, Membership.Role.ANNOTATOR])
def test_only_leads_open_the_page_of_an_item(
    client: Client, project: Project, item: Item, role: Membership.Role | None
) -> None:
    person = make_user(name="eve")
    if role:
        make_membership(project=project, user=person, role=role)
    client.force_login(person)
    address = f"/projects/p/items/{item.pk}/"
    assert client.get(address).status_code == 404
    assert client.post(panel_address(item), {}).status_code == 404
    assert client.post("/projects/p/models/", {"models": "shown"}).status_code == 404


def test_a_lead_of_another_project_does_not_see_the_item(
    client: Client, item: Item, lead: User
) -> None:
    other = make_project(slug="q", rubric=item.project.rubric)
    make_membership(project=other, user=lead, role=Membership.Role.LEAD)
    assert client.get(f"/projects/q/items/{item.pk}/").status_code == 404


def test_an_items_metadata_is_on_its_page(client: Client, lead: User) -> None:
    project = make_project(slug="p", leads=[lead])
    item = make_item(project=project, metadata={"topic": "tides", "seed": 17})
    client.force_login(lead)
    page = client.get(f"/projects/p/items/{item.pk}/").content.decode()
    shown = dict(re.findall(r"<dt>(\w+)</dt>\s*<dd[^>]*>(\w+)</dd>", page))
    assert shown == {"topic": "tides", "seed": "17"}
