"""An example to practise on: its form at the desk, and its comparison with an answer.

The desk shows it to annotators, and pages of leads the answers to it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import chain

from django.utils.translation import gettext as _

from rubrics.judging.parts import COMMENT, Check
from rubrics.judging.practice_rounds import rubric_of_dimension
from rubrics.judging.verdict import Reason, Verdict
from tasks.answers.slot_answers import TICKED, Answers, FieldName
from tasks.models import Lease, PracticeAnswer, PracticeRound, Project
from tasks.rating_form.evaluate import evaluate
from tasks.rating_form.form import RatingForm
from tasks.rating_form.in_memory import TrialItem, example_as_item, unsaved_lease
from tasks.rating_form.item_view import ItemView
from tasks.rating_form.leased_item import item_view_of
from tasks.rating_form.rating_words import wording_of_answer
from tasks.rating_form.row_view import Row
from tasks.rating_form.seen_names import SETS

from .comparison import Comparison, Line


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


def _acting(row: Row) -> dict[str, Reason]:
    """Return why scores are barred or forced, by rule. Remarks are left out."""
    verdict = row.judgement
    if not isinstance(verdict, Verdict):
        return {}
    return {reason.rule: reason for reason in (*verdict.acting_reasons, *verdict.overridden)}


def _ticked(checks: Iterable[Check], row: Row) -> str:
    wordings = [check.wording for check in checks if check.code in row.facts]
    return ", ".join(wordings) or _("none")
