"""The colours of scores, from low to high."""

from rubrics.judging.dimension import Dimension
from rubrics.judging.parts import Level
from rubrics.judging.scales import bands, shade


def ramp(dimension: Dimension) -> list[tuple[int, str, Level]]:
    """Return the colours from low to high: where each stands, in pixels, its name and a score."""
    colours = []
    for position, band in enumerate(bands(dimension)):
        colours.append((18 * position, shade(dimension, band[0]), dimension.level(band[0])))
    return colours
