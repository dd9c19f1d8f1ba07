"""What the tabs of a project ask of the database."""

from django import template

from tasks.models import Project
from tasks.models.open_cases import OpenCases, open_cases

register = template.Library()


@register.simple_tag
def open_cases_of(project: Project) -> OpenCases:
    """Return how many cases of a project are open. All of its pages name the number."""
    return open_cases(project)
