"""A column as one that may hold scores, read over all rows. Knows no Django."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from .profile import ColumnProfile
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


@dataclass(frozen=True)
class ScoreColumn:
    """A column that may hold scores."""

    profile: ColumnProfile
    rows: int

    @property
    def path(self) -> str:
        return self.profile.path

    @cached_property
    def name(self) -> str:
        return last_name(self.path)

    @property
    def list(self) -> str:
        """The list of objects that it is in, or ""."""
        return self.path.rpartition("[*]")[0]

    @cached_property
    def scores(self) -> Counter[Score]:
        """How often each score is in it."""
        score_counts: Counter[Score] = Counter()
        for text, number in self._cells():
            score_counts[read_score(text, USUAL_NO_ANSWER)] += number
        return score_counts

    @cached_property
    def is_list(self) -> bool:
        """True if its values are lists, in JSON or in a cell."""
        return bool(self.profile.examples) and all(map(_is_list, self.profile.examples))

    @cached_property
    def sizes(self) -> set[int]:
        """The lengths of the first lists."""
        lists = [list_in(example) for example in self.profile.examples]
        return {len(entries) for entries in lists if isinstance(entries, list)}

    @cached_property
    def answers(self) -> int:
        return self.scores.total() - self.scores[None]

    @cached_property
    def is_numeric(self) -> bool:
        """True if most answers are small whole numbers, and no series such as 0, 1, 2, 3."""
        whole = [score for score in self.scores if isinstance(score, int)]
        small = sum(self.scores[score] for score in whole if LOWEST <= score <= HIGHEST)
        return small > 0 and small * 2 >= self.answers and not self.is_series

    @cached_property
    def is_series(self) -> bool:
        whole = [score for score in self.scores if isinstance(score, int)]
        steps = {after - before for before, after in pairwise(whole)}
        return len(whole) == self.rows > ENOUGH and steps == {1}

    @cached_property
    def is_decimal(self) -> bool:
        """True if most answers are numbers and no whole ones."""
        parts = [score for score in self.scores if isinstance(score, Decimal)]
        return sum(self.scores[score] for score in parts) * 2 > self.answers

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts in it, if most answers are few and short texts."""
        texts = tuple(score for score in self.scores if isinstance(score, str))
        are_short = all(0 < len(text) <= LONGEST_GRADE for text in texts)
        number = sum(self.scores[text] for text in texts)
        is_usual = (
            number * 2 > self.answers and not self.profile.marks and not self.profile.uncounted
        )
        return texts if is_usual and are_short and len(texts) <= MOST_GRADES else ()

    @property
    def may_name_people(self) -> bool:
        """True if every row has a short value, and few are different."""
        values = self.profile
        is_filled = values.filled == self.rows and not values.marks
        return is_filled and 1 < values.distinct <= values.filled / 2

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The texts from the lowest to the highest, if their order is known."""
        return tuple(word_order(self.texts))

    @cached_property
    def has_grades(self) -> bool:
        """True if its answers are words of a known order, or small numbers and halves."""
        numbers = [score for score in self.scores if isinstance(score, int | Decimal)]
        are_halves = all(0 <= score <= USUAL and score * 2 % 1 == 0 for score in numbers)
        return bool(self.words) or (self.is_decimal and are_halves)

    @property
    def scale(self) -> Scale | None:
        return common_scale([self])

    @cached_property
    def highest(self) -> int | None:
        """The end of the scale that its cells say."""
        ends = [highest_in(text) for text, _number in self._cells()]
        return max((end for end in ends if end), default=None)

    @property
    def names_scale(self) -> bool:
        """True if its name or its cells say a scale, as people need it: `Rating (1-5)`, `4/5`."""
        return bool(self.highest or SCALE_IN_NAME.search(self.name))

    @cached_property
    def has_scales(self) -> bool:
        """True if its cells say several ends of scales, such as `4/5` and `80 %`."""
        ends = {highest_in(text) for text, _number in self._cells()}
        return len(ends - {None}) > 1

    @cached_property
    def codes(self) -> tuple[int, ...]:
        """Whole numbers that may mean no answer, such as -99 or 999."""
        whole = [score for score in self.scores if isinstance(score, int)]
        usual = [score for score in whole if 0 <= score <= USUAL]
        odd = [score for score in whole if score not in usual]
        if not usual or len(odd) > MOST_CODES:
            return ()
        return tuple(sorted(score for score in odd if CODE.fullmatch(str(score))))

    @cached_property
    def has_score_name(self) -> bool:
        """True if its name says how good something is, and not how much or how long."""
        return is_quality(self.name) and not is_amount(self.name)

    @property
    def is_score(self) -> bool:
        """True if it has the name and the values of scores: small numbers, or a few short texts."""
        return self.has_score_name and (self.is_numeric or bool(self.texts))

    @cached_property
    def use_in_rating(self) -> Use | None:
        """The use that its name and its values say, next to who rated; else None."""
        use = use_of(self.name)
        texts = [example for example in self.profile.examples if isinstance(example, str)]
        if use is Use.TARGET and self.is_numeric:
            return use
        if use is Use.TIME and all(text[:4].isdigit() and "-" in text for text in texts):
            return use
        if use in (Use.DIMENSION, Use.COMMENT) and texts and not self.is_numeric:
            return use
        if self.is_score:
            return Use.SCORE
        return None

    def _cells(self) -> Iterator[tuple[str, int]]:
        """Yield its short texts, and those of the entries of its lists, with their number."""
        column = self.profile
        inner = column.list_entries
        if inner:
            yield from inner.counts.items()
            yield "", inner.number - inner.filled
            yield from _longer(inner)
        elif self.is_list and column.marks:  # in long cells
            yield from ((text, 1) for example in column.examples for text in _entries(example))
        else:
            yield from _longer(column)
        for text, number in column.counts.items():
            yield from ((entry, number) for entry in _entries(text))


def common_scale(score_columns: Iterable[ScoreColumn]) -> Scale | None:
    """Return the scale of columns that hold scores of one dimension."""
    score_counts: Counter[Score] = Counter()
    ends = []
    for column in score_columns:
        score_counts += column.scores
        ends.append(column.highest or 0)
    scale = scale_of(score_counts)
    return scale and (scale[0], max(scale[1], *ends))


def _longer(column: ColumnProfile) -> Iterator[tuple[str, int]]:
    """Yield a mark for all values that are not known one by one."""
    number = sum(column.marks.values()) + column.uncounted
    if number:
        yield "…", number


def _is_list(example: object) -> bool:
    return isinstance(list_in(example), list)


def _entries(value: object) -> list[str]:
    entries = list_in(value)
    if not isinstance(entries, list):
        return [str(value)]
    return ["" if entry is None else str(entry) for entry in entries]
