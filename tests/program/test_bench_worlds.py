"""What the bench makes by SQL alone is what ordinary use would have left behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import F

from benchmarks import agreement, export_scores, overview, queued
from benchmarks.bulk import check_counts, in_bulk
from benchmarks.frame import SMALL
from benchmarks.place import Place
from config.web.raw_sql import all_rows, run
from rubrics.judging import rules
from rubrics.judging.verdict import Verdict
from tasks.models import (
    Batch,
    BatchProgress,
    Item,
    ItemEntry,
    Lease,
    Membership,
    Placement,
    Project,
    Rating,
    Score,
)
from tasks.models.progress import progress_of
from tests.factories import make_batch, make_item, make_project, make_user

pytestmark = pytest.mark.django_db

OWN = "FROM tasks_{} WHERE project_id = %(project)s"
AGAIN = "INSERT INTO tasks_{0} SELECT * FROM old_{0} ORDER BY id"
SIZES = replace(SMALL, queue_items=120, queue_small=120, queue_own=5)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Where the makers work, here with the tests' database, and fewer people in it."""
    for name, number in (("LENT", 20), ("OPEN", 30), ("TAKEN", 20)):
        monkeypatch.setattr(queued, name, number)
    return Place(tmp_path, SIZES)


def queue(place: Place) -> None:
    place.made["queued"] = queued.make(place)


def nearly_done(place: Place) -> None:
    queue(place)
    queued.finish(place)


WORLDS: dict[str, tuple[Callable[[Place], Any], tuple[str, ...]]] = {
    "queued": (queue, (queued.LARGE, queued.SMALL)),
    "nearly done": (nearly_done, (queued.LARGE,)),
    "agreed": (agreement.make, (agreement.SLUG,)),
    "exported": (export_scores.make_many, (export_scores.LARGE,)),
    "overviewed": (overview.make, (overview.SLUG,)),
}


@pytest.mark.parametrize("world", WORLDS)
def test_the_counts_are_those_that_the_triggers_keep_of_the_same_rows(
    place: Place, world: str
) -> None:
    make, slugs = WORLDS[world]
    make(place)
    for project in Project.objects.filter(slug__in=slugs):
        made = kept(project)
        store_again(project)
        assert kept(project) == made


def kept(project: Project) -> dict[str, Any]:
    """All that triggers keep of a project's rows."""
    return {
        "items": [*Item.objects.filter(project=project).values_list("pk", "counted", "reserved")],
        "entries": [*ItemEntry.objects.filter(project=project).order_by("pk").values()],
        "seats": [
            *BatchProgress.objects.filter(project=project, rated__gt=0)
            .order_by("batch", "annotator")
            .values_list("batch", "annotator", "rated", "dropped", "counted")
        ],
        "batches": [
            (each.pk, each.size, each.wanted, each.item_count, each.finished_count, each.counted)
            for each in project.batches.with_progress()
        ],
        "progress": progress_of(project),
    }


def store_again(project: Project) -> None:
    """Delete what there is, and store the same rows while the triggers count."""
    values = {"project": project.pk}
    for table in ("item", "lease", "rating"):
        run(f"CREATE TEMP TABLE old_{table} AS SELECT * " + OWN.format(table), values)
    for table in ("batchprogress", "itementry", "rating", "lease", "item"):
        run("DELETE " + OWN.format(table), values)
    Batch.objects.filter(project=project).update(size=0, wanted=0, finished=0)
    run("UPDATE old_item SET counted = 0, reserved = 0", [])
    for table in ("item", "rating", "lease"):
        run(AGAIN.format(table), [])
        run(f"DROP TABLE old_{table}", [])


def test_the_large_queue_is_as_the_measures_want_it(place: Place) -> None:
    queue(place)
    people = place.made["queued"]
    project = Project.objects.get(slug=queued.LARGE)
    items = Item.objects.filter(project=project)
    assert items.count() == 120
    assert items.filter(counted=2).count() == 60
    assert items.filter(counted=1).count() == 40
    assert items.filter(reserved__gt=0).count() > 0
    assert Lease.objects.filter(project=project, status="live").count() == queued.LENT
    own = Rating.objects.filter(project=project, annotator=people[queued.VETERAN])
    in_queue = items.filter(counted=1).order_by("-batch__priority", "batch__position", "position")
    assert {each.item_id for each in own} == {each.pk for each in in_queue[:5]}
    assert not Rating.objects.filter(annotator=people[queued.FRESH]).exists()


def test_of_the_nearly_finished_queue_as_much_is_open_as_said(place: Place) -> None:
    nearly_done(place)
    late = place.made["queued"][queued.LATE]
    items = Item.objects.filter(project__slug=queued.LARGE, counted__lt=F("wanted"))
    assert items.count() == queued.OPEN
    leased = items.filter(reserved=1)
    own = items.filter(ratings__annotator=late)
    assert leased.count() == own.count() == queued.TAKEN // 2
    assert not leased.filter(pk__in=own.values("pk")).exists()
    seats = BatchProgress.objects.filter(project__slug=queued.LARGE, annotator=late)
    assert sum(seat.rated for seat in seats) == queued.TAKEN // 2


def test_a_score_is_as_its_answers_decide_and_stands_where_its_lease_showed_it(
    place: Place,
) -> None:
    export_scores.make_many(place)
    [dimension] = Project.objects.get(slug=export_scores.LARGE).rubric.schema.dimensions
    scores = Score.objects.select_related("rating__lease", "response")
    assert scores.count() >= SIZES.exported_many
    for score in scores:
        verdict = rules.judge(dimension, dimension.facts_of_answers(score.checks))
        assert isinstance(verdict, Verdict)
        assert score.open == list(verdict.open)
        assert score.clauses == sorted({reason.clause for reason in verdict.acting_reasons})
        assert score.value in verdict.open
        lease = score.rating.lease
        assert lease is not None
        assert score.response is not None
        assert lease.responses[score.position - 1] == score.response_id
        assert lease.model_names[score.position - 1] == score.model == score.response.model
        assert score.response.item_id == score.rating.item_id == lease.item_id
    placed = Placement.objects.values_list("rating", "response", "position")
    assert {*placed} == {*scores.values_list("rating", "response", "position")}
    assert len({score.value for score in scores}) > 1
    assert len({(score.position, score.model) for score in scores}) == 9


def test_a_study_uses_the_whole_scale_over_twelve_weeks(place: Place) -> None:
    agreement.make(place)
    scores = Score.objects.filter(project__slug=agreement.SLUG)
    assert {*scores.values_list("value", flat=True)} == set(range(1, 8))
    assert len({each.submitted_at.date() for each in Rating.objects.all()}) == 12


def test_a_wrong_count_is_an_error_that_says_which() -> None:
    project = make_project(wanted=2)
    batch = make_batch(project=project)
    item = make_item(batch=batch)
    annotator = make_user()
    project.admit(annotator, role=Membership.Role.ANNOTATOR)
    check_counts(project)
    for change, back, said in (
        ({"counted": 1}, {"counted": 0}, "wrong items, such as"),
        ({"reserved": 1}, {"reserved": 0}, "wrong items, such as"),
    ):
        Item.objects.update(**change)
        with pytest.raises(RuntimeError, match=said):
            check_counts(project)
        Item.objects.update(**back)
    Batch.objects.update(size=F("size") + 1)
    with pytest.raises(RuntimeError, match="wrong sizes of batches"):
        check_counts(project)
    Batch.objects.update(size=F("size") - 1, finished=1)
    with pytest.raises(RuntimeError, match="a recount tells"):
        check_counts(project)
    seat = BatchProgress.objects.create(project=project, batch=batch, annotator=annotator, rated=1)
    with pytest.raises(RuntimeError, match="wrong seats"):
        check_counts(project)
    seat.delete()
    ItemEntry.objects.filter(item_id=item.pk).delete()
    with pytest.raises(RuntimeError, match="items without an entry"):
        check_counts(project)


def test_after_the_rows_all_indexes_are_there_and_triggers_work_again() -> None:
    indexes = "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2"
    rules = "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2"
    before = all_rows(indexes, []), all_rows(rules, [])
    with in_bulk(Item, Rating, Score):
        assert len(all_rows(indexes, [])) < len(before[0])
        assert all_rows("SHOW session_replication_role", []) == [("replica",)]
    assert (all_rows(indexes, []), all_rows(rules, [])) == before
    assert all_rows("SHOW session_replication_role", []) == [("origin",)]
    connection.check_constraints()
