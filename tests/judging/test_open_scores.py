"""Which scores are open: a table for each dimension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import unescape
from itertools import combinations
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags
from hypothesis import given, settings, strategies as st
from playwright.sync_api import BrowserContext, expect
from selectolax.lexbor import LexborHTMLParser, LexborNode

from annotators.models import User
from rubrics.documents.document import parse, parse_stored
from rubrics.judging.dimension import Dimension
from rubrics.judging.open_scores import expected_scores, open_scores
from rubrics.judging.reasons import clashes_in
from rubrics.judging.rules import judge
from rubrics.judging.verdict import Clashes, Verdict
from rubrics.models import Rubric, RubricDraft
from rubrics.pages.score_tables import score_tables
from tests.desk_keys import log_in
from tests.factories import NOW, make_project, make_rubric, make_user, rubric_document
from tests.made_rubrics import Content, detected, document, question, rule, scale, scales, tick

from .asked_rubric import (
    ANSWERS,
    load,
)

Row = tuple[dict[str, str], list[int], list[str]]


def dimension_of(checks: list[Content], *rules: Content, **more: Any) -> Dimension:
    content = document(checks, [*rules])
    content["dimensions"][0] |= more
    return parse_stored(content).dimensions[0]


def table(dimension: Dimension) -> list[Row]:
    """Each row: its answers, what is open, and the rules that bar the others."""
    return [
        (dict(given), [*verdict.open], [reason.rule for reason in verdict.acting_reasons])
        for given, verdict in open_scores(dimension).open_rows
    ]


def best(code: str, *sets: str) -> Content:
    """A question whose first answer is the best."""
    return question(code, *sets) | {"best": "a0"}


CAP = rule("cap", "cap", {"all_of": ["a"]}, score=2)
FORCE = rule("force", "force", {"all_of": ["b"]}, score=1)


# --- the rows ---


def test_the_table_begins_with_nothing_wrong_and_has_a_row_for_each_answer_but_the_best() -> None:
    cap = rule("poor", "cap", {"all_of": ["poor"]}, score=4)
    found = table(
        dimension_of([best("sort", "", "poor"), tick("a"), detected("b")], CAP, FORCE, cap)
    )
    assert found == [
        ({}, [1, 2, 3, 4, 5], []),
        ({"sort": "a1"}, [1, 2, 3, 4], ["poor"]),
        ({"a": "yes"}, [1, 2], ["cap"]),
        ({"b": "yes"}, [1], ["force"]),
    ]


def test_an_answer_that_asserts_nothing_has_a_row_if_another_is_the_best() -> None:
    needs = rule("needs", "require", scores=[5], needs={"all_of": ["fine"]})
    assert table(dimension_of([best("support", "fine", "")], needs)) == [
        ({}, [1, 2, 3, 4, 5], []),
        ({"support": "a1"}, [1, 2, 3, 4], ["needs"]),
    ]


def test_a_pair_has_a_row_only_if_it_interacts() -> None:
    both = rule("both", "cap", {"all_of": ["a", "c"]}, score=1)
    found = table(dimension_of([tick("a"), tick("b"), tick("c")], CAP, FORCE, both))
    assert found[4:] == [({"a": "yes", "c": "yes"}, [1], ["both", "cap"])]


def test_a_pair_of_rules_of_which_one_beats_the_other_has_a_row() -> None:
    other = rule("other", "force", {"all_of": ["a"]}, score=5, precedence=1)
    dimension = dimension_of([tick("a"), tick("b"), tick("c")], FORCE, other)
    assert table(dimension)[4:] == [({"a": "yes", "b": "yes"}, [5], ["other"])]


def test_an_answer_that_opens_a_score_beside_an_idle_one_is_no_interaction() -> None:
    needs = rule("needs", "require", scores=[5], needs={"all_of": ["a"]})
    assert len(table(dimension_of([tick("a"), tick("b")], needs))) == 3


def test_answers_that_cannot_go_together_have_no_row() -> None:
    apart = rule("apart", "exclude", {"all_of": ["a"]}, against=["b"])
    both = rule("both", "cap", {"all_of": ["a", "b"]}, score=1)
    found = table(dimension_of([tick("a"), tick("b"), question("q", "", "x")], apart, both))
    assert not [given for given, _open, _by in found if {"a", "b"} <= given.keys()]


def test_a_row_names_what_its_answers_need_in_order_to_be_asked() -> None:
    grounded = ANSWERS.dimension("grounded")
    assert table(grounded) == [
        ({"harmful": "no"}, [0, 1, 2], []),
        ({"harmful": "no", "claims": "yes"}, [0, 1, 2], []),
        ({"harmful": "no", "claims": "no"}, [0], ["none"]),
        ({"harmful": "no", "claims": "yes", "supported": "yes"}, [2], ["all"]),
        ({"harmful": "no", "claims": "yes", "supported": "no"}, [1], ["some"]),
        ({"harmful": "no", "claims": "yes", "supported": "yes", "quotes": "yes"}, [2], ["all"]),
    ]


def test_a_dimension_that_something_keeps_from_being_asked_has_no_row_of_that() -> None:
    assert not [
        given for given, *_ in table(ANSWERS.dimension("grounded")) if given["harmful"] == "yes"
    ]


def test_the_comment_counts_as_written() -> None:
    assert table(ANSWERS.dimension("helpful"))[:2] == [
        ({}, [1, 2, 3, 4, 5], []),
        ({"harmful": "yes"}, [1], ["harm_is_1"]),
    ]


def test_a_check_of_the_whole_response_has_a_row_only_where_a_dimension_names_it() -> None:
    rows = table(ANSWERS.dimension("helpful"))
    assert {code for given, *_ in rows for code in given} == {"harmful", "off_topic"}
    assert table(ANSWERS.dimension("tone")) == [({}, [1, 2, 3], [])]


def test_the_pairs_of_response_quality_are_those_whose_forces_or_small_faults_meet() -> None:
    rows = table(rubric_document("response-quality").dimension("quality"))
    assert len(rows) == 26
    assert rows[0] == ({}, [4, 5, 6, 7], ["terrible_needs_its_cause", "bad_needs_a_violation"])
    assert [(given, left) for given, left, _by in rows[20:]] == [
        ({"harmless": "no", "honest": "not_own_work"}, [1]),
        ({"honest": "not_own_work", "nonsensical": "yes"}, [1]),
        ({"honest": "not_own_work", "irrelevant": "yes"}, [1]),
        ({"punctuation_error": "yes", "late_disclaimer": "yes"}, [3, 4]),
        ({"punctuation_error": "yes", "not_neutral": "yes"}, [3, 4]),
        ({"late_disclaimer": "yes", "not_neutral": "yes"}, [3, 4]),
    ]


def acting_rules(content: Content) -> list[tuple[str, str]]:
    """Each row as its page says it: the answers, and the rules that bar scores."""
    rubric = parse_stored(content)
    [shown] = score_tables(rubric, "")
    return [("; ".join(row.facts), unescape(strip_tags(row.by))) for row in shown.rows]


def test_a_force_that_alone_names_a_check_of_the_whole_response_beats_the_others() -> None:
    content = document([tick("a")], [CAP | {"clause": "C-1"}, FORCE | {"clause": "F-1"}])
    alone = acting_rules(content | {"checks": [tick("b")]})
    assert alone == [("", ""), ("b", "F-1"), ("a", "C-1")]
    both = CAP | {"clause": "C-1", "when": {"none_of": ["c"]}}
    content = document([tick("c")], [both, FORCE | {"clause": "F-1"}])
    assert ("b", "F-1 beats C-1") in acting_rules(content | {"checks": [tick("b")]})


# --- it agrees with the rules, whatever they are ---

NAMES = ["a", "b", "c", "q1", "q2", "r1"]
CHECKS = [
    tick("a"),
    detected("b"),
    tick("c", when={"any_of": ["q1", "a"]}),
    best("q", "", "q1", "q2"),
    question("r", "r1", ""),
]
names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True)
whens = st.one_of(
    st.builds(lambda found: {"any_of": found}, names),
    st.builds(lambda found: {"all_of": found}, names),
    st.builds(
        lambda one, found: {"all_of": [one], "none_of": found}, st.sampled_from(NAMES), names
    ),
)
score = st.integers(1, 4)
rules = st.lists(
    st.one_of(
        st.builds(lambda w, s: {"effect": "cap", "when": w, "score": s}, whens, score),
        st.builds(lambda w, s: {"effect": "floor", "when": w, "score": s}, whens, score),
        st.builds(
            lambda w, s, p: {"effect": "force", "when": w, "score": s, "precedence": p},
            *(whens, score, st.integers(0, 2)),
        ),
        st.builds(
            lambda w, n, s: {"effect": "require", "when": w, "needs": n, "scores": [s]},
            *(whens, whens, score),
        ),
        st.builds(
            lambda one, found: {"effect": "exclude", "when": {"all_of": [one]}, "against": found},
            *(st.sampled_from(NAMES), names),
        ),
    ),
    min_size=1,
    max_size=5,
)


def made(said: list[Content], better: str = "high") -> Dimension:
    rules = [rule(f"r{number}", **each) for number, each in enumerate(said)]
    return dimension_of(CHECKS, *rules, highest=4, better=better)


def by_hand(dimension: Dimension, given: Mapping[str, str]) -> Verdict | Clashes:
    """The verdict on these answers, with the best answer to `q` if they have none."""
    return judge(dimension, facts_of(dimension, given), answered={"q", *given})


def facts_of(dimension: Dimension, given: Mapping[str, str]) -> frozenset[str]:
    return dimension.facts_of_answers({"q": "a0", **given})


@settings(max_examples=100)
@given(rules, st.sampled_from(["high", "low"]))
def test_a_row_is_what_the_rules_say_and_a_pair_without_one_what_its_answers_do_alone(
    said: list[Content], better: str
) -> None:
    dimension = made(said, better)
    rows = {frozenset(row.items()): verdict for row, verdict in open_scores(dimension).open_rows}
    for row, verdict in rows.items():
        assert verdict == by_hand(dimension, dict(row))
    departures = [("a", "yes"), ("b", "yes"), ("q", "a1"), ("q", "a2"), ("r", "a0"), ("r", "a1")]
    for code, value in departures:
        goes_together = not any(clashes_in(dimension, facts_of(dimension, {code: value})))
        assert (frozenset({(code, value)}) in rows) is goes_together
    for pair in combinations(departures, 2):
        if pair[0][0] == pair[1][0] or frozenset(pair) in rows:
            continue
        together = by_hand(dimension, dict(pair))
        one, other = (rows.get(frozenset({each})) for each in pair)
        if isinstance(together, Verdict) and one and other:
            first = rows[frozenset()]
            assert {*together.open} == expected_scores(dimension, {*first.open}, one, other)
            if not first.barred:
                assert {*together.open} == {*one.open} & {*other.open}


# --- the pages ---

NUMBERS = scale("grade", "Note", 0, [*[""] * 100, "Gut"], checks=[tick("a", wording="Erfunden")])
SETS = {"code": "sets", "effect": "force", "reason": "So.", "when": {"all_of": ["y"]}, "score": 1}
GERMAN = scales(
    scale(
        *("style", "Stil", 1, ["Schlecht", "Mittel", "Gut"]),
        checks=[tick("x", wording="=Floskeln"), tick("y", wording="Wirr")],
        rules=[
            rule("caps", "cap", {"all_of": ["x"]}, score=2, clause="S-1"),
            SETS,
            rule("rank", "rank_below", {"all_of": ["x"]}),
        ],
    ),
    NUMBERS | {"rules": [rule("half", "cap", {"all_of": ["a"]}, score=50)]},
    scale("tone", "Ton", 1, ["Rau", "Freundlich"]),
    slug="noten",
)


@pytest.fixture
def draft(db: None) -> RubricDraft:
    return RubricDraft.objects.start(GERMAN | {"language": "de"}, by=make_user(name="lea"), now=NOW)


def published(by: User | None = None) -> Rubric:
    return Rubric.objects.load(parse(GERMAN | {"language": "de"}), by=by, now=NOW)[0]


def read(client: Client, address: str) -> LexborHTMLParser:
    response = client.get(address)
    assert response.status_code == 200
    return LexborHTMLParser(response.content.decode())


def cells(row: LexborNode) -> list[str]:
    return [" ".join(cell.text().split()) for cell in row.css("th, td")]


def test_the_page_shows_the_table_of_each_dimension(client: Client, draft: RubricDraft) -> None:
    client.force_login(draft.made_by)
    page = read(client, f"/rubric-drafts/{draft.pk}/scores/")
    assert [cells(row) for row in page.css("tbody tr")] == [
        ["nothing wrong", "1 2 3", "", "no rule"],
        ["=Floskeln", "1 2", "3", "S-1"],
        ["Wirr", "1", "2 3", "scores 1"],
        ["nothing wrong", "0–100", "", "no rule"],
        ["Erfunden", "0–50", "51–100", "X-1"],
    ]
    assert "No rule bars a score." in page.css("section")[2].text()
    assert "must score lower than every response without it" in page.css("section")[0].text()


def test_the_page_says_what_it_takes_for_given_and_what_it_leaves_out(
    client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubrics.pages.score_tables.MOST_ROWS", 3)
    load()
    client.force_login(make_user())
    page = read(client, "/rubrics/answers/1/scores/")
    assert [" ".join(each.text().split()) for each in page.css("section")[0].css("p")] == [
        "Pairs that are left out: 1",
        "Not answered where a row does not name them: Harmful",
        "A comment counts as written.",
    ]
    assert len(page.css("section")[0].css("tbody tr")) == 3


def test_a_class_is_shown_with_its_label(client: Client, draft: RubricDraft) -> None:
    client.force_login(draft.made_by)
    force = rule("sets", "force", {"all_of": ["x"]}, score=1)
    kind = scale("kind", "Art", 0, ["Frage", "Bitte"], checks=[tick("x")], rules=[force])
    content = draft.content | {"dimensions": [kind | {"better": "none"}]}
    draft.keep(content, by=draft.made_by, now=NOW)
    page = read(client, f"/rubric-drafts/{draft.pk}/scores/")
    assert [cells(row)[1] for row in page.css("tbody tr")] == ["0 Frage 1 Bitte", "1 Bitte"]


def test_a_force_says_which_rules_it_beats(client: Client, db: None) -> None:
    make_rubric()
    client.force_login(make_user())
    page = read(client, "/rubrics/response-quality/1/scores/")
    row = page.css("tbody tr")[-4]
    assert cells(row) == [
        "Honest: not its own work + Off topic",
        *("1", "2 3 4 5 6 7", "RQ-25 beats RQ-07, RQ-08"),
    ]
    assert [link.attributes["href"] for link in row.css(".clause")][:1] == [
        "/rubrics/response-quality/1/#RQ-25"
    ]


def test_the_rubrics_page_leads_to_it(client: Client, db: None) -> None:
    published()
    client.force_login(make_user())
    page = read(client, "/rubrics/noten/1/")
    assert page.css('a[href="/rubrics/noten/1/scores/"]')


def test_the_rubrics_words_are_marked_as_of_its_language(client: Client, db: None) -> None:
    published()
    client.force_login(make_user())
    address = "/rubrics/noten/1/scores/"
    page = read(client, address)
    german = [" ".join(each.text().split()) for each in page.css('main [lang="de"]')]
    assert german == [
        *("Made", "Stil", "=Floskeln", "Wirr", "=Floskeln"),
        *("Note", "Erfunden", "Ton"),
    ]
    client.cookies["django_language"] = "de"
    assert not read(client, address).css("main [lang]")


def test_a_draft_with_faults_shows_how_it_could_be_read_last(
    client: Client, draft: RubricDraft
) -> None:
    client.force_login(draft.made_by)
    address = f"/rubric-drafts/{draft.pk}/scores/"
    draft.keep(draft.content | {"summary": 3}, by=draft.made_by, now=NOW)
    page = read(client, address)
    assert "This draft has faults. Here it is as it could be read last." in " ".join(
        page.css(".note.warning")[0].text().split()
    )
    assert len(page.css("tbody tr")) == 5


def test_open_scores_of_a_draft_are_not_found_by_those_who_may_not_edit_it(
    client: Client, draft: RubricDraft
) -> None:
    address = f"/rubric-drafts/{draft.pk}/scores/"
    outsider = make_user(name="eve")
    client.force_login(outsider)
    assert client.get(address).status_code == 404
    make_project(leads=[outsider, draft.made_by])
    assert client.get(address).status_code == 200


def test_a_draft_that_could_never_be_read_has_none(client: Client, db: None) -> None:
    lea = make_user(name="lea")
    draft = RubricDraft.objects.start({"slug": "bare"}, by=lea, now=NOW)
    client.force_login(lea)
    assert client.get(f"/rubric-drafts/{draft.pk}/scores/").status_code == 404


def test_everyone_who_may_read_a_rubric_may_read_its_table(client: Client, db: None) -> None:
    published()
    client.force_login(make_user(name="eve"))
    assert client.get("/rubrics/noten/1/scores/").status_code == 200
    assert client.get("/rubrics/noten/2/scores/").status_code == 404


def test_the_table_of_open_scores_prints_as_an_appendix_without_navigation(
    new_context: Callable[..., BrowserContext],
) -> None:
    published()
    make_user(name="ada")
    page = new_context(java_script_enabled=False).new_page()
    log_in(page, "ada")
    page.goto("/rubrics/noten/1/scores/")
    expect(page.locator("thead >> text=Barred").first).to_be_visible()
    page.emulate_media(media="print")
    for gone in (".bar", "thead >> text=Barred"):
        expect(page.locator(gone).first).to_be_hidden()
    for kept in ("main >> text=Made", "main >> text=Version 1", "main >> text=S-1"):
        expect(page.locator(kept).first).to_be_visible()
