"""A draft of a rubric is tried: on the whole desk, and beside its editor. Nothing is stored."""

from __future__ import annotations

import copy
import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from playwright.sync_api import Page, expect

from annotators.desk.forms import PasteForm
from annotators.models import User
from rubrics.documents.shipped import GALLERY, SLUGS, content
from rubrics.models import RubricDraft
from tasks.models import CorpusAnswer, Draft, Item, Lease, Rating
from tests.cases import cases
from tests.checkers import look
from tests.desk_keys import log_in
from tests.desk_steps import HTMX
from tests.factories import NOW, make_project, make_rubric

pytestmark = pytest.mark.django_db
STORED = (Lease, Draft, Rating, CorpusAnswer, Item)


def scale(code: str, **entries: Any) -> dict[str, Any]:
    levels = [{"score": score, "label": f"L{score}", "definition": f"D{score}"} for score in (1, 3)]
    known = {"code": code, "short": code, "title": code.title(), "question": f"{code}?"}
    return {
        **known,
        "checks": [],
        "rules": [],
        "lowest": 1,
        "highest": 3,
        "levels": levels,
        **entries,
    }


def example(score: int, response: str, *checks: str) -> dict[str, Any]:
    return {"score": score, "response": response, "checks": list(checks), "why": "So."}


MADE_UP = {"code": "made_up", "kind": "tick", "wording": "Makes something up"}
SUPPORT = {"code": "support", "kind": "yes_no", "wording": "Every claim has support"} | {
    "answers": [
        {"code": "yes", "wording": "yes"},
        {"code": "no", "wording": "no", "sets": "unsupported"},
    ]
}
CAP = {"code": "cap", "clause": "F-03", "effect": "cap", "score": 2, "reason": "It can mislead."}
FAITHFUL = scale(
    "faithful", checks=[MADE_UP, SUPPORT], rules=[CAP | {"when": {"all_of": ["made_up"]}}]
)
FAITHFUL["levels"][0]["examples"] = [example(1, "It is made of cheese.", "made_up", "unsupported")]
FAITHFUL["levels"][1]["examples"] = [example(3, "It has two moons.", "made_up")]
FLUENT = scale("fluent")
FLUENT["levels"][1]["examples"] = [example(3, "Well put.")]
CLAUSES = [{"id": "F-03", "source": "No fact is made up."}]
SUMMARIES = {
    "clauses": CLAUSES,
    "slug": "summaries",
    "title": "Summaries",
    "summary": "Of news.",
} | {"dimensions": [FAITHFUL, FLUENT]}


def start(lead: User, document: Any = SUMMARIES) -> RubricDraft:
    return RubricDraft.objects.start(copy.deepcopy(document), by=lead, now=NOW)


@pytest.fixture
def draft(client: Client, lead: User) -> RubricDraft:
    """Two scales, which only an example contradicts. Its maker, lea, has logged in."""
    client.force_login(lead)
    return start(lead)


def to(draft: RubricDraft, number: int = 1, step: str = "") -> str:
    return f"/rubric-drafts/{draft.pk}/try/{number}/{step}"


def words(response: Any) -> str:
    shown = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(shown))


def counted() -> list[int]:
    return [model.objects.count() for model in STORED]


# --- the desk ---


def test_the_desk_shows_each_item_under_the_draft_and_says_which(
    client: Client, draft: RubricDraft
) -> None:
    shown = words(client.get(to(draft)))
    assert "Preview: nothing is stored. Item 1 of 5: Example 1 of Faithful" in shown
    assert "Back to the draft" in shown
    assert "It is made of cheese." in shown
    assert "Item 3 of 5: Example 1 of Fluent" in words(client.get(to(draft, 3)))
    assert "Item 5 of 5: Conversation 2" in words(client.get(to(draft, 5)))
    assert client.get(to(draft, 6)).status_code == 404
    assert client.get(to(draft, 0)).status_code == 404


def test_after_an_item_the_next_one_is_offered_and_the_last_leads_back(
    client: Client, draft: RubricDraft
) -> None:
    answers = {f"r{n}.faithful": "1" for n in range(1, 5)} | {
        f"r{n}.fluent": "3" for n in range(1, 5)
    }
    answers |= {f"r{n}.faithful.support": "yes" for n in range(1, 5)}
    page = client.post(to(draft, 1, "submit/"), answers, headers=HTMX)
    assert "A submit would store this Response A, Faithful 1" in words(page)
    assert f'href="{to(draft, 2)}"' in page.content.decode()
    refused = client.post(to(draft, 1, "submit/"), {}, headers=HTMX)
    assert f'href="{to(draft, 2)}"' not in refused.content.decode()
    last = client.post(to(draft, 5, "submit/"), answers, headers=HTMX)
    assert f'<a href="/rubric-drafts/{draft.pk}/">Back to the draft</a>' in last.content.decode()


def test_every_dimension_is_asked_of_some_item(client: Client, lead: User) -> None:
    client.force_login(lead)
    draft = start(lead, content("dialogue"))
    sets = client.post(
        to(draft, 1, "panel/?dimension=diversity"), {"dimension": "diversity", "seen": "sets"}
    )
    assert "Varied in these answers" in words(sets)
    for code in ("quality", "coherence", "consistency", "diversity"):
        shown = client.get(to(draft, 1, f"panel/?dimension={code}")).content.decode()
        assert re.search(rf'id="[rs]1-{code}"', shown), code


def test_a_step_that_is_loaded_again_leads_to_its_page(client: Client, draft: RubricDraft) -> None:
    for step in ("verdict/", "submit/", "texts/"):
        page = client.get(to(draft, 2, step), follow=True)
        assert page.wsgi_request.path == to(draft, 2)
    pasting = client.get(f"/rubric-drafts/{draft.pk}/try/paste/", follow=True)
    assert pasting.wsgi_request.path == to(draft, 1, "panel/")


def test_no_step_stores_anything_but_pasted_texts(client: Client, lead: User) -> None:
    client.force_login(lead)
    draft = start(lead, content("dialogue"))
    client.get(to(draft))  # from here on the session's use is noted
    before = counted()
    answers = {"r1.quality": "4", "m1.diversity.corpus_high": "yes", "seen": "sets"}
    answers |= {"show": "text", "dimension": "diversity", "comment": "Well said."}
    with CaptureQueriesContext(connection) as seen:
        for number, headers in ((1, {}), (30, HTMX)):
            for step in ("", "panel/", "corpus/?model=m1"):
                client.get(to(draft, number, step))
            for step in ("verdict/?row=r1-quality", "submit/", "texts/", "panel/", "panel/?row=x"):
                client.post(to(draft, number, step), answers, headers=headers)
    assert [each["sql"] for each in seen if not each["sql"].lstrip().startswith("SELECT")] == []
    assert counted() == before


@cases("slug", [*SLUGS, *GALLERY])
def test_every_shipped_document_can_be_tried(client: Client, lead: User, slug: str) -> None:
    client.force_login(lead)
    draft = start(lead, content(slug))
    assert draft.last_readable
    assert client.get(to(draft)).status_code == 200
    dimension = draft.last_readable.dimensions[-1]
    shown = client.get(to(draft, 1, f"panel/?dimension={dimension.code}")).content.decode()
    number, row = re.findall(r'try/(\d+)/panel/\?row=([rs]1-[\w-]+)"', shown)[-1]
    assert row[3:] == dimension.code
    assert "bars it" not in shown
    sent = {f"{row.replace('-', '.', 1)}": str(dimension.lowest), "seen": "sets"}
    sent["dimension"] = dimension.code
    where = to(draft, int(number), f"panel/?row={row}")
    verdict = client.post(where, sent, headers=HTMX).content.decode()
    assert f'id="{row}-verdict"' in verdict
    assert 'id="try-levels"' in verdict
    assert "<h2>Try it" not in verdict


def test_a_project_without_items_is_previewed_with_what_its_rubric_needs(
    client: Client, lead: User
) -> None:
    make_project(slug="talk-to-be", rubric=make_rubric(slug="dialogue"), leads=[lead])
    client.force_login(lead)
    answers = {f"r{n}.{code}": "1" for n in range(1, 7) for code in ("quality", "coherence")}
    sent = answers | {"seen": "sets"}
    shown = words(client.post("/projects/talk-to-be/preview/verdict/", sent))
    assert "this is an example" in shown
    assert "How Model 1 answers all 39 histories" in shown


# --- the panel ---


def test_the_panel_has_the_example_with_its_answers_and_says_that_it_fits(
    client: Client, draft: RubricDraft
) -> None:
    page = client.get(to(draft, 1, "panel/"), headers=HTMX).content.decode()
    assert "<html" not in page
    for checked in ("r1-faithful-1", "r1-faithful-made_up", "r1-faithful-support-no"):
        assert re.search(rf'id="{checked}"[^>]* checked', page), checked
    assert 'class="dot ok">fits' in page
    assert re.search(r'class="chosen">\s*<b>1</b>', page)


def test_an_example_that_a_rule_bars_names_the_clause(client: Client, draft: RubricDraft) -> None:
    shown = words(client.get(to(draft, 1, "panel/?on=2")))
    assert "It can mislead. F-03 You can’t give 3." in shown
    assert "The example says 3. fits" not in shown
    judged = {"dimension": "faithful", "seen": "sets", "r1.faithful": "3"}
    again = words(client.post(to(draft, 2, "panel/"), judged))
    assert "You can’t give 3." not in again
    assert "The example says 3. fits" not in again  # by its own answers


@cases(
    ("rule", "verdict"),
    [
        ({"effect": "force", "score": 1}, "The score is 1. So."),
        (
            {"effect": "exclude", "against": ["unsupported"]},
            "These do not go together. So. You can’t give 3.",
        ),
    ],
)
def test_an_example_is_judged_by_forces_and_clashes_too(
    client: Client, lead: User, rule: dict[str, Any], verdict: str
) -> None:
    client.force_login(lead)
    document: Any = copy.deepcopy(SUMMARIES)
    written = {"code": "harm", "reason": "So.", "when": {"all_of": ["made_up"]}}
    document["dimensions"][0]["rules"] = [rule | written]
    (shown,) = document["dimensions"][0]["levels"][1]["examples"]
    shown["checks"] = ["made_up", "unsupported"]
    said = words(client.get(to(start(lead, document), 2, "panel/")))
    assert verdict in said
    assert "The example says 3. fits" not in said


def test_the_panel_offers_the_examples_of_the_dimension_alone(
    client: Client, draft: RubricDraft
) -> None:
    fluent = words(client.get(to(draft, 1, "panel/?dimension=fluent")))
    assert "Example 1 of Fluent Conversation 1 Conversation 2" in fluent
    assert "of Faithful" not in fluent
    assert "L3 D3" in fluent
    unknown = words(client.get(to(draft, 1, "panel/?dimension=about&on=none")))
    assert "Example 1 of Faithful Example 2 of Faithful" in unknown


def test_the_row_of_the_whole_response_is_there_if_a_rule_names_it(
    client: Client, lead: User
) -> None:
    client.force_login(lead)
    document: Any = copy.deepcopy(SUMMARIES)
    document["checks"] = [{"code": "harmful", "kind": "tick", "wording": "Harmful"}]
    when = {"all_of": ["harmful"]}
    rule = {"code": "r", "effect": "force", "score": 1, "reason": "Harm.", "when": when}
    document["dimensions"][1]["rules"] = [rule]
    document["dimensions"][1]["levels"][0]["examples"] = [example(1, "Burn it.", "harmful")]
    draft = start(lead, document)
    assert "Harmful" not in words(client.get(to(draft, 1, "panel/?dimension=faithful")))
    page = client.get(to(draft, 1, "panel/?dimension=fluent")).content.decode()
    assert re.search(r'id="r1-response-harmful"[^>]* checked', page)
    sent = {"dimension": "fluent", "seen": "sets", "r1.response.harmful": "yes"}
    verdict = client.post(to(draft, 3, "panel/?row=r1-response"), sent, headers=HTMX)
    assert 'id="r1-fluent-outcome" data-hx-swap-oob="true"' in verdict.content.decode()
    assert "r1-faithful" not in verdict.content.decode()


def test_pasted_texts_are_kept_and_come_first(client: Client, draft: RubricDraft) -> None:
    paste = f"/rubric-drafts/{draft.pk}/try/paste/"
    texts = {"prompt": "Sum it up.", "first": "A bridge.", "second": "It opens in 2027."}
    page = client.post(paste, texts | {"dimension": "fluent"}, follow=True)
    assert page.redirect_chain[-1][0] == to(draft, 1, "panel/?dimension=fluent")
    for text in ("Pasted texts", "Sum it up.", "A bridge.", "It opens in 2027."):
        assert text in words(page)
    draft.refresh_from_db()
    assert draft.pasted == [*texts.values()]
    assert "Item 1 of 6: Pasted texts" in words(client.get(to(draft)))
    client.post(paste, dict.fromkeys(texts, " "))
    assert "Pasted texts" not in words(client.get(to(draft, 1, "panel/")))


def test_a_text_pasted_while_the_draft_is_deleted_is_no_error_of_the_server(
    client: Client, draft: RubricDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        PasteForm, "is_valid", lambda form: not form.full_clean() and bool(draft.delete())
    )
    paste = client.post(f"/rubric-drafts/{draft.pk}/try/paste/", {"first": "Text"}, follow=True)
    assert paste.status_code == 404


def test_a_pasted_text_that_is_too_long_is_refused_and_stays_in_its_field(
    client: Client, draft: RubricDraft
) -> None:
    texts = {"prompt": "", "first": "x" * 20_001, "second": ""}
    page = client.post(f"/rubric-drafts/{draft.pk}/try/paste/", texts, headers=HTMX)
    assert "at most 20000 characters" in words(page)
    assert "x" * 20_001 in page.content.decode()
    draft.refresh_from_db()
    assert draft.pasted == []


# --- who, and when not ---


def test_the_trial_of_a_draft_is_not_found_by_those_who_may_not_edit_it(
    client: Client, draft: RubricDraft, ada: User
) -> None:
    client.force_login(ada)
    assert client.get(to(draft)).status_code == 404
    assert client.get(to(draft, 1, "panel/")).status_code == 404
    assert client.post(to(draft, 1, "submit/"), {}).status_code == 404
    assert client.post(f"/rubric-drafts/{draft.pk}/try/paste/", {}).status_code == 404


def test_a_draft_that_could_never_be_read_says_so(client: Client, lead: User) -> None:
    client.force_login(lead)
    draft = start(lead, {"slug": "new", "title": "New", "dimensions": []})
    assert draft.last_readable is None
    for headers in ({}, HTMX):
        for step in ("", "panel/"):
            page = client.get(to(draft, 1, step), headers=headers)
            assert "You can try the draft here once nothing in it is still to write." in words(page)
        page = client.post(to(draft, 1, "verdict/"), {}, headers=headers)
        assert f'href="/rubric-drafts/{draft.pk}/"' in page.content.decode()


# --- in a browser, which fails on any error in its console ---


def test_a_click_in_the_panel_bars_scores_beside_the_editor(page: Page, lead: User) -> None:
    draft = start(lead)
    log_in(page, "lea")
    page.goto(f"/rubric-drafts/{draft.pk}/parts/faithful/")
    beside = page.locator("#try")
    expect(beside.locator(".level.barred")).to_have_count(1)
    beside.get_by_label("Makes something up").uncheck(force=True)
    expect(beside.locator(".level.barred")).to_have_count(0)
    beside.locator("#r1-faithful-3").check(force=True)
    expect(beside.locator(".levels .chosen h3")).to_have_text("L3")
    beside.get_by_label("Try on").select_option("Example 2 of Faithful")
    expect(beside.locator(".verdict")).to_contain_text("F-03")
    page.get_by_label("Question that annotators read").fill("Is it so?")
    page.get_by_label("Question that annotators read").blur()
    expect(beside.locator(".asks")).to_have_text("Is it so?")
    expect(beside.locator(".verdict")).to_contain_text("F-03")  # the same example
    page.goto(to(draft, 1, "panel/"))
    assert [*look(page, known=set())] == []
