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

from rubrics.scales import MOST_BUTTONS
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
        rated = self.patterns.any(axis=1)
        _join(self, self.patterns[rated], self.units[rated])

    @cached_property
    def ratings_of_unit(self) -> Floats:
        """How many ratings a unit has (P)."""
        return np.asarray(self.patterns.sum(axis=1), dtype=np.float64)

    @cached_property
    def pairable(self) -> Floats:
        """1 if a unit has two ratings or more, else 0 (P)."""
        return (self.ratings_of_unit >= 2).astype(float)

    @cached_property
    def coincidences(self) -> Floats:
        """Pairs of values within a unit, divided by its ratings less one (P × L²).

        Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability, section C.
        """
        counts = self.patterns * self.pairable[:, None]
        pairs = counts[:, :, None] * counts[:, None, :]
        diagonal = np.arange(len(self.levels))
        pairs[:, diagonal, diagonal] -= counts
        pairs /= np.maximum(self.ratings_of_unit - 1, 1)[:, None, None]
        return pairs.reshape(len(pairs), len(self.levels) ** 2)

    @property
    def compared(self) -> int:
        """How many units have two ratings or more."""
        return int(self.units @ self.pairable)

    @property
    def tally(self) -> Ints:
        """How many ratings of the compared units fall on each level (L)."""
        return (self.units * (self.ratings_of_unit >= 2)) @ self.patterns


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
        return (self.units * (self.ratings_of_unit >= 2)) @ self.patterns[:, :1]


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
        if len(self.levels) > MOST_BUTTONS:
            powers = (self.patterns - self.patterns[:1, :1].sum()) ** np.arange(3)[:, None, None]
            return Moments(np.zeros(0), powers.sum(axis=2).T, self.units, self.annotators)
        of_pattern = (self.patterns[:, :, None] == np.arange(len(self.levels))).sum(axis=1)
        return Counts(self.levels, of_pattern, self.units, self.annotators)

    @property
    def tally(self) -> Ints:
        """How many ratings fall on each level (L)."""
        return np.bincount(
            self.patterns.reshape(-1),
            weights=np.repeat(self.units, self.annotators),
            minlength=len(self.levels),
        ).astype(np.int64)


def _join(sample: Counts | Matrix, patterns: Ints, units: Ints) -> None:
    """Give a sample the distinct patterns that any unit has, sorted, and the units of each."""
    patterns, units = patterns[units > 0], units[units > 0]
    # One number for each pattern sorts a hundred times faster than its columns do.
    low, base = patterns.min(initial=0), np.ptp(patterns, axis=None) + 1 if patterns.size else 1
    numbers = None
    if patterns.shape[1] * np.log2(base + 1) < 62:
        numbers = (patterns - low) @ (base ** np.arange(patterns.shape[1])[::-1])
    distinct, first, which = np.unique(
        patterns if numbers is None else numbers,
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    joined = np.bincount(which.reshape(-1), weights=units, minlength=len(distinct))
    object.__setattr__(sample, "patterns", patterns[first])  # it is frozen once it is made
    object.__setattr__(sample, "units", joined.astype(np.int64))


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one dimension under one version of its rubric, a row for each (n).

    - `levels` (L): the values of the whole scale, ascending.
    - `measures`: the codes of those that it has, the main one first.
    - `value`, and all others (n): the position of the score in `levels`.
    - `unit`: the response or candidate set that was scored; rows of a unit follow one another.
    - `annotator`, `model`, `batch`, `said`: numbers of each from 0; `said` is the number of all
      answers that were given along with the score.
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
    said: Ints
    measures: Sequence[str] = tuple(TITLES)
    slots: frozenset[int] = frozenset()

    @property
    def persons(self) -> list[int]:
        """The annotators who are the same person in all units."""
        return [each for each in np.unique(self.annotator).tolist() if each not in self.slots]

    def where(self, rows: Mask) -> Self:
        """Return these rows alone."""
        columns = ("value", "unit", "annotator", "model", "batch", "week", "said")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    def answers(self, positions: Ints) -> Self:
        """Return the answers to a check in place of the scores, without the rows that have none.

        `positions` has the position of the answer among its check's for each number of `said`, -1
        for none.
        """
        value = positions[self.said]
        given = value >= 0
        return replace(
            self.where(given),
            levels=range(int(positions.max(initial=1)) + 1),
            measures=OF_CLASSES,
            value=value[given],
        )

    @property
    def scale(self) -> Floats:
        return np.array(self.levels, dtype=float)

    @cached_property
    def counts(self) -> Counts:
        """The sample for coefficients in which it does not matter who rated."""
        size, annotators = len(self.levels), int((np.bincount(self.annotator) > 0).sum())
        if self.measures is OF_MANY_LEVELS:
            powers = (self.value - self.value[:1].sum()) ** np.arange(3)[:, None]
            sums = np.array([np.bincount(self.unit, each) for each in powers]).T.astype(np.int64)
            return Moments(np.zeros(0), sums, np.ones(len(sums), dtype=np.int64), annotators)
        tally = np.bincount(self.unit * size + self.value, minlength=size)
        patterns = np.zeros((-(-len(tally) // size), size), dtype=np.int64)
        patterns.reshape(-1)[: len(tally)] = tally
        return Counts(self.scale, patterns, np.ones(len(patterns), dtype=np.int64), annotators)

    @cached_property
    def table(self) -> npt.NDArray[np.int32]:
        """The position of each annotator's score of each unit, -1 for none (units × annotators)."""
        shape = (self.unit.max(initial=-1) + 1, self.annotator.max(initial=-1) + 1)
        table = np.full(shape, -1, dtype=np.int32)
        table[self.unit, self.annotator] = self.value
        return table

    def matrix(self, annotators: Sequence[int]) -> Matrix:
        """Return the sample of the units that all these annotators rated."""
        positions = self.table[:, list(annotators)]
        complete = positions[(positions >= 0).all(axis=1)].astype(np.int64)
        return Matrix(self.scale, complete, np.ones(len(complete), dtype=np.int64))

    def team(self) -> tuple[int, ...]:
        """Return the several annotators whom most units have had, and nobody else, or ()."""
        rated = self.table >= 0
        packed = np.packbits(rated[rated.sum(axis=1) > 1], axis=1)
        if not packed.size:
            return ()
        teams, units = np.unique(packed.view(f"S{packed.shape[1]}"), return_counts=True)
        largest = np.frombuffer(teams[units.argmax()].ljust(packed.shape[1], b"\0"), np.uint8)
        return tuple(np.flatnonzero(np.unpackbits(largest)).tolist())

    @property
    def last_week(self) -> Ints:
        """The week in which the last rating of a row's unit came (n)."""
        last = np.full(self.unit.max(initial=-1) + 1, self.week.min(initial=0), dtype=np.int64)
        np.maximum.at(last, self.unit, self.week)
        return last[self.unit]

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs of rows of the same unit, as rows and other rows; of very many a part."""
        rows, others = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for apart in range(1, len(self.value)):
            first = np.flatnonzero(self.unit[apart:] == self.unit[:-apart])
            if not len(first) or sum(map(len, rows)) > MOST_PAIRS:
                break
            rows.append(first)
            others.append(first + apart)
        return np.concatenate(rows), np.concatenate(others)
