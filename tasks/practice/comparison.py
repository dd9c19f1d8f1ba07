"""An example to practise on: its form at the desk, and how an answer compares with the example."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import itemgetter

from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from rubrics.judging.parts import COMMENT, Check
from rubrics.judging.practice_rounds import UsableExample, rubric_of_dimension
from rubrics.judging.verdict import Reason, Verdict
from tasks.answers.slot_answers import TICKED, Answers, FieldName
from tasks.models import Lease, PracticeAnswer, PracticeRound, Project
from tasks.models.practice import RoundCounts
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.form import RatingForm
from tasks.rating_form.in_memory import TrialItem, example_as_item, unsaved_lease
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.leased_item import item_view_of
from tasks.rating_form.rating_words import wording_of_answer
from tasks.rating_form.row_view import Row
from tasks.rating_form.seen_names import SETS

FEW = 11  # scores of a scale; on a longer one a tenth of it is near


@dataclass(frozen=True, slots=True)
class Line:
    """The answers of both sides to one question, or their ticks."""

    about: str
    answer: str
    expected: str
    differs: bool
    reasons: tuple[Reason, ...] = ()  # of rules that act on one side only


@dataclass(frozen=True)
class Comparison:
    """Someone's answer to an example, beside what the example says."""

    example: UsableExample
    answer_row: Row
    expected: Row
    lines: tuple[Line, ...]
    missed: tuple[Reason, ...]  # of rules that act on one side only, each rule once

    @property
    def dimension(self) -> Dimension:
        return self.example.dimension

    @property
    def difference(self) -> int | None:
        """How much too high the score is; None where that says nothing."""
        if self.dimension.better is Better.NONE or self.dimension.given:
            return None
        score = self.answer_row.score
        expected = self.expected.score
        return None if score is None or expected is None else score - expected

    @property
    def is_exact(self) -> bool:
        """True for the same score; where the answers give it, for the same answers."""
        if self.dimension.given:
            return not any(line.differs for line in self.lines)
        return self.answer_row.score == self.expected.score

    @property
    def is_close(self) -> bool:
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
        scores = {"there": self.its_score, "here": self.score_in_words}
        if self.dimension.better is Better.NONE:
            if self.is_exact:
                return _("It is “%(there)s”, as you said.") % scores
            return _("It is “%(there)s”. You gave “%(here)s”.") % scores
        if self.dimension.given:
            return _("As you said.") if self.is_exact else _("Some answers differ.")
        if self.is_exact:
            return _("It is a %(there)s, as you said.") % scores
        return _("It is a %(there)s. You gave %(here)s.") % scores

    @property
    def score_in_words(self) -> str:
        """The annotator's score in words."""
        return self._in_words(self.answer_row)

    @property
    def its_score(self) -> str:
        """The score of the example in words."""
        return self._in_words(self.expected)

    def _in_words(self, row: Row) -> str:
        is_class = self.dimension.better is Better.NONE
        return row.in_words.label if is_class or row.without else str(row.score)

    @property
    def distance(self) -> str:
        """How far the score is off, in words; "" if it is right or that says nothing."""
        difference = self.difference or 0
        if not difference:
            return ""
        text = _("%(number)s too high") if difference > 0 else _("%(number)s too low")
        return text % {"number": abs(difference)}


class PracticeItem:
    """An example of a round at the desk of its annotator."""

    def __init__(self, round_: PracticeRound, place: int) -> None:
        """Load the example at a place, from 1. Raise IndexError if there is none."""
        self.round = round_
        self.place = place
        self.example = round_.example_at(place)
        dimension = self.example.dimension
        example = self.example.example
        project = copy(round_.project)
        rubric = copy(round_.rubric)
        project.rubric = rubric
        project.consequences = Project.Consequences.ALWAYS
        rubric.schema = rubric_of_dimension(round_.rubric.schema, dimension.code)
        item = example_as_item(project, dimension, place, example)
        self.lease: Lease = unsaved_lease(project, item, round_.annotator)
        self.dimension = rubric.schema.dimension(dimension.code)
        self.trial = TrialItem(item, self.dimension, example)

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
        return {str(FieldName(response.key, COMMENT)): TICKED for response in responses}

    def compare(self, answer_by_field: Mapping[str, str]) -> Comparison:
        """Return how these answers, by field, compare with the example."""
        rows = self._rows(Answers.read({**answer_by_field, **self._comments}))
        expected_rows = self._rows(self.trial.answers(self.view))
        acting = _acting(rows[-1])
        expected_acting = _acting(expected_rows[-1])
        missed: dict[str, Reason] = {}
        for rule in (*expected_acting, *acting):
            if rule not in acting:
                missed[rule] = expected_acting[rule]
            elif rule not in expected_acting:
                missed[rule] = acting[rule]
        lines = tuple(self._lines(rows, expected_rows, missed))
        reasons = tuple(missed.values())
        return Comparison(self.example, rows[-1], expected_rows[-1], lines, reasons)

    def answer_of(self, rating_form: RatingForm) -> PracticeAnswer:
        """Return the answer of a form that can be stored, not yet stored."""
        answers = rating_form.answers.fields()
        for name in list(answers):
            if FieldName.read(name).dimension == COMMENT:
                del answers[name]
        compared = self.compare(answers)
        answer = PracticeAnswer(
            example=self.example.name,
            answers=answers,
            score=compared.answer_row.score,
            is_exact=compared.is_exact,
            is_near=compared.is_close,
            is_automatic=self.example.is_automatic,
            missed=compared.clauses,
        )
        answer.compared = compared
        return answer

    def _rows(self, answers: Answers) -> tuple[Row, ...]:
        """Return the row of the whole response, if there is one, and that of the dimension."""
        evaluated = evaluate(self.view, answers, seen=[SETS])
        rows = [target.rows for target in evaluated.targets if target.rows]
        return rows[0]

    def _lines(
        self, answer_rows: Sequence[Row], expected_rows: Sequence[Row], missed: Mapping[str, Reason]
    ) -> Iterator[Line]:
        left = dict(missed)
        for row, expected in zip(answer_rows, expected_rows, strict=True):
            differing = row.facts ^ expected.facts
            ticks = [check for check in row.dimension.lettered_checks if not check.needs_answer]
            for check in row.dimension.lettered_checks:
                if not check.needs_answer:
                    continue
                answer = row.answers.to(check.code)
                right = expected.answers.to(check.code)
                if answer and right:
                    words = wording_of_answer(check, answer), wording_of_answer(check, right)
                    facts = differing.intersection(check.facts) if answer != right else ()
                    reasons = tuple(self._take(left, facts))
                    yield Line(check.wording, *words, answer != right, reasons)
            if ticks:
                words = _ticked(ticks, row), _ticked(ticks, expected)
                names = chain.from_iterable(check.facts for check in ticks)
                facts = differing.intersection(names)
                yield Line(_("Ticks"), *words, bool(facts), tuple(self._take(left, facts)))

    def _take(self, left: dict[str, Reason], facts: Collection[str]) -> Iterator[Reason]:
        """Yield the reasons of the rules about these facts, and take them out."""
        rules = {rule.code: rule for rule in self.dimension.rules}
        for code in list(left):
            rule = rules[code]
            needed = chain.from_iterable(way.names for way in rule.ways)
            if not {*rule.when.names, *needed}.isdisjoint(facts):
                yield left.pop(code)


@dataclass(frozen=True, slots=True)
class MissedClause:
    """A clause that was missed, at the first example of it."""

    reason: Reason
    practice_item: PracticeItem
    compared: Comparison
    is_first: bool  # of its example, whose texts stand there alone


@dataclass(frozen=True)
class RoundEnd:
    """A round as pages show it: its figures, the clauses missed, each answer compared."""

    round: PracticeRound
    counts: RoundCounts
    wanted: int
    answered: list[tuple[PracticeItem, Comparison]]
    missed: list[MissedClause]


def end_of(round_: PracticeRound) -> RoundEnd:
    """Return a round as pages show it."""
    items = [PracticeItem(round_, place) for place in range(1, len(round_.examples) + 1)]
    answered: list[tuple[PracticeItem, Comparison]] = []
    missed: dict[str, tuple[Reason, PracticeItem, Comparison]] = {}
    for item in items:
        compared = item.compared
        if compared:
            answered.append((item, compared))
            by_clause = {reason.clause: reason for reason in compared.missed if reason.clause}
            for clause, reason in by_clause.items():
                # The first example of a clause stays.
                missed.setdefault(clause, (reason, item, compared))
    places: set[int] = set()
    clauses = []
    for _clause, (reason, item, compared) in sorted(missed.items(), key=itemgetter(0)):
        clauses.append(MissedClause(reason, item, compared, item.place not in places))
        places.add(item.place)
    return RoundEnd(
        round=round_,
        counts=round_.counts,
        wanted=min(round_.project.practice_near, len(items)),
        answered=answered,
        missed=clauses,
    )


def _acting(row: Row) -> dict[str, Reason]:
    """Return why scores are barred or forced, by rule. Remarks are left out."""
    verdict = row.judgement
    if not isinstance(verdict, Verdict):
        return {}
    return {reason.rule: reason for reason in (*verdict.acting_reasons, *verdict.overridden)}


def _ticked(checks: Iterable[Check], row: Row) -> str:
    wordings = [check.wording for check in checks if check.code in row.facts]
    return ", ".join(wordings) or _("none")
