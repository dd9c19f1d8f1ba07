"""Verdicts for programs: plain values in and out, of one target or of all targets of an item.

`manage.py rubric judge` and the API answer by these functions.
"""

from collections.abc import Mapping
from typing import Any

from .dimension import Dimension
from .kinds import Without
from .plain import Entries
from .rules import judge, judge_item
from .scales import BLANK
from .verdict import TargetState, as_plain, item_as_plain


class WrongShape(TypeError):
    """A line is JSON, but neither checks nor an item. The message is the expected shape."""


def answer_checks(dimension: Dimension, request: Any) -> Entries:
    """Return the verdict on checks as plain values. Raises WrongShape."""
    target = {"checks": request} if isinstance(request, list) else request
    if not _is_target(target, {"checks", "answered"}):
        raise WrongShape(
            'a JSON list of checks, such as ["harmless", "language_error"],'
            ' or {"checks": […], "answered": […]}'
        )
    return as_plain(judge(dimension, target["checks"], answered=_answered(dimension, target)))


def answer_item(dimension: Dimension, target_entries: Any) -> Entries:
    """Return the verdict on the targets of an item as plain values. Raises WrongShape."""
    if not isinstance(target_entries, list) or not all(
        _is_scored_target(target, dimension) for target in target_entries
    ):
        raise WrongShape(
            'a JSON list of {"checks": ["harmless"], "score": n, "answered": ["honest"]},'
            f" with n from {dimension.lowest} to {dimension.highest}, null or left out"
            + (f', or "{BLANK}"' if dimension.blank else "")
        )
    states = []
    for position, target in enumerate(target_entries):
        score, without = target.get("score"), ""
        if score == BLANK:
            score, without = None, Without.BLANK
        facts, answered = frozenset(target["checks"]), _answered(dimension, target)
        states.append(TargetState(str(position), facts, score, answered, without))
    return item_as_plain(judge_item(dimension, states))


def _is_scored_target(target_entry: Any, dimension: Dimension) -> bool:
    if not _is_target(target_entry, {"checks", "score", "answered"}):
        return False
    score = target_entry.get("score")
    if score == BLANK:
        return bool(dimension.blank)
    return score is None or (type(score) is int and score in dimension.scores)


def _answered(dimension: Dimension, target_entry: Mapping[str, Any]) -> frozenset[str] | None:
    """Return the questions named as answered, None for all. Raises WrongShape."""
    codes = target_entry.get("answered")
    if codes is None:
        return None
    questions = [check.code for check, _facts in dimension.required_checks]
    if unknown := sorted(set(codes).difference(questions)):
        raise WrongShape(
            f"questions of {dimension.code} in answered ({', '.join(questions) or 'it has none'}),"
            f" found {', '.join(unknown)}"
        )
    return frozenset(codes)


def _is_target(value: Any, names: set[str]) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= names
        and _are_names(value.get("checks"))
        and (value.get("answered") is None or _are_names(value["answered"]))
    )


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)
