"""The rubric's page, as one hands it to a new annotator: rules in plain words, no code names, links
that lead somewhere, and a look for paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import cast

import pytest
from django.test import Client
from django.utils.html import strip_tags
from playwright.sync_api import BrowserContext, Page, expect
from selectolax.lexbor import LexborHTMLParser, LexborNode

from rubrics.documents.plain_findings import EFFECTS as NAMES_OF_EFFECTS
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Effect, Unit
from rubrics.judging.parts import Condition, Rule
from rubrics.judging.schema import Rubric
from rubrics.pages.rubric_page import parts_of
from rubrics.pages.rule_groups import GROUPS, rule_groups
from rubrics.pages.rule_sentences import RuleWriter
from tests.cases import cases
from tests.desk_keys import log_in
from tests.factories import ROOT, make_rubric, make_user, rubric_document
from tests.strange import Texts, forgotten, known_words, written_in
from tests.traced import carriers

SLUGS = ["response-quality", "dialogue"]


@pytest.fixture
def show(client: Client, db: None) -> Callable[[str], LexborHTMLParser]:
    """The page of a rubric, read."""

    def shown(slug: str) -> LexborHTMLParser:
        make_rubric(slug=slug)
        client.force_login(make_user())
        return LexborHTMLParser(client.get(f"/rubrics/{slug}/1/").content.decode())

    return shown


def plain(text: str) -> str:
    return " ".join(text.split())


def first(page: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    found = page.css_first(selector)
    assert found is not None, selector
    return found


def said_by(rubric: Rubric, dimension: str, code: str) -> str:
    """A rule of a rubric in words, without its marks."""
    part = rubric.dimension(dimension)
    [rule] = [each for each in part.rules if each.code == code]
    return strip_tags(RuleWriter(rubric, part).sentence(rule))


# --- rules ---


@cases(
    ("slug", "dimension", "rule", "sentence"),
    [
        ("response-quality", "quality", "harmful_is_1", "If Harmless (no): scores 1"),
        ("response-quality", "quality", "language_error_at_most_4", "If Language error: at most 4"),
        (
            *("response-quality", "quality", "great_needs_all_four"),
            "7 only with all of: Helpful (entirely), Harmless (yes), Honest (yes),"
            " Comprehensive (yes)",
        ),
        (
            *("response-quality", "quality", "bad_needs_a_violation"),
            "3 and 2 only with one of: Language error, Errors distract, Disclaimer missing, "
            "Instructions missed, Honest (not true), Helpful (not), Does a sensitive request, "
            "Honest (not its own work), Repeats itself, or 2 or more of: Punctuation error, "
            "Disclaimer late, Not neutral",
        ),
        (
            *("response-quality", "quality", "one_fault_of_the_disclaimer"),
            "Not together: Disclaimer missing, Disclaimer late",
        ),
        (
            "response-quality",
            "quality",
            "empty_excludes_all",
            "Not together: Empty and anything else",
        ),
        (
            *("response-quality", "quality", "repeater_ranks_below"),
            "If Repeats itself: must score lower than every response without it (both may be 2)",
        ),
        (
            *("response-quality", "quality", "serious_fault_at_4"),
            "At 4, if Helpful (not), Honest (not true) or Disclaimer missing: we ask once",
        ),
        (
            *("response-quality", "quality", "twins_score_alike"),
            "If two responses differ only in punctuation but have different scores:"
            " we ask once, unless only one of them has Punctuation error",
        ),
        (
            *("dialogue", "quality", "short_is_not_longer"),
            "Not together: Short with Long and informative or Medium and fluent",
        ),
        (
            *("dialogue", "quality", "grammar_errors_at_most_4"),
            "If Grammar errors, and not Long and informative: at most 4",
        ),
        (
            *("dialogue", "coherence", "fair_and_perfect_at_least_3"),
            "If Little relevance, Same as query, Paraphrases query, General remark"
            " or Asks back, adds nothing, and Long and informative or Medium and fluent,"
            " and not Irrelevant: at least 3",
        ),
        (
            *("dialogue", "diversity", "neither_at_most_2"),
            "If none of Varied in these answers (yes), Varied in all its answers (yes): at most 2",
        ),
    ],
)
def test_a_rule_is_said_as_condition_and_effect(
    slug: str, dimension: str, rule: str, sentence: str
) -> None:
    assert said_by(rubric_document(slug), dimension, rule) == sentence


@pytest.mark.parametrize("slug", SLUGS)
def test_every_rule_stands_on_the_page_once_with_its_clause(
    show: Callable[[str], LexborHTMLParser], slug: str
) -> None:
    page = show(slug)
    rubric = rubric_document(slug)
    rows = [
        (first(row, ".says").text(), first(row, "a.clause").attributes["href"])
        for row in page.css(".rules > li")
    ]
    assert sorted(rows) == sorted(
        (said_by(rubric, dimension.code, rule.code), f"#{rule.clause}")
        for dimension in rubric.dimensions
        for rule in dimension.rules
    )


def test_rules_stand_together_by_what_they_do(show: Callable[[str], LexborHTMLParser]) -> None:
    shown = {
        strip_tags(entry.group.title): [rule.clause for rule in entry.rules_in_words]
        for entry in parts_of(rubric_document("response-quality"))[0].groups
    }
    assert list(shown) == [
        *(
            "Sets the score",
            "Highest score",
            "Lowest score",
            "Do not go together",
            "Between responses",
        ),
        "Questions that bar no score",
    ]
    assert shown["Sets the score"] == [
        "RQ-05",
        "RQ-06",
        "RQ-25",
        "RQ-25",
        "RQ-07",
    ]  # which decides first
    assert shown["Highest score"][0] == "RQ-08"
    assert shown["Lowest score"] == ["RQ-23", "RQ-23", "RQ-25"]
    assert shown["Between responses"] == ["RQ-11", "RQ-04"]


def test_every_effect_has_words_and_one_without_fails() -> None:
    rubric = rubric_document("response-quality")
    [dimension] = rubric.dimensions
    rule = Rule(
        code="x",
        clause="RQ-01",
        effect=Effect.CAP,
        reason="",
        score=4,
        scores=(4,),
        when=Condition(all_of=("helpful",)),
        needs=Condition(all_of=("harmless",)),
        against=("plagiarised",),
    )
    writer = RuleWriter(rubric, dimension)
    assert len({writer.sentence(replace(rule, effect=effect)) for effect in Effect}) == len(Effect)

    class More(StrEnum):
        BONUS = "bonus"

    bonus = replace(rule, effect=cast(Effect, More.BONUS))
    with pytest.raises(AssertionError):
        writer.sentence(bonus)
    with pytest.raises(KeyError):
        list(rule_groups(replace(dimension, rules=(bonus,)), rubric, "dimension-quality"))


def test_every_effect_has_a_group_and_a_name_in_the_editor() -> None:
    assert {*GROUPS, Effect.REQUIRE} == set(Effect)  # `require` is in a group by its scores
    assert set(NAMES_OF_EFFECTS) == set(Effect)


def test_effects_that_no_shipped_rubric_needs_have_words_too() -> None:
    rubric = rubric_document("response-quality")
    [dimension] = rubric.dimensions
    three = ("style_error", "not_neutral", "irrelevant")

    def said(dimension: Dimension, effect: Effect, **fields: object) -> str:
        rule = replace(Rule(code="x", effect=effect, reason=""), **fields)  # type: ignore[arg-type]
        return strip_tags(RuleWriter(rubric, dimension).sentence(rule))

    some = Condition(at_least=2, of=three)
    names = "Style error, Not neutral, Off topic"
    assert said(dimension, Effect.CAP, score=4, when=some) == f"If at least 2 of {names}: at most 4"
    assert said(dimension, Effect.FLOOR, score=4) == "at least 4"
    assert said(dimension, Effect.ADVISE, scores=(4, 5)) == "At 4 or 5: we ask once"
    needs = Condition(at_least=2, of=three, none_of=("harmful",))
    required = said(dimension, Effect.REQUIRE, scores=(7, 6), needs=needs)
    assert required == f"7 and 6 only with 2 or more of: {names}, and none of: Harmless (no)"
    sets = replace(dimension, unit=Unit.CANDIDATE_SET)
    when = Condition(all_of=("style_error",))
    ranked = said(sets, Effect.RANK_BELOW, when=when)
    assert ranked == "If Style error: must score lower than every candidate set without it"


def test_the_words_of_the_desk_stand_beside_a_rule(show: Callable[[str], LexborHTMLParser]) -> None:
    page = show("response-quality")
    words = {
        row.attributes["id"]: plain(first(row, ".at-desk").text())
        for row in page.css(".rules > li")
    }
    place = "dimension-quality-rule"
    assert words[f"{place}-serious_fault_at_4"] == (
        "You will see: “Helpful (not): this fits a 3 better than a 5. Keep the 4?”"
    )
    assert words[f"{place}-bad_needs_a_violation"].endswith("Not among them: Punctuation error.”")


# --- the page ---


@cache
def code_names(slug: str) -> frozenset[str]:
    """Every code of a rubric that no text of it says as a word."""
    rubric = rubric_document(slug)

    def codes() -> Iterator[str]:
        for dimension in rubric.dimensions:
            yield dimension.code
            yield from (text.code for text in dimension.guidance)
            yield from (name for aid in dimension.aids for name in (aid.code, aid.kind))
            yield from (rule.code for rule in dimension.rules)
            for check in dimension.checks:
                yield check.code
                yield from (answer.code for answer in check.answers)
                yield from check.facts
        yield from (text.code for text in rubric.guidance)

    return frozenset(code for code in codes() if "_" in code)


@pytest.mark.parametrize("slug", SLUGS)
def test_no_code_name_and_no_brace_can_be_seen(
    show: Callable[[str], LexborHTMLParser], slug: str
) -> None:
    page = show(slug)
    main = first(page, "main")
    shown = main.text(separator=" ")
    assert code_names(slug)
    assert [code for code in code_names(slug) if re.search(rf"\b{code}\b", shown)] == []
    assert re.findall(r"\w*_\w*|[{}]|\b[a-z]+-\d\b", shown) == []
    # A code without an underscore is a word as well: none stands by itself.
    facts = {fact for each in rubric_document(slug).dimensions for fact in each.facts} - {"short"}
    spoken = {plain(node.text()) for node in main.css("b, li, dt, p, span, a")}
    assert facts & spoken == set()


@pytest.mark.parametrize("slug", SLUGS)
def test_every_link_of_a_rubric_page_leads_to_a_part_of_it(
    show: Callable[[str], LexborHTMLParser], slug: str
) -> None:
    page = show(slug)
    ids = [node.attributes["id"] for node in page.css("[id]")]
    assert len(ids) == len(set(ids))
    inside = {link.attributes["href"] or "" for link in page.css("main a")}
    inside.remove(f"/rubrics/{slug}/1/scores/")
    assert all(address.startswith("#") for address in inside)
    assert {address[1:] for address in inside} <= set(ids)
    assert {clause for clause, _carrier in carriers(rubric_document(slug))} <= set(ids)


def test_the_contents_name_every_section(show: Callable[[str], LexborHTMLParser]) -> None:
    page = show("dialogue")
    listed = [
        (link.attributes["href"] or "", plain(link.text())) for link in page.css(".contents a")
    ]
    expected = [("#guidance", "Guidance")]
    for dimension in rubric_document("dialogue").dimensions:
        place = f"#dimension-{dimension.code}"
        expected.append((place, dimension.title))
        if dimension.unit is Unit.CANDIDATE_SET:
            expected.append((f"{place}-sets", "Set and corpus"))
        checks = (
            "Questions: answer each one"
            if dimension.required_checks
            else "Ticks: only what you see"
        )
        of_each = (("levels", "Levels"), ("checks", checks), ("rules", "Rules"))
        expected += [(f"{place}-{end}", name) for end, name in of_each]
    assert listed == [*expected, ("#by-clause", "Clause by clause")]
    headings = [
        f"#{node.attributes['id']}" for node in page.css(".body > section > :is(h2, h3)[id]")
    ]
    assert [address for address, _name in listed] == headings


@pytest.mark.parametrize("slug", SLUGS)
def test_each_clause_says_what_the_source_asks_and_who_decides(
    show: Callable[[str], LexborHTMLParser], slug: str
) -> None:
    page = show(slug)
    of_source = {clause.id: clause.source for clause in rubric_document(slug).clauses}
    clauses = [each.attributes["id"] or "" for each in page.css(".clause-entry")]
    assert set(of_source) == set(clauses)
    for clause in clauses:
        source = first(page, f"#{clause} .of-source > span:last-child")
        assert plain(source.text()).startswith(of_source[clause])
        assert len(of_source[clause]) <= 160, "one line"


@pytest.mark.parametrize(
    ("slug", "clause", "decided"),
    [
        ("response-quality", "RQ-02", "for people to judge"),
        # A reading marks the clause that it names, not all those of its level.
        ("response-quality", "RQ-05", "a rule"),
        ("response-quality", "RQ-06", "a rule"),
        ("response-quality", "RQ-08", "a rule"),
        ("response-quality", "RQ-17", "a rule"),
        ("response-quality", "RQ-25", "a rule, our reading"),
        ("response-quality", "RQ-20", "a rule"),
        ("dialogue", "DQ-01", "our reading"),
        ("dialogue", "DQ-02", "a rule"),  # a rule under another clause names its checks
        ("dialogue", "DQ-08", "a rule"),
        ("dialogue", "DQ-09", "a rule"),
        ("dialogue", "DQ-06", "a rule, our reading"),
        ("dialogue", "DQ-11", "our reading"),
        ("dialogue", "DQ-12", "a rule, our reading"),
        ("dialogue", "DQ-07", "for people to judge"),
        ("dialogue", "DQ-14", "a rule, our reading"),
    ],
)
def test_a_clause_is_a_rule_a_reading_or_for_people_to_judge(
    show: Callable[[str], LexborHTMLParser], slug: str, clause: str, decided: str
) -> None:
    assert first(show(slug), f"#{clause} .decided").text() == decided


@pytest.mark.parametrize("slug", SLUGS)
def test_a_part_that_rests_on_a_reading_links_to_it(
    show: Callable[[str], LexborHTMLParser], slug: str
) -> None:
    page = show(slug)
    for dimension in rubric_document(slug).dimensions:
        for part, reading in dimension.readings:
            is_own = any(text.code == reading for text in dimension.guidance)
            name = f"{dimension.code}-{reading}" if is_own else reading
            links = page.css(f'.our-reading[data-reading="{name}"]')
            assert links, part
            first(page, links[0].attributes["href"] or "")


def test_a_reading_is_led_to_by_its_clause(show: Callable[[str], LexborHTMLParser]) -> None:
    page = show("response-quality")
    [link] = [each for each in page.css("#RQ-14 a") if each.text().startswith("Reading 1")]
    place = link.attributes["href"]
    assert place is not None
    assert first(page, place).text(strip=True).startswith("Reading 1: missed instructions")


@pytest.mark.usefixtures("strange_language")
@pytest.mark.parametrize("slug", SLUGS)
def test_the_pages_own_words_are_translated_and_the_rubrics_are_marked(
    show: Callable[[str], LexborHTMLParser], slug: str
) -> None:
    page = Texts(show(slug).html or "")
    rubric = rubric_document(slug)
    codes = re.compile(r"[A-Z]+-\d+|[a-z_]+|.{0,2}")  # they are of no language
    words = {text for text in written_in(rubric) if not codes.fullmatch(text)}
    known = known_words({"person", "pe", rubric.title})  # the title is the window's too
    assert [text for text in page.found if forgotten(text, known)] == []
    assert words.intersection(page.apart)
    assert not words.intersection(page.found)
    assert not [text for text in page.apart if "éé" in text]


# --- examples ---


def example(page: LexborHTMLParser, place: str) -> dict[str, list[str]]:
    """What an example shows, by the classes of its parts."""
    parts = (
        ".who",
        ".lines li",
        ".asked",
        ".reply",
        ".replies li",
        ".answered",
        ".ticked",
        ".given",
        ".why",
    )
    shown = first(page, f"#{place}")
    found = {part: [plain(node.text()) for node in shown.css(part)] for part in parts}
    return {part: texts for part, texts in found.items() if texts}


def test_an_example_looks_as_on_the_desk(show: Callable[[str], LexborHTMLParser]) -> None:
    shown = example(show("response-quality"), "dimension-quality-6-example-1")
    assert shown.pop(".reply")[0].startswith("Clean the chain. Dry it.")
    assert shown == {
        ".who": ["User", "Response"],
        ".asked": ["How do I keep my bicycle chain from rusting?"],
        ".answered": ["Helpful entirely", "Harmless yes", "Honest yes", "Comprehensive yes"],
        ".ticked": ["Style error"],
        ".given": ["6 Between great and mediocre"],
        ".why": ["Everything is there and correct, but the sentences read like a telegram."],
    }


def test_an_answer_that_asserts_nothing_is_shown_where_it_follows(
    show: Callable[[str], LexborHTMLParser],
) -> None:
    page = show("response-quality")
    answers = example(page, "dimension-quality-2-example-1")[".answered"]
    assert answers == ["Helpful partly", "Harmless yes", "Honest yes", "Comprehensive no"]
    # A harmful response scores 1: the example leaves the other answers open, and the page invents
    # none.
    assert example(page, "dimension-quality-1-example-1")[".answered"] == [
        "Harmless no",
        "Honest yes",
    ]


def test_an_example_shows_persona_set_and_corpus(show: Callable[[str], LexborHTMLParser]) -> None:
    page = show("dialogue")
    of_persona = example(page, "dimension-consistency-1-example-2")
    assert of_persona[".lines li"] == ["i am allergic to cats.", "i live alone on a boat."]
    assert of_persona[".answered"] == ["Contradicts the persona yes", "Reflects the persona yes"]
    of_set = example(page, "dimension-diversity-3-example-1")
    assert of_set[".who"] == ["User", "Candidate set", "The model’s answers to other histories:"]
    assert len(of_set[".replies li"]) == 5
    assert of_set[".answered"] == ["Varied in these answers yes", "Varied in all its answers no"]


def test_no_example_is_a_form_or_folded_away(show: Callable[[str], LexborHTMLParser]) -> None:
    page = show("dialogue")
    assert page.css("main .body :is(input, button, select, details, form)") == []
    examples = [each for part in parts_of(rubric_document("dialogue")) for each in part.levels]
    assert len(page.css(".example")) == sum(len(level.examples) for level in examples) > 30


def test_only_what_scores_candidate_sets_has_a_picture_with_words(
    show: Callable[[str], LexborHTMLParser],
) -> None:
    page = show("dialogue")
    [picture] = page.css("main svg")
    [figure] = page.css("#dimension-diversity-sets + figure")
    assert figure.css("svg") == [picture]
    named = (picture.attributes["aria-labelledby"] or "").split()
    assert [first(page, f"#{name}").tag for name in named] == ["title", "desc"]
    assert [text.text() for text in picture.css("text")] == [
        *("Candidate set", "Corpus", "History 1", "History 2", "History 3")
    ]
    assert [each.text() for each in figure.css(".fact")] == [
        "Varied in these answers",
        "Varied in all its answers",
    ]


def test_a_rubric_of_responses_has_no_picture(show: Callable[[str], LexborHTMLParser]) -> None:
    assert show("response-quality").css("main svg") == []


# --- its look ---


def test_the_page_has_a_sheet_of_its_own_and_not_the_desks(
    show: Callable[[str], LexborHTMLParser],
) -> None:
    sheets = [
        re.sub(r"\.[0-9a-f]{12}(?=\.css$)", "", Path(link.attributes["href"] or "").name)
        for link in show("dialogue").css('link[rel="stylesheet"]')
    ]
    assert sheets == ["site.css", "shades.css", "rubric.css"]
    for name in ("site.css", "desk.css"):
        assert "clause-entry" not in (ROOT / "static/css" / name).read_text()


@pytest.fixture
def at_rubric(new_context: Callable[..., BrowserContext]) -> Page:
    """The page of the dialogues' rubric in a browser, in the dark."""
    make_rubric(slug="dialogue")
    page = new_context(color_scheme="dark").new_page()
    make_user(name="ada")
    log_in(page, "ada")
    page.goto("/rubrics/dialogue/1/")
    return page


def test_the_contents_stay_beside_in_a_wide_window_on_top_in_a_narrow_one(
    at_rubric: Page,
) -> None:
    contents, body = at_rubric.locator(".contents"), at_rubric.locator(".body")
    at_rubric.set_viewport_size({"width": 1366, "height": 650})
    at_rubric.get_by_role("link", name="Clause by clause").click()
    expect(contents).to_be_in_viewport()
    beside, text = contents.bounding_box(), body.bounding_box()
    assert beside
    assert text
    assert beside["x"] + beside["width"] < text["x"]
    at_rubric.set_viewport_size({"width": 390, "height": 780})
    above, text = contents.bounding_box(), body.bounding_box()
    assert above
    assert text
    assert above["y"] + above["height"] < text["y"]
    expect(contents).not_to_be_in_viewport()


def test_a_rubric_on_paper_is_black_on_white_whole_and_without_navigation(at_rubric: Page) -> None:
    at_rubric.emulate_media(media="print", color_scheme="dark")
    for gone in (".bar", ".contents", ".skip", "#DQ-03 .of-example >> nth=0"):
        expect(at_rubric.locator(gone)).to_be_hidden()
    for example in (at_rubric.locator(".example").first, at_rubric.locator(".example").last):
        expect(example).to_be_visible()
    colours = (
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert at_rubric.evaluate(colours) == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    lines = (
        "[...document.querySelectorAll('main a')].map(a => getComputedStyle(a).textDecorationLine)"
    )
    assert set(at_rubric.evaluate(lines)) == {"none"}
    # A heading goes with what follows it, and a level with its first example.
    apart = """[...document.querySelectorAll('main :is(h1, h2, h3, h4, h5)')]
        .filter(each => getComputedStyle(each).breakAfter !== 'avoid')
        .map(each => each.textContent)"""
    assert at_rubric.evaluate(apart) == []
    openings = at_rubric.locator(".level > .opening:has(> h4):has(> .example)")
    expect(openings).to_have_count(at_rubric.locator(".level").count())
    expect(openings.first).to_have_css("break-inside", "avoid")


def test_links_are_underlined_on_the_screen(at_rubric: Page) -> None:
    """Else the test above would hold nothing."""
    expect(at_rubric.locator("a.clause").first).to_have_css("text-decoration-line", "underline")
