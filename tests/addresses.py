"""Every address of the program."""

from __future__ import annotations

import re
from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver

API = "api/v1/"  # what is below it asks for a token in place of the log-in
EXAMPLE = {
    "base36": "1z",
    "int": "1",
    "slug": "some-slug",
    "str": "text",
    "path": "some/path",
    "uuid": "00000000-0000-0000-0000-000000000000",
}


def addresses(
    patterns: list[URLPattern | URLResolver] | None = None, before: str = ""
) -> Iterator[tuple[str, str]]:
    """Every address of the URLconf: as it is written, and an example of it."""
    for each in get_resolver().url_patterns if patterns is None else patterns:
        written = before + str(each.pattern).removeprefix("^")
        if isinstance(each, URLResolver):
            yield from addresses(each.url_patterns, written)
        elif written.startswith("admin/") and "(?P" in written:
            yield written, "admin/rubrics/"  # the admin's own pattern for the pages of the apps
        else:
            yield (
                written,
                re.sub(r"<(?:(\w+):)?\w+>", lambda found: EXAMPLE[found[1] or "str"], written),
            )
