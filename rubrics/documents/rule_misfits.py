"""The misfits of one rule: entries that its effect does not read, and those that it lacks.

`wellformed` calls `misfits_of_rule` for each rule of a dimension. A new effect needs a line in
`READ_BY`, and a case in `_lacking_fields`.
"""

from collections.abc import Iterator
from dataclasses import fields

from django.utils.translation import gettext as _

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Detector, Effect
from ..judging.parts import Condition, Rule
from .misfits import (
    Misfit,
    Path,
    misfit,
    misfits_of_condition,
    repeated_names,
    scores_off_scale,
    unknown_facts,
)

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


def misfits_of_rule(rule: Rule, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    """Yield what does not fit in a rule of a dimension."""
    yield from _needless_fields(rule, where)
    yield from _lacking_fields(rule, where)
    yield from _misfits_of_scale(rule, dimension, where)
    yield from misfits_of_condition(rule.when, dimension, (*where, "when"))
    yield from misfits_of_condition(rule.needs, dimension, (*where, "needs"))
    for number, way in enumerate(rule.or_needs, start=1):
        path = (*where, "or_needs", str(number))
        yield from misfits_of_condition(way, dimension, path)
    for part in ("against", "unless_one"):
        names = getattr(rule, part)
        path = (*where, part)
        yield from unknown_facts(dimension, names, path)
        yield from repeated_names(names, path, "")
    for name in rule.against:
        if name in rule.when.positive:
            message = _('"%(name)s" is in "when" too, and can’t exclude itself; take it out')
            yield misfit((*where, "against"), message, name=name)
    yield from scores_off_scale(dimension, rule.scores, (*where, "scores"))
    if rule.score is not None:
        yield from scores_off_scale(dimension, (rule.score,), (*where, "score"))


def _needless_fields(rule: Rule, where: Path) -> Iterator[Misfit]:
    """Yield the entries that the effect of a rule does not read."""
    unread = {spec.name for spec in fields(rule)}
    unread -= READ_BY[rule.effect]
    unread -= READ_BY_ALL
    for name in sorted(unread):
        if getattr(rule, name) not in (None, 0, (), "", Condition()):
            message = _('"%(name)s" means nothing to a rule that is %(effect)s; take it out')
            yield misfit((*where, name), message, name=name, effect=rule.effect)


def _lacking_fields(rule: Rule, where: Path) -> Iterator[Misfit]:
    """Yield the entries without which the effect of a rule means nothing."""
    match rule.effect:
        case Effect.FORCE | Effect.CAP | Effect.FLOOR:
            if rule.score is None:
                message = _('"score" is missing; a rule that is %(effect)s has one')
                yield misfit(where, message, effect=rule.effect)
        case Effect.REQUIRE:
            has_needs = all(way.names for way in rule.ways)
            if not rule.scores or not has_needs:
                yield misfit(where, _('a rule that is require names "scores" and what it "needs"'))
        case Effect.EXCLUDE:
            if not rule.against or not rule.when.positive:
                message = _('a rule that is exclude names "against", and checks in "when"')
                yield misfit(where, message)
        case Effect.ADVISE:
            yield from _misfits_of_advice(rule, where)
        case Effect.RANK_BELOW:
            if not rule.when.positive:
                yield misfit(where, _('a rule that is rank_below names checks in "when"'))


def _misfits_of_advice(rule: Rule, where: Path) -> Iterator[Misfit]:
    """Yield what is wrong with that which an `advise` compares or asks about."""
    if bool(rule.scores) == bool(rule.between):
        message = _('a rule that is advise names either "scores" or "between" what it compares')
        yield misfit(where, message)
    if rule.between not in (None, Detector.TWINS):
        message = _('"%(between)s" is seen in one text; what pairs two is %(twins)s')
        path = (*where, "between")
        yield misfit(path, message, between=rule.between, twins=Detector.TWINS)
    if rule.unless_one and not rule.between:
        message = _('"unless_one" is about two; name in "between" what the rule compares')
        yield misfit(where, message)


def _misfits_of_scale(rule: Rule, dimension: Dimension, where: Path) -> Iterator[Misfit]:
    """Yield an effect that the scale's order, or its good end, does not allow."""
    effect = rule.effect
    better = dimension.better
    path = (*where, "effect")
    if effect is Effect.RANK_BELOW and better in (Better.NEITHER, Better.NONE):
        message = _(
            "rank_below needs a good end, and %(code)s is better: %(better)s;"
            ' take the rule out, or make "better" high or low'
        )
        yield misfit(path, message, code=dimension.code, better=better)
    if effect in (Effect.CAP, Effect.FLOOR) and better is Better.NONE:
        message = _(
            "%(effect)s needs an order, and %(code)s is better: none, that is, has"
            " classes; write a force or a require"
        )
        yield misfit(path, message, effect=effect, code=dimension.code)
