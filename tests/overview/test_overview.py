"""The overview of a project: how far, when done, and what needs the lead."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.agreement.results import result
from tasks.agreement.stored import Result
from tasks.models import Concern, Item, Lease, Membership, Project, Rating, ScoreCounts, Workday
from tasks.models.replies import reply_to
from tasks.models.tallies import Tally
from tasks.queue.submitting import correct_rating
from tests.agreement.spelt_out import had
from tests.desk_keys import log_in
from tests.factories import (
    make_batch,
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_rating,
    make_submission,
    make_talk,
    make_user,
)
from tests.worker import few_resamples, work

THURSDAY = datetime(2026, 11, 19, 14, 0, tzinfo=UTC)
DAY = timedelta(days=1)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    """ada and ben rate in it, and lea leads it; each item gets two ratings."""
    return make_project(
        slug="p", title="Moons", wanted=2, annotators=[ada, ben], leads=[lead], now=THURSDAY
    )


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    client.post(f"/projects/{project.slug}/models/", {"models": "shown"})
    return client


@pytest.fixture(autouse=True)
def _thursday() -> Any:
    """It is Thursday afternoon, on the lead's pages."""
    with mock.patch("tasks.exporting.views.timezone.now", return_value=THURSDAY):
        yield


@pytest.fixture(autouse=True)
def _few_resamples() -> Iterator[None]:
    with few_resamples():
        yield


def page_of(client: Client, query: str = "") -> str:
    return client.get(f"/projects/p/{query}").content.decode()


def words(html: str) -> str:
    """What a page says, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def part(page: str, name: str) -> str:
    """The words of the section with that heading."""
    [found] = re.findall(rf'<section[^>]* aria-labelledby="{name}".*?</section>', page, re.S)
    return words(found)


def headline(page: str) -> str:
    [found] = re.findall(r'<section class="headline sides".*?</section>', page, re.S)
    return words(found)


def rate(project: Project, person: User, when: datetime, **said: Any) -> Rating:
    """A rating of an item of its own, which wants another one."""
    item, begun = make_item(project=project), when - timedelta(minutes=10)
    return make_rating(item=item, annotator=person, now=begun, submitted_at=when, **said)


def rate_daily(project: Project, person: User, days: Sequence[int], number: int = 1) -> None:
    """As many ratings on each of these days before Thursday, the first day first."""
    for ago in sorted(days, reverse=True):
        for _ in range(number):
            rate(project, person, THURSDAY - ago * DAY, active_seconds=240)


# --- how far ---


def test_a_project_without_items_says_what_comes_first(here: Client) -> None:
    page = page_of(here)
    assert "There is nothing to rate yet" in page
    assert 'href="/projects/p/upload/"' in page
    assert 'class="headline sides"' not in page


def test_the_headline_counts_ratings_and_items_by_how_many_they_have(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    batch = make_batch(project=project)
    items = [make_item(batch=batch) for _ in range(5)]
    for item, people in zip(items, ([ada, ben], [ada, ben], [ada], [ben]), strict=False):
        for person in people:
            make_rating(item=item, annotator=person, now=THURSDAY)
    said = headline(page_of(here))
    assert said.startswith("6 of 10 ratings, 60 %")
    assert "2 items finished 2 with 1 of 2 ratings 1 not started" in said


def test_items_with_another_number_of_ratings_wanted_are_told_without_it(
    here: Client, project: Project, ada: User
) -> None:
    make_rating(item=make_item(project=project), annotator=ada, now=THURSDAY)
    Project.objects.update(overlap_percent=20)
    assert "1 with 1 rating" in headline(page_of(here))


def test_hours_left_are_the_ratings_left_at_the_mean_of_all(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    rate_daily(project, ada, [1], 6)
    rate_daily(project, ben, [1], 5)
    for _ in range(50):
        make_item(project=project)
    # 61 items want 122 ratings and have 11; 111 × 4 minutes.
    assert "about 7 h of work left" in headline(page_of(here))
    Workday.objects.filter(annotator=ada).update(recent=[240] * 5 + [2880])
    # One took 48 minutes: 8 in the mean.
    assert "about 15 h of work left" in headline(page_of(here))
    Workday.objects.update(recent=[240])
    assert "of work left" not in headline(page_of(here)), "two ratings tell nothing"


def cost_of(client: Client) -> str:
    page = client.get("/projects/p/settings/").content.decode()
    [said] = re.findall(r"\d+ items\b.*?</span>", page, re.S)
    return words(said)


def test_the_cost_is_the_ratings_at_the_mean_of_all_times(
    here: Client, project: Project, ada: User
) -> None:
    batch = make_batch(project=project)
    for _ in range(30):
        make_item(batch=batch)
    make_rating(item=batch.items.all()[0], annotator=ada, now=THURSDAY)
    Workday.objects.update(recent=[120] * 9 + [2520])  # six minutes in the mean
    assert cost_of(here) == ("30 items × 2 = 60 ratings · about 6 h · one more rating of each: 3 h")


def test_the_cost_has_no_product_where_items_want_different_numbers(
    here: Client, project: Project
) -> None:
    make_item(project=project)
    make_item(project=project, wanted=4)
    assert cost_of(here) == "2 items, 6 ratings in all"


def test_the_forecast_has_a_range(here: Client, project: Project, ada: User) -> None:
    for ago, number in ((3, 4), (2, 2), (1, 1)):
        rate_daily(project, ada, [ago], number)
    for _ in range(4):
        make_item(project=project)
    # 22 wanted, 7 there; 2 a day, and 1.5 to 3 by the quartiles. Today counts.
    assert "Done about Mon 30 Nov (25 Nov to 3 Dec)" in headline(page_of(here))


def test_without_three_days_of_ratings_there_is_no_forecast(
    here: Client, project: Project, ada: User
) -> None:
    rate_daily(project, ada, [1, 2])
    assert "A forecast comes after three days with ratings." in headline(page_of(here))


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_a_project_that_is_not_open_has_no_forecast(
    here: Client, project: Project, ada: User, status: str
) -> None:
    rate_daily(project, ada, [1, 2, 3])
    Project.objects.update(status=status)
    assert "No forecast: nobody gets items." in headline(page_of(here))


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_ratings_wanted_in_a_batch_that_is_not_open_are_told_apart(
    here: Client, project: Project, ada: User, status: str
) -> None:
    rate_daily(project, ada, [1, 2, 3], 4)
    said = headline(page_of(here))
    assert "Done about" in said
    assert "of work left" in said
    # Each of the 12 items is in a batch of its own and wants one more rating.
    project.batches.update(status=status)
    said = headline(page_of(here))
    assert "No forecast: nobody gets items. 12 more in batches that are not open" in said
    assert "of work left" not in said
    batch = make_batch(project=project)
    for _ in range(4):
        make_item(batch=batch)
    # 8 ratings at 4 a day, and today is one of the days.
    assert "Done about Fri 20 Nov 12 more in batches that are not open" in headline(page_of(here))


def test_nobody_has_stopped_who_has_rated_all_that_is_in_open_batches(
    here: Client, project: Project, ada: User
) -> None:
    rate_daily(project, ada, [6])
    item = make_item(project=project)
    assert "ada has stopped" in page_of(here)
    item.batch.change(status="paused", rank=0, priority=0, annotators=[])
    # The open batch still wants a rating, of someone else.
    assert "ada has stopped" not in page_of(here)


def test_a_finished_project_says_so(here: Client, project: Project, ada: User, ben: User) -> None:
    item = make_item(project=project)
    for person in (ada, ben):
        make_rating(item=item, annotator=person, now=THURSDAY)
    said = headline(page_of(here))
    assert "Complete: 2 of 2 ratings, 100 % Export Close" in said


# --- ratings per day ---


def test_ratings_per_day_stand_in_a_table_and_a_file(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    rate_daily(project, ada, [0, 1, 2], 2)
    rate_daily(project, ben, [2], 3)
    page = page_of(here)
    said = part(page, "per-day")
    assert "Thu 19 Nov 2026 2 Wed 18 Nov 2026 2 Tue 17 Nov 2026 5" in said
    file = here.get("/projects/p/days.csv")
    assert file.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert list(csv.reader(io.StringIO(file.getvalue().decode()))) == [
        ["day", "ratings"],
        ["2026-11-17", "5"],
        ["2026-11-18", "2"],
        ["2026-11-19", "2"],
    ]


def test_the_line_of_the_forecast_is_the_pace_of_a_working_day(
    here: Client, project: Project, ada: User
) -> None:
    rate_daily(project, ada, [1, 2, 9], 2)
    # Three of the seven working days since Tuesday of last week, two ratings each.
    said = part(page_of(here), "per-day")
    assert "dashed: 0.9 a working day, from the last 3 days with ratings" in said
    assert "0.9 a day" in said


def test_today_is_drawn_dashed_because_it_is_not_over(
    here: Client, project: Project, ada: User
) -> None:
    rate_daily(project, ada, [0, 1], 2)
    page = page_of(here)
    [chart] = re.findall(r'<svg class="bars".*?</svg>', page, re.S)
    assert re.findall(r"<rect( class=\"today-bar\")?", chart) == ["", ' class="today-bar"']
    heights = re.findall(r'height="([\d.]+)" rx', chart)
    assert heights[0] == heights[1] == "94.0"


def test_the_word_today_ends_where_the_chart_does(
    here: Client, project: Project, ada: User
) -> None:
    rate_daily(project, ada, [0, 1])
    assert '<text class="strong mid" x="11.08%" y="120">today</text>' in page_of(here)
    rate_daily(project, ada, [15])  # 16 days fill the chart
    Project.objects.update(status="paused")  # so no room is kept for a forecast
    assert '<text class="strong end" x="100.00%" y="120">today</text>' in page_of(here)


def test_the_day_of_annotators_east_of_the_lead_is_today(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    rate_daily(project, ben, [0])
    User.objects.filter(pk=ada.pk).update(time_zone="Pacific/Kiritimati")  # it is Friday there
    ada.refresh_from_db()
    rate_daily(project, ada, [0], 3)
    page = page_of(here)
    assert "Fri 20 Nov 2026 3 Thu 19 Nov 2026 1" in part(page, "per-day")
    [chart] = re.findall(r'<svg class="bars".*?</svg>', page, re.S)
    assert re.findall(r"<rect( class=\"today-bar\")?", chart) == ["", ' class="today-bar"']
    lines = re.findall(r'<polyline\s+points="([^"]*)"', page)
    assert [line.split()[-1] for line in lines] == ["100.0,2.0", "100.0,20.0"]
    assert [row[-1] for row in rows_of(page)] == ["today 14:00", "today 14:00"]


def test_a_day_that_has_begun_elsewhere_is_the_one_that_the_forecast_leaves_apart(
    here: Client, project: Project, ada: User
) -> None:
    User.objects.filter(pk=ada.pk).update(time_zone="Pacific/Kiritimati")
    ada.refresh_from_db()
    rate_daily(project, ada, [0, 1, 2, 3], 4)
    # 16 wanted, at 4 a day from Tuesday to Thursday; Friday has its ratings already.
    assert "Done about Thu 26 Nov" in headline(page_of(here))


# --- scores ---


def rate_models(
    project: Project, ada: User, values: Sequence[int], *, first: str = "heron"
) -> None:
    """Items whose response by the first model gets these scores, and that by <wren> a 2."""
    for value in values:
        item = make_item(project=project, responses=[(first, "One."), ("<wren>", "Two.")])
        make_rating(item=item, annotator=ada, now=THURSDAY, values={1: value, 2: 2})


def compute(project: Project) -> Result:
    [dimension] = project.rubric.schema.dimensions
    return result(project, dimension, THURSDAY).result


def test_each_model_has_its_shares_and_its_mean(here: Client, project: Project, ada: User) -> None:
    rate_models(project, ada, (4, 4, 6, 7))
    page = page_of(here)
    assert re.findall(r'class="stack" role="img" aria-label="([^"]*)"', page) == [
        "1: 0\xa0%, 2: 0\xa0%, 3: 0\xa0%, 4: 50\xa0%, 5: 0\xa0%, 6: 25\xa0%, 7: 25\xa0%",
        "1: 0\xa0%, 2: 100\xa0%, 3: 0\xa0%, 4: 0\xa0%, 5: 0\xa0%, 6: 0\xa0%, 7: 0\xa0%",
    ]
    said = part(page, "by-model")
    assert "heron 50 25 25 5.25 &lt;wren&gt; 100 2.00" in said


def test_without_figures_of_agreement_there_is_the_mean_alone(
    here: Client, project: Project, ada: User
) -> None:
    rate_models(project, ada, (4, 4, 6, 7, 4) * 2)
    with mock.patch("tasks.agreement.making.read_study", side_effect=AssertionError):
        page = page_of(here)
    said = part(page, "by-model")
    assert "5.00 &lt;wren&gt; 100 2.00 Intervals are made with the figures of agreement." in said
    work()
    assert "Intervals are made" not in page_of(here)


def test_means_have_intervals_and_differences_from_the_figures_of_agreement(
    here: Client, project: Project, ada: User
) -> None:
    rate_models(project, ada, (4, 4, 6, 7, 4) * 2)
    high, low = compute(project).models[::-1]
    assert high.mean
    assert low.mean
    assert low.difference
    assert (high.name, high.is_best, low.mean.low) == ("heron", True, 2)
    ends = f"{high.mean.low:.2f} to {high.mean.high:.2f}"
    apart = f"−{-low.difference.low:.2f} to −{-low.difference.high:.2f}"
    said = part(page_of(here), "by-model")
    assert f"5.00 {ends} highest mean" in said
    assert f"2.00 2.00 to 2.00 difference −3.00 {apart}" in said
    assert "as of 19 Nov 2026, 14:00, for these annotators: others may" in said
    assert "Differences are to heron, on the items that both answered; a dash stands for" in said


def test_a_mean_with_an_interval_is_of_the_moment_of_its_interval(
    here: Client, project: Project, ada: User
) -> None:
    rate_models(project, ada, (4, 4, 6, 7, 4) * 2)
    compute(project)
    before = part(page_of(here), "by-model")
    rate_models(project, ada, (1,))
    with mock.patch("tasks.agreement.making.read_study", side_effect=AssertionError):
        after = part(page_of(here), "by-model")
    assert re.findall(r"\d\.\d\d", after) == re.findall(r"\d\.\d\d", before)
    assert "heron 9" in after, "shares are of now"


def test_a_model_of_four_items_has_its_mean_and_no_interval(
    here: Client, project: Project, ada: User
) -> None:
    rate_models(project, ada, (4, 4, 6, 7))
    compute(project)
    said = part(page_of(here), "by-model")
    assert "heron 50 25 25 5.25 &lt;wren&gt; 100 2.00 Means with an interval are as of" in said
    assert "Differences" not in said


def test_a_highest_model_without_a_name_is_compared_with_all_the_same(
    here: Client, project: Project, ada: User
) -> None:
    rate_models(project, ada, (4, 4, 6, 7, 4) * 2, first="")
    compute(project)
    said = part(page_of(here), "by-model")
    assert "highest mean" in said
    assert "Differences are to –" in said


def test_a_mean_without_an_interval_is_below_the_highest_with_one(
    here: Client, project: Project, ada: User
) -> None:
    rate_models(project, ada, (4, 4, 6, 7, 4) * 2)
    item = make_item(project=project, responses=[("owl", "One.")])
    make_rating(item=item, annotator=ada, now=THURSDAY, values={1: 7})
    compute(project)
    said = part(page_of(here), "by-model")
    assert said.index("heron") < said.index("wren") < said.index("owl")
    assert "owl 100 7.00 –" in said


def test_a_single_model_is_compared_with_none(here: Client, project: Project, ada: User) -> None:
    for value in (4, 4, 6, 7, 4) * 2:
        item = make_item(project=project, responses=[("heron", "One.")])
        make_rating(item=item, annotator=ada, now=THURSDAY, values={1: value})
    compute(project)
    said = part(page_of(here), "by-model")
    assert re.search(r"heron 60 20 20 5.00 \d.\d\d to \d.\d\d Means with", said)
    assert "ifference" not in said
    assert "highest" not in said


def test_a_model_that_is_compared_has_the_name_that_its_lead_sees(
    here: Client, project: Project, ada: User
) -> None:
    rate_models(project, ada, (4, 4, 6, 7, 4) * 2)
    compute(project)
    here.post("/projects/p/models/", {"models": "hidden"})
    said = part(page_of(here), "by-model")
    assert "heron" not in said
    assert "wren" not in said
    assert re.search(r"Differences are to (Model \w), on", said)


def test_a_lead_chooses_the_dimension(client: Client, lead: User, ada: User) -> None:
    talk = make_talk(annotators=[ada])
    make_membership(project=talk, user=lead, role=Membership.Role.LEAD)
    client.force_login(lead)
    titles = [each.title for each in talk.rubric.schema.dimensions]
    for query, title in (("", titles[0]), ("?dimension=coherence", "Coherence")):
        make_rating(item=talk.items.all()[0], annotator=make_user(), now=THURSDAY)
        page = client.get(f"/projects/talk/{query}").content.decode()
        assert f">{title}</span>" in page
        assert "Dimension" in part(page, "by-model")


def test_a_rubric_of_one_dimension_offers_no_choice(here: Client, project: Project) -> None:
    make_item(project=project)
    assert '<select name="dimension"' not in page_of(here)


def test_a_correction_moves_the_score_and_adds_none(
    here: Client, project: Project, ada: User
) -> None:
    item = make_item(project=project, responses=[("heron", "One.")])
    first = make_rating(item=item, annotator=ada, now=THURSDAY, values={1: 2})
    lease = make_lease(
        item=item, annotator=ada, status=Lease.Status.RELEASED, ended_at=THURSDAY, now=THURSDAY
    )
    said = make_submission(lease=lease, values={1: 5})
    correct_rating(first, said, based_on=1, now=THURSDAY)
    assert re.findall(r'aria-label="(1:[^"]*)"', page_of(here)) == [
        "1: 0\xa0%, 2: 0\xa0%, 3: 0\xa0%, 4: 0\xa0%, 5: 100\xa0%, 6: 0\xa0%, 7: 0\xa0%"
    ]


# --- people ---


def rows_of(page: str) -> list[list[str]]:
    [table] = re.findall(r'aria-labelledby="people".*?<tbody>(.*?)</tbody>', page, re.S)
    return [
        [words(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)
    ]


def test_people_have_their_ratings_median_mean_and_state(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    for number, (score, seconds) in enumerate(((4, 100), (5, 217), (6, 400))):
        rate(
            project,
            ada,
            THURSDAY - timedelta(hours=3 - number),
            values={1: score, 2: score},
            active_seconds=seconds,
        )
    assert rows_of(page_of(here)) == [
        ["ada", "3", "", "3:37", "5.00", "–", "today 13:00"],
        ["ben", "0", "", "–", "–", "–", "not started"],
    ]


@pytest.mark.parametrize(
    ("ago", "state"),
    [
        (1, "away, last 18 Nov"),
        (3, "away, last 16 Nov"),
        (6, "stopped, last 13 Nov"),  # Friday
    ],
)
def test_an_annotator_without_a_rating_for_three_working_days_has_stopped(
    here: Client, project: Project, ada: User, ago: int, state: str
) -> None:
    rate_daily(project, ada, [ago])
    make_item(project=project)
    page = page_of(here)
    assert rows_of(page)[0][-1] == state
    assert ("ada has stopped" in part(page, "needs-you")) == state.startswith("stopped")


def test_nobody_has_stopped_who_has_no_items_left_or_holds_one(
    here: Client, project: Project, ada: User
) -> None:
    rate_daily(project, ada, [6])
    assert "stopped" not in page_of(here), "there is no other item"
    item = make_item(project=project)
    assert "3 working days without a rating, since 13 Nov; 1 item left" in part(
        page_of(here), "needs-you"
    )
    lease = make_lease(item=item, annotator=ada, now=THURSDAY)
    page = page_of(here)
    assert "ada has stopped" not in page
    assert rows_of(page)[0][-1] == "rating now"
    lease.release(now=THURSDAY)
    Project.objects.update(status="paused")
    assert "ada has stopped" not in page_of(here)


def test_an_annotator_who_takes_less_than_half_of_the_usual_time_is_reported(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    rate(project, ada, THURSDAY, active_seconds=100)
    rate(project, ben, THURSDAY, active_seconds=100)
    Workday.objects.filter(annotator=ada).update(recent=[119] * 20 + [300] * 30)
    Workday.objects.filter(annotator=ben).update(recent=[251] * 20)
    page = page_of(here)
    said = part(page, "needs-you")
    assert "ada is far faster than the others" in said
    assert "1:59 an item over the last 20, the others 4:11" in said
    assert rows_of(page)[0][-1].endswith("far faster")
    Workday.objects.filter(annotator=ada).update(recent=[126] * 20)
    assert "far faster" not in page_of(here)


def leave(project: Project, person: User, way: str) -> None:
    """Someone is no annotator of the project any more, or their account is switched off."""
    if way == "dismissed":
        assert project.change_roles(person, ())
    else:
        User.objects.filter(pk=person.pk).update(is_active=False)


@pytest.mark.parametrize("way", ["dismissed", "switched off"])
def test_an_annotator_who_may_rate_no_more_has_not_stopped(
    here: Client, project: Project, ada: User, way: str
) -> None:
    rate_daily(project, ada, [6])
    make_item(project=project)
    assert "ada has stopped" in part(page_of(here), "needs-you")
    leave(project, ada, way)
    page = page_of(here)
    assert "has stopped" not in part(page, "needs-you")
    assert rows_of(page)[0][-1] == "away, last 13 Nov"


@pytest.mark.parametrize("way", ["dismissed", "switched off"])
def test_an_annotator_who_may_rate_no_more_is_not_far_faster(
    here: Client, project: Project, ada: User, ben: User, way: str
) -> None:
    for person, seconds in ((ada, 100), (ben, 300)):
        rate(project, person, THURSDAY)
        Workday.objects.filter(annotator=person).update(recent=[seconds] * 20)
    assert "ada is far faster" in part(page_of(here), "needs-you")
    leave(project, ada, way)
    assert "far faster" not in page_of(here)


def test_items_left_to_someone_are_no_more_than_want_ratings(
    here: Client, project: Project, ada: User
) -> None:
    rate_daily(project, ada, [6])
    batch = make_batch(project=project)
    for _ in range(3):
        item = make_item(batch=batch)
        for person in (make_user(), make_user()):
            make_rating(item=item, annotator=person, now=THURSDAY)
    make_item(batch=batch)
    # Of the four that ada has not rated, three have all their ratings; her own wants another one.
    assert "since 13 Nov; 2 items left" in part(page_of(here), "needs-you")


# --- what needs the lead ---


def test_the_section_of_people_leads_to_the_tab_of_that_name(here: Client) -> None:
    make_item(project=Project.objects.get())
    assert '<a href="/projects/p/people/">People</a>' in page_of(here)


def test_items_that_nobody_is_there_to_rate_are_told(here: Client, project: Project) -> None:
    make_item(project=project)
    assert "Nobody rates here yet" not in page_of(here)
    for person in User.objects.filter(username__in=["ada", "ben"]):
        project.change_roles(person, ())
    page = page_of(here)
    assert part(page, "needs-you").startswith("Needs you 1 Nobody rates here yet 1 item wants")
    assert re.search(r'href="/projects/p/people/#invite">Invite people<', page)


def test_flags_and_skips_are_told_with_the_oldest(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    held = [
        make_lease(item=make_item(project=project), annotator=each, now=THURSDAY)
        for each in (ada, ben, make_user())
    ]
    held[0].flag(reason="other", note="prompt is <cut> off", now=THURSDAY - 2 * DAY)
    held[2].flag(reason="broken", now=THURSDAY)
    held[1].skip(reason="unclear", now=THURSDAY)
    said = part(page_of(here), "needs-you")
    assert said.startswith("Needs you 1 2 flags wait, 1 skip waits")
    assert "the oldest since 17 Nov: “prompt is &lt;cut&gt; off”" in said
    make_item(project=project)
    for concern in Concern.objects.all():
        reply_to(concern, Concern.Decision.DROP, by=make_user(), now=THURSDAY)
    assert "Nothing right now." in part(page_of(here), "needs-you")


# --- agreement and ticks ---


def test_agreement_is_shown_as_it_was_last_made_and_made_elsewhere(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    batch = make_batch(project=project)
    for value in (2, 4, 5, 7):
        item = make_item(batch=batch)
        for person, more in ((ada, 0), (ben, value % 2)):
            make_rating(
                item=item, annotator=person, now=THURSDAY, values={1: value, 2: value - more}
            )
    assert "Not computed yet." in part(page_of(here), "agreement")
    [dimension] = project.rubric.schema.dimensions
    made = had(result(project, dimension, THURSDAY).result.main_figure)
    page = page_of(here)
    assert 'class="whisker' in page
    alpha = f"{made.value:.2f}"
    assert f"α {alpha} 95 %:" in part(page, "agreement")
    assert [row[5] for row in rows_of(page)] == [alpha, alpha]
    rate(project, ada, THURSDAY)
    with mock.patch("tasks.agreement.making.read_study", side_effect=AssertionError):
        assert f"α {alpha}" in page_of(here)


def test_figures_made_before_the_first_rating_do_not_say_that_there_is_none(
    here: Client, project: Project, ada: User
) -> None:
    [dimension] = project.rubric.schema.dimensions
    make_item(project=project)
    result(project, dimension, THURSDAY)
    assert "There is no figure yet: no ratings." in part(page_of(here), "agreement")
    rate(project, ada, THURSDAY + timedelta(hours=1))
    said = part(page_of(here), "agreement")
    assert "no ratings" not in said
    assert "Not computed yet." in said
    assert f'href="/projects/{project.slug}/agreement/?dimension=' in page_of(here)


def test_alpha_is_drawn_as_on_the_page_of_agreement_also_below_zero(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    for low, high in ((1, 7), (2, 6), (7, 1)):
        item = make_item(project=project)
        for person, value in ((ada, low), (ben, high)):
            make_rating(item=item, annotator=person, now=THURSDAY, values={1: value, 2: value})
    [dimension] = project.rubric.schema.dimensions
    assert had(result(project, dimension, THURSDAY).result.main_figure).value < 0
    pages = [page_of(here), here.get(f"/projects/{project.slug}/agreement/").content.decode()]
    [on_overview, first, *_] = [
        re.findall(r'<svg class="whisker.*?</svg>', page, re.S)[0] for page in pages
    ]
    assert on_overview.split() == first.split()
    assert 'class="whisker low"' in on_overview
    assert "<path" in on_overview


def test_with_names_hidden_there_is_no_agreement_of_single_people(
    here: Client, project: Project, ada: User, ben: User
) -> None:
    # cleo scores at random; the pseudonym of the first to rate, ada, is the name of an account.
    cleo, other = make_user(), make_user(name="rater-1")
    for person in (cleo, other):
        make_membership(project=project, user=person)
    project.change(wanted=3, overlap_percent=0)
    batch = make_batch(project=project)
    for place in range(24):
        item, value = make_item(batch=batch), 1 + place % 7
        for person, said in ((ada, value), (ben, value), (cleo, 1 + 5 * place % 7)):
            make_rating(item=item, annotator=person, now=THURSDAY, values={1: said, 2: said})
    [dimension] = project.rubric.schema.dimensions
    result(project, dimension, THURSDAY)
    assert f"without {cleo}, α is" in part(page_of(here), "agreement")
    assert [row[5] for row in rows_of(page_of(here)) if row[0] == "rater-1"] == ["–"]
    Project.objects.update(names_annotators=False)
    with mock.patch("tasks.agreement.page_result.pseudonyms_of", side_effect=AssertionError):
        page = page_of(here)
    assert "α 0." in part(page, "agreement")
    assert "without" not in part(page, "agreement")
    assert "α with others" not in page
    assert {len(row) for row in rows_of(page)} == {6}


def test_the_checks_ticked_most_have_their_share_of_what_was_scored(
    here: Client, project: Project, ada: User
) -> None:
    ratings = [
        make_rating(
            item=make_item(project=project, responses=["One."]), annotator=ada, now=THURSDAY
        )
        for _ in range(4)
    ]
    for rating, ticks in zip(
        ratings, (["style_error"], ["style_error", "empty"], ["style_error"], []), strict=True
    ):
        score = rating.scores.get()
        score.checks |= dict.fromkeys(ticks, "yes")
        score.save()
    assert part(page_of(here), "ticks").endswith("Style error 75&nbsp;% Empty 25&nbsp;%")


# --- the page as a whole ---


@pytest.mark.parametrize("named", [True, False], ids=["names", "names hidden"])
def test_the_overview_makes_a_fixed_number_of_queries(
    here: Client, project: Project, ada: User, named: bool
) -> None:
    Project.objects.update(names_annotators=named)

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            page_of(here)
        assert not [each for each in captured if "MIN(" in each["sql"]], "reads all ratings"
        return len(captured)

    def add() -> None:
        person = make_user()
        make_membership(project=project, user=person)
        rate_daily(project, person, [0, 1, 2, 9])
        lease = make_lease(item=Item.objects.latest("pk"), annotator=person, now=THURSDAY)
        lease.flag(reason="broken", now=THURSDAY)

    add()
    [dimension] = project.rubric.schema.dimensions
    project.refresh_from_db()
    result(project, dimension, THURSDAY)
    queries()  # what is kept from then on
    one = queries()
    assert one <= 21
    for _ in range(3):
        add()
    queries()
    assert queries() == one


def test_no_query_reads_ratings_that_are_kept(
    here: Client, project: Project, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.models.stored_figures.STEP", 3)
    rate_daily(project, ada, [1, 2, 3])
    work()
    before = page_of(here)
    assert ScoreCounts.objects.get().upto == Rating.objects.latest("pk").pk
    with mock.patch("tasks.models.stored_figures.tally_of", wraps=None) as read:
        read.return_value = Tally()
        assert part(page_of(here), "by-model") == part(before, "by-model")
    assert read.call_args.kwargs["after"] == Rating.objects.latest("pk").pk


def test_htmx_gets_the_part_that_changes(here: Client, project: Project) -> None:
    make_item(project=project)
    page = here.get("/projects/p/?dimension=quality", headers=HTMX).content.decode()
    assert page.strip().startswith('<div id="live"')
    assert 'data-hx-get="/projects/p/?dimension=quality"' in page
    assert "<h1" not in page


def test_annotators_have_no_overview(client: Client, project: Project, ada: User) -> None:
    client.force_login(ada)
    for address in ("/projects/p/", "/projects/p/days.csv"):
        assert client.get(address).status_code == 404


# --- while someone looks at it ---


@pytest.fixture
def looking(page: Page, project: Project, ada: User) -> Page:
    """The lead looks at a project that ada rates."""
    rate_daily(project, ada, [1, 2], 3)
    page.clock.install()
    log_in(page, "lea")
    page.goto("/projects/p/")
    expect(page.locator(".big")).to_contain_text("6 of 12")
    return page


def hide(page: Page, state: str) -> None:
    """The browser's tab is out of sight, or in sight again."""
    page.evaluate(
        """(state) => {
          Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        state,
    )


def test_the_overview_is_renewed_every_thirty_seconds_and_loses_nothing(
    looking: Page, project: Project, ada: User
) -> None:
    page = looking
    page.locator("#days-table > summary").click()
    download = page.get_by_role("link", name="Download")
    download.focus()
    rate(project, ada, THURSDAY)
    page.clock.run_for(29_000)
    expect(page.locator(".big")).to_contain_text("6 of 12")
    page.clock.run_for(2_000)
    expect(page.locator(".big")).to_contain_text("7 of 14")
    expect(page.locator("#days-table")).to_have_attribute("open", "")
    expect(download).to_be_focused()


def test_the_overview_is_not_renewed_while_nobody_sees_it(
    looking: Page, project: Project, ada: User
) -> None:
    page, asked = looking, []
    page.on("request", lambda request: asked.append(request.url))
    hide(page, "hidden")
    rate(project, ada, THURSDAY)
    page.clock.run_for(90_000)
    assert asked == []
    hide(page, "visible")
    expect(page.locator(".big")).to_contain_text("7 of 14")


def test_a_dimension_that_is_chosen_and_not_sent_stays_chosen(
    page: Page, lead: User, ada: User
) -> None:
    talk = make_talk(annotators=[ada])
    make_membership(project=talk, user=lead, role=Membership.Role.LEAD)
    page.clock.install()
    log_in(page, "lea")
    page.goto("/projects/talk/")
    page.get_by_label("Dimension").select_option("coherence")
    page.get_by_role("button", name="Show", exact=True).focus()
    make_rating(item=talk.items.all()[0], annotator=ada, now=THURSDAY)
    page.clock.run_for(31_000)
    expect(page.locator(".big")).to_contain_text("1 of 21")
    expect(page.get_by_label("Dimension")).to_have_value("coherence")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url("**/?dimension=coherence")
