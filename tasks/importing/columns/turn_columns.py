"""Which columns make turns of rows. No Django but its translations."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import NamedTuple

from django.utils.translation import gettext as _

from ..files.rows import LineError, Source, excerpt
from ..files.values import BadValue
from .name_tables import Strength
from .names import meaning
from .rating_names import is_amount, is_quality, use_of
from .sample import EMPTY, ROWS
from .spelling import fold
from .turn_keys import CONVERSATION_KEY, ROLES, SPEAKERS, TURN_NUMBER, TURN_TIME, WRITERS, text_key
from .uses import ANSWERING, ASKING, Use

MOST_SPEAKERS = 12
Content = Mapping[str, object]


class GoodRow(NamedTuple):
    """A row that could be read."""

    line: int
    content: Mapping[str, object]


class TurnColumns(NamedTuple):
    """The columns of rows that are turns."""

    key: str  # of the conversation
    speaker: str
    text: str
    order: str  # "" if turns stand in order

    @property
    def id(self) -> str:
        """The name that the key has in the rows of conversations: its own if it is one of ids."""
        return self.key if means(self.key, Use.ID) or fold(self.key).endswith("id") else "id"

    @property
    def has_numbers(self) -> bool:
        """True if turns are numbered, and not only have a time."""
        return TURN_NUMBER.fullmatch(fold(self.order)) is not None

    def place(self, content: Mapping[str, object]) -> Decimal:
        """Return what a turn is sorted by. Raises BadValue."""
        value = content.get(self.order)
        number = _number(value) if self.has_numbers else _seconds(value)
        if number is None:
            reason = _("is no number") if self.has_numbers else _("is no time")
            advice = _("number the turns of a conversation")
            raise BadValue(self.order, reason, advice, excerpt(value))
        return number


def turn_columns(source: Source) -> TurnColumns | None:
    """Return the columns of turns, if the first rows are some. Raises Unreadable."""
    rows = _first_rows(source)
    names = dict.fromkeys(name for row in rows for name in row)
    text = text_key(names)
    speaker = _speaker(rows, [name for name in names if name != text])
    others = [name for name in names if name not in (text, speaker)]
    if not (text and speaker):
        return None
    for key in conversation_keys(others):
        rest = [name for name in others if name != key]
        if not any(map(_is_of_items, rest)) and _are_turns(rows, key, speaker, text):
            return TurnColumns(key, speaker, text, _order(rows, rest))
    return None


def conversation_keys(names: Iterable[str]) -> list[str]:
    """Return the columns that may say which conversation a turn is of, the likeliest first."""
    keys = []
    ids = []
    for name in names:
        if CONVERSATION_KEY.fullmatch(fold(name)):
            keys.append(name)
        elif means(name, Use.ID):
            ids.append(name)
    return [*keys, *ids]


def exchange_key(source: Source) -> str:
    """Return the column of the conversation, if each row has a prompt with its response of one."""
    names = [*next((row.content for row in good_rows(source)), {})]
    has_number = any(TURN_NUMBER.fullmatch(fold(name)) for name in names)
    uses = [use for use in (Use.PROMPT, Use.RESPONSE) if any(means(name, use) for name in names)]
    for name in names:
        if CONVERSATION_KEY.fullmatch(fold(name)) and has_number and len(uses) == 2:
            return name
    return ""


def _first_rows(source: Source) -> list[Content]:
    """Return the first rows, or none if the very first has no text and speaker."""
    contents: list[Content] = []
    for row in islice(good_rows(source), ROWS):
        if not contents and not _has_names(row.content):
            break
        contents.append(row.content)
    return contents


def good_rows(source: Source) -> Iterator[GoodRow]:
    for row in source.rows():
        if not isinstance(row.content, LineError):
            yield GoodRow(row.line, row.content)


def _has_names(content: Mapping[str, object]) -> bool:
    """Tell whether a row may have a text and a speaker: most files need no further look."""
    has_speaker = any(fold(name) in SPEAKERS | WRITERS for name in content)
    return has_speaker and text_key(content) is not None


def _speaker(contents: Sequence[Content], names: Sequence[str]) -> str:
    """Return the column of who speaks, or "": one of roles, or else of a few names."""
    known = [name for name in names if fold(name) in SPEAKERS | WRITERS]
    of_names = ""
    for name in sorted(known, key=lambda name: fold(name) in WRITERS):
        speakers = {fold(str(row.get(name) or "")) for row in contents}
        if len(speakers) > 1 and speakers <= ROLES.keys():
            return name
        if fold(name) in SPEAKERS and 1 < len(speakers) <= MOST_SPEAKERS:
            of_names = of_names or name
    return of_names


def _is_of_items(name: str) -> bool:
    """Tell whether a column is of a whole item, or of those who rated a turn."""
    is_text = any(means(name, use, Strength.STRONG) for use in (*ASKING, *ANSWERING))
    return is_text or use_of(name) is Use.RATER or (is_quality(name) and not is_amount(name))


def means(name: str, use: Use, least: Strength = Strength.WEAK) -> bool:
    known = meaning(name)
    return known is not None and known.use is use and known.strength >= least


def _are_turns(contents: Sequence[Content], key: str, speaker: str, text: str) -> bool:
    """Tell whether each row says a text, and most stand with rows of other speakers."""
    speakers: defaultdict[object, set[object]] = defaultdict(set)
    numbers = Counter[object]()
    for row in contents:
        if row.get(key) in EMPTY or not isinstance(row.get(text), str | None):
            return False
        if isinstance(row[key], dict | list) or not isinstance(row.get(speaker), str | None):
            return False
        name = str(row[key])
        numbers[name] += 1
        speakers[name].add(row.get(speaker))
    several = [numbers[name] for name in numbers if len(speakers[name]) > 1]
    return 2 * sum(several) > len(contents)


def _order(contents: Sequence[Content], names: Sequence[str]) -> str:
    """Return the column of the turn's number, or else of its time, or ""."""
    for name in names:
        values = [row.get(name) for row in contents]
        if TURN_NUMBER.fullmatch(fold(name)) and None not in map(_number, values):
            return name
    for name in names:
        times = (
            [_seconds(row.get(name)) for row in contents] if TURN_TIME.fullmatch(fold(name)) else []
        )
        if times and None not in times:
            return name
    return ""


def _number(value: object) -> Decimal | None:
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _seconds(value: object) -> Decimal | None:
    """Return a time such as 2026-01-31T12:00 in seconds; without a zone it is UTC."""
    try:
        time = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    return Decimal((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
