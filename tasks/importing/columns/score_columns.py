"""A column as one that may hold scores, read over all rows. Knows no Django.

Every cell is read as a score or as no answer, and each score is counted. All else follows from
these counts and from the column's name: what its answers are, on which scale, and for what it is
used in a rating.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .column_profile import ColumnProfile
from .rating_names import is_amount, is_quality, last_name, use_of
from .score_cells import USUAL, Scale, Score, highest_in, list_in, read_score, scale_of, word_order
from .scoring import NO_ANSWER
from .uses import Use

LOWEST, HIGHEST = -10, 100  # of whole numbers that may be scores
MOST_GRADES, LONGEST_GRADE = 7, 30  # of texts that may be levels; characters of one
ENOUGH = 10  # rows after which a series of numbers is no chance
MOST_CODES = 2  # of no answer
CODE = re.compile("-?(9{2,}|8{2,}|7{2,}|9[78])|-[5-9]")
SCALE_IN_NAME = re.compile(r"\(\s*-?\d+\s*[-–/]\s*\d+\s*\)")  # as in `Rating (1-5) Anna`
USUAL_NO_ANSWER = frozenset(map(str.casefold, NO_ANSWER))
UNKNOWN = "…"  # stands for texts that a profile did not count one by one


class CountedText(NamedTuple):
    """A text of cells, and how many cells have it."""

    text: str
    number: int


@dataclass(frozen=True)
class ScoreColumn:
    """A column that may hold scores."""

    profile: ColumnProfile
    rows: int

    # Where it stands, and how.

    @property
    def path(self) -> str:
        return self.profile.path

    @cached_property
    def name(self) -> str:
        return last_name(self.path)

    @property
    def list_path(self) -> str:
        """The list of objects that it is in: `ratings` for `ratings[*].score`; else ""."""
        return self.path.rpartition("[*]")[0]

    @cached_property
    def holds_lists(self) -> bool:
        """True if its values are lists, in JSON or in a cell: `[4, 5]`."""
        return bool(self.profile.examples) and all(map(_is_list, self.profile.examples))

    @cached_property
    def list_lengths(self) -> set[int]:
        """The lengths of the first lists that it holds."""
        lists = [list_in(example) for example in self.profile.examples]
        return {len(entries) for entries in lists if isinstance(entries, list)}

    # What its answers are.

    @cached_property
    def score_counts(self) -> Counter[Score]:
        """How often each score is in it; None is no answer."""
        score_counts: Counter[Score] = Counter()
        for text, number in _counted_texts(self.profile, holds_lists=self.holds_lists):
            score_counts[read_score(text, USUAL_NO_ANSWER)] += number
        return score_counts

    @cached_property
    def answers(self) -> int:
        """How many cells have an answer."""
        return self.score_counts.total() - self.score_counts[None]

    @property
    def _whole_scores(self) -> list[int]:
        """The different whole numbers, in the order in which they first came."""
        return [score for score in self.score_counts if isinstance(score, int)]

    @cached_property
    def is_numeric(self) -> bool:
        """True if most answers are small whole numbers, and no series such as 0, 1, 2, 3."""
        small_scores = [score for score in self._whole_scores if LOWEST <= score <= HIGHEST]
        small = self._number_of(small_scores)
        return small > 0 and small * 2 >= self.answers and not self.is_series

    @cached_property
    def is_series(self) -> bool:
        """True if it numbers the rows, from any number on."""
        whole = self._whole_scores
        steps = {after - before for before, after in pairwise(whole)}
        return len(whole) == self.rows > ENOUGH and steps == {1}

    @cached_property
    def is_decimal(self) -> bool:
        """True if most answers are numbers and no whole ones."""
        decimals = [score for score in self.score_counts if isinstance(score, Decimal)]
        return self._number_of(decimals) * 2 > self.answers

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The texts in it, if most answers are texts, and these few and short: good, fair, bad."""
        texts = tuple(score for score in self.score_counts if isinstance(score, str))
        if self.profile.marks or self.profile.uncounted or len(texts) > MOST_GRADES:
            return ()
        are_short = all(0 < len(text) <= LONGEST_GRADE for text in texts)
        are_most = self._number_of(texts) * 2 > self.answers
        return texts if are_short and are_most else ()

    @cached_property
    def ordered_levels(self) -> tuple[str, ...]:
        """Its levels from the lowest to the highest, if their order is known: bad, fair, good."""
        return tuple(word_order(self.levels))

    @cached_property
    def has_grades(self) -> bool:
        """True if its answers are words of a known order, or small numbers and halves."""
        numbers = [score for score in self.score_counts if isinstance(score, int | Decimal)]
        are_halves = all(0 <= score <= USUAL and score * 2 % 1 == 0 for score in numbers)
        return bool(self.ordered_levels) or (self.is_decimal and are_halves)

    # Its scale.

    @property
    def scale(self) -> Scale | None:
        """The lowest and the highest score of its scale, or None if it has no scale."""
        return common_scale([self])

    @cached_property
    def scale_ends(self) -> set[int]:
        """The ends of scales that its cells state: 5 in `4/5`, 100 in `80 %`."""
        ends = set()
        for text, _number in _counted_texts(self.profile, holds_lists=self.holds_lists):
            if end := highest_in(text):
                ends.add(end)
        return ends

    @property
    def states_scale(self) -> bool:
        """True if its name or its cells state a scale, as people need it: `Rating (1-5)`, `4/5`."""
        return bool(self.scale_ends or SCALE_IN_NAME.search(self.name))

    @property
    def states_several_scales(self) -> bool:
        """True if its cells state several ends of scales, such as `4/5` and `80 %`."""
        return len(self.scale_ends) > 1

    @cached_property
    def no_answer_codes(self) -> tuple[int, ...]:
        """Whole numbers that may mean no answer, such as -99 or 999."""
        usual = [score for score in self._whole_scores if 0 <= score <= USUAL]
        odd = [score for score in self._whole_scores if score not in usual]
        if not usual or len(odd) > MOST_CODES:
            return ()
        return tuple(sorted(score for score in odd if CODE.fullmatch(str(score))))

    # For what it is used.

    @cached_property
    def has_score_name(self) -> bool:
        """True if its name says how good something is, and not how much or how long."""
        return is_quality(self.name) and not is_amount(self.name)

    @property
    def is_score(self) -> bool:
        """True if it has the name and the values of scores: small numbers, or a few short texts."""
        return self.has_score_name and (self.is_numeric or bool(self.levels))

    @property
    def groups_rows(self) -> bool:
        """True if every row has a short value, and shares it with another one on average."""
        values = self.profile
        is_filled = values.filled == self.rows and not values.marks
        return is_filled and 1 < values.distinct <= values.filled / 2

    @cached_property
    def use_in_rating(self) -> Use | None:
        """The use that its name and its values say, next to who rated; else None."""
        use_by_name = use_of(self.name)
        texts = [example for example in self.profile.examples if isinstance(example, str)]
        match use_by_name:
            case Use.TARGET:
                fits = self.is_numeric
            case Use.TIME:
                fits = all(text[:4].isdigit() and "-" in text for text in texts)
            case Use.DIMENSION | Use.COMMENT:
                fits = bool(texts) and not self.is_numeric
            case _:  # who rated is chosen before
                fits = False
        if fits:
            return use_by_name
        return Use.SCORE if self.is_score else None

    def _number_of(self, cell_scores: Iterable[Score]) -> int:
        """Return how many cells have one of some scores."""
        return sum(self.score_counts[score] for score in cell_scores)


def common_scale(score_columns: Iterable[ScoreColumn]) -> Scale | None:
    """Return the scale of columns that hold scores of one dimension."""
    score_counts: Counter[Score] = Counter()
    ends: set[int] = set()
    for column in score_columns:
        score_counts += column.score_counts
        ends |= column.scale_ends
    scale = scale_of(score_counts)
    return scale and (scale[0], max({scale[1], *ends}))


def _counted_texts(column: ColumnProfile, *, holds_lists: bool) -> Iterator[CountedText]:
    """Yield the texts of a column's cells; of lists those of their entries.

    A profile counts short texts one by one. All others together are UNKNOWN, but for lists in long
    cells, of which the examples are read.
    """
    entries = column.list_entries
    if entries:  # of lists in JSON
        for text, number in entries.counts.items():
            yield CountedText(text, number)
        yield CountedText("", entries.number - entries.filled)
        yield from _unknown_texts(entries)
    elif holds_lists and column.marks:
        for example in column.examples:
            for text in _texts_in(example):
                yield CountedText(text, 1)
    else:
        yield from _unknown_texts(column)
    for cell, number in column.counts.items():
        for text in _texts_in(cell):
            yield CountedText(text, number)


def _unknown_texts(column: ColumnProfile) -> Iterator[CountedText]:
    """Yield one mark for all texts that are not counted one by one, if there are any."""
    number = sum(column.marks.values()) + column.uncounted
    if number:
        yield CountedText(UNKNOWN, number)


def _is_list(example: object) -> bool:
    return isinstance(list_in(example), list)


def _texts_in(cell: object) -> list[str]:
    """Return the entries of a list in a cell, or the cell itself, as texts."""
    entries = list_in(cell)
    if not isinstance(entries, list):
        return [str(cell)]
    return ["" if entry is None else str(entry) for entry in entries]
