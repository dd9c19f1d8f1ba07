"""People are invited to a project by link, by e-mail or many at once, and join by themselves."""

from __future__ import annotations

import logging
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO
from logging import StreamHandler
from pathlib import Path
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from typing import Any
from unittest import mock

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.mail.backends.locmem import EmailBackend
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Request, expect

from annotators.accounts.join import JoinForm
from annotators.models import User
from config import settings as site_settings
from tasks.models import Invitation, Membership, Notice, Project
from tasks.people.emails import PUT_OFF, send_invitations
from tasks.people.forms import MOST_AT_ONCE, read_addresses
from tests.cases import cases
from tests.factories import NOW, PASSWORD, make_membership, make_project, make_user
from tests.invitations import DAY, make_email, make_link, path_of
from tests.waiting import at_once
from tests.worker import work

PEOPLE = "/projects/p/people/"
INVITE, MANY, LINK = (f"/projects/p/invitations/{part}" for part in ("", "list/", "link/"))
GIL = "gil@example.org"
NEW = {"username": "gil", "password": "plum saddle north 71", "language": "de"}


@pytest.fixture
def project(lead: User) -> Project:
    """With a title that needs escaping, and a lead."""
    return make_project(slug="p", title="Tides & <moons>", leads=[lead])


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    return client


def roles_of(project: Project, name: str) -> list[str]:
    held = project.memberships.filter(user__username=name).order_by("role")
    return list(held.values_list("role", flat=True))


def words(response: Any) -> str:
    """The words of a page, without its markup."""
    text = re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.S)
    return " ".join(text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").split())


def says(client: Client, address: str, **fields: str) -> str:
    """What the page says after a form was sent, and the worker sent the e-mails."""
    answer = client.post(address, fields)
    send_invitations(timezone.now())
    return words(client.get(answer["Location"]) if answer.status_code == 302 else answer)


def email_rows(client: Client) -> list[str]:
    """The rows of the table of invitations, each in its words."""
    return email_rows_of(client.get(PEOPLE).content.decode())


def email_rows_of(page: str) -> list[str]:
    found = re.search(r'<table class="rows invitations">.*?<tbody>(.*?)</tbody>', page, re.S)
    rows = re.findall(r"<tr>(.*?)</tr>", found[1], re.S) if found else []
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


def make_invitation(email: str, lead: User) -> Invitation:
    """An invitation to the project, whose e-mail nobody has sent yet."""
    project, now = Project.objects.get(slug="p"), timezone.now()
    [made] = Invitation.objects.invite(project, [(email, "")], role="annotator", by=lead, now=now)
    return made


def failing(error: Exception, *, on: str = "send_messages") -> Any:
    """A mail server that fails."""
    return mock.patch.object(EmailBackend, on, side_effect=error)


@pytest.fixture
def log_lines() -> Iterator[Callable[[], str]]:
    """Returns what was written to the log."""
    [handler] = [each for each in logging.getLogger().handlers if type(each) is StreamHandler]
    lines = StringIO()
    before = handler.setStream(lines)
    yield lines.getvalue
    handler.setStream(before)


# --- by link ---


def test_a_lead_makes_a_link_changes_it_and_withdraws_it(here: Client, project: Project) -> None:
    until = timezone.localdate() + 3 * DAY
    said = says(here, LINK, most="4", until=str(until))
    assert f"joins as an annotator, 4 at most, until {until:%-d %b}" in said
    assert "0 of 4 used" in said
    link = Invitation.objects.get()
    assert f"http://testserver{path_of(link)}" in here.get(PEOPLE).content.decode()
    assert "5 at most" in says(here, LINK, most="5", until=str(until))
    assert Invitation.objects.get().token == link.token
    said = says(here, f"/projects/p/invitations/{link.pk}/withdraw/")
    assert "nobody can join by it any more" in said
    assert "Make a link" in said
    assert "was withdrawn" in words(Client().get(path_of(link)))


def test_a_link_ends_with_the_day_that_its_lead_chose(
    here: Client, lead: User, project: Project
) -> None:
    User.objects.filter(pk=lead.pk).update(time_zone="Asia/Tokyo")
    day = (timezone.now() + 3 * DAY).date()
    here.post(LINK, {"most": "4", "until": str(day)})
    end = Invitation.objects.get().expires_at
    assert f"{end:%Y-%m-%d %H:%M}" == f"{day} 15:00"


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_last_day_of_a_link_stands_in_its_field_in_every_language(
    here: Client, lead: User, project: Project, language: str
) -> None:
    User.objects.filter(pk=lead.pk).update(language=language)
    make_link(project, days=14)
    day = timezone.localdate(timezone.now() + 14 * DAY)
    field = re.search(
        r'<input type="date"[^>]*name="until"[^>]*>', here.get(PEOPLE).content.decode()
    )
    assert field
    assert f'value="{day}"' in field[0]


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"most": "0", "until": "2026-01-01"}, "greater than or equal to 1"),
        ({"most": "5", "until": "2020-01-01"}, "Choose a day from today on, within a year."),
        ({"most": "5", "until": "never"}, "Enter a valid date."),
        ({"most": "1", "until": ""}, "2 have joined already: enter that number or more."),
    ],
)
def test_a_link_with_limits_that_make_no_sense_is_refused_at_its_field(
    here: Client, project: Project, fields: dict[str, str], fault: str
) -> None:
    link = make_link(project)
    for _ in range(2):
        link.accept(by=make_user(), now=timezone.now())
    answer = here.post(LINK, fields)
    assert answer.status_code == 200
    assert fault in words(answer)
    assert Invitation.objects.get().most == 10


def test_a_project_has_one_link(project: Project, lead: User) -> None:
    link = make_link(project)
    with pytest.raises(IntegrityError, match="a_project_has_one_link"), transaction.atomic():
        Invitation.objects.create(
            project=project, role="lead", made_by=lead, made_at=NOW, expires_at=NOW
        )
    assert make_link(project, most=3) == link


def test_a_link_serves_as_many_as_it_may_and_says_so_to_the_next(
    here: Client, project: Project
) -> None:
    path = path_of(make_link(project, most=1))
    assert Client().post(path, NEW).status_code == 302
    answer = Client().post(path, NEW | {"username": "hana"})
    assert answer.status_code == 410
    assert "is used up" in words(answer)
    assert "ask lea" in words(answer)
    assert not User.objects.filter(username="hana").exists()
    assert "All places are taken. Raise the number to let more people join." in words(
        here.get(PEOPLE)
    )


@pytest.mark.django_db(transaction=True)
def test_of_many_who_join_at_once_no_more_get_in_than_may() -> None:
    project = make_project(leads=[make_user()])
    link = make_link(project, most=3)
    people = [make_user() for _ in range(8)]

    def joins(person: User) -> Callable[[], bool]:
        return lambda: Invitation.objects.get().accept(by=person, now=timezone.now())

    got_in = at_once([joins(person) for person in people])
    link.refresh_from_db()
    assert (got_in.count(True), link.used) == (3, 3)
    assert project.memberships.filter(role="annotator").count() == 3


@pytest.mark.django_db(transaction=True)
def test_two_e_mails_to_a_new_address_that_are_accepted_at_once_make_one_account() -> None:
    paths = [path_of(make_email(make_project(leads=[make_user()]))) for _ in range(2)]

    def joins(path: str, name: str) -> Callable[[], str]:
        return lambda: words(Client().post(path, NEW | {"username": name}, follow=True))

    together = threading.Barrier(2)  # after both were found to be new, and before one is stored
    with mock.patch.object(
        JoinForm, "validate_password_for_user", side_effect=lambda *_: together.wait()
    ):
        said = at_once([joins(path, f"gil-{number}") for number, path in enumerate(paths)])
    made = User.objects.get(email__iexact=GIL)
    assert made.memberships.count() == 1
    assert ["Sign in with it to join." in each for each in said].count(True) == 1


@pytest.mark.django_db(transaction=True)
def test_a_join_sent_twice_at_once_takes_one_place() -> None:
    project = make_project(leads=[make_user()])
    make_link(project, most=3)
    ada = make_user(name="ada")

    def joins() -> bool:
        return Invitation.objects.get().accept(by=ada, now=timezone.now())

    assert at_once([joins] * 4) == [True] * 4
    assert Invitation.objects.get().used == 1


@pytest.mark.django_db(transaction=True)
def test_leads_who_invite_at_once_make_one_invitation_and_wait_for_no_upload() -> None:
    leads = [make_user() for _ in range(4)]
    project = make_project(leads=leads)

    def invites(lead: User) -> Callable[[], None]:
        def invite() -> None:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '10s'")
                now = timezone.now()
                Invitation.objects.invite(project, [(GIL, "")], role="lead", by=lead, now=now)

        return invite

    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get()  # as an upload does
        at_once([invites(lead) for lead in leads])
    assert Invitation.objects.count() == 1


# --- by e-mail ---


def test_an_email_names_product_project_and_inviter_and_has_a_link(
    here: Client, project: Project
) -> None:
    assert "1 invitation will be sent." in says(here, INVITE, email=GIL, role="annotator")
    [email] = mail.outbox
    assert email.subject == "An invitation to Evenhand"
    assert email.from_email == "Evenhand <evenhand@localhost>"
    assert email.to == [GIL]
    body = str(email.body)
    assert "lea invites you to rate in the project “Tides & <moons>” on Evenhand." in body
    assert f"http://127.0.0.1:8000{path_of(Invitation.objects.get())}" in body
    end = timezone.localdate() + 7 * DAY
    assert f"until {end:%b}. {end.day}, {end.year}" in body or f"{end.day}" in body


def test_an_email_is_in_the_language_of_who_invites(
    here: Client, lead: User, project: Project
) -> None:
    User.objects.filter(pk=lead.pk).update(language="de")
    says(here, INVITE, email=GIL, role="annotator")
    assert "lea lädt Sie ein" in mail.outbox[0].body


def test_no_title_and_no_name_puts_lines_or_links_into_an_e_mail(
    here: Client, lead: User, project: Project
) -> None:
    User.objects.filter(pk=lead.pk).update(username="www.evil.example")
    Project.objects.update(
        title="Tides” ends.\r\n\r\nRenew at https://evil.example/renew?a=1, evil。example, "
        "http://192.0.2.1/x or a@evil.example (part 1.2, 10:30)"
    )
    listed = f"{GIL}, Gil see http://evil.example/a"
    says(here, MANY, people=listed, role="lead", send="yes")
    [email] = mail.outbox
    assert email.subject == "An invitation to Evenhand"
    assert email.recipients() == [GIL]
    body = str(email.body)
    assert "Hello Gil see http: / / evil. example/ a," in body
    assert (
        "www. evil. example invites you to lead the project “Tides' ends. Renew at https: / / "
        "evil. example/ renew?a=1, evil。 example, http: / / 192.0.2.1/ x or a@ evil. example "
        "(part 1.2, 10:30)” on Evenhand."
    ) in body
    own = f"http://127.0.0.1:8000{path_of(Invitation.objects.get())}"
    assert re.findall(r"\S+://\S+|www\.\S+|\w@\w+", body) == [own, "http://127.0.0.1:8000"]


def test_a_lead_sends_200_e_mails_a_day_and_the_rest_later(
    here: Client, lead: User, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_project(slug="q", leads=[lead])
    for place, names in (("p", range(100)), ("q", range(90)), ("p", range(100, 115))):
        listed = "\n".join(f"{place}{number}@example.org" for number in names)
        address = f"/projects/{place}/invitations/list/"
        says(here, address, people=listed, role="annotator", send="yes")
    while send_invitations(timezone.now()):
        pass
    assert len(mail.outbox) == 200
    assert [row.split()[0] for row in email_rows(here) if "to be sent" in row] == [
        f"p{number}@example.org" for number in range(114, 109, -1)
    ]
    assert "no worker runs" not in words(here.get(PEOPLE))
    # Another invitation gives no more, nor does another log-in; another lead has their own.
    here.force_login(lead)
    says(here, INVITE, email=GIL, role="annotator")
    make_membership(project=project, user=make_user(name="leo"), role=Membership.Role.LEAD)
    other = Client()
    other.force_login(User.objects.get(username="leo"))
    says(other, INVITE, email="hana@example.org", role="lead")
    assert [email.to for email in mail.outbox[200:]] == [["hana@example.org"]]
    send_invitations(timezone.now() + PUT_OFF)
    assert len(mail.outbox) == 201
    tomorrow = time.time() + 86_401
    monkeypatch.setattr(time, "time", lambda: tomorrow)
    send_invitations(timezone.now() + 2 * PUT_OFF)
    assert len(mail.outbox) == 207


@pytest.mark.django_db(transaction=True)
def test_of_e_mails_that_are_sent_at_once_no_more_leave_than_a_lead_may(
    settings: Any,
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"invitation": "2/d/user"}
    lead = make_user()
    make_project(slug="p", leads=[lead])
    for number in range(6):
        make_invitation(f"a{number}@example.org", lead)
    at_once([lambda: send_invitations(timezone.now())] * 4)
    assert len(mail.outbox) == Invitation.objects.exclude(sent_at=None).count() == 2


def test_the_page_shows_200_invitations_and_200_people_at_once(
    here: Client, lead: User, project: Project
) -> None:
    addresses = [(f"a{number:03}@example.org", "") for number in range(450)]
    now = timezone.now()
    Invitation.objects.invite(project, addresses, role="annotator", by=lead, now=now)
    answer = here.get(PEOPLE)
    first = answer.content.decode()
    assert len(email_rows_of(first)) == 200
    assert len(first) < 600_000
    assert "450 open" in words(answer)
    answer = here.get(f"{PEOPLE}?emails=3")
    last = answer.content.decode()
    assert 'a000@example.org"' not in first
    assert "a000@example.org" in last
    assert "a449@example.org" not in last
    assert "Page 3 of 3" in words(answer)
    assert here.get(f"{PEOPLE}?emails=x&members=99").status_code == 200
    oldest = Invitation.objects.earliest("pk")
    answer = here.post(f"{INVITE}{oldest.pk}/withdraw/?emails=3")
    assert answer["Location"] == f"{PEOPLE}?emails=3"  # one comes back to the same page
    people = [User(username=f"person-{number:03}") for number in range(250)]
    for person in User.objects.bulk_create(people):
        make_membership(project=project, user=person)
    page = words(here.get(PEOPLE))
    assert "250 annotators" in page
    assert ("person-150" in page, "person-220" in page) == (True, False)
    assert "person-220" in words(here.get(f"{PEOPLE}?members=2"))


def test_an_address_that_is_none_is_refused_at_its_field(here: Client) -> None:
    answer = here.post(INVITE, {"email": "gil@example", "role": "queen"})
    assert "Enter a valid email address." in words(answer)
    assert 'value="gil@example"' in answer.content.decode()
    assert not mail.outbox


def test_a_second_press_sends_no_second_email(here: Client) -> None:
    says(here, INVITE, email=GIL, role="annotator")
    said = says(here, INVITE, email=GIL.upper(), role="annotator")
    assert "1 address was invited before, and got no second e-mail" in said
    assert "Press “Send again” in the list below." in said
    assert len(mail.outbox) == Invitation.objects.count() == 1


def test_an_invitation_is_sent_again_with_its_link_and_a_later_end(
    here: Client, project: Project
) -> None:
    invitation = make_email(project, now=timezone.now() - 8 * DAY)
    assert "run out" in email_rows(here)[0]
    assert "1 invitation will be sent." in says(
        here, f"/projects/p/invitations/{invitation.pk}/send/"
    )
    assert mail.outbox[0].subject == mail.outbox[1].subject
    assert all(path_of(invitation) in str(email.body) for email in mail.outbox)
    invitation.refresh_from_db()
    assert invitation.is_usable(timezone.now() + 6 * DAY)
    said = says(here, f"/projects/p/invitations/{invitation.pk}/send/")
    assert "No e-mail was sent: the last one left a moment ago" in said
    assert len(mail.outbox) == 2


def test_an_address_whose_invitation_ran_out_is_invited_anew_with_the_role_of_now(
    here: Client, project: Project
) -> None:
    invitation = make_email(project, now=timezone.now() - 8 * DAY)
    said = says(here, MANY, people=GIL.upper(), role="lead", send="yes")
    assert "1 invitation will be sent." in said
    assert "invited before" not in said
    [one] = Invitation.objects.all()
    assert (one.pk, one.role) == (invitation.pk, "lead")
    assert one.is_usable(timezone.now() + 6 * DAY)
    assert len(mail.outbox) == 2


def test_an_address_whose_email_never_left_is_sent_it_by_another_invitation(here: Client) -> None:
    with failing(SMTPServerDisconnected("gone")):
        says(here, INVITE, email=GIL, role="annotator")
    assert not mail.outbox
    assert "1 invitation will be sent." in says(here, INVITE, email=GIL, role="annotator")
    assert len(mail.outbox) == Invitation.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_workers_that_send_at_once_send_one_email() -> None:
    project = make_project(leads=[make_user()])
    invitation = make_email(project, now=timezone.now() - DAY)
    mail.outbox.clear()
    assert at_once([lambda: invitation.ask_email(now=timezone.now())] * 4) == [True] * 4
    at_once([lambda: send_invitations(timezone.now())] * 4)
    assert len(mail.outbox) == 1
    assert not invitation.ask_email(now=timezone.now())


def test_a_worker_killed_after_an_email_loses_nothing_and_sends_it_twice(
    lead: User, project: Project
) -> None:
    for name in ("a", "b"):
        make_invitation(f"{name}@example.org", lead)
    with (
        mock.patch.object(Invitation, "note_email", side_effect=SystemExit),
        pytest.raises(SystemExit),
    ):
        send_invitations(timezone.now())
    send_invitations(timezone.now())
    assert [email.to for email in mail.outbox] == [[f"{name}@example.org"] for name in "aab"]
    assert not Invitation.objects.filter(sent_at=None).exists()


# --- e-mails that do not leave ---


def test_an_email_that_does_not_leave_keeps_its_invitation_with_fault_and_link(
    here: Client, project: Project
) -> None:
    refused = SMTPRecipientsRefused({GIL: (550, b"no such\nuser")})
    with failing(refused):
        says(here, INVITE, email=GIL, role="annotator")
    assert "not delivered: 550 no such user" in email_rows(here)[0]
    invitation = Invitation.objects.get()
    assert f"http://testserver{invitation.path}" in here.get(PEOPLE).content.decode()
    assert path_of(invitation) not in here.get(PEOPLE).content.decode()
    assert Client().get(invitation.path).status_code == 200
    # The fault may be mended at once.
    assert "1 invitation will be sent." in says(
        here, f"/projects/p/invitations/{invitation.pk}/send/"
    )
    assert "not delivered" not in email_rows(here)[0]


def test_an_open_invitation_has_its_link_and_a_file_is_not_called_an_email(
    here: Client, project: Project, settings: Any
) -> None:
    invitation = make_email(project)
    link = f"http://testserver{invitation.path}"
    assert link in here.get(PEOPLE).content.decode()
    assert "no mail server" not in email_rows(here)[0]
    settings.EMAIL_BACKEND = "config.emails.EmailFiles"
    assert "Written to a file: no mail server is set" in email_rows(here)[0]
    invitation.withdraw(now=timezone.now())
    assert link not in here.get(PEOPLE).content.decode()
    assert "no mail server" not in email_rows(here)[0]


def test_the_leads_are_told_who_joined_in_one_notice_until_they_read_it(
    here: Client, lead: User, project: Project
) -> None:
    link = make_link(project)
    for name in ("gil", "hal"):
        link.accept(by=make_user(name=name), now=timezone.now())
    link.accept(by=User.objects.get(username="hal"), now=timezone.now())  # is there already
    assert "Joined this project: gil, hal Tides" in words(here.get("/inbox/"))
    notice = Notice.objects.get(user=lead)
    assert here.post(f"/inbox/{notice.pk}/").headers["Location"] == PEOPLE
    link.accept(by=make_user(name="ida"), now=timezone.now())
    assert "Joined this project: ida Tides" in words(here.get("/inbox/"))


def test_an_address_that_no_email_can_go_to_is_told_and_no_error(here: Client) -> None:
    """Its host is too long once it is written in ASCII."""
    says(here, INVITE, email=f"gil@{'ü' * 60}.org", role="annotator")
    assert "not delivered: no e-mail can go to this address" in email_rows(here)[0]
    answer = here.post(INVITE, {"email": f"a@{'x.' * 150}org", "role": "annotator"})
    assert "at most 254 characters" in words(answer)


def test_without_a_mail_server_emails_are_files_for_their_owner_only(
    here: Client, settings: Any, tmp_path: Path
) -> None:
    assert site_settings.EMAIL_BACKEND == "config.emails.EmailFiles"
    assert site_settings.EMAILS == site_settings.DATA / "emails"
    settings.EMAIL_BACKEND = "config.emails.EmailFiles"
    settings.EMAILS = tmp_path / "emails"
    says(here, MANY, people=f"{GIL}\nhana@example.org", role="lead", send="yes")
    assert stat.S_IMODE(settings.EMAILS.stat().st_mode) == 0o700
    text = "".join(file.read_text() for file in settings.EMAILS.iterdir())
    assert f"To: {GIL}" in text
    assert "To: hana@example.org" in text


def test_where_no_file_can_be_written_the_invitation_says_so(
    here: Client, settings: Any, tmp_path: Path
) -> None:
    settings.EMAIL_BACKEND = "config.emails.EmailFiles"
    settings.EMAILS = tmp_path / "emails"
    settings.EMAILS.touch()
    says(here, INVITE, email=GIL, role="annotator")
    assert "not delivered: " in email_rows(here)[0]


def test_a_server_that_does_not_answer_is_waited_for_once(here: Client) -> None:
    people = "\n".join(f"p{number}@example.org" for number in range(5))
    with failing(TimeoutError(110, "timed out"), on="open") as tried:
        says(here, MANY, people=people, role="annotator", send="yes")
    assert tried.call_count == 1
    assert all("the mail server can’t be reached (timed out)" in row for row in email_rows(here))


def test_an_email_that_fails_holds_back_no_other(here: Client) -> None:
    gone = SMTPServerDisconnected("gone")
    with failing(gone) as send:
        send.side_effect = [gone, gone, 1]
        says(here, MANY, people="a@example.org\nb@example.org", role="lead", send="yes")
    faults = dict(Invitation.objects.values_list("email", "fault"))
    assert faults == {
        "a@example.org": "the mail server can’t be reached (gone)",
        "b@example.org": "",
    }


def test_a_server_that_ends_a_connection_after_an_email_gets_the_next_by_another(
    here: Client,
) -> None:
    with failing(OSError()) as send:
        send.side_effect = [1, SMTPServerDisconnected("please run connect() first"), 1]
        says(here, MANY, people="a@example.org\nb@example.org", role="lead", send="yes")
    assert set(Invitation.objects.values_list("fault", flat=True)) == {""}
    assert send.call_count == 3


def test_an_invitation_that_waits_for_the_worker_has_its_link_and_after_ten_minutes_the_command(
    here: Client, project: Project
) -> None:
    here.post(INVITE, {"email": GIL, "role": "annotator"})
    invitation = Invitation.objects.get()
    assert not mail.outbox
    assert "to be sent" in email_rows(here)[0]
    assert "Send again" not in email_rows(here)[0]
    page = here.get(PEOPLE)
    assert f"http://testserver{invitation.path}" in page.content.decode()
    assert "no worker runs" not in words(page)
    Invitation.objects.update(wanted_at=timezone.now() - timedelta(minutes=11))
    assert "no worker runs. manage.py work starts one." in words(here.get(PEOPLE))
    work()
    assert len(mail.outbox) == 1
    assert "no worker runs" not in words(here.get(PEOPLE))


# --- many at once ---


def test_a_list_is_checked_first_and_sent_by_another_button(here: Client) -> None:
    people = f"{GIL}\n\nhana@example.org, Hana Ito\n"
    said = says(here, MANY, people=people, role="annotator")
    assert "The list is right: 2 addresses. Nothing is sent yet." in said
    assert not Invitation.objects.exists()
    said = says(here, MANY, people=people, role="annotator", send="yes")
    assert "2 invitations will be sent." in said
    assert str(mail.outbox[1].body).startswith("Hello Hana Ito,\n")
    assert str(mail.outbox[0].body).startswith("Hello,\n")
    said = says(here, MANY, people=people, role="annotator", send="yes")
    assert "2 addresses were invited before" in said
    assert len(mail.outbox) == 2


def test_a_list_with_a_bad_line_is_told_with_its_number_and_nothing_is_sent(here: Client) -> None:
    people = f"{GIL}\nivo@example\nhana@example.org, Hana, 120\n{GIL.upper()}"
    answer = here.post(MANY, {"people": people, "role": "annotator", "send": "yes"})
    said = words(answer)
    assert "Line 2: “ivo@example” is no e-mail address: correct it, or take the line out." in said
    assert "Line 3: it has more than an address and a name" in said
    assert "Line 4: GIL@EXAMPLE.ORG is already in line 1: remove one of them." in said
    assert "ivo@example" in answer.content.decode()  # the list is still there
    assert not mail.outbox
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("a@x.org", [("a@x.org", "")]),
        ("a@x.org, Ada\r\nb@x.org,", [("a@x.org", "Ada"), ("b@x.org", "")]),
        ("Address,Name\na@x.org,Ada", [("a@x.org", "Ada")]),
        ("a@x.org;Ada\nb@x.org\tBen", [("a@x.org", "Ada"), ("b@x.org", "Ben")]),
        ('a@x.org,"Lovelace, Ada"', [("a@x.org", "Lovelace, Ada")]),
    ],
)
def test_a_list_may_be_lines_or_csv(text: str, people: list[tuple[str, str]]) -> None:
    assert read_addresses(text) == people


@cases(
    ("text", "fault"),
    [
        ("\n ,\n", "The list is empty"),
        ("\n".join(f"p{n}@x.org" for n in range(MOST_AT_ONCE + 1)), "more than 100 addresses"),
        (f"a@x.org,{'n' * 151}", "Line 1: the name is too long"),
        ("a@x.org,A\x07", "Line 1: the name is too long or has signs"),
        ("a@x.org\nname,address", "Line 2: “name” is no e-mail address"),
        ("Name, Email", "Line 1: “Name” is no e-mail address: put the address first"),
        ("Hana, h@x.org", "Line 1: “Hana” is no e-mail address: put the address first"),
        ("x" * 99, f"“{'x' * 60}…” is no e-mail"),
        (f"a@{'x.' * 150}org", "is no e-mail address"),
    ],
)
def test_a_list_that_is_none_says_what_to_do(text: str, fault: str) -> None:
    with pytest.raises(ValidationError) as raised:
        read_addresses(text)
    [said] = raised.value.messages
    assert fault in said


# --- the table ---


def test_the_table_says_what_became_of_each_invitation(here: Client, project: Project) -> None:
    now = timezone.now()
    make_email(project, "sent@x.org")
    make_email(project, "opened@x.org").note_first_visit(now=now)
    make_email(project, "used@x.org", role="lead").accept(
        by=make_user(name="uma", email="used@x.org"), now=now
    )
    make_email(project, "over@x.org", now=now - 9 * DAY)
    make_email(project, "gone@x.org").withdraw(now=now)
    make_email(project, "soon@x.org", now=now - 6 * DAY)
    rows = {row.split()[0]: row for row in email_rows(here)}
    assert " sent Copy" in rows["sent@x.org"]
    assert "opened, not accepted" in rows["opened@x.org"]
    assert "lead" in rows["used@x.org"]
    assert "accepted by uma" in rows["used@x.org"]
    assert "run out" in rows["over@x.org"]
    assert "withdrawn" in rows["gone@x.org"]
    assert "Send again" not in rows["gone@x.org"] + rows["used@x.org"]
    assert "3 open" in words(here.get(PEOPLE))
    page = here.get(PEOPLE).content.decode()
    assert page.count('<span class="dot warn">') == 1  # the end of what runs out soon


def test_nothing_on_the_page_says_who_has_an_account(here: Client, project: Project) -> None:
    make_user(name="hana", email="hana@example.org")
    for email in (GIL, "hana@example.org"):
        said = says(here, INVITE, email=email, role="annotator")
        assert "1 invitation will be sent." in said
    known, unknown = email_rows(here)
    assert known.replace("hana@example.org", GIL) == unknown
    assert len(mail.outbox) == 2


def test_an_invitation_of_another_project_is_out_of_reach(here: Client) -> None:
    other = make_project(leads=[make_user()])
    invitation = make_email(other)
    mail.outbox.clear()
    for verb in ("send", "withdraw"):
        here.post(f"/projects/p/invitations/{invitation.pk}/{verb}/")
        assert here.post(f"/projects/{other.slug}/invitations/1/{verb}/").status_code == 404
    invitation.refresh_from_db()
    assert invitation.withdrawn_at is None
    assert not mail.outbox


# --- joining ---


def test_the_page_says_what_this_is_who_invites_and_to_what(project: Project) -> None:
    said = words(Client().get(path_of(make_email(project))))
    assert "On Evenhand annotators score what language models answer." in said
    assert "Join “Tides & <moons>”" in said
    assert "lea invites you to rate in this project." in said
    assert "You sign in with it, and the leads of your projects see it." in said
    said = words(Client().get(path_of(make_email(project, "l@x.org", role="lead"))))
    assert "lea invites you to lead this project." in said


def test_an_accepted_invitation_makes_an_account_gives_a_role_and_signs_in(
    project: Project,
) -> None:
    invitation, browser = make_email(project), Client()
    answer = browser.post(path_of(invitation), NEW, follow=True)
    assert answer.redirect_chain == [("/", 302)]
    gil = User.objects.get(username="gil")
    assert (gil.email, gil.language) == (GIL, "de")
    assert gil.check_password(NEW["password"])
    assert roles_of(project, "gil") == ["annotator"]
    assert browser.session["_auth_user_id"] == str(gil.pk)
    assert gil.last_login is not None
    invitation.refresh_from_db()
    assert (invitation.used, invitation.accepted_by) == (1, gil)


def test_a_new_member_is_greeted_in_the_chosen_language(project: Project) -> None:
    answer = Client().post(path_of(make_email(project)), NEW, follow=True)
    assert "Sie sind im Projekt „Tides & <moons>“." in words(answer)


def test_a_lead_who_accepts_comes_to_the_project(project: Project) -> None:
    browser = Client()
    answer = browser.post(path_of(make_email(project, role="lead")), NEW)
    assert answer.headers["Location"] == "/projects/p/"
    assert roles_of(project, "gil") == ["lead"]


def test_an_invitation_by_e_mail_serves_once(project: Project) -> None:
    path = path_of(make_email(project))
    Client().post(path, NEW)
    answer = Client().post(path, NEW | {"username": "other"})
    assert answer.status_code == 410
    assert "was used: it serves one person" in words(answer)
    assert not User.objects.filter(username="other").exists()


def test_a_join_a_moment_too_late_makes_no_account(project: Project) -> None:
    """Somebody else took the last place after the page was sent and before the account is made."""
    path = path_of(make_link(project))
    with mock.patch.object(Invitation, "accept", return_value=False):
        assert Client().post(path, NEW).status_code == 410
    assert not User.objects.filter(username="gil").exists()


def test_where_joining_fails_there_is_no_account_either(project: Project) -> None:
    path = path_of(make_email(project))
    with mock.patch("annotators.accounts.join.perform_login", side_effect=RuntimeError):
        browser = Client(raise_request_exception=False)
        assert browser.post(path, NEW).status_code == 500
    assert not User.objects.filter(username="gil").exists()
    assert roles_of(project, "gil") == []
    assert Invitation.objects.get().used == 0


@cases(
    ("field", "value", "fault"),
    [
        ("username", "", "This field is required."),
        ("username", "LEA", "Someone has this name already. If that is you, sign in to join."),
        ("username", "gil hand", "A name has letters, digits and . + - _ only"),
        ("username", "ada@example.org", "A name has letters, digits and . + - _ only"),
        ("password", "short", "needs 12 characters or more"),
        ("password", "gil.gil.gil.gil", "repeats"),
        ("password", "123456789012", "easy to guess"),
        ("password", "x" * 1_025, "at most 1024 characters"),
        ("language", "xx", "xx is not one of the available choices."),
    ],
)
def test_a_form_that_is_wrong_is_told_at_its_field_and_makes_nothing(
    project: Project, field: str, value: str, fault: str
) -> None:
    answer = Client().post(path_of(make_link(project)), NEW | {field: value})
    assert answer.status_code == 200
    assert fault in words(answer)
    assert User.objects.count() == 1


@cases(
    "name",
    [
        "\u0430dmin",
        "adm\u0456n",
        "le\u03b1",
        "\u0430\u0434\u0430x",
        "gil\u02bc",
        "b\u09e6b",
        "\u5c71\u0434",
        "...",
        "-",
        "._+-",
    ],
)
def test_a_name_of_two_scripts_or_of_dots_is_refused(project: Project, name: str) -> None:
    answer = Client().post(path_of(make_link(project)), NEW | {"username": name})
    assert answer.status_code == 200
    assert "one script" in words(answer) or "a letter or a digit" in words(answer)
    assert not project.memberships.filter(role="annotator").exists()


@pytest.mark.parametrize(
    "name",
    [
        "ada-2",
        "\u0430\u0434\u0430.2",
        "søren_ß",
        "山田たろうー",
        "田中taro",
        "김철수",
        "Ἀθηνᾶ",
        "42",
    ],
)
def test_a_name_of_one_script_is_taken(project: Project, name: str) -> None:
    answer = Client().post(path_of(make_link(project)), NEW | {"username": name})
    assert answer.status_code == 302, words(answer)


@pytest.mark.parametrize(
    ("title", "password"),
    [
        ("Whales and other songs of the deep", "whales and other songs of the deep"),
        ("Whales and other songs of the deep", "Whales and other songs of the deep1"),
        ("A title that is longer than what is looked at: " + "all " * 20, None),
        ("Kittiwakes!", "kittiwakes!2026"),
    ],
)
def test_a_password_is_not_the_title_of_the_project(
    project: Project, title: str, password: str | None
) -> None:
    Project.objects.update(title=title)
    path = path_of(make_link(project))
    answer = Client().post(path, NEW | {"password": password or title})
    assert "easy to guess" in words(answer)
    assert not User.objects.filter(username="gil").exists()
    Client().post(path, NEW)
    assert roles_of(project, "gil") == ["annotator"]


def test_a_name_taken_at_the_same_moment_is_told_like_any_other(project: Project) -> None:
    """By somebody else, after the form was checked and before it is stored."""

    def meanwhile(*_args: object) -> None:
        make_user(name="Gil")

    with mock.patch.object(JoinForm, "validate_password_for_user", side_effect=meanwhile):
        answer = Client().post(path_of(make_link(project)), NEW)
    assert "Someone has this name already." in words(answer)


def test_an_address_that_gets_an_account_at_the_same_moment_gets_no_second_one(
    project: Project,
) -> None:
    """By another e-mail to it, after the form was checked and before it is stored."""

    def meanwhile(*_args: object) -> None:
        make_user(name="other", email=GIL.upper())

    with mock.patch.object(JoinForm, "validate_password_for_user", side_effect=meanwhile):
        answer = Client().post(path_of(make_email(project)), NEW)
    assert "Sign in with it to join." in words(answer)
    assert User.objects.filter(email__iexact=GIL).count() == 1


def test_an_address_with_an_account_is_asked_to_sign_in_and_then_joins(project: Project) -> None:
    gil = make_user(name="gil", email=GIL)
    path, browser = path_of(make_email(project)), Client()
    answer = browser.get(path)
    assert f"There is an account with the address {GIL}. Sign in with it to join." in words(answer)
    assert browser.post(path, NEW | {"username": "second"}).status_code == 200
    assert User.objects.filter(email=GIL).count() == 1
    login = f"/accounts/login/?next={path}"
    assert login in answer.content.decode()
    browser.post(login, {"login": "gil", "password": PASSWORD, "next": path})
    assert "Join as gil" in words(browser.get(path))
    browser.post(path, {"as": str(gil.pk)})
    assert roles_of(project, "gil") == ["annotator"]


def test_the_link_that_a_lead_was_shown_proves_no_address_and_tells_of_no_account(
    project: Project,
) -> None:
    make_user(name="victim", email="victim@example.org")
    for address in (GIL, "victim@example.org"):
        invitation = make_email(project, address)
        assert "There is an account" not in words(Client().get(invitation.path))
    browser = Client()
    browser.post(invitation.path, NEW)
    assert User.objects.get(username=NEW["username"]).email == ""
    assert roles_of(project, NEW["username"]) == ["annotator"]
    other = make_project(slug="q", leads=[make_user()])
    make_email(other, "victim@example.org", role="lead")
    assert "invited" not in words(browser.get("/inbox/"))


def test_the_open_invitations_of_a_former_lead_are_ended(project: Project, lead: User) -> None:
    boss, own = make_user(name="boss"), Client()
    make_membership(project=project, user=boss, role=Membership.Role.LEAD)
    now = timezone.now()
    [email] = Invitation.objects.invite(project, [(GIL, "")], role="lead", by=lead, now=now)
    kept = Invitation.objects.invite(project, [("h@x.org", "")], role="lead", by=boss, now=now)
    link = make_link(project)
    assert project.change_roles(lead, ())
    assert own.get(path_of(email)).status_code == own.get(path_of(link)).status_code == 410
    assert own.get(path_of(kept[0])).status_code == 200


@pytest.mark.parametrize("reason", ["inactive", "role", "archived"])
def test_nobody_joins_where_the_inviter_leads_no_more_or_the_project_is_archived(
    project: Project, lead: User, reason: str
) -> None:
    email = make_email(project, role="lead")
    assert Client().get(path_of(email)).status_code == 200
    match reason:
        case "inactive":
            User.objects.filter(pk=lead.pk).update(is_active=False)
        case "role":  # as an admin changes it
            project.memberships.filter(user=lead).update(role=Membership.Role.ANNOTATOR)
        case "archived":
            project.archive(now=timezone.now())
    answer = Client().post(path_of(email), NEW)
    assert answer.status_code == 410
    said = "is not running any more" if reason == "archived" else "was withdrawn"
    assert said in words(answer)
    email = Invitation.objects.get()
    assert not email.accept(by=make_user(email=GIL), now=timezone.now())
    assert not User.objects.filter(username="gil").exists()


def test_a_new_member_gets_the_role_that_the_invitation_has_by_then(project: Project) -> None:
    email, gil = make_email(project, role="lead"), make_user(name="gil")
    Invitation.objects.update(role="annotator")
    assert email.accept(by=gil, now=timezone.now())
    assert roles_of(project, "gil") == ["annotator"]


def test_an_email_that_was_withdrawn_and_written_again_at_once_is_not_sent_twice(
    here: Client, project: Project
) -> None:
    invitation = make_email(project)
    says(here, f"/projects/p/invitations/{invitation.pk}/withdraw/")
    assert "was invited before" in says(here, INVITE, email=GIL, role="annotator")
    assert len(mail.outbox) == 1
    Invitation.objects.update(sent_at=timezone.now() - DAY)
    assert "1 invitation will be sent." in says(here, INVITE, email=GIL, role="annotator")


def test_a_link_serves_at_least_those_who_have_joined_meanwhile(project: Project) -> None:
    link = make_link(project, most=3)
    for _ in range(2):
        assert link.accept(by=make_user(), now=timezone.now())
    assert make_link(project, most=1).most == 2


def test_a_signed_in_person_joins_with_one_button_and_by_no_other_form(
    desk: Client, ada: User, project: Project
) -> None:
    path = path_of(make_link(project))
    answer = desk.post(path, NEW)  # of a page from before the log-in
    assert "Join as ada" in words(answer)
    assert roles_of(project, "ada") == []
    assert desk.post(path, {"as": str(ada.pk)}).headers["Location"] == "/"
    assert roles_of(project, "ada") == ["annotator"]


def test_a_member_who_opens_an_invitation_is_led_on_and_takes_no_place(
    desk: Client, ada: User, project: Project
) -> None:
    make_membership(project=project, user=ada)
    link = make_link(project)
    assert desk.get(path_of(link)).headers["Location"] == "/"
    link.refresh_from_db()
    assert link.used == 0


def test_an_invitation_that_reaches_a_member_is_accepted(
    here: Client, desk: Client, ada: User, lead: User, project: Project
) -> None:
    make_membership(project=project, user=ada)
    User.objects.filter(pk=ada.pk).update(email="ada@example.org")
    invitation = make_email(project, "Ada@example.org")
    desk.force_login(ada)
    assert "Join as ada" in words(desk.get(path_of(invitation)))
    assert desk.post(path_of(invitation), {"as": str(ada.pk)}).headers["Location"] == "/"
    invitation.refresh_from_db()
    assert (invitation.used, invitation.accepted_by) == (1, ada)
    here.force_login(lead)
    assert "accepted by ada" in email_rows(here)[0]
    assert roles_of(project, "ada") == ["annotator"]


def test_a_lead_who_tries_the_link_of_another_lead_does_not_use_it_up(
    here: Client, project: Project
) -> None:
    invitation = make_email(project, role="lead")
    assert here.get(path_of(invitation)).headers["Location"] == "/projects/p/"
    invitation.refresh_from_db()
    assert invitation.used == 0


def test_an_e_mail_that_offers_to_lead_is_for_the_account_with_its_address_alone(
    desk: Client, ada: User, project: Project
) -> None:
    email = make_email(project, role="lead")
    for address in ("", "ada@example.org"):
        User.objects.filter(pk=ada.pk).update(email=address)
        for path in (email.path, email.email_path):
            page = words(desk.get(path))
            assert "Only the account with that address can accept it" in page
            assert "Join as" not in page
            desk.post(path, {"as": str(ada.pk)})
        assert not email.accept(by=User.objects.get(pk=ada.pk), now=timezone.now())
    assert roles_of(project, "ada") == []
    # The link that its lead hands on proves no address, so it makes no account either.
    stranger = Client()
    assert "Only the account with that address" in words(stranger.get(email.path))
    stranger.post(email.path, NEW)
    assert not User.objects.filter(username="gil").exists()
    # That of the e-mail does.
    stranger.post(email.email_path, NEW)
    assert roles_of(project, "gil") == ["lead"]


def test_an_annotator_who_is_invited_to_lead_is_both(
    desk: Client, ada: User, project: Project
) -> None:
    make_membership(project=project, user=ada)
    User.objects.filter(pk=ada.pk).update(email="Gil@example.org")
    desk.post(path_of(make_email(project, role="lead")), {"as": str(ada.pk)})
    assert roles_of(project, "ada") == ["annotator", "lead"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"withdrawn_at": NOW}, "The invitation to “Tides & <moons>” was withdrawn."),
        ({"expires_at": NOW}, "The invitation to “Tides & <moons>” ran out on 2 Mar 2026."),
    ],
)
def test_an_invitation_that_is_over_says_so_and_whom_to_ask(
    desk: Client, project: Project, change: dict[str, Any], said: str
) -> None:
    invitation = make_email(project)
    Invitation.objects.update(**change)
    for answer in (Client().get(path_of(invitation)), Client().post(path_of(invitation), NEW)):
        assert answer.status_code == 410
        assert said in words(answer)
        assert "To get another, ask lea, who sent you the link." in words(answer)
        assert "Nothing that you saved is lost." not in words(answer)
    answer = desk.get(path_of(invitation))
    assert "Nothing that you saved is lost." in words(answer)
    assert User.objects.count() == 2  # lea and ada


def test_a_link_that_was_cut_or_made_up_says_so_and_leads_nowhere(project: Project) -> None:
    invitation = make_link(project)
    tokens = (invitation.token[:-1], str(invitation.pk), f"{invitation.pk}.{'A' * 43}", "x")
    for token in tokens:
        answer = Client().get(reverse("annotators:join", args=[token]))
        assert answer.status_code == 404
        assert "This link is not complete" in words(answer)
        assert "Copy all of it from the e-mail or message" in words(answer)
    assert len(invitation.token.partition(".")[2]) == 43


def test_the_first_opening_of_an_invitation_is_noted_and_no_other_request(project: Project) -> None:
    invitation = make_email(project)
    Client().head(path_of(invitation))
    invitation.refresh_from_db()
    assert invitation.opened_at is None
    Client().get(path_of(invitation))
    invitation.refresh_from_db()
    first = invitation.opened_at
    assert first is not None
    Client().get(path_of(invitation))
    invitation.refresh_from_db()
    assert invitation.opened_at == first


# --- the link is a secret ---


def test_the_page_is_kept_by_no_cache_and_needs_the_token_of_its_form(project: Project) -> None:
    path = path_of(make_link(project))
    answer = Client().get(path)
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.headers["Referrer-Policy"] == "strict-origin"
    assert Client(enforce_csrf_checks=True).post(path, NEW).status_code == 403


def test_joining_is_limited_as_log_ins_are(project: Project, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"join": "2/m/ip"}
    path = path_of(make_link(project))
    tries = [Client().post(path, NEW | {"password": "short"}).status_code for _ in range(3)]
    assert tries == [200, 200, 429]


def test_no_line_of_the_log_has_the_secret_of_a_link(
    project: Project, settings: Any, log_lines: Callable[[], str]
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"join": "1/m/ip"}
    invitation = make_link(project)
    for _ in range(2):
        Client().post(path_of(invitation), NEW | {"password": "short"})
    Client(enforce_csrf_checks=True).post(path_of(invitation))
    Client().get("/accounts/password/reset/key/1z-secret-of-a-e-mail/")
    said = log_lines()
    assert "/join/…/" in said
    assert "refused: too many requests" in said
    assert invitation.token not in said
    assert "secret-of-a-e-mail" not in said


def test_an_account_made_by_invitation_is_a_line_of_the_access_log(
    project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "evenhand.access")
    Client().post(path_of(make_link(project)), NEW)
    assert any("account made by invitation" in each.getMessage() for each in caplog.records)


def test_a_person_joins_in_a_browser_and_no_request_reveals_the_link(
    new_context: Callable[..., BrowserContext], lead: User, project: Project
) -> None:
    told: list[str] = []

    def note(request: Request) -> None:
        told.append(request.all_headers().get("referer", ""))

    page = new_context(java_script_enabled=False).new_page()
    page.on("request", note)
    page.goto(path_of(make_email(project)))
    page.get_by_label("Name").fill("gil")
    page.get_by_label("Password").fill(NEW["password"])
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("heading", name="Hello, gil")).to_be_visible()
    expect(page.get_by_text("You are in the project “Tides & <moons>”.")).to_be_visible()
    assert roles_of(project, "gil") == ["annotator"]
    assert any(told)
    assert not [referer for referer in told if "/join/" in referer]


# --- the overview ---


def needs(client: Client) -> str:
    """What the overview says under "Needs you"."""
    page = client.get("/projects/p/").content.decode()
    found = re.search(r'aria-labelledby="needs-you".*?</section>', page, re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else ""


def test_the_overview_says_which_invitations_run_out_or_were_not_delivered(
    here: Client, project: Project
) -> None:
    now = timezone.now()
    make_email(project, "fine@x.org")
    make_email(project, "over@x.org", now=now - 8 * DAY)
    make_email(project, "gone@x.org", now=now - 6 * DAY).withdraw(now=now)
    used = make_email(project, "used@x.org", now=now - 6 * DAY)
    used.accept(by=make_user(), now=now)
    assert needs(here) == ""
    make_email(project, "soon@x.org", now=now - 6 * DAY)
    make_link(project, days=1)
    with failing(SMTPServerDisconnected("gone")):
        make_email(project, "ivo@x.org", now=now - 6 * DAY)
    said = needs(here)
    assert "Needs you 2 " in said
    assert "1 invitation was not delivered ivo@x.org People" in said
    assert re.search(r"2 invitations run out soon@x.org \(.+?\), the link \(.+?\) People", said)
    page = here.get("/projects/p/").content.decode()
    assert 'href="/projects/p/people/#invitations"' in page


def test_the_overview_names_three_invitations_and_counts_the_rest(
    here: Client, project: Project
) -> None:
    with failing(SMTPServerDisconnected("gone")):
        for number in range(5):
            make_email(project, f"p{number}@x.org")
    assert "5 invitations were not delivered p0@x.org , p1@x.org , p2@x.org and 2 more" in needs(
        here
    )
