"""Describe the rules of a rubric in plain words, as condition and effect.

The rubric's own words stay as written; the words around them are in the reader's language.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from html import unescape
from typing import Any, TypeAlias, assert_never

from django.conf import settings
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as _, gettext_lazy

from ..documents.document import dump
from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect, Unit
from ..judging.parts import COMMENT, Condition, Rule
from ..judging.reasons import reason_text
from ..judging.schema import Rubric, verdict_language
from .differences import Sentence
from .word_lists import and_list, conjunction, or_list, with_commas

MOST_NAMED = 9  # facts in a sentence; more are counted
# The entries of a rule that its sentence says.
IN_SENTENCE = (
    *("effect", "when", "needs", "or_needs", "against"),
    *("score", "scores", "unless_one", "unbound"),
)


class Group(Enum):
    """The groups of rules, in page order. Each value is a heading and a note on all its rules."""

    SETS = (
        gettext_lazy("Sets the score"),
        gettext_lazy("These rules beat all others. If several apply, the first one here decides."),
    )
    HIGHEST = gettext_lazy("Highest score"), ""
    LOWEST = gettext_lazy("Lowest score"), ""
    APART = (
        gettext_lazy("Do not go together"),
        gettext_lazy(
            "You are asked to remove one of them. If a rule sets the score, what does not go with"
            " it is not counted."
        ),
    )
    BETWEEN = gettext_lazy("Between responses"), ""
    REMARKS = (
        gettext_lazy("Questions that bar no score"),
        gettext_lazy("You can keep your score. The question is saved with it."),
    )

    @property
    def title(self) -> str:
        return str(self.value[0])

    @property
    def note(self) -> str:
        return str(self.value[1])


# The groups of the effects, except for REQUIRE, and for ADVISE between responses.
GROUPS = {
    Effect.FORCE: Group.SETS,
    Effect.CAP: Group.HIGHEST,
    Effect.FLOOR: Group.LOWEST,
    Effect.EXCLUDE: Group.APART,
    Effect.RANK_BELOW: Group.BETWEEN,
    Effect.ADVISE: Group.REMARKS,
}
# The effects of rules that name one score, in words.
EFFECTS = {
    Effect.FORCE: gettext_lazy("scores {score}"),
    Effect.CAP: gettext_lazy("at most {score}"),
    Effect.FLOOR: gettext_lazy("at least {score}"),
}


@dataclass(frozen=True, slots=True)
class RuleInWords:
    """A rule in words, and an example of the message that the desk shows for it."""

    id: str
    clause: str
    sentence: SafeString
    at_desk: str
    reading: str  # the code of the guidance on which it rests, or ""
    counted: tuple[str, ...] = ()  # the facts that the sentence only counts


RuleGroup: TypeAlias = tuple[Group, tuple[RuleInWords, ...]]


def rules_of(dimension: Dimension, rubric: Rubric, anchor: str) -> Iterator[RuleGroup]:
    """Yield the rules of a dimension, grouped by effect. `anchor` is the prefix of their ids."""
    words = Words(rubric, dimension)
    groups: dict[Group, list[Rule]] = {group: [] for group in Group}
    for rule in dimension.rules:
        groups[_group_of(rule, dimension)].append(rule)
    # Same order as in the rule engine: the highest precedence wins, then the lower score.
    groups[Group.SETS].sort(key=lambda rule: (-rule.precedence, rule.score or 0))
    for group, rules in groups.items():
        if rules:
            yield group, tuple(words.rule(rule, anchor) for rule in rules)


def _group_of(rule: Rule, dimension: Dimension) -> Group:
    if rule.effect is Effect.REQUIRE:
        if 2 * min(rule.scores) > dimension.lowest + dimension.highest:
            return Group.HIGHEST
        return Group.LOWEST
    if rule.between:
        return Group.BETWEEN
    return GROUPS[rule.effect]


def _instance(rule: Rule, dimension: Dimension) -> frozenset[str]:
    """Return facts that make the rule act, so that its reason can be shown with names in it."""
    when = rule.when
    facts = {*when.all_of[:MOST_NAMED], *when.any_of[:1]}
    facts.update(when.of[: min(when.at_least, MOST_NAMED)])
    facts.update(rule.against[:1], rule.needs.positive[MOST_NAMED:])
    if rule.remark:
        facts.update(_capping_facts(rule, dimension)[:1])
    return frozenset(facts)


def _capping_facts(rule: Rule, dimension: Dimension) -> list[str]:
    """Return the facts that cap the score and that a rule does not need."""
    fact_names: list[str] = []
    for cap in dimension.rules:
        if cap.effect is Effect.CAP:
            fact_names += [name for name in cap.when.positive if name not in rule.needs.positive]
    return fact_names


@dataclass(frozen=True)
class Words:
    """A formatter for the rules of one dimension."""

    rubric: Rubric
    dimension: Dimension

    def rule(self, rule: Rule, anchor: str) -> RuleInWords:
        """Return a rule in words. `anchor` is the prefix of its id."""
        reason = reason_text(rule, self.dimension, _instance(rule, self.dimension))
        return RuleInWords(
            f"{anchor}-rule-{rule.code}",
            rule.clause,
            self.sentence(rule),
            reason.text,
            rule.reading,
            self.counted(rule),
        )

    def sentence(self, rule: Rule) -> SafeString:
        """Return a rule as condition and effect, in HTML that marks the rubric's own words."""
        match rule.effect:
            case Effect.FORCE | Effect.CAP | Effect.FLOOR:
                words = str(EFFECTS[rule.effect])
                effect = format_html(words, score=rule.score)
            case Effect.REQUIRE:
                effect = self._requirement(rule)
            case Effect.EXCLUDE:
                return self._exclusion(rule)
            case Effect.RANK_BELOW:
                effect = self._rank(rule)
            case Effect.ADVISE:
                if rule.between:
                    return self._twins(rule)
                return self._question(rule)
            case _:
                assert_never(rule.effect)
        if not rule.when.names:
            return effect
        condition = self.condition(rule.when)
        return format_html(_("If {condition}: {effect}"), condition=condition, effect=effect)

    def _requirement(self, rule: Rule) -> SafeString:
        needs, *others = map(self._way, rule.ways)
        for other in others:
            needs = format_html(_("{one}, or {other}"), one=needs, other=other)
        scores = and_list(rule.scores)
        return format_html(_("{scores} only with {needs}"), scores=scores, needs=needs)

    def _way(self, needs: Condition) -> SafeString:
        """Return what a `require` needs: one of its conditions."""
        lists = (
            (needs.all_of, _("all of: {facts}")),
            (needs.any_of, _("one of: {facts}")),
            (needs.of, _("{number} or more of: {facts}")),
            (needs.none_of, _("none of: {facts}")),
        )
        parts = []
        for facts, words in lists:
            if len(facts) > 1 or (facts and facts == needs.none_of):
                names = self._list(facts)
                parts.append(format_html(words, number=needs.at_least, facts=names))
            elif facts:
                parts.append(self._list(facts))
        return conjunction(parts)

    def _exclusion(self, rule: Rule) -> SafeString:
        together = self.condition(rule.when)
        if rule in self.dimension.silencing_rules:
            return format_html(_("Not together: {facts} and anything else"), facts=together)
        names = rule.when.names
        if len(names) == len(rule.against) == 1:
            facts = self._list((*names, *rule.against))
            return format_html(_("Not together: {facts}"), facts=facts)
        others = self._any(rule.against)
        words = _("Not together: {facts} with {others}")
        return format_html(words, facts=together, others=others)

    def _rank(self, rule: Rule) -> SafeString:
        of_response = self.dimension.unit is Unit.RESPONSE
        if self.dimension.better is Better.LOW:
            effect = _("must score higher than every candidate set without it")
            if of_response:
                effect = _("must score higher than every response without it")
        else:
            effect = _("must score lower than every candidate set without it")
            if of_response:
                effect = _("must score lower than every response without it")
        if rule.score is None:
            return format_html("{}", effect)
        return format_html(_("{effect} (both may be {score})"), effect=effect, score=rule.score)

    def _question(self, rule: Rule) -> SafeString:
        scores = or_list(rule.scores)
        if rule.when.names:
            words = _("At {scores}, if {condition}: we ask once")
            condition = self.condition(rule.when)
            question = format_html(words, scores=scores, condition=condition)
        else:
            question = format_html(_("At {scores}: we ask once"), scores=scores)
        if not rule.unbound:
            return question
        return format_html(_("{question}, unless another response binds it"), question=question)

    def _twins(self, rule: Rule) -> SafeString:
        if not rule.unless_one:
            words = _(
                "If two responses differ only in punctuation but have different scores: we ask once"
            )
            return format_html("{}", words)
        words = _(
            "If two responses differ only in punctuation but have different scores: "
            "we ask once, unless only one of them has {facts}"
        )
        return format_html(words, facts=self._any(rule.unless_one))

    def condition(self, when: Condition) -> SafeString:
        """Return a condition, in HTML as a sentence of a rule."""
        parts = []
        if when.all_of:
            facts = self._facts(when.all_of, _("all of {number} checks"))
            parts.append(and_list(facts))
        if when.any_of:
            parts.append(self._any(when.any_of))
        if when.at_least == 1:
            parts.append(self._any(when.of))
        elif when.at_least:
            words = _("at least {number} of {facts}")
            names = self._list(when.of)
            parts.append(format_html(words, number=when.at_least, facts=names))
        if when.none_of:
            names = self._list(when.none_of)
            if len(when.none_of) == 1:
                parts.append(format_html(_("not {fact}"), fact=names))
            else:
                parts.append(format_html(_("none of {facts}"), facts=names))
        return conjunction(parts)

    def _facts(self, facts: Sequence[str], many: str) -> Iterator[SafeString]:
        """Yield the names of facts; if they are too many, how many they are, in these words."""
        if len(facts) > MOST_NAMED:
            yield format_html(many, number=len(facts))
            return
        language = language_of(self.rubric)
        for fact in facts:
            if fact == COMMENT and self.dimension.needs_comment:
                yield format_html("{}", _("a comment"))
            else:
                label = self.dimension.labels[fact]
                yield format_html('<b class="fact"{}>{}</b>', language, label)

    def _list(self, facts: Sequence[str]) -> SafeString:
        return with_commas(self._facts(facts, _("{number} checks")))

    def _any(self, facts: Sequence[str]) -> SafeString:
        return or_list(self._facts(facts, _("any of {number} checks")))

    def counted(self, rule: Rule) -> tuple[str, ...]:
        """Return the labels of the facts that the sentence on a rule counts instead of naming."""
        lists = [*_lists_of(rule.when)]
        for way in rule.ways:
            lists += _lists_of(way)
        if rule not in self.dimension.silencing_rules:
            lists += (rule.against, rule.unless_one)
        facts: set[str] = set()
        for names in lists:
            if len(names) > MOST_NAMED:
                facts.update(names)
        labels = self.dimension.labels
        return tuple(labels[fact] for fact in self.dimension.facts if fact in facts)


def in_sentences(rubric: Rubric) -> Mapping[str, object]:
    """Return a rubric as a document whose rules and conditions are sentences."""
    document = dump(rubric)
    contents = [document, *document["dimensions"]]
    parts = (rubric.whole_response, *rubric.dimensions)
    for part, content in zip(parts, contents, strict=True):
        words = Words(rubric, part)
        conditions = [part.when]
        conditions += [check.when for check in part.checks]
        places = (content, *content.get("checks", ()))
        for when, entries in zip(conditions, places, strict=True):
            if when.names:
                entries["when"] = Sentence(_plain(words.condition(when)), when)
        for rule, entries in zip(part.rules, content.get("rules", ()), strict=True):
            meaning = [entries.pop(name, None) for name in IN_SENTENCE]
            text = _plain(words.sentence(rule))
            for fact in words.counted(rule):
                text += f" ({fact})"
            entries["sentence"] = Sentence(text, meaning)
    return document


def rule_in_words(rubric: Rubric, dimension: Dimension, code: str) -> str:
    """Return a rule of a dimension by its code, as plain text: the code and the sentence."""
    words = Words(rubric, dimension)
    for rule in dimension.rules:
        if rule.code == code:
            return f"{code}: {_plain(words.sentence(rule))}"
    return code


def _plain(sentence: SafeString) -> str:
    return unescape(strip_tags(sentence))


def language_of(texts: Any) -> str:
    """Return lang and dir for an element with nothing but these texts (WCAG 2.2, 3.1.2).

    `texts` is anything with a `language`. Return "" if the page is in that language anyway.
    """
    return _marked(texts.language)


def language_of_verdicts(texts: Any) -> str:
    """Return lang and dir for what the program says in the words of a rubric, as `language_of`."""
    return _marked(verdict_language(texts.language))


def _marked(language: str) -> str:
    if language == get_language():
        return ""
    direction = "ltr"
    if language.partition("-")[0] in settings.LANGUAGES_BIDI:
        direction = "rtl"
    return format_html(' lang="{}" dir="{}"', language, direction)


def _lists_of(when: Condition) -> tuple[tuple[str, ...], ...]:
    """Return the lists of facts of a condition."""
    return (when.all_of, when.any_of, when.of, when.none_of)
