"""Rows of a file → the ratings in them. No Django but its translations.

`Mapping.ratings` calls the reader. A rating is of one rater about one target. So the row

    {"id": "moons", "rater": "Anna", "fluency": 4, "truth": 5, "comment": "Good."}

is one rating with two scores and a comment. Cells come from `rated_cells.py`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple, TypeGuard

from django.utils.translation import gettext as _

from ..files.rows import LineError, SourceRow, excerpt, fill_in
from ..files.values import BadValue, cell_text
from .items import NewResponse
from .rated_cells import CellReader
from .rated_columns import RatedColumns
from .rated_parts import Cell, RatedPart, answer_of, is_within, text_of
from .sample import leaves
from .score_cells import LONGEST, Score, read_score
from .scoring import MANY, RatedItem, RatedTarget, RatingRow
from .stored_scores import stored_score
from .uses import Use

LONGEST_RATER = 150  # characters of a name, as `ImportedRater` has it
MOST_DIFFERENT = 10_000  # scores of a dimension that are counted
NO_NUMBERS: frozenset[str] = frozenset()


class RatingOf(NamedTuple):
    """Whose rating a cell is a part of, and of which response."""

    rater: str
    number: int | None  # of the response in the item, from 1; None if the row does not say it
    model: str


class RatingReader:
    """A reader of the ratings in rows of one mapping. It counts the scores that it has read."""

    def __init__(self, rated_columns: RatedColumns) -> None:
        self.columns = rated_columns
        self.cell_reader = CellReader(rated_columns)
        self.number = 0  # of scores that were read, good or bad
        self.left_out: Counter[str] = Counter()  # scores of dimensions without a place, by name

    def read(
        self, row: SourceRow, content: Mapping[str, object], rated_item: RatedItem
    ) -> Iterator[RatingRow | LineError]:
        """Yield the ratings of a row, after the errors in it.

        An error in a score keeps out that score alone. An error in what goes with it, such as the
        time, keeps out all that its rater says of the target in the row.
        """
        exported = {
            name: text_of(content[name]) for name in self.columns.exported if name in content
        }
        # An export leaves out what is empty.
        cells = {**dict.fromkeys(self.columns.needed), **content} if exported else content
        row_by_rating: dict[RatingOf, RatingRow | None] = {}  # None: kept out
        fault_by_column: dict[str, BadValue] = {}
        for cell in self._answered_cells(cells):
            try:
                rating_of = self._rating_of(cell, cells, rated_item)
                if rating_of not in row_by_rating:
                    row_by_rating[rating_of] = None  # if its time is bad
                    rating = self._new_rating(row, rated_item, rating_of, cell.part)
                    rating.exported = exported
                    row_by_rating[rating_of] = rating
            except BadValue as bad:
                fault_by_column[str(bad.args)] = bad  # once, if several cells have it
                continue
            fault = self._fault_of_adding(cell, row_by_rating[rating_of])
            if fault:
                fault_by_column[cell.place] = fault
                if self.columns.uses[cell.path] is not Use.SCORE:
                    row_by_rating[rating_of] = None
        for fault in fault_by_column.values():
            yield fault.at(row, rated_item.id)
        yield from filter(_says_something, row_by_rating.values())

    def _new_rating(
        self, row: SourceRow, rated_item: RatedItem, rating_of: RatingOf, part: RatedPart
    ) -> RatingRow:
        """Return a rating without scores. Raises BadValue."""
        target = RatedTarget(rating_of.number, rating_of.model, rated_item.new_response)
        at = self._moment(part)
        return RatingRow(row.line, rated_item.id, rating_of.rater, target, at=at)

    def _answered_cells(self, content: Mapping[str, object]) -> Iterator[Cell]:
        """Yield the cells that say something of a dimension with a place, and count the scores.

        An empty score is one of them, if its rater is named: it is no answer.
        """
        for cell in self.cell_reader.cells(content):
            is_empty = self._read_score(cell.value) is None
            is_score = self.columns.uses[cell.path] is Use.SCORE
            self.number += is_score and not is_empty
            if not cell.dimension:
                self.left_out[text_of(self.cell_reader.around(Use.DIMENSION, cell.part))] += 1
                continue
            is_no_answer = is_score and cell.rater is not None
            if not is_empty or is_no_answer:
                yield cell

    def _rating_of(
        self, cell: Cell, content: Mapping[str, object], rated_item: RatedItem
    ) -> RatingOf:
        """Return who rated what in a cell. Raises BadValue."""
        model = rated_item.model
        number = None
        if cell.path in self.columns.with_responses:
            model = self._model(cell.path) or model
            number = self._number_of_response(cell, content, rated_item.new_response)
        elif self.columns.paths[Use.TARGET]:
            number = self._number(cell.part, model)
        return RatingOf(self._rater(cell.rater), number, model)

    def scales(
        self, source_rows: Iterable[SourceRow], use: Use = Use.SCORE
    ) -> dict[str, Counter[Score]]:
        """Return what rows have of each dimension; one that is left out has the file's name.

        With Use.CHECK: of each check.
        """
        seen: defaultdict[str, Counter[Score]] = defaultdict(Counter)
        for row in source_rows:
            if isinstance(row.content, LineError):
                continue
            # What is wrong with a row is told where it is read.
            with suppress(BadValue):
                for cell in self.cell_reader.cells(row.content):
                    if self.columns.uses[cell.path] is not use:
                        continue
                    name = cell.dimension
                    if use is Use.CHECK:
                        name = self.columns.rating_keys[cell.path].check or name
                    name = name or text_of(self.cell_reader.around(Use.DIMENSION, cell.part))
                    scores = seen[name]
                    is_few = len(scores) < MOST_DIFFERENT
                    score = self._read_score(cell.value) if is_few else "…"
                    scores[score] += 1
        return seen

    def _rater(self, rater: object) -> str:
        column = ", ".join(self.columns.paths[Use.RATER])
        name = " ".join(text_of(rater).split())
        if not name:
            advice = _("name the person, or leave the rating out")
            raise BadValue(column, _("does not say who rated"), advice)
        common_name = self.columns.scoring.merged.get(name, name)
        return cell_text(common_name, column, LONGEST_RATER)

    def _model(self, path: str) -> str:
        """Return the model that a column's scores are of, or ""."""
        name = self.columns.rating_keys[path].response
        if name in self.columns.uses or name.isdigit():
            return ""
        return name

    def _number(self, part: RatedPart, model: str) -> int | None:
        """Return the number of the response that is rated, from 1, if the row says it."""
        text = text_of(self.cell_reader.around(Use.TARGET, part)).strip()
        first = self.columns.scoring.first
        if text in ("", model):  # the name of who said all that is rated
            return None
        number = read_score(text, NO_NUMBERS)
        if isinstance(number, int) and number >= first:
            return number - first + 1
        column = ", ".join(self.columns.paths[Use.TARGET])
        advice = fill_in(_("count the responses from %(first)s on"), first=first)
        raise BadValue(column, _("is no number of a response"), advice, excerpt(text))

    def _number_of_response(
        self, cell: Cell, content: Mapping[str, object], new_response: NewResponse | None
    ) -> int | None:
        """Return the number of the response that a score stands with, or None if none is needed."""
        name = self.columns.rating_keys[cell.path].response
        if name and name not in self.columns.uses:
            return int(name) if name.isdigit() else None
        if new_response:  # the only one
            return None
        answers = []
        for leaf in leaves(content, self.columns.uses, self.columns.packed):
            if leaf.path in self.columns.answers and leaf.value is not None:
                answers.append(leaf.place)
        outer = name or cell.part.place
        for number, place in enumerate(answers, start=1):
            if is_within(place, outer):
                return number
            # A score is in the entry of its response, or in a list within that.
            before, mark, _after = place.rpartition("]")
            entry = before + mark or place
            if not name and is_within(cell.place, entry):
                return number
        reason = _("is of a response that the row does not have")
        advice = _("add the response, or leave the score out")
        raise BadValue(cell.place, reason, advice, excerpt(cell.value))

    def _moment(self, part: RatedPart) -> datetime | None:
        text = text_of(self.cell_reader.around(Use.TIME, part)).strip()
        if not text:
            return None
        try:
            at = datetime.fromisoformat(text)
            if at.tzinfo:
                return at.astimezone(UTC)
            return at.replace(tzinfo=UTC)
        except (ValueError, OverflowError) as error:
            column = ", ".join(self.columns.paths[Use.TIME])
            advice = _("write it like 2026-03-02 09:00, or say that the column is not kept")
            raise BadValue(column, _("is no time"), advice, excerpt(text)) from error

    def _fault_of_adding(self, cell: Cell, rating: RatingRow | None) -> BadValue | None:
        """Add what a cell says to its rating, unless that is kept out. Return why it cannot be."""
        if rating is None:
            return None
        try:
            match self.columns.uses[cell.path]:
                case Use.COMMENT:
                    comment = cell_text(answer_of(cell.value), cell.place)
                    rating.comment = "\n".join(filter(None, (rating.comment, comment)))
                case Use.CHECK:
                    self._add_checks(rating, cell)
                case _:
                    self._add_score(rating, cell)
        except BadValue as bad:
            return bad
        return None

    def _add_checks(self, rating: RatingRow, cell: Cell) -> None:
        check = self.columns.rating_keys[cell.path].check
        # Where a question stands beside its answer, the question is the check.
        dimension = cell.dimension if check else ""
        check = check or cell.dimension
        text = cell_text(answer_of(cell.value), cell.place)
        pairs = text.split(";") if check == MANY else [f"{check}={text}"]
        answers = rating.check_cells.setdefault(dimension, {})
        for pair in pairs:
            name, _sign, answer = pair.partition("=")
            answers[name] = answer

    def _read_score(self, value: object) -> Score:
        return read_score(text_of(value)[:LONGEST], self.columns.no_answer)

    def _add_score(self, rating: RatingRow, cell: Cell) -> None:
        code = cell.dimension
        if code in rating.score_cells:
            reason = fill_in(_("is a second score of %(dimension)s"), dimension=code)
            advice = _("keep one score of each rater")
            raise BadValue(cell.place, reason, advice, excerpt(cell.value))
        score = stored_score(cell, self.columns.scoring, self.columns.no_answer)
        rating.score_cells[code] = cell.path, score


def _says_something(rating: RatingRow | None) -> TypeGuard[RatingRow]:
    """Tell whether a rating has a score or a check, or is one of our own export."""
    if rating is None:
        return False
    scores = [score for _path, score in rating.score_cells.values() if score is not None]
    return bool(rating.exported or scores or rating.check_cells)
