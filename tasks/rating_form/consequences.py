"""The consequences of answers: what they do to the scores of a row, and when it shows that.

A project sets when (`Project.consequences`). The verdict is the same in all cases, and so is what
can be stored.
"""

from collections import defaultdict
from collections.abc import Sequence
from textwrap import wrap

from django.utils.translation import gettext as _

from rubrics.judging import rules
from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Consequences
from rubrics.judging.verdict import Clashes, TargetState, Verdict
from rubrics.pages.fact_effects import consequence

from .form_parts import Tick, TickGroup
from .row_view import Display

LINE = 10  # letters of a heading that surely fit in its column


def is_due(setting: str, dimension: Dimension, target: TargetState) -> bool:
    """Return True if a row names what its answers do to the scores.

    After answering: once each of its questions is answered. A row without questions has them from
    the first score on.
    """
    if setting != Consequences.AFTER:
        return setting == Consequences.ALWAYS
    own_questions = [check for check in dimension.checks if check.needs_answer]
    if not own_questions:
        return target.score is not None
    applicable = dimension.applicable_checks(target.facts, target.answered or ())
    open_questions = [state.check for state in applicable if state.is_pending]
    return not any(check in own_questions for check in open_questions)


def display_of(
    setting: str, dimension: Dimension, target: TargetState, judgement: Verdict | Clashes
) -> Display:
    """Return what a row shows of its verdict.

    After answering, a forced score is shown at once, since the rest is not asked. Never: only where
    nothing is asked, because what the program detected decides.
    """
    is_forced = isinstance(judgement, Verdict) and judgement.forced is not None
    if is_due(setting, dimension, target) or rules.excludes_all_others(dimension, target.facts):
        return Display.ALL
    if setting == Consequences.NEVER:
        return Display.REFUSAL
    return Display.ALL if is_forced else Display.NOTHING


def grouped(
    dimension: Dimension, ticks: Sequence[Tick], *, names_scores: bool, reserves: bool
) -> tuple[TickGroup, ...]:
    """Group ticks by consequence, in the order in which each consequence first appears.

    The groups stay the same if their headings name no score. `reserves`: the headings change.
    """
    by_limit: dict[str, list[Tick]] = defaultdict(list)
    for tick in ticks:
        limit = consequence(dimension, tick.check.code) if dimension.scores else ""
        by_limit[limit].append(tick)
    groups: list[TickGroup] = []
    for limit, group in by_limit.items():
        heading = limit
        if dimension.scores and not names_scores:
            heading = _observed(dimension, group)
        lines = len(wrap(limit, LINE)) if reserves else 0
        groups.append(TickGroup(heading, tuple(group), lines))
    return tuple(groups)


def _observed(dimension: Dimension, ticks: Sequence[Tick]) -> str:
    """Return what ticks observe, without a score."""
    if not dimension.faults:
        return _("Observed")
    return _("Merits") if all(tick.good for tick in ticks) else _("Faults")
