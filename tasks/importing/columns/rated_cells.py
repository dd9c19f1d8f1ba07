"""The cells of rated columns in a row, each with who rated.

Knows no Django. In a file with the columns `score` and `rater`, the row

    {"ratings": [{"rater": "Anna", "score": 4}, {"rater": "Ben", "score": 5}]}

has two cells: the 4 of Anna at `ratings[0].score`, and the 5 of Ben at `ratings[1].score`.
"""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from .rated_columns import RatedColumns
from .rated_parts import Cell, RatedPart, list_of, parts_in_row, text_of
from .rating_names import last_name
from .sample import EMPTY
from .score_cells import list_in
from .uses import Use


class CellReader:
    """A reader of the cells in rows of one mapping."""

    def __init__(self, rated_columns: RatedColumns) -> None:
        self.columns = rated_columns

    def cells(self, content: Mapping[str, object]) -> Iterator[Cell]:
        """Yield what a row has in rated columns, one cell for each rater."""
        columns = self.columns
        for part in parts_in_row(content, columns.needed, columns.uses, columns.packed):
            dimension = columns.scoring.code(text_of(self.around(Use.DIMENSION, part)))
            for path in columns.rated:
                if path not in part.column_values:
                    continue
                value = part.column_values[path]
                key = columns.rating_keys[path]
                raters = self._raters(path, part)
                rater = key.rater or raters
                if rater is None:
                    rater = self._number_of_entry(path, part.place) or columns.rater or None
                cell = Cell(
                    value=value,
                    path=path,
                    place=_place_of(path, part),
                    rater=rater,
                    dimension=key.dimension or dimension,
                    part=part,
                )
                if type(value) is str and value[:1] != "[":  # no list, as most are none
                    yield cell
                else:
                    yield from self._entries(cell, raters)

    def _entries(self, cell: Cell, raters: object) -> Iterator[Cell]:
        """Yield a cell, or the scores in it, one for each rater, if it is a list.

        `raters`: what the column of who rated has, such as a list as long. A list of one score with
        one rater in a cell is what that rater chose.
        """
        is_score = self.columns.uses[cell.path] is Use.SCORE
        scores = list_in(cell.value) if is_score else cell.value
        if not isinstance(scores, list):
            yield cell
            return
        may_have_several = raters is None or isinstance(raters, list)
        if may_have_several and (len(scores) != 1 or raters):
            # Raters without names have numbers.
            names = raters or range(1, len(scores) + 1)
            for number, (score, name) in enumerate(zip_longest(scores, names)):  # type: ignore[call-overload]
                place = f"{cell.place}[{number}]"
                yield cell._replace(value=score, place=place, rater=name)
        elif len(scores) == 1:
            yield cell._replace(value=scores[0])
        else:
            yield cell

    def _number_of_entry(self, path: str, place: str) -> str:
        """Return the number of an entry as the name of who rated, where nothing names people.

        If several lists are so, the numbers of each are of other people: `ratings 1`.
        """
        name = list_of(path)
        if "[*]" not in path or name not in self.columns.nameless_lists:
            return ""
        index = place.rpartition("[")[2].rstrip("]")
        number = int(index) + 1
        if len(self.columns.nameless_lists) == 1:
            return str(number)
        return f"{last_name(name)} {number}"

    def _raters(self, path: str, part: RatedPart) -> object:
        """Return who rated in a column: one, several, or None. Its own raters come first."""
        inner = self.columns.inner_raters.get(path, ())
        for name in inner:
            value = part.around.get(name)
            if value not in EMPTY:
                return list_in(value)
        if inner:
            return None
        return list_in(self.around(Use.RATER, part))

    def around(self, use: Use, part: RatedPart) -> object:
        """Return the value of a use that goes with a rating; the innermost comes last."""
        for path in reversed(self.columns.paths[use]):
            value = part.around.get(path)
            if value not in EMPTY:
                return value
        return None


def _place_of(path: str, part: RatedPart) -> str:
    """Return where a value of a part stands in its row: `ratings[0].score`."""
    if not part.place:
        return path
    _list, _mark, tail = path.rpartition("[*]")
    return part.place + tail
