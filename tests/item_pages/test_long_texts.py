"""Texts too long to lay out at once, and files within texts: what pages show, and what leads to all
of it."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser

from annotators.models import User
from rubrics.judging import plain_text, repetition
from tasks.models import Concern, Lease, Project, Rating
from tasks.text.diff import difference
from tasks.text.excerpt import excerpt_of
from tasks.text.render import plain, rendering
from tests.desk_steps import HTMX, scored, url
from tests.factories import make_batch, make_item, make_lease, make_user

LONG = "an egg " * 1_500_000  # 10 MB in one paragraph
DATA = base64.b64encode(bytes(range(256)) * 600).decode()  # 154 kB
PICTURE = f"data:image/jpeg;base64,{DATA}"
NOTE = "image/jpeg · 154 kB"


def lend(project: Project, ada: User, *responses: str, **fields: Any) -> Lease:
    batch = project.batches.first() or make_batch(project=project)
    item = make_item(batch=batch, responses=responses, **fields)
    return make_lease(item=item, annotator=ada, now=timezone.now())


def parsed(answer: Any) -> LexborHTMLParser:
    return LexborHTMLParser(answer.content.decode())


# --- the part that is shown ---


def test_a_text_is_cut_and_a_file_in_it_never() -> None:
    assert excerpt_of("six minutes", 3).in_words == "six …"
    assert excerpt_of("six", 3).in_words == "six"
    part = excerpt_of(f"On it: ![a]({PICTURE})! And {PICTURE}, " + "and so on " * 20, 100)
    assert part.in_words.startswith(f"On it: ![a]({NOTE})! And {NOTE}")
    assert (part.is_cut, len(part.notes)) == (True, 1)


@pytest.mark.parametrize("name", ["<svg>", "&", "x" * 9])
def test_no_text_is_taken_for_the_name_of_a_file(name: str) -> None:
    text = f"{name} {PICTURE} {name}"
    assert excerpt_of(excerpt_of(text).text).in_words == excerpt_of(text).text
    assert excerpt_of(text).in_words == f"{name} {NOTE} {name}"


def test_a_wrapped_file_is_folded_and_the_word_after_it_stays() -> None:
    lines = "\n".join(DATA[start : start + 76] for start in range(0, 760, 76))
    assert excerpt_of(f"data:a/b;name=c;base64,{lines}\nWord").in_words == "a/b · 1 kB\nWord"
    assert excerpt_of(f"data:a/b;base64,{lines}\nend==\nWord").in_words == "a/b · 1 kB\nWord"
    for short in ("data:image/png;base64,iVBORw0KGgo=", f"metadata:image/png;base64,{DATA[:300]}"):
        assert excerpt_of(short).text == short


def test_a_file_is_folded_wherever_it_stands_in_a_text() -> None:
    note = f'<span class="r-file">{NOTE}</span>'
    for written in (
        "![p]({})",
        "[p]({})",
        '<img src="{}">',
        "`{}`",
        "```\n{}\n```",
        "|a|\n|-|\n|{}|",
    ):
        text = written.format(PICTURE)
        for html in (rendering(text).html, plain(text).html):
            assert note in html
            assert DATA[:80] not in html
    formula = rendering(f"${PICTURE}$")
    assert note in formula.html
    marked = [
        each.text for each in difference(excerpt_of(f"a {PICTURE}").text, excerpt_of("a b").text)
    ]
    assert all(len(each) < 50 for each in marked)


# --- the desk ---


def test_the_desk_opens_with_the_beginning_of_ten_megabytes_and_leads_to_all(
    desk: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, LONG, "Six.")
    shown = desk.get("/projects/eggs/desk/")
    assert len(shown.content) < 250_000
    [text] = parsed(shown).css("[data-said=r1]")
    told = " ".join(" ".join(each.text().split()) for each in text.css(".told"))
    assert told.endswith("The first 100,000 of 10,500,000 characters. Show all")
    [link] = text.css(".told a")
    address = str(link.attributes["href"])
    whole = desk.get(address)
    assert whole["Content-Type"] == "text/plain; charset=utf-8"
    assert whole.content.decode() == LONG
    for view in ("text", "difference"):
        answer = desk.post(url(lease, "texts"), {"show": view}, headers=HTMX)
        assert len(answer.content) < 250_000
        assert "The first 100,000" in answer.content.decode()
    for wrong in ("", "r3", "9"):
        assert desk.get(url(lease, "texts"), {"whole": wrong}).status_code == 404
    desk.force_login(make_user(name="mallory"))
    assert desk.get(address).status_code == 404


def test_an_item_of_ten_megabytes_is_rated_flagged_and_skipped(
    desk: Client, project: Project, ada: User
) -> None:
    lease = lend(project, ada, LONG, LONG.replace("n", "n,"), messages=[("user", LONG)])
    seen = plain_text.prose_of
    repetition._repeats.cache_clear()

    def read(text: str) -> str:
        assert len(text) <= plain_text.LONGEST
        return seen(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_text, "prose_of", read)
        patch.setattr(repetition, "prose_of", read)
        said = scored(lease) | {f"r{place}.quality.repeats_itself": "yes" for place in (1, 2)}
        judged = desk.post(f"{url(lease, 'verdict')}?row=r1-quality", said, headers=HTMX)
        assert len(judged.content) < 50_000
        desk.post(url(lease, "flag"), {"reason": "broken", "note": "far too long"}, headers=HTMX)
        desk.post(url(lease), {**said, "r1.quality": "4", "r2.quality": "4"}, headers=HTMX)
    assert Rating.objects.get().item_id == lease.item_id
    other = lend(project, ada, LONG)
    desk.post(url(other, "skip"), {"reason": "broken"}, headers=HTMX)
    kinds = sorted(Concern.objects.values_list("item", "kind"))
    assert kinds == [(lease.item_id, "flag"), (other.item_id, "skip")]
    assert len(desk.get("/projects/eggs/ratings/").content) < 50_000
    assert len(desk.get("/work/").content) < 50_000


def test_all_of_a_covered_text_is_not_answered(desk: Client, project: Project, ada: User) -> None:
    lease = lend(project, ada, "Blood", warning="blood")
    assert desk.get(url(lease, "texts"), {"whole": "r1"}).status_code == 404
    lease.uncover(now=timezone.now())
    assert desk.get(url(lease, "texts"), {"whole": "r1"}).content == b"Blood"


def test_a_page_of_many_long_texts_shows_a_beginning_of_each(
    desk: Client, project: Project, ada: User
) -> None:
    lend(project, ada, *(f"{place} {'egg ' * 25_000}" for place in range(20)))
    texts = parsed(desk.get("/projects/eggs/desk/")).css("[data-said^=r]")
    sizes = [len(text.text()) for text in texts]
    assert 500_000 < sum(sizes) < 700_000
    assert min(sizes) >= 4_000


def test_a_picture_is_folded_at_the_desk_and_stored_as_it_came(
    desk: Client, project: Project, ada: User
) -> None:
    prompt = f"What is on it? ![photo]({PICTURE})"
    lease = lend(project, ada, "A cat.", f"As in {PICTURE}.", prompt=prompt)
    shown = parsed(desk.get("/projects/eggs/desk/"))
    for view in ("rendered", "text", "difference"):
        answer = desk.post(url(lease, "texts"), {"show": view}, headers=HTMX)
        for name in ("1", "r2"):
            for page in (shown, parsed(answer)):
                [text] = page.css(f"[data-said='{name}']")
                assert [each.text() for each in text.css(".r-file")] == [NOTE]
                assert "Pictures and other files in the text are folded." in text.text()
                assert DATA[:80] not in text.text()
    assert desk.get(url(lease, "texts"), {"whole": "1"}).content.decode() == prompt


# --- other pages ---


def test_leads_pages_show_the_beginning_and_lead_to_all(
    client: Client, project: Project, lead: User
) -> None:
    project.admit(lead, role="lead")
    client.force_login(lead)
    item = make_item(
        batch=make_batch(project=project),
        responses=[LONG, f"{PICTURE}!"],
        messages=[("user", f"{LONG}?")],
        metadata={"note": LONG, "number": 7},
    )
    page = f"/projects/eggs/items/{item.pk}/"
    for address in (page, "/projects/eggs/preview/"):
        shown = client.get(address)
        assert len(shown.content) < 400_000
        [link, *_others] = parsed(shown).css(".told a")
        whole = client.get(str(link.attributes["href"]))
        assert (whole.status_code, whole.content.decode()) == (200, f"{LONG}?"), address
    assert client.get(page, {"whole": "r1"}).content.decode() == LONG
    assert NOTE in client.get(page, {"target": "2"}).content.decode()
    assert client.get(page, {"whole": "r9"}).status_code == 404
    for name in ("items/", "export/", ""):
        assert len(client.get(f"/projects/eggs/{name}").content) < 100_000
    client.force_login(make_user(name="mallory"))
    assert client.get(page, {"whole": "r1"}).status_code == 404


def test_the_report_of_an_upload_folds_pictures_of_any_size() -> None:
    from tasks.importing.items_report import LONGEST_TEXT, shortened

    assert shortened(f"![p]({PICTURE}) {LONG}").startswith(f"![p]({NOTE}) an egg")
    assert len(shortened(LONG)) <= LONGEST_TEXT + 2
    assert json.dumps(shortened(PICTURE), ensure_ascii=False) == f'"{NOTE}"'


def test_the_texts_of_a_corpus_are_cut_too(desk: Client, talk: Project, ada: User) -> None:
    batch = talk.batches.get()
    item = make_item(batch=batch, responses=[("gull", LONG), ("gull", "b")], persona=["i bake."])
    lease = make_lease(item=item, annotator=ada, now=timezone.now())
    page = desk.get(url(lease, "corpus"), {"model": "m1"})
    assert page.status_code == 200
    assert 10_000 < len(page.content) < 50_000
    assert not Rating.objects.exists()
