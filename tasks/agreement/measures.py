"""The measures of agreement: which compare groups, their titles, and figures in words.

Without numpy, so that forms and pages can name them. `report` has their coefficients.
"""

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _, gettext_lazy

from rubrics.scales import is_typed
from rubrics.schema import Better, Dimension

Json = dict[str, Any]  # figures as they are stored and shown
# The groups of the page are compared by one of these, for any number of annotators. Each with the
# one that stands for it where answers to a check are compared: they have no order.
MEASURES: Mapping[str, str] = {
    "alpha-ordinal": "alpha-nominal",
    "alpha-nominal": "alpha-nominal",
    "alpha-interval": "alpha-nominal",
    "same": "same",
    "within-one": "same",
    "fleiss": "fleiss",
    "ac1": "ac1",
    "ac2-linear": "ac1",
    "ac2-quadratic": "ac1",
}
# The code of a line among the checks that compares who gave a score and who gave none.
APPLIES = "applies?"
# Plain shares. Chance is in them, so the marks at .667 and .800 say nothing of them.
SHARES = frozenset({"same", "within-one"})
TITLES = {
    "alpha-ordinal": gettext_lazy("Krippendorff’s α, ordinal"),
    "alpha-nominal": gettext_lazy("Krippendorff’s α, nominal"),
    "alpha-interval": gettext_lazy("Krippendorff’s α, interval"),
    "same": gettext_lazy("Same score"),
    "within-one": gettext_lazy("Within one"),
    "fleiss": gettext_lazy("Fleiss’ κ"),
    "ac1": gettext_lazy("Gwet’s AC1"),
    "ac2-linear": gettext_lazy("Gwet’s AC2, linear"),
    "ac2-quadratic": gettext_lazy("Gwet’s AC2, quadratic"),
    "kappa": gettext_lazy("Cohen’s κ"),
    "kappa-linear": gettext_lazy("Cohen’s κ, linear"),
    "kappa-quadratic": gettext_lazy("Cohen’s κ, quadratic"),
    "spearman": gettext_lazy("Spearman’s ρ"),
    "kendall": gettext_lazy("Kendall’s τ-b"),
    **{f"icc-{model}-{size}": f"ICC({model},{size})" for size in "1k" for model in (1, 2, 3)},
}
# Classes have no order. On a scale of many levels hardly any two scores are the same.
OF_CLASSES = ("alpha-nominal", "same", "fleiss", "ac1", "kappa")
OF_MANY_LEVELS = ("alpha-interval", *(code for code in TITLES if code.startswith("icc")))
MISSING = {
    "no ratings": gettext_lazy("no ratings"),
    "one annotator": gettext_lazy("only one annotator"),
    "no overlap": gettext_lazy("nothing was rated twice"),
    "too few units": gettext_lazy("only one was rated twice"),
    "one category": gettext_lazy("everyone gave the same"),
    "no variation": gettext_lazy("too little varies"),
}


def measures_of(dimension: Dimension) -> Sequence[str]:
    """Return the codes of the measures that a dimension has, the main one first."""
    return (
        OF_CLASSES
        if dimension.better is Better.NONE
        else OF_MANY_LEVELS
        if is_typed(dimension)
        else tuple(TITLES)
    )


def titled(figures: Json) -> list[tuple[str, Json]]:
    """Return figures with their titles, in the order of TITLES."""
    return [(str(TITLES[code]), figures[code]) for code in TITLES if code in figures]


def coefficient(value: float) -> str:
    """Return a coefficient as papers print it: "0.71", or "0,71"."""
    return number_format(f"{value:z.2f}").replace("-", "−")  # z: no "-0.00"


def is_below(value: float) -> bool:
    """Return True if a coefficient is below zero as it is printed."""
    return round(value, 2) < 0


def percent(share: float) -> str:
    """Return a share as a percentage; one that rounds to 0 keeps a digit."""
    return f"{number_format(f'{100 * share:.{1 if 0 < share < 0.0095 else 0}f}')}\xa0%"


def worded(shown: Json) -> str:
    """Return a figure with its interval in a line, or what is missing."""
    if "missing" in shown:
        return _("none: %(why)s") % {"why": MISSING[shown["missing"]]}
    return _("%(value)s (%(low)s to %(high)s)") % {
        name: coefficient(shown[name]) for name in ("value", "low", "high")
    }


def _lower_end(low: float) -> str:
    """Return the lower end of an interval as the page prints it.

    One that is rounded up to a mark which it is below has another digit.
    """
    is_rounded_up = any(low < mark <= round(low, 2) for mark in (0.667, 0.800))
    digits = f"{floor(low * 1000) / 1000:.3f}" if is_rounded_up else f"{low:z.2f}"
    return number_format(digits).replace("-", "−")


def sentence(result: Json) -> str:
    """Return what the figures mean, in one to three sentences."""
    main = result["overall"]["figures"][result["main"]]
    if "missing" in main:
        return _("There is no figure yet: %(why)s.") % {"why": MISSING[main["missing"]]}
    readings = {
        "reliable": _(
            "People agree well: one may rely on a single score (the interval’s lower end, %(low)s, "
            "is not below .800)."
        ),
        "tentative": _(
            "People agree well enough for tentative conclusions (the interval’s lower end, "
            "%(low)s, is not below .667), not well enough to rely on one person’s score."
        ),
        "unreliable": _(
            "People don’t agree well enough to draw conclusions from these scores (the interval’s "
            "lower end, %(low)s, is below .667)."
        ),
    }
    said = [readings[result["reading"]] % {"low": _lower_end(main["low"])}]
    without = result["without"]
    if without and "missing" not in without and without["value"] > main["high"]:
        said.append(
            _("One person lowers the agreement: without %(name)s, α is %(figure)s.")
            % {"name": without["annotator"], "figure": worded(without)}
        )
    return " ".join(said)
