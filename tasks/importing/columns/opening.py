"""Files → sources, of the part that has columns that are known. No Django but translations."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from django.utils.translation import gettext as _

from ..files.options import AS_PROPOSED, ReadingOptions
from ..files.readers import recognise
from ..files.rows import ChoiceNeeded, Option, Source, fill_in, part_needed
from .file_parts import is_part_missing, known_part, refuse_conversations
from .message_trees import with_trees
from .turn_rows import with_turns
from .uses import ANSWERS, CONVERSATIONS


@contextmanager
def open_file(
    file: BinaryIO, file_name: str, options: ReadingOptions = AS_PROPOSED
) -> Iterator[Source]:
    """Yield the reader of a file.

    A JSON object that has a column of items is one row. If one of several parts alone has a known
    layout, it is read, and that is said. Trees of messages are read as rows of prompts, and rows
    that are turns as conversations.
    """
    with ExitStack() as stack:
        part = fact = ""
        parts: Sequence[Option] = ()
        try:
            source = stack.enter_context(recognise(file, file_name, options))
            if not _is_chosen(options.part, source.parts):
                part = _whole_item(source.parts)
                if not part and is_part_missing(source):
                    raise part_needed(source.parts)
        except ChoiceNeeded as needed:
            if needed.field != "part" or _is_chosen(options.part, needed.options):
                raise
            tables = [option for option in needed.options if not option.is_whole]
            part = _whole_item(needed.options) or known_part(tables)
            if not part:
                refuse_conversations(tables)
                raise
            fact = _reading_part(part, needed.options)
            parts = tuple(sorted(needed.options, key=lambda option: option.value != part))
        if part:
            chosen = options.model_copy(update={"part": part})
            source = stack.enter_context(recognise(file, file_name, chosen))
            source.fixed_remarks = (*source.fixed_remarks, fact) if fact else source.fixed_remarks
            source.parts = source.parts or parts  # to be chosen, or to be joined
        yield with_turns(with_trees(source))


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
