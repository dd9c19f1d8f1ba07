"""The proof that a rubric's rules work: each finding with its smallest case, and nothing that a
search of every case does not find."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from rubrics.documents import proof
from rubrics.documents.document import dump, parse, parse_stored
from rubrics.documents.proof import findings
from rubrics.documents.shipped import SLUGS, shipped
from rubrics.documents.wellformed import faults_in
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better, Effect
from rubrics.judging.parts import Rule
from rubrics.judging.ranking import in_order
from rubrics.judging.reasons import clashes_in
from rubrics.judging.rules import excludes_all_others, judge, judge_item
from rubrics.judging.verdict import Clashes, TargetState, Verdict
from tests.made_rubrics import HIGH, LOW, RANK, Content, detected, document, question, rule, tick


def refusal(checks: list[Content], *rules: Content) -> list[str]:
    """What the document is refused for, without what stands before each fault."""
    with pytest.raises(DocumentError) as caught:
        parse(document(checks, [*rules]))
    return [fault.removeprefix("dimensions.quality.") for fault in caught.value.faults]


def remarks(checks: list[Content], *rules: Content) -> list[str]:
    """What is said of a document that loads."""
    found = findings(parse(document(checks, [*rules])))
    return [each.text.removeprefix("dimensions.quality.") for each in found]


TICKS = [tick("a"), tick("b"), tick("c"), tick("d")]


# --- refused ---


def test_a_case_without_a_score_is_named_by_its_fewest_facts_and_its_rules() -> None:
    idle_there = rule("r3", "cap", {"any_of": ["a", "c"]}, score=4)
    assert refusal(TICKS, LOW, HIGH, idle_there) == [
        'rules: with "a" and "b" no score is left: rules r1 and r2;'
        " change one of them, or exclude what can’t go together"
    ]


def test_a_case_without_a_score_may_need_three_facts() -> None:
    middle = rule("r3", "require", {"all_of": ["c"]}, scores=[3, 4, 5], needs={"all_of": ["d"]})
    high = rule("r2", "floor", {"all_of": ["b"]}, score=2)
    second = rule(
        "r4", "require", {"at_least": 2, "of": ["a", "b", "c"]}, scores=[2], needs={"all_of": ["d"]}
    )
    (fault,) = refusal(TICKS, middle, high, second)
    assert fault.startswith('rules: with "b" and "c" no score is left: rules r3 and r2 and r4')


def test_a_case_names_the_answer_to_a_question_whose_other_answers_leave_a_score() -> None:
    checks = [question("sort", "fine", "poor"), tick("b")]
    (fault,) = refusal(checks, HIGH, rule("r1", "cap", {"none_of": ["fine"]}, score=1))
    assert fault.startswith('rules: with "poor" and "b" no score is left: rules r2 and r1')


def test_a_case_may_be_that_nothing_is_ticked() -> None:
    low = rule("r1", "cap", {"none_of": ["a"]}, score=1)
    high = rule("r2", "floor", {"none_of": ["b"]}, score=3)
    (fault,) = refusal(TICKS, low, high)
    assert fault.startswith("rules: with no fact asserted no score is left: ")


def test_facts_that_exclude_each_other_leave_no_score_nowhere() -> None:
    apart = rule("r3", "exclude", {"all_of": ["a"]}, against=["b"])
    assert not remarks(TICKS, LOW, HIGH, apart)


def test_a_force_opens_its_score_whatever_the_others_bar() -> None:
    force = rule("r3", "force", {"all_of": ["a", "b"]}, score=2)
    assert not remarks(TICKS, LOW, HIGH, force)


def test_answers_to_one_question_never_meet() -> None:
    assert not remarks([question("sort", "a", "b", "")], LOW, HIGH)


def test_forces_that_can_meet_need_an_order() -> None:
    one = rule("r1", "force", {"all_of": ["a"]}, score=1)
    other = rule("r2", "force", {"any_of": ["b", "c"]}, score=2)
    (fault,) = refusal(TICKS, one, other)
    assert fault == (
        'rules: with "a" and "c" rule r1 forces 1 and r2 2; give one a higher precedence'
    )
    assert not remarks(TICKS, one, other | {"precedence": 1})
    assert not remarks(TICKS, one, other | {"score": 1})
    assert not remarks(
        [question("sort", "a", "b", ""), tick("c")], one, other | {"when": {"all_of": ["b"]}}
    )


def test_a_rule_that_no_answers_meet_is_refused() -> None:
    checks = [question("sort", "a", "b"), tick("c"), tick("d")]
    both = {"all_of": ["a", "b"]}
    assert refusal(
        checks,
        rule("r1", "cap", both, score=4),
        rule("r2", "exclude", both, against=["c"]),
        rule("r3", "exclude", {"all_of": ["a"]}, against=["b"]),
        rule("r4", "require", scores=[5], needs=both),
        rule("r5", "cap", {"all_of": ["c"], "none_of": ["a", "b"]}, score=3),
    ) == [
        f'rules.r{index + 1}: "r{index + 1}" asks for what no answers give; change its conditions'
        for index in range(5)
    ]


def test_a_clash_of_detected_checks_alone_is_refused() -> None:
    apart = rule("r1", "exclude", {"all_of": ["a"]}, against=["b"])
    assert refusal([detected("a"), detected("b")], apart) == [
        'rules: with "a" and "b" detected, all answers clash; exclude fewer facts'
    ]
    assert not remarks([detected("a"), tick("b")], apart)


def test_a_detected_check_that_excludes_every_answer_must_exclude_every_tick_too() -> None:
    """Then nothing else is asked; else the question waits for an answer that clashes."""
    checks = [detected("a"), question("sort", "fine", "poor"), tick("b")]
    alone = rule("r1", "exclude", {"all_of": ["a"]}, against=["fine", "poor", "b"])
    assert not remarks(checks, alone)
    assert refusal(checks, alone | {"against": ["fine", "poor"]}) == [
        'rules: with "a" detected, all answers clash; exclude fewer facts'
    ]


def test_a_ranking_that_some_item_cannot_meet_is_refused_with_both_its_targets() -> None:
    floor = rule("r2", "floor", {"all_of": ["b"]}, score=3)
    cap = rule("r3", "cap", {"all_of": ["c"]}, score=3)
    apart = rule("r4", "exclude", {"all_of": ["b"]}, against=["c"])
    (fault,) = refusal(TICKS, RANK, floor, cap, apart)
    assert fault.startswith(
        'rules: "r1" can’t be met: with "a" and "b" no score below 3 is open, and beside it'
        ' with "c" none above 3;'
    )
    assert not remarks(TICKS, RANK | {"score": 3}, floor, cap, apart)
    assert not remarks(TICKS, RANK, floor, cap | {"score": 4}, apart)


def test_a_target_that_is_forced_to_the_lowest_score_is_above_no_other() -> None:
    force = rule("r2", "force", {"all_of": ["b"]}, score=1)
    assert not remarks(TICKS, RANK, force)
    (fault,) = refusal(TICKS, RANK, force, rule("r3", "cap", {"all_of": ["c"]}, score=1))
    assert 'with "a" no score below 1 is open, and beside it with "c" none above 1' in fault


def test_a_dimension_ranks_by_one_rule() -> None:
    second = rule("r2", "rank_below", {"all_of": ["b"]})
    assert refusal(TICKS, RANK, second) == [
        'rules: "r1" and "r2" are all rank_below; a dimension has one, keep one'
    ]


# --- said ---


def test_a_rule_without_effect_is_said() -> None:
    idle = '"{}" has no effect of its own; take it out, or change its conditions'
    below = rule("r2", "cap", {"all_of": ["a", "b"]}, score=2)
    assert remarks(TICKS, LOW, below) == [f"rules.r2: {idle.format('r2')}"]
    beaten = rule("r2", "force", {"all_of": ["a", "b"]}, score=2)
    force = rule("r1", "force", {"all_of": ["a"]}, score=3, precedence=1)
    assert remarks(TICKS, force, beaten) == [f"rules.r2: {idle.format('r2')}"]
    apart = rule("r1", "exclude", {"all_of": ["a"]}, against=["b"])
    more = rule("r2", "exclude", {"all_of": ["b", "c"]}, against=["a"])
    assert remarks(TICKS, apart, more) == [f"rules.r2: {idle.format('r2')}"]
    unheard = rule("r2", "advise", {"all_of": ["a"]}, scores=[4])
    assert remarks(TICKS, LOW, unheard) == [f"rules.r2: {idle.format('r2')}"]
    assert not remarks(TICKS, LOW, unheard | {"scores": [1]})
    ever = [
        rule("r2", "cap", {"all_of": ["a"]}, score=1),
        rule("r3", "floor", {"none_of": ["a"]}, score=2),
    ]
    assert remarks(TICKS, RANK, *ever) == ['rules: "r1" never ranks; take it out']


def test_a_score_that_no_answers_reach_is_said() -> None:
    never = rule("r1", "require", scores=[2], needs={"all_of": ["a"]})
    cap = rule("r2", "cap", {"all_of": ["a"]}, score=1)
    assert remarks(TICKS, never, cap) == ["levels: no answers reach 2; see what bars it"]


def test_a_force_without_a_condition_is_said() -> None:
    told = remarks(TICKS, rule("r1", "force", score=3))
    assert told[0] == 'rules.r1: "r1" has no "when", and always acts'
    assert told[1:] == ["levels: no answers reach 1, 2, 4, 5; see what bars it"]


NINE = [
    *({"a0": "b0"}, {"a0": "b1"}, {"a0": "b2"}, {"a1": "b0"}, {"a1": "b1"}, {"a1": "b2"}),
    *({"a2": "b0"}, {"a2": "b2"}),
]


@pytest.mark.parametrize("is_nothing_forced", [False, True])
def test_of_two_questions_the_one_pair_without_a_rule_is_named(is_nothing_forced: bool) -> None:
    """No answers assert nothing: that case is none, and a rule for it is of no use."""
    checks = [question("a", "a0", "a1", "a2"), question("b", "b0", "b1", "b2")]
    rules = [
        rule(f"r{number}", "force", {"all_of": [*pair, *pair.values()]}, score=1 + number % 5)
        for number, pair in enumerate(NINE)
    ]
    if is_nothing_forced:
        rules.append(rule("none", "force", {"none_of": ["a0", "a1", "a2", "b0"]}, score=1))
    content = document(checks, rules)
    content["dimensions"][0]["given"] = True
    with pytest.raises(DocumentError) as caught:
        parse(content)
    assert 'with "a2" and "b1" no rule gives the score' in caught.value.faults[0]


# --- the limit ---


def test_beyond_its_steps_the_proof_says_what_it_could_not_show_and_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proof, "STEPS", 5)
    assert refusal(TICKS, LOW, HIGH) == [
        "rules: 5 steps did not prove that a score always stays open; write fewer or simpler rules"
    ]


# --- the rubrics that ship ---


@pytest.mark.parametrize("slug", SLUGS)
def test_nothing_is_found_in_a_shipped_rubric_with_a_fraction_of_the_steps(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "STEPS", 3_000)
    assert not list(findings(shipped(slug)))


def test_a_tick_that_empty_does_not_exclude_makes_it_a_dead_end_unless_a_force_decides() -> None:
    content = dump(shipped("response-quality"))
    content["dimensions"][0]["checks"].append(tick("new"))
    assert parse(content)
    rules = content["dimensions"][0]["rules"]
    content["dimensions"][0]["rules"] = [each for each in rules if each["effect"] != "force"]
    with pytest.raises(DocumentError, match='with "empty" detected, all answers clash'):
        parse(content)


def test_forty_checks_and_sixty_rules_take_a_fraction_of_the_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some 0.5 seconds: 3 is open in every case but those that a force decides."""
    monkeypatch.setattr(proof, "STEPS", 15_000)
    ticks = [f"t{number}" for number in range(20)]
    checks = [tick(code) for code in ticks]
    checks += [question(f"y{number}", f"good{number}", f"bad{number}") for number in range(10)]
    checks += [question(f"o{number}", f"p{number}", f"q{number}", "") for number in range(10)]
    rules = []
    for number in range(10):
        good, bad, one, two = (f"{name}{number}" for name in ("good", "bad", "p", "q"))
        other = ticks[10 + number]
        rules += [
            rule(f"cap{number}", "cap", {"any_of": [bad, ticks[number]]}, score=3 + number % 2),
            rule(f"floor{number}", "floor", {"all_of": [good, one]}, score=2 + number % 2),
            rule(f"apart{number}", "exclude", {"all_of": [ticks[number]]}, against=[one, other]),
            rule(f"ask{number}", "advise", {"at_least": 2, "of": [bad, one, other]}, scores=[4]),
            rule(f"force{number}", "force", {"all_of": [two, other]}, score=1, precedence=number),
            rule(
                f"need{number}",
                "require",
                {"all_of": [other]},
                scores=[1, 5],
                needs={"any_of": [good, two]},
            ),
        ]
    content = document(checks, rules)
    assert [each for each in findings(parse(content)) if each.is_fault] == []
    content["dimensions"][0]["rules"][0]["score"] = 2
    content["dimensions"][0]["rules"][1]["score"] = 3
    with pytest.raises(DocumentError, match=r"cap0 and floor\d"):
        parse(content)


# --- as a search of every case finds it ---

NAMES = "abcdefgh"
PARTS = ["all_of", "any_of", "none_of"]


@st.composite
def documents(draw: st.DrawFn, *, asks_by_answers: bool = False) -> Content:
    """Documents of one dimension. `asks_by_answers`: conditions, checks of the whole response,
    scores that are given, and rules that need the comment."""
    names = iter(NAMES)
    checks: list[Content] = []
    for number in range(draw(st.integers(2, 4))):
        kind = draw(st.sampled_from(["tick", "tick", "detected", "all", "some"]))
        if kind in ("all", "some"):
            sets = [next(names), next(names)] if kind == "all" else [next(names), ""]
            checks.append(question(f"q{number}", *sets))
        else:
            checks.append(tick(next(names)) if kind == "tick" else detected(next(names)))
    facts = NAMES[: NAMES.index(next(names, "h"))]
    some = st.lists(st.sampled_from(facts), min_size=1, max_size=2, unique=True)
    condition = st.one_of(
        some.map(lambda of: {"all_of": of}),
        some.map(lambda of: {"any_of": of}),
        some.map(lambda of: {"none_of": of}),
        st.builds(lambda one, none: {"any_of": one, "none_of": none}, some, some),
        st.lists(st.sampled_from(facts), min_size=2, max_size=3, unique=True).map(
            lambda of: {"at_least": 2, "of": of}
        ),
    )
    score, scores = (
        st.integers(1, 4),
        st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True),
    )
    more_needs: st.SearchStrategy[Content] = condition
    whole, entries = 0, dict[str, Any]()
    if asks_by_answers:
        more_needs = st.one_of(
            condition,
            st.sampled_from([{"all_of": ["comment"]}, {"none_of": ["comment"]}]),
            some.map(lambda of: {"any_of": ["comment", *of]}),
        )
        whole = draw(st.integers(0, len(checks) - 1))
        before = ""
        for number, check in enumerate(checks):
            if before and draw(st.booleans()):
                check["when"] = draw(condition_of(before))
            before += "".join(facts_of(check))
            if number + 1 == whole and draw(st.booleans()):
                entries["when"] = draw(condition_of(before))
        entries["given"] = draw(st.booleans())
        entries["better"] = draw(st.sampled_from(["high", "low"]))
    rules: list[Content] = []
    for number in range(draw(st.integers(1, 6))):
        ranks = not rules and not entries.get("given")
        effect = draw(st.sampled_from([e for e in Effect if e != Effect.RANK_BELOW or ranks]))
        more: Content = {}
        when: Content | None = draw(condition)
        if effect in (Effect.FORCE, Effect.CAP, Effect.FLOOR, Effect.RANK_BELOW):
            more = {"score": draw(score)}
        if effect is Effect.FORCE:
            more["precedence"] = draw(st.integers(0, 2))
        if effect in (Effect.REQUIRE, Effect.ADVISE):
            more = {"scores": draw(scores)}
        if effect is Effect.REQUIRE:
            more["needs"] = draw(more_needs)
            when = draw(st.none() | condition)
        if effect in (Effect.EXCLUDE, Effect.RANK_BELOW):
            when = {"all_of": draw(some)}
        if effect is Effect.EXCLUDE:
            left = [fact for fact in facts if fact not in (when or {})["all_of"]]
            if not left:
                continue
            few = st.lists(st.sampled_from(left), min_size=1, unique=True)
            more = {"against": draw(few | st.just([*left]))}  # all of them: nothing else is asked
        rules.append(rule(f"r{number}", effect, when, **more))
    content = document(checks[whole:], rules, highest=4)
    content["dimensions"][0].update(entries)
    return content | ({"checks": checks[:whole]} if whole else {})


def facts_of(check: Content) -> list[str]:
    return [each["sets"] for each in check.get("answers", ()) if "sets" in each] or [check["code"]]


def condition_of(facts: str) -> st.SearchStrategy[Content]:
    some = st.lists(st.sampled_from(facts), min_size=1, max_size=2, unique=True)
    return st.one_of(
        st.builds(lambda part, of: {part: of}, st.sampled_from(PARTS), some),
        st.builds(lambda one, none: {"any_of": one, "none_of": none}, some, some),
    )


def cases(dimension: Dimension) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Every choice of answers, ticks and a comment, and the checks that are asked then.

    A question of its own is left out only where nothing is asked, one of the whole response never.
    """
    checks = (*dimension.shared, *dimension.checks)
    each: list[tuple[str | None, ...]] = []
    for check in checks:
        sets = tuple(answer.sets for answer in check.answers)
        each.append((*sets, "") if check.needs_answer else (check.code, None))
    comments = [frozenset[str]()]
    if dimension.needs_comment:
        comments.append(frozenset({"comment"}))
    found = {}
    for comment, chosen in product(comments, product(*each)):
        facts = comment
        asked, skipped = set(), set()
        for check, name in zip(checks, chosen, strict=True):
            if not check.when.holds(facts):
                continue
            asked.add(check.code)
            if name:
                facts |= {name}
            elif name == "" and all(answer.sets for answer in check.answers):
                skipped.add(check)
        if not skipped or (
            skipped.isdisjoint(dimension.shared) and excludes_all_others(dimension, facts)
        ):
            found[facts] = frozenset(asked)
    return ((facts, asked) for facts, asked in found.items() if dimension.when.holds(facts))


def choices(dimension: Dimension) -> Iterator[frozenset[str]]:
    for facts, _asked in cases(dimension):
        yield facts


def clash(rule: Rule, facts: frozenset[str]) -> bool:
    return rule.when.holds(facts) and not facts.isdisjoint(rule.against)


def searched(dimension: Dimension) -> Counter[str]:
    """What a search of every case finds, in words of its own."""
    found: Counter[str] = Counter()
    asked = dict(cases(dimension))
    every = list(asked)
    if not every:
        return Counter(["never"])
    settled = {facts: v for facts in every if isinstance(v := judge(dimension, facts), Verdict)}
    judged = {facts: v for facts, v in settled.items() if not any(clashes_in(dimension, facts))}
    for check in dimension.checks:
        found[f"{check.code} unasked"] = bool(check.when.names) and not any(
            check.code in asked[facts] and not excludes_all_others(dimension, facts)
            for facts in judged
        )
    names = [check.code for check in dimension.detected_checks]
    alive = {facts.intersection(names) for facts in settled}
    found["dead end"] = any(facts.intersection(names) not in alive for facts in every)
    written = {f: v for f, v in judged.items() if f.issuperset(with_comment(dimension, []))}
    found["no score"] = any(not verdict.open for verdict in written.values() if dimension.scores)
    found["not given"] = dimension.given and any(v.forced is None for v in judged.values())
    forces = [each for each in dimension.rules if each.effect is Effect.FORCE]
    found["rivals"] = sum(
        one.precedence == other.precedence
        and one.score != other.score
        and any(one.when.holds(facts) and other.when.holds(facts) for facts in judged)
        for one, other in combinations(forces, 2)
    )
    for each in dimension.rules:
        valid = settled if each.effect is Effect.FORCE else judged
        acting = [facts for facts in valid if each.when.holds(facts)]
        alone = False
        if each.effect is Effect.EXCLUDE:
            acting = [facts for facts in every if clash(each, facts)]
            others = [other for other in dimension.exclusion_rules if other is not each]
            alone = any(not any(clash(other, facts) for other in others) for facts in acting)
        elif each.effect is Effect.RANK_BELOW:
            merit = dimension.goodness
            worst = min(dimension.scores, key=merit)
            low = [v for facts, v in written.items() if facts in acting and v.forced is None]
            high = [
                verdict
                for facts, verdict in settled.items()
                if facts.issuperset(with_comment(dimension, []))
                if verdict.forced != worst and not each.when.holds(facts)
            ]
            pairs = list(product(low, high))
            found["unordered"] = any(
                min(map(merit, one.open), default=9) >= merit(score)
                and merit(score) >= max(map(merit, two.open), default=-9)
                for one, two in pairs
                for score in dimension.scores
                if not in_order(each, dimension, score, score)
            )
            alone = True
            found["never ranks"] = all(
                in_order(each, dimension, a, b)
                for one, two in pairs
                for a in one.open
                for b in two.open
            )
        elif each.effect is Effect.ADVISE:
            others = [
                other
                for other in dimension.rules
                if other.effect is Effect.ADVISE and other is not each
            ]
            alone = any(
                judged[facts].forced is None
                and score in judged[facts].open
                and not any(o.when.holds(facts) and score in o.scores for o in others)
                for facts in acting
                for score in each.scores
            )
        else:
            alone = any(
                [reason.rule for reason in bar.reasons] == [each.code]
                for verdict in valid.values()
                for bar in verdict.barred
            )
        if each.effect is Effect.REQUIRE:
            acting = [facts for facts in acting if each.is_met(facts)]
        if not acting:
            found[f'"{each.code}" asks'] = 1
        elif not alone:
            found[f'"{each.code}" has'] = 1
    opened = {score for verdict in settled.values() for score in verdict.open}
    if not dimension.given and (unreached := [e for e in dimension.scores if e not in opened]):
        found[f"reach {', '.join(map(str, unreached))}"] = 1
    return +found


SAID = {
    r"quality\.when: no answers meet it": "never",
    r"checks\.(\w+)\.when: no answers meet it": r"\1 unasked",
    r"no rule gives the score": "not given",
    r"detected, all answers clash": "dead end",
    r"no score is left": "no score",
    r"give one a higher precedence": "rivals",
    r"can’t be met": "unordered",
    r"never ranks": "never ranks",
    r'("r\d" (asks|has)) ': r"\1",
    r"no answers (reach [^;]+)": r"\1",
}


def proved(found: list[str]) -> Counter[str]:
    """What the proof finds, in the words of the search."""
    told: Counter[str] = Counter()
    for text in found:
        ((pattern, name),) = [(p, n) for p, n in SAID.items() if re.search(p, text)]
        match = re.search(pattern, text)
        assert match
        name = match.expand(name).replace("1 to 3", "1, 2, 3").replace("2 to 4", "2, 3, 4")
        told[name] = told[name] + 1 if name == "rivals" else 1
    return told


@given(documents())
@settings(max_examples=200)
def test_the_proof_finds_what_a_search_of_every_case_finds(content: Content) -> None:
    rubric = parse_stored(content)
    assert not list(faults_in(rubric))
    (dimension,) = rubric.dimensions
    found = [each.text for each in findings(rubric)]
    assert proved(found) == searched(dimension)
    for text in found:
        if "no score is left" in text:
            assert_smallest(dimension, text)


@given(documents(asks_by_answers=True))
@settings(max_examples=130)
def test_where_answers_decide_what_is_asked_the_proof_finds_it_too(content: Content) -> None:
    rubric = parse_stored(content)
    assert not list(faults_in(rubric))
    (dimension,) = rubric.dimensions
    found = [each.text for each in findings(rubric)]
    assert proved(found) == searched(dimension) + searched(rubric.whole_response)
    for text in found:
        if "no score is left" in text:
            assert_smallest(dimension, text)


# --- while a form is half answered ---


def judged_with(dimension: Dimension, said: Mapping[str, str]) -> Verdict | Clashes:
    answered = [code for code, answer in said.items() if answer]
    return judge(dimension, dimension.facts_of_answers(said), answered=answered)


def completed(dimension: Dimension, said: Content) -> Iterator[Content]:
    """These answers with every answer to each question that has none yet."""
    left = [check for check, _facts in dimension.required_checks if not said[check.code]]
    for chosen in product(*([answer.code for answer in check.answers] for check in left)):
        yield said | dict(zip((check.code for check in left), chosen, strict=True))


@given(documents(asks_by_answers=True), st.data())
@settings(max_examples=130)
def test_no_further_answer_undoes_what_a_half_answered_form_says(
    content: Content, data: st.DataObject
) -> None:
    (dimension,) = parse_stored(content).dimensions
    checks = (*dimension.shared, *dimension.checks)
    codes = {check.code: [a.code for a in check.answers] or ["yes"] for check in checks}
    if dimension.needs_comment:
        codes["comment"] = ["yes"]
    said = {code: data.draw(st.sampled_from(["", *codes[code]])) for code in codes}
    facts = dimension.facts_of_answers(said)
    for check in checks:
        assert check.when.holds(facts) or facts.isdisjoint(check.facts), "it is hidden"
    first = judged_with(dimension, said)
    for each in completed(dimension, said):
        last = judged_with(dimension, each)
        if isinstance(first, Clashes):
            assert isinstance(last, Clashes) or last.forced is not None or not last.applies
        if isinstance(first, Clashes) or isinstance(last, Clashes):
            continue
        assert not last.missing
        assert first.applies or not last.applies
        if not first.missing:
            assert (last.open, last.forced, last.applies) == (
                *(first.open, first.forced, first.applies),
            )
        if last.applies and last.forced is None:
            assert first.forced is None
            for bar in first.barred:
                limits = [e for e in bar.reasons if e.effect in (Effect.CAP, Effect.FLOOR)]
                assert {*limits} <= {*last.bars(bar.score)}


# --- a scale whose low end is good ---

TURNED = {"cap": "floor", "floor": "cap"}


def mirrored(content: Content) -> Content:
    """The same rules on a scale from 1 to 4 that is turned round, so that 1 is the best score."""
    (dimension,) = content["dimensions"]
    rules = [
        each
        | {"effect": TURNED.get(each["effect"], each["effect"])}
        | ({"score": 5 - each["score"]} if "score" in each else {})
        | ({"scores": [5 - score for score in each["scores"]]} if "scores" in each else {})
        for each in dimension["rules"]
    ]
    return content | {"dimensions": [dimension | {"rules": rules, "better": Better.LOW}]}


def reflected(name: str) -> str:
    """A finding about scores as the mirror has it."""
    if not name.startswith("reach"):
        return re.sub(r"\d$", lambda found: str(5 - int(found[0])), name)
    scores = sorted(str(5 - int(score)) for score in re.findall(r"\d", name))
    return f"reach {', '.join(scores)}"


@given(documents(), st.data())
@settings(max_examples=60)
def test_where_low_is_better_all_is_judged_and_proved_as_in_a_mirror(
    content: Content, data: st.DataObject
) -> None:
    (dimension,) = parse_stored(content).dimensions
    turned = parse_stored(mirrored(content))
    (image,) = turned.dimensions
    found = proved([each.text for each in findings(parse_stored(content))])
    assume(not found["rivals"])  # which of them decides is in no document that loads
    assert proved([each.text for each in findings(turned)]) == Counter(
        {reflected(name): n for name, n in found.items()}
    )
    assert dimension.faults == image.faults
    some = st.sampled_from([*choices(dimension)])
    said = data.draw(st.lists(st.tuples(some, st.none() | st.integers(1, 4)), max_size=3))
    item, other = (
        judge_item(
            scale,
            [
                TargetState(str(number), facts, score and (5 - score if is_turned else score))
                for number, (facts, score) in enumerate(said)
            ],
        )
        for scale, is_turned in ((dimension, False), (image, True))
    )
    pairs = [(each.lower, each.higher) for each in item.out_of_order]
    assert [(each.lower, each.higher) for each in other.out_of_order] == pairs
    for (_key, one), (_same, two) in zip(item.judgements, other.judgements, strict=True):
        if isinstance(one, Verdict):
            assert isinstance(two, Verdict)
            assert two.open == tuple(5 - score for score in reversed(one.open))


@pytest.mark.parametrize("code", [each.code for each in shipped("dialogue").dimensions])
def test_a_search_of_every_case_finds_nothing_in_a_shipped_dimension_either(code: str) -> None:
    assert searched(shipped("dialogue").dimension(code)) == Counter()


def assert_smallest(dimension: Dimension, text: str) -> None:
    """The facts leave no score, the rules named are those that close it, and none can be left
    out."""
    said, _, more = text.partition(" no score is left: ")
    facts = re.findall(r'"(\w+)"', said)
    codes = more.removeprefix("rules ").partition(";")[0].split(" and ")
    assert (shown := left(dimension, facts))
    for fact in facts:
        assert not left(dimension, [name for name in facts if name != fact]), (text, fact)
    assert any(closed_by(verdict, codes) for verdict in shown), (text, codes)


def closed_by(verdict: Verdict, codes: list[str]) -> bool:
    """Whether these rules bar every score, and no fewer of them do."""

    def closing(some: set[str]) -> bool:
        return all(some & {reason.rule for reason in bar.reasons} for bar in verdict.barred)

    return closing({*codes}) and not any(closing({*codes} - {code}) for code in codes)


def left(dimension: Dimension, facts: list[str]) -> list[Verdict]:
    """The verdicts on the cases that these facts show, if all of them are without a score.

    A question none of whose answers is named may have any, if each of them asserts something.
    """
    named = {*with_comment(dimension, facts)}
    free = {
        name
        for check, names in dimension.required_checks
        if named.isdisjoint(names) and all(answer.sets for answer in check.answers)
        for name in names
    }
    some = [judge(dimension, each) for each in choices(dimension) if named <= each <= named | free]
    verdicts = [each for each in some if isinstance(each, Verdict) and not each.open]
    return verdicts if len(verdicts) == len(some) else []


def with_comment(dimension: Dimension, facts: list[str]) -> list[str]:
    """While rating, the comment counts as written."""
    return [*facts, *(["comment"] if dimension.needs_comment else [])]
