"""The target of a score, a decision or a question: a response, or a model's candidate set.

A row has two columns for it. `response` is the key of the response; of a candidate set it is NULL,
and `model` says whose set it is. In Python the target is one value: the key or the model.
"""

from typing import TypeAlias

from django.db.models import Q

Target: TypeAlias = int | str


def target_of(response: int | None, model: str) -> Target:
    """Return the target in the columns of a row."""
    return model if response is None else response


def is_on(target: Target) -> Q:
    """Return the condition that a row has a target."""
    if isinstance(target, int):
        return Q(response=target)
    return Q(response=None, model=target)
