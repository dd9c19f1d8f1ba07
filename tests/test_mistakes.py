"""The commonest mistakes in writing a rubric, each answered by a sentence at the part."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from rubrics.models import RubricDraft
from tests.cases import cases
from tests.editor_forms import fields_of
from tests.factories import NOW

pytestmark = pytest.mark.django_db

QUESTIONS, RULES = "fit.checks", "fit.rules"
FAULT, LOOK = "error small", "tag fault"
MADE_UP = {"0.wording": "Made up"}
EMPTY = "'' says nothing; write it, or leave the entry out"
RULE = {"0.when.one": "made_up", "0.score": "2", "0.reason": "It misleads."}


@pytest.fixture
def editor(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


@pytest.fixture
def draft(lead: User) -> RubricDraft:
    """A draft of one dimension without a fault, with a tick and a question."""
    about = {"slug": "news", "title": "News", "summary": "Of news.", "dimensions": []}
    draft = RubricDraft.objects.start(about, by=lead, now=NOW)
    edit = draft.edit()
    edit.add_dimension("Fit")
    edit.content["dimensions"][0]["question"] = "Does it fit?"
    draft.keep(edit.content, by=lead, now=NOW)
    return draft


@pytest.fixture
def asked(editor: Client, draft: RubricDraft) -> RubricDraft:
    """The same with a tick and a question."""
    fill(editor, draft, QUESTIONS, MADE_UP)
    fill(editor, draft, QUESTIONS, {"1.wording": "Supported", "1.kind": "yes_no"})
    return draft


def fill(editor: Client, draft: RubricDraft, part: str, entered: dict[str, Any]) -> None:
    """Change these fields of a part's form, and send it."""
    address = f"/rubric-drafts/{draft.pk}/parts/{part}/"
    answer = editor.post(address, fields_of(editor, address) | entered)
    assert answer.status_code == 302


def said(editor: Client, draft: RubricDraft, part: str) -> list[tuple[str, str]]:
    """Return what stands at a part, faults and looks."""
    page = editor.get(f"/rubric-drafts/{draft.pk}/parts/{part}/").content.decode()
    found = re.findall(r'<p class="(error small|tag fault)">(.*?)</p>', page)
    return [(kind, html.unescape(text)) for kind, text in found]


@cases(
    ("part", "entered", "sentence"),
    [
        ("fit", {"question": ""}, f"Question that annotators read: {EMPTY}"),
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
        (RULES, RULE | {"0.reason": ""}, f"Reason that annotators read: {EMPTY}"),
        (RULES, RULE | {"0.score": ""}, '"score" is missing; a rule that is cap has one'),
    ],
)
def test_what_is_left_out_or_the_wrong_way_round_is_a_fault_at_its_part(
    editor: Client, lead: User, asked: RubricDraft, part: str, entered: Any, sentence: str
) -> None:
    before = RubricDraft.objects.get(pk=asked.pk).content
    fill(editor, asked, part, entered)
    assert (FAULT, sentence) in said(editor, asked, part)
    assert not RubricDraft.objects.get(pk=asked.pk).examined.rubric
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
            "with “Made up” and “Supported: yes” no score is left: rules made_up and supported;"
            " change one of them, or exclude what can’t go together",
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
    assert RubricDraft.objects.get(pk=asked.pk).examined.faults == ()


def test_a_label_without_a_text_is_to_be_looked_at(editor: Client, draft: RubricDraft) -> None:
    fill(editor, draft, "fit", {"level.0.label": "Whole", "level.4.definition": "A heap."})
    look = "Levels: no text and no example at 5; say what is meant"
    assert said(editor, draft, "fit") == [(LOOK, look)]
    fill(editor, draft, "fit", {"level.0.definition": "All of it is one text."})
    assert said(editor, draft, "fit") == []
