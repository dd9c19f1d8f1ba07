"""An example to practise on: its form at the desk, and how an answer compares with the example."""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from rubrics.practice import Named, alone
from rubrics.schema import COMMENT, Better, Check, Dimension, Reason, Verdict
from tasks.answers import TICKED, Answers, FieldName
from tasks.models import Lease, PracticeAnswer, PracticeRound, Project
from tasks.rating_form.evaluate import SETS, evaluate
from tasks.rating_form.form import RatingForm, item_view_of
from tasks.rating_form.in_memory import Tried, example_as_item, unsaved_lease
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.view_models import EvaluatedForm, Row

FEW = 11  # scores of a scale; on a longer one a tenth of it is near


@dataclass(frozen=True, slots=True)
class Line:
    """The answers of both sides to one question, or their ticks."""

    about: str
    here: str
    there: str
    differs: bool
    reasons: tuple[Reason, ...] = ()  # of rules that act on one side only


@dataclass(frozen=True)
class Comparison:
    """Someone's answer to an example, beside what the example says."""

    named: Named
    here: Row
    there: Row
    lines: tuple[Line, ...]
    missed: tuple[Reason, ...]  # of rules that act on one side only, each rule once

    @property
    def dimension(self) -> Dimension:
        return self.named.dimension

    @property
    def difference(self) -> int | None:
        """How much too high the score is; None where that says nothing."""
        here, there = self.here.score, self.there.score
        is_plain = self.dimension.better is not Better.NONE and not self.dimension.given
        return None if here is None or there is None or not is_plain else here - there

    @property
    def is_exact(self) -> bool:
        """True for the same score; where the answers give it, for the same answers."""
        if self.dimension.given:
            return not any(line.differs for line in self.lines)
        return self.here.score == self.there.score

    @property
    def is_near(self) -> bool:
        """True within one, or within a tenth of a long scale; for classes, if they are equal."""
        if self.difference is None:
            return self.is_exact
        scores = self.dimension.scores
        most = (scores[-1] - scores[0]) / 10 if len(scores) > FEW else 1
        return abs(self.difference) <= most

    @property
    def is_equal(self) -> bool:
        """True if nothing differs, the answers included."""
        return self.is_exact and not any(line.differs for line in self.lines)

    @property
    def clauses(self) -> list[str]:
        """The clauses missed."""
        return sorted({reason.clause for reason in self.missed} - {""})

    @property
    def headline(self) -> str:
        """The outcome in one sentence, such as "It is a 4. You gave 6."."""
        said = {"there": self.its_score, "here": self.own_score}
        if self.dimension.better is Better.NONE:
            if self.is_exact:
                return _("It is “%(there)s”, as you said.") % said
            return _("It is “%(there)s”. You gave “%(here)s”.") % said
        if self.dimension.given:
            return _("As you said.") if self.is_exact else _("Some answers differ.")
        if self.is_exact:
            return _("It is a %(there)s, as you said.") % said
        return _("It is a %(there)s. You gave %(here)s.") % said

    @property
    def own_score(self) -> str:
        """The annotator's score in words."""
        return self._in_words(self.here)

    @property
    def its_score(self) -> str:
        """The score of the example in words."""
        return self._in_words(self.there)

    def _in_words(self, row: Row) -> str:
        is_class = self.dimension.better is Better.NONE
        return row.in_words.label if is_class or row.without else str(row.score)

    @property
    def distance(self) -> str:
        """How far the score is off, in words; "" if it is right or that says nothing."""
        off = self.difference or 0
        said = _("%(number)s too high") if off > 0 else _("%(number)s too low")
        return said % {"number": abs(off)} if off else ""


class Lesson:
    """An example of a round at the desk of its annotator."""

    def __init__(self, round_: PracticeRound, place: int) -> None:
        """Load the example at a place, from 1. Raises IndexError if there is none."""
        self.round, self.place, self.named = round_, place, round_.named(place)
        dimension, example = self.named.dimension, self.named.example
        project, rubric = copy(round_.project), copy(round_.rubric)
        project.rubric, project.asks_reasons = rubric, False
        project.consequences = Project.Consequences.ALWAYS
        rubric.schema = alone(round_.rubric.schema, dimension.code)
        item = example_as_item(project, dimension, place, example)
        self.lease: Lease = unsaved_lease(project, item, round_.annotator)
        self.dimension = rubric.schema.dimension(dimension.code)
        self.tried = Tried(item, self.dimension, example)

    @property
    def total(self) -> int:
        return len(self.round.examples)

    @property
    def answer(self) -> PracticeAnswer | None:
        """The stored answer, if there is one."""
        return self.round.answers_by_place.get(self.place)

    @property
    def compared(self) -> Comparison | None:
        """The stored answer beside the example."""
        if self.answer is None:
            return None
        return self.answer.compared or self.compare(self.answer.answers)

    @cached_property
    def view(self) -> ItemView:
        """The example as an item, without the annotator's answers about other corpora."""
        return replace(item_view_of(self.lease), about_corpora={})

    def form(self, sent: Mapping[str, str]) -> RatingForm:
        """Return the form that was sent. A comment counts as given."""
        return RatingForm(self.view, {**sent, **self._comments})

    @property
    def _comments(self) -> dict[str, str]:
        needs = self.view.rubric.dimensions[0].needs_comment
        responses = self.view.responses if needs else ()
        return {str(FieldName(each.key, COMMENT)): TICKED for each in responses}

    def compare(self, answers: Mapping[str, str]) -> Comparison:
        """Return how these answers, by field, compare with the example."""
        here = evaluate(self.view, Answers.read({**answers, **self._comments}), seen=[SETS])
        there = evaluate(self.view, self.tried.answers(self.view), seen=[SETS])
        own, its = (self._rows(each)[-1] for each in (here, there))
        acting = [_acting(self._rows(each)) for each in (here, there)]
        missed = {
            rule: reason
            for one, other in (acting[::-1], acting)
            for rule, reason in one.items()
            if rule not in other
        }
        lines = tuple(self._lines(self._rows(here), self._rows(there), missed))
        return Comparison(self.named, own, its, lines, tuple(missed.values()))

    def answer_of(self, form: RatingForm) -> PracticeAnswer:
        """Return the answer of a form that can be stored, not yet stored."""
        answers = {
            name: value
            for name, value in form.answers.fields().items()
            if FieldName.read(name).dimension != COMMENT
        }
        compared = self.compare(answers)
        answer = PracticeAnswer(
            example=self.named.name,
            answers=answers,
            score=compared.here.score,
            is_exact=compared.is_exact,
            is_near=compared.is_near,
            is_automatic=self.named.is_automatic,
            missed=compared.clauses,
        )
        answer.compared = compared
        return answer

    def _rows(self, evaluated: EvaluatedForm) -> list[Row]:
        """Return the row of the whole response, if there is one, and that of the dimension."""
        first = next(target for target in evaluated.targets if target.rows)
        return list(first.rows)

    def _lines(
        self, here: list[Row], there: list[Row], missed: Mapping[str, Reason]
    ) -> Iterator[Line]:
        left = dict(missed)
        for own, its in zip(here, there, strict=True):
            ticked = []
            for check in own.dimension.lettered:
                differ = {*check.facts} & (own.facts ^ its.facts)
                if not check.asked:
                    ticked.append((check, differ))
                    continue
                given, expected = (row.answers.to(check.code) for row in (own, its))
                if given and expected:
                    said = _wording(check, given), _wording(check, expected)
                    reasons = tuple(self._take(left, differ)) if given != expected else ()
                    yield Line(check.wording, *said, given != expected, reasons)
            if ticked:
                checks = [check for check, _facts in ticked]
                said = _ticked(checks, own), _ticked(checks, its)
                differ = {fact for _check, facts in ticked for fact in facts}
                yield Line(_("Ticks"), *said, bool(differ), tuple(self._take(left, differ)))

    def _take(self, left: dict[str, Reason], differ: set[str]) -> Iterator[Reason]:
        """Yield the reasons of the rules about these facts, and take them out."""
        rules = {rule.code: rule for rule in self.dimension.rules}
        for code in list(left):
            rule = rules[code]
            needed = (name for way in rule.ways for name in way.names)
            if not differ.isdisjoint((*rule.when.names, *needed)):
                yield left.pop(code)


def end_of(round_: PracticeRound) -> dict[str, Any]:
    """Return a round as pages show it: its figures, the clauses missed, each answer compared."""
    lessons = [Lesson(round_, place) for place in range(1, len(round_.examples) + 1)]
    answered = [(each, each.compared) for each in lessons if each.compared]
    missed = {
        reason.clause: {"reason": reason, "lesson": lesson, "compared": compared}
        for lesson, compared in reversed(answered)  # the first example of a clause stays
        for reason in compared.missed
        if reason.clause
    }
    return {
        "round": round_,
        "counts": round_.counts,
        "wanted": min(round_.project.practice_near, len(lessons)),
        "answered": answered,
        "missed": _told_once([missed[clause] for clause in sorted(missed)]),
    }


def _told_once(missed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mark the first entry of each example: its texts stand there alone."""
    places = [each["lesson"].place for each in missed]
    return [
        each | {"is_first": places.index(each["lesson"].place) == number}
        for number, each in enumerate(missed)
    ]


def _acting(rows: list[Row]) -> dict[str, Reason]:
    """Return why scores are barred or forced, by rule. Remarks are left out."""
    verdict = rows[-1].judgement
    if not isinstance(verdict, Verdict):
        return {}
    return {reason.rule: reason for reason in (*verdict.acting, *verdict.overridden)}


def _ticked(checks: list[Check], row: Row) -> str:
    return ", ".join(each.wording for each in checks if each.code in row.facts) or _("none")


def _wording(check: Check, given: str) -> str:
    return next((each.wording for each in check.answers if each.code == given), "")
