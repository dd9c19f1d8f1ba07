"""Samples of ratings by distinct pattern: who rated does not matter (`Counts`), or does (`Matrix`).

A sample of 200,000 units with five ratings each on seven levels has 462 patterns at most. All work
is done on patterns. Equal patterns are joined and sorted, so that the order in which a database
delivers them changes nothing, the resamples included.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tasks.agreement.arrays import Floats, Ints

Rows = Sequence[Sequence[float | None]]


@dataclass(frozen=True, eq=False)
class Counts:
    """Ratings of units by any number of annotators, who may differ from unit to unit.

    - `levels` (L): the values of the whole scale, ascending, those included that nobody gave.
    - `patterns` (P × L): how many of a unit's ratings fall on each level.
    - `units` (P): how many units have this pattern.
    - `annotators`: how many people rated any of the units.

    Units without a rating are left out. Units with one rating stay: some coefficients let them into
    the part for chance. ValueError says which shape or number is impossible.
    """

    levels: Floats
    patterns: Ints
    units: Ints
    annotators: int

    def __post_init__(self) -> None:
        levels = _ascending(self.levels)
        patterns, units = _joined(self.patterns, self.units, width=len(levels))
        if patterns.size and patterns.min() < 0:
            raise ValueError("a pattern has a negative number of ratings")
        rated = patterns.any(axis=1)
        _set(self, levels=levels, patterns=patterns[rated], units=units[rated])
        most = self.ratings_of_unit.max(initial=0)
        if most > self.annotators:
            raise ValueError(f"a unit has {most:.0f} ratings by {self.annotators} annotators")

    @classmethod
    def of(cls, rows: Rows, levels: npt.ArrayLike) -> Self:
        """Count rows: one for each unit, with an entry for each annotator, None if not rated.

        A rating that is not on the scale is a ValueError, which names its row.
        """
        scale = _ascending(levels)
        positions = _positions(rows, scale)
        patterns = (positions[:, :, None] == np.arange(len(scale))).sum(axis=1)
        annotators = int((positions >= 0).any(axis=0).sum())
        return cls(scale, patterns, np.ones(len(patterns), dtype=np.int64), annotators)

    @cached_property
    def ratings_of_unit(self) -> Floats:
        """How many ratings a unit has (P)."""
        ratings: Floats = self.patterns.sum(axis=1).astype(float)
        return ratings

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
        tally: Ints = (self.units * (self.ratings_of_unit >= 2)) @ self.patterns
        return tally


@dataclass(frozen=True, eq=False)
class Matrix:
    """Ratings of units by the same annotators, each of whom rated every unit.

    - `levels` (L): the values of the whole scale, ascending.
    - `patterns` (P × k): the position in `levels` of each annotator's rating of a unit.
    - `units` (P): how many units have this pattern.

    With two annotators it is their contingency table, one pattern for each cell that is not empty.
    ValueError says which shape or number is impossible.
    """

    levels: Floats
    patterns: Ints
    units: Ints

    def __post_init__(self) -> None:
        levels = _ascending(self.levels)
        patterns, units = _joined(self.patterns, self.units)
        if patterns.size and not 0 <= patterns.min() <= patterns.max() < len(levels):
            raise ValueError(f"a pattern has a position outside of {len(levels)} levels")
        _set(self, levels=levels, patterns=patterns, units=units)

    @classmethod
    def of(cls, rows: Rows, levels: npt.ArrayLike) -> Self:
        """Take rows as `Counts.of` does, but only those in which every entry is a rating."""
        scale = _ascending(levels)
        positions = _positions(rows, scale)
        complete = positions[(positions >= 0).all(axis=1)]
        return cls(scale, complete, np.ones(len(complete), dtype=np.int64))

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
        of_pattern = (self.patterns[:, :, None] == np.arange(len(self.levels))).sum(axis=1)
        return Counts(self.levels, of_pattern, self.units, self.annotators)

    @property
    def tally(self) -> Ints:
        """How many ratings fall on each level (L)."""
        tally: Ints = np.bincount(
            self.patterns.reshape(-1),
            weights=np.repeat(self.units, self.annotators),
            minlength=len(self.levels),
        ).astype(np.int64)
        return tally


def _set(sample: Counts | Matrix, **values: Any) -> None:
    """Set fields of a frozen sample while it is made."""
    for name, value in values.items():
        object.__setattr__(sample, name, value)


def _ascending(levels: npt.ArrayLike) -> Floats:
    """Return the levels as an array, or raise ValueError if they are no ascending scale."""
    scale = np.asarray(levels, dtype=np.float64)
    if scale.ndim != 1 or not len(scale) or (np.diff(scale) <= 0).any():
        raise ValueError(f"levels must be one or more ascending numbers, not {scale.tolist()}")
    return scale


def _joined(patterns: Ints, units: Ints, *, width: int | None = None) -> tuple[Ints, Ints]:
    """Return the distinct patterns that any unit has, sorted, and the units of each."""
    patterns, units = np.asarray(patterns, np.int64), np.asarray(units, np.int64)
    fits = patterns.ndim == 2 and width in (None, patterns.shape[1])
    if not fits or units.shape != patterns.shape[:1] or (units < 0).any():
        raise ValueError(f"patterns {patterns.shape} and units {units.shape} do not fit the sample")
    if not patterns.shape[1]:
        return patterns[:0], units[:0]
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
    return patterns[first], joined.astype(np.int64)


def _positions(rows: Rows, scale: Floats) -> Ints:
    """Return the position on the scale of each rating, and -1 where there is none."""
    values = np.array(rows, dtype=np.float64) if len(rows) else np.empty((0, 0))
    if values.ndim != 2:
        raise ValueError("rows must be lists of ratings, one entry for each annotator")
    found = np.searchsorted(scale, values).clip(max=len(scale) - 1)
    for unit, annotator in np.argwhere(~np.isnan(values) & (scale[found] != values)):
        raise ValueError(
            f"row {unit + 1}: {values[unit, annotator]:g} is not on the scale {scale.tolist()}"
        )
    return np.where(np.isnan(values), -1, found)
