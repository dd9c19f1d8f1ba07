"""The traceability table: which part of a rubric carries which clause, whole and exact.

A clause that loses a carrier, or gains one, changes this table; whoever does that on purpose writes
it here.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from rubrics.documents.shipped import shipped
from tests.traced import carriers

RESPONSE_QUALITY = {
    "RQ-01": ["guidance quality.compass"],
    "RQ-02": ["aid quality.fact_check"],
    "RQ-03": ["aid quality.fact_check", "check quality.honest"],
    "RQ-04": ["guidance ties", "rule quality.twins_score_alike"],
    "RQ-05": [
        "answer quality.harmless.no",
        "level quality.1",
        "rule quality.harmful_is_1",
    ],
    "RQ-06": [
        "check quality.empty",
        "level quality.1",
        "rule quality.empty_excludes_all",
        "rule quality.empty_is_1",
    ],
    "RQ-07": [
        "answer quality.honest.not_own_work",
        "guidance plagiarism_and_ones",
        "guidance small_readings",
        "level quality.3",
        "rule quality.plagiarised_is_3",
        "rule quality.plagiarised_is_not_helpful",
    ],
    "RQ-08": [
        "check quality.comprehensive",
        "check quality.harmless",
        "check quality.helpful",
        "check quality.honest",
        "rule quality.great_needs_all_four",
    ],
    "RQ-09": [
        "level quality.2",
        "level quality.4",
        "level quality.6",
        "rule quality.all_four_at_5",
        "rule quality.lone_repeater_at_2",
        "rule quality.no_fault_at_4",
        "rule quality.not_helpful_at_6",
        "rule quality.nothing_of_a_1_at_2",
        "rule quality.only_an_instruction_at_2",
        "rule quality.sensitive_ask_and_harmless",
        "rule quality.serious_fault_at_4",
        "rule quality.style_and_not_comprehensive_at_6",
    ],
    "RQ-10": ["check quality.nonsensical"],
    "RQ-11": [
        "check quality.repeats_itself",
        "guidance repeaters",
        "guidance small_readings",
        "rule quality.repeater_at_7",
        "rule quality.repeater_ranks_below",
    ],
    "RQ-12": [
        "check quality.language_error",
        "check quality.punctuation_error",
        "guidance small_readings",
        "guidance ties",
        "level quality.3",
        "level quality.5",
        "level quality.7",
        "rule quality.language_error_at_most_4",
        "rule quality.punctuation_error_at_most_4",
    ],
    "RQ-13": [
        "check quality.late_disclaimer",
        "check quality.missing_disclaimer",
        "guidance disclaimers",
        "level quality.3",
        "level quality.5",
        "level quality.7",
        "rule quality.late_disclaimer_at_most_4",
        "rule quality.missing_disclaimer_at_most_4",
        "rule quality.one_fault_of_the_disclaimer",
    ],
    "RQ-14": [
        "check quality.instructions_missed",
        "guidance instructions",
        "level quality.3",
        "level quality.5",
        "level quality.7",
        "rule quality.instructions_missed_at_6",
        "rule quality.instructions_missed_at_most_6",
    ],
    "RQ-15": [
        "answer quality.honest.not_true",
        "level quality.3",
        "level quality.5",
        "level quality.7",
        "rule quality.false_claim_at_most_4",
    ],
    "RQ-16": ["answer quality.helpful.not", "level quality.3", "rule quality.unhelpful_at_most_4"],
    "RQ-17": ["answer quality.honest.not_own_work", "level quality.5", "level quality.7"],
    "RQ-18": [
        "check quality.fulfils_sensitive_ask",
        "guidance sensitive_asks",
        "level quality.5",
        "level quality.7",
        "rule quality.sensitive_ask_at_most_4",
    ],
    "RQ-19": ["check quality.comprehensive", "level quality.7"],
    "RQ-20": ["check quality.style_error", "level quality.6", "rule quality.style_error_at_most_6"],
    "RQ-21": ["level quality.5"],
    "RQ-22": ["level quality.4"],
    "RQ-23": [
        "guidance below_four",
        "level quality.3",
        "rule quality.bad_needs_a_violation",
        "rule quality.small_faults_at_3",
        "rule quality.two_small_faults_open_no_2",
    ],
    "RQ-24": [
        "check quality.distracting_errors",
        "guidance small_readings",
        "level quality.2",
        "rule quality.distracting_errors_at_4",
        "rule quality.distracting_errors_at_most_4",
    ],
    "RQ-25": [
        "answer quality.harmless.no",
        "check quality.empty",
        "check quality.irrelevant",
        "check quality.nonsensical",
        "guidance below_four",
        "guidance small_readings",
        "level quality.1",
        "rule quality.irrelevant_is_1",
        "rule quality.nonsense_helps_nobody",
        "rule quality.nonsense_is_1",
        "rule quality.off_topic_helps_nobody",
        "rule quality.terrible_needs_its_cause",
    ],
    "RQ-26": [
        "check quality.not_neutral",
        "level quality.5",
        "level quality.7",
        "rule quality.not_neutral_at_most_4",
    ],
}
DIALOGUE = {
    "DQ-01": ["dimension quality", "guidance quality.measure"],
    "DQ-02": ["check quality.broken", "check quality.hard_to_understand", "level quality.1"],
    "DQ-03": [
        "check quality.grammar_errors",
        "check quality.perverse",
        "check quality.repeated",
        "check quality.short",
        "guidance quality.measure",
        "level quality.3",
    ],
    "DQ-04": [
        "check quality.long_informative",
        "check quality.medium_fluent",
        "guidance quality.measure",
        "level quality.5",
        "rule quality.fluent_is_not_broken",
        "rule quality.long_is_not_medium",
        "rule quality.no_errors_where_it_says_so",
        "rule quality.short_is_not_longer",
    ],
    "DQ-05": ["dimension consistency"],
    "DQ-06": [
        "check consistency.contradicts",
        "check consistency.reflects",
        "guidance consistency.bands",
        "level consistency.1",
        "level consistency.3",
        "level consistency.5",
        "rule consistency.contradiction_at_most_2",
        "rule consistency.neither_at_least_2",
        "rule consistency.neither_at_most_4",
        "rule consistency.reflection_at_least_4",
    ],
    "DQ-07": ["dimension coherence"],
    "DQ-08": ["check coherence.irrelevant", "level coherence.1"],
    "DQ-09": [
        "check coherence.generic",
        "check coherence.little_relevance",
        "check coherence.paraphrase_of_query",
        "check coherence.question_only",
        "check coherence.same_as_query",
        "level coherence.3",
    ],
    "DQ-10": [
        "check coherence.long_informative",
        "check coherence.medium_fluent",
        "guidance coherence.errors",
        "level coherence.5",
        "rule coherence.long_is_not_medium",
    ],
    "DQ-11": [
        "check diversity.corpus_high",
        "check diversity.set_high",
        "dimension diversity",
        "guidance diversity.enough",
    ],
    "DQ-12": [
        "check diversity.corpus_high",
        "check diversity.set_high",
        "guidance diversity.bands",
        "guidance diversity.low_and_very_low",
        "level diversity.1",
        "level diversity.3",
        "level diversity.5",
        "rule diversity.any_at_least_2",
        "rule diversity.both_at_least_4",
        "rule diversity.neither_at_most_2",
        "rule diversity.only_here_at_most_4",
        "rule diversity.only_overall_at_most_4",
    ],
    "DQ-13": [
        "guidance whole_scores",
        "level coherence.2",
        "level coherence.4",
        "level consistency.2",
        "level consistency.4",
        "level diversity.2",
        "level diversity.4",
        "level quality.2",
        "level quality.4",
    ],
    "DQ-14": [
        "guidance lowest_decides",
        "rule coherence.fair_and_perfect_at_least_3",
        "rule coherence.fair_at_least_2",
        "rule coherence.fair_at_most_4",
        "rule coherence.perfect_at_least_4",
        "rule coherence.poor_at_most_2",
        "rule quality.fair_and_perfect_at_least_3",
        "rule quality.fair_at_least_2",
        "rule quality.fair_at_most_4",
        "rule quality.grammar_errors_at_most_4",
        "rule quality.perfect_at_least_4",
        "rule quality.poor_at_most_2",
    ],
}
# Words that only the source of this clause has, as our rubrics say it.
SOURCES = {
    "response-quality": {
        "RQ-01": "engaging",
        "RQ-02": "less than three minutes",
        "RQ-03": "not sure and the search does not settle it",
        "RQ-04": "differ only in punctuation",
        "RQ-05": "whatever its help or honesty",
        "RQ-06": "An empty response is a 1",
        "RQ-07": "unless the prompt asks for a copy or an extract",
        "RQ-08": "entirely helpful, honest, harmless and comprehensive",
        "RQ-09": "not clearly more of either",
        "RQ-10": "repeated in one turn is still a 1",
        "RQ-11": "again and again in one turn ranks below",
        "RQ-12": "no error of spelling, grammar or punctuation",
        "RQ-13": "a disclaimer before any advice",
        "RQ-14": "follows all instructions, and a 5 need not fully",
        "RQ-15": "factually correct",
        "RQ-16": "does not help the person",
        "RQ-17": "no copied data",
        "RQ-18": "do not do what was asked",
        "RQ-19": "follows best practice and meets every requirement",
        "RQ-20": "or the reverse",
        "RQ-21": "fully satisfies the request and need not fully answer it",
        "RQ-22": "does most of what was asked",
        "RQ-23": "at least one of the listed violations",
        "RQ-24": "errors that distract from the content",
        "RQ-25": "irrelevant to the dialogue",
        "RQ-26": "neutral in tone",
    },
    "dialogue": {
        "DQ-01": "grammar, ease, fluency and redundancy",
        "DQ-02": "very hard to understand",
        "DQ-03": "fluent but perverse",
        "DQ-04": "fluent and without grammar errors",
        "DQ-05": "against the lines of the persona",
        "DQ-06": "neither contradicts nor reflects",
        "DQ-07": "against the history",
        "DQ-08": "on another topic",
        "DQ-09": "does not answer or says very little",
        "DQ-10": "few errors tolerated",
        "DQ-11": "all that it generated",
        "DQ-12": "exactly one is high",
        "DQ-13": "whole numbers from 1 to 5",
        "DQ-14": "Descriptions of several levels",
    },
}


@pytest.mark.parametrize("slug", SOURCES)
def test_each_clause_once_and_in_order_says_what_the_source_asks(slug: str) -> None:
    clauses = shipped(slug).clauses
    assert [clause.id for clause in clauses] == sorted(SOURCES[slug])
    for clause in clauses:
        named = [name for name, words in SOURCES[slug].items() if words in clause.source]
        assert named == [clause.id]


def carried(slug: str) -> dict[str, list[str]]:
    table: dict[str, list[str]] = defaultdict(list)
    for clause, carrier in carriers(shipped(slug)):
        table[clause].append(carrier)
    return {clause: sorted(parts) for clause, parts in sorted(table.items())}


@pytest.mark.parametrize(
    ("slug", "clauses"),
    [
        ("response-quality", {f"RQ-{number:02}" for number in range(1, 27)}),
        ("dialogue", {f"DQ-{number:02}" for number in range(1, 15)}),
    ],
)
def test_no_clause_is_missing_and_none_is_unknown(slug: str, clauses: set[str]) -> None:
    assert set(carried(slug)) == clauses


@pytest.mark.parametrize(
    ("slug", "table"), [("response-quality", RESPONSE_QUALITY), ("dialogue", DIALOGUE)]
)
def test_every_clause_is_carried_where_the_table_says(
    slug: str, table: dict[str, set[str]]
) -> None:
    assert carried(slug) == table


@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_every_check_and_every_rule_says_which_clause_it_comes_from(slug: str) -> None:
    for dimension in shipped(slug).dimensions:
        for check in dimension.checks:
            assert check.clauses, check.code
        for rule in dimension.rules:
            assert rule.clause, rule.code
        for level in dimension.levels:
            assert level.clauses, level.score
        assert all(text.clauses for text in dimension.guidance)
        assert all(text.clauses for text in dimension.aids)
    assert all(text.clauses for text in shipped(slug).guidance)


@pytest.mark.parametrize("slug", ["response-quality", "dialogue"])
def test_no_part_carries_a_clause_twice(slug: str) -> None:
    for clause, parts in carried(slug).items():
        assert len(set(parts)) == len(parts), clause
