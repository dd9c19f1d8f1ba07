"""`notices`: what pages say of what became of a rating."""

from __future__ import annotations

from django import template

from annotators.notices import why_extra

register = template.Library()
register.filter(why_extra)
