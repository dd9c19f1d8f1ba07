"""How a rubric begins: from one that is there, a file, prose, or nothing; and the list of them."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.shipped import GALLERY, SLUGS, shipped
from rubrics.documents.yaml_lines import in_yaml
from rubrics.models import Rubric, RubricDraft
from tests.cases import cases
from tests.factories import NOW, make_project, make_rubric, make_user, rubric_document
from tests.made_rubrics import LOW, document as made, tick

pytestmark = pytest.mark.django_db
START = "/rubrics/new/"


@pytest.fixture
def lea(client: Client) -> User:
    """She leads a project, and is logged in."""
    lea = make_user(name="lea")
    make_project(slug="eggs", leads=[lea])
    client.force_login(lea)
    return lea


def words(response: Any) -> str:
    text = re.sub(r"<[^>]+>", " ", response.content.decode().partition("<main")[2])
    return re.sub(r"\s+", " ", html.unescape(text))


def rows(response: Any) -> list[str]:
    """The rubrics of the tables of a page."""
    found = re.findall(r'<th scope="row".*?</tr>', response.content.decode(), re.DOTALL)
    return [
        re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", row))).strip() for row in found
    ]


def started(client: Client, **entered: Any) -> RubricDraft:
    """The draft that a form starts, to which it leads."""
    response = client.post(START, entered)
    draft = RubricDraft.objects.get()
    assert response.headers["Location"] == f"/rubric-drafts/{draft.pk}/"
    return draft


def refused(client: Client, **entered: Any) -> str:
    response = client.post(START, entered)
    assert response.status_code == 200
    assert not RubricDraft.objects.exists()
    return words(response)


# --- who may ---


@cases("address", ["/rubrics/", START])
@cases("method", ["get", "post"])
def test_annotators_start_and_list_no_rubrics(db: None, address: str, method: str) -> None:
    ben = make_user()
    make_project(annotators=[ben])
    client = Client()
    client.force_login(ben)
    expected = 405 if (address, method) == ("/rubrics/", "post") else 403
    assert getattr(client, method)(address).status_code == expected


def test_the_start_page_leads_leads_to_the_rubrics(client: Client, lea: User) -> None:
    assert 'href="/rubrics/"' in client.get("/").content.decode()
    ben = make_user()
    make_project(annotators=[ben])
    client.force_login(ben)
    assert 'href="/rubrics/"' not in client.get("/").content.decode()


# --- from one that is there ---


def test_the_gallery_shows_what_ships_and_what_is_published_with_its_scale(
    client: Client, lea: User
) -> None:
    Rubric.objects.load(document.parse(made([], [])), by=lea, now=NOW)
    shown = rows(client.get(START))
    assert len(shown) == len(SLUGS) + len(GALLERY) + 1
    assert shown[0].startswith("Response quality ships with Evenhand")
    assert shown[0].endswith("1–7 1 Start Response quality")
    (own,) = [row for row in shown if row.startswith("Made")]
    assert own == "Made Made up. 1–5 1 Start Made"
    assert " classes 1 Start" in next(row for row in shown if row.startswith("XSTest"))
    assert "yes/no 1 " in next(row for row in shown if row.startswith("BeaverTails"))


def test_a_name_leads_to_the_page_of_a_stored_rubric_alone(client: Client, lea: User) -> None:
    page = client.get(START).content.decode()
    assert 'href="/rubrics/response-quality/1/"' in page  # of her project
    assert "/rubrics/summeval/" not in page


@cases(
    ("query", "titles"),
    [
        ("q=refusals", ["XSTest, refusals"]),
        ("q=SUMMARY+1–5", ["SummEval, summaries"]),
        ("q=nothing-has-this", []),
        ("q=dialogue&kind=2", ["Dialogue"]),
        ("q=dialogue&kind=1", []),
    ],
)
def test_the_gallery_is_searched_by_words_and_by_kind(
    client: Client, lea: User, query: str, titles: list[str]
) -> None:
    shown = rows(client.get(f"{START}?{query}"))
    assert [next((e for e in titles if row.startswith(e)), row) for row in shown] == titles


def test_a_shipped_rubric_is_copied_under_a_free_short_name(client: Client, lea: User) -> None:
    draft = started(client, way="copy", slug="summeval")
    assert draft.slug == "summeval-2"
    copied = document.dump(shipped("summeval")) | {"slug": "summeval-2"}
    assert draft.content == copied | {"language": "en", "checks": []}
    assert (draft.made_by, draft.is_by_program) == (lea, False)
    assert draft.report.faults == ()


def test_a_shipped_rubric_stays_the_programs_whoever_stored_it(client: Client, lea: User) -> None:
    Rubric.objects.load(shipped("summeval"), by=lea, now=NOW)
    assert Rubric.objects.free_slug("summeval", lea) == "summeval-2"


def test_a_long_short_name_keeps_room_for_its_number() -> None:
    content = made([], []) | {"slug": "a" * 73 + "-" + "b" * 6}
    Rubric.objects.load(document.parse(content), by=make_user(), now=NOW)
    assert Rubric.objects.free_slug(content["slug"], make_user()) == "a" * 73 + "-2"


def test_a_projects_rubric_is_copied_in_the_version_that_it_has(client: Client, lea: User) -> None:
    stored = make_rubric()
    page = client.get(START).content.decode()
    assert f'<option value="{stored.pk}">Response quality, version 1</option>' in page
    draft = started(client, way="copy", rubric=str(stored.pk))
    assert (
        draft.content["dimensions"]
        == document.dump(rubric_document("response-quality"))["dimensions"]
    )


@cases("sent", [{}, {"rubric": "999"}, {"rubric": "x"}, {"slug": "none"}])
def test_no_rubric_is_copied_that_is_not_there(client: Client, lea: User, sent: Any) -> None:
    refused(client, way="copy", **sent)


# --- from a file ---


def file(text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.yaml", text if isinstance(text, bytes) else text.encode())


def test_a_file_whose_parts_do_not_fit_together_yet_becomes_a_draft(
    client: Client, lea: User
) -> None:
    content = made([tick("b")], [LOW])
    draft = started(client, way="file", file=file(f"\ufeff{in_yaml(content)}"))
    assert draft.slug == "made"
    assert draft.content | {"dimensions": []} == {
        **(content | {"dimensions": []}),
        **{"language": "en", "checks": []},
    }
    assert [each.path[-2:] for each in draft.report.faults] == [("when", "all_of")]


@cases(
    ("sent", "says"),
    [
        ("title: x\nsumary: y\n", 'line 2: the document: "sumary" is not known here'),
        ("title: [", "line 1: a list in [ ]"),
        ("", "the document: expected a mapping"),
        ("title: Übung".encode("latin-1"), "The file is not in UTF-8."),
        (b"a" * 1_000_001, "the document has more than 1,000,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_lines_and_its_text_stays(
    client: Client, lea: User, sent: str | bytes, says: str
) -> None:
    page = refused(client, way="file", file=file(sent))
    assert says in page
    if isinstance(sent, str):
        assert sent.strip() in page.replace(" y", "\ny").replace("\ny", " y") or "sumary: y" in page


def test_a_refused_file_can_be_mended_in_the_form(client: Client, lea: User) -> None:
    draft = started(client, way="file", text=in_yaml(made([], [])))
    assert draft.content["title"] == "Made"


def test_annotators_upload_no_file(client: Client) -> None:
    ben = make_user()
    make_project(annotators=[ben])
    client.force_login(ben)
    assert client.post(START, {"way": "file", "file": file("a: b")}).status_code == 403


# --- from nothing, and from prose ---


@cases(
    ("title", "language", "slug"),
    [
        ("Support replies", "en", "support-replies"),
        ("支援", "zh-Hant", "rubric"),
        ("x" * 120, "de", "x" * 80),
    ],
)
def test_an_empty_draft_has_a_title_and_a_language(
    client: Client, lea: User, title: str, language: str, slug: str
) -> None:
    draft = started(client, way="empty", title=title, language=language)
    assert draft.content == {
        "slug": slug,
        "title": title,
        "summary": "",
        "language": language,
        "checks": [],
        "dimensions": [],
    }
    draft.delete()


@cases(
    "entered",
    [
        {"title": " ", "language": "de"},
        {"title": "T", "language": "x y"},
        {"title": "T" * 121, "language": "de"},
    ],
)
def test_a_refused_start_of_a_rubric_keeps_what_was_entered(
    client: Client, lea: User, entered: Any
) -> None:
    response = client.post(START, {"way": "empty", **entered})
    assert f'value="{entered["language"]}"' in response.content.decode()
    assert not RubricDraft.objects.exists()


ANSWER = """Sure:
```yaml
title: Replies
dimensions:
  - {title: Tone, question: Is it polite, lowest: 1, highest: 5}
  - {title: Truth, question: Is it true, lowest: 1, highest: 5 stars}
```
"""


def test_an_answer_is_shown_as_it_was_read_before_anything_is_stored(
    client: Client, lea: User
) -> None:
    page = refused(client, way="prose", answer=ANSWER)
    assert "1 of 2 dimensions read" in page
    assert "1 fault " in page
    assert "Tone 1–5" in page
    assert "Truth not read" in page
    assert "line 6: dimensions.truth.highest: expected a whole number, found '5 stars'" in page
    assert "Open it as a draft" in page


def test_the_readable_parts_of_an_answer_become_a_draft_that_names_its_writer(
    client: Client, lea: User
) -> None:
    draft = started(client, way="prose", answer=ANSWER, opens="on")
    assert draft.is_by_program
    assert [each["code"] for each in draft.content["dimensions"]] == ["tone"]
    assert "Not read: Truth." in client.get(f"/rubric-drafts/{draft.pk}/document/").content.decode()
    said = "Written by a program: read each part before you publish."
    assert said in client.get(f"/rubric-drafts/{draft.pk}/", follow=True).content.decode()
    RubricDraft.objects.update(is_by_program=False)
    assert said not in client.get(f"/rubric-drafts/{draft.pk}/", follow=True).content.decode()


@cases("answer", ["", "No.", "title: x\ndimensions: [1]"])
def test_an_answer_with_nothing_in_it_opens_nothing(client: Client, lea: User, answer: str) -> None:
    page = refused(client, way="prose", answer=answer, opens="on")
    assert "as a draft" not in page.partition("What was read")[2]


def test_prose_pasted_in_place_of_the_answer_is_told_from_it(client: Client, lea: User) -> None:
    prose = "Rate each reply from 1 to 5. A 5 is polite and true, a 1 is neither."
    page = refused(client, way="prose", answer=prose)
    assert "it is no answer to the instructions" in page
    assert "0 of 0 dimensions read" not in page
    assert "What was read of the answer appears here" in page


def test_the_instructions_hold_the_format_its_schema_and_an_example(
    client: Client, lea: User
) -> None:
    page = client.get(START).content.decode()
    (given,) = re.findall(r'<textarea id="instructions".*?>(.*?)</textarea>', page, re.DOTALL)
    text = html.unescape(given)
    for part in ("slug: help-desk", '"$ref": "#/$defs/Rubric"', "at least one score stays open"):
        assert part in text
    assert "{{" not in text


# --- the list ---


def draft_of(user: User, **content: Any) -> RubricDraft:
    return RubricDraft.objects.start(made([], []) | content, by=user, now=NOW)


def test_the_list_has_the_drafts_that_one_may_edit_and_who_changed_them_last(
    client: Client, lea: User
) -> None:
    other = make_user(name="otto")
    make_project(slug="hens", leads=[lea, other])
    own = draft_of(lea, title="Own")
    draft_of(other, slug="theirs")
    draft_of(make_user(), title="Hidden", slug="hidden")
    page = client.get("/rubrics/")
    assert rows(page)[:2] == [
        "Made theirs 1 2 Mar 2026, 09:00 otto Delete Made",
        "Own made 1 2 Mar 2026, 09:00 lea Delete Own",
    ] or rows(page)[:2] == [
        "Own made 1 2 Mar 2026, 09:00 lea Delete Own",
        "Made theirs 1 2 Mar 2026, 09:00 otto Delete Made",
    ]
    assert "Hidden" not in words(page)
    assert f'href="/rubric-drafts/{own.pk}/"' in page.content.decode()


@cases("content", [{"dimensions": 5}, {"dimensions": "x"}, {"title": None}, {"title": ["x"]}])
def test_a_draft_is_listed_whatever_stands_in_it(client: Client, lea: User, content: Any) -> None:
    draft = draft_of(lea)
    RubricDraft.objects.update(content=draft.content | content)
    (row,) = rows(client.get("/rubrics/"))[:1]
    assert "Delete" in row
    draft.delete()


def test_a_person_publishes_new_versions_of_own_short_names_alone(
    client: Client, lea: User
) -> None:
    Rubric.objects.load(document.parse(made([], [])), by=lea, now=NOW)
    other = make_user()
    Rubric.objects.load(document.parse(made([], []) | {"slug": "theirs"}), by=other, now=NOW)
    Rubric.objects.load(shipped("summeval"), by=lea, now=NOW)
    own = [row for row in rows(client.get("/rubrics/")) if "New version" in row]
    assert [row.split()[1] for row in own] == ["made"]
    assert started(client, way="copy", rubric=str(Rubric.objects.newest("made").pk)).slug == "made"


def test_the_list_has_the_newest_version_of_each(client: Client, lea: User) -> None:
    for highest in (4, 5):
        Rubric.objects.load(document.parse(made([], [], highest)), by=lea, now=NOW)
    assert [row for row in rows(client.get("/rubrics/")) if row.startswith("Made")] == [
        "Made made 2 2 Mar 2026 New version Made"
    ]


def test_the_list_takes_as_many_queries_whatever_it_lists_and_no_content(
    client: Client, lea: User
) -> None:
    counts = []
    for number in (1, 2):
        for _ in range(number):
            draft_of(lea)
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert client.get("/rubrics/").status_code == 200
        counts.append(len(found))
        assert not any('"readable"' in each["sql"] for each in found)
    assert counts[0] == counts[1]


# --- deleting ---


def test_a_draft_is_deleted_after_one_question(client: Client, lea: User) -> None:
    draft = draft_of(lea)
    address = f"/rubric-drafts/{draft.pk}/delete/"
    assert "Delete “Made”?" in words(client.get(address))
    assert RubricDraft.objects.exists()
    response = client.post(address, follow=True)
    assert not RubricDraft.objects.exists()
    assert response.redirect_chain == [("/rubrics/", 302)]
    assert "The draft “Made” is deleted." in response.content.decode()


def test_a_stranger_deletes_no_draft(client: Client, lea: User) -> None:
    draft = draft_of(make_user())
    assert client.get(f"/rubric-drafts/{draft.pk}/delete/").status_code == 404
    assert client.post(f"/rubric-drafts/{draft.pk}/delete/").status_code == 404
    assert RubricDraft.objects.exists()


def test_a_list_of_many_templates_reads_no_rubric_in_full(
    client: Client, lea: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = made([], [])
    for number in range(40):
        Rubric.objects.load(document.parse(content | {"slug": f"r{number}"}), by=lea, now=NOW)
    make_project(leads=[lea])
    monkeypatch.setattr(
        "rubrics.models.published_rubrics._schema_of", {}.__getitem__
    )  # raises for all of them
    for address in ("/projects/new/", "/rubrics/new/"):
        assert client.get(address).content.decode().count("Made") >= 40
