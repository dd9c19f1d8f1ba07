"""Who gets which item next, and what becomes of it when it comes back: one by one, and many at
once."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError
from django.db.models import F, ProtectedError

from annotators.models import User
from tasks.models import (
    Batch,
    Concern,
    Item,
    Lease,
    Membership,
    Placement,
    Project,
    Rating,
    Response,
    ReturnedRating,
    Score,
)
from tasks.models.replies import reply_to
from tasks.queue.allocation import submit_and_take_next, take_next
from tasks.queue.selection import LAST, PositionRange, pick
from tasks.queue.situation import Situation
from tasks.queue.submitting import correct_rating, submit_lease
from tests.waiting import at_once

from ..factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_rating,
    make_submission,
    make_user,
)

MINUTE = timedelta(minutes=1)
LATE = NOW + 31 * MINUTE  # a lease of NOW has ended


def take(project: Project, annotator: User, *, now: Any = NOW) -> Lease:
    lease = take_next(project, annotator, now=now)
    assert lease is not None
    return lease


def submit(lease: Lease, *, now: Any = NOW + MINUTE, **said: Any) -> Rating:
    return submit_lease(lease, make_submission(lease=lease, **said), now=now)


def open_ids(project: Project, annotator: User, now: Any = NOW) -> list[str]:
    """The items that the queue would give, did one take them all."""
    Lease.objects.sweep(project, now)
    situation = Situation.of(project, annotator, now)
    found: list[str] = []
    for batch in situation.open_batches if situation else ():
        first = 0
        while next_one := pick(
            project, annotator, [PositionRange(batch.pk, first, LAST)], now, lock=""
        ):
            found.append(next_one[0].external_id)
            first = next_one[0].position + 1
    return found


def counted(item: Item) -> int:
    item.refresh_from_db()
    return item.counted


# --- what is open to whom ---


def test_items_are_open_in_the_order_of_batches_and_of_the_upload(
    project: Project, ada: User
) -> None:
    late, early = make_batch(project=project, position=2), make_batch(project=project, position=1)
    make_item(batch=late, external_id="c", position=0)
    make_item(batch=early, external_id="b", position=8)
    make_item(batch=early, external_id="a", position=7)
    make_item(project=make_project(), external_id="elsewhere")
    assert open_ids(project, ada) == ["a", "b", "c"]
    assert take(project, ada).item.external_id == "a"


def test_an_item_that_one_has_rated_is_not_open_to_them_in_any_round(
    project: Project, ada: User, ben: User
) -> None:
    item = make_item(project=project, external_id="a")
    rating = make_rating(item=item, annotator=ada)
    assert (open_ids(project, ada, LATE), open_ids(project, ben, LATE)) == ([], ["a"])
    Rating.objects.filter(pk=rating.pk).update(attempt=3, kind=Rating.Kind.EXTRA)
    Item.objects.update(counted=0)
    assert (open_ids(project, ada, LATE), open_ids(project, ben, LATE)) == ([], ["a"])


def test_a_live_lease_holds_a_place_until_its_end(project: Project, ada: User, ben: User) -> None:
    item = make_item(project=project, external_id="a")
    make_rating(item=item)
    lease = make_lease(item=item, annotator=ada)
    assert open_ids(project, ben) == []
    assert open_ids(project, ben, lease.expires_at - timedelta(microseconds=1)) == []
    assert open_ids(project, ben, lease.expires_at) == ["a"]
    assert open_ids(project, ada, lease.expires_at) == ["a"]


def test_an_item_with_all_its_ratings_is_open_to_nobody(project: Project, ada: User) -> None:
    item = make_item(project=project)
    make_rating(item=item)
    assert len(open_ids(project, ada, LATE)) == 1
    make_rating(item=item)
    assert open_ids(project, ada, LATE) == []


@pytest.mark.parametrize("status", ["paused", "closed"])
@pytest.mark.parametrize("model", [Project, Batch])
def test_items_of_a_paused_or_closed_batch_or_project_are_open_to_nobody(
    project: Project, ada: User, model: Any, status: str
) -> None:
    make_item(project=project)
    assert len(open_ids(project, ada)) == 1
    model.objects.update(status=status)
    assert open_ids(project, ada) == []
    assert take_next(project, ada, now=NOW) is None


# --- taking ---


def test_an_annotator_holds_one_item_at_a_time_and_gets_it_again(
    project: Project, ada: User
) -> None:
    make_item(project=project)
    make_item(project=project)
    lease = take(project, ada)
    assert (lease.status, lease.started_at, lease.expires_at) == ("live", NOW, NOW + 30 * MINUTE)
    assert take(project, ada, now=NOW + 29 * MINUTE) == lease
    assert Lease.objects.count() == 1


def test_an_annotator_may_hold_an_item_in_each_of_two_projects(project: Project, ada: User) -> None:
    other = make_project()
    first, second = make_item(project=project), make_item(project=other)
    assert [take(project, ada).item, take(other, ada).item] == [first, second]


def test_a_lease_ends_by_the_clock_and_the_item_may_be_taken_anew(
    project: Project, ada: User
) -> None:
    project.lease_minutes = 10
    project.save()
    item = make_item(project=project)
    lease = take(project, ada)
    again = take(project, ada, now=NOW + 10 * MINUTE)
    assert (again.item, again.pk == lease.pk) == (item, False)
    lease.refresh_from_db()
    assert (lease.status, lease.ended_at) == ("expired", NOW + 10 * MINUTE)


def test_the_next_item_is_one_that_is_wanted_or_none(
    project: Project, ada: User, ben: User
) -> None:
    first, second = make_item(project=project), make_item(project=project)
    make_rating(item=first)
    assert take(project, ada).item == first
    assert take(project, ben).item == second  # the last place of the first is lent
    assert take_next(project, make_user(), now=NOW) == Lease.objects.last()


def test_when_all_places_are_lent_there_is_nothing_now_and_something_later(
    project: Project, ada: User, ben: User
) -> None:
    make_item(project=project)
    take(project, ada)
    take(project, ben)
    third = make_user()
    assert take_next(project, third, now=NOW) is None
    assert take(project, third, now=LATE).annotator == third


# --- the order drawn ---


def drawn(lease: Lease) -> list[int]:
    numbers = dict(lease.item.responses.values_list("pk", "position"))
    return [numbers[pk] for pk in lease.responses]


def test_the_order_is_drawn_once_for_an_annotator_and_an_item(project: Project, ada: User) -> None:
    make_item(project=project, responses=["1", "2", "3", "4", "5", "6"])
    lease = take(project, ada)
    again = take(project, ada, now=LATE)
    assert again.pk != lease.pk
    assert (again.responses, again.model_names) == (lease.responses, lease.model_names)
    assert sorted(drawn(lease)) == [1, 2, 3, 4, 5, 6]
    assert sorted(lease.model_names) == [f"model-{number}" for number in range(1, 7)]


def test_the_order_differs_between_annotators_items_and_projects(db: None) -> None:
    project = make_project(wanted=1_000)
    make_item(project=project, responses=["1", "2", "3"])
    orders = Counter(tuple(drawn(take(project, make_user()))) for _ in range(60))
    # All six orders, none of them nearly always: each is expected ten times.
    assert len(orders) == 6
    assert max(orders.values()) < 25
    ada = make_user()
    several = make_project(seed=1), make_project(seed=2)
    for each in several:
        for _ in range(8):
            make_item(project=each, responses=["1", "2", "3", "4"])
    by_item = []
    for each in several:
        for number in range(8):
            lease = take(each, ada, now=NOW + number * MINUTE)
            by_item.append(tuple(drawn(lease)))
            submit(lease, now=NOW + number * MINUTE)
    assert len(set(by_item)) > 4
    assert by_item[:8] != by_item[8:]


def test_the_order_hangs_on_the_seed_of_the_project(project: Project, ada: User) -> None:
    make_item(project=project, responses=[str(number) for number in range(12)])
    lease = take(project, ada)
    project.seed += 1
    assert take(project, ada, now=LATE).responses != lease.responses


def test_the_order_shown_is_stored_with_the_rating(project: Project, ada: User) -> None:
    make_item(project=project, responses=["1", "2", "3", "4", "5"])
    lease = take(project, ada)
    rating = submit(lease, comments={3: "third"})
    placements = rating.placements.order_by("position")
    assert [placement.response_id for placement in placements] == lease.responses
    assert {p.response.position: p.comment for p in placements if p.comment} == {3: "third"}
    assert [s.response_id for s in rating.scores.order_by("position")] == lease.responses


# --- submitting ---


def test_a_rating_says_when_by_whom_on_what_and_by_which_rubric(
    project: Project, ada: User
) -> None:
    item = make_item(project=project)
    lease = take(project, ada)
    rating = submit(lease, now=NOW + 90.5 * timedelta(seconds=1), comment="all", active_seconds=60)
    rating.refresh_from_db()
    assert (rating.project, rating.item, rating.annotator, rating.lease) == (
        project,
        item,
        ada,
        lease,
    )
    assert (rating.rubric, rating.attempt, rating.kind, rating.revision) == (
        project.rubric,
        0,
        "counted",
        1,
    )
    assert (rating.started_at, rating.submitted_at) == (NOW, NOW + 90.5 * timedelta(seconds=1))
    assert (rating.elapsed_seconds, rating.active_seconds, rating.comment) == (90, 60, "all")
    lease.refresh_from_db()
    assert (lease.status, lease.ended_at) == ("submitted", rating.submitted_at)
    assert counted(item) == 1


def test_a_second_submit_gives_the_first_rating_and_stores_nothing(
    project: Project, ada: User
) -> None:
    item = make_item(project=project)
    lease = take(project, ada)
    first = submit(lease, values={1: 6})
    assert submit(lease, now=LATE, values={1: 4}) == first
    assert submit(Lease.objects.get(), values={1: 4}) == first
    assert list(first.scores.order_by("response__position").values_list("value", flat=True)) == [
        6,
        7,
    ]
    assert (Rating.objects.count(), counted(item)) == (1, 1)


def test_after_the_lease_has_ended_a_rating_counts_where_there_is_still_a_place(
    project: Project, ada: User
) -> None:
    item = make_item(project=project)
    lease = take(project, ada)
    assert submit(lease, now=LATE).kind == "counted"
    assert counted(item) == 1


def test_after_the_lease_has_ended_a_rating_is_extra_where_others_have_the_places(
    project: Project, ada: User, ben: User
) -> None:
    make_membership(project=project, user=ben)
    item = make_item(project=project)
    lease = take(project, ada)
    make_rating(item=item)
    take(project, ben, now=LATE)
    late = submit(lease, now=LATE + MINUTE)
    assert (late.kind, late.attempt, counted(item)) == ("extra", 0, 1)
    assert late.scores.count() == 2
    # The place that was kept for ben is still his.
    assert submit(take(project, ben, now=LATE + MINUTE), now=LATE + MINUTE).kind == "counted"
    assert counted(item) == 2


def test_a_late_rating_is_extra_where_the_item_has_all_its_ratings(
    project: Project, ada: User
) -> None:
    item = make_item(project=project)
    lease = take(project, ada)
    Lease.objects.sweep(project, LATE)
    for _ in range(2):
        make_rating(item=item, now=LATE)
    assert submit(lease, now=LATE + 2 * MINUTE).kind == "extra"
    assert counted(item) == 2


def test_ratings_under_two_leases_of_one_item_are_stored_side_by_side(
    project: Project, ada: User
) -> None:
    item = make_item(project=project)
    early = take(project, ada)
    later = take(project, ada, now=LATE)
    assert submit(later, now=LATE + MINUTE).kind == "counted"
    extra = submit(early, now=LATE + 2 * MINUTE)
    assert (extra.kind, extra.attempt, extra.revision, extra.supersedes) == ("extra", 1, 1, None)
    assert counted(item) == 1


def test_with_places_to_spare_nothing_is_lost_when_fewer_are_wanted_than_there_are(
    project: Project, ada: User
) -> None:
    item = make_item(project=project)
    lease = take(project, ada)
    make_rating(item=item)
    project.change(wanted=1)  # a lead thought again, while ada was at it
    assert submit(lease).kind == "extra"
    assert counted(item) == 1


def test_why_a_rating_is_an_extra_one_stays_what_it_was_whatever_becomes_of_the_item(
    project: Project, ada: User, ben: User
) -> None:
    project.change(wanted=1)
    full, dropped = make_item(project=project), make_item(project=project)
    late = make_lease(item=full, annotator=ada)
    late.expire(now=late.expires_at)
    make_rating(item=full, annotator=ben)
    assert submit(late, now=LATE).why_extra == "when it came, the item wanted no more ratings"
    lease = make_lease(item=dropped, annotator=ada)
    Item.objects.filter(pk=dropped.pk).update(dropped=True)
    assert submit(Lease.objects.get(pk=lease.pk)).why_extra == "the lead has dropped the item"
    # And then the reverse.
    Item.objects.filter(pk=full.pk).update(dropped=True, wanted=3)
    Item.objects.filter(pk=dropped.pk).update(dropped=False, counted=1)
    told = {rating.item_id: rating.why_extra for rating in Rating.objects.by(ada)}
    assert told == {
        full.pk: "when it came, the item wanted no more ratings",
        dropped.pk: "the lead has dropped the item",
    }
    # A correction is as the first was.
    first = Rating.objects.get(item=dropped)
    assert first.lease
    said = make_submission(lease=first.lease, comment="Else")
    second = correct_rating(first, said, based_on=1, now=NOW)
    assert second.extra_because == "dropped"
    [counted] = Rating.objects.by(ben)
    assert counted.extra_because == ""


def test_a_rating_of_an_item_that_was_taken_back_from_dropped_is_no_extra_one(
    project: Project, ada: User
) -> None:
    item = make_item(project=project, dropped=True)
    lease = make_lease(item=item, annotator=ada, status="expired", ended_at=NOW)
    Item.objects.filter(pk=item.pk).update(dropped=False)
    Lease.objects.filter(pk=lease.pk).update(status="live", ended_at=None)
    seen = Lease.objects.select_related("item").get(pk=lease.pk)
    seen.item.dropped = True  # as it was when the page's lease was looked up
    rating = submit(seen)
    assert (rating.kind, rating.extra_because) == ("counted", "")


# --- ratings that come back ---


def give_back(rating: Rating) -> ReturnedRating:
    ReturnedRating.objects.send_back(rating, "Look again.", cause="flag 1", now=NOW)
    return ReturnedRating.objects.get(rating=rating)


def test_a_returned_rating_comes_before_the_next_item_and_is_answered_by_a_revision(
    project: Project, ada: User
) -> None:
    item = make_item(project=project)
    make_item(project=project)
    first = make_rating(item=item, annotator=ada, values={1: 7})
    returned = give_back(first)
    assert take_next(project, ada, now=LATE) is None
    assert first.lease
    said = make_submission(lease=first.lease, values={1: 5})
    second = correct_rating(first, said, based_on=1, now=LATE + MINUTE)
    assert (second.revision, second.supersedes, second.attempt, second.kind) == (
        2,
        first,
        0,
        "counted",
    )
    returned.refresh_from_db()
    assert returned.settled_at == LATE + MINUTE
    assert counted(item) == 1
    assert list(Rating.objects.current()) == [second]
    assert Rating.objects.count() == 2
    assert first.scores.get(response__position=1).value == 7
    assert take(project, ada, now=LATE + MINUTE).item != item


def test_a_rating_that_another_revision_has_taken_the_place_of_is_not_sent_back(
    project: Project, ada: User
) -> None:
    first = make_rating(item=make_item(project=project), annotator=ada)
    following = make_item(project=project)
    assert first.lease
    correct_rating(first, make_submission(lease=first.lease, comment="Else"), based_on=1, now=NOW)
    ReturnedRating.objects.send_back(first, "Look again.", cause="flag 1", now=NOW)
    assert not ReturnedRating.objects.exists()
    # And where one was, by whatever way, it holds nobody up.
    ReturnedRating.objects.create(
        project=project, rating=first, annotator=ada, reason="Look again.", returned_at=NOW
    )
    assert take(project, ada).item == following
    assert not ReturnedRating.objects.waiting_of(ada).exists()


# --- many at once ---


@pytest.mark.django_db(transaction=True)
def test_a_rating_sent_back_while_it_is_corrected_is_settled_or_was_not_sent(ada: User) -> None:
    for number in range(8):
        item = make_item(project=make_project(annotators=[ada]))
        first = make_rating(item=item, annotator=ada)
        assert first.lease
        said = make_submission(lease=first.lease, comment=f"Else {number}")
        correct = partial(correct_rating, first, said, based_on=1, now=NOW)
        send_back = partial(
            ReturnedRating.objects.send_back, first, "Look again.", cause="flag 1", now=NOW
        )
        actions: list[Callable[[], object]] = [correct, send_back]
        at_once(actions)
        assert not ReturnedRating.objects.filter(rating=first, settled_at=None).exists()


@pytest.mark.django_db(transaction=True)
def test_the_last_place_goes_to_one_of_many_who_ask_at_once() -> None:
    for _ in range(5):
        project = make_project(wanted=1)
        make_item(project=project)
        people = [make_user() for _ in range(10)]
        leases = at_once([partial(take_next, project, p, now=NOW) for p in people])
        assert len([lease for lease in leases if lease]) == 1


@pytest.mark.django_db(transaction=True)
def test_nobody_is_sent_away_while_there_is_something_for_everybody() -> None:
    for _ in range(3):
        project = make_project(wanted=5)
        for _ in range(2):
            make_item(project=project)
        people = [make_user() for _ in range(10)]
        leases = at_once([partial(take_next, project, p, now=NOW) for p in people])
        assert sorted(Counter(lease.item_id for lease in leases if lease).values()) == [5, 5]


@pytest.mark.django_db(transaction=True)
def test_many_requests_at_once_by_one_annotator_lend_one_item() -> None:
    project, ada = make_project(), make_user()
    for _ in range(10):
        make_item(project=project)
    leases = at_once([partial(take_next, project, ada, now=NOW)] * 10)
    assert len({lease.pk for lease in leases if lease}) == 1
    assert None not in leases
    assert Lease.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_lease_submitted_many_times_at_once_is_one_rating() -> None:
    project, ada = make_project(), make_user()
    item = make_item(project=project)
    lease = take(project, ada)
    submission = make_submission(lease=lease)
    ratings = at_once(
        [lambda: submit_lease(Lease.objects.get(pk=lease.pk), submission, now=NOW)] * 10
    )
    assert {rating.pk for rating in ratings} == {Rating.objects.get().pk}
    assert counted(item) == 1


@pytest.mark.django_db(transaction=True)
def test_a_crowd_gives_every_item_what_it_wants_and_never_more() -> None:
    project = make_project(wanted=3)
    for _ in range(12):
        make_item(project=project, responses=["x"])
    people = [make_user() for _ in range(10)]

    def work(annotator: User) -> int:
        done = 0
        while lease := take_next(project, annotator, now=NOW):
            submit(lease)
            done += 1
        return done

    done = at_once([partial(work, person) for person in people])
    assert sum(done) == Rating.objects.count() == 36
    assert set(Item.objects.values_list("counted", flat=True)) == {3}
    assert set(Counter(Rating.objects.values_list("item", flat=True)).values()) == {3}
    assert set(Rating.objects.values_list("kind", flat=True)) == {"counted"}
    assert max(Counter(Rating.objects.values_list("item", "annotator")).values()) == 1


@pytest.mark.django_db(transaction=True)
def test_leads_who_decide_and_change_settings_at_once_count_right() -> None:
    for _ in range(5):
        project = make_project(wanted=1, order=Project.Order.SHUFFLED)
        batch = make_batch(project=project)
        items = [
            make_item(batch=batch, position=position, responses=["x"]) for position in range(8)
        ]
        lead, people = make_user(), [make_user() for _ in items]
        for person, item in zip(people, items, strict=True):
            make_lease(item=item, annotator=person).flag(reason="broken", now=NOW)
            project.batch_progress.create(batch=batch, annotator=person, position=9 - item.position)

        def decide(concern: Concern, lead: User = lead) -> None:
            reply_to(concern, Concern.Decision.DROP, by=lead, now=NOW)

        def want(number: int, project: Project = project) -> None:
            Project.objects.get(pk=project.pk).change(wanted=number)

        dropped = list(project.concerns.order_by("pk")[:6])
        at_once(
            [*(partial(decide, concern) for concern in dropped), partial(want, 2), partial(want, 3)]
        )
        [progress] = project.batches.with_progress()
        project.refresh_from_db()
        assert (progress.item_count, progress.wanted) == (2, 2 * project.wanted)
        assert set(Item.objects.filter(project=project).values_list("wanted", flat=True)) == {
            project.wanted
        }


@pytest.mark.django_db(transaction=True)
def test_a_dawdling_crowd_gives_no_item_too_many_and_loses_nothing() -> None:
    """The clock runs on at every step: leases end under people's hands, items are lent again, and
    what was begun comes in late."""
    project = make_project(wanted=2)
    for _ in range(10):
        make_item(project=project, responses=["x"])
    people = [make_user() for _ in range(8)]
    clock = itertools.count()

    def tick() -> Any:
        return NOW + next(clock) * 2 * MINUTE

    def work(annotator: User, chance: random.Random) -> int:
        sent = 0
        pending: list[Lease] = []
        for _ in range(25):
            lease = take_next(project, annotator, now=tick())
            if lease and lease not in pending:
                pending.append(lease)
            if pending and chance.random() < 0.5:
                submit(pending.pop(chance.randrange(len(pending))), now=tick())
                sent += 1
        for lease in pending:
            submit(lease, now=tick())
            sent += 1
        return sent

    chances = [random.Random(number) for number, _person in enumerate(people)]  # noqa: S311 - a seed
    sent = at_once([partial(work, *each) for each in zip(people, chances, strict=True)])
    assert Rating.objects.count() == sum(sent)
    kinds = Counter(Rating.objects.values_list("kind", flat=True))
    assert kinds["extra"] > 0  # else the crowd was too quick to prove anything
    in_rows = Counter(Rating.objects.filter(kind="counted").values_list("item", flat=True))
    assert max(in_rows.values()) <= 2
    assert dict(Item.objects.filter(counted__gt=0).values_list("pk", "counted")) == in_rows
    assert not Item.objects.filter(counted__gt=F("wanted")).exists()
    first_attempts = Rating.objects.filter(kind="counted").values_list("item", "annotator")
    assert max(Counter(first_attempts).values()) == 1


@pytest.mark.django_db(transaction=True)
def test_a_late_submit_and_a_start_by_the_same_annotator_do_not_block_each_other() -> None:
    for _ in range(20):
        ada = make_user()
        project = make_project(annotators=[ada])
        make_item(project=project)
        lease = take(project, ada)
        submission = make_submission(lease=lease)
        late: list[Callable[[], object]] = [
            partial(submit_lease, lease, submission, now=LATE),
            partial(take_next, project, ada, now=LATE),
        ]
        at_once(late)  # raises what any of them raises
        assert Rating.objects.get(project=project).kind == "counted"


@pytest.mark.django_db(transaction=True)
def test_ones_late_submit_and_ones_start_do_not_block_each_other() -> None:
    for _ in range(15):
        ada = make_user()
        project = make_project(annotators=[ada])
        batch = make_batch(project=project)
        for _ in range(4):
            make_item(batch=batch, responses=["x"])
        lease = take(project, ada)
        submission = make_submission(lease=lease)
        lease.release(now=NOW)
        both: list[Callable[[], object]] = [
            partial(submit_and_take_next, lease, submission, now=NOW),
            partial(take_next, project, ada, now=NOW),
            partial(take_next, project, ada, now=NOW),
        ]
        at_once(both)  # raises what any of them raises
        assert Rating.objects.filter(project=project, kind="counted").count() == 1
        assert Lease.objects.filter(project=project, status="live").count() == 1


# --- what the database itself refuses ---


def _twice(thing: Any, **changes: Any) -> Any:
    """Store a row once more, but for what is changed."""
    thing.pk = None
    thing._state.adding = True
    for name, value in changes.items():
        setattr(thing, name, value)
    thing.save(force_insert=True)
    return thing


def _other(batch: Batch) -> dict[str, Any]:
    return {"name": f"{batch.name}!", "position": batch.position + 1_000, "digest": "f" * 64}


REFUSED: dict[str, Callable[[Rating], object]] = {
    "an_item_wants_a_rating_at_least": lambda r: make_project(wanted=0),
    "a_lease_lasts_five_minutes_at_least": lambda r: make_project(lease_minutes=4),
    "texts_are_shown_as_text_or_rendered": lambda r: make_project(view="difference"),
    "a_rating_was_made_in_a_view_that_there_is": lambda r: Rating.objects.update(
        view="upside down"
    ),
    "a_role_is_held_once": lambda r: _twice(make_membership(project=r.project, user=r.annotator)),
    "a_batch_name_stands_once_in_a_project": lambda r: _twice(
        r.item.batch, **{**_other(r.item.batch), "name": r.item.batch.name}
    ),
    "batches_stand_in_one_order": lambda r: _twice(
        r.item.batch, **{**_other(r.item.batch), "position": r.item.batch.position}
    ),
    "a_file_is_uploaded_once_in_a_project": lambda r: _twice(
        r.item.batch, **{**_other(r.item.batch), "digest": r.item.batch.digest}
    ),
    "an_item_id_stands_once_in_a_project": lambda r: _twice(
        r.item, position=r.item.position + 1_000
    ),
    "items_of_a_batch_stand_in_one_order": lambda r: _twice(r.item, external_id="another"),
    "responses_of_an_item_stand_in_one_order": lambda r: _twice(r.item.responses.first()),
    "responses_count_from_one": lambda r: _twice(r.item.responses.first(), position=0),
    "an_annotator_holds_one_item_at_a_time": lambda r: (
        [make_lease(item=make_item(project=r.project), annotator=r.annotator) for _ in range(2)]
        and None
    ),
    "a_lease_that_is_over_says_when": lambda r: Lease.objects.update(ended_at=None),
    "an_annotator_rates_an_item_once_in_an_attempt": lambda r: _twice(r, lease=None),
    "a_later_revision_supersedes_one": lambda r: _twice(r, lease=None, revision=2),
    "one_response_stands_at_a_place": lambda r: _twice(
        r.placements.first(), response=r.item.responses.last()
    ),
    "a_response_stands_at_one_place": lambda r: _twice(r.placements.first(), position=9),
    "a_response_has_one_score_for_a_dimension": lambda r: _twice(r.scores.first()),
    "a_candidate_set_has_one_score_for_a_dimension": lambda r: (
        [_twice(r.scores.first(), response=None, model="m") for _ in range(2)] and None
    ),
    "fact_checks_of_a_response_are_numbered": lambda r: _twice(r.fact_checks.first()),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses_what_must_not_be(db: None, name: str) -> None:
    rating = make_rating(item=make_item(project=make_project()), facts=[(1, "c", "holds", "")])
    with pytest.raises(IntegrityError, match=f'"{name}"'):
        REFUSED[name](rating)


def test_rows_that_people_made_are_not_deleted_with_the_rows_they_depend_on(db: None) -> None:
    rating = make_rating()
    make_membership(project=rating.project, user=rating.annotator, role=Membership.Role.LEAD)
    lease = rating.lease
    assert lease is not None
    things = [
        rating,
        lease,
        rating.item,
        rating.item.batch,
        rating.project,
        rating.rubric,
        rating.annotator,
        rating.item.responses.first(),
    ]
    for thing in things:
        assert thing is not None
        with pytest.raises(ProtectedError):
            thing.delete()
    assert (Rating.objects.count(), Score.objects.count(), Placement.objects.count()) == (1, 2, 2)
    assert Response.objects.count() == 2
