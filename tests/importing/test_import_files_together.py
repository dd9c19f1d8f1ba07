"""Several files that belong together are chosen at once: no archive is made by hand."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from playwright.sync_api import BrowserContext, expect

from annotators.models import User
from tasks.importing.files import packing
from tasks.importing.files.formats import may_hold_rows
from tasks.importing.files.packing import NamedFile, archive_name, as_one_file
from tasks.importing.files.rows import FileRefused
from tasks.models import Batch, Item, Project, Score, Upload

from ..desk_keys import log_in
from ..factories import (
    make_project,
    make_user,
)
from ..worker import work_on_files
from .import_steps import (
    load_uploads,
    shown_in,
)

ITEMS = b"id,prompt,response,model\na,Why?,So.,heron\nb,How?,Thus.,wren\n"
RATINGS = b"id,rater,helpfulness\na,Anna,3\na,Ben,5\nb,Anna,4\nb,Ben,2\n"
ADDRESSES = ["/projects/p/upload/", "/projects/new/sheet/"]


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="p", leads=[lead])


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    return client


def sent(**files: bytes) -> dict[str, Any]:
    """What a page sends when these files are chosen, each of CSV."""
    return {"file": [SimpleUploadedFile(f"{name}.csv", files[name]) for name in files]}


def many(number: int) -> dict[str, Any]:
    return sent(**{f"part_{place}": ITEMS for place in range(number)})


def files(*names: str) -> list[NamedFile]:
    return [NamedFile(name, io.BytesIO(name.encode())) for name in names]


def packed(*names: str) -> AbstractContextManager[NamedFile]:
    return as_one_file(files(*names))


def scores() -> list[tuple[str, int | None]]:
    ordered = Score.objects.order_by("rating__item__position", "rating__rater")
    return [*ordered.values_list("rating__item__external_id", "value")]


# --- the archive ---


def test_a_file_that_is_alone_stays_as_it_is() -> None:
    [file] = files("items.csv")
    with as_one_file([file]) as alone:
        assert alone is file


def test_an_archive_holds_each_file_as_it_is_under_its_name() -> None:
    with packed("items.csv", "Bewertungen é.xlsx") as (name, file), ZipFile(file) as archive:
        assert name == "items + Bewertungen é.zip"
        assert archive.namelist() == ["items.csv", "Bewertungen é.xlsx"]
        for entry in archive.infolist():
            assert entry.compress_type == ZIP_STORED
            assert archive.read(entry) == entry.filename.encode()


def test_names_that_are_alike_are_made_distinct() -> None:
    with (
        packed("a.csv", "a.csv", "2 a.csv", "header.json") as (_, file),
        ZipFile(file) as archive,
    ):
        # An archive with a "header.json" would be taken for a log of Inspect.
        assert archive.namelist() == ["a.csv", "2 a.csv", "2 2 a.csv", "2 header.json"]


@pytest.mark.parametrize(
    "name", ["a.csv", "a.csv.gz", "a.tar.gz", "a.jsonl.gz", "a.xlsx", "a.b.tsv"]
)
def test_of_two_files_of_one_name_both_are_read(name: str) -> None:
    with packed(name, name) as (_, file), ZipFile(file) as archive:
        assert len(archive.namelist()) == 2
        assert all(map(may_hold_rows, archive.namelist()))


def test_the_same_files_are_always_the_same_archive() -> None:
    with packed("a.csv", "b.csv") as (_, first), packed("a.csv", "b.csv") as (_, second):
        assert first.read() == second.read()


def test_the_name_of_an_archive_is_not_too_long() -> None:
    assert archive_name(["x" * 150 + ".csv", "y" * 150 + ".csv"]) == f"{'x' * 150} + {'y' * 47}.zip"


@pytest.mark.parametrize("name", ["notes.docx", "README.txt", ".items.csv", "items"])
def test_a_file_that_an_archive_would_leave_unread_is_refused(name: str) -> None:
    words = re.escape(f"“{name}” is no file of items or ratings by its name.")
    with pytest.raises(FileRefused, match=words), packed("items.csv", name):
        pass


def test_too_many_files_and_too_large_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileRefused, match=r"These are 21 files\. Choose 20 at most\."):
        packed(*["a.csv"] * 21).__enter__()
    monkeypatch.setattr(packing, "MOST_BYTES", 9)
    with pytest.raises(FileRefused, match=r"a \+ b\.zip is larger than 2 GB; split it"):
        packed("a.csv", "b.csv").__enter__()


# --- on the pages ---


@pytest.mark.parametrize("address", ADDRESSES)
def test_items_in_one_file_get_the_ratings_of_another(here: Client, address: str) -> None:
    here.post(address, sent(items=ITEMS, ratings=RATINGS))
    load_uploads()
    upload = Upload.objects.get()
    assert upload.file_name == "items + ratings.zip"
    choices = shown_in(upload)
    proposed = choices["part"], choices["join"], choices["key"]
    assert proposed == ("ratings.csv", "items.csv", "id")
    here.post(upload.address, choices | {"act": "read"})
    load_uploads()
    upload.refresh_from_db()
    here.post(upload.address, shown_in(upload) | {"act": "import", "rubric": "made"})
    load_uploads()
    upload.refresh_from_db()
    here.post(upload.address, shown_in(upload) | {"act": "import"})
    load_uploads()
    assert Batch.objects.get().name == "items + ratings"
    assert [*Item.objects.values_list("external_id", flat=True)] == ["a", "b"]
    assert scores() == [("a", 3), ("a", 5), ("b", 4), ("b", 2)]


def test_files_that_have_several_columns_in_common_are_joined_by_all_of_them(here: Client) -> None:
    items = ITEMS + b"b,How?,Like this.,heron\n"
    ratings = b"id,model,rater,helpfulness\na,heron,Anna,3\nb,heron,Anna,4\nb,wren,Anna,2\n"
    here.post(ADDRESSES[0], sent(items=items, ratings=ratings))
    load_uploads()
    choices = shown_in(Upload.objects.get())
    assert (choices["part"], choices["join"]) == ("ratings.csv", "items.csv")
    assert choices["key"] == "id, model"


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_limit_of_size_is_for_all_files_together(
    here: Client, settings: Any, address: str
) -> None:
    settings.UPLOAD_LIMIT = len(ITEMS) + len(RATINGS) - 1
    answer = here.post(address, sent(items=ITEMS, ratings=RATINGS))
    words = r"The files are larger than \d+\sbytes together\. Split them"
    assert re.search(words, answer.content.decode())
    assert not Upload.objects.exists()
    settings.UPLOAD_LIMIT += 1
    assert here.post(address, sent(items=ITEMS, ratings=RATINGS)).status_code == 302


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_file_that_cannot_be_read_with_others_is_refused_by_name(
    here: Client, address: str
) -> None:
    chosen = sent(items=ITEMS)
    chosen["file"].append(SimpleUploadedFile("notes.docx", b"PK"))
    page = here.post(address, chosen).content.decode()
    assert "“notes.docx” is no file of items or ratings by its name." in page
    page = here.post(address, many(21)).content.decode()
    assert "These are 21 files. Choose 20 at most." in page
    page = here.post(address, sent(items=ITEMS, ratings=b"")).content.decode()
    assert "“ratings.csv” is empty." in page
    assert not Upload.objects.exists()


def test_the_same_files_sent_twice_are_one_upload(here: Client) -> None:
    addresses = set()
    for _time in range(2):
        addresses.add(
            here.post(ADDRESSES[0], sent(items=ITEMS, ratings=RATINGS)).headers["Location"]
        )
    assert len(addresses) == 1


def test_files_beyond_what_a_form_may_hold_are_told_of(here: Client) -> None:
    answer = here.post(ADDRESSES[0], many(101))
    assert answer.status_code == 400
    assert "had more than 100 files" in answer.content.decode()


# --- by the command ---


def test_the_command_takes_several_files(project: Project, tmp_path: Path) -> None:
    paths = [tmp_path / "items.csv", tmp_path / "ratings.csv"]
    paths[0].write_bytes(ITEMS)
    paths[1].write_bytes(RATINGS)
    words = r"Or join them: --part ratings\.csv --join items\.csv=id$"
    with pytest.raises(CommandError, match=words):
        call_command("import_batch", "p", *paths)
    join = ["--part", "ratings.csv", "--join", "items.csv=id", "--make-rubric", "--yes"]
    call_command("import_batch", "p", *paths, *join, verbosity=0)
    assert scores() == [("a", 3), ("a", 5), ("b", 4), ("b", 2)]


def test_the_command_names_a_file_that_is_missing_or_cannot_be_read_with_others(
    project: Project, tmp_path: Path
) -> None:
    items, notes = tmp_path / "items.csv", tmp_path / "notes.docx"
    items.write_bytes(ITEMS)
    with pytest.raises(CommandError, match=r"notes\.docx: No such file or directory"):
        call_command("import_batch", "p", items, notes)
    notes.write_bytes(b"PK")
    with pytest.raises(CommandError, match=r"“notes\.docx” is no file of items or ratings"):
        call_command("import_batch", "p", items, notes)


# --- in the browser ---


@pytest.mark.parametrize(
    ("start", "script"),
    [("Add items", True), ("New project", False)],
    ids=["with JavaScript", "without"],
)
def test_a_lead_chooses_two_files_at_once(
    new_context: Callable[..., BrowserContext], tmp_path: Path, start: str, script: bool
) -> None:
    make_project(slug="p", title="Towns", leads=[make_user(name="lea")])
    paths = [tmp_path / "items.csv", tmp_path / "ratings.csv"]
    paths[0].write_bytes(ITEMS)
    paths[1].write_bytes(RATINGS)
    page = new_context(java_script_enabled=script).new_page()
    log_in(page, "lea")

    def wait_for_worker() -> None:
        expect(page.get_by_role("heading", name="The file waits")).to_be_visible()
        work_on_files()
        again = page.get_by_role("link", name="Look again")
        if not script:
            again.click()
        expect(again).to_have_count(0)

    page.goto("/projects/p/" if start == "Add items" else "/")
    page.get_by_role("link", name=start).first.click()
    page.get_by_label("File", exact=True).set_input_files(paths)
    page.get_by_role("button", name=re.compile("^(Upload|Look at the file)$")).click()
    wait_for_worker()
    expect(page.get_by_label("With the columns of")).to_have_value("items.csv")
    page.get_by_role("button", name="Read the file again").click()
    wait_for_worker()
    expect(page.get_by_text("by “id”", exact=False).first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Import ")).click()
    wait_for_worker()
    expect(page.get_by_role("heading", name="Imported as batch")).to_be_visible()
    assert Item.objects.count() == 2
