"""Lists as Python writes them."""

import pytest

from tasks.importing.files.python_literals import DEEPEST, LONGEST, read_list
from tests.cases import cases


@cases(
    ("text", "value"),
    [
        ("['Hi there', 'Hello']", ["Hi there", "Hello"]),
        ("""['Bye', "Don't go"]""", ["Bye", "Don't go"]),
        (" [1, 2.5, True, None]\n", [1, 2.5, True, None]),
        ("[{'role': 'user', 'content': 'é\\n'}, ('a',)]", [{"role": "user", "content": "é\n"}, ["a"]]),  # noqa: E501
        ("[]", []),
    ],
)  # fmt: skip
def test_a_list_of_python_is_read_as_json_would_have_it(text: str, value: list[object]) -> None:
    assert read_list(text) == value


@cases(
    "text",
    [
        "",
        "{'a': 1}",
        "[laughs] hi",
        "[open",
        "[print()]",
        "[1j]",
        "[{1: 2}]",
        "[b'x']",
        "['a'] * 9",
        "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2),
        "[" * 5_000,
        "[1" + "+1" * 5_000 + "]",
        f"['{'x' * LONGEST}']",
        "[" + "1," * 200_000 + "]",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its message is for nobody
        read_list(text)
