"""A layout: how one tool names its columns, and what each of them is. Knows no Django.

All of them are in `layouts`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..files.rows import Text
from .names import folded_path
from .sample import Sample
from .scoring import RatingKeys
from .uses import Use


@dataclass(frozen=True)
class Layout:
    """A layout. Its names of columns are patterns of folded paths, in which `[*]` means itself."""

    label: Text
    needs: tuple[str, ...]  # a column of each; the layout with the most of them is the likeliest
    uses: Mapping[str, Use] = field(default_factory=dict)  # the first that fits decides
    exact: bool = False  # its names are not folded
    alone: bool = False  # its responses come without a prompt
    # An object that holds what is to be read by its names. Then `uses` are of what is beside it.
    root: str = ""
    doubt: Callable[[Sample], Text] = lambda sample: ""  # what speaks against a sample
    more: Callable[[Sample], Mapping[str, Use]] = lambda sample: {}  # uses read off the sample
    # Of columns of ratings.
    rating_keys: Callable[[Sample], RatingKeys] = lambda sample: {}
    rater: str = ""  # who rated, where no column says it

    def fits(self, pattern: str, path: str) -> bool:
        """Tell whether a column has one of a pattern's names."""
        return fits(pattern, path if self.exact else folded_path(path))

    def use(self, path: str) -> Use | None:
        """Return what a column is, or None if the layout does not know it."""
        return next((use for names, use in self.uses.items() if self.fits(names, path)), None)

    def has_all(self, sample: Sample) -> bool:
        """Tell whether a sample has all columns that the layout needs."""
        return all(
            any(self.fits(need, column.name) for column in sample.columns) for need in self.needs
        )


def fits(pattern: str, path: str) -> bool:
    """Tell whether a path is one of a pattern's."""
    return bool(re.fullmatch(pattern.replace("[*]", r"\[\*\]"), path))
