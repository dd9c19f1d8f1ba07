"""Find what the author of a rubric should look at once more: no finding of these is a fault.

The rubric must be well-formed (`rubrics.documents.wellformed`).
"""

from collections.abc import Iterator, Sequence, Set as AbstractSet

from django.utils.translation import gettext as _, pgettext

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.open_scores import Judge
from ..judging.parts import COMMENT, Level, Rule
from ..judging.reasons import clashes_in
from ..judging.rules import judge
from ..judging.scales import is_crowded, row_classes
from ..judging.schema import Rubric
from ..judging.verdict import Verdict
from .proof import Finding

FEW = 3  # levels, which may have labels only: yes, unsure, no
Advice = tuple[str, str]  # the part of the dimension, and what to see there


def advice(rubric: Rubric) -> Iterator[Finding]:
    """Yield what to look at: of each kind one for a dimension, and one for each example."""
    anywhere: set[str] = set()
    for part in rubric.parts:
        anywhere |= part.mentioned_facts
    for part in rubric.parts:
        place = ""
        mentioned = anywhere
        if part.scores:
            place = f"dimensions.{part.code}."
            mentioned = {*part.mentioned_facts}
            mentioned.update(aid.proposes for aid in part.aids)
        pieces = (*_of_levels(part), *_of_examples(part), *_of_checks(part, mentioned))
        for where, text in pieces:
            yield Finding(f"{place}{where}: {text}", is_fault=False)


def _of_levels(dimension: Dimension) -> Iterator[Advice]:
    described = [level for level in dimension.levels if not level.between]
    if empty := _empty_levels(described, dimension):
        message = _("no text and no example at %(levels)s; say what is meant")
        yield "levels", message % {"levels": _listed(empty)}
    has_name = [level.score for level in described if level.label or level.definition]
    nameless = [str(score) for score in dimension.scores if score not in has_name]
    if dimension.scores and not described and not dimension.given:
        yield "levels", _("no score has a word or a text; describe the ends at least")
    elif dimension.better is Better.NONE and nameless:
        yield "levels", _("no name for the classes %(levels)s") % {"levels": _listed(nameless)}
    hidden = []
    for level in described:
        if level.label and level.score not in (dimension.lowest, dimension.highest):
            hidden.append(str(level.score))
    if hidden and "under" in row_classes(dimension):
        message = _(
            "the labels are too long for the buttons, and no button shows that of %(levels)s;"
            " shorten them"
        )
        yield "levels", message % {"levels": _listed(hidden)}


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


def _of_examples(dimension: Dimension) -> Iterator[Advice]:
    """Yield the examples that cannot have their score, and the rules that none of them shows.

    They are some of them where there is too much to look at.
    """
    limits = _limiting_rules(dimension)
    left = Judge(dimension).most
    for level in dimension.levels:
        for number, example in enumerate(level.examples[:left], start=1):
            left -= 1
            checks = [*example.checks]
            if dimension.needs_comment:
                checks.append(COMMENT)
            facts = frozenset(checks)
            limits = [rule for rule in limits if not rule.when.holds(facts)]
            if text := _wrong_in_example(example.score, facts, dimension):
                yield f"levels.{level.score}.examples.{number}", text
    if limits and left:  # all of them were looked at
        codes = _quoted([rule.code for rule in limits])
        yield "rules", _("no example shows %(rules)s; add one for each") % {"rules": codes}


def _limiting_rules(dimension: Dimension) -> list[Rule]:
    """Return the rules that examples should show; none if there are no examples."""
    if not any(level.examples for level in dimension.levels):
        return []
    effects = (Effect.FORCE, Effect.CAP, Effect.FLOOR)
    return [rule for rule in dimension.rules if rule.effect in effects]


def _wrong_in_example(score: int, facts: frozenset[str], dimension: Dimension) -> str:
    """Return why an example with these facts cannot have its score; "" if it can."""
    for clash in clashes_in(dimension, facts):
        message = _("its checks do not go together (%(clash)s); take one out")
        return message % {"clash": clash.text}
    verdict = judge(dimension, facts)
    if not isinstance(verdict, Verdict) or score in verdict.open:
        return ""
    rules = _quoted([reason.rule for reason in verdict.bars(score)])
    message = _("%(rules)s bars %(score)s; change its checks or its score")
    return message % {"rules": rules, "score": score}


def _of_checks(dimension: Dimension, mentioned: AbstractSet[str]) -> Iterator[Advice]:
    idle = [check.code for check in dimension.checks if mentioned.isdisjoint(check.facts)]
    # All those of the whole response may be there to be stored, and no more.
    if idle and (dimension.scores or len(idle) < len(dimension.checks)):
        message = _("no rule and no condition names %(checks)s; add one, or let it be")
        yield "checks", message % {"checks": _quoted(idle)}
    if crowded := [check.code for check in dimension.checks if is_crowded(check)]:
        message = _("answers to %(checks)s are long for buttons; shorten them")
        yield "checks", message % {"checks": _quoted(crowded)}


def _quoted(codes: Sequence[str]) -> str:
    return _listed([f'"{code}"' for code in codes])


def _listed(words: Sequence[str]) -> str:
    *first_words, last = words
    if not first_words:
        return last
    joint = pgettext("between two names", " and ")
    return f"{', '.join(first_words)}{joint}{last}"
