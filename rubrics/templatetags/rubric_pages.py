"""The parts of a rubric, for templates that are given only the rubric."""

from django import template

from rubrics.in_words import consequence
from rubrics.page import parts_of

register = template.Library()
register.simple_tag(parts_of)
register.simple_tag(consequence)
