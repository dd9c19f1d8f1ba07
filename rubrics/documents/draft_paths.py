"""Find the parts of a draft that the paths of findings name.

A path has a list and a name by turns, such as `dimensions.quality.rules.rude_caps`. A name is a
code, else the number of a part in its list.
"""

import re
from collections.abc import Sequence

from .draft_parts import DraftDimension, DraftDocument, DraftPart
from .finding import Finding

Path = Sequence[str]
_NAMED_BY = {"levels": "score", "examples": ""}  # else by their code


def place_of(finding: Finding) -> Path:
    """Return the path of a finding; () for the whole document."""
    if finding.path == ("the document",):
        return ()
    return finding.path


def kind_at(path: Path) -> str:
    """Return the kind of the part at a path, such as "rule"; "" for another than has tasks."""
    match [*path]:
        case []:
            return "about"
        case ["dimensions", _]:
            return "dimension"
        case [*_, ("checks" | "rules" | "examples") as parts, _]:
            return parts.removesuffix("s")
        case _:
            return ""


def part_at(draft: DraftDocument, path: Path) -> DraftPart | None:
    """Return the part at a path; None if there is none."""
    part: DraftPart | None = draft
    if len(path) % 2:
        return None
    for list_name, name in zip(path[::2], path[1::2], strict=True):
        part = _part_of(_parts_in(part, list_name), list_name, name)
    return part


def dimension_around(draft: DraftDocument, path: Path) -> DraftDimension | None:
    """Return the dimension that a part is in, or that it is; None for the whole response."""
    part = part_at(draft, path[:2])
    return part if isinstance(part, DraftDimension) else None


def number_at(draft: DraftDocument, path: Path) -> int:
    """Return the number of a part in its list; of an example, among those of its dimension."""
    part = part_at(draft, path)
    number = 1
    for peer in _parts_in(part_at(draft, path[:-2]), path[-2]):
        if peer is part:
            break
        number += 1
    dimension = dimension_around(draft, path)
    if kind_at(path) == "example" and dimension:
        for level in dimension.levels:
            if str(level.score) == path[3]:
                break
            number += len(level.examples)
    return number


def _parts_in(part: DraftPart | None, list_name: str) -> list[DraftPart]:
    """Return the parts in one of the lists of a part."""
    entries = getattr(part, list_name, None)
    if not isinstance(entries, list):
        return []
    return [entry for entry in entries if isinstance(entry, DraftPart)]


def _part_of(parts_of_list: Sequence[DraftPart], list_name: str, name: str) -> DraftPart | None:
    """Return the part of a list that has this name."""
    key = _NAMED_BY.get(list_name, "code")
    for part in parts_of_list:
        if str(getattr(part, key, "")) == name:
            return part
    if re.fullmatch("[1-9][0-9]{0,4}", name):
        number = int(name)
        if number <= len(parts_of_list):
            return parts_of_list[number - 1]
    return None
