"""Mark text in another language than the page, above all for screen readers."""

from django import template

from rubrics.in_words import language_of

register = template.Library()
register.simple_tag(language_of)
