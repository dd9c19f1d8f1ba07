"""Which column names the item of a row. No Django but its translations."""

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _

from ..files.rows import fill_in
from .candidates import Candidate
from .column_profile import ValueKind
from .deciding import Decision
from .name_tables import Strength
from .rating_names import use_of
from .uses import PROMPTS, Use

ID_NAME = re.compile(r"(^|[ _.-])[A-Za-z]?(id|Id|ID)$|[a-z]I[Dd]$")  # `pid`, `item-id`, `itemId`


def choose_id(decision: Decision, candidates: Sequence[Candidate]) -> None:
    """Choose the id or the group of items, in the first of four ways that gives one."""
    if decision.of(Use.ID, Use.GROUP):
        return
    free = [column for column in candidates if _is_free(decision, column)]
    for choose in (_choose_unique_id, _choose_group, _choose_word_as_id, _choose_pair):
        choose(decision, free)
        if decision.of(Use.ID, Use.GROUP):
            return


def _is_free(decision: Decision, column: Candidate) -> bool:
    """Tell whether nothing is decided of a column, or it is metadata outside of what counts."""
    if "[*]" in column.path:
        return False
    known = decision.choices.get(column.path)
    is_outside = column not in decision.candidates
    return known is None or (is_outside and known.use is Use.METADATA)


def _choose_unique_id(decision: Decision, free: Sequence[Candidate]) -> None:
    """Choose the best column that is named as an id and names every row alone."""
    unique = [column for column in _ids_by_name(free) if column.is_unique]
    unique.sort(key=lambda column: (column not in decision.candidates, -column.strength))
    for column in unique[:1]:
        is_ours = column.strength == Strength.OURS
        decision.take(column, Use.ID, "" if is_ours else _("another one in every row"))


def _choose_group(decision: Decision, free: Sequence[Candidate]) -> None:
    """Choose a column that is named as an id and names every prompt: rows of one are one item."""
    prompts = decision.of(*PROMPTS, Use.CONVERSATION)
    for column in _ids_by_name(free) if prompts else ():
        repeats = 1 < column.profile.distinct < column.filled == column.rows
        if repeats and decision.profile.follows(prompts[0], column.path):
            decision.take(column, Use.GROUP, _("the same for the same prompt"))
            return


def _choose_word_as_id(decision: Decision, free: Sequence[Candidate]) -> None:
    """Choose a word that is another one in every row, and ends as an id: `pid`.

    If prompts repeat, rows may be one item, so no such id is chosen.
    """
    if any(prompt.repeats for prompt in decision.chosen(*PROMPTS)):
        return
    words = [column for column in free if _is_word_for_id(column)]
    for column in words[:1]:
        decision.take(column, Use.ID, _("another one in every row"))


def _choose_pair(decision: Decision, free: Sequence[Candidate]) -> None:
    """Choose two columns that name every row together: `dialog_id` and `turn_id`."""
    pair = decision.profile.pair
    if not (pair and pair.is_unique and decision.of(*PROMPTS, Use.CONVERSATION)):
        return
    parts = [column for column in free if column.path in pair.paths]
    if len(parts) < 2:
        return
    words = _("with “%(column)s” another one in every row")
    for column, other in zip(parts, reversed(parts), strict=True):
        decision.take(column, Use.ID, fill_in(words, column=other.path))


def _ids_by_name(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [column for column in candidates if column.means(Use.ID, Strength.STRONG)]


def _is_word_for_id(column: Candidate) -> bool:
    """Tell whether a column is another short word in every row, and is named as an id: `pid`."""
    is_name = column.is_short and column.is_word and not column.profile.share(ValueKind.DECIMAL)
    if not (is_name and column.is_unique):
        return False
    return ID_NAME.search(column.name) is not None and use_of(column.name) is not Use.RATER
