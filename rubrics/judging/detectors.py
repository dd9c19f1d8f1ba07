"""Detect empty texts, copies of the query, and responses equal but for punctuation.

These are pure functions over Unicode strings. A detection is a question to the annotator, never a
verdict. Only `is_empty` is certain. Repetition has a module of its own (`repetition`).
"""

from .plain_text import (
    LONGEST,
    code_blocks,
    is_invisible,
    letters_of,
    plain_words,
    without_marks,
)


def is_empty(text: str) -> bool:
    """Return True if a text has only white space or invisible characters (RQ-06).

    "NA" and "null" are text.
    """
    # The beginning alone tells of most texts that they are not.
    return all(map(is_invisible, text[:100])) and all(map(is_invisible, set(text)))


def same_as_query(response: str, query: str) -> bool:
    """Return True if the response is the query up to case, punctuation and spacing (DQ-09)."""
    if max(len(response), len(query)) > LONGEST:
        return response == query
    words = plain_words(response)
    return bool(words) and words == plain_words(query)


def twins(first: str, second: str) -> bool:
    """Return True if two responses are equal or differ only in punctuation (RQ-04).

    Case counts, spacing does not. Signs with a meaning are not punctuation: 50% and 50, C# and C,
    3.5 and 35, -5 and 5 are not twins. Code blocks must be identical. Two empty responses are not
    twins, because there is nothing to compare. Very long texts are twins only if they are equal.
    """
    if max(len(first), len(second)) > LONGEST:
        return first == second and not is_empty(first)
    if letters_of(first) != letters_of(second):  # as in most pairs
        return False
    if code_blocks(first) != code_blocks(second) or is_empty(first) or is_empty(second):
        return False
    # A mark may stand for a pause ("yes—no", "yes, no") or for nothing ("U.S.", "US").
    replacements = ("", " ")
    return any(without_marks(first, mark) == without_marks(second, mark) for mark in replacements)
