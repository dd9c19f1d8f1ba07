"""The rule engine: it judges by the rules of a rubric. `reasons` and `ranking` are parts of it.

`judge` takes the facts asserted about one target. It returns the open scores and the reasons that
bar the others. A force decides, whatever clashes. `judge_item` adds the rules between the targets
of one item. Both functions are pure. Facts that the `exclude` rules permit leave at least one score
open once all questions are answered (`rubrics.proof`). Before that, and in older versions of a
rubric, none may be open. The form, the validation, the command line, the importer and the proof all
call these two functions.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from .ranking import bound_by, put_in_order, ranked
from .reasons import clashes_in, exclusions, stated
from .schema import (
    Answer,
    Bar,
    Check,
    Clashes,
    Dimension,
    Effect,
    Exclusion,
    ItemRemark,
    ItemVerdict,
    Judged,
    OutOfOrder,
    Reason,
    Remark,
    Rule,
    Verdict,
)

# How many judgements are cached. Annotators answer much the same for one response after another.
_REMEMBERED = 4096


class UnknownCheck(ValueError):
    """A fact that no check of the dimension can assert."""

    def __init__(self, dimension: Dimension, unknown: Iterable[str]) -> None:
        self.unknown = tuple(sorted(unknown))
        names = ", ".join(f'"{name}"' for name in self.unknown)
        super().__init__(
            f'{names}: no such check in "{dimension.code}";'
            f" its checks are {', '.join(dimension.facts)}"
        )


def judge(
    dimension: Dimension, facts: Collection[str], *, answered: Collection[str] | None = None
) -> Verdict | Clashes:
    """Return the verdict on the scores, given the facts that the checks assert.

    `answered` holds the codes of the `yes_no` and `one_of` checks that have an answer. Without it
    all of them count as answered. A `none_of` condition does not hold yet while one of its facts
    depends on an open question. A forced score needs only the answers that could change it.

    Raises UnknownCheck for a name that no check asserts.
    """
    return _judge(dimension, frozenset(facts), None if answered is None else frozenset(answered))


@lru_cache(maxsize=_REMEMBERED)
def _judge(
    dimension: Dimension,
    asserted: frozenset[str],
    answered: frozenset[str] | None,
    is_bound: bool = False,
) -> Verdict | Clashes:
    """Judge a target. `is_bound`: a `rank_below` binds it to another one, or may do so yet."""
    if unknown := asserted.difference(dimension.facts):
        raise UnknownCheck(dimension, unknown)
    asking = _asking(dimension, asserted, answered)
    # The facts that a missing answer may still assert.
    pending = frozenset(
        fact
        for check, is_asked, is_open in asking
        if is_open or not is_asked
        for fact in check.facts
    )
    unanswered = tuple(check for check, is_asked, is_open in asking if is_open and is_asked)
    is_asked = dimension.when.holds(asserted, asserted | pending)
    may_be = dimension.when.holds(asserted | pending, asserted)
    # The rules of a dimension that is not asked have no say.
    clashes = tuple(clashes_in(dimension, asserted)) if may_be else ()
    acting = [
        rule
        for rule in (dimension.deciding if is_asked else ())
        if rule.when.holds(asserted) and pending.isdisjoint(rule.when.none_of)
    ]
    forces = sorted((rule for rule in acting if rule.effect is Effect.FORCE), key=strength)
    if clashes and not _can_decide(forces):
        return Clashes(clashes)
    if not is_asked:
        missing = tuple(check.code for check in unanswered if may_be)
        return Verdict((), (), (), missing=missing, is_asked=may_be)
    if forces:
        missing = tuple(check.code for check in _changing(forces[0], dimension, unanswered))
        return _forced(dimension, asserted, forces, missing)
    bars: dict[int, list[Reason]] = {score: [] for score in dimension.scores}
    for rule in acting:
        is_met = rule.effect is Effect.REQUIRE and rule.is_met(asserted)
        if barred := () if is_met else reach(rule, dimension):
            reason = stated(rule, dimension, asserted)
            for score in barred:
                bars[score].append(reason)
    advising = [
        rule for rule in acting if rule.effect is Effect.ADVISE and not (rule.unbound and is_bound)
    ]
    return Verdict(
        open=tuple(score for score in dimension.scores if not bars[score]),
        barred=tuple(Bar(score, tuple(reasons)) for score, reasons in bars.items() if reasons),
        remarks=tuple(_remarks(advising, dimension, asserted, bars)),
        missing=tuple(check.code for check in unanswered),
    )


def _can_decide(forces: Sequence[Rule]) -> bool:
    """Return True if one of the acting forces, the strongest first, decides against a clash."""
    return bool(forces) and not any(
        force.precedence == forces[0].precedence and force.score != forces[0].score
        for force in forces
    )


def _forced(
    dimension: Dimension, asserted: frozenset[str], forces: Sequence[Rule], missing: tuple[str, ...]
) -> Verdict:
    """Return the verdict of the strongest force, the first one. It leaves no other rule a say.

    The facts that do not go with those that force the score count as not answered. Any other
    clash is a remark.
    """
    forced = forces[0].score
    assert forced is not None
    names = (name for rule in forces if rule.score == forced for name in rule.when.positive)
    forcing = asserted.intersection(names)
    excluded = tuple(_excluded(dimension, forcing, asserted))
    left = asserted.difference(exclusion.fact for exclusion in excluded)
    forces = [rule for rule in forces if rule.when.holds(left)]
    reasons = tuple(stated(rule, dimension, left) for rule in forces if rule.score == forced)
    return Verdict(
        open=(forced,),
        barred=tuple(Bar(score, reasons) for score in dimension.scores if score != forced),
        remarks=tuple(Remark((forced,), clash.reason) for clash in clashes_in(dimension, left)),
        overridden=tuple(stated(rule, dimension, left) for rule in forces if rule.score != forced),
        missing=missing,
        forced=forced,
        forcing=forcing,
        excluded=excluded,
    )


def _excluded(
    dimension: Dimension, forcing: frozenset[str], asserted: frozenset[str]
) -> Iterator[Exclusion]:
    """Yield the asserted facts that do not go with those that force the score."""
    ruled_out = {exclusion.fact: exclusion for exclusion in exclusions(dimension, forcing)}
    return (ruled_out[fact] for fact in dimension.facts if fact in asserted & ruled_out.keys())


def strength(force: Rule) -> tuple[int, int]:
    """Return the place of a force among others, the first of which decides.

    At equal precedence the lower score wins, so the outcome never depends on the order of the
    document.
    """
    return -force.precedence, force.score or 0


def _changing(decisive: Rule, dimension: Dimension, unanswered: Iterable[Check]) -> Iterator[Check]:
    """Yield the open questions whose answers could change a forced score."""
    stronger = (
        rule.when.names
        for rule in dimension.deciding
        if rule.effect is Effect.FORCE and rule.score != decisive.score
        if strength(rule) < strength(decisive)
    )
    telling = set(decisive.when.none_of).union(*stronger)
    for check in reversed((*dimension.shared, *dimension.checks)):
        if not telling.isdisjoint(check.facts):
            telling.update(check.when.names)
    return (check for check in unanswered if not telling.isdisjoint(check.facts))


def judge_item(
    dimension: Dimension,
    targets: Sequence[Judged],
    *,
    twins: Collection[tuple[str, str]] = (),
) -> ItemVerdict:
    """Judge every target of one item and the rules between the targets (RQ-04, RQ-11).

    A `rank_below` rule narrows the scores of the target that it ranks lower, and of no other. It
    also reports the pairs whose entered scores contradict it. An automatic score counts as entered.
    `twins` are the pairs of keys that a detector found.
    """
    return _judge_item(dimension, tuple(targets), tuple(twins))


@lru_cache(maxsize=_REMEMBERED)
def _judge_item(
    dimension: Dimension, targets: tuple[Judged, ...], twins: tuple[tuple[str, str], ...]
) -> ItemVerdict:
    judgements = {target.key: _judge_target(dimension, target) for target in targets}
    out_of_order: list[OutOfOrder] = []
    remarks: list[ItemRemark] = []
    by_key = {target.key: target for target in targets}
    scores = {  # an automatic one need not be entered
        key: judgement.automatic
        if by_key[key].score is None and not by_key[key].without and isinstance(judgement, Verdict)
        else by_key[key].score
        for key, judgement in judgements.items()
    }
    for rule in dimension.rules:
        if rule.effect is Effect.RANK_BELOW:
            pairs = list(ranked(rule, dimension, judgements, by_key))
            for key in bound_by(rule, dimension, judgements, by_key):
                low = by_key[key]
                judgements[key] = _judge(dimension, low.facts, low.answered, is_bound=True)
            out_of_order += put_in_order(rule, dimension, pairs, judgements, scores)
        elif rule.effect is Effect.ADVISE and rule.between:
            for first, second in twins:
                one, other = by_key[first], by_key[second]
                if None in (scores[first], scores[second]) or scores[first] == scores[second]:
                    continue
                marked = [not target.facts.isdisjoint(rule.unless_one) for target in (one, other)]
                if sum(marked) != 1:
                    remarks.append(
                        ItemRemark((first, second), stated(rule, dimension, frozenset()))
                    )
    return ItemVerdict(tuple(judgements.items()), tuple(out_of_order), tuple(remarks))


def _judge_target(dimension: Dimension, target: Judged) -> Verdict | Clashes:
    """Judge one target of an item. No rule forces a score where it goes without one."""
    verdict = judge(dimension, target.facts, answered=target.answered)
    if target.without and isinstance(verdict, Verdict) and verdict.forced is not None:
        clashes = tuple(clashes_in(dimension, target.facts))
        return Clashes(clashes) if clashes else verdict
    return verdict


def silenced(dimension: Dimension, facts: Collection[str]) -> bool:
    """Return True if a fact excludes every other one, so that nothing else is asked (RQ-06)."""
    asserted = frozenset(facts)
    return any(rule.when.holds(asserted) for rule in dimension.silencing)


def best_answers(dimension: Dimension, facts: Collection[str]) -> Iterator[tuple[Check, Answer]]:
    """Yield each question that these facts leave open, with its best answer.

    A question whose best answer the facts exclude is left out.
    """
    asserted = frozenset(facts)
    for check, its_facts in dimension.asked:
        for answer in check.answers if asserted.isdisjoint(its_facts) else ():
            if answer.code == check.best and not any(
                clashes_in(dimension, asserted | ({answer.sets} if answer.sets else set()))
            ):
                yield check, answer


def orders(dimension: Dimension, targets: Iterable[Judged]) -> bool:
    """Return True if a target must score below others, as things are (RQ-11)."""
    ranking = [rule for rule in dimension.rules if rule.effect is Effect.RANK_BELOW]
    return any(rule.when.holds(target.facts) for rule in ranking for target in targets)


def reach(rule: Rule, dimension: Dimension) -> Sequence[int]:
    """Return the scores that a rule can bar."""
    match rule.effect:
        case Effect.FORCE:
            return [score for score in dimension.scores if score != rule.score]
        case Effect.CAP:
            assert rule.score is not None
            return range(rule.score + 1, dimension.highest + 1)
        case Effect.FLOOR:
            assert rule.score is not None
            return range(dimension.lowest, rule.score)
        case Effect.REQUIRE:
            return rule.scores
        case Effect.EXCLUDE | Effect.RANK_BELOW | Effect.ADVISE:
            return ()


def _remarks(
    advising: Sequence[Rule],
    dimension: Dimension,
    facts: frozenset[str],
    bars: Mapping[int, Sequence[Reason]],
) -> Iterator[Remark]:
    """Yield at most one remark for each open score: that of the first rule that has one."""
    remarked: set[int] = set()
    for rule in advising:
        scores = tuple(score for score in rule.scores if not bars[score] and score not in remarked)
        remarked.update(scores)
        if scores:
            yield Remark(scores, stated(rule, dimension, facts))


def _asking(
    dimension: Dimension, facts: frozenset[str], answered: Collection[str] | None
) -> tuple[tuple[Check, bool, bool], ...]:
    """Return what is asked, as `Dimension.asking` does; nothing if all is answered.

    The checks of the whole response are asked in their own row, so no rule here silences them.
    """
    if answered is None:
        return ()
    is_silent = silenced(dimension, facts)
    return tuple(
        each
        for each in dimension.asking(facts, answered)
        if not is_silent or each[0] in dimension.shared
    )
