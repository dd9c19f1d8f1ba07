"""Find what the author of a rubric should look at once more: no finding of these is a fault.

The rubric must be well-formed (`rubrics.wellformed`).
"""

from collections.abc import Iterator, Sequence, Set as AbstractSet

from django.utils.translation import gettext as _, pgettext

from .open_scores import Judge
from .proof import Finding
from .reasons import clashes_in
from .rules import judge
from .scales import is_crowded, shape
from .schema import COMMENT, Better, Dimension, Effect, Rubric, Verdict

FEW = 3  # levels, which may have labels only: yes, unsure, no
Look = tuple[str, str]  # the part of the dimension, and what to see there


def looks(rubric: Rubric) -> Iterator[Finding]:
    """Yield what to look at: of each kind one for a dimension, and one for each example."""
    anywhere = {name for part in rubric.parts for name in part.mentioned}
    for part in rubric.parts:
        place = f"dimensions.{part.code}." if part.scores else ""
        mentioned = {*part.mentioned, *(each.proposes for each in part.aids)} if place else anywhere
        found = (*_of_levels(part), *_of_examples(part), *_of_checks(part, mentioned))
        yield from (Finding(f"{place}{where}: {text}", is_fault=False) for where, text in found)


def _of_levels(dimension: Dimension) -> Iterator[Look]:
    described = [level for level in dimension.levels if not level.between]
    empty = [
        str(level.score)
        for level in described
        if not (level.definition or level.illustrations or level.examples)
    ]
    may_be_bare = len(described) <= FEW or dimension.better is Better.NONE
    if empty and not (may_be_bare and len(empty) == len(described)):
        yield (
            "levels",
            _("no text and no example at %(levels)s; say what is meant")
            % {"levels": _listed(empty)},
        )
    named = [level.score for level in described if level.label or level.definition]
    nameless = [str(score) for score in dimension.scores if score not in named]
    if dimension.scores and not described and not dimension.given:
        yield "levels", _("no score has a word or a text; describe the ends at least")
    elif dimension.better is Better.NONE and nameless:
        yield "levels", _("no name for the classes %(levels)s") % {"levels": _listed(nameless)}
    ends = (dimension.lowest, dimension.highest)
    hidden = [str(each.score) for each in described if each.label and each.score not in ends]
    if hidden and "under" in shape(dimension):
        yield (
            "levels",
            _(
                "the labels are too long for the buttons, and no button shows that of %(levels)s;"
                " shorten them"
            )
            % {"levels": _listed(hidden)},
        )


def _of_examples(dimension: Dimension) -> Iterator[Look]:
    """Yield the examples that cannot have their score, and the rules that none of them shows.

    They are some of them where there is too much to look at.
    """
    limits = [
        rule
        for rule in dimension.rules
        if rule.effect in (Effect.FORCE, Effect.CAP, Effect.FLOOR)
        and any(level.examples for level in dimension.levels)
    ]
    left = Judge(dimension).most
    for level in dimension.levels:
        for number, example in enumerate(level.examples[:left], start=1):
            left -= 1
            place = f"levels.{level.score}.examples.{number}"
            facts = frozenset([*example.checks, *([COMMENT] * dimension.needs_comment)])
            limits = [rule for rule in limits if not rule.when.holds(facts)]
            verdict = judge(dimension, facts)
            if clash := next(clashes_in(dimension, facts), None):
                yield (
                    place,
                    _("its checks do not go together (%(clash)s); take one out")
                    % {"clash": clash.text},
                )
            elif isinstance(verdict, Verdict) and example.score not in verdict.open:
                bars = (bar.reasons for bar in verdict.barred if bar.score == example.score)
                rules = _quoted([reason.rule for reasons in bars for reason in reasons])
                yield (
                    place,
                    _("%(rules)s bars %(score)s; change its checks or its score")
                    % {"rules": rules, "score": example.score},
                )
    if limits and left:  # all of them were looked at
        untold = _quoted([rule.code for rule in limits])
        yield "rules", _("no example shows %(rules)s; add one for each") % {"rules": untold}


def _of_checks(part: Dimension, mentioned: AbstractSet[str]) -> Iterator[Look]:
    idle = [check.code for check in part.checks if mentioned.isdisjoint(check.facts)]
    # All those of the whole response may be there to be stored, and no more.
    if idle and (part.scores or len(idle) < len(part.checks)):
        yield (
            "checks",
            _("no rule and no condition names %(checks)s; add one, or let it be")
            % {"checks": _quoted(idle)},
        )
    if crowded := [check.code for check in part.checks if is_crowded(check)]:
        yield (
            "checks",
            _("answers to %(checks)s are long for buttons; shorten them")
            % {"checks": _quoted(crowded)},
        )


def _quoted(codes: Sequence[str]) -> str:
    return _listed([f'"{code}"' for code in codes])


def _listed(parts: Sequence[str]) -> str:
    return pgettext("between two names", " and ").join(
        filter(None, (", ".join(parts[:-1]), parts[-1]))
    )
