"""The cells of our own export that stand beside a score, as they were exported."""

import json
import re
from collections.abc import Callable, Mapping

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from rubrics.kinds import Unit, Without
from tasks.models import FactCheck, Rating, TextView

from ..columns.scoring import RatingRow
from ..files.rows import LineError
from ..files.values import BadValue, require_holdable
from .judging import fault


def _facts(text: str) -> bool:
    """Tell whether a cell holds claims that were looked up."""
    found = json.loads(text)
    for each in found:
        require_holdable("".join((each["claim"], *each["sources"])), "facts")
    return all(
        each["claim"]
        and each["outcome"] in FactCheck.Outcome.values
        and (type(each["seconds"]) is int or (each["seconds"] is None and not each["over_time"]))
        and isinstance(each["over_time"], bool)
        and 0 <= (each["seconds"] or 0) < 10**9
        for each in found
    )


# By the name of a column. Names that are not here are texts.
KINDS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(("attempt", "revision"), re.compile("[0-9]{1,4}").fullmatch),
    "position": re.compile("[1-9][0-9]{0,3}").fullmatch,
    **dict.fromkeys(("active_seconds", "elapsed_seconds"), re.compile("[0-9]{1,9}").fullmatch),
    "verdict": re.compile("-?[0-9]{1,4}(;-?[0-9]{1,4})*").fullmatch,
    "clause": re.compile("[^;]{0,80}(;[^;]{0,80})*").fullmatch,
    "check": re.compile(".{1,80}").fullmatch,
    "unit": [*Unit].__contains__,
    "without": [*Without].__contains__,
    "view": TextView.values.__contains__,
    "kind": Rating.Kind.values.__contains__,
    "extra_because": Rating.Extra.values.__contains__,
    **dict.fromkeys(("started_at", "submitted_at", "answered_at"), parse_datetime),
    "facts": _facts,
}


def fault_in(row: RatingRow) -> LineError | None:
    """Return what is wrong with the first cell that no export has."""
    for name, text in row.own.items():
        try:
            require_holdable(text, name)
            kind = name.rpartition(".")[2]  # of `tone.without`, too
            is_good = not text or kind not in KINDS or KINDS[kind](text)
        except (BadValue, ValueError, KeyError, TypeError, RecursionError):
            is_good = False
        if not is_good:
            return fault(
                row,
                _("is not as an export has it"),
                _("export it again, or leave the row out"),
                column=name,
                value=text,
            )
    return None
