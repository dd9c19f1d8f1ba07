"""Mark text in another language than the page, above all for screen readers."""

from django import template

from rubrics.pages.language_marks import language_of, language_of_verdicts

register = template.Library()
register.simple_tag(language_of)
register.simple_tag(language_of_verdicts)
