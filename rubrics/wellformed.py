"""Check that the parts of a rubric fit together.

Faults are unknown names, duplicate codes, scores off the scale, and rules with fields that their
effect does not read. `rubrics.document` calls `faults_in` after it has read the shape of a
document, also if some of its parts could not be read. Rules that leave no score open are found
elsewhere.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from difflib import get_close_matches
from itertools import chain
from string import ascii_uppercase
from typing import TypeAlias

from .scales import MOST_BUTTONS
from .schema import (
    COMMENT,
    RESERVED_DIMENSIONS,
    RESERVED_KEYS,
    Better,
    Check,
    Condition,
    Detector,
    Dimension,
    Effect,
    Kind,
    Level,
    Rubric,
    Rule,
    Scope,
    Unit,
)

MOST_RULES = 500
READ_BY_ALL = {"code", "clause", "effect", "reason", "reading", "when"}
READ_BY = {
    Effect.FORCE: {"score", "precedence", "line"},
    Effect.CAP: {"score", "line"},
    Effect.FLOOR: {"score", "line"},
    Effect.REQUIRE: {"scores", "needs", "remark", "line", "not_yet"},
    Effect.EXCLUDE: {"against"},
    Effect.RANK_BELOW: {"score"},
    Effect.ADVISE: {"scores", "between", "unless_one", "line"},
}
Path: TypeAlias = tuple[str, ...]  # by codes: ("dimensions", "quality", "levels", "3")


# The path of a part that does not fit, what is wrong with it and what to do, and the name of the
# fact if no check asserts it.
Misfit: TypeAlias = tuple[Path, str, str]
# Whether something is wrong, where it stands, what is wrong and what to do.
Case: TypeAlias = tuple[object, Path, str]


def _wrong(*cases: Case) -> Iterator[Misfit]:
    return ((path, message, "") for is_wrong, path, message in cases if is_wrong)


def faults_in(rubric: Rubric) -> Iterator[Misfit]:
    """Yield the faults: the path, the value, and what to do."""
    top = ("dimensions",)
    yield from _twice([dimension.code for dimension in rubric.dimensions], top)
    yield from _twice([guidance.code for guidance in rubric.guidance], ("guidance",))
    yield from _twice([clause.id for clause in rubric.clauses], ("clauses",), "id")
    yield from _twice([check.code for check in rubric.checks], ("checks",))
    yield from _twice(
        [*chain.from_iterable({each.code: each.facts for each in rubric.checks}.values())],
        ("checks",),
        "",
    )
    for check in rubric.checks:
        yield from _faults_of_check(check, rubric.whole, ("checks", check.code))
    of_response = {name for check in rubric.checks for name in (check.code, *check.facts)}
    kinds = [aid.kind for dimension in rubric.dimensions for aid in dimension.aids]
    checking = kinds.count("fact_check")
    rules = sum(len(dimension.rules) for dimension in rubric.dimensions)
    yield from _wrong(
        (checking > 1, top, f"{checking} of their aids are fact_check; a rubric has one, keep one"),
        (not rubric.dimensions, top, "a rubric has at least one"),
        (rules > MOST_RULES, top, f"{rules} rules; at most {MOST_RULES} fit, take some out"),
    )
    for dimension in rubric.dimensions:
        path = (*top, dimension.code)
        yield from _faults_of_dimension(dimension, path)
        known = [text.code for text in (*rubric.guidance, *dimension.guidance)]
        yield from _wrong(
            *(
                (
                    dimension.unit is Unit.RESPONSE and name in of_response,
                    (*path, "checks", check.code),
                    f'"{name}" is a name of the whole response\'s checks too; choose another',
                )
                for check in dimension.checks
                for name in dict.fromkeys((check.code, *check.facts))
            ),
            *(
                (
                    reading not in known,
                    path,
                    f'"{reading}" is the reading of {part}, and no guidance'
                    f"{perhaps(reading, known)}; guidance here is {', '.join(known) or 'none'}",
                )
                for part, reading in dimension.readings
            ),
        )


def perhaps(word: object, known: Iterable[str]) -> str:
    """Return the known word that comes nearest to an unknown one, for the end of a clause."""
    found = get_close_matches(str(word).lower(), known, 1)
    return f', perhaps "{found[0]}"' if found else ""


def _faults_of_dimension(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    code, low, high = dimension.code, dimension.lowest, dimension.highest
    yield from _wrong(
        (
            code in RESERVED_DIMENSIONS,
            (*path, "code"),
            f'"{code}" is a field of every form; choose another code',
        ),
        (
            low >= high,
            (*path, "lowest"),
            f"lowest is {low}, highest {high}; lowest must be less",
        ),
        (
            dimension.better is Better.NONE and high - low >= MOST_BUTTONS,
            (*path, "better"),
            f"none, with {high - low + 1} scores; classes are buttons, {MOST_BUTTONS} at most",
        ),
    )
    if low >= high:
        return
    yield from _faults_of_condition(dimension.when, dimension, (*path, "when"))
    own = [fact for check in dimension.checks for fact in check.facts]
    ranks = any(rule.effect is Effect.RANK_BELOW for rule in dimension.rules)
    yield from _wrong(
        *(
            (
                name in own,
                (*path, "when"),
                f'"{name}" is a check of {code}, asked only if this holds; name checks of the'
                " whole response",
            )
            for name in dimension.when.names
        ),
        (
            dimension.given and (ranks or dimension.blank),
            (*path, "given"),
            'true; a score that the answers give goes with no "blank" and no rank_below,'
            " take them out",
        ),
        (
            dimension.blank and "without" in [check.code for check in dimension.checks],
            (*path, "blank"),
            f'exports have a column "{code}.without" then; give the check "without" another code',
        ),
        _below(dimension.sample, 1, (*path, "sample")),
        _below(dimension.needs.candidates, 0, (*path, "needs", "candidates")),
        _below(dimension.needs.other_histories, 0, (*path, "needs", "other_histories")),
    )
    for part in ("guidance", "aids", "checks", "rules"):
        yield from _twice([each.code for each in getattr(dimension, part)], (*path, part))
    by_answers = {fact for check in dimension.checks if check.asked for fact in check.facts}
    shared = sorted(fact for fact in by_answers if dimension.facts.count(fact) > 1)
    yield from _wrong(
        *(
            (
                True,
                (*path, "checks"),
                f'"{fact}" stands more than once as a fact; give each its own',
            )
            for fact in shared
        )
    )
    yield from _twice([str(level.score) for level in dimension.levels], (*path, "levels"), "score")
    for level in dimension.levels:
        yield from _faults_of_level(level, dimension, (*path, "levels", str(level.score)))
    for check in dimension.checks:
        yield from _faults_of_check(check, dimension, (*path, "checks", check.code))
    for rule in dimension.rules:
        yield from _faults_of_rule(rule, dimension, (*path, "rules", rule.code))
    for aid in dimension.aids:
        where = (*path, "aids", aid.code)
        yield from _unknown(dimension, filter(None, [aid.proposes]), (*where, "proposes"))
        yield from _wrong(
            (
                aid.kind != "fact_check",
                (*where, "kind"),
                f'"{aid.kind}" is not among fact_check',
            ),
            _below(aid.seconds, 1, (*where, "seconds")),
            (
                dimension.unit is not Unit.RESPONSE,
                where,
                f"claims are a response's; {code} scores a {dimension.unit}, take it out",
            ),
        )


def _faults_of_level(level: Level, dimension: Dimension, path: Path) -> Iterator[Misfit]:
    yield from _off_scale(dimension, (level.score,), (*path, "score"))
    is_of_sets, code = dimension.unit is not Unit.RESPONSE, dimension.code
    for number, example in enumerate(level.examples, 1):
        where = (*path, "examples", str(number))
        yield from _unknown(dimension, example.checks, (*where, "checks"))
        yield from _off_scale(dimension, (example.score,), (*where, "score"))
        yield from _wrong(
            (
                not is_of_sets and example.response is None,
                where,
                f'{code} scores a response; give the example a "response"',
            ),
            (
                not is_of_sets and (example.candidates or example.elsewhere),
                where,
                f'{code} scores a response; take "candidates" and "elsewhere" out',
            ),
            (
                is_of_sets and len(example.candidates) < 2,
                where,
                f'{code} scores a candidate set; give two or more "candidates"',
            ),
            (
                is_of_sets and example.response is not None,
                where,
                f'{code} scores a candidate set; take "response" out',
            ),
        )


def _faults_of_check(check: Check, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    kind, codes = check.kind, [answer.code for answer in check.answers]
    later = dimension.checks[dimension.checks.index(check) :]
    yield from _faults_of_condition(check.when, dimension, (*where, "when"))
    is_yes_no = kind is Kind.YES_NO
    yield from _twice(codes, (*where, "answers"))
    yield from _wrong(
        *(
            (
                name in each.facts,
                (*where, "when"),
                f'"{name}" is asserted by "{each.code}", which is not before "{check.code}";'
                " name checks before it",
            )
            for each in later
            for name in check.when.names
        ),
        (
            COMMENT in (check.code, *check.facts),
            where,
            f'"{COMMENT}" is the comment on the response; choose another name',
        ),
        (
            is_yes_no and not codes,  # else `rubrics.document` has added them
            where,
            "the program has no yes and no in the rubric's language;"
            ' list the two "answers", with the codes "yes" and "no"',
        ),
        (
            is_yes_no and codes and sorted(codes) != ["no", "yes"],
            (*where, "answers"),
            f"{codes}; a yes_no check has the answers yes and no",
        ),
        (
            kind is Kind.ONE_OF and len(codes) < 2,
            where,
            f'"{check.code}" is one_of; list two or more "answers"',
        ),
        (
            check.asked and check.detector,
            (*where, "detector"),
            f'"{check.code}" is {kind}; only a tick or a detected check has one',
        ),
        (
            codes and not check.asked,
            (*where, "answers"),
            f'"{check.code}" is {kind}, which has none; take them out',
        ),
        (
            check.best is not None and check.best not in codes,
            (*where, "best"),
            f'"{check.best}" is no answer{perhaps(check.best, codes)};'
            f" answers are {', '.join(codes) or 'none'}",
        ),
        (
            kind is Kind.DETECTED and check.detector is None,
            where,
            f'"{check.code}" is detected; name its "detector"',
        ),
        (
            check.detector is Detector.TWINS,
            (*where, "detector"),
            "twins are two responses; a rule speaks of them, not a check",
        ),
        (
            kind is Kind.TICK and check.detector and not check.asks,
            where,
            f'"{check.code}" has a detector; write the question it "asks"',
        ),
        (
            check.scope is Scope.CORPUS and dimension.unit is not Unit.CANDIDATE_SET,
            (*where, "scope"),
            f"corpus needs the unit candidate_set, and {dimension.code} has {dimension.unit}",
        ),
    )
    key, given = check.key, [each.key for each in dimension.checks]
    free = ", ".join(each for each in ascii_uppercase if each not in {*given, *RESERVED_KEYS})
    wrong = {  # the first that is true is said
        "; a key is one character": len(key) > 1 or key.isspace(),
        f" belongs to the desk; choose another: {free}": key in RESERVED_KEYS,
        "; write it as a capital": key != key.upper(),
        f" stands more than once; choose another: {free}": key and given.count(key) > 1,
    }
    said = next((said for said, is_wrong in wrong.items() if is_wrong), "")
    yield from _wrong((said, (*where, "key"), f'"{key}"{said}'))


def _faults_of_rule(rule: Rule, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    yield from _misshapen(rule, where)
    yield from _wrong(
        (
            rule.effect is Effect.RANK_BELOW and dimension.better in (Better.NEITHER, Better.NONE),
            (*where, "effect"),
            f"rank_below needs a good end, and {dimension.code} is better: {dimension.better};"
            ' take the rule out, or make "better" high or low',
        ),
        (
            rule.effect in (Effect.CAP, Effect.FLOOR) and dimension.better is Better.NONE,
            (*where, "effect"),
            f"{rule.effect} needs an order, and {dimension.code} is better: none, that is, has"
            " classes; write a force or a require",
        ),
    )
    for part in ("when", "needs"):
        yield from _faults_of_condition(getattr(rule, part), dimension, (*where, part))
    for part in ("against", "unless_one"):
        yield from _unknown(dimension, getattr(rule, part), (*where, part))
        yield from _twice(getattr(rule, part), (*where, part), "")
    yield from _wrong(
        *(
            (
                name in rule.when.positive,
                (*where, "against"),
                f'"{name}" stands in "when" too, and cannot exclude itself; take it out',
            )
            for name in rule.against
        )
    )
    yield from _off_scale(dimension, rule.scores, (*where, "scores"))
    yield from _off_scale(dimension, () if rule.score is None else (rule.score,), (*where, "score"))


def _misshapen(rule: Rule, where: Path) -> Iterator[Misfit]:
    effect, has_scores = rule.effect, bool(rule.scores)
    given = {
        spec.name
        for spec in fields(rule)
        if getattr(rule, spec.name) not in (None, 0, (), "", Condition())
    }
    yield from _wrong(
        *(
            (
                True,
                (*where, name),
                f'"{name}" means nothing to a rule that is {effect}; take it out',
            )
            for name in sorted(given - READ_BY[effect] - READ_BY_ALL)
        ),
        (
            effect in (Effect.FORCE, Effect.CAP, Effect.FLOOR) and rule.score is None,
            where,
            f'"score" is missing; a rule that is {effect} has one',
        ),
        (
            effect is Effect.REQUIRE and not (has_scores and "needs" in given),
            where,
            'a rule that is require names "scores" and what it "needs"',
        ),
        (
            effect is Effect.EXCLUDE and not (rule.against and rule.when.positive),
            where,
            'a rule that is exclude names "against", and checks in "when"',
        ),
        (
            effect is Effect.ADVISE and has_scores == bool(rule.between),
            where,
            'a rule that is advise names either "scores" or "between" what it compares',
        ),
        (
            effect is Effect.ADVISE and rule.between not in (None, Detector.TWINS),
            (*where, "between"),
            f'"{rule.between}" is seen in one text; what pairs two is {Detector.TWINS}',
        ),
        (
            effect is Effect.ADVISE and rule.unless_one and not rule.between,
            where,
            '"unless_one" speaks of two; name what the rule stands "between"',
        ),
        (
            effect is Effect.RANK_BELOW and not rule.when.positive,
            where,
            'a rule that is rank_below names checks in "when"',
        ),
    )


def _faults_of_condition(
    condition: Condition, dimension: Dimension, where: Path
) -> Iterator[Misfit]:
    for part in ("all_of", "any_of", "none_of", "of"):
        yield from _unknown(dimension, getattr(condition, part), (*where, part))
        yield from _twice(getattr(condition, part), (*where, part), "")
    least, most = condition.at_least, len(condition.of)
    go_together = bool(least) == bool(most)
    yield from _wrong(
        (not go_together, where, '"at_least" and "of" go together'),
        (
            go_together and not 0 <= least <= most,
            (*where, "at_least"),
            f'{least}; "of" names {most}',
        ),
    )


def _below(number: int, least: int, where: Path) -> Case:
    return number < least, where, f"{number}; it is {least} or more"


def _twice(names: Collection[str], where: Path, key: str = "code") -> Iterator[Misfit]:
    """Yield the names that stand more than once in a list of parts; without `key`, of names."""
    for name in sorted({name for name in names if list(names).count(name) > 1}):
        path = (*where, name, key) if key else where
        yield path, f'"{name}" stands more than once; give each its own', ""


def _unknown(dimension: Dimension, names: Iterable[str], where: Path) -> Iterator[Misfit]:
    for name in names:
        is_free = name == COMMENT and "needs" not in where
        if is_free or name not in dimension.facts:
            yield where, f'"{name}" {_said_of_name(name, dimension)}', name


def _said_of_name(name: str, dimension: Dimension) -> str:
    """Return what a name is that no check asserts, and what to do."""
    if name == COMMENT and dimension.needs_comment:
        return 'stands in the "needs" of a require alone; take it out'
    for check in [check for check in dimension.checks if check.asked]:
        sets = {answer.code: answer.sets for answer in check.answers}
        if name in sets:
            do = f'; name what it sets, "{sets[name]}"' if sets[name] else ': give it "sets"'
            return f'is an answer of "{check.code}"{do}'
        if name == check.code:
            return f"is a question; name what an answer sets: {', '.join(check.facts) or 'none'}"
    known = (
        f"{perhaps(name, dimension.facts)}; its checks are {', '.join(dimension.facts) or 'none'}"
    )
    return f"is no check of {dimension.code}{known}"


def _off_scale(dimension: Dimension, scores: Collection[int], where: Path) -> Iterator[Misfit]:
    ends = f"{dimension.code} goes from {dimension.lowest} to {dimension.highest}"
    return _wrong(*((each not in dimension.scores, where, f"{each}; {ends}") for each in scores))
