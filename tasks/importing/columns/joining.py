"""The proposal how two parts of a file go together. No Django."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import BinaryIO

from ..files.joins import FIRST_ROWS, JoinedPart, column_names, key_of
from ..files.options import ReadingOptions
from ..files.readers import recognise
from ..files.rows import ChoiceNeeded, LineError, Source, Unreadable
from .names import fold


def propose_join(
    file: BinaryIO, file_name: str, options: ReadingOptions, needed: ChoiceNeeded
) -> ReadingOptions | None:
    """Return how the two parts of a file are joined, or None if that is not clear.

    They have one column in common, and most rows of one name a single row of the other by it.
    """
    names = [option.value for option in needed.options if not option.is_whole]
    if needed.field != "part" or options.join or len(names) != 2:
        return None
    parts = []
    with ExitStack() as stack:
        try:
            for name in names:
                alone = options.model_copy(update={"part": name})
                parts.append(stack.enter_context(recognise(file, file_name, alone)))
            return _join(options, names, parts)
        except Unreadable:
            return None


def _join(options: ReadingOptions, names: list[str], parts: list[Source]) -> ReadingOptions | None:
    """Return the options that join two parts. Raises Unreadable."""
    shared = [*_shared(*parts)]
    if len(shared) != 1:
        return None
    for first, second in ((1, 0), (0, 1)):
        column, other = shared[0][first], shared[0][second]
        joined = JoinedPart(parts[second], names[second], [other])
        if not joined.twice and _names_most(joined, parts[first], column):
            key = column if column == other else f"{column}: {other}"
            update = {"part": names[first], "join": names[second], "key": key}
            return options.model_copy(update=update)
    return None


def _shared(first: Source, second: Source) -> Iterator[tuple[str, str]]:
    """Yield the columns of two parts that have the same name but for how it is written."""
    others = {fold(name): name for name in column_names(second)}
    for name in sorted(column_names(first)):
        if other := others.get(fold(name)):
            yield name, other


def _names_most(joined: JoinedPart, source: Source, column: str) -> bool:
    """Tell whether most of the first rows of a part name rows of the joined one."""
    good = named = 0
    for row in islice(source.rows(), FIRST_ROWS):
        if not isinstance(row.content, LineError):
            good += 1
            named += key_of(row.content, [column]) in joined.rows
    return named * 2 > good
