"""What is kept of each item, to filter and sort the list by, is what its ratings say."""

from __future__ import annotations

import threading
from collections import defaultdict
from datetime import timedelta
from hashlib import md5, shake_256
from itertools import takewhile
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from config.web.raw_sql import one_row
from tasks.models import Item, ItemEntry, ItemList, ItemWords, Project, Rating, item_list
from tasks.models.item_list import ItemFilter, put_in_words, renew_entries
from tasks.models.kept_figures import SETTLED
from tests.cases import cases
from tests.chance_work import Work
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
from tests.waiting import until_one_waits_for_us

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
    found = {}
    for item in project.items.all():
        targets: dict[tuple[str, int | str], list[int]] = defaultdict(list)
        traits = set()
        ratings = Rating.objects.filter(item=item)
        for rating in ratings.current().filter(kind="counted"):
            traits.add(f"by:{rating.annotator_id}")
            for score in rating.scores.select_related("response"):
                model = score.response.model if score.response else score.model
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
        last = ratings.order_by("pk").last()
        found[item.external_id] = (
            last.pk if last else 0,
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
    assert renew_entries(project, now=timezone.now() + later) is None
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
def test_one_look_takes_in_so_many_ratings_and_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(item_list, "STEP", step)
    monkeypatch.setattr(item_list, "PART", 0)
    work = Work(1)
    for _ in range(40):
        work.step()
    looks = (
        renew_entries(work.project, now=timezone.now() + SETTLED)
        for _ in range(Rating.objects.count() + 1)
    )
    told = [far for far in takewhile(lambda far: far is not None, looks) if far is not None]
    assert told == sorted(told)
    assert 0 < told[-1] < 100
    assert len(told) == Rating.objects.count() // step
    assert entries_kept(work.project) == entries_anew(work.project)


def test_many_ratings_that_just_came_are_all_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_list, "STEP", 2)
    work = Work(2)
    for _ in range(20):
        work.rate()
    assert renewed(work.project) == entries_anew(work.project)


def test_ratings_that_are_not_settled_are_taken_in_with_settled_ones_that_have_higher_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(item_list, "STEP", 2)
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
        lease.submit(make_submission(lease=lease), now=NOW)
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


def in_thread(project: Project, found: list[int | None]) -> threading.Thread:
    def look() -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '20s'")  # fail rather than wait for ever
            found.append(renew_entries(project, now=timezone.now()))
        finally:
            connection.close()

    return threading.Thread(target=look)


def test_a_look_does_not_wait_for_whoever_drops_an_item(apart: None) -> None:
    rating = make_rating(now=timezone.now())
    other = make_rating(item=make_item(batch=rating.item.batch), now=timezone.now())
    found: list[int | None] = []
    with transaction.atomic():
        Item.objects.filter(pk=rating.item_id).update(dropped=True)
        look = in_thread(rating.project, found)
        look.start()
        look.join()
    assert found == [0]  # it says that it is not done
    assert ItemEntry.objects.get(item=other.item).latest == other.pk
    assert renewed(rating.project) == entries_anew(rating.project)


def test_an_item_dropped_while_its_entry_is_renewed_is_dropped_in_it(apart: None) -> None:
    rating = make_rating(now=timezone.now())

    def drop() -> None:
        try:
            Item.objects.filter(pk=rating.item_id).update(dropped=True)
        finally:
            connection.close()

    dropping = threading.Thread(target=drop)
    with transaction.atomic():
        assert renew_entries(rating.project, now=timezone.now()) is None
        dropping.start()
        until_one_waits_for_us()
    dropping.join()
    assert entries_kept(rating.project) == entries_anew(rating.project)
    assert ItemEntry.objects.get().state == "dropped"


def test_of_two_looks_at_once_the_second_waits_and_has_all(apart: None) -> None:
    renewed(make_rating(item=(first := make_item()), now=timezone.now()).project)
    rating = make_rating(item=first, now=timezone.now())
    found: list[int | None] = []
    look = in_thread(rating.project, found)
    with transaction.atomic():
        assert renew_entries(rating.project, now=timezone.now()) is None
        look.start()
        until_one_waits_for_us()
    look.join()
    assert found == [None]


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
    renewed(project)
    assert put_in_words(project) is None
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
    assert ids(rated, ItemFilter(flagged=True)) == {"new"}


def test_a_model_may_have_a_name_longer_than_a_row_of_an_index() -> None:
    name = "ä " + shake_256(b"cannot be compressed").hexdigest(5_000)
    item = make_item(responses=[(name, "Two."), ("other", "Three.")])
    make_rating(item=item, values={1: 3, 2: 5})
    assert renewed(item.project) == entries_anew(item.project)
    found = [ids(item.project, ItemFilter("", (), "quality", (n,), name)) for n in (3, 5)]
    assert found == [{item.external_id}, set()]


def test_few_items_are_found_before_they_are_sorted_and_many_by_the_index_of_the_order() -> None:
    for sort, keys in item_list.KEYS.items():
        for few in (True, False):
            query = str(ItemEntry.objects.in_order(sort, is_reversed=False, few=few).query)
            order = query.partition("ORDER BY")[2]
            assert order.count(" + 0") + order.count(" || ''") == few * len(keys)


# --- words ---


def test_words_are_put_in_by_steps_and_one_is_told_how_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(item_list, "TEXTS", 1)
    monkeypatch.setattr(item_list, "PART", 0)
    batch = make_batch()
    for _ in range(4):
        make_item(batch=batch)
    assert [put_in_words(batch.project) for _ in range(5)] == [25, 50, 75, None, None]
    make_item(batch=batch)
    assert put_in_words(batch.project) is None
    assert len(ids(batch.project, ItemFilter(words="moons"))) == 5


@pytest.mark.parametrize(
    "texts",
    [
        {"prompt": "word " * 20},
        {"prompt": "So?", "responses": ["word " * 20]},
        {"prompt": "So?", "persona": ["word " * 20]},
        {"prompt": "So?", "system": "word " * 20},
        {"prompt": "So?", "context": "word " * 20},
    ],
)
def test_one_look_puts_in_the_words_of_few_items_if_their_texts_are_long(
    monkeypatch: pytest.MonkeyPatch, texts: dict[str, Any]
) -> None:
    batch = make_batch()
    for _ in range(4):
        make_item(batch=batch, **{"responses": ["So."], **texts})
    monkeypatch.setattr(item_list, "PART", 0)
    monkeypatch.setattr(item_list, "BYTES", 100)
    assert [put_in_words(batch.project) for _ in range(4)] == [25, 50, 75, None]
    monkeypatch.setattr(item_list, "BYTES", 10_000)
    for _ in range(3):
        make_item(batch=batch, **texts)
    assert put_in_words(batch.project) is None


def test_a_transaction_puts_in_the_words_of_half_a_megabyte(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PostgreSQL indexes some 2 MB in a second, and a look is to take no longer than that."""
    monkeypatch.setattr(item_list, "PART", 0)
    batch = make_batch()
    for _ in range(24):
        make_item(batch=batch, responses=["words " * 5_000])
    assert put_in_words(batch.project) == 100 * 17 // 24
    assert ItemWords.objects.count() == 17


def test_an_import_stores_no_words() -> None:
    make_item()
    assert not ItemWords.objects.exists()


def test_all_that_is_read_of_an_item_is_searched() -> None:
    item = make_item(
        external_id="moon-17",
        messages=[("user", "eins"), ("assistant", "zwei")],
        persona=["drei"],
        system="vier",
        context="fünf",
        responses=["sechs", "sieben"],
    )
    put_in_words(item.project)
    for word in ("moon-17", "eins", "zwei", "drei", "vier", "FÜNF", "sechs", "sieben"):
        assert ids(item.project, ItemFilter(words=word)) == {"moon-17"}, word


def test_a_text_of_more_words_than_postgresql_indexes_is_searched_at_its_beginning() -> None:
    batch = make_batch()
    words = " ".join(f"word{number}" for number in range(140_000))
    make_item(batch=batch, external_id="long", prompt=f"begins {words} ends", responses=["So."])
    assert put_in_words(batch.project) is None
    assert ids(batch.project, ItemFilter(words="begins word7")) == {"long"}
    assert ids(batch.project, ItemFilter(words="ends")) == set()


def test_a_command_makes_the_list_of_one_project_or_of_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = make_rating(), make_rating()
    call_command("index_items", first.project.slug)
    assert set(ItemWords.objects.values_list("item", flat=True)) == {first.item_id}
    assert ItemEntry.objects.get(item=first.item).latest == first.pk
    call_command("index_items")
    assert ItemWords.objects.filter(item=second.item).exists()
    assert f"{second.project.slug}: 1 item" in capsys.readouterr().out
