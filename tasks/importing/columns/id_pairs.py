"""Two columns that name the rows of a file together, where none does alone. Knows no Django."""

from array import array
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise, product

from .names import meaning
from .rating_names import tokens_of, use_of
from .sample import FileColumn, Sample
from .uses import Use

MOST_ROWS = 1_000_000  # that are compared; each is a number of eight bytes
LONGEST_PART = 60  # characters of a value
# The last word of a name that numbers something, and of one that holds what is numbered.
NUMBERS = "id no nr num number nummer numero index idx key turn row item zeile tour"
HOLDING = """
    topic theme thema group gruppe groupe category section chapter kapitel chapitre part set list
    liste block doc document dialog dialogue conversation session thread book file test exam
    subject domain survey batch page
"""
NUMBERING, HOLDERS = frozenset(NUMBERS.split()), frozenset(HOLDING.split())


class IdPair:
    """Two columns that may name the rows of a file together."""

    def __init__(self, first: str, second: str) -> None:
        self.paths = (first, second)
        self.is_comparable = True  # no row lacks a value, and there are not too many
        self.marks = array("q")  # of each row

    def add(self, content: Mapping[str, object]) -> None:
        """Take in one row."""
        first, second = (content.get(path) for path in self.paths)
        is_whole = _is_part(first) and _is_part(second)
        if not is_whole or len(self.marks) == MOST_ROWS:
            self.is_comparable = False
        if self.is_comparable:
            self.marks.append(hash((str(first), str(second))))

    @property
    def is_unique(self) -> bool:
        """True if they have other values in every row."""
        if not self.is_comparable:
            return False
        neighbours = pairwise(sorted(self.marks))
        return all(mark != following for mark, following in neighbours)


def id_pair(sample: Sample) -> IdPair | None:
    """Return the only two columns that name the first rows together; None if one does alone."""
    columns = [column for column in sample.columns if _may_be_part(column, sample)]
    numbers = [column for column in columns if _is_numbering(column.path)]
    if any(_differ([column]) for column in numbers):
        return None
    holders = [column for column in columns if _is_holder(column.path)]
    for candidates in (combinations(numbers, 2), product(holders, numbers)):
        pairs = [*filter(_differ, candidates)]
        if pairs:
            [first, second], *others = pairs
            return None if others else IdPair(first.path, second.path)
    return None


def _is_holder(path: str) -> bool:
    return not HOLDERS.isdisjoint(tokens_of(path)[-1:])


def _is_numbering(path: str) -> bool:
    """Tell whether a name says that its values number or name something."""
    known = meaning(path)
    if known:
        return known.use is Use.ID
    return use_of(path) is None and not NUMBERING.isdisjoint(tokens_of(path)[-1:])


def _may_be_part(file_column: FileColumn, sample: Sample) -> bool:
    """Tell whether each row has a short value of a column, beside its other columns."""
    is_filled = len(file_column.filled) == len(sample.first_rows)
    has_parts = is_filled and all(map(_is_part, file_column.first_values))
    return has_parts and "[*]" not in file_column.path and len({*file_column.first_values}) > 1


def _is_part(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_PART
    return type(value) is int


def _differ(file_columns: Iterable[FileColumn]) -> bool:
    """Tell whether some columns together have other values in every row."""
    texts = [map(str, column.first_values) for column in file_columns]
    rows = [*zip(*texts, strict=True)]
    return len({*rows}) == len(rows)
