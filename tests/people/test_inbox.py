"""The inbox: what one is told, once and in the transaction of the event, and by a number in the
bar."""

from __future__ import annotations

import html
import re
import threading
from datetime import timedelta
from functools import partial
from io import BytesIO
from unittest import mock

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotators.models import User
from tasks.importing.batches.loading import FileToLoad, load_batch
from tasks.models import (
    Batch,
    Concern,
    Invitation,
    Lease,
    Membership,
    Notice,
    Project,
    Rating,
    ReturnedRating,
)
from tasks.models.new_projects import start_project
from tasks.models.replies import reply_to
from tasks.queue.submitting import correct_rating, submit_lease
from tests.desk_steps import HTMX
from tests.factories import (
    NOW,
    answer_about_corpus,
    make_batch,
    make_item,
    make_lease,
    make_membership,
    make_project,
    make_rating,
    make_submission,
    make_user,
)
from tests.waiting import at_once

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
FILE = b'{"id": "one", "prompt": "Why?", "responses": [{"model": "heron", "text": "So."}]}'


@pytest.fixture
def project(ada: User, ben: User, lead: User) -> Project:
    """Of response quality, at /projects/eggs/: ada and ben rate in it, lea leads."""
    return make_project(slug="eggs", title="Eggs", annotators=[ada, ben], leads=[lead], wanted=1)


def told(user: User) -> list[tuple[str, bool]]:
    """The kinds of a user's notices, newest first, and which are unread."""
    return [(each.kind, each.read_at is None) for each in Notice.objects.of(user)]


def words(shown: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", shown))).strip()


def lines(client: Client, address: str = "/inbox/") -> list[str]:
    shown = client.get(address).content.decode()
    [part] = re.findall(r'<ul class="notices plain-list">(.*?)</ul>', shown, re.DOTALL) or [""]
    return [words(line) for line in re.findall(r"<li.*?</li>", part, re.DOTALL)]


def inbox_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def upload(project: Project, *, content: bytes = FILE, name: str = "eggs.jsonl") -> Batch:
    found = load_batch(
        FileToLoad(project, BytesIO(content), file_name=name, now=NOW, report=lambda error: None)
    )
    return found.batch


def correct(rating: Rating, *, value: int = 4) -> None:
    """The annotator stores another revision."""
    assert rating.lease is not None
    given = make_submission(lease=rating.lease, values={1: value})
    correct_rating(Rating.objects.get(pk=rating.pk), given, based_on=rating.revision, now=LATER)


# --- added to a project ---


def test_a_new_member_of_a_project_has_a_notice(project: Project, lead: User) -> None:
    cleo = make_user(name="cleo")
    project.admit(cleo, role=Membership.Role.ANNOTATOR, by=lead, now=NOW)
    assert told(cleo) == [("added", True)]
    [line] = lines(inbox_of(cleo))
    assert "You now rate in this project. Eggs" in line


def test_a_lead_adds_someone_on_the_page_of_people_and_they_are_told(
    client: Client, project: Project, lead: User
) -> None:
    cleo = make_user(name="cleo")
    client.force_login(lead)
    client.post("/projects/eggs/members/", {"name": "cleo", "role": "lead"})
    [line] = lines(inbox_of(cleo))
    assert "You now lead this project. Eggs" in line
    assert told(lead) == []


def test_the_person_who_starts_a_project_has_no_notice_of_leading_it(lead: User) -> None:
    rubric = make_project().rubric
    start_project(title="New", rubric=rubric, wanted=1, by=lead, now=NOW)
    assert told(lead) == []


def test_a_role_that_one_has_already_is_no_news(project: Project, ada: User) -> None:
    project.admit(ada, role=Membership.Role.ANNOTATOR, now=NOW)
    assert told(ada) == []


# --- batches ---


def test_each_annotator_is_told_once_of_a_new_batch(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    upload(project)
    assert told(ada) == told(ben) == [("batch", True)]
    assert told(lead) == []
    assert "1 new item to rate." in lines(inbox_of(ada))[0]
    project.change_status("paused")
    project.change_status("open")
    assert len(told(ada)) == 1


def test_new_items_are_read_once_their_annotator_begins_to_rate_in_the_project(
    client: Client, project: Project, ada: User, ben: User
) -> None:
    make_item(project=project)
    other = make_project(slug="apples", annotators=[ada])
    make_item(project=other)
    for each in (project, other):
        Notice.objects.tell_of_batches(each.pk, now=timezone.now())
    client.force_login(ada)
    client.post(f"/projects/{project.slug}/desk/start/")
    unread = Notice.objects.unread().filter(kind=Notice.Kind.BATCH)
    assert {(each.user, each.project) for each in unread} == {(ada, other), (ben, project)}


def test_a_notice_does_not_name_the_batch_to_annotators(project: Project, ada: User) -> None:
    upload(project, name="heron-against-wren.jsonl")
    assert "heron" not in inbox_of(ada).get("/inbox/").content.decode()


def test_an_empty_batch_is_no_news(project: Project, ada: User) -> None:
    make_batch(project=project)
    Notice.objects.tell_of_batches(project.pk, now=NOW)
    assert told(ada) == []


def test_only_those_are_told_who_may_work_on_the_batch(
    project: Project, ada: User, ben: User
) -> None:
    batch = make_batch(project=project, status="paused")
    make_item(batch=batch)
    batch.refresh_from_db()
    batch.change(status="open", rank=0, priority=0, annotators=[ben])
    assert (told(ada), told(ben)) == ([], [("batch", True)])


def test_a_batch_loaded_into_a_paused_project_is_news_when_the_project_opens(
    project: Project, ada: User
) -> None:
    project.change_status("paused")
    upload(project)
    assert told(ada) == []
    project.change_status("open")
    assert told(ada) == [("batch", True)]


def test_a_batch_that_someone_has_begun_is_no_news_to_whoever_comes_later(
    project: Project, ada: User
) -> None:
    batch = make_batch(project=project)
    make_rating(item=make_item(batch=batch), annotator=ada)
    project.change_status("paused")
    project.change_status("open")
    assert told(ada) == []


def test_a_batch_is_told_to_many_annotators_in_as_many_statements_as_to_one() -> None:
    counts = []
    for number in (1, 9):
        project = make_project(annotators=[make_user() for _ in range(number)])
        make_item(project=project)
        with CaptureQueriesContext(connection) as seen:
            Notice.objects.tell_of_batches(project.pk, now=NOW)
        assert Notice.objects.filter(project=project).count() == number
        counts.append(len(seen))
    assert counts == [1, 1]


def test_a_batch_that_was_not_stored_is_told_to_nobody(project: Project, ada: User) -> None:
    with transaction.atomic():
        upload(project)
        transaction.set_rollback(True)
    assert told(ada) == []


def test_leads_are_told_that_a_batch_is_finished_by_its_last_rating(
    project: Project, ada: User, lead: User
) -> None:
    batch = make_batch(project=project, name="first")
    items = [make_item(batch=batch) for _ in range(2)]
    make_rating(item=items[0], annotator=ada)
    assert told(lead) == []
    make_rating(item=items[1], annotator=ada)
    assert told(lead) == [("finished", True)]
    assert "Batch “first” is finished. Eggs" in lines(inbox_of(lead))[0]


def test_a_lead_has_one_notice_of_the_batches_of_a_project_that_are_finished(
    project: Project, ada: User, lead: User
) -> None:
    for name in ("first", "second", "first"):  # again, after it wanted another rating
        batch = project.batches.filter(name=name).first() or make_batch(project=project, name=name)
        make_rating(item=make_item(batch=batch), annotator=ada)
    assert told(lead) == [("finished", True)]
    said = "2 batches are finished, the last one is “first”. Eggs"
    assert said in lines(inbox_of(lead))[0]
    inbox_of(lead).post("/inbox/read/", {"notice": Notice.objects.get(user=lead).pk})
    make_rating(item=make_item(project=project), annotator=ada)
    assert told(lead) == [("finished", True)]
    assert "batches are finished" not in lines(inbox_of(lead))[0]


@pytest.mark.django_db(transaction=True)
def test_two_who_finish_the_last_two_items_at_once_tell_the_leads_too(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    batch = make_batch(project=project)
    leases = [
        make_lease(item=make_item(batch=batch), annotator=annotator) for annotator in (ada, ben)
    ]

    def submit(lease: Lease) -> None:
        submit_lease(lease, make_submission(lease=lease), now=LATER)
        connection.close()

    with transaction.atomic():
        submit_lease(leases[0], make_submission(lease=leases[0]), now=LATER)
        other = threading.Thread(target=submit, args=[leases[1]])
        other.start()
        other.join(0.5)  # it either waits for this one, or has not seen it
    other.join()
    assert told(lead) == [("finished", True)]


# --- flags, skips and decisions ---


def flagged(project: Project, annotator: User, *, rated: bool = False) -> Concern:
    item = make_item(project=project, external_id=f"egg-{annotator}")
    lease = make_lease(item=item, annotator=annotator)
    lease.flag(reason="broken", note="Cut off.", now=NOW)
    if rated:
        submit_lease(lease, make_submission(lease=lease), now=NOW)
    else:
        lease.release(now=NOW)
    return Concern.objects.get(item=item)


def test_leads_are_told_of_a_flag_with_its_reason(project: Project, ada: User, lead: User) -> None:
    project.admit(ada, role=Membership.Role.LEAD, by=ada)
    flagged(project, ada)
    assert told(lead) == [("raised", True)]
    [line] = lines(inbox_of(lead))
    assert "ada flagged egg-ada: The item is broken or incomplete" in line
    assert "Cut off." in line
    assert "raised" not in [kind for kind, _ in told(ada)]  # she did it herself


def test_an_admin_leads_every_project_but_is_told_of_those_only_where_they_have_the_role(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    admin = make_user(name="chief", admin=True)
    flagged(project, ada)
    assert told(lead) == [("raised", True)]
    assert told(admin) == []
    project.admit(admin, role=Membership.Role.LEAD, by=admin)
    Notice.objects.all().delete()
    flagged(project, ben)
    assert told(admin) == [("raised", True)]


def test_only_an_inbox_with_something_unread_offers_to_mark_all_as_read(
    project: Project, ada: User, lead: User
) -> None:
    button, own = "Mark all as read", inbox_of(lead)
    assert button not in own.get("/inbox/").content.decode()
    flagged(project, ada)
    assert button in own.get("/inbox/").content.decode()
    own.post(f"/inbox/{Notice.objects.get(user=lead).pk}/")
    assert button not in own.get("/inbox/").content.decode()


def test_a_flag_is_no_longer_new_to_any_lead_once_it_is_decided(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    lou = make_user(name="lou")
    make_membership(project=project, user=lou, role=Membership.Role.LEAD)
    flag, other = flagged(project, ada), flagged(project, ben)
    reply_to(other, Concern.Decision.DROP, by=lead, now=LATER)
    for each in (lead, lou):  # the first one waits
        assert told(each) == [("raised", True)]
        [said] = lines(inbox_of(each))
        assert "ben flagged egg-ben" in said
        assert "It is decided. 1 flag waits." in said
    reply_to(flag, Concern.Decision.DROP, by=lead, now=LATER)
    for each in (lead, lou):
        assert told(each) == [("raised", False)]
        assert "wait" not in lines(inbox_of(each))[0]


def test_leads_have_one_notice_of_all_flags_in_a_project_with_their_number(
    project: Project, ada: User, ben: User, lead: User
) -> None:
    for number in range(3):
        make_lease(
            item=make_item(project=project, external_id=f"egg-{number}"), annotator=ada
        ).flag(reason="broken", now=NOW)
        Lease.objects.update(status="released", ended_at=NOW)
    other = make_project(slug="q", annotators=[ben], leads=[lead])
    make_lease(item=make_item(project=other), annotator=ben).flag(reason="broken", now=NOW)
    assert told(lead) == [("raised", True)] * 2
    own = inbox_of(lead)
    said = lines(own)
    assert len(said) == 2
    assert "ada flagged egg-2: The item is broken or incomplete" in said[1]
    assert "3 flags wait." in said[1]
    assert "wait" not in said[0]
    own.post(f"/inbox/{Notice.objects.get(user=lead, project=project).pk}/")
    assert told(lead) == [("raised", True), ("raised", False)]
    make_lease(item=project.items.earliest("pk"), annotator=ada).flag(
        reason="unclear", now=LATER
    )  # replaces the first
    assert told(lead) == [("raised", True)] * 2
    assert "3 flags wait." in lines(own)[0]


@pytest.mark.django_db(transaction=True)
def test_flags_raised_at_once_are_one_notice(project: Project, lead: User) -> None:
    people = [make_user() for _ in range(4)]
    leases = [make_lease(item=make_item(project=project), annotator=each) for each in people]
    at_once([partial(each.flag, reason="broken", now=NOW) for each in leases])
    assert Concern.objects.count() == 4
    assert told(lead) == [("raised", True)]


def test_an_annotator_is_told_of_the_decision_with_its_answer(
    project: Project, ada: User, lead: User
) -> None:
    flag = flagged(project, ada)
    reply_to(flag, Concern.Decision.ANSWERED, by=lead, now=LATER, answer="Keep rating it.")
    assert told(ada) == [("decision", True)]
    [line] = lines(inbox_of(ada))
    assert "The lead decided on your flag on egg-ada." in line
    assert "Keep rating it. Answered. The item stays as it is." in line


def test_another_decision_renews_the_notice_and_the_same_one_does_not(
    project: Project, ada: User, lead: User
) -> None:
    flag = flagged(project, ada)
    reply_to(flag, Concern.Decision.DROP, by=lead, now=NOW)
    Notice.objects.update(read_at=NOW)
    reply_to(flag, Concern.Decision.DROP, by=lead, now=LATER)
    assert told(ada) == [("decision", False)]
    reply_to(flag, Concern.Decision.SOMEONE_ELSE, by=lead, now=LATER)
    assert told(ada) == [("decision", True)]


def test_a_decision_that_sends_a_rating_back_is_told_once(
    project: Project, ada: User, lead: User
) -> None:
    flag = flagged(project, ada, rated=True)
    reply_to(flag, Concern.Decision.AGAIN, by=lead, now=LATER, answer="Look at line 3.")
    assert told(ada) == [("returned", True)]
    assert "Look at line 3. It waits for you." in lines(inbox_of(ada))[0]


# --- ratings that come back ---


@pytest.fixture
def rating(project: Project, ada: User) -> Rating:
    """Of egg-1, by ada."""
    item = make_item(project=project, external_id="egg-1")
    return make_rating(item=item, annotator=ada, now=timezone.now())


def ask(rating: Rating, question: str) -> None:
    ReturnedRating.objects.send_back(rating, question, cause="lead", now=timezone.now())


def test_a_rating_that_waits_has_one_notice_which_a_second_question_renews(
    rating: Rating, ada: User
) -> None:
    ask(rating, "Why 7?")
    Notice.objects.update(read_at=NOW)
    ask(rating, "Why 7?")  # the same, sent twice
    assert told(ada) == [("returned", False)]
    ask(rating, "Is “colour” an error?")
    assert told(ada) == [("returned", True)]
    [line] = lines(inbox_of(ada))
    assert "Your rating of egg-1 came back to you. Eggs Is “colour” an error?" in line
    notice = Notice.objects.get(user=ada)
    opened = inbox_of(ada).post(f"/inbox/{notice.pk}/")
    assert opened["Location"].endswith(f"/ratings/{rating.pk}/")


def test_a_rating_that_was_revised_no_longer_waits_and_leads_are_told(
    rating: Rating, ada: User, lead: User
) -> None:
    ask(rating, "Why 7?")
    correct(rating)
    [line] = lines(inbox_of(ada))
    assert "You have checked it." in line
    assert "waits" not in line
    assert ("revised", True) in told(lead)
    assert any("ada answered the question about egg-1." in each for each in lines(inbox_of(lead)))


def test_a_rating_that_the_lead_no_longer_asks_for_does_not_wait(
    project: Project, ada: User, lead: User
) -> None:
    flag = flagged(project, ada, rated=True)
    reply_to(flag, Concern.Decision.AGAIN, by=lead, now=LATER)
    reply_to(flag, Concern.Decision.DROP, by=lead, now=LATER)
    assert any("The lead no longer asks for it." in each for each in lines(inbox_of(ada)))


def test_a_returned_rating_of_a_paused_project_is_no_work_that_waits(
    rating: Rating, ada: User, project: Project
) -> None:
    ask(rating, "Why 7?")
    project.change_status("paused")
    assert "You have nothing to do." in lines(inbox_of(ada))[0]


def test_a_rating_that_ones_own_answer_at_the_desk_brings_back_is_not_told(
    talk: Project, ada: User
) -> None:
    batch = Batch.objects.get(project=talk)
    answer_about_corpus(batch, ada, "yes", now=NOW)
    for item in batch.items.all():
        make_rating(item=item, annotator=ada)
    answer_about_corpus(batch, ada, "no", now=LATER)
    assert "returned" not in [kind for kind, _ in told(ada)]


# --- the page ---


@pytest.fixture
def own(project: Project, ada: User) -> Client:
    """The browser in which ada has three notices."""
    for number in range(3):
        flag = flagged(project, make_user(name=f"any-{number}"))
        told = Notice(user=ada, project=project, kind="decision", concern=flag, created_at=NOW)
        Notice.objects.tell(told)
    return inbox_of(ada)


def count(client: Client, address: str = "/") -> str:
    """The number in the bar; "" if there is none."""
    shown = client.get(address).content.decode()
    [link] = re.findall(r'<a class="ghost inbox-link".*?</a>', shown, re.DOTALL)
    return words(link).removeprefix("Inbox").removeprefix(" new: ")


def test_the_bar_counts_unread_notices_and_shows_no_zero(own: Client, project: Project) -> None:
    assert count(own) == count(own, "/profile/") == "3"
    Notice.objects.update(read_at=NOW)
    assert count(own) == ""


def test_opening_a_notice_marks_it_as_read_and_leads_to_what_it_is_about(
    own: Client, ada: User
) -> None:
    notice = Notice.objects.of(ada)[0]
    answer = own.post(f"/inbox/{notice.pk}/")
    assert answer.headers["Location"] == "/work/#concerns"
    assert count(own) == "2"
    assert own.get(f"/inbox/{notice.pk}/").headers["Location"] == "/inbox/"
    assert count(own) == "2"


def test_looking_at_the_inbox_marks_nothing_as_read(own: Client) -> None:
    own.get("/inbox/")
    assert count(own) == "3"


def test_all_that_was_shown_is_marked_as_read_and_nothing_that_came_meanwhile(
    own: Client, ada: User, project: Project
) -> None:
    shown = own.get("/inbox/").content.decode()
    [newest] = re.findall(r'name="notice" value="(\d+)"', shown)
    Notice.objects.tell(Notice(user=ada, project=project, kind="added", created_at=LATER))
    own.post("/inbox/read/", {"notice": newest})
    assert [unread for _kind, unread in told(ada)] == [True, False, False, False]


@pytest.mark.parametrize("sent", ["", "x", "0", "99999999999999999999"])
def test_a_form_that_names_no_notice_marks_nothing(own: Client, sent: str) -> None:
    assert own.post("/inbox/read/", {"notice": sent}).status_code == 302
    assert count(own) == "3"


def test_unread_is_said_by_a_word(own: Client, ada: User) -> None:
    Notice.objects.filter(pk=Notice.objects.of(ada)[0].pk).update(read_at=NOW)
    assert [" new " in line for line in lines(own)] == [False, True, True]


def test_nobody_sees_or_opens_the_notices_of_others(own: Client, ada: User, ben: User) -> None:
    notice = Notice.objects.of(ada)[0]
    other = inbox_of(ben)
    assert lines(other) == []
    assert "Nothing yet" in other.get("/inbox/").content.decode()
    assert other.post(f"/inbox/{notice.pk}/").status_code == 404
    other.post("/inbox/read/", {"notice": notice.pk})
    assert count(own) == "3"


def test_of_a_project_that_one_has_left_a_notice_stays_without_its_link(
    own: Client, project: Project, ada: User
) -> None:
    project.change_roles(ada, ())
    shown = lines(own)
    assert len(shown) == 3
    assert not any("Open" in line for line in shown)
    notice = Notice.objects.of(ada)[0]
    assert own.post(f"/inbox/{notice.pk}/").headers["Location"] == "/inbox/"


def test_an_invited_person_with_an_account_has_a_notice_before_joining(
    project: Project, ada: User, lead: User
) -> None:
    gil = make_user(name="gil")
    User.objects.filter(pk=gil.pk).update(email="Gil@example.org")
    people = [("gil@example.org", ""), ("nobody@example.org", "")]
    [email, _other] = Invitation.objects.invite(
        project, people, role="annotator", by=lead, now=timezone.now()
    )
    assert (told(gil), told(ada)) == ([("invitation", True)], [])
    client = inbox_of(gil)
    assert "You are invited to this project. Eggs Open" in lines(client)[0]
    notice = Notice.objects.of(gil)[0]
    assert client.post(f"/inbox/{notice.pk}/").headers["Location"] == f"/join/{email.token}/"
    assert email.accept(by=gil, now=timezone.now())
    assert told(gil) == [("invitation", False)]  # and no second one: they did it themselves
    assert "The invitation is over." in lines(client)[0]
    assert client.post(f"/inbox/{notice.pk}/").headers["Location"] == "/inbox/"


def test_a_former_lead_reads_no_notice_for_leads(project: Project, ada: User, lead: User) -> None:
    flagged(project, ada)
    boss = make_membership(
        project=project, user=make_user(name="boss"), role=Membership.Role.LEAD
    ).user
    assert "flagged" in lines(inbox_of(lead))[0]
    project.change_roles(lead, [Membership.Role.ANNOTATOR], by=boss)
    own = inbox_of(lead)
    notice = Notice.objects.of(lead).get(kind=Notice.Kind.RAISED)
    [line] = [each for each in lines(own) if "no longer lead" in each]
    assert "ada" not in line
    assert own.post(f"/inbox/{notice.pk}/").headers["Location"] == "/inbox/"


def test_a_page_has_fifty_notices_and_the_next_goes_on_from_the_last(
    own: Client, ada: User
) -> None:
    with mock.patch("annotators.inbox.ON_A_PAGE", 2):
        first = own.get("/inbox/").content.decode()
        [older] = re.findall(r'href="(\?notice=\d+)"', first)
        assert len(lines(own)) == 2
        assert len(lines(own, f"/inbox/{older}")) == 1
        assert "Older" not in own.get(f"/inbox/{older}").content.decode()


def test_the_start_page_shows_the_newest_five(own: Client, project: Project, ada: User) -> None:
    for role in ("annotator", "lead", ""):
        more = make_project(annotators=[ada])
        Notice.objects.tell(
            Notice(user=ada, project=more, kind="added", words=role, created_at=LATER)
        )
    assert len(lines(own, "/")) == 5
    assert 'href="/inbox/"' in own.get("/").content.decode()


# --- what it costs ---


def asked_for_notices(client: Client, address: str, **how: object) -> int:
    with CaptureQueriesContext(connection) as seen:
        assert client.get(address, **how).status_code == 200  # type: ignore[arg-type]
    return sum("tasks_notice" in each["sql"] for each in seen)


def test_a_page_asks_once_for_the_number_and_a_fragment_of_the_desk_never(
    own: Client, project: Project
) -> None:
    assert asked_for_notices(own, "/profile/") == 1
    assert asked_for_notices(own, "/projects/eggs/desk/") == 1
    assert asked_for_notices(own, "/projects/eggs/desk/", headers=HTMX) == 0


def test_an_inbox_takes_as_many_queries_however_many_notices_there_are(
    project: Project, ada: User, lead: User
) -> None:
    counts = []
    for number in (1, 3):
        annotator = make_user()
        make_membership(project=project, user=annotator)
        for _ in range(number):
            item = make_item(project=project)
            rating = make_rating(item=item, annotator=annotator, now=timezone.now())
            ask(rating, "Why?")
            skipped = make_lease(item=make_item(project=project), annotator=annotator)
            skipped.skip(reason="unclear", now=NOW)
            concern = Concern.objects.latest("pk")
            reply_to(concern, Concern.Decision.SOMEONE_ELSE, by=lead, now=NOW)
        client = inbox_of(annotator)
        assert len(lines(client)) == 2 * number
        with CaptureQueriesContext(connection) as seen:
            client.get("/inbox/")
        counts.append(len(seen))
    assert counts[0] == counts[1]
