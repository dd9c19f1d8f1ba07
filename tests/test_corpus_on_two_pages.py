"""An answer about a corpus stands on every page of a batch: which holds when they say different
things."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.models import CorpusAnswer, Lease, Project, Rating, ReturnedRating
from tasks.queue.allocation import submit_and_take_next
from tasks.rating_form.corpus_answers import Recorded
from tests.cases import cases
from tests.desk_steps import HTMX, diverse, held, start, talked, url
from tests.factories import answer_about_corpus

pytestmark = pytest.mark.django_db

PAGE = {"draft_writer": "1" * 16, "draft_number": "1", "draft_revision": "0"}
QUESTION = "m1.diversity.corpus_high"


@pytest.fixture
def second(desk: Client, talk: Project, ada: User) -> Lease:
    """The second item, while the first is rated, with “yes” for all that the model said."""
    desk.post(url(start(desk, talk, ada)), talked() | diverse("yes", "yes", 4))
    return held(ada)


def correct_first(desk: Client, answer: str, *, shown: int, score: int = 2) -> None:
    """Go back to the first item, and say otherwise of the corpus there."""
    latest = Rating.objects.order_by("pk").last()
    assert latest is not None
    sent = talked() | diverse(answer, "no", score, shown=shown) | {"revision": str(latest.revision)}
    desk.post(f"/projects/talk/ratings/{latest.pk}/correct/", sent)
    assert said()[-1] == answer


def said() -> list[str]:
    return list(CorpusAnswer.objects.order_by("revision").values_list("answer", flat=True))


def given(page: str) -> tuple[str, str]:
    """The answer that a page has, and the revision that it says it was shown."""
    [answer] = re.findall(rf'name="{QUESTION}" value="(\w+)"\s+checked', page)
    [revision] = re.findall(rf'name="{QUESTION}.revision"\s+value="(\d+)"', page)
    return answer, revision


@cases(
    ("answer", "stands", "is_change", "is_contradicted"),
    [
        (Recorded("", 0), "", False, False),
        (Recorded("yes", 0), "yes", True, False),
        (Recorded("", 0, ("yes",)), "yes", False, False),
        (Recorded("yes", 0, ("yes",)), "yes", False, False),
        (Recorded("no", 0, ("yes",)), "no", False, True),
        (Recorded("yes", 1, ("yes",)), "yes", False, False),
        (Recorded("no", 1, ("yes",)), "no", True, False),
        (Recorded("yes", 1, ("yes", "no")), "no", False, False),
        (Recorded("no", 1, ("yes", "no")), "no", False, False),
        (Recorded("no", 1, ("yes", "no", "yes")), "no", False, True),
        (Recorded("yes", 1, ("yes", "no", "yes")), "yes", False, False),
        (Recorded("no", 9, ("yes",)), "no", True, False),
    ],
)
def test_a_change_is_told_from_what_merely_stood_there(
    answer: Recorded, stands: str, is_change: bool, is_contradicted: bool
) -> None:
    assert (answer.stands, answer.is_change, answer.is_contradicted) == (
        stands,
        is_change,
        is_contradicted,
    )


def test_what_stands_on_an_older_page_takes_back_nothing(desk: Client, second: Lease) -> None:
    correct_first(desk, "no", shown=1)
    desk.post(url(second), talked() | diverse("yes", "yes", 4, shown=1))
    assert said() == ["yes", "no"]
    score = Rating.objects.get(item=second.item).scores.get(dimension="diversity")
    assert score.checks["corpus_high"] == "no"
    assert not ReturnedRating.objects.exists()


def test_a_score_on_an_older_page_is_judged_by_what_is_recorded(
    desk: Client, second: Lease
) -> None:
    correct_first(desk, "no", shown=1)
    answer = desk.post(url(second), talked() | diverse("yes", "yes", 5, shown=1))
    page = html.unescape(answer.content.decode())
    assert not Rating.objects.filter(item=second.item).exists()
    assert "You changed this to “no” on another page" in page
    assert "You can’t give 5" in page
    assert given(page) == ("no", "2")
    assert said() == ["yes", "no"]


def test_what_is_recorded_wins_over_a_draft_that_had_not_changed_it(
    desk: Client, second: Lease
) -> None:
    desk.post(url(second, "draft"), talked() | diverse("yes", "yes", 5, shown=1) | PAGE)
    correct_first(desk, "no", shown=1)
    page = html.unescape(desk.get("/projects/talk/desk/").content.decode())
    assert given(page) == ("no", "2")
    assert "You changed this to “no” on another page" in page


def test_a_change_that_is_not_submitted_yet_is_kept_and_nowhere_else(
    desk: Client, second: Lease
) -> None:
    desk.post(url(second, "verdict"), talked() | diverse("no", "yes", 4, shown=1) | PAGE)
    assert said() == ["yes"]
    assert given(desk.get("/projects/talk/desk/").content.decode()) == ("no", "1")
    desk.post(url(second), talked() | diverse("no", "yes", 4, shown=1))
    assert said() == ["yes", "no"]


def test_of_two_changes_neither_is_lost_and_the_page_asks_which_holds(
    desk: Client, second: Lease
) -> None:
    correct_first(desk, "no", shown=1)
    correct_first(desk, "yes", shown=2, score=3)
    changed = talked() | diverse("no", "yes", 4, shown=1) | PAGE
    page = html.unescape(desk.post(url(second), changed).content.decode())
    assert "Another page saved “yes” here since you opened this one" in page
    assert "Not saved" in page
    assert given(page) == ("no", "3")
    assert said() == ["yes", "no", "yes"]
    assert not Rating.objects.filter(item=second.item).exists()
    # A page that comes anew asks too.
    assert "here since you opened this one" in desk.get("/projects/talk/desk/").content.decode()
    desk.post(url(second), changed | {f"{QUESTION}.revision": "3", "draft_number": "2"})
    assert said() == ["yes", "no", "yes", "no"]
    assert Rating.objects.filter(item=second.item).exists()


def test_a_rating_that_rests_on_an_older_answer_is_opened_with_the_newer_one(
    desk: Client, second: Lease
) -> None:
    first = Rating.objects.get()
    desk.post(url(second), talked() | diverse("no", "no", 2, shown=1))
    page = desk.get(f"/projects/talk/ratings/{first.pk}/").content.decode()
    assert given(page) == ("no", "2")
    assert "on another page" not in page


def test_a_verdict_keeps_the_first_answer_alone(desk: Client, talk: Project, ada: User) -> None:
    lease = start(desk, talk, ada)
    for answer in ("yes", "no"):
        desk.post(url(lease, "verdict"), talked() | diverse(answer, "no", 2))
        assert said() == ["yes"]


def test_a_verdict_tells_the_page_which_revision_it_shows_now(
    desk: Client, talk: Project, ada: User
) -> None:
    lease = start(desk, talk, ada)
    where = f"{url(lease, 'verdict')}?row=s1-diversity"
    first = desk.post(where, talked() | diverse("yes", "no", 3), headers=HTMX).content.decode()
    oob = rf'name="{QUESTION}.revision"\s+value="1" data-hx-swap-oob="true">'
    assert re.search(oob, first)
    assert f'name="{QUESTION}"' not in first  # what stands there is right
    assert "m1-figures" in first
    again = desk.post(
        where, talked() | diverse("yes", "no", 3, shown=1), headers=HTMX
    ).content.decode()
    assert QUESTION not in again


def test_a_verdict_on_an_older_page_puts_the_recorded_answer_there(
    desk: Client, second: Lease
) -> None:
    correct_first(desk, "no", shown=1)
    sent = talked() | diverse("yes", "yes", 5, shown=1)
    answer = desk.post(f"{url(second, 'verdict')}?row=r1-quality", sent, headers=HTMX)
    assert given(answer.content.decode()) == ("no", "2")
    assert 'id="m1-diversity-corpus_high"' in answer.content.decode()


def test_a_page_that_says_nonsense_of_what_it_was_shown_is_told_so(
    desk: Client, second: Lease
) -> None:
    for nonsense in ("x", "²", "9" * 5000):
        sent = talked() | diverse("yes", "yes", 5) | {f"{QUESTION}.revision": nonsense}
        assert "Not saved" in desk.post(url(second), sent).content.decode()
    assert said() == ["yes"]


@contextmanager
def answered_meanwhile(lease: Lease, answer: str) -> Iterator[None]:
    """Another page answers after a submit was judged and before it is stored."""

    def submit(*args: object, **rest: object) -> object:
        answer_about_corpus(lease.item.batch, lease.annotator, answer, now=timezone.now())
        return submit_and_take_next(*args, **rest)  # type: ignore[arg-type]

    with patch("annotators.desk.views.submit_and_take_next", submit):
        yield


def test_what_is_answered_while_a_rating_is_stored_holds_for_it_too(
    desk: Client, second: Lease
) -> None:
    with answered_meanwhile(second, "no"):
        desk.post(url(second), talked() | diverse("yes", "yes", 5, shown=1))
    assert said() == ["yes", "no"]
    [returned] = ReturnedRating.objects.filter(mended_at=None)
    assert returned.rating.item == second.item
    assert returned.reason.startswith(
        "You changed “Varied in all its answers” to no. With that, you can’t give 5"
    )
