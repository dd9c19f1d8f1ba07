"""Find what the author of a rubric should look at once more: no finding of these is a fault.

The page of a draft lists them after the faults (`document_report`), and so does `rubric load`. The
rubric must be well-formed (`wellformed`).
"""

from collections.abc import Iterator, Sequence, Set as AbstractSet

from django.utils.translation import gettext as _, pgettext

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.open_scores import Judge
from ..judging.parts import COMMENT, Example, Level
from ..judging.reasons import clashes_in
from ..judging.rules import judge
from ..judging.scales import has_labels_under_buttons, is_crowded
from ..judging.schema import Rubric
from ..judging.verdict import Verdict
from .finding import Finding

FEW = 3  # levels, which may have labels only: yes, unsure, no
LIMITING = (Effect.FORCE, Effect.CAP, Effect.FLOOR)


def advice(rubric: Rubric) -> Iterator[Finding]:
    """Yield what to look at: of each kind one for a dimension, and one for each example."""
    mentioned_anywhere: set[str] = set()
    for part in rubric.parts:
        mentioned_anywhere |= part.mentioned_facts
    for part in rubric.parts:
        if not part.scores:  # the checks of the whole response
            yield from _advice_on_checks("checks", part, mentioned_anywhere)
            continue
        path = f"dimensions.{part.code}"
        yield from _advice_on_levels(f"{path}.levels", part)
        yield from _advice_on_examples(path, part)
        proposed = [aid.proposes for aid in part.aids]
        yield from _advice_on_checks(f"{path}.checks", part, part.mentioned_facts.union(proposed))


def _finding(path: str, text: str) -> Finding:
    return Finding(f"{path}: {text}", is_fault=False)


def _advice_on_levels(path: str, dimension: Dimension) -> Iterator[Finding]:
    described = [level for level in dimension.levels if not level.between]
    if empty := _empty_levels(described, dimension):
        message = _("no text and no example at %(levels)s; say what is meant")
        yield _finding(path, message % {"levels": _listed(empty)})
    has_name = [level.score for level in described if level.label or level.definition]
    nameless = [str(score) for score in dimension.scores if score not in has_name]
    if not described and not dimension.given:
        yield _finding(path, _("no score has a word or a text; describe the ends at least"))
    elif dimension.better is Better.NONE and nameless:
        message = _("no name for the classes %(levels)s")
        yield _finding(path, message % {"levels": _listed(nameless)})
    if has_labels_under_buttons(dimension):  # those of the ends alone
        hidden = []
        for level in described:
            if level.label and level.score not in (dimension.lowest, dimension.highest):
                hidden.append(str(level.score))
        if hidden:
            message = _(
                "the labels are too long for the buttons, and no button shows that of %(levels)s;"
                " shorten them"
            )
            yield _finding(path, message % {"levels": _listed(hidden)})


def _empty_levels(dimension_levels: Sequence[Level], dimension: Dimension) -> list[str]:
    """Return the scores that nothing describes, unless labels are enough at all of them."""
    empty = []
    for level in dimension_levels:
        if not (level.definition or level.illustrations or level.examples):
            empty.append(str(level.score))
    may_be_bare = len(dimension_levels) <= FEW or dimension.better is Better.NONE
    if may_be_bare and len(empty) == len(dimension_levels):
        return []
    return empty


def _advice_on_examples(path: str, dimension: Dimension) -> Iterator[Finding]:
    """Yield the examples that cannot have their score, and the rules that no example shows.

    If there are too many examples to judge, only the first ones are looked at.
    """
    most = Judge(dimension).most
    rules_to_show = [rule for rule in dimension.rules if rule.effect in LIMITING]
    examples = _examples_with_paths(path, dimension)
    for example_path, example in examples[:most]:
        facts = _facts_of(example, dimension)
        rules_to_show = [rule for rule in rules_to_show if not rule.when.holds(facts)]
        if text := _wrong_in_example(example.score, facts, dimension):
            yield _finding(example_path, text)
    if rules_to_show and 0 < len(examples) < most:
        codes = _quoted([rule.code for rule in rules_to_show])
        message = _("no example shows %(rules)s; add one for each")
        yield _finding(f"{path}.rules", message % {"rules": codes})


def _examples_with_paths(path: str, dimension: Dimension) -> list[tuple[str, Example]]:
    """Return the examples of all levels, each with its path in the document."""
    examples = []
    for level in dimension.levels:
        for number, example in enumerate(level.examples, start=1):
            examples.append((f"{path}.levels.{level.score}.examples.{number}", example))
    return examples


def _facts_of(example: Example, dimension: Dimension) -> frozenset[str]:
    """Return the facts of an example, with a comment if a score may need one."""
    if dimension.needs_comment:
        return frozenset((*example.checks, COMMENT))
    return frozenset(example.checks)


def _wrong_in_example(score: int, facts: frozenset[str], dimension: Dimension) -> str:
    """Return why an example with these facts cannot have its score; "" if it can."""
    first_clash = next(clashes_in(dimension, facts), None)
    if first_clash:
        message = _("its checks do not go together (%(clash)s); take one out")
        return message % {"clash": first_clash.text}
    verdict = judge(dimension, facts)
    if not isinstance(verdict, Verdict) or score in verdict.open:
        return ""
    rules = _quoted([reason.rule for reason in verdict.bars(score)])
    message = _("%(rules)s bars %(score)s; change its checks or its score")
    return message % {"rules": rules, "score": score}


def _advice_on_checks(
    path: str, dimension: Dimension, mentioned: AbstractSet[str]
) -> Iterator[Finding]:
    """Yield the checks that nothing names, and the questions whose answers are long."""
    idle = [check.code for check in dimension.checks if mentioned.isdisjoint(check.facts)]
    # All those of the whole response may be there to be stored, and no more.
    if idle and (dimension.scores or len(idle) < len(dimension.checks)):
        message = _("no rule and no condition names %(checks)s; add one, or let it be")
        yield _finding(path, message % {"checks": _quoted(idle)})
    if crowded := [check.code for check in dimension.checks if is_crowded(check)]:
        message = _("answers to %(checks)s are long for buttons; shorten them")
        yield _finding(path, message % {"checks": _quoted(crowded)})


def _quoted(codes: Sequence[str]) -> str:
    return _listed([f'"{code}"' for code in codes])


def _listed(words: Sequence[str]) -> str:
    """Return words as "one, two and three"."""
    *first_words, last = words
    if not first_words:
        return last
    joint = pgettext("between two names", " and ")
    return f"{', '.join(first_words)}{joint}{last}"
