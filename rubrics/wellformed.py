"""Check that the parts of a rubric fit together.

Faults are unknown names, duplicate codes, scores off the scale, and rules with fields that their
effect does not read. `rubrics.document` calls `faults_in` after it has read the shape of a
document, also if some of its parts could not be read. Rules that leave no score open are found
elsewhere.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from difflib import get_close_matches
from string import ascii_uppercase
from typing import NamedTuple, TypeAlias

from .schema import (
    RESERVED_DIMENSIONS,
    RESERVED_KEYS,
    Check,
    Condition,
    Detector,
    Dimension,
    Effect,
    Example,
    Kind,
    Rubric,
    Rule,
    Scope,
    Unit,
)

MOST_RULES = 500
_READ_BY_ALL = {"code", "clause", "effect", "reason", "reading", "when"}
_READ_BY = {
    Effect.FORCE: {"score", "precedence", "line"},
    Effect.CAP: {"score", "line"},
    Effect.FLOOR: {"score", "line"},
    Effect.REQUIRE: {"scores", "needs", "remark", "line", "not_yet"},
    Effect.EXCLUDE: {"against"},
    Effect.RANK_BELOW: {"score"},
    Effect.ADVISE: {"scores", "between", "unless_one", "line"},
}
Path: TypeAlias = tuple[str, ...]  # by codes: ("dimensions", "quality", "levels", "3")


class Misfit(NamedTuple):
    """A part that does not fit: its path, what is wrong and what to do."""

    path: Path
    message: str
    name: str = ""  # of the fact, if no check asserts it


def faults_in(rubric: Rubric) -> Iterator[Misfit]:
    """Yield the faults: the path, the value, and what to do."""
    yield from _twice([dimension.code for dimension in rubric.dimensions], ("dimensions",))
    yield from _twice([guidance.code for guidance in rubric.guidance], ("guidance",))
    yield from _twice([clause.id for clause in rubric.clauses], ("clauses",), "id")
    fact_checks = [
        aid for each in rubric.dimensions for aid in each.aids if aid.kind == "fact_check"
    ]
    if len(fact_checks) > 1:
        yield Misfit(
            ("dimensions",),
            f"{len(fact_checks)} of their aids are fact_check; a rubric has one, keep one",
        )
    if not rubric.dimensions:
        yield Misfit(("dimensions",), "a rubric has at least one")
    if (rules := sum(len(dimension.rules) for dimension in rubric.dimensions)) > MOST_RULES:
        yield Misfit(("dimensions",), f"{rules} rules; at most {MOST_RULES} fit, take some out")
    for dimension in rubric.dimensions:
        path = ("dimensions", dimension.code)
        yield from _faults_of_dimension(dimension, path)
        yield from _unknown_readings(rubric, dimension, path)


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the known word that comes nearest to an unknown one, for the end of a clause."""
    found = get_close_matches(str(word).lower(), known, 1)
    return f', perhaps "{found[0]}"' if found else ""


def _unknown_readings(rubric: Rubric, dimension: Dimension, path: Path) -> Iterator[Misfit]:
    known = [text.code for text in (*rubric.guidance, *dimension.guidance)]
    for part, reading in dimension.readings:
        if reading not in known:
            yield Misfit(
                path,
                f'"{reading}" is the reading of {part}, and no guidance{nearest(reading, known)};'
                f" guidance here is {', '.join(known) or 'none'}",
            )


def _faults_of_dimension(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    if dimension.code in RESERVED_DIMENSIONS:
        yield Misfit(
            (*path, "code"), f'"{dimension.code}" is a field of every form; choose another code'
        )
    if dimension.lowest >= dimension.highest:
        yield Misfit(
            (*path, "lowest"),
            f"lowest is {dimension.lowest}, highest {dimension.highest}; lowest must be less",
        )
        return
    yield from _below(dimension.sample, 1, (*path, "sample"))
    yield from _below(dimension.needs.candidates, 0, (*path, "needs", "candidates"))
    yield from _below(dimension.needs.other_histories, 0, (*path, "needs", "other_histories"))
    for part in ("guidance", "aids", "checks", "rules"):
        yield from _twice([each.code for each in getattr(dimension, part)], (*path, part))
    answers = [fact for check in dimension.checks if check.asked for fact in check.facts]
    ticks = [check.code for check in dimension.checks if not check.asked]
    for fact in sorted({fact for fact in answers if [*answers, *ticks].count(fact) > 1}):
        yield Misfit(
            (*path, "checks"), f'"{fact}" stands more than once as a fact; give each its own'
        )
    yield from _faults_of_levels(dimension, (*path, "levels"))
    for check in dimension.checks:
        yield from _faults_of_check(check, dimension, (*path, "checks", check.code))
    for rule in dimension.rules:
        yield from _faults_of_rule(rule, dimension, (*path, "rules", rule.code))
    for aid in dimension.aids:
        where = (*path, "aids", aid.code)
        if aid.kind != "fact_check":
            yield Misfit((*where, "kind"), f'"{aid.kind}" is not among fact_check')
        yield from _below(aid.seconds, 1, (*where, "seconds"))
        if aid.proposes:
            yield from _unknown(dimension, [aid.proposes], (*where, "proposes"))
        if dimension.unit is not Unit.RESPONSE:
            yield Misfit(
                where,
                f"claims are a response's; {dimension.code} scores a {dimension.unit}, take it out",
            )


def _faults_of_levels(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    yield from _twice([str(level.score) for level in dimension.levels], path, "score")
    for level in dimension.levels:
        here = (*path, str(level.score))
        yield from _off_scale(dimension, (level.score,), (*here, "score"))
        for number, example in enumerate(level.examples, 1):
            where = (*here, "examples", str(number))
            yield from _unknown(dimension, example.checks, (*where, "checks"))
            yield from _off_scale(dimension, (example.score,), (*where, "score"))
            yield from _faults_of_specimen(example, dimension, where)


def _faults_of_specimen(example: Example, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    code = dimension.code
    if dimension.unit is Unit.RESPONSE:
        if example.response is None:
            yield Misfit(where, f'{code} scores a response; give the example a "response"')
        if example.candidates or example.elsewhere:
            yield Misfit(where, f'{code} scores a response; take "candidates" and "elsewhere" out')
    else:
        if len(example.candidates) < 2:
            yield Misfit(where, f'{code} scores a candidate set; give two or more "candidates"')
        if example.response is not None:
            yield Misfit(where, f'{code} scores a candidate set; take "response" out')


def _faults_of_check(check: Check, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    codes = [answer.code for answer in check.answers]
    if check.asked:
        if check.kind is Kind.YES_NO and not codes:  # else `rubrics.document` has added them
            yield Misfit(
                where,
                "the program has no yes and no in the rubric's language;"
                ' list the two "answers", with the codes "yes" and "no"',
            )
        elif check.kind is Kind.YES_NO and sorted(codes) != ["no", "yes"]:
            yield Misfit((*where, "answers"), f"{codes}; a yes_no check has the answers yes and no")
        elif len(codes) < 2:
            yield Misfit(where, f'"{check.code}" is {check.kind}; list two or more "answers"')
        yield from _twice(codes, (*where, "answers"))
        if check.detector:
            yield Misfit(
                (*where, "detector"),
                f'"{check.code}" is {check.kind}; only a tick or a detected check has one',
            )
    elif codes:
        yield Misfit(
            (*where, "answers"), f'"{check.code}" is {check.kind}, which has none; take them out'
        )
    if check.best is not None and check.best not in codes:
        known = f"{nearest(check.best, codes)}; answers are {', '.join(codes) or 'none'}"
        yield Misfit((*where, "best"), f'"{check.best}" is no answer{known}')
    if check.kind is Kind.DETECTED and check.detector is None:
        yield Misfit(where, f'"{check.code}" is detected; name its "detector"')
    if check.detector is Detector.TWINS:
        yield Misfit(
            (*where, "detector"), "twins are two responses; a rule speaks of them, not a check"
        )
    if check.kind is Kind.TICK and check.detector and not check.asks:
        yield Misfit(where, f'"{check.code}" has a detector; write the question it "asks"')
    if check.scope is Scope.CORPUS and dimension.unit is not Unit.CANDIDATE_SET:
        yield Misfit(
            (*where, "scope"),
            f"corpus needs the unit candidate_set, and {dimension.code} has {dimension.unit}",
        )
    if check.key:
        yield from _faults_of_key(check, dimension, (*where, "key"))


def _faults_of_key(check: Check, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    given = [each.key for each in dimension.checks if each.key]
    free = ", ".join(key for key in ascii_uppercase if key not in {*given, *RESERVED_KEYS})
    if len(check.key) != 1 or check.key.isspace():
        yield Misfit(where, f'"{check.key}"; a key is one character')
    elif check.key in RESERVED_KEYS:
        yield Misfit(where, f'"{check.key}" belongs to the desk; choose another: {free}')
    elif check.key != check.key.upper():
        yield Misfit(where, f'"{check.key}"; write it as a capital')
    elif given.count(check.key) > 1:
        yield Misfit(where, f'"{check.key}" stands more than once; choose another: {free}')


def _faults_of_rule(rule: Rule, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    yield from _misshapen(rule, where)
    yield from _faults_of_condition(rule.when, dimension, (*where, "when"))
    yield from _faults_of_condition(rule.needs, dimension, (*where, "needs"))
    for part in ("against", "unless_one"):
        yield from _unknown(dimension, getattr(rule, part), (*where, part))
        yield from _twice(getattr(rule, part), (*where, part), "")
    for name in rule.against:
        if name in rule.when.positive:
            yield Misfit(
                (*where, "against"),
                f'"{name}" stands in "when" too, and cannot exclude itself; take it out',
            )
    yield from _off_scale(dimension, rule.scores, (*where, "scores"))
    if rule.score is not None:
        yield from _off_scale(dimension, (rule.score,), (*where, "score"))


def _misshapen(rule: Rule, where: Path) -> Iterator[Misfit]:
    given = {
        spec.name
        for spec in fields(rule)
        if getattr(rule, spec.name) not in (None, 0, (), "", Condition())
    }
    for name in sorted(given - _READ_BY[rule.effect] - _READ_BY_ALL):
        yield Misfit(
            (*where, name), f'"{name}" means nothing to a rule that is {rule.effect}; take it out'
        )
    match rule.effect:
        case Effect.FORCE | Effect.CAP | Effect.FLOOR if rule.score is None:
            yield Misfit(where, f'"score" is missing; a rule that is {rule.effect} has one')
        case Effect.REQUIRE if not rule.scores or rule.needs == Condition():
            yield Misfit(where, 'a rule that is require names "scores" and what it "needs"')
        case Effect.EXCLUDE if not rule.against or not rule.when.positive:
            yield Misfit(where, 'a rule that is exclude names "against", and checks in "when"')
        case Effect.ADVISE if bool(rule.scores) == bool(rule.between):
            yield Misfit(
                where,
                'a rule that is advise names either "scores" or "between" what it compares',
            )
        case Effect.ADVISE if rule.between not in (None, Detector.TWINS):
            yield Misfit(
                (*where, "between"),
                f'"{rule.between}" is seen in one text; what pairs two is {Detector.TWINS}',
            )
        case Effect.ADVISE if rule.unless_one and not rule.between:
            yield Misfit(where, '"unless_one" speaks of two; name what the rule stands "between"')
        case Effect.RANK_BELOW if not rule.when.positive:
            yield Misfit(where, 'a rule that is rank_below names checks in "when"')


def _faults_of_condition(
    condition: Condition, dimension: Dimension, where: Path
) -> Iterator[Misfit]:
    for part in ("all_of", "any_of", "none_of", "of"):
        yield from _unknown(dimension, getattr(condition, part), (*where, part))
        yield from _twice(getattr(condition, part), (*where, part), "")
    if bool(condition.at_least) != bool(condition.of):
        yield Misfit(where, '"at_least" and "of" go together')
    elif not 0 <= condition.at_least <= len(condition.of):
        yield Misfit((*where, "at_least"), f'{condition.at_least}; "of" names {len(condition.of)}')


def _below(number: int, least: int, where: Path) -> Iterator[Misfit]:
    if number < least:
        yield Misfit(where, f"{number}; it is {least} or more")


def _twice(names: Collection[str], where: Path, key: str = "code") -> Iterator[Misfit]:
    """Yield the names that stand more than once in a list of parts; without `key`, of names."""
    for name in sorted({name for name in names if list(names).count(name) > 1}):
        path = (*where, name, key) if key else where
        yield Misfit(path, f'"{name}" stands more than once; give each its own')


def _unknown(dimension: Dimension, names: Collection[str], where: Path) -> Iterator[Misfit]:
    known = ", ".join(dimension.facts) or "none"
    for name in names:
        if name in dimension.facts:
            continue
        asking = [check for check in dimension.checks if check.asked]
        near = nearest(name, dimension.facts)
        said = f"is no check of {dimension.code}{near}; its checks are {known}"
        for check in asking:
            answer = next((each for each in check.answers if each.code == name), None)
            if answer and answer.sets:
                said = f'is an answer of "{check.code}"; name what it sets, "{answer.sets}"'
            elif answer:
                said = f'is an answer of "{check.code}": give it "sets"'
            elif check.code == name:
                facts = ", ".join(check.facts) or "none"
                said = f"is a question; name what an answer sets: {facts}"
        yield Misfit(where, f'"{name}" {said}', name)


def _off_scale(dimension: Dimension, scores: Collection[int], where: Path) -> Iterator[Misfit]:
    for score in scores:
        if score not in dimension.scores:
            yield Misfit(
                where,
                f"{score}; {dimension.code} goes from {dimension.lowest} to {dimension.highest}",
            )
