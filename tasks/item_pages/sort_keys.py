"""The sort keys of items in addresses: where a page of the list begins."""

from collections.abc import Sequence
from typing import Any

from tasks.item_pages.ordered import SortKey
from tasks.models.item_list import KEYS


def is_sort_key(sort: str, text: str) -> bool:
    """Return True if an address names a sort key, or none."""
    return not text or read_sort_key(sort, text) is not None


def write_sort_key(sort_key: Sequence[Any]) -> str:
    """Return a sort key as an address has it."""
    return ".".join(map(str, sort_key))


def read_sort_key(sort: str, text: str) -> SortKey | None:
    """Return the sort key that an address names, or None if it names none."""
    if not text:
        return None
    if len(KEYS[sort]) == 1:
        return (text,)
    try:
        value, item = map(int, text.split("."))
    except ValueError:
        return None
    if -(2**15) <= value < 2**63 and 0 < item < 2**63:
        return value, item
    return None
