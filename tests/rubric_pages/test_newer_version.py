"""A newer version of a rubric: projects stay on theirs, their leads learn of it, and what was begun
is judged as it was begun."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection, transaction
from django.test import Client

from annotators.models import User
from rubrics.documents.document import parse
from rubrics.models import Rubric
from tasks.answers.submission import DraftVersion, Submission
from tasks.models import Lease, Project, Rating
from tasks.queue.allocation import take_next
from tasks.queue.live_leases import lease_of
from tasks.queue.saving import save_form
from tasks.queue.submitting import submit_lease
from tests.desk_steps import HTMX, page, start, url
from tests.factories import (
    NOW,
    answer_about_corpus,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_talk,
)
from tests.waiting import until_one_waits_for_us

pytestmark = pytest.mark.django_db

# What version 2 bars: a response that is short has no grammar errors.
EXCLUSION = {
    "code": "short_is_fluent",
    "clause": "X-1",
    "effect": "exclude",
    "when": {"all_of": ["short"]},
    "against": ["grammar_errors"],
    "reason": "A short response has no grammar errors. Keep one: {ticked}.",
}
BOTH = {"r1.quality.short": "yes", "r1.quality.grammar_errors": "yes"}


def load(*rules: dict[str, Any], **needs: Any) -> Rubric:
    """The next version of a rubric with two ticks and these rules."""
    small: dict[str, Any] = {
        "slug": "small",
        "title": "Small",
        "summary": "How good is it?",
        "dimensions": [
            {
                **{"code": "quality", "short": "Q", "title": "Quality", "question": "How good?"},
                **{"unit": "response", "lowest": 1, "highest": 3},
                "levels": [
                    {"score": score, "label": label, "definition": f"{label}."}
                    for score, label in ((3, "Good"), (2, "Fair"), (1, "Bad"))
                ],
                "checks": [
                    {"code": "short", "kind": "tick", "wording": "Short"},
                    {"code": "grammar_errors", "kind": "tick", "wording": "Errors"},
                ],
                "rules": list(rules),
                "needs": needs,
            }
        ],
    }
    rubric, is_new = Rubric.objects.load(parse(small), now=NOW)
    assert is_new
    return rubric


@pytest.fixture
def project(ada: User, lead: User) -> Project:
    """Of version 1 of a small rubric: ada rates in it, and lea leads it."""
    project = make_project(slug="eggs", rubric=load(), annotators=[ada], leads=[lead], wanted=1)
    make_item(project=project, responses=["two moon"])
    return project


def words(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def begin_draft(desk: Client, project: Project, ada: User) -> Lease:
    """An item that ada has begun, with both ticks."""
    lease = start(desk, project, ada)
    desk.post(url(lease, "draft"), BOTH | page(), headers=HTMX)
    return lease


STAYS = "version 2 is there, for new projects: rating has begun in this one ·"


def test_the_overview_says_that_a_newer_version_is_there(
    client: Client, lead: User, project: Project
) -> None:
    client.force_login(lead)
    assert "is there" not in words(client.get("/projects/eggs/"))
    load(EXCLUSION)
    shown = client.get("/projects/eggs/")
    assert "Small, version 1 · version 2 is there ·" in words(shown)
    assert "Move to version 2" in words(shown)
    assert 'href="/projects/eggs/rubric/2/"' in shown.content.decode()
    project.refresh_from_db()
    assert project.rubric.version == 1


def test_a_project_of_the_newest_version_is_told_of_none(
    client: Client, lead: User, project: Project
) -> None:
    client.force_login(lead)
    make_project(slug="new", rubric=load(EXCLUSION), leads=[lead])
    assert "is there" not in words(client.get("/projects/new/"))


def test_a_draft_begun_under_a_version_is_judged_by_it(
    desk: Client, project: Project, ada: User
) -> None:
    lease = begin_draft(desk, project, ada)
    load(EXCLUSION)
    shown = desk.get("/projects/eggs/desk/").content.decode()
    assert "has no grammar errors" not in shown
    desk.post(url(lease), BOTH | {"r1.quality": "2"} | page(2), headers=HTMX)
    [score] = Rating.objects.get().scores.all()
    assert (score.value, score.checks) == (2, {"short": "yes", "grammar_errors": "yes"})


def test_a_rating_given_under_a_version_is_corrected_under_it(
    desk: Client, project: Project, ada: User
) -> None:
    lease = begin_draft(desk, project, ada)
    desk.post(url(lease), BOTH | {"r1.quality": "2"} | page(2), headers=HTMX)
    load(EXCLUSION)
    rating = Rating.objects.get()
    address = f"/projects/eggs/ratings/{rating.pk}/"
    assert "has no grammar errors" not in desk.get(address).content.decode()
    desk.post(
        f"{address}correct/", BOTH | {"r1.quality": "1", "revision": "1"} | page(), headers=HTMX
    )
    [score] = Rating.objects.get(revision=2).scores.all()
    assert (score.value, score.checks) == (1, {"short": "yes", "grammar_errors": "yes"})


def test_a_project_of_the_newer_version_refuses_what_that_version_bars(
    desk: Client, project: Project, ada: User
) -> None:
    """So that the tests above show what they say."""
    newer = make_project(slug="new", rubric=load(EXCLUSION), annotators=[ada])
    make_item(project=newer, responses=["two moon"])
    lease = start(desk, newer, ada)
    answer = desk.post(url(lease), BOTH | {"r1.quality": "2"} | page(), headers=HTMX)
    assert "A short response has no grammar errors" in answer.content.decode()
    assert not Rating.objects.exists()


# --- moving to it ---


def move(client: Client, slug: str = "eggs") -> str:
    answer: Any = client.post(f"/projects/{slug}/rubric/")
    assert answer.url == f"/projects/{slug}/"
    return str([*get_messages(answer.wsgi_request)][-1])


def test_a_project_in_which_nothing_is_rated_moves_to_the_newest_version(
    client: Client, lead: User, project: Project, ada: User
) -> None:
    load(EXCLUSION)
    newest = load()
    client.force_login(lead)
    assert move(client) == "The project has “Small, version 3” now."
    project.refresh_from_db()
    assert project.rubric == newest
    assert "is there" not in words(client.get("/projects/eggs/"))
    lease = take_next(project, ada, now=NOW)
    assert lease is not None
    assert lease.project.rubric == newest


def begun(project: Project, ada: User, how: str) -> None:
    item = project.items.get()
    match how:
        case "rating":
            make_rating(item=item, annotator=ada)
        case "lease":
            make_lease(item=item, annotator=ada, now=NOW + timedelta(days=36_500))
        case "draft":
            lease = make_lease(item=item, annotator=ada)
            save_form(lease, DraftVersion("w", 1, ""), {"r1.quality": "2"}, now=NOW)
            lease.release(now=NOW)


@pytest.mark.parametrize("how", ["rating", "lease", "draft"])
def test_a_project_in_which_something_is_rated_stays_and_says_why(
    client: Client, lead: User, project: Project, ada: User, how: str
) -> None:
    load(EXCLUSION)
    begun(project, ada, how)
    client.force_login(lead)
    shown = words(client.get("/projects/eggs/"))
    assert STAYS in shown
    assert "Move to" not in shown
    assert move(client) == "Rating has begun, so the project stays on its version."
    project.refresh_from_db()
    assert project.rubric.version == 1


def test_an_answer_about_a_corpus_is_a_beginning_too(ada: User) -> None:
    talk = make_talk(annotators=[ada])
    assert not talk.is_begun(NOW)
    answer_about_corpus(talk.batches.get(), ada, "no", now=NOW)
    assert talk.is_begun(NOW)
    assert not talk.move_to_newest_rubric(now=NOW)


def test_a_lease_whose_time_is_over_and_which_left_nothing_is_no_beginning(
    client: Client, lead: User, project: Project, ada: User
) -> None:
    newer = load(EXCLUSION)
    lease = make_lease(item=project.items.get(), annotator=ada, now=NOW)
    client.force_login(lead)
    assert "Move to version 2" in words(client.get("/projects/eggs/"))
    move(client)
    lease.refresh_from_db()
    assert lease.status == Lease.Status.EXPIRED
    project.refresh_from_db()
    assert project.rubric == newer


def test_a_lease_that_could_not_be_ended_keeps_the_project_where_it_is(
    project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(EXCLUSION)
    make_lease(item=project.items.get(), annotator=ada, now=NOW)
    monkeypatch.setattr("tasks.models.leases.MOST_SWEPT", 0)
    assert not project.move_to_newest_rubric(now=NOW + timedelta(days=1))


def test_only_its_leads_move_a_project(client: Client, project: Project, ada: User) -> None:
    load(EXCLUSION)
    client.force_login(ada)
    assert client.post("/projects/eggs/rubric/").status_code == 404
    project.refresh_from_db()
    assert project.rubric.version == 1


def test_items_that_a_dimension_asks_about_are_counted_again_for_the_newer_version(
    project: Project,
) -> None:
    make_item(batch=project.batches.get(), persona=["I keep bees."])
    assert project.batches.get().count_applicable() == {}
    load(persona=True)
    before = fresh(project).batches.get()
    assert project.move_to_newest_rubric(now=NOW)
    assert project.batches.get().asked == {f"rubric {project.rubric_id}": {"quality": 1}}
    assert before.count_applicable() == {}, "a page that was loaded before"
    assert project.batches.get().count_applicable() == {"quality": 1}


def beside(act: Callable[[], object], first: Callable[[], object]) -> tuple[object, object]:
    """What `first` returned, and what `act` returned or raised, which waited for it."""
    done: list[object] = []

    def run() -> None:
        try:
            done.append(act())
        except Exception as error:
            done.append(type(error).__name__)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    with transaction.atomic():
        was = first()
        thread.start()
        until_one_waits_for_us()
    thread.join()
    return was, done[0]


def fresh(project: Project) -> Project:
    """As another request loads it."""
    return Project.objects.select_related("rubric").get(pk=project.pk)


@pytest.mark.django_db(transaction=True)
def test_a_lease_that_is_being_taken_keeps_the_project_where_it_is(
    project: Project, ada: User
) -> None:
    load(EXCLUSION)
    lease, moved = beside(
        lambda: fresh(project).move_to_newest_rubric(now=NOW),
        lambda: take_next(project, ada, now=NOW),
    )
    assert lease is not None
    assert moved is False


@pytest.mark.django_db(transaction=True)
def test_an_item_taken_while_its_project_moves_is_rated_by_the_newer_version(
    project: Project, ada: User
) -> None:
    newer, loaded = load(EXCLUSION), fresh(project)
    moved, lease = beside(
        lambda: take_next(loaded, ada, now=NOW),
        lambda: project.move_to_newest_rubric(now=NOW),
    )
    assert moved is True
    assert isinstance(lease, Lease)
    assert lease.item.project.rubric == lease.project.rubric == newer


@pytest.fixture
def late(project: Project, ada: User) -> Callable[[], Rating]:
    """A late submit of a lease that has ended, whose form was read by version 1."""
    load(EXCLUSION)
    over = make_lease(item=project.items.get(), annotator=ada)
    over.release(now=NOW)
    lease = lease_of(ada, "eggs", over.pk)
    assert lease is not None
    return lambda: submit_lease(lease, Submission(scores=()), now=NOW)


@pytest.mark.django_db(transaction=True)
def test_a_late_submit_keeps_the_project_where_it_is(
    project: Project, late: Callable[[], Rating]
) -> None:
    rating, moved = beside(lambda: fresh(project).move_to_newest_rubric(now=NOW), late)
    assert isinstance(rating, Rating)
    assert moved is False


@pytest.mark.django_db(transaction=True)
def test_a_late_submit_by_the_version_before_is_refused(
    project: Project, late: Callable[[], Rating]
) -> None:
    moved, rating = beside(late, lambda: project.move_to_newest_rubric(now=NOW))
    assert moved is True
    assert rating == "Http404"
    assert not Rating.objects.exists()
