"""Say in few words which scores one fact leaves open, with all else at its best.

The page of a rubric and the text beside an item say it at each tick and each answer:

    Language error: 2 to 4        Honest, no: makes it 1        Repeats: ranks below the others
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from django.contrib.humanize.templatetags.humanize import apnumber
from django.utils.translation import gettext as _

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.parts import Condition, Rule
from ..judging.rules import best_answers, judge
from ..judging.verdict import Clashes, Verdict
from .word_lists import and_list


def consequence(dimension: Dimension, fact: str) -> str:
    """Say which scores one fact leaves open, with all else at its best; or which ones need it."""
    if _is_ranking_fact(dimension, fact):
        if dimension.better is Better.LOW:
            return _("scores above the others")
        return _("ranks below the others")
    verdict = _verdict_with(dimension, fact)
    if isinstance(verdict, Clashes) or not verdict.barred:
        if scores := _scores_that_need(dimension, fact):
            return _("needed for %(scores)s") % {"scores": and_list(scores)}
        return _("bars no score")
    if verdict.forced is not None:
        return _("makes it %(score)s") % {"score": verdict.forced}
    if not verdict.open:
        if verdict.missing:
            return _("the other answers decide")
        return _("leaves no score")
    scores_in_words = _in_short(verdict.open)
    for number, others in _verdicts_with_several(dimension, fact):
        if others.open != verdict.open:
            return _("%(scores)s, %(number)s of them %(more)s") % {
                "scores": scores_in_words,
                "number": apnumber(number),
                "more": _in_short(others.open),
            }
    if len(verdict.open) == 1:
        return _("only %(score)s") % {"score": scores_in_words}
    return scores_in_words


def _is_ranking_fact(dimension: Dimension, fact: str) -> bool:
    ranking = [rule for rule in dimension.rules if rule.effect is Effect.RANK_BELOW]
    return any(fact in rule.when.positive for rule in ranking)


def _scores_that_need(dimension: Dimension, fact: str) -> list[int]:
    needing_scores: set[int] = set()
    for rule in dimension.rules:
        if fact in rule.needed_facts:
            needing_scores.update(rule.scores)
    return sorted(needing_scores)


def _in_short(sorted_scores: Sequence[int]) -> str:
    """Return scores as "4", "3 or 4" or "2 to 4"."""
    low = sorted_scores[0]
    high = sorted_scores[-1]
    if low == high:
        return str(low)
    words = _("%(low)s to %(high)s")
    if len(sorted_scores) == 2:
        words = _("%(low)s or %(high)s")
    return words % {"low": low, "high": high}


def _verdicts_with_several(dimension: Dimension, fact: str) -> Iterator[tuple[int, Verdict]]:
    """Yield what so many facts leave open together, if a `require` asks for so many of them."""
    for rule in dimension.rules:
        for way in rule.ways:
            number = way.at_least
            if fact not in way.of or number < 2:
                continue
            others = [name for name in way.of if name != fact]
            verdict = _verdict_with(dimension, fact, *others[: number - 1])
            if isinstance(verdict, Verdict) and verdict.open:
                yield number, verdict


@lru_cache(maxsize=1024)
def _verdict_with(dimension: Dimension, *fact_names: str) -> Verdict | Clashes:
    """Return the verdict on some facts, with all else at its best."""
    codes = [
        rule.code for rule in dimension.rules if _needs_other_ticks(rule, dimension, {*fact_names})
    ]
    dimension = _without_rules(dimension, frozenset(codes))
    asserted = {*fact_names}
    answered = []
    for check, answer in best_answers(dimension, fact_names):
        answered.append(check.code)
        if answer.sets:
            asserted.add(answer.sets)
    return judge(dimension, asserted, answered=answered)


def _needs_other_ticks(rule: Rule, dimension: Dimension, facts: set[str]) -> bool:
    """Return True for a `require` that speaks of none of the facts, and of no question's answer.

    No question can give what it needs, only another tick can.
    """
    if rule.effect is not Effect.REQUIRE or not facts.isdisjoint(rule.when.names):
        return False
    if not all(facts.isdisjoint(way.none_of) for way in rule.ways):
        return False
    return not any(_names_one(rule, names) for _check, names in dimension.required_checks)


def _names_one(rule: Rule, facts: Sequence[str]) -> bool:
    """Return True if a `require` names one of the facts."""
    names = {*facts}
    return any(not names.isdisjoint(way.names) for way in rule.ways)


@lru_cache(maxsize=256)  # most facts leave the same rules, and a dimension is dear to hash
def _without_rules(dimension: Dimension, codes: frozenset[str]) -> Dimension:
    """Return a dimension as if it were asked, without the rules of some codes."""
    rules = tuple(rule for rule in dimension.rules if rule.code not in codes)
    # `replace` does not copy `shared`.
    return replace(dimension, rules=rules, when=Condition()).with_shared_checks(dimension.shared)
