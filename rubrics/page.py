"""Prepare a rubric for its pages: the parts, the examples as on the desk, clauses, and tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from itertools import groupby
from typing import Any

from django.utils.html import format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

from .in_words import Words, language_of, rules_of
from .open_scores import MOST_LOOKS, Given, beaten, most_tries, open_scores, why_not
from .rules import judge, reach
from .scales import is_typed, shade
from .schema import (
    Better,
    Check,
    Condition,
    Dimension,
    Effect,
    Example,
    Kind,
    Level,
    Reason,
    Rubric,
    Scope,
    Unit,
    Verdict,
)

NOT_WHOLE = gettext_lazy(
    "Some rows are left out: the dimension has too many checks and rules to look at all."
)
MOST_ROWS = 200  # of a dimension's open scores; its pairs of answers come last


def parts_of(rubric: Rubric) -> list[dict[str, Any]]:
    """Return the whole response and each dimension with all that a page shows of it."""
    return [_part(rubric, dimension) for dimension in rubric.parts]


def table_of(parts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the described scores of all scales, and a line for each scale with their levels.

    Four scales or fewer need no table: it has no scores.
    """
    scales = [part for part in parts if not part["is_typed"]]
    described = {level.score for part in scales for level in part["dimension"].levels}
    scores = sorted(described) if len(scales) > 4 else []
    lines = [(part, [part["dimension"].level(score) for score in scores]) for part in scales]
    return {"scores": scores, "lines": lines}


def _part(rubric: Rubric, dimension: Dimension) -> dict[str, Any]:
    anchor = f"dimension-{dimension.code}"
    questions = [check for check in dimension.lettered if check.asked]
    return {
        "id": anchor,
        "dimension": dimension,
        "is_typed": is_typed(dimension),
        "levels": [
            _level(level, dimension, f"{anchor}-{level.score}") for level in dimension.levels
        ],
        "groups": list(rules_of(dimension, rubric, anchor)),  # of rules
        "questions": questions,
        "ticks": [check for check in dimension.lettered if check.kind is Kind.TICK],
        # Candidate sets are scored: the page shows a diagram of them.
        "of_sets": dimension.unit is Unit.CANDIDATE_SET,
        "of_each_set": [check for check in questions if check.scope is Scope.TARGET],
        "of_the_corpus": [check for check in questions if check.scope is Scope.CORPUS],
    }


# --- levels and examples ---


def _level(level: Level, dimension: Dimension, anchor: str) -> dict[str, Any]:
    """Return a level with its examples, as the desk would show them."""
    return {
        "id": anchor,
        "level": level,
        "shade": shade(dimension, level.score),  # the colour of the score
        # The greatest stands first beside the item: that of the best level, or of the first class.
        "place": -level.score if dimension.better in (Better.LOW, Better.NONE) else level.score,
        "examples": [
            {
                "id": f"{anchor}-example-{number}",
                "example": example,
                "level": dimension.level(example.score),
                "shade": shade(dimension, example.score),
                "said": (said := list(said_in(example, dimension, dimension.checks))),
                # A rule sets the score, and not all questions are answered.
                "is_partial": sum(each["answer"] is not None for each in said)
                < len(dimension.asked),
            }
            for number, example in enumerate(level.examples, start=1)
        ],
    }


def said_in(
    example: Example, dimension: Dimension, checks: Iterable[Check]
) -> Iterator[dict[str, Any]]:
    """Yield the answers and ticks of an example to some checks, in their order.

    Each has its check, the answer (None for a tick), and whether it is good: no fault.

    If none of a check's facts is named, its answer is the one that asserts nothing. If a rule sets
    the score, the example names only the decisive facts, so no answer is inferred from absence.
    """
    verdict = judge(dimension, example.checks)
    is_set = isinstance(verdict, Verdict) and verdict.forced is not None
    for check in checks:
        if not check.asked:
            if check.code in example.checks:
                yield {
                    "check": check,
                    "answer": None,
                    "good": check.code not in dimension.faults,
                }
            continue
        asserting = next((each for each in check.answers if each.sets in example.checks), None)
        silent = [each for each in check.answers if not each.sets]
        is_sure = len(silent) == 1 and not is_set and check.when.holds(frozenset(example.checks))
        if answer := asserting or (silent[0] if is_sure else None):
            yield {
                "check": check,
                "answer": answer,
                "good": answer.code in dimension.faultless(check),
            }


# --- which scores are open ---


def score_tables(
    rubric: Rubric, asked: Sequence[str | None] = (), rubric_url: str = ""
) -> list[dict[str, Any]]:
    """Return the table of each dimension. Clauses are links to the page of the rubric.

    `asked` names a dimension, a row, and a score: the row then says what would open the score.
    """
    looks = MOST_LOOKS // len(rubric.dimensions)
    return [
        {
            "dimension": dimension,
            "bars": any(reach(rule, dimension) for rule in dimension.deciding),
            "rows": [_shown(words, *row, asked, rubric_url) for row in rows[:MOST_ROWS]],
            "left_out": len(rows[MOST_ROWS:]),
            "is_whole": rows.is_whole,
            "not_whole": NOT_WHOLE,
            "unanswered": [
                check
                for check, _facts in dimension.asked
                if any(check.code in verdict.missing for _given, verdict in rows)
            ],
            "between": [
                words.sentence(rule) for rule in dimension.rules if rule.effect is Effect.RANK_BELOW
            ],
        }
        for dimension in rubric.dimensions
        for words, rows in [(Words(rubric, dimension), open_scores(dimension, looks))]
    ]


def score_lines(rubric: Rubric) -> Iterator[tuple[str, ...]]:
    """Yield the rows of all tables as texts: dimension, facts, open, barred, by."""
    tables = score_tables(rubric)
    for table in tables:
        if not table["is_whole"]:
            yield table["dimension"].code, str(NOT_WHOLE), "", "", ""
    yield from (
        (
            table["dimension"].code,
            "; ".join(row["facts"]) or _("nothing wrong"),
            *(", ".join(span["words"] for span in row[name]) for name in ("open", "barred")),
            unescape(strip_tags(row["by"])),
        )
        for table in tables
        for row in table["rows"]
    )


def _shown(
    words: Words, given: Given, verdict: Verdict, asked: Sequence[str | None], rubric_url: str
) -> dict[str, Any]:
    """Return a row of a table."""
    dimension = words.dimension
    key = ",".join(".".join(each) for each in given.items())
    barred = [bar.score for bar in verdict.barred]
    by = _named(verdict.acting, words, rubric_url)
    lost = () if verdict.forced is None else beaten(dimension, given, verdict)
    return {
        "key": key,
        "facts": [_answer(dimension, *each) for each in given.items()],
        "open": _spans(verdict.open, dimension),
        "barred": _spans(barred, dimension),
        "by": format_html(
            _("{rules} beats {others}"), rules=by, others=_named(lost, words, rubric_url)
        )
        if lost
        else by,
        "asked": [
            (score, _opening(words, given, score), most_tries(dimension))
            for score in barred
            if [*asked] == [dimension.code, key, str(score)]
        ],
    }


def _answer(dimension: Dimension, code: str, value: str) -> str:
    """Return an answer as "Honest: no", a tick by its wording."""
    check = dimension.check(code)
    return ": ".join([check.wording, *(e.wording for e in check.answers if e.code == value)])


def _spans(scores: Iterable[int], dimension: Dimension) -> list[dict[str, Any]]:
    """Return the scores; where they are typed, runs of neighbours."""
    typed = is_typed(dimension)
    runs = groupby(enumerate(scores), lambda each: each[1] - each[0] if typed else each[0])
    return [
        {
            "words": "–".join(map(str, sorted({run[0], run[-1]}))),
            "best": (best := max(run, key=dimension.merit)),
            "shade": shade(dimension, best),
            "label": dimension.level(best).label if dimension.better is Better.NONE else "",
        }
        for run in ([score for _place, score in each] for _start, each in runs)
    ]


def _named(reasons: Iterable[Reason], words: Words, rubric_url: str) -> SafeString:
    """Return the clauses of rules, or what they do, each once."""
    rules = {rule.code: rule for rule in words.dimension.rules}
    named = (
        format_html('<a class="clause" href="{}#{}">{}</a>', rubric_url, rule.clause, rule.clause)
        if rule.clause
        else words.sentence(replace(rule, when=Condition()))
        for rule in (rules[reason.rule] for reason in reasons)
    )
    return format_html_join(", ", "{}", ((each,) for each in dict.fromkeys(named)))


def _opening(words: Words, given: Given, score: int) -> SafeString:
    """Return what opens a score: "without Makes something up, with Honest: yes"; "" for nothing."""
    changes = (
        format_html(
            _("with {fact}") if value else _("without {fact}"),
            fact=format_html(
                '<b class="fact"{}>{}</b>',
                language_of(words.rubric),
                _answer(words.dimension, code, value),
            ),
        )
        for code, value in why_not(words.dimension, given, score).items()
    )
    return format_html_join(", ", "{}", ((change,) for change in changes))
