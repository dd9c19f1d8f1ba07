"""Parts of form fields that a page has by the hundred, as `templates/django/forms/` shows them.

A template for each of them, as Django has it, was a fifth of the time of a page with filters.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
def attributes(attrs: Mapping[str, Any]) -> SafeString:
    """Return the attributes of a tag, each after a space. True is one without a value."""
    return mark_safe("".join(map(_attribute, attrs, attrs.values())))  # noqa: S308 - both escaped


@register.simple_tag
def input_of(widget: Mapping[str, Any]) -> SafeString:
    """Return the input of a widget; no value is none in the tag."""
    values = {"type": widget["type"], "name": widget["name"]}
    if widget["value"] is not None:
        values["value"] = widget["value"]
    return mark_safe(f"<input{attributes(values | widget['attrs'])}>")  # noqa: S308 - escaped


@register.simple_tag
def options(select_choices: Sequence[Mapping[str, Any]]) -> SafeString:
    """Return the options of a select."""
    return mark_safe("\n".join(map(_option, select_choices)))  # noqa: S308 - escaped below


def _attribute(name: str, value: Any) -> str:
    if value is False:
        return ""
    if value is True:
        return f" {conditional_escape(name)}"
    return f' {conditional_escape(name)}="{conditional_escape(str(value))}"'


def _option(choice: Mapping[str, Any]) -> str:
    value, label = conditional_escape(str(choice["value"])), conditional_escape(choice["label"])
    return f'<option value="{value}"{attributes(choice["attrs"])}>{label}</option>'
