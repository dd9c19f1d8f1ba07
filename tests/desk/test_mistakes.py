"""The commonest mistakes in writing a rubric, each answered by a sentence at the part."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from rubrics.documents.shipped import shipped
from rubrics.models import Rubric, RubricDraft
from tests.cases import cases
from tests.factories import NOW, make_project
from tests.rubric_editor.editor_forms import fields_of

pytestmark = pytest.mark.django_db

QUESTIONS, RULES = "fit.checks", "fit.rules"
FAULT, LOOK = "error small", "tag fault"
MADE_UP = {"0.wording": "Made up"}
RULE = {"0.when.one": "made_up", "0.score": "2", "0.reason": "It misleads."}


@pytest.fixture
def editor(client: Client, lead: User) -> Client:
    make_project(leads=[lead])  # who leads a project may start a rubric
    client.force_login(lead)
    return client


@pytest.fixture
def draft(lead: User) -> RubricDraft:
    """A draft of one dimension without a fault, with a tick and a question."""
    about = {"slug": "news", "title": "News", "summary": "Of news.", "dimensions": []}
    draft = RubricDraft.objects.start(about, by=lead, now=NOW)
    edit = draft.edit()
    edit.add_dimension("Fit")
    edit.dimensions[0].question = "Does it fit?"
    draft.keep(edit.document, by=lead, now=NOW)
    return draft


@pytest.fixture
def asked(editor: Client, draft: RubricDraft) -> RubricDraft:
    """The same with a tick and a question."""
    fill(editor, draft, QUESTIONS, MADE_UP)
    fill(editor, draft, QUESTIONS, {"1.wording": "Supported", "1.kind": "yes_no"})
    draft.refresh_from_db()
    draft.mark_publish_attempt()
    return draft


def fill(editor: Client, draft: RubricDraft, part: str, entered: dict[str, Any]) -> None:
    """Change these fields of a part's form, and send it."""
    address = f"/rubric-drafts/{draft.pk}/parts/{part}/"
    answer = editor.post(address, fields_of(editor, address) | entered)
    assert answer.status_code == 302


def said(editor: Client, draft: RubricDraft, part: str) -> list[tuple[str, str]]:
    """Return what stands at a part, faults and looks."""
    page = editor.get(f"/rubric-drafts/{draft.pk}/parts/{part}/").content.decode()
    found = re.findall(r'<p class="(error small|tag fault)"\s*>(.*?)</p>', page)
    return [(kind, html.unescape(text)) for kind, text in found]


def test_a_new_draft_says_what_is_still_to_write_and_nothing_is_red_before_a_try_to_publish(
    editor: Client, lead: User
) -> None:
    """In sentences of the form: no code, no entry of the document, no text as Python quotes it."""
    editor.post("/rubrics/new/", {"way": "empty", "title": "News", "language": "en"})
    draft = RubricDraft.objects.latest("pk")
    edit = draft.edit()
    edit.add_dimension("Fit")
    content: Any = edit.document
    [fit] = content["dimensions"]
    fit |= {"lowest": "", "checks": [{"code": "made_up", "kind": "tick", "wording": "Made up"}]}
    rule = {"code": "made_up", "effect": "cap", "reason": "", "when": {"all_of": ["made_up"]}}
    example = {"score": 3, "checks": [], "response": "It flew.", "why": ""}
    fit["levels"] = [{"score": 3, "examples": [example]}]
    fit["rules"] = [rule]
    draft.keep(content, by=lead, now=NOW)
    tasks = [
        "Write the summary: what is rated, and why",
        "Write the question of Fit",
        "Name the lowest score of Fit",
        "Say why example 1 of Fit has its score",
        "Write the reason of the rule with “Made up”",
    ]
    publishing, about = (f"/rubric-drafts/{draft.pk}/{end}" for end in ("publish/", "parts/about/"))

    def shown(address: str) -> str:
        return html.unescape(editor.get(address).content.decode())

    listed = shown(publishing).partition('<ul class="proof plain-list">')[2].partition("</ul>")[0]
    assert re.findall(r"<a [^>]*>(.*?)</a>", listed) == tasks
    assert "Still to write" in shown(about)
    assert "5 things to do first" in " ".join(shown(about).split())
    red = r'class="[^"]*(?:stop|error|danger)[^"]*"'
    assert re.findall(red, shown(about).partition("<main")[2].replace("note error", "")) == []
    stored = RubricDraft.objects.get(pk=draft.pk)
    refused = editor.post(publishing, {"revision": stored.revision}).content.decode()
    assert "Not published: 5 things to do first." in refused
    assert re.findall(red, shown(about).partition("<main")[2])


def test_the_short_name_follows_the_title_until_a_part_is_saved_and_has_a_field(
    editor: Client, lead: User
) -> None:
    def start(title: str) -> RubricDraft:
        editor.post("/rubrics/new/", {"way": "empty", "title": title, "language": "en"})
        return RubricDraft.objects.latest("pk")

    def name_after(draft: RubricDraft, part: str, **entered: str) -> str:
        fill(editor, draft, part, entered)
        return RubricDraft.objects.get(pk=draft.pk).slug

    draft = start("News")
    assert draft.slug == "news"
    assert name_after(draft, "about", title="Evening news") == "evening-news"
    assert name_after(draft, "about", title="Morning news") == "evening-news"
    assert name_after(draft, "about", slug="Dawn, daily") == "dawn-daily"
    assert name_after(draft, "about", slug="!") == "dawn-daily"
    other = start("Radio")
    name_after(other, "checks", **MADE_UP)
    assert name_after(other, "about", title="Television") == "radio"
    Rubric.objects.load(shipped("dialogue"), now=NOW)
    assert name_after(other, "about", slug="dialogue") == "dialogue-2"
    assert RubricDraft.objects.get(pk=other.pk).content["slug"] == "dialogue-2"


@cases(
    ("part", "entered", "sentence"),
    [
        ("fit", {"question": ""}, "Write the question of Fit"),
        (
            "fit",
            {"preset": "own", "lowest": "5", "highest": "5"},
            "Scale: lowest is 5, highest 5; lowest must be less",
        ),
        (
            "fit",
            {"preset": "own", "lowest": "5", "highest": "1"},
            "Scale: lowest is 5, highest 1; lowest must be less",
        ),
        (RULES, RULE | {"0.reason": ""}, "Write the reason of the rule with “Made up”"),
        (RULES, RULE | {"0.score": ""}, "Choose the score of the rule “It misleads.”"),
    ],
)
def test_a_common_mistake_in_a_rubric_is_a_fault_at_its_part(
    editor: Client, lead: User, asked: RubricDraft, part: str, entered: Any, sentence: str
) -> None:
    before = RubricDraft.objects.get(pk=asked.pk).content
    fill(editor, asked, part, entered)
    assert (FAULT, sentence) in said(editor, asked, part)
    assert not RubricDraft.objects.get(pk=asked.pk).report.rubric
    asked.keep(before, by=lead, now=NOW)


def test_rules_that_leave_no_score_name_the_smallest_case(
    editor: Client, asked: RubricDraft
) -> None:
    other = {"1.when.one": "supported", "1.effect": "floor", "1.score": "4", "1.reason": "It is."}
    fill(editor, asked, RULES, RULE)
    assert said(editor, asked, RULES) == []
    fill(editor, asked, RULES, other)
    assert said(editor, asked, RULES) == [
        (
            FAULT,
            "with “Made up” and “Supported: yes” no score is left: rules “It misleads.” and"
            " “It is.”; change one of them, or exclude what can’t go together",
        )
    ]


def test_a_key_that_stands_twice_is_a_fault_at_each_of_its_questions(
    editor: Client, asked: RubricDraft
) -> None:
    fill(editor, asked, QUESTIONS, {"1.more": "key: M"})
    [first, second] = said(editor, asked, QUESTIONS)
    assert first == second
    assert first[1].startswith("More, line 1: ")
    assert '"M" appears more than once; choose another: C, D, E' in first[1]


def test_a_wording_that_stands_twice_gets_a_name_of_its_own_everywhere(
    editor: Client, asked: RubricDraft
) -> None:
    """A name can't be chosen in a form, so a clash could not be mended there."""
    fill(editor, asked, QUESTIONS, {"2.wording": "Made up"})
    fill(editor, asked, "checks", MADE_UP)
    content = RubricDraft.objects.get(pk=asked.pk).content
    checks = [*content["dimensions"][0]["checks"], *content["checks"]]
    assert [check["code"] for check in checks] == ["made_up", "supported", "made_up_2", "made_up_3"]
    assert RubricDraft.objects.get(pk=asked.pk).report.faults == ()


def test_a_label_without_a_text_is_to_be_looked_at(editor: Client, draft: RubricDraft) -> None:
    fill(editor, draft, "fit", {"level.0.label": "Whole", "level.4.definition": "A heap."})
    look = "Levels: no text and no example at 5; say what is meant"
    assert said(editor, draft, "fit") == [(LOOK, look)]
    fill(editor, draft, "fit", {"level.0.definition": "All of it is one text."})
    assert said(editor, draft, "fit") == []
