"""The rule engine: it judges by the rules of a rubric. `reasons` and `ranking` are parts of it.

`judge` takes the facts asserted about one target. It returns the open scores and the reasons that
bar the others. A force decides, whatever clashes. `judge_item` adds the rules between the targets
of one item. Both functions are pure. Facts that the `exclude` rules permit leave at least one score
open once all questions are answered (`documents.proof`). Before that, and in older versions of a
rubric, none may be open. The form, the validation, the command line, the importer and the proof all
call these two functions.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from .dimension import Dimension
from .kinds import Effect
from .parts import Answer, Check, Rule
from .ranking import bound_targets, narrowed, pairs_out_of_order, ranked_pairs
from .reasons import clashes_in, exclusions, reason_text
from .verdict import (
    Bar,
    Clashes,
    ItemRemark,
    ItemVerdict,
    OutOfOrder,
    Reason,
    Remark,
    TargetState,
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
    codes = None
    if answered is not None:
        codes = frozenset(answered)
    return _judge(dimension, frozenset(facts), codes)


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
    unanswered, pending = _unanswered_checks(dimension, asserted, answered)
    possible = asserted | pending
    # The rules of a dimension that does not apply have no say.
    if not dimension.when.holds(possible, asserted):
        return Verdict((), (), (), applies=False)
    applies = dimension.when.holds(asserted, possible)
    acting = []
    if applies:
        acting = _acting_rules(dimension, asserted, pending)
    forces = [rule for rule in acting if rule.effect is Effect.FORCE]
    forces.sort(key=strength)
    clashes = tuple(clashes_in(dimension, asserted))
    if clashes and not _can_decide(forces):
        return Clashes(clashes)
    if not applies:
        return Verdict((), (), (), missing=_codes(unanswered))
    if forces:
        missing = _codes(_changing_answers(forces[0], dimension, unanswered))
        return _forced_verdict(dimension, asserted, forces, missing)
    missing = _codes(unanswered)
    return _unforced_verdict(dimension, asserted, acting, missing, is_bound=is_bound)


def _unforced_verdict(
    dimension: Dimension,
    asserted: frozenset[str],
    acting: Sequence[Rule],
    missing: tuple[str, ...],
    *,
    is_bound: bool,
) -> Verdict:
    """Return the verdict of acting rules of which none forces the score."""
    bars = _bars(acting, dimension, asserted)
    open_scores = []
    barred = []
    for score, reasons in bars.items():
        if reasons:
            barred.append(Bar(score, tuple(reasons)))
        else:
            open_scores.append(score)
    if is_bound:
        acting = [rule for rule in acting if not rule.unbound]
    remarks = tuple(_remarks(acting, dimension, asserted, bars))
    return Verdict(tuple(open_scores), tuple(barred), remarks, missing=missing)


def _codes(checks: Iterable[Check]) -> tuple[str, ...]:
    return tuple(check.code for check in checks)


def _unanswered_checks(
    dimension: Dimension, facts: frozenset[str], answered: Collection[str] | None
) -> tuple[list[Check], frozenset[str]]:
    """Return the checks that lack their answer, and the facts that may still be asserted.

    If `answered` is None, all is answered. The checks of the whole response are asked in their own
    row, so no rule here silences them.
    """
    if answered is None:
        return [], frozenset()
    is_silent = excludes_all_others(dimension, facts)
    unanswered: list[Check] = []
    pending: set[str] = set()
    for state in dimension.applicable_checks(facts, answered):
        if is_silent and state.check not in dimension.shared:
            continue
        if state.is_pending:
            pending.update(state.check.facts)
        if state.is_unanswered and state.applies:
            unanswered.append(state.check)
    return unanswered, frozenset(pending)


def _acting_rules(
    dimension: Dimension, asserted: frozenset[str], pending: frozenset[str]
) -> list[Rule]:
    """Return the rules whose condition holds, whatever is still answered."""
    rules = []
    for rule in dimension.target_rules:
        if rule.when.holds(asserted) and pending.isdisjoint(rule.when.none_of):
            rules.append(rule)
    return rules


def _bars(
    acting: Iterable[Rule], dimension: Dimension, facts: frozenset[str]
) -> dict[int, list[Reason]]:
    """Return the reasons that bar each score, by score."""
    bars: dict[int, list[Reason]] = {score: [] for score in dimension.scores}
    for rule in acting:
        if rule.effect is Effect.REQUIRE and rule.is_met(facts):
            continue
        scores = barred_scores(rule, dimension)
        if scores:
            reason = reason_text(rule, dimension, facts)
            for score in scores:
                bars[score].append(reason)
    return bars


def _can_decide(forces: Sequence[Rule]) -> bool:
    """Return True if one of the acting forces, the strongest first, decides against a clash."""
    if not forces:
        return False
    first = forces[0]
    equals = [force for force in forces if force.precedence == first.precedence]
    return all(force.score == first.score for force in equals)


def _forced_verdict(
    dimension: Dimension, asserted: frozenset[str], forces: Sequence[Rule], missing: tuple[str, ...]
) -> Verdict:
    """Return the verdict of the strongest force, the first one. It leaves no other rule a say.

    The facts that do not go with those that force the score count as not answered. Any other
    clash is a remark.
    """
    forced = forces[0].score
    assert forced is not None
    names: set[str] = set()
    for force in forces:
        if force.score == forced:
            names.update(force.when.positive)
    forcing = asserted & names
    excluded = []
    for exclusion in exclusions(dimension, forcing):
        if exclusion.fact in asserted:
            excluded.append(exclusion)
    left = asserted.difference(exclusion.fact for exclusion in excluded)
    reasons: list[Reason] = []
    overridden: list[Reason] = []
    for force in forces:
        if force.when.holds(left):
            part = overridden
            if force.score == forced:
                part = reasons
            part.append(reason_text(force, dimension, left))
    barred = tuple(reasons)
    bars = [Bar(score, barred) for score in dimension.scores if score != forced]
    remarks = [Remark((forced,), clash.reason) for clash in clashes_in(dimension, left)]
    return Verdict(
        open=(forced,),
        barred=tuple(bars),
        remarks=tuple(remarks),
        overridden=tuple(overridden),
        missing=missing,
        forced=forced,
        forcing=forcing,
        excluded=tuple(excluded),
    )


def strength(force: Rule) -> tuple[int, int]:
    """Return the place of a force among others, the first of which decides.

    At equal precedence the lower score wins, so the outcome never depends on the order of the
    document.
    """
    return -force.precedence, force.score or 0


def _changing_answers(
    decisive: Rule, dimension: Dimension, unanswered: Iterable[Check]
) -> list[Check]:
    """Return the unanswered checks whose answers could change a forced score."""
    names = set(decisive.when.none_of)
    for rule in dimension.target_rules:
        if rule.effect is not Effect.FORCE or rule.score == decisive.score:
            continue
        if strength(rule) < strength(decisive):
            names.update(rule.when.names)
    for check in reversed((*dimension.shared, *dimension.checks)):
        if not names.isdisjoint(check.facts):
            names.update(check.when.names)
    return [check for check in unanswered if not names.isdisjoint(check.facts)]


def judge_item(
    dimension: Dimension,
    targets: Sequence[TargetState],
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
    dimension: Dimension, targets: tuple[TargetState, ...], twins: tuple[tuple[str, str], ...]
) -> ItemVerdict:
    by_key = {}
    judgements = {}
    scores = {}
    for target in targets:
        key = target.key
        by_key[key] = target
        judgements[key] = _judge_target(dimension, target)
        scores[key] = _score_of(target, judgements[key])
    out_of_order: list[OutOfOrder] = []
    item_remarks: list[ItemRemark] = []
    for rule in dimension.rules:
        if rule.effect is Effect.RANK_BELOW:
            pairs = ranked_pairs(rule, dimension, judgements, by_key)
            for key in bound_targets(rule, dimension, judgements, by_key):
                lower = by_key[key]
                judgements[key] = _judge(dimension, lower.facts, lower.answered, is_bound=True)
            out_of_order += pairs_out_of_order(rule, dimension, pairs, judgements, scores)
            judgements = narrowed(rule, dimension, pairs, judgements, scores)
        elif rule.effect is Effect.ADVISE and rule.between:
            reason = reason_text(rule, dimension, frozenset())
            for keys in twins:
                if _differs(rule, keys, by_key, scores):
                    item_remarks.append(ItemRemark(keys, reason))
    return ItemVerdict(tuple(judgements.items()), tuple(out_of_order), tuple(item_remarks))


def _differs(
    rule: Rule,
    twins: tuple[str, str],
    targets: Mapping[str, TargetState],
    score_by_target: Mapping[str, int | None],
) -> bool:
    """Return True if twins have different scores, and no fact of the rule explains it."""
    first, second = (score_by_target[key] for key in twins)
    if first is None or second is None or first == second:
        return False
    marks = [not targets[key].facts.isdisjoint(rule.unless_one) for key in twins]
    return sum(marks) != 1


def _score_of(target: TargetState, judgement: Verdict | Clashes) -> int | None:
    """Return the score as entered, else the automatic one, which need not be entered."""
    if target.score is None and not target.without and isinstance(judgement, Verdict):
        return judgement.automatic_score
    return target.score


def _judge_target(dimension: Dimension, target: TargetState) -> Verdict | Clashes:
    """Judge one target of an item. No rule forces a score where it goes without one."""
    verdict = judge(dimension, target.facts, answered=target.answered)
    if target.without and isinstance(verdict, Verdict) and verdict.forced is not None:
        clashes = tuple(clashes_in(dimension, target.facts))
        if clashes:
            return Clashes(clashes)
    return verdict


def excludes_all_others(dimension: Dimension, facts: Collection[str]) -> bool:
    """Return True if a fact excludes every other one, so that nothing else is asked (RQ-06)."""
    asserted = frozenset(facts)
    return any(rule.when.holds(asserted) for rule in dimension.silencing_rules)


def best_answers(dimension: Dimension, facts: Collection[str]) -> Iterator[tuple[Check, Answer]]:
    """Yield each question that these facts leave open, with its best answer.

    A question whose best answer the facts exclude is left out.
    """
    asserted = frozenset(facts)
    for check, its_facts in dimension.required_checks:
        if not asserted.isdisjoint(its_facts):
            continue
        for answer in check.answers:
            if answer.code == check.best:
                facts_with_answer = asserted
                if answer.sets:
                    facts_with_answer = asserted | {answer.sets}
                if not any(clashes_in(dimension, facts_with_answer)):
                    yield check, answer


def orders(dimension: Dimension, targets: Iterable[TargetState]) -> bool:
    """Return True if a target must score below others, as things are (RQ-11)."""
    facts = [target.facts for target in targets]
    for rule in dimension.rules:
        if rule.effect is not Effect.RANK_BELOW:
            continue
        if any(map(rule.when.holds, facts)):
            return True
    return False


def barred_scores(rule: Rule, dimension: Dimension) -> Sequence[int]:
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
    acting: Sequence[Rule],
    dimension: Dimension,
    facts: frozenset[str],
    bars: Mapping[int, Sequence[Reason]],
) -> Iterator[Remark]:
    """Yield at most one remark for each open score: that of the first rule that has one."""
    remarked: set[int] = set()
    for rule in acting:
        if rule.effect is not Effect.ADVISE:
            continue
        scores = []
        for score in rule.scores:
            if not bars[score] and score not in remarked:
                scores.append(score)
        remarked.update(scores)
        if scores:
            yield Remark(tuple(scores), reason_text(rule, dimension, facts))
