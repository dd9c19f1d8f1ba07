"""Parts of the page of a case that many cases share: they are rendered once for all of them."""

from collections.abc import Sequence

from django import template
from django.template.defaultfilters import linebreaksbr
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from config.web.cached_html import fill, gap, render_cached
from rubrics.pages.language_marks import language_of
from tasks.cases.case import Case
from tasks.cases.rating_lines import RatingCell, RatingLine
from tasks.disagreements.case_form import CaseForm, Radio
from tasks.disagreements.case_view import CaseView
from tasks.disagreements.queue_rows import QueueView

from .score_badges import score_badges

register = template.Library()


@register.simple_tag
def levels_beside(case_page: CaseView, form: CaseForm, *, oob: bool = False) -> SafeString:
    """Return the rubric's levels with what bars some of them; `oob`: in place of those shown."""
    rubric = case_page.case.item.project.rubric
    return render_cached(
        "tasks/disagreements/levels.html",
        schema=rubric.schema,
        slug=rubric.slug,
        version=rubric.version,
        lang=language_of(rubric),
        dimension=case_page.case.dimension,
        choices=tuple(case_page.levels_from_top),
        chosen=form.chosen_score,
        is_typed=form.is_typed,
        oob=bool(oob),
    )


@register.simple_tag
def scale_of_levels(case: Case, form: CaseForm, radios: list[Radio]) -> SafeString:
    """Return the levels as buttons."""
    html = render_cached(
        "tasks/disagreements/scale.html",
        lang=language_of(case.item.project.rubric),
        dimension=case.dimension,
        levels=tuple(radios),
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
def case_lines(rating_lines: Sequence[RatingLine], lang: str) -> SafeString:
    """Return the rows of the table of answers; `lang`: the mark of the rubric's language.

    A template takes four times as long.
    """
    differing = format_html(' <span class="visually-hidden">{}</span>', _("(differs)"))
    rows = []
    for line in rating_lines:
        mark = lang if line.in_rubric else ""
        about = conditional_escape(line.about)
        cells = "".join(
            _cell(cell, lang if line.in_rubric else ' dir="auto"') for cell in line.cells
        )
        differs = differing if line.differs else ""
        row_class = ' class="differ"' if line.differs else ""
        rows.append(f'<tr{row_class}><th scope="row"{mark}>{about}{differs}</th>{cells}</tr>')
    return mark_safe("\n".join(rows))  # noqa: S308 - escaped


def _cell(cell: RatingCell, mark: str) -> str:
    """Return a cell: a score, ticks or a text, or a dash for nothing."""
    content = '<span class="quiet">–</span>'
    if cell.score:
        content = f'<span class="score s{cell.score.colour}">{cell.score.value}</span>'
    elif cell.ticks:
        tags = [
            f'<span class="tag fault">{conditional_escape(tick)}</span> ' for tick in cell.ticks
        ]
        content = "".join(tags)
    elif cell.text:
        content = linebreaksbr(cell.text)
    return f"<td{mark}>{content}</td>"


@register.simple_tag
def queue_rows(queue: QueueView, lang: str) -> SafeString:
    """Return the rows of the queue; `lang`: the mark of the rubric's language.

    A template takes four times as long.
    """
    is_open_elsewhere = format_html("<i>{}</i>", _("somebody has it open"))
    current = queue.current.token if queue.current else ""
    rows = []
    for row in queue.rows:
        address = conditional_escape(row.address)
        mark = ' aria-current="true"' if row.entry.token == current else ""
        name = conditional_escape(row.entry.item.external_id)
        scores = f'<span class="scores">{score_badges(row.badges)}</span>' if row.badges else ""
        note = is_open_elsewhere if row.is_open_elsewhere else ""
        words = f"<span{lang}>{conditional_escape(row.words)}</span>"
        rows.append(
            f'<li id="row-{row.entry.token}"><a href="{address}" data-hx-get="{address}"{mark}>'
            f'<b>{name}</b> {scores} <span class="quiet">{note} {words}</span></a></li>'
        )
    return mark_safe("\n".join(rows))  # noqa: S308 - escaped


@register.simple_tag
def causes_of(form: CaseForm) -> SafeString:
    """Return the causes as buttons."""
    return render_cached("tasks/disagreements/causes.html", causes=tuple(form.causes))
