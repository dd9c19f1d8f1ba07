"""A profile of a file: what its columns hold, over all rows, in bounded memory.

Whoever looks at a file makes it with `Profile.of(rows)`, or adds row by row. The first rows say
which columns there are, and stay as a `Sample`. No Django but its translations.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from dataclasses import replace
from itertools import islice

from ..files import formats
from ..files.file_faults import FAULTS
from ..files.rows import LineError, SourceRow, Unreadable
from ..files.values import BadValue
from .column_profile import MOST_DIFFERENT, SHORT, ColumnProfile, as_text
from .id_pairs import IdPair, id_pair
from .rating_names import is_score, use_of
from .sample import MOST_LEVELS, ROWS, FileColumn, Sample, is_objects, parsed_cell, sample
from .uses import Use

MOST_MARKS = 2_000  # rows of which it is known which values they share
MOST_CELLS = 200_000  # values that are counted or marked, of all columns together


class Profile:
    """The columns of a file, and all that they hold, in short."""

    def __init__(self) -> None:
        self.rows = 0
        self.bad = 0  # rows that could not be read
        self.columns: dict[str, ColumnProfile] = {}
        self.marks: list[dict[str, int]] = []  # a mark of each value, for the first rows
        # Of rows that name a dimension: by its name and a column, how often each score is in it.
        self.scores: dict[tuple[str, str], Counter[str]] = {}
        self._dimension = ""
        self._scored: list[str] = []
        self._most, self._most_marks = MOST_DIFFERENT, MOST_MARKS
        self._first: list[SourceRow] = []
        self._sample: Sample | None = None
        self._marks: dict[str, int] | None = None  # of the row that is taken in
        self.packed: frozenset[str] = frozenset()  # columns of texts that are JSON, and are opened
        self.pair: IdPair | None = None  # what may name the rows, if no column does alone

    @classmethod
    def of(cls, source_rows: Iterable[SourceRow], most: int | None = None) -> "Profile":
        """Return the profile of all rows, or of the first ones. Raises Unreadable."""
        profile = cls()
        for row in islice(source_rows, most):
            profile.add(row)
        if isinstance(source_rows, Generator):
            source_rows.close()  # while its file is open
        if profile._sample is None:
            profile._begin()
        return profile

    def add(self, row: SourceRow) -> None:
        """Take in one row. Raises Unreadable."""
        if isinstance(row.content, LineError):
            self.bad += 1
            return
        self.rows += 1
        if self._sample:
            self._add(row.content)
            return
        self._first.append(row)
        if len(self._first) == ROWS:
            self._begin()

    @property
    def sample(self) -> Sample:
        """The first rows, with all columns. Raises Unreadable."""
        if self._sample is None:
            self._begin()
        assert self._sample
        known = {column.path for column in self._sample.columns}
        late = tuple(
            FileColumn(path, tuple(column.examples), path)
            for path, column in self.columns.items()
            if path not in known
        )
        return (
            replace(self._sample, columns=(*self._sample.columns, *late)) if late else self._sample
        )

    def follows(self, path: str, group: str) -> bool:
        """Tell whether rows with one value of `group` have one value of another column."""
        value_by_group: dict[int, int] = {}
        return all(
            value_by_group.setdefault(marks.get(group, 0), marks.get(path, 0)) == marks.get(path, 0)
            for marks in self.marks
        )

    def combinations(self, *paths: str) -> int:
        """Return how many different values some columns have together, in the first rows."""
        return len({tuple(marks.get(path) for path in paths) for marks in self.marks})

    def names_rows(self, *paths: str) -> bool:
        """Tell whether some columns together have other values in each of the first rows."""
        return self.combinations(*paths) == len(self.marks)

    def same(self, path: str, other: str) -> bool:
        """Tell whether two columns hold the same in every row."""
        if self.columns[path].totals != self.columns[other].totals:
            return False
        return all(marks.get(path) == marks.get(other) for marks in self.marks)

    def _begin(self) -> None:
        """Find the columns of the first rows, and take these in."""
        self._sample = sample(self._first)
        self.packed = self._sample.packed
        few = MOST_CELLS // max(1, len(self._sample.columns))
        self._most = min(MOST_DIFFERENT, few)
        self._most_marks = min(MOST_MARKS, few)
        for column in self._sample.columns:
            self.columns[column.path] = ColumnProfile(column.path, self._most)
        dimensions = [path for path in self.columns if use_of(path) is Use.DIMENSION]
        self._dimension = dimensions[0] if dimensions else ""
        self._scored = [*filter(is_score, self.columns)]
        self.pair = id_pair(self._sample)
        for row in self._sample.first_rows:
            assert isinstance(row.content, Mapping)
            self._add(row.content)

    def _add(self, content: Mapping[str, object]) -> None:
        columns, packed = self.columns, self.packed
        self._marks = {} if len(self.marks) < self._most_marks else None
        if self._marks is not None:
            self.marks.append(self._marks)
        for name, value in content.items():
            is_plain = type(value) is str and name in columns and name not in packed
            if is_plain and self._marks is None:
                columns[name].add(value)
            else:
                self._walk(name, value, MOST_LEVELS)
        if self._dimension:
            self._add_scores(str(content.get(self._dimension) or ""), content)
        if self.pair:
            self.pair.add(content)

    def _add_scores(self, dimension: str, content: Mapping[str, object]) -> None:
        """Count what a row has in columns that are named as scores."""
        for name in self._scored:
            counts = self.scores.setdefault((dimension, name), Counter())
            if len(counts) < MOST_DIFFERENT and len(self.scores) < MOST_DIFFERENT:
                value = content.get(name)
                counts["" if value is None else str(value)[:SHORT]] += 1

    def _walk(self, path: str, value: object, levels_left: int) -> None:
        """Take in a value, or what is in it; see `leaves`. It is called for each value there is."""
        if path in self.packed and isinstance(value, str) and value:
            try:
                value = parsed_cell(value, path)
            except BadValue:  # it is told where its row is read
                return
        if value and levels_left and path not in self.columns:
            if type(value) is dict:
                for name, inner in value.items():
                    self._walk(f"{path}.{name}", inner, levels_left - 1)
                return
            if is_objects(value):
                path = f"{path}[*]"
                for entry in value:
                    self._walk(path, entry, levels_left - 1)
                return
        self._take(path, value)

    def _take(self, path: str, value: object) -> None:
        column = self.columns.get(path)
        if column is None:
            if value is None or value in ("", [], {}):
                return
            if len(self.columns) >= formats.MOST_COLUMNS:
                most = formats.MOST_COLUMNS
                raise Unreadable(FAULTS["columns"], number=most + 1, most=most)
            column = self.columns[path] = ColumnProfile(path, self._most)
        column.add(value)
        marks = self._marks
        if marks is not None:
            mark = hash(value if type(value) is str else as_text(value))
            marks[path] = hash((marks[path], mark)) if path in marks else mark
