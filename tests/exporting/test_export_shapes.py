"""The other files of an export: a row for each target rated, each target, each corpus answer."""

from __future__ import annotations

import csv
import io
import statistics
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from annotators.models import User
from rubrics.models import Rubric
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import Submission, SubmittedScore
from tasks.exporting.columns import CORPUS_ANSWERS, RATINGS
from tasks.exporting.filters import Refused
from tasks.exporting.options import Shape
from tasks.models import CorpusAnswer, Lease, Placement, Project, Rating, Score
from tasks.queue.submitting import correct_rating, submit_lease

from ..exports import (
    objects_of,
    rows_of,
    text_of,
)
from ..factories import (
    NOW,
    answer_about_corpus,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)


def ratings(project: Project, **options: Any) -> list[dict[str, Any]]:
    return objects_of(project, shape=Shape.RATINGS, **options)


def items(project: Project, **options: Any) -> list[dict[str, Any]]:
    return objects_of(project, shape=Shape.ITEMS, **options)


def answers(project: Project, **options: Any) -> list[dict[str, Any]]:
    return objects_of(project, shape=Shape.CORPUS_ANSWERS, **options)


def give(dimension: str, value: int, **given: Any) -> SubmittedScore:
    """A score as a submission has it."""
    usual: dict[str, Any] = {"unit": "response", "response": None, "model": "", "position": 1}
    none: dict[str, Any] = {"open": (), "clauses": (), "remarks": ()}
    said = SlotAnswers.stored(value, dict(given.pop("checks", ())))
    return SubmittedScore(dimension=dimension, value=value, answers=said, **usual | none | given)


@pytest.fixture
def dialogue(talk: Project, ada: User) -> Project:
    """A dialogue whose two replies and whose candidate set `ada` has scored."""
    item = talk.items.order_by("position")[0]
    lease = make_lease(item=item, annotator=ada)
    first, second = lease.responses
    lines = (("contradicts", "yes"), ("contradicts.lines", "1,3"))
    submit_lease(
        lease,
        Submission(
            scores=(
                give("quality", 3, response=first, checks=(("short", "yes"),)),
                give("quality", 5, response=second, position=2),
                give("consistency", 1, response=first, checks=lines),
                give("diversity", 4, unit="candidate_set", model="gull"),
            ),
            comments=((first, "too short"),),
            comment="of the item",
        ),
        now=NOW,
    )
    return talk


# --- ratings ---


def test_a_target_is_a_row_with_all_its_scores_and_checks(dialogue: Project) -> None:
    first, second, candidates = ratings(dialogue)
    told = ("unit", "target", "model", "position", "quality", "consistency", "diversity", "comment")
    assert [[row[name] for name in told] for row in (first, second, candidates)] == [
        ["response", "1", "gull", 1, 3, 1, None, "too short"],
        ["response", "2", "gull", 2, 5, None, None, None],
        ["candidate_set", "gull", "gull", 1, None, None, 4, None],
    ]
    assert {row["item_comment"] for row in (first, second, candidates)} == {"of the item"}
    said = ("quality.short", "consistency.contradicts", "consistency.contradicts.lines")
    assert [first[name] for name in said] == ["yes", "yes", "1,3"]
    assert [second[name] for name in said] == [None, None, None]


def test_dimensions_and_their_checks_are_columns_in_the_order_of_the_rubric(
    dialogue: Project,
) -> None:
    wanted = []
    for dimension in dialogue.rubric.schema.dimensions:
        wanted.append(dimension.code)
        for check in dimension.checks:
            if check.scope != "corpus":
                wanted.append(f"{dimension.code}.{check.code}")
            if check.marks_persona:
                wanted.append(f"{dimension.code}.{check.code}.lines")
    header = text_of(dialogue, shape=Shape.RATINGS).split("\n")[0].split(",")
    others = [column.name for column in RATINGS]
    place = others.index("position") + 1
    assert header == [*others[:place], *wanted, *others[place:]]
    assert "diversity.corpus_high" not in header


def test_several_versions_of_a_rubric_have_all_their_columns(ada: User) -> None:
    old = make_rubric()
    project = make_project(rubric=old)
    make_rating(item=make_item(project=project, responses=["x"]), annotator=ada)
    dimensions = [{**dimension} for dimension in old.dimensions]
    checks = dimensions[0]["checks"]
    dimensions[0]["checks"] = [checks[1], {**checks[0], "code": "brand_new"}, *checks[2:]]
    fields = ("slug", "title", "summary", "language", "guidance")
    newer = Rubric.objects.create(
        **{name: getattr(old, name) for name in fields},
        dimensions=dimensions,
        version=2,
        published_at=NOW,
    )
    Rating.objects.update(rubric=newer)
    make_rating(item=make_item(project=project, responses=["x"]), annotator=ada)
    header = text_of(project, shape=Shape.RATINGS).split("\n")[0].split(",")
    place = header.index("quality")
    names = [checks[1]["code"], "brand_new", *(check["code"] for check in checks[2:])]
    assert header[place + 1 : place + 1 + len(checks) + 1] == [
        f"quality.{name}" for name in (*names, checks[0]["code"])
    ]
    assert [row["rubric_version"] for row in ratings(project)] == [2, 1]


def test_a_row_has_the_scores_of_its_rating_alone(project: Project, ada: User, ben: User) -> None:
    item = make_item(project=project)
    first = make_rating(item=item, annotator=ada, values={1: 5, 2: 6})
    make_rating(item=item, annotator=ben, values={1: 4, 2: 7}, order=[2, 1])
    told = ("annotator", "target", "position", "quality", "revision")
    assert [[row[name] for name in told] for row in ratings(project)] == [
        ["ada", "1", 1, 5, 1],
        ["ada", "2", 2, 6, 1],
        ["ben", "2", 1, 7, 1],
        ["ben", "1", 2, 4, 1],
    ]
    assert first.lease
    correct_rating(
        first, make_submission(lease=first.lease, values={1: 3, 2: 6}), based_on=1, now=NOW
    )
    mine = {"annotators": ("ada",)}
    assert [row["quality"] for row in ratings(project, **mine)] == [3, 6]
    assert [row["quality"] for row in ratings(project, revisions=True, **mine)] == [5, 6, 3, 6]


def test_filters_texts_and_metadata_are_those_of_the_scores(project: Project, ada: User) -> None:
    item = make_item(
        project=project, responses=[("wren", "x"), ("heron", "y")], metadata={"lang": "en"}
    )
    make_rating(item=item, annotator=ada, facts=[(2, "Mars", "holds", "")])
    (row,) = ratings(project, models=("heron",), texts=True)
    assert (row["target"], row["response"], row["meta.lang"]) == ("2", "y", "en")
    assert row["facts"][0]["claim"] == "Mars"
    assert row["candidates"] is None


def test_a_candidate_set_has_the_texts_of_its_candidates(dialogue: Project) -> None:
    *_, row = ratings(dialogue, texts=True)
    assert row["candidates"] == ["reply 0", "other 0"]
    assert row["response"] is None
    assert [row["candidates"] for row in items(dialogue, texts=True)[:1]] == [None]


# --- items ---


def test_a_target_is_a_row_for_each_dimension_with_figures_of_its_scores(
    project: Project,
) -> None:
    item = make_item(
        batch=make_batch(project=project, name="first"),
        external_id="egg-1",
        responses=[("wren", "x"), ("heron", "y")],
        metadata={"lang": "en"},
        wanted=4,
    )
    for first, second in ((4, 7), (5, 7), (4, 6), (7, 6)):
        make_rating(item=item, annotator=make_user(), values={1: first, 2: second})
    assert text_of(project, shape=Shape.ITEMS) == (
        "project,batch,item,unit,target,model,dimension,n,mean,median,sd,majority,final,final_source,changed_since,"
        "decided_by,cause,reason,decided_at,decided_version,rubric,"
        "rubric_version,warning,batch_warning,meta.lang\n"
        "eggs,first,egg-1,response,1,wren,quality,4,5,4.5,1.414213562373095,4,,open,,,,,,,"
        "response-quality,1,,,en\n"
        "eggs,first,egg-1,response,2,heron,quality,4,6.5,6.5,0.5773502691896257,,6,near,,,,,,,"
        "response-quality,1,,,en\n"
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=st.lists(st.integers(1, 7), min_size=1, max_size=8))
def test_the_figures_are_those_of_the_standard_library(project: Project, values: list[int]) -> None:
    item = make_item(project=project, responses=["x"], wanted=len(values))
    try:
        for value in values:
            make_rating(item=item, annotator=make_user(), values={1: value})
        (row,) = items(project)
        most = statistics.multimode(values)
        assert (row["n"], row["median"]) == (len(values), statistics.median(values))
        assert row["mean"] == pytest.approx(statistics.fmean(values))
        assert row["majority"] == (most[0] if len(most) == 1 else None)
        spread = pytest.approx(statistics.stdev(values)) if values[1:] else None
        assert row["sd"] == spread
    finally:
        for model in (Score, Placement, Rating, Lease):
            model.objects.all().delete()
        item.responses.all().delete()
        item.delete()


def test_only_current_ratings_that_count_are_in_the_figures(
    project: Project, ada: User, ben: User
) -> None:
    item = make_item(project=project, responses=["x"], wanted=1)
    first = make_rating(item=item, annotator=ada, values={1: 5})
    assert first.lease
    correct_rating(first, make_submission(lease=first.lease, values={1: 6}), based_on=1, now=NOW)
    late = make_lease(item=item, annotator=ben, status="expired", ended_at=NOW)
    submit_lease(late, make_submission(lease=late, values={1: 1}), now=NOW)
    assert [(row["n"], row["mean"], row["majority"]) for row in items(project)] == [(1, 6.0, 6)]


def test_targets_come_in_the_order_of_the_upload_sets_last(dialogue: Project) -> None:
    told = ("target", "unit", "dimension", "mean")
    assert [tuple(row[name] for name in told) for row in items(dialogue)] == [
        ("1", "response", "consistency", 1),
        ("1", "response", "quality", 3),
        ("2", "response", "quality", 5),
        ("gull", "candidate_set", "diversity", 4),
    ]


def test_versions_of_a_rubric_are_not_mixed(project: Project, ada: User, ben: User) -> None:
    item = make_item(project=project, responses=["x"])
    make_rating(item=item, annotator=ada, values={1: 5})
    second = make_rating(item=item, annotator=ben, values={1: 7})
    newer = Rubric.objects.create(
        slug="response-quality", version=2, title="t", summary="s", published_at=NOW
    )
    Rating.objects.filter(pk=second.pk).update(rubric=newer)
    assert [(row["rubric_version"], row["n"], row["mean"]) for row in items(project)] == [
        (1, 1, 5),
        (2, 1, 7),
    ]


def test_filters_say_whose_scores_are_in_the_figures(
    project: Project, ada: User, ben: User
) -> None:
    item = make_item(project=project, responses=[("wren", "x"), ("heron", "y")])
    make_rating(item=item, annotator=ada, values={1: 5, 2: 4})
    make_rating(item=item, annotator=ben, values={1: 7, 2: 6}, now=NOW + timedelta(days=1))
    assert [row["mean"] for row in items(project)] == [6, 5]
    assert [row["mean"] for row in items(project, annotators=("ben",))] == [7, 6]
    assert [row["mean"] for row in items(project, models=("heron",))] == [5]
    assert [row["n"] for row in items(project, until=date(2026, 3, 2))] == [1, 1]


# --- corpus answers ---


def test_corpus_answers_are_a_file_of_their_own(talk: Project, ada: User, ben: User) -> None:
    batch = talk.batches.get()
    answer_about_corpus(batch, ada, "yes", now=NOW)
    answer_about_corpus(batch, ben, "yes", now=NOW)
    answer_about_corpus(batch, ada, "no", now=NOW + timedelta(hours=1))
    columns = ",".join(column.name for column in CORPUS_ANSWERS)
    lines = text_of(talk, shape=Shape.CORPUS_ANSWERS).split("\n")
    assert lines == [
        columns,
        f"talk,{batch.name},gull,diversity,corpus_high,yes,ben,1,2026-03-02T09:00:00.000000Z",
        f"talk,{batch.name},gull,diversity,corpus_high,no,ada,2,2026-03-02T10:00:00.000000Z",
        "",
    ]
    every = answers(talk, revisions=True)
    assert [(row["annotator"], row["answer"]) for row in every] == [
        ("ada", "yes"),
        ("ben", "yes"),
        ("ada", "no"),
    ]
    told = [row["annotator"] for row in answers(talk, pseudonyms=True, annotators=("ada",))]
    assert told == ["rater-1"]
    assert answers(talk, since=date(2026, 3, 3)) == answers(make_project()) == []
    assert CorpusAnswer.objects.count() == 3


@pytest.mark.parametrize(
    ("shape", "options"),
    [
        (Shape.ITEMS, {"kinds": ("extra",)}),
        (Shape.ITEMS, {"revisions": True}),
        (Shape.CORPUS_ANSWERS, {"kinds": ("extra",)}),
        (Shape.CORPUS_ANSWERS, {"texts": True}),
    ],
)
def test_an_option_that_means_nothing_for_a_file_is_refused(
    project: Project, shape: Shape, options: Any
) -> None:
    with pytest.raises(Refused, match=f"can’t be chosen for the file “{shape}”"):
        text_of(project, shape=shape, **options)


@pytest.mark.parametrize("shape", Shape)
def test_every_file_of_a_project_without_ratings_is_its_header(
    project: Project, shape: Shape
) -> None:
    (header,) = csv.reader(io.StringIO(text_of(project, shape=shape)))
    assert header[0] == "project"
    assert rows_of(project, shape=shape) == []
