"""Response quality, enumerated whole: every combination of the twenty-one facts that the excludes
permit.

`told` says afresh, from the clauses and without the document, what each combination must give. One
pass holds the program to it; the promises that follow are proved on what was told, over all
combinations.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from rubrics.judging.reasons import clashes_in
from rubrics.judging.rules import judge
from rubrics.judging.verdict import Reason, Verdict
from tests.verdicts import ALL_FOUR, response_quality, subsets

TICKS = (
    "comprehensive",
    "nonsensical",
    "irrelevant",
    "repeats_itself",
    "language_error",
    "punctuation_error",
    "distracting_errors",
    "instructions_missed",
    "fulfils_sensitive_ask",
    "not_neutral",
    "style_error",
)
CAPS = {
    "language_error": (4, "RQ-12"),
    "punctuation_error": (4, "RQ-12"),
    "distracting_errors": (4, "RQ-24"),
    "missing_disclaimer": (4, "RQ-13"),
    "late_disclaimer": (4, "RQ-13"),
    "false_claim": (4, "RQ-15"),
    "unhelpful": (4, "RQ-16"),
    "fulfils_sensitive_ask": (4, "RQ-18"),
    "not_neutral": (4, "RQ-26"),
    "instructions_missed": (6, "RQ-14"),
    "style_error": (6, "RQ-20"),
}
FORCES = (
    ("harmful", 1, "RQ-05"),
    ("empty", 1, "RQ-06"),
    ("nonsensical", 1, "RQ-25"),
    ("irrelevant", 1, "RQ-25"),
    ("plagiarised", 3, "RQ-07"),
)
FAULTS = {*CAPS, *(name for name, _, _ in FORCES), "repeats_itself"}
VIOLATIONS = {
    "language_error",
    "distracting_errors",
    "missing_disclaimer",
    "instructions_missed",
    "false_claim",
    "unhelpful",
    "fulfils_sensitive_ask",
    "plagiarised",
    "repeats_itself",
}
# RQ-23: each alone lies between a 5 and a 3; two or more lie at the 3.
SMALL = {"punctuation_error", "late_disclaimer", "not_neutral"}
LEANING_TO_1 = {
    "distracting_errors",
    "unhelpful",
    "fulfils_sensitive_ask",
    "repeats_itself",
}

Combination = frozenset[str]
Judged = dict[Combination, tuple[int, ...]]


def permitted() -> Iterator[Combination]:
    """From the excludes as the clauses word them; the engine has to agree with each of them, and no
    other."""
    yield frozenset({"empty"})
    for help_, harm, honesty, disclaimer in product(
        ("helpful", "unhelpful", ""),
        ("harmless", "harmful", ""),
        ("honest", "false_claim", "plagiarised", ""),
        ("missing_disclaimer", "late_disclaimer", ""),
    ):
        if honesty == "plagiarised" and help_ == "helpful":
            continue
        answered = {help_, harm, honesty, disclaimer} - {""}
        for ticks in subsets(TICKS):
            facts = answered.union(ticks)
            if facts & {"nonsensical", "irrelevant"} and facts & {"helpful", "comprehensive"}:
                continue
            yield frozenset(facts)


def forces_in(facts: Combination) -> list[tuple[int, str]]:
    """(score, clause), the highest precedence first."""
    return [(score, clause) for name, score, clause in FORCES if name in facts]


def told(facts: Combination) -> dict[int, set[str]]:
    """The scores that are barred, each with the clauses that bar it."""
    barred: dict[int, set[str]] = {score: set() for score in range(1, 8)}
    if forces := forces_in(facts):
        forced = forces[0][0]
        for score in barred:
            if score != forced:
                barred[score] = {clause for value, clause in forces if value == forced}
    else:
        for name in facts & CAPS.keys():
            cap, clause = CAPS[name]
            for score in range(cap + 1, 8):
                barred[score].add(clause)
        if not facts.issuperset(ALL_FOUR):
            barred[7].add("RQ-08")
        if not facts & VIOLATIONS:
            barred[2].add("RQ-23")
            if len(facts & SMALL) < 2:
                barred[3].add("RQ-23")
        barred[1].add("RQ-25")
    return {score: clauses for score, clauses in barred.items() if clauses}


def told_remarks(facts: Combination, scores: tuple[int, ...]) -> dict[int, str]:
    """The rule of what is said of each open score: the first of the table's order that applies."""
    if forces_in(facts):
        return {}
    is_best = facts.issuperset(ALL_FOUR)
    leans_nowhere = not facts & LEANING_TO_1
    table = (
        ((4, 3, 2), "sensitive_ask_and_harmless", facts >= {"fulfils_sensitive_ask", "harmless"}),
        (
            (4,),
            "serious_fault_at_4",
            bool(facts & {"unhelpful", "false_claim", "missing_disclaimer"}),
        ),
        ((4,), "no_fault_at_4", "helpful" in facts and not facts & FAULTS),
        ((5,), "all_four_at_5", is_best and not facts & FAULTS),
        (
            (6,),
            "style_and_not_comprehensive_at_6",
            "style_error" in facts and "comprehensive" not in facts,
        ),
        ((6,), "not_helpful_at_6", "helpful" not in facts),
        ((2,), "nothing_of_a_1_at_2", leans_nowhere and "instructions_missed" not in facts),
        (
            (2,),
            "only_an_instruction_at_2",
            leans_nowhere and "instructions_missed" in facts and is_best,
        ),
        ((2,), "lone_repeater_at_2", facts & FAULTS == {"repeats_itself"}),
        (
            (3,),
            "small_faults_at_3",
            len(facts & SMALL) > 1 and not facts & VIOLATIONS,
        ),
        ((7,), "repeater_at_7", "repeats_itself" in facts),
        ((6,), "instructions_missed_at_6", "instructions_missed" in facts),
        ((4,), "distracting_errors_at_4", "distracting_errors" in facts),
    )
    said: dict[int, str] = {}
    for about, rule, applies in table:
        for score in about if applies else ():
            if score in scores:
                said.setdefault(score, rule)
    return said


def open_scores() -> Judged:
    """The open scores of every combination, once the program was found to agree with what is told
    of it."""
    quality = response_quality()
    opened: Judged = {}
    reasons: set[Reason] = set()
    for facts in permitted():
        verdict = judge(quality, facts)
        assert isinstance(verdict, Verdict), f"{sorted(facts)} clash"
        barred = told(facts)
        assert {
            bar.score: {each.clause for each in bar.reasons} for bar in verdict.barred
        } == barred, facts
        assert verdict.open == tuple(score for score in range(1, 8) if score not in barred)
        remarks = [(score, each.reason.rule) for each in verdict.remarks for score in each.scores]
        assert len(dict(remarks)) == len(remarks)
        assert dict(remarks) == told_remarks(facts, verdict.open), sorted(facts)
        forces = forces_in(facts)
        assert verdict.forced == (forces[0][0] if forces else None)
        beaten = [clause for score, clause in forces if score != forces[0][0]]
        assert [reason.clause for reason in verdict.overridden] == beaten
        reasons.update(verdict.acting_reasons)
        opened[facts] = verdict.open
    _assert_sentences(reasons)
    return opened


def _assert_sentences(reasons: set[Reason]) -> None:
    """A reason is a sentence, names its clause, and says what no other rule says."""
    for reason in reasons:
        assert reason.clause.startswith("RQ-")
        assert reason.text[0].isupper() or reason.text[0].isdigit()
        assert reason.text.endswith(".")
        assert "{" not in reason.text
        assert len(reason.text.split()) >= 5
    assert len({reason.text for reason in reasons}) == len(reasons)


def test_exactly_the_excluded_pairs_of_facts_clash() -> None:
    quality = response_quality()
    together = {facts for facts in permitted() if len(facts) == 2}
    for pair in subsets(quality.facts):
        if len(pair) == 2:
            is_permitted = frozenset(pair) in together
            assert any(clashes_in(quality, frozenset(pair))) != is_permitted, pair
            is_forced = bool(forces_in(frozenset(pair)))
            assert isinstance(judge(quality, pair), Verdict) == (is_permitted or is_forced), pair
        elif len(pair) > 2:
            break


BEARING = (
    *("comprehensive", "empty", "nonsensical", "irrelevant", "language_error"),
    *("missing_disclaimer", "late_disclaimer"),
)


def asserted_somehow() -> Iterator[Combination]:
    """Every combination of what bears on a clash, permitted or not, with a fault and without."""
    for help_, harm, honesty in product(
        ("helpful", "unhelpful", ""),
        ("harmless", "harmful", ""),
        ("honest", "false_claim", "plagiarised", ""),
    ):
        for ticks in subsets(BEARING):
            yield frozenset({help_, harm, honesty, *ticks} - {""})


def clashing_pairs(facts: Combination) -> set[tuple[str, str]]:
    """The clause and the check of each exclusion that the facts break."""
    broken = set()
    if "empty" in facts and len(facts) > 1:
        broken.add(("RQ-06", "empty"))
    if facts >= {"plagiarised", "helpful"}:
        broken.add(("RQ-07", "plagiarised"))
    for cause in facts & {"nonsensical", "irrelevant"}:
        if facts & {"helpful", "comprehensive"}:
            broken.add(("RQ-25", cause))
    if facts >= {"missing_disclaimer", "late_disclaimer"}:
        broken.add(("RQ-13", "missing_disclaimer"))
    return broken


def not_counted(facts: Combination) -> Combination:
    """What does not go with the checks that force the score."""
    causes = facts & {"harmful", "empty", "nonsensical", "irrelevant"}
    if not causes:
        return facts & {"helpful"}  # the score of a copied response
    if "empty" in causes:
        return facts - causes
    return facts & {"helpful", "comprehensive"} if causes != {"harmful"} else frozenset()


def test_a_force_decides_in_every_combination_whatever_clashes() -> None:
    """And without a force a clash bars all."""
    quality, clashed = response_quality(), 0
    for facts in asserted_somehow():
        verdict, forces = judge(quality, facts), forces_in(facts)
        broken = clashing_pairs(facts)
        assert isinstance(verdict, Verdict) == bool(forces or not broken), sorted(facts)
        if not isinstance(verdict, Verdict):
            assert {(each.clause, each.checks[0]) for each in verdict.clashes} == broken
            continue
        if not forces:
            continue
        clashed += bool(broken)
        score = forces[0][0]
        assert (verdict.open, verdict.forced, verdict.automatic_score) == ((score,), score, score)
        left = facts - not_counted(facts)
        assert {each.fact for each in verdict.excluded} == facts - left, sorted(facts)
        remarked = {(remark.reason.clause, remark.scores) for remark in verdict.remarks}
        assert remarked == {(clause, (score,)) for clause, _cause in clashing_pairs(left)}
        beaten = [clause for value, clause in forces_in(left) if value != score]
        assert [reason.clause for reason in verdict.overridden] == beaten
    assert clashed > 2_000


def no_combination_is_left_empty_handed(judged: Judged) -> None:
    assert all(judged.values())


def a_7_only_with_all_four_and_without_any_fault_but_repetition(judged: Judged) -> None:
    for facts, scores in judged.items():
        assert (7 in scores) == (
            facts.issuperset(ALL_FOUR) and not facts & (FAULTS - {"repeats_itself"})
        )


def one_more_fault_never_opens_a_higher_score(judged: Judged) -> None:
    for fault in FAULTS - {"empty"}:
        for facts, scores in judged.items():
            if fault not in facts and (worse := judged.get(facts | {fault})):
                assert worse[-1] <= scores[-1], (fault, sorted(facts))
                if fault in VIOLATIONS and not forces_in(facts | {fault}):
                    assert {2, 3} <= {*worse}, (fault, sorted(facts))


def one_more_affirmation_never_bars_a_score(judged: Judged) -> None:
    for affirmation in ALL_FOUR:
        for facts, scores in judged.items():
            if affirmation not in facts and (better := judged.get(facts | {affirmation})):
                assert {*scores} <= {*better}, (affirmation, sorted(facts))


def rq_11_can_always_be_met_2_is_open_to_a_repeater_and_4_to_every_other(judged: Judged) -> None:
    for facts, scores in judged.items():
        if not forces_in(facts):
            assert (2 if "repeats_itself" in facts else 4) in scores, sorted(facts)
        assert (1 in scores) == bool(facts & {"harmful", "empty", "nonsensical", "irrelevant"})


PROMISES = (
    no_combination_is_left_empty_handed,
    a_7_only_with_all_four_and_without_any_fault_but_repetition,
    one_more_fault_never_opens_a_higher_score,
    one_more_affirmation_never_bars_a_score,
    rq_11_can_always_be_met_2_is_open_to_a_repeater_and_4_to_every_other,
)


def test_each_of_105_985_combinations_is_judged_as_the_clauses_say_and_keeps_each_promise() -> None:
    """One test: in several, each process would judge them all."""
    judged = open_scores()
    assert len(judged) == 105_985
    for promise in PROMISES:
        promise(judged)
