"""The panel on the page of an item: one form whose act is chosen, and one history."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse
from playwright.sync_api import BrowserContext, expect

from annotators.models import User
from tasks.cases.asking import Subject, ask
from tasks.cases.deciding import Choice, decide_case, take_decision_back
from tasks.cases.rating_views import ratings_of
from tasks.models import (
    CaseEntry,
    Concern,
    Item,
    Membership,
    Project,
    Question,
    ReturnedRating,
    ScoreDecision,
)
from tasks.models.replies import reply_to
from tests.desk_keys import log_in
from tests.disagreements.asked import ask_about, case_of, correct, make_case_item, view_of
from tests.factories import NOW, make_item, make_membership, make_project, make_rating, make_user

from .panel_steps import (
    address_of,
    chosen_act,
    hidden_fields,
    history_of,
    offered_acts,
    panel_address,
    reply,
    send,
)

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
DECIDE = "decide-quality"


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    return make_project(slug="eggs", annotators=[ada, ben], leads=[lead], wanted=2)


@pytest.fixture
def item(project: Project, ada: User, ben: User) -> Item:
    return make_case_item(project, ada=ada, ben=ben)


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def flag(item: Item, name: str, *, reason: str = "broken") -> Concern:
    lease = view_of(item, name).rating.lease
    assert lease
    lease.flag(reason=reason, note=f"Flagged as {reason}.", now=NOW + HOUR)
    return Concern.objects.latest("pk")


def page_of(client: Client, item: Item, query: str = "") -> str:
    return client.get(address_of(item, query)).content.decode()


def test_the_panel_has_all_acts_on_an_item_in_one_form(here: Client, item: Item) -> None:
    first = flag(item, "ada")
    second = flag(item, "ben", reason="unclear")
    page = page_of(here, item)
    assert offered_acts(page) == [DECIDE, "ask", reply(first), reply(second)]
    addresses = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"', page)
    of_item = [address for address in addresses if address.startswith(address_of(item))]
    assert of_item == [panel_address(item), f"{address_of(item)}drop/"]


@pytest.mark.parametrize("name", ["send_back", "decide_score", "decide"])
def test_the_forms_that_the_panel_replaced_have_no_address(name: str) -> None:
    with pytest.raises(NoReverseMatch):
        reverse(f"tasks:{name}", args=["eggs", 1])


def test_the_act_chosen_first_is_a_flag_that_waits_else_the_decision(
    here: Client, item: Item, lead: User
) -> None:
    assert chosen_act(page_of(here, item)) == DECIDE
    concern = flag(item, "ada")
    assert chosen_act(page_of(here, item)) == reply(concern)
    assert chosen_act(page_of(here, item, "?act=ask")) == "ask"
    reply_to(concern, Concern.Decision.ANSWERED, by=lead, answer="Fine.", now=NOW)
    assert chosen_act(page_of(here, item)) == DECIDE


def test_an_entry_of_a_flag_leads_to_the_act_that_replies(here: Client, item: Item) -> None:
    concern = flag(item, "ada")
    page = page_of(here, item, "?target=2")
    assert f'href="?target=2&amp;act={reply(concern)}#panel"' in page
    answer = send(here, item, reply(concern), f"?target=2&act={reply(concern)}", decision="again")
    assert answer.headers["Location"] == address_of(item, "?target=2")


def test_each_act_does_its_own(here: Client, item: Item) -> None:
    concern = flag(item, "ada")
    ben = view_of(item, "ben").rating
    send(here, item, DECIDE, choice=str(ben.annotator.pk), cause="slip")
    send(here, item, "ask", rating=str(ben.pk), question="All of it?")
    send(here, item, reply(concern), decision="answered", answer="It is fine.")
    concern.refresh_from_db()
    assert (ScoreDecision.objects.get().value, Question.objects.get().text) == (6, "All of it?")
    assert concern.answer == "It is fine."


def test_a_refused_act_keeps_what_was_entered_for_the_others(here: Client, item: Item) -> None:
    concern = flag(item, "ada")
    sent = hidden_fields(page_of(here, item)) | {
        "act": DECIDE,
        f"{DECIDE}-reason": "In between.",
        "ask-question": "Why a 6?",
        f"{reply(concern)}-answer": "It is whole.",
        f"{reply(concern)}-decision": "again",
    }
    page = here.post(panel_address(item), sent).content.decode()
    assert chosen_act(page) == DECIDE
    assert "Choose an answer, or another score." in page
    assert "Say what becomes of the item." not in page
    for words in ("In between.", "Why a 6?", "It is whole."):
        assert f"{words}</textarea>" in page
    assert re.search(r'value="again"[^>]*checked', page)
    assert not ScoreDecision.objects.exists()


def test_an_act_that_the_item_does_not_allow_is_refused(here: Client, item: Item) -> None:
    stranger = flag(make_case_item(item.project, ada=_user("ada"), ben=_user("ben")), "ada")
    for act in ("", "burn", reply(stranger), "decide-coherence"):
        page = send(here, item, act, decision="again", answer="Ho!").content.decode()
        assert "This can’t be done any more. Look at the item again." in page
    stranger.refresh_from_db()
    assert stranger.decision == ""


def _user(name: str) -> User:
    return User.objects.get(username=name)


def test_all_that_happened_to_an_item_is_one_history_in_order_of_time(
    here: Client, item: Item, lead: User
) -> None:
    ask_about(item, lead, "ada", text="Why a 2?")
    correct(item, "ada", value=2, reply="So it is.")
    max_lead = make_user(name="max")
    case = case_of(item, 2)
    choice = Choice(case.answers[0].person, None, "slip", "Read again.")
    decide_case(case, choice, version=case.version, by=max_lead, now=NOW + 4 * HOUR)
    concern = flag(item, "ben")
    Concern.objects.filter(pk=concern.pk).update(raised_at=NOW + 5 * HOUR)
    concern.refresh_from_db()
    reply_to(concern, Concern.Decision.ANSWERED, by=lead, answer="It is whole.", now=NOW)
    case = case_of(item, 2)
    version = case.version
    take_decision_back(case, version=version, by=max_lead, now=NOW + 6 * HOUR)
    ask(Subject(item), [view_of(item, "ben")], "And all of it?", by=lead, now=NOW + 7 * HOUR)
    rating = view_of(item, "ada").rating
    ReturnedRating.objects.send_back(rating, "Look.", cause="gull variety", now=NOW + 8 * HOUR)
    question, decision, flagged, withdrawal, second, returned = history_of(page_of(here, item))
    assert question.startswith("Question to ada Model ")
    assert question.endswith("Why a 2? So it is. answered, with the same score · 2 Mar 2026, 11:00")
    assert re.fullmatch(r"Decision \d an answer · a slip Model \d · max, .* Read again.", decision)
    assert flagged.startswith("Flagged by ben The item is broken or incomplete 2 Mar 2026, 14:00")
    assert "It is whole. answer only · you, 2 Mar 2026, 09:00" in flagged
    assert re.match(r"Decision taken back Model \d · max, 2 Mar 2026, 15:00", withdrawal)
    assert second.startswith("Question to ben you, 2 Mar 2026, 16:00")
    assert returned.startswith("Came back to ada 2 Mar 2026, 17:00")
    assert returned.endswith("waits for an answer Look.")


def test_the_entries_of_an_item_with_one_response_do_not_name_it(
    here: Client, project: Project, ada: User, lead: User
) -> None:
    item = make_item(project=project, responses=["Two."])
    make_rating(item=item, annotator=ada)
    [view] = ratings_of(item)
    ask(Subject(item, "quality", item.responses.get().pk), [view], "Why?", by=lead, now=NOW)
    [entry] = history_of(page_of(here, item))
    assert "Model" not in entry


def test_an_adjudicator_reads_the_history_of_a_case_without_names_or_flags(
    client: Client, project: Project, item: Item, lead: User
) -> None:
    judge = make_user(name="judy")
    make_membership(project=project, user=judge, role=Membership.Role.ADJUDICATOR)
    ask_about(item, lead, "ada", text="Why a 2?")
    correct(item, "ada", value=2, reply="So it is.")
    flag(item, "ben")
    case = case_of(item)
    [six] = [answer for answer in case.answers if answer.value == 6]
    choice = Choice(six.person, None, "slip")
    decide_case(case, choice, version=case.version, by=lead, now=NOW + 4 * HOUR)
    client.force_login(judge)
    token = CaseEntry.objects.get(item=item, response__position=1).token
    page = client.get(f"/projects/eggs/disagreements/{token}/").content.decode()
    question, decision = history_of(page)
    assert re.match(r"Question about answer [AB] another, ", question)
    assert re.match(r"Decision 6 an answer · a slip another, ", decision)
    assert "Flagged" not in page
    assert not re.search(r"\b(ada|ben|lea)\b", " ".join(history_of(page)))
    assert client.get(address_of(item)).status_code == 404
    assert client.post(panel_address(item), {"act": "ask"}).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_panel_works_on_a_phone_without_javascript(
    new_context: Callable[..., BrowserContext], item: Item
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    log_in(page, "lea")
    page.goto(address_of(item))
    question = page.get_by_label("Your question")
    expect(page.get_by_label("Cause")).to_be_visible()
    expect(question).to_be_hidden()
    page.get_by_label("Ask, or send a rating back").check()
    expect(page.get_by_label("Cause")).to_be_hidden()
    question.fill("Why a 6?")
    page.get_by_label("Rating by").select_option(label="ben: the whole item")
    page.get_by_role("button", name="Send back").click()
    expect(page.get_by_text("The rating goes back to ben.")).to_be_visible()
    expect(page.get_by_role("region", name="History")).to_contain_text("Why a 6?")
    page.get_by_label("Decide the final score").check()
    page.get_by_label("ben: 6").check()
    page.get_by_role("button", name="Save the decision").click()
    expect(page.get_by_text("The decision is saved.")).to_be_visible()
    assert ScoreDecision.objects.get().value == 6
