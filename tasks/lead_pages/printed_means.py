"""A mean with its interval, as the pages of leads print it: "0.25", from "−0.10" to "0.60"."""

from dataclasses import dataclass
from typing import Self

from django.template.defaultfilters import floatformat


@dataclass(frozen=True, slots=True)
class PrintedMean:
    """A mean, and the ends of its interval if it has one."""

    value: str = ""
    low: str = ""
    high: str = ""

    @classmethod
    def of(cls, *figures: float) -> Self:
        """Return these figures, in the order above, as they are printed."""
        return cls(*map(_printed, figures))


def _printed(figure: float) -> str:
    """Return a figure with two decimals, and a minus sign in place of a hyphen."""
    return floatformat(figure, 2).replace("-", "−")
