"""An export that a request would take too long to make is left to a worker."""

from __future__ import annotations

import html
import io
import json
import re
import time
from datetime import timedelta
from functools import partial
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotators.models import User
from tasks.exporting import streaming, views as results, worker as export_worker
from tasks.exporting.forms import export_of
from tasks.exporting.options import Format, Options
from tasks.exporting.worker import make_next
from tasks.management.commands.work import Command
from tasks.models import ExportBlock, Membership, Project, StoredExport, stored_exports
from tests.desk_keys import log_in
from tests.factories import NOW, make_item, make_project, make_rating, make_user
from tests.waiting import at_once, elsewhere

pytestmark = pytest.mark.django_db
PAGE, FILES = "/projects/p/export/", "/projects/p/export/files/"
XLSX = "shape=scores&format=xlsx"


@pytest.fixture
def project(lead: User, ada: User) -> Project:
    """Two scores: one more than a request makes a workbook of."""
    made = make_project(slug="p", leads=[lead], annotators=[ada])
    make_rating(item=make_item(project=made, responses=["x", "y"]), annotator=ada)
    return made


@pytest.fixture(autouse=True)
def _one_row_in_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (streaming, results):
        monkeypatch.setattr(module, "MOST_ROWS_AT_ONCE", 1)


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    client.force_login(lead)
    return client


def order(here: Client, query: str = XLSX) -> Any:
    """Press the button of the page for a choice."""
    page = here.get(f"{PAGE}?{query}").content.decode()
    assert "Have it made" in page
    [choices] = re.findall(r'name="choices" value="([^"]*)"', page)
    return here.post(FILES, {"choices": html.unescape(choices)})


def errors(answer: Any) -> list[str]:
    found = re.findall(r'<ul class="errorlist[^>]*>(.*?)</ul>', answer.content.decode(), re.S)
    return [html.unescape(re.sub(r"<[^>]+>", "", each)).strip() for each in found]


def test_a_large_workbook_is_made_by_a_worker_and_is_the_same(
    here: Client, project: Project
) -> None:
    address = order(here).url
    assert "The file waits" in here.get(address).content.decode()
    assert here.get(f"{address}file/").status_code == 404
    assert make_next(timezone.now())
    assert not make_next(timezone.now())
    page = here.get(address).content.decode()
    assert "The file is ready" in page
    assert "every 1s" not in page
    file = here.get(f"{address}file/")
    assert file.headers["Content-Disposition"] == 'attachment; filename="p-scores.xlsx"'
    assert file.headers["Content-Type"].endswith("spreadsheetml.sheet")
    made = b"".join(export_of(project, Options(format=Format.XLSX), now=NOW))
    assert file.getvalue() == made
    assert "2 rows" in here.get(PAGE).content.decode().partition("Your files")[2]


def test_a_stored_export_comes_as_a_zip_with_all_choices(here: Client, project: Project) -> None:
    query = f"{XLSX}&zip=on&pseudonyms=on&texts=on&annotators=ada&since=2026-01-01&until=2027-01-01"
    address = order(here, query).url
    call_command("work", once=True)
    file = here.get(f"{address}file/")
    assert file.headers["Content-Disposition"] == 'attachment; filename="p-scores.xlsx.zip"'
    archive = ZipFile(io.BytesIO(file.getvalue()))
    manifest = json.loads(archive.read("p-scores.xlsx.manifest.json"))
    days = "since=2026-01-01&until=2027-01-01"
    chosen = f"format=xlsx&annotators=rater-1&{days}&texts=on&pseudonyms=on"
    assert manifest["options"] == chosen


def test_an_order_of_an_earlier_version_is_made(project: Project, lead: User) -> None:
    order = StoredExport.objects.order(
        project, options="", file_name="p-scores.xlsx", is_zipped=False, by=lead, now=NOW
    )
    assert order
    order.options = {"shape": "scores", "format": "xlsx", "batches": [], "since": None}
    order.save()
    assert make_next(NOW)
    made = b"".join(export_of(project, Options(format=Format.XLSX), now=NOW))
    assert b"".join(StoredExport.objects.get().read_blocks()) == made


def test_a_workbook_over_the_limit_of_rows_or_cells_is_left_to_the_worker(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/projects/p/ratings.csv?{XLSX}"
    assert "Have it made" in here.get(address).content.decode()
    for module in (streaming, results):
        monkeypatch.setattr(module, "MOST_ROWS_AT_ONCE", 2)
    assert here.get(address).getvalue().startswith(b"PK")
    for module in (streaming, results):
        monkeypatch.setattr(module, "MOST_CELLS_AT_ONCE", 50)
    assert "Have it made" in here.get(address).content.decode()
    assert here.get("/projects/p/ratings.csv?format=csv").getvalue().startswith(b"project,")


def test_a_get_orders_nothing(here: Client) -> None:
    assert here.get(FILES, {"choices": XLSX}).headers["Location"] == PAGE
    assert not StoredExport.objects.exists()


def test_a_refused_export_says_why_and_a_wrong_choice_is_not_ordered(
    here: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = here.post(FILES, {"choices": "format=xlsx&shape=x"}, follow=True)
    assert errors(back) == ["Select a valid choice. x is not one of the available choices."]
    assert not StoredExport.objects.exists()
    project.items.update(context="x" * 40_000)
    address = order(here, f"{XLSX}&texts=on").url
    assert make_next(timezone.now())
    page = here.get(address).content.decode()
    assert "The file was not made" in page
    assert "Row 1 has a text of 40,000 letters in the column “context”." in page
    assert not ExportBlock.objects.exists()


def test_equal_orders_are_one_and_a_person_waits_for_three_files_at_most(here: Client) -> None:
    assert order(here).url == order(here).url
    others = [order(here, f"{XLSX}&{more}=on") for more in ("texts", "revisions")]
    assert len({answer.url for answer in others}) == 2
    back = here.get(order(here, f"{XLSX}&pseudonyms=on").url).content.decode()
    assert "You wait for 3 files already. Cancel one of them, or try again later." in back
    assert re.search(r'name="pseudonyms"[^>]* checked', back)
    here.post(others[0].url)
    assert order(here, f"{XLSX}&pseudonyms=on").url.startswith(FILES)


def test_only_who_ordered_a_file_sees_it_and_only_as_long_as_she_leads(
    here: Client, lead: User, project: Project
) -> None:
    address = order(here).url
    other = Client()
    other.force_login(make_user(name="other-lead"))
    Membership.objects.create(
        project=project, user=User.objects.get(username="other-lead"), role=Membership.Role.LEAD
    )
    assert other.get(PAGE).status_code == 200
    assert [other.get(address).status_code, other.post(address).status_code] == [404, 404]
    project.memberships.filter(user=lead).delete()
    assert make_next(timezone.now())
    assert not StoredExport.objects.exists()


def test_a_file_is_deleted_by_its_lead_or_after_a_day(here: Client) -> None:
    address = order(here).url
    make_next(timezone.now())
    assert ExportBlock.objects.exists()
    assert here.post(address).headers["Location"] == PAGE
    assert not ExportBlock.objects.exists()
    order(here)
    make_next(timezone.now())
    StoredExport.objects.delete_old(timezone.now() + timedelta(hours=23))
    assert ExportBlock.objects.exists()
    StoredExport.objects.delete_old(timezone.now() + timedelta(hours=25))
    assert not ExportBlock.objects.exists()


def test_a_file_that_ends_worker_after_worker_is_given_up(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = order(here).url

    def killed(*_: Any, **_named: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(export_worker, "export_of", killed)
    for _ in range(stored_exports.MOST_TRIES):
        with pytest.raises(SystemExit):
            make_next(timezone.now())
    assert make_next(timezone.now())
    assert not make_next(timezone.now())
    assert "Workers ended while they made this file" in here.get(address).content.decode()


@pytest.mark.django_db(transaction=True)
def test_two_workers_do_not_make_the_same_file_and_none_is_deleted_under_a_worker(
    here: Client,
) -> None:
    address = order(here).url
    others: list[bool] = []
    with transaction.atomic():
        assert StoredExport.objects.all().free()
        elsewhere(lambda: others.append(make_next(timezone.now())))
        elsewhere(lambda: others.append(export_worker.has_orders(timezone.now())))
        elsewhere(lambda: here.post(address))
        elsewhere(lambda: others.append("being made" in here.get(address).content.decode()))
    assert others == [False, False, True]
    assert export_worker.has_orders(timezone.now())
    assert make_next(timezone.now())


def test_the_worker_has_files_made_by_a_process_of_its_own(
    here: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[list[str]] = []
    monkeypatch.setattr("subprocess.Popen", lambda command: begun.append(command))
    command = Command()
    monkeypatch.setattr(command, "loaders", [])
    command._load_files(timezone.now())
    assert begun == []
    order(here)
    command._load_files(timezone.now())
    assert begun[0][-2:] == ["work", "--files"]
    call_command("work", files=True)
    assert StoredExport.objects.get().made_at


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_file_offers_it_by_itself_when_it_is_ready(
    page: Page, project: Project
) -> None:
    log_in(page, "lea")
    page.goto(PAGE)
    page.get_by_label("Excel (XLSX)").check()
    page.get_by_role("button", name="Have it made").click()
    expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
    elsewhere(lambda: make_next(timezone.now()))
    expect(page.get_by_role("heading", name="The file is ready")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "p-scores.xlsx.zip"


@pytest.mark.django_db(transaction=True)
def test_orders_that_come_at_once_are_one_file_each_and_three_at_most(
    project: Project, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def language() -> str:
        time.sleep(0.05)  # between the count and the row, so that others count meanwhile
        return "en"

    def order_of(number: int) -> StoredExport | None:
        return StoredExport.objects.order(
            project,
            options=f"models={number}",
            file_name="x",
            is_zipped=False,
            by=lead,
            now=timezone.now(),
        )

    monkeypatch.setattr(stored_exports, "get_language", language)
    at_once([partial(order_of, 0) for _ in range(4)])
    assert StoredExport.objects.count() == 1
    at_once([partial(order_of, number) for number in range(1, 9)])
    assert StoredExport.objects.count() == stored_exports.MOST_WAITING
