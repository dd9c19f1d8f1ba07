"""Read YAML with the line of each value.

Faults are in plain words, because who writes a rubric need not know YAML's own. The limits are
checked while the text is read, so that a small text that aliases make large takes no memory.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

MOST_BYTES, MOST_VALUES, DEEPEST = 1_000_000, 10_000, 20

Fault: TypeAlias = tuple[int, str]  # the line, 0 for none, and the message
# A part of what PyYAML says, and what is said instead. The first that is found counts.
_SLIPS = {
    "key in text": (
        "this line is read as a part of the text above it; indent it like its neighbours, or put a"
        ' text with ": " in quotes'
    ),
    r"mapping values|got ':'": 'a text with ": " needs quotes',
    r"'\\t'": "a tab; indent with spaces",
    r"quoted scalar found unexpected": "this quote is not closed; close it",
    r"block end>, but found '<scalar>'": (
        "more text after a closing quote; write a quote inside of a text twice, or in the other"
        " kind of quotes"
    ),
    r"block end>, but found '[]},]'|content, but found '[]},]'": (
        "a comma or bracket too many; take it out, or put the text in quotes"
    ),
    r"block end>|block collection|sequence entries": (
        "the indentation does not fit; begin a line in the same column as its neighbours"
    ),
    r"expected ':'": 'a key without ": "; write it, or indent the line as a part of the text above',
    r"expected ',' or|flow node": (
        "a list in [ ] or a mapping in { } lacks a comma or its end; write it, or put the text in"
        " quotes"
    ),
    r"alias|anchor|tag|start any token|directive": (
        "a text that begins with *, &, !, %, @ or ` needs quotes"
    ),
    r"another document": 'a second document begins; keep one, and no line "---"',
    r"block scalar": "the text after > or | begins in the next line; move it there",
    r"escape": "a backslash in double quotes; use single quotes",
    r"unhashable": "a list or mapping as a key; write a text",
    r"merging": "<< takes a mapping, or the alias of one",
    r"no value": "this number or date cannot be read; put it in quotes",
}
_OTHERWISE = "not readable as YAML; look at quotes, commas and indentation, also in the line before"


class DocumentError(ValueError):
    """All faults of a document, one per line."""

    def __init__(self, faults: Collection[str]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(self.faults))


@dataclass(frozen=True, slots=True)
class Lines:
    """The line of a value, 0 for none, and the lines of its entries by key or index."""

    line: int = 0
    within: Mapping[object, "Lines"] = field(default_factory=dict)


def told(faults: Collection[Fault]) -> list[str]:
    """Return the messages in the order of the lines, each with its line and once."""
    ordered = dict.fromkeys(sorted(faults, key=lambda fault: fault[0]))
    return [f"line {line}: {message}" if line else message for line, message in ordered]


def values(text: str) -> object:
    """Return the plain values of a YAML text. Raises DocumentError."""
    content, _lines, faults = with_lines(text)
    if faults:
        raise DocumentError(told(faults))
    return content


def with_lines(text: str) -> tuple[object, Lines, list[Fault]]:
    """Return the plain values of a YAML text, their lines, and the faults of its keys.

    Raises DocumentError if it is not YAML, or larger than the limits.
    """
    if len(text.encode(errors="replace")) > MOST_BYTES:
        raise DocumentError([f"the document has more than {MOST_BYTES:,} bytes; shorten it"])
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        lines = Lines() if node is None else loader.lines(node, 1)
        content = None if node is None else loader.construct_document(node)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"the character U+{ord(text[error.position]):04X} cannot stand here; take it out"
        raise DocumentError(told([(line, message)])) from error
    except yaml.MarkedYAMLError as error:
        raise DocumentError(told([_slip(text, error)])) from error
    return content, lines, loader.faults


def _slip(text: str, error: yaml.MarkedYAMLError) -> Fault:
    said = f"{error.context} {error.problem}"
    is_token = said.startswith("while scanning") and error.context_mark  # where the token begins
    at = error.context_mark if is_token else error.problem_mark
    assert at is not None
    if ": " not in text[: at.index].rpartition("\n")[2]:  # the only one of its line
        said = said.replace("mapping values", "key in text").replace("got ':'", "")
    words = (words for part, words in _SLIPS.items() if re.search(part, said))
    return at.line + 1, next(words, _OTHERWISE)


class _Loader(yaml.SafeLoader):
    """A loader with limits that finds the line of each value, and the faults of keys."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        self.faults: list[Fault] = []
        self.depth = self.values = 0
        self.sizes: dict[yaml.Node, int] = {}  # how many values each holds, through aliases

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node. Raises DocumentError beyond the limits."""
        line, before = self.peek_event().start_mark.line + 1, self.values
        is_alias = self.check_event(yaml.AliasEvent)
        self.depth += 1
        if self.depth > DEEPEST:
            message = f"lists and mappings more than {DEEPEST} deep in one another; write fewer"
            raise DocumentError(told([(line, message)]))
        node = super().compose_node(parent, index)
        assert node is not None
        self.depth -= 1
        if is_alias and node not in self.sizes:
            raise DocumentError(told([(line, "an alias inside of what it names; take it out")]))
        is_key = isinstance(parent, yaml.MappingNode) and index is None
        size = self.sizes.setdefault(node, self.values - before + (not is_key))
        self.values = before + size
        if self.values > MOST_VALUES:
            message = f"more than {MOST_VALUES:,} values, counting aliases; shorten the document"
            raise DocumentError(told([(line, message)]))
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return a value. Says the line of a number with too many digits, or of no date."""
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            raise yaml.constructor.ConstructorError(
                None, None, "no value", node.start_mark
            ) from error

    def lines(self, node: yaml.Node, line: int) -> Lines:
        """Return the lines of a node and all within it."""
        if isinstance(node, yaml.SequenceNode):
            entries = enumerate(node.value)
            return Lines(
                line, {n: self.lines(each, each.start_mark.line + 1) for n, each in entries}
            )
        if not isinstance(node, yaml.MappingNode):
            return Lines(line)
        if self.sizes.pop(node, 0):  # not yet seen through another alias
            self.check_keys(node)
            self.flatten_mapping(node)
        return Lines(
            line,
            {
                key.value: self.lines(value, key.start_mark.line + 1)
                for key, value in node.value
                if isinstance(key, yaml.ScalarNode)
            },
        )

    def check_keys(self, node: yaml.MappingNode) -> None:
        """Report duplicate keys, and take out keys that are the rest of a text in { }."""
        seen: set[str] = set()
        for key, value in [pair for pair in node.value if isinstance(pair[0], yaml.ScalarNode)]:
            line, end = key.start_mark.line + 1, value.start_mark.index
            is_bare = end == value.end_mark.index and ":" not in self.text[key.end_mark.index : end]
            if node.flow_style and is_bare:
                self.faults.append(
                    (line, f'"{key.value}": a comma ends a text in {{ }}: put it in quotes')
                )
                node.value.remove((key, value))
            elif key.value in seen and key.value != "<<":
                message = f'"{key.value}" appears twice in one mapping; keep one'
                self.faults.append((line, message))
            seen.add(key.value)
