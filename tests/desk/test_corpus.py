"""What a model said in a batch, as an annotator may look through it before judging it (DQ-11)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast
from unittest.mock import patch

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotators.desk.corpus_texts import Corpus, CorpusHistory, distinct, figures
from rubrics.judging.kinds import Effect
from rubrics.judging.parts import Condition, Rule
from tasks.models import CorpusAnswer, Lease, Rating, ReturnedRating, barred_scores
from tasks.models.barred_scores import CorpusQuestion, record_answer
from tasks.rating_form.leased_item import item_view_of
from tests.factories import (
    NOW,
    answer_about_corpus,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_user,
)

DEADLINE = 20  # seconds, for what another thread does

# --- the figures, by hand ---


def test_distinct_counts_different_n_grams_over_all_words() -> None:
    texts = [["i", "do", "not", "know"], ["i", "do", "not", "think", "so"]]
    # nine words; I do not know think so; I·do do·not not·know not·think think·so
    assert distinct(texts, 1) == pytest.approx(6 / 9)
    assert distinct(texts, 2) == pytest.approx(5 / 9)


def test_distinct_of_nothing_is_0() -> None:
    assert distinct([], 1) == 0
    assert distinct([[]], 2) == 0


def test_the_most_repeated_responses_are_told_whatever_their_case() -> None:
    found = figures(["Oh nice", "oh nice", "really?", "oh  nice", ""])
    assert found.most_repeated == [("oh nice", 3)]
    assert found.responses == 5


# --- the pages ---


def make_corpus(histories: int, sample: int = 50) -> Corpus:
    project = make_project(rubric=make_rubric(slug="dialogue"))
    batch = make_batch(project=project)
    for number in range(histories):
        make_item(
            batch=batch,
            messages=[("user", f"turn {number}")],
            responses=[("gull", f"reply {number}"), ("heron", "quite another bird")],
        )
    return Corpus(batch, "gull", sample)


@pytest.mark.django_db
def test_the_first_page_is_a_sample_that_is_the_same_for_everyone() -> None:
    corpus = make_corpus(12, sample=5)
    first, again = corpus.page("m1"), Corpus(corpus.batch, "gull", 5).page("m1")
    assert first.histories == again.histories
    assert len(first.histories) == first.sample_size == 5
    assert first.total == 12


@pytest.mark.django_db
def test_the_sample_is_drawn_and_not_the_first_ones() -> None:
    drawn = [history.last_turn for history in make_corpus(40, sample=5).page("m1").histories]
    assert drawn != [f"turn {number}" for number in range(5)]


@pytest.mark.django_db
def test_the_pages_hold_every_history_once() -> None:
    corpus = make_corpus(57, sample=5)
    pages = [corpus.page("m1", number) for number in range(1, corpus.page("m1").pages + 1)]
    turns = [history.last_turn for page in pages for history in page.histories]
    assert len(pages) == 3
    assert sorted(turns) == sorted(f"turn {number}" for number in range(57))


@pytest.mark.django_db
def test_a_search_finds_turns_and_replies_of_this_model_only() -> None:
    corpus = make_corpus(6)
    assert [history.last_turn for history in corpus.page("m1", query="REPLY 3").histories] == [
        "turn 3"
    ]
    assert [history.last_turn for history in corpus.page("m1", query="turn 4").histories] == [
        "turn 4"
    ]
    assert corpus.page("m1", query="another bird").histories == []


@pytest.mark.django_db
def test_figures_go_along_only_where_the_question_is_answered() -> None:
    corpus = make_corpus(6)
    assert corpus.page("m1").figures is None
    answered = corpus.page("m1", answered=True).figures
    assert answered
    assert answered.responses == 6


@pytest.mark.django_db
def test_cached_figures_are_the_same_and_name_no_class_that_may_be_moved() -> None:
    corpus = make_corpus(6)
    cache.clear()
    made = corpus.figures()
    assert corpus.figures() == made
    [stored] = cast("Any", cache)._cache.values()
    assert b"annotators" not in stored


# --- the answers ---


@pytest.mark.django_db(transaction=True)
def test_two_answers_at_once_are_two_revisions_and_none_fails() -> None:
    """A browser that changed its mind: the first request still runs when the second arrives."""
    corpus = make_corpus(1)
    annotator = make_user()
    [dimension] = [
        part for part in make_rubric(slug="dialogue").schema.dimensions if part.code == "diversity"
    ]
    ready = threading.Barrier(4)

    def answer(given: str) -> None:
        ready.wait()
        record_answer(
            CorpusQuestion(
                annotator=annotator,
                batch=corpus.batch,
                model="gull",
                dimension=dimension,
                code="corpus_high",
            ),
            given,
            now=NOW,
        )
        connection.close()

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(answer, given) for given in ("yes", "no", "yes", "no")]:
            done.result()
    answers = list(CorpusAnswer.objects.order_by("revision").values_list("revision", "answer"))
    assert [revision for revision, _answer in answers] == list(range(1, len(answers) + 1))
    assert all(before != after for (_r, before), (_s, after) in pairwise(answers))


@pytest.mark.django_db
def test_a_rating_returned_for_several_reasons_comes_until_each_is_settled() -> None:
    project = make_project(rubric=make_rubric(slug="dialogue"))
    [dimension] = [part for part in project.rubric.schema.dimensions if part.code == "diversity"]
    item = make_item(project=project, responses=[("gull", "one"), ("heron", "two")])
    ada = make_user()
    rating = make_rating(item=item, annotator=ada)
    for position, (model, value) in enumerate((("gull", 5), ("heron", 4)), start=1):
        rating.scores.create(
            project=project,
            dimension="diversity",
            unit="candidate_set",
            model=model,
            position=position,
            value=value,
            open=[4, 5],
            checks={"corpus_high": "yes", "set_high": "yes"},
        )

    def answer(model: str, given: str) -> str:
        record_answer(
            CorpusQuestion(
                annotator=ada,
                batch=item.batch,
                model=model,
                dimension=dimension,
                code="corpus_high",
            ),
            given,
            now=NOW,
        )
        return "\n".join(
            ReturnedRating.objects.filter(settled_at=None).values_list("reason", flat=True)
        )

    assert answer("gull", "yes") == answer("heron", "yes") == ""
    assert "you can’t give 5 here" in answer("gull", "no")
    assert "you can’t give 5 here" in answer(
        "heron", "no"
    )  # the 4 stands, and settles nothing of the 5
    ReturnedRating.objects.send_back(rating, "Please look again.", cause="flag 1", now=NOW)
    assert answer("gull", "yes") == "Please look again."
    assert answer("gull", "no").startswith("Please look again.\nYou changed")
    ReturnedRating.objects.withdraw([rating.pk], cause="flag 1", now=NOW)
    assert "look again" not in answer("heron", "yes")
    assert answer("gull", "yes") == ""


@pytest.mark.django_db
def test_of_several_answers_about_a_corpus_the_one_that_bars_is_named() -> None:
    """In a lead's own rubric a dimension may ask about a corpus more than once."""
    project = make_project(rubric=make_rubric(slug="dialogue"))
    [asks_once] = [part for part in project.rubric.schema.dimensions if part.code == "diversity"]
    varied = asks_once.check("corpus_high")
    yes, no = varied.answers
    dull = replace(
        varied, code="dull", wording="Dull overall", answers=(replace(yes, sets="dull"), no)
    )
    at_most_3 = Rule(
        code="dull_at_most_3",
        effect=Effect.CAP,
        reason="Dull.",
        when=Condition(all_of=("dull",)),
        score=3,
    )
    dimension = replace(
        asks_once, checks=(*asks_once.checks, dull), rules=(*asks_once.rules, at_most_3)
    )
    rating = make_rating(
        item=make_item(project=project, responses=[("gull", "one"), ("gull", "two")])
    )
    answers = {"corpus_high": "yes", "set_high": "yes"}
    rating.scores.create(
        project=project,
        dimension="diversity",
        unit="candidate_set",
        model="gull",
        position=1,
        value=4,
        open=[4, 5],
        checks=answers,
    )

    def answer(code: str, given: str) -> str:
        record_answer(
            CorpusQuestion(
                annotator=rating.annotator,
                batch=rating.item.batch,
                model="gull",
                dimension=dimension,
                code=code,
            ),
            given,
            now=NOW,
        )
        return "\n".join(
            ReturnedRating.objects.filter(settled_at=None).values_list("reason", flat=True)
        )

    assert answer("corpus_high", "yes") == ""
    assert answer("dull", "yes").startswith("You changed “Dull overall” to yes")
    assert answer("corpus_high", "no").startswith("You changed “Dull overall” to yes")
    # In rows changed by hand it may be one that the rubric lacks.
    CorpusAnswer.objects.filter(code="corpus_high").update(answer="bogus")
    rating.scores.update(value=5)
    assert answer("dull", "no").startswith(f"You changed “{varied.wording}” to bogus.")


# --- what an answer brings back ---


def rated(number: int, value: int, **checks: str) -> list[Rating]:
    """So many ratings of ada's in one batch, each with the same score of one model's set."""
    project = make_project(rubric=make_rubric(slug="dialogue"))
    batch, ada = make_batch(project=project), make_user()
    responses = [("gull", "one"), ("gull", "two")]
    ratings = [
        make_rating(item=make_item(batch=batch, responses=responses), annotator=ada)
        for _ in range(number)
    ]
    for rating in ratings:
        score_set(rating, value, **checks)
    return ratings


def score_set(rating: Rating, value: int, **checks: str) -> None:
    rating.scores.create(
        project_id=rating.project_id,
        dimension="diversity",
        unit="candidate_set",
        model="gull",
        position=1,
        value=value,
        open=[value],
        checks={"corpus_high": "yes", "set_high": "yes"} | checks,
    )


def answer_of(rating: Rating, given: str) -> None:
    """Answer anew what its batch is like."""
    answer_about_corpus(rating.item.batch, rating.annotator, given, now=NOW)


def waiting() -> set[int]:
    return set(ReturnedRating.objects.filter(settled_at=None).values_list("rating", flat=True))


def corrected(rating: Rating, value: int) -> Rating:
    """A correction of a rating, with another score, stored by another process's connection."""

    def store() -> Rating:
        try:
            revised = Rating.objects.create(
                project_id=rating.project_id,
                item_id=rating.item_id,
                annotator_id=rating.annotator_id,
                rubric_id=rating.rubric_id,
                revision=2,
                supersedes=rating,
                elapsed_seconds=0,
                started_at=NOW,
                submitted_at=NOW,
            )
            score_set(revised, value)
            return revised
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(store).result(timeout=DEADLINE)


@pytest.mark.django_db
@pytest.mark.parametrize(("value", "most"), [(4, 14), (5, 20)])  # which stands, and which is barred
def test_a_revision_looks_at_all_that_was_scored_with_as_many_queries_as_at_one(
    value: int, most: int
) -> None:
    counts: set[tuple[int, ...]] = set()
    for number in (1, 30):
        ratings = rated(number, value)
        answer_of(ratings[0], "yes")
        found = []
        for given in ("no", "yes"):
            with CaptureQueriesContext(connection) as queries:
                answer_of(ratings[0], given)
            found.append(len(queries))
            came_back = {rating.pk for rating in ratings} if (value, given) == (5, "no") else set()
            assert waiting() == came_back
        counts.add(tuple(found))
    assert len(counts) == 1
    assert max(max(each) for each in counts) == most


@pytest.mark.django_db
def test_ratings_returned_for_a_corpus_answer_keep_their_other_reasons() -> None:
    first, second, third = ratings = rated(3, 5)
    answer_of(first, "yes")
    ReturnedRating.objects.send_back(first, "Look again.", cause="lead", now=NOW)
    ReturnedRating.objects.send_back(second, "Once more.", cause="lead", now=NOW)
    ReturnedRating.objects.withdraw([second.pk], cause="lead", now=NOW)
    answer_of(first, "no")
    reasons = dict(ReturnedRating.objects.values_list("rating", "reason"))
    assert waiting() == {rating.pk for rating in ratings}
    assert reasons[first.pk].startswith("Look again.\nYou changed")
    assert reasons[second.pk].startswith("You changed")
    answer_of(first, "yes")
    assert waiting() == {first.pk}
    assert ReturnedRating.objects.get(rating=first).reason == "Look again."
    assert ReturnedRating.objects.get(rating=third).settled_at == NOW


@pytest.mark.django_db
def test_of_what_is_sent_back_that_which_was_corrected_stays() -> None:
    first, second = rated(2, 5)
    Rating.objects.filter(pk=second.pk).update(revision=2, supersedes=first)
    ReturnedRating.objects.send_all_back({first.pk: "One", second.pk: "Two"}, cause="gull", now=NOW)
    assert waiting() == {second.pk}


@pytest.mark.django_db(transaction=True)
def test_a_correction_that_is_stored_while_an_answer_is_recorded_is_held_against_it() -> None:
    """Its scores were looked at, and it is not committed yet: neither sees the other."""
    [rating] = rated(1, 4)
    answer_of(rating, "yes")
    send_back = barred_scores._send_back
    revised: list[Rating] = []

    def and_then_it_is_corrected(*args: Any) -> None:
        send_back(*args)
        if not revised:
            revised.append(corrected(rating, 5))

    with patch.object(barred_scores, "_send_back", and_then_it_is_corrected):
        answer_of(rating, "no")
    assert waiting() == {revised[0].pk}


@pytest.mark.django_db
def test_an_answer_and_what_it_brings_back_are_committed_together() -> None:
    [rating] = rated(1, 5)
    answer_of(rating, "yes")
    with (
        patch.object(barred_scores, "send_barred_back", side_effect=SystemError("killed")),
        pytest.raises(SystemError, match="killed"),
    ):
        answer_of(rating, "no")
    assert waiting() == {rating.pk}


# --- the sets on the desk ---


def shown_sets(models: int, histories: int) -> tuple[list[str], int]:
    """The models that a desk shows a set of, each with two candidates and so many other histories,
    and the number of queries that it took."""
    project = make_project(rubric=make_rubric(slug="dialogue"))
    batch = make_batch(project=project)
    said = [(f"model {number}", f"reply {place}") for number in range(models) for place in (1, 2)]
    item, *_others = [make_item(batch=batch, responses=said) for _ in range(1 + histories)]
    make_item(project=project, responses=said)  # in another batch, which does not count
    lease = Lease.objects.select_related("project__rubric").get(
        pk=make_lease(item=item, annotator=make_user()).pk
    )
    item_view_of(lease)
    with CaptureQueriesContext(connection) as queries:
        desk = item_view_of(lease)
    return [shown.model for shown in desk.sets], len(queries)


@pytest.mark.django_db
def test_dq_11_a_set_is_shown_from_five_other_histories_of_the_batch_on() -> None:
    assert shown_sets(1, 4)[0] == []
    assert shown_sets(1, 5)[0] == ["model 0"]


@pytest.mark.django_db
def test_the_desk_asks_once_however_many_models_there_are() -> None:
    one, three = shown_sets(1, 5), shown_sets(3, 5)
    assert len(three[0]) == 3
    assert one[1] == three[1]


@pytest.mark.django_db
def test_a_history_that_has_a_warning_shows_that_and_no_text() -> None:
    corpus = make_corpus(2)
    item = corpus.batch.items.get(messages__0__text="turn 1")
    item.warning = "Blood."
    item.save()
    found = sorted(corpus.page("m1").histories, key=lambda history: history.warning)
    assert found == [
        CorpusHistory("turn 0", ["reply 0"]),
        CorpusHistory(warning="Blood."),
    ]
