"""The fields by which a lead says on which checks a difference alone is to be settled."""

from collections.abc import Iterator, Mapping

from django import forms
from django.utils.translation import gettext as _

from rubrics.judging.dimension import Dimension
from rubrics.judging.kinds import Scope
from rubrics.judging.parts import COMMENT
from tasks.models import Project

DISPUTED = "disputed_checks"  # the setting; a field has the code of its dimension behind it


def check_fields(project: Project) -> dict[str, forms.MultipleChoiceField]:
    """Return a field for each dimension with scores and checks, by its name in the form.

    A stored check that the rubric does not have is in none of them, so it stays as it is.
    """
    fields = {}
    for dimension in project.rubric.schema.dimensions:
        choices = list(_choices(dimension)) if dimension.scores else []
        if choices:
            names = dict(choices)
            fields[f"{DISPUTED}.{dimension.code}"] = forms.MultipleChoiceField(
                label=_("Checks of %(dimension)s") % {"dimension": dimension.title},
                choices=choices,
                initial=[name for name in project.disputed_checks if name in names],
                widget=forms.CheckboxSelectMultiple,
                required=False,
                show_hidden_initial=True,
            )
    return fields


def _choices(dimension: Dimension) -> Iterator[tuple[str, str]]:
    """Yield the checks that two people can answer differently, as an entry of a case names them."""
    for check in (*dimension.shared, *dimension.checks):
        if check.scope is Scope.TARGET and check.code != COMMENT:
            yield f"{dimension.code}:{check.code}", check.wording


def changed_checks(form: forms.BaseForm, changes: Mapping[str, object]) -> dict[str, bool]:
    """Return the checks that a sender ticked (True) or took away (False) since the page came."""
    ticked = {}
    for name in changes:
        if name.startswith(f"{DISPUTED}."):
            before = set(form.data.getlist(form.add_initial_prefix(name)))  # type: ignore[attr-defined]
            chosen = set(form.cleaned_data[name])
            for code in before ^ chosen:
                ticked[code] = code in chosen
    return ticked
