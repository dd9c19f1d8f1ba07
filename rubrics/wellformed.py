"""Check that the parts of a rubric fit together.

Faults are unknown names, duplicate codes, scores off the scale, and rules with fields that their
effect does not read. `rubrics.document` calls `faults_in` after it has read the shape of a
document. `rubrics.proof` then checks what the rules come to.
"""

from collections.abc import Collection, Iterator
from dataclasses import fields

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


def faults_in(rubric: Rubric) -> Iterator[str]:
    """Yield one line per fault: the path, the value, and what to do."""
    yield from _twice([dimension.code for dimension in rubric.dimensions], "dimensions")
    yield from _twice([guidance.code for guidance in rubric.guidance], "guidance")
    yield from _twice([clause.id for clause in rubric.clauses], "clauses")
    fact_checks = [
        aid for each in rubric.dimensions for aid in each.aids if aid.kind == "fact_check"
    ]
    if len(fact_checks) > 1:
        yield (
            f"dimensions: {len(fact_checks)} of their aids are fact_check;"
            " a rubric has one, keep one"
        )
    if not rubric.dimensions:
        yield "dimensions: a rubric has at least one"
    for index, dimension in enumerate(rubric.dimensions):
        yield from _faults_of_dimension(dimension, f"dimensions[{index}]")
        yield from _unknown_readings(rubric, dimension, f"dimensions[{index}]")


def _unknown_readings(rubric: Rubric, dimension: Dimension, path: str) -> Iterator[str]:
    known = [text.code for text in (*rubric.guidance, *dimension.guidance)]
    for part, reading in dimension.readings:
        if reading not in known:
            yield (
                f'{path}: "{reading}" is the reading of {part}, and no guidance;'
                f" guidance here is {', '.join(known) or 'none'}"
            )


def _faults_of_dimension(dimension: Dimension, path: str) -> Iterator[str]:
    if dimension.code in RESERVED_DIMENSIONS:
        yield f'{path}.code: "{dimension.code}" is a field of every form; choose another code'
    if dimension.lowest >= dimension.highest:
        yield (
            f"{path}: lowest is {dimension.lowest}, highest {dimension.highest};"
            " lowest must be less"
        )
        return
    yield from _below(dimension.sample, 1, f"{path}.sample")
    yield from _below(dimension.needs.candidates, 0, f"{path}.needs.candidates")
    yield from _below(dimension.needs.other_histories, 0, f"{path}.needs.other_histories")
    for where, names in {
        "guidance": [guidance.code for guidance in dimension.guidance],
        "aids": [aid.code for aid in dimension.aids],
        "checks (code)": [check.code for check in dimension.checks],
        "checks": dimension.facts,
        "checks (key)": [check.key for check in dimension.checks if check.key],
        "rules": [rule.code for rule in dimension.rules],
    }.items():
        yield from _twice(names, f"{path}.{where}")
    yield from _faults_of_levels(dimension, f"{path}.levels")
    for number, check in enumerate(dimension.checks):
        yield from _faults_of_check(check, dimension, f"{path}.checks[{number}]")
    for number, rule in enumerate(dimension.rules):
        yield from _faults_of_rule(rule, dimension, f"{path}.rules[{number}]")
    for number, aid in enumerate(dimension.aids):
        where = f"{path}.aids[{number}]"
        if aid.kind != "fact_check":
            yield f'{where}.kind: "{aid.kind}" is not among fact_check'
        yield from _below(aid.seconds, 1, f"{where}.seconds")
        if aid.proposes:
            yield from _unknown(dimension, [aid.proposes], f"{where}.proposes")
        if dimension.unit is not Unit.RESPONSE:
            yield (
                f"{where}: claims are a response's;"
                f" {dimension.code} scores a {dimension.unit}, take it out"
            )


def _faults_of_levels(dimension: Dimension, path: str) -> Iterator[str]:
    yield from _twice([str(level.score) for level in dimension.levels], path)
    for number, level in enumerate(dimension.levels):
        yield from _off_scale(dimension, (level.score,), f"{path}[{number}].score")
        for position, example in enumerate(level.examples):
            where = f"{path}[{number}].examples[{position}]"
            yield from _unknown(dimension, example.checks, f"{where}.checks")
            yield from _off_scale(dimension, (example.score,), f"{where}.score")
            yield from _faults_of_specimen(example, dimension, where)


def _faults_of_specimen(example: Example, dimension: Dimension, where: str) -> Iterator[str]:
    if dimension.unit is Unit.RESPONSE:
        if example.response is None:
            yield f'{where}: {dimension.code} scores a response; give the example a "response"'
        if example.candidates or example.elsewhere:
            yield (
                f"{where}: {dimension.code} scores a response;"
                ' take "candidates" and "elsewhere" out'
            )
    else:
        if len(example.candidates) < 2:
            yield f'{where}: {dimension.code} scores a candidate set; give two or more "candidates"'
        if example.response is not None:
            yield f'{where}: {dimension.code} scores a candidate set; take "response" out'


def _faults_of_check(check: Check, dimension: Dimension, where: str) -> Iterator[str]:
    codes = [answer.code for answer in check.answers]
    if check.asked:
        if len(codes) < 2:
            yield f'{where}: "{check.code}" is {check.kind}; list two or more "answers"'
        elif check.kind is Kind.YES_NO and codes != ["yes", "no"]:
            yield f"{where}.answers: {codes}; a yes_no check has the answers yes and no"
        yield from _twice(codes, f"{where}.answers")
        if check.detector:
            yield (
                f'{where}.detector: "{check.code}" is {check.kind};'
                " only a tick or a detected check has one"
            )
    elif codes:
        yield f'{where}.answers: "{check.code}" is {check.kind}, which has none; take them out'
    if check.best is not None and check.best not in codes:
        yield f'{where}.best: "{check.best}" is no answer; answers are {", ".join(codes) or "none"}'
    if check.kind is Kind.DETECTED and check.detector is None:
        yield f'{where}: "{check.code}" is detected; name its "detector"'
    if check.detector is Detector.TWINS:
        yield f"{where}.detector: twins are two responses; a rule speaks of them, not a check"
    if check.kind is Kind.TICK and check.detector and not check.asks:
        yield f'{where}: "{check.code}" has a detector; write the question it "asks"'
    if check.scope is Scope.CORPUS and dimension.unit is not Unit.CANDIDATE_SET:
        yield (
            f"{where}.scope: corpus needs the unit candidate_set,"
            f" and {dimension.code} has {dimension.unit}"
        )
    if check.key and (len(check.key) != 1 or check.key.isspace()):
        yield f'{where}.key: "{check.key}"; a key is one character'
    elif check.key in RESERVED_KEYS:
        yield f'{where}.key: "{check.key}" belongs to the desk; choose another'
    elif check.key != check.key.upper():
        yield f'{where}.key: "{check.key}"; write it as a capital'


def _faults_of_rule(rule: Rule, dimension: Dimension, where: str) -> Iterator[str]:
    yield from _misshapen(rule, where)
    yield from _faults_of_condition(rule.when, dimension, f"{where}.when")
    yield from _faults_of_condition(rule.needs, dimension, f"{where}.needs")
    for part in ("against", "unless_one"):
        yield from _unknown(dimension, getattr(rule, part), f"{where}.{part}")
        yield from _twice(getattr(rule, part), f"{where}.{part}")
    for name in rule.against:
        if name in rule.when.positive:
            yield (
                f'{where}.against: "{name}" stands in "when" too,'
                " and cannot exclude itself; take it out"
            )
    yield from _off_scale(dimension, rule.scores, f"{where}.scores")
    if rule.score is not None:
        yield from _off_scale(dimension, (rule.score,), f"{where}.score")


def _misshapen(rule: Rule, where: str) -> Iterator[str]:
    given = {
        spec.name
        for spec in fields(rule)
        if getattr(rule, spec.name) not in (None, 0, (), "", Condition())
    }
    for name in sorted(given - _READ_BY[rule.effect] - _READ_BY_ALL):
        yield f'{where}: "{name}" means nothing to a rule that is {rule.effect}; take it out'
    match rule.effect:
        case Effect.FORCE | Effect.CAP | Effect.FLOOR if rule.score is None:
            yield f'{where}: "score" is missing; a rule that is {rule.effect} has one'
        case Effect.REQUIRE if not rule.scores or rule.needs == Condition():
            yield f'{where}: a rule that is require names "scores" and what it "needs"'
        case Effect.EXCLUDE if not rule.against or not rule.when.positive:
            yield f'{where}: a rule that is exclude names "against", and checks in "when"'
        case Effect.ADVISE if bool(rule.scores) == bool(rule.between):
            yield (
                f"{where}: a rule that is advise names"
                ' either "scores" or "between" what it compares'
            )
        case Effect.ADVISE if rule.between not in (None, Detector.TWINS):
            yield (
                f'{where}.between: "{rule.between}" is seen in one text;'
                f" what pairs two is {Detector.TWINS}"
            )
        case Effect.ADVISE if rule.unless_one and not rule.between:
            yield f'{where}: "unless_one" speaks of two; name what the rule stands "between"'
        case Effect.RANK_BELOW if not rule.when.positive:
            yield f'{where}: a rule that is rank_below names checks in "when"'


def _faults_of_condition(condition: Condition, dimension: Dimension, where: str) -> Iterator[str]:
    yield from _unknown(dimension, condition.names, where)
    for part in ("all_of", "any_of", "none_of", "of"):
        yield from _twice(getattr(condition, part), f"{where}.{part}")
    if bool(condition.at_least) != bool(condition.of):
        yield f'{where}: "at_least" and "of" go together'
    elif not 0 <= condition.at_least <= len(condition.of):
        yield f'{where}.at_least: {condition.at_least}; "of" names {len(condition.of)}'


def _below(number: int, least: int, where: str) -> Iterator[str]:
    if number < least:
        yield f"{where}: {number}; it is {least} or more"


def _twice(names: Collection[str], where: str) -> Iterator[str]:
    for name in sorted({name for name in names if list(names).count(name) > 1}):
        yield f'{where}: "{name}" stands more than once; give each its own'


def _unknown(dimension: Dimension, names: Collection[str], where: str) -> Iterator[str]:
    for name in names:
        if name not in dimension.facts:
            known = ", ".join(dimension.facts) or "none"
            yield f'{where}: "{name}" is no check of {dimension.code}; its checks are {known}'


def _off_scale(dimension: Dimension, scores: Collection[int], where: str) -> Iterator[str]:
    for score in scores:
        if score not in dimension.scores:
            yield (
                f"{where}: {score};"
                f" {dimension.code} goes from {dimension.lowest} to {dimension.highest}"
            )
