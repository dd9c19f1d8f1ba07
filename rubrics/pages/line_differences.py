"""The lines in which two texts differ, as a patch, within a budget of work."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import unified_diff

AROUND = 3  # lines around those that differ
MOST_PAIRS = 20_000_000  # of lines to compare, at worst


def lines_between(before: Sequence[str], after: Sequence[str]) -> list[str] | None:
    """Return the lines that differ, with signs as in a patch; None if they are too many.

    The work grows with the pairs of equal lines. Those at the beginning and the end cost nothing.
    """
    start, end = _equal_ends(before, after)
    # With a few equal lines around them, as a reader wants them.
    first = max(0, start - AROUND)
    last = max(0, end - AROUND)
    old = before[first : len(before) - last]
    new = after[first : len(after) - last]
    counts = Counter(new)
    pairs = sum(counts[line] for line in old)
    size = pairs + len(old) + len(new)
    if size * min(len(old), len(new)) > MOST_PAIRS:
        return None
    lines = []
    for line in [*unified_diff(old, new, lineterm="")][2:]:
        if line.startswith("@@"):
            line = _moved(line, first)
        lines.append(line)
    return lines


def _equal_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are equal at the beginning, and of the others at the end."""
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, end


def _moved(head: str, by: int) -> str:
    """Return the head of a hunk with its two places moved."""
    return re.sub(r"(?<=[-+])\d+", lambda place: str(int(place[0]) + by), head)
