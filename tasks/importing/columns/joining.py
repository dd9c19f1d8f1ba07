"""The proposal how two parts of a file go together. No Django."""

from collections import defaultdict
from contextlib import ExitStack
from functools import partial
from itertools import islice
from typing import BinaryIO

from ..files.joins import FIRST_ROWS, JoinedPart, column_names, key_of
from ..files.options import ReadingOptions
from ..files.readers import recognise
from ..files.rows import ChoiceNeeded, LineError, Source, Unreadable
from .spelling import TOKENS, fold
from .turn_keys import ROLES, SPEAKERS, WRITERS

MOST_KEYS = 10  # columns of a part that may be its key: for each the part is read
IDS = frozenset(
    ["id", "nr", "no", "num", "number", "nummer", "numero", "key", "idx", "index", "code", "cle"]
)


def propose_join(
    file: BinaryIO, file_name: str, options: ReadingOptions, needed: ChoiceNeeded
) -> ReadingOptions | None:
    """Return how the two parts of a file are joined, or None if that is not clear.

    Most rows of one name a single row of the other by a column. It has the same name there, or both
    names are of ids.
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


def _join(
    options: ReadingOptions, names: list[str], sources: list[Source]
) -> ReadingOptions | None:
    """Return the options that join two parts, by one column or by several. Raises Unreadable.

    The second part is tried first as the one whose rows get columns of the other.
    """
    for first, second in ((1, 0), (0, 1)):
        keys = _matching_keys(sources[first], sources[second], names[second])
        same = [(column, other) for column, other in keys if fold(column) == fold(other)]
        best = same or keys
        if len(best) == 1:
            return _joined_by(best, options, names[first], names[second])
    for first, second in ((1, 0), (0, 1)):
        if pairs := _matching_pairs(sources[first], sources[second], names[second]):
            return _joined_by(pairs, options, names[first], names[second])
    return None


def _joined_by(
    pairs: list[tuple[str, str]], options: ReadingOptions, part: str, other_part: str
) -> ReadingOptions:
    """Return the options that join two parts by columns."""
    names = [column if column == other else f"{column}: {other}" for column, other in pairs]
    update = {"part": part, "join": other_part, "key": ", ".join(names)}
    return options.model_copy(update=update)


def _matching_pairs(source: Source, second: Source, name: str) -> list[tuple[str, str]]:
    """Return all columns of two parts that have one name, if they are a key only together."""
    names = {fold(column): column for column in filter(_is_plain, column_names(source))}
    pairs = []
    for other in sorted(filter(_is_plain, column_names(second))):
        if column := names.get(fold(other)):
            pairs.append((column, other))
    if len(pairs) < 2:
        return []
    joined = JoinedPart(second, name, [other for _column, other in pairs])
    columns = [column for column, _other in pairs]
    is_key = not joined.twice and not _has_roles(joined) and _names_most(joined, source, *columns)
    return pairs if is_key else []


def _matching_keys(source: Source, second: Source, name: str) -> list[tuple[str, str]]:
    """Return the columns by which most rows of a part name a single row of another one."""
    columns = sorted(filter(_is_plain, column_names(source)))
    likely = defaultdict(list)
    for other in sorted(filter(_is_plain, column_names(second))):
        for column in columns:
            if may_name(column, other, name):
                likely[other].append(column)
    keys = []
    for other in islice(likely, MOST_KEYS):
        joined = JoinedPart(second, name, [other])
        if not (joined.twice or _has_roles(joined)):
            names_most = partial(_names_most, joined, source)
            keys += [(column, other) for column in filter(names_most, likely[other])]
    return keys


def _is_plain(name: str) -> bool:
    """Tell whether a name can stand in a key, as `number` and in `number: id`."""
    return name != "" and {",", ":"}.isdisjoint(name)


def may_name(column: str, other: str, part: str) -> bool:
    """Tell whether a name may be of a key in another part: `Frage-Nr`, or `question`, of `Nr`."""
    if fold(column) == fold(other):
        return True
    has_id_name = is_id(column) or fold(part).startswith(fold(column))
    return has_id_name and is_id(other)


def _has_roles(joined: JoinedPart) -> bool:
    """Tell whether a column says who speaks, which names no row even if each speaks once."""
    for place, column in enumerate(joined.columns):
        values = {fold(key[place]) for key in joined.rows}
        if fold(column) in SPEAKERS | WRITERS and not ROLES.keys().isdisjoint(values):
            return True
    return False


def is_id(name: str) -> bool:
    """Tell whether a name has a word for an id: `Frage-Nr`, `code_reponse`, `qid`."""
    words = map(fold, TOKENS.findall(name))
    return fold(name).endswith(("id", "nr")) or not IDS.isdisjoint(words)


def _names_most(joined: JoinedPart, source: Source, *key_columns: str) -> bool:
    """Tell whether most of the first rows of a part name rows of the joined one."""
    good = naming = 0
    for row in islice(source.rows(), FIRST_ROWS):
        if not isinstance(row.content, LineError):
            good += 1
            naming += key_of(row.content, key_columns) in joined.rows
    is_same = fold(key_columns[0]) == fold(joined.columns[0])
    return naming > good * (0.5 if is_same else 0.9)
