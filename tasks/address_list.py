"""A pasted list of addresses: one a line, or CSV with a name."""

import csv

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.translation import gettext as _, ngettext

from tasks.models.invitations import LONGEST_ADDRESS

MOST_AT_ONCE = 100
LONGEST_NAME = 150
# A first line with one of these in the first cell names the columns.
HEADS = frozenset({"address", "e-mail", "email", "mail"})
SHOWN = 60  # characters of a bad value

_check_address = EmailValidator()


def read_addresses(text: str) -> list[tuple[str, str]]:
    """Return pairs of address and name.

    Raise ValidationError for a list that is not good, with each fault's line and what to do.
    """
    people: list[tuple[str, str]] = []
    faults: list[str] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        cells = _cells(line)
        if not any(cells) or (not people and not faults and cells[0].lower() in HEADS):
            continue
        address, name = cells[0], cells[1] if len(cells) > 1 else ""
        earlier = lines.setdefault(address.lower(), number)
        fault = _fault(cells, name)
        if not fault and earlier != number:
            fault = _("%(address)s stands in line %(line)d already: take one of them out.") % {
                "address": _cut(address),
                "line": earlier,
            }
        if fault:
            faults.append(_("Line %(line)d: %(fault)s") % {"line": number, "fault": fault})
        else:
            people.append((address, name))
    if not people and not faults:
        faults.append(_("The list is empty: write one address on each line."))
    if len(people) > MOST_AT_ONCE:
        said = ngettext(
            "The list has more than %d address: send it in parts.",
            "The list has more than %d addresses: send it in parts.",
            MOST_AT_ONCE,
        )
        faults.append(said % MOST_AT_ONCE)
    if faults:
        raise ValidationError(faults)
    return people


def _cells(line: str) -> list[str]:
    """Return the values of a line, between commas, semicolons or tabs."""
    delimiter = next((mark for mark in "\t;" if mark in line and "," not in line), ",")
    row = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    cells = [cell.strip() for cell in row]
    while len(cells) > 1 and not cells[-1]:
        cells.pop()
    return cells or [""]


def _fault(cells: list[str], name: str) -> str:
    """Return what is wrong with a line by itself, or ""."""
    fits = _is_address(cells[0])
    if not fits and any(cell.lower() in HEADS or _is_address(cell) for cell in cells[1:]):
        said = _("“%(value)s” is no e-mail address: put the address first, then the name.")
        return said % {"value": _cut(cells[0])}
    if not fits:
        return _("“%(value)s” is no e-mail address: correct it, or take the line out.") % {
            "value": _cut(cells[0])
        }
    if len(cells) > 2:
        return _("it has more than an address and a name: put a name with a comma in quotes.")
    if len(name) > LONGEST_NAME or not name.isprintable():
        return _("the name is too long or has signs that cannot be shown: shorten it.")
    return ""


def _is_address(value: str) -> bool:
    try:
        _check_address(value)
    except ValidationError:
        return False
    return len(value) <= LONGEST_ADDRESS


def _cut(value: str) -> str:
    return value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
