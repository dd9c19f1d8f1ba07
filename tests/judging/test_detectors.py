"""What the program sees in a text by itself, and what it must not see."""

from __future__ import annotations

import json
import os
import string
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from rubrics.judging import repeated_runs, repetition
from rubrics.judging.detectors import is_empty, same_as_query, twins
from rubrics.judging.repetition import repeats
from tests.cases import cases

# --- empty ---

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u200e\u2800\u3164\u115f\ufe0f\u034f\x00\x1b"


@cases("text", ["", " ", "\n\t \r\n", "\u00a0", "\u3000", "\u2028", *INVISIBLE, INVISIBLE])
def test_white_space_and_characters_without_a_shape_are_empty(text: str) -> None:
    assert is_empty(text)


@cases(
    "text",
    [
        "NA",
        "N/A",
        "None",
        "null",
        "nan",
        "NaN",
        "0",
        "-",
        ".",
        "…",
        "?",
        "<br>",
        "&nbsp;",
        "🙂",
        "é",
        "你",
    ],
)
def test_a_visible_sign_is_text(text: str) -> None:
    assert not is_empty(text)
    assert not is_empty(f"\u200b {text}\n")


@given(st.text(alphabet=" \t\n\r\u00a0\u3000" + INVISIBLE))
def test_any_mixture_of_them_is_empty(text: str) -> None:
    assert is_empty(text)


@given(st.text(min_size=1))
def test_emptiness_is_decided_character_by_character(text: str) -> None:
    assert is_empty(text) == all(is_empty(character) for character in text)


@given(
    st.characters(
        categories=["L", "N", "P"], exclude_characters=INVISIBLE + "\u1160\u17b4\u17b5\uffa0"
    )
)
def test_no_letter_digit_or_punctuation_mark_is_empty(character: str) -> None:
    assert not is_empty(character)


# --- repeats ---


def test_a_sentence_five_times_over_is_a_repetition() -> None:
    found = repeats("The museum opens at nine. " * 5)
    assert found is not None
    assert (found.text, found.times) == ("The museum opens at nine.", 5)


@cases(
    ("text", "times"),
    [
        ("he is a german shepherd. he is a german shepherd.", 2),
        ("he is a german shepherd he is a german shepherd", 2),
        ("i am a teacher . i am a teacher .", 2),
        ("I am triplets triplets triplets triplets triplets", 5),
        (
            "You should call them first. Then wait.\nYou should call them first!\n"
            "you should call them first",
            3,
        ),
        (
            "Acting early keeps the cost of the repair down. Ask for two offers."
            " Acting early keeps the cost of the repair down.",
            2,
        ),
        ("Answer\n" * 7, 7),
        ("so so good so so good so so good", 3),
        ("请先关闭电源，然后打开盖子。请先关闭电源，然后打开盖子。", 2),
        ("Пожалуйста, подождите немного. Пожалуйста, подождите немного.", 2),
        ("من فضلك انتظر قليلا هنا. من فضلك انتظر قليلا هنا.", 2),
        ("यह सही उत्तर है। यह सही उत्तर है। यह सही उत्तर है।", 3),
    ],
)
def test_repetitions_of_a_text_are_counted(text: str, times: int) -> None:
    found = repeats(text)
    assert found is not None
    assert found.times == times


@cases(
    "text",
    [
        "",
        "Yes.",
        "Yes. Yes.",
        "No, no, no.",
        "Ha ha ha!",
        "I see. It closes at five. I see.",
        "That that is, is. He had had enough.",
        # The beginning comes back, the point does not.
        "You can use a file. You can use a socket. You can use a pipe. You can use a queue.",
        "- Monday: rest\n- Tuesday: 5 km\n- Wednesday: rest\n- Thursday: 8 km\n- Friday: rest",
        "1. Preheat the oven.\n2. Mix well.\n3. Add the eggs.\n4. Mix well.\n"
        "5. Add the milk.\n6. Mix well.",
        # A heading taken up in its text.
        "Pack light clothes: pack light clothes that dry fast.",
        "Virtual and Augmented Reality: Virtual and augmented reality train surgeons.",
        # A summary says the same in other words.
        "Plant it in March, in the sun. Water it weekly. "
        "In short: March, sun, and water once a week.",
        # Tables, code, patterns, numbers.
        "| a | b |\n|---|---|\n| yes | no |\n| yes | no |\n| no | yes |\n| yes | no |",
        "x\ty\tz\nyes\tno\tno\nyes\tno\tno\nyes\tno\tyes",
        "```python\nprint('hello there, dear world of mine')\n"
        "print('hello there, dear world of mine')\n```",
        "~~~\nthe same long line of code stands here twice\n"
        "the same long line of code stands here twice",
        r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}",
        "1 2 1 2 1 2 1 2 1 2",
        "7 7 7 7 7 7 7",
        "0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0",
        "Use `a b c d` and `a b c d e`, or `a b c d a b c d`.",
        "Row one, row two, row three.",
        "你好。谢谢。你好。",
    ],
)
def test_a_phrase_that_recurs_in_honest_prose_is_no_repetition(text: str) -> None:
    assert repeats(text) is None


def test_the_longest_of_several_repeats_is_the_one_to_ask_about() -> None:
    text = "Call the office before noon on any weekday, please. I see. " * 6
    found = repeats(text)
    assert found is not None
    assert (found.text, found.times) == ("Call the office before noon on any weekday, please.", 6)


@given(
    st.lists(
        st.text(string.ascii_lowercase, min_size=2, max_size=9),
        min_size=4,
        max_size=20,
        unique=True,
    ),
    st.integers(3, 6),
)
def test_any_sentence_of_four_words_said_three_times_is_seen(words: str, times: int) -> None:
    sentence = " ".join(words).capitalize() + "."
    found = repeats(" ".join([sentence] * times))
    assert found is not None
    assert (found.text, found.times) == (sentence, times)


@given(st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=9), max_size=60, unique=True))
def test_words_that_are_all_different_never_repeat(words: str) -> None:
    assert repeats(" ".join(words)) is None


@given(st.text())
def test_repeats_takes_any_text_and_what_it_names_stands_in_it(text: str) -> None:
    found = repeats(text)
    assert found is None or (found.text in text and found.times >= 2)


# What texts are made of where a quick look may go wrong: marks that end a sentence and do not,
# words that are joined, letters that become others in small, code, and lines that end in odd ways.
PIECES = (
    *("a", "at", "nine", "DON'T", "don’t", "3.5", "35", "1", "STRASSE", "straße", "请先关闭电源"),
    *(
        "ŉ",
        "\u0345",
        "ﬁ",
        "İ",
        "e\u0301",
        "🙂",
        "_",
        "-",
        ",",
        ".",
        "!",
        "。",
        "…",
        '."',
        "!)",
        "|",
        "`",
    ),
    *("The museum opens", "`a b c d`", "\n```\n", "\n~~~\n"),
    *(" ", " ", " ", "\t", "\n", "\r\n", "\x0b", "\x1f", "\u2028"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.integers(1, 6))
def test_a_quick_look_rules_out_no_text_that_repeats_itself(pieces: list[str], times: int) -> None:
    text = "".join(pieces) * times
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeated_runs, "_says_four_words_twice", lambda _: True)
        found = repetition._repeats.__wrapped__(text)
    assert repetition._repeats.__wrapped__(text) == found


# --- same as the query ---


@cases(
    ("response", "query"),
    [
        ("do you like turtles?", "Do you like turtles?"),
        ("Do you like turtles", "do you like turtles ?"),
        ("  DO  you\nlike turtles?! ", "Do you like turtles?"),
        ("“Do you like turtles?”", "Do you like turtles?"),
        ("STRASSE", "Straße"),
        ("Ça va ?", "ça va?"),
        ("你喜欢乌龟吗", "你喜欢乌龟吗？"),
        ("do you\u200b like turtles", "Do you like turtles?"),
    ],
)
def test_the_query_given_back_up_to_case_punctuation_and_spacing(response: str, query: str) -> None:
    assert same_as_query(response, query)
    assert same_as_query(query, response)


@cases(
    ("response", "query"),
    [
        ("Yes.", "Do you like turtles?"),
        ("Do you like turtles? I do.", "Do you like turtles?"),
        ("do i like turtles?", "Do you like turtles?"),
        ("", ""),
        ("?", "!"),
        ("\u200b", "\u200b"),
        ("🙂", "🙃"),
    ],
)
def test_an_answer_is_not_the_query(response: str, query: str) -> None:
    assert not same_as_query(response, query)


@given(st.text(), st.text())
def test_being_the_same_does_not_hang_on_which_comes_first(one: str, other: str) -> None:
    assert same_as_query(one, other) == same_as_query(other, one)
    assert not same_as_query(one, one + " and more words")


# --- twins ---


@cases(
    ("one", "other"),
    [
        ("Offensive.", "Offensive"),
        ("I paid on time, but I was charged.", "I paid on time but I was charged"),
        ("“Believe you can.”", '"Believe you can"'),
        ("It's late; go home!", "Its late: go home..."),
        ("yes—no", "yes, no"),
        ("a well-known place", "a well known place"),
        ("The U.S. won", "The US won"),
        ("Wait...what?", "Wait, what?"),
        ("One\n\ntwo", "One two."),
        ("It costs (about) 5 euros.", "It costs about 5 euros"),
        ("COVID-19", "COVID 19"),
        ("¿Qué hora es?", "Qué hora es"),
        ("你好，世界。", "你好世界"),
        ("Same", "Same"),
        ("cafe\u0301.", "caf\u00e9"),
        ("1. Stir\n2. Wait", "1) Stir\n2) Wait"),
        # Accents that are written apart, in texts too long to be compared in one look.
        ("e\u0301" * 200, "." + "e\u0301" * 200),
        ("e\u0301" * 200, "…" + "\u00e9" * 200),
        ("```\na\n```\n" + "Yes " * 100, "```\na\n```\n" + "Yes, " * 100),
    ],
)
def test_responses_that_differ_in_punctuation_only_are_twins(one: str, other: str) -> None:
    assert twins(one, other)
    assert twins(other, one)


@cases(
    ("one", "other"),
    [
        ("Yes.", "No."),
        ("It is 3.5 metres", "It is 35 metres"),
        ("It is 1,000", "It is 1.000"),
        ("at 10:30", "at 1030"),
        ("-5 degrees", "5 degrees"),
        ("x (-5)", "x (5)"),
        ("$.5", "$5"),
        ("50%", "50"),
        ("Learn C#", "Learn C"),
        ("R&D", "RD"),
        ("snake_case", "snakecase"),
        ("3 + 4", "3 4"),
        ("Offensive", "offensive"),
        ("a part", "apart"),
        ("Yes 🙂", "Yes"),
        ("```\na, b\n```", "```\na b\n```"),
        ("", ""),
        (" ", "."),
        ("\u200b", ""),
    ],
)
def test_responses_that_differ_in_more_are_no_twins(one: str, other: str) -> None:
    assert not twins(one, other)
    assert not twins(other, one)


@given(st.text(), st.text())
def test_being_twins_does_not_hang_on_which_comes_first(one: str, other: str) -> None:
    assert twins(one, other) == twins(other, one)


@given(st.text())
def test_every_text_that_is_not_empty_is_its_own_twin(text: str) -> None:
    assert twins(text, text) == (not is_empty(text))


@given(
    st.lists(st.text(string.ascii_letters, min_size=1, max_size=8), min_size=1, max_size=12),
    st.lists(st.sampled_from([",", ";", ".", "!", " —", ""]), min_size=12, max_size=12),
)
def test_marks_put_after_words_make_twins_and_another_word_does_not(words: str, marks: str) -> None:
    marked = " ".join(word + mark for word, mark in zip(words, marks, strict=False))
    assert twins(marked, " ".join(words))
    assert not twins(marked, " ".join([*words, "more"]))


# --- real texts ---


@pytest.fixture
def real_data() -> Path:
    folder = os.environ.get("EVENHAND_REAL_DATA")
    if not folder:
        pytest.skip("EVENHAND_REAL_DATA names no folder with real texts")
    return Path(folder)


def responses_in(file: Path) -> Iterator[str]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield from (response["text"] for response in json.loads(line)["responses"])


def test_four_real_answers_show_nothing_at_all(real_data: Path) -> None:
    empty = [text for text in responses_in(real_data / "tulu_multi.items.jsonl") if is_empty(text)]
    assert empty == ["\u200b"] * 4


def test_few_real_answers_are_asked_about_and_each_for_a_real_repeat(
    real_data: Path,
) -> None:
    for name, at_most in (("tulu_multi", 0.06), ("convai2_wild", 0.05)):
        texts = list(responses_in(real_data / f"{name}.items.jsonl"))
        asked = [(found, text) for text in texts if (found := repeats(text))]
        assert asked
        assert len(asked) <= at_most * len(texts)
        for found, text in asked:
            loose = " ".join(text.casefold().split())
            assert loose.count(" ".join(found.text.casefold().split()).rstrip(".!?")) >= 2, found


def test_real_twins_hold_the_same_letters_and_digits(real_data: Path) -> None:
    def letters(text: str) -> str:
        return "".join(c for c in unicodedata.normalize("NFC", text) if c.isalnum())

    found = 0
    with (real_data / "tulu_multi.items.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            texts = [response["text"] for response in json.loads(line)["responses"]]
            for place, one in enumerate(texts):
                for other in texts[:place]:
                    if twins(one, other):
                        found += 1
                        assert letters(one) == letters(other)
    assert found > 20


def test_runs_are_looked_for_among_so_many_words_of_a_text_and_no_more() -> None:
    """A table of a quarter of a million characters must not keep its annotator waiting."""
    stammer = "well I know I know I know what you mean"
    assert repeats(stammer) is not None
    table = "\n".join(f"| x{row} | x{row} | x{row} | x{row} | x{row} |" for row in range(1_990))
    assert repeats(f"{table}\n{stammer}") is not None
    assert repeats(f"{table}\n{table.replace('x', 'y')}\n{stammer}") is None
