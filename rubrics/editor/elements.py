"""Small steps on the parts of a draft, which the forms of several parts need.

They find parts by their codes, make codes from texts, and read scores. They also tell which entries
stand under "More": those without a field of their own.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TypeVar
from unicodedata import normalize

from ..documents.draft_parts import (
    DraftAnswer,
    DraftCheck,
    DraftDimension,
    DraftPart,
    DraftRule,
    Score,
    field_kinds,
)
from ..documents.nodes import LONGEST
from ..judging.parts import RESERVED_DIMENSIONS
from ..judging.plain import Entries, Plain

NameT = TypeVar("NameT", str, Score)
CodedT = TypeVar("CodedT", DraftDimension, DraftCheck, DraftRule, DraftAnswer)
# Lists whose own "More" stands under that of the part around them.
UNDER_MORE = ("answers", "levels")


def without_fields(part_class: type[DraftPart], entries: Mapping[str, Plain]) -> Entries:
    """Return the entries that stand under "More": those without a field in the form of a part."""
    names = [name for name in field_kinds(part_class) if name not in UNDER_MORE]
    return {name: value for name, value in entries.items() if name not in names}


def mappings_in(value: Plain) -> list[Entries]:
    """Return the mappings of a list, without all else."""
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, dict)]


def by_code(parts: Iterable[CodedT], code: str) -> CodedT | None:
    """Return the part with a code; None without one."""
    for part in parts:
        if part.code == code:
            return part
    return None


def codes_of(parts: Iterable[CodedT]) -> list[str]:
    """Return the codes of parts."""
    return [part.code for part in parts]


def scores_of(dimension: DraftDimension) -> range:
    """Return the scores of a scale, none if its ends do not make one."""
    low = dimension.lowest
    high = dimension.highest
    if isinstance(low, int) and isinstance(high, int):
        return range(low, high + 1)
    return range(0)


def scale_ends(dimension: DraftDimension) -> tuple[Score | None, Score | None]:
    """Return the lowest and the highest score of a scale, as they were entered."""
    return dimension.lowest, dimension.highest


def in_former_order(names: Iterable[NameT], former: list[NameT]) -> list[NameT]:
    """Return the names, in the order that they had before if they are the same."""
    names = list(names)
    if {*names} == {*former}:
        return former
    return names


def whole_number(text: str) -> Score:
    """Return a whole number, or the text if it is none."""
    if re.fullmatch(r"[-+]?\d{1,9}", text.strip()):
        return int(text)
    return text


def slug_of(text: str) -> str:
    """Return a short name that is made from a text; "" if it has no letter for one."""
    slug = re.sub("[^a-z0-9_]+", "-", _ascii(text)).strip("-_")
    return slug[: LONGEST["code"]].strip("-_")


def new_code(text: str, codes: Iterable[str]) -> str:
    """Return a code that is made from a text, and is none of these."""
    plain = re.sub(r"[^a-z0-9]+", "_", _ascii(text)).strip("_")
    plain = plain[:60].strip("_") or "part"
    used = [*RESERVED_DIMENSIONS, *codes]
    code = plain
    number = 1
    while code in used:
        number += 1
        code = f"{plain}_{number}"
    return code


def _ascii(text: str) -> str:
    letters = normalize("NFKD", text).encode("ascii", "ignore")
    return letters.decode().lower()
