"""Readers whose rows have a cell for each column. No Django but its translations."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from django.utils.translation import ngettext

from .headers import Header, numbered
from .rows import Source, fill_in

T = TypeVar("T")


class Grid(Source):
    """A source whose rows have a cell for each column."""

    is_table = True
    header: Header

    def __init__(self) -> None:
        self.errors: Counter[str] = Counter()  # of formulas
        self.error_line = 0  # of the first one

    @property
    def guesses(self) -> Sequence[str]:
        return (self.header.guess,) if self.header.guess else ()

    @property
    def remarks(self) -> Sequence[str]:
        remarks = [*self.guesses, *self.fixed_remarks]
        number = self.errors.total()
        text = ngettext(
            "%(number)s cell is the error of a formula (%(errors)s), in line %(line)s.",
            "%(number)s cells are errors of formulas (%(errors)s), the first in line %(line)s.",
            number,
        )
        errors = ", ".join(self.errors)
        if number:
            remarks.append(fill_in(text, number=number, errors=errors, line=self.error_line))
        return remarks

    def content(self, row_cells: Sequence[T]) -> dict[str, T]:
        """Return the cells of a row with their names. A cell behind the last name has a number."""
        names = self.header.names
        if len(row_cells) > len(names):
            names = [*names, *numbered(len(row_cells))[len(names) :]]
        return dict(zip(names, row_cells, strict=False))

    def note_errors(self, line: int, errors: Iterable[str]) -> None:
        """Count the errors of formulas in a row."""
        self.error_line = self.error_line or line
        self.errors.update(errors)
