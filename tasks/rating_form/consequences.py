"""The consequences of answers: what they do to the scores of a row, and when it shows that.

A project sets when (`Project.consequences`). The verdict is the same in all cases, and so is what
can be stored.
"""

from collections.abc import Sequence
from textwrap import wrap

from django.utils.translation import gettext as _

from rubrics import rules
from rubrics.in_words import consequence
from rubrics.schema import Clashes, Consequences, Dimension, Judged, Verdict

from .view_models import Display, Tick, TickGroup

LINE = 10  # letters of a heading that surely fit in its column


def is_due(setting: str, dimension: Dimension, judged: Judged) -> bool:
    """Return True if a row names what its answers do to the scores.

    After answering: once each of its questions is answered. A row without questions has them from
    the first score on.
    """
    if setting != Consequences.AFTER:
        return setting == Consequences.ALWAYS
    if not any(check.asked for check in dimension.checks):
        return judged.score is not None
    asking = dimension.asking(judged.facts, judged.answered or ())
    return not any(
        check.asked and check in dimension.checks and (is_open or not is_asked)
        for check, is_asked, is_open in asking
    )


def display_of(
    setting: str, dimension: Dimension, judged: Judged, judgement: Verdict | Clashes
) -> Display:
    """Return what a row shows of its verdict.

    After answering, a forced score is shown at once, since the rest is not asked. Never: only where
    nothing is asked, because what the program detected decides.
    """
    is_forced = isinstance(judgement, Verdict) and judgement.forced is not None
    if is_due(setting, dimension, judged) or rules.silenced(dimension, judged.facts):
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
    groups: dict[str, tuple[Tick, ...]] = {}
    for tick in ticks:
        limit = consequence(dimension, tick.check.code) if dimension.scores else ""
        groups[limit] = (*groups.get(limit, ()), tick)
    is_named = names_scores or not dimension.scores
    return tuple(
        TickGroup(
            limit if is_named else _observed(dimension, group),
            group,
            len(wrap(limit, LINE)) if reserves else 0,
        )
        for limit, group in groups.items()
    )


def _observed(dimension: Dimension, ticks: Sequence[Tick]) -> str:
    """Return what ticks observe, without a score."""
    if not dimension.faults:
        return _("Observed")
    return _("Merits") if all(tick.good for tick in ticks) else _("Faults")
