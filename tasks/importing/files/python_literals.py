"""Lists and objects as Python writes them, which pandas puts into cells of a table. No Django."""

import ast
import math

LONGEST = 2**20  # characters
DEEPEST = 16  # levels of lists and objects
MOST_MARKS = 100_000  # commas and brackets
PLAIN = (str, int, float, bool, type(None))


def read_literal(text: str) -> object:
    """Return a list or an object that Python wrote, such as ['a', "it's"]. Raises ValueError."""
    if not text.lstrip().startswith(("[", "{")) or len(text) > LONGEST:
        raise ValueError("This is no list and no object, or it is too long.")
    if sum(map(text.count, ",[{(")) > MOST_MARKS:
        raise ValueError("This has too many entries.")
    try:
        value = ast.literal_eval(text.strip())
    except (SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError("This is no literal of Python.") from error
    if not isinstance(value, list | dict):
        raise ValueError("This is no list and no object.")
    return _plain(value, DEEPEST + 1)


def _plain(value: object, levels_left: int) -> object:
    """Return a value as JSON could have it. Raises ValueError."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("This holds a number that is too large.")
    if isinstance(value, PLAIN):
        return value
    if not levels_left:
        raise ValueError("This is nested too deeply.")
    if isinstance(value, list | tuple):
        return [_plain(entry, levels_left - 1) for entry in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(entry, levels_left - 1) for key, entry in value.items()}
    raise ValueError("This holds what JSON does not have.")
