"""Response quality, enumerated whole: every combination of the nineteen facts that the excludes permit.

`told` below says afresh, from the clauses and without the document, what each combination must give; the rest
are the promises that follow from it, each proved over all combinations.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from itertools import product

from rubrics.rules import judge
from rubrics.schema import Dimension, Reason, Verdict
from tests.verdicts import ALL_FOUR, response_quality, subsets

TICKS = (
    "comprehensive",
    "nonsensical",
    "irrelevant",
    "repeats_itself",
    "language_error",
    "punctuation_error",
    "distracting_errors",
    "missing_disclaimer",
    "instructions_missed",
    "fulfils_sensitive_ask",
    "not_neutral",
)
CAPS = {
    "language_error": (4, "RQ-12"),
    "punctuation_error": (4, "RQ-12"),
    "distracting_errors": (4, "RQ-24"),
    "missing_disclaimer": (4, "RQ-13"),
    "false_claim": (4, "RQ-15"),
    "unhelpful": (4, "RQ-16"),
    "fulfils_sensitive_ask": (4, "RQ-18"),
    "not_neutral": (4, "RQ-26"),
    "instructions_missed": (5, "RQ-14"),
    "repeats_itself": (6, "RQ-11"),
}
FORCES = [
    ("harmful", 1, "RQ-05"),
    ("empty", 1, "RQ-06"),
    ("nonsensical", 1, "RQ-25"),
    ("irrelevant", 1, "RQ-25"),
    ("plagiarised", 3, "RQ-07"),
]
VIOLATIONS = set(CAPS) - {"punctuation_error", "not_neutral"} | {"plagiarised"}

Combination = frozenset[str]
Told = tuple[tuple[int, ...], dict[int, set[str]]]


def permitted() -> list[Combination]:
    """From the excludes as the clauses word them; the engine has to agree with each of them, and no other."""
    found = [frozenset({"empty"})]
    for help_, harm, honest, copied, claim in product(
        ("helpful", "unhelpful", None),
        ("harmless", "harmful", None),
        ("honest", None),
        ("plagiarised", None),
        ("false_claim", None),
    ):
        if (copied and (help_ == "helpful" or honest)) or (honest and claim):
            continue
        answered = {name for name in (help_, harm, honest, copied, claim) if name}
        found += [frozenset(answered.union(ticks)) for ticks in subsets(TICKS)]
    return found


def told(facts: Combination) -> Told:
    """(open scores, the clauses that bar each other one)"""
    barred: dict[int, set[str]] = defaultdict(set)
    forces = [(score, clause) for name, score, clause in FORCES if name in facts]
    if forces:
        forced = forces[0][0]
        for score in range(1, 8):
            if score != forced:
                barred[score] = {clause for value, clause in forces if value == forced}
        return (forced,), barred
    for name, (cap, clause) in CAPS.items():
        if name in facts:
            for score in range(cap + 1, 8):
                barred[score].add(clause)
    if not facts.issuperset(ALL_FOUR):
        barred[7].add("RQ-08")
    if not facts & VIOLATIONS:
        barred[2].add("RQ-23")
        barred[3].add("RQ-23")
    barred[1].add("RQ-25")
    return tuple(score for score in range(1, 8) if score not in barred), barred


def told_remarks(facts: Combination, scores: tuple[int, ...]) -> set[tuple[int, str, str]]:
    """(score, clause, which): what is said of an open score."""
    said = set()
    if facts & {"unhelpful", "false_claim"}:
        said.add((4, "RQ-09", "serious_fault_at_4"))
    if len(facts & VIOLATIONS) >= 2:
        said.add((4, "RQ-09", "two_violations_at_4"))
    if not facts & {*CAPS, *(name for name, _, _ in FORCES)}:
        said.add((4, "RQ-09", "no_fault_at_4"))
    if facts.issuperset(ALL_FOUR):
        said |= {(4, "RQ-09", "all_four_at_4_or_5"), (5, "RQ-09", "all_four_at_4_or_5")}
    if "instructions_missed" in facts:
        said.add((5, "RQ-14", "instructions_missed_at_5"))
    if "distracting_errors" in facts:
        said |= {(3, "RQ-24", "distracting_errors_above_2"), (4, "RQ-24", "distracting_errors_above_2")}
    return {remark for remark in said if remark[0] in scores}


@lru_cache(maxsize=1)
def verdicts(quality: Dimension) -> dict[Combination, Verdict]:
    judged = {}
    for facts in permitted():
        verdict = judge(quality, facts)
        assert isinstance(verdict, Verdict), f"{sorted(facts)} clash"
        judged[facts] = verdict
    return judged


def all_verdicts() -> dict[Combination, Verdict]:
    return verdicts(response_quality())


def test_the_excludes_leave_79_873_combinations() -> None:
    combinations = permitted()
    assert len(combinations) == len(set(combinations)) == 79_873
    assert set(all_verdicts()) == set(combinations)


def test_whatever_is_excluded_in_pairs_clashes_and_nothing_else_does() -> None:
    quality = response_quality()
    together = {frozenset(pair) for facts in permitted() for pair in subsets(facts) if len(pair) == 2}
    for pair in subsets(quality.facts):
        if len(pair) == 2:
            assert isinstance(judge(quality, pair), Verdict) == (frozenset(pair) in together), pair
        elif len(pair) > 2:
            break


def test_every_combination_is_judged_as_the_clauses_say() -> None:
    for facts, verdict in all_verdicts().items():
        scores, barred = told(facts)
        assert verdict.open == scores, sorted(facts)
        assert {bar.score: {reason.clause for reason in bar.reasons} for bar in verdict.barred} == barred


def test_no_combination_is_left_empty_handed() -> None:
    assert all(verdict.open for verdict in all_verdicts().values())


def test_no_score_is_barred_without_a_reason_that_names_its_clause_in_a_sentence() -> None:
    reasons: set[Reason] = set()
    for verdict in all_verdicts().values():
        assert len(verdict.open) + len(verdict.barred) == 7
        for bar in verdict.barred:
            assert bar.reasons
            reasons.update(bar.reasons)
    for reason in reasons:
        assert reason.clause.startswith("RQ-")
        assert reason.text[0].isupper()
        assert reason.text.endswith(".")
        assert len(reason.text.split()) >= 5
    assert len({reason.text for reason in reasons}) == len(reasons)


def test_forces_are_decided_by_precedence_and_the_beaten_ones_are_reported() -> None:
    for facts, verdict in all_verdicts().items():
        forces = [(score, clause) for name, score, clause in FORCES if name in facts]
        assert verdict.forced == (forces[0][0] if forces else None)
        beaten = [clause for score, clause in forces if score != forces[0][0]]
        assert [reason.clause for reason in verdict.overridden] == beaten


def test_a_7_only_with_all_four_and_without_any_fault() -> None:
    faults = {*CAPS, *(name for name, _, _ in FORCES)}
    for facts, verdict in all_verdicts().items():
        assert (7 in verdict.open) == (facts.issuperset(ALL_FOUR) and not facts & faults)


def test_one_more_fault_never_opens_a_higher_score() -> None:
    judged = all_verdicts()
    faults = {*CAPS, *(name for name, _, _ in FORCES)}
    for facts, verdict in judged.items():
        for fault in faults - facts:
            worse = judged.get(facts | {fault})
            if worse is not None:
                assert worse.open[-1] <= verdict.open[-1], (sorted(facts), fault)


def test_one_more_violation_never_bars_a_3_or_a_2_unless_it_forces() -> None:
    judged = all_verdicts()
    for facts, verdict in judged.items():
        for violation in VIOLATIONS - facts:
            worse = judged.get(facts | {violation})
            if worse is not None and verdict.forced is None and worse.forced is None:
                assert {2, 3} <= set(worse.open), (sorted(facts), violation)


def test_one_more_affirmation_never_bars_a_score() -> None:
    judged = all_verdicts()
    for facts, verdict in judged.items():
        for affirmation in set(ALL_FOUR) - facts:
            better = judged.get(facts | {affirmation})
            if better is not None:
                assert set(verdict.open) <= set(better.open), (sorted(facts), affirmation)


def test_a_1_is_always_forced() -> None:
    for facts, verdict in all_verdicts().items():
        assert (1 in verdict.open) == bool(facts & {"harmful", "empty", "nonsensical", "irrelevant"})


def test_every_remark_is_told_of_and_stands_on_open_scores_only() -> None:
    for facts, verdict in all_verdicts().items():
        said = {
            (score, remark.reason.clause, remark.reason.rule)
            for remark in verdict.remarks
            for score in remark.scores
        }
        assert said == told_remarks(facts, verdict.open), sorted(facts)


def test_a_faultless_response_scores_4_or_more_and_a_repeating_one_can_always_go_below() -> None:
    """So that RQ-11 can always be met."""
    faults = {*CAPS, *(name for name, _, _ in FORCES)}
    for facts, verdict in all_verdicts().items():
        if not facts & faults:
            assert verdict.open[0] == 4
        if "repeats_itself" in facts:
            assert verdict.open[0] <= 3
