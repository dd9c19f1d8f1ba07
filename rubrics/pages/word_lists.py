"""Join parts of a sentence, in the reader's language and as safe HTML."""

from collections.abc import Iterable, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def with_commas(parts: Iterable[object]) -> SafeString:
    """Join the parts: "A, B, C"."""
    return format_html_join(", ", "{}", ((part,) for part in parts))


def and_list(parts: Iterable[object]) -> SafeString:
    """Join the parts: "A", "A and B", "A, B and C"."""
    return _joined(parts, _("{first} and {last}"))


def or_list(parts: Iterable[object]) -> SafeString:
    """Join the parts: "A", "A or B", "A, B or C"."""
    return _joined(parts, _("{first} or {last}"))


def _joined(parts: Iterable[object], both: str) -> SafeString:
    *before, last = parts
    if not before:
        return format_html("{}", last)
    return format_html(both, first=with_commas(before), last=last)


def conjunction(conditions: Sequence[SafeString]) -> SafeString:
    """Join conditions that must all hold. Each may itself be a list, hence the comma."""
    whole, *others = conditions
    for other in others:
        whole = format_html(_("{one}, and {other}"), one=whole, other=other)
    return whole
