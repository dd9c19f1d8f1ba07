"""How an answer to an example of practice compares with what the example says."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from rubrics.judging.practice_rounds import UsableExample
from rubrics.judging.verdict import Reason
from tasks.rating_form.row_view import Row

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
