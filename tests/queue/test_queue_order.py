"""What a lead sets for a project: in which order items come, how often, to whom, and groups of
them."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, strategies as st

from annotators.models import User
from tasks.importing.batches.loading import FileToLoad, load_batch
from tasks.models import Batch, Item, Project
from tasks.models.progress import items_rated
from tasks.queue.allocation import take_next
from tasks.queue.availability import availability_of, next_return, wait_in
from tasks.queue.permutation import permuted
from tasks.queue.selection import LAST, LAST_GROUPS, PositionRange, pick
from tasks.queue.submitting import submit_lease

from ..factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_submission,
    make_user,
)

MINUTE = timedelta(minutes=1)


def fill(project: Project, *names: str, **fields: Any) -> Batch:
    """A batch with items of these names, in this order, each with a prompt of its own."""
    batch = make_batch(project=project, **fields)
    for position, name in enumerate(names):
        make_item(batch=batch, external_id=name, position=position, prompt=name, responses=["x"])
    return batch


def rate_all(project: Project, annotator: User, *, most: int = 1_000) -> list[str]:
    """The items that an annotator gets, one after the other, rating each."""
    found: list[str] = []
    while len(found) < most and (lease := take_next(project, annotator, now=NOW)):
        found.append(lease.item.external_id)
        submit_lease(lease, make_submission(lease=lease), now=NOW)
    return found


# --- the permutation ---


@given(st.binary(max_size=64), st.integers(1, 300))
def test_a_permutation_takes_every_place_once(key: bytes, size: int) -> None:
    assert sorted(permuted(key, size, number) for number in range(size)) == list(range(size))


def test_permutations_of_two_keys_do_not_go_together() -> None:
    size = 2_000
    first, second = (
        [permuted(key, size, number) for number in range(size)] for key in (b"7/1", b"7/2")
    )
    assert abs(correlation(first, second)) < 0.1
    assert abs(correlation(first, list(range(size)))) < 0.1


@pytest.mark.parametrize("number", [-1, 5])
def test_a_number_beyond_the_places_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"{number} is no place among 5"):
        permuted(b"", 5, number)


def correlation(first: list[int], second: list[int]) -> float:
    """Spearman's, of two orders without ties."""
    size = len(first)
    squares = sum((a - b) ** 2 for a, b in zip(first, second, strict=True))
    return 1 - 6 * squares / (size * (size**2 - 1))


# --- order ---


def test_batches_come_as_uploaded_but_for_those_that_are_first_or_last(ada: User) -> None:
    project = make_project()
    fill(project, "a", "b", rank=Batch.Rank.LAST)
    fill(project, "c")
    fill(project, "d", priority=9)
    fill(project, "e", rank=Batch.Rank.FIRST)
    assert rate_all(project, ada) == ["e", "c", "d", "a", "b"]


def test_by_priority_batches_of_the_greatest_come_first(ada: User) -> None:
    project = make_project(order=Project.Order.PRIORITY)
    fill(project, "a", priority=-1)
    fill(project, "b", "c")
    fill(project, "d", priority=9)
    fill(project, "e", rank=Batch.Rank.LAST, priority=99)
    assert rate_all(project, ada) == ["d", "b", "c", "a", "e"]


def test_shuffled_everyone_gets_every_item_once_in_an_order_of_their_own(
    ada: User, ben: User
) -> None:
    project = make_project(
        order=Project.Order.SHUFFLED, annotators=[ada, ben], wanted=2, seed=3, lease_minutes=5
    )
    names = [f"{batch}{number}" for batch in "ab" for number in range(75)]
    fill(project, *names[:75])
    fill(project, *names[75:])
    orders = [rate_all(project, annotator) for annotator in (ada, ben)]
    assert [sorted(order) for order in orders] == [sorted(names)] * 2
    places = [[order.index(name) for name in names] for order in orders]
    uploaded = list(range(150))
    for one, other in ((places[0], places[1]), (places[0], uploaded), (places[1], uploaded)):
        assert abs(correlation(one, other)) < 0.25  # of 150; the permutation itself is held to 0.1


def test_shuffled_the_ranks_are_kept_and_what_comes_back_is_found_again(
    ada: User, ben: User
) -> None:
    project = make_project(order=Project.Order.SHUFFLED, annotators=[ada, ben], wanted=1)
    fill(project, "a", "b", "c", rank=Batch.Rank.LAST)
    fill(project, "d", "e", "f", rank=Batch.Rank.FIRST)
    held = take_next(project, ben, now=NOW)
    assert held is not None
    order = rate_all(project, ada)
    assert (set(order[:2]) | {held.item.external_id}, set(order[2:])) == ({*"def"}, {*"abc"})
    held.release(now=NOW)
    assert rate_all(project, ada) == [held.item.external_id]


# --- the cursor is a hint, and nothing is missed for it ---


def test_an_item_given_back_behind_the_current_position_is_handed_out(ada: User, ben: User) -> None:
    project = make_project(wanted=1)
    fill(project, "a", "b", "c")
    first = take_next(project, ben, now=NOW)
    assert first is not None
    assert rate_all(project, ada, most=1) == ["b"]
    first.release(now=NOW)
    assert rate_all(project, ada) == ["c", "a"]


def test_items_that_want_one_more_rating_come_from_the_beginning(ada: User, ben: User) -> None:
    project = make_project(wanted=1)
    fill(project, "a", "b", "c")
    rate_all(project, ada, most=2)
    assert rate_all(project, ben) == ["c"]
    project.change(wanted=2)
    assert rate_all(project, ben) == ["a", "b"]


def test_items_that_want_no_more_ratings_are_handed_out_no_more(ada: User, ben: User) -> None:
    project = make_project(wanted=2)
    fill(project, "a", "b")
    rate_all(project, ada)
    project.change(wanted=1)
    assert rate_all(project, ben) == []
    [progress] = project.batches.with_progress()
    assert (progress.finished_count, progress.counted, progress.wanted) == (2, 2, 2)


# --- partial overlap ---


def upload(project: Project, count: int, **changes: Any) -> Batch:
    rows = [
        {"id": f"i{number}", "prompt": "p", "response": "r", **changes} for number in range(count)
    ]
    file = BytesIO("\n".join(map(json.dumps, rows)).encode())
    return load_batch(FileToLoad(project, file, file_name="i.jsonl", now=NOW, report=print)).batch


def overlapping(project: Project) -> set[str]:
    return set(project.items.filter(wanted=3).values_list("external_id", flat=True))


def test_a_part_of_the_items_drawn_by_the_seed_is_wanted_more_often(db: None) -> None:
    projects = [
        make_project(wanted=1, seed=seed, overlap_percent=20, overlap_wanted=3)
        for seed in (7, 7, 8)
    ]
    for project, count in zip(projects, (1_000, 200, 200), strict=True):
        batch = upload(project, count)
        batch.refresh_from_db()
        assert batch.wanted == count + 2 * len(overlapping(project))
        assert set(project.items.values_list("wanted", flat=True)) == {1, 3}
    many, *few = [overlapping(project) for project in projects]
    assert many & {f"i{number}" for number in range(200)} == few[0] != few[1]
    assert 0.17 < len(many) / 1_000 < 0.23


def test_a_part_that_is_set_later_is_the_same_and_grows_without_another_draw(db: None) -> None:
    project, before = make_project(wanted=1), make_project(wanted=1, overlap_percent=20)
    for each in (project, before):
        upload(each, 300)
    project.change(wanted=1, overlap_percent=20, overlap_wanted=3)
    assert overlapping(project) == overlapping(before)
    project.change(overlap_percent=40)
    assert overlapping(project) > overlapping(before)
    project.change(wanted=2, overlap_percent=0)
    assert set(project.items.values_list("wanted", flat=True)) == {2}


# --- batches that are somebody's, or rest ---


def test_a_batch_with_people_assigned_is_theirs_alone(ada: User, ben: User) -> None:
    project = make_project()
    fill(project, "everybody's")
    fill(project, "ada's").assignments.create(annotator=ada)
    assert rate_all(project, ben) == ["everybody's"]
    assert rate_all(project, ada) == ["everybody's", "ada's"]


def test_a_batch_that_is_paused_rests_until_it_goes_on(ada: User) -> None:
    project = make_project()
    batch = fill(project, "a", status=Batch.Status.PAUSED)
    assert rate_all(project, ada) == []
    batch.change(status="open", rank=0, priority=0, annotators=())
    assert rate_all(project, ada) == ["a"]


def test_a_paused_batch_assigned_to_others_is_no_work_to_wait_for(ada: User, ben: User) -> None:
    project = make_project()
    batch = fill(project, "a", status=Batch.Status.PAUSED)
    fill(project, "b", status=Batch.Status.PAUSED)
    for one in project.batches.all():
        one.assignments.create(annotator=ada)
    with CaptureQueriesContext(connection) as asked:
        assert [wait_in(project, person, Batch.Status.PAUSED) for person in (ada, ben)] == [
            True,
            False,
        ]
    assert len(asked) == 3  # however many batches
    assert batch.project == project


# --- groups ---


def twins(project: Project) -> None:
    """Four items: two that show the same, twice."""
    batch = make_batch(project=project)
    for position, (name, prompt) in enumerate({"a1": "A", "a2": "A", "b1": "B", "b2": "B"}.items()):
        make_item(batch=batch, external_id=name, position=position, prompt=prompt, responses=["x"])


def test_spread_an_annotator_gets_one_item_of_a_group(ada: User, ben: User) -> None:
    project = make_project(wanted=1)
    twins(project)
    project.change(grouping=Project.Grouping.SPREAD)
    assert rate_all(project, ada) == ["a1", "b1"]
    assert rate_all(project, ben) == ["a2", "b2"]


def test_all_items_of_a_group_that_goes_together_go_to_the_same_annotators(
    ada: User, ben: User
) -> None:
    project = make_project(wanted=1)
    twins(project)
    project.change(grouping=Project.Grouping.TOGETHER)
    assert rate_all(project, ada, most=1) == ["a1"]
    assert rate_all(project, ben) == ["b1", "b2"]
    assert rate_all(project, ada) == ["a2"]


def test_together_as_many_people_get_a_group_as_ratings_are_wanted(ada: User, ben: User) -> None:
    project = make_project(wanted=2)
    twins(project)
    project.change(grouping=Project.Grouping.TOGETHER)
    carl = make_user()
    assert [rate_all(project, person, most=1) for person in (ada, ben, carl)] == [
        ["a1"],
        ["a1"],
        ["b1"],
    ]
    assert [rate_all(project, person) for person in (ada, carl)] == [["a2", "b1", "b2"], ["b2"]]


def test_a_group_whose_holder_has_gone_goes_to_others_after_a_day(ada: User, ben: User) -> None:
    project = make_project(wanted=1)
    twins(project)
    project.change(grouping=Project.Grouping.TOGETHER)
    rate_all(project, ada, most=1)
    assert rate_all(project, ben) == ["b1", "b2"]
    later = NOW + timedelta(days=1)
    lease = take_next(project, ben, now=later)
    assert lease is not None
    assert lease.item.external_id == "a2"


def test_a_group_that_another_holds_comes_back_when_their_hold_ends(ada: User, ben: User) -> None:
    project = make_project(wanted=1)
    twins(project)
    project.change(grouping=Project.Grouping.TOGETHER)
    rate_all(project, ada, most=1)
    rate_all(project, ben)
    assert availability_of(project, ben, NOW).state != "start"
    assert next_return(project, ben) == NOW + timedelta(days=1)
    lease = take_next(project, ada, now=NOW)
    assert lease is not None
    assert next_return(project, ben) is None  # a2 is lent, and the group stays ada's after it
    lease.release(now=NOW)
    assert next_return(project, ben) == NOW + timedelta(days=1)


def test_spread_nobody_waits_for_the_twin_of_what_they_rated(ada: User, ben: User) -> None:
    project = make_project(wanted=1)
    twins(project)
    project.change(grouping=Project.Grouping.SPREAD)
    rate_all(project, ada)
    assert take_next(project, ben, now=NOW)
    assert next_return(project, ada) is None
    assert next_return(project, make_user()) == NOW + 30 * MINUTE


def test_an_annotator_goes_on_with_a_started_group_behind_the_newest_ones(ada: User) -> None:
    project = make_project(wanted=1)
    groups = LAST_GROUPS + 3
    fill(project, *(str(number) for number in range(groups)))
    again = make_batch(project=project, rank=Batch.Rank.LAST)
    for position in range(groups):
        make_item(
            batch=again,
            external_id=f"{position}'",
            position=position,
            prompt=str(position),
            responses=["x"],
        )
    project.change(grouping=Project.Grouping.TOGETHER)
    assert rate_all(project, ada) == [
        name for number in range(groups) for name in (f"{number}", f"{number}'")
    ]


def test_an_upload_to_a_project_with_groups_is_grouped(ada: User) -> None:
    project = make_project(wanted=1, grouping=Project.Grouping.SPREAD)
    upload(project, 3)
    assert len(rate_all(project, ada)) == 1
    assert len(set(Item.objects.values_list("group", flat=True))) == 1


# --- the index ---


def test_the_queue_is_gone_along_by_its_own_index_however_few_items_are_open(ada: User) -> None:
    project = make_project(wanted=1)
    fill(project, *(f"i{number}" for number in range(40)))
    rate_all(project, ada, most=38)
    with connection.cursor() as cursor, CaptureQueriesContext(connection) as seen:
        cursor.execute("ANALYZE tasks_item")
        pick(project, ada, [PositionRange(project.batches.get().pk, 0, LAST)], NOW)
        statement = seen.captured_queries[-1]["sql"]
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute("EXPLAIN " + statement)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan using items_in_the_queue" in plan
    assert "items_of_a_batch_stand_in_one_order" not in plan


# --- what is kept beside the items ---


def test_progress_is_told_without_looking_at_items(ada: User, ben: User) -> None:
    project = make_project(wanted=2)
    fill(project, "a", "b", "c")
    rate_all(project, ada)
    rate_all(project, ben, most=1)
    [progress] = project.batches.with_progress()
    assert (progress.item_count, progress.finished_count, progress.counted, progress.wanted) == (
        3,
        1,
        4,
        6,
    )
    assert items_rated(ada, [project])[project.pk] == (3, 3)
    assert items_rated(ben, [project])[project.pk] == (1, 3)


def test_an_extra_rating_finishes_no_item(ada: User, ben: User) -> None:
    project = make_project(wanted=1)
    batch = fill(project, "a")
    late = make_lease(item=batch.items.get(), annotator=ben)
    late.expire(now=NOW + 60 * MINUTE)
    rate_all(project, ada)
    assert submit_lease(late, make_submission(lease=late), now=NOW + 61 * MINUTE).kind == "extra"
    [progress] = project.batches.with_progress()
    assert (progress.finished_count, progress.counted) == (1, 1)
    assert items_rated(ben, [project])[project.pk] == (1, 1)


def test_counters_are_what_the_rows_say_after_any_recount(ada: User, ben: User) -> None:
    project = make_project(wanted=2)
    batch = fill(project, *"abcdef")
    rate_all(project, ada)
    rate_all(project, ben, most=3)
    batch.recount()
    assert rate_all(project, ben) == ["d", "e", "f"]
    batch.recount()
    [progress] = project.batches.with_progress()
    assert (progress.finished_count, progress.counted) == (6, 12)
    assert Counter(Item.objects.values_list("counted", "reserved")) == {(2, 0): 6}
