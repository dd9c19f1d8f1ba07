"""Where two responses differ, as parts that are both texts again."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings, strategies as st

from tasks.text import diff as differing
from tasks.text.diff import LEAST_COMMON, DiffKind, DiffPart, difference, little_in_common
from tests.cases import cases

SAME, FIRST, SECOND = DiffKind


def only(parts: tuple[DiffPart, ...], other: DiffKind) -> str:
    return "".join(part.text for part in parts if part.diff_kind is not other)


@cases(
    ("first", "second", "parts"),
    [
        ("", "", []),
        ("a b", "a b", [(SAME, "a b")]),
        ("a", "", [(FIRST, "a")]),
        ("", "a", [(SECOND, "a")]),
        (
            "the cat sat",
            "the dog sat",
            [(SAME, "the "), (FIRST, "cat"), (SECOND, "dog"), (SAME, " sat")],
        ),
        ("It's", "Its", [(FIRST, "It's"), (SECOND, "Its")]),
        ("one, two", "one two", [(SAME, "one"), (FIRST, ","), (SAME, " two")]),
        ("我喜欢猫", "我喜欢狗", [(SAME, "我喜欢"), (FIRST, "猫"), (SECOND, "狗")]),
        ("नमस्ते दुनिया", "नमस्ते जग", [(SAME, "नमस्ते "), (FIRST, "दुनिया"), (SECOND, "जग")]),
        ("a b", "a  b", [(SAME, "a"), (FIRST, " "), (SECOND, "  "), (SAME, "b")]),
    ],
)
def test_words_are_compared(first: str, second: str, parts: list[tuple[DiffKind, str]]) -> None:
    assert difference(first, second) == tuple(DiffPart(*part) for part in parts)


def test_a_word_between_greater_differences_is_part_of_them() -> None:
    assert difference("x y z the u v w.", "m n o the p q r.") == (
        DiffPart(FIRST, "x y z the u v w"),
        DiffPart(SECOND, "m n o the p q r"),
        DiffPart(SAME, "."),
    )


def test_a_few_words_between_differences_are_the_same() -> None:
    first, second = "x y z on the other hand u v w", "m n o on the other hand p q r"
    assert DiffPart(SAME, " on the other hand ") in difference(first, second)


TEXTS = st.one_of(st.text(max_size=80), st.text(alphabet="ab ,\n'", max_size=120))


@settings(max_examples=300)
@given(TEXTS, TEXTS)
@example("a b c", "c b a")
def test_the_parts_are_both_texts_again(first: str, second: str) -> None:
    parts = difference(first, second)
    assert only(parts, SECOND) == first
    assert only(parts, FIRST) == second


@given(TEXTS, TEXTS)
def test_neighbours_are_of_different_kinds_and_none_is_empty(first: str, second: str) -> None:
    parts = difference(first, second)
    assert all(part.text for part in parts)
    assert all(one.diff_kind is not other.diff_kind for one, other in pairwise(parts))


@given(TEXTS, TEXTS)
def test_of_texts_too_long_for_words_the_lines_are_compared(first: str, second: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(differing, "_MOST_PAIRS", 30)
        parts = difference.__wrapped__(first, second)
    assert only(parts, SECOND) == first
    assert only(parts, FIRST) == second


def test_beyond_the_limit_whole_lines_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differing, "_MOST_PAIRS", 40)
    first = "one line\n" * 3 + "a cat sat\n" + "at last a line\n"
    assert difference.__wrapped__(first, first.replace("cat", "dog")) == (
        DiffPart(SAME, "one line\n" * 3),
        DiffPart(FIRST, "a cat sat\n"),
        DiffPart(SECOND, "a dog sat\n"),
        DiffPart(SAME, "at last a line\n"),
    )


def test_texts_of_too_many_lines_are_two_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differing, "_MOST_PAIRS", 1)
    assert difference.__wrapped__("a\nb", "a\nc") == (
        DiffPart(FIRST, "a\nb"),
        DiffPart(SECOND, "a\nc"),
    )


def test_long_texts_of_few_words_are_compared() -> None:
    assert only(difference("a b " * 5000, "b a a " * 3300), SECOND) == "a b " * 5000


# --- too little in common to mark what differs ---

TWELVE = "one two three four five six seven eight nine ten eleven twelve"


@cases(
    ("first", "second", "little"),
    [
        ("Boil it for six minutes.", "Fry it.", True),
        ("Boil it for six minutes.", "Boil it for nine minutes.", False),
        (TWELVE, "one two three four a b c d e f g h", False),  # a third
        (TWELVE, "one two three a b c d e f g h i", True),
        ("one two three", f"{TWELVE} and so on, for a long time", False),  # all of the shorter
        ("我喜欢猫", "今天下雨", True),
        ("!", "?", False),  # no words: the marks say it all
        ("", "", False),
    ],
)
def test_less_than_a_third_of_the_shorter_one_s_words_is_little(
    first: str, second: str, little: bool
) -> None:
    assert LEAST_COMMON == 1 / 3
    assert little_in_common(difference(first, second)) is little
    assert little_in_common(difference(second, first)) is little
