"""Histories: lists of turns, and lines that may name their speakers. No text is changed.

No Django but its translations.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from rubrics.judging.parts import Turn

from ..files.rows import JsonObject, excerpt, fill_in
from ..files.values import (
    A_LIST,
    AN_OBJECT,
    BadValue,
    cell_text,
    lines_of,
    one_of,
    require_nothing_else,
    texts_in_list,
    wrong_kind,
)
from .turn_keys import is_turns, speaker_key, text_key
from .uses import ANSWERED, ASKED

# Entries of a turn that belong to its text, and cannot be shown.
NO_TEXTS = ("tool_calls", "function_call", "images", "audio", "files", "attachments")

# The speaker of a history's line: one of these words, perhaps with a letter or number, or a capital
# letter, perhaps with a number. Then a colon and an optional space. Anything else before a colon is
# part of the text. A letter stands apart from a short word: `Kim:` is a name, not `ki` and an m.
SPEAKER = re.compile(
    r"(?P<role>(?:user|assistant|system|human|model|agent|customer|person|speaker|participant|tool"
    r"|(?:be)?nutzer|kunde|mensch|assistent|utilisateur|client|humain)"
    r"(?:[ _-]?(?:[0-9]{1,3}|[A-Za-z]))?"
    r"|(?:bot|ai|ki|ia)(?:[ _-]?[0-9]{1,3}|[ _-][A-Za-z])?"
    r"|(?-i:[A-Z])[0-9]{0,3})[ \u00a0\u202f]?:"
    r"(?: |$|(?=[^\s/\\]))",
    re.IGNORECASE,
)
LETTER = re.compile(r"[A-Z][0-9]{0,3}")
# Up to three words before a colon that are none of these: `Berater: `, `Dr. Lee: `.
OTHER_NAME = re.compile(r"([^\W\d_][\w.-]*(?: [\w.-]+){0,2}) ?:\s")


def history_of(value: object, column: str, last: str = ASKED) -> tuple[Turn, ...]:
    """Return the turns of a history of messages or plain lines.

    If every line names its speaker, use these names. If none does, user and assistant alternate,
    and the last line is of the role `last`.
    """
    match value:
        case str():
            lines = transcript(lines_of(value, column))
        case list() if value and all(isinstance(line, str) for line in value):
            lines = texts_in_list(value, column)
        case _:
            return turns_of(value, column)
    if any(map(SPEAKER.match, lines)):
        return tuple(_turns_with_speakers(lines, column))
    if isinstance(value, str) and "" in lines:
        number = lines.index("") + 1
        reason = fill_in(_("has no text in line %(line)s"), line=number)
        advice = _("write a list of {role, text}, so that it is clear who speaks")
        raise BadValue(column, reason, advice)
    turns = []
    other = ANSWERED if last == ASKED else ASKED
    for position, line in enumerate(lines):
        is_last = (len(lines) - position) % 2  # or two before it, and so on
        turns.append(Turn(last if is_last else other, line))
    return tuple(turns)


def transcript(text_lines: Sequence[str]) -> list[str]:
    """Return the turns in the lines of a text, each with the lines below it that name no speaker.

    So it is where a word such as `User: ` begins the text. Then letters are in the text of a turn:
    `A: ` may begin an option. A single letter beside a single word is who answers. Else each line
    is a turn.
    """
    speakers = [speaker_in(line) for line in text_lines]
    letters = {speaker for speaker in speakers if LETTER.fullmatch(speaker)}
    words = {*speakers} - letters - {""}
    if not speakers or speakers[0] not in words:
        return [*text_lines]
    if len(words) == 1 and len(letters) == 1:
        words |= letters
    turn_texts: list[str] = []
    for line, speaker in zip(text_lines, speakers, strict=True):
        if speaker in words:
            turn_texts = [turn.rstrip("\n") for turn in turn_texts]
            turn_texts.append(line)
        else:
            turn_texts[-1] += f"\n{line}"
    return turn_texts


def speaker_in(line: str) -> str:
    """Return who speaks in a line of a history, or ""."""
    speaker = SPEAKER.match(line)
    return speaker["role"] if speaker else ""


def unread_speaker(texts: Sequence[str]) -> str:
    """Return a name that begins lines in most texts, and is not read as who speaks; or ""."""
    counts = Counter[str]()
    different = {*texts}
    for text in different:
        names: set[str] = set()
        for line in text.splitlines():
            other = OTHER_NAME.match(line)
            if other and not speaker_in(line):
                names.add(other[1])
        counts.update(names)
    for name, number in counts.most_common(1):
        if number > max(1, len(different) / 2):  # in one alone it may be a note
            return name
    return ""


def _turns_with_speakers(text_lines: Sequence[str], column: str) -> Iterator[Turn]:
    """Yield the turns of lines that say who speaks. Raises BadValue."""
    for number, line in enumerate(text_lines, start=1):
        speaker = SPEAKER.match(line)
        if speaker is None:
            words = _("has no speaker in line %(line)s, and has one in another")
            advice = _(
                'begin every line with who speaks, such as "user: ", '
                "or write a list of {role, text}"
            )
            reason = fill_in(words, line=number)
            raise BadValue(column, reason, advice, excerpt(line))
        text = line[speaker.end() :]
        yield Turn(speaker["role"], text)


def turns_of(value: object, column: str) -> tuple[Turn, ...]:
    """Return the turns of a list. Raises BadValue."""
    if not isinstance(value, list):
        raise wrong_kind(column, value, A_LIST, _("write a list of {role, content}"))
    turns = []
    for position, entry in enumerate(value):
        turn = _turn(entry, f"{column}[{position}]")
        turns.append(turn)
    return tuple(turns)


def _turn(value: object, column: str) -> Turn:
    if not isinstance(value, dict):
        raise wrong_kind(column, value, AN_OBJECT, _("write {role, content}"))
    for name in NO_TEXTS:
        require_nothing_else({name: value.get(name)}, (), column)
    names = ("content", "text")
    other_name = text_key(value) if value.keys().isdisjoint(names) else None
    key = other_name or one_of(value, names, column)
    speaker = "role" if "role" in value else speaker_key(value)
    if not speaker:
        advice = _('say who speaks, such as "user" or "assistant"')
        raise BadValue(f"{column}.role", _("is missing"), advice)
    role = cell_text(value[speaker], f"{column}.{speaker}")
    content, place = value[key], f"{column}.{key}"
    is_in_parts = isinstance(content, list)
    text = _parts(content, place) if is_in_parts else cell_text(content, place)
    return Turn(role, text)


def turn_entries(turn_list: object) -> list[JsonObject]:
    """Return what turns hold beside who speaks and the text, by turn; nothing if none does."""
    if not is_turns(turn_list):
        return []
    entries = []
    for turn in turn_list:
        known = (speaker_key(turn), text_key(turn), *NO_TEXTS)
        entry = {}
        for name, value in turn.items():
            if name not in known and value not in (None, "", [], {}):
                entry[name] = value
        entries.append(entry)
    return entries if any(entries) else []


def _parts(message_parts: Sequence[object], column: str) -> str:
    """Return the text of a message in parts, joined without a separator."""
    texts = []
    for position, part in enumerate(message_parts):
        where = f"{column}[{position}]"
        if not isinstance(part, dict):
            raise wrong_kind(where, part, AN_OBJECT, _('write {"type": "text", "text": …}'))
        kind = part.get("type", "text")
        if kind != "text":
            reason = _("is no text and can’t be shown")
            advice = _("take the item out, or describe the part as text")
            raise BadValue(f"{where}.type", reason, advice, excerpt(kind))
        text = cell_text(part.get("text"), f"{where}.text")
        texts.append(text)
        require_nothing_else(part, ("type", "text"), where)
    return "".join(texts)
