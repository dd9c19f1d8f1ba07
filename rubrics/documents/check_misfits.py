"""The misfits of one check: its kind, its answers, its detector and its key.

`wellformed` calls `misfits_of_check` for each check of a dimension and of the whole response. A
misfit says what is wrong and what to do:

    dimensions.tone.checks.rude.key: "S" belongs to the desk; choose another: C, D, E, …
"""

from collections.abc import Iterator
from string import ascii_uppercase

from django.utils.translation import gettext as _

from ..judging.dimension import Dimension
from ..judging.kinds import Detector, Kind, Scope, Unit
from ..judging.parts import COMMENT, RESERVED_KEYS, Check
from .misfits import (
    Misfit,
    Path,
    list_of_names,
    misfit,
    misfits_of_condition,
    repeated_names,
    suggestion,
)


def misfits_of_check(check: Check, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    """Yield what does not fit in a check of a dimension."""
    yield from misfits_of_condition(check.when, dimension, (*where, "when"))
    yield from repeated_names([answer.code for answer in check.answers], (*where, "answers"))
    yield from _facts_asserted_too_late(check, dimension, where)
    if COMMENT in (check.code, *check.facts):
        message = _('"%(name)s" is the comment on the response; choose another name')
        yield misfit(where, message, name=COMMENT)
    yield from _misfits_of_answers(check, where)
    yield from _misfits_of_detector(check, where)
    if check.scope is Scope.CORPUS and dimension.unit is not Unit.CANDIDATE_SET:
        message = _("corpus needs the unit candidate_set, and %(code)s has %(unit)s")
        yield misfit((*where, "scope"), message, code=dimension.code, unit=dimension.unit)
    yield from _misfits_of_key(check, dimension, (*where, "key"))


def _facts_asserted_too_late(check: Check, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    """Yield a misfit for each fact of the condition that this check or a later one asserts."""
    first = dimension.checks.index(check)
    for other in dimension.checks[first:]:
        for name in check.when.names:
            if name in other.facts:
                message = _(
                    '"%(name)s" is asserted by "%(other)s", which is not before "%(check)s";'
                    " name checks before it"
                )
                path = (*where, "when")
                yield misfit(path, message, name=name, other=other.code, check=check.code)


def _misfits_of_answers(check: Check, where: Path) -> Iterator[Misfit]:
    path = (*where, "answers")
    kind = check.kind
    codes = [answer.code for answer in check.answers]
    if kind is Kind.YES_NO:
        if not codes:  # else `rubrics.documents.nodes` has added them
            message = _(
                "the program has no yes and no in the rubric’s language;"
                ' list the two "answers", with the codes "yes" and "no"'
            )
            yield misfit(where, message)
        elif sorted(codes) != ["no", "yes"]:
            message = _("%(codes)s; a yes_no check has the answers yes and no")
            yield misfit(path, message, codes=codes)
    if kind is Kind.ONE_OF and len(codes) < 2:
        message = _('"%(check)s" is one_of; list two or more "answers"')
        yield misfit(where, message, check=check.code)
    if check.needs_answer and check.detector:
        message = _('"%(check)s" is %(kind)s; only a tick or a detected check has one')
        yield misfit((*where, "detector"), message, check=check.code, kind=kind)
    if codes and not check.needs_answer:
        message = _('"%(check)s" is %(kind)s, which has none; take them out')
        yield misfit(path, message, check=check.code, kind=kind)
    best = check.best
    if best is not None and best not in codes:
        path = (*where, "best")
        message = _('"%(best)s" is no answer%(perhaps)s; answers are %(names)s')
        perhaps = suggestion(best, codes)
        yield misfit(path, message, best=best, perhaps=perhaps, names=list_of_names(codes))


def _misfits_of_detector(check: Check, where: Path) -> Iterator[Misfit]:
    if check.kind is Kind.DETECTED and check.detector is None:
        message = _('"%(check)s" is detected; name its "detector"')
        yield misfit(where, message, check=check.code)
    if check.detector is Detector.TWINS:
        message = _("twins are two responses; a rule speaks of them, not a check")
        yield misfit((*where, "detector"), message)
    if check.kind is Kind.TICK and check.detector and not check.asks:
        message = _('"%(check)s" has a detector; write the question it "asks"')
        yield misfit(where, message, check=check.code)


def _misfits_of_key(check: Check, dimension: Dimension, path: Path) -> Iterator[Misfit]:
    """Yield the first thing that is wrong with the key of a check."""
    key = check.key
    keys = [other.key for other in dimension.checks]
    if len(key) > 1 or key.isspace():
        message = _('"%(key)s"; a key is one character')
    elif key in RESERVED_KEYS:
        message = _('"%(key)s" belongs to the desk; choose another: %(free)s')
    elif key != key.upper():
        message = _('"%(key)s"; write it as a capital')
    elif key and keys.count(key) > 1:
        message = _('"%(key)s" appears more than once; choose another: %(free)s')
    else:
        return
    used = {*keys, *RESERVED_KEYS}
    free = [letter for letter in ascii_uppercase if letter not in used]
    yield misfit(path, message, key=key, free=", ".join(free))
