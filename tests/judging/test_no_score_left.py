"""The desk where no score is open: an answer is missing, or a rubric was stored whose rules leave
none, before that was refused."""

from __future__ import annotations

import pytest
from django.test import Client

from annotators.models import User
from rubrics.documents.document import parse, parse_stored
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.rules import judge
from rubrics.models import Rubric
from rubrics.pages.fact_effects import consequence
from tasks.models import Lease, Rating
from tasks.rating_form.fields import Target
from tasks.rating_form.headlines import headline_of
from tests.desk_steps import HTMX, page, start, url
from tests.factories import NOW, make_item, make_project
from tests.made_rubrics import HIGH, LOW, RANK, Content, document, question, rule, tick

pytestmark = pytest.mark.django_db
LEFT = "The rules leave no score for A: flag the item."
CHECKS = [tick("a"), tick("b"), tick("c"), question("kind", "good", "")]


def lent(desk: Client, ada: User, content: Content) -> Lease:
    """An item of two responses, by a rubric as if it had been stored before the proof."""
    rubric, _ = Rubric.objects.load(parse_stored(content), now=NOW)
    project = make_project(slug="old", rubric=rubric, annotators=[ada])
    make_item(project=project, responses=["One.", "Two."])
    return start(desk, project, ada)


@pytest.fixture
def old(desk: Client, ada: User) -> Lease:
    """By rules that leave no score with both ticks, and rank a third below."""
    content = document(CHECKS, [LOW, HIGH, RANK | {"code": "rank", "when": {"all_of": ["c"]}}])
    with pytest.raises(DocumentError, match="no score is left"):
        parse(content)
    return lent(desk, ada, content)


BOTH = {"r1.quality.a": "yes", "r1.quality.b": "yes", "r1.quality.kind": "a0"}


def test_a_stored_rubric_that_leaves_no_score_says_so_and_what_to_do(
    desk: Client, old: Lease
) -> None:
    answer = desk.post(url(old, "verdict"), BOTH, headers=HTMX)
    assert answer.status_code == 200
    assert LEFT in answer.content.decode()
    assert "So." in answer.content.decode(), "with the rules that bar every score"
    alone = desk.post(url(old, "verdict"), BOTH | {"r1.quality.b": ""}, headers=HTMX)
    assert LEFT not in alone.content.decode()


def test_the_page_and_the_submit_say_that_no_score_is_left_and_store_nothing(
    desk: Client, old: Lease
) -> None:
    rest = {"r2.quality.kind": "a0", "r2.quality": "3", "r1.quality": "2"}
    refused = desk.post(url(old), BOTH | rest, headers=HTMX)
    assert refused.status_code == 200
    assert LEFT in refused.content.decode()
    unscored = desk.post(url(old), BOTH | rest | {"r1.quality": ""}, headers=HTMX)
    assert LEFT in unscored.content.decode()
    desk.post(url(old, "draft"), BOTH | page(3), headers=HTMX)
    assert LEFT in desk.get("/projects/old/desk/", follow=True).content.decode()
    assert not Rating.objects.exists()


def test_a_response_without_a_score_ranks_no_other(desk: Client, old: Lease) -> None:
    ranked = {"r2.quality.c": "yes", "r2.quality.kind": "a0"}
    answer = desk.post(url(old, "verdict"), BOTH | ranked, headers=HTMX).content.decode()
    assert LEFT in answer
    assert "Below A" not in answer


def test_the_consequence_of_a_tick_says_where_no_score_is_left() -> None:
    rules = [LOW, HIGH | {"when": {"all_of": ["a"]}}]
    (dimension,) = parse_stored(document([tick("a"), tick("b")], rules)).dimensions
    assert consequence(dimension, "a") == "leaves no score"


NEEDED = [
    rule("low", "require", scores=[1, 2], needs={"none_of": ["good"], "all_of": ["a"]}),
    rule("high", "require", scores=[3, 4, 5], needs={"all_of": ["good"]}),
]


def test_where_an_answer_is_missing_the_desk_asks_for_it_first(desk: Client, ada: User) -> None:
    """Once it is answered some score is open."""
    needed = [*NEEDED, rule("bad", "force", {"none_of": ["good"]}, score=2)]
    content = document([tick("b"), tick("a"), question("kind", "good", "")], needed)
    assert consequence(parse(content).dimensions[0], "b") == "the other answers decide"
    lease = lent(desk, ada, content)
    half = desk.post(url(lease, "verdict"), {"r1.quality.b": "yes"}, headers=HTMX)
    assert "Answer “kind” first." in half.content.decode()
    whole = desk.post(url(lease, "verdict"), {"r1.quality.kind": "a0"}, headers=HTMX)
    assert "Open: 3, 4, 5." in whole.content.decode()


def test_of_several_missing_answers_the_first_is_named() -> None:
    asked = [
        question("kind", "good", ""),
        question("sort", "fine", ""),
        question("tone", "calm", ""),
    ]
    required = [
        rule("any", "require", scores=[1, 2, 3, 4, 5], needs={"any_of": ["good", "fine", "calm"]})
    ]
    (dimension,) = parse_stored(document(asked, required)).dimensions
    said = headline_of(judge(dimension, [], answered=[]), dimension, Target("r1"))
    assert said.text == "Answer “kind” and 2 more first."
    some = headline_of(judge(dimension, [], answered=["kind", "tone"]), dimension, Target("r1"))
    assert some.text == "Answer “sort” first."
