"""The desk and the rubric's page say of a rubric of any kind what it has, and nothing else."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from annotators.models import User
from rubrics.documents import document
from rubrics.judging.dimension import Dimension
from rubrics.judging.scales import row_classes
from rubrics.models import Rubric
from rubrics.pages.fact_effects import consequence
from rubrics.pages.rubric_page import parts_of, table_of
from rubrics.pages.rule_groups import rule_groups
from tasks.models import Lease
from tests.cases import cases
from tests.desk_steps import HTMX, page as sent_by, start, url
from tests.factories import NOW, make_item, make_project
from tests.made_rubrics import (
    ANSWERS,
    SKILLS,
    WORDS,
    Content,
    detected,
    document as made,
    question,
    rule,
    scale,
    scales,
    tick,
)

MOST_BYTES = 150_000  # of a form of four responses on twelve scales, before compression


def on_desk(desk: Client, ada: User, content: Content, responses: int = 4) -> Lease:
    """The first item of a project that rates by this document, on the desk."""
    rubric, _ = Rubric.objects.load(document.parse(content), now=NOW)
    project = make_project(slug="made", rubric=rubric, annotators=[ada])
    make_item(project=project, responses=["Two."] * responses)
    return start(desk, project, ada)


def served(desk: Client) -> str:
    return desk.get("/projects/made/desk/").content.decode()


def plain(page: LexborHTMLParser, selector: str) -> str:
    return " ".join(" ".join(each.text() for each in page.css(selector)).split())


def only(content: Content) -> Dimension:
    [dimension] = document.parse(content).dimensions
    return dimension


# --- little, where there is little to say ---


@pytest.mark.django_db
def test_a_form_of_scales_alone_is_small_and_says_each_question_once(
    desk: Client, ada: User
) -> None:
    on_desk(desk, ada, SKILLS)
    html = served(desk)
    page = LexborHTMLParser(html)
    assert len(page.css("[data-row]")) == 4 * 12
    assert len(html.encode()) <= MOST_BYTES
    assert not page.css(".answers, [data-headline], [data-best-answers]")
    quiet = [each.attributes["data-quiet"] for each in page.css("[data-verdict]")]
    assert quiet[0] == "r1-logical_robustness-scale"
    assert not any(" " in each for each in quiet if each)
    for each in SKILLS["dimensions"]:
        assert html.count(each["question"]) == 1


@pytest.mark.django_db
def test_all_scores_are_open_is_said_only_where_a_rule_can_bar_one(desk: Client, ada: User) -> None:
    lease = on_desk(desk, ada, ANSWERS)
    said = {
        row: desk.post(url(lease, "verdict") + f"?row=r1-{row}", {}, headers=HTMX).content.decode()
        for row in ("risk", "whole")
    }
    assert "All scores are open." not in served(desk) + said["risk"]
    desk.post(url(lease, "draft"), {"r1.whole.harm_4": "yes"} | sent_by())
    assert "All scores are open." in served(desk)
    refused = desk.post(url(lease), {"r1.whole.harm_4": "yes"}, headers=HTMX).content.decode()
    errors = plain(LexborHTMLParser(refused), "#errors li")
    assert "Response A, Risk: not rated yet." in errors


SCALE = scale("clear", "Clear", 1, ["", "", ""])
READ = "Read the prompt and the response."
SCORE, END = "Give a score.", "Enter goes to what is missing, then submits."
BARRED = "Scores with a dashed border are barred; the line below says why."
POINT = "Point at one or press its letter, and the rubric says what it means."
STEPS: dict[str, tuple[list[Content], list[Content], str]] = {
    "a scale": ([], [], f"{READ} {SCORE} {END}"),
    "ticks": (
        [tick("short")],
        [],
        f"{READ} Tick what you see, by click or by the letter shown. {POINT} {SCORE} {END}",
    ),
    "questions": (
        [question("kind", "", "rude")],
        [],
        f"{READ} Answer the questions, by click or by the letter shown. {POINT} {SCORE} {END}",
    ),
    "both, and a rule": (
        [tick("short"), question("kind", "", "rude")],
        [rule("low", "cap", {"all_of": ["short"]}, score=1)],
        f"{READ} Answer the questions and tick what you see, by click or by the letter shown."
        f" {POINT} {SCORE} {BARRED} {END}",
    ),
    "what the program sees, and a rule": (
        [detected("empty")],
        [rule("low", "force", {"all_of": ["empty"]}, score=1)],
        f"{READ} {SCORE} {BARRED} {END}",
    ),
}


@cases("name", STEPS)
def test_the_first_steps_are_of_what_the_rubric_has(name: str) -> None:
    checks, rules, steps = STEPS[name]
    rubric = document.parse(scales(SCALE | {"checks": checks, "rules": rules}))
    said = LexborHTMLParser(render_to_string("annotators/desk/steps.html", {"schema": rubric}))
    assert plain(said, "li") == steps


@pytest.mark.django_db
@pytest.mark.parametrize("has_checks", [True, False])
def test_the_list_of_keys_has_those_of_checks_where_there_are_some(
    desk: Client, ada: User, has_checks: bool
) -> None:
    said = "the checks of the row, as shown there"
    checks = [question("kind", "", "rude") | {"best": "a0"}]
    on_desk(desk, ada, scales(SCALE | ({"checks": checks} if has_checks else {})))
    page = LexborHTMLParser(served(desk))
    assert (said in plain(page, "#help")) is has_checks
    assert ("best answer to all its questions" in plain(page, "#help")) is has_checks
    steps = STEPS["questions" if has_checks else "a scale"][2]
    assert plain(page, ".coach .steps li") == plain(page, "#help .steps li") == steps


# --- what a tick does, and what a rule names ---

NEEDED = made(
    [
        tick("deep"),
        tick("new"),
        tick("wrong"),
        tick("long"),
        question("kind", "good", "") | {"best": "a0"},
    ],
    [
        rule("top", "require", scores=[9, 10], needs={"all_of": ["deep", "new"]}),
        rule("high", "require", scores=[8], needs={"all_of": ["good"]}),
        rule("low", "cap", {"all_of": ["wrong"]}, score=4),
    ],
    highest=10,
)


def test_a_tick_that_scores_need_says_so_and_one_that_they_do_not_need_bars_none() -> None:
    """None is held to what another tick brings."""
    dimension = only(NEEDED)
    said = {code: consequence(dimension, code) for code in ("deep", "new", "wrong", "long")}
    assert said == {
        "deep": "needed for 9 and 10",
        "new": "needed for 9 and 10",
        "wrong": "1 to 4",
        "long": "bars no score",
    }


def test_a_rule_on_many_facts_counts_them_and_names_them_apart() -> None:
    harms = [f"harm{number}" for number in range(36)]
    conditions: dict[str, tuple[Content, str]] = {
        "any": ({"any_of": harms}, "If any of 36 checks: at most 2"),
        "each": ({"all_of": harms}, "If all of 36 checks: at most 2"),
        "some": ({"at_least": 3, "of": harms}, "If at least 3 of 36 checks: at most 2"),
        "none": ({"none_of": harms}, "If none of 36 checks: at most 2"),
        "few": (
            {"any_of": harms[:2]},
            'If <b class="fact">harm0</b> or <b class="fact">harm1</b>: at most 2',
        ),
    }
    rules = [rule(code, "cap", when, score=2) for code, (when, _) in conditions.items()]
    rules.append(rule("top", "require", scores=[5], needs={"any_of": harms}, reason="Say {needs}."))
    rubric = document.parse_stored(made([*map(tick, harms)], rules))
    shown = {
        each.id.removeprefix("x-rule-"): each
        for entry in rule_groups(rubric.dimensions[0], rubric, "x")
        for each in entry.rules_in_words
    }
    said = {code: sentence for code, (_, sentence) in conditions.items()}
    assert {code: str(shown[code].sentence) for code in conditions} == said
    assert str(shown["top"].sentence) == "5 only with one of: 36 checks"
    assert {code: shown[code].counted for code in shown} == {
        code: () if code == "few" else tuple(harms) for code in shown
    }
    assert all("harm9" not in each.at_desk for each in shown.values())


@pytest.mark.django_db
def test_many_scales_stand_in_a_table_on_the_page_of_the_rubric(desk: Client) -> None:
    Rubric.objects.load(document.parse(SKILLS), now=NOW)
    page = LexborHTMLParser(desk.get("/rubrics/skills/1/").content.decode())
    [table] = page.css("table.scales")
    rows = [
        [" ".join(cell.text().split()) for cell in row.css("th, td")] for row in table.css("tr")
    ]
    assert rows[0] == ["Dimension", "1", "2", "3", "4", "5"]
    assert len(rows) == 1 + 12
    assert rows[1] == ["Logical robustness", *("Not at all", "Hardly", "Partly", "Mostly", "Fully")]
    few = document.parse(scales(*SKILLS["dimensions"][:4]))
    assert table_of(parts_of(few)).scores == ()


# --- how a row is laid out ---


@cases(
    ("title", "lowest", "labels", "checks", "expected"),
    [
        ("Clear", 1, ["Poor", "Fair", "Good"], 0, ("plain", "wide")),
        ("Clear", 1, ["Poor", "Fair", "Good"], 1, ()),
        ("Clear", 0, ["", "", "", "", "", "", ""], 1, ("wide",)),
        ("Clear", 1, ["Poor", "Exceptional"], 1, ()),
        ("Clear", 1, ["Poor", "", "", "", "Exceptional"], 1, ("wide",)),
        ("Clear", 1, ["Unintelligible", "", "", "", "Good"], 1, ("wide", "under")),
        ("Comprehensiveness", 1, ["Poor", "Fair", "Good"], 1, ("wide",)),
        ("Clear", -1, ["Short", "Right", "Long"], 1, ("wide", "places")),
        ("Clear", -2, ["Incomprehensible", "", "", "", ""], 1, ("wide", "under")),
        ("Clear", 0, [f"Unintelligible {number}" for number in range(20)], 1, ("wide",)),
    ],
)
def test_a_scale_has_a_line_of_its_own_where_it_is_alone_or_its_words_are_long(
    title: str, lowest: int, labels: list[str], checks: int, expected: tuple[str, ...]
) -> None:
    content = scales(scale("clear", title, lowest, labels, checks=[tick("t")] * checks))
    assert row_classes(only(content)) == expected


def test_an_answer_without_a_score_takes_room_and_classes_always_say_their_words() -> None:
    words = scale("clear", "Clear", 1, ["Poor", "", "Fair", "", "Intelligible"])
    assert row_classes(only(scales(words))) == ("plain", "wide")
    assert row_classes(only(scales(words | {"blank": "None"}))) == ("plain", "wide", "under")
    assert row_classes(only(scales(words | {"blank": "None", "better": "none"}))) == (
        "plain",
        "wide",
    )


def test_a_level_between_others_needs_no_room_for_its_label() -> None:
    content = scales(scale("clear", "Clear", 1, ["Poor", "Unintelligible", "Fair", "Good", "Best"]))
    content["dimensions"][0]["levels"][1]["between"] = True
    assert row_classes(only(content)) == ("plain", "wide")


@pytest.mark.django_db
def test_labels_too_long_for_the_buttons_stand_under_the_ends_and_the_chosen_one_at_the_title(
    desk: Client, ada: User
) -> None:
    lease = on_desk(desk, ada, WORDS, responses=1)
    desk.post(url(lease, "draft"), {"r1.clear": "4", "r1.tone": "-2"} | sent_by())
    page = LexborHTMLParser(served(desk))
    assert plain(page, "#r1-clear .ends") == "Not understandable Understandable"
    assert plain(page, "#r1-clear .in-words") == "Mostly understandable"
    assert plain(page, "#r1-tone .in-words") == "Inappropriately formal"
    assert not page.css("#r1-help .ends, #r1-help .in-words, #r1-length .ends")


@pytest.mark.django_db
def test_more_than_six_scores_of_a_response_are_counted_in_the_strip(
    desk: Client, ada: User
) -> None:
    lease = on_desk(desk, ada, SKILLS, responses=2)
    desk.post(url(lease, "draft"), {"r1.facts": "4", "r1.readability": "5"} | sent_by())
    page = LexborHTMLParser(served(desk))
    assert plain(page, "#strip-r1 .score") == "2/12"
    assert plain(page, "#strip-r2 .score") == "0/12"
