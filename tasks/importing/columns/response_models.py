"""Which column has the model of a response: `model_b` that of `response_b`. Knows no Django."""

import re
from collections.abc import Sequence

# How two columns of one response end: _a, _2, " B", A.
ENDING = re.compile(r"(?<=[ _-])[A-Za-z]$|\d+$|(?<=[a-z])[A-Z]$")


def model_column(path: str, models: Sequence[str]) -> str | None:
    """Return the model's column for a response's; None if it is unclear, "" if there is none.

    It is beside the response's, or named after it, or the only one: `chosen_model` is named after
    `chosen`, and `model_b` ends as `response_b` does.
    """
    parent, ending = parent_of(path), _ending(path)
    siblings = {model for model in models if parent_of(model) == parent}
    starts = (f"{path}_", f"{path}-")
    partners = {model for model in models if model.startswith(starts)}
    if not partners:
        partners = {model for model in models if _ending(model) == ending}
    for few in (partners & siblings, siblings, partners, models):
        if len(few) == 1:
            return next(iter(few))
    return None if models else ""  # unclear, or none


def parent_of(path: str) -> str:
    return path.rpartition(".")[0]


def _ending(path: str) -> list[str]:
    return [ending.lower() for ending in ENDING.findall(path)]
