"""Which scores are open, as tables of a rubric's pages."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape

from django.utils.functional import Promise
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

from ..judging.dimension import Dimension
from ..judging.kinds import Better, Effect
from ..judging.open_scores import (
    MOST_WORK,
    Answers,
    Rows,
    most_tries,
    open_scores,
    overruled_reasons,
    why_not,
)
from ..judging.parts import Check, Condition
from ..judging.rules import barred_scores
from ..judging.scales import is_typed, shade
from ..judging.schema import Rubric
from ..judging.verdict import Reason, Verdict
from .in_words import Words, language_of
from .word_lists import with_commas

NOT_WHOLE = gettext_lazy(
    "Some rows are left out: the dimension has too many checks and rules to look at all."
)
MOST_ROWS = 200  # of a dimension's open scores; its pairs of answers come last


@dataclass(frozen=True, slots=True)
class ScoreQuestion:
    """The score that a page asks about: why it is barred, and what would open it."""

    dimension: str | None = None  # its code
    row: str | None = None  # its key
    score: str | None = None


NO_QUESTION = ScoreQuestion()


@dataclass(frozen=True)
class ScoreSpan:
    """A score, or a run of neighbours where scores are typed."""

    words: str
    best: int
    shade: str
    label: str  # of a class


@dataclass(frozen=True)
class ScoreRow:
    """Some answers, and the scores that they leave open."""

    key: str
    facts: Sequence[str]
    open: Sequence[ScoreSpan]
    barred: Sequence[ScoreSpan]
    by: SafeString
    openings: Sequence[tuple[int, SafeString, int]]


@dataclass(frozen=True)
class ScoreTable:
    """The rows of a dimension."""

    dimension: Dimension
    bars: bool
    rows: Sequence[ScoreRow]
    left_out: int
    is_whole: bool
    not_whole: Promise
    unanswered: Sequence[Check]
    between: Sequence[SafeString]


def score_tables(
    rubric: Rubric, question: ScoreQuestion = NO_QUESTION, rubric_url: str = ""
) -> list[ScoreTable]:
    """Return the table of each dimension. Clauses are links to the page of the rubric."""
    looks = MOST_WORK // len(rubric.dimensions)
    tables = []
    for dimension in rubric.dimensions:
        words = Words(rubric, dimension)
        rows = open_scores(dimension, looks)
        ranking = [rule for rule in dimension.rules if rule.effect is Effect.RANK_BELOW]
        table = ScoreTable(
            dimension,
            bars=any(barred_scores(rule, dimension) for rule in dimension.target_rules),
            rows=[_table_row(words, *row, question, rubric_url) for row in rows[:MOST_ROWS]],
            left_out=len(rows[MOST_ROWS:]),
            is_whole=rows.is_whole,
            not_whole=NOT_WHOLE,
            unanswered=_unanswered(dimension, rows),
            between=[words.sentence(rule) for rule in ranking],
        )
        tables.append(table)
    return tables


def _unanswered(dimension: Dimension, open_rows: Rows) -> list[Check]:
    """Return the checks that have no answer in some row."""
    missing: set[str] = set()
    for _answers, verdict in open_rows:
        missing.update(verdict.missing)
    return [check for check, _facts in dimension.required_checks if check.code in missing]


def score_lines(rubric: Rubric) -> Iterator[tuple[str, ...]]:
    """Yield the rows of all tables as texts: dimension, facts, open, barred, by."""
    tables = score_tables(rubric)
    for table in tables:
        if not table.is_whole:
            yield table.dimension.code, str(NOT_WHOLE), "", "", ""
    for table in tables:
        code = table.dimension.code
        for row in table.rows:
            facts = "; ".join(row.facts) or _("nothing wrong")
            open_in_words = ", ".join(span.words for span in row.open)
            barred_in_words = ", ".join(span.words for span in row.barred)
            rules = unescape(strip_tags(row.by))
            yield code, facts, open_in_words, barred_in_words, rules


def _table_row(
    words: Words, answers: Answers, verdict: Verdict, question: ScoreQuestion, rubric_url: str
) -> ScoreRow:
    dimension = words.dimension
    key = ",".join(map(".".join, answers.items()))
    facts = [_answer(dimension, code, value) for code, value in answers.items()]
    barred = [bar.score for bar in verdict.barred]
    openings = []
    for score in barred:
        if question == ScoreQuestion(dimension.code, key, str(score)):
            opening = _opening(words, answers, score)
            openings.append((score, opening, most_tries(dimension)))
    return ScoreRow(
        key,
        facts,
        _spans(verdict.open, dimension),
        _spans(barred, dimension),
        _acting_rules(words, answers, verdict, rubric_url),
        openings,
    )


def _acting_rules(words: Words, answers: Answers, verdict: Verdict, rubric_url: str) -> SafeString:
    """Return the rules that bar scores, and those that lose to one that forces a score."""
    rules = _clauses_or_effects(verdict.acting_reasons, words, rubric_url)
    if verdict.forced is None:
        return rules
    lost = overruled_reasons(words.dimension, answers, verdict)
    if not lost:
        return rules
    others = _clauses_or_effects(lost, words, rubric_url)
    return format_html(_("{rules} beats {others}"), rules=rules, others=others)


def _answer(dimension: Dimension, code: str, value: str) -> str:
    """Return an answer as "Honest: no", a tick by its wording."""
    check = dimension.check(code)
    wordings = [answer.wording for answer in check.answers if answer.code == value]
    return ": ".join([check.wording, *wordings])


def _spans(possible_scores: Iterable[int], dimension: Dimension) -> list[ScoreSpan]:
    """Return the scores; where they are typed, runs of neighbours."""
    runs: list[list[int]] = []
    for score in possible_scores:
        if is_typed(dimension) and runs and score == runs[-1][-1] + 1:
            runs[-1].append(score)
        else:
            runs.append([score])
    spans = []
    for run in runs:
        ends = sorted({run[0], run[-1]})
        best = max(run, key=dimension.goodness)
        label = ""
        if dimension.better is Better.NONE:
            label = dimension.level(best).label
        words = "–".join(map(str, ends))
        spans.append(ScoreSpan(words, best, shade(dimension, best), label))
    return spans


def _clauses_or_effects(reasons: Iterable[Reason], words: Words, rubric_url: str) -> SafeString:
    """Return the clauses of rules, or what they do, each once."""
    rules = {rule.code: rule for rule in words.dimension.rules}
    names = dict[SafeString | str, None]()
    for reason in reasons:
        rule = rules[reason.rule]
        if rule.clause:
            link = '<a class="clause" href="{}#{}">{}</a>'
            name = format_html(link, rubric_url, rule.clause, rule.clause)
        else:
            unconditional = replace(rule, when=Condition())
            name = words.sentence(unconditional)
        names[name] = None
    return with_commas(names)


def _opening(words: Words, answers: Answers, score: int) -> SafeString:
    """Return what opens a score: "without Makes something up, with Honest: yes"; "" for nothing."""
    language = language_of(words.rubric)
    changes = []
    for code, value in why_not(words.dimension, answers, score).items():
        answer = _answer(words.dimension, code, value)
        fact = format_html('<b class="fact"{}>{}</b>', language, answer)
        change = _("without {fact}")
        if value:
            change = _("with {fact}")
        changes.append(format_html(change, fact=fact))
    return with_commas(changes)
