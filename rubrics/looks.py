"""Find what the author of a rubric should look at once more: no finding of these is a fault.

The rubric must be well-formed (`rubrics.wellformed`).
"""

from collections.abc import Collection, Iterable, Iterator

from .proof import Finding
from .rules import judge
from .scales import is_crowded, shape
from .schema import COMMENT, Better, Dimension, Effect, Example, Rubric, Verdict

FEW = 3  # levels, which may have labels only: yes, unsure, no


def looks(rubric: Rubric) -> Iterator[Finding]:
    """Yield what to look at: of each kind one for a dimension, and one for each example."""
    mentioned = {name for part in rubric.parts for name in part.mentioned}
    if not mentioned.isdisjoint(rubric.whole.facts):  # else all of them are data, and no more
        yield from _unmentioned(rubric.whole, mentioned, "checks")
    yield from _crowded(rubric.whole, "checks")
    for dimension in rubric.dimensions:
        place = f"dimensions.{dimension.code}"
        yield from _undescribed(dimension, f"{place}.levels")
        yield from _examples(dimension, place)
        proposed = {aid.proposes for aid in dimension.aids}
        yield from _unmentioned(dimension, dimension.mentioned | proposed, f"{place}.checks")
        yield from _crowded(dimension, f"{place}.checks")
        hidden = [
            level.score
            for level in dimension.levels
            if level.label and level.score not in (dimension.lowest, dimension.highest)
        ]
        if hidden and "under" in shape(dimension):
            yield _look(
                f"{place}.levels",
                f"the labels are too long for the buttons, and no button shows that of"
                f" {_listed(hidden)}; shorten them",
            )


def _look(place: str, text: str) -> Finding:
    return Finding(f"{place}: {text}", is_fault=False)


def _undescribed(dimension: Dimension, place: str) -> Iterator[Finding]:
    described = [level for level in dimension.levels if not level.between]
    empty = [
        level.score
        for level in described
        if not (level.definition or level.illustrations or level.examples)
    ]
    means_labels = len(described) <= FEW or dimension.better is Better.NONE
    if empty and not (means_labels and len(empty) == len(described)):
        yield _look(place, f"no text and no example at {_listed(empty)}; say what is meant")


def _examples(dimension: Dimension, place: str) -> Iterator[Finding]:
    """Yield the examples that cannot have their score, and the rules that none of them shows."""
    untold = {
        rule.code: rule
        for rule in dimension.rules
        if rule.effect in (Effect.FORCE, Effect.CAP, Effect.FLOOR)
    }
    are_there = False
    for level in dimension.levels:
        for number, example in enumerate(level.examples, start=1):
            are_there = True
            facts = frozenset([*example.checks, *([COMMENT] * dimension.needs_comment)])
            for code in [code for code, rule in untold.items() if rule.when.holds(facts)]:
                del untold[code]
            if why := _contradiction(dimension, example, facts):
                yield _look(f"{place}.levels.{level.score}.examples.{number}", why)
    if are_there and untold:
        yield _look(f"{place}.rules", f"no example shows {_quoted(untold)}; add one for each")


def _contradiction(dimension: Dimension, example: Example, facts: frozenset[str]) -> str:
    verdict = judge(dimension, facts)
    if not isinstance(verdict, Verdict):
        return f"its checks do not go together ({verdict.clashes[0].text}); take one out"
    rules = [
        reason.rule
        for bar in verdict.barred
        for reason in bar.reasons
        if bar.score == example.score
    ]
    return f"{_quoted(rules)} bars {example.score}; change its checks or its score" if rules else ""


def _unmentioned(dimension: Dimension, mentioned: Collection[str], place: str) -> Iterator[Finding]:
    idle = [check.code for check in dimension.checks if not {*check.facts} & {*mentioned}]
    if idle:
        yield _look(place, f"no rule and no condition names {_quoted(idle)}; add one, or let it be")


def _crowded(dimension: Dimension, place: str) -> Iterator[Finding]:
    if crowded := [check.code for check in dimension.checks if is_crowded(check)]:
        yield _look(place, f"answers to {_quoted(crowded)} are long for buttons; shorten them")


def _quoted(codes: Iterable[str]) -> str:
    return _listed(f'"{code}"' for code in codes)


def _listed(parts: Iterable[object]) -> str:
    *others, last = map(str, parts)
    return f"{', '.join(others)} and {last}" if others else last
