"""A lead adds items: the page of a file shows what it holds, and then it is imported."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotators.models import User
from tasks.importing.columns.layouts import LAYOUTS
from tasks.importing.files.rows import MOST_KINDS
from tasks.lead_pages import file_form
from tasks.models import Batch, Item, Membership, Project, Rating, Upload, UploadBlock, stored_files

from ..factories import (
    make_membership,
    make_project,
    make_user,
)
from .import_steps import (
    lines,
    load_uploads,
    shown_in,
)

ROOT = Path(__file__).resolve().parents[2]
ADVICE_ON_ROWS = (
    "rows with the same id are one item: give them the same item data, or give each row its own id"
)


@pytest.fixture
def project(lead: User) -> Project:
    return make_project(slug="p", title="Tides & <moons>", leads=[lead], wanted=2)


@pytest.fixture
def here(client: Client, lead: User, project: Project) -> Client:
    """A browser in which the project's lead has logged in."""
    client.force_login(lead)
    return client


GOOD = lines(
    {"id": "a", "prompt": "Why?", "response": "So."},
    {"id": "b", "prompt": "How?", "response": "Thus."},
)
BAD = b"id,prompt,response\na,p,=1\n,p,r\nb,p,r\n,q,r\n"


def upload(client: Client, content: bytes, *, name: str = "items.jsonl") -> Any:
    """Upload a file, and have it read."""
    answer = client.post("/projects/p/upload/", {"file": SimpleUploadedFile(name, content)})
    load_uploads()
    return answer


def page_of(client: Client, content: bytes, **fields: str) -> str:
    """Upload a file; return its own page."""
    response = upload(client, content, **fields)
    assert response.headers["Location"] == address()
    return page(client)


def page(client: Client) -> str:
    return str(client.get(address()).content.decode())


def imported(client: Client, content: bytes, *, name: str = "items.jsonl", **fields: str) -> Batch:
    """Upload a file and import it as its page proposes."""
    upload(client, content, name=name)
    act(client, "import", **fields)
    batch = Upload.objects.latest("pk").batch
    assert batch
    return batch


def address() -> str:
    return f"/projects/p/upload/{Upload.objects.latest('pk').pk}/"


def act(client: Client, name: str, **fields: str) -> Any:
    """Press a button of the last file's page, and have done what it asks."""
    answer = client.post(address(), shown_in(Upload.objects.latest("pk")) | {"act": name} | fields)
    load_uploads()
    return answer


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


def rows_of(page: str) -> list[list[str]]:
    """The cells of the rows in a page's table of faults, without their markup."""
    return [
        [
            " ".join(re.sub(r"<[^>]+>", "", cell).split())
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", page.partition('class="bad-lines"')[2], re.S)
    ]


# --- a file without a fault ---


def test_a_file_without_a_fault_is_a_batch_by_one_click(here: Client, lead: User) -> None:
    seen = page_of(here, GOOD)
    assert "2 items, each with one response." in seen
    assert not Batch.objects.exists()
    act(here, "import", batch="first")
    batch = Batch.objects.get()
    assert (batch.name, batch.file_name, batch.created_by) == ("first", "items.jsonl", lead)
    assert list(batch.items.values_list("external_id", flat=True)) == ["a", "b"]
    assert "Imported as batch “first”" in page(here)
    assert not UploadBlock.objects.exists()  # the file is deleted


def test_a_large_file_is_taken_from_disk(here: Client, settings: Any) -> None:
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    imported(here, GOOD)
    assert Item.objects.count() == 2


def test_a_long_name_of_a_file_is_cut_to_name_a_batch(here: Client) -> None:
    assert imported(here, GOOD, name="x" * 240 + ".jsonl").name == "x" * 200


def test_before_a_worker_reads_a_file_its_page_shows_the_beginning(here: Client) -> None:
    file = SimpleUploadedFile("items.jsonl", GOOD)
    here.post("/projects/p/upload/", {"file": file})
    seen = page(here)
    assert "2 items, each with one response." in seen
    assert "The file waits" in seen


# --- a dry run ---


def test_faulty_rows_of_an_upload_are_listed_and_nothing_is_loaded(here: Client) -> None:
    bad = lines(
        {"id": "c", "prompt": 5, "response": "<b>"},
        {"id": "a", "prompt": "<script>", "response": ""},
    )
    page = page_of(here, GOOD + bad)
    assert "3 rows can’t be loaded" in page
    assert rows_of(page) == [
        ["Line", "Column", "Value", "Reason", "What to do"],
        ["1", "id", "&quot;a&quot;", "is also the id of line 4, which has an error",
         "fix that line; an item is loaded with all its rows or not at all"],
        ["3", "prompt", "5", "is a number, not a text", "write a text, in quotes"],
        ["4", "prompt", "&quot;&lt;script&gt;&quot;",
         "differs from line 1, which has the same id", ADVICE_ON_ROWS],
    ]  # fmt: skip
    assert not Batch.objects.exists()


def test_the_first_items_are_shown_as_annotators_will_see_them(here: Client) -> None:
    entries = [
        {"id": f"i{n}", "prompt": f"Why {n}?", "response": "*So.*", "topic": "tides"}
        for n in range(5)
    ]
    entries[3]["response"] = "Because. " * 50
    entries[4]["response"] = "\u200b"
    page = page_of(here, lines(*entries, {"id": "x"}))
    seen, metadata = re.findall(
        r'<div class="preview"(.*?)</div>\s*<details class="metadata">(.*?)</details>', page, re.S
    )[0]
    assert "Why 0?" in seen
    assert "tides" not in seen
    assert re.search(r"Kept as metadata.*<dt>topic</dt>\s*<dd[^>]*>tides</dd>", metadata, re.S)
    assert re.findall(r'name="shown"[^>]*>\s*<summary>([^<]+)</summary>', page) == [
        "Item 1",
        "Item 2",
        "Item 3",
        "The longest",
        "The first with an empty response",
    ]
    assert "Why 3?" in page.partition("<summary>The longest")[2]
    assert "1 response is empty" in page
    assert "<em>So.</em>" in page
    assert "empty response</p>" in page.partition("<summary>The first with an empty")[2]
    assert not Item.objects.exists()


def test_items_whose_prompt_is_empty_are_told_before_the_import(here: Client) -> None:
    rows = "id;prompt;response_a;response_b\r\na;;One;Two\r\nb;Why?;Three;Four\r\nc; ;Five;Six\r\n"
    page = page_of(here, f"\ufeff{rows}".encode(), name="sheet.csv")
    words = " ".join(page.split())
    assert '2 prompts are empty. <span class="quiet">a, c </span>' in words
    assert not Item.objects.exists()


def test_pictures_among_the_letters_are_counted_and_are_no_fault(here: Client) -> None:
    picture = f"![photo](data:image/jpeg;base64,{'R0lGODlhAQAB' * 9})"
    rows = f"id\tprompt\tresponse_a\tresponse_b\na\t{picture}\tOne\t{picture}\nb\tWhy?\tx\ty\n"
    told = "2 texts hold a file as letters (base64), such as a picture"
    page = page_of(here, rows.encode(), name="sheet.tsv")
    assert told in " ".join(page.split())
    assert "can’t be loaded" not in page
    row = {"id": "c", "prompt": picture, "response": "So.", "context": picture}
    assert told in " ".join(page_of(here, lines(row)).split())


def test_of_lines_that_are_wrong_alike_three_are_shown_and_all_are_in_the_csv(here: Client) -> None:
    blank = {"id": "", "prompt": "Why?", "response": "So."}
    page = page_of(here, lines(blank) * 2_000 + lines(blank | {"id": "c", "response": 5}))
    assert "2,001 rows can’t be loaded" in page
    rows = rows_of(page)
    assert [row[0] for row in rows] == ["Line", "1", "2", "3", "", "2,001"]
    told = "1,997 more rows are wrong like that (lines 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, …)"
    assert rows[4] == ["", told]
    faults = here.get(f"{address()}faults.csv")
    assert faults.headers["Content-Disposition"] == 'attachment; filename="items.faults.csv"'
    listed = list(csv.DictReader(io.StringIO(faults.getvalue().decode())))
    assert len(listed) == 2_001
    assert listed[0] == {
        "line": "1",
        "column": "id",
        "value": '""',
        "reason": "is blank",
        "advice": "give every item an id of its own",
    }


def test_no_more_kinds_of_faults_are_shown_than_one_can_read(here: Client) -> None:
    bad = lines(*({"id": "c", "prompt": "", "response": "r", f"n{n}": "\0"} for n in range(150)))
    rows = rows_of(page_of(here, bad))
    assert len(rows) == MOST_KINDS + 2
    assert rows[-1] == ["", "50 more rows are wrong in other ways"]


def test_any_line_of_an_upload_can_be_shown(here: Client) -> None:
    page = page_of(here, lines({"id": "\ud800", "\udfff<i>\0": "\0"}) + b'{"x": "\xff\n')
    assert "<i>" not in page


@pytest.mark.parametrize("levels", [300, 600, 900])
def test_a_row_that_is_nested_deeply_is_a_bad_row(here: Client, levels: int) -> None:
    deep = b"[" * levels + b"]" * levels
    bad = b'{"id": "c", "prompt": "Why?", "response": "So.", "deep": ' + deep + b"}\n"
    shown = page_of(here, GOOD + bad)
    assert "nested" in shown
    act(here, "import")
    assert [item.external_id for item in Item.objects.order_by("pk")] == ["a", "b"]


def test_formulas_in_the_csv_are_defused(here: Client) -> None:
    page_of(here, b"id,prompt,response,=x\na,p,r,\0\n", name="items.csv")
    (row,) = csv.DictReader(io.StringIO(here.get(f"{address()}faults.csv").getvalue().decode()))
    assert row["column"] == "'=x"


def test_the_page_shows_all_that_annotators_read_and_marks_where_a_long_text_is_cut(
    here: Client,
) -> None:
    whole = {"id": "a", "prompt": "Why?", "response": "x" * 20_001, "reference": "By the moon."}
    page = page_of(here, lines(whole | {"source": "An atlas"}, {"id": ""}))
    assert "By the moon." in page
    assert "An atlas" in page
    assert f"{'x' * 20_000} …" in page
    assert "x" * 20_001 not in page


# --- the lead decides ---


def test_the_good_rows_come_in_when_the_lead_says_so(here: Client) -> None:
    assert "Import 2 items" in page_of(here, BAD, name="items.csv")
    act(here, "import")
    seen = page(here)
    assert "Imported as batch “items”" in seen
    assert "2 rows were left out" in seen
    assert "As annotators will see it" not in seen
    assert [row[0] for row in rows_of(seen)] == ["Line", "3", "5"]
    assert here.get(f"{address()}faults.csv").getvalue().count(b"\n") == 3
    assert list(Item.objects.values_list("external_id", flat=True)) == ["a", "b"]
    assert 'value="import"' not in seen


def test_the_name_and_the_warning_that_stand_there_at_the_import_are_taken(here: Client) -> None:
    page_of(here, BAD, name="items.csv")
    act(here, "import", batch="mine", warning="Sad.")
    assert Batch.objects.values_list("name", "warning").get() == ("mine", "Sad.")


def test_a_file_is_imported_once_however_often_one_clicks(here: Client) -> None:
    page_of(here, BAD, name="items.csv")
    act(here, "import")
    act(here, "import")
    assert "Imported as batch “items”" in page(here)
    assert Item.objects.count() == 2


def test_a_file_that_would_come_in_otherwise_than_shown_is_shown_again(here: Client) -> None:
    page_of(here, BAD, name="items.csv")
    own = Upload.objects.get()
    imported(here, b"id,prompt,response\na,p,other\n", name="meanwhile.csv")
    here.post(own.address, shown_in(own) | {"act": "import"})
    load_uploads()
    page = here.get(own.address).content.decode()
    assert "The project has changed since the file was read. Look at the file again." in page
    assert "is already in the project, in batch" in page
    assert "Import 1 item" in page
    assert Item.objects.count() == 1


def test_an_upload_is_imported_as_shown_although_another_batch_maps_its_columns_otherwise(
    here: Client,
) -> None:
    rows = [{"question": f"Why {number}?", "answer": "So.", "note": "n"} for number in range(2)]
    page_of(here, lines(*rows))
    first = Upload.objects.get()
    page_of(here, lines(*(row | {"answer": "Thus."} for row in rows)), name="other.jsonl")
    act(here, "read", **{"use-2": "context"})
    act(here, "import")
    here.post(first.address, shown_in(first) | {"act": "import"})
    load_uploads()
    first.refresh_from_db()
    assert first.batch
    assert {item.context for item in first.batch.items.all()} == {""}


def test_criteria_that_an_item_brings_are_told_of_at_once(here: Client) -> None:
    row = {"id": "a", "prompt": "Why?", "response": "So.", "criteria": "Is it so?"}
    assert "criteria" in page_of(here, lines(row)).partition("</form>")[2]


def test_a_file_is_deleted(here: Client) -> None:
    page_of(here, BAD, name="items.csv")
    assert said(act(here, "delete")) == ["items.csv is deleted."]
    assert not Upload.objects.exists()


def test_a_file_in_windows_1252_is_read_again_as_such(here: Client) -> None:
    file = "id;prompt;response\na;é;€\n".encode("cp1252")
    assert "is not UTF-8" in page_of(here, file, name="items.csv")
    assert (
        "é"
        in here.get(act(here, "read", encoding="windows-1252").headers["Location"]).content.decode()
    )
    act(here, "import")
    assert Item.objects.get().messages == [{"role": "user", "text": "é"}]


def test_a_name_that_is_taken_is_chosen_anew_without_sending_the_file_again(here: Client) -> None:
    imported(here, GOOD, batch="first")
    page_of(here, lines({"id": "c", "prompt": "Who?", "response": "She."}))
    act(here, "import", batch="first")
    assert "choose another name" in page(here)
    act(here, "read", batch="second")
    act(here, "import")
    assert [*Batch.objects.values_list("name", flat=True)] == ["first", "second"]


def test_a_corrected_file_needs_no_other_name(here: Client) -> None:
    page_of(here, BAD, name="items.csv")
    act(here, "import")
    page_of(here, BAD.replace(b"\n,", b"\nc,", 1), name="items.csv")
    act(here, "import")
    assert [*Batch.objects.values_list("name", "size")] == [("items", 2), ("items 2", 1)]


# --- a file that cannot be imported ---


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("items.jsonl", b" \n", "items.jsonl holds no items; write one JSON object a line."),
        (
            "items.xml",
            b"<items/>",
            "items.xml is of a format that is not read; allowed are .csv, .tsv, ",
        ),
        ("items.jsonl", "{}\n".encode("utf-32"), "items.jsonl is UTF-32; save it as UTF-8"),
    ],
)
def test_a_file_that_is_no_file_of_items_is_refused(
    here: Client, name: str, content: bytes, message: str
) -> None:
    page = page_of(here, content, name=name)
    assert message in page
    assert 'value="import"' not in page


def test_the_same_file_again_is_refused_naming_the_batch(here: Client) -> None:
    imported(here, GOOD, batch="first")
    page = page_of(here, GOOD)
    assert "already in the project, as batch “first”" in page


def test_a_file_beyond_the_limit_is_refused_and_the_page_says_so(
    here: Client, settings: Any
) -> None:
    settings.UPLOAD_LIMIT = len(GOOD) - 1
    response = upload(here, GOOD)
    assert response.status_code == 200
    assert "The file is larger than" in response.content.decode()
    assert "have it loaded by manage.py import_batch" in response.content.decode()
    settings.UPLOAD_LIMIT = len(GOOD)
    assert upload(here, GOOD).status_code == 302


def test_a_file_that_the_command_would_refuse_too_is_to_be_split(
    here: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_form, "MOST_BYTES", len(GOOD) - 1)
    settings.UPLOAD_LIMIT = len(GOOD)
    page = upload(here, GOOD).content.decode()
    assert "The file is larger than" in page
    assert "Split it." in page
    assert "import_batch" not in page


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"batch": "first"}, "This field is required."),
        ({"file": SimpleUploadedFile("x.csv", b"")}, "“x.csv” is empty."),
    ],
)
def test_the_page_says_when_no_file_was_chosen(
    here: Client, fields: dict[str, Any], message: str
) -> None:
    response = here.post("/projects/p/upload/", fields)
    assert response.status_code == 200
    assert message in response.content.decode()


# --- languages ---


def test_faults_of_an_upload_are_in_the_language_of_its_lead(here: Client, lead: User) -> None:
    lead.language = "de"
    lead.save()
    file = (
        b'id,prompt,response\na,p,r\n,p,r\nb\na,q,r\nc,"p"x,r\n'
        + b"".join(b"d,p,r%d\n" % n for n in range(1_500))
        + b"d,s,r\n"
    )
    page = page_of(here, file, name="items.csv")
    told = {row[0]: row[1:] for row in rows_of(page)}
    assert told["3"] == ["id", "&quot;&quot;", "ist leer", "jeder Aufgabe eine eigene ID geben"]
    assert told["4"][2:] == [
        "hat 1 Zelle unter 3 Namen",
        "jeder Zeile so viele Zellen geben wie der Kopfzeile, auch leere; eine Zelle, die Kommas, "
        "Anführungszeichen oder Zeilenenden enthält, in Anführungszeichen setzen",
    ]
    assert told["5"][2] == "weicht von Zeile 2 ab, die dieselbe ID hat"
    assert told["6"][2] == "hat Text nach dem schließenden Anführungszeichen einer Zelle"
    assert told["57"][2] == "bringt die Aufgabe auf mehr als 50 Antworten"
    assert 'lang="de"' not in page.partition("<body")[2]
    faults = here.get(f"{address()}faults.csv").getvalue().decode()
    assert '3,id,"""""",ist leer,jeder Aufgabe eine eigene ID geben' in faults
    # On a page in another language the table says which language it is in: that of the file.
    lead.language = "fr"
    lead.save()
    page = here.get(address()).content.decode()
    assert '<td lang="de" dir="ltr">ist leer</td>' in page


def test_a_file_that_is_refused_as_a_whole_is_so_in_the_language_of_who_uploads_it(
    here: Client, lead: User
) -> None:
    lead.language = "fr"
    lead.save()
    page = page_of(here, b'{"items": [1', name="items.json")
    assert (
        "items.json n’est pas du JSON à la ligne 1\u202f: virgule ou crochet fermant attendu"
        in page
    )
    long = b"id,prompt,response\n" + b"x" * 1_234 + b",p,r\n"
    assert "fait 1\xa0234 caractères" in page_of(here, long, name="items.csv")


# --- who, and how long ---


def test_an_upload_is_for_who_sent_it_alone(here: Client, project: Project) -> None:
    page_of(here, BAD, name="items.csv")
    own = [address(), f"{address()}faults.csv"]
    other = make_user()
    make_membership(project=project, user=other, role=Membership.Role.LEAD)
    make_project(slug="q", leads=[other])
    for person in (other, make_user(admin=True)):
        client = Client()
        client.force_login(person)
        for each in own:
            assert client.get(each).status_code == 404
            assert client.get(each.replace("/p/", "/q/")).status_code == 404
        assert "items.csv" not in client.get("/projects/p/upload/").content.decode()
    assert [here.get(each).status_code for each in own] == [200, 200]
    project.memberships.filter(user__username="lea").delete()
    assert [here.get(each).status_code for each in own] == [404, 404]


def test_an_upload_is_found_again_for_a_day(here: Client) -> None:
    page_of(here, BAD, name="my items.csv")
    assert f'href="{address()}"' in here.get("/projects/p/upload/").content.decode()
    old = Upload.objects.get()
    Upload.objects.update(stored_at=old.stored_at - stored_files.LIFETIME - timedelta(seconds=1))
    assert "my items.csv" not in here.get("/projects/p/upload/").content.decode()
    assert here.get(address()).status_code == 404
    imported(here, GOOD)
    assert not Upload.objects.filter(pk=old.pk).exists()
    assert not UploadBlock.objects.exists()


def test_a_file_is_stored_in_blocks(here: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_files, "BLOCK", 20)
    page_of(here, BAD, name="items.csv")
    assert UploadBlock.objects.filter(kind="file").count() > 2
    act(here, "import")
    assert Item.objects.count() == 2


# --- files of another shape ---


EXAMPLES = ROOT / "fixtures" / "shapes"


def shape(client: Client, name: str) -> str:
    return page_of(client, (EXAMPLES / name).read_bytes(), name=name)


def uses(page: str) -> dict[str, str]:
    """What the page says that each column is."""
    names = re.findall(r"<code>([^<]+)</code></label>\s*</th>.*?</select>", page, re.S)
    chosen = re.findall(r'<select name="use-\d+".*?<option value="([^"]*)" selected>', page, re.S)
    return dict(zip(names, chosen, strict=True))


def fields(*paths: str) -> list[str]:
    """The names of the fields that say what some columns of the last file are."""
    columns = Upload.objects.latest("pk").report["columns"]
    return [f"use-{n}" for path in paths for n, each in enumerate(columns) if each["path"] == path]


def test_a_file_of_another_shape_is_imported_after_one_look(here: Client) -> None:
    page = shape(here, "response-list.jsonl")
    assert uses(page)["completions[*].response"] == "response"
    assert "2 items" in page
    assert not Batch.objects.exists()
    act(here, "import")
    item = Item.objects.earliest("position")
    assert item.responses.count() == 2
    assert Batch.objects.get().mapping.startswith("shape: columns\n")


def test_a_column_is_what_the_lead_says_that_it_is(here: Client) -> None:
    page = shape(here, "response-list.jsonl")
    names = list(uses(page))
    act(
        here,
        "read",
        shape="columns",
        **{f"use-{names.index(name)}": "unused" for name in ("models", "completions[*].model")},
    )
    assert uses(here.get(address()).content.decode())["completions[*].model"] == "unused"
    act(here, "import")
    assert {response.model for response in Item.objects.earliest("pk").responses.all()} == {""}


def test_a_changed_mapping_is_shown_before_its_file_is_imported(here: Client) -> None:
    page = shape(here, "response-list.jsonl")
    field = f"use-{list(uses(page)).index('completions[*].model')}"
    answer = act(here, "import", **{field: "unused"})
    assert answer.headers["Location"] == address()
    assert said(answer) == ["You changed how the file is read. Look at it again."]
    assert not Batch.objects.exists()
    assert uses(here.get(address()).content.decode())["completions[*].model"] == "unused"


def test_a_file_that_may_be_two_things_waits_until_the_lead_says_which(here: Client) -> None:
    page = shape(here, "per-model-near.csv")
    assert "what is it?" in page
    assert 'value="import"' not in page
    act(here, "import")
    assert not Batch.objects.exists()
    chosen = dict.fromkeys(fields("heron", "stork"), "response")
    act(here, "read", shape="columns", **chosen)
    act(here, "import")
    assert Batch.objects.get().size == 2


def test_a_column_that_is_not_decided_is_asked_about_and_the_import_waits(here: Client) -> None:
    entry = {"id": "a", "prompt": "Why?", "response": "So.", "response_2": "No."}
    page = page_of(here, lines(entry))
    assert "response_2" not in uses(page)
    assert "is it one more response to rate, or a reference that shows what is right?" in page
    assert 'value="import"' not in page
    act(here, "read", shape="own", **{"use-3": "response"})
    assert (
        "is it one more response to rate, or a reference that shows what is right?"
        not in here.get(address()).content.decode()
    )
    act(here, "import")
    assert Item.objects.get().responses.count() == 2


def test_a_group_of_columns_is_asked_about_once_and_one_answer_is_for_all(here: Client) -> None:
    names = [f"p{number}" for number in range(1, 13)]
    rows = [
        {"id": f"i{n}", "prompt": f"Why {n}?", "response": f"So {n}."}
        | {name: (n + place) % 5 + 1 for place, name in enumerate(names)}
        for n in range(12)
    ]
    page = page_of(here, lines(*rows))
    assert page.count("is it a person who rated?") == 1
    assert "<code>12 columns, p1 … p12</code>" in page
    [first] = fields("p1")
    act(here, "read", shape="own", **{first: "score"})
    act(here, "read", rubric="made")
    act(here, "import")
    assert Rating.objects.count() == 12 * 12


def test_a_doubt_who_rated_waits_for_a_yes(here: Client) -> None:
    rows = [
        {
            "id": f"i{n}",
            "prompt": f"Why {n}?",
            "response": f"So {n}.",
            "rater": name,
            "score": n + 1,
        }
        for n in range(6)
        for name in ("Anna", "gpt-4o")
    ]
    page = page_of(here, lines(*rows))
    assert "did people rate? These may be none: gpt-4o" in page
    assert 'value="import"' not in page
    act(here, "import")
    assert not Batch.objects.exists()
    [field] = fields("rater")
    act(here, "read", shape="own", **{field: "rater"})
    act(here, "read", rubric="made")
    act(here, "import")
    assert Rating.objects.count() == 12


def test_the_mapping_of_a_batch_is_proposed_for_the_next_file_with_its_columns(
    here: Client,
) -> None:
    entry = {"id": "a", "prompt": "Why?", "response": "So.", "Model": "heron"}
    page_of(here, lines(entry))
    act(here, "read", shape="own", **{"use-3": "model"})
    act(here, "import")
    page = page_of(here, lines(entry | {"id": "b"}), name="next.jsonl")
    assert uses(page)["Model"] == "model"
    assert "The columns are as in batch “items”." in page
    act(here, "import")
    assert Item.objects.count() == 2


def test_the_missing_columns_of_an_upload_are_named_at_once(here: Client) -> None:
    page = page_of(here, b"topic,notes\nx,y\n", name="items.csv")
    assert "Missing: the prompt, a response. Your columns: topic, notes." in page
    assert 'type="hidden" name="shape" value="columns"' in page  # there is no other


def test_the_page_has_an_example_of_each_shape_that_can_be_uploaded(here: Client) -> None:
    page = here.get("/projects/p/upload/").content.decode()
    found = re.findall(r'href="(/examples/\?shape=([\w-]+))"', page)
    assert {name for _address, name in found} == {*LAYOUTS} - {"columns"}
    for link, name in found:
        answer = here.get(link)
        assert answer.headers["Content-Disposition"].startswith(f'attachment; filename="{name}.')
        assert answer.getvalue()
    assert here.get("/examples/?shape=../README").status_code == 404
