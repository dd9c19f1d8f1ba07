"""Scores as small coloured squares, and the shares of scores as parts of a line."""

from collections.abc import Mapping, Sequence

from django import template
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
def score_badges(scores: Sequence[Mapping[str, object]]) -> SafeString:
    """Return a badge for each score: its "value" and its "colour", as `coloured` has them.

    A page of the list has a thousand of them. A loop in the template costs forty times as much, and
    to escape each number costs five times as much.
    """
    return mark_safe(_badges(scores))  # noqa: S308 - numbers, or the sign for "no score"


@register.simple_tag
def score_cells(cells: Sequence[Sequence[Mapping[str, object]]]) -> SafeString:
    """Return the cells of a row of a table, each with the badges of its scores."""
    texts = [f'<td><span class="scores">{_badges(scores)}</span></td>' for scores in cells]
    return mark_safe("".join(texts))  # noqa: S308 - as above


def _badges(scores: Sequence[Mapping[str, object]]) -> str:
    badges = [f'<span class="score s{each["colour"]}">{each["value"]}</span>' for each in scores]
    return "".join(badges)


@register.simple_tag
def stack_marks(parts: Sequence[Mapping[str, str]]) -> SafeString:
    """Return the marks of a line of shares, with a figure where there is room (`drawing.stack`)."""
    marks = [
        f'<rect class="f{each["colour"]}" x="{each["x"]}" width="{each["width"]}" height="100%"/>'
        for each in parts
    ]
    marks += [
        f'<text class="t{each["colour"]} mid" x="{each["middle"]}" y="15">{each["label"]}</text>'
        for each in parts
        if each["label"]
    ]
    return mark_safe("".join(marks))  # noqa: S308 - lengths and figures
