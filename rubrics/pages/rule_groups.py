"""The rules of a dimension for the page of its rubric: grouped by what they do, and in words.

`rubric_page` shows the groups below the levels and checks of the dimension, each with its title and
its note. `rule_sentences` writes the words.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from ..judging.dimension import Dimension
from ..judging.kinds import Effect
from ..judging.parts import Rule
from ..judging.reasons import reason_text
from ..judging.schema import Rubric
from .rule_sentences import MOST_NAMED, RuleWriter


class Group(Enum):
    """The groups of rules, in page order."""

    SETS_SCORE = auto()
    HIGHEST = auto()
    LOWEST = auto()
    NOT_TOGETHER = auto()
    BETWEEN_RESPONSES = auto()
    REMARKS = auto()

    @property
    def title(self) -> str:
        """The heading."""
        return str(TITLES[self])

    @property
    def note(self) -> str:
        """A note on all rules of the group, or ""."""
        return str(NOTES.get(self, ""))


TITLES: dict[Group, Promise] = {
    Group.SETS_SCORE: _("Sets the score"),
    Group.HIGHEST: _("Highest score"),
    Group.LOWEST: _("Lowest score"),
    Group.NOT_TOGETHER: _("Do not go together"),
    Group.BETWEEN_RESPONSES: _("Between responses"),
    Group.REMARKS: _("Questions that bar no score"),
}
NOTES: dict[Group, Promise] = {
    Group.SETS_SCORE: _(
        "These rules beat all others. If several apply, the first one here decides."
    ),
    Group.NOT_TOGETHER: _(
        "You are asked to remove one of them. If a rule sets the score, what does not go with"
        " it is not counted."
    ),
    Group.REMARKS: _("You can keep your score. The question is saved with it."),
}
# The groups of the effects, except for REQUIRE, and for ADVISE between responses (`_group_of`).
GROUPS = {
    Effect.FORCE: Group.SETS_SCORE,
    Effect.CAP: Group.HIGHEST,
    Effect.FLOOR: Group.LOWEST,
    Effect.EXCLUDE: Group.NOT_TOGETHER,
    Effect.RANK_BELOW: Group.BETWEEN_RESPONSES,
    Effect.ADVISE: Group.REMARKS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleInWords:
    """A rule in words, and an example of the message that the desk shows for it."""

    id: str  # of its element on the page
    clause: str
    sentence: SafeString
    counted: tuple[str, ...]  # the labels of the facts that the sentence only counts
    at_desk: str
    reading: str  # the code of the guidance on which it rests, or ""


@dataclass(frozen=True, slots=True)
class RulesOfGroup:
    """The rules of one group."""

    group: Group
    rules_in_words: tuple[RuleInWords, ...]  # at least one


def rule_groups(dimension: Dimension, rubric: Rubric, anchor: str) -> Iterator[RulesOfGroup]:
    """Yield the groups of a dimension that have rules. `anchor` is the prefix of the rules' ids."""
    rules_of_group: dict[Group, list[Rule]] = {group: [] for group in Group}
    for rule in dimension.rules:
        rules_of_group[_group_of(rule, dimension)].append(rule)
    # Same order as in the rule engine: the highest precedence wins, then the lower score.
    rules_of_group[Group.SETS_SCORE].sort(key=lambda rule: (-rule.precedence, rule.score or 0))
    writer = RuleWriter(rubric, dimension)
    for group, rules in rules_of_group.items():
        if rules:
            yield RulesOfGroup(group, tuple(_in_words(writer, rule, anchor) for rule in rules))


def _group_of(rule: Rule, dimension: Dimension) -> Group:
    """Return the group of a rule. A `require` stands with the end of the scale that it guards."""
    if rule.effect is Effect.REQUIRE:
        if 2 * min(rule.scores) > dimension.lowest + dimension.highest:
            return Group.HIGHEST
        return Group.LOWEST
    if rule.between:
        return Group.BETWEEN_RESPONSES
    return GROUPS[rule.effect]


def _in_words(writer: RuleWriter, rule: Rule, anchor: str) -> RuleInWords:
    dimension = writer.dimension
    return RuleInWords(
        id=f"{anchor}-rule-{rule.code}",
        clause=rule.clause,
        sentence=writer.sentence(rule),
        counted=writer.counted_labels(rule),
        at_desk=reason_text(rule, dimension, _example_facts(rule, dimension)).text,
        reading=rule.reading,
    )


def _example_facts(rule: Rule, dimension: Dimension) -> frozenset[str]:
    """Return facts that make a rule act, so that its message has names in it, but not too many."""
    when = rule.when
    facts = {*when.all_of[:MOST_NAMED], *when.any_of[:1], *rule.against[:1]}
    facts.update(when.of[: min(when.at_least, MOST_NAMED)])
    # A message names the facts that a `require` lacks. The ones after these count as ticked, and so
    # are left out.
    facts.update(rule.needs.positive[MOST_NAMED:])
    if rule.remark:
        facts.update(_capping_facts(rule, dimension)[:1])
    return frozenset(facts)


def _capping_facts(rule: Rule, dimension: Dimension) -> list[str]:
    """Return the facts that cap the score and that a rule does not need."""
    capping_facts: list[str] = []
    for cap in dimension.rules:
        if cap.effect is Effect.CAP:
            capping_facts += [fact for fact in cap.when.positive if fact not in rule.needs.positive]
    return capping_facts
