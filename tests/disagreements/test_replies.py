"""Replies to questions on the desk: with the same answers or others, kept as a draft, sent once."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.cases.asking import Subject, ask, withdraw_questions
from tasks.cases.rating_views import ratings_of
from tasks.models import Draft, Item, Notice, Project, Question, Rating, ReturnedRating
from tests.conftest import Site
from tests.desk_keys import log_in
from tests.desk_steps import HTMX, OTHER, page as page_fields, scored, start, url
from tests.factories import make_item, make_project

pytestmark = pytest.mark.django_db
NEEDED = "Write a reply to the question, or change your answers."
MEANWHILE = "A question came meanwhile. Read it, then submit again."
QUIET = """() => {
  if (document.querySelector(".htmx-request") || !window.quiet) window.quiet = performance.now();
  return performance.now() - window.quiet > 1500;
}"""
LATE = {"offline": False, "latency": 150, "downloadThroughput": -1, "uploadThroughput": -1}


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    return make_project(slug="eggs", annotators=[ada], leads=[lead], wanted=1, correction_hours=0)


@pytest.fixture
def rating(client: Client, project: Project, ada: User) -> Rating:
    """ada's rating of two responses, by the desk: 6 and 7, with the comment "At first"."""
    item = make_item(project=project)
    client.force_login(ada)
    lease = start(client, project, ada)
    form = scored(lease) | {"comment": "At first"} | page_fields()
    first = lease.responses.index(item.responses.get(position=1).pk) + 1
    client.post(url(lease), form | {f"r{first}.quality": "6"}, headers=HTMX)
    return Rating.objects.get()


def subject_of(item: Item, number: int = 1) -> Subject:
    return Subject(item, "quality", item.responses.get(position=number).pk)


def ask_ada(item: Item, lead: User, text: str = "Why a 6?", number: int = 1) -> Question:
    ask(subject_of(item, number), ratings_of(item), text, by=lead, now=timezone.now())
    return Question.objects.latest("pk")


@pytest.fixture
def question(rating: Rating, lead: User) -> Question:
    return ask_ada(rating.item, lead)


def text_of(answer: Any) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def address(rating: Rating, step: str = "") -> str:
    return f"/projects/eggs/ratings/{rating.pk}/" + (f"{step}/" if step else "")


def form_of(rating: Rating, question: Question | None, **fields: str) -> dict[str, str]:
    """Return the form as the page of the rating sends it, unchanged but for some fields."""
    assert rating.lease
    (first, second) = rating.lease.responses
    values = dict(rating.scores.values_list("response", "value"))
    form = scored(rating.lease) | {"comment": "At first", "revision": "1"}
    form |= {"r1.quality": str(values[first]), "r2.quality": str(values[second])}
    form["question"] = str(question.pk if question else 0)
    return form | page_fields(writer=OTHER) | fields


def test_the_question_stands_first_with_the_answer_of_its_annotator(
    desk: Client, rating: Rating, question: Question
) -> None:
    content = desk.get(address(rating)).content.decode()
    assert content.index("Why a 6?") < content.index("How many moons has Mars?")
    block = re.search(r'<div class="question">(.*?)</div>', content, re.DOTALL)
    assert block
    words = " ".join(re.sub(r"<[^>]+>", " ", block[1]).split())
    assert words.startswith("Response ")
    assert "Why a 6? Quality: 6" in words
    assert 'name="reply"' in content
    assert "lea" not in words


def test_a_reply_alone_keeps_the_answers_and_is_stored_with_the_revision(
    desk: Client, rating: Rating, question: Question, lead: User
) -> None:
    form = form_of(rating, question, reply=" One word is missing. ")
    answer = desk.post(address(rating, "correct"), form, headers=HTMX)
    assert "Your reply is sent. Your answers stay as they were." in text_of(answer)
    assert 'name="reply"' not in answer.content.decode()
    question.refresh_from_db()
    revision = Rating.objects.get(revision=2)
    assert (question.reply, question.revision) == ("One word is missing.", revision)
    assert question.replied_at == revision.submitted_at
    assert revision.fingerprint == rating.fingerprint
    assert ReturnedRating.objects.get().settled_at is not None
    assert Notice.objects.get(kind=Notice.Kind.REVISED).user == lead


def test_a_reply_that_is_sent_again_is_stored_once(
    desk: Client, rating: Rating, question: Question
) -> None:
    form = form_of(rating, question, reply="One word is missing.")
    for _attempt in range(2):
        assert desk.post(address(rating, "correct"), form, headers=HTMX).status_code == 200
    assert Rating.objects.count() == 2


def test_a_form_without_a_change_needs_a_reply(
    desk: Client, rating: Rating, question: Question
) -> None:
    answer = desk.post(address(rating, "correct"), form_of(rating, question, reply=" "))
    assert NEEDED in text_of(answer)
    assert 'aria-invalid="true"' in answer.content.decode()
    assert Rating.objects.count() == 1
    assert Question.objects.waiting().exists()


def test_a_change_answers_without_a_reply(desk: Client, rating: Rating, question: Question) -> None:
    answer = desk.post(address(rating, "correct"), form_of(rating, question, comment="Then so"))
    assert answer.status_code == 302
    question.refresh_from_db()
    assert (question.reply, question.revision) == ("", Rating.objects.get(revision=2))


def test_questions_on_a_rating_are_all_answered_by_one_revision(
    desk: Client, rating: Rating, question: Question, lead: User
) -> None:
    second = ask_ada(rating.item, lead, "Why a 7?", number=2)
    desk.post(address(rating, "correct"), form_of(rating, second, reply="So it is."))
    assert set(Question.objects.values_list("reply", flat=True)) == {"So it is."}


def test_a_question_that_comes_while_one_corrects_is_read_first(
    desk: Client, rating: Rating, question: Question, lead: User
) -> None:
    second = ask_ada(rating.item, lead, "Why a 7?", number=2)
    form = form_of(rating, question, reply="One word is missing.", comment="Then so")
    refused = desk.post(address(rating, "correct"), form, headers=HTMX)
    assert MEANWHILE in text_of(refused)
    assert "Why a 7?" in text_of(refused)
    assert "One word is missing.</textarea>" in refused.content.decode()
    assert Rating.objects.count() == 1
    form |= page_fields(2, writer=OTHER) | {"question": str(second.pk)}
    desk.post(address(rating, "correct"), form, headers=HTMX)
    assert not Question.objects.waiting().exists()


def test_a_draft_keeps_the_reply(desk: Client, rating: Rating, question: Question) -> None:
    form = form_of(rating, question, reply="One word")
    assert desk.post(address(rating, "draft"), form, headers=HTMX).status_code == 200
    assert Draft.objects.get().answers["reply"] == "One word"
    assert "One word</textarea>" in desk.get(address(rating)).content.decode()


def test_a_page_that_is_left_keeps_a_reply_without_a_change(
    desk: Client, rating: Rating, question: Question
) -> None:
    desk.post(address(rating, "draft"), form_of(rating, question, reply="One word", leave="1"))
    assert Draft.objects.get().answers["reply"] == "One word"


def test_a_reply_is_no_longer_than_its_field(
    desk: Client, rating: Rating, question: Question
) -> None:
    answer = desk.post(address(rating, "correct"), form_of(rating, question, reply="x" * 2_001))
    assert "Your reply: Too long" in text_of(answer)
    assert Rating.objects.count() == 1


def test_a_mark_with_a_reply_answers_too(desk: Client, rating: Rating, question: Question) -> None:
    form = form_of(rating, question, reply="I do not know.", not_sure="yes")
    desk.post(address(rating, "correct"), form)
    assert not Question.objects.waiting().exists()
    assert ReturnedRating.objects.get().settled_at is not None


def test_a_question_that_was_withdrawn_asks_for_nothing(
    desk: Client, rating: Rating, question: Question
) -> None:
    withdraw_questions(subject_of(rating.item), now=timezone.now())
    content = desk.get(address(rating)).content.decode()
    assert "Why a 6?" not in content
    assert 'name="reply"' not in content


@pytest.mark.django_db(transaction=True)
def test_a_reply_typed_on_a_slow_line_survives_a_reload_and_is_sent(
    page: Page, site: Site, rating: Rating, question: Question
) -> None:
    log_in(page, "ada")
    page.goto(address(rating))
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", LATE)
    page.get_by_label("Your reply").press_sequentially("One word is missing.", delay=33)
    page.wait_for_function(QUIET)
    page.reload()
    expect(page.get_by_label("Your reply")).to_have_value("One word is missing.")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Your reply is sent.").first).to_be_visible()
    question.refresh_from_db()
    assert question.reply == "One word is missing."
