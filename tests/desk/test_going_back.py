"""Going back: one's own ratings, found again, and corrected as long as the lead lets them be."""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.formats import date_format

from annotators.desk.history import page_of_ratings
from annotators.models import User
from rubrics.documents import document
from rubrics.models import Rubric
from tasks.answers.slot_answers import SlotAnswers
from tasks.answers.submission import DraftVersion
from tasks.models import (
    Batch,
    CorpusAnswer,
    Draft,
    Item,
    Lease,
    Placement,
    Project,
    Rating,
    ReturnedRating,
    Workday,
)
from tasks.queue.live_leases import lease_of
from tasks.queue.saving import save_form
from tasks.queue.submitting import ReadOnly, correct_rating, submit_lease
from tests.desk_steps import FAULTLESS, HTMX, ONE, OTHER, diverse, page, scored, start, talked
from tests.factories import (
    NOW,
    make_batch,
    make_item,
    make_lease,
    make_project,
    make_rating,
    make_rubric,
    make_submission,
    make_user,
)
from tests.judging import asked_rubric
from tests.practising import OFF
from tests.waiting import until_one_waits_for_us

pytestmark = pytest.mark.django_db

LIST = "/projects/eggs/ratings/"
HOUR = timedelta(hours=1)


@pytest.fixture
def first(project: Project, ada: User) -> Rating:
    """What ada said just now: 7 and 6."""
    return make_rating(
        item=make_item(project=project, external_id="first", responses=["Two.", "Three."]),
        annotator=ada,
        values={1: 7, 2: 6},
        comments={1: "Short."},
        comment="Of Mars",
        now=timezone.now(),
        submitted_at=timezone.now(),
    )


def page_of(rating: Rating, step: str = "") -> str:
    return f"{LIST}{rating.pk}/" + (f"{step}/" if step else "")


def said(rating: Rating, one: int = 7, two: int = 6, **others: str) -> dict[str, str]:
    """The correction's form as a page of ONE sends it, by number in the upload."""
    assert rating.lease is not None
    numbers = dict(rating.item.responses.values_list("pk", "position"))
    form = {"comment": "Of Mars", "revision": str(rating.revision)} | page()
    for place, pk in enumerate(rating.lease.responses, start=1):
        form |= {f"r{place}.quality.{code}": value for code, value in FAULTLESS.items()}
        form[f"r{place}.quality"] = str({1: one, 2: two}[numbers[pk]])
        form[f"r{place}.comment"] = "Short." if numbers[pk] == 1 else ""
    return form | others


def scores(rating: Rating) -> list[int | None]:
    return list(rating.scores.order_by("response__position").values_list("value", flat=True))


def text(answer: Any) -> str:
    """What is to be read of a page."""
    words = re.sub(r"<[^>]+>", " ", answer.content.decode())
    return re.sub(r"\s+", " ", html.unescape(words))


# --- the list ---


def test_own_ratings_are_listed_newest_first_with_all_their_parts(
    desk: Client, project: Project, ada: User, first: Rating
) -> None:
    batch = make_batch(project=project)
    newer = make_item(
        batch=batch, external_id="newer", position=6, prompt="And how many has Venus?"
    )
    make_rating(
        item=newer, annotator=ada, facts=[(1, "Venus has none", "holds", "https://a.example")]
    )
    make_rating(item=first.item, annotator=make_user(), comment="Somebody else's")
    shown = text(desk.get(LIST))
    assert shown.index("newer") < shown.index("first")
    assert "And how many has Venus?" in shown
    assert "· item 7 ·" in shown
    for words in ("Response A", "Quality: 7 ", "Quality: 6 ", "Short.", "Of Mars", "· counted"):
        assert words in shown
    level = project.rubric.schema.dimension("quality").level(6).label
    assert f"Quality: 6 {level} " in shown
    assert "looked up: Venus has none · it holds · https://a.example" in shown
    assert "You have rated 2 items here." in shown
    assert "Somebody else" not in shown
    assert "model-1" not in shown


def test_the_list_leaves_out_the_best_answers_and_has_every_other_and_every_tick(
    desk: Client, project: Project, ada: User
) -> None:
    lease = make_lease(item=make_item(project=project, responses=["Two."]), annotator=ada)
    submission = make_submission(lease=lease)
    answers = SlotAnswers.stored(3, {**FAULTLESS, "honest": "not_true", "language_error": "yes"})
    scores = (replace(submission.scores[0], value=3, answers=answers),)
    submit_lease(lease, replace(submission, scores=scores), now=NOW)
    [own] = page_of_ratings(project, ada, now=NOW).past_ratings
    [quality] = own.targets_in_words[0].words_by_dimension.values()
    asked = project.rubric.schema.dimension("quality")
    assert quality.answer_pairs == (("Honest", "not true"), ("Language error", ""))
    shown = text(desk.get(LIST))
    assert f"Quality: 3 {asked.level(3).label} · Honest: not true · Language error " in shown
    assert "Comprehensive" not in shown
    assert "answers other than the best one" in shown
    assert "Comprehensive" in text(desk.get(page_of(lease.rating)))


def test_where_the_whole_response_has_only_best_answers_it_has_no_line(
    client: Client, ada: User
) -> None:
    asked = asked_rubric.TEXT.replace("key: M}", 'key: M, best: "no"}')
    rubric, _is_new = Rubric.objects.load(document.read(asked), now=NOW)
    project = make_project(slug="eggs", annotators=[ada], rubric=rubric)
    client.force_login(ada)
    make_rating(item=make_item(project=project), annotator=ada)
    Placement.objects.update(checks={"harmful": "no"})
    assert "Whole response" not in text(client.get(LIST))
    Placement.objects.update(checks={"harmful": "yes"})
    assert "Whole response: – · Harmful: yes" in text(client.get(LIST))


def test_ticks_and_answers_are_told_in_the_rubric_s_words_and_sets_by_their_number(
    ada: User,
) -> None:
    project = make_project(slug="talk", annotators=[ada], rubric=make_rubric(slug="dialogue"))
    lease = make_lease(item=make_item(project=project, persona=["a", "b", "c"]), annotator=ada)
    submission = make_submission(lease=lease)
    lines = {"contradicts": "yes", "contradicts.lines": "1,3"}
    about, of_set = (
        replace(submission.scores[0], answers=SlotAnswers.stored(5, checks))
        for checks in (lines, {})
    )
    of_set = replace(
        of_set,
        dimension="diversity",
        unit="candidate_set",
        response=None,
        model="model-2",
        position=2,
    )
    scores = (replace(about, dimension="consistency"), of_set)
    submit_lease(lease, replace(submission, scores=scores), now=NOW)
    [own] = page_of_ratings(project, ada, now=NOW).past_ratings
    assert [said.target.name for said in own.targets_in_words] == ["Response A", "Model 2"]
    [consistency] = own.targets_in_words[0].words_by_dimension.values()
    assert consistency.answer_texts[0].endswith(": yes (lines 1, 3)")
    assert own.targets_in_words[1].words_by_dimension["diversity"].answer_texts == ()


def test_times_are_those_of_where_one_is_and_say_so(
    desk: Client, project: Project, ada: User, first: Rating
) -> None:
    User.objects.filter(pk=ada.pk).update(time_zone="Pacific/Kiritimati")  # 14 hours before UTC
    there = timezone.localtime(first.submitted_at, ZoneInfo("Pacific/Kiritimati"))
    for address in (LIST, page_of(first)):
        shown = text(desk.get(address))
        assert date_format(there, "DATETIME_FORMAT") in shown
        assert "Pacific/Kiritimati" in shown
        assert "UTC" not in shown


def test_extra_ratings_and_corrections_say_that_they_are(
    desk: Client, project: Project, ada: User, first: Rating
) -> None:
    item = make_item(project=project, wanted=1)
    late = make_lease(item=item, annotator=ada, status="expired", ended_at=NOW)
    make_rating(item=item, annotator=make_user())
    submit_lease(late, make_submission(lease=late), now=NOW)
    held = make_lease(item=make_item(project=project), annotator=ada)
    Item.objects.filter(pk=held.item_id).update(dropped=True)
    submit_lease(held, make_submission(lease=held), now=NOW)
    assert first.lease is not None
    correct_rating(
        first, make_submission(lease=first.lease, values={1: 5}), based_on=1, now=timezone.now()
    )
    shown = text(desk.get(LIST))
    assert "extra: when it came, the item wanted no more ratings" in shown
    assert "extra: the lead has dropped the item" in shown
    assert "It is saved as an extra one: the lead has dropped the item." in text(
        desk.get(page_of(held.rating))
    )
    assert "revision 2, " in shown
    assert shown.index(item.external_id) < shown.index("first")  # a correction moves nothing
    assert "Quality: 5 " in shown
    assert "Quality: 6 " not in shown


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("moons mars", ["b", "a"]),
        ("MOONS venus", ["c"]),
        ("Phöbos", ["b"]),  # a response
        ("said\\of%it_", ["a"]),  # a comment on the item, and no sign of LIKE's
        ("one mind", ["b"]),  # a comment on a response
        ("moons%", []),
        ('say "two"', ["c"]),
        ("c", ["c"]),  # its id, and nothing that begins with it stands elsewhere
        ("1001", ["a"]),  # its number
        ("nothing", []),
    ],
)
def test_words_are_found_in_item_id_number_and_one_s_own_comments(
    project: Project, ada: User, query: str, found: list[str]
) -> None:
    batch = make_batch(project=project)
    other = make_user()
    for name, asked, answer, number, extra in (
        ("a", "How many moons has Mars?", "Two.", 1000, {"comment": "said\\of%it_"}),
        ("b", "How many moons has Mars?", "PHÖBOS", 2000, {"comments": {1: "Of one mind"}}),
        ("c", 'Moons of Venus? Say "two"\nor none', "None.", 3000, {}),
    ):
        item = make_item(
            batch=batch, external_id=name, prompt=asked, responses=[answer], position=number
        )
        make_rating(item=item, annotator=ada, **extra)
        make_rating(item=item, annotator=other, comment="nothing")
    if query == "c":
        query = "c none"
    page = page_of_ratings(project, ada, words=query.split(), now=NOW)
    assert [own.rating.item.external_id for own in page.past_ratings] == found


def test_a_long_list_comes_by_pages_each_in_as_many_queries(
    desk: Client, project: Project, ada: User, django_assert_num_queries: Any
) -> None:
    batch = make_batch(project=project)
    make_rating(item=make_item(batch=batch, external_id="item-0"), annotator=ada)
    desk.get(LIST)
    with django_assert_num_queries(9):  # one of them counts the unread notices for the bar
        desk.get(LIST)
    for number in range(1, 28):
        make_rating(item=make_item(batch=batch, external_id=f"item-{number}"), annotator=ada)
    with django_assert_num_queries(9):
        shown = desk.get(LIST)
    listed = re.findall(r">(item-\d+)</a></h2>", shown.content.decode())
    assert listed == [f"item-{number}" for number in range(27, 2, -1)]
    [older] = re.findall(r'href="(\?q=&amp;before=\d+)"', shown.content.decode())
    rest = desk.get(LIST + html.unescape(older)).content.decode()
    assert re.findall(r">(item-\d+)</a></h2>", rest) == ["item-2", "item-1", "item-0"]
    assert "Older" not in rest


def test_an_empty_list_of_own_ratings_says_so(desk: Client, project: Project) -> None:
    assert "No ratings yet." in text(desk.get(LIST))
    found = html.unescape(desk.get(LIST + "?q=%3Cb%3E").content.decode())
    assert "None of your ratings contains “<b>”." in found
    assert "No ratings yet." in text(desk.get(LIST + "?before=x"))
    assert desk.get(LIST + "last/")["Location"] == LIST


def test_an_item_with_a_warning_shows_the_warning_in_place_of_its_texts(
    desk: Client, project: Project, ada: User
) -> None:
    item = make_item(project=project, prompt="Blood everywhere", warning="Violence")
    rating = make_rating(item=item, annotator=ada)
    Lease.objects.update(opened_at=NOW)
    shown = text(desk.get(LIST))
    assert "Blood" not in shown
    assert "The texts are hidden here because of a warning: Violence" in shown
    assert "The item has a warning: Violence" in text(desk.get(page_of(rating)))


def test_ratings_of_others_and_of_a_project_that_one_left_are_not_found(
    client: Client, project: Project, ada: User, first: Rating
) -> None:
    client.force_login(make_user())
    for address in (LIST, f"{LIST}last/", page_of(first)):
        assert client.get(address).status_code == 404
    for step in ("verdict", "draft", "correct"):
        assert client.post(page_of(first, step), said(first, 1)).status_code == 404
    client.force_login(ada)
    assert (
        client.get(
            f"/projects/{make_project(annotators=[ada]).slug}/ratings/{first.pk}/"
        ).status_code
        == 404
    )
    project.memberships.all().delete()
    assert client.get(page_of(first)).status_code == 404
    assert client.get(LIST).status_code == 404
    assert Rating.objects.count() == 1


# --- correcting ---


def test_a_rating_opens_as_it_was_said_with_that_beside_each_row(
    desk: Client, ada: User, project: Project, first: Rating
) -> None:
    shown = desk.get(page_of(first))
    read = text(shown)
    labels = project.rubric.schema.dimension("quality")
    assert f"before: 7 {labels.level(7).label}" in read
    assert f"before: 6 {labels.level(6).label}" in read
    assert "Comment: Short." in read
    assert "before: Of Mars" in read
    checked = re.findall(
        r'id="r\d-quality-(\d)" name="r\d\.quality" value="\d"\s+checked', shown.content.decode()
    )
    assert sorted(checked) == ["6", "7"]
    assert "entirely" in read
    assert 'name="revision" value="1"' in shown.content.decode()
    assert "You started" not in read


def test_a_correction_is_a_new_revision_with_its_own_time_and_the_old_one_beside_it(
    desk: Client, ada: User, project: Project, first: Rating
) -> None:
    Rating.objects.update(submitted_at=timezone.now() - timedelta(minutes=5))
    answer = desk.post(page_of(first, "correct"), said(first, 6, active_seconds="41"), headers=HTMX)
    assert answer.status_code == 200
    second = Rating.objects.get(supersedes=first)
    assert (scores(first), scores(second)) == ([7, 6], [6, 6])
    assert (first.active_seconds, second.active_seconds, second.elapsed_seconds) == (None, 41, 41)
    assert second.submitted_at - second.started_at == timedelta(seconds=41)
    assert (second.kind, second.lease) == ("counted", None)
    read = text(answer)
    assert "Your first answers are kept" in read
    assert "Corrected once" in read
    assert re.search(r"Quality 7 6 ", read)  # as it was, and as it is
    assert not Draft.objects.exists()
    # By any of its revisions one comes to the last.
    for rating in (first, second):
        assert 'name="revision" value="2"' in desk.get(page_of(rating)).content.decode()
    plain = desk.post(page_of(second, "correct"), said(first, 6, 7, revision="2"))
    assert plain["Location"] == page_of(Rating.objects.get(revision=3))
    assert "Corrected 2 times" in text(desk.get(plain["Location"]))


@pytest.mark.parametrize(("said_ago", "most"), [(20, 20), (2 * 24 * 3600, 300)])
def test_no_more_seconds_count_than_there_were_since_a_correction_can_have_begun(
    desk: Client, first: Rating, said_ago: int, most: int
) -> None:
    Rating.objects.update(submitted_at=timezone.now() - timedelta(seconds=said_ago))
    endless = said(first, 6, active_seconds="99999999999")  # more than the database can write down
    for step in ("draft", "verdict", "correct"):
        assert desk.post(page_of(first, step), endless, headers=HTMX).status_code == 200
    second = Rating.objects.get(supersedes=first)
    assert second.active_seconds in range(most, most + 20)
    assert second.elapsed_seconds == second.active_seconds
    assert Workday.objects.get().seconds == second.active_seconds


def test_a_correction_began_with_the_work_that_led_to_its_first_change(
    first: Rating,
) -> None:
    assert first.lease is not None
    held = first.lease
    begun = first.submitted_at + HOUR
    for after, active in ((0, 90), (60, 150), (600, 200)):
        at = begun + timedelta(seconds=after)
        save_form(
            held,
            DraftVersion(ONE, after),
            {"comment": "x"},
            corrects=first,
            active_seconds=active,
            now=at,
        )
    second = correct_rating(
        first,
        make_submission(lease=held, comment="x", active_seconds=210),
        based_on=1,
        now=begun + timedelta(seconds=700),
    )
    assert second.started_at == begun - timedelta(seconds=90)
    assert (second.active_seconds, second.elapsed_seconds) == (210, 790)
    # What is begun of the next one is another's beginning.
    later = begun + 2 * HOUR
    save_form(
        held,
        DraftVersion(OTHER),
        {"comment": "y"},
        corrects=second,
        active_seconds=9999,
        now=later,
    )
    third = correct_rating(
        second, make_submission(lease=held, comment="y"), based_on=2, now=later + HOUR
    )
    assert third.started_at == later - timedelta(minutes=5)
    assert (third.active_seconds, third.elapsed_seconds) == (None, 3900)


def test_a_correction_that_cannot_be_stored_yet_stays_as_it_was_entered(
    desk: Client, first: Rating
) -> None:
    barred = said(first) | {"r1.quality.language_error": "yes", "r2.quality.language_error": "yes"}
    for headers in (HTMX, {}):
        answer = desk.post(page_of(first, "correct"), barred, headers=headers)
        assert answer.status_code == 200
        assert "You can’t give 7" in text(answer)
        assert "before: 7" in text(answer)
    assert Rating.objects.count() == 1
    assert Draft.objects.get().answers["r1.quality.language_error"] == "yes"


def test_nothing_changed_is_no_revision(desk: Client, project: Project, ada: User) -> None:
    make_item(project=project, responses=["Two.", "Three."])
    lease = start(desk, project, ada)
    desk.post(f"/projects/eggs/desk/{lease.pk}/submit/", scored(lease), headers=HTMX)
    [rating] = Rating.objects.all()
    desk.post(page_of(rating, "draft"), said(rating, comment="Hm") | page(), headers=HTMX)
    same = scored(lease) | {"revision": "1"} | page(2)
    answer = desk.post(page_of(rating, "correct"), same, headers=HTMX)
    assert "Nothing changed." in text(answer)
    assert Rating.objects.count() == 1
    assert not Draft.objects.exists()


def test_a_verdict_on_a_correction_keeps_it_and_answers_with_the_row(
    desk: Client, first: Rating
) -> None:
    answer = desk.post(page_of(first, "verdict") + "?row=r1-quality", said(first, 6), headers=HTMX)
    assert 'id="r1-quality-outcome"' in answer.content.decode()
    assert page_of(first, "verdict") in answer.content.decode()
    assert "<html" not in answer.content.decode()
    draft = Draft.objects.get()
    assert (draft.lease, draft.corrects) == (None, first)
    whole = desk.post(page_of(first, "verdict"), said(first, 6, draft_number="0"))
    assert "before: 7" in text(whole)


def test_a_started_correction_comes_back_and_may_be_discarded(
    desk: Client, ada: User, first: Rating
) -> None:
    desk.post(page_of(first, "draft"), said(first, 6), headers=HTMX)
    again = text(desk.get(page_of(first)))
    assert "You started a correction. It is not saved yet" in again
    assert re.search(r"Quality 7 6 ", again)
    answer = desk.post(page_of(first, "draft"), said(first, 6, discard="1"))
    assert answer["Location"] == page_of(first)
    assert not Draft.objects.exists()
    assert "You started" not in text(desk.get(page_of(first)))


def test_a_correction_that_one_leaves_is_a_draft_only_if_it_changed(
    desk: Client, ada: User, first: Rating
) -> None:
    untouched = desk.post(page_of(first, "draft"), said(first, leave="1"), headers=HTMX)
    assert untouched["HX-Redirect"] == "/projects/eggs/desk/"
    assert not Draft.objects.exists()
    changed = desk.post(page_of(first, "draft"), said(first, 6, leave="1"))
    assert changed["Location"] == "/projects/eggs/desk/"
    assert Draft.objects.get().corrects == first
    # Another window that has changed nothing takes nothing away.
    desk.post(page_of(first, "draft"), said(first, leave="1") | page(writer=OTHER), headers=HTMX)
    assert Draft.objects.exists()


@pytest.mark.parametrize("is_shown", [True, False])
def test_leaving_a_correction_unchanged_discards_only_the_draft_on_the_page(
    desk: Client, first: Rating, is_shown: bool
) -> None:
    desk.post(page_of(first, "draft"), said(first, 6) | page(3), headers=HTMX)
    shown = Draft.objects.get().version if is_shown else ""
    as_it_was = said(first, leave="1") | page(writer=OTHER, shown=shown)
    assert "HX-Redirect" in desk.post(page_of(first, "draft"), as_it_was, headers=HTMX)
    assert Draft.objects.exists() is not is_shown


def test_two_windows_on_a_correction_save_beside_each_other_and_one_submit_keeps_the_other(
    desk: Client, first: Rating
) -> None:
    desk.post(page_of(first, "draft"), said(first, 6), headers=HTMX)
    begun = Draft.objects.get()
    link = f'href="{page_of(first)}?draft={begun.writer}"'
    further = said(first, 6, 7) | page(writer=OTHER)
    for step in ("draft", "verdict"):
        answer = desk.post(page_of(first, step), further, headers=HTMX)
        assert (answer.status_code, link in answer.content.decode()) == (200, True)
    stored = desk.post(page_of(first, "correct"), further, headers=HTMX)
    assert (stored.status_code, link in stored.content.decode()) == (200, True)
    assert scores(Rating.objects.get(revision=2)) == [6, 7]
    version = desk.get(f"{page_of(first)}?draft={begun.writer}")
    assert "This version was not submitted" in text(version)
    assert re.search(r"Quality 7 6? ", text(version))


def test_a_stale_correction_shows_both_and_goes_on_from_the_newer(
    desk: Client, ada: User, first: Rating
) -> None:
    desk.post(page_of(first, "correct"), said(first, 6), headers=HTMX)
    stale = said(first, 6, 7) | page(writer=OTHER)
    answer = desk.post(page_of(first, "correct"), stale, headers=HTMX)
    assert answer.status_code == 409
    assert "You corrected this rating in another window or on another device" in text(answer)
    assert re.search(r"Quality 7 6 ", text(answer))
    assert 'name="revision" value="2"' in answer.content.decode()
    assert Draft.objects.get().corrects == Rating.objects.get(revision=2)
    going_on = stale | {"revision": "2"} | page(writer=OTHER, number=2)
    assert desk.post(page_of(first, "correct"), going_on, headers=HTMX).status_code == 200
    assert scores(Rating.objects.get(revision=3)) == [6, 7]


def test_the_same_correction_sent_twice_is_one(desk: Client, first: Rating) -> None:
    for _ in range(2):
        assert desk.post(page_of(first, "correct"), said(first, 6), headers=HTMX).status_code == 200
    assert Rating.objects.count() == 2


def test_a_late_draft_of_a_stored_correction_starts_no_other_correction(
    desk: Client, first: Rating
) -> None:
    assert first.lease is not None
    late = lease_of(first.annotator, "eggs", first.lease.pk)
    assert late is not None
    desk.post(page_of(first, "correct"), said(first, 6), headers=HTMX)
    save_form(late, DraftVersion(ONE, 9), {"comment": "late"}, corrects=first, now=timezone.now())
    assert Draft.objects.get().corrects == first
    assert "You started" not in text(desk.get(page_of(first)))


# --- from the desk and back ---


def test_leaving_the_desk_saves_its_draft_first_and_comes_back_to_it(
    desk: Client, project: Project, ada: User, first: Rating
) -> None:
    make_item(project=project, batch=project.batches.first(), external_id="second")
    lease = start(desk, project, ada)
    shown = desk.get("/projects/eggs/desk/").content.decode()
    assert f'data-back="{LIST}last/"' in shown
    address = f"/projects/eggs/desk/{lease.pk}/draft/"
    entered = {"comment": "Begun", "leave": "1"}
    assert desk.post(address, entered | page(), headers=HTMX)["HX-Redirect"] == f"{LIST}last/"
    assert desk.post(address, entered | page())["Location"] == f"{LIST}last/"
    assert desk.get(f"{LIST}last/")["Location"] == page_of(first)
    assert ">Begun</textarea>" in desk.get("/projects/eggs/desk/").content.decode()


# --- what stands in the way ---


def close_batch(project: Project) -> None:
    batch = project.batches.get()
    batch.change(status="closed", rank=0, priority=0, annotators=[])


def close_project(project: Project) -> None:
    Project.objects.update(status="closed")


def end_window(project: Project) -> None:
    Project.objects.update(correction_hours=1)
    Rating.objects.update(submitted_at=timezone.now() - 2 * HOUR)


def allow_none(project: Project) -> None:
    Project.objects.update(correction_hours=0)


WAYS = [
    (close_batch, "The batch is closed, so its ratings can’t be changed."),
    (close_project, "The project is closed, so its ratings can’t be changed."),
    (end_window, "Here you can correct a rating for 1 hour. That time is over."),
    (allow_none, "In this project, ratings can’t be changed once submitted."),
]


@pytest.mark.parametrize(("close", "reason"), WAYS)
def test_a_rating_that_stands_is_read_only_and_says_why(
    desk: Client, project: Project, first: Rating, close: Callable[[Project], None], reason: str
) -> None:
    assert first.lease is not None
    close(project)
    assert reason in text(desk.get(LIST))
    shown = desk.get(page_of(first)).content.decode()
    assert reason in html.unescape(shown)
    assert 'id="submit"' not in shown
    for part in ("answers", "scale"):
        assert re.findall(rf'<fieldset[^>]*id="r\d-quality-{part}"[^>]*', shown)
        assert all(
            " disabled" in tag for tag in re.findall(rf'<[^>]*id="r\d-quality-{part}"[^>]*', shown)
        )
    assert all(" readonly" in tag for tag in re.findall(r"<textarea[^>]*comment[^>]*>", shown))
    assert shown.count("<fieldset disabled aria-label=") == 2  # the claims of each response
    fresh = Rating.objects.get(pk=first.pk)
    with pytest.raises(ReadOnly, match=re.escape(reason)):
        correct_rating(
            fresh, make_submission(lease=first.lease, values={1: 1}), based_on=1, now=timezone.now()
        )
    assert Rating.objects.count() == 1


@pytest.mark.parametrize(("close", "reason"), WAYS)
def test_a_window_that_ends_while_the_page_stands_open_loses_nothing(
    desk: Client, project: Project, first: Rating, close: Callable[[Project], None], reason: str
) -> None:
    desk.get(page_of(first))
    close(project)
    for headers in (HTMX, {}):
        answer = desk.post(
            page_of(first, "correct"), said(first, 6, comment="Typed for an hour"), headers=headers
        )
        assert answer.status_code == 409
        read = text(answer)
        assert reason in read
        assert "You can no longer save what you entered" in read
        assert re.search(r"Quality 7 6 ", read)
        assert "Typed for an hour" in read
    assert Rating.objects.count() == 1
    assert "Typed for an hour" in text(desk.get(page_of(first)))  # and later too
    Project.objects.update(status="open", correction_hours=None)
    Batch.objects.update(status="open")
    assert ">Typed for an hour</textarea>" in desk.get(page_of(first)).content.decode()


def test_the_window_counts_from_what_was_said_first_to_the_hour(
    project: Project, ada: User
) -> None:
    project.correction_hours = 24
    project.save()
    rating = make_rating(item=make_item(project=project), annotator=ada, now=NOW, submitted_at=NOW)
    assert rating.lease is not None
    second = correct_rating(
        rating, make_submission(lease=rating.lease, values={1: 3}), based_on=1, now=NOW + 23 * HOUR
    )
    assert second.why_read_only(NOW + 24 * HOUR - timedelta(seconds=1)) == ""
    assert "24 hours" in second.why_read_only(NOW + 24 * HOUR)


@pytest.mark.parametrize("status", ["open", "paused"])
def test_where_nothing_is_closed_a_rating_may_be_corrected_as_long_as_one_likes(
    project: Project, first: Rating, status: str
) -> None:
    project.batches.update(status=status)
    fresh = Rating.objects.get(pk=first.pk)
    assert fresh.why_read_only(timezone.now() + 10_000 * HOUR) == ""


def test_a_closed_batch_lends_nothing_takes_what_is_lent_and_can_reopen(
    desk: Client, project: Project, ada: User
) -> None:
    batch = make_batch(project=project)
    make_item(batch=batch)
    make_item(batch=batch)
    lease = start(desk, project, ada)
    lead = make_user()
    project.memberships.create(user=lead, role="lead")
    usual = {"rank": "0", "priority": "0"}
    leads = Client()
    leads.force_login(lead)
    address = f"/projects/eggs/batches/{batch.pk}/"
    assert "nobody can correct ratings" in text(leads.get(address))
    leads.post(address, usual | {"status": "closed"})
    answer = desk.post(f"/projects/eggs/desk/{lease.pk}/submit/", scored(lease), headers=HTMX)
    assert answer.context["state"] == "batches_closed"
    rating = Rating.objects.get()
    assert rating.kind == "counted"
    assert "is closed" in rating.why_read_only(timezone.now())
    leads.post(address, usual | {"status": "open"})
    assert Rating.objects.get().why_read_only(timezone.now()) == ""
    assert start(desk, project, ada).item.batch == batch


def test_the_lead_sets_the_window(client: Client, project: Project) -> None:
    lead = make_user()
    project.memberships.create(user=lead, role="lead")
    client.force_login(lead)
    usual = {"status": "open", "wanted": "2", "overlap_percent": "0", "overlap_wanted": "3"}
    usual |= {
        "title": "Eggs",
        "order": "uploaded",
        "grouping": "free",
        "view": "text",
        "lease_minutes": "30",
    } | OFF
    usual["search_address"] = "https://search.example/?q={claim}"
    for shown, given, kept in (("", "48", 48), ("48", "0", 0), ("0", "", None)):
        sent = {"initial-correction_hours": shown, "correction_hours": given}
        client.post("/projects/eggs/settings/", usual | sent)
        project.refresh_from_db()
        assert project.correction_hours == kept
    refused = client.post("/projects/eggs/settings/", usual | {"correction_hours": "-1"})
    assert "greater than or equal to 0" in refused.content.decode()


@pytest.mark.django_db(transaction=True)
def test_a_correction_waits_for_whoever_closes_the_batch_and_is_then_refused(
    project: Project, first: Rating
) -> None:
    assert first.lease is not None
    submission = make_submission(lease=first.lease, values={1: 1})
    came: list[object] = []

    def correct() -> None:
        try:
            came.append(
                correct_rating(
                    Rating.objects.get(pk=first.pk), submission, based_on=1, now=timezone.now()
                )
            )
        except ReadOnly as refused:
            came.append(refused)
        finally:
            connection.close()

    thread = threading.Thread(target=correct)
    with transaction.atomic():
        close_batch(project)
        thread.start()
        until_one_waits_for_us()
    thread.join()
    assert isinstance(came[0], ReadOnly)
    assert Rating.objects.count() == 1


# --- candidate sets ---


def test_a_candidate_set_is_corrected_with_its_corpus_answer(client: Client, ada: User) -> None:
    project = make_project(slug="eggs", annotators=[ada], rubric=make_rubric(slug="dialogue"))
    for number in range(7):
        make_item(
            project=project,
            batch=project.batches.first(),
            persona=["i keep bees."],
            messages=[("user", f"And day {number}?")],
            responses=[("gull", "Bees."), ("gull", "Honey.")],
        )
    client.force_login(ada)
    client.post(
        f"/projects/eggs/desk/{start(client, project, ada).pk}/submit/",
        talked() | diverse("yes", "yes", 5),
    )
    [rating] = Rating.objects.all()
    shown = client.get(page_of(rating)).content.decode()
    assert re.search(r'name="m1.diversity.corpus_high" value="yes"\s+checked', shown)
    corrected = talked() | diverse("no", "no", 2, shown="yes") | {"revision": "1", "seen": "sets"}
    answer = client.post(page_of(rating, "correct"), corrected, headers=HTMX)
    assert "Your first answers are kept" in text(answer)
    assert [each.answer for each in CorpusAnswer.objects.order_by("revision")][-1] == "no"
    score = Rating.objects.get(revision=2).scores.get(dimension="diversity")
    assert (score.value, score.checks["corpus_high"]) == (2, "no")
    assert not ReturnedRating.objects.filter(settled_at=None).exists()


# --- the item that is held meanwhile ---


@pytest.mark.parametrize("step", ["verdict", "draft"])
def test_a_correction_renews_the_lease_in_hand_by_one_statement_more(
    desk: Client, project: Project, ada: User, first: Rating, step: str
) -> None:
    begun = timezone.now() - timedelta(minutes=project.lease_minutes - 1)
    held = make_lease(item=make_item(project=project), annotator=ada, now=begun)
    theirs = make_lease(item=make_item(project=project), annotator=make_user(), now=begun)
    elsewhere = make_project(annotators=[ada])
    other = make_lease(item=make_item(project=elsewhere), annotator=ada, now=begun)
    where = page_of(first, step)
    desk.post(where, said(first, one=5), headers=HTMX)
    ends = {lease.pk: lease.expires_at for lease in Lease.objects.all()}
    assert ends[held.pk] > timezone.now() + timedelta(minutes=project.lease_minutes - 1)
    assert (ends[theirs.pk], ends[other.pk]) == (theirs.expires_at, other.expires_at)
    # While there is more than half of the time left, nothing is written.
    with CaptureQueriesContext(connection) as seen:
        desk.post(where, said(first, one=4) | page(2), headers=HTMX)
    of_leases = [asked["sql"] for asked in seen if "SET expires_at" in asked["sql"]]
    assert len(of_leases) == 1
    assert Lease.objects.get(pk=held.pk).expires_at == ends[held.pk]


def test_a_correction_revives_no_lease_that_ended(
    desk: Client, project: Project, ada: User, first: Rating
) -> None:
    for status in ("expired", "released"):
        item = make_item(project=project)
        past = timezone.now() - HOUR
        make_lease(item=item, annotator=ada, status=status, ended_at=past, now=past - HOUR)
    before = list(Lease.objects.values_list("status", "expires_at"))
    desk.post(page_of(first, "verdict"), said(first, one=5), headers=HTMX)
    assert list(Lease.objects.values_list("status", "expires_at")) == before
