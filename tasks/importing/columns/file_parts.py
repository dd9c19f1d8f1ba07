"""Parts of a file: which one is read if none is chosen. No Django but its translations.

Sheets, lists and files often belong together: items stand in one, ratings or answers in another.
A part is read without a question only if no other part may say more of its items.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from django.utils.translation import gettext as _

from ..files.rows import Option, Source, SourceRow, Unreadable
from .joining import is_id, may_name
from .layouts import BY_HAND, OWN
from .names import Strength, fold, has_answer, is_turns, meaning
from .profile import Profile
from .rating_names import is_amount, is_quality, is_role, last_name, use_of
from .recognising import has_layout, recognised
from .score_cells import says_level
from .turn_columns import conversation_keys
from .uses import ANSWERING, ASKING, Use

# The names in a list of columns, such as that of the dataset viewer: it says nothing of items.
OF_COLUMNS = frozenset(["name", "type"])


def known_part(parts: Sequence[Option]) -> str:
    """Return the only part with a known layout, or "" if that is not clear.

    Another part that may belong to it makes it unclear: that is asked.
    """
    known = [part for part in parts if part.first_row and has_layout(_profile(part))]
    if len(known) != 1 or _belong_together(known[0], parts):
        return ""
    return known[0].value


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


def is_part_missing(source: Source) -> bool:
    """Tell whether a part may belong to the one that is read, as it stands deeper in a document.

    The lists that a tool writes beside its results say nothing of them.
    """
    name = str(source.proposals.get("part", ""))
    for part in source.parts:
        if part.value == name or part.value.endswith(f"/{name}"):
            is_of_tool = recognised(_profile(part), "").shape not in (BY_HAND, OWN)
            return not is_of_tool and _belong_together(part, source.parts)
    return False


def _belong_together(part: Option, parts: Iterable[Option]) -> bool:
    """Tell whether another one of some parts may say more of the items of a part."""
    others = [other for other in parts if other.value != part.value and not other.is_whole]
    return any(_may_belong(other, part) for other in others)


def _may_belong(other: Option, part: Option) -> bool:
    """Tell whether a part has ratings or texts, or an id of another part's rows."""
    cells = _cells(other)
    if {fold(name) for name in cells} >= OF_COLUMNS:
        return False
    if any(_is_of_items(name) or _is_rating(name, cells[name]) for name in cells):
        return True
    names = [*_cells(part)]
    return any(_is_key(name, other_name, part, other) for name in names for other_name in cells)


def _is_of_items(name: str) -> bool:
    """Tell whether a column may have prompts or responses."""
    known = meaning(name)
    if known is None or known.strength < Strength.STRONG:
        return has_answer(name)
    return known.use in (*ASKING, *ANSWERING)


def _is_rating(name: str, value: object) -> bool:
    """Tell whether a column may have who rated, or a score."""
    if use_of(name) is Use.RATER or is_role(name):
        return True
    if is_amount(name) or is_id(name):
        return False
    if isinstance(value, str):
        return says_level(value)
    return isinstance(value, int | float | Decimal) or is_quality(name)


def _is_key(name: str, other_name: str, part: Option, other: Option) -> bool:
    """Tell whether a column of two parts may name rows of one in the other."""
    if not (is_id(name) or is_id(other_name)):
        return False
    return may_name(name, other_name, other.value) or may_name(other_name, name, part.value)


def _cells(part: Option) -> Mapping[str, object]:
    """Return the first value of each of a part's columns, by their last names."""
    cells: dict[str, object] = {}
    for path, column in _profile(part).columns.items():
        cells[last_name(path)] = next(iter(column.examples), None)
    return cells


def _profile(part: Option) -> Profile:
    return Profile.of([SourceRow(1, part.first_row)])
