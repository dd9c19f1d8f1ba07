"""A mean with its interval, as the pages of leads print it: "0.25", from "−0.10" to "0.60"."""

from dataclasses import dataclass
from typing import Self

from django.template.defaultfilters import floatformat

from tasks.agreement.stored import Mean


@dataclass(frozen=True, slots=True)
class PrintedMean:
    """A mean, and the ends of its interval if it has one."""

    value: str = ""
    low: str = ""
    high: str = ""

    @classmethod
    def of(cls, mean: Mean) -> Self:
        """Return a mean as it is printed."""
        return cls(printed(mean.value), printed(mean.low), printed(mean.high))


def printed(figure: float) -> str:
    """Return a figure with two decimals, and a minus sign in place of a hyphen."""
    return floatformat(figure, 2).replace("-", "−")
