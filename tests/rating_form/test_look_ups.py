"""Claims that are looked up (RQ-02, RQ-03): the clock, what a refuted one proposes, where the
search is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from time import time

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.shipped import shipped
from rubrics.documents.yaml_lines import DocumentError
from tasks.answers.fact_checks import Clock, clock_after, is_address, is_search, search_for
from tasks.answers.slot_answers import Claim
from tasks.models import Draft, Lease, Membership, Project, Rating, ReturnedRating
from tasks.queue.submitting import submit_lease
from tasks.rating_form.evaluated_form import EvaluatedForm
from tasks.rating_form.form import RatingForm
from tasks.rating_form.item_view import ItemView, ResponseView, fields_at
from tasks.rating_form.leased_item import item_view_of
from tests.cases import cases
from tests.desk_steps import HTMX, held, scored, url
from tests.evaluated_forms import (
    answered,
    dialogue_desk,
    evaluate,
    open_scores,
    quality_desk,
    row,
    submit,
)
from tests.exports import rows_of
from tests.factories import (
    make_item,
    make_lease,
    make_project,
    make_rubric,
    make_submission,
    make_user,
)
from tests.practising import OFF

NOW = 1_800_000_000  # seconds of the Unix epoch
CLAIM = {"r1.fact.1.claim": "Eggs float."}
REFUTED = CLAIM | {"r1.fact.1.outcome": "refuted"}
LOOK_UP = {"look_up": "r1.fact.1"}

# --- the clock ---


def test_a_clock_runs_until_there_is_an_outcome_and_goes_on_when_that_is_taken_back() -> None:
    begun = Clock().after_outcome("", NOW)
    assert [begun.seconds(NOW + later) for later in (0, 59, 600)] == [0, 59, 600]
    assert begun.after_outcome("", NOW + 20) == begun
    stopped = begun.after_outcome("holds", NOW + 61)
    assert [stopped.seconds(NOW + later) for later in (61, 600)] == [61, 61]
    assert stopped.after_outcome("refuted", NOW + 300) == stopped
    assert stopped.after_outcome("", NOW + 300).seconds(NOW + 310) == 71


@pytest.mark.parametrize("clock", [Clock(), Clock(42), Clock(0, NOW), Clock(42, NOW)])
def test_a_clock_is_read_as_it_was_written(clock: Clock) -> None:
    assert Clock.read(str(clock)) == clock


@cases("text", ["", "now", "-1", "1+", "1 + 2", "1+2+3", "٣", "9" * 10])
def test_a_text_that_is_no_clock_reads_as_none(text: str) -> None:
    assert Clock.read(text) is None


@cases(
    ("kept", "told", "goes_by"),
    [
        ("", "", ""),
        ("", "1", "1"),  # begun by this page, and not kept yet
        (f"0+{NOW - 100}", "", f"0+{NOW - 100}"),
        (f"0+{NOW - 100}", "1", f"0+{NOW - 100}"),
        (f"0+{NOW - 100}", f"1+{NOW - 50}", f"0+{NOW - 100}"),
        (f"0+{NOW - 100}", "100", "100"),
        ("61", "60", "61"),
        (
            "61",
            f"0+{NOW - 70}",
            f"0+{NOW - 70}",
        ),  # the outcome was taken back on a page that could not send
    ],
)
def test_a_clock_that_a_page_tells_never_goes_before_the_one_that_is_kept(
    kept: str, told: str, goes_by: str
) -> None:
    stored = Claim("Eggs float.", "holds" if kept == "61" else "", clock=kept)
    page = Claim("Eggs float.", clock=told)
    assert clock_after(page, stored, NOW) == Clock.read(goes_by)


def test_an_outcome_told_again_keeps_its_time_and_another_claim_has_none() -> None:
    stored = Claim("Eggs float.", "holds", clock="61")
    assert clock_after(Claim("Eggs sink.", "holds"), stored, NOW) is None
    late = stored._replace(clock=f"0+{NOW - 300}")
    assert clock_after(late, stored, NOW) == Clock(61)
    assert clock_after(late._replace(outcome="refuted"), stored, NOW) == Clock(0, NOW - 300)


def test_a_look_up_that_takes_all_its_time_is_over_time_and_not_before() -> None:
    desk = replace(quality_desk("text"), now=NOW)
    for spent, over in ((179, False), (180, True)):
        [fact, _next] = (
            evaluate(desk, CLAIM | {"r1.fact.1.clock": f"0+{NOW - spent}"}).responses[0].look_ups
        )
        assert (fact.seconds, fact.left, fact.is_over_time) == (spent, 180 - spent, over)


# --- addresses ---


def test_a_claim_is_put_into_the_address_of_the_search_as_one_word() -> None:
    assert (
        search_for(" 100 %\nof “eggs” & #1? ", "https://find.example/q/{claim}?x=1")
        == "https://find.example/q/100%20%25%20of%20%E2%80%9Ceggs%E2%80%9D%20%26%20%231%3F?x=1"
    )


def test_of_a_long_claim_whole_words_of_its_beginning_are_searched() -> None:
    assert search_for("egg " * 200, "{claim}") == "%20".join(["egg"] * 75)
    assert len(search_for("x" * 5_000, "{claim}")) == 300


@pytest.mark.parametrize(
    "address",
    ["https://a.example/?q={claim}", "http://wiki:8080/{claim}", "https://a.example/#{claim}"],
)
def test_a_search_has_the_claim_once_behind_the_server(address: str) -> None:
    assert is_search(address)


@cases(
    "address",
    [
        *("https://a.example/", "https://a.example/{claim}{claim}", "https://{claim}.example/"),
        *(
            "javascript:alert('{claim}')",
            "//a.example/{claim}",
            "https:///{claim}",
            "data:text/html,{claim}",
        ),
        *(
            "https://a.example/{claim}?{q}",
            "https://a.example/ {claim}",
            "https://a.example:x/{claim}",
        ),
    ],
)
def test_an_address_without_a_search_is_recognised(address: str) -> None:
    assert not is_search(address)


@pytest.mark.parametrize("text", ["https://a.example/ü?b=1", "http://wiki/Egg"])
def test_an_address_that_a_browser_can_go_to(text: str) -> None:
    assert is_address(text)


@cases(
    "text",
    ["a.example", "https://", "ftp://a.example", "https://a b", "http://a:port/", "https://[a"],
)
def test_an_address_that_leads_nowhere(text: str) -> None:
    assert not is_address(text)


# --- what an outcome does to the form ---


def proposed(form: EvaluatedForm, identifier: str = "r1-quality") -> list[str]:
    return [proposal.text for proposal in row(form, identifier).proposals]


def test_a_refuted_claim_proposes_an_answer_at_once_and_gives_none() -> None:
    form = evaluate(quality_desk("text"), answered(6) | REFUTED)
    assert proposed(form) == [
        "“Eggs float.” is refuted. That suggests “Honest (not true)”. You decide."
    ]
    assert [proposal.clause for proposal in row(form).proposals] == ["RQ-02"]
    assert "false_claim" not in row(form).facts
    assert 6 in open_scores(row(form))


def test_a_proposal_after_a_refuted_claim_is_repeated_at_submit_and_the_annotator_decides() -> None:
    desk = quality_desk("text")
    first = submit(desk, answered(6) | REFUTED)
    assert (first.unseen, first.storable, first.errors) == (True, False, ())
    assert [reason.text for _row, reason in first.new_remarks] == proposed(first)
    assert submit(desk, answered(6) | REFUTED, *first.seen).storable
    assert submit(desk, answered(6) | REFUTED, *evaluate(desk, answered(6) | REFUTED).seen).storable


def test_several_refuted_claims_make_one_proposal_that_names_them() -> None:
    more = REFUTED | {"r1.fact.2.claim": "Eggs fly.", "r1.fact.2.outcome": "refuted"}
    assert proposed(evaluate(quality_desk("text"), more)) == [
        "“Eggs float.”, “Eggs fly.” are refuted. That suggests “Honest (not true)”. You decide."
    ]


@pytest.mark.parametrize("answer", ["not_true", "not_own_work"])
def test_nothing_is_proposed_once_the_question_names_a_fault(answer: str) -> None:
    form = evaluate(quality_desk("text"), answered(3, helpful="partly", honest=answer) | REFUTED)
    assert proposed(form) == []


@pytest.mark.parametrize("outcome", ["holds", "undetermined", ""])
def test_rq_03_no_other_outcome_proposes_anything_or_stands_against_honest(outcome: str) -> None:
    found = row(
        evaluate(quality_desk("text"), answered(7) | CLAIM | {"r1.fact.1.outcome": outcome})
    )
    assert found.proposals == ()
    assert {"honest"} <= found.facts
    assert "false_claim" not in found.facts
    assert open_scores(found)[-1] == 7


def test_the_proposal_is_for_the_response_whose_claim_it_is() -> None:
    form = evaluate(
        quality_desk("one", "two"), {f"r2{name[2:]}": given for name, given in REFUTED.items()}
    )
    assert [len(found.proposals) for found in form.rows] == [0, 1]


def test_only_a_rubric_that_speaks_of_it_has_look_ups() -> None:
    def names(desk: ItemView) -> set[str]:
        return set(fields_at(desk.places, ("r1",)))

    assert {*CLAIM, "r1.fact.20.clock"} <= names(quality_desk("text"))
    assert not [name for name in names(dialogue_desk("text")) if ".fact." in name]
    assert evaluate(dialogue_desk("text"), CLAIM).responses[0].look_ups == ()


def test_a_rubric_of_a_lead_s_own_switches_them_on() -> None:
    written = document.dump(shipped("dialogue"))
    aid = {
        "code": "check",
        "kind": "fact_check",
        "title": "Is it so?",
        "text": "Look.",
        "seconds": 60,
    }
    written["dimensions"][0]["aids"] = [aid | {"proposes": "perverse"}]
    rubric = document.parse(written)
    desk = ItemView(
        rubric, (ResponseView("r1", 1, 1, "gull", "i keep bees."),), has_history=True, now=NOW
    )
    answers = REFUTED | {"r1.fact.1.clock": "61"}
    [fact, _next] = evaluate(desk, answers).responses[0].look_ups
    assert fact.is_over_time
    assert ["That suggests “Perverse”" in text for text in proposed(evaluate(desk, answers))] == [
        True
    ]
    assert proposed(evaluate(desk, answers), "r1-coherence") == []


@pytest.mark.parametrize(
    ("place", "aids", "says"),
    [
        (0, [{"proposes": "nothing"}], "dimensions.quality.aids.check.proposes"),
        (3, [{}], "dimensions.diversity.aids.check: claims belong to a response"),
        (0, [{}, {"code": "again"}], "2 of their aids are fact_check"),
    ],
)
def test_a_rubric_whose_fact_check_makes_no_sense_is_refused(
    place: int, aids: list[dict[str, str]], says: str
) -> None:
    written = document.dump(shipped("dialogue"))
    aid = {"code": "check", "kind": "fact_check", "title": "Is it so?", "text": "Look."}
    written["dimensions"][place]["aids"] = [aid | more for more in aids]
    with pytest.raises(DocumentError) as refused:
        document.parse(written)
    assert says in str(refused.value)


# --- over HTTP ---


@pytest.fixture
def lease(client: Client, ada: User) -> Lease:
    """Of an item with one response, in ada's hands."""
    make_item(project=make_project(slug="eggs", annotators=[ada], leads=[ada]), responses=["Two."])
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    return held(ada)


def send(
    client: Client,
    lease: Lease,
    answers: Mapping[str, str],
    *,
    number: int = 1,
    step: str = "verdict",
) -> str:
    """What a page would, with whatever it was shown last."""
    page = {"draft_writer": "0123456789abcdef", "draft_number": str(number)}
    answer = client.post(f"{url(lease, step)}?row=r1-quality", {**page, **answers}, headers=HTMX)
    assert answer.status_code == 200
    return answer.content.decode()


def clock_in(page: str) -> str:
    """The sealed clock of the first claim."""
    return page.partition('name="r1.fact.1.clock" value="')[2].partition('"')[0]


def move_back(lease: Lease, seconds: int) -> None:
    """As if the look-up had begun so much earlier."""
    draft = Draft.objects.get(item=lease.item)
    clock = Clock.read(draft.answers["r1.fact.1.clock"])
    assert clock is not None
    assert clock.since is not None
    draft.answers["r1.fact.1.clock"] = str(Clock(clock.spent, clock.since - seconds))
    draft.save()


def desk_page(client: Client) -> str:
    return client.get("/projects/eggs/desk/").content.decode()


def test_a_look_up_begins_by_the_server_s_clock_and_a_reload_finds_it_running(
    client: Client, lease: Lease
) -> None:
    live = send(client, lease, CLAIM | LOOK_UP)
    assert (
        'href="https://duckduckgo.com/?q=Eggs%20float." target="_blank" rel="noopener noreferrer"'
        in live
    )
    assert re.search(r'referrerpolicy="no-referrer"\s+data-follow', live)
    move_back(lease, 70)
    page = desk_page(client)
    assert 108 <= int(page.partition('data-left="')[2].partition('"')[0]) <= 110
    assert "data-follow" not in page
    assert re.search(r" hidden>\s+Time is up", page)


def test_the_outcome_stops_it_and_the_time_is_stored_and_exported(
    client: Client, lease: Lease
) -> None:
    send(client, lease, CLAIM | LOOK_UP)
    move_back(lease, 70)
    answers = scored(lease) | CLAIM | {"r1.fact.1.clock": clock_in(desk_page(client))}
    answers |= {
        "r1.fact.1.outcome": "holds",
        "r1.fact.1.sources": " https://a.example \r\n\r\nhttp://b/ ",
    }
    live = send(client, lease, answers, number=2)
    assert "looked up for 1:1" in live
    answers["r1.fact.1.clock"] = clock_in(live)
    send(client, lease, answers, number=3, step="submit")
    [fact] = Rating.objects.get().fact_checks.all()
    assert fact.seconds in range(70, 80)
    assert (fact.outcome, fact.over_time) == ("holds", False)
    [exported] = json.loads(rows_of(lease.project)[0]["facts"])
    assert exported == {
        "claim": "Eggs float.",
        "outcome": "holds",
        "sources": ["https://a.example", "http://b/"],
        "seconds": fact.seconds,
        "over_time": False,
    }


def test_the_time_goes_along_where_a_form_that_was_kept_is_saved_beside_a_rating(
    client: Client, lease: Lease
) -> None:
    send(client, lease, CLAIM | LOOK_UP)
    move_back(lease, 70)
    kept = scored(lease) | CLAIM | {"r1.fact.1.clock": clock_in(desk_page(client)), "kept": "1"}
    kept |= {"r1.fact.1.outcome": "holds", "draft_writer": "fedcba9876543210"}
    submit_lease(lease, make_submission(lease=lease), now=timezone.now())
    assert (
        "You already rated" in client.post(url(lease, "draft"), kept, headers=HTMX).content.decode()
    )
    beside = Draft.objects.get(writer="fedcba9876543210")
    assert int(beside.answers["r1.fact.1.clock"]) in range(70, 80)


def test_when_the_time_is_over_undetermined_is_proposed_and_the_annotator_decides(
    client: Client, lease: Lease
) -> None:
    send(client, lease, CLAIM | LOOK_UP)
    move_back(lease, 200)
    page = desk_page(client)
    assert re.search(r'-over">\s+Time is up', page)
    assert not re.search(r'value="undetermined"\s+checked', page)
    answers = scored(lease) | CLAIM | {"r1.fact.1.clock": clock_in(page)}
    refused = send(client, lease, answers, number=2, step="submit")
    assert "claim 1: What did the search show?" in refused
    answers |= {"r1.fact.1.clock": clock_in(refused), "r1.fact.1.outcome": "undetermined"}
    send(client, lease, answers, number=3, step="submit")
    rating = Rating.objects.get()
    assert [(fact.outcome, fact.over_time) for fact in rating.fact_checks.all()] == [
        ("undetermined", True)
    ]
    assert rating.scores.get().value == 7


def test_a_clock_that_was_not_given_out_for_the_claim_is_refused(
    client: Client, lease: Lease
) -> None:
    sealed = clock_in(send(client, lease, CLAIM | LOOK_UP))
    good = scored(lease) | CLAIM | {"r1.fact.1.outcome": "holds"}
    second = scored(lease) | {
        "r1.fact.2.claim": "x",
        "r1.fact.2.outcome": "holds",
        "r1.fact.2.clock": sealed,
    }
    for answers in (
        good | {"r1.fact.1.clock": "0"},
        good | {"r1.fact.1.clock": f"9{sealed}"},
        second,
    ):
        page = send(client, lease, answers, number=2, step="submit")
        assert "clock of this look-up is not valid" in page
    assert not Rating.objects.exists()
    send(client, lease, good | {"r1.fact.1.clock": sealed}, number=3, step="submit")
    assert Rating.objects.get().fact_checks.get().seconds in range(10)


def test_no_page_sets_a_clock_back_or_takes_it_away(client: Client, lease: Lease) -> None:
    held_back = CLAIM | {"r1.fact.1.outcome": "holds", **LOOK_UP}
    stopped = clock_in(send(client, lease, held_back))
    send(client, lease, CLAIM | {"r1.fact.1.clock": stopped}, number=2)  # taken back: it goes on
    move_back(lease, 200)
    tried = [{"r1.fact.1.clock": stopped}, {}, LOOK_UP]
    for number, told in enumerate(tried, start=3):
        send(client, lease, CLAIM | told, number=number)
        clock = Clock.read(Draft.objects.get().answers["r1.fact.1.clock"])
        assert clock is not None
        assert clock.seconds(int(time())) in range(200, 230)
    for number, told in enumerate(tried, start=10):
        sent = scored(lease) | CLAIM | {"r1.fact.1.outcome": "holds"} | told
        send(client, lease, sent, number=number, step="submit" if number == 12 else "verdict")
    fact = Rating.objects.get().fact_checks.get()
    assert fact.seconds in range(200, 230)
    assert fact.over_time


def test_the_clock_is_that_of_the_item_under_a_later_lease_and_on_another_device(
    client: Client, lease: Lease, ada: User
) -> None:
    send(client, lease, CLAIM | LOOK_UP)
    move_back(lease, 70)
    lease.release(now=timezone.now())
    again = make_lease(item=lease.item, annotator=ada, now=timezone.now())
    sent = (
        scored(again) | CLAIM | {"r1.fact.1.outcome": "holds", "draft_writer": "fedcba9876543210"}
    )
    send(client, again, sent | {"draft_shown": "0123456789abcdef.1"}, step="submit")
    assert Rating.objects.get().fact_checks.get().seconds in range(70, 90)


def test_a_correction_leaves_the_time_of_a_look_up_as_it_was(client: Client, lease: Lease) -> None:
    send(client, lease, CLAIM | LOOK_UP)
    move_back(lease, 200)
    answers = scored(lease) | CLAIM | {"r1.fact.1.outcome": "holds"}
    send(client, lease, answers, number=2, step="submit")
    rating = Rating.objects.get()
    sent = answers | {"comment": "Of Mars", "revision": "1"}
    client.post(f"/projects/eggs/ratings/{rating.pk}/correct/", sent, headers=HTMX)
    first, second = (each.fact_checks.get() for each in Rating.objects.order_by("revision"))
    assert (second.seconds, second.over_time) == (first.seconds, True)


def test_a_clock_is_good_in_no_one_else_s_hand(client: Client, lease: Lease) -> None:
    sealed = clock_in(send(client, lease, CLAIM | LOOK_UP))
    ben = make_user(name="ben")
    lease.project.admit(ben, role=Membership.Role.ANNOTATOR)
    theirs = make_lease(item=lease.item, annotator=ben, now=timezone.now())
    client.force_login(ben)
    sent = scored(theirs) | CLAIM | {"r1.fact.1.outcome": "holds", "r1.fact.1.clock": sealed}
    assert "clock of this look-up is not valid" in send(client, theirs, sent, step="submit")
    assert not Rating.objects.exists()


def test_a_claim_known_without_a_search_has_no_time(client: Client, lease: Lease) -> None:
    send(client, lease, scored(lease) | CLAIM | {"r1.fact.1.outcome": "holds"}, step="submit")
    fact = Rating.objects.get().fact_checks.get()
    assert (fact.seconds, fact.over_time) == (None, False)


def test_nothing_to_look_up_is_asked_for_at_its_place(client: Client, lease: Lease) -> None:
    live = send(client, lease, LOOK_UP)
    assert "Which claim do you want to look up?" in live
    assert "data-follow" not in live
    assert "r1.fact.1.clock" not in Draft.objects.get().answers


def test_a_claim_taken_out_leaves_nothing(client: Client, lease: Lease) -> None:
    two = REFUTED | {"r1.fact.2.claim": "Eggs fly."}
    live = send(client, lease, two | {"take_out": "r1.fact.1"})
    assert "Eggs fly." in live
    assert "Eggs float." not in live
    assert "That suggests" not in live
    assert Draft.objects.get().answers == {"r1.fact.2.claim": "Eggs fly."}


def test_a_proposal_that_was_declined_shows_in_the_export(client: Client, lease: Lease) -> None:
    page = send(client, lease, scored(lease) | REFUTED, step="submit")
    assert "“Eggs float.” is refuted. That suggests “Honest (not true)”" in page
    assert not Rating.objects.exists()
    seen = {"seen": "r1.quality/fact_check"}
    assert f'value="{seen["seen"]}"' in page
    send(client, lease, scored(lease) | REFUTED | seen, number=2, step="submit")
    [exported] = rows_of(lease.project)
    assert "honest=yes" in exported["checks"]
    assert json.loads(exported["facts"])[0]["outcome"] == "refuted"
    assert exported["remarks"].startswith("RQ-02: “Eggs float.” is refuted")


@pytest.mark.parametrize(
    ("slug", "query", "text", "asked"),
    [
        (
            "response-quality",
            "How?",
            "Put the egg into boiling water now. " * 5,
            "quality.repeats_itself",
        ),
        ("dialogue", "how?", "Put the egg into boiling water now. " * 5, "quality.repeated"),
        (
            "dialogue",
            "what do you do all day?",
            "what do you do all day?",
            "coherence.same_as_query",
        ),
    ],
)
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_a_detected_fault_is_a_question_at_submit_stored_and_exported(
    client: Client, ada: User, slug: str, query: str, text: str, asked: str, answer: str
) -> None:
    project = make_project(slug="eggs", rubric=make_rubric(slug=slug), annotators=[ada])
    make_item(project=project, prompt=query, responses=[text])
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    answers = {"r1.quality": "3", "r1.coherence": "3"}
    if slug == "response-quality":
        answers = scored(held(ada), 3) | {"r1.quality.language_error": "yes"}
    name = f"r1.{asked}.asked"
    page = send(client, held(ada), answers, step="submit")
    assert f'name="{name}" value="yes"' in page
    assert not Rating.objects.exists()
    send(client, held(ada), answers | {name: answer}, number=2, step="submit")
    assert Rating.objects.get().asked == {name: answer}
    dimension, _, check = asked.partition(".")
    [row] = [row for row in rows_of(project) if row["dimension"] == dimension]
    assert row["asked"] == f"{check}={answer}"
    assert f"{check}={answer}" in row["checks"].split(";")


def test_a_rating_that_came_back_brings_its_look_ups_with_their_time(
    client: Client, lease: Lease, ada: User
) -> None:
    send(client, lease, CLAIM | LOOK_UP)
    move_back(lease, 200)
    answers = scored(lease, 3) | REFUTED | {"r1.quality.honest": "not_true"}
    send(
        client,
        lease,
        answers | {"r1.fact.1.clock": clock_in(desk_page(client))},
        number=2,
        step="submit",
    )
    rating = Rating.objects.get()
    ReturnedRating.objects.create(
        project=lease.project,
        rating=rating,
        annotator=ada,
        reason="Look again.",
        returned_at=timezone.now(),
    )
    address = f"/projects/eggs/ratings/{rating.pk}/"
    page = client.get(address).content.decode()
    assert "looked up for 3:2" in page
    assert re.search(r'name="r1.quality.honest" value="not_true"\s+checked', page)
    sent = answers | {"r1.fact.1.clock": clock_in(page), "revision": "1"}
    client.post(f"{address}correct/", sent)
    first, second = (rating.fact_checks.get() for rating in Rating.objects.order_by("revision"))
    assert (second.seconds, second.over_time) == (first.seconds, True)


def test_the_same_rating_sent_again_a_minute_later_is_the_same(
    client: Client, lease: Lease
) -> None:
    page = send(client, lease, CLAIM | LOOK_UP)
    answers = (
        scored(lease) | CLAIM | {"r1.fact.1.outcome": "holds", "r1.fact.1.clock": clock_in(page)}
    )
    desk = item_view_of(lease)
    one, other = (RatingForm(replace(desk, now=desk.now + later), answers) for later in (0, 60))
    submissions = [form.submission(form.evaluated(submitting=True)) for form in (one, other)]
    assert [each.facts[0].seconds for each in submissions] != [0, 0]
    assert submissions[0].fingerprint == submissions[1].fingerprint


def test_the_database_keeps_no_time_that_was_over_and_not_taken(
    lease: Lease, client: Client
) -> None:
    send(client, lease, scored(lease) | CLAIM | {"r1.fact.1.outcome": "holds"}, step="submit")
    with pytest.raises(IntegrityError, match="a_look_up_over_time_was_timed"), transaction.atomic():
        Rating.objects.get().fact_checks.update(over_time=True)


# --- where the search is ---

SETTINGS = {
    "title": "Eggs",
    "status": "open",
    "wanted": "3",
    "overlap_percent": "0",
    "overlap_wanted": "3",
    "order": "uploaded",
    "grouping": "free",
    "view": "text",
    "lease_minutes": "30",
    **OFF,
}


def test_a_lead_chooses_where_claims_are_searched(client: Client, lease: Lease) -> None:
    address = "https://find.example/{claim}"
    assert (
        client.post("/projects/eggs/settings/", SETTINGS | {"search_address": address}).status_code
        == 302
    )
    assert "https://find.example/Eggs%20float." in send(client, lease, CLAIM | LOOK_UP)
    refused = client.post(
        "/projects/eggs/settings/", SETTINGS | {"search_address": "https://find.example/"}
    )
    assert "is no address of a search" in refused.content.decode()
    assert Project.objects.get().search_address == address
    with (
        pytest.raises(IntegrityError, match="claims_are_looked_up_at_an_address"),
        transaction.atomic(),
    ):
        Project.objects.update(search_address="javascript:{claim}")


def test_a_project_without_look_ups_has_no_such_setting(client: Client, ada: User) -> None:
    make_project(slug="talk", rubric=make_rubric(slug="dialogue"), leads=[ada])
    client.force_login(ada)
    assert "search_address" not in client.get("/projects/talk/settings/").content.decode()
    assert (
        client.post("/projects/talk/settings/", SETTINGS | {"view": "rendered"}).status_code == 302
    )
    project = Project.objects.get(slug="talk")
    assert (project.view, project.search_address) == (
        "rendered",
        "https://duckduckgo.com/?q={claim}",
    )
