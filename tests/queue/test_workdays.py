"""What is kept of an annotator's days: ratings, active seconds, what was opened; by their own time
zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotators.models import User
from tasks.answers.submission import DraftVersion
from tasks.models import Concern, Lease, Membership, Project, Rating, Workday
from tasks.models.pace import LEAST, MOST_RECENT
from tasks.models.replies import reply_to
from tasks.queue.allocation import take_next
from tasks.queue.saving import save_form
from tasks.queue.situation import Situation
from tasks.queue.submitting import correct_rating, submit_lease
from tests.choices import CHOICES
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_submission,
    make_user,
)

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def rate(
    project: Project, annotator: User, *, at: datetime = NOW, seconds: int | None = 30
) -> Rating:
    item = make_item(project=project, responses=["x"])
    return make_rating(
        item=item, annotator=annotator, now=at - HOUR, submitted_at=at, active_seconds=seconds
    )


def note_opened(lease: Lease, now: datetime) -> bool:
    return Workday.objects.count_warned_item(lease.annotator, lease.project_id, now)


def days(annotator: User) -> list[tuple[date, int, int, list[int]]]:
    rows = Workday.objects.filter(annotator=annotator).order_by("day")
    return [(row.day, row.rated, row.seconds, row.recent) for row in rows]


def test_each_rating_adds_to_its_day_and_the_last_times_go_on_from_day_to_day(
    project: Project, ada: User
) -> None:
    for at, seconds in ((NOW, 30), (NOW + HOUR, 50), (NOW + 24 * HOUR, 20)):
        rate(project, ada, at=at, seconds=seconds)
    today = NOW.date()
    assert days(ada) == [
        (today, 2, 80, [50, 30]),
        (today + timedelta(days=1), 1, 20, [20, 50, 30]),
    ]


def test_a_day_is_that_of_the_annotator_s_time_zone(project: Project, ada: User) -> None:
    late = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    tokyo, lima = (make_user(time_zone=zone) for zone in ("Asia/Tokyo", "America/Lima"))
    for person in (ada, tokyo, lima):
        rate(project, person, at=late)
        rate(project, person, at=late + HOUR)
    assert [(day, rated) for day, rated, _s, _r in days(ada)] == [
        (date(2026, 3, 2), 1),
        (date(2026, 3, 3), 1),
    ]
    assert [(day, rated) for day, rated, _s, _r in days(tokyo)] == [(date(2026, 3, 3), 2)]
    assert [(day, rated) for day, rated, _s, _r in days(lima)] == [(date(2026, 3, 2), 2)]


def test_no_day_begins_twice_going_west_and_none_is_left_out_going_east(
    project: Project, ada: User
) -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    for zone, after, today in (
        ("UTC", 0, 1),
        ("Pacific/Pago_Pago", 1, 2),  # 01:00 of March 2
        ("Pacific/Pago_Pago", -10, 3),  # a clock set back: March 1 there
        ("Pacific/Kiritimati", 2, 1),  # 04:00 of March 3
        ("UTC", 3, 2),
        ("Pacific/Pago_Pago", 13, 3),  # still March 2 there
        ("UTC", 37, 1),  # March 4
    ):
        ada.time_zone = zone
        ada.save(update_fields=["time_zone"])
        rate(project, ada, at=noon + after * HOUR, seconds=10 + after)
        assert Workday.objects.pace(ada, project, noon + after * HOUR).today == today
    assert [(day.day, rated) for day, rated, _s, _r in days(ada)] == [(2, 3), (3, 3), (4, 1)]
    assert days(ada)[-1][3] == [47, 23, 13, 12, 0, 11, 10]  # of all, newest first


def test_the_limit_of_a_day_holds_for_who_moves_west(
    client: Client, project: Project, ada: User
) -> None:
    Project.objects.update(most_daily=2, most_warned_daily=1)
    project.refresh_from_db()
    day = datetime(2026, 3, 2, 12, tzinfo=UTC)
    rate(project, ada, at=day)
    warned = make_lease(item=make_item(project=project, warning="Blood"), annotator=ada, now=day)
    assert note_opened(warned, day)
    warned.release(now=day)
    ada.time_zone = "Etc/GMT+12"  # midnight at noon in UTC
    ada.save(update_fields=["time_zone"])
    assert not note_opened(warned, day - HOUR / 3)
    rate(project, ada, at=day - HOUR / 2)
    for _ in range(2):
        make_item(project=project)
    assert take_next(project, ada, now=day - HOUR / 3) is None
    assert take_next(project, ada, now=day + 24 * HOUR) is not None


def test_a_clock_that_was_wrong_once_takes_no_day_from_anyone(project: Project, ada: User) -> None:
    Project.objects.update(most_daily=2, most_warned_daily=1)
    project.refresh_from_db()
    make_item(project=project)
    for ahead, is_free in ((1400, True), (3, True), (2, False)):
        Workday.objects.all().delete()
        then = NOW + ahead * 24 * HOUR
        for _ in range(2):
            rate(project, ada, at=then)
        warned = make_lease(
            item=make_item(project=project, warning="Blood"), annotator=ada, now=then
        )
        assert note_opened(warned, then)
        # The clock is right again.
        assert note_opened(warned, NOW) is is_free
        warned.release(now=NOW)
        lease = take_next(project, ada, now=NOW)
        assert (lease is not None) is is_free
        assert Workday.objects.pace(ada, project, NOW).today == (0 if is_free else 2)
        if lease is not None:
            lease.release(now=NOW)
        rate(project, ada, at=NOW)
        begun = [then.date()] if not is_free else [NOW.date(), then.date()]
        assert [day for day, *_ in days(ada)] == begun
        assert Workday.objects.pace(ada, project, NOW).today == (1 if is_free else 3)


def test_only_the_last_times_are_kept(project: Project, ada: User) -> None:
    Workday.objects.create(
        annotator=ada, project=project, day=NOW.date(), recent=list(range(MOST_RECENT))
    )
    rate(project, ada, seconds=77)
    assert days(ada)[0][3] == [77, *range(MOST_RECENT - 1)]


def test_a_rating_whose_time_nobody_measured_counts_and_says_nothing_of_the_pace(
    project: Project, ada: User
) -> None:
    rate(project, ada, seconds=None)
    assert days(ada) == [(NOW.date(), 1, 0, [])]


def test_a_correction_is_work_and_no_further_item(project: Project, ada: User) -> None:
    rating = rate(project, ada)
    assert rating.lease is not None
    said = make_submission(lease=rating.lease, comment="better", active_seconds=15)
    correct_rating(rating, said, based_on=1, now=NOW + timedelta(seconds=15))
    assert days(ada) == [(NOW.date(), 1, 45, [30])]


def test_a_day_has_no_more_work_than_went_by_since_it_was_begun_and_than_a_day_has(
    project: Project, ada: User
) -> None:
    ratings = [rate(project, ada, at=NOW - 48 * HOUR) for _ in range(4)]
    morning, noon = NOW, NOW + 3 * HOUR
    rate(project, ada, at=morning, seconds=1200)  # begun an hour before

    def correct(rating: Rating, at: datetime) -> None:
        assert rating.lease is not None
        began = at - 40 * HOUR
        save_form(
            rating.lease, DraftVersion("1" * 16), {"comment": "a"}, corrects=rating, now=began
        )
        said = make_submission(lease=rating.lease, comment="b", active_seconds=30 * 3600)
        assert correct_rating(rating, said, based_on=1, now=at).started_at == began

    for number, at in enumerate([noon, noon]):  # nobody's page had them in sight before
        rating = ratings[number]
        assert rating.lease is not None
        said = make_submission(lease=rating.lease, comment="b", active_seconds=99_999)
        assert correct_rating(rating, said, based_on=1, now=at).active_seconds == 300
    assert days(ada)[-1][2] == 1200 + 300 + 300
    for _ in range(4):
        rate(project, ada, at=noon, seconds=3600)
    assert days(ada)[-1][2] == 4 * 3600  # an hour before the morning it began
    for rating in ratings[2:]:  # begun days ago
        correct(rating, noon)
    assert days(ada)[-1][2] == 24 * 3600


def test_opening_an_item_with_a_warning_is_work_of_the_day_too(project: Project, ada: User) -> None:
    warned = make_lease(item=make_item(project=project, warning="Blood"), annotator=ada)
    assert note_opened(warned, NOW + HOUR)
    assert Workday.objects.get().since == NOW + HOUR
    submit_lease(warned, make_submission(lease=warned, active_seconds=7000), now=NOW + 2 * HOUR)
    assert Workday.objects.get().seconds == 7000  # since it was lent


def test_a_day_from_before_its_beginning_was_kept_goes_on(project: Project, ada: User) -> None:
    Workday.objects.create(annotator=ada, project=project, day=NOW.date(), rated=5, seconds=5000)
    rate(project, ada, seconds=60)
    assert days(ada)[0][:3] == (NOW.date(), 6, 5060)


def test_sent_twice_it_is_one(project: Project, ada: User) -> None:
    lease = make_lease(item=make_item(project=project), annotator=ada)
    for _ in range(2):
        submit_lease(lease, make_submission(lease=lease, active_seconds=5), now=NOW + HOUR)
    assert days(ada) == [(NOW.date(), 1, 5, [5])]


def test_the_pace_is_one_s_own_in_the_project_and_today_s_is_today_s(
    project: Project, ada: User
) -> None:
    rate(project, ada, seconds=10)
    rate(project, make_user(), seconds=99)
    rate(make_project(), ada, seconds=99)
    now = Workday.objects.pace(ada, project, NOW)
    assert (now.rated, now.items, now.today, now.recent) == (1, 2, 1, (10,))
    tomorrow = Workday.objects.pace(ada, project, NOW + 24 * HOUR)
    assert (tomorrow.rated, tomorrow.today, tomorrow.recent) == (1, 0, (10,))


def test_the_pace_that_comes_with_a_lease_is_that_which_is_looked_up(
    project: Project, ada: User
) -> None:
    for seconds in (10, 20):
        rate(project, ada, seconds=seconds)
    make_item(project=project)
    lease = take_next(project, ada, now=NOW + HOUR)
    assert lease is not None
    assert lease.pace == Workday.objects.pace(ada, project, NOW + HOUR)
    assert (lease.pace.rated, lease.pace.items, lease.pace.today, lease.pace.recent) == (
        2,
        3,
        2,
        (20, 10),
    )


def test_a_rated_item_that_was_dropped_is_in_both_numbers_of_ones_progress(
    client: Client, project: Project, ada: User
) -> None:
    now = timezone.now()
    batch = make_batch(project=project)
    items = [make_item(batch=batch) for _ in range(6)]
    for item in items[:2]:
        make_rating(item=item, annotator=ada, now=now - HOUR, submitted_at=now)
    make_rating(item=items[2], annotator=make_user(), now=now)
    late = make_lease(item=items[3], annotator=ada, now=now)
    concerns = []
    for item in items[:4]:  # two that ada rated, one that another did, and one that ada holds
        other = make_lease(item=item, annotator=make_user(), now=now)
        other.flag(reason="broken", now=now)
        other.release(now=now)
        concerns.append(Concern.objects.get(lease=other))
    lead = make_user()
    for concern in concerns:
        reply_to(concern, Concern.Decision.DROP, by=lead, now=now)

    def progress() -> tuple[int, int, int]:
        pace = Workday.objects.pace(ada, project, now)
        situation = Situation.of(project, ada, now)
        assert situation is not None
        assert situation.pace == pace
        return pace.rated, pace.items, pace.left

    assert progress() == (2, 4, 2)
    submit_lease(late, make_submission(lease=late), now=now)
    assert progress() == (3, 5, 2)
    reply_to(concerns[0], Concern.Decision.SOMEONE_ELSE, by=lead, now=now)
    assert progress() == (3, 5, 2)
    for item in items[4:]:
        make_rating(item=item, annotator=ada, now=now)
    assert progress() == (5, 5, 0)


def test_the_desk_tells_today_and_from_ten_on_the_times(
    client: Client, project: Project, ada: User
) -> None:
    now = timezone.now()
    for _ in range(LEAST - 1):
        rate(project, ada, at=now, seconds=90)
    make_item(project=project)
    client.force_login(ada)
    client.post("/projects/eggs/desk/start/")
    foot = text_of_progress(client)
    assert "9 of 10 rated" in foot
    assert "You rated today 9" in foot
    assert "After ten items" in foot
    Lease.objects.get(status="live").release(now=now)
    rate(project, ada, at=now, seconds=90)
    client.post("/projects/eggs/desk/start/")
    foot = text_of_progress(client)
    assert "10 of 11 rated" in foot
    assert "You rated today 10" in foot
    assert "Your median per item 1 min 30 s" in foot
    assert "Time for the remaining 1, if you get them all 1–2 min" in foot
    assert "Based on your active time on your last items (10)." in foot


def text_of_progress(client: Client) -> str:
    page = client.get("/projects/eggs/desk/").content.decode()
    [foot] = re.findall(r'<details class="today small-print".*?</details>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", foot).split())


def test_the_progress_of_one_annotator_is_not_cached_for_the_next(
    client: Client, project: Project, ada: User
) -> None:
    ben = make_user(name="ben")
    project.admit(ben, role=Membership.Role.ANNOTATOR)
    now = timezone.now()
    for _ in range(LEAST):
        rate(project, ada, at=now, seconds=90)
    for _ in range(2):
        rate(project, ben, at=now, seconds=900)
    told = {}
    for person in (ada, ben):
        client.force_login(person)
        client.post("/projects/eggs/desk/start/")
        told[person.username] = text_of_progress(client)
    assert "You rated today 10" in told["ada"]
    assert "1 min 30 s" in told["ada"]
    assert "You rated today 2" in told["ben"]
    assert "Median" not in told["ben"]


# --- the time zone ---


def test_the_first_start_takes_the_browser_s_time_zone_and_no_later_one(
    client: Client, project: Project, ada: User
) -> None:
    client.force_login(ada)
    for told, kept in (
        ("Atlantis/Capital", ""),
        ("Asia/Tokyo", "Asia/Tokyo"),
        ("Europe/Rome", "Asia/Tokyo"),
    ):
        client.post("/projects/eggs/desk/start/", {"zone": told})
        ada.refresh_from_db()
        assert ada.time_zone == kept


def test_the_profile_has_the_time_zone(client: Client, ada: User) -> None:
    client.force_login(ada)
    assert client.post("/profile/", {**CHOICES, "time_zone": "America/Lima"}).status_code == 302
    ada.refresh_from_db()
    assert ada.time_zone == "America/Lima"
    refused = client.post("/profile/", {**CHOICES, "time_zone": "Lima"})
    assert "time_zone" in refused.context["form"].errors
