"""Parts of the page of a case that many cases share: they are rendered once for all of them."""

from django import template
from django.utils.safestring import SafeString

from config.web.cached_html import fill, gap, render_cached
from rubrics.pages.language_marks import language_of
from tasks.cases.case import Case
from tasks.disagreements.case_view import CaseView
from tasks.disagreements.forms import CaseForm, Radio

register = template.Library()


@register.simple_tag
def levels_beside(view: CaseView, form: CaseForm, *, oob: bool = False) -> SafeString:
    """Return the rubric's levels with what bars some of them; `oob`: in place of those shown."""
    rubric = view.case.item.project.rubric
    return render_cached(
        "tasks/disagreements/levels.html",
        schema=rubric.schema,
        slug=rubric.slug,
        version=rubric.version,
        lang=language_of(rubric),
        dimension=view.case.dimension,
        choices=tuple(view.levels_from_top),
        chosen=form.chosen_score,
        is_typed=form.is_typed,
        oob=bool(oob),
    )


@register.simple_tag
def scale_of_levels(case: Case, form: CaseForm, levels: list[Radio]) -> SafeString:
    """Return the levels as buttons."""
    html = render_cached(
        "tasks/disagreements/scale.html",
        lang=language_of(case.item.project.rubric),
        dimension=case.dimension,
        levels=tuple(levels),
        blank=form.blank,
        is_typed=form.is_typed,
        chosen=form.chosen,
        score=gap("score"),
        range=str(form.fields["score"].help_text),
        errors=form.is_bound and "score" in form.errors,
    )
    score = form["score"].value()
    return fill(html, {"score": "" if score is None else str(score)})


@register.simple_tag
def causes_of(form: CaseForm) -> SafeString:
    """Return the causes as buttons."""
    return render_cached("tasks/disagreements/causes.html", causes=tuple(form.causes))
