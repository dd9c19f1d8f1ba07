"""Scores as small coloured squares, and the shares of scores as parts of a line."""

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString, mark_safe

from tasks.cases.badges import Badge
from tasks.overview.drawing import ShareMark

register = template.Library()


@register.simple_tag
def score_badges(score_list: Sequence[Badge]) -> SafeString:
    """Return a badge for each score: its value in its colour.

    A page of the list has a thousand of them. A loop in the template costs forty times as much, and
    to escape each number costs five times as much.
    """
    return mark_safe(_badges(score_list))  # noqa: S308 - numbers, or the sign for "no score"


@register.simple_tag
def score_cells(cells: Sequence[Sequence[Badge]]) -> SafeString:
    """Return the cells of a row of a table, each with the badges of its scores."""
    texts = [f'<td><span class="scores">{_badges(scores)}</span></td>' for scores in cells]
    return mark_safe("".join(texts))  # noqa: S308 - as above


def _badges(score_list: Sequence[Badge]) -> str:
    badges = [f'<span class="score s{colour}">{value}</span>' for value, colour in score_list]
    return "".join(badges)


@register.simple_tag
def stack_marks(share_marks: Sequence[ShareMark]) -> SafeString:
    """Return the marks of a line of shares, with a figure where there is room (`drawing.stack`)."""
    shapes = [
        f'<rect class="f{mark.colour}" x="{mark.x}" width="{mark.width}" height="100%"/>'
        for mark in share_marks
    ]
    figures = [
        f'<text class="t{mark.colour} mid" x="{mark.middle}" y="15">{mark.label}</text>'
        for mark in share_marks
        if mark.label
    ]
    return mark_safe("".join(shapes + figures))  # noqa: S308 - lengths and figures
