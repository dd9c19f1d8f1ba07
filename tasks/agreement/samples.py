"""Scores of one dimension, and the samples that are taken from them for the coefficients.

Samples hold ratings by distinct pattern: who rated does not matter (`Counts`), or does (`Matrix`).
A sample of 200,000 units with five ratings each on seven levels has 462 patterns at most. All work
is done on patterns. Equal patterns are joined and sorted, so that the order in which a database
delivers them changes nothing, the resamples included.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from rubrics.judging.scales import MOST_BUTTONS
from tasks.agreement.measures import OF_CLASSES, OF_MANY_LEVELS, TITLES

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
MOST_PAIRS = 5_000_000  # of rows of one unit: some 500 MB


@dataclass(frozen=True, eq=False)
class Counts:
    """Ratings of units by any number of annotators, who may differ from unit to unit.

    - `levels` (L): the values of the whole scale, ascending, those included that nobody gave.
    - `patterns` (P × L): how many of a unit's ratings fall on each level.
    - `units` (P): how many units have this pattern.
    - `annotators`: how many people rated any of the units.

    Units without a rating are left out. Units with one rating stay: some coefficients let them into
    the part for chance.
    """

    levels: Floats
    patterns: Ints
    units: Ints
    annotators: int

    def __post_init__(self) -> None:
        is_rated = self.patterns.any(axis=1)
        _join(self, self.patterns[is_rated], self.units[is_rated])

    @cached_property
    def ratings_of_unit(self) -> Floats:
        """How many ratings a unit has (P)."""
        ratings = self.patterns.sum(axis=1)
        return np.asarray(ratings, dtype=np.float64)

    @cached_property
    def pairable(self) -> Floats:
        """1 if a unit has two ratings or more, else 0 (P)."""
        is_pairable = self.ratings_of_unit >= 2
        return is_pairable.astype(float)

    @cached_property
    def coincidences(self) -> Floats:
        """Pairs of values within a unit, divided by its ratings less one (P × L²).

        Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability, section C.
        """
        counts = self.patterns * self.pairable[:, None]
        pairs = counts[:, :, None] * counts[:, None, :]
        size = len(self.levels)
        diagonal = np.arange(size)
        pairs[:, diagonal, diagonal] -= counts
        divisors = np.maximum(self.ratings_of_unit - 1, 1)
        pairs /= divisors[:, None, None]
        return pairs.reshape(len(pairs), size**2)

    @property
    def compared(self) -> int:
        """How many units have two ratings or more."""
        return int(self.units @ self.pairable)

    @property
    def tally(self) -> Ints:
        """How many ratings of the compared units fall on each level (L)."""
        compared_units = self.units * (self.ratings_of_unit >= 2)
        return compared_units @ self.patterns


class Moments(Counts):
    """Ratings of units on a scale of many levels.

    `patterns` (P × 3): how many ratings a unit has, their sum, and the sum of their squares. Values
    are counted from the first one: of equal ones all sums are exactly 0. `levels` is empty.
    """

    @cached_property
    def ratings_of_unit(self) -> Floats:
        """How many ratings a unit has (P)."""
        return self.patterns[:, 0].astype(float)

    @property
    def tally(self) -> Ints:
        """How many ratings the compared units have, all levels together."""
        compared_units = self.units * (self.ratings_of_unit >= 2)
        return compared_units @ self.patterns[:, :1]


@dataclass(frozen=True, eq=False)
class Matrix:
    """Ratings of units by the same annotators, each of whom rated every unit.

    - `levels` (L): the values of the whole scale, ascending.
    - `patterns` (P × k): the position in `levels` of each annotator's rating of a unit.
    - `units` (P): how many units have this pattern.

    With two annotators it is their contingency table, one pattern for each cell that is not empty.
    """

    levels: Floats
    patterns: Ints
    units: Ints

    def __post_init__(self) -> None:
        _join(self, self.patterns, self.units)

    @property
    def annotators(self) -> int:
        """How many annotators rated each unit (k)."""
        return int(self.patterns.shape[1])

    @property
    def compared(self) -> int:
        """How many units there are: all of them can be compared."""
        return int(self.units.sum())

    @property
    def counts(self) -> Counts:
        """The same ratings for coefficients in which it does not matter who rated."""
        size = len(self.levels)
        if size > MOST_BUTTONS:
            first = self.patterns[:1, :1].sum()
            exponents = np.arange(3)[:, None, None]
            powers = (self.patterns - first) ** exponents
            moments = powers.sum(axis=2).T
            return Moments(np.zeros(0), moments, self.units, self.annotators)
        is_on_level = self.patterns[:, :, None] == np.arange(size)
        of_pattern = is_on_level.sum(axis=1)
        return Counts(self.levels, of_pattern, self.units, self.annotators)

    @property
    def tally(self) -> Ints:
        """How many ratings fall on each level (L)."""
        positions = self.patterns.reshape(-1)
        units = np.repeat(self.units, self.annotators)
        ratings = np.bincount(positions, weights=units, minlength=len(self.levels))
        return ratings.astype(np.int64)


def _join(sample: Counts | Matrix, patterns: Ints, units: Ints) -> None:
    """Give a sample the distinct patterns that any unit has, sorted, and the units of each."""
    has_units = units > 0
    patterns = patterns[has_units]
    units = units[has_units]
    keys = _sort_keys(patterns)
    distinct, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    joined = np.bincount(which.reshape(-1), weights=units, minlength=len(distinct))
    object.__setattr__(sample, "patterns", patterns[first])  # it is frozen once it is made
    object.__setattr__(sample, "units", joined.astype(np.int64))


def _sort_keys(patterns: Ints) -> Ints:
    """Return a number for each pattern if it fits, else the patterns.

    Numbers are sorted a hundred times faster than rows of columns.
    """
    columns = patterns.shape[1]
    low = patterns.min(initial=0)
    base = 1
    if patterns.size:
        base = int(np.ptp(patterns, axis=None)) + 1
    if columns * np.log2(base + 1) >= 62:
        return patterns
    digits = base ** np.arange(columns)[::-1]
    return np.asarray((patterns - low) @ digits)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one dimension under one version of its rubric, a row for each (n).

    - `levels` (L): the values of the whole scale, ascending.
    - `measures`: the codes of those that it has, the main one first.
    - `value`, and all others (n): the position of the score in `levels`.
    - `unit`: the response or candidate set that was scored; rows of a unit follow one another.
    - `annotator`, `model`, `batch`, `answer_set`: numbers of each from 0; an answer set is all
      answers that came with the score.
    - `week`: the week in which the rating was submitted, counted in weeks.
    - `slots`: the annotators who are no persons: a different one has the slot in each unit.
    """

    levels: Sequence[int]
    value: Ints
    unit: Ints
    annotator: Ints
    model: Ints
    batch: Ints
    week: Ints
    answer_set: Ints
    measures: Sequence[str] = tuple(TITLES)
    slots: frozenset[int] = frozenset()

    @property
    def persons(self) -> list[int]:
        """The annotators who are the same person in all units."""
        annotators = np.unique(self.annotator).tolist()
        return [number for number in annotators if number not in self.slots]

    def where(self, mask: Mask) -> Self:
        """Return these rows alone."""
        columns = {}
        for name in ("value", "unit", "annotator", "model", "batch", "week", "answer_set"):
            column = getattr(self, name)
            columns[name] = column[mask]
        return replace(self, **columns)

    def answers(self, positions: Ints) -> Self:
        """Return the answers to a check in place of the scores, without the rows that have none.

        `positions` has the position of the answer among its check's for each answer set, -1 for
        none.
        """
        value = positions[self.answer_set]
        is_answered = value >= 0
        last = int(positions.max(initial=1))
        return replace(
            self.where(is_answered),
            levels=range(last + 1),
            measures=OF_CLASSES,
            value=value[is_answered],
        )

    @property
    def scale(self) -> Floats:
        return np.array(self.levels, dtype=float)

    @cached_property
    def counts(self) -> Counts:
        """The sample for coefficients in which it does not matter who rated."""
        ratings = np.bincount(self.annotator)
        has_rated = ratings > 0
        annotators = int(has_rated.sum())
        if self.measures is OF_MANY_LEVELS:
            first = self.value[:1].sum()
            exponents = np.arange(3)[:, None]
            powers = (self.value - first) ** exponents
            sums_of_powers = [np.bincount(self.unit, power) for power in powers]
            sums = np.array(sums_of_powers)
            moments = sums.T.astype(np.int64)
            return Moments(np.zeros(0), moments, _ones(len(moments)), annotators)
        size = len(self.levels)
        tally = np.bincount(self.unit * size + self.value, minlength=size)
        rows = -(-len(tally) // size)  # rounded up
        patterns = np.zeros((rows, size), dtype=np.int64)
        patterns.reshape(-1)[: len(tally)] = tally
        return Counts(self.scale, patterns, _ones(rows), annotators)

    @cached_property
    def table(self) -> npt.NDArray[np.int32]:
        """The position of each annotator's score of each unit, -1 for none (units × annotators)."""
        units = self.unit.max(initial=-1) + 1
        annotators = self.annotator.max(initial=-1) + 1
        table = np.full((units, annotators), -1, dtype=np.int32)
        table[self.unit, self.annotator] = self.value
        return table

    def matrix(self, annotators: Sequence[int]) -> Matrix:
        """Return the sample of the units that all these annotators rated."""
        positions = self.table[:, list(annotators)]
        has_score = positions >= 0
        is_complete = has_score.all(axis=1)
        complete = positions[is_complete].astype(np.int64)
        return Matrix(self.scale, complete, _ones(len(complete)))

    def team(self) -> tuple[int, ...]:
        """Return the several annotators whom most units have had, and nobody else, or ()."""
        has_score = self.table >= 0
        is_shared = has_score.sum(axis=1) > 1
        packed = np.packbits(has_score[is_shared], axis=1)
        if not packed.size:
            return ()
        width = packed.shape[1]
        teams, units = np.unique(packed.view(f"S{width}"), return_counts=True)
        largest = units.argmax()
        team = teams[largest].ljust(width, b"\0")
        packed_bits = np.frombuffer(team, np.uint8)
        bits = np.unpackbits(packed_bits)
        numbers = np.flatnonzero(bits)
        return tuple(numbers.tolist())

    @property
    def last_week(self) -> Ints:
        """The week in which the last rating of a row's unit came (n)."""
        units = self.unit.max(initial=-1) + 1
        earliest = self.week.min(initial=0)
        last = np.full(units, earliest, dtype=np.int64)
        np.maximum.at(last, self.unit, self.week)
        return last[self.unit]

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of rows of the same unit, as rows and other rows; of very many a part."""
        rows = [np.zeros(0, dtype=np.int64)]
        others = [np.zeros(0, dtype=np.int64)]
        for distance in range(1, len(self.value)):
            is_same_unit = self.unit[distance:] == self.unit[:-distance]
            first = np.flatnonzero(is_same_unit)
            number = sum(map(len, rows))
            if not len(first) or number > MOST_PAIRS:
                break
            rows.append(first)
            others.append(first + distance)
        return np.concatenate(rows), np.concatenate(others)


def _ones(count: int) -> Ints:
    return np.ones(count, dtype=np.int64)
