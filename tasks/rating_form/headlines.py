"""The verdict on a row in words: one line that names the open scores, and a line for each limit.

`rows.py` makes one for each row of the form, `tasks/disagreements/` for each answer to a case.
Example: "Open: 1, 2, 3." with the limit "4, 5: say what is wrong first."
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _, ngettext

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better, Effect
from rubrics.judging.scales import MOST_BUTTONS
from rubrics.judging.verdict import Clashes, Reason, Verdict

from .fields import Target
from .row_view import Headline
from .verdict_words import in_span


def headline_of(judgement: Verdict | Clashes, dimension: Dimension, target: Target) -> Headline:
    """Return the headline of a row."""
    if isinstance(judgement, Clashes):
        reasons = tuple(clash.reason for clash in judgement.clashes)
        return Headline("clash", _("These do not go together."), reasons)
    if not judgement.applies:
        return Headline("open", _("Not asked."))
    if not dimension.scores:
        return Headline("open", "")
    reasons = judgement.acting_reasons
    if judgement.forced is not None and not dimension.given:
        best = max(dimension.scores, key=dimension.goodness)
        tone = "open" if judgement.forced == best else "forced"  # no warning at the best
        text = _("The score is %(score)s.") % {"score": judgement.forced}
        return Headline(tone, text, reasons)
    if not judgement.open:
        text = _without_open_score(judgement, dimension, target)
        return Headline("limited", text, reasons)
    # If answers give the score, a line in place of the buttons names it.
    if dimension.given or not dimension.rules:
        return Headline("silent", "", reasons)
    if not judgement.barred:
        return Headline("open", _("All scores are open."))
    return _open_scores(judgement, dimension)


def _without_open_score(verdict: Verdict, dimension: Dimension, target: Target) -> str:
    if not verdict.missing:  # the rubric was stored before this was refused
        text = _("The rules leave no score for %(target)s: flag the item.")
        return text % {"target": target.short}
    text = ngettext(
        "Answer “%(first)s” first.",
        "Answer “%(first)s” and %(others)s more first.",
        len(verdict.missing),
    )
    first = dimension.check(verdict.missing[0]).wording
    return text % {"first": first, "others": len(verdict.missing) - 1}


def _open_scores(verdict: Verdict, dimension: Dimension) -> Headline:
    limits = [_with_response_name(reason, verdict, dimension) for reason in _limits(verdict)]
    is_limited = any(limit.effect is not Effect.REQUIRE for limit in limits)
    text = _("Open: %(scores)s.") % {"scores": _listed(verdict.open)}
    return Headline("limited" if is_limited else "open", text, tuple(limits))


def _limits(verdict: Verdict) -> list[Reason]:
    """Return the reasons to list under the open scores.

    First come the rules that bar the scores next to the open ones. They explain the scores farther
    away too, so of other reasons only those follow that no rule in the list explains. The highest
    scores come first, as in the rubric.
    """
    next_above = verdict.bars(verdict.open[-1] + 1)
    next_below = verdict.bars(verdict.open[0] - 1)
    next_bars = {*next_above, *next_below}
    acting = verdict.acting_reasons[::-1]
    closing: list[Reason] = []
    for reason in acting:
        if reason in next_bars and reason.effect is not Effect.REQUIRE:
            closing.append(reason)
    unexplained: set[Reason] = set()
    for bar in verdict.barred:
        if set(closing).isdisjoint(bar.reasons):
            unexplained.update(bar.reasons)
    # Reasons that say the same are one line.
    by_text = {(reason.clause, reason.short_text): reason for reason in closing}
    others = [reason for reason in acting if reason in unexplained]
    return [*by_text.values(), *others]


def _with_response_name(reason: Reason, verdict: Verdict, dimension: Dimension) -> Reason:
    """Return a reason whose line names the response that a score must be worse than (RQ-11)."""
    binding = reason.binding_target
    if binding is None:
        return reason
    is_low = dimension.better is Better.LOW
    if binding.score is None:
        line = _("Above %(other)s.") if is_low else _("Below %(other)s.")
    elif binding.score in verdict.open:  # a tie passes
        line = _("%(other)s has a %(score)s: give a %(score)s, too.")
    elif is_low:
        line = _("Above %(other)s, which has a %(score)s.")
    else:
        line = _("Below %(other)s, which has a %(score)s.")
    names = {"other": Target(binding.key).short, "score": binding.score}
    return replace(reason, line=line % names)


def _listed(sorted_scores: Sequence[int]) -> str:
    """Return scores in words: "1, 2, 3, 7", or "1 to 3, 7" if there are many."""
    if len(sorted_scores) <= MOST_BUTTONS:
        return ", ".join(map(str, sorted_scores))
    runs: list[list[int]] = []
    for score in sorted_scores:
        if runs and runs[-1][-1] == score - 1:
            runs[-1].append(score)
        else:
            runs.append([score])
    return ", ".join(_run_in_words(run) for run in runs)


def _run_in_words(run: Sequence[int]) -> str:
    return str(run[0]) if len(run) == 1 else in_span(run[0], run[-1])
