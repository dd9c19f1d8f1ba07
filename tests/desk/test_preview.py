"""The preview of the desk: a lead sees an item as annotators do, and nothing is stored."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import BrowserContext, Page, expect

from annotators.models import User
from tasks.models import CorpusAnswer, Draft, Item, Lease, Membership, Project, Rating
from tests.desk_keys import log_in
from tests.desk_steps import FAULTLESS, HTMX
from tests.factories import make_batch, make_item, make_project, make_rubric

pytestmark = pytest.mark.django_db
PREVIEW = "/projects/eggs/preview/"
STORED = (Lease, Draft, Rating, CorpusAnswer)


@pytest.fixture
def project(lead: User) -> Project:
    """Of response quality, at /projects/eggs/: lea leads it, and it has no items."""
    return make_project(slug="eggs", title="Eggs", leads=[lead])


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """The browser in which lea has logged in."""
    client.force_login(lead)
    return client


def words(shown: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", shown)))


def page(client: Client, address: str = PREVIEW) -> str:
    return words(client.get(address).content.decode())


def faultless(responses: int, *, score: str = "7") -> dict[str, str]:
    sent = {"r1.comment": "Well said."}
    for place in range(1, responses + 1):
        sent |= {f"r{place}.quality.{code}": answer for code, answer in FAULTLESS.items()}
        sent[f"r{place}.quality"] = score
    return sent


def test_a_lead_sees_the_first_item_as_annotators_do(here: Client, project: Project) -> None:
    first, second = make_batch(project=project), make_batch(project=project)
    make_item(batch=second, prompt="And this?")
    make_item(batch=first, prompt="Dropped?", dropped=True)
    make_item(batch=first, prompt="How many moons has Mars?", warning="Speaks of war.")
    shown = page(here)
    assert "Preview: nothing is stored." in shown
    assert "How many moons has Mars?" in shown
    assert "Annotators see this warning first: Speaks of war." in shown
    assert "example" not in shown


@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_without_items_it_shows_an_example(client: Client, lead: User, slug: str) -> None:
    make_project(slug="eggs", rubric=make_rubric(slug=slug), leads=[lead])
    client.force_login(lead)
    assert "The project has no items yet, so this is an example." in page(client)
    assert Item.objects.count() == 0


def test_the_preview_names_neither_models_nor_the_batch(here: Client, project: Project) -> None:
    batch = make_batch(project=project, name="gull-at-temperature-two")
    make_item(batch=batch, responses=[("heron", "Two."), ("wren", "Three.")])
    for answer in (
        here.get(PREVIEW),
        here.post(f"{PREVIEW}submit/", faultless(2)),
        here.post(f"{PREVIEW}verdict/?row=r1-quality", faultless(2), headers=HTMX),
    ):
        shown = answer.content.decode()
        assert not re.search("gull|heron|wren", shown)


def test_a_verdict_bars_scores_by_the_same_rules(here: Client, project: Project) -> None:
    make_item(project=project)
    sent = faultless(2) | {"r1.quality.language_error": "yes"}
    where = f"{PREVIEW}verdict/?row=r1-quality"
    shown = here.post(where, sent, headers=HTMX).content.decode()
    assert 'class="level barred"' in shown
    assert "Saved" not in shown


def test_a_submit_says_what_would_be_stored_or_what_is_missing(
    here: Client, project: Project
) -> None:
    make_item(project=project)
    shown = words(here.post(f"{PREVIEW}submit/", faultless(2), headers=HTMX).content.decode())
    assert "A submit would store this" in shown
    assert "Response A, Quality 7" in shown
    assert "Well said." in shown
    refused = words(here.post(f"{PREVIEW}submit/", {"r1.quality": "7"}).content.decode())
    assert "A submit would store this" not in refused


@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_no_step_of_the_preview_writes_anything(client: Client, lead: User, slug: str) -> None:
    project = make_project(
        slug="eggs", rubric=make_rubric(slug=slug), leads=[lead], annotators=[lead]
    )
    batch = make_batch(project=project)
    for number in range(7):
        said = [("gull", f"reply {number}"), ("gull", f"other {number}")]
        make_item(batch=batch, messages=[("user", f"turn {number}")], responses=said)
    client.force_login(lead)
    client.get(PREVIEW)  # from here on the session's use is noted
    answers = {"seen": "sets", "m1.diversity.corpus_high": "yes", "show": "text"} | faultless(2)
    with CaptureQueriesContext(connection) as seen:
        client.get(PREVIEW)
        for step in ("verdict/", "verdict/?row=s1-diversity", "verdict/?row=r1-quality", "submit/"):
            for headers in ({}, HTMX):
                assert client.post(f"{PREVIEW}{step}", answers, headers=headers).status_code == 200
        assert client.post(f"{PREVIEW}texts/", answers, headers=HTMX).status_code == 200
        client.get(f"{PREVIEW}corpus/?model=m1")
    assert [each["sql"] for each in seen if not each["sql"].lstrip().startswith("SELECT")] == []
    assert [model.objects.count() for model in STORED] == [0] * len(STORED)
    assert set(project.memberships.values_list("view", flat=True)) == {""}


def test_an_answer_about_a_corpus_that_the_lead_gave_as_an_annotator_is_not_in_it(
    client: Client, lead: User, talk: Project
) -> None:
    talk.admit(lead, role=Membership.Role.LEAD)
    client.force_login(lead)
    assert "corpus" in client.get("/projects/talk/preview/").content.decode()
    assert client.get("/projects/talk/preview/corpus/?model=m1").status_code == 200
    assert client.get("/projects/talk/preview/corpus/?model=m9").status_code == 404


def test_only_leads_see_the_preview(client: Client, project: Project, ada: User) -> None:
    project.admit(ada, role=Membership.Role.ANNOTATOR)
    client.force_login(ada)
    assert client.get(PREVIEW).status_code == 404
    assert client.post(f"{PREVIEW}submit/", {}).status_code == 404


def test_the_overview_and_the_settings_lead_to_it(here: Client) -> None:
    for address in ("/projects/eggs/", "/projects/eggs/settings/"):
        assert f'href="{PREVIEW}"' in here.get(address).content.decode()


def test_scores_are_judged_as_one_clicks_and_this_browser_keeps_nothing(
    page: Page, project: Project, lead: User
) -> None:
    make_item(project=project, responses=["Two."])
    log_in(page, "lea")
    page.goto(PREVIEW)
    page.get_by_label("Language error").check()
    expect(page.locator("#r1-quality .level.barred").first).to_be_visible()
    page.get_by_role("button", name="Try to submit").click()
    expect(page.get_by_text("Not saved: ")).to_be_visible()
    page.get_by_label("Language error").uncheck()
    page.locator("[data-best]").click()
    page.locator("#r1-quality-7").check()
    page.get_by_role("button", name="Try to submit").click()
    expect(page.locator("[data-summary]")).to_be_focused()
    expect(page.locator("[data-summary]")).to_contain_text("A submit would store this")
    assert page.evaluate("Object.keys(localStorage).length") == 0
    assert not Draft.objects.exists()


def test_the_preview_works_without_javascript(
    new_context: type[BrowserContext], project: Project, lead: User
) -> None:
    make_item(project=project, responses=["Two."])
    page = new_context(java_script_enabled=False).new_page()  # type: ignore[call-arg]
    log_in(page, "lea")
    page.goto(PREVIEW)
    page.get_by_label("Language error").check()
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.locator("#r1-quality .level.barred").first).to_be_visible()
