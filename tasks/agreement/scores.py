"""Scores of one dimension, a row for each, and the samples that are taken from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from tasks.agreement.arrays import Ints
from tasks.agreement.samples import Counts, Matrix

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one dimension under one version of its rubric, a row for each (n).

    - `levels` (L): the values of the whole scale, ascending.
    - `value`, and all below (n): the position of the score in `levels`.
    - `unit`: the response or candidate set that was scored; rows of a unit follow one another.
    - `annotator`, `model`, `batch`, `said`: numbers of each from 0; `said` is the number of all
      answers that were given along with the score.
    - `week`: the week in which the rating was submitted, counted in weeks.
    """

    levels: Sequence[int]
    value: Ints
    unit: Ints
    annotator: Ints
    model: Ints
    batch: Ints
    week: Ints
    said: Ints

    def __len__(self) -> int:
        return len(self.value)

    def where(self, rows: Mask) -> Self:
        """Return these rows alone."""
        columns = ("value", "unit", "annotator", "model", "batch", "week", "said")
        return replace(self, **{name: getattr(self, name)[rows] for name in columns})

    def answers(self, positions: Ints) -> Self:
        """Return the answers to a check in place of the scores.

        `positions` has the position of the answer among its check's for each number of `said`.
        """
        levels = range(int(positions.max(initial=1)) + 1)
        return replace(self, levels=levels, value=positions[self.said])

    @property
    def scale(self) -> npt.NDArray[np.float64]:
        return np.array(self.levels, dtype=float)

    @cached_property
    def counts(self) -> Counts:
        """The sample for coefficients in which it does not matter who rated."""
        size = len(self.levels)
        tally = np.bincount(self.unit * size + self.value, minlength=size)
        patterns = np.zeros((-(-len(tally) // size), size), dtype=np.int64)
        patterns.reshape(-1)[: len(tally)] = tally
        units = np.ones(len(patterns), dtype=np.int64)
        return Counts(self.scale, patterns, units, len(np.unique(self.annotator)))

    @cached_property
    def table(self) -> npt.NDArray[np.int16]:
        """The position of each annotator's score of each unit, -1 for none (units × annotators)."""
        shape = (self.unit.max(initial=-1) + 1, self.annotator.max(initial=-1) + 1)
        table = np.full(shape, -1, dtype=np.int16)
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
        """All pairs of rows of the same unit, as rows and other rows."""
        rows, others = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for apart in range(1, len(self)):
            first = np.flatnonzero(self.unit[apart:] == self.unit[:-apart])
            if not len(first):
                break
            rows.append(first)
            others.append(first + apart)
        return np.concatenate(rows), np.concatenate(others)
