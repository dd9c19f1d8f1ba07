"""The rule engine: the only module that evaluates the rules of a rubric.

`judge` takes the facts asserted about one target. It returns the open scores and the reasons that
bar the others. `judge_item` adds the rules between the targets of one item. Both functions are
pure. Facts that the `exclude` rules permit leave at least one score open once all questions are
answered (`rubrics.proof`); before that, and in older versions of a rubric, none may be open. The
form, the validation, the command line, the importer and the proof all call these two functions.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from .schema import (
    Answer,
    Bar,
    Check,
    Clash,
    Clashes,
    Dimension,
    Effect,
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
    dimension: Dimension, asserted: frozenset[str], answered: frozenset[str] | None
) -> Verdict | Clashes:
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
    may_be = dimension.when.holds(asserted | pending, asserted)
    # The rules of a dimension that is not asked have no say.
    if may_be and (clashes := tuple(_clashes(dimension, asserted))):
        return Clashes(clashes)
    if not dimension.when.holds(asserted, asserted | pending):
        missing = tuple(check.code for check in unanswered if may_be)
        return Verdict((), (), (), missing=missing, is_asked=may_be)
    acting = [
        rule
        for rule in dimension.deciding
        if rule.when.holds(asserted) and pending.isdisjoint(rule.when.none_of)
    ]
    forces = sorted((rule for rule in acting if rule.effect is Effect.FORCE), key=strength)
    forced = forces[0].score if forces else None
    if forces:
        unanswered = tuple(_changing(forces[0], dimension, unanswered))
    # A rule that forces the score leaves no other rule a say.
    deciding = [rule for rule in forces if rule.score == forced] or acting
    bars: dict[int, list[Reason]] = {score: [] for score in dimension.scores}
    for rule in deciding:
        is_met = rule.effect is Effect.REQUIRE and rule.needs.holds(asserted)
        if barred := () if is_met else reach(rule, dimension):
            reason = stated(rule, dimension, asserted)
            for score in barred:
                bars[score].append(reason)
    advising = [rule for rule in deciding if rule.effect is Effect.ADVISE]
    return Verdict(
        open=tuple(score for score in dimension.scores if not bars[score]),
        barred=tuple(Bar(score, tuple(reasons)) for score, reasons in bars.items() if reasons),
        remarks=tuple(_remarks(advising, dimension, asserted, bars)),
        overridden=tuple(
            stated(rule, dimension, asserted) for rule in forces if rule.score != forced
        ),
        missing=tuple(check.code for check in unanswered),
        forced=forced,
    )


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
    judgements: dict[str, Verdict | Clashes] = {
        target.key: judge(dimension, target.facts, answered=target.answered) for target in targets
    }
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
            pairs = list(_ranked(rule, dimension, judgements, by_key))
            out_of_order += _put_in_order(rule, dimension, pairs, judgements, scores)
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
                _clashes(dimension, asserted | ({answer.sets} if answer.sets else set()))
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


def stated(rule: Rule, dimension: Dimension, facts: frozenset[str]) -> Reason:
    """Return the rule's reason with its placeholders filled in: the facts ticked and needed."""
    text = rule.reason
    if "{ticked}" in text:
        text = text.replace("{ticked}", dimension.listed(facts.intersection(rule.names)))
    if "{needs}" in text:
        detected = {check.code for check in dimension.detected}  # annotators cannot tick these
        text = text.replace(
            "{needs}", dimension.listed(set(rule.needs.positive) - facts - detected)
        )
    line = rule.line
    if rule.remark and (others := facts & dimension.faults - set(rule.needs.positive)):
        remark = rule.remark.replace("{ticked}", dimension.listed(others))
        text, line = f"{text} {remark}", line and f"{line} {remark}"
    return Reason(rule.clause, rule.code, rule.effect, text, line, rule.not_yet, rule.reading)


def _clashes(dimension: Dimension, facts: frozenset[str]) -> Iterator[Clash]:
    for check, its_facts in dimension.asked:
        if len(facts.intersection(its_facts)) > 1:
            together = tuple(fact for fact in its_facts if fact in facts)
            yield Clash(
                together,
                check.clauses[0] if check.clauses else "",
                f"“{check.wording}” takes one answer, not {len(together)}.",
            )
    for rule in dimension.excluding:
        if rule.when.holds(facts) and not facts.isdisjoint(rule.against):
            against = tuple(name for name in rule.against if name in facts)
            held = tuple(name for name in rule.when.positive if name in facts)
            text = stated(rule, dimension, facts).text
            yield Clash((*held, *against), rule.clause, text, rule.reading)


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


Pair = tuple[str, str]  # the keys of the target that a rule ranks below, and of the one above it


def _ranked(
    rule: Rule,
    dimension: Dimension,
    judgements: Mapping[str, Verdict | Clashes],
    targets: Mapping[str, Judged],
) -> Iterator[Pair]:
    """Return the pairs (lower, higher) that the rule binds.

    The lower target meets the condition and is not forced. The higher target does not meet it and
    is not forced to the worst score. A target with missing answers or no open score is in no pair,
    nor is one that goes without a score.
    """
    answered = [
        (key, verdict.forced, rule.when.holds(targets[key].facts))
        for key, verdict in judgements.items()
        if isinstance(verdict, Verdict) and verdict.open and not verdict.missing
        if not targets[key].without
    ]
    lower = [key for key, forced, meets in answered if meets and forced is None]
    higher = [
        key
        for key, forced, meets in answered
        if not meets and forced != min(dimension.scores, key=dimension.merit)
    ]
    return ((low, high) for low in lower for high in higher)


def in_order(rule: Rule, dimension: Dimension, low: int, high: int) -> bool:
    """Return True if the scores `low` and `high` of a lower and a higher target respect the rule.

    A low score that is no better than the rule's own score always passes.
    """
    return dimension.merit(low) < dimension.merit(high) or (
        rule.score is not None and dimension.merit(low) <= dimension.merit(rule.score)
    )


def _put_in_order(
    rule: Rule,
    dimension: Dimension,
    pairs: Sequence[Pair],
    judgements: dict[str, Verdict | Clashes],
    scores: Mapping[str, int | None],
) -> Iterator[OutOfOrder]:
    """Narrow the lower target of each pair; yield the pairs whose scores contradict the rule.

    The higher target binds by its score if that is open, else by its best open score. A score
    that another rule bars is in no order: it must be changed anyway.
    """
    reason = stated(rule, dimension, frozenset(rule.when.positive))
    own = {key: each.open for key, each in judgements.items() if isinstance(each, Verdict)}
    for low, high in pairs:
        above = score if (score := scores[high]) in own[high] else None
        bound = max(own[high], key=dimension.merit) if above is None else above
        if above is not None and (below := scores[low]) in own[low]:
            assert below is not None
            if not in_order(rule, dimension, below, above):
                yield OutOfOrder(low, high, reason)
        verdict = judgements[low]
        assert isinstance(verdict, Verdict)
        remaining = tuple(
            score for score in verdict.open if in_order(rule, dimension, score, bound)
        )
        # If a rubric leaves no score, the proof reports that fault. Here the scores stay open,
        # and judge_item still reports entered scores that contradict the rule.
        if remaining:
            judgements[low] = _bar(verdict, remaining, replace(reason, beside=(high, above)))


def _bar(verdict: Verdict, remaining: tuple[int, ...], reason: Reason) -> Verdict:
    barred = (
        *verdict.barred,
        *(Bar(score, (reason,)) for score in verdict.open if score not in remaining),
    )
    return replace(
        verdict,
        open=remaining,
        barred=tuple(sorted(barred, key=lambda bar: bar.score)),
        remarks=tuple(
            Remark(scores, remark.reason)
            for remark in verdict.remarks
            if (scores := tuple(score for score in remark.scores if score in remaining))
        ),
    )
