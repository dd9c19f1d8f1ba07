"""Find what the author of a rubric should look at once more: no finding of these is a fault.

The rubric must be well-formed (`rubrics.wellformed`).
"""

from collections.abc import Iterator, Sequence, Set as AbstractSet

from .proof import Finding
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
        yield "levels", f"no text and no example at {_listed(empty)}; say what is meant"
    ends = (dimension.lowest, dimension.highest)
    hidden = [str(each.score) for each in described if each.label and each.score not in ends]
    if hidden and "under" in shape(dimension):
        yield (
            "levels",
            f"the labels are too long for the buttons, and no button shows that of"
            f" {_listed(hidden)}; shorten them",
        )


def _of_examples(dimension: Dimension) -> Iterator[Look]:
    """Yield the examples that cannot have their score, and the rules that none of them shows."""
    limits = [
        rule
        for rule in dimension.rules
        if rule.effect in (Effect.FORCE, Effect.CAP, Effect.FLOOR)
        and any(level.examples for level in dimension.levels)
    ]
    for level in dimension.levels:
        for number, example in enumerate(level.examples, start=1):
            place = f"levels.{level.score}.examples.{number}"
            facts = frozenset([*example.checks, *([COMMENT] * dimension.needs_comment)])
            limits = [rule for rule in limits if not rule.when.holds(facts)]
            verdict = judge(dimension, facts)
            if not isinstance(verdict, Verdict):
                clash = verdict.clashes[0].text
                yield place, f"its checks do not go together ({clash}); take one out"
            elif example.score not in verdict.open:
                bars = (bar.reasons for bar in verdict.barred if bar.score == example.score)
                rules = _quoted([reason.rule for reasons in bars for reason in reasons])
                yield place, f"{rules} bars {example.score}; change its checks or its score"
    if limits:
        untold = _quoted([rule.code for rule in limits])
        yield "rules", f"no example shows {untold}; add one for each"


def _of_checks(part: Dimension, mentioned: AbstractSet[str]) -> Iterator[Look]:
    idle = [check.code for check in part.checks if mentioned.isdisjoint(check.facts)]
    # All those of the whole response may be there to be stored, and no more.
    if idle and (part.scores or len(idle) < len(part.checks)):
        yield "checks", f"no rule and no condition names {_quoted(idle)}; add one, or let it be"
    if crowded := [check.code for check in part.checks if is_crowded(check)]:
        yield "checks", f"answers to {_quoted(crowded)} are long for buttons; shorten them"


def _quoted(codes: Sequence[str]) -> str:
    return _listed([f'"{code}"' for code in codes])


def _listed(parts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
