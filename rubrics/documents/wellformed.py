"""Check that the parts of a rubric fit together.

Faults are unknown names, duplicate codes, scores off the scale, and rules with fields that their
effect does not read. `documents.reading` calls `faults_in` after it has read the shape of a
document, also if some of its parts could not be read. Rules that leave no score open are found
elsewhere.
"""

from collections import Counter
from collections.abc import Iterator

from django.utils.translation import gettext as _

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect, Unit
from ..judging.parts import RESERVED_DIMENSIONS, Aid, Example, Level
from ..judging.scales import MOST_BUTTONS
from ..judging.schema import Rubric
from .check_misfits import misfits_of_check
from .misfits import (
    Misfit,
    Path,
    list_of_names,
    misfit,
    misfits_of_condition,
    repeated_names,
    scores_off_scale,
    suggestion,
    too_small,
    unknown_facts,
)
from .rule_misfits import misfits_of_rule

MOST_RULES = 500
MOST_CHECKS = 200
MOST_SCORES = 1_001
MOST_ANSWERS = 1_500  # of a rubric: a desk of more takes 2 s to draw


def faults_in(rubric: Rubric) -> Iterator[Misfit]:
    """Yield the faults: the path, the value, and what to do."""
    yield from repeated_names([dimension.code for dimension in rubric.dimensions], ("dimensions",))
    yield from repeated_names([guidance.code for guidance in rubric.guidance], ("guidance",))
    yield from repeated_names([clause.id for clause in rubric.clauses], ("clauses",), "id")
    yield from repeated_names([place.clause for place in rubric.sources], ("sources",), "clause")
    yield from _unlisted_sources(rubric)
    yield from _misfits_of_whole_response(rubric)
    yield from _misfits_of_sizes(rubric, ("dimensions",))
    for dimension in rubric.dimensions:
        path = ("dimensions", dimension.code)
        yield from _misfits_of_dimension(dimension, path)
        yield from _names_of_whole_response(dimension, rubric, path)
        yield from _unknown_readings(dimension, rubric, path)


def _unlisted_sources(rubric: Rubric) -> Iterator[Misfit]:
    """Yield the sources of clauses that the rubric does not list."""
    known = [clause.id for clause in rubric.clauses]
    for name in [source.clause for source in rubric.sources]:
        if name not in known:
            message = _('"%(name)s" is not the id of a clause%(perhaps)s; list it under "clauses"')
            path = ("sources", name, "clause")
            perhaps = suggestion(name.lower(), known)
            yield misfit(path, message, name=name, perhaps=perhaps)


def _misfits_of_whole_response(rubric: Rubric) -> Iterator[Misfit]:
    path = ("checks",)
    yield from repeated_names([check.code for check in rubric.checks], path)
    by_code = {check.code: check.facts for check in rubric.checks}
    fact_names: list[str] = []
    for names in by_code.values():
        fact_names += names
    yield from repeated_names(fact_names, path, "")
    for check in rubric.checks:
        yield from misfits_of_check(check, rubric.whole_response, (*path, check.code))


def _misfits_of_sizes(rubric: Rubric, path: Path) -> Iterator[Misfit]:
    """Yield what a rubric has too much of, or too little."""
    look_ups = rules = 0
    checks = [*rubric.checks]
    for dimension in rubric.dimensions:
        look_ups += sum(aid.kind == "fact_check" for aid in dimension.aids)
        rules += len(dimension.rules)
        checks += dimension.checks
    if look_ups > 1:
        message = _("%(number)s of their aids are fact_check; a rubric has one, keep one")
        yield misfit(path, message, number=look_ups)
    if not rubric.dimensions:
        yield misfit(path, _("a rubric has at least one"))
    if rules > MOST_RULES:
        message = _("%(number)s rules; at most %(most)s fit, take some out")
        yield misfit(path, message, number=rules, most=MOST_RULES)
    answers = sum(len(check.answers) for check in checks)
    if answers > MOST_ANSWERS:
        message = _("%(number)s answers; at most %(most)s fit, take some out")
        yield misfit(path, message, number=answers, most=MOST_ANSWERS)


def _names_of_whole_response(dimension: Dimension, rubric: Rubric, path: Path) -> Iterator[Misfit]:
    """Yield the codes and facts of checks that checks of the whole response have too."""
    if dimension.unit is not Unit.RESPONSE:
        return
    known: set[str] = set()
    for check in rubric.checks:
        known.update((check.code, *check.facts))
    for check in dimension.checks:
        for name in dict.fromkeys((check.code, *check.facts)):
            if name in known:
                message = _(
                    '"%(name)s" is a name of the whole response’s checks too; choose another'
                )
                yield misfit((*path, "checks", check.code), message, name=name)


def _unknown_readings(dimension: Dimension, rubric: Rubric, path: Path) -> Iterator[Misfit]:
    """Yield the readings that no guidance has."""
    known = [text.code for text in (*rubric.guidance, *dimension.guidance)]
    for part, reading in dimension.readings:
        if reading in known:
            continue
        message = _(
            '"%(reading)s" is the reading of %(part)s, and no guidance%(perhaps)s;'
            " guidance here is %(names)s"
        )
        perhaps = suggestion(reading, known)
        names = list_of_names(known)
        yield misfit(path, message, reading=reading, part=part, perhaps=perhaps, names=names)


def _misfits_of_dimension(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    yield from _misfits_of_scale(dimension, path)
    number = dimension.highest - dimension.lowest + 1
    if not 1 < number <= MOST_SCORES or len(dimension.checks) > 5 * MOST_CHECKS:
        return
    yield from misfits_of_condition(dimension.when, dimension, (*path, "when"))
    yield from _misfits_of_entries(dimension, path)
    for part in ("guidance", "aids", "checks", "rules"):
        codes = [entry.code for entry in getattr(dimension, part)]
        yield from repeated_names(codes, (*path, part))
    yield from _shared_facts(dimension, (*path, "checks"))
    scores = [str(level.score) for level in dimension.levels]
    yield from repeated_names(scores, (*path, "levels"), "score")
    for level in dimension.levels:
        yield from _misfits_of_level(level, dimension, (*path, "levels", str(level.score)))
    for check in dimension.checks:
        yield from misfits_of_check(check, dimension, (*path, "checks", check.code))
    for rule in dimension.rules:
        yield from misfits_of_rule(rule, dimension, (*path, "rules", rule.code))
    for aid in dimension.aids:
        yield from _misfits_of_aid(aid, dimension, (*path, "aids", aid.code))


def _misfits_of_scale(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    """Yield what is wrong with the code, the scale and the number of checks."""
    low = dimension.lowest
    high = dimension.highest
    number = high - low + 1
    checks = len(dimension.checks)
    if dimension.code in RESERVED_DIMENSIONS:
        message = _('"%(code)s" is a field of every form; choose another code')
        yield misfit((*path, "code"), message, code=dimension.code)
    if low >= high:
        message = _("lowest is %(low)s, highest %(high)s; lowest must be less")
        yield misfit((*path, "lowest"), message, low=low, high=high)
    if number > MOST_SCORES:
        message = _("%(number)s scores; at most %(most)s fit, take a shorter scale")
        yield misfit((*path, "highest"), message, number=number, most=MOST_SCORES)
    if checks > MOST_CHECKS:
        message = _("%(number)s checks; at most %(most)s fit, take some out")
        yield misfit((*path, "checks"), message, number=checks, most=MOST_CHECKS)
    if dimension.better is Better.NONE and number > MOST_BUTTONS:
        message = _("none, with %(number)s scores; classes are buttons, %(most)s at most")
        yield misfit((*path, "better"), message, number=number, most=MOST_BUTTONS)


def _misfits_of_entries(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    """Yield what is wrong with single entries of a dimension."""
    code = dimension.code
    checks = dimension.checks
    facts = {fact for check in checks for fact in check.facts}
    for name in dimension.when.names:
        if name in facts:
            message = _(
                '"%(name)s" is a check of %(code)s, asked only if this holds;'
                " name checks of the whole response"
            )
            yield misfit((*path, "when"), message, name=name, code=code)
    ranks = any(rule.effect is Effect.RANK_BELOW for rule in dimension.rules)
    if dimension.given and (ranks or dimension.blank):
        message = _(
            'true; a score that the answers give goes with no "blank" and no rank_below,'
            " take them out"
        )
        yield misfit((*path, "given"), message)
    if dimension.blank and "without" in [check.code for check in checks]:
        message = _(
            'exports have a column "%(column)s" then; give the check "%(check)s" another code'
        )
        yield misfit((*path, "blank"), message, column=f"{code}.without", check="without")
    needs = dimension.needs
    yield from too_small(dimension.sample, 1, (*path, "sample"))
    yield from too_small(needs.candidates, 0, (*path, "needs", "candidates"))
    yield from too_small(needs.other_histories, 0, (*path, "needs", "other_histories"))


def _shared_facts(dimension: Dimension, path: Path) -> Iterator[Misfit]:
    """Yield the facts that an answer asserts, and something else too."""
    counts = Counter(dimension.facts)
    facts: set[str] = set()
    for check in dimension.checks:
        if check.needs_answer:
            facts.update(check.facts)
    for fact in sorted(facts):
        if counts[fact] > 1:
            message = _('"%(name)s" appears more than once as a fact; give each its own')
            yield misfit(path, message, name=fact)


def _misfits_of_aid(aid: Aid, dimension: Dimension, path: Path) -> Iterator[Misfit]:
    facts = [aid.proposes] if aid.proposes else []
    yield from unknown_facts(dimension, facts, (*path, "proposes"))
    if aid.kind != "fact_check":
        message = _("%(found)s is not among %(names)s%(perhaps)s")
        kind = f'"{aid.kind}"'
        yield misfit((*path, "kind"), message, found=kind, names="fact_check", perhaps="")
    yield from too_small(aid.seconds, 1, (*path, "seconds"))
    if dimension.unit is not Unit.RESPONSE:
        message = _("claims belong to a response; %(code)s scores a %(unit)s, take it out")
        yield misfit(path, message, code=dimension.code, unit=dimension.unit)


def _misfits_of_level(level: Level, dimension: Dimension, path: Path) -> Iterator[Misfit]:
    yield from scores_off_scale(dimension, (level.score,), (*path, "score"))
    for number, example in enumerate(level.examples, 1):
        yield from _misfits_of_example(example, dimension, (*path, "examples", str(number)))


def _misfits_of_example(example: Example, dimension: Dimension, path: Path) -> Iterator[Misfit]:
    code = dimension.code
    yield from unknown_facts(dimension, example.checks, (*path, "checks"))
    yield from scores_off_scale(dimension, (example.score,), (*path, "score"))
    if dimension.unit is Unit.RESPONSE:
        if example.response is None:
            message = _('%(code)s scores a response; give the example a "response"')
            yield misfit(path, message, code=code)
        if example.candidates or example.elsewhere:
            message = _('%(code)s scores a response; take "candidates" and "elsewhere" out')
            yield misfit(path, message, code=code)
        return
    if len(example.candidates) < 2:
        message = _('%(code)s scores a candidate set; give two or more "candidates"')
        yield misfit(path, message, code=code)
    if example.response is not None:
        message = _('%(code)s scores a candidate set; take "response" out')
        yield misfit(path, message, code=code)
