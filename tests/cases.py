"""Many cases of one small thing as one test: a test of its own takes longer than most of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any


def cases(
    names: str | tuple[str, ...], values: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Have a test done for each of the values, as `pytest.mark.parametrize` would, but as one.

    All that fail are named. They share what the test asks for: a world that they only look at.
    """
    keys = [each.strip() for each in names.split(",")] if isinstance(names, str) else list(names)
    every = list(values)
    assert every, "no cases"

    def of_one(test: Callable[..., None]) -> Callable[..., None]:
        taken = inspect.signature(test)
        assert set(keys) <= set(taken.parameters)

        @wraps(test)
        def of_all(**shared: Any) -> None:
            wrong = []
            for each in every:
                case = dict(zip(keys, each if len(keys) > 1 else [each], strict=True))
                try:
                    test(**shared, **case)
                except Exception as error:
                    error.add_note(f"in the case {case!r}")
                    wrong.append(error)
            if wrong:
                raise ExceptionGroup(f"{len(wrong)} of {len(every)} cases are wrong", wrong)

        left = [each for name, each in taken.parameters.items() if name not in keys]
        of_all.__signature__ = taken.replace(parameters=left)  # type: ignore[attr-defined]
        return of_all

    return of_one
