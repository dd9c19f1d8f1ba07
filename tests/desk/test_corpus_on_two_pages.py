"""An answer about a corpus stands on every page of a batch. It is saved by its own click, and the
last click counts."""

from __future__ import annotations

import html
import re
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import CorpusAnswer, Draft, Lease, Project, Rating, ReturnedRating
from tasks.queue.allocation import submit_and_take_next
from tests.desk_steps import HTMX, diverse, held, page, start, talked, url
from tests.factories import answer_about_corpus

pytestmark = pytest.mark.django_db

QUESTION = "m1.diversity.corpus_high"


@pytest.fixture
def second(desk: Client, talk: Project, ada: User) -> Lease:
    """The second item, while the first is rated, with “yes” for all that the model said."""
    desk.post(url(start(desk, talk, ada)), talked() | diverse("yes", "yes", 4))
    return held(ada)


def said() -> list[str]:
    return list(CorpusAnswer.objects.order_by("revision").values_list("answer", flat=True))


def given(page: str) -> tuple[str, str]:
    """The answer that a page has, and the one that it says it was shown."""
    [answer] = re.findall(rf'name="{QUESTION}" value="(\w+)"\s+checked', page)
    [shown] = re.findall(rf'name="{QUESTION}.shown" value="(\w*)"', page)
    return answer, shown


def elsewhere(lease: Lease, answer: str) -> None:
    answer_about_corpus(lease.item.batch, lease.annotator, answer, now=timezone.now())


def verdict(desk: Client, lease: Lease, row: str = "s1-diversity", **sent: str) -> str:
    answer = desk.post(f"{url(lease, 'verdict')}?row={row}", talked() | sent, headers=HTMX)
    return answer.content.decode()


def test_a_click_is_saved_at_once_and_the_page_learns_of_it(desk: Client, second: Lease) -> None:
    shown = verdict(desk, second, **diverse("no", "no", 2, shown="yes"))
    assert said() == ["yes", "no"]
    assert given(shown) == ("no", "no")
    assert "m1-figures" in shown
    assert QUESTION not in verdict(desk, second, **diverse("no", "no", 2, shown="no"))
    assert said() == ["yes", "no"]


def test_a_corpus_answer_on_an_older_page_is_no_click_and_gives_way(
    desk: Client, second: Lease
) -> None:
    elsewhere(second, "no")
    old = diverse("yes", "yes", 5, shown="yes")
    assert given(verdict(desk, second, "r1-quality", **old)) == ("no", "no")
    refused = html.unescape(desk.post(url(second), talked() | old).content.decode())
    assert "You can’t give 5" in refused
    assert given(refused) == ("no", "no")
    desk.post(url(second), talked() | old | {"s1.diversity": "4"})
    assert (
        Rating.objects.get(item=second.item).scores.get(dimension="diversity").checks["corpus_high"]
        == "no"
    )
    assert said() == ["yes", "no"]


def test_of_two_clicks_the_last_counts(desk: Client, second: Lease) -> None:
    elsewhere(second, "no")
    elsewhere(second, "yes")
    verdict(desk, second, **diverse("no", "no", 2, shown="yes"))
    assert said() == ["yes", "no", "yes", "no"]


def test_a_click_that_was_only_drafted_is_still_there_and_saved_with_the_next_verdict(
    desk: Client, second: Lease
) -> None:
    clicked = talked() | diverse("no", "no", 2, shown="yes")
    desk.post(url(second, "draft"), clicked | page(), headers=HTMX)
    assert said() == ["yes"]
    assert given(desk.get("/projects/talk/desk/").content.decode()) == ("no", "yes")
    desk.post(url(second, "verdict"), clicked | page(2))
    assert said() == ["yes", "no"]
    assert QUESTION not in Draft.objects.get().answers  # it is stored, and may change elsewhere
    elsewhere(second, "yes")
    assert given(desk.get("/projects/talk/desk/").content.decode()) == ("yes", "yes")


def test_without_scripts_the_submit_saves_it_though_the_score_is_refused(
    desk: Client, second: Lease
) -> None:
    refused = desk.post(url(second), talked() | diverse("no", "yes", 5, shown="yes"))
    assert "You can’t give 5" in html.unescape(refused.content.decode())
    assert said() == ["yes", "no"]


def test_a_click_brings_back_the_scores_that_it_bars_and_lets_them_be_again(
    desk: Client, talk: Project, ada: User
) -> None:
    desk.post(url(start(desk, talk, ada)), talked() | diverse("yes", "yes", 5))
    waiting = ReturnedRating.objects.filter(settled_at=None)
    for shown, answer, number in (("yes", "no", 1), ("no", "yes", 0)):
        verdict(desk, held(ada), **diverse(answer, "yes", 4, shown=shown))
        assert waiting.count() == number


def test_a_closed_batch_takes_no_click_of_a_correction(
    desk: Client, second: Lease, talk: Project
) -> None:
    talk.batches.update(status="closed")
    address = f"/projects/talk/ratings/{Rating.objects.get().pk}/correct/"
    desk.post(address, talked(revision="1") | diverse("no", "no", 2, shown="yes"))
    assert said() == ["yes"]


def test_a_corpus_answer_given_while_a_rating_is_stored_holds_for_the_rating_too(
    desk: Client, second: Lease
) -> None:
    def submit(*args: object, **rest: object) -> object:
        elsewhere(second, "no")
        return submit_and_take_next(*args, **rest)  # type: ignore[arg-type]

    with patch("annotators.desk.views.submit_and_take_next", submit):
        desk.post(url(second), talked() | diverse("yes", "yes", 5, shown="yes"))
    [returned] = ReturnedRating.objects.filter(settled_at=None)
    assert returned.rating.item == second.item
    assert returned.reason.startswith(
        "You changed “Varied in all its answers” to no. With that, you can’t give 5"
    )
