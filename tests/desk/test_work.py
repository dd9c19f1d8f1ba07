"""My work: one's own hours, what came back, what became of skips and flags, and all of it as a
file. Nobody else's is in it, and nothing that would tell the models apart."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from annotators.progress import hours
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric
from tasks.agreement.making import make
from tasks.agreement.own import agreement_of_annotator
from tasks.exporting import own_data
from tasks.exporting.columns import SCORES
from tasks.models import Batch, Concern, CorpusAnswer, Item, Project, Rating, ReturnedRating
from tasks.models.leases import LONGEST_LATE
from tasks.models.new_projects import duplicate_project
from tasks.models.replies import reply_to
from tasks.queue.submitting import correct_rating, submit_lease
from tests.agreement.spelt_out import had
from tests.exports import text_of
from tests.factories import (
    imported_rating,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
WHEN = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)  # the next day in Tokyo


@pytest.fixture
def ada() -> User:
    """Where she lives, it is tomorrow for nine hours of the day."""
    return make_user(name="ada", time_zone="Asia/Tokyo")


@pytest.fixture
def project(ada: User, ben: User) -> Project:
    """ben rates in it too, and its title is not its name."""
    return make_project(slug="eggs", title="Eggs", annotators=[ada, ben])


@pytest.fixture
def here(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def rate(
    project: Project, annotator: User, *, at: datetime = WHEN, seconds: int = 90, **said: Any
) -> Rating:
    batch = project.batches.first() or make_batch(project=project)
    item = make_item(batch=batch, responses=[("heron", "Six."), ("wren", "Nine.")])
    return make_rating(
        item=item,
        annotator=annotator,
        now=at - HOUR,
        submitted_at=at,
        active_seconds=seconds,
        **said,
    )


def concern(project: Project, annotator: User, kind: str = "skip", **told: str) -> Concern:
    item = make_item(batch=project.batches.first() or make_batch(project=project))
    lease = make_lease(item=item, annotator=annotator, now=WHEN)
    said = {"reason": "unclear", "note": "", **told}
    if kind == "skip":
        lease.skip(now=WHEN, **said)
    else:
        lease.flag(now=WHEN, **said)
        lease.release(now=WHEN)
    return Concern.objects.get(lease=lease)


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def section(client: Client, name: str, query: str = "") -> str:
    """What a section of the page says."""
    page = client.get(f"/work/{query}").content.decode()
    found = re.search(rf'aria-labelledby="{name}-title".*?</section>', page, re.DOTALL)
    return words(found[0]) if found else ""


def own_rows(client: Client, query: str = "") -> list[dict[str, str]]:
    file = client.get(f"/work/own-data.csv{query}").getvalue().decode()
    return list(csv.DictReader(io.StringIO(file, newline="")))


# --- hours ---


def test_hours_are_active_time_day_by_day_in_one_s_own_zone_and_project_by_project(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    moon = make_project(slug="moon", title="Moon", annotators=[ada])
    rate(project, ada, at=WHEN - 12 * HOUR, seconds=60)
    rate(project, ada, seconds=50 * 60)
    rate(project, ada, at=WHEN + HOUR, seconds=40 * 60)
    rate(moon, ada, seconds=30)
    rate(project, ben, seconds=3000)
    said = section(here, "hours", "?month=2026-03")
    assert "March 2026: 1 h 32 min" in said
    assert "Tue 3 Eggs 2 1 h 30 min Moon 1 30 s All 3 1 h 30 min" in said
    assert "Mon 2 Eggs 1 1 min" in said
    assert "in Asia/Tokyo" in said
    projects = (
        "Eggs · Your ratings : Eggs · Your own scores : Eggs 2 3 1 h 31 min"
        " Moon · Your ratings : Moon · Your own scores : Moon 1 1 30 s All 4 1 h 32 min"
    )
    assert projects in section(here, "projects")
    page = here.get("/work/").content.decode()
    assert re.findall(r'href="(/projects/\w+/ratings/)"', page) == [
        "/projects/eggs/ratings/",
        "/projects/moon/ratings/",
    ]
    moon.memberships.all().delete()
    assert "/projects/moon/" not in here.get("/work/").content.decode(), "it would not open"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "1 h 0 min"), (9000, "2 h 30 min")],
)
def test_a_length_of_work_is_told_to_the_minute(seconds: int, told: str) -> None:
    assert hours(seconds) == told


def test_links_between_months_stay_in_the_project(
    here: Client, project: Project, ada: User
) -> None:
    other = make_project(slug="moon", annotators=[ada])
    for where, month in ((project, 2), (other, 3)):
        rate(where, ada, at=datetime(2026, month, 2, 12, tzinfo=UTC))
    page = here.get("/work/?project=eggs&month=2026-03").content.decode()
    assert 'rel="prev" href="?project=eggs&amp;month=2026-02#hours"' in page
    assert 'href="?project=moon&amp;month=2026-03#scores"' in page


def test_months_without_work_are_passed_by(here: Client, project: Project, ada: User) -> None:
    for at in (datetime(2025, 11, 30, tzinfo=UTC), WHEN):
        rate(project, ada, at=at)
    page = here.get("/work/?month=2026-03").content.decode()
    assert re.findall(r"\?month=[\d-]+", page) == ["?month=2025-11"]
    page = here.get("/work/?month=2025-11").content.decode()
    assert re.findall(r"\?month=[\d-]+", page) == ["?month=2026-03"]
    for query in ("", "?month=now", "?month=2026-13", "?month=9999-12"):
        month = timezone.now().astimezone(ZoneInfo("Asia/Tokyo")).strftime("%B %Y")
        assert f"Nothing in {month}" in section(here, "hours", query)


def test_a_day_on_which_an_item_was_opened_and_none_rated_is_no_work(
    here: Client, project: Project, ada: User
) -> None:
    ada.workdays.create(project=project, day=date(2026, 3, 3), opened=1)
    assert "Nothing in March 2026" in section(here, "hours", "?month=2026-03")
    assert section(here, "projects") == ""


# --- pace and scores ---


def test_pace_is_the_median_of_the_last_items_in_the_project_worked_in_last_or_asked_for(
    here: Client, project: Project, ada: User
) -> None:
    moon = make_project(slug="moon", title="Moon", annotators=[ada])
    for number in range(10):
        rate(project, ada, seconds=95 if number < 6 else 500)
    rate(moon, ada, at=WHEN - 48 * HOUR)
    said = section(here, "scores")
    assert "Your pace and scores in Eggs" in said
    assert "Your median per item 1 min 35 s Based on your active time on your last items" in said
    links = re.findall(r'href="(\?project=\w+#scores)"', here.get("/work/").content.decode())
    assert links == ["?project=eggs#scores", "?project=moon#scores"]
    asked = section(here, "scores", "?project=moon&month=none")
    assert "in Moon" in asked
    assert "After ten items you see here how long one takes you." in asked
    assert "in Eggs" in section(here, "scores", "?project=nowhere")
    moon.memberships.all().delete()
    assert "in Eggs" in section(here, "scores", "?project=moon")


def test_the_shares_of_one_s_own_counted_scores_stand_at_a_bar_of_their_colours(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    first = rate(project, ada, values={1: 1, 2: 7})
    rate(project, ada, values={1: 6, 2: 7})
    make_rating(item=first.item, annotator=ben, values={1: 3, 2: 3})
    assert first.lease
    again = make_submission(lease=first.lease, values={1: 6, 2: 7})
    correct_rating(first, again, based_on=1, now=timezone.now())
    said = section(here, "scores")
    assert "Quality 50 50 4 scores" in said
    assert "1: 0 %, 2: 0 %, 3: 0 %, 4: 0 %, 5: 0 %, 6: 50 %, 7: 50 %" in said
    page = here.get("/work/").content.decode()
    bars = re.findall(r'<rect class="(f\w+)" x="([\d.]+%)" width="([\d.]+%)"', page)
    assert bars == [("f6", "0.00%", "50.00%"), ("f7", "50.00%", "50.00%")]
    assert "css/shades.css" in page


def test_scores_of_classes_have_their_labels_and_greys(here: Client, ada: User) -> None:
    rubric, _is_new = Rubric.objects.load(shipped("dices"), now=WHEN)
    rate(make_project(annotators=[ada], rubric=rubric), ada)
    assert "1 No 2 Unsure 3 Yes" in section(here, "scores")
    assert '<rect class="fn' in here.get("/work/").content.decode()


# --- agreement, if the project shows it ---


@pytest.fixture
def shown(project: Project) -> Project:
    """Its annotators see how far they agree with the others."""
    Project.objects.filter(pk=project.pk).update(shows_own_agreement=True)
    project.refresh_from_db()
    return project


def both_rate(
    project: Project,
    *people: User,
    items: int = 20,
    closed: bool = True,
    gives: tuple[int, int] = (4, 4),
) -> Batch:
    """A batch in which all rate each item: the first says 4, the second `gives` these in turn, the
    third says 1."""
    batch = make_batch(project=project)
    for number in range(items):
        item = make_item(batch=batch, responses=["Six."])
        for person, value in zip(people, (4, gives[number % 2], 1), strict=False):
            make_rating(item=item, annotator=person, values={1: value}, now=WHEN)
    if closed:
        Batch.objects.filter(pk=batch.pk).update(status="closed")
    return batch


def seen(project: Project, ada: User, now: datetime | None = None) -> list[tuple[Any, ...]]:
    rows = agreement_of_annotator(project, ada, now or timezone.now())
    return [(row.items, row.same, row.close) for row in rows]


def test_agreement_is_shown_only_where_the_project_says_so(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    both_rate(project, ada, ben, gives=(4, 6))
    assert project.shows_own_agreement is False
    assert "agreement" not in section(here, "scores")
    Project.objects.update(shows_own_agreement=True)
    said = section(here, "scores")
    assert "Your agreement with the others Dimension Items Same score Close" in said
    assert "Quality 20 50 % (28 to 72) 50 % (28 to 72)" in said
    assert "ben" not in said
    copy = duplicate_project(Project.objects.get(), title="More", by=ben, now=timezone.now())
    assert copy.shows_own_agreement is True


def test_a_lead_lets_annotators_see_their_agreement(client: Client, project: Project) -> None:
    client.force_login(make_user(admin=True))
    sent = {"group": "names", "shows_own_agreement": "on", "names_annotators": "on"}
    client.post("/projects/eggs/settings/", sent)
    project.refresh_from_db()
    assert project.shows_own_agreement is True
    assert (
        "Never by item; with two annotators it is the agreement with one person"
        in client.get("/projects/eggs/settings/").content.decode()
    )


def test_agreement_needs_20_items_in_batches_that_take_no_correction(
    here: Client, shown: Project, ada: User, ben: User
) -> None:
    nothing = "You will see it here once you share 20 items with others in a closed batch"
    batch = both_rate(shown, ada, ben, items=19, gives=(4, 5))
    assert nothing in section(here, "scores")
    item = make_item(batch=batch, responses=["Six."])
    make_rating(item=item, annotator=ada, values={1: 4}, now=WHEN)
    assert seen(shown, ada) == [], "nobody else has rated it"
    make_rating(item=item, annotator=ben, values={1: 5}, now=WHEN)
    assert [items for items, *_shares in seen(shown, ada)] == [20]
    for status in ("open", "paused"):
        Batch.objects.update(status=status)
        assert nothing in section(here, "scores")
    Project.objects.update(status="paused")
    assert seen(shown, ada) == []
    Project.objects.update(status="closed")
    assert [items for items, *_shares in seen(shown, ada)] == [20]


def test_a_batch_counts_as_a_whole_from_20_items_on_so_that_no_difference_tells_of_few(
    shown: Project, ada: User, ben: User
) -> None:
    small = both_rate(shown, ada, ben, items=19, closed=False)
    for items, told in ((30, 30), (19, 30), (1, 30), (20, 50)):
        both_rate(shown, ada, ben, items=items, gives=(4, 5))
        assert [items for items, *_shares in seen(shown, ada)] == [told]
    before = seen(shown, ada)
    Batch.objects.filter(pk=small.pk).update(status="closed")
    assert seen(shown, ada) == before, "uploaded first, closed last"


@pytest.mark.parametrize(("whose", "skips"), [("ada", False), ("ben", False), ("ben", True)])
def test_a_batch_waits_while_anyone_may_still_add_a_rating_that_counts(
    shown: Project, ada: User, ben: User, whose: str, skips: bool
) -> None:
    """After a skip, too, another window may still submit the item."""
    batch = both_rate(shown, ada, ben, gives=(4, 5), closed=False)
    item = make_item(batch=batch, wanted=2)
    held = make_lease(item=item, annotator=ada if whose == "ada" else ben, now=WHEN)
    Batch.objects.update(status="closed")
    assert seen(shown, ada, WHEN) == []
    if skips:
        held.skip(reason="unclear", now=WHEN)
    held.release(now=WHEN)
    late = WHEN + LONGEST_LATE
    assert seen(shown, ada, late - HOUR) == []
    assert len(seen(shown, ada, late)) == 1
    rating = submit_lease(held, make_submission(lease=held), now=late - HOUR)
    assert rating.kind == "counted"


def test_a_batch_waits_for_no_lease_that_can_add_nothing(
    shown: Project, ada: User, ben: User
) -> None:
    cem = make_user(name="cem")
    batch = both_rate(shown, ada, ben, gives=(4, 5), closed=False)
    again, full, dropped = (make_item(batch=batch, wanted=wanted) for wanted in (3, 1, 1))
    for item, person in ((again, ada), (full, ben), (dropped, ben)):
        make_lease(item=item, annotator=person, now=WHEN).release(now=WHEN)
    make_rating(item=again, annotator=ada, now=WHEN)
    lease = make_lease(item=full, annotator=cem, now=WHEN)
    lease.skip(reason="unclear", now=WHEN)
    make_rating(item=full, annotator=ada, now=WHEN)
    Batch.objects.update(status="closed")
    assert seen(shown, ada, WHEN) == []
    Item.objects.filter(pk=dropped.pk).update(dropped=True)
    assert len(seen(shown, ada, WHEN)) == 1


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (0, "15\xa0% or less"),
        (3, "15\xa0% or less"),
        (4, "20\xa0% (2 to 38)"),
        (16, "80\xa0% (62 to 98)"),
        (17, "85\xa0% or more"),
        (20, "85\xa0% or more"),
    ],
)
def test_a_share_that_would_tell_every_score_leaves_three_open(
    shown: Project, ada: User, ben: User, others: int, told: str
) -> None:
    """Of ben's 20 scores so many are ada's."""
    batch = make_batch(project=shown)
    for number in range(20):
        item = make_item(batch=batch, responses=["Six."])
        make_rating(item=item, annotator=ada, values={1: 4}, now=WHEN)
        make_rating(item=item, annotator=ben, values={1: 4 if number < others else 7}, now=WHEN)
    [(_items, same, close)] = _closed(shown, ada)
    assert same == close == told


def test_of_many_pairs_a_share_is_told_up_to_5_and_95_in_100(
    shown: Project, ada: User, ben: User
) -> None:
    both_rate(shown, ada, ben, items=60, gives=(4, 4))
    assert seen(shown, ada) == [(60, "95\xa0% or more", "95\xa0% or more")]


def test_own_agreement_is_the_same_as_on_the_page_of_agreement(
    shown: Project, ada: User, ben: User
) -> None:
    batch = make_batch(project=shown)
    for number in range(25):
        item = make_item(batch=batch)
        make_rating(item=item, annotator=ada, values={1: 1 + number % 7, 2: 4}, now=WHEN)
        make_rating(item=item, annotator=ben, values={1: 4, 2: 4 + number % 3}, now=WHEN)
    Batch.objects.update(status="closed")
    [pair] = make(shown, shown.rubric.schema.dimensions[0]).pairs
    [(items, *shares)] = seen(shown, ada)
    assert (items, pair.units) == (25, 50)
    for share, code in zip(shares, ("same", "within-one"), strict=True):
        figure = had(pair.figures[code])
        value, low, high = map(int, re.findall(r"\d+", share))
        assert value == round(100 * figure.value)
        # Here items are drawn, there responses one by one.
        assert low == pytest.approx(100 * figure.low, abs=6)
        assert high == pytest.approx(100 * figure.high, abs=6)


def test_only_pairs_with_oneself_count_by_what_counts_now(
    shown: Project, ada: User, ben: User
) -> None:
    """ben and cem never agree. What ada said first, and what is extra, is in no pair."""
    cem = make_user(name="cem")
    batch = both_rate(shown, ada, ben, cem, items=21, closed=False)
    [(_items, before, _close)] = _closed(shown, ada)
    assert before == "50\xa0% (50 to 50)"
    Batch.objects.update(status="open")
    for rating in Rating.objects.filter(annotator=ada):
        assert rating.lease
        revised = make_submission(lease=rating.lease, values={1: 1})
        correct_rating(rating, revised, based_on=1, now=WHEN + HOUR)
    first, second, *_others = batch.items.all()
    Rating.objects.filter(annotator=ben, item=first).update(kind="extra")
    Rating.objects.filter(annotator=ada, item=second).update(kind="extra")
    [(items, after, _close)] = _closed(shown, ada)
    assert items == 20
    assert after.startswith("51\xa0% (")  # 20 of 39


def _closed(project: Project, ada: User) -> list[tuple[Any, ...]]:
    Batch.objects.update(status="closed")
    return seen(project, ada)


def test_classes_and_two_levels_have_no_close_scores_and_long_scales_those_within_a_tenth(
    ada: User, ben: User
) -> None:
    for slug, values, told in (
        ("dices", (1, 2), ("8\xa0% or less", "", 1)),
        ("beavertails", (0, 1), ("8\xa0% or less", "", 1)),
        ("wmt-direct-assessment", (50, 60), ("8\xa0% or less", "92\xa0% or more", 10)),
    ):
        rubric, _is_new = Rubric.objects.load(shipped(slug), now=WHEN)
        project = make_project(annotators=[ada, ben], rubric=rubric)
        batch = make_batch(project=project)
        for _number in range(20):
            item = make_item(batch=batch)
            for person, value in zip((ada, ben), values, strict=True):
                make_rating(item=item, annotator=person, values={1: value, 2: value}, now=WHEN)
        Batch.objects.update(status="closed")
        row = next(agreement_of_annotator(project, ada, timezone.now()))
        assert (row.same, row.close, row.largest_difference) == told


def test_candidate_sets_are_compared_with_those_of_the_same_model(ada: User, ben: User) -> None:
    project = make_project(annotators=[ada, ben], rubric=make_rubric(slug="dialogue"))
    batch = make_batch(project=project)
    for _number in range(20):
        item = make_item(batch=batch, persona=["a"], responses=[("heron", "1"), ("wren", "2")])
        for person, wren in ((ada, 3), (ben, 2)):
            lease = make_lease(item=item, annotator=person, now=WHEN)
            said = make_submission(lease=lease)
            sets = tuple(
                replace(
                    said.scores[0],
                    dimension="diversity",
                    unit="candidate_set",
                    response=None,
                    model=model,
                    position=place,
                    value=value,
                )
                for place, (model, value) in enumerate((("heron", 5), ("wren", wren)), start=1)
            )
            submit_lease(lease, replace(said, scores=sets), now=WHEN)
    Batch.objects.update(status="closed")
    [row] = agreement_of_annotator(project, ada, timezone.now())
    assert row.dimension.code == "diversity"
    assert (row.items, row.same, row.close) == (
        20,
        "50\xa0% (50 to 50)",
        "92\xa0% or more",
    )


def test_imported_ratings_are_others_where_they_count_unless_they_are_one_s_own(
    shown: Project, ada: User
) -> None:
    batch = both_rate(shown, ada, closed=False)
    for item in batch.items.all():
        imported_rating(item=item, by="dora", values={1: 5})
        imported_rating(item=item, by="Ada", values={1: 7}, account=ada)
    assert _closed(shown, ada) == []
    Project.objects.update(imported="counted")
    assert _closed(shown, ada) == [(20, "15\xa0% or less", "85\xa0% or more")]


# --- what came back, what became of it ---


def test_a_returned_rating_says_why_and_leads_to_its_page_while_it_waits(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    for person, reason in ((ada, "Look at the dates."), (ben, "Look at the names.")):
        ReturnedRating.objects.send_back(rate(project, person), reason, cause="flag 1", now=WHEN)
    said = section(here, "returned")
    assert "check 1 rating again" in said
    assert "Look at the dates." in said
    assert "3 Mar 2026, 08:30" in said  # where she is
    assert "names" not in said
    back = ReturnedRating.objects.get(annotator=ada)
    there = f'href="/projects/eggs/ratings/{back.rating_id}/"'
    assert there in here.get("/work/").content.decode()
    for change in (
        lambda: Project.objects.update(status="paused"),
        lambda: Batch.objects.update(status="closed"),
        lambda: project.memberships.all().delete(),
    ):
        change()
        assert there not in here.get("/work/").content.decode()
        assert "You have nothing to do" in section(here, "returned")
        Project.objects.update(status="open")
        Batch.objects.update(status="open")
    ReturnedRating.objects.update(settled_at=WHEN)
    assert "You have checked them all." in section(here, "returned")
    assert "You have nothing to do" not in section(here, "returned")


@pytest.mark.parametrize(
    ("kind", "decision", "told"),
    [
        ("skip", "", "not decided yet. Meanwhile, others get the item."),
        ("skip", "again", "You may get it again"),
        ("skip", "someone_else", "Someone else gets it."),
        ("skip", "drop", "Dropped"),
        ("flag", "", "not decided yet. Meanwhile, the item stays as it is."),
        ("flag", "answered", "Answered. The item stays as it is."),
        ("flag", "again", "Rate it, then check it once more."),
        (
            "flag",
            "someone_else",
            "Someone else gets it. If you rate it anyway, your rating is saved.",
        ),
        ("flag", "drop", "Dropped. Nobody rates it any more."),
    ],
)
def test_every_skip_and_flag_says_what_became_of_it(
    here: Client, project: Project, ada: User, ben: User, kind: str, decision: str, told: str
) -> None:
    told_of = concern(project, ada, kind, note="Which year?")
    concern(project, ben, kind, note="Not hers.")
    if decision:
        lead = make_user(name="lea")
        reply_to(told_of, Concern.Decision(decision), by=lead, now=WHEN, answer="The year is 1905.")
    said = section(here, "concerns")
    assert told in said
    assert "I can’t tell what the rubric asks here · Which year?" in said
    assert ("The year is 1905." in said) == bool(decision)
    assert "Not hers" not in said
    assert "you rated" not in said, "which she did not"


@pytest.mark.parametrize(
    ("kind", "decision", "told"),
    [
        ("skip", "", "The lead has not decided yet. Your rating stays as it is."),
        ("skip", "again", "Back in the queue. You have rated it since."),
        ("skip", "someone_else", "Someone else gets it too. Your rating stays saved."),
        ("skip", "drop", "Dropped. Nobody rates it any more. Your rating stays saved."),
        ("flag", "", "The lead has not decided yet. Your rating stays as it is."),
        ("flag", "answered", "Answered. Your rating stays as it is."),
        ("flag", "again", "Back to you. Please check your rating again."),
        ("flag", "someone_else", "Someone else gets it too. Your rating stays saved."),
        ("flag", "drop", "Dropped. Nobody rates it any more. Your rating stays saved."),
    ],
)
def test_where_the_item_was_rated_it_says_what_became_of_the_rating(
    here: Client, project: Project, ada: User, kind: str, decision: str, told: str
) -> None:
    told_of = concern(project, ada, kind)
    submit_lease(told_of.lease, make_submission(lease=told_of.lease), now=WHEN)
    if decision:
        reply_to(told_of, Concern.Decision(decision), by=make_user(), now=WHEN, answer="1905.")
    assert told in section(here, "concerns")


def test_an_item_skipped_as_distressing_is_not_said_to_come_back(
    here: Client, project: Project, ada: User
) -> None:
    told_of = concern(project, ada, "flag")
    reply_to(told_of, Concern.Decision.AGAIN, by=make_user(), now=WHEN)
    told_of.lease.skip(reason="distressing", now=WHEN)
    said = section(here, "concerns")
    assert (
        "Back in the queue, but not for you: items you found distressing don’t come back." in said
    )
    assert "you are asked to look" not in said


def test_skips_and_flags_come_newest_first_a_page_at_a_time(
    here: Client, project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotators.my_work.CONCERNS_SHOWN", 2)
    for note in ("first", "second", "third"):
        concern(project, ada, note=note)
    said = section(here, "concerns")
    assert said.index("third") < said.index("second")
    assert "first" not in said
    assert "first" in section(here, "concerns", "?page=2")


# --- the file ---


def test_the_file_has_the_lead_s_columns_where_they_mean_the_same(
    here: Client, project: Project, ada: User
) -> None:
    rate(
        project,
        ada,
        comments={1: "Short."},
        comment="Both fine.",
        facts=[(2, "Nine.", "holds", "")],
    )
    [*mine] = [row for row in own_rows(here) if row["record"] == "rating"]
    file = text_of(project)
    [*leads] = csv.DictReader(io.StringIO(file, newline=""))
    shared = set(mine[0]) & set(leads[0])
    assert len(mine) == len(leads) == 2
    assert [{name: row[name] for name in shared} for row in mine] == [
        {name: row[name] for name in shared} for row in leads
    ]
    in_order = [name for name in leads[0] if name in shared]
    assert list(mine[0])[: len(shared) + 1] == ["record", *in_order]
    assert mine[0]["submitted_at"] == "2026-03-02T23:30:00.000000Z"  # not as it is in Tokyo
    assert set(leads[0]) - shared == {
        "after_talk",
        "batch",
        "target",
        "model",
        "attempt",
        "kind",
        "extra_because",
        "breaks",
        "file",
        "line",
    }


def test_the_file_has_all_of_one_s_own_and_nothing_of_others_or_of_the_models(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    for person in (ada, ben):
        name = person.username
        rating = rate(project, person, comment=f"first of {name}")
        assert rating.lease
        again = make_submission(lease=rating.lease, comment=f"second of {name}", active_seconds=5)
        corrected = correct_rating(rating, again, based_on=1, now=WHEN + timedelta(seconds=20))
        ReturnedRating.objects.send_back(corrected, f"Look, {name}.", cause="flag 1", now=WHEN)
        ReturnedRating.objects.update(settled_at=WHEN)
        reply_to(
            concern(project, person, "flag", note=f"odd to {name}"),
            Concern.Decision.DROP,
            by=make_user(),
            now=WHEN,
            answer=f"Right, {name}.",
        )
        concern(project, person, note=f"not for {name}")
        CorpusAnswer.objects.create(
            project=project,
            batch=rating.item.batch,
            annotator=person,
            model="heron",
            dimension="diversity",
            code=f"high_{name}",
            answer="yes",
            answered_at=WHEN,
        )
    answer = here.get("/work/own-data.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="ada-own-data.csv"'
    assert answer.streaming
    file = answer.getvalue().decode()
    for foreign in ("ben", "heron", "wren"):
        assert foreign not in file
    rows = own_rows(here)
    by_record = {
        name: [row for row in rows if row["record"] == name]
        for name in dict.fromkeys(r["record"] for r in rows)
    }
    assert {name: len(found) for name, found in by_record.items()} == {
        "account": 8,
        "role": 1,
        "message": 2,
        "rating": 4,
        "corpus_answer": 1,
        "flag": 1,
        "skip": 1,
        "returned": 1,
        "day": 1,
    }
    said = [(row["revision"], row["item_comment"], row["position"]) for row in by_record["rating"]]
    assert said == [
        (r, f"{w} of ada", p) for r, w in (("1", "first"), ("2", "second")) for p in "12"
    ]
    [answered] = by_record["corpus_answer"]
    assert (answered["dimension"], answered["checks"]) == ("diversity", "high_ada=yes")
    [flag] = by_record["flag"]
    assert [flag[name] for name in ("reason", "note", "decision", "answer")] == [
        "unclear",
        "odd to ada",
        "drop",
        "Right, ada.",
    ]
    assert [by_record["skip"][0][name] for name in ("note", "decision", "answered_at")] == [
        "not for ada",
        "",
        "",
    ]
    [returned] = by_record["returned"]
    assert (returned["answer"], returned["mended_at"]) == (
        "Look, ada.",
        "2026-03-02T23:30:00.000000Z",
    )
    [day] = by_record["day"]
    assert [day[name] for name in ("project", "day", "rated", "active_seconds")] == [
        "eggs",
        "2026-03-03",
        "1",
        "95",
    ]


def test_the_file_is_offered_with_what_it_heeds_and_no_more(here: Client) -> None:
    page = here.get("/work/").content.decode()
    [offered] = re.findall(r'action="/work/own-data.csv".*?</form>', page, re.DOTALL)
    assert re.findall(r'name="(\w+)"', offered) == ["exact"]


@pytest.mark.parametrize(
    ("language", "told", "own", "month"),
    [
        (
            "en",
            "Skipped by ada",
            "Eggs · Skipped 3 Mar 2026, 08:30",
            "March 2026: 0 s",
        ),
        (
            "de",
            "Übersprungen von ada",
            "Eggs · Übersprungen am 3. März 2026",
            "März 2026: 0\u00a0s",
        ),
        (
            "fr",
            "Passé par ada",
            "Eggs · Passé le 3 mars 2026",
            "Mars 2026\u202f: 0",
        ),
    ],
)
def test_a_skip_reads_differently_to_its_annotator_and_to_the_lead(
    client: Client, project: Project, ada: User, language: str, told: str, own: str, month: str
) -> None:
    concern(project, ada, "skip")
    rate(project, ada, seconds=0)
    lead = make_user(admin=True)
    User.objects.update(language=language)
    client.force_login(User.objects.get(pk=lead.pk))
    there = f"/projects/eggs/items/{Concern.objects.get().item_id}/"
    assert told in client.get(there).content.decode()
    client.force_login(User.objects.get(pk=ada.pk))
    assert own in section(client, "concerns")
    page = client.get("/work/?month=2026-03").content.decode()
    assert re.search(rf"<caption>\s*{month}", page)


def test_formulas_are_defused_unless_the_exact_texts_are_asked_for(
    here: Client, project: Project, ada: User
) -> None:
    rate(project, ada, comment="=1+1")
    reply_to(
        concern(project, ada, note="\n+1+1"), Concern.Decision.DROP, by=ada, now=WHEN, answer="@1"
    )
    for query, mark in (("", "'"), ("?exact=on", "")):
        rows = own_rows(here, query)
        rating, *_others = [row for row in rows if row["record"] == "rating"]
        assert rating["item_comment"] == f"{mark}=1+1"
        [skip] = [row for row in rows if row["record"] == "skip"]
        assert (skip["note"], skip["answer"]) == (f"{mark}\n+1+1", f"{mark}@1")


def test_asked_for_the_headers_alone_nothing_of_the_file_is_made(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.exporting.copying.connection", None)
    assert here.head("/work/own-data.csv").getvalue() == b""


# --- all of it ---


def test_my_work_makes_a_fixed_number_of_queries(here: Client, project: Project, ada: User) -> None:
    counts = []
    for number in (1, 3):
        for _ in range(number):
            one = make_project(annotators=[ada], shows_own_agreement=True)
            now = timezone.now()
            rating = rate(one, ada, at=now)
            ReturnedRating.objects.send_back(rating, "Look.", cause="flag 1", now=now)
            concern(one, ada)
        for address in ("/work/", "/work/own-data.csv"):
            with CaptureQueriesContext(connection) as seen:
                here.get(address).getvalue() if "csv" in address else here.get(address)
            counts.append(len(seen))
    assert counts == [*counts[:2], *counts[:2]]
    assert counts[0] <= 22


def test_my_work_of_a_new_annotator_is_empty_and_so_is_the_file(here: Client) -> None:
    assert "Nothing in" in section(here, "hours")
    assert "None yet. If you should not rate an item" in section(here, "concerns")
    assert section(here, "returned") == section(here, "projects") == ""
    assert {row["record"] for row in own_rows(here)} == {"account"}


def test_the_start_page_and_every_page_s_head_lead_there(here: Client, project: Project) -> None:
    page = here.get("/").content.decode()
    assert page.count('href="/work/"') == 1
    assert 'href="/work/"' in here.get("/profile/").content.decode()
    assert 'href="/work/"' in here.get("/projects/eggs/desk/").content.decode()


# --- times are those of who reads them ---


def test_times_are_those_of_who_looks_and_of_nobody_who_looked_before(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    for person in (ada, ben):
        concern(project, person)
    assert "3 Mar 2026, 08:30" in section(here, "concerns")
    lima = make_user(time_zone="America/Lima", admin=True)
    for person, told in (
        (ben, ""),
        (lima, "2 Mar 2026, 18:30"),
        (make_user(admin=True), "2 Mar 2026, 23:30"),
    ):
        here.force_login(person)
        if told:
            there = f"/projects/eggs/items/{Concern.objects.latest('pk').item_id}/"
            assert told in words(here.get(there).content.decode())
        else:
            assert "2 Mar 2026, 23:30" in section(here, "concerns")


def test_a_page_says_whose_zone_its_times_are_of(here: Client, project: Project, ben: User) -> None:
    until = timezone.now() + HOUR
    item = make_item(project=project, wanted=1)
    make_lease(item=item, annotator=ben, now=timezone.now(), expires_at=until)
    said = words(here.get("/projects/eggs/desk/").content.decode())
    assert "If the first one is not rated by" in said
    assert "(Asia/Tokyo)" in said
    assert "UTC" not in said


def test_a_new_column_of_the_export_is_not_shown_to_annotators_before_it_is_allowed() -> None:
    """The list says what is shown, not what is hidden."""
    assert {column.name for column in own_data.SHARED} == own_data.SHAREABLE
    assert {column.name for column in SCORES} > own_data.SHAREABLE
