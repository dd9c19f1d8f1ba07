"""Documents: what is read, written, and refused, each refusal with the path, the value and what to
do."""

from __future__ import annotations

import re
from contextlib import suppress
from copy import deepcopy
from string import ascii_lowercase, digits
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from rubrics.documents.document import dump, parse, parse_stored, read
from rubrics.documents.shipped import SLUGS, path_of, shipped
from rubrics.documents.yaml_lines import DocumentError
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better, Detector, Effect, Kind, Unit
from rubrics.judging.parts import (
    Answer,
    Check,
    Clause,
    Condition,
    Example,
    Guidance,
    Level,
    Needs,
    Rule,
    Turn,
)
from rubrics.judging.rules import judge
from rubrics.judging.schema import Rubric
from rubrics.judging.verdict import Clashes, Verdict
from tests.cases import cases
from tests.factories import written

SMALL: dict[str, Any] = {
    "slug": "small",
    "title": "Small",
    "summary": "A rubric with one of each.",
    "dimensions": [
        {
            "code": "quality",
            "short": "Q",
            "title": "Quality",
            "question": "How good?",
            "unit": "response",
            "lowest": 1,
            "highest": 2,
            "levels": [
                {
                    "score": 2,
                    "label": "Good",
                    "definition": "Good.",
                    "examples": [
                        {"score": 2, "checks": ["fine"], "why": "It is.", "response": "Yes."}
                    ],
                },
                {"score": 1, "label": "Bad", "definition": "Bad."},
            ],
            "checks": [
                {
                    "code": "fine",
                    "kind": "yes_no",
                    "wording": "Fine",
                    "key": "N",
                    "answers": [
                        {"code": "yes", "wording": "yes", "sets": "fine"},
                        {"code": "no", "wording": "no", "sets": "poor"},
                    ],
                },
                {"code": "typo", "kind": "tick", "wording": "Typo", "key": "T"},
            ],
            "rules": [
                {
                    "code": "typo_caps",
                    "clause": "X-1",
                    "effect": "cap",
                    "when": {"all_of": ["typo"]},
                    "score": 1,
                    "reason": "A typo keeps it at 1.",
                },
                {
                    "code": "fine_has_no_typo",
                    "clause": "X-2",
                    "effect": "exclude",
                    "when": {"all_of": ["fine"]},
                    "against": ["typo"],
                    "reason": "Fine has no typo.",
                },
            ],
            "aids": [
                {"code": "facts", "kind": "fact_check", "title": "Facts", "text": "Look it up."}
            ],
        }
    ],
}


def faults_of(content: object) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse(content)
    return list(caught.value.faults)


def changed(*path: str | int, to: object) -> dict[str, Any]:
    """The small document with the entry at `path` set, or taken out where `to` is ..."""
    content: Any = deepcopy(SMALL)
    at = content
    for step in path[:-1]:
        at = at[step]
    if to is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return content


# --- there and back ---


@pytest.mark.parametrize("slug", SLUGS)
def test_a_shipped_rubric_survives_being_dumped_and_written(slug: str) -> None:
    rubric = shipped(slug)
    assert parse(dump(rubric)) == rubric
    assert read(written(rubric)) == rubric
    assert read(path_of(slug).read_text("utf-8")) == rubric


def test_a_value_at_its_default_is_not_dumped() -> None:
    assert dump(parse(SMALL)) == SMALL


letters = ascii_lowercase + digits
codes = st.builds(  # from a pattern they would be drawn three times as slowly
    "_".join,
    st.tuples(st.text(letters, min_size=1, max_size=6))
    | st.tuples(st.text(letters, min_size=1, max_size=6), st.text(letters, min_size=1, max_size=4)),
)
storable = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
words = st.text(storable, min_size=1, max_size=30).map(str.strip).filter(bool)
whole_texts = st.text(storable, max_size=30)
lists_of_words = st.lists(words, max_size=3).map(tuple)
turns = st.builds(Turn, role=words, text=whole_texts)


@st.composite
def rubrics(draw: st.DrawFn) -> Rubric:
    ticks = draw(st.lists(codes, min_size=3, max_size=5, unique=True))
    picked = st.lists(st.sampled_from(ticks), min_size=1, unique=True).map(tuple)
    lowest = draw(st.integers(-3, 3))
    highest = lowest + draw(st.integers(1, 4))
    scores = st.integers(lowest, highest)
    unit = draw(st.sampled_from(Unit))
    whole = draw(st.lists(codes.filter(lambda code: code not in ticks), max_size=2, unique=True))
    asked_if = st.lists(st.sampled_from([*ticks, *whole]), unique=True).map(
        lambda names: Condition(any_of=tuple(names))
    )
    guidance = draw(st.lists(st.builds(Guidance, codes, words, words, lists_of_words), max_size=1))
    reading = st.sampled_from(["", *(text.code for text in guidance)])

    def example(score: int) -> Example:
        candidates = (
            () if unit is Unit.RESPONSE else draw(st.lists(whole_texts, min_size=2, max_size=3))
        )
        return Example(
            score=score,
            checks=draw(st.lists(st.sampled_from(ticks), unique=True).map(tuple)),
            why=draw(words),
            history=draw(st.lists(turns, max_size=2).map(tuple)),
            persona=draw(lists_of_words),
            response=draw(whole_texts) if unit is Unit.RESPONSE else None,
            candidates=tuple(candidates),
        )

    checks = [
        Check(
            code=code,
            kind=Kind.TICK,
            wording=draw(words),
            help=draw(st.one_of(st.just(""), words)),
            clauses=draw(lists_of_words),
            reading=draw(reading),
            when=draw(asked_if),
        )
        for code in ticks[:-1]
    ]
    checks.append(
        Check(
            code=ticks[-1],
            kind=Kind.YES_NO,
            wording=draw(words),
            answers=(
                Answer("yes", draw(words), sets=ticks[-1], reading=draw(reading)),
                Answer("no", draw(words)),
            ),
            best=draw(st.sampled_from(["yes", "no", None])),
        )
    )
    condition = st.one_of(
        st.builds(Condition, all_of=picked, none_of=picked),
        st.builds(Condition, any_of=picked),
        picked.map(lambda of: Condition(at_least=1, of=of)),
    )
    reasons = {"clause": words, "reason": words, "reading": reading}
    rules = draw(
        st.lists(
            st.one_of(
                st.builds(
                    Rule,
                    code=codes,
                    effect=st.just(Effect.FORCE),
                    when=condition,
                    score=scores,
                    precedence=st.integers(-9, 9),
                    **reasons,
                ),
                st.builds(
                    Rule,
                    code=codes,
                    effect=st.sampled_from([Effect.CAP, Effect.FLOOR]),
                    when=condition,
                    score=scores,
                    line=st.one_of(st.just(""), words),
                    **reasons,
                ),
                st.builds(
                    Rule,
                    code=codes,
                    effect=st.just(Effect.REQUIRE),
                    scores=st.lists(scores, min_size=1).map(tuple),
                    needs=condition,
                    remark=st.one_of(st.just(""), words),
                    not_yet=st.one_of(st.just(""), words),
                    **reasons,
                ),
                st.builds(
                    Rule,
                    code=codes,
                    effect=st.just(Effect.RANK_BELOW),
                    when=st.builds(Condition, any_of=picked),
                    score=st.none() | scores,
                    **reasons,
                ),
                st.builds(
                    Rule,
                    code=codes,
                    effect=st.just(Effect.ADVISE),
                    between=st.just(Detector.TWINS),
                    unless_one=picked,
                    **reasons,
                ),
            ),
            max_size=4,
            unique_by=lambda rule: rule.code,
        )
    )
    dimension = Dimension(
        code=draw(codes.filter(lambda code: code not in ("comment", "fact"))),
        short=draw(st.text(storable, min_size=1, max_size=20).map(str.strip).filter(bool)),
        title=draw(words),
        question=draw(words),
        unit=unit,
        lowest=lowest,
        highest=highest,
        levels=tuple(
            Level(
                score=score,
                label=draw(words),
                definition=draw(words),
                between=draw(st.booleans()),
                illustrations=draw(lists_of_words),
                examples=(example(score),) if draw(st.booleans()) else (),
                reading=draw(reading),
            )
            for score in range(lowest, highest + 1)
        ),
        checks=tuple(checks),
        rules=tuple(rules),
        needs=draw(
            st.builds(
                *(Needs, st.booleans(), st.booleans(), st.integers(0, 9), st.integers(0, 9)),
                st.lists(codes, max_size=2).map(tuple),
            )
        ),
        when=draw(asked_if),
        given=draw(st.booleans()),
        better=draw(st.sampled_from(Better)),
        blank=draw(st.one_of(st.just(""), words)),
        sample=draw(st.integers(1, 99)),
        guidance=tuple(guidance),
    )
    return Rubric(
        slug=draw(codes),
        title=draw(words),
        summary=draw(words),
        dimensions=(dimension,),
        language=draw(st.sampled_from(["en", "de", "pt-BR"])),
        checks=tuple(Check(code=code, kind=Kind.TICK, wording=code) for code in whole),
        clauses=tuple(
            draw(st.lists(st.builds(Clause, words, words), max_size=3, unique_by=lambda c: c.id))
        ),
    )


@given(rubrics())
@settings(max_examples=60)
def test_every_rubric_survives_being_dumped_and_written(rubric: Rubric) -> None:
    """Whether its rules leave a score is not asked here."""
    assert parse_stored(dump(rubric)) == rubric
    assert parse_stored(yaml.safe_load(written(rubric))) == rubric


# --- refused, with the place and what to do ---

D = ("dimensions", 0)
CHECK, TICK = (*D, "checks", 0), (*D, "checks", 1)
CAP, EXCLUDE = (*D, "rules", 0), (*D, "rules", 1)
EXAMPLE = (*D, "levels", 0, "examples", 0)


@cases(
    ("path", "value", "place", "says"),
    [
        # shape
        (("slug",), 7, "slug", "expected a text, found 7; put it in quotes"),
        (("slug",), "Not A Slug", "slug", '"Not A Slug" is no code; use small letters'),
        (("slug",), "a" * 81, "slug", "has 81 characters; at most 80 fit here"),
        (("title",), "", "title", "says nothing; write it"),
        (("title",), "x" * 121, "title", "has 121 characters; at most 120"),
        (("summary",), "a\0b", "summary", "which no database keeps; take it out"),
        (("summary",), "a\ud800b", "summary", "which no database keeps; take it out"),
        (("summary",), ..., "the document", '"summary" is missing'),
        (
            ("sumary",),
            "x",
            "the document",
            '"sumary" is not known here, perhaps "summary"; known are slug, title, summary',
        ),
        (("language",), "l" * 21, "language", "has 21 characters; at most 20"),
        (("dimensions",), {}, "dimensions", "expected a list, found {}"),
        (("dimensions",), [], "dimensions", "a rubric has at least one"),
        (D, "quality", "dimensions.1", "expected a mapping, found 'quality'"),
        (
            (*D, "unit"),
            "respond",
            "dimensions.quality.unit",
            "'respond' is not among response, candidate_set",
        ),
        ((*D, "lowest"), True, "dimensions.quality.lowest", "expected a whole number, found True"),
        ((*D, "lowest"), 1.5, "dimensions.quality.lowest", "expected a whole number, found 1.5"),
        ((*D, "lowest"), -99_999, "dimensions.quality.lowest", "too far from 0; at most 32767"),
        (
            (*D, "needs"),
            {"persona": "yes"},
            "dimensions.quality.needs.persona",
            "expected true or false",
        ),
        ((*CAP, "when"), ["typo"], "dimensions.quality.rules.typo_caps.when", "expected a mapping"),
        (
            (*CAP, "clause"),
            "x" * 81,
            "dimensions.quality.rules.typo_caps.clause",
            "81 characters; at most 80 fit here",
        ),
        ((*CAP, "reason"), " ", "dimensions.quality.rules.typo_caps.reason", "says nothing"),
        (
            (*CHECK, "answers", 0, "code"),
            True,
            "dimensions.quality.checks.fine.answers.1.code",
            "found True; put it",
        ),
        # codes, names, scores
        (
            ("dimensions", 1),
            SMALL["dimensions"][0],
            "dimensions.quality.code",
            '"quality" appears more than once',
        ),
        (
            ("guidance",),
            [{"code": "a", "title": "A", "text": "A"}] * 2,
            "guidance.a.code",
            '"a" appears more than once; give each its own',
        ),
        (
            ("clauses",),
            [{"id": "X-1", "source": "No typo."}, {"id": "X-1", "source": "Fine."}],
            "clauses.X-1.id",
            '"X-1" appears more than once; give each its own',
        ),
        (("clauses",), [{"id": "X-1", "source": " "}], "clauses.X-1.source", "says nothing"),
        ((*D, "code"), "comment", "dimensions.comment.code", '"comment" is a field of every form'),
        ((*D, "code"), "fact", "dimensions.fact.code", '"fact" is a field of every form'),
        ((*D, "short"), "x" * 21, "dimensions.quality.short", "has 21 characters; at most 20"),
        (
            (*D, "highest"),
            1,
            "dimensions.quality.lowest",
            "lowest is 1, highest 1; lowest must be less",
        ),
        (
            (*D, "levels", 1, "score"),
            3,
            "dimensions.quality.levels.3.score",
            "3; quality goes from 1 to 2",
        ),
        (
            (*D, "levels", 1, "score"),
            2,
            "dimensions.quality.levels.2.score",
            '"2" appears more than once',
        ),
        ((*D, "sample"), 0, "dimensions.quality.sample", "0; it is 1 or more"),
        (
            (*D, "needs"),
            {"candidates": -1},
            "dimensions.quality.needs.candidates",
            "-1; it is 0 or more",
        ),
        (
            (*D, "needs"),
            {"other_histories": -1},
            "dimensions.quality.needs.other_histories",
            "-1; it is 0 or more",
        ),
        ((*TICK, "code"), "fine", "dimensions.quality.checks", '"fine" appears more than once'),
        (
            (*CHECK, "answers", 1, "sets"),
            "fine",
            "dimensions.quality.checks",
            '"fine" appears more than once',
        ),
        (
            (*TICK, "key"),
            "N",
            "dimensions.quality.checks.typo.key",
            '"N" appears more than once; choose another: C, D, E, G',
        ),
        (
            (*EXCLUDE, "code"),
            "typo_caps",
            "dimensions.quality.rules.typo_caps.code",
            '"typo_caps" appears more than once',
        ),
        (
            (*EXAMPLE, "checks"),
            ["tpyo"],
            "dimensions.quality.levels.2.examples.1.checks",
            '"tpyo" is no check of',
        ),
        (
            (*EXAMPLE, "score"),
            9,
            "dimensions.quality.levels.2.examples.1.score",
            "9; quality goes from 1 to 2",
        ),
        (
            (*EXAMPLE, "response"),
            ...,
            "dimensions.quality.levels.2.examples.1",
            'give the example a "response"',
        ),
        (
            (*EXAMPLE, "candidates"),
            ["a", "b"],
            "dimensions.quality.levels.2.examples.1",
            'take "candidates"',
        ),
        # checks
        (
            CHECK,
            {"code": "fine", "kind": "one_of", "wording": "Fine"},
            "dimensions.quality.checks.fine",
            '"fine" is one_of; list two or more "answers"',
        ),
        (
            (*CHECK, "answers", 1, "code"),
            "nope",
            "dimensions.quality.checks.fine.answers",
            "a yes_no check has the answers yes and no",
        ),
        (
            (*CHECK, "best"),
            "maybe",
            "dimensions.quality.checks.fine.best",
            '"maybe" is no answer; answers are yes, no',
        ),
        (
            (*TICK, "best"),
            "yes",
            "dimensions.quality.checks.typo.best",
            '"yes" is no answer; answers are none',
        ),
        (
            (*CHECK, "detector"),
            "empty",
            "dimensions.quality.checks.fine.detector",
            "only a tick or a detected check has one",
        ),
        (
            (*TICK, "answers"),
            [{"code": "yes", "wording": "yes"}],
            "dimensions.quality.checks.typo.answers",
            '"typo" is tick, which has none; take them out',
        ),
        (
            (*TICK, "kind"),
            "detected",
            "dimensions.quality.checks.typo",
            '"typo" is detected; name its "detector"',
        ),
        (
            (*TICK, "detector"),
            "twins",
            "dimensions.quality.checks.typo.detector",
            "a rule speaks of them, not a check",
        ),
        (
            (*TICK, "detector"),
            "repeats",
            "dimensions.quality.checks.typo",
            'write the question it "asks"',
        ),
        (
            (*TICK, "scope"),
            "corpus",
            "dimensions.quality.checks.typo.scope",
            "corpus needs the unit candidate_set",
        ),
        (
            (*TICK, "key"),
            "TT",
            "dimensions.quality.checks.typo.key",
            '"TT"; a key is one character',
        ),
        (
            (*TICK, "key"),
            "S",
            "dimensions.quality.checks.typo.key",
            '"S" belongs to the desk; choose another',
        ),
        (
            (*TICK, "key"),
            "7",
            "dimensions.quality.checks.typo.key",
            '"7" belongs to the desk; choose another',
        ),
        ((*TICK, "key"), "t", "dimensions.quality.checks.typo.key", '"t"; write it as a capital'),
        # rules
        (
            (*CAP, "score"),
            ...,
            "dimensions.quality.rules.typo_caps",
            '"score" is missing; a rule that is cap has one',
        ),
        (
            (*CAP, "score"),
            9,
            "dimensions.quality.rules.typo_caps.score",
            "9; quality goes from 1 to 2",
        ),
        (
            (*CAP, "effect"),
            "lid",
            "dimensions.quality.rules.typo_caps.effect",
            "'lid' is not among force, cap, floor",
        ),
        (
            (*CAP, "precedence"),
            3,
            "dimensions.quality.rules.typo_caps.precedence",
            '"precedence" means nothing to a rule that is cap',
        ),
        (
            (*CAP, "when"),
            {"all_of": ["tpyo"]},
            "dimensions.quality.rules.typo_caps.when.all_of",
            '"tpyo" is no check of quality, perhaps "typo"; its checks are fine',
        ),
        (
            (*CAP, "when"),
            {"any_of": ["typo", "typo"]},
            "dimensions.quality.rules.typo_caps.when.any_of",
            "more than once",
        ),
        (
            (*CAP, "when"),
            {"at_least": 1},
            "dimensions.quality.rules.typo_caps.when",
            '"at_least" and "of" go together',
        ),
        (
            (*CAP, "when"),
            {"at_least": 2, "of": ["typo"]},
            "dimensions.quality.rules.typo_caps.when.at_least",
            '2; "of" names 1',
        ),
        (
            (*EXCLUDE, "against"),
            ["tpyo"],
            "dimensions.quality.rules.fine_has_no_typo.against",
            '"tpyo" is no check of quality',
        ),
        (
            (*EXCLUDE, "against"),
            ["fine"],
            "dimensions.quality.rules.fine_has_no_typo.against",
            "can’t exclude itself",
        ),
        (
            (*EXCLUDE, "against"),
            [],
            "dimensions.quality.rules.fine_has_no_typo",
            'names "against", and checks in "when"',
        ),
        # aids
        (
            (*D, "aids", 0, "kind"),
            "oracle",
            "dimensions.quality.aids.facts.kind",
            '"oracle" is not among fact_check',
        ),
        (
            (*D, "aids", 0, "seconds"),
            0,
            "dimensions.quality.aids.facts.seconds",
            "0; it is 1 or more",
        ),
        (
            (*D, "aids", 0, "proposes"),
            "tpyo",
            "dimensions.quality.aids.facts.proposes",
            '"tpyo" is no check',
        ),
    ],
)
def test_each_fault_names_its_place_the_value_and_what_to_do(
    path: tuple[str | int, ...], value: Any, place: str, says: str
) -> None:
    if path == ("dimensions", 1):
        content = {**SMALL, "dimensions": [*SMALL["dimensions"], value]}
    else:
        content = changed(*path, to=value)
    faults = faults_of(content)
    assert any(fault.startswith(f"{place}: ") and says in fault for fault in faults), faults


RULE = {"code": "new", "clause": "X-9", "reason": "Because."}


@cases(
    ("rule", "says"),
    [
        ({"effect": "force"}, '"score" is missing'),
        ({"effect": "require", "scores": [2]}, 'names "scores" and what it "needs"'),
        (
            {"effect": "require", "needs": {"all_of": ["fine"]}},
            'names "scores" and what it "needs"',
        ),
        ({"effect": "exclude", "against": ["typo"]}, 'names "against", and checks in "when"'),
        ({"effect": "advise"}, 'names either "scores" or "between"'),
        (
            {"effect": "advise", "scores": [1], "between": "twins"},
            'names either "scores" or "between"',
        ),
        ({"effect": "advise", "between": "empty"}, "is seen in one text"),
        (
            {"effect": "advise", "scores": [1], "unless_one": ["typo"]},
            'name in "between" what the rule compares',
        ),
        ({"effect": "advise", "between": "twins", "unless_one": ["tpyo"]}, '"tpyo" is no check'),
        ({"effect": "advise", "scores": [3]}, "3; quality goes from 1 to 2"),
        ({"effect": "rank_below", "when": {"none_of": ["typo"]}}, 'names checks in "when"'),
        ({"effect": "require", "scores": [2], "needs": {"any_of": ["tpyo"]}}, '"tpyo" is no check'),
        *(
            (
                {"effect": effect, "score": 1, "not_yet": "a typo"},
                f'"not_yet" means nothing to a rule that is {effect}; take it out',
            )
            for effect in ("force", "cap", "floor", "exclude", "rank_below", "advise")
        ),
        # Where checks clash, or a response must score below another, the line is the program's.
        *(
            (
                {"effect": effect, "line": "Take one back."},
                f'"line" means nothing to a rule that is {effect}; take it out',
            )
            for effect in ("exclude", "rank_below")
        ),
    ],
)
def test_each_effect_is_held_to_what_it_reads(rule: dict[str, Any], says: str) -> None:
    content = deepcopy(SMALL)
    content["dimensions"][0]["rules"].append({**RULE, **rule})
    faults = faults_of(content)
    assert any(
        fault.startswith("dimensions.quality.rules.new") and says in fault for fault in faults
    ), faults


OURS = [{"code": "ours", "title": "Ours", "text": "So we read it."}]


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ((*D, "levels", 0), "2"),
        (CHECK, "fine"),
        ((*CHECK, "answers", 0), "yes"),
        (CAP, "typo_caps"),
    ],
)
def test_a_reading_names_a_guidance_of_the_rubric_or_of_its_own_dimension(
    part: tuple[str | int, ...], name: str
) -> None:
    content = changed(*part, "reading", to="ours")
    (dimension,) = content["dimensions"]
    refusal = (
        f'dimensions.quality: "ours" is the reading of {name}, and no guidance; guidance here is '
    )
    assert faults_of(content) == [f"{refusal}none"]
    assert faults_of({**content, "guidance": [{**OURS[0], "code": "theirs"}]}) == [
        f"{refusal}theirs"
    ]
    other = {**SMALL["dimensions"][0], "code": "other", "guidance": OURS, "aids": []}
    assert faults_of({**content, "dimensions": [dimension, other]}) == [f"{refusal}none"]
    for whole in (
        {**content, "guidance": OURS},
        {**content, "dimensions": [{**dimension, "guidance": OURS}]},
    ):
        rubric = parse(whole)
        assert rubric.readings == {"ours"}
        assert rubric.dimensions[0].readings == ((name, "ours"),)


def test_a_bar_carries_its_line_what_is_not_yet_there_and_its_reading() -> None:
    content = {**changed(*CAP, "line", to="1: a typo."), "guidance": OURS}
    content["dimensions"][0]["rules"].append(
        {
            **RULE,
            **{"effect": "require", "scores": [2], "needs": {"all_of": ["fine"]}},
            **{"line": "2: fine first.", "not_yet": "a yes", "reading": "ours"},
        }
    )
    (dimension,) = parse(content).dimensions
    verdict = judge(dimension, {"typo"})
    assert isinstance(verdict, Verdict)
    assert [
        (reason.text, reason.short_text, reason.not_yet, reason.reading)
        for reason in verdict.bars(2)
    ] == [
        ("A typo keeps it at 1.", "1: a typo.", "", ""),
        ("Because.", "2: fine first.", "a yes", "ours"),
    ]


def test_checks_that_clash_by_our_reading_say_so() -> None:
    (dimension,) = parse({**changed(*EXCLUDE, "reading", to="ours"), "guidance": OURS}).dimensions
    clashes = judge(dimension, {"fine", "typo"})
    assert isinstance(clashes, Clashes)
    assert [(clash.text, clash.reading) for clash in clashes.clashes] == [
        ("Fine has no typo.", "ours")
    ]


@pytest.mark.parametrize(
    ("example", "says"),
    [
        ({"response": "x"}, 'take "response" out'),
        ({"candidates": ["one"]}, 'give two or more "candidates"'),
    ],
)
def test_an_example_of_a_candidate_set_shows_candidates(example: dict[str, Any], says: str) -> None:
    content = changed(*D, "unit", to="candidate_set")
    content["dimensions"][0]["levels"][0]["examples"] = [
        {"score": 2, "checks": [], "why": "So.", "candidates": ["a", "b"], **example}
    ]
    assert any(says in fault for fault in faults_of(content))


def test_several_faults_are_told_at_once() -> None:
    content = changed("title", to=3)
    content["summary"] = None
    content["dimensions"][0]["lowest"] = "one"
    content["dimensions"][0]["rules"][0]["effect"] = "lid"
    del content["dimensions"][0]["levels"][0]["examples"][0]["why"]
    assert [fault.split(":")[0] for fault in faults_of(content)] == [
        "title",
        "summary",
        "dimensions.quality.lowest",
        "dimensions.quality.levels.2.examples.1",
        "dimensions.quality.rules.typo_caps.effect",
    ]


def test_several_parts_that_do_not_fit_are_told_at_once() -> None:
    content = changed(*CAP, "score", to=5)
    content["dimensions"][0]["rules"][1]["against"] = ["tpyo"]
    content["dimensions"][0]["checks"][1]["key"] = "S"
    assert len(faults_of(content)) == 3


def test_a_value_is_shown_short_however_large_it_is() -> None:
    (fault,) = faults_of(changed("title", to=[["x" * 1000] * 1000] * 1000))
    assert len(fault) < 700


@pytest.mark.parametrize("content", [None, [], "text", 7])
def test_a_document_is_a_mapping(content: Any) -> None:
    assert faults_of(content) == [f"the document: expected a mapping, found {content!r}"]


# --- YAML ---


def refused(text: str) -> tuple[str, ...]:
    with pytest.raises(DocumentError) as caught:
        read(text)
    return caught.value.faults


def test_a_key_named_twice_is_refused_with_its_line() -> None:
    told = refused("slug: a\ntitle: A\nslug: b\nsummary: {history: true, history: false}\n")
    assert {
        'line 3: "slug" appears twice in one mapping; keep one',
        'line 4: "history" appears twice in one mapping; keep one',
    } < {*told}


@cases(
    "text",
    [
        "slug: [",
        "\tslug: a",
        "a: b: c",
        "--- 1\n--- 2",
        "x: 2001-99-99",
        "x: !!python/object/apply:os.system [echo]",
        "x: *nowhere",
        "? [a]\n: b",
        "slug: \0",
        "[" * 3000,
        "x: " + "9" * 5000,
    ],
)
def test_a_document_of_no_plain_yaml_is_refused_in_one_line(text: str) -> None:
    (fault,) = refused(text)
    assert re.match(r"line [12]: [a-z]", fault)
    assert not re.search("token|scalar|node|flow|stream|construct|mark|context", fault)
    assert "\n" not in fault


def test_an_unquoted_yes_is_told_of() -> None:
    text = written(parse(SMALL)).replace("code: 'yes'", "code: yes")
    line = text[: text.index("code: yes")].count("\n") + 1
    assert refused(text) == (
        f"line {line}: dimensions.quality.checks.fine.answers.1.code: expected a text, found True;"
        " put it in quotes",
    )


def test_texts_that_are_judged_keep_their_white_space_others_are_stripped() -> None:
    content = changed(*EXAMPLE, "response", to=" \n yes \u200b")
    content["title"] = "  Small \n"
    rubric = parse(content)
    assert rubric.dimensions[0].levels[0].examples[0].response == " \n yes \u200b"
    assert rubric.title == "Small"
    assert read(written(rubric)) == rubric


plain_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9)),
    lambda children: st.one_of(
        st.lists(children, max_size=3), st.dictionaries(st.text(max_size=9), children, max_size=3)
    ),
    max_leaves=12,
)


@given(plain_values, st.data())
@settings(max_examples=80)
def test_any_document_is_read_or_refused_and_breaks_nothing(
    value: Any, data: st.DataObject
) -> None:
    content: Any = deepcopy(SMALL)
    at = content
    while True:
        steps = list(at) if isinstance(at, dict) else list(range(len(at)))
        step = data.draw(st.sampled_from(steps))
        deeper = isinstance(at[step], dict | list) and bool(at[step])
        if not deeper or data.draw(st.booleans()):
            at[step] = value
            break
        at = at[step]
    with suppress(DocumentError):
        rubric = parse(content)
        assert parse(dump(rubric)) == rubric
