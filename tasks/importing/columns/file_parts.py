"""Parts of a file: which one is read if none is chosen. No Django but its translations.

Sheets, lists and files often belong together: items stand in one, ratings or answers in another.
So a part is read without a question only if

1. it alone has a layout that is known, and
2. no other part may say more of its items: none has prompts, responses or ratings, and none has a
   column that may name the rows of the first one.

All is told from the first row of each part.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from ..files.rows import Option, Source, SourceRow, Unreadable
from .joining import is_id, may_name
from .layouts import BY_HAND, OWN
from .model_names import has_answer
from .name_tables import Strength
from .names import meaning
from .profile import Profile
from .rating_names import is_amount, is_quality, is_role, last_name, use_of
from .recognising import has_layout, recognised
from .score_cells import says_level
from .spelling import fold
from .turn_columns import conversation_keys
from .turn_keys import is_turns
from .uses import ANSWERING, ASKING, Use

# The names in a list of columns, such as that of the dataset viewer: it says nothing of items.
OF_COLUMNS = frozenset(["name", "type"])


@dataclass(frozen=True, slots=True)
class PartColumn:
    """A column of a part."""

    name: str  # the last one in its path
    first_value: object  # None if the first row has none

    @property
    def may_be_of_item(self) -> bool:
        """True if it may have prompts or responses, by its name."""
        known = meaning(self.name)
        if known is None or known.strength < Strength.STRONG:
            return has_answer(self.name)
        return known.use in (*ASKING, *ANSWERING)

    @property
    def may_be_of_rating(self) -> bool:
        """True if it may have who rated, or a score."""
        if use_of(self.name) is Use.RATER or is_role(self.name):
            return True
        if is_amount(self.name) or is_id(self.name):
            return False
        if isinstance(self.first_value, str):
            return says_level(self.first_value)
        return isinstance(self.first_value, int | float | Decimal) or is_quality(self.name)


def known_part(parts: Sequence[Option]) -> str:
    """Return the part that is read without a question, or "" if there is none."""
    known = [part for part in parts if part.first_row and has_layout(_profile(part))]
    if len(known) != 1 or _has_partner(known[0], parts):
        return ""
    return known[0].value


def is_part_missing(source: Source) -> bool:
    """Tell whether another part may say more of the one that a source reads as it proposes.

    The lists that a tool writes beside its results say nothing of them.
    """
    name = str(source.proposals.get("part", ""))
    for part in source.parts:
        is_read = part.value == name or part.value.endswith(f"/{name}")  # in an archive
        if is_read:
            is_of_tool = recognised(_profile(part), "").shape not in (BY_HAND, OWN)
            return not is_of_tool and _has_partner(part, source.parts)
    return False


def refuse_conversations(parts: Sequence[Option]) -> None:
    """Raise Unreadable if each part of a document is the turns of a conversation, by its id."""
    if len(parts) > 1 and all(_is_conversation(part) for part in parts):
        raise Unreadable(
            _("is an object of conversations by their ids; write a list of {id, messages}")
        )


def _is_conversation(part: Option) -> bool:
    """Tell whether a part is the turns of one conversation: nothing in a turn says of which."""
    has_turns = is_turns([part.first_row])
    return part.is_of_document and has_turns and not conversation_keys(part.first_row)


def _has_partner(part: Option, parts: Sequence[Option]) -> bool:
    """Tell whether another one of some parts may say more of the items of a part."""
    for other in parts:
        is_other = other.value != part.value and not other.is_whole
        if is_other and _may_say_more(other, part):
            return True
    return False


def _may_say_more(other: Option, part: Option) -> bool:
    """Tell whether another part has texts or ratings, or may name the rows of a part."""
    other_columns = _columns(other)
    if {fold(column.name) for column in other_columns} >= OF_COLUMNS:
        return False
    if any(column.may_be_of_item or column.may_be_of_rating for column in other_columns):
        return True
    for column in _columns(part):
        for other_column in other_columns:
            if _may_be_key(column.name, other_column.name, part, other):
                return True
    return False


def _may_be_key(name: str, other_name: str, part: Option, other: Option) -> bool:
    """Tell whether columns of two parts may name the same rows, of one part or the other."""
    if not (is_id(name) or is_id(other_name)):
        return False
    return may_name(name, other_name, other.value) or may_name(other_name, name, part.value)


def _columns(part: Option) -> list[PartColumn]:
    columns = []
    for path, column in _profile(part).columns.items():
        columns.append(PartColumn(last_name(path), next(iter(column.examples), None)))
    return columns


def _profile(part: Option) -> Profile:
    return Profile.of([SourceRow(1, part.first_row)])
