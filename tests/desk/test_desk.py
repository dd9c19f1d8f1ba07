"""The rating desk over HTTP: one item at a time, judged on the server, stored once."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import CorpusAnswer, Item, Lease, Project, Rating, ReturnedRating, Score
from tasks.models.dropping import decide_dropped
from tasks.queue.submitting import submit_lease
from tests.desk_steps import FAULTLESS, HTMX, diverse, held, scored, start, talked, url
from tests.factories import PASSWORD, make_item, make_lease, make_submission, make_user

pytestmark = pytest.mark.django_db

# --- getting an item ---


def test_looking_at_the_desk_lends_nothing(desk: Client, project: Project) -> None:
    make_item(project=project)
    page = desk.get("/projects/eggs/desk/")
    assert "Start rating" in page.content.decode()
    assert Lease.objects.count() == 0


def test_starting_lends_the_next_item_and_shows_it(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, prompt="How many moons has Mars?")
    response = desk.post("/projects/eggs/desk/start/", follow=True)
    assert response.redirect_chain == [("/projects/eggs/desk/", 302)]
    assert "How many moons has Mars?" in response.content.decode()
    assert held(ada).item.project == project


def test_a_start_pressed_twice_lends_one_item(desk: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    make_item(project=project)
    for _ in range(2):
        desk.post("/projects/eggs/desk/start/")
    assert Lease.objects.filter(annotator=ada).count() == 1


def test_someone_who_does_not_rate_here_finds_no_desk(client: Client, project: Project) -> None:
    make_item(project=project)
    client.force_login(make_user(name="mallory"))
    assert client.get("/projects/eggs/desk/").status_code == 404
    assert client.post("/projects/eggs/desk/start/").status_code == 404
    assert Lease.objects.count() == 0


def test_another_annotators_lease_is_not_found(client: Client, project: Project, ada: User) -> None:
    ben = make_user(name="ben")
    project.memberships.create(user=ben, role="annotator")
    lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
    client.force_login(ben)
    for step in ("verdict", "submit"):
        assert client.post(url(lease, step), scored(lease)).status_code == 404
    assert Rating.objects.count() == 0


@pytest.mark.parametrize(
    ("status", "words"), [("paused", "paused"), ("closed", "closed")], ids=["paused", "closed"]
)
def test_a_project_that_is_not_open_says_so(
    desk: Client, project: Project, status: str, words: str
) -> None:
    make_item(project=project)
    Project.objects.update(status=status)
    page = desk.get("/projects/eggs/desk/").content.decode()
    assert words in page
    assert "Start rating" not in page


def test_another_answer_to_a_rated_item_is_refused_the_same_one_is_not(
    desk: Client, project: Project, ada: User
) -> None:
    lease = make_lease(item=make_item(project=project), annotator=ada, now=timezone.now())
    said = {
        f"r{place}.quality.{code}": value for code, value in FAULTLESS.items() for place in (1, 2)
    }
    said |= {"r1.quality": "7", "r2.quality": "6"}
    address = f"/projects/eggs/desk/{lease.pk}/submit/"
    for _ in range(2):
        assert not desk.post(address, said, headers=HTMX).context["notice"]
    other = desk.post(address, {**said, "r2.quality": "5"}, headers=HTMX)
    assert other.status_code == 409
    assert "You already rated this item" in other.content.decode()
    assert {*Score.objects.values_list("value", flat=True)} == {6, 7}


def test_nothing_left_is_said_only_when_it_is_true(
    desk: Client, project: Project, ada: User
) -> None:
    item = make_item(project=project, wanted=1)
    lease = make_lease(item=item, annotator=make_user(name="ben"), now=timezone.now())
    out = desk.get("/projects/eggs/desk/").context["state"]
    submit_lease(lease, make_submission(lease=lease), now=timezone.now())
    assert (out, desk.get("/projects/eggs/desk/").context["state"]) == ("out", "nothing")


# --- what is shown ---


def test_models_are_not_in_the_pages_source(desk: Client, project: Project, ada: User) -> None:
    make_item(
        project=project, responses=[("secret-model-one", "Two."), ("secret-model-two", "Three.")]
    )
    lease = start(desk, project, ada)
    pages = [
        desk.get("/projects/eggs/desk/"),
        desk.post(f"{url(lease, 'verdict')}?row=r1-quality", {}, headers=HTMX),
        desk.post(url(lease), {}, headers=HTMX),
    ]
    assert "Two." in pages[0].content.decode()
    assert not any("secret-model" in page.content.decode() for page in pages)


def test_texts_are_shown_as_text_never_as_markup(desk: Client, project: Project, ada: User) -> None:
    make_item(
        project=project,
        prompt="<b>bold</b>?",
        responses=["<script>alert(1)</script>", "<img src=x>"],
    )
    start(desk, project, ada)
    page = desk.get("/projects/eggs/desk/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;bold" in page


def test_responses_stand_in_the_order_drawn_and_the_order_is_stored(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, responses=["text one", "text two", "text three", "text four"])
    lease = start(desk, project, ada)
    page = desk.get("/projects/eggs/desk/").content.decode()
    texts = dict(lease.item.responses.values_list("pk", "text"))
    places = [page.index(texts[pk]) for pk in lease.responses]
    assert places == sorted(places)
    desk.post(url(lease), scored(lease))
    assert (
        list(Rating.objects.get().placements.values_list("response", flat=True)) == lease.responses
    )


def test_context_reference_and_source_are_beside_the_item(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(
        project=project,
        context="the given text",
        reference="a good answer",
        source="where it is from",
        system="be kind",
    )
    start(desk, project, ada)
    page = desk.get("/projects/eggs/desk/").content.decode()
    for text in ("the given text", "a good answer", "where it is from", "be kind"):
        assert text in page


# --- the verdict ---


def test_a_tick_answers_with_the_barred_scores_and_their_reasons(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project)
    lease = start(desk, project, ada)
    answers = scored(lease, 4) | {"r1.quality.language_error": "yes"}
    response = desk.post(f"{url(lease, 'verdict')}?row=r1-quality", answers, headers=HTMX)
    fragment = html.unescape(response.content.decode())
    assert "<html" not in fragment
    assert 'id="r1-quality-outcome"' in fragment
    assert "Open: 2, 3, 4." in fragment
    assert "RQ-12" in fragment
    barred = re.findall(r'<input[^>]*aria-disabled="true"[^>]*>', fragment)
    assert {found for tag in barred for found in re.findall(r'value="(\d)"', tag)} >= {
        "5",
        "6",
        "7",
    }
    assert Rating.objects.count() == 0


def test_without_htmx_the_verdict_is_the_whole_page_with_all_that_was_entered(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project)
    lease = start(desk, project, ada)
    answers = scored(lease, 4) | {"r1.quality.language_error": "yes", "r1.comment": "  a   remark "}
    page = desk.post(url(lease, "verdict"), answers).content.decode()
    assert "<html" in page
    assert "  a   remark " in page
    assert "Open: 2, 3, 4." in page


# --- submitting ---


def test_a_whole_form_is_stored_and_the_next_item_follows(
    desk: Client, project: Project, ada: User
) -> None:
    first, second = (
        make_item(project=project),
        make_item(project=project, prompt="And how many has Venus?"),
    )
    lease = start(desk, project, ada)
    response = desk.post(
        url(lease),
        scored(lease, 7) | {"r1.comment": " kept ", "comment": "of the item"},
        headers=HTMX,
    )
    assert response.status_code == 200
    assert "And how many has Venus?" in response.content.decode()
    rating = Rating.objects.get()
    assert (rating.item, rating.annotator, rating.kind) == (first, ada, "counted")
    assert rating.comment == "of the item"
    assert [placement.comment for placement in rating.placements.all()] == [" kept ", ""]
    assert {score.value for score in rating.scores.all()} == {7}
    assert held(ada).item == second
    first.refresh_from_db()
    assert first.counted == 1


def test_a_score_keeps_its_verdict_checks_and_clauses(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, responses=["Two."])
    lease = start(desk, project, ada)
    answers = scored(lease, 4) | {
        "r1.quality.language_error": "yes",
        "r1.quality.comprehensive": "no",
    }
    desk.post(url(lease), answers)
    score = Score.objects.get()
    assert score.open == [2, 3, 4]
    assert "RQ-12" in score.clauses
    assert score.checks == {
        "helpful": "entirely",
        "harmless": "yes",
        "honest": "yes",
        "comprehensive": "no",
        "language_error": "yes",
    }


def test_a_barred_score_is_refused_with_everything_that_was_entered(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project)
    lease = start(desk, project, ada)
    answers = scored(lease, 7) | {"r1.quality.language_error": "yes", "r2.comment": "still here"}
    response = desk.post(url(lease), answers, headers=HTMX)
    page = html.unescape(response.content.decode())
    assert response.status_code == 200
    assert "You can’t give 7" in page
    assert "still here" in page
    assert Rating.objects.count() == 0
    assert held(ada) == lease


@pytest.mark.parametrize("name", ["r1.quality.helpful", "r2.quality"])
def test_a_missing_answer_or_score_is_refused_at_its_place(
    desk: Client, project: Project, ada: User, name: str
) -> None:
    make_item(project=project)
    lease = start(desk, project, ada)
    answers = scored(lease, 6)
    del answers[name]
    response = desk.post(url(lease), answers)
    assert response.status_code == 200
    [(place, _text)] = response.context["evaluated"].errors
    assert place.startswith(name.replace(".", "-"))
    assert Rating.objects.count() == 0


def test_someone_taken_out_of_a_project_keeps_what_they_did_and_gets_nothing_more(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project)
    make_item(project=project)
    lease = start(desk, project, ada)
    project.memberships.all().delete()
    for _ in range(2):
        assert desk.post(url(lease), scored(lease), headers=HTMX).headers["HX-Redirect"] == "/"
    assert Rating.objects.count() == 1
    assert Lease.objects.count() == 1


def test_an_item_lent_once_more_to_the_same_annotator_is_settled_by_a_late_submit(
    desk: Client, project: Project, ada: User
) -> None:
    Project.objects.update(wanted=1)
    item = make_item(project=project)
    first = start(desk, project, ada)
    Lease.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    again = start(desk, project, ada)
    assert again.item == item
    desk.post(url(first), scored(first))
    item.refresh_from_db()
    assert item.counted == 1
    assert Rating.objects.get().kind == "counted"
    assert not Lease.objects.filter(status="live").exists()


def test_a_late_rating_reads_whether_it_counts_each_time_it_is_sent(
    desk: Client, project: Project, ada: User
) -> None:
    Project.objects.update(wanted=1)
    project.refresh_from_db()
    items = [make_item(project=project) for _ in range(4)]
    ago = timezone.now() - timedelta(hours=2)
    late, beaten, again = (
        make_lease(item=item, annotator=ada, now=ago, status="expired", ended_at=ago)
        for item in items[:3]
    )
    other = make_lease(item=beaten.item, annotator=make_user(), now=ago)
    submit_lease(other, make_submission(lease=other), now=timezone.now())
    since = make_lease(item=again.item, annotator=ada, now=timezone.now())
    submit_lease(since, make_submission(lease=since), now=timezone.now())
    dropped = make_lease(item=items[3], annotator=ada, now=timezone.now())
    decide_dropped(items[3], True, why="Faulty.", by=make_user(), now=timezone.now())
    for lease, told in (
        (late, "and counts. Your time for the item was over, but a place was still free."),
        (beaten, "as an extra one: when it came, the item wanted no more ratings."),
        (again, "as an extra one: you had already rated this item"),
        (dropped, "saved as your work, and counts in no figure."),
    ):
        for headers in (HTMX, {}):
            page = desk.post(url(lease), scored(lease), headers=headers).content.decode()
            assert told in page


def test_a_step_s_own_address_leads_to_its_page(desk: Client, project: Project, ada: User) -> None:
    """The browser stands there after a form that was sent without scripts."""
    make_item(project=project)
    lease = start(desk, project, ada)
    for step in ("verdict", "draft", "submit", "skip", "flag", "open", "renew"):
        answer = desk.get(url(lease, step))
        assert (answer.status_code, answer.headers["Location"]) == (302, "/projects/eggs/desk/")
        assert desk.put(url(lease, step)).status_code == 405


def test_a_closed_project_lends_no_returned_rating(desk: Client, talk: Project, ada: User) -> None:
    desk.post(url(start(desk, talk, ada)), talked() | diverse("yes", "yes", 5))
    Project.objects.update(status="closed")
    desk.post(url(held(ada)), talked() | diverse("no", "no", 2, shown="yes"))
    assert ReturnedRating.objects.count() == 1
    desk.post("/projects/talk/desk/start/")
    assert not Lease.objects.filter(status="live").exists()


def test_a_value_off_the_scale_is_an_error_that_names_it(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, responses=["Two."])
    lease = start(desk, project, ada)
    response = desk.post(url(lease), scored(lease) | {"r1.quality": "8"})
    assert response.status_code == 200
    assert "“8” is not possible. Choose from: 1, 2, 3, 4, 5, 6, 7" in html.unescape(
        response.content.decode()
    )
    assert Rating.objects.count() == 0


def test_a_text_too_long_is_refused_and_not_cut(desk: Client, project: Project, ada: User) -> None:
    make_item(project=project, responses=["Two."])
    lease = start(desk, project, ada)
    response = desk.post(url(lease), scored(lease) | {"comment": "x" * 20_001})
    assert response.status_code == 200
    assert "x" * 20_001 in response.content.decode()
    assert Rating.objects.count() == 0


def test_a_rating_after_the_end_of_its_lease_counts(
    desk: Client, project: Project, ada: User
) -> None:
    item = make_item(project=project)
    lease = start(desk, project, ada)
    Lease.objects.update(expires_at=timezone.now() - timedelta(minutes=1))
    desk.post(url(lease), scored(lease))
    assert Rating.objects.get().kind == "counted"
    item.refresh_from_db()
    assert item.counted == 1


def test_no_annotator_gets_an_item_twice(desk: Client, project: Project, ada: User) -> None:
    for _ in range(3):
        make_item(project=project)
    seen = []
    start(desk, project, ada)
    while lease := Lease.objects.filter(status="live").filter(annotator=ada).first():
        seen.append(lease.item_id)
        desk.post(url(lease), scored(lease))
    assert sorted(seen) == sorted(Item.objects.values_list("pk", flat=True))


def test_a_remark_brings_the_form_back_once(desk: Client, project: Project, ada: User) -> None:
    make_item(project=project, responses=["Two."])
    lease = start(desk, project, ada)
    answers = scored(lease, 6) | {
        "r1.quality.instructions_missed": "yes",
        "r1.quality.comprehensive": "no",
    }
    first = desk.post(url(lease), answers)
    assert first.status_code == 200
    assert Rating.objects.count() == 0
    desk.post(url(lease), answers | {"seen": " ".join(first.context["evaluated"].seen)})
    [remark] = Score.objects.get().remarks
    assert remark["clause"] == "RQ-14"


def summary_of(answer: Any) -> str:
    """What is asked before it is stored."""
    return str(answer.content.decode().partition('id="asked"')[2].partition("</div>")[0])


def test_a_remark_read_in_its_row_is_not_listed_again_at_submit(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, responses=["So it is, I am sure of that. " * 5])
    lease = start(desk, project, ada)
    answers = scored(lease, 4)
    summaries = []
    for seen in ("", desk.post(url(lease, "verdict"), answers).context["evaluated"].seen):
        summaries.append(summary_of(desk.post(url(lease), answers | {"seen": " ".join(seen)})))
    assert ["RQ-09" in summary for summary in summaries] == [True, False]
    assert all("does it repeat itself?" in summary.lower() for summary in summaries)
    assert all("Answer these questions, then submit again." in summary for summary in summaries)


def test_where_there_is_a_remark_alone_nothing_is_to_be_answered(
    desk: Client, project: Project, ada: User
) -> None:
    make_item(project=project, responses=["Two."])
    lease = start(desk, project, ada)
    shown = desk.post(url(lease), scored(lease, 4)).content.decode()
    assert "If you agree with everything, submit again. Nothing needs to change." in shown
    assert "Answer these questions" not in shown


def test_twins_are_told_of_once(desk: Client, project: Project, ada: User) -> None:
    text = "So it is, I am sure of that. " * 5
    make_item(project=project, responses=[text, text.replace(".", "!")])
    lease = start(desk, project, ada)
    first = desk.post(url(lease), scored(lease, 6))
    assert "are the same, except perhaps for punctuation." in summary_of(first)
    again = desk.post(
        url(lease), scored(lease, 6) | {"seen": " ".join(first.context["evaluated"].seen)}
    )
    assert "does it repeat itself?" in summary_of(again).lower()
    assert "punctuation" not in summary_of(again)


def test_a_message_is_gone_with_the_next_item(desk: Client, project: Project, ada: User) -> None:
    make_item(project=project)
    lease = start(desk, project, ada)
    another = "an entirely different one"
    said = {"oldpassword": PASSWORD, "password1": another, "password2": another}
    assert desk.post("/accounts/password/change/", said).status_code == 302
    page = desk.get("/projects/eggs/desk/").content.decode()
    main = page.partition('<main id="desk"')[2].partition('<form id="rating"')[0]
    assert (
        "Your password is changed. You are signed out everywhere else." in main
    )  # what the next item takes the place of
    assert "successfully" not in desk.post(url(lease), scored(lease), headers=HTMX).content.decode()


def test_fact_checks_are_stored(desk: Client, project: Project, ada: User) -> None:
    make_item(project=project, responses=["Two."])
    lease = start(desk, project, ada)
    facts = {
        "r1.fact.1.claim": "Mars has two moons.",
        "r1.fact.1.outcome": "holds",
        "r1.fact.1.sources": "https://example.org/mars",
    }
    desk.post(url(lease), scored(lease) | facts)
    [fact] = Rating.objects.get().fact_checks.all()
    assert (fact.claim, fact.outcome, fact.sources) == tuple(facts.values())


# --- dialogue ---


def test_all_four_dimensions_are_stored(desk: Client, talk: Project, ada: User) -> None:
    lease = start(desk, talk, ada)
    desk.post(url(lease), talked() | diverse("yes", "no", 3))
    units = Score.objects.order_by("pk").values_list("dimension", "unit", "model")
    assert list(units) == [
        *[(code, "response", "gull") for code in ("quality", "consistency", "coherence")] * 2,
        ("diversity", "candidate_set", "gull"),
    ]


def test_marked_persona_lines_are_stored_and_come_back_with_a_returned_item(
    desk: Client, talk: Project, ada: User
) -> None:
    lease = start(desk, talk, ada)
    marked = talked() | {
        "r1.consistency.contradicts": "yes",
        "r1.consistency.contradicts.line.1": "yes",
        "r1.consistency": "1",
    }
    desk.post(url(lease), marked | diverse("yes", "yes", 5))
    score = Score.objects.filter(dimension="consistency").earliest("pk")
    assert score.checks == {"contradicts": "yes", "reflects": "no", "contradicts.lines": "1"}
    desk.post(url(held(ada)), talked() | diverse("no", "no", 2, shown="yes"))
    returned = ReturnedRating.objects.get().rating
    page = desk.get(f"/projects/talk/ratings/{returned.pk}/").content.decode()
    assert re.search(r'name="r1.consistency.contradicts.line.1"\s+value="yes" checked', page)


def test_figures_are_shown_only_after_the_corpus_question_is_answered(
    desk: Client, talk: Project, ada: User
) -> None:
    lease = start(desk, talk, ada)
    before = desk.post(url(lease, "verdict"), talked()).context["corpora"]["s1"]
    after = desk.post(
        url(lease, "verdict"), talked() | {"m1.diversity.corpus_high": "yes"}
    ).context["corpora"]["s1"]
    assert before.figures is None
    assert after.figures is not None


def test_the_corpus_question_is_asked_once_and_carried(
    desk: Client, talk: Project, ada: User
) -> None:
    lease = start(desk, talk, ada)
    desk.post(url(lease), talked() | diverse("yes", "no", 3))
    evaluated = desk.get("/projects/talk/desk/").context["evaluated"]
    [row] = evaluated.sets[0].rows
    assert row.corpus[0].answer == "yes"
    assert CorpusAnswer.objects.get().answer == "yes"


def test_an_answer_revised_brings_back_the_scores_that_it_bars(
    desk: Client, talk: Project, ada: User
) -> None:
    first = start(desk, talk, ada)
    desk.post(url(first), talked() | diverse("yes", "yes", 5))
    second = held(ada)
    desk.post(url(second), talked() | diverse("no", "no", 2, shown="yes"))
    assert list(CorpusAnswer.objects.values_list("answer", "revision")) == [("yes", 1), ("no", 2)]
    returned = ReturnedRating.objects.get().rating
    assert returned.item == first.item
    address = f"/projects/talk/ratings/{returned.pk}/"
    assert desk.get(address).context["evaluated"].responses[0].rows[0].score == 4
    desk.post(f"{address}correct/", talked(revision="1") | diverse("no", "yes", 4, shown="no"))
    revisions = Rating.objects.filter(item=first.item).order_by("revision")
    assert [(rating.revision, rating.kind) for rating in revisions] == [
        (1, "counted"),
        (2, "counted"),
    ]
    assert ReturnedRating.objects.get().settled_at is not None
    first.item.refresh_from_db()
    assert first.item.counted == 1


def test_the_corpus_pages_are_open_to_the_one_who_holds_the_lease(
    desk: Client, talk: Project, ada: User
) -> None:
    lease = start(desk, talk, ada)
    page = desk.get(f"{url(lease, 'corpus')}?model=m1")
    assert page.status_code == 200
    assert "other 3" in page.content.decode()
    assert "gull" not in page.content.decode()
    assert desk.get(f"{url(lease, 'corpus')}?model=m2").status_code == 404
    desk.force_login(make_user(name="mallory"))
    assert desk.get(f"{url(lease, 'corpus')}?model=m1").status_code == 404
