"""The names of a table's columns: which row holds them, and whether any does.

The first full row is proposed. Rows above it are a title, which is said. Two rows may hold the
names together, where an upper one groups the columns of a lower one. A row that looks like the rows
below it may be no header: that is asked. No Django but its translations.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from statistics import median, mode
from typing import TypeAlias

from django.utils.translation import gettext as _, ngettext

from .file_faults import FAULTS
from .formats import MOST_COLUMNS
from .rows import OTHER_ENCODING, ChoiceNeeded, Option, Unreadable, excerpt, fill_in, not_utf8

LOOKED_AT = 40  # rows at the beginning of a table
MOST_CHOICES = 5  # of rows that may hold the names
FEWEST_BELOW = 3  # rows of values that tell a legend from them
LONG = 25  # characters of a text that is rather no name
NUMBER = re.compile(r"[-+]?[\d.,]{1,30} ?%?")
Line: TypeAlias = tuple[int, Sequence[str]]  # with the number of a row in the file


@dataclass(frozen=True)
class Header:
    """The names of all columns of a table."""

    line: int  # the last one of the header; 0: no row holds the names
    names: Sequence[str]
    width: int = 0  # cells of its row
    guess: str = ""  # a sentence about what else it could be


def header_of(numbered_rows: Sequence[Line], chosen: int | None) -> Header:
    """Return the header of a table with these first rows. Raises Unreadable and ChoiceNeeded."""
    if chosen == 0:
        return Header(0, numbered(mode(len(cells) for _line, cells in numbered_rows)))
    if chosen is None:
        return _checked(_proposed(numbered_rows))
    upper: Sequence[str] = ()
    for line, cells in numbered_rows:
        if line == chosen:
            return _checked(Header(line, _names(upper, cells), len(cells)))
        upper = cells
    raise Unreadable(
        _("has no names of columns in line %(line)s; choose another line"), line=chosen
    )


def numbered(number: int) -> list[str]:
    """Return names for columns that have none."""
    return [f"column {place}" for place in range(1, number + 1)]


def _proposed(numbered_rows: Sequence[Line]) -> Header:
    """Return the likeliest header. Raises ChoiceNeeded if its cells look like values.

    There may be rows of a title above it, and a second row of names or a legend below.
    """
    usual = mode(_width(cells) for _line, cells in numbered_rows)
    titles = _number_of_titles(numbered_rows, usual)
    line, cells = numbered_rows[titles]
    title = _titled(line, titles) if titles else ""
    following = numbered_rows[titles + 1 :]
    below = [row for _line, row in following if row != cells]
    if below and _completes(cells, below[0], below[1:], usual):
        lower = following[0][0]
        text = _("The names of columns are in two rows, the lower one is line %(line)s.")
        return Header(lower, _names(cells, below[0]), len(cells), fill_in(text, line=lower))
    if below and _is_legend(below[0], below[1:]):
        legend = following[0][0]
        text = _("The row in line %(line)s tells of the columns, and is left out.")
        guess = f"{title} {fill_in(text, line=legend)}".lstrip()
        return Header(legend, _names((), cells), len(cells), guess)
    votes = Counter(_votes(cells, below))
    if titles:
        is_doubtful = votes["value"] >= votes["name"]
    else:  # a single name is enough in the first row
        is_doubtful = votes["value"] > 0 and not votes["name"]
    if is_doubtful:
        raise _header_needed(numbered_rows)
    if titles:
        return Header(line, _names((), cells), len(cells), title)
    return _from_first_row(numbered_rows)


def _number_of_titles(numbered_rows: Sequence[Line], usual: int) -> int:
    """Return how many rows of a title stand above the names of columns."""
    for number, (_line, cells) in enumerate(numbered_rows[:-1]):
        if not _is_title(cells, usual):
            return number
    return len(numbered_rows) - 1


def _from_first_row(numbered_rows: Sequence[Line]) -> Header:
    """Return the header that the first row is, perhaps with rows below that tell of it."""
    line, cells = numbered_rows[0]
    last = _last_line(numbered_rows)
    text = _("The rows from line 2 to %(line)s tell of the columns, and are left out.")
    guess = fill_in(text, line=last) if last > line else ""
    return Header(last, _names((), cells), len(cells), guess)


def _titled(line: int, titles: int) -> str:
    """Return where the names are, below so many rows of a title."""
    sentence = ngettext(
        "The names of columns are in line %(line)s; the row above it is left out.",
        "The names of columns are in line %(line)s; the rows above it are left out.",
        titles,
    )
    return fill_in(sentence, line=line)


def _last_line(numbered_rows: Sequence[Line]) -> int:
    """Return the last line of a header that begins in the first row; Qualtrics writes three."""
    for line, cells in numbered_rows[1:3]:
        if cells[0].startswith('{"ImportId"'):
            return line
    return numbered_rows[0][0]


def _width(cells: Sequence[str]) -> int:
    return sum(cell.strip() != "" for cell in cells)


def _is_title(cells: Sequence[str], usual: int) -> bool:
    """Tell whether a row holds a title: little text, from its first cell on."""
    number = _width(cells)
    return number * 2 <= usual and number == _width(cells[:number])


def _completes(
    upper: Sequence[str], lower: Sequence[str], cell_rows: Sequence[Sequence[str]], usual: int
) -> bool:
    """Tell whether two rows hold the names together, and neither of them alone."""
    pairs = _pairs(upper, lower)
    columns = len(pairs)
    if columns < usual or ("", "") in pairs or _width(upper) == columns:
        return False
    names = [cell for cell in lower if cell.strip()]
    if len(set(names)) == columns:
        return False
    votes = Counter(_votes(lower, cell_rows))
    words = len(names) - len(_series(lower))
    return not votes["value"] and votes["name"] * 2 >= words


def _is_legend(cells: Sequence[str], cell_rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a row says in words what is in each column: "1 = bad, 5 = good" above numbers.

    No cell may look like the values below it. A rated row with a remark in place of a score is no
    legend: that has words above half of the columns of single words, too, or says a scale.
    """
    if len(cell_rows) < FEWEST_BELOW or not all(cell.strip() for cell in cells):
        return False
    columns = [(cell, _values_below(cell_rows, place)) for place, cell in enumerate(cells)]
    if any(_is_number(cell) or cell in values for cell, values in columns):
        return False
    above_numbers = []
    above_words = []  # single ones, such as ids and initials
    for cell, values in columns:
        if values and all(map(_is_number, values)):
            above_numbers.append((cell, values))
        elif not any(map(_has_blank, values)):
            above_words.append(cell)
    are_words = 0 < len(above_words) <= 2 * sum(map(_has_blank, above_words))
    is_legend = False
    for cell, values in above_numbers:
        is_legend |= _has_blank(cell) and (are_words or _says_scale(cell, values))
    votes = Counter(_votes(cells, cell_rows))
    return is_legend and not votes["value"] and votes["name"] * 2 > len(cells)


def _says_scale(cell: str, number_cells: Sequence[str]) -> bool:
    """Tell whether a cell says what numbers below it mean: "1 = bad, 5 = good", "from 1 to 5".

    "3 or 4" is no scale of numbers from 1 to 5.
    """
    ends = [int(digits) for digits in re.findall(r"\d{1,9}", cell)]
    if len(ends) < 2 or "=" in cell:
        return len(ends) > 1
    numbers = [_number(value) for value in number_cells]
    return min(ends) <= min(numbers) and max(numbers) <= max(ends)


def _pairs(upper: Sequence[str], lower: Sequence[str]) -> list[tuple[str, str]]:
    """Return the cells of two rows, column by column. A blank cell above goes on to the right."""
    pairs: list[tuple[str, str]] = []
    group = ""
    for upper_cell, lower_cell in zip_longest(upper, lower, fillvalue=""):
        above = upper_cell.strip()
        below = lower_cell.strip()
        if above or not below:
            group = above
        pairs.append((group, below))
    return pairs


def _names(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Return the names in a row. One that is there twice begins with what is above it."""
    numbers = Counter(lower)
    names: list[str] = []
    for place, (above, below) in enumerate(_pairs(upper, lower)):
        name = lower[place] if below else above
        if below and above and numbers[name] > 1:
            name = f"{above}_{below}"
        names.append(name)
    while names and not names[-1]:
        names.pop()
    for place, unnamed in enumerate(numbered(len(names))):
        names[place] = names[place] or unnamed
    return names


def _checked(header: Header) -> Header:
    names = header.names
    if len(names) > MOST_COLUMNS:
        raise Unreadable(FAULTS["columns"], number=len(names), most=MOST_COLUMNS)
    for name in names:
        if not_utf8(name):
            text = _("is not UTF-8 in its header (%(name)s); %(advice)s")
            around = excerpt(name, as_bytes=True)
            raise Unreadable(text, name=around, advice=OTHER_ENCODING)
    if len(set(names)) < len(names):
        name, _number = Counter(names).most_common(1)[0]
        raise Unreadable(FAULTS["twice"], name=excerpt(name))
    return header


def _votes(header: Sequence[str], cell_rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield "name" or "value" for some columns: what their first cell looks like."""
    series = _series(header)
    for place, name in enumerate(header):
        if place in series or not name.strip():
            continue
        cells = _values_below(cell_rows, place)
        if not cells:
            continue
        if all(map(_is_number, cells)):
            yield "value" if _is_number(name) else "name"
        elif len(cells) > 2 and (name in cells or _is_numbered_as(name, cells)):
            yield "value"
        elif _resembles_name(name, cells):
            yield "name"
        elif len(name) >= max(LONG, median(map(len, cells)) / 2):
            yield "value"


def _values_below(cell_rows: Sequence[Sequence[str]], place: int) -> Sequence[str]:
    """Return the cells of a column that are not empty."""
    return [row[place] for row in cell_rows if place < len(row) and row[place].strip()]


def _series(header: Sequence[str]) -> Sequence[int]:
    """Return the places of numbers that are names, such as 1, 2, 3 of raters or responses."""
    places = [place for place, cell in enumerate(header) if re.fullmatch(r"\d{1,9}", cell)]
    numbers = [int(header[place]) for place in places]
    if len(places) < 2 or places[-1] - places[0] >= len(places):
        return ()
    for number, following in pairwise(numbers):
        if following not in (number + 1, numbers[0]):
            return ()
    return places


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


def _number(cell: str) -> float:
    """Return the number in a cell that holds one; what cannot be read is 0."""
    digits = cell.strip().rstrip("% ").replace(",", ".")
    try:
        return float(digits)
    except ValueError:  # several commas, as in 1,000,000
        return 0


def _is_numbered_as(name: str, cells: Sequence[str]) -> bool:
    """Tell whether the name and all cells are the same text with another number."""
    if not re.search(r"\d", name):
        return False
    patterns = {re.sub(r"\d+", "0", cell) for cell in (name, *cells)}
    return len(patterns) == 1


def _resembles_name(name: str, cells: Sequence[str]) -> bool:
    """Tell whether the cells below have something in common that the name has not."""
    if len(set(cells)) * 2 <= len(cells):  # few values, again and again
        return True
    if all(map(_has_digit, cells)) and not _has_digit(name):
        return True
    usual = median(map(len, cells))
    return len(name) < LONG and len(name) * 3 < usual


def _has_blank(cell: str) -> bool:
    return " " in cell.strip()


def _has_digit(cell: str) -> bool:
    return any(map(str.isdigit, cell))


def _header_needed(numbered_rows: Sequence[Line]) -> ChoiceNeeded:
    choices = [*numbered_rows[:MOST_CHOICES], (0, numbered(len(numbered_rows[0][1])))]
    options = []
    for line, cells in choices:
        sample = ", ".join(filter(None, cells))
        options.append(Option(str(line), excerpt(sample)))
    text = _(
        "may have no names of columns in its first row; say which line holds them (0: none), by "
        "“Names of columns” on the page or by --header"
    )
    return ChoiceNeeded("header", options, text)
