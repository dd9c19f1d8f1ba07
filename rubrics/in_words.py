"""Describe the rules of a rubric in plain words, as condition and effect.

The rubric's own words stay as written; the words around them are in the reader's language.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from html import unescape
from typing import Any, assert_never

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import apnumber
from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as _, gettext_lazy

from .differences import Sentence
from .document import dump
from .reasons import stated
from .rules import best_answers, judge
from .schema import (
    COMMENT,
    Better,
    Clashes,
    Condition,
    Dimension,
    Effect,
    Rubric,
    Rule,
    Unit,
    Verdict,
    verdict_language,
)

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
class ShownRule:
    """A rule in words, and an example of the message that the desk shows for it."""

    id: str
    clause: str
    sentence: SafeString
    at_desk: str
    reading: str  # the code of the guidance on which it rests, or ""
    counted: tuple[str, ...] = ()  # the facts that the sentence only counts


def consequence(dimension: Dimension, fact: str) -> str:
    """Say which scores one fact leaves open, with all else at its best; or which ones need it."""
    if any(
        rule.effect is Effect.RANK_BELOW and fact in rule.when.positive for rule in dimension.rules
    ):
        return (
            _("scores above the others")
            if dimension.better is Better.LOW
            else _("ranks below the others")
        )
    left = _left_by(dimension, fact)
    if isinstance(left, Clashes) or not left.barred:
        needing = sorted(
            {each for rule in dimension.rules if fact in rule.needed for each in rule.scores}
        )
        return (
            _("needed for %(scores)s") % {"scores": _all(needing)}
            if needing
            else _("bars no score")
        )
    if left.forced is not None:
        return _("makes it %(score)s") % {"score": left.forced}
    if not left.open:
        return _("the other answers decide") if left.missing else _("leaves no score")
    for number, more in _left_by_some(dimension, fact):
        if more.open != left.open:
            return _("%(scores)s, %(number)s of them %(more)s") % {
                "scores": _in_short(left.open),
                "number": apnumber(number),
                "more": _in_short(more.open),
            }
    only = _("only %(score)s") if len(left.open) == 1 else "%(score)s"
    return only % {"score": _in_short(left.open)}


def _in_short(scores: Sequence[int]) -> str:
    """Return scores as "4", "3 or 4" or "2 to 4"."""
    low, high = ends = scores[0], scores[-1]
    if low == high:
        return str(low)
    words = _("%(low)s or %(high)s") if tuple(scores) == ends else _("%(low)s to %(high)s")
    return words % {"low": low, "high": high}


def _left_by_some(dimension: Dimension, fact: str) -> Iterator[tuple[int, Verdict]]:
    """Yield what so many facts leave open together, if a `require` asks for so many of them."""
    for rule in dimension.rules:
        for way in rule.ways:
            if fact not in way.of or way.at_least < 2:
                continue
            others = [name for name in way.of if name != fact][: way.at_least - 1]
            left = _left_by(dimension, fact, *others)
            if isinstance(left, Verdict) and left.open:
                yield way.at_least, left


@lru_cache(maxsize=1024)
def _left_by(dimension: Dimension, *some: str) -> Verdict | Clashes:
    # A `require` is left out if no question can give what it needs, only another tick can.
    left_out = frozenset(
        rule.code
        for rule in dimension.rules
        if rule.effect is Effect.REQUIRE
        and {*some}.isdisjoint(rule.when.names)
        and all({*some}.isdisjoint(way.none_of) for way in rule.ways)
        and not any(_names_one(rule, facts) for _, facts in dimension.asked)
    )
    dimension = _asked_without(dimension, left_out)
    best = list(best_answers(dimension, some))
    facts = {*some, *(answer.sets for _check, answer in best if answer.sets)}
    return judge(dimension, facts, answered=[check.code for check, _answer in best])


@lru_cache(maxsize=256)  # most facts leave the same rules, and a dimension is dear to hash
def _asked_without(dimension: Dimension, codes: frozenset[str]) -> Dimension:
    """Return a dimension as if it were asked, without the rules of some codes."""
    rules = tuple(rule for rule in dimension.rules if rule.code not in codes)
    # `replace` does not copy `shared`.
    return replace(dimension, rules=rules, when=Condition()).beside(dimension.shared)


def rules_of(
    dimension: Dimension, rubric: Rubric, anchor: str
) -> Iterator[tuple[Group, tuple[ShownRule, ...]]]:
    """Yield the rules of a dimension, grouped by effect. `anchor` is the prefix of their ids."""
    words = Words(rubric, dimension)
    groups: dict[Group, list[Rule]] = {group: [] for group in Group}
    for rule in dimension.rules:
        groups[_group_of(rule, dimension)].append(rule)
    # Same order as in the rule engine: the highest precedence wins, then the lower score.
    groups[Group.SETS].sort(key=lambda rule: (-rule.precedence, rule.score or 0))
    for group, rules in groups.items():
        if rules:
            yield (
                group,
                tuple(
                    ShownRule(
                        f"{anchor}-rule-{rule.code}",
                        rule.clause,
                        words.sentence(rule),
                        stated(rule, dimension, _instance(rule, dimension)).text,
                        rule.reading,
                        words.counted(rule),
                    )
                    for rule in rules
                ),
            )


def _group_of(rule: Rule, dimension: Dimension) -> Group:
    if rule.effect is Effect.REQUIRE:
        is_high = 2 * min(rule.scores) > dimension.lowest + dimension.highest
        return Group.HIGHEST if is_high else Group.LOWEST
    return Group.BETWEEN if rule.between else GROUPS[rule.effect]


def _instance(rule: Rule, dimension: Dimension) -> frozenset[str]:
    """Return facts that make the rule act, so that its reason can be shown with names in it."""
    when = rule.when
    facts = {
        *(*when.all_of[:MOST_NAMED], *when.any_of[:1], *when.of[: when.at_least][:MOST_NAMED]),
        *(*rule.against[:1], *rule.needs.positive[MOST_NAMED:]),
    }
    if rule.remark:
        caps = [each.when for each in dimension.rules if each.effect is Effect.CAP]
        others = (name for cap in caps for name in cap.positive if name not in rule.needs.positive)
        facts.update(list(others)[:1])
    return frozenset(facts)


@dataclass(frozen=True)
class Words:
    """A formatter for the rules of one dimension."""

    rubric: Rubric
    dimension: Dimension

    def sentence(self, rule: Rule) -> SafeString:
        """Return a rule as condition and effect, in HTML that marks the rubric's own words."""
        match rule.effect:
            case Effect.FORCE | Effect.CAP | Effect.FLOOR:
                effect = format_html(str(EFFECTS[rule.effect]), score=rule.score)
            case Effect.REQUIRE:
                effect = self._requirement(rule)
            case Effect.EXCLUDE:
                return self._exclusion(rule)
            case Effect.RANK_BELOW:
                effect = self._rank(rule)
            case Effect.ADVISE:
                return self._twins(rule) if rule.between else self._question(rule)
            case _:
                assert_never(rule.effect)
        if not rule.when.names:
            return effect
        return format_html(
            _("If {condition}: {effect}"), condition=self.condition(rule.when), effect=effect
        )

    def _requirement(self, rule: Rule) -> SafeString:
        ways = [self._way(way) for way in rule.ways]
        needs = ways[0]
        for way in ways[1:]:
            needs = format_html(_("{one}, or {other}"), one=needs, other=way)
        return format_html(_("{scores} only with {needs}"), scores=_all(rule.scores), needs=needs)

    def _way(self, needs: Condition) -> SafeString:
        """Return what a `require` needs: one of its conditions."""
        parts = [
            format_html(
                words if len(facts) > 1 or facts == needs.none_of else "{facts}",
                number=needs.at_least,
                facts=self._list(facts),
            )
            for facts, words in (
                (needs.all_of, _("all of: {facts}")),
                (needs.any_of, _("one of: {facts}")),
                (needs.of, _("{number} or more of: {facts}")),
                (needs.none_of, _("none of: {facts}")),
            )
            if facts
        ]
        return _one_and_other(parts)

    def _exclusion(self, rule: Rule) -> SafeString:
        together = self.condition(rule.when)
        if rule in self.dimension.silencing:
            return format_html(_("Not together: {facts} and anything else"), facts=together)
        if len(rule.when.names) == len(rule.against) == 1:
            return format_html(
                _("Not together: {facts}"), facts=self._list((*rule.when.names, *rule.against))
            )
        return format_html(
            _("Not together: {facts} with {others}"), facts=together, others=self._any(rule.against)
        )

    def _rank(self, rule: Rule) -> SafeString:
        effect = {
            (Unit.RESPONSE, False): _("must score lower than every response without it"),
            (Unit.RESPONSE, True): _("must score higher than every response without it"),
            (Unit.CANDIDATE_SET, False): _("must score lower than every candidate set without it"),
            (Unit.CANDIDATE_SET, True): _("must score higher than every candidate set without it"),
        }[self.dimension.unit, self.dimension.better is Better.LOW]
        if rule.score is None:
            return format_html("{}", effect)
        return format_html(_("{effect} (both may be {score})"), effect=effect, score=rule.score)

    def _question(self, rule: Rule) -> SafeString:
        scores = _any(rule.scores)
        if not rule.when.names:
            question = format_html(_("At {scores}: we ask once"), scores=scores)
        else:
            question = format_html(
                _("At {scores}, if {condition}: we ask once"),
                scores=scores,
                condition=self.condition(rule.when),
            )
        if not rule.unbound:
            return question
        return format_html(_("{question}, unless another response binds it"), question=question)

    def _twins(self, rule: Rule) -> SafeString:
        if not rule.unless_one:
            return format_html(
                "{}",
                _(
                    "If two responses differ only in punctuation but have different scores: "
                    "we ask once"
                ),
            )
        return format_html(
            _(
                "If two responses differ only in punctuation but have different scores: "
                "we ask once, unless only one of them has {facts}"
            ),
            facts=self._any(rule.unless_one),
        )

    def condition(self, when: Condition) -> SafeString:
        """Return a condition, in HTML as a sentence of a rule."""
        parts = []
        if when.all_of:
            parts.append(_all(self._facts(when.all_of, _("all of {number} checks"))))
        if when.any_of:
            parts.append(self._any(when.any_of))
        if when.at_least == 1:
            parts.append(self._any(when.of))
        elif when.at_least:
            parts.append(
                format_html(
                    _("at least {number} of {facts}"),
                    number=when.at_least,
                    facts=self._list(when.of),
                )
            )
        if len(when.none_of) == 1:
            parts.append(format_html(_("not {fact}"), fact=self._list(when.none_of)))
        elif when.none_of:
            parts.append(format_html(_("none of {facts}"), facts=self._list(when.none_of)))
        return _one_and_other(parts)

    def _facts(self, facts: Sequence[str], many: str) -> Iterator[SafeString]:
        """Yield the names of facts; if they are too many, how many they are, in these words."""
        if len(facts) > MOST_NAMED:
            yield format_html(many, number=len(facts))
        for fact in facts if len(facts) <= MOST_NAMED else ():
            if fact == COMMENT and self.dimension.needs_comment:
                yield format_html("{}", _("a comment"))
            else:
                label = self.dimension.labels[fact]
                yield format_html('<b class="fact"{}>{}</b>', language_of(self.rubric), label)

    def _list(self, facts: Sequence[str]) -> SafeString:
        return format_html_join(
            ", ", "{}", ((fact,) for fact in self._facts(facts, _("{number} checks")))
        )

    def _any(self, facts: Sequence[str]) -> SafeString:
        return _any(self._facts(facts, _("any of {number} checks")))

    def counted(self, rule: Rule) -> tuple[str, ...]:
        """Return the labels of the facts that the sentence on a rule counts instead of naming."""
        long = {
            fact
            for facts in (
                *_lists_of(rule.when),
                *(names for way in rule.ways for names in _lists_of(way)),
                *(() if rule in self.dimension.silencing else (rule.against, rule.unless_one)),
            )
            if len(facts) > MOST_NAMED
            for fact in facts
        }
        return tuple(self.dimension.labels[fact] for fact in self.dimension.facts if fact in long)


def in_sentences(rubric: Rubric) -> dict[str, Any]:
    """Return a rubric as a document whose rules and conditions are sentences."""
    document: dict[str, Any] = dump(rubric)
    places = [document, *document["dimensions"]]
    for part, said in zip((rubric.whole, *rubric.dimensions), places, strict=True):
        words = Words(rubric, part)
        whens = (part.when, *(check.when for check in part.checks))
        for when, entries in zip(whens, (said, *said.get("checks", ())), strict=True):
            if when.names:
                entries["when"] = Sentence(_plain(words.condition(when)), when)
        for rule, entries in zip(part.rules, said.get("rules", ()), strict=True):
            means = [entries.pop(name, None) for name in IN_SENTENCE]
            counted = "".join(f" ({fact})" for fact in words.counted(rule))
            entries["sentence"] = Sentence(_plain(words.sentence(rule)) + counted, means)
    return document


def rule_in_words(rubric: Rubric, dimension: Dimension, code: str) -> str:
    """Return a rule of a dimension by its code, as plain text: the code and the sentence."""
    words = Words(rubric, dimension)
    said = [_plain(words.sentence(rule)) for rule in dimension.rules if rule.code == code]
    return ": ".join([code, *said])


def _plain(sentence: SafeString) -> str:
    return unescape(strip_tags(sentence))


def language_of(written: Any) -> str:
    """Return lang and dir for an element with text of `written` only (WCAG 2.2, 3.1.2).

    `written` is anything with a `language`. Return "" if the page is in that language anyway.
    """
    return _marked(written.language)


def language_of_verdicts(written: Any) -> str:
    """Return lang and dir for what the program says in the words of a rubric, as `language_of`."""
    return _marked(verdict_language(written.language))


def _marked(language: str) -> str:
    if language == get_language():
        return ""
    is_rtl = language.partition("-")[0] in settings.LANGUAGES_BIDI
    return format_html(' lang="{}" dir="{}"', language, "rtl" if is_rtl else "ltr")


def _names_one(rule: Rule, facts: Iterable[str]) -> bool:
    """Return True if a `require` names one of the facts."""
    return any(not {*facts}.isdisjoint(way.names) for way in rule.ways)


def _lists_of(when: Condition) -> tuple[tuple[str, ...], ...]:
    """Return the lists of facts of a condition."""
    return (when.all_of, when.any_of, when.of, when.none_of)


def _all(parts: Iterable[object]) -> SafeString:
    """Join the parts: "A", "A and B", "A, B and C"."""
    return _joined(parts, _("{first} and {last}"))


def _any(parts: Iterable[object]) -> SafeString:
    """Join the parts: "A", "A or B", "A, B or C"."""
    return _joined(parts, _("{first} or {last}"))


def _joined(parts: Iterable[object], both: str) -> SafeString:
    *before, last = parts
    if not before:
        return format_html("{}", last)
    return format_html(
        both, first=format_html_join(", ", "{}", ((part,) for part in before)), last=last
    )


def _one_and_other(parts: Sequence[SafeString]) -> SafeString:
    """Join conditions that must all hold. Each may itself be a list, hence the comma."""
    whole, *others = parts
    for other in others:
        whole = format_html(_("{one}, and {other}"), one=whole, other=other)
    return whole
