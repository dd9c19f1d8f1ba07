"""The list of items: what is asked for stands in the address; it filters, sorts and exports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.http import urlencode
from playwright.sync_api import BrowserContext, expect

from annotators.models import User
from tasks.exporting.filters import look_up
from tasks.exporting.forms import export_of
from tasks.exporting.options import Options
from tasks.exporting.rows import select
from tasks.item_pages import listing, ordered
from tasks.models import Batch, ItemList, Membership, Project, Rating, item_list
from tests.cases import cases
from tests.desk_keys import log_in
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_rating,
    make_rubric,
    make_talk,
    make_user,
)
from tests.worker import work

from .panel_steps import send

pytestmark = pytest.mark.django_db
LIST = "/projects/p/items/"
NAMES = ["calm", "new", "once", "torn"]


@pytest.fixture
def project(lead: User) -> Project:
    """Four items in two batches: calm (5 and 5), torn (2 and 6), once (7, by ada), new.

    Ratings came in this order: torn, once, calm.
    """
    people = [make_user(name=name) for name in ("ada", "ben")]
    made = make_project(slug="p", wanted=2, annotators=people, leads=[lead])
    first, second = make_batch(project=made, name="first"), make_batch(project=made, name="second")
    for name, batch, values in (
        ("torn", first, (2, 6)),
        ("once", second, (7,)),
        ("calm", first, (5, 5)),
        ("new", second, ()),
    ):
        item = make_item(batch=batch, external_id=name, prompt=f"About {name} things")
        for person, value in zip(people, values, strict=False):
            make_rating(item=item, annotator=person, order=(1, 2), values={1: value, 2: 7})
    work()
    return made


@pytest.fixture
def client(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


@pytest.fixture
def shown(client: Client) -> Callable[..., list[str]]:
    """The IDs that the list shows, in its order, for what is asked."""

    def ids(**asked: Any) -> list[str]:
        return ids_in(listed(client, **asked))

    return ids


def listed(client: Client, **asked: Any) -> str:
    answer = client.get(f"{LIST}?{urlencode(asked, doseq=True)}")
    assert answer.status_code == 200
    return answer.content.decode()


def ids_in(html: str) -> list[str]:
    return re.findall(r'<a href="/projects/p/items/\d+/[^"]*"\s*>([\w-]+)</a></th>', html)


def words_in(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def link(html: str, name: str) -> str:
    """The address behind a link, by what the page calls it."""
    for address, said in re.findall(r'<a[^>]*?href="([^"]*)"[^>]*>(.*?)</a>', html, re.S):
        if words_in(said) == name:
            return unescape(address)
    raise AssertionError(f"no link {name}")


# --- filters ---


@cases(
    ("asked", "found"),
    [
        ({}, NAMES),
        ({"q": "torn"}, ["torn"]),
        ({"q": "about things"}, NAMES),
        ({"q": "thing"}, []),
        ({"low": 2, "high": 4}, ["torn"]),
        ({"high": 6}, ["calm", "torn"]),
        ({"low": 7}, ["calm", "once", "torn"]),
        ({"spread": 0}, ["calm", "torn"]),
        ({"spread": 4}, ["torn"]),
        ({"check": "quality:helpful=entirely"}, ["calm", "once", "torn"]),
        ({"check": "quality:language_error=yes"}, []),
        ({"state": "untouched"}, ["new"]),
        ({"state": "finished", "low": 5}, ["calm", "torn"]),
        ({"sort": "-id"}, NAMES[::-1]),
        ({"sort": "latest"}, ["new", "torn", "once", "calm"]),
        ({"sort": "-latest"}, ["calm", "once", "torn", "new"]),
        ({"sort": "-spread", "state": "finished"}, ["torn", "calm"]),
        ({"sort": "spread", "state": "finished"}, ["calm", "torn"]),
    ],
)
def test_an_address_says_which_items_and_in_which_order(
    project: Project, shown: Callable[..., list[str]], asked: dict[str, Any], found: list[str]
) -> None:
    assert shown(**asked) == found


def test_batches_annotators_and_flags_are_filters_too(
    project: Project, shown: Callable[..., list[str]]
) -> None:
    first, second = project.batches.all()
    ben = User.objects.get(username="ben")
    assert shown(batch=[first.pk]) == ["calm", "torn"]
    assert shown(batch=[first.pk, second.pk]) == NAMES
    assert shown(annotator=ben.pk) == ["calm", "torn"]
    lease = make_lease(item=project.items.get(external_id="new"), annotator=ben)
    assert shown(flagged="on") == []
    lease.flag(reason="broken", now=lease.started_at)
    assert shown(flagged="on") == ["new"]


def test_a_filter_by_model_needs_the_models_shown(
    client: Client, project: Project, shown: Callable[..., list[str]]
) -> None:
    hidden = listed(client, model="model-1", low=7)
    assert ids_in(hidden) == []
    assert "Model: The models are hidden. Show them first." in words_in(hidden)
    assert 'name="model"' not in listed(client)
    answer = client.post("/projects/p/models/?low=7", {"models": "shown"})
    assert answer["Location"] == f"{LIST}?low=7"  # one comes back to the same list
    assert shown(model="model-1", low=7) == ["once"]
    assert shown(model="model-2", low=7) == ["calm", "once", "torn"]
    assert shown(model="model-2") == ["calm", "once", "torn"]
    assert '<option value="model-1">' in listed(client)


def test_a_filter_that_is_set_is_named_and_can_be_taken_away(
    client: Client, project: Project
) -> None:
    [first, _second] = project.batches.all()
    html = listed(client, batch=[first.pk], low=5, spread=0, sort="-spread")
    text = words_in(html)
    assert "Batch: first" in text
    assert "Score: 5–7" in text
    assert "Spread: 0 or more" in text
    without = re.search(r'href="([^"]*)"\s+aria-label="Without Score"', html)
    assert without
    assert unescape(without[1]) == f"?batch={first.pk}&spread=0&sort=-spread"


def test_the_search_says_in_its_field_what_fits_there_and_in_its_label_all(
    client: Client, project: Project
) -> None:
    html = listed(client)
    assert 'placeholder="Search texts"' in html
    assert "Search prompts and responses" in words_in(html)


def test_the_count_is_of_what_the_filter_leaves_in(
    client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "2 of 4 items" in words_in(listed(client, state="finished"))
    assert " 4 items" in words_in(listed(client))
    monkeypatch.setattr(item_list, "MOST_COUNTED", 1)
    monkeypatch.setattr(listing, "MOST_COUNTED", 1)
    monkeypatch.setattr(ordered, "MOST_COUNTED", 1)
    monkeypatch.setattr("tasks.item_pages.list_views.MOST_COUNTED", 1)
    assert "more than 1 of 4 items" in words_in(listed(client, state="finished"))
    assert ids_in(listed(client, state="finished", sort="-spread")) == ["torn", "calm"]


@cases("first", [1, 2, 10])
@cases("sort", ["spread", "-spread"])
def test_items_with_a_trait_come_in_order_however_many_of_the_first_have_it(
    client: Client, project: Project, monkeypatch: pytest.MonkeyPatch, first: int, sort: str
) -> None:
    rater = Rating.objects.filter(item__external_id="calm").earliest("pk").annotator_id
    asked = {"annotator": rater, "sort": sort}
    few = ids_in(listed(client, **asked))
    assert len(few) > 1
    with monkeypatch.context() as patch:
        patch.setattr(ordered, "MOST_COUNTED", 0)
        patch.setattr(ordered, "FIRST", first)
        assert ids_in(listed(client, **asked)) == few
        patch.setattr(listing, "ON_A_PAGE", 1)
        assert ids_in(listed(client, **asked)) == few[:1]
        assert ids_in(listed(client, **asked, last="yes")) == few[-1:]


@cases(
    ("asked", "said"),
    [
        ({"batch": 99999}, "Batch: "),
        ({"batch": "x"}, "Batch: "),
        ({"low": 9}, "Score: "),
        ({"low": 5, "high": 3}, "Score: 3 is below 5: choose a higher one."),
        ({"spread": "-1"}, "Spread: "),
        ({"check": "quality:nothing=yes"}, "Checks: "),
        ({"annotator": 10**30}, "Annotator: "),
        ({"state": "gone"}, "More: "),
        ({"dimension": "beauty"}, "Dimension: "),
        ({"sort": "beauty"}, "Order: "),
        ({"q": "x" * 201}, "Search prompts and responses: "),
    ],
)
def test_a_bad_address_is_told_so_and_shows_no_items(
    client: Client, project: Project, asked: dict[str, Any], said: str
) -> None:
    html = listed(client, **asked)
    assert said in words_in(html)
    assert ids_in(html) == []
    item = project.items.get(external_id="once")
    assert client.get(f"{LIST}{item.pk}/", asked).status_code == 200
    assert said in words_in(client.get("/projects/p/export/", asked).content.decode())


def test_a_filter_that_is_wrong_is_open_and_the_others_stay_in_the_form(
    client: Client, project: Project
) -> None:
    [first, _second] = project.batches.all()
    html = listed(client, low=6, high=2, batch=first.pk, q="moons", sort="-spread", state="gone")
    assert "Score: 2 is below 6: choose a higher one." in words_in(html)
    assert re.findall(r"<details [^>]*open>\s*<summary>([^<]*)", html) == ["Score"]
    assert re.search(rf'value="{first.pk}"[^>]* checked', html)
    assert '<option value="6" selected>' in html
    assert '<option value="2" selected>' in html
    assert 'value="moons"' in html
    assert 'value="-spread"' in html
    assert " open>" not in listed(client, low=2, high=6)


@cases("side", ["after", "before"])
@cases("place", ["x", "1", "1.2.3", "9" * 30 + ".1", "1.0"])
def test_a_place_that_an_order_does_not_have_leads_to_the_first_page(
    client: Client, project: Project, place: str, side: str
) -> None:
    html = listed(client, sort="-spread", **{side: place})
    assert ids_in(html)[0] == "torn"
    assert 'rel="next"' not in html  # it is the only page, too
    assert "This page of the list does not exist. You see the first page." in words_in(html)


# --- pages ---


@pytest.mark.parametrize("few", [True, False])
def test_every_item_stands_once_on_the_pages_of_an_order_in_both_directions(
    client: Client, project: Project, monkeypatch: pytest.MonkeyPatch, few: bool
) -> None:
    for number in range(4):
        make_item(batch=project.batches.all()[0], external_id=f"more-{number}")
    monkeypatch.setattr(listing, "MOST_COUNTED", 100 if few else 0)
    for sort in ("id", "latest", "spread"):
        monkeypatch.setattr(listing, "ON_A_PAGE", 50)
        whole = ids_in(listed(client, sort=sort))
        assert len(whole) == 8
        assert ids_in(listed(client, sort=f"-{sort}")) == whole[::-1]
        monkeypatch.setattr(listing, "ON_A_PAGE", 3)
        the_pages_of_the_order_are_those_of_the_whole_there_and_back(client, sort, whole)
        the_pages_of_the_order_are_those_of_the_whole_there_and_back(
            client, f"-{sort}", whole[::-1]
        )


def the_pages_of_the_order_are_those_of_the_whole_there_and_back(
    client: Client, sort: str, whole: list[str]
) -> None:
    pages, html = [], listed(client, sort=sort)
    while True:
        pages.append(ids_in(html))
        if 'rel="next"' not in html:
            break
        html = client.get(LIST + link(html, "Next")).content.decode()
    assert [name for names in pages for name in names] == whole
    back = [pages[-1]]
    while 'rel="prev"' in html:
        html = client.get(LIST + link(html, "Previous")).content.decode()
        back.append(ids_in(html))
    assert back == pages[::-1]
    last = client.get(LIST + link(html, "Last")).content.decode()
    assert ids_in(last) == whole[-3:]
    assert 'rel="next"' not in last
    assert ids_in(client.get(LIST + link(last, "First")).content.decode()) == pages[0]


def test_no_page_is_found_by_counting_those_before_it(
    client: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ON_A_PAGE", 1)
    second = LIST + link(listed(client), "Next")
    with CaptureQueriesContext(connection) as caught:
        client.get(second)
    assert not [each for each in caught if "OFFSET" in each["sql"]]


def test_a_head_sorts_and_says_how_it_is_sorted(client: Client, project: Project) -> None:
    html = listed(client, low=2)
    assert re.findall(r'aria-sort="(\w+)"', html) == ["ascending"]
    assert link(html, "Item") == "?low=2&sort=-id"
    assert link(html, "State") == "?low=2&sort=-latest"
    assert link(html, "Spread") == "?low=2&sort=-spread"
    turned = client.get(LIST + link(html, "Spread")).content.decode()
    assert re.findall(r'aria-sort="(\w+)"', turned) == ["descending"]
    assert link(turned, "Spread") == "?low=2&sort=spread"


def test_an_item_leads_to_its_neighbours_in_the_list_one_came_from(
    client: Client, project: Project
) -> None:
    item = project.items.get(external_id="calm")
    html = listed(client, state="finished", sort="-spread")
    address = re.search(rf'"({LIST}{item.pk}/[^"]*)"', html)
    assert address
    there = client.get(unescape(address[1])).content.decode()
    assert link(there, "Back to the list") == f"{LIST}?state=finished&sort=-spread"
    torn = project.items.get(external_id="torn")
    query = "?state=finished&sort=-spread"
    assert link(there, "Previous") == f"{LIST}{torn.pk}/{query}"
    assert 'rel="next"' not in there
    [number] = re.findall(r">(Model \d)</span>\s*<span[^>]*><span[^>]*>7<", there)
    assert link(there, f"{number} 7 7") == f"{query}&target=2"
    rating = Rating.objects.filter(item=item).first()
    assert rating
    answer = send(client, item, "ask", f"{query}&target=2", rating=rating.pk, question="Why?")
    assert answer["Location"] == f"{LIST}{item.pk}/{query}&target=2"


# --- what a row says ---


def test_the_spread_of_an_item_is_the_largest_of_its_targets(
    client: Client, project: Project
) -> None:
    client.post("/projects/p/models/", {"models": "shown"})
    assert "torn About torn things 2 6 7 7 4 finished" in words_in(listed(client))


def test_differs_on_names_the_check_on_which_ratings_of_a_target_differ_most_often(
    client: Client, project: Project, lead: User
) -> None:
    item = make_item(project=project, external_id="mixed", prompt="So")

    def rate(name: str, *ticks: dict[str, str]) -> None:
        annotator = User.objects.get(username=name)
        rating = make_rating(item=item, annotator=annotator, order=(1, 2))
        for score, ticked in zip(rating.scores.order_by("position"), ticks, strict=True):
            score.checks |= ticked
            score.save(update_fields=["checks"])

    rate("ada", {"style_error": "yes"}, {"style_error": "yes"})
    rate("ben", {}, {"language_error": "yes"})
    work()
    assert "Style error" in words_in(listed(client, q="mixed").split("</thead>")[1])
    # As often as another: the first in the rubric's order.
    other = make_item(project=project, external_id="alike", prompt="So")
    item = other
    rate("ada", {"style_error": "yes", "language_error": "yes"}, {})
    rate("ben", {}, {})
    work()
    assert "Language error" in words_in(listed(client, q="alike").split("</thead>")[1])


def test_scores_are_shown_and_filtered_in_the_dimension_that_is_asked_for(
    client: Client, lead: User, ada: User
) -> None:
    talk = make_talk(annotators=[ada])
    make_membership(project=talk, user=lead, role=Membership.Role.LEAD)
    item = talk.items.order_by("position")[0]
    make_rating(item=item, annotator=ada, values={1: 2, 2: 3})
    work()
    html = client.get("/projects/talk/items/?dimension=consistency&low=2&high=2").content.decode()
    title = talk.rubric.schema.dimension("consistency").title
    assert f"Score: {title}, 2" in words_in(html)
    assert html.count('class="score ') >= 2


# --- readiness ---


def rate_new(project: Project, *values: int) -> None:
    for name, value in zip(("ada", "ben"), values, strict=True):
        annotator = User.objects.get(username=name)
        item = project.items.get(external_id="new")
        make_rating(item=item, annotator=annotator, order=(1, 2), values={1: value})


def as_if_ago(passed: timedelta) -> None:
    """The ratings that the list lacks, and the upload, as if they had come so long ago."""
    then = timezone.now() - passed
    Rating.objects.filter(pk__gt=ItemList.objects.get().upto).update(submitted_at=then)
    Batch.objects.update(created_at=then)


def test_a_list_that_lacks_a_rating_says_so_after_a_minute_and_names_the_command_after_ten(
    client: Client, project: Project
) -> None:
    rate_new(project, 1, 4)
    for passed, said in ((50, ""), (70, "as of"), (590, "as of"), (610, "As of")):
        as_if_ago(timedelta(seconds=passed))
        page = words_in(listed(client))
        assert ("as of" in page, "As of" in page) == (said == "as of", said == "As of"), passed
        assert ("no worker runs. manage.py work starts one." in page) == (said == "As of")
        assert ids_in(listed(client, sort="-spread"))[0] == "torn"
    work()
    assert "as of" not in words_in(listed(client)).lower()
    assert ids_in(listed(client, spread=3)) == ["new", "torn"]


def test_texts_that_are_not_indexed_yet_are_told_to_those_who_search(
    client: Client, project: Project
) -> None:
    make_item(project=project, external_id="late", prompt="torn")
    as_if_ago(timedelta(minutes=11))
    assert "no worker runs" not in words_in(listed(client))
    assert "no worker runs" in words_in(listed(client, q="torn"))
    assert ids_in(listed(client, q="torn")) == ["torn"]
    work()
    assert ids_in(listed(client, q="torn")) == ["late", "torn"]


def test_an_empty_project_asks_for_items_and_a_filter_that_finds_none_says_so(
    client: Client, project: Project, lead: User
) -> None:
    make_project(slug="empty", leads=[lead], rubric=make_rubric())
    empty = client.get("/projects/empty/items/").content.decode()
    assert "There is nothing to rate yet" in words_in(empty)
    html = listed(client, q="nowhere")
    assert "No item matches these filters." in words_in(html)
    assert link(html, "All items") == LIST


# --- export ---


def exported(client: Client, address: str) -> set[str]:
    answer = client.get(address)
    assert answer.status_code == 200
    lines = b"".join(answer).decode().splitlines()
    return {json.loads(line)["item"] for line in lines}


def test_the_filtered_set_exports(client: Client, project: Project) -> None:
    html = listed(client, low=2, high=6, sort="-spread", dimension="quality")
    address = link(html, "Export these")
    assert address == "/projects/p/export/?dimension=quality&low=2&high=6"
    form = client.get(address).content.decode()
    assert "Only the items of this list: Score: 2–6" in words_in(form)
    back = link(form, "The list")
    assert link(client.get(back).content.decode(), "Export these") == address
    query = re.search(r'name="items" value="([^"]*)"', form)
    assert query
    asked = urlencode({"format": "jsonl", "items": unescape(query[1])})
    assert exported(client, f"/projects/p/ratings.csv?{asked}") == {"calm", "torn"}
    for shape in ("ratings", "items"):
        assert exported(client, f"/projects/p/ratings.csv?{asked}&shape={shape}") == {
            "calm",
            "torn",
        }
    assert exported(client, "/projects/p/ratings.csv?format=jsonl&items=state%3Duntouched") == set()


def test_an_export_of_everything_is_not_tied_to_a_list(client: Client, project: Project) -> None:
    assert link(listed(client), "Export these") == "/projects/p/export/"
    form = client.get("/projects/p/export/").content.decode()
    assert "Only the items of this list" not in form
    assert exported(client, "/projects/p/ratings.csv?format=jsonl") == {"calm", "once", "torn"}


@pytest.mark.parametrize(
    ("items", "said"),
    [("low=99", "Score: "), ("q=%00", "Search prompts and responses: ")],
)
def test_an_export_of_a_bad_list_is_refused(
    client: Client, project: Project, items: str, said: str
) -> None:
    answer = client.get("/projects/p/ratings.csv", {"items": items})
    assert said in words_in(answer.content.decode())
    with pytest.raises(CommandError, match=f"^items: {said}"):
        call_command("export_ratings", "p", urlencode({"items": items}))


def test_a_list_by_annotator_does_not_go_with_pseudonyms(client: Client, project: Project) -> None:
    """The manifest would tell whose account the filter names."""
    ada = User.objects.get(username="ada")
    asked = {"items": f"annotator={ada.pk}", "format": "jsonl"}
    assert exported(client, f"/projects/p/ratings.csv?{urlencode(asked)}") == {
        *("calm", "once", "torn")
    }
    refused = client.get("/projects/p/ratings.csv", asked | {"pseudonyms": "on"})
    said = "This list is filtered by annotator, so it can’t be exported with pseudonyms."
    assert said in words_in(refused.content.decode())


def test_the_statement_of_an_export_does_not_grow_with_the_list(
    client: Client, project: Project
) -> None:
    """It joins the list. With every item's key in it, 300,000 items would make it megabytes."""

    def statement() -> str:
        assert exported(client, "/projects/p/ratings.csv?format=jsonl&items=q%3Dthings") == {
            *("calm", "once", "torn")
        }
        export = export_of(project, Options(items="q=things"), now=timezone.now())
        filters = look_up(project, export.options, export.listed)
        return select(project, export.options, filters).from_clause.as_string()

    before = statement()
    for number in range(5):
        make_item(project=project, prompt=f"More things {number}")
    work()
    assert statement() == before


@pytest.mark.parametrize("asked", ["100% about", "%s about", "it's \\", '"about"'])
def test_words_of_a_list_are_values_in_the_statement_of_its_export(
    client: Client, project: Project, asked: str
) -> None:
    odd = make_item(project=project, prompt="It's 100% about \\ %s", external_id="odd")
    make_rating(item=odd, annotator=User.objects.get(username="ada"))
    work()
    query = urlencode({"format": "jsonl", "items": urlencode({"q": asked})})
    found = exported(client, f"/projects/p/ratings.csv?{query}")
    assert found == {*ids_in(listed(client, q=asked))} - {"new"}
    assert "odd" in found


def test_an_export_waits_for_a_list_that_is_old(client: Client, project: Project) -> None:
    rate_new(project, 1, 4)
    asked = {"items": "spread=3", "format": "jsonl"}
    as_if_ago(timedelta(minutes=2))
    answer = client.get("/projects/p/ratings.csv", asked)
    assert "Try again when “manage.py work” renewed it." in words_in(answer.content.decode())
    work()
    assert exported(client, f"/projects/p/ratings.csv?{urlencode(asked)}") == {"new", "torn"}


def test_corpus_answers_have_no_items_to_filter_by(client: Client, project: Project) -> None:
    asked = {"items": "q=torn", "shape": "corpus_answers"}
    answer = client.get("/projects/p/ratings.csv", asked).content.decode()
    assert "This can’t be chosen for the file" in words_in(answer)


def test_a_manifest_names_the_list_and_makes_the_export_again(
    project: Project, tmp_path: Path
) -> None:
    file, again = tmp_path / "scores.csv", tmp_path / "again.csv"
    call_command("export_ratings", "p", "items=low%3D2%26high%3D6", output=file)
    manifest = tmp_path / "scores.csv.manifest.json"
    assert json.loads(manifest.read_text())["options"] == "items=low%3D2%26high%3D6"
    told = StringIO()
    call_command("export_ratings", again=manifest, output=again, stdout=told)
    assert "The file is the same." in told.getvalue()


def test_shape_and_format_come_before_what_to_do_with_texts(
    client: Client, project: Project
) -> None:
    form = client.get("/projects/p/export/").content.decode()
    places = [form.index(f'name="{name}"') for name in ("shape", "format", "texts")]
    assert places == sorted(places)


# --- in a browser ---


def test_the_list_is_filtered_and_sorted_without_javascript(
    new_context: Callable[..., BrowserContext], project: Project
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "lea")
    page.goto(LIST)
    page.locator("summary", has_text="Score").click()
    page.get_by_label("From").select_option("5")
    page.get_by_role("button", name="Show", exact=True).locator("visible=true").click()
    expect(page.locator(".items tbody th a")).to_have_text(["calm", "once", "torn"])
    page.get_by_role("searchbox").fill("torn")
    page.get_by_role("searchbox").press("Enter")
    expect(page.locator(".items tbody th a")).to_have_text(["torn"])
    expect(page.get_by_text("1 of 4 items")).to_be_visible()
    page.get_by_role("link", name="Without Score").click()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("searchbox").press("Enter")
    page.get_by_role("link", name="Spread").click()
    expect(page.locator(".items tbody th a").first).to_have_text("torn")
