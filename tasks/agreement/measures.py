"""The measures of agreement: which compare groups, their titles, and figures in words.

Without numpy, so that forms and pages can name them. `report` has their coefficients.
"""

from collections.abc import Mapping, Sequence
from math import floor

from django.utils.formats import number_format
from django.utils.translation import gettext as _, gettext_lazy

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Better
from rubrics.judging.scales import is_typed
from tasks.agreement.stored import Estimate, Estimates, Missing, Result, Why

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
    "icc-1-1": "ICC(1,1)",
    "icc-2-1": "ICC(2,1)",
    "icc-3-1": "ICC(3,1)",
    "icc-1-k": "ICC(1,k)",
    "icc-2-k": "ICC(2,k)",
    "icc-3-k": "ICC(3,k)",
}
# Classes have no order. On a scale of many levels hardly any two scores are the same.
OF_CLASSES = ("alpha-nominal", "same", "fleiss", "ac1", "kappa")
OF_MANY_LEVELS = ("alpha-interval", *(code for code in TITLES if code.startswith("icc")))
MISSING = {
    Why.NO_RATINGS: gettext_lazy("no ratings"),
    Why.ONE_ANNOTATOR: gettext_lazy("only one annotator"),
    Why.NO_OVERLAP: gettext_lazy("nothing was rated twice"),
    Why.TOO_FEW_UNITS: gettext_lazy("only one was rated twice"),
    Why.ONE_CATEGORY: gettext_lazy("everyone gave the same"),
    Why.NO_VARIATION: gettext_lazy("too little varies"),
}


def measures_of(dimension: Dimension) -> Sequence[str]:
    """Return the codes of the measures that a dimension has, the main one first."""
    if dimension.better is Better.NONE:
        return OF_CLASSES
    if is_typed(dimension):
        return OF_MANY_LEVELS
    return tuple(TITLES)


def titled(estimates: Estimates) -> list[tuple[str, Estimate]]:
    """Return figures with their titles, in the order of TITLES."""
    rows = []
    for code, title in TITLES.items():
        if code in estimates:
            figure = estimates[code]
            rows.append((str(title), figure))
    return rows


def coefficient(value: float) -> str:
    """Return a coefficient as papers print it: "0.71", or "0,71"."""
    digits = f"{value:z.2f}"  # z: no "-0.00"
    return _with_minus(digits)


def _with_minus(digits: str) -> str:
    number = number_format(digits)
    return number.replace("-", "−")


def is_below(value: float) -> bool:
    """Return True if a coefficient is below zero as it is printed."""
    return round(value, 2) < 0


def percent(share: float) -> str:
    """Return a share as a percentage; one that rounds to 0 keeps a digit."""
    places = 1 if 0 < share < 0.0095 else 0
    digits = number_format(f"{100 * share:.{places}f}")
    return f"{digits}\xa0%"


def figure_in_words(figure: Estimate) -> str:
    """Return a figure with its interval in a line, or what is missing."""
    if isinstance(figure, Missing):
        why = MISSING[figure.missing]
        return _("none: %(why)s") % {"why": why}
    value = coefficient(figure.value)
    low = coefficient(figure.low)
    high = coefficient(figure.high)
    return _("%(value)s (%(low)s to %(high)s)") % {"value": value, "low": low, "high": high}


def _lower_end(low: float) -> str:
    """Return the lower end of an interval as the page prints it.

    One that is rounded up to a mark which it is below has another digit.
    """
    is_rounded_up = any(low < mark <= round(low, 2) for mark in (0.667, 0.800))
    if not is_rounded_up:
        return coefficient(low)
    thousandths = floor(low * 1000)
    return _with_minus(f"{thousandths / 1000:.3f}")


def sentence(result: Result, names_by_number: Mapping[int, str]) -> str:
    """Return what the figures mean, in one to three sentences."""
    main = result.main_figure
    if isinstance(main, Missing):
        why = MISSING[main.missing]
        return _("There is no figure yet: %(why)s.") % {"why": why}
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
    template = readings[result.reading]
    low = _lower_end(main.low)
    words = template % {"low": low}
    without = result.without
    if not without or isinstance(without.figure, Missing) or without.figure.value <= main.high:
        return words
    figure = figure_in_words(without.figure)
    person = {"name": names_by_number[without.annotator], "figure": figure}
    of_person = _("One person lowers the agreement: without %(name)s, α is %(figure)s.") % person
    return f"{words} {of_person}"
