"""The fields by which a lead says from which distance scores differ, one for each dimension."""

from django import forms
from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.disagreement import ANY_DIFFERENCE, largest_spread, usual_threshold
from tasks.models import Project

THRESHOLDS = "chosen_thresholds"  # the setting; a field has the code of its dimension behind it


def threshold_fields(project: Project) -> dict[str, forms.IntegerField]:
    """Return a field for each dimension with scores, by its name in the form."""
    fields = {}
    thresholds = project.thresholds
    for dimension in project.rubric.schema.dimensions:
        if dimension.code in thresholds:
            fields[f"{THRESHOLDS}.{dimension.code}"] = forms.IntegerField(
                label=dimension.title,
                initial=thresholds[dimension.code],
                min_value=ANY_DIFFERENCE,
                max_value=largest_spread(dimension),
                help_text=_help_of(dimension),
                required=False,  # empty: the usual one
                show_hidden_initial=True,
            )
    return fields


def _help_of(dimension: Dimension) -> str:
    usual = usual_threshold(dimension)
    if usual == ANY_DIFFERENCE:
        return _("1: any two scores that are not the same.")
    words = _("%(usual)s is usual on this scale. 1: any two scores that are not the same.")
    return words % {"usual": usual}
