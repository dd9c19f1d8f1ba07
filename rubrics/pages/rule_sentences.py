"""Sentences that say in plain words what the rules of a rubric do, as condition and effect.

"If Language error and not Honest: at most 3". The rubric's own words stay as written, in
`<b class="fact">`; the words around them are in the reader's language.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import assert_never

from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect, Unit
from ..judging.parts import COMMENT, Condition, Rule
from ..judging.schema import Rubric
from .language_marks import language_of
from .word_lists import and_list, conjunction, or_list, with_commas

# A list of more facts is only counted in a sentence: "one of: 36 checks".
MOST_NAMED = 9
# The effects whose sentence is nothing but the one score that the rule names.
EFFECTS = {
    Effect.FORCE: gettext_lazy("scores {score}"),
    Effect.CAP: gettext_lazy("at most {score}"),
    Effect.FLOOR: gettext_lazy("at least {score}"),
}


@dataclass(frozen=True)
class RuleWriter:
    """Writes sentences on the rules and conditions of one dimension.

    A rule or condition names facts by their codes. `dimension` has the words for them.
    """

    rubric: Rubric
    dimension: Dimension

    def sentence(self, rule: Rule) -> SafeString:
        """Return a rule as condition and effect."""
        match rule.effect:
            case Effect.FORCE | Effect.CAP | Effect.FLOOR:
                words = str(EFFECTS[rule.effect])
                effect = format_html(words, score=rule.score)
            case Effect.REQUIRE:
                effect = self._require_effect(rule)
            case Effect.RANK_BELOW:
                effect = self._rank_below_effect(rule)
            case Effect.EXCLUDE:
                return self._exclude_sentence(rule)
            case Effect.ADVISE if rule.between:
                return self._twins_sentence(rule)
            case Effect.ADVISE:
                return self._advise_sentence(rule)
            case _:
                assert_never(rule.effect)
        if not rule.when.names:
            return effect
        condition = self.condition(rule.when)
        return format_html(_("If {condition}: {effect}"), condition=condition, effect=effect)

    def plain_sentence(self, rule: Rule) -> str:
        """Return a rule as condition and effect, without any marks."""
        return _in_plain_text(self.sentence(rule))

    def _require_effect(self, rule: Rule) -> SafeString:
        """Return "7 only with A", or "6 and 7 only with A, or all of: B, C"."""
        first, *others = rule.ways
        needs = self._requirement(first)
        for way in others:
            needs = format_html(_("{one}, or {other}"), one=needs, other=self._requirement(way))
        scores = and_list(rule.scores)
        return format_html(_("{scores} only with {needs}"), scores=scores, needs=needs)

    def _requirement(self, needs: Condition) -> SafeString:
        """Return a condition as what a score needs: "all of: A, B, and none of: C"."""
        parts = []
        if needs.all_of:
            parts.append(self._one_or_list(needs.all_of, _("all of: {facts}")))
        if needs.any_of:
            parts.append(self._one_or_list(needs.any_of, _("one of: {facts}")))
        if needs.of:
            words = _("{number} or more of: {facts}")
            parts.append(self._one_or_list(needs.of, words, number=needs.at_least))
        if needs.none_of:
            names = self._comma_list(needs.none_of)
            parts.append(format_html(_("none of: {facts}"), facts=names))
        return conjunction(parts)

    def _one_or_list(self, facts: Sequence[str], words: str, number: int = 0) -> SafeString:
        """Return the name of a single fact alone; several in these words."""
        names = self._comma_list(facts)
        if len(facts) == 1:
            return names
        return format_html(words, facts=names, number=number)

    def _rank_below_effect(self, rule: Rule) -> SafeString:
        """Return how the score must compare with the scores of other targets."""
        is_of_response = self.dimension.unit is Unit.RESPONSE
        is_low_better = self.dimension.better is Better.LOW
        if is_low_better and is_of_response:
            effect = _("must score higher than every response without it")
        elif is_low_better:
            effect = _("must score higher than every candidate set without it")
        elif is_of_response:
            effect = _("must score lower than every response without it")
        else:
            effect = _("must score lower than every candidate set without it")
        if rule.score is None:
            return format_html("{}", effect)
        return format_html(_("{effect} (both may be {score})"), effect=effect, score=rule.score)

    def _exclude_sentence(self, rule: Rule) -> SafeString:
        """Return which facts do not go together."""
        together = self.condition(rule.when)
        if rule in self.dimension.silencing_rules:
            return format_html(_("Not together: {facts} and anything else"), facts=together)
        if len(rule.when.names) == len(rule.against) == 1:
            facts = self._comma_list((*rule.when.names, *rule.against))
            return format_html(_("Not together: {facts}"), facts=facts)
        others = self._any_of(rule.against)
        words = _("Not together: {facts} with {others}")
        return format_html(words, facts=together, others=others)

    def _advise_sentence(self, rule: Rule) -> SafeString:
        """Return at which scores the desk asks once, and if what holds."""
        scores = or_list(rule.scores)
        if rule.when.names:
            words = _("At {scores}, if {condition}: we ask once")
            condition = self.condition(rule.when)
            question = format_html(words, scores=scores, condition=condition)
        else:
            question = format_html(_("At {scores}: we ask once"), scores=scores)
        if rule.unbound:
            words = _("{question}, unless another response binds it")
            return format_html(words, question=question)
        return question

    def _twins_sentence(self, rule: Rule) -> SafeString:
        """Return when the desk asks about two responses that are nearly the same."""
        if not rule.unless_one:
            words = _(
                "If two responses differ only in punctuation but have different scores: we ask once"
            )
            return format_html("{}", words)
        words = _(
            "If two responses differ only in punctuation but have different scores: "
            "we ask once, unless only one of them has {facts}"
        )
        return format_html(words, facts=self._any_of(rule.unless_one))

    def condition(self, when: Condition) -> SafeString:
        """Return a condition: "A and B, and not C". It must name a fact."""
        parts = []
        if when.all_of:
            names = self._names(when.all_of, _("all of {number} checks"))
            parts.append(and_list(names))
        if when.any_of:
            parts.append(self._any_of(when.any_of))
        if when.at_least == 1:
            parts.append(self._any_of(when.of))
        elif when.at_least:
            words = _("at least {number} of {facts}")
            facts = self._comma_list(when.of)
            parts.append(format_html(words, number=when.at_least, facts=facts))
        if when.none_of:
            facts = self._comma_list(when.none_of)
            if len(when.none_of) == 1:
                parts.append(format_html(_("not {fact}"), fact=facts))
            else:
                parts.append(format_html(_("none of {facts}"), facts=facts))
        return conjunction(parts)

    def plain_condition(self, when: Condition) -> str:
        """Return a condition without any marks."""
        return _in_plain_text(self.condition(when))

    def _comma_list(self, facts: Sequence[str]) -> SafeString:
        """Return "A, B, C"."""
        return with_commas(self._names(facts, _("{number} checks")))

    def _any_of(self, facts: Sequence[str]) -> SafeString:
        """Return "A, B or C"."""
        return or_list(self._names(facts, _("any of {number} checks")))

    def _names(self, facts: Sequence[str], words_for_many: str) -> Iterator[SafeString]:
        """Yield the marked names of facts; where they are too many, only their number."""
        if len(facts) > MOST_NAMED:
            yield format_html(words_for_many, number=len(facts))
            return
        language = language_of(self.rubric)
        for fact in facts:
            if fact == COMMENT and self.dimension.needs_comment:
                yield format_html("{}", _("a comment"))
            else:
                label = self.dimension.labels[fact]
                yield format_html('<b class="fact"{}>{}</b>', language, label)

    def counted_labels(self, rule: Rule) -> tuple[str, ...]:
        """Return the labels of the facts that the sentence on a rule counts instead of naming."""
        lists = []
        for condition in (rule.when, *rule.ways):
            lists += [condition.all_of, condition.any_of, condition.of, condition.none_of]
        if rule not in self.dimension.silencing_rules:
            lists += [rule.against, rule.unless_one]
        counted: set[str] = set()
        for facts in lists:
            if len(facts) > MOST_NAMED:
                counted.update(facts)
        labels = self.dimension.labels
        return tuple(labels[fact] for fact in self.dimension.facts if fact in counted)


def rule_in_words(rubric: Rubric, dimension: Dimension, code: str) -> str:
    """Return "CODE: SENTENCE" for a rule, without any marks; the code alone if there is no rule."""
    for rule in dimension.rules:
        if rule.code == code:
            return f"{code}: {RuleWriter(rubric, dimension).plain_sentence(rule)}"
    return code


def _in_plain_text(sentence: SafeString) -> str:
    """Return a sentence in HTML as plain text."""
    return unescape(strip_tags(sentence))
