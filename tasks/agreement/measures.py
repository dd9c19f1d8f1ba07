"""The measures that the page on agreement can compare groups by, for any number of annotators.

Without numpy, so that forms and pages can name them. `report` has their coefficients.
"""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]  # figures as they are stored and shown
MAIN = "alpha-ordinal"
# Each with the one that stands for it where answers to a check are compared: they have no order.
MEASURES: Mapping[str, str] = {
    MAIN: "alpha-nominal",
    "alpha-nominal": "alpha-nominal",
    "alpha-interval": "alpha-nominal",
    "same": "same",
    "within-one": "same",
    "fleiss": "fleiss",
    "ac1": "ac1",
    "ac2-linear": "ac1",
    "ac2-quadratic": "ac1",
}
# Plain shares. Chance is in them, so the marks at .667 and .800 say nothing of them.
SHARES = frozenset({"same", "within-one"})
