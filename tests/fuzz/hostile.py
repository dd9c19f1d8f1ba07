"""What a request at random has: values, headers and files that nobody sends in good faith."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from hypothesis import strategies
from hypothesis.strategies import SearchStrategy

from tests.factories import FIXTURES

HOSTILE_VALUES = [
    "",
    " ",
    "0",
    "-1",
    "9" * 30,
    "1e309",
    "NaN",
    "½",
    "٣",  # a digit to `str.isdigit`
    "\x00",
    "a\x00b",
    "\ud800",
    "\u202e\u200b\ufeff",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}{% now %}",
    "%s%d%(name)s",
    "' OR 1=1 --",
    "../../etc/passwd",
    "//elsewhere.example/",
    "javascript:alert(1)",
    "a\r\nSet-Cookie: x=1",
    "[]",
    "{}",
    "null",
    '{"a": [[[[[[1]]]]]]}',
    "[" * 2_000,
    "&a: [*a, *a]",
    "x" * 20_000,
    "😀" * 300,
    "2026-02-30",
    "9999-12-31T23:59:59Z",
    "0001-01-01",
    "00000000-0000-0000-0000-000000000000",
]
HOSTILE_HEADERS = [
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Cookie",
    "Forwarded",
    "Host",
    "HX-Boosted",
    "HX-Current-URL",
    "HX-History-Restore-Request",
    "HX-Prompt",
    "HX-Request",
    "HX-Target",
    "HX-Trigger",
    "HX-Trigger-Name",
    "Idempotency-Key",
    "If-Modified-Since",
    "If-None-Match",
    "Origin",
    "Range",
    "Referer",
    "User-Agent",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Http-Method-Override",
    "Content-Type",
]
HEADER_VALUES = [
    "true",
    "1",
    "*",
    "a;q=x, b;q=9",
    "multipart/form-data",
    'W/"',
    "bytes=9-1",
    "::1%x",
]
FILE_FOLDERS = ("import", "rubrics", "shapes")

# A page gives a surrogate to no server: a browser sends U+FFFD for it.
sent_text = strategies.text(strategies.characters(exclude_categories=["Cs"]), max_size=60)
hostile_values = strategies.one_of(
    strategies.sampled_from(HOSTILE_VALUES),
    sent_text,
    strategies.integers(-(2**65), 2**65).map(str),
    strategies.floats().map(str),
)


def values_like(known: Sequence[str]) -> SearchStrategy[str]:
    """A value that a field has on its page, in three of four cases, or a hostile one."""
    if not known:
        return hostile_values
    sampled = strategies.sampled_from(list(known))
    return strategies.one_of(sampled, sampled, sampled, hostile_values)


@strategies.composite
def sent_fields(
    draw: strategies.DrawFn, fields: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """The fields of a form with some values. One or two may be absent, twice there or unknown."""
    sent = {}
    for name, known in fields.items():
        count = draw(strategies.sampled_from([1, 1, 1, 1, 1, 1, 0, 2]))
        if count:
            sent[name] = [draw(values_like(known)) for _place in range(count)]
    if draw(strategies.integers(0, 9)) == 0:
        sent[draw(hostile_values)] = [draw(hostile_values)]
    return sent


@strategies.composite
def sent_headers(draw: strategies.DrawFn) -> dict[str, str]:
    """Headers of a request: none in half of all cases, else some that are hostile."""
    if draw(strategies.booleans()):
        return {}
    names = draw(strategies.lists(strategies.sampled_from(HOSTILE_HEADERS), max_size=3))
    values = strategies.one_of(strategies.sampled_from(HEADER_VALUES), hostile_values)
    headers = {}
    for name in names:
        # A server takes a header as Latin-1, on one line.
        value = draw(values).encode("utf-8", "replace").decode("latin-1")
        headers[name] = value.replace("\r", " ").replace("\n", " ").replace("\x00", " ")[:4_000]
    return headers


class SentFile(BytesIO):
    """A file as a browser sends it. Its name may be none that a file can have."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


def example_files() -> list[Path]:
    """Files that the program reads: items of all kinds, and rubrics."""
    paths = []
    for folder in FILE_FOLDERS:
        paths += sorted(path for path in (FIXTURES / folder).iterdir() if path.is_file())
    return paths


@strategies.composite
def broken_files(draw: strategies.DrawFn) -> SentFile:
    """A file that the program reads, with some bytes changed, and often another name."""
    path = draw(strategies.sampled_from(example_files()))
    content = bytearray(path.read_bytes()[:30_000])
    for _change in range(draw(strategies.integers(0, 4))):
        start = draw(strategies.integers(0, len(content)))
        end = start + draw(strategies.sampled_from([0, 1, 2, 40, 4_000]))
        kind = draw(strategies.sampled_from(["cut", "replace", "repeat"]))
        if kind == "cut":
            del content[start:end]
        elif kind == "replace":
            content[start:end] = draw(strategies.binary(max_size=8))
        else:
            content[start:start] = content[start:end] * 3
    name = draw(strategies.one_of(strategies.just(path.name), hostile_values, sent_text))
    encoding = draw(strategies.sampled_from(["", "", "utf-16", "latin-1"]))
    if encoding:
        content = bytearray(content.decode("utf-8", "replace").encode(encoding, "replace"))
    return SentFile(name.encode("utf-8", "replace").decode(), bytes(content))
