"""Tables of the scores that are open after which answers, for the pages of a rubric.

There is a table for each dimension. `rubrics.judging.open_scores` says which answers have a row:

    Ticked or answered            Open   Barred   By
    nothing wrong                 5–7    1–4      RQ-4
    Honest: no + Language error   1      2–7      RQ-11 beats RQ-4
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.open_scores import (
    MOST_WORK,
    OpenRow,
    OpenTable,
    open_scores,
    overruled_reasons,
)
from ..judging.parts import Check, Condition
from ..judging.rules import barred_scores
from ..judging.scales import is_typed, shade
from ..judging.schema import Rubric
from ..judging.verdict import Reason
from .rule_sentences import RuleWriter
from .word_lists import with_commas

NOT_WHOLE = gettext_lazy(
    "Some rows are left out: the dimension has too many checks and rules to look at all."
)
MOST_ROWS = 200  # of a dimension's table; the pairs of answers come last and are left out first


@dataclass(frozen=True, slots=True)
class ScoreSpan:
    """A score, or a run of neighbours where scores are typed."""

    words: str  # "4" or "40–59"
    best: int  # the best score of the run
    shade: str  # the colour of the best score (`judging.scales.shade`)
    label: str  # of a class; "" on a scale


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """Some answers, and the scores that they leave open."""

    facts: Sequence[str]  # the answers in words; none if nothing is wrong
    open: Sequence[ScoreSpan]
    barred: Sequence[ScoreSpan]
    by: SafeString  # the rules that bar scores; "" if none does


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The rows of a dimension, and the notes below them."""

    dimension: Dimension
    bars: bool  # False if no rule bars a score: there is no table then
    rows: Sequence[ScoreRow]
    left_out: int  # the number of rows beyond MOST_ROWS
    is_whole: bool  # False if there was too much to judge
    not_whole: Promise  # the note for that
    unanswered: Sequence[Check]  # those without an answer in a row that does not name them
    between: Sequence[SafeString]  # the rules between responses, which bar no score of one alone


def score_tables(rubric: Rubric, rubric_url: str) -> list[ScoreTable]:
    """Return the table of each dimension, in order.

    Clauses are links to the page of the rubric: `rubric_url`.
    """
    work = MOST_WORK // len(rubric.dimensions)
    tables = []
    for dimension in rubric.dimensions:
        table_maker = _TableMaker(RuleWriter(rubric, dimension), rubric_url)
        tables.append(table_maker.table(open_scores(dimension, work)))
    return tables


@dataclass(frozen=True, slots=True)
class _TableMaker:
    """Makes the table of one dimension from its rows."""

    writer: RuleWriter
    rubric_url: str

    @property
    def dimension(self) -> Dimension:
        return self.writer.dimension

    def table(self, open_table: OpenTable) -> ScoreTable:
        dimension = self.dimension
        open_rows = open_table.open_rows
        between = []
        for rule in dimension.rules:
            if rule.effect is Effect.RANK_BELOW:
                between.append(self.writer.sentence(rule))
        return ScoreTable(
            dimension=dimension,
            bars=any(barred_scores(rule, dimension) for rule in dimension.target_rules),
            rows=[self._table_row(open_row) for open_row in open_rows[:MOST_ROWS]],
            left_out=len(open_rows[MOST_ROWS:]),
            is_whole=open_table.is_whole,
            not_whole=NOT_WHOLE,
            unanswered=_unanswered_checks(dimension, open_rows),
            between=between,
        )

    def _table_row(self, open_row: OpenRow) -> ScoreRow:
        barred_scores = [bar.score for bar in open_row.verdict.barred]
        return ScoreRow(
            facts=[self._in_words(code, answer) for code, answer in open_row.answers.items()],
            open=_spans(open_row.verdict.open, self.dimension),
            barred=_spans(barred_scores, self.dimension),
            by=self._acting_rules(open_row),
        )

    def _in_words(self, check_code: str, answer_code: str) -> str:
        """Return an answer as "Honest: no", a tick by its wording alone."""
        check = self.dimension.check(check_code)
        for answer in check.answers:
            if answer.code == answer_code:
                return f"{check.wording}: {answer.wording}"
        return check.wording

    def _acting_rules(self, open_row: OpenRow) -> SafeString:
        """Return the rules that bar scores, and those that lose to one that forces a score."""
        verdict = open_row.verdict
        rules = self._names_of_rules(verdict.acting_reasons)
        if verdict.forced is None:
            return rules
        overruled = overruled_reasons(self.dimension, open_row.answers, verdict)
        if not overruled:
            return rules
        others = self._names_of_rules(overruled)
        return format_html(_("{rules} beats {others}"), rules=rules, others=others)

    def _names_of_rules(self, reasons: Iterable[Reason]) -> SafeString:
        """Return the rules by their clauses, else by what they do; one name only once."""
        rule_by_code = {rule.code: rule for rule in self.dimension.rules}
        rule_names: list[SafeString] = []
        for reason in reasons:
            rule = rule_by_code[reason.rule]
            if rule.clause:
                link = '<a class="clause" href="{}#{}">{}</a>'
                name = format_html(link, self.rubric_url, rule.clause, rule.clause)
            else:
                # The row says when it acts, so that only its effect is named.
                unconditional = replace(rule, when=Condition())
                name = self.writer.sentence(unconditional)
            if name not in rule_names:
                rule_names.append(name)
        return with_commas(rule_names)


def _unanswered_checks(dimension: Dimension, open_rows: Sequence[OpenRow]) -> list[Check]:
    """Return the checks that have no answer in some row."""
    codes: set[str] = set()
    for open_row in open_rows:
        codes.update(open_row.verdict.missing)
    return [check for check, _facts in dimension.required_checks if check.code in codes]


def _spans(scores: Sequence[int], dimension: Dimension) -> list[ScoreSpan]:
    """Return a span for each score; where scores are typed, for each run of neighbours."""
    runs: list[list[int]] = []
    for score in scores:
        if is_typed(dimension) and runs and score == runs[-1][-1] + 1:
            runs[-1].append(score)
        else:
            runs.append([score])
    return [_span(run, dimension) for run in runs]


def _span(run: Sequence[int], dimension: Dimension) -> ScoreSpan:
    """Return the span of a run of neighbouring scores, in order."""
    words = str(run[0])
    if len(run) > 1:
        words = f"{run[0]}–{run[-1]}"
    best = max(run, key=dimension.goodness)
    label = ""
    if dimension.better is Better.NONE:
        label = dimension.level(best).label
    return ScoreSpan(words, best, shade(dimension, best), label)
