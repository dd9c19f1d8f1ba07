"""Trees of messages → rows of prompts with their replies. No Django but its translations.

Open-Assistant publishes a tree a row, or a message a row. The rows of a tree may lie apart, or have
no name for their tree. Each message of a prompter that an assistant answered becomes a row.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from django.utils.translation import gettext as _, ngettext

from ..files.containers import MOST_BYTES
from ..files.file_faults import FAULTS
from ..files.joins import memory_of
from ..files.json_documents import JsonDocument
from ..files.json_parts import RowLayout
from ..files.rows import (
    LONGEST_ROW,
    JsonObject,
    LineError,
    Source,
    SourceRow,
    Unreadable,
    excerpt,
    fill_in,
)
from ..files.values import A_LIST, AN_OBJECT, BadValue, wrong_kind
from .sample import EMPTY, ROWS
from .turn_keys import role_of
from .uses import ANSWERED, ASKED

MESSAGE = {"message_id", "text", "role"}
FLAT = {*MESSAGE, "parent_id"}
MOST_SCATTERED = 64 * 2**20  # bytes of memory of all rows, if those of a tree lie apart
MOST_NAMES = 200_000  # of trees or conversations, to see if their rows lie apart
OF_TREE = ("message_tree_id", "tree_state")
# Entries of a message that a row has outside of its metadata.
ROW_ENTRIES = (*MESSAGE, *OF_TREE, "parent_id", "replies", "model_name", "deleted")
ROLES = (ASKED, ANSWERED, "system")


def with_trees(source: Source) -> Source:
    """Return the reader of a file, or of the prompts in it if it holds trees of messages."""
    if isinstance(source, JsonDocument) and source.part.layout is RowLayout.COLUMNS:
        # It would be read as a whole for its first row.
        return MessageRows(source) if source.part.shape.members.keys() >= FLAT else source
    with suppress(Unreadable):  # the reading of all rows tells it
        for row in islice(source.rows(), ROWS):
            if isinstance(row.content, LineError):
                continue
            prompt = row.content.get("prompt")
            if isinstance(prompt, dict) and prompt.keys() >= MESSAGE:
                return TreeRows(source)
            if row.content.keys() >= FLAT:
                return MessageRows(source)
            if not row.content.keys() >= MESSAGE:  # in Parquet, the first of a tree has no parent
                return source
    return source


class Spread(Enum):
    """How the rows of one tree or conversation stand in a file."""

    TOGETHER = auto()
    APART = auto()  # or it may be so, as there are rows without a name
    UNCERTAIN = auto()  # there are too many names to see it


def spread_of(names: Iterable[str]) -> Spread:
    """Return how the rows of one name stand, from the names of all rows.

    Unless they stand together, the limit of what is in memory holds.
    """
    known: set[str] = set()
    last = ""
    for name in names:
        if not name or (name != last and name in known):
            return Spread.APART
        if len(known) > MOST_NAMES:
            return Spread.UNCERTAIN
        known.add(name)
        last = name
    return Spread.TOGETHER


def refuse_many(spread: Spread) -> None:
    """Raise Unreadable if rows need too much memory since there are too many names."""
    if spread is Spread.UNCERTAIN:
        text = _(
            "has more than %(most)s conversations, which are too many to be put together; split it"
        )
        raise Unreadable(text, most=MOST_NAMES)


@dataclass(eq=False, slots=True)
class Message:
    """A message, its replies, and where it stands in the file."""

    content: Mapping[str, object]
    row: SourceRow
    path: str  # within the row
    inner: list["Message"]  # the replies that are other rows
    is_reached: bool = False  # in a tree

    @property
    def id(self) -> JsonObject:
        """Its id under its name."""
        return {"message_id": self.content.get("message_id")}

    @property
    def role(self) -> str:
        """Our name of who wrote it."""
        return role_of(str(self.content.get("role")))

    @property
    def is_deleted(self) -> bool:
        """True if the file says so."""
        return str(self.content.get("deleted")).casefold() in ("true", "1")

    @property
    def turn(self) -> JsonObject:
        """Its role and text."""
        return {name: self.content.get(name) for name in ("role", "text")}

    @property
    def response(self) -> JsonObject:
        """Its text, and its model if it has one."""
        model = self.content.get("model_name")
        return {"text": self.content.get("text")} | ({"model_name": model} if model else {})

    @property
    def metadata(self) -> JsonObject:
        """All else that it has."""
        entries = {}
        for name, value in self.content.items():
            if name not in ROW_ENTRIES and value not in EMPTY:
                entries[name] = value
        return entries

    def replies(self) -> list["Message"]:
        """Return its replies. Raises BadValue."""
        path = f"{self.path}.replies"
        entries = self.content.get("replies") or []
        advice = _("write a list of messages")
        if not isinstance(entries, list):
            raise wrong_kind(path, entries, A_LIST, advice)
        replies = [*self.inner]
        for number, entry in enumerate(entries):
            place = f"{path}[{number}]"
            if not isinstance(entry, dict):
                raise wrong_kind(place, entry, AN_OBJECT, advice)
            replies.append(Message(entry, self.row, place, []))
        return replies

    def as_row(self, content: Mapping[str, object]) -> SourceRow:
        """Return a row that stands where the message does."""
        path = ".".join(filter(None, (self.row.path, self.path)))
        return SourceRow(self.row.line, content, path)

    def fault(self, bad: BadValue) -> SourceRow:
        """Return a bad row that stands where the message does."""
        return SourceRow(self.row.line, bad.at(self.row))


class TreeLevel(NamedTuple):
    """A level of a tree: messages that answer the same one."""

    messages: Iterator[Message]
    turns_before: tuple[Mapping[str, object], ...]  # the turns above them
    is_out: bool  # one of these is deleted


class TreeRows(Source):
    """The prompts of a file whose rows are trees. One row of it is in memory."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.hint, self.parts, self.proposals = source.hint, source.parts, source.proposals
        self.left_out = self.unanswered = self.letters = 0

    @property
    def remarks(self) -> Sequence[str]:
        left_out = ngettext(
            "%(number)s message is left out: it is deleted, or answers one that is.",
            "%(number)s messages are left out: they are deleted, or answer one that is.",
            self.left_out,
        )
        unanswered = ngettext(
            "%(number)s prompt has no reply, and becomes no item.",
            "%(number)s prompts have no reply, and become no items.",
            self.unanswered,
        )
        remarks = [*self.source.remarks]
        for words, number in ((left_out, self.left_out), (unanswered, self.unanswered)):
            if number:
                remarks.append(fill_in(words, number=number))
        return remarks

    @property
    def guesses(self) -> Sequence[str]:
        return self.source.guesses

    def rows(self) -> Iterator[SourceRow]:
        self.left_out = 0  # messages
        self.unanswered = 0  # prompts
        self.letters = 0  # of all conversations
        for row in self.source.rows():
            if isinstance(row.content, LineError):
                yield row
            else:
                yield from self._prompts(row, row.content)

    def _prompts(self, row: SourceRow, content: Mapping[str, object]) -> Iterator[SourceRow]:
        """Yield the prompts of a row that is a tree."""
        tree = {name: value for name, value in content.items() if name != "prompt"}
        prompt = content.get("prompt")
        if isinstance(prompt, dict):
            yield from self._walk([Message(prompt, row, "prompt", [])], tree)
        else:
            bad = wrong_kind("prompt", prompt, AN_OBJECT, _("write the first message of the tree"))
            yield SourceRow(row.line, bad.at(row))

    def _walk(
        self, first_messages: Iterable[Message], tree: Mapping[str, object]
    ) -> Iterator[SourceRow]:
        """Yield the prompts among some messages and all below them, from the top down."""
        levels = [TreeLevel(iter(first_messages), (), is_out=False)]
        while levels:
            messages, before, is_out = levels[-1]
            message = next(messages, None)
            if message is None:
                levels.pop()
                continue
            message.is_reached = True
            is_out = is_out or message.is_deleted
            self.left_out += is_out
            if message.role not in ROLES:
                yield message.fault(_unknown_role(message))
            try:
                replies = message.replies()
            except BadValue as bad:
                yield message.fault(bad)
                continue
            turns = (*before, message.turn)
            if message.role == ASKED and not is_out:
                yield from self._prompt(message, replies, {"conversation": [*turns], "tree": tree})
            levels.append(TreeLevel(iter(replies), turns, is_out))

    def _prompt(
        self, prompt: Message, replies: Iterable[Message], around: Mapping[str, object]
    ) -> Iterator[SourceRow]:
        """Yield the row of a prompt, if an assistant answered it."""
        answers = []
        for reply in replies:
            if reply.role == ANSWERED and not reply.is_deleted:
                answers.append(reply)
        if not answers:
            self.unanswered += 1
            return
        self.letters += len(str(around["conversation"]))
        if self.letters > MOST_BYTES:  # each prompt repeats all that is above it
            raise Unreadable(FAULTS["large"])
        content = {
            **prompt.id,
            **around,
            "responses": [answer.response for answer in answers],
            "prompt": prompt.metadata,
            "replies": [{**answer.id, **answer.metadata} for answer in answers],
        }
        yield prompt.as_row(content)


class MessageRows(TreeRows):
    """The prompts of a file whose rows are messages.

    One tree of it is in memory, or all of them if the rows of one lie apart.
    """

    def rows(self) -> Iterator[SourceRow]:
        self.left_out = self.unanswered = self.letters = 0
        messages: list[Message] = []
        tree: object = None
        size = 0
        are_scattered = self._spread is not Spread.TOGETHER
        most = MOST_SCATTERED if are_scattered else LONGEST_ROW
        for row in self.source.rows():
            if isinstance(row.content, LineError):
                yield row
                continue
            if not are_scattered and row.content.get("message_tree_id") != tree:
                yield from self._trees(messages)
                messages, size = [], 0
                tree = row.content.get("message_tree_id")
            messages.append(Message(row.content, row, "", []))
            size += memory_of(row.content) if are_scattered else len(str(row.content))
            if size > most:
                refuse_many(self._spread)
                text = _(
                    "has trees that are too large to be put together, near line %(line)s; sort it "
                    "by message_tree_id, or leave out the largest"
                )
                raise Unreadable(text, line=row.line)
        yield from self._trees(messages)

    @cached_property
    def _spread(self) -> Spread:
        return spread_of(self._tree_names())

    def _tree_names(self) -> Iterator[str]:
        for row in self.source.rows():
            if not isinstance(row.content, LineError):
                yield str(row.content.get("message_tree_id") or "")

    def _trees(self, messages: Sequence[Message]) -> Iterator[SourceRow]:
        """Yield the prompts of trees, and the faults of messages that have no place in one."""
        by_id: dict[str, Message] = {}
        for message in messages:
            by_id.setdefault(str(message.content.get("message_id")), message)
        first = []
        for message in by_id.values():
            parent = message.content.get("parent_id")
            if parent in EMPTY:
                first.append(message)
            elif str(parent) in by_id:
                by_id[str(parent)].inner.append(message)
        for message in first:
            tree = {name: message.content[name] for name in OF_TREE if name in message.content}
            yield from self._walk([message], tree)
        for message in messages:
            if not message.is_reached:
                yield message.fault(_lost_message(message))


def _unknown_role(message: Message) -> BadValue:
    path = ".".join(filter(None, (message.path, "role")))
    advice = _('say who speaks, such as "user" or "assistant"')
    role = excerpt(message.content.get("role"))
    return BadValue(path, _("is no role that is known"), advice, role)


def _lost_message(message: Message) -> BadValue:
    return BadValue(
        "parent_id",
        _("names no message of its tree"),
        _("add the message that it answers, or take it out; keep each message once"),
        excerpt(message.content.get("parent_id")),
    )
