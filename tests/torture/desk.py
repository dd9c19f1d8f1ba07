"""The desk's page as an annotator reads it. Only what stands on the page."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

FORM = re.compile(r'<form id="rating"[^>]* action="(/[^"]*/(\d+)/)submit/"')
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
SEEN = re.compile(r'name="seen" id="seen" value="([^"]*)"')
ITEM = re.compile(r'<h1 class="visually-hidden">[^<]*, item ([^<]*)</h1>')
# What a browser sends of a form that nobody wrote in.
EMPTY = re.compile(r'<(?:textarea|select|input type="hidden") id="[^"]*" name="([^"]+)"')
TARGET = re.compile(r'<section class="target[^"]*" id="(r\d+)"')
START = re.compile(r'action="(/[^"]*/desk/start/)"')
TAGS = re.compile(r"<script.*?</script>|<[^>]*>", re.S)
NOTHING = "You have rated everything that there is for you"


@dataclass(frozen=True)
class Page:
    """A form to rate an item with, a button to start, or the word that there is nothing."""

    path: str = ""  # of the form, without the verb at its end
    lease: int = 0
    item: str = ""
    token: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    targets: tuple[str, ...] = ()
    start: str = ""
    words: str = ""

    @property
    def says_nothing_left(self) -> bool:
        return not self.lease and NOTHING in self.words


def read(page: str, token: str = "") -> Page:
    """What stands on a page; its fragment may have no token, then the last one is still good."""
    found = TOKEN.search(page)
    token = found[1] if found else token
    form = FORM.search(page)
    if form is None:
        start = START.search(page)
        words = " ".join(html.unescape(TAGS.sub(" ", page)).split())
        return Page(token=token, start=start[1] if start else "", words=words)
    seen = SEEN.search(page)
    item = ITEM.search(page)
    fields = dict.fromkeys(EMPTY.findall(page), "")
    fields["seen"] = html.unescape(seen[1]) if seen else ""
    return Page(
        path=form[1],
        lease=int(form[2]),
        item=html.unescape(item[1]) if item else "",
        token=token,
        fields=fields,
        targets=tuple(TARGET.findall(page)),
    )
