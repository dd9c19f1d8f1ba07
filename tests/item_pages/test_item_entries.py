"""What is kept of each item, to filter and sort the list by, is what its ratings say."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from hashlib import md5, shake_256

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from config.web.raw_sql import one_row
from tasks.models import (
    Item,
    ItemEntry,
    ItemList,
    ItemWords,
    Project,
    Rating,
    Score,
    item_list,
    list_renewal,
)
from tasks.models.dropping import decide_dropped
from tasks.models.item_list import ItemFilter
from tasks.models.list_renewal import index_texts, renew_entries
from tasks.models.stored_figures import SETTLED
from tasks.queue.submitting import submit_lease
from tests.cases import cases
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
    make_talk,
    make_user,
)
from tests.overview.chance_work import Work
from tests.waiting import until_one_waits_for_us
from tests.worker import work

pytestmark = pytest.mark.django_db
Entry = tuple[int, int, str, list[str]]


def state_of(item: Item) -> str:
    if item.dropped:
        return "dropped"
    if item.counted >= item.wanted:
        return "finished"
    return "begun" if item.counted else "untouched"


def entries_anew(project: Project) -> dict[str, Entry]:
    """The same entries, from the ratings themselves."""
    ratings: dict[int, list[Rating]] = defaultdict(list)
    scores: dict[int, list[Score]] = defaultdict(list)
    for rating in Rating.objects.filter(project=project).order_by("pk"):
        ratings[rating.item_id].append(rating)
    current = Rating.objects.filter(project=project, item__dropped=False).current()
    current = current.filter(kind="counted")
    for score in Score.objects.filter(rating__in=current.values("pk")).select_related("response"):
        scores[score.rating_id].append(score)
    counted = {*current.values_list("pk", flat=True)}
    found = {}
    for item in project.items.all():
        targets: dict[tuple[str, int | str], list[int]] = defaultdict(list)
        traits = set()
        for rating in ratings[item.pk]:
            if rating.pk not in counted:
                continue
            traits.add(f"by:{rating.annotator_id}")
            for score in scores[rating.pk]:
                model = score.response.model if score.response else score.model
                if score.value is not None:
                    targets[score.dimension, score.response_id or score.model].append(score.value)
                    traits.add(f"score:{score.dimension}:{score.value}")
                    name = md5(model.encode(), usedforsecurity=False).hexdigest()
                    traits.add(f"model:{score.dimension}:{score.value}:{name}")
                traits |= {
                    f"check:{score.dimension}:{code}={answer}"
                    for code, answer in score.checks.items()
                    if answer
                }
        spreads = [max(values) - min(values) for values in targets.values() if len(values) > 1]
        found[item.external_id] = (
            ratings[item.pk][-1].pk if ratings[item.pk] else 0,
            max(spreads, default=-1),
            state_of(item),
            sorted(f"{project.pk}:{trait}" for trait in traits),
        )
    return found


def entries_kept(project: Project) -> dict[str, Entry]:
    return {
        each.external_id: (each.latest, each.spread, each.state, sorted(each.traits))
        for each in ItemEntry.objects.filter(project=project)
    }


def renewed(project: Project, *, later: timedelta = timedelta()) -> dict[str, Entry]:
    while renew_entries(project, now=timezone.now() + later):
        pass
    return entries_kept(project)


def ids(project: Project, wanted: ItemFilter) -> set[str]:
    found = ItemEntry.objects.matching(project, wanted)
    return set(found.values_list("external_id", flat=True))


# --- entries ---


@pytest.mark.parametrize(("seed", "settled"), [(0, False), (1, True), (2, False), (3, True)])
def test_entries_kept_are_those_made_anew_whatever_happens(seed: int, settled: bool) -> None:
    work = Work(seed)
    for _ in range(40):
        work.step()
        later = SETTLED if settled else timedelta()
        assert renewed(work.project, later=later) == entries_anew(work.project)


@pytest.mark.parametrize("step", [1, 2, 7])
def test_a_step_takes_in_so_many_ratings(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    monkeypatch.setattr(list_renewal, "STEP", step)
    chance = Work(1)
    for _ in range(40):
        chance.step()
    steps = 1
    while renew_entries(chance.project, now=timezone.now() + SETTLED):
        steps += 1
    assert steps == Rating.objects.count() // step + 1
    assert entries_kept(chance.project) == entries_anew(chance.project)


def test_many_ratings_that_just_came_are_all_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_renewal, "STEP", 2)
    work = Work(2)
    for _ in range(20):
        work.rate()
    assert renewed(work.project) == entries_anew(work.project)


def test_ratings_that_are_not_settled_are_taken_in_with_settled_ones_that_have_higher_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(list_renewal, "STEP", 2)
    batch, now = make_batch(), timezone.now()
    for submitted_at in (now, now, now, now - SETTLED, now - SETTLED):
        make_rating(item=make_item(batch=batch), submitted_at=submitted_at)
    assert renewed(batch.project) == entries_anew(batch.project)
    assert ItemList.objects.get().upto == Rating.objects.latest("pk").pk


def test_the_entry_knows_candidate_sets_and_responses_apart(ada: User, ben: User) -> None:
    project = make_talk(annotators=[ada, ben])
    item = project.items.order_by("position")[0]
    for person, value in ((ada, 2), (ben, 5)):
        make_rating(item=item, annotator=person, values={1: value})
    assert renewed(project) == entries_anew(project)
    assert entries_kept(project)[item.external_id][1] == 3


def test_items_of_other_projects_are_left_alone() -> None:
    rating, other = make_rating(), make_rating()
    renewed(rating.project)
    assert entries_kept(other.project)[other.item.external_id][0] == 0
    name = f"score:quality:{rating.scores.first().value}"  # type: ignore[union-attr]
    assert ItemEntry.objects.get(item=rating.item).traits.count(f"{rating.project_id}:{name}") == 1


def test_a_submit_writes_nothing_for_the_list() -> None:
    lease = make_lease(item=make_item(), annotator=make_user())
    with CaptureQueriesContext(connection) as caught:
        submit_lease(lease, make_submission(lease=lease), now=NOW)
    assert not [each for each in caught if "itementry" in each["sql"]]
    kept = ItemEntry.objects.get()
    assert (kept.latest, kept.state, kept.traits) == (0, "untouched", [])


def test_only_a_changed_state_is_stored_when_an_item_wants_more_ratings() -> None:
    """Most items of a large project are untouched, and stay so."""
    kept = "SELECT ctid::text FROM tasks_itementry WHERE item_id = %s"
    rating = make_rating(item=make_item(wanted=2))
    renewed(rating.project)
    untouched = make_item(batch=rating.item.batch)
    before = [one_row(kept, [item.pk]) for item in (untouched, rating.item)]
    for wanted, states in ((3, ["untouched", "begun"]), (1, ["untouched", "finished"])):
        Item.objects.update(wanted=wanted)
        entries = [ItemEntry.objects.get(item=item) for item in (untouched, rating.item)]
        assert [each.state for each in entries] == states
    assert one_row(kept, [untouched.pk]) == before[0]


def test_a_look_without_news_writes_nothing() -> None:
    rating = make_rating()
    renewed(rating.project, later=SETTLED)
    upto = ItemList.objects.get().upto
    assert upto == rating.pk
    with CaptureQueriesContext(connection) as caught:
        renewed(rating.project, later=SETTLED)
    assert not [each for each in caught if each["sql"].lstrip().startswith(("UPDATE", "WITH"))]


def test_a_rating_that_may_not_be_the_last_of_its_time_is_looked_for_again() -> None:
    rating = make_rating(now=timezone.now())
    renewed(rating.project)
    assert ItemList.objects.get().upto == 0
    renewed(rating.project, later=SETTLED + timedelta(minutes=2))
    assert ItemList.objects.get().upto == rating.pk


# --- races ---


@pytest.fixture
def apart(transactional_db: None) -> None:
    """Transactions are real, so that others see what is committed and wait for what is not."""


def in_thread(act: Callable[[], object]) -> threading.Thread:
    def alone() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '20s'")  # fail rather than wait for ever
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=alone)
    thread.start()
    return thread


def test_the_worker_does_not_wait_for_whoever_drops_an_item(apart: None) -> None:
    rating = make_rating(now=timezone.now())
    other = make_rating(item=make_item(batch=rating.item.batch), now=timezone.now())
    with transaction.atomic():
        Item.objects.filter(pk=rating.item_id).update(dropped=True)
        in_thread(work).join()
    assert ItemEntry.objects.get(item=other.item).latest == other.pk
    assert ItemEntry.objects.get(item=rating.item).latest == 0
    assert renewed(rating.project) == entries_anew(rating.project)


def test_an_item_dropped_while_its_entry_is_renewed_is_dropped_in_it(apart: None) -> None:
    rating, lead = make_rating(now=timezone.now()), make_user()
    with transaction.atomic():
        assert not renew_entries(rating.project, now=timezone.now())
        dropping = in_thread(
            lambda: decide_dropped(rating.item, True, why="", by=lead, now=timezone.now())
        )
        until_one_waits_for_us()
    dropping.join()
    assert entries_kept(rating.project) == entries_anew(rating.project)
    assert ItemEntry.objects.get().state == "dropped"


def test_of_two_workers_at_once_the_second_leaves_a_list_to_the_first(apart: None) -> None:
    renewed(make_rating(item=(first := make_item()), now=timezone.now()).project)
    rating = make_rating(item=first, now=timezone.now())
    with transaction.atomic():
        assert not renew_entries(rating.project, now=timezone.now())
        in_thread(work).join()
        assert not ItemWords.objects.exists()
    assert entries_kept(rating.project) == entries_anew(rating.project)


# --- filters ---


@pytest.fixture
def rated(ada: User, ben: User) -> Project:
    """Four items in two batches: calm (5 and 5), torn (2 and 6), once (7, by ada), new."""
    project = make_project(annotators=[ada, ben], wanted=2)
    first, second = make_batch(project=project), make_batch(project=project)
    for name, batch, values in (
        ("calm", first, (5, 5)),
        ("torn", first, (2, 6)),
        ("once", second, (7,)),
        ("new", second, ()),
    ):
        item = make_item(batch=batch, external_id=name, prompt=f"About {name} things, naïve")
        for person, value in zip((ada, ben), values, strict=False):
            make_rating(item=item, annotator=person, values={1: value, 2: 7})
    work()
    return project


@cases(
    ("wanted", "found"),
    [
        (ItemFilter(), {"calm", "torn", "once", "new"}),
        (ItemFilter(dimension="quality", scores=(1, 2, 3)), {"torn"}),
        (ItemFilter(dimension="quality", scores=(5, 6)), {"calm", "torn"}),
        (ItemFilter(dimension="quality", scores=(5, 6), model="model-2"), set()),
        (ItemFilter(dimension="quality", scores=(7,), model="model-1"), {"once"}),
        (ItemFilter(spread=0), {"calm", "torn"}),
        (ItemFilter(spread=4), {"torn"}),
        (ItemFilter(check="quality:helpful=entirely"), {"calm", "torn", "once"}),
        (ItemFilter(check="quality:helpful=no"), set()),
        (ItemFilter(state="finished"), {"calm", "torn"}),
        (ItemFilter(state="begun"), {"once"}),
        (ItemFilter(state="untouched"), {"new"}),
        (ItemFilter(words="TORN"), {"torn"}),
        (ItemFilter(words="naïve things"), {"calm", "torn", "once", "new"}),
        (ItemFilter(words="tor"), set()),
        (ItemFilter(words="phobos once"), {"once"}),
        (ItemFilter(words="calm", spread=0, state="finished"), {"calm"}),
    ],
)
def test_a_filter_leaves_in_what_it_names(
    rated: Project, wanted: ItemFilter, found: set[str]
) -> None:
    assert ids(rated, wanted) == found


def test_a_filter_names_batches_annotators_and_flags(rated: Project, ben: User) -> None:
    first, second = rated.batches.all()
    assert ids(rated, ItemFilter(batches=(first.pk,))) == {"calm", "torn"}
    assert len(ids(rated, ItemFilter(batches=(first.pk, second.pk)))) == 4
    assert ids(rated, ItemFilter(annotator=ben.pk)) == {"calm", "torn"}
    lease = make_lease(item=rated.items.get(external_id="new"), annotator=ben)
    lease.flag(reason="broken", now=NOW)
    assert ids(rated, ItemFilter(flagged="on")) == {"new"}


def test_a_model_may_have_a_name_longer_than_a_row_of_an_index() -> None:
    name = "ä " + shake_256(b"cannot be compressed").hexdigest(5_000)
    item = make_item(responses=[(name, "Two."), ("other", "Three.")])
    make_rating(item=item, values={1: 3, 2: 5})
    assert renewed(item.project) == entries_anew(item.project)
    found = [ids(item.project, ItemFilter("", (), "quality", (n,), name)) for n in (3, 5)]
    assert found == [{item.external_id}, set()]


def test_few_items_are_found_before_they_are_sorted_and_many_by_the_index_of_the_order() -> None:
    for sort, keys in item_list.KEYS.items():
        for is_short in (True, False):
            query = str(
                ItemEntry.objects.in_order(sort, is_reversed=False, is_short=is_short).query
            )
            order = query.partition("ORDER BY")[2]
            assert order.count(" + 0") + order.count(" || ''") == is_short * len(keys)


# --- words ---


def test_words_are_put_in_by_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_renewal, "TEXTS", 2)
    batch = make_batch()
    for _ in range(4):
        make_item(batch=batch)
    assert [index_texts(batch.project) for _ in range(3)] == [True, False, False]
    make_item(batch=batch)
    assert not index_texts(batch.project)
    assert len(ids(batch.project, ItemFilter(words="moons"))) == 5


def test_an_import_stores_no_words() -> None:
    make_item()
    assert not ItemWords.objects.exists()


def test_every_text_of_an_item_is_searched() -> None:
    item = make_item(
        external_id="moon-17",
        messages=[("user", "eins"), ("assistant", "zwei")],
        persona=["drei"],
        system="vier",
        context="fünf",
        responses=["sechs", "sieben"],
    )
    index_texts(item.project)
    for word in ("moon-17", "eins", "zwei", "drei", "vier", "FÜNF", "sechs", "sieben"):
        assert ids(item.project, ItemFilter(words=word)) == {"moon-17"}, word


def test_a_text_of_more_words_than_postgresql_indexes_is_searched_at_its_beginning() -> None:
    batch = make_batch()
    words = " ".join(f"word{number}" for number in range(140_000))
    make_item(batch=batch, external_id="long", prompt=f"begins {words} ends", responses=["So."])
    assert not index_texts(batch.project)
    assert ids(batch.project, ItemFilter(words="begins word7")) == {"long"}
    assert ids(batch.project, ItemFilter(words="ends")) == set()
