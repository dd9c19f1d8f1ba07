"""The queue against a small reading of what it promises, by Hypothesis, on the real database.

The model knows people, items and a clock. It does not foresee which item comes next, only which
may; and of what is given late, whether it was allowed to count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import pytest
from django.db import connection
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from annotators.models import User
from tasks.models import Batch, Item, Lease, Project, Rating, Workday
from tasks.queue.allocation import take_next
from tasks.queue.submitting import Outdated, correct_rating, submit_lease
from tests.factories import NOW, make_batch, make_item, make_project, make_submission, make_user

PEOPLE, BATCHES, ITEMS = 3, 2, 2  # items of a batch; few, so that people meet
WARNED = 1  # the item of each batch that has a warning, by its position
REASONS = ["distressing", "unclear", "broken", "language", "expertise", "other"]
people = st.integers(0, PEOPLE - 1)
any_number = st.integers(
    0, 99
)  # of a lease or a rating, counted on from the first when there are fewer


@dataclass
class Lent:
    """A lease, as the model knows it. `over`: given back, rated, or lent on since the clock passed
    it."""

    pk: int
    who: int
    item: int
    ends: datetime
    over: bool = False
    rating: int | None = None
    skipped: bool = False
    opened: bool = False


@dataclass
class Told:
    """What someone said of an item under one lease: its revisions, oldest first, and whether it
    counts."""

    pk: int
    who: int
    item: int
    counts: bool
    words: list[str]
    day: date


class Queue(RuleBasedStateMachine):
    """Three people, two batches of two items."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.lent: list[Lent] = []
        self.told: list[Told] = []
        self.said = 0
        # Where fewer are wanted than before, some hold an item that has no place: they go on, and
        # who comes first counts.
        self.was_lowered = False

    @initialize(wanted=st.integers(1, 3))
    def open_a_project(self, wanted: int) -> None:
        self.people: list[User] = [make_user() for _ in range(PEOPLE)]
        self.project: Project = make_project(wanted=wanted, annotators=self.people)
        self.batches = [make_batch(project=self.project) for _ in range(BATCHES)]
        self.items = [
            make_item(
                batch=batch, position=position, warning="Blood." if position == WARNED else ""
            ).pk
            for batch in self.batches
            for position in range(ITEMS)
        ]
        self.paused: set[int] = set()
        self.wanted = wanted
        self.warned_batches: set[int] = set()
        self.opened: list[tuple[int, date]] = []  # by whom, and on which day
        self.most: int | None = None
        self.most_warned: int | None = None

    # --- what the model says ---

    def counted(self, item: int) -> int:
        return sum(told.counts for told in self.told if told.item == item)

    def live(self, *, item: int | None = None, who: int | None = None) -> list[Lent]:
        return [
            lent
            for lent in self.lent
            if not lent.over
            and lent.ends > self.now
            and (item is None or lent.item == item)
            and (who is None or lent.who == who)
        ]

    def is_done_by(self, who: int, item: int) -> bool:
        return any((told.who, told.item) == (who, item) for told in self.told) or any(
            lent.skipped and (lent.who, lent.item) == (who, item) for lent in self.lent
        )

    def has_place(self, item: int, who: int) -> bool:
        """Besides what they hold of it themselves, perhaps under a later lease."""
        others = [lent for lent in self.live(item=item) if lent.who != who]
        return self.counted(item) + len(others) < self.wanted

    def is_warned(self, number: int) -> bool:
        return number % ITEMS == WARNED or number // ITEMS in self.warned_batches

    def day_may_bring(self, who: int, number: int) -> bool:
        today = self.now.date()
        rated = sum((told.who, told.day) == (who, today) for told in self.told)
        if self.most is not None and rated >= self.most:
            return False
        has_room = self.most_warned is None or self.opened.count((who, today)) < self.most_warned
        return has_room or not self.is_warned(number)

    def open_to(self, who: int) -> set[int]:
        return {
            item
            for number, item in enumerate(self.items)
            if number // ITEMS not in self.paused
            and self.day_may_bring(who, number)
            and self.has_place(item, who)
            and not self.is_done_by(who, item)
        }

    @property
    def unrated(self) -> list[Lent]:
        return [lent for lent in self.lent if lent.rating is None]

    def lease(self, lent: Lent) -> Lease:
        return Lease.objects.select_related("item", "project__rubric", "annotator").get(pk=lent.pk)

    # --- what people do ---

    @rule(who=people)
    def take(self, who: int) -> None:
        self.take_next(who)

    def take_next(self, who: int) -> None:
        held, may_be = self.live(who=who), self.open_to(who)
        lease = take_next(self.project, self.people[who], now=self.now)
        if held:
            assert lease is not None
            assert [lease.pk] == [lent.pk for lent in held]
            return
        if lease is None:
            assert may_be == set(), "there is something left"
            return
        assert lease.item_id in may_be
        assert lease.is_covered == self.is_warned(self.items.index(lease.item_id))
        assert lease.expires_at == self.now + timedelta(minutes=self.project.lease_minutes)
        opened = not lease.is_covered
        self.lent.append(Lent(lease.pk, who, lease.item_id, lease.expires_at, opened=opened))

    @rule(who=people)
    def overtake(self, who: int) -> None:
        """Everyone else's time runs out, and someone takes and rates what they held."""
        self.now += timedelta(minutes=31)
        for _ in range(2):
            self.take_next(who)
            for lent in self.live(who=who):
                self.send(lent)

    @precondition(lambda self: self.unrated)
    @rule(number=any_number)
    def renew(self, number: int) -> None:
        lent = self.unrated[number % len(self.unrated)]
        was_live = lent in self.live()
        others = [other for other in self.live(who=lent.who) if other is not lent]
        may_revive = (
            lent.rating is None
            and not lent.over
            and not others
            and self.has_place(lent.item, lent.who)
            and not self.is_done_by(lent.who, lent.item)
        )
        renewed = self.lease(lent).renew(now=self.now)
        if was_live:
            assert renewed
        if renewed:
            assert was_live or may_revive or self.was_lowered
            lent.ends, lent.over = self.now + timedelta(minutes=self.project.lease_minutes), False

    @rule(minutes=st.sampled_from([1, 20, 30, 31]))
    def pass_time(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @precondition(lambda self: self.lent)
    @rule(number=any_number, reason=st.sampled_from(REASONS))
    def skip(self, number: int, reason: str) -> None:
        """And take the next, as the desk does."""
        lent = self.lent[number % len(self.lent)]
        self.lease(lent).skip(reason=reason, now=self.now)
        if lent.rating is None:
            lent.skipped, lent.over = True, True
        self.take_next(lent.who)

    @precondition(lambda self: self.lent)
    @rule(number=any_number, reason=st.sampled_from(REASONS))
    def flag(self, number: int, reason: str) -> None:
        self.lease(self.lent[number % len(self.lent)]).flag(reason=reason, note="odd", now=self.now)

    @precondition(lambda self: self.unrated)
    @rule(number=any_number)
    def open_the_texts(self, number: int) -> None:
        lent = self.unrated[number % len(self.unrated)]
        lease = self.lease(lent)
        if lease.is_covered:
            of_them = [
                other for other in self.lent if (other.who, other.item) == (lent.who, lent.item)
            ]
            if not any(other.opened for other in of_them):
                self.opened.append((lent.who, self.now.date()))
            lent.opened = True
        lease.uncover(now=self.now)
        assert not self.lease(lent).is_covered

    @precondition(lambda self: self.unrated)
    @rule(number=any_number, goes_on=st.booleans())
    def submit(self, number: int, goes_on: bool) -> None:
        """And take the next, as the desk does, unless this was a tab that was left open."""
        lent = self.unrated[number % len(self.unrated)]
        self.send(lent)
        if goes_on:
            self.take_next(lent.who)

    @precondition(lambda self: self.told)
    @rule(number=any_number)
    def submit_again(self, number: int) -> None:
        rated = [lent for lent in self.lent if lent.rating is not None]
        self.send(rated[number % len(rated)])

    def send(self, lent: Lent) -> None:
        self.said += 1
        words = f"said {self.said}"
        lease = self.lease(lent)
        was_live, has_place = lent in self.live(), self.has_place(lent.item, lent.who)
        is_first = not any((told.who, told.item) == (lent.who, lent.item) for told in self.told)
        rating = submit_lease(lease, make_submission(lease=lease, comment=words), now=self.now)
        if lent.rating is not None:
            assert rating.pk == lent.rating, "sent again, it gives the rating that it led to"
            assert not lease.renew(now=self.now)
            return
        counts = rating.kind == Rating.Kind.COUNTED
        assert rating.kind in (Rating.Kind.COUNTED, Rating.Kind.EXTRA)
        if counts:
            assert is_first
            assert self.counted(lent.item) < self.wanted
            assert has_place or self.was_lowered
        elif was_live and is_first:
            assert self.counted(lent.item) >= self.wanted, "a place that was held is there"
        assert (rating.attempt == 0) is is_first
        lent.rating, lent.over = rating.pk, True
        for other in self.live(item=lent.item, who=lent.who):
            other.over = True  # lent to them once more meanwhile: settled with this
        self.told.append(Told(rating.pk, lent.who, lent.item, counts, [words], self.now.date()))

    @precondition(lambda self: self.told)
    @rule(number=any_number, late=st.booleans())
    def correct(self, number: int, late: bool) -> None:
        told = self.told[number % len(self.told)]
        rating = Rating.objects.get(pk=told.pk)
        lease = rating.lease
        assert lease is not None
        self.said += 1
        new = make_submission(lease=lease, comment=f"corrected {self.said}")
        based_on = len(told.words)
        if late and based_on > 1:
            with pytest.raises(Outdated):
                correct_rating(rating, new, based_on=based_on - 1, now=self.now)
            return
        revised = correct_rating(rating, new, based_on=based_on, now=self.now)
        assert correct_rating(rating, new, based_on=based_on, now=self.now) == revised, (
            "sent again, it is one"
        )
        assert (revised.revision, revised.kind, revised.attempt) == (
            based_on + 1,
            rating.kind,
            rating.attempt,
        )
        told.words.append(f"corrected {self.said}")

    @rule(who=people)
    def leave(self, who: int) -> None:
        """Log out, or be deactivated."""
        Lease.objects.give_back(self.people[who], now=self.now)
        for lent in self.lent:
            if lent.who == who and lent.rating is None and lent in self.live():
                lent.over = True

    # --- what the lead does ---

    @rule(wanted=st.integers(1, 3))
    def change_wanted(self, wanted: int) -> None:
        self.project.change(wanted=wanted)
        self.was_lowered = self.was_lowered or wanted < self.wanted
        self.wanted = wanted

    @rule(number=st.integers(0, BATCHES - 1))
    def pause_or_open_a_batch(self, number: int) -> None:
        self.paused ^= {number}
        status = Batch.Status.PAUSED if number in self.paused else Batch.Status.OPEN
        Batch.objects.filter(pk=self.batches[number].pk).update(status=status)

    @rule(number=st.integers(0, BATCHES - 1))
    def warn_of_a_batch_or_no_more(self, number: int) -> None:
        self.warned_batches ^= {number}
        warning = "Of hospitals." if number in self.warned_batches else ""
        Batch.objects.filter(pk=self.batches[number].pk).update(warning=warning)

    @rule(most=st.sampled_from([None, 1, 2]), most_warned=st.sampled_from([None, 0, 1]))
    def limit_a_day(self, most: int | None, most_warned: int | None) -> None:
        self.most, self.most_warned = self.project.most_daily, self.project.most_warned_daily = (
            most,
            most_warned,
        )
        self.project.save(update_fields=["most_daily", "most_warned_daily"])

    # --- what holds at any moment ---

    @invariant()
    def the_days_are_what_was_rated_and_opened_on_them(self) -> None:
        if not hasattr(self, "project"):
            return
        rated = Counter((self.people[told.who].pk, told.day) for told in self.told)
        opened = Counter((self.people[who].pk, day) for who, day in self.opened)
        kept = Workday.objects.filter(project=self.project).values_list(
            "annotator", "day", "rated", "opened"
        )
        assert {(who, day): (n, m) for who, day, n, m in kept if n or m} == {
            key: (rated[key], opened[key]) for key in rated.keys() | opened.keys()
        }

    @invariant()
    def the_tables_say_what_was_said(self) -> None:
        if not hasattr(self, "project"):
            return
        stored: dict[tuple[int, int], list[list[str]]] = defaultdict(list)
        with connection.cursor() as cursor:
            cursor.execute(
                """
                SELECT item_id, annotator_id, array_agg(comment ORDER BY revision) FROM tasks_rating
                WHERE project_id = %s
                GROUP BY item_id, annotator_id, attempt ORDER BY item_id, attempt
                """,
                [self.project.pk],
            )
            for item, annotator, comments in cursor.fetchall():
                stored[item, annotator].append(comments)
            cursor.execute(
                """
                SELECT id, counted, reserved, (SELECT count(*) FROM tasks_lease AS lease
                  WHERE lease.item_id = item.id AND lease.status = 'live')
                FROM tasks_item AS item WHERE project_id = %s
                """,
                [self.project.pk],
            )
            items = cursor.fetchall()
        expected: dict[tuple[int, int], list[list[str]]] = defaultdict(list)
        for told in self.told:
            expected[told.item, self.people[told.who].pk].append(told.words)
        assert stored == expected
        assert {item: (counted, lent) for item, counted, lent, _found in items} == {
            item: (self.counted(item), found) for item, _counted, _lent, found in items
        }

    @invariant()
    def one_holds_one_item_at_most_and_what_the_model_says(self) -> None:
        if not hasattr(self, "project"):
            return
        live = Lease.objects.filter(project=self.project, status=Lease.Status.LIVE)
        holders = list(live.values_list("annotator", flat=True))
        assert len(holders) == len(set(holders))
        assert {lent.pk for lent in self.live()} <= set(live.values_list("pk", flat=True))
        assert not live.filter(pk__in=[lent.pk for lent in self.lent if lent.over]).exists()

    def teardown(self) -> None:
        """In the end nothing is stuck: whoever comes gets all that there is, and nothing else is
        left."""
        if not hasattr(self, "project"):
            return
        self.now += timedelta(days=1)
        self.limit_a_day(None, None)
        for number in list(self.paused):
            self.pause_or_open_a_batch(number)
        for who in range(PEOPLE):
            while lease := take_next(self.project, self.people[who], now=self.now):
                self.said += 1
                submission = make_submission(lease=lease, comment=f"at last {self.said}")
                rating = submit_lease(lease, submission, now=self.now)
                assert rating.kind == Rating.Kind.COUNTED
                words, day = [f"at last {self.said}"], self.now.date()
                self.told.append(Told(rating.pk, who, lease.item_id, True, words, day))
        for item in Item.objects.filter(project=self.project):
            could = [who for who in range(PEOPLE) if not self.is_done_by(who, item.pk)]
            assert item.counted >= self.wanted or could == []


@pytest.mark.django_db(transaction=True)
def test_the_queue_keeps_its_promises_whatever_people_do() -> None:
    run_state_machine_as_test(
        Queue,
        settings=settings(
            max_examples=20,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        ),
    )
