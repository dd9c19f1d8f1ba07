"""Rows of ratings → whole ratings, judged by the rules of a rubric. No Django but translations.

A whole rating is all that one rater says of one item. It has no more than one row for a target and
a dimension. With times, a later row is a correction: a revision of its own, which keeps all that it
does not change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Without
from rubrics.judging.parts import COMMENT, Check
from rubrics.judging.rules import judge_item
from rubrics.judging.verdict import Clashes, TargetState, Verdict
from tasks.answers.slot_answers import WHOLE

from ..columns.scoring import RatedTarget, RatingRow
from ..files.rows import LineError, excerpt, fill_in

TICKS = {"yes": "yes", "1": "yes", "true": "yes", "x": "yes", "y": "yes"}
NOT_ASKED = "not_asked"  # in place of a rule: the other answers leave the dimension out
Slot: TypeAlias = tuple[RatedTarget, str]  # a target and a dimension
RowsBySlot: TypeAlias = Mapping[Slot, RatingRow]


class RatingRefused(Exception):
    """A rating cannot be taken. The arguments are its errors."""


class Whose(NamedTuple):
    """The rating that a row is a part of."""

    item: str
    rater: int  # the key of an imported rater
    attempt: int


class WholeRating(NamedTuple):
    """All that one rater says of one item, in one revision."""

    item: str
    rater: int  # the key of an imported rater
    attempt: int
    rows_by_slot: RowsBySlot  # by target and dimension; a row without a score has the dimension ""
    fresh: RowsBySlot  # those that no earlier revision has
    first_row: RatingRow  # of them
    is_last: bool  # of its revisions in the file


@dataclass(slots=True)
class ImportedScore:
    """A score of a rating from a file, as it will be stored."""

    rating_row: RatingRow
    column: str
    value: int | None
    without: str
    check_answers: Mapping[str, str]
    open: Sequence[int] = ()
    broken_clauses: Sequence[str] = ()
    breaks: dict[str, str] = field(default_factory=dict)  # the names of rules, with the reasons


def whole_ratings(
    rating_rows: Iterable[RatingRow], raters: Mapping[str, int]
) -> Iterator[WholeRating | LineError]:
    """Yield ratings in the order in which they begin, and errors in place of others.

    `raters`: the keys of the raters by their names in the file; one may have two.
    """
    groups: dict[Whose, list[RatingRow]] = {}
    order: list[Whose] = []  # each of them once for each revision that the file numbers
    for row in rating_rows:
        attempt = int(row.exported.get("attempt") or 0)
        whose = Whose(row.item, raters[row.rater], attempt)
        group = groups.setdefault(whose, [])
        if _revision(row) not in map(_revision, group):
            order.append(whose)
        group.append(row)
    for whose in order:
        # What is read leaves the memory. A table that was sorted may have the latest first.
        group = groups.pop(whose)
        lowest = min(map(_revision, group))
        if later := [row for row in group if _revision(row) != lowest]:
            groups[whose] = later
        rows_of_revision = [row for row in group if _revision(row) == lowest]
        yield from _ratings_of(whose, rows_of_revision, has_later=bool(later))


def _ratings_of(
    whose: Whose, rating_rows: list[RatingRow], *, has_later: bool
) -> Iterator[WholeRating | LineError]:
    """Yield the ratings in the rows of one revision: times may say that some correct others.

    `has_later`: the file has a later revision.
    """
    *earlier, latest = _revisions(rating_rows)
    for revision in (*earlier, latest):
        if isinstance(revision, LineError):
            yield revision
            continue
        rows_by_slot, fresh = revision
        yield WholeRating(
            item=whose.item,
            rater=whose.rater,
            attempt=whose.attempt,
            rows_by_slot=rows_by_slot,
            fresh=fresh,
            first_row=next(iter(rows_by_slot.values())),
            is_last=revision is latest and not has_later,
        )


def _revision(rating_row: RatingRow) -> int:
    return int(rating_row.exported.get("revision") or 0)


def _revisions(rating_rows: list[RatingRow]) -> Iterator[tuple[RowsBySlot, RowsBySlot] | LineError]:
    """Yield what a rater says of an item after each correction, or why that is unclear.

    The second of the two is what no earlier revision has. Whatever comes last is never an error.
    """
    rows_by_slot: dict[Slot, RatingRow] = {}
    fresh: dict[Slot, RatingRow] = {}  # since the last revision
    if len(rating_rows) > 1 and all(row.at for row in rating_rows):
        rating_rows = sorted(rating_rows, key=attrgetter("at"))
    for row in rating_rows:
        dimensions = row.score_cells or row.check_cells or ("",)
        slots = [(row.target, dimension) for dimension in dimensions]
        if again := next((fresh[slot] for slot in slots if slot in fresh), None):
            if not (row.at and again.at and row.at > again.at):
                text = _("rates “%(item)s” again, after line %(line)s")
                reason = fill_in(text, item=row.item, line=again.line)
                advice = _("keep one of the two, or give each a time")
                yield fault(row, reason, advice, value=row.rater)
                continue  # the first counts
            yield dict(rows_by_slot), fresh
            fresh = {}
        for slot in slots:
            rows_by_slot[slot] = fresh[slot] = row
    yield rows_by_slot, fresh


def fault(
    rating_row: RatingRow, reason: str, advice: str, *, column: str = "", value: object = ""
) -> LineError:
    """Return an error of a row: of a value, or of what it says of its item."""
    text = excerpt(rating_row.item if value == "" else value)
    return LineError(rating_row.line, column, text, reason, advice, rating_row.item)


def imported_scores(
    rating: WholeRating, dimension: Dimension, *, by_rules: bool
) -> dict[RatedTarget, ImportedScore]:
    """Return the scores of a rating in a dimension, by target. Raises RatingRefused.

    Without `by_rules` the scale alone decides: the file has no checks.
    """
    scores_by_target: dict[RatedTarget, ImportedScore] = {}
    for (target, code), row in rating.rows_by_slot.items():
        if code != dimension.code or code not in row.score_cells:
            continue
        column, value = row.score_cells[code]
        cells = {**row.check_cells.get("", {}), **row.check_cells.get(code, {})}
        checks = cells if row.exported else answered((*dimension.checks, *dimension.shared), cells)
        _require_score(row, dimension)
        _require_answers(row, dimension, checks)
        blank = Without.BLANK.value if dimension.blank else ""
        exported = row.exported.get("without") or row.exported.get(f"{code}.without")
        without = "" if value is not None else exported or blank
        if value is not None or without:
            scores_by_target[target] = ImportedScore(
                row, column, value, without, checks, dimension.scores
            )
    if by_rules:
        _judge(dimension, scores_by_target)
    return scores_by_target


def _require_score(rating_row: RatingRow, dimension: Dimension) -> None:
    """Raise RatingRefused if a score is not on the scale."""
    column, value = rating_row.score_cells[dimension.code]
    if value is not None and value not in dimension.scores:
        reason = fill_in(_("is no score of “%(dimension)s”"), dimension=dimension.title)
        lowest, highest = dimension.lowest, dimension.highest
        advice = fill_in(_("give %(lowest)s to %(highest)s"), lowest=lowest, highest=highest)
        raise RatingRefused(fault(rating_row, reason, advice, column=column, value=value))


def _require_answers(
    rating_row: RatingRow, dimension: Dimension, check_answers: Mapping[str, str]
) -> None:
    """Raise RatingRefused if a check has an answer that it does not offer."""
    for check, _facts in dimension.required_checks:
        offered = [option.code for option in check.answers]
        answer = check_answers.get(check.code)
        if answer and answer not in offered:
            reason = fill_in(_("is no answer to “%(check)s”"), check=check.wording)
            advice = fill_in(_("give one of %(answers)s"), answers=", ".join(offered))
            raise RatingRefused(fault(rating_row, reason, advice, column=check.code, value=answer))


def answered(checks: Iterable[Check], cells_by_column: Mapping[str, str]) -> dict[str, str]:
    """Return the answers to these checks among the cells of a file: "yes" for a tick."""
    if not cells_by_column:
        return {}
    answers = {}
    for check in checks:
        cell = cells_by_column.get(check.code, "")
        answer = _option(check, cell) if check.needs_answer else TICKS.get(cell.lower(), "")
        if answer:
            answers[check.code] = answer
    return answers


def _option(check: Check, cell: str) -> str:
    """Return the code of the answer that a cell says, or the cell if it says none."""
    codes = (option.code for option in check.answers if cell in (option.code, option.wording))
    return next(codes, cell)


def _judge(dimension: Dimension, scores_by_target: Mapping[RatedTarget, ImportedScore]) -> None:
    """Note on each score which scores the rules leave open, and which rules it breaks.

    The rules know the scores by keys of their own, which are numbers here.
    """
    scores_by_key = {str(number): score for number, score in enumerate(scores_by_target.values())}
    targets = []
    for key, score in scores_by_key.items():
        # Our own export has those of the whole response apart.
        checks = {**score.rating_row.check_cells.get(WHOLE, {}), **score.check_answers}
        answers = dict(checks)
        if dimension.needs_comment and score.rating_row.comment.strip():
            answers[COMMENT] = "yes"
        facts = dimension.facts_of_answers(answers)
        target = TargetState(key, facts, score.value, frozenset(checks), score.without)
        targets.append(target)
    verdicts = judge_item(dimension, targets)
    for key, verdict in verdicts.judgements:
        if isinstance(verdict, Clashes):
            for clash in verdict.clashes:
                name = clash.clause or "+".join(clash.checks)
                scores_by_key[key].breaks[name] = clash.text
        else:
            _note(scores_by_key[key], verdict)
    # The order between targets is told of the lower one, and not again as what bars it.
    for pair in verdicts.out_of_order:
        scores_by_key[pair.lower].breaks[pair.reason.rule] = pair.reason.text


def _note(score: ImportedScore, verdict: Verdict) -> None:
    """Note on a score which scores are open, and what bars it if it is not."""
    score.open = verdict.open
    score.broken_clauses = sorted({reason.clause for reason in verdict.acting_reasons} - {""})
    if score.value is None or score.value in verdict.open:
        return
    reasons = verdict.bars(score.value)
    for reason in reasons:
        if not reason.binding_target:
            score.breaks[reason.rule] = reason.text
    if not reasons:
        score.breaks[NOT_ASKED] = _("The other answers leave this question out.")


def break_errors(file_scores: Iterable[ImportedScore]) -> list[LineError]:
    """Return an error for each rule that a score breaks."""
    errors = []
    advice = _("correct it, or import such ratings with the rules that they break")
    for score in file_scores:
        for rule, text in score.breaks.items():
            reason = fill_in(_("breaks the rule %(rule)s: %(text)s"), rule=rule, text=text)
            error = fault(score.rating_row, reason, advice, column=score.column, value=score.value)
            errors.append(error)
    return errors
