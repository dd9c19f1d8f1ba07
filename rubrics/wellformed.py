"""Check that the parts of a rubric fit together.

Faults are unknown names, duplicate codes, scores off the scale, and rules with fields that their
effect does not read. `rubrics.document` calls `faults_in` after it has read the shape of a
document, also if some of its parts could not be read. Rules that leave no score open are found
elsewhere.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from itertools import chain, islice
from string import ascii_uppercase
from typing import TypeAlias

from django.utils.translation import gettext, gettext_noop as _, pgettext

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

MOST_RULES, MOST_CHECKS, MOST_SCORES = 500, 200, 1_001
MOST_ANSWERS = 1_500  # of a rubric: a desk of more takes 2 s to draw
MOST_LIKE, MOST_NAMED = 40, 50  # names that one is compared with, and names in a list
LONGEST_NAME = 80  # letters of a code
READ_BY_ALL = {"code", "clause", "effect", "reason", "reading", "when"}
READ_BY = {
    Effect.FORCE: {"score", "precedence", "line"},
    Effect.CAP: {"score", "line"},
    Effect.FLOOR: {"score", "line"},
    Effect.REQUIRE: {"scores", "needs", "or_needs", "remark", "line", "not_yet"},
    Effect.EXCLUDE: {"against"},
    Effect.RANK_BELOW: {"score"},
    Effect.ADVISE: {"scores", "between", "unless_one", "unbound", "line"},
}
Path: TypeAlias = tuple[str, ...]  # by codes: ("dimensions", "quality", "levels", "3")


# The path of a part that does not fit, what is wrong with it and what to do, and the name of the
# fact if no check asserts it.
Misfit: TypeAlias = tuple[Path, str, str]
# Whether something is wrong, where it stands, what is wrong and what to do, and the values in it.
# `_` only marks the message. It is translated if it is said: few of the many cases are.
Case: TypeAlias = tuple[object, Path, str, Mapping[str, object]]


def _wrong(*cases: Case) -> Iterator[Misfit]:
    return (
        (path, gettext(message) % values, "")
        for is_wrong, path, message, values in cases
        if is_wrong
    )


def faults_in(rubric: Rubric) -> Iterator[Misfit]:
    """Yield the faults: the path, the value, and what to do."""
    top = ("dimensions",)
    yield from _twice([dimension.code for dimension in rubric.dimensions], top)
    yield from _twice([guidance.code for guidance in rubric.guidance], ("guidance",))
    yield from _twice([clause.id for clause in rubric.clauses], ("clauses",), "id")
    yield from _twice([source.clause for source in rubric.sources], ("sources",), "clause")
    yield from _faults_of_sources(rubric)
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
    checks = [*rubric.checks]
    for dimension in rubric.dimensions:
        checks += dimension.checks
    answers = sum(len(check.answers) for check in checks)
    yield from _wrong(
        (
            checking > 1,
            top,
            _("%(number)s of their aids are fact_check; a rubric has one, keep one"),
            {"number": checking},
        ),
        (not rubric.dimensions, top, _("a rubric has at least one"), {}),
        (
            rules > MOST_RULES,
            top,
            _("%(number)s rules; at most %(most)s fit, take some out"),
            {"number": rules, "most": MOST_RULES},
        ),
        (
            answers > MOST_ANSWERS,
            top,
            _("%(number)s answers; at most %(most)s fit, take some out"),
            {"number": answers, "most": MOST_ANSWERS},
        ),
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
                    _('"%(name)s" is a name of the whole response’s checks too; choose another'),
                    {"name": name},
                )
                for check in dimension.checks
                for name in dict.fromkeys((check.code, *check.facts))
            ),
            *(
                (
                    reading not in known,
                    path,
                    _(
                        '"%(reading)s" is the reading of %(part)s, and no guidance%(perhaps)s;'
                        " guidance here is %(names)s"
                    ),
                    {
                        "reading": reading,
                        "part": part,
                        "perhaps": perhaps(reading, known),
                        "names": _named(known),
                    },
                )
                for part, reading in dimension.readings
            ),
        )


def _faults_of_sources(rubric: Rubric) -> Iterator[Misfit]:
    """Yield the sources of clauses that the rubric does not list."""
    known = [clause.id for clause in rubric.clauses]
    yield from _wrong(
        *(
            (
                source.clause not in known,
                ("sources", source.clause, "clause"),
                _('"%(name)s" is not the id of a clause%(perhaps)s; list it under "clauses"'),
                {"name": source.clause, "perhaps": perhaps(source.clause.lower(), known)},
            )
            for source in rubric.sources
        )
    )


def perhaps(word: object, known: Iterable[str]) -> str:
    """Return the known word that comes nearest to an unknown one, for the end of a clause.

    Only words of about the same length count where there are many.
    """
    text = str(word)[:LONGEST_NAME].lower()
    near = sorted(known, key=lambda each: abs(len(each) - len(text)))[:MOST_LIKE]
    found = get_close_matches(text, [each for each in near if len(each) <= LONGEST_NAME], 1)
    return (
        pgettext("after a name that is not known", ', perhaps "%(name)s"') % {"name": found[0]}
        if found
        else ""
    )


def _named(names: Iterable[str]) -> str:
    shown = [*islice(names, MOST_NAMED + 1)]
    if len(shown) > MOST_NAMED:
        shown[-1] = "…"
    return ", ".join(shown) or pgettext("in place of a list of names", "none")


def _faults_of_dimension(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    code, low, high = dimension.code, dimension.lowest, dimension.highest
    yield from _wrong(
        (
            code in RESERVED_DIMENSIONS,
            (*path, "code"),
            _('"%(code)s" is a field of every form; choose another code'),
            {"code": code},
        ),
        (
            low >= high,
            (*path, "lowest"),
            _("lowest is %(low)s, highest %(high)s; lowest must be less"),
            {"low": low, "high": high},
        ),
        (
            high - low >= MOST_SCORES,
            (*path, "highest"),
            _("%(number)s scores; at most %(most)s fit, take a shorter scale"),
            {"number": high - low + 1, "most": MOST_SCORES},
        ),
        (
            len(dimension.checks) > MOST_CHECKS,
            (*path, "checks"),
            _("%(number)s checks; at most %(most)s fit, take some out"),
            {"number": len(dimension.checks), "most": MOST_CHECKS},
        ),
        (
            dimension.better is Better.NONE and high - low >= MOST_BUTTONS,
            (*path, "better"),
            _("none, with %(number)s scores; classes are buttons, %(most)s at most"),
            {"number": high - low + 1, "most": MOST_BUTTONS},
        ),
    )
    if low >= high or high - low >= MOST_SCORES or len(dimension.checks) > 5 * MOST_CHECKS:
        return
    yield from _faults_of_condition(dimension.when, dimension, (*path, "when"))
    own = [fact for check in dimension.checks for fact in check.facts]
    ranks = any(rule.effect is Effect.RANK_BELOW for rule in dimension.rules)
    yield from _wrong(
        *(
            (
                name in own,
                (*path, "when"),
                _(
                    '"%(name)s" is a check of %(code)s, asked only if this holds;'
                    " name checks of the whole response"
                ),
                {"name": name, "code": code},
            )
            for name in dimension.when.names
        ),
        (
            dimension.given and (ranks or dimension.blank),
            (*path, "given"),
            _(
                'true; a score that the answers give goes with no "blank" and no rank_below,'
                " take them out"
            ),
            {},
        ),
        (
            dimension.blank and "without" in [check.code for check in dimension.checks],
            (*path, "blank"),
            _('exports have a column "%(column)s" then; give the check "%(check)s" another code'),
            {"column": f"{code}.without", "check": "without"},
        ),
        _below(dimension.sample, 1, (*path, "sample")),
        _below(dimension.needs.candidates, 0, (*path, "needs", "candidates")),
        _below(dimension.needs.other_histories, 0, (*path, "needs", "other_histories")),
    )
    for part in ("guidance", "aids", "checks", "rules"):
        yield from _twice([each.code for each in getattr(dimension, part)], (*path, part))
    by_answers = {fact for check in dimension.checks if check.asked for fact in check.facts}
    counts = Counter(dimension.facts)
    shared = sorted(fact for fact in by_answers if counts[fact] > 1)
    yield from _wrong(
        *(
            (
                True,
                (*path, "checks"),
                _('"%(name)s" appears more than once as a fact; give each its own'),
                {"name": fact},
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
                _("%(found)s is not among %(names)s%(perhaps)s"),
                {"found": f'"{aid.kind}"', "names": "fact_check", "perhaps": ""},
            ),
            _below(aid.seconds, 1, (*where, "seconds")),
            (
                dimension.unit is not Unit.RESPONSE,
                where,
                _("claims belong to a response; %(code)s scores a %(unit)s, take it out"),
                {"code": code, "unit": dimension.unit},
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
                _('%(code)s scores a response; give the example a "response"'),
                {"code": code},
            ),
            (
                not is_of_sets and (example.candidates or example.elsewhere),
                where,
                _('%(code)s scores a response; take "candidates" and "elsewhere" out'),
                {"code": code},
            ),
            (
                is_of_sets and len(example.candidates) < 2,
                where,
                _('%(code)s scores a candidate set; give two or more "candidates"'),
                {"code": code},
            ),
            (
                is_of_sets and example.response is not None,
                where,
                _('%(code)s scores a candidate set; take "response" out'),
                {"code": code},
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
                _(
                    '"%(name)s" is asserted by "%(other)s", which is not before "%(check)s";'
                    " name checks before it"
                ),
                {"name": name, "other": each.code, "check": check.code},
            )
            for each in later
            for name in check.when.names
        ),
        (
            COMMENT in (check.code, *check.facts),
            where,
            _('"%(name)s" is the comment on the response; choose another name'),
            {"name": COMMENT},
        ),
        (
            is_yes_no and not codes,  # else `rubrics.document` has added them
            where,
            _(
                "the program has no yes and no in the rubric’s language;"
                ' list the two "answers", with the codes "yes" and "no"'
            ),
            {},
        ),
        (
            is_yes_no and codes and sorted(codes) != ["no", "yes"],
            (*where, "answers"),
            _("%(codes)s; a yes_no check has the answers yes and no"),
            {"codes": codes},
        ),
        (
            kind is Kind.ONE_OF and len(codes) < 2,
            where,
            _('"%(check)s" is one_of; list two or more "answers"'),
            {"check": check.code},
        ),
        (
            check.asked and check.detector,
            (*where, "detector"),
            _('"%(check)s" is %(kind)s; only a tick or a detected check has one'),
            {"check": check.code, "kind": kind},
        ),
        (
            codes and not check.asked,
            (*where, "answers"),
            _('"%(check)s" is %(kind)s, which has none; take them out'),
            {"check": check.code, "kind": kind},
        ),
        (
            check.best is not None and check.best not in codes,
            (*where, "best"),
            _('"%(best)s" is no answer%(perhaps)s; answers are %(names)s'),
            {"best": check.best, "perhaps": perhaps(check.best, codes), "names": _named(codes)},
        ),
        (
            kind is Kind.DETECTED and check.detector is None,
            where,
            _('"%(check)s" is detected; name its "detector"'),
            {"check": check.code},
        ),
        (
            check.detector is Detector.TWINS,
            (*where, "detector"),
            _("twins are two responses; a rule speaks of them, not a check"),
            {},
        ),
        (
            kind is Kind.TICK and check.detector and not check.asks,
            where,
            _('"%(check)s" has a detector; write the question it "asks"'),
            {"check": check.code},
        ),
        (
            check.scope is Scope.CORPUS and dimension.unit is not Unit.CANDIDATE_SET,
            (*where, "scope"),
            _("corpus needs the unit candidate_set, and %(code)s has %(unit)s"),
            {"code": dimension.code, "unit": dimension.unit},
        ),
    )
    key, given = check.key, [each.key for each in dimension.checks]
    free = ", ".join(each for each in ascii_uppercase if each not in {*given, *RESERVED_KEYS})
    wrong = {  # the first that is true is said
        _('"%(key)s"; a key is one character'): len(key) > 1 or key.isspace(),
        _('"%(key)s" belongs to the desk; choose another: %(free)s'): key in RESERVED_KEYS,
        _('"%(key)s"; write it as a capital'): key != key.upper(),
        _('"%(key)s" appears more than once; choose another: %(free)s'): key
        and given.count(key) > 1,
    }
    said = next((said for said, is_wrong in wrong.items() if is_wrong), "")
    yield from _wrong((said, (*where, "key"), said, {"key": key, "free": free}))


def _faults_of_rule(rule: Rule, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    yield from _misshapen(rule, where)
    yield from _wrong(
        (
            rule.effect is Effect.RANK_BELOW and dimension.better in (Better.NEITHER, Better.NONE),
            (*where, "effect"),
            _(
                "rank_below needs a good end, and %(code)s is better: %(better)s;"
                ' take the rule out, or make "better" high or low'
            ),
            {"code": dimension.code, "better": dimension.better},
        ),
        (
            rule.effect in (Effect.CAP, Effect.FLOOR) and dimension.better is Better.NONE,
            (*where, "effect"),
            _(
                "%(effect)s needs an order, and %(code)s is better: none, that is, has"
                " classes; write a force or a require"
            ),
            {"effect": rule.effect, "code": dimension.code},
        ),
    )
    for part in ("when", "needs"):
        yield from _faults_of_condition(getattr(rule, part), dimension, (*where, part))
    for number, way in enumerate(rule.or_needs, start=1):
        yield from _faults_of_condition(way, dimension, (*where, "or_needs", str(number)))
    for part in ("against", "unless_one"):
        yield from _unknown(dimension, getattr(rule, part), (*where, part))
        yield from _twice(getattr(rule, part), (*where, part), "")
    yield from _wrong(
        *(
            (
                name in rule.when.positive,
                (*where, "against"),
                _('"%(name)s" is in "when" too, and can’t exclude itself; take it out'),
                {"name": name},
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
                _('"%(name)s" means nothing to a rule that is %(effect)s; take it out'),
                {"name": name, "effect": effect},
            )
            for name in sorted(given - READ_BY[effect] - READ_BY_ALL)
        ),
        (
            effect in (Effect.FORCE, Effect.CAP, Effect.FLOOR) and rule.score is None,
            where,
            _('"score" is missing; a rule that is %(effect)s has one'),
            {"effect": effect},
        ),
        (
            effect is Effect.REQUIRE and not (has_scores and all(way.names for way in rule.ways)),
            where,
            _('a rule that is require names "scores" and what it "needs"'),
            {},
        ),
        (
            effect is Effect.EXCLUDE and not (rule.against and rule.when.positive),
            where,
            _('a rule that is exclude names "against", and checks in "when"'),
            {},
        ),
        (
            effect is Effect.ADVISE and has_scores == bool(rule.between),
            where,
            _('a rule that is advise names either "scores" or "between" what it compares'),
            {},
        ),
        (
            effect is Effect.ADVISE and rule.between not in (None, Detector.TWINS),
            (*where, "between"),
            _('"%(between)s" is seen in one text; what pairs two is %(twins)s'),
            {"between": rule.between, "twins": Detector.TWINS},
        ),
        (
            effect is Effect.ADVISE and rule.unless_one and not rule.between,
            where,
            _('"unless_one" is about two; name in "between" what the rule compares'),
            {},
        ),
        (
            effect is Effect.RANK_BELOW and not rule.when.positive,
            where,
            _('a rule that is rank_below names checks in "when"'),
            {},
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
        (not go_together, where, _('"at_least" and "of" go together'), {}),
        (
            go_together and not 0 <= least <= most,
            (*where, "at_least"),
            _('%(least)s; "of" names %(most)s'),
            {"least": least, "most": most},
        ),
    )


def _below(number: int, least: int, where: Path) -> Case:
    return (
        number < least,
        where,
        _("%(number)s; it is %(least)s or more"),
        {"number": number, "least": least},
    )


def _twice(names: Collection[str], where: Path, key: str = "code") -> Iterator[Misfit]:
    """Yield the names that stand more than once in a list of parts; without `key`, of names."""
    counts = Counter(names)
    for name in sorted(name for name, number in counts.items() if number > 1):
        path = (*where, name, key) if key else where
        yield (
            path,
            gettext('"%(name)s" appears more than once; give each its own') % {"name": name},
            "",
        )


def _unknown(dimension: Dimension, names: Iterable[str], where: Path) -> Iterator[Misfit]:
    known = frozenset(dimension.facts)
    for name in names:
        is_free = name == COMMENT and not {"needs", "or_needs"} & {*where}
        if is_free or name not in known:
            yield where, _said_of_name(name, dimension), name


def _said_of_name(name: str, dimension: Dimension) -> str:
    """Return what a name is that no check asserts, and what to do."""
    if name == COMMENT and dimension.needs_comment:
        return gettext('"%(name)s" belongs in the "needs" of a require alone; take it out') % {
            "name": name
        }
    for check in [check for check in dimension.checks if check.asked]:
        sets = {answer.code: answer.sets for answer in check.answers}
        if name in sets:
            return (
                gettext('"%(name)s" is an answer of "%(check)s"; name what it sets, "%(fact)s"')
                if sets[name]
                else gettext('"%(name)s" is an answer of "%(check)s": give it "sets"')
            ) % {"name": name, "check": check.code, "fact": sets[name]}
        if name == check.code:
            return gettext('"%(name)s" is a question; name what an answer sets: %(facts)s') % {
                "name": name,
                "facts": _named(check.facts),
            }
    return gettext('"%(name)s" is no check of %(code)s%(perhaps)s; its checks are %(names)s') % {
        "name": name,
        "code": dimension.code,
        "perhaps": perhaps(name, dimension.facts),
        "names": _named(dimension.facts),
    }


def _off_scale(dimension: Dimension, scores: Collection[int], where: Path) -> Iterator[Misfit]:
    scale = {"code": dimension.code, "low": dimension.lowest, "high": dimension.highest}
    return _wrong(
        *(
            (
                each not in dimension.scores,
                where,
                _("%(score)s; %(code)s goes from %(low)s to %(high)s"),
                {"score": each, **scale},
            )
            for each in scores
        )
    )
