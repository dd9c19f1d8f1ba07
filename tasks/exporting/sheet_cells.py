"""The cells of a workbook, as `workbook` gives them to openpyxl.

openpyxl takes 30 MB, which few processes need, so only who writes a workbook imports this.
"""

import re

from openpyxl.cell import Cell
from openpyxl.worksheet.worksheet import Worksheet

# A control character, a carriage return (XML reads a line feed), and what looks like an escape.
ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)|[\x01-\x08\x0b-\x1f\ufffe\uffff]")
BLANK = re.compile(r"\s+")


class ExactCell(Cell):
    """A cell whose text is written whole. openpyxl's own cuts it where escapes make it longer."""

    def check_string(self, value: str) -> str:
        """Return the text as it is."""
        return value


def cell_of(sheet: Worksheet, value: str | float | None) -> Cell | None:
    """Return the cell of a value, None for an empty one."""
    if value is None:
        return None
    if isinstance(value, str):
        # openpyxl puts it into its row and column.
        cell = ExactCell(sheet, row=1, column=1, value=escape(value))
        cell.data_type = "s"  # whatever it begins with: openpyxl makes a formula of "=1+1"
        return cell
    # With all digits, of which openpyxl writes 16.
    cell = ExactCell(sheet, row=1, column=1, value=repr(value))
    cell.data_type = "n"
    return cell


def escape(text: str) -> str:
    """Return a text as the XML of a cell has it, such as `_x0001_` for its character 1."""
    if BLANK.fullmatch(text):  # which some readers take for an empty cell
        return f"_x{ord(text[0]):04X}_{escape(text[1:])}"
    return ESCAPED.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
