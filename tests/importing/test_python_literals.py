"""Lists and objects as Python writes them."""

import pytest

from tasks.importing.files.python_literals import DEEPEST, LONGEST, read_literal
from tests.cases import cases


@cases(
    ("text", "value"),
    [
        ("['Hi there', 'Hello']", ["Hi there", "Hello"]),
        ("""['Bye', "Don't go"]""", ["Bye", "Don't go"]),
        (" [1, 2.5, True, None]\n", [1, 2.5, True, None]),
        ("[{'role': 'user', 'content': 'é\\n'}, ('a',)]", [{"role": "user", "content": "é\n"}, ["a"]]),  # noqa: E501
        ("[]", []),
        ("{'role': 'user', 'content': \"it's\"}", {"role": "user", "content": "it's"}),
    ],
)  # fmt: skip
def test_a_list_or_an_object_of_python_is_read_as_json_would_have_it(
    text: str, value: object
) -> None:
    assert read_literal(text) == value


@cases(
    "text",
    [
        "",
        "{question}",
        "{'a', 'b'}",
        "{'a': print()}",
        "{'a': 1e999}",
        "{'a': " * (DEEPEST + 2) + "1" + "}" * (DEEPEST + 2),
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
def test_a_text_that_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - its message is for nobody
        read_literal(text)
