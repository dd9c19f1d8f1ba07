"""The page of a case: what it shows, what it keeps to itself, and how a case is decided there."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.models import Rubric
from tasks.cases.deciding import Choice, decide_case
from tasks.models import CaseEntry, CaseOpening, Item, Project, ScoreDecision, Workday
from tasks.models.case_answers import answers_on
from tasks.models.dropping import decide_dropped
from tasks.models.roles import Role
from tasks.queue.submitting import correct_rating
from tests.factories import (
    NOW,
    imported_rating,
    make_item,
    make_membership,
    make_project,
    make_rating,
    make_submission,
    make_user,
)
from tests.made_rubrics import scale, scales

from .made_cases import (
    LATER,
    MODEL,
    NAMES,
    PAGE,
    address_of,
    case_of,
    decide,
    part,
    project_with_people,
    rated,
    renew,
    shown,
    tick,
    words,
)

pytestmark = pytest.mark.django_db
GONE = "This case is gone: its answers agree now, or its item was dropped."


@pytest.fixture
def project(lead: User) -> Project:
    return project_with_people(lead)


@pytest.fixture
def here(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


def rows(page: str) -> list[str]:
    """Return the items of the queue in their order."""
    _head, _tag, queue = part(page, "nav", "queue").partition("<ol")
    return re.findall(r"><b>([\w-]+)</b>", queue)


def letter_of(entry: CaseEntry, value: int) -> str:
    """Return the first letter of a score."""
    return next(answer.letter for answer in case_of(entry).answers if answer.value == value)


# --- what is shown ---


def test_the_queue_shows_its_first_case_with_what_differs(here: Client, project: Project) -> None:
    rated(project, "near", 6, 7, 7)
    rated(project, "wide", 3, 6, 6, ticks={0: "language_error"})
    page = shown(here, PAGE)
    assert "<h1>wide" in page
    assert rows(page) == ["wide"]
    assert "one response of 2 · model hidden · spread 3" in words(page)
    table = page[page.index('<table class="compare">') :]
    marked = re.findall(r'<tr class="differ">\s*<th[^>]*>([^<]*)', table)
    assert [name.strip() for name in marked] == ["Quality", "Ticked", "Rules"]
    assert "Language error: at most 4." in words(table)
    assert "Comment 0 on wide." in table
    assert "Language error" in words(part(page, "nav", "queue"))


def test_nobody_and_no_model_is_named_on_the_page_or_in_a_confirmation(
    here: Client, project: Project
) -> None:
    entry = rated(project, "wide", 4, 6, 6)
    rated(project, "other", 4, 6, 7)
    pages = [shown(here, PAGE), shown(here, address_of(entry))]
    pages.append(decide(here, entry, choice="A", cause="slip"))
    pages.append(decide(here, entry, choice="B", cause="rubric"))  # refused
    pages.append(shown(here, address_of(entry, "?state=decided")))
    for page in pages:
        for name in (*NAMES, MODEL, "gull-2"):
            assert not re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", page), name
        choices = re.findall(r'name="choice"\s+value="(\w+)"', page)
        assert set(choices) == {*"ABC", *"1234567"}


def test_a_lead_may_show_the_models_and_filter_by_them(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 3, 6, 6)
    assert 'name="model"' not in part(shown(here, PAGE), "nav", "queue")
    here.post("/projects/eggs/models/", {"models": "shown", "page": "disagreements"})
    page = shown(here, address_of(entry))
    assert f"one response of 2 · {MODEL} · spread 3" in words(page)
    assert rows(shown(here, f"{PAGE}?model={MODEL}")) == ["wide"]
    assert "No case matches these filters" in shown(here, f"{PAGE}?model=gull-2")


def test_the_levels_that_most_peoples_checks_bar_are_quieter_and_say_why(
    here: Client, project: Project
) -> None:
    ticks = {0: "language_error", 1: "language_error"}
    page = shown(here, address_of(rated(project, "wide", 3, 3, 7, ticks=ticks)))
    barred = re.findall(r'<li class="barred"\s+data-level="(\d)"', page)
    assert barred == ["7", "6", "5", "1"]
    assert 'class="cause" id="cause-7"' in page
    assert page.count('class="level barred"') == 4


def test_all_levels_are_open_where_no_check_has_a_majority(here: Client, project: Project) -> None:
    project.change(wanted=2)
    entry = rated(project, "two", 3, 7, ticks={0: "language_error"})
    assert "barred" not in part(shown(here, address_of(entry)), "form", "decide")


def test_a_case_says_if_people_saw_or_concluded_differently(here: Client, project: Project) -> None:
    saw = rated(project, "saw", 1, 7, 7, ticks={0: "nonsensical"})
    concluded = rated(project, "concluded", 4, 7, 7)
    assert "They saw different things" in shown(here, address_of(saw))
    assert "They concluded differently" in shown(here, address_of(concluded))
    assert rows(shown(here, f"{PAGE}?seen=saw")) == ["saw"]
    assert rows(shown(here, f"{PAGE}?seen=concluded")) == ["concluded"]


def test_a_lead_who_rated_a_case_herself_is_told_so(client: Client, project: Project) -> None:
    entry = rated(project, "wide", 3, 6, 6)
    rater = User.objects.get(username="ada")
    rater.is_superuser = True
    rater.save()
    client.force_login(rater)
    assert "one of the answers is yours" in shown(client, address_of(entry))
    client.force_login(User.objects.get(username="lea"))
    assert "one of the answers is yours" not in shown(client, address_of(entry))


def test_a_time_under_a_third_of_the_median_is_marked(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 3, 6, 6)  # in 40, 60 and 60 seconds
    for recent, marked in (([100] * 20, 0), ([130] * 20, 1), ([130] * 19, 0), ([200] * 20, 3)):
        Workday.objects.update(recent=[])
        day = Workday.objects.order_by("-day").first()
        assert day
        day.recent = recent
        day.save()
        page = shown(here, address_of(entry))
        assert page.count("under a third of the median") == marked, recent


def test_a_text_of_a_case_opens_by_itself(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 3, 6, 6)
    answer = here.get(address_of(entry), {"whole": "response-1"})
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content.decode().startswith("A chirp every minute")
    assert here.get(address_of(entry), {"whole": "response-2"}).status_code == 404


def test_a_change_since_the_decision_is_shown(here: Client, project: Project, lead: User) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    decide(here, entry, choice=letter_of(entry, 4), cause="slip")
    ScoreDecision.objects.update(decided_at=LATER)
    rating = next(answer.rating for answer in case_of(entry).answers if answer.value == 4)
    assert rating.lease
    submission = make_submission(lease=rating.lease, values={1: 5, 2: 4})
    correct_rating(rating, submission, based_on=1, now=LATER + timedelta(hours=1))
    renew(entry.item, project)
    page = shown(here, address_of(entry, "?state=changed"))
    assert "Other ratings count now than at the decision." in page
    assert "Since the decision (differs)" in words(page)
    assert page.count("was 4") == 1
    assert "1 changed since" in words(part(page, "nav", "queue"))
    decide(here, entry, choice=letter_of(entry, 5), cause="slip")
    assert "Since the decision" not in shown(here, address_of(entry, "?state=decided"))


def test_a_tick_that_was_added_is_shown_as_a_change_since_the_decision(
    here: Client, project: Project
) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    decide(here, entry, choice=letter_of(entry, 4), cause="slip")
    ScoreDecision.objects.update(decided_at=LATER)
    rating = next(answer.rating for answer in case_of(entry).answers if answer.value == 4)
    assert rating.lease
    submission = make_submission(lease=rating.lease, values={1: 4, 2: 4}, comment="Changed.")
    revised = correct_rating(rating, submission, based_on=1, now=LATER + timedelta(hours=1))
    tick(revised, "language_error")
    renew(entry.item, project)
    page = words(shown(here, address_of(entry, "?state=changed")))
    assert page.count("same score, other checks") == 1


# --- where it leads ---


def test_a_case_that_is_gone_leads_to_the_queue_and_says_so(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 3, 6, 6)
    address = address_of(entry)
    decide_dropped(entry.item, True, why="Broken.", by=make_user(), now=NOW)
    answer = here.get(address, follow=True)
    assert answer.redirect_chain == [(PAGE, 302)]
    assert GONE in answer.content.decode()
    assert here.get(f"{PAGE}nonsense/").status_code == 404


def test_the_queue_opens_with_the_first_case_that_still_exists(
    here: Client, project: Project
) -> None:
    """The first ones are gone, and no worker has taken them from the queue."""
    for name in ("gone", "gone too"):
        entry = rated(project, name, 1, 7, 7)
        Item.objects.filter(pk=entry.item_id).update(dropped=True)
    rated(project, "left", 3, 6, 6)
    assert "<h1>left" in shown(here, PAGE)


def test_a_correction_that_the_queue_does_not_know_yet_is_seen(
    here: Client, project: Project
) -> None:
    entry = rated(project, "wide", 3, 6, 6)
    rating = next(answer.rating for answer in case_of(entry).answers if answer.value == 3)
    assert rating.lease
    submission = make_submission(lease=rating.lease, values={1: 6, 2: 4})
    correct_rating(rating, submission, based_on=1, now=LATER)
    assert "The answers no longer differ" in shown(here, address_of(entry))


def test_people_who_do_not_lead_the_project_find_nothing(client: Client, project: Project) -> None:
    entry = rated(project, "wide", 3, 6, 6)
    for name in ("ada", make_user().username):
        client.force_login(User.objects.get(username=name))
        assert client.get(PAGE).status_code == 404
        assert client.get(address_of(entry)).status_code == 404
        assert client.post(address_of(entry), {"choice": "A"}).status_code == 404


def test_an_adjudicator_decides_and_sees_neither_models_nor_who_decided(
    client: Client, project: Project, lead: User
) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    client.force_login(lead)
    decide(client, entry, choice="A", cause="slip")
    adjudicator = make_user(name="jo")
    make_membership(project=project, user=adjudicator, role=Role.ADJUDICATOR)
    client.force_login(adjudicator)
    page = shown(client, address_of(entry, "?state=decided"))
    assert "an answer · a slip another, " in words(page)
    assert "Show models" not in page
    decide(client, entry, "?state=decided", choice="B", cause="slip")
    decision = ScoreDecision.objects.last()
    assert decision
    assert decision.decided_by == adjudicator
    client.force_login(lead)
    assert "an answer · a slip jo, " in words(shown(client, address_of(entry, "?state=decided")))


def test_the_case_of_another_project_is_none_of_this_one(
    here: Client, project: Project, lead: User
) -> None:
    other = make_project(slug="other", leads=[lead])
    entry = rated(project, "wide", 3, 6, 6)
    answer = here.get(f"/projects/{other.slug}/disagreements/{entry.token}/", follow=True)
    assert GONE in answer.content.decode()


def test_a_case_that_another_has_open_is_marked_and_comes_last(
    here: Client, project: Project
) -> None:
    entry = rated(project, "wide", 2, 7, 7)
    rated(project, "other", 4, 7, 7)
    CaseOpening.objects.note(project, make_user(), entry.token, now=timezone.now())
    page = shown(here, PAGE)
    assert rows(page) == ["other", "wide"]
    assert "<h1>other" in page
    assert page.count("somebody has it open") == 1


def test_an_opened_case_is_noted(here: Client, project: Project, lead: User) -> None:
    entry = rated(project, "wide", 2, 7, 7)
    here.get(address_of(entry))
    opening = CaseOpening.objects.get()
    assert (opening.user, opening.token) == (lead, entry.token)


def test_the_way_on_leads_through_all_pages_and_back(
    here: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.disagreements.queue.ON_A_PAGE", 2)
    for number, value in enumerate((1, 2, 3, 4, 5)):
        rated(project, f"item-{number}", value, 7, 7)
    address: str | None = PAGE
    met = []
    while address:
        page = shown(here, address)
        met += re.findall(r"<h1>(item-\d)", page)
        assert met[-1] in rows(page)
        match = re.search(r'rel="next" href="([^"]*)" data-hx-get', page)
        last, address = address, match and match[1]
    assert met == [f"item-{number}" for number in range(5)]
    back = re.search(r'rel="prev" href="([^"]*)" data-hx-get', shown(here, last))
    assert back
    assert "<h1>item-3" in shown(here, back[1])


def test_the_page_asks_the_database_as_often_for_many_cases_as_for_few(
    here: Client, project: Project
) -> None:
    entry = rated(project, "first", 1, 7, 7)
    here.get(address_of(entry))
    numbers = []
    for number in range(3):
        rated(project, f"item-{number}", 2, 7, 7)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            here.get(address_of(entry))
        numbers.append(len(queries))
    assert numbers[0] == numbers[2]
    assert numbers[0] <= 32


def test_a_decision_with_the_next_case_takes_few_statements_however_many_cases_there_are(
    here: Client, project: Project
) -> None:
    numbers = []
    for number in range(3):
        entry = rated(project, f"item-{number}", 1, 7, 7, ticks={0: "nonsensical"})
        rated(project, f"next-{number}", 2, 7, 7)
        sent = {"act": "decide", "choice": "A", "cause": "slip", "version": case_of(entry).version}
        with CaptureQueriesContext(connection) as queries:
            answer = here.post(address_of(entry), sent, headers={"HX-Request": "true"})
        assert "is saved." in answer.content.decode()
        numbers.append(len(queries))
    assert max(numbers) <= 26


def test_a_case_is_read_once_to_decide_it(here: Client, project: Project) -> None:
    entry = rated(project, "only", 1, 7, 7)
    letter = letter_of(entry, 7)
    sent = {"act": "decide", "choice": letter, "cause": "slip", "version": case_of(entry).version}
    with CaptureQueriesContext(connection) as queries:
        here.post(address_of(entry), sent)
    of_answers = [query for query in queries if "jsonb_build_array(score.value" in query["sql"]]
    of_page = [query for query in queries if "account.username\nFROM tasks_rating" in query["sql"]]
    assert (len(of_answers), len(of_page)) == (1, 0)


# --- deciding ---


def test_an_adopted_answer_is_stored_and_the_next_case_comes(
    here: Client, project: Project, lead: User
) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    rated(project, "next", 5, 7, 7)
    page = decide(here, entry, choice=letter_of(entry, 4), cause="context", reason="Look again.")
    assert "<h1>next" in page
    assert "wide: 4 is saved." in page
    decision = ScoreDecision.objects.get()
    assert (decision.value, decision.cause, decision.reason) == (4, "context", "Look again.")
    assert decision.adopted
    assert decision.adopted.annotator == User.objects.get(username="ada")
    assert decision.decided_by == lead
    assert rows(page) == ["next"]


def test_the_next_case_is_of_the_same_filter(here: Client, project: Project) -> None:
    first = rated(project, "first", 2, 7, 7, ticks={0: "nonsensical"})
    rated(project, "second", 2, 7, 7)
    rated(project, "third", 3, 7, 7, ticks={0: "nonsensical"})
    page = decide(
        here, first, "?check=quality:nonsensical", choice=letter_of(first, 7), cause="slip"
    )
    assert "<h1>third" in page
    assert rows(page) == ["third"]


def test_after_the_last_case_the_first_one_that_is_left_comes(
    here: Client, project: Project
) -> None:
    rated(project, "first", 1, 7, 7)
    last = rated(project, "last", 5, 7, 7)
    assert "<h1>first" in decide(here, last, choice="A", cause="slip")


def test_the_answer_to_htmx_is_the_next_case_in_one_piece(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    other = rated(project, "next", 5, 7, 7)
    sent = {"act": "decide", "choice": "A", "cause": "slip", "version": case_of(entry).version}
    answer = here.post(address_of(entry), sent, headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert "<html" not in page
    assert page.lstrip().startswith('<div id="case"')
    assert f'data-address="{address_of(other)}"' in page
    # The rubric, the numbers by state and that on the tab; which row goes; no other row.
    assert page.count("data-hx-swap-oob") == 3
    assert f'data-left="{entry.token}"' in page
    assert page.count("<li id=") == 0
    number = re.search(r'<span id="open-cases"[^>]*>\s*<span[^>]*>\s*(\d+)', page)
    assert number
    assert number[1] == "1"  # on the tab, as in the queue
    assert "HX-Request" in answer.headers["Vary"]


def test_the_queue_is_answered_alone_when_its_rows_are_used_up(
    here: Client, project: Project
) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    rated(project, "next", 5, 7, 7)
    headers = {"HX-Request": "true", "HX-Target": "queue-rows"}
    page = here.get(address_of(entry), headers=headers).content.decode()
    assert page.lstrip().startswith('<div id="queue-rows">')
    assert re.findall(r"<b>([\w-]+)</b>", page) == ["wide", "next"]
    assert "compare" not in page


def test_a_case_that_comes_in_place_has_the_form_that_asks_when_it_is_opened(
    here: Client, project: Project
) -> None:
    entry = rated(project, "wide", 4, 7, 7)
    page = here.get(address_of(entry), headers={"HX-Request": "true"}).content.decode()
    [address] = re.findall(r'<details class="talk" data-hx-get="([^"]*)"', page)
    assert 'name="text"' not in page
    form = here.get(address, headers={"HX-Request": "true"}).content.decode()
    assert 'name="text"' in form
    assert re.search(r'<div class="talk">\s*<details open>', form)


def test_a_score_from_a_file_which_has_no_checks_is_adopted_and_bars_nothing(
    here: Client, lead: User
) -> None:
    project = make_project(slug="eggs", leads=[lead], wanted=2, imported="places")
    item = make_item(project=project, external_id="sheet", responses=[(MODEL, "Two.")])
    for line, (name, value) in enumerate((("Dora", 7), ("Emil", 3)), 2):
        imported_rating(item=item, by=name, values={1: value}, line=line)
    renew(item, project)
    entry = CaseEntry.objects.get()
    form = part(shown(here, address_of(entry)), "form", "decide")
    assert "barred" not in form
    decide(here, entry, choice=letter_of(entry, 7), cause="slip")
    decide(here, entry, "?state=decided", choice="5", reason="In between.")
    assert list(ScoreDecision.objects.values_list("value", flat=True)) == [7, 5]


def test_a_level_of_the_scale_is_decided_anew(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 3, 6, 7)
    decide(here, entry, choice="5", cause="judgement", reason="In between.")
    decision = ScoreDecision.objects.get()
    assert (decision.source, decision.value) == ("anew", 5)


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        ({}, "Choose an answer, or another score."),
        ({"choice": "5"}, "Say why: nobody gave this score"),
        ({"choice": "A", "cause": "rubric"}, "Say why: nobody gave this score"),
        ({"choice": "9"}, "This answer does not count any more."),
        ({"choice": "Z"}, "This answer does not count any more."),
        ({"choice": "anew"}, "Enter a score of the scale."),
    ],
)
def test_a_decision_that_lacks_something_says_what_and_keeps_the_rest(
    here: Client, project: Project, entered: dict[str, str], message: str
) -> None:
    entry = rated(project, "wide", 3, 6, 7)
    page = decide(here, entry, **{"cause": "judgement", **entered})
    form = part(page, "form", "decide")
    assert message in form
    cause = entered.get("cause", "judgement")
    assert re.search(rf'value="{cause}"[^>]* checked', form)
    assert not ScoreDecision.objects.exists()


def test_a_score_that_the_rules_bar_is_refused_with_the_rule(
    here: Client, project: Project
) -> None:
    ticks = dict.fromkeys(range(3), "language_error")
    entry = rated(project, "wide", 2, 4, 3, ticks=ticks)
    page = decide(here, entry, choice="7", reason="Fine.")
    assert "You can’t give 7: Language error" in page
    assert 'value="Fine."' in page
    assert not ScoreDecision.objects.exists()


def test_the_second_of_two_keeps_her_input_and_sees_both(
    here: Client, project: Project, lead: User
) -> None:
    entry = rated(project, "wide", 4, 6, 7)
    case = case_of(entry)
    first = Choice(case.answers[0].person, None, "slip", "First.")
    decide_case(case, first, version=case.version, by=make_user(name="eve"), now=NOW)
    sent = {"act": "decide", "version": case.version, "choice": "B", "reason": "Second."}
    page = unescape(here.post(address_of(entry), sent).content.decode())
    form = part(page, "form", "decide")
    assert "came meanwhile" in form
    assert f"Decided meanwhile: {case.answers[0].value}" in words(form)
    assert "First." in form
    assert 'value="Second."' in form
    assert re.search(r'value="B"[^>]* checked', form)
    assert ScoreDecision.objects.count() == 1
    version = re.search(r'name="version" value="([^"]*)"', form)
    assert version
    here.post(address_of(entry), sent | {"version": version[1]})
    assert list(ScoreDecision.objects.values_list("revision", "reason")) == [
        (1, "First."),
        (2, "Second."),
    ]


def test_a_letter_is_chosen_no_more_if_another_answer_came(here: Client, project: Project) -> None:
    Item.objects.update(wanted=2)
    entry = rated(project, "wide", 3, 7)
    sent = {"act": "decide", "version": case_of(entry).version, "choice": "B", "cause": "slip"}
    make_rating(item=entry.item, annotator=User.objects.get(username="cem"), values={1: 5, 2: 4})
    form = part(here.post(address_of(entry), sent).content.decode(), "form", "decide")
    assert "came meanwhile" in form
    assert not re.search(r'name="choice"[^>]* checked', form)
    assert re.search(r'value="slip"[^>]* checked', form)


def test_a_decision_is_taken_back_and_all_revisions_stay_in_sight(
    here: Client, project: Project
) -> None:
    entry = rated(project, "wide", 4, 6, 6)
    decide(here, entry, choice="A", cause="slip")
    page = decide(here, entry, "?state=decided", act="take_back")
    assert "The decision is taken back." in page
    history = words(page[page.index('<h2 id="history"') :])
    assert history.index("an answer · a slip you, ") < history.index("Decision taken back you, ")


def test_a_decision_begins_with_the_one_that_stands(here: Client, project: Project) -> None:
    entry = rated(project, "wide", 4, 6, 7)
    decide(here, entry, choice="A", cause="context", reason="Look again.")
    form = part(shown(here, address_of(entry, "?state=decided")), "form", "decide")
    assert re.search(r'value="A"[^>]* checked', form)
    assert re.search(r'value="context"[^>]* checked', form)
    assert 'value="Look again."' in form


# --- other scales ---


def scaled(lead: User, *scores: int, **fields: Any) -> CaseEntry:
    """Return a case on a scale of one's own."""
    labels = fields.pop("labels", ["Bad", "", "Good"])
    whole = scale("whole", "Whole", 0, labels, **fields)
    rubric = Rubric.objects.load(parse(scales(whole)), now=NOW)[0]
    project = project_with_people(lead, rubric=rubric)
    item = make_item(project=project, external_id="one", responses=[(MODEL, "Two.")])
    for name, score in zip(NAMES, scores, strict=False):
        make_rating(item=item, annotator=User.objects.get(username=name), values={1: score})
    renew(item, project)
    return CaseEntry.objects.get()


def test_a_scale_of_many_levels_takes_a_number(here: Client, lead: User) -> None:
    entry = scaled(lead, 2, 9, 12, labels=["Bad", *[""] * 18, "Good"])
    form = part(shown(here, address_of(entry)), "form", "decide")
    assert '<input type="number" id="decide-score" name="score" min="0"' in form
    page = decide(here, entry, score="11", reason="Nearer to it.")
    assert "Nothing to decide" in page or "All is decided" in page
    assert ScoreDecision.objects.get().value == 11


def test_not_applicable_is_a_decision_where_the_dimension_has_it(here: Client, lead: User) -> None:
    entry = scaled(lead, 0, 2, 2, blank="Not applicable")
    decide(here, entry, choice="blank", reason="It has no scene.")
    decision = ScoreDecision.objects.get()
    assert (decision.value, decision.without) == (None, "blank")


def test_the_plan_for_the_answers_of_one_case_is_kept(project: Project) -> None:
    entry = rated(project, "only", 1, 7, 7)
    for _time in range(8):  # beyond those after which PostgreSQL compares plans
        list(answers_on([entry.item_id]))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT generic_plans FROM pg_prepared_statements"
            " WHERE statement LIKE '%%jsonb_build_array(score.value%%'"
        )
        kept = [plans for (plans,) in cursor.fetchall()]
    assert max(kept) >= 1


@pytest.mark.parametrize(
    "entered",
    [{"choice": "--1"}, {"choice": "9" * 5_000}, {"choice": "anew", "score": "9" * 5_000}],
)
def test_a_score_that_is_no_number_is_refused(
    here: Client, project: Project, entered: dict[str, str]
) -> None:
    page = decide(here, rated(project, "wide", 4, 7, 7), **entered)
    assert 'id="decide-errors"' in page
    assert not ScoreDecision.objects.exists()
