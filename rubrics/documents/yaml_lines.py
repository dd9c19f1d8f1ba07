"""Read YAML with the line of each value, and write it, by PyYAML.

    title: Tone              {"title": "Tone", "levels": [1]}, and in Lines.within the lines of
    levels: [1]              "title" (1) and of "levels" (2), which has that of its entry 0 (2)

Faults are in plain words, because who writes a rubric need not know YAML's own. The limits are
checked while the text is read, so that a small text that aliases make large takes no memory.

PyYAML's parser in C is up to a hundred times as fast as the one in Python. The words for faults
are for the latter, so it reads again what the former refuses.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NoReturn, TypeAlias

import yaml
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_noop as _
from yaml.composer import Composer
from yaml.constructor import SafeConstructor

from .yaml_slips import slip_in_words

MOST_BYTES = 1_000_000
MOST_VALUES = 10_000
DEEPEST = 20
_TOO_LONG = _("the document has more than %(most)s bytes; shorten it")
_TOO_MANY = _("more than %(most)s values, counting aliases; shorten the document")
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")

Fault: TypeAlias = tuple[int, str]  # the line, 0 for none, and the message


class DocumentError(ValueError):
    """All faults of a document, one per line, in the order of its lines and each once."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        in_order = sorted(faults, key=itemgetter(0))
        self.faults_by_line = tuple(dict.fromkeys(in_order))
        self.faults = tuple(map(_with_line, self.faults_by_line))
        super().__init__("\n".join(self.faults))


def _with_line(fault: Fault) -> str:
    """Return a fault as "line 7: the fault"."""
    line, message = fault
    if not line:
        return message
    return gettext("line %(line)s: %(fault)s") % {"line": line, "fault": message}


@dataclass(frozen=True, slots=True)
class Lines:
    """The line of a value, 0 for none, and the lines of its entries by key or index."""

    line: int = 0
    within: Mapping[Any, "Lines"] = field(default_factory=dict)
    is_rest: bool = False  # an entry that was meant as the rest of a text in { }


def values(text: str, most_bytes: int = MOST_BYTES) -> object:
    """Return the plain values of a YAML text. Raises DocumentError."""
    content, _lines, faults = with_lines(text, most_bytes)
    if faults:
        raise DocumentError(faults)
    return content


def in_yaml(content: object) -> str:
    """Return plain values as a YAML text, with a block for a text of several lines."""
    text: str = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return text


def with_lines(text: str, most_bytes: int = MOST_BYTES) -> tuple[object, Lines, list[Fault]]:
    """Return the plain values of a YAML text, their lines, and the faults of its keys.

    Raises DocumentError if it is not YAML, or beyond the limits.
    """
    if _size(text) > most_bytes:
        raise DocumentError([(0, _filled(_TOO_LONG, most_bytes))])
    if yaml.__with_libyaml__:
        with suppress(yaml.YAMLError):
            return _QuickLoader(text).content_and_lines(text)
    try:
        return _PlainLoader(text).content_and_lines(text)
    except yaml.reader.ReaderError as error:
        message = gettext("the character U+%(code)s is not allowed here; take it out")
        code = f"{ord(text[error.position]):04X}"
        line = text.count("\n", 0, error.position) + 1
        raise DocumentError([(line, message % {"code": code})]) from error
    except yaml.MarkedYAMLError as error:
        raise DocumentError([slip_in_words(text, error)]) from error


def _size(text: str) -> int:
    """Return the number of bytes of a text."""
    return len(text.encode(errors="replace"))


def refuse_beyond(content: object) -> None:
    """Raise DocumentError if plain values are too many to be read as a document."""
    number = 0
    size = 0
    parts = [content]
    while parts and number <= MOST_VALUES:
        part = parts.pop()
        number += 1
        if isinstance(part, dict):
            parts += part.values()
            size += sum(map(len, map(str, part)))
        elif isinstance(part, list):
            parts += part
        elif isinstance(part, str):
            size += _size(part)
    if number > MOST_VALUES:
        raise DocumentError([(0, _filled(_TOO_MANY, MOST_VALUES))])
    if size > MOST_BYTES:
        raise DocumentError([(0, _filled(_TOO_LONG, MOST_BYTES))])


def _filled(message: str, most: int) -> str:
    return gettext(message) % {"most": number_format(most, force_grouping=True)}


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """A dumper that writes a text of several lines as a block."""


def _text_node(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = None
    if "\n" in text:
        style = "|"
    # Between other quotes PyYAML writes these characters as line breaks.
    if re.search("[\x85\u2028\u2029]", text):
        style = '"'
    node: yaml.ScalarNode = dumper.represent_scalar("tag:yaml.org,2002:str", text, style)
    return node


_Dumper.add_representer(str, _text_node)


class _LinesAndLimits(Composer, SafeConstructor):
    """The half of a loader after its parser: it has limits, and finds lines and faults of keys.

    The two loaders below put it before the parsers of PyYAML, whose methods it extends.
    """

    def content_and_lines(self, text: str) -> tuple[object, Lines, list[Fault]]:
        """Return what `with_lines` does."""
        self.text = text
        self.faults: list[Fault] = []
        self.depth = self.values = 0
        self.sizes: dict[yaml.Node, int] = {}  # how many values each holds, through aliases
        node = self.get_single_node() or yaml.ScalarNode("tag:yaml.org,2002:null", "")
        lines = self.lines(node, 1)
        return self.construct_document(node), lines, self.faults

    def compose_node(self, parent: yaml.Node | None, index: Any) -> Any:
        """Return the next node. Raises DocumentError beyond the limits."""
        event = self.peek_event()  # type: ignore[attr-defined]  # a parser’s
        before = self.values
        self.depth += 1
        if self.depth > DEEPEST:
            message = _("lists and mappings more than %(most)s deep in one another; write fewer")
            self.refuse(event, message, DEEPEST)
        node: Any = super().compose_node(parent, index)
        self.depth -= 1
        if isinstance(event, yaml.AliasEvent) and node not in self.sizes:
            self.refuse(event, _("an alias inside of what it names; take it out"))
        size = self.values - before
        if index is not None or not isinstance(parent, yaml.MappingNode):  # else a key: no value
            size += 1
        self.values = before + self.sizes.setdefault(node, size)
        if self.values > MOST_VALUES:
            self.refuse(event, _TOO_MANY, MOST_VALUES)
        return node

    def refuse(self, event: Any, message: str, most: int = 0) -> NoReturn:
        """Raise DocumentError for what is beyond a limit."""
        line = event.start_mark.line + 1
        raise DocumentError([(line, _filled(message, most))])

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return a value. Says the line of one that its tag or its digits do not allow."""
        try:
            if node.tag in _NUMBERS and ":" in str(node.value):
                raise ValueError(node.value)
            value = super().construct_object(node, deep)
            if isinstance(value, int):
                str(value)  # raises for a number of too many digits, which may be hexadecimal
            return value
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            mark = node.start_mark
            raise yaml.constructor.ConstructorError(None, None, "no value", mark) from error

    def lines(self, node: Any, line: int, *, is_rest: bool = False) -> Lines:
        """Return the lines of a node and all within it. Report its duplicate keys."""
        within: dict[Any, Lines] = {}
        if isinstance(node, yaml.MappingNode):
            if self.sizes.pop(node, 0):  # not yet seen through another alias
                self.report_repeated_keys(node)
                self.flatten_mapping(node)
            for key, value in node.value:
                is_rest_of_text = bool(node.flow_style) and self.is_rest(key, value)
                key_line = key.start_mark.line + 1
                within[str(key.value)] = self.lines(value, key_line, is_rest=is_rest_of_text)
        elif isinstance(node, yaml.SequenceNode):
            for index, entry in enumerate(node.value):
                within[index] = self.lines(entry, entry.start_mark.line + 1)
        return Lines(line, within, is_rest)

    def report_repeated_keys(self, node: yaml.MappingNode) -> None:
        """Add a fault for each key that stands in a mapping before."""
        first_keys: dict[str, yaml.Node] = {}
        for key, _value in node.value:
            if first_keys.setdefault(str(key.value), key) is not key and key.value != "<<":
                message = gettext('"%(key)s" appears twice in one mapping; keep one')
                line = key.start_mark.line + 1
                self.faults.append((line, message % {"key": key.value}))

    def is_rest(self, key_node: yaml.Node, value: yaml.Node) -> bool:
        """Return True if there is neither a value nor a colon after a key."""
        start = value.start_mark.index
        has_value = start != value.end_mark.index
        return not has_value and ":" not in self.text[key_node.end_mark.index : start]


class _PlainLoader(_LinesAndLimits, yaml.SafeLoader):
    """The loader in Python."""


class _QuickLoader(_LinesAndLimits, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The loader with the parser in C; what it makes of the text is put together in Python."""

    def __init__(self, text: str) -> None:
        super(Composer, self).__init__(text)  # type: ignore[call-arg]  # of the parser
        Composer.__init__(self)
