"""A rubric's draft, edited part by part in forms."""

from __future__ import annotations

import html
import random
import re
from typing import Any

import pytest
from django.test import Client

from annotators.models import User
from rubrics.documents import document
from rubrics.documents.shipped import SLUGS, shipped
from rubrics.editor.parts import digest, part_content
from rubrics.models import RubricDraft
from tests import made_rubrics as made
from tests.cases import cases
from tests.factories import NOW, make_project

from .editor_forms import (
    fields_of,
    fields_of_html,
)

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
EMPTY = {"slug": "news", "title": "News", "summary": "Summaries of news.", "dimensions": []}


def start(slug: str, by: User) -> RubricDraft:
    return RubricDraft.objects.start(document.dump(shipped(slug)), by=by, now=NOW)


@pytest.fixture
def editor(client: Client, lead: User) -> Client:
    client.force_login(lead)
    return client


@pytest.fixture
def draft(lead: User) -> RubricDraft:
    """A draft with one dimension, made by its form."""
    draft = RubricDraft.objects.start(EMPTY, by=lead, now=NOW)
    edit = draft.edit()
    edit.add_dimension("Does it fit together?")
    edit.dimensions[0].question = "Do the sentences fit together?"
    draft.keep(edit.document, by=lead, now=NOW)
    return draft


CODE = "does_it_fit_together"


def address(draft: RubricDraft, part: str) -> str:
    return f"/rubric-drafts/{draft.pk}/parts/{part}/"


def send(editor: Client, draft: RubricDraft, part: str, **changes: Any) -> RubricDraft:
    """Fill in these fields of a part's form ("0__wording" is "0.wording"), and send it."""
    fields = fields_of(editor, address(draft, part))
    for name, value in changes.items():
        fields.pop(name.replace("__", "."), None)
        if value is not None:
            fields[name.replace("__", ".")] = value
    answer = editor.post(address(draft, part), fields)
    assert answer.status_code == 302, answer.content.decode()
    return RubricDraft.objects.get(pk=draft.pk)


def store(draft: RubricDraft, **entries: Any) -> RubricDraft:
    """Have these entries in the first dimension, as its forms would store them."""
    draft = RubricDraft.objects.get(pk=draft.pk)
    first, *others = draft.content["dimensions"]
    draft.beside = {}
    dimensions = [first | entries, *others]
    draft.keep(draft.content | {"dimensions": dimensions}, by=draft.made_by, now=NOW)
    return draft


def scale(draft: RubricDraft) -> dict[str, Any]:
    return dict(RubricDraft.objects.get(pk=draft.pk).content["dimensions"][0])


def parts_of(draft: RubricDraft) -> list[str]:
    dimensions = [each["code"] for each in draft.content["dimensions"]]
    within = [f"{code}.{name}" for code in dimensions for name in ("checks", "rules", "examples")]
    return ["about", "checks", *dimensions, *within]


# Those between which every entry, unit, effect and kind of a shipped document stands.
TELLING = ("fed-turns", "helpsteer2", "lamda", "wmt-direct-assessment")


@pytest.mark.parametrize("slug", [*SLUGS, *TELLING])
def test_every_document_opened_and_saved_part_by_part_is_equal(
    editor: Client, lead: User, slug: str
) -> None:
    draft = start(slug, lead)
    # A part that says nothing is the same form in all of them.
    parts = [each for each in parts_of(draft) if part_content(draft.edit(), each)]
    for number, part in enumerate(parts, start=2):
        saved = send(editor, draft, part)
        assert saved.revision == number
        assert saved.content == draft.content, part


@pytest.mark.parametrize(
    ("section", "cursor"),
    [("checks", "0.wording"), ("rules", "0.when.one"), ("examples", "0.prompt")],
)
def test_a_row_that_is_added_has_the_cursor_in_its_first_field(
    editor: Client, draft: RubricDraft, section: str, cursor: str
) -> None:
    place = address(draft, f"{CODE}.{section}")
    answer = editor.post(place, fields_of(editor, place) | {"act": "add"})
    # After a fragment (#) the browser would have it nowhere.
    assert answer.headers["Location"] == f"{place}?new=1"
    [field] = re.findall(r"<[^>]+ autofocus[^>]*>", editor.get(f"{place}?new=1").content.decode())
    assert f'name="{cursor}"' in field


# --- scales ---


def test_a_code_is_made_from_the_title_once_and_never_follows_it(
    editor: Client, draft: RubricDraft
) -> None:
    assert scale(draft)["code"] == CODE
    send(editor, draft, CODE, title="Coherence", question="Is it whole?")
    assert (scale(draft)["code"], scale(draft)["title"]) == (CODE, "Coherence")
    editor.post(f"/rubric-drafts/{draft.pk}/dimensions/", {"title": "Does it fit together?"})
    codes = [each["code"] for each in RubricDraft.objects.get(pk=draft.pk).content["dimensions"]]
    assert codes == [CODE, f"{CODE}_2"]


@pytest.mark.parametrize(
    ("preset", "ends", "better"),
    [
        *(("1–5", (1, 5), None), ("0–4", (0, 4), None), ("1–7", (1, 7), None)),
        *(("1–10", (1, 10), None), ("yes/no", (0, 1), None), ("classes", (1, 5), "none")),
    ],
)
def test_a_preset_is_a_scale(
    editor: Client, draft: RubricDraft, preset: str, ends: tuple[int, int], better: str | None
) -> None:
    send(editor, draft, CODE, preset=preset)
    found = scale(draft)
    assert (found["lowest"], found["highest"], found.get("better")) == (*ends, better)
    assert fields_of(editor, address(draft, CODE))["preset"] == [preset]


def test_a_scale_of_ones_own_has_its_ends_in_fields(editor: Client, draft: RubricDraft) -> None:
    send(editor, draft, CODE, preset="own")
    send(editor, draft, CODE, lowest="-2", highest="2", better="low")
    found = scale(draft)
    assert (found["lowest"], found["highest"], found["better"]) == (-2, 2, "low")
    assert len(RubricDraft.objects.get(pk=draft.pk).last_readable.dimensions[0].scores) == 5  # type: ignore[union-attr]


def test_scores_that_stay_keep_their_texts_and_others_come_back(
    editor: Client, draft: RubricDraft
) -> None:
    send(editor, draft, CODE, level__0__label="Whole", level__4__definition="A heap.")
    levels = [
        {"score": 5, "label": "Whole"},
        {"score": 1, "definition": "A heap."},
    ]
    assert scale(draft)["levels"] == levels
    send(editor, draft, CODE, preset="0–4")
    assert scale(draft)["levels"] == levels[1:]
    send(editor, draft, CODE, preset="1–5")
    assert scale(draft)["levels"] == levels


def test_only_the_ends_are_described_and_the_others_are_kept(
    editor: Client, draft: RubricDraft
) -> None:
    labels = {f"level__{n}__label": f"Label {5 - n}" for n in range(5)}
    send(editor, draft, CODE, **labels, ends="yes")
    assert [level["score"] for level in scale(draft)["levels"]] == [5, 1]
    send(editor, draft, CODE, ends=None)
    assert [level["label"] for level in scale(draft)["levels"]] == [
        f"Label {score}" for score in (5, 4, 3, 2, 1)
    ]


def test_the_same_levels_are_written_once_and_change_in_both(
    editor: Client, draft: RubricDraft
) -> None:
    editor.post(f"/rubric-drafts/{draft.pk}/dimensions/", {"title": "Fluency"})
    send(editor, draft, CODE, preset="1–7")
    send(editor, draft, "fluency", same=CODE)
    send(editor, draft, CODE, level__0__label="Perfect")
    content = RubricDraft.objects.get(pk=draft.pk).content
    assert [(each["highest"], each["levels"]) for each in content["dimensions"]] == [
        (7, [{"score": 7, "label": "Perfect"}])
    ] * 2
    page = editor.get(address(draft, CODE)).content.decode()
    assert "Fluency has the same levels: a change here changes both." in page


def test_levels_of_ones_own_come_back_after_those_of_another(
    editor: Client, draft: RubricDraft
) -> None:
    editor.post(f"/rubric-drafts/{draft.pk}/dimensions/", {"title": "Größe"})
    send(editor, draft, "groe", level__0__label="Own")
    send(editor, draft, "groe", same=CODE)
    own = RubricDraft.objects.get(pk=draft.pk).content["dimensions"][1]
    assert own["levels"] == []
    send(editor, draft, "groe", same="")
    own = RubricDraft.objects.get(pk=draft.pk).content["dimensions"][1]
    assert own["levels"] == [{"score": 5, "label": "Own"}]
    send(editor, draft, "groe", same=CODE)
    send(editor, draft, CODE, act="remove.0")
    send(editor, draft, "groe", same=None, question="Is it large?")
    assert scale(draft)["question"] == "Is it large?"


def test_a_dimension_goes_also_if_another_had_its_levels(
    editor: Client, draft: RubricDraft
) -> None:
    for title in ("Tone", "Truth"):
        editor.post(f"/rubric-drafts/{draft.pk}/dimensions/", {"title": title})
    send(editor, draft, CODE, level__0__label="Whole")
    send(editor, draft, "tone", same=CODE)
    send(editor, draft, CODE, act="remove.0")
    send(editor, draft, "truth", question="Is it true?")
    assert scale(draft)["levels"] == [{"score": 5, "label": "Whole"}]
    assert fields_of(editor, address(draft, "tone"))["same"] == [""]


def test_an_answer_without_a_score_is_offered_by_a_box(editor: Client, draft: RubricDraft) -> None:
    assert "blank" not in scale(draft)
    send(editor, draft, CODE, may_not_apply="yes", blank="No claim")
    assert scale(draft)["blank"] == "No claim"
    send(editor, draft, CODE, may_not_apply=None)
    assert "blank" not in scale(draft)


def test_a_dimension_is_moved_and_removed(editor: Client, draft: RubricDraft) -> None:
    editor.post(f"/rubric-drafts/{draft.pk}/dimensions/", {"title": "Fluency"})
    send(editor, draft, "fluency", act="up.0")
    codes = [each["code"] for each in RubricDraft.objects.get(pk=draft.pk).content["dimensions"]]
    assert codes == ["fluency", CODE]
    send(editor, draft, "fluency", act="remove.0")
    assert scale(draft)["code"] == CODE


# --- questions ---


def test_a_tick_a_question_and_a_choice_are_written(editor: Client, draft: RubricDraft) -> None:
    part = f"{CODE}.checks"
    send(editor, draft, part, **{"0__wording": "Made up"})
    send(editor, draft, part, **{"1__wording": "Has a source", "1__kind": "yes_no"})
    send(editor, draft, part, **{"2__wording": "Length", "2__kind": "one_of"})
    send(editor, draft, part, **{"2__answer__0__wording": "short"})
    send(editor, draft, part, **{"2__answer__1__wording": "long", "1__best": "yes"})
    assert scale(draft)["checks"] == [
        {"code": "made_up", "kind": "tick", "wording": "Made up", "key": "M"},
        {
            **{"code": "has_a_source", "kind": "yes_no", "wording": "Has a source", "key": "H"},
            "best": "yes",
            "answers": [
                {"code": "yes", "wording": "yes", "sets": "has_a_source"},
                {"code": "no", "wording": "no"},
            ],
        },
        {
            **{"code": "length", "kind": "one_of", "wording": "Length", "key": "L"},
            "answers": [{"code": "short", "wording": "short"}, {"code": "long", "wording": "long"}],
        },
    ]
    send(editor, draft, part, act="up.2")
    send(editor, draft, part, act="remove.0", **{"1__wording": "Its length"})
    assert [(each["code"], each["wording"], each["key"]) for each in scale(draft)["checks"]] == [
        ("length", "Its length", "L"),
        ("has_a_source", "Has a source", "H"),
    ]


def test_answers_come_back_with_their_kind(editor: Client, draft: RubricDraft) -> None:
    part = f"{CODE}.checks"
    send(editor, draft, part, **{"0__wording": "Length", "0__kind": "one_of"})
    send(editor, draft, part, **{"0__answer__0__wording": "a\0", "0__answer__1__wording": "b"})
    answers = scale(draft)["checks"][0]["answers"]
    send(editor, draft, part, **{"0__kind": "tick"})
    assert "answers" not in scale(draft)["checks"][0]
    send(editor, draft, part, **{"0__kind": "one_of"})
    assert scale(draft)["checks"][0]["answers"] == answers
    assert [answer["wording"] for answer in answers] == ["a", "b"]


def test_a_question_goes_to_the_whole_response(editor: Client, draft: RubricDraft) -> None:
    send(editor, draft, f"{CODE}.checks", **{"0__wording": "Made up"})
    saved = send(editor, draft, f"{CODE}.checks", **{"0__of": "response"})
    assert [check["code"] for check in saved.content["checks"]] == ["made_up"]
    assert scale(draft)["checks"] == []


def test_a_question_is_asked_only_if_another_has_an_answer(
    editor: Client, draft: RubricDraft
) -> None:
    part = f"{CODE}.checks"
    send(editor, draft, part, **{"0__wording": "Claims", "0__kind": "yes_no"})
    send(editor, draft, part, **{"1__wording": "Wrong claims"})
    send(editor, draft, part, **{"1__when__one": "claims"})
    assert scale(draft)["checks"][1]["when"] == {"all_of": ["claims"]}
    send(editor, draft, part, **{"1__when__one": "claims=no"})
    assert scale(draft)["checks"][1]["when"] == {"all_of": ["claims_no"]}
    assert scale(draft)["checks"][0]["answers"][1]["sets"] == "claims_no"


def test_a_key_that_stands_twice_is_said_at_the_question(
    editor: Client, draft: RubricDraft
) -> None:
    part = f"{CODE}.checks"
    send(editor, draft, part, **{"0__wording": "Made up"})
    send(editor, draft, part, **{"1__wording": "Copied"})
    send(editor, draft, part, **{"1__more": "key: M"})
    row = editor.get(address(draft, part)).content.decode().split('id="row-1"')[1]
    assert "appears more than once; choose another" in row.split("</div>")[0]


# --- rules ---


MADE_UP = made.tick("made_up", wording="Made up", key="M")
SUPPORTED = made.tick(
    *["supported"],
    **{"kind": "yes_no", "wording": "Supported", "key": "P"},
    answers=[
        {"code": "yes", "wording": "yes", "sets": "supported"},
        {"code": "no", "wording": "no"},
    ],
)


@pytest.fixture
def asked(editor: Client, draft: RubricDraft) -> RubricDraft:
    """The draft with a tick "Made up" and a question "Supported"."""
    return store(draft, checks=[MADE_UP, SUPPORTED])


RULE: dict[str, Any] = {"0__when__one": "made_up", "0__reason": "It misleads."}


@cases(
    ("effect", "fields", "stored"),
    [
        ("cap", {"0__score": "2"}, {"score": 2}),
        ("floor", {"0__score": "4"}, {"score": 4}),
        ("force", {"0__score": "1"}, {"score": 1}),
        ("rank_below", {}, {}),
        ("rank_below", {"0__score": "1"}, {"score": 1}),
        ("advise", {"0__scores": ["4", "5"]}, {"scores": [4, 5]}),
        ("exclude", {"0__against": ["supported"]}, {"against": ["supported"]}),
        (
            "require",
            {"0__scores": ["5"], "0__needs__one": "supported"},
            {"scores": [5], "needs": {"all_of": ["supported"]}},
        ),
    ],
)
def test_each_effect_is_a_sentence(
    editor: Client,
    asked: RubricDraft,
    effect: str,
    fields: dict[str, Any],
    stored: dict[str, Any],
) -> None:
    store(asked, rules=[])
    send(editor, asked, f"{CODE}.rules", **RULE, **fields, **{"0__effect": effect})
    assert scale(asked)["rules"] == [
        {
            **{"code": "made_up", "effect": effect, "reason": "It misleads."},
            **{"when": {"all_of": ["made_up"]}, **stored},
        }
    ]
    assert fields_of(editor, address(asked, f"{CODE}.rules"))["0.effect"] == [effect]


def test_a_condition_has_one_part_of_each_kind(editor: Client, asked: RubricDraft) -> None:
    send(
        editor,
        asked,
        f"{CODE}.rules",
        **{"0__reason": "Both.", "0__score": "2", "0__when__0__how": "of"},
        **{"0__when__0__facts": ["made_up", "supported"], "0__when__0__least": "1"},
    )
    part = {"of": ["made_up", "supported"], "at_least": 1}
    assert scale(asked)["rules"][0]["when"] == part
    changes = {"0__when__1__how": "none_of", "0__when__1__facts": ["supported"]}
    send(editor, asked, f"{CODE}.rules", **changes)
    assert scale(asked)["rules"][0]["when"] == part | {"none_of": ["supported"]}


def test_a_condition_stored_as_any_of_one_fact_takes_a_further_part(
    editor: Client, asked: RubricDraft
) -> None:
    part = f"{CODE}.rules"
    stored = send(editor, asked, part, **RULE, **{"0__score": "2"})
    stored.content["dimensions"][0]["rules"][0]["when"] = {"any_of": ["made_up"]}
    stored.save()
    send(editor, asked, part)
    assert scale(asked)["rules"][0]["when"] == {"any_of": ["made_up"]}
    changes = {"0__when__0__how": "none_of", "0__when__0__facts": ["supported"]}
    send(editor, asked, part, **changes)
    both = {"all_of": ["made_up"], "none_of": ["supported"]}
    assert scale(asked)["rules"][0]["when"] == both


def test_a_rule_on_an_answer_makes_the_fact_that_it_needs(
    editor: Client, asked: RubricDraft
) -> None:
    send(editor, asked, f"{CODE}.rules", **RULE | {"0__when__one": "supported=no"})
    found = scale(asked)
    assert found["checks"][1]["answers"][1]["sets"] == "supported_no"
    assert found["rules"][0]["when"] == {"all_of": ["supported_no"]}


def test_the_order_decides_where_two_automatic_scores_can_meet(
    editor: Client, asked: RubricDraft
) -> None:
    part = f"{CODE}.rules"
    force = {"0__effect": "force", "0__score": "1"}
    send(editor, asked, part, **RULE, **force)
    send(editor, asked, part, **{"1__when__one": "supported=no", "1__reason": "No."})
    page = editor.get(address(asked, part)).content.decode()
    assert 'value="up.1"' not in page
    saved = send(editor, asked, part, **{"1__effect": "force", "1__score": "2"})
    assert "give one a higher precedence" in saved.report.faults[0].text
    page = editor.get(address(asked, part)).content.decode()
    assert "with “Made up” and “Supported: no” rule “It misleads.” forces 1" in page
    send(editor, asked, part, **{"2__when__one": "made_up", "2__reason": "So.", "2__score": "4"})
    saved = send(editor, asked, part, act="up.1")
    assert [(rule["score"], rule.get("precedence")) for rule in scale(asked)["rules"]] == [
        *((2, 2), (1, 1), (4, None))
    ]
    assert saved.report.faults == ()
    assert 'value="up.1"' in editor.get(address(asked, part)).content.decode()


def test_a_rule_says_what_it_bars_and_which_example_shows_it(
    editor: Client, asked: RubricDraft
) -> None:
    send(editor, asked, CODE, question="Is it whole?")
    send(editor, asked, f"{CODE}.rules", **RULE, **{"0__score": "2"})
    page = editor.get(address(asked, f"{CODE}.rules")).content.decode()
    assert "bars 3, 4, 5" in page
    assert "no example shows it" in page
    example = {"0__response": "It flew.", "0__why": "It did not.", "0__score": "2"}
    send(editor, asked, f"{CODE}.examples", **example, **{"0__checks": ["made_up"]})
    page = editor.get(address(asked, f"{CODE}.rules")).content.decode()
    assert "shown by example 1" in " ".join(page.split())
    send(editor, asked, f"{CODE}.examples", **{"0__score": "4"})
    page = editor.get(address(asked, f"{CODE}.examples")).content.decode()
    row = page.split('id="row-0"')[1].split("</div>")[0]
    assert "“It misleads.” bars 4; change its checks or its score" in row
    assert '<span class="dot ok">fits</span>' not in page


# --- examples ---


def test_an_example_has_a_text_answers_a_score_and_why(editor: Client, asked: RubricDraft) -> None:
    example = {"0__prompt": "How?", "0__response": "\r\n By air.", "0__why": "So.", "0__score": "3"}
    send(editor, asked, f"{CODE}.examples", **example)
    page = editor.get(address(asked, f"{CODE}.examples")).content.decode()
    assert '<span class="dot ok">fits</span>' in page
    stored = {
        **{"score": 3, "checks": [], "why": "So.", "response": "\n By air."},
        "history": [{"role": "user", "text": "How?"}],
    }
    assert scale(asked)["levels"] == [{"score": 3, "examples": [stored]}]
    send(editor, asked, f"{CODE}.examples", **{"0__score": "2"})
    assert scale(asked)["levels"][-1] == {"score": 2, "examples": [stored | {"score": 2}]}
    send(editor, asked, f"{CODE}.examples", act="remove.0")
    assert not any("examples" in level for level in scale(asked)["levels"])


@pytest.mark.parametrize("name", ["prompt", "response", "why", "more"])
def test_a_new_example_is_stored_from_its_first_text_on(
    editor: Client, draft: RubricDraft, name: str
) -> None:
    send(editor, draft, f"{CODE}.examples", **{f"0__{name}": "persona: [I box.]"})
    [level] = scale(draft)["levels"]
    assert "I box." in str(level["examples"])


def test_an_example_of_a_candidate_set_has_candidates_and_no_response(
    editor: Client, asked: RubricDraft
) -> None:
    send(editor, asked, CODE, question="Do they differ?", more="short: Fit\nunit: candidate_set")
    assert "0.response" not in fields_of(editor, address(asked, f"{CODE}.examples"))
    example = {"0__why": "So.", "0__score": "3", "0__more": "candidates: [One., Two.]"}
    saved = send(editor, asked, f"{CODE}.examples", **example)
    [stored] = scale(asked)["levels"][0]["examples"]
    assert (stored["candidates"], "response" in stored) == (["One.", "Two."], False)
    assert saved.report.faults == ()


# --- more ---


def test_more_that_cannot_be_read_is_refused_at_its_line_and_stays_in_the_form(
    editor: Client, draft: RubricDraft
) -> None:
    fields = fields_of(editor, address(draft, CODE))
    fields |= {"more": "short: S\nclauses: [A-01", "title": "Changed"}
    page = editor.post(address(draft, CODE), fields).content.decode()
    assert "Not saved" in page
    assert "line 2: a list in [ ]" in page
    assert "clauses: [A-01</textarea>" in page
    assert 'value="Changed"' in page
    assert scale(draft)["title"] == "Does it fit together?"


def slips_in(page: str) -> dict[str, str]:
    """Return the text under each field "More" that is opened for its fault, by its name."""
    folds = re.findall(r'<details class="folded small" open>(.*?)</details>', page, re.DOTALL)
    areas = [
        re.search(r'<textarea name="(.*?)"[^>]*>(.*?)</textarea>', fold, re.DOTALL)
        for fold in folds
    ]
    return {area[1]: area[2].strip() for area in areas if area}


def post(editor: Client, draft: RubricDraft, part: str, **changes: Any) -> str:
    """Fill in these fields of a part's form, send it, and return the page."""
    fields = fields_of(editor, address(draft, part))
    for name, value in changes.items():
        fields[name.replace("__", ".")] = value
    return editor.post(address(draft, part), fields).content.decode()


TEXT = {"checks": [], "why": "", "response": "Text", "score": 3}
ROWS: dict[str, dict[str, Any]] = {
    "checks": {"checks": [MADE_UP, SUPPORTED, made.tick("length", key="L")]},
    "rules": {
        "rules": [made.rule(f"so_{n}", "cap", {"all_of": ["made_up"]}, score=2) for n in range(3)]
    },
    "examples": {"levels": [{"score": 3, "examples": [TEXT] * 3}]},
}
# The row in which the second one stands once a button has been pressed.
REMOVED = {"": 1, "remove.0": 0, "remove.2": 1}
MOVED = {"up.1": 0, "down.1": 2}


@pytest.mark.parametrize("section", ROWS)
def test_more_that_cannot_be_read_stays_with_its_row_when_rows_are_removed_or_moved(
    editor: Client, asked: RubricDraft, section: str
) -> None:
    part = f"{CODE}.{section}"
    store(asked, **ROWS[section])
    fields = fields_of(editor, address(asked, part)) | {"1.more": ["[broken: {"]}
    for act, number in (REMOVED | ({} if section == "examples" else MOVED)).items():
        answer = editor.post(address(asked, part), fields | {"act": act})
        page = answer.content.decode()
        assert (act, slips_in(page)) == (act, {f"{number}.more": "[broken: {"})
        if section != "examples":
            assert (act, fields_of_html(page)[f"{number}.at"]) == (act, fields["1.at"])


def test_a_question_whose_more_cannot_be_read_stays_where_it_is_asked(
    editor: Client, asked: RubricDraft
) -> None:
    page = post(editor, asked, f"{CODE}.checks", **{"0__more": "[broken: {", "0__of": "response"})
    assert slips_in(page) == {"0.more": "[broken: {"}
    assert fields_of_html(page)["0.at"] == ["made_up"]


def test_a_prompt_stays_as_it_was_entered_while_more_cannot_be_read(
    editor: Client, draft: RubricDraft
) -> None:
    part = f"{CODE}.examples"
    example = {"0__prompt": "How?", "0__response": "By air.", "0__score": "3"}
    send(editor, draft, part, **example)
    page = post(editor, draft, part, **{"0__prompt": "And why?", "0__more": "[broken: {"})
    assert fields_of_html(page)["0.prompt"] == ["And why?"]


def test_the_field_more_is_small_while_it_is_empty(editor: Client, asked: RubricDraft) -> None:
    page = editor.get(address(asked, f"{CODE}.checks")).content.decode()
    rows = re.findall(r'name="(\d\.more)" rows="(\d)"', page)
    assert rows == [("0.more", "6"), ("1.more", "6"), ("2.more", "2")]


def test_a_fault_under_more_names_its_line_there(editor: Client, draft: RubricDraft) -> None:
    send(editor, draft, CODE, more="short: S\nsample: many\ncolour: red")
    page = editor.get(address(draft, CODE)).content.decode()
    shown = re.findall(r"More, line (\d): (.{12})", html.unescape(page).split('id="foot"')[0])
    more = fields_of(editor, address(draft, CODE))["more"][0].splitlines()
    named = {text: more[int(line) - 1] for line, text in shown}
    assert named == {"expected a w": "sample: many", '"colour" is ': "colour: red"}


def test_the_field_more_stores_any_yaml_and_the_reader_names_its_faults(
    editor: Client, draft: RubricDraft
) -> None:
    more = 'short: S\nnew: [2026-11-27, .nan, "\\0\\ud800"]\n1: {true: x}\ncode: other\nlevels: 5'
    saved = send(editor, draft, CODE, more=more)
    assert scale(draft)["code"] == CODE
    said = [found.text for found in saved.report.faults]
    assert any('"new" is not known here' in text for text in said)
    assert editor.get(address(draft, CODE)).status_code == 200


@cases(
    ("part", "sent"),
    [
        *(("about", {"more": "rows: 5"}), ("about", {"more": "slips: 5"})),
        *((CODE, {"more": "rows: [1]"}), (f"{CODE}.checks", {"0__more": "slips: 5"})),
        (f"{CODE}.checks", {"0__more": "answers: [{code: [a]}]", "0__kind": "one_of"}),
        (f"{CODE}.checks", {"act": "up." + "9" * 5000}),
        (f"{CODE}.rules", {"0__more": "slips: 5"}),
        (f"{CODE}.examples", {"0__more": "history: 5"}),
        (f"{CODE}.examples", {"0__more": "history: [5]"}),
        (f"{CODE}.examples", {"0__more": "history: [{role: user, text: 5}]"}),
        (f"{CODE}.examples", {"0__more": "code: a"}),
        (f"{CODE}.examples", {"0__score": "a.examples.b"}),
    ],
)
def test_no_entry_under_more_and_no_score_breaks_the_pages_of_a_draft(
    editor: Client, draft: RubricDraft, part: str, sent: dict[str, str]
) -> None:
    made_up = {"code": "made_up", "effect": "cap", "reason": "So.", "when": {"all_of": ["made_up"]}}
    levels = [{"score": 3, "examples": [TEXT]}]
    store(draft, checks=[MADE_UP], rules=[made_up], levels=levels)
    send(editor, draft, part, **sent)
    for each in dict.fromkeys(("about", CODE, part)):
        assert editor.get(address(draft, each)).status_code == 200


@pytest.mark.parametrize("more", ["a: 2026-11-27", "a: 1.5", "1: x", "~: x", "a: !!set {b, c}"])
def test_a_form_saved_twice_by_a_script_is_not_refused_for_how_it_was_stored(
    editor: Client, draft: RubricDraft, more: str
) -> None:
    fields = fields_of(editor, address(draft, "about")) | {"more": more}
    page = editor.post(address(draft, "about"), fields, headers=HTMX).content.decode()
    shown = page.split('name="shown" value="')[1][:16]
    again = editor.post(address(draft, "about"), fields | {"shown": shown}, headers=HTMX)
    assert "Not saved" not in again.content.decode()


# --- what no form shows ---


def test_an_entry_that_a_part_lacks_is_still_missing_once_another_part_is_saved(
    editor: Client, draft: RubricDraft
) -> None:
    content = RubricDraft.objects.get(pk=draft.pk).content
    del content["dimensions"][0]["question"]
    content["dimensions"][0]["rules"] = [{"code": "r1", "when": {"all_of": ["made_up"]}}]
    content["dimensions"][0]["checks"] = [{"code": "made_up"}]
    RubricDraft.objects.filter(pk=draft.pk).update(content=content)
    before = RubricDraft.objects.get(pk=draft.pk).report.faults
    assert any('"effect" is missing' in fault.text for fault in before)
    saved = send(editor, draft, "about", summary="Another summary.")
    assert saved.content == content | {"summary": "Another summary."}
    assert saved.report.faults == before


@pytest.mark.parametrize("score", ["", "1.5", "9"])
def test_an_example_whose_score_is_off_the_scale_stays_where_the_fault_is_told(
    editor: Client, draft: RubricDraft, score: str
) -> None:
    send(editor, draft, CODE, level__0__label="Whole", level__4__label="A heap")
    before = send(editor, draft, f"{CODE}.examples", **{"0__response": "Text", "0__score": score})
    assert before.report.faults
    after = send(editor, draft, CODE, question="Another?")
    assert after.content["dimensions"][0]["levels"] == before.content["dimensions"][0]["levels"]
    send(editor, draft, CODE, preset="1–7")
    assert fields_of(editor, address(draft, f"{CODE}.examples"))["0.response"] == ["Text"]


def test_an_example_that_gets_its_score_last_leaves_no_level_without_one(
    editor: Client, draft: RubricDraft
) -> None:
    send(editor, draft, CODE, level__0__label="Whole", level__4__label="A heap")
    part = f"{CODE}.examples"
    send(editor, draft, part, **{"0__response": "Text", "0__score": ""})
    saved = send(editor, draft, part, **{"0__score": "5", "0__why": "So."})
    assert [level["score"] for level in scale(draft)["levels"]] == [5, 1]
    assert not saved.report.faults


def test_an_entry_that_no_rule_knows_stays_and_is_told(editor: Client, draft: RubricDraft) -> None:
    send(editor, draft, f"{CODE}.checks", **{"0__wording": "Made up"})
    rule = {"0__when__one": "made_up", "0__reason": "So.", "0__score": "2"}
    saved = send(editor, draft, f"{CODE}.rules", **rule, **{"0__more": "lines: At most 2."})
    assert scale(draft)["rules"][0]["lines"] == "At most 2."
    assert '"lines" is not known here' in saved.report.faults[0].text


@pytest.mark.parametrize("highest", [20, 1_001, 32_767])
def test_a_long_scale_keeps_its_levels(editor: Client, lead: User, highest: int) -> None:
    content = made.scales(made.scale("tone", "Tone", 0, ["Bad", "Better", "Good"]))
    content["dimensions"][0]["highest"] = highest
    draft = RubricDraft.objects.start(content, by=lead, now=NOW)
    fields = fields_of(editor, address(draft, "tone"))
    assert fields["level.2.label"] == ["Bad"]
    assert send(editor, draft, "tone").content == draft.content


def test_a_rule_about_a_removed_question_stays_until_the_question_is_taken_out_of_it(
    editor: Client, lead: User
) -> None:
    content = made.document(
        [made.tick("a"), made.tick("b"), made.question("c", "sure", "")],
        [
            made.rule("r1", "cap", {"all_of": ["a", "b"]}, score=2),
            made.rule("r2", "cap", {"all_of": ["sure"]}, score=2),
            made.rule("r3", "require", scores=[5], needs={"any_of": ["b", "comment"]}),
            made.rule("r4", "exclude", {"all_of": ["a"]}, against=["b"]),
        ],
    )
    example = {"score": 1, "checks": ["b", "sure"], "why": "So.", "response": "Text"}
    content["dimensions"][0]["levels"][0]["examples"] = [example]
    content["dimensions"][0]["checks"][0]["when"] = {"any_of": ["b"]}
    draft = RubricDraft.objects.start(content, by=lead, now=NOW)
    send(editor, draft, "quality.checks", act="remove.2")
    gone = send(editor, draft, "quality.checks", act="remove.1")
    for part in ("quality.checks", "quality.rules", "quality.examples"):
        assert send(editor, draft, part).content == gone.content
    send(editor, draft, "quality.rules", **{"1__when__one": "a"})
    assert scale(draft)["rules"][1]["when"] == {"all_of": ["a"]}


def test_classes_that_begin_at_0_stay_as_they_are(editor: Client, lead: User) -> None:
    content = made.scales(made.scale("tone", "Tone", 0, ["Kind", "Neutral", "Rude"], better="none"))
    draft = RubricDraft.objects.start(content, by=lead, now=NOW)
    assert send(editor, draft, "tone").content == draft.content


@pytest.mark.parametrize("title", ["About", "Checks"])
def test_a_dimension_has_a_form_whatever_its_title(
    editor: Client, draft: RubricDraft, title: str
) -> None:
    editor.post(f"/rubric-drafts/{draft.pk}/dimensions/", {"title": title})
    code = RubricDraft.objects.get(pk=draft.pk).content["dimensions"][1]["code"]
    assert fields_of(editor, address(draft, code))["title"] == [title]


# --- two people ---


def test_a_part_that_someone_else_changed_is_refused_and_both_texts_stand_there(
    editor: Client, draft: RubricDraft, ben: User
) -> None:
    make_project(slug="eggs", leads=[ben, draft.made_by])
    old = fields_of(editor, address(draft, CODE))
    other = Client()
    other.force_login(ben)
    send(other, draft, CODE, question="Ben's?")
    answer = editor.post(address(draft, CODE), old | {"question": "Mine?", "more": "short: Mine"})
    page = answer.content.decode()
    assert "Not saved: ben changed this part after you opened it." in page
    assert "question: Ben&#x27;s?" in page
    assert 'value="Mine?"' in page
    assert "short: Mine" in page
    assert scale(draft)["question"] == "Ben's?"
    again = fields_of_html(page)
    assert "Not saved" in editor.post(address(draft, CODE), again, headers=HTMX).content.decode()
    assert scale(draft)["question"] == "Ben's?"
    again |= {"shown": [*again["shown"], page.split('name="shown" value="')[2][:16]]}  # of Save
    assert editor.post(address(draft, CODE), again).status_code == 302
    assert (scale(draft)["question"], scale(draft)["short"]) == ("Mine?", "Mine")


def test_a_part_that_someone_else_changed_is_not_removed(
    editor: Client, draft: RubricDraft
) -> None:
    old = fields_of(editor, address(draft, CODE)) | {"act": "remove.0"}
    send(editor, draft, CODE, question="Mine?")
    page = editor.post(address(draft, CODE), old).content.decode()
    assert "Not saved" in page
    again = fields_of_html(page) | {"act": "remove.0", "more": "cannot be read: ["}
    assert editor.post(address(draft, CODE), again).status_code == 302
    assert RubricDraft.objects.get(pk=draft.pk).content["dimensions"] == []


def test_changes_of_two_people_in_different_parts_are_both_kept(
    editor: Client, draft: RubricDraft
) -> None:
    old = fields_of(editor, address(draft, CODE))
    send(editor, draft, "about", summary="Another summary.")
    send(editor, draft, f"{CODE}.checks", **{"0__wording": "Made up"})
    assert editor.post(address(draft, CODE), old | {"question": "Mine?"}).status_code == 302
    assert scale(draft)["checks"]
    assert scale(draft)["question"] == "Mine?"


def test_a_saved_form_is_answered_with_the_name_of_its_text(
    editor: Client, draft: RubricDraft
) -> None:
    fields = fields_of(editor, address(draft, CODE)) | {"question": "Is it whole?"}
    answer = editor.post(address(draft, CODE), fields, headers=HTMX)
    assert "evenhand:saved" in answer.headers["HX-Trigger"]
    again = fields_of_html(answer.content.decode()) | {"question": "Or not?"}
    assert editor.post(address(draft, CODE), again, headers=HTMX).status_code == 200
    assert scale(draft)["question"] == "Or not?"


def test_an_example_of_another_score_stays_where_it_is_until_the_page_comes_anew(
    editor: Client, draft: RubricDraft
) -> None:
    part, page = f"{CODE}.examples", address(draft, f"{CODE}.examples")
    for n in (0, 1):
        send(editor, draft, part, **{f"{n}__response": f"Number {n}", f"{n}__score": "3"})
    fields = fields_of(editor, page) | {"0.score": ["1"]}
    sent = fields_of_html(editor.post(page, fields, headers=HTMX).content.decode())
    assert (sent["0.response"], sent["0.at"]) == (["Number 0"], ["1.0"])
    assert editor.post(page, sent | {"0.why": ["So."]}, headers=HTMX).status_code == 200
    assert [each["examples"][0].get("why") for each in scale(draft)["levels"]] == ["", "So."]
    assert fields_of(editor, page)["1.response"] == ["Number 0"]


def test_a_level_of_a_long_scale_stays_where_it_was_written_until_the_page_comes_anew(
    editor: Client, draft: RubricDraft
) -> None:
    page = address(draft, CODE)
    send(editor, draft, CODE, preset="own", lowest="1", highest="50")
    sent = fields_of(editor, page)
    for n, score in enumerate(("10", "40")):
        sent |= {f"level.{n}.score": [score], f"level.{n}.label": [f"Level {score}"]}
        sent = fields_of_html(editor.post(page, sent, headers=HTMX).content.decode())
    assert [sent[f"level.{n}.score"] for n in (0, 1, 2)] == [["10"], ["40"], [""]]
    assert fields_of(editor, page)["level.0.score"] == ["40"]


def test_only_the_ends_are_described_once_that_is_ticked_though_they_say_nothing_yet(
    editor: Client, draft: RubricDraft
) -> None:
    send(editor, draft, CODE, ends="yes", level__1__label="Good")
    assert "ends" in fields_of(editor, address(draft, CODE))


@pytest.mark.parametrize("part", ["nothing", f"{CODE}.levels", f"{CODE}.rules.more", "about.x"])
def test_an_unknown_part_of_a_draft_is_not_found(
    editor: Client, draft: RubricDraft, part: str
) -> None:
    assert editor.get(address(draft, part)).status_code == 404
    assert editor.post(address(draft, part), {}).status_code == 404


def test_no_form_that_is_sent_breaks_a_page(editor: Client, lead: User) -> None:
    draft, draw = start("ultrafeedback", lead), random.Random(7)  # noqa: S311
    names = [
        *("title", "preset", "lowest", "highest", "better", "same", "ends", "act", "more"),
        *(f"{n}.{name}" for n in (0, 1, 99) for name in ("at", "kind", "wording", "more", "best")),
        *(f"{n}.{name}" for n in (0, 1) for name in ("effect", "score", "scores", "against")),
        *(f"{n}.when.{name}" for n in (0, 1) for name in ("one", "0.how", "0.facts", "0.least")),
        *("level.0.score", "level.0.label", "0.answer.0.wording", "0.answer.0.at", "0.response"),
    ]
    values = [
        *("", "0", "-1", "99999", "own", "classes", "one_of", "yes_no", "force", "all_of", "of"),
        *("a\x00b", "sounds=sure", "x=y", "honesty", "remove.0", "up.0", "down.x", "5.0"),
        *("[", "- 1", "levels: [{score: [1]}, 3]", "code: [1]", "checks: 4", "answers: {a: 1}"),
        *("score: {}", "history: [1]", "when: [1]", "needs: {all_of: 3}", "ü" * 500),
    ]
    for _ in range(20):
        part = draw.choice(parts_of(draft))
        fields = fields_of(editor, address(draft, part))
        for name in draw.sample(names, 9):
            fields[name] = [draw.choice(values)]
        assert editor.post(address(draft, part), fields).status_code in (200, 302), fields
        draft = RubricDraft.objects.get(pk=draft.pk)
        assert editor.get(address(draft, part)).status_code in (200, 404), fields
        if len(draft.content["dimensions"]) < 3:
            draft = start("ultrafeedback", lead)


@pytest.mark.parametrize(
    "more", ["needs: [1]", "checks: [[1]]", "when: 5", "against: [[1], {a: b}]"]
)
def test_an_entry_of_another_part_under_more_is_told_and_breaks_no_page(
    editor: Client, draft: RubricDraft, more: str
) -> None:
    send(editor, draft, f"{CODE}.checks", **{"0__wording": "Made up", "0__more": more})
    page = editor.get(address(draft, f"{CODE}.checks"))
    assert (page.status_code, more.split(":")[0] in page.content.decode()) == (200, True)
    assert editor.get(address(draft, CODE)).status_code == 200
    assert editor.get(f"/rubric-drafts/{draft.pk}/publish/").status_code == 200


def test_a_part_that_cannot_be_shown_leads_to_the_document(
    editor: Client, draft: RubricDraft
) -> None:
    content = RubricDraft.objects.get(pk=draft.pk).content
    content["dimensions"][0]["checks"] = [
        {"code": "made_up", "kind": "tick", "wording": "Made up", "when": 5}
    ]
    RubricDraft.objects.filter(pk=draft.pk).update(content=content)
    there = f"/rubric-drafts/{draft.pk}/document/"
    assert editor.get(address(draft, f"{CODE}.checks"))["Location"] == there
    assert "can’t be shown as a form" in editor.get(there).content.decode()
    # A form that leaves the entry out mends it.
    sent = {"0.at": "made_up", "0.wording": "Made up"}
    assert editor.post(address(draft, f"{CODE}.checks"), sent).status_code == 200


def test_two_levels_of_one_score_are_both_kept_and_lead_to_the_document(
    editor: Client, draft: RubricDraft
) -> None:
    example = {"0__response": "Text", "0__score": "3", "0__why": "So."}
    send(editor, draft, f"{CODE}.examples", **example)
    sent = {part: fields_of(editor, address(draft, part)) for part in (CODE, f"{CODE}.examples")}
    content = RubricDraft.objects.get(pk=draft.pk).content
    content["dimensions"][0]["levels"].append({"score": 3, "label": "Fair"})
    RubricDraft.objects.filter(pk=draft.pk).update(content=content)
    edit = RubricDraft.objects.get(pk=draft.pk).edit()
    for part, fields in sent.items():
        fields["shown"] = [digest(edit, part)]
        for answer in (editor.get(address(draft, part)), editor.post(address(draft, part), fields)):
            assert answer.headers["Location"] == f"/rubric-drafts/{draft.pk}/document/"
    saved = send(editor, draft, f"{CODE}.checks", **{"0__wording": "Made up"})
    assert saved.content["dimensions"][0]["levels"] == content["dimensions"][0]["levels"]
    assert "appears more than once" in saved.report.faults[0].text


def test_dimensions_without_lists_do_not_share_them(lead: User) -> None:
    plain = {"short": "A", "question": "?", "unit": "response", "lowest": 1, "highest": 5}
    dimensions = [plain | {"code": code, "title": code} for code in ("a", "b")]
    content = {"slug": "s", "title": "S", "summary": "S", "dimensions": dimensions}
    draft = RubricDraft.objects.start(content, by=lead, now=NOW)
    first, second = draft.content["dimensions"]
    first["checks"].append({"code": "x"})
    assert second["checks"] == []


def test_a_part_with_too_much_to_choose_from_leads_to_the_document(
    client: Client, lead: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrics.editor.parts.MOST_CHOICES", -1)
    draft = RubricDraft.objects.start(made.SKILLS, by=lead, now=NOW)
    make_project(leads=[lead])
    client.force_login(lead)
    part = draft.content["dimensions"][0]["code"]
    answer = client.get(f"/rubric-drafts/{draft.pk}/parts/{part}.checks/")
    assert answer.headers["Location"] == f"/rubric-drafts/{draft.pk}/document/"
