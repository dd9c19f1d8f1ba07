"""Rows that are turns → rows that are conversations. No Django but its translations.

Tables often have a turn a row: `conversation_id, turn, role, content`. Rows with the same id become
one row. It has the list of turns in the place of their text, and what else is the same in all of
them. The last turn of the assistant ends it, and is the response.

Names alone do not make turns of rows. If the conversations of the file do not hold together, such
as those of a file with several models, its rows are read one by one.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _, ngettext

from ..files.joins import memory_of
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
from ..files.values import BadValue
from .message_trees import MOST_SCATTERED, Spread, TreeRows, refuse_many, spread_of
from .name_tables import Strength
from .sample import EMPTY
from .spelling import fold
from .turn_columns import GoodRow, TurnColumns, exchange_key, good_rows, means, turn_columns
from .turn_keys import ROLES, role_of
from .uses import ANSWERED, ASKED, Use

MOST_BROKEN = 0.1  # of the conversations of a file whose rows are turns
OF_TURN = frozenset(["role", "content", "text"])  # names that a turn has for itself
SHORT = 20  # characters of what people say twice, such as "Yes, please."


def with_turns(source: Source) -> Source:
    """Return the reader of a file, or of the conversations in it if its rows are turns.

    Raises Unreadable if these are too large to be put together.
    """
    if isinstance(source, TreeRows):
        return source
    columns, key = None, ""
    with suppress(Unreadable):  # the reading of all rows tells it
        columns = turn_columns(source)
        key = exchange_key(source)
    if columns:
        conversations = ConversationRows(source, columns)
        return conversations if conversations.hold_together else source
    if key:
        text = _(
            "Rows with the same “%(key)s” may be one conversation. Each is an item of its own, "
            "without what was said before."
        )
        source.fixed_remarks = (*source.fixed_remarks, fill_in(text, key=key))
    return source


class Survey(NamedTuple):
    """The conversations of a file, before they are read."""

    number: int
    broken: int
    varying: frozenset[str]  # the columns that say something else of turns in one conversation


class ConversationRows(Source):
    """The conversations of a file whose rows are turns.

    One of them is in memory, or all of them if the rows of one lie apart.
    """

    def __init__(self, source: Source, columns: TurnColumns) -> None:
        self.source, self.columns = source, columns
        self.hint, self.parts, self.proposals = source.hint, source.parts, source.proposals
        self.left_out = self.unanswered = 0

    @property
    def guesses(self) -> Sequence[str]:
        return self.source.guesses

    @property
    def remarks(self) -> Sequence[str]:
        words = _("Each row is a turn; rows with the same “%(key)s” are one conversation.")
        if self.columns.order:
            words = _(
                "Each row is a turn; rows with the same “%(key)s” are one conversation, in the "
                "order of “%(order)s”."
            )
        left_out = ngettext(
            "%(number)s turn is left out: it comes after the last response.",
            "%(number)s turns are left out: they come after the last response.",
            self.left_out,
        )
        unanswered = ngettext(
            "%(number)s conversation has no response, and becomes no item.",
            "%(number)s conversations have no response, and become no items.",
            self.unanswered,
        )
        remarks = [*self.source.remarks]
        remarks.append(fill_in(words, key=self.columns.key, order=self.columns.order))
        for sentence, number in ((left_out, self.left_out), (unanswered, self.unanswered)):
            if number:
                remarks.append(fill_in(sentence, number=number))
        return remarks

    @property
    def hold_together(self) -> bool:
        """True if nearly all conversations are one. Raises Unreadable."""
        return self._survey.broken <= MOST_BROKEN * self._survey.number

    def rows(self) -> Iterator[SourceRow]:
        self.left_out = self.unanswered = 0
        varying = self._survey.varying
        broken = self._around_bad_rows
        for key, turns in self._conversations():
            try:
                if key in broken:
                    raise BadValue(
                        self.columns.key,
                        _("may lack a turn: a row beside this conversation can’t be read"),
                        _("correct that row first"),
                        excerpt(key),
                    )
                yield from self._conversation(self._sorted(turns), varying)
            except BadValue as bad:
                line, content = turns[0]
                yield SourceRow(line, bad.at(SourceRow(line, content), key))
        for row in self.source.rows():
            if isinstance(row.content, LineError):
                yield row

    def _conversation(
        self, turns: Sequence[GoodRow], varying: frozenset[str]
    ) -> Iterator[SourceRow]:
        """Yield the row of a conversation, if an assistant has a turn in it."""
        speakers = [str(turn.content.get(self.columns.speaker)) for turn in turns]
        roles = [*map(role_of, speakers)]
        if not roles.count(ANSWERED) and not ROLES.keys().isdisjoint(map(fold, speakers)):
            self.unanswered += 1
            return
        number = len(roles)  # of turns up to the last response
        while ANSWERED in roles and roles[number - 1] != ANSWERED:
            number -= 1
        self.left_out += len(roles) - number
        yield self._row(turns[:number], varying)

    def _row(self, turns: Sequence[GoodRow], varying: frozenset[str]) -> SourceRow:
        """Return the row of a conversation, with a list of its turns in the place of a text."""
        conversation: JsonObject = {}
        turn_contents: list[Mapping[str, object]] = []
        for turn in turns:
            turn_content: JsonObject = {}
            for name, value in turn.content.items():
                if name in varying or name in self.columns:
                    turn_content[name] = value
                elif conversation.get(name) in EMPTY:
                    conversation[name] = value
            turn_contents.append(self._turn(turn_content))
        last = turns[-1].content
        for name in varying:  # the model of the response is that of the last turn
            if means(name, Use.MODEL):
                conversation[name] = last.get(name)
        key = last[self.columns.key]
        conversation = {self.columns.id: key, self.columns.text: turn_contents, **conversation}
        return SourceRow(turns[0].line, conversation)

    def _turn(self, turn_content: Mapping[str, object]) -> Mapping[str, object]:
        """Return a turn under names that all turns have, without what its row only names."""
        speaker, text = turn_content.get(self.columns.speaker), turn_content.get(self.columns.text)
        turn: JsonObject = {"role": speaker, "content": "" if text is None else text}
        for name, value in turn_content.items():
            if name not in self.columns:
                turn[f"turn.{name}" if fold(name) in OF_TURN else name] = value
        return turn

    def _sorted(self, turns: Sequence[GoodRow]) -> Sequence[GoodRow]:
        """Return the turns of a conversation in their order. Raises BadValue if it is none."""
        columns = self.columns
        if turns[0].content.get(columns.key) in EMPTY:
            raise BadValue(columns.key, _("is empty"), _("say which conversation the turn is of"))
        if columns.order:
            turns = sorted(turns, key=lambda turn: columns.place(turn.content))
            self._refuse_same_numbers(turns)
        self._refuse_mixed(turns)
        return turns

    def _refuse_mixed(self, turns: Sequence[GoodRow]) -> None:
        """Raise BadValue if turns are of several conversations, or answers to the same turn."""
        advice = _("keep one response to each turn, or write a row for each response")
        columns = self.columns
        before = ""
        prompts: dict[str, None] = {}
        model_by_column: dict[str, str] = {}
        for turn in turns:
            speaker = str(turn.content.get(columns.speaker))
            text = str(turn.content.get(columns.text) or "")
            role = role_of(speaker)
            if role == before == ANSWERED:
                reason = _("follows another turn of the assistant")
                raise BadValue(columns.speaker, reason, advice, excerpt(speaker))
            is_first = text == next(iter(prompts), None)
            if role == ASKED and text in prompts and (is_first or len(text) > SHORT):
                reason = _("is said twice by the user")
                raise BadValue(columns.text, reason, advice, excerpt(text))
            if role == ASKED and text.strip():
                prompts[text] = None
            elif role == ANSWERED:
                self._refuse_other_model(turn, model_by_column, advice)
            before = role

    def _refuse_other_model(
        self, turn: GoodRow, model_by_column: dict[str, str], advice: str
    ) -> None:
        """Raise BadValue if another turn of the assistant has another model; else keep it."""
        for name, value in turn.content.items():
            if value in EMPTY or not means(name, Use.MODEL, Strength.STRONG):
                continue
            if model_by_column.setdefault(name, str(value)) != str(value):
                reason = _("is another one than in an earlier turn")
                raise BadValue(name, reason, advice, excerpt(value))

    def _refuse_same_numbers(self, turns: Sequence[GoodRow]) -> None:
        """Raise BadValue if two turns have one number. An exchange may have one for both sides."""
        columns = self.columns
        line_by_number: dict[object, int] = {}
        for turn in turns if columns.has_numbers else ():
            place = columns.place(turn.content)
            key = place, str(turn.content.get(columns.speaker))
            if key in line_by_number:
                reason = fill_in(_("is also that of line %(line)s"), line=line_by_number[key])
                advice = _("give each turn of a conversation a number of its own")
                raise BadValue(columns.order, reason, advice, excerpt(str(place)))
            line_by_number[key] = turn.line

    @cached_property
    def _survey(self) -> Survey:
        number = broken = 0
        varying: set[str] = set()
        for _key, turns in self._conversations():
            number += 1
            try:
                self._sorted(turns)
            except BadValue:
                broken += 1
            first_values: JsonObject = {}
            for turn in turns:
                for name, value in turn.content.items():
                    if value not in EMPTY and first_values.setdefault(name, value) != value:
                        varying.add(name)
        return Survey(number, broken, frozenset(varying.difference(self.columns)))

    @cached_property
    def _around_bad_rows(self) -> frozenset[str]:
        """The conversations before and behind rows that cannot be read, which may be theirs."""
        keys: set[str] = set()
        last = ""
        is_behind = False
        for row in self.source.rows():
            if isinstance(row.content, LineError):
                keys.add(last)
                is_behind = True
                continue
            last = self._key(row.content)
            if is_behind:
                keys.add(last)
            is_behind = False
        return frozenset(keys)

    def _key(self, content: Mapping[str, object]) -> str:
        return str(content.get(self.columns.key))

    @cached_property
    def _spread(self) -> Spread:
        return spread_of(self._key(row.content) for row in good_rows(self.source))

    def _conversations(self) -> Iterator[tuple[str, Sequence[GoodRow]]]:
        """Yield the key and the rows of each conversation. Raises Unreadable."""
        are_scattered = self._spread is not Spread.TOGETHER
        most = MOST_SCATTERED if are_scattered else LONGEST_ROW
        several: defaultdict[str, list[GoodRow]] = defaultdict(list)
        size = 0
        for row in good_rows(self.source):
            key = self._key(row.content)
            if not are_scattered and key not in several:
                yield from several.items()
                several.clear()
                size = 0
            several[key].append(row)
            size += memory_of(row.content) if are_scattered else len(str(row.content))
            if size > most:
                refuse_many(self._spread)
                text = _(
                    "has conversations that are too large to be put together, near line %(line)s; "
                    "sort it by %(key)s, or leave out the largest"
                )
                raise Unreadable(text, line=row.line, key=self.columns.key)
        yield from several.items()
