"""No one can ask for unbounded work: each page refuses its worst document, or shows a part of it.

The limits count steps and values. These tests ask the pages, and end those that no limit ends.
"""

from __future__ import annotations

import gc
import html
import re
import resource
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from typing import Any
from unittest import mock
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from openpyxl import Workbook

from annotators.models import User
from rubrics.documents import proof
from rubrics.documents.document import dump, read
from rubrics.documents.shipped import GALLERY, SLUGS, shipped
from rubrics.documents.wellformed import MOST_ANSWERS
from rubrics.documents.yaml_lines import DocumentError, in_yaml
from rubrics.judging.open_scores import MOST_WORK, open_scores
from rubrics.judging.schema import Rubric as Schema
from rubrics.models import Rubric, RubricDraft
from rubrics.pages.line_differences import lines_between
from tasks.models import Upload
from tests.factories import make_project, make_user
from tests.made_rubrics import Content, document, question, rule, tick

# A page may take as much CPU as so many pieces of work: some 4 s on an idle core. The slowest takes
# half of it. A busy machine slows the pieces down, too.
MOST_PIECES = 100


def _forget(*_parts: object, **_more: object) -> None:
    """Keep nothing, not even the call, as a mock would."""


@pytest.fixture(autouse=True)
def _pages_alone_are_measured() -> Iterator[None]:
    """Keep no copy of the context of each row, as Django's client does for each template."""
    with mock.patch("django.test.client.store_rendered_templates", _forget):
        yield


@pytest.fixture
def here(client: Client) -> Client:
    """A browser of somebody who leads a project, before a process that has proved nothing yet."""
    lea = make_user(name="lea")
    make_project(slug="p", leads=[lea])
    client.force_login(lea)
    client.get("/rubrics/")  # what a process does once
    for remembered in (proof._proved, proof.meeting_forces, open_scores):
        remembered.cache_clear()
    return client


def words(answer: Any) -> str:
    """Return the words of a page or of a file."""
    content = answer.getvalue() if answer.streaming else answer.content
    return html.unescape(re.sub(r"<[^>]+>", " ", content.decode()))


def give_up(_signal: int, _frame: object) -> None:
    pytest.fail(f"no limit ended it within {MOST_PIECES} pieces of work")


LAST_PIECES: deque[float] = deque(maxlen=5)


def seconds_of_a_piece() -> float:
    """Return the CPU that a piece of work takes here and now, the middle one of the last five.

    Each call does one piece, and the first call all five.
    """
    for _piece in range(max(1, 5 - len(LAST_PIECES))):
        start = time.thread_time()
        words_by_number = {str(number): number for number in range(80_000)}
        sorted(words_by_number, key=words_by_number.__getitem__, reverse=True)
        LAST_PIECES.append(time.thread_time() - start)
    return sorted(LAST_PIECES)[2]


def within(ask: Callable[[], Any]) -> Any:
    """Ask for a page."""
    gc.freeze()  # what other tests left, which no request has to look through
    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_PIECES * seconds_of_a_piece())
    try:
        answer = ask()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        gc.unfreeze()
    assert answer.status_code in (200, 302)
    return answer


def draft_of(content: Content, *, by: Client) -> RubricDraft:
    """Store a draft as it may stand there, of an older version too."""
    lea = User.objects.get(pk=by.session["_auth_user_id"])
    return RubricDraft.objects.create(
        slug=content["slug"],
        content={"language": "en", "checks": [], **content},
        readable={"language": "en", "checks": [], **content},
        revision=2,
        made_by=lea,
        made_at=timezone.now(),
        changed_by=lea,
        changed_at=timezone.now(),
    )


# --- the worst documents ---


def pigeons(number: int, holes: int) -> Content:
    """Each pigeon is in a hole, and no two in the same: for more pigeons than holes never."""
    asked = [question(f"p{a}", *(f"p{a}_h{h}" for h in range(holes))) for a in range(number)]
    apart = [
        rule(f"h{h}_{a}_{b}", "exclude", {"all_of": [f"p{a}_h{h}"]}, against=[f"p{b}_h{h}"])
        for h in range(holes)
        for a in range(number)
        for b in range(a + 1, number)
    ]
    return document(asked, apart)


def hard() -> Content:
    """Many dimensions, of which each is hard to prove."""
    content = pigeons(6, 5)
    (one,) = content["dimensions"]
    return content | {"dimensions": [one | {"code": f"d{number}"} for number in range(11)]}


def chained() -> Content:
    """Questions that are asked only after five others."""
    asked = [question(f"q{number}", f"y{number}", f"n{number}") for number in range(30)]
    later = [tick(f"z{n}", when={"all_of": [f"y{m}" for m in range(5)]}) for n in range(20)]
    return document([*asked, *later], [rule("r", "cap", {"any_of": ["y1"]}, score=2)])


TICKS = [f"t{number}" for number in range(190)]


def rules(number: int, names: list[str] | None = None) -> Content:
    """Rules that each name a tick in turn, or all of these."""
    made = [
        rule(f"r{n}", "cap", {"any_of": names or [TICKS[n % len(TICKS)]]}, score=1 + n % 4)
        for n in range(number)
    ]
    return document([tick(code) for code in TICKS], made)


def answers() -> Content:
    """The answers that a rubric may have, to one question."""
    asked = question("q", *(f"y{number}" for number in range(MOST_ANSWERS)))
    return document([asked], [rule("r", "cap", {"any_of": ["y1"]}, score=2)])


def long() -> Content:
    return document([], []) | {"summary": "b " * 480_000}


# The first page proves the document, and is bounded with that; the others do all else that they do.
PAGES = ("parts/quality/", "document/", "document.yaml", "publish/")
# The pages of what could be read once. Another draft leads from every other form to its document.
READ = (
    *("scores/", "try/1/panel/", "parts/about/", "parts/checks/", "parts/quality.checks/"),
    *("parts/quality.rules/", "parts/quality.examples/"),
)
MOST = {
    "rules of one name": rules(490),
    "rules of all names": rules(45, TICKS),
    "more rules than a document may have": rules(200, TICKS),
    "pigeons": pigeons(9, 8),
    "chained": chained(),
    "answers": answers(),
    "long": long(),
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", MOST)
def test_each_page_of_a_draft_ends_in_time(here: Client, name: str) -> None:
    draft = draft_of(MOST[name], by=here)
    is_beyond = draft.last_readable is None
    for page in PAGES if is_beyond else (*PAGES, *READ):
        within(partial(here.get, f"/rubric-drafts/{draft.pk}/{page}"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content", [rules(490), pigeons(9, 8), hard(), long()], ids=lambda _each: ""
)
def test_a_document_is_compared_and_takes_the_place_of_a_draft_in_time(
    here: Client, content: Content
) -> None:
    draft = draft_of(rules(490, TICKS[:1]), by=here)
    address, text = f"/rubric-drafts/{draft.pk}/document/", in_yaml(content)
    page = words(within(lambda: here.post(address, {"text": text})))
    assert "differ" in page
    within(lambda: here.post(address, {"text": text, "revision": "2", "replaces": "on"}))
    within(lambda: here.post("/rubrics/new/", {"way": "file", "text": text}))


@pytest.mark.django_db
def test_rules_that_no_proof_ends_for_are_not_published_with_a_sentence(here: Client) -> None:
    draft = draft_of(pigeons(9, 8), by=here)
    sent = {"changes": "New.", "is_read": "on"}
    page = words(within(lambda: here.post(f"/rubric-drafts/{draft.pk}/publish/", sent)))
    assert re.search(r"did not prove that .*; write fewer or simpler rules", page)


@pytest.mark.django_db
def test_a_part_is_not_saved_that_makes_the_document_too_large(here: Client) -> None:
    draft = draft_of(rules(490), by=here)
    for part, more in (("quality.checks", "x"), ("about", "[" + "a, " * 9_000 + "]")):
        address = f"/rubric-drafts/{draft.pk}/parts/{part}/"
        sent = {"title": "Larger", "more": f"clauses: {more}", "0.more": "'" * 1_100_000}
        within(lambda address=address, sent=sent: here.post(address, sent))  # type: ignore[misc]
        page = here.get(f"/rubric-drafts/{draft.pk}/document/")
        assert draft.content["title"] in words(page)
    draft.refresh_from_db()
    assert draft.revision == 2


@pytest.mark.django_db
def test_a_part_that_fits_no_form_once_it_is_saved_leads_to_the_document(here: Client) -> None:
    draft = draft_of(rules(26), by=here)
    address = f"/rubric-drafts/{draft.pk}/parts/quality.rules/"
    rows = {f"{n}.{k}": v for n in range(27) for k, v in (("reason", "So."), ("effect", "cap"))}
    shown = re.search(r'name="shown" value="(\w+)"', here.get(address).content.decode())
    assert shown
    answer = within(lambda: here.post(address, {**rows, "shown": shown[1]}))
    assert (answer.status_code, answer.url) == (302, address)
    assert within(lambda: here.get(address)).url.endswith("/document/")
    draft.refresh_from_db()
    assert len(draft.content["dimensions"][0]["rules"]) == 27


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["", ".5"])
def test_a_number_to_the_base_of_60_is_refused(here: Client, end: str) -> None:
    sent = {"way": "file", "text": "a: 1" + ":59" * 300_000 + end}
    page = words(within(lambda: here.post("/rubrics/new/", sent)))
    assert "this number or date can’t be read; put it in quotes" in page


@pytest.mark.django_db
def test_thousands_of_lines_are_not_compared_line_by_line(here: Client) -> None:
    lines = ["".join(f"- {n % most}\n" for n in range(30_000)) for most in (300, 301)]
    before, after = (document([], []) | {"summary": text} for text in lines)
    address = f"/rubric-drafts/{draft_of(before, by=here).pk}/document/"
    page = words(within(lambda: here.post(address, {"text": in_yaml(after)})))
    assert "So many lines differ" in page
    assert lines_between(["a"] * 30_000, [*["a"] * 30_000, "new"])[-1:] == ["+new"]  # type: ignore[index]


@pytest.mark.django_db
def test_thousands_of_parts_in_another_order_are_listed(here: Client) -> None:
    guidance = [{"code": f"g{n}", "title": "T", "text": "x"} for n in range(2_400)]
    published = draft_of(document([], []) | {"guidance": guidance}, by=here)
    published.publish(changes="", by=published.made_by, now=timezone.now())
    draft = draft_of(document([], []) | {"guidance": guidance[::-1]}, by=here)
    page = words(within(lambda: here.get(f"/rubric-drafts/{draft.pk}/changes/")))
    assert page.count("guidance “T”") >= 2_399


@pytest.mark.django_db
def test_prose_with_much_guidance_is_read_with_fewer_dimensions(here: Client) -> None:
    entries = "".join(f"- {{code: g{n}, title: T, text: x, clauses: [a]}}\n" for n in range(1_200))
    parts = "".join(f"- {{title: D{n}, lowest: 1, highest: 5, question: Q}}\n" for n in range(50))
    text = f"title: T\nguidance:\n{entries}dimensions:\n{parts}"
    page = words(within(lambda: here.post("/rubrics/new/", {"way": "prose", "answer": text})))
    assert "are read" in page


@pytest.mark.django_db
def test_a_list_of_templates_with_318_rubrics_ends_in_time(here: Client) -> None:
    one = shipped("response-quality")
    columns = {k: v for k, v in dump(one).items() if k != "slug"}
    Rubric.objects.bulk_create(
        Rubric(**columns, slug=f"rubric-{n}", version=1, published_at=timezone.now())
        for n in range(318)
    )
    for address in ("/projects/new/", "/rubrics/new/", "/rubrics/"):
        within(lambda address=address: here.get(address))  # type: ignore[misc]


def wide() -> bytes:
    """Return a workbook whose rows end in the last column."""
    rows = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="XFD{n}"/></row>' for n in range(1, 150_000)
    )
    made, file = BytesIO(), BytesIO()
    Workbook().save(made)
    with ZipFile(made) as before, ZipFile(file, "w", ZIP_DEFLATED) as after:
        for name in before.namelist():
            text = before.read(name)
            if name == "xl/worksheets/sheet1.xml":
                data = f"<sheetData>{rows}</sheetData>".encode()
                text = re.sub(rb"<sheetData ?/>|<sheetData></sheetData>", data, text)
                assert len(text) > len(data)
            after.writestr(name, text)
    return file.getvalue()


@pytest.mark.django_db
@pytest.mark.usefixtures("unpacking_process")
def test_a_workbook_whose_rows_end_in_the_last_column_is_left_to_the_worker(here: Client) -> None:
    file = SimpleUploadedFile("wide.xlsx", wide())
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    answer = within(lambda: here.post("/projects/p/upload/", {"file": file}))
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == start  # nothing is unpacked
    assert answer.status_code == 302
    assert Upload.objects.get().asked


@pytest.mark.parametrize("slug", [*SLUGS, *GALLERY])
def test_the_tables_of_a_shipped_rubric_are_whole(slug: str) -> None:
    rubric: Schema = shipped(slug)
    for dimension in rubric.dimensions:
        assert open_scores(dimension, MOST_WORK // len(rubric.dimensions) // 2).is_whole


def test_thousands_of_unknown_names_are_told_up_to_a_limit() -> None:
    ticks = [tick(f"tick_number_{number}") for number in range(900)]
    named = [f"no_such_tick_{number}" for number in range(4_000)]
    text = in_yaml(document(ticks, [rule("r", "cap", {"any_of": named}, score=2)]))
    with pytest.raises(DocumentError) as refused:
        read(text)
    assert len(refused.value.faults) <= 1_001
