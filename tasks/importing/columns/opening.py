"""Open a file: the reader of its rows, of the part whose columns are known if it has several.

The worker, the pages of an upload and the commands open files here. No Django but translations.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO, NamedTuple

from django.utils.translation import gettext as _

from ..files.options import AS_PROPOSED, ReadingOptions
from ..files.readers import recognise
from ..files.rows import ChoiceNeeded, Option, Source, fill_in, part_needed
from .file_parts import is_part_missing, known_part, refuse_conversations
from .message_trees import with_trees
from .turn_rows import with_turns
from .uses import ANSWERS, CONVERSATIONS


class _Part(NamedTuple):
    """A part of a file to read in place of what was recognised."""

    name: str
    options: Sequence[Option] = ()  # all parts, to be chosen, or to be joined
    remark: str = ""


@contextmanager
def open_file(
    file: BinaryIO, file_name: str, options: ReadingOptions = AS_PROPOSED
) -> Iterator[Source]:
    """Yield the reader of a file. Raises ChoiceNeeded if a part must be chosen.

    A JSON object that has a column of items is one row. If one of several parts alone has a known
    layout, it is read, and that is said. Trees of messages are read as rows of prompts, and rows
    that are turns as conversations.
    """
    with ExitStack() as stack:
        try:
            source = stack.enter_context(recognise(file, file_name, options))
            part = _part_of(source, options.part)
        except ChoiceNeeded as needed:
            part = _known_part(needed, options.part)
        if part:
            chosen = options.model_copy(update={"part": part.name})
            source = stack.enter_context(recognise(file, file_name, chosen))
            source.parts = source.parts or part.options
            if part.remark:
                source.fixed_remarks = (*source.fixed_remarks, part.remark)
        yield with_turns(with_trees(source))


def _part_of(source: Source, chosen: str) -> _Part | None:
    """Return the part to read instead of the whole source, if any. Raises ChoiceNeeded."""
    if _is_chosen(chosen, source.parts):
        return None
    whole_item = _whole_item(source.parts)
    if whole_item:
        return _Part(whole_item)
    if is_part_missing(source):
        raise part_needed(source.parts)
    return None


def _known_part(needed: ChoiceNeeded, chosen: str) -> _Part:
    """Return the only part with a known layout. Raises the error if there is none."""
    if needed.field != "part" or _is_chosen(chosen, needed.options):
        raise needed
    tables = [option for option in needed.options if not option.is_whole]
    name = _whole_item(needed.options) or known_part(tables)
    if not name:
        refuse_conversations(tables)
        raise needed
    options = sorted(needed.options, key=lambda option: option.value != name)
    return _Part(name, tuple(options), _reading_part(name, needed.options))


def _whole_item(parts: Sequence[Option]) -> str:
    """Return the part that is a whole document, if it has a column of items."""
    columns = {*CONVERSATIONS, *ANSWERS}
    for part in parts:
        if part.is_whole and columns.intersection(part.first_row):
            return part.value
    return ""


def _is_chosen(part: str, parts: Sequence[Option]) -> bool:
    """Tell whether a part was chosen, and not only the file of an archive that has parts."""
    return part != "" and not any(option.value.startswith(f"{part}/") for option in parts)


def _reading_part(part: str, parts: Sequence[Option]) -> str:
    """Return a sentence about the part that is read, or "" for a whole document."""
    others = [other.value for other in parts if not other.is_whole]
    if part not in others:
        return ""
    others.remove(part)
    text = _("The part “%(part)s” is read; the file also has: %(others)s.")
    return fill_in(text, part=part, others=", ".join(others))
