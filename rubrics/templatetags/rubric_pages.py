"""The parts of a rubric as its pages show them."""

from django import template

from rubrics.page import Page, page_of
from rubrics.schema import Rubric

register = template.Library()


@register.simple_tag
def parts_of(rubric: Rubric) -> Page:
    """Return the rubric prepared for a page; for templates that are given only the rubric."""
    return page_of(rubric)
