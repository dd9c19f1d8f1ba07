"""The number beside a tab of a project."""

from django import template
from django.template import Context

from tasks.models import Project
from tasks.models.open_cases import OpenCases, open_cases

register = template.Library()


@register.simple_tag(takes_context=True)
def open_cases_for(context: Context, project: Project) -> OpenCases:
    """Return how many cases of a project are open. All of its pages name the number.

    A page that has counted them for another part says so in its context, as `open_cases`.
    """
    counted: OpenCases | None = context.get("open_cases")
    return open_cases(project) if counted is None else counted
