"""Judge a rating that comes from a file, by the rules of a rubric. No Django but translations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from rubrics.rules import judge_item
from rubrics.schema import COMMENT, Check, Clashes, Dimension, Judged, Without

from .grouping import RatedTarget, WholeRating
from .ratings import RatingRow
from .rows import LineError, excerpt, filled

TICKS = {"yes": "yes", "1": "yes", "true": "yes", "x": "yes", "y": "yes"}
NOT_ASKED = "not_asked"  # in place of a rule: the other answers leave the dimension out


@dataclass(frozen=True, slots=True)
class Break:
    """A rule that a score breaks, with its reason in words."""

    rule: str
    text: str


@dataclass(slots=True)
class ImportedScore:
    """A score of a rating from a file, as it will be stored."""

    row: RatingRow
    column: str
    value: int | None
    without: str
    checks: Mapping[str, str]
    open: Sequence[int] = ()
    clauses: Sequence[str] = ()
    breaks: list[Break] = field(default_factory=list)


def judged_scores(
    rating: WholeRating, dimension: Dimension, by_rules: bool
) -> dict[RatedTarget, ImportedScore] | LineError:
    """Return the scores of a rating in a dimension, by target, or its first error.

    Without `by_rules` the scale alone decides: the file has no checks.
    """
    found: dict[RatedTarget, ImportedScore] = {}
    for (target, code), row in rating.said.items():
        if code != dimension.code or code not in row.scores:
            continue
        column, value = row.scores[code]
        if value is not None and value not in dimension.scores:
            return _error(
                row,
                column,
                value,
                filled(_("is no score of “%(dimension)s”"), dimension=dimension.title),
                filled(
                    _("give %(lowest)s to %(highest)s"),
                    lowest=dimension.lowest,
                    highest=dimension.highest,
                ),
            )
        given = {**row.checks.get("", {}), **row.checks.get(code, {})}
        checks = given if row.own else answered((*dimension.checks, *dimension.shared), given)
        if wrong := [check for check in dimension.asked if _is_wrong(*check, checks)]:
            check = wrong[0][0]
            return _error(
                row,
                check.code,
                checks[check.code],
                filled(_("is no answer to “%(check)s”"), check=check.wording),
                filled(
                    _("give one of %(answers)s"),
                    answers=", ".join(each.code for each in check.answers),
                ),
            )
        without = ""
        if value is None:
            without = row.own.get("without") or (Without.BLANK.value if dimension.blank else "")
            if not without:
                continue
        found[target] = ImportedScore(row, column, value, without, checks, dimension.scores)
    if by_rules:
        _judge(dimension, found)
    return found


def answered(checks: Iterable[Check], given: Mapping[str, str]) -> dict[str, str]:
    """Return the answers to these checks among the cells of a file: "yes" for a tick."""
    said = {
        check.code: next(
            (each.code for each in check.answers if answer in (each.code, each.wording)), answer
        )
        if check.asked
        else TICKS.get(answer.lower(), "")
        for check in checks
        for answer in [given.get(check.code, "")]
    }
    return {code: answer for code, answer in said.items() if answer}


def _is_wrong(check: Check, _facts: object, given: Mapping[str, str]) -> bool:
    """Tell whether the answer to a check is none that the check has."""
    answer = given.get(check.code)
    return bool(answer) and answer not in [each.code for each in check.answers]


def _judge(dimension: Dimension, scores: Mapping[RatedTarget, ImportedScore]) -> None:
    """Note on each score which scores the rules leave open, and which rules it breaks."""
    keys = {str(number): score for number, score in enumerate(scores.values())}
    comment = {COMMENT: "yes"} if dimension.needs_comment else {}
    targets = [
        Judged(
            key,
            dimension.asserted_by(
                {**score.checks, **(comment if score.row.comment.strip() else {})}
            ),
            score.value,
            frozenset(score.checks),
            score.without,
        )
        for key, score in keys.items()
    ]
    verdicts = judge_item(dimension, targets)
    for key, verdict in verdicts.judgements:
        score = keys[key]
        if isinstance(verdict, Clashes):
            score.breaks += [
                Break(clash.clause or "+".join(clash.checks), clash.text)
                for clash in verdict.clashes
            ]
            continue
        score.open = verdict.open
        score.clauses = sorted({reason.clause for reason in verdict.acting} - {""})
        if score.value is None or score.value in verdict.open:
            continue
        reasons = verdict.bars(score.value)
        score.breaks += [Break(reason.rule, reason.text) for reason in reasons if not reason.beside]
        if not reasons:
            score.breaks.append(Break(NOT_ASKED, _("The other answers leave this question out.")))
    for pair in verdicts.out_of_order:
        keys[pair.lower].breaks.append(Break(pair.reason.rule, pair.reason.text))


def break_errors(
    rating: WholeRating, scores: Mapping[RatedTarget, ImportedScore]
) -> Iterator[LineError]:
    """Yield an error for each rule that a score of a rating breaks."""
    for score in scores.values():
        for each in score.breaks:
            yield LineError(
                score.row.line,
                score.column,
                excerpt(score.value),
                filled(_("breaks the rule %(rule)s: %(text)s"), rule=each.rule, text=each.text),
                _("correct it, or import such ratings with the rules that they break"),
                rating.item,
            )


def _error(row: RatingRow, column: str, value: object, reason: str, advice: str) -> LineError:
    return LineError(row.line, column, excerpt(value), reason, advice, row.item)
