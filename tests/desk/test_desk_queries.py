"""How many queries the desk makes: the same, whatever lies in the project and was rated before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from tasks.models import CorpusAnswer, Lease, Project
from tests.desk_steps import FAULTLESS, HTMX
from tests.factories import make_batch, make_item, make_project, make_rating, make_rubric, make_user

pytestmark = pytest.mark.django_db

# Statements that begin and end transactions are counted too.
SUBMIT_AND_NEXT = 8
VERDICT = 3  # and the draft in one
# With candidate sets: which are asked about, in this item and in the next, and the answers about
# corpora; those once more when the rating is stored.
TALK_SUBMIT_AND_NEXT = SUBMIT_AND_NEXT + 5
TALK_VERDICT = VERDICT + 2
FIRST_ANSWER = 25
CHANGED_ANSWER = 21  # the answers and the figures before it, and the ratings that it may bring back


def small(ada: User) -> Project:
    """Two items, and nobody has rated anything."""
    project = make_project(annotators=[ada])
    for _ in range(2):
        make_item(project=project, batch=project.batches.first())
    return project


def large(ada: User) -> Project:
    """Three batches with six responses to each item; others and ada herself have rated many."""
    project = make_project(annotators=[ada], wanted=2)
    others = [make_user() for _ in range(2)]
    for batch in [make_batch(project=project) for _ in range(3)]:
        for number in range(6):
            item = make_item(
                batch=batch, responses=["One.", "Two moons.", "3?", "Four!", "Five it is.", "VI"]
            )
            for annotator in (others, [ada], [], [others[0]], [], [])[number]:
                make_rating(item=item, annotator=annotator)
    return project


@pytest.fixture(params=[small, large])
def lease(request: pytest.FixtureRequest, client: Client) -> Lease:
    """The lease that ada holds, in a session that has warmed up."""
    ada = make_user(name="ada")
    project = request.param(ada)
    client.force_login(ada)
    client.post(f"/projects/{project.slug}/desk/start/", headers=HTMX)
    lease = Lease.objects.get(annotator=ada, status=Lease.Status.LIVE)
    client.post(address(lease, "verdict"), {}, headers=HTMX)  # the rubric is read once in a process
    return lease


def address(lease: Lease, step: str) -> str:
    return f"/projects/{lease.project.slug}/desk/{lease.pk}/{step}/"


def faultless(lease: Lease) -> dict[str, str]:
    answers: dict[str, str] = {}
    for place in range(1, len(lease.responses) + 1):
        answers |= {f"r{place}.quality.{code}": value for code, value in FAULTLESS.items()}
        answers[f"r{place}.quality"] = "7"
    return answers


def queries(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        ask()
    return len(seen)


# As a page sends it.
PAGE = {"draft_writer": "0123456789abcdef", "draft_number": "1", "draft_shown": ""}


def test_submit_and_next(client: Client, lease: Lease) -> None:
    answers = faultless(lease) | PAGE
    number = queries(lambda: client.post(address(lease, "submit"), answers, headers=HTMX))
    assert Lease.objects.get(pk=lease.pk).status == Lease.Status.SUBMITTED
    assert Lease.objects.filter(annotator=lease.annotator, status=Lease.Status.LIVE).exists()
    assert number == SUBMIT_AND_NEXT


def test_a_verdict_makes_a_fixed_number_of_queries(client: Client, lease: Lease) -> None:
    answers = faultless(lease) | PAGE
    where = f"{address(lease, 'verdict')}?row=r1-quality"
    assert queries(lambda: client.post(where, answers, headers=HTMX)) == VERDICT


def test_the_texts_of_the_rubric_are_read_once_in_a_process(client: Client, lease: Lease) -> None:
    with CaptureQueriesContext(connection) as seen:
        client.post(address(lease, "verdict"), faultless(lease) | PAGE, headers=HTMX)
        client.post(address(lease, "submit"), faultless(lease) | PAGE, headers=HTMX)
    assert Lease.objects.get(pk=lease.pk).status == Lease.Status.SUBMITTED
    assert not [each["sql"] for each in seen if "dimensions" in each["sql"]]


# --- candidate sets ---


def talk(ada: User, models: int) -> Project:
    project = make_project(annotators=[ada], rubric=make_rubric(slug="dialogue"))
    said = [(f"model {number}", f"reply {place}") for number in range(models) for place in (1, 2)]
    batch = make_batch(project=project)
    for number in range(7):
        make_item(batch=batch, messages=[("user", f"turn {number}")], responses=said)
    return project


def talked(lease: Lease, models: int, *, shown: str) -> dict[str, str]:
    """`shown`: the answers about corpora that the page was shown."""
    answers = {"seen": "sets"} | PAGE
    for place in range(1, len(lease.responses) + 1):
        answers |= {f"r{place}.quality": "4", f"r{place}.coherence": "4"}
    for place in range(1, models + 1):
        answers |= {f"s{place}.diversity.set_high": "yes", f"s{place}.diversity": "4"}
        answers[f"m{place}.diversity.corpus_high"] = "yes"
        answers[f"m{place}.diversity.corpus_high.shown"] = shown
    return answers


@pytest.mark.parametrize("models", [1, 3])
def test_with_candidate_sets_it_is_as_many_however_many_models_there_are(
    client: Client, models: int
) -> None:
    ada = make_user(name="ada")
    project = talk(ada, models)
    client.force_login(ada)
    client.post(f"/projects/{project.slug}/desk/start/", headers=HTMX)
    before = Lease.objects.get(annotator=ada, status=Lease.Status.LIVE)
    client.post(address(before, "submit"), talked(before, models, shown=""), headers=HTMX)
    assert CorpusAnswer.objects.count() == models
    lease = Lease.objects.get(annotator=ada, status=Lease.Status.LIVE)
    answers, where = (
        talked(lease, models, shown="yes"),
        f"{address(lease, 'verdict')}?row=r1-quality",
    )
    verdict = queries(lambda: client.post(where, answers, headers=HTMX))
    changed = answers | {"m1.diversity.corpus_high": "no", "draft_number": "2"}
    assert queries(lambda: client.post(where, changed, headers=HTMX)) == CHANGED_ANSWER
    last = answers | {"draft_number": "3"}
    submit = queries(lambda: client.post(address(lease, "submit"), last, headers=HTMX))
    assert Lease.objects.get(pk=lease.pk).status == Lease.Status.SUBMITTED
    assert (verdict, submit) == (TALK_VERDICT, TALK_SUBMIT_AND_NEXT)


@pytest.mark.parametrize("models", [1, 3])
def test_a_corpus_answer_takes_as_many_however_many_models_there_are(
    client: Client, models: int
) -> None:
    ada = make_user(name="ada")
    project = talk(ada, models)
    client.force_login(ada)
    client.post(f"/projects/{project.slug}/desk/start/", headers=HTMX)
    lease = Lease.objects.get(annotator=ada, status=Lease.Status.LIVE)
    answers = talked(lease, models, shown="")
    for place in range(2, models + 1):
        del answers[f"m{place}.diversity.corpus_high"]
    where = f"{address(lease, 'verdict')}?row=s1-diversity"
    number = queries(lambda: client.post(where, answers, headers=HTMX))
    assert CorpusAnswer.objects.count() == 1
    assert number == FIRST_ANSWER
